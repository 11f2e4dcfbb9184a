// RUN: ein-opt %s -p expand-math | filecheck %s

// Functions that steps wait for, one after another, are those of the C library; so are functions
// beside loops. Those of steps that may be one vector are formulas, and so are functions that C
// libraries compute less exactly, and roots.

func.func @single(%a: memref<?xf64>, %n: index, %state: memref<2xf64>) -> (f64, f64, f64) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %start = arith.constant 0.0 : f64
  %root = arith.constant 0.5 : f64
  %yes = arith.constant true
  // A recurrence, with a function that waits for no other step.
  %r = scf.for %i = %zero to %n step %one iter_args(%x = %start) -> (f64) {
    %y = math.exp %x : f64
    %z = math.powf %y, %x : f64
    %h = math.tanh %z : f64
    %q = math.powf %h, %root : f64
    %t = memref.load %a[%i] : memref<?xf64>
    %u = math.log2 %t : f64
    %v = arith.addf %q, %u : f64
    scf.yield %v : f64
  }
  // A loop that ends by a condition.
  %m, %w = scf.while (%m1 = %yes, %w1 = %start) : (i1, f64) -> (i1, f64) {
    scf.condition(%m1) %m1, %w1 : i1, f64
  } do {
  ^bb0(%m2: i1, %w2: f64):
    %w3 = math.sin %w2 : f64
    %less = arith.cmpf olt, %w3, %w2 : f64
    scf.yield %less, %w3 : i1, f64
  }
  // A state in memory, and elements of an array.
  scf.for %i = %zero to %n step %one {
    %x = memref.load %state[%zero] : memref<2xf64>
    %y = math.erf %x : f64
    memref.store %y, %state[%zero] : memref<2xf64>
    %z = memref.load %a[%i] : memref<?xf64>
    %t = math.log %z : f64
    memref.store %t, %a[%i] : memref<?xf64>
  }
  // A sum, whose terms are vectors, beside a function.
  %s = scf.for %i = %zero to %n step %one iter_args(%x = %start) -> (f64) {
    %c = scf.for %j = %zero to %n step %one iter_args(%y = %start) -> (f64) {
      %t = memref.load %a[%j] : memref<?xf64>
      %u = math.expm1 %t : f64
      %v = arith.addf %y, %u fastmath<reassoc> : f64
      scf.yield %v : f64
    }
    %d = math.cos %c : f64
    %e = arith.addf %x, %d fastmath<reassoc> : f64
    scf.yield %e : f64
  }
  func.return %r, %w, %s : f64, f64, f64
}

// CHECK-LABEL: func.func @single
// CHECK:         math.exp %x
// CHECK-NEXT:    math.powf %y, %x
// CHECK-NOT:     math.tanh
// CHECK-NOT:     math.powf
// CHECK:         math.sqrt
// CHECK-NOT:     math.log2
// CHECK:         scf.while
// CHECK:         math.sin %w2
// CHECK:         math.erf %x
// CHECK-NOT:     math.log
// CHECK-NOT:     math.expm1
// CHECK:         math.cos %c
