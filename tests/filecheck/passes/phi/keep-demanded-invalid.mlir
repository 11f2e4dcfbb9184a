// RUN: ein-opt %s --split-input-file --verify-diagnostics -p 'keep-demanded{results=sizes}' | filecheck %s

func.func @f(%x: f64) -> f64 {
  %y = func.call @g(%x) : (f64) -> f64
  func.return %y : f64
}
func.func @g(%x: f64) -> f64 {
  func.return %x : f64
}

// CHECK: @f calls @g: run inline-calls before

// -----

func.func @f(%x: f64) -> f64 {
  func.return %x : f64
}

// CHECK: func.func @f
