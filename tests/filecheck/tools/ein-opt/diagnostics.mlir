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

// -----

func.func @branches(%c: i1, %x: f64) -> f64 {
  %y = scf.if %c -> (f64) {
    scf.yield %x : f64
  } else {
    %z = math.exp %x : f64
  }
  func.return %y : f64
}
// CHECK: scf.if: its results are 'f64', but a branch yields nothing

// -----

func.func @load(%a: memref<?xf64>) -> f64 {
  %x = memref.load %a[] : memref<?xf64>
  func.return %x : f64
}
// CHECK: memref.load: expected an index for each dimension
