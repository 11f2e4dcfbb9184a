// RUN: ein-opt %s --split-input-file --verify-diagnostics -p keep-demanded | filecheck %s

func.func @f(%x: f64) -> f64 {
  %y = func.call @g(%x) : (f64) -> f64
  func.return %y : f64
}
func.func @g(%x: f64) -> f64 {
  %y = func.call @f(%x) : (f64) -> f64
  func.return %y : f64
}

// CHECK: func.call: @f is recursive: @f calls @g calls @f

// -----

func.func private @h(%x: f64) -> f64
func.func @k(%x: f64) -> f64 {
  %y = func.call @h(%x) : (f64) -> f64
  func.return %y : f64
}

// CHECK: func.call: no function @h is defined in the module

// -----

func.func @f(%x: f64) -> f64 {
  func.return %x : f64
}

// CHECK: func.func @f
