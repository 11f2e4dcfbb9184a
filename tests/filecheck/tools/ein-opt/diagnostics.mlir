// RUN: DIAGNOSTICS

func.func @result(%x: f64) -> i64 {
  func.return %x : f64
}
// CHECK: Expected arguments to have the same types as the function output types

// -----

func.func @operation(%x: f64) {
  no.such %x : f64
  func.return
}
// CHECK: Operation no.such is not registered
