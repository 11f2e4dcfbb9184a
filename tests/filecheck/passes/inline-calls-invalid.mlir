// RUN: ein-opt %s --split-input-file --verify-diagnostics -p inline-calls | filecheck %s

func.func @f(%x: f64) -> f64 {
  %y = func.call @g(%x) : (f64) -> f64
  func.return %y : f64
}
func.func @g(%x: f64) -> f64 {
  %y = func.call @f(%x) : (f64) -> f64
  func.return %y : f64
}

// CHECK: func.call: recursion cannot be inlined: f -> g -> f

// -----

func.func private @h(%x: f64) -> f64
func.func @k(%x: f64) -> f64 {
  %y = func.call @h(%x) : (f64) -> f64
  func.return %y : f64
}

// CHECK: func.call: 'h' is not defined in the module (functions: h, k)
