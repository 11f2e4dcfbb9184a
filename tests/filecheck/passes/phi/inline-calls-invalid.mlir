// RUN: ein-opt %s --split-input-file --verify-diagnostics -p inline-calls | filecheck %s

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

func.func @loop(%x: f64) -> f64 {
  %y = func.call @loop(%x) : (f64) -> f64
  func.return %y : f64
}

// CHECK: func.call: @loop is recursive: @loop calls @loop

// -----

func.func private @h(%x: f64) -> f64
func.func @k(%x: f64) -> f64 {
  %y = func.call @h(%x) : (f64) -> f64
  func.return %y : f64
}

// CHECK: func.call: no function @h is defined in the module

// -----

func.func @blocks(%x: f64) -> f64 {
  "cf.br"(%x)[^bb1] : (f64) -> ()
^bb1(%y: f64):
  func.return %y : f64
}
func.func @caller(%x: f64) -> f64 {
  %y = func.call @blocks(%x) : (f64) -> f64
  func.return %y : f64
}

// CHECK: func.call: @blocks has several blocks and cannot be inlined
