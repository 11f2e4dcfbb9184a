// RUN: ein-opt %s -p hoist-reciprocals --split-input-file | filecheck %s

// A term of a sum, also one that is negated, multiplied and selected, is multiplied by a reciprocal,
// which is computed where its divisor is. The scale is 1 unless that is below the least normal number.

func.func @terms(%x: memref<?xf64>, %z: f64, %n: index, %c: i1) -> f64 {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %none = arith.constant 0.0 : f64
  %total = scf.for %k = %zero to %n step %one iter_args(%sum = %none) -> (f64) {
    %y = memref.load %x[%k] : memref<?xf64>
    %q = arith.divf %y, %z : f64
    %p = arith.mulf %q, %y : f64
    %m = arith.negf %p : f64
    %t = arith.select %c, %m, %none : f64
    %next = arith.addf %sum, %t fastmath<reassoc,contract> : f64
    scf.yield %next : f64
  }
  func.return %total : f64
}
// CHECK-LABEL: func.func @terms
// CHECK:         %[[SIZE:.*]] = math.absf %z : f64
// CHECK:         %[[SMALL:.*]] = arith.cmpf olt, %[[SIZE]], %{{.*}} : f64
// CHECK:         %[[BY:.*]] = arith.select %[[SMALL]], %{{.*}}, %{{.*}} : f64
// CHECK-NEXT:    %[[SCALED:.*]] = arith.mulf %z, %[[BY]] : f64
// CHECK-NEXT:    %[[NEAREST:.*]] = arith.divf %{{.*}}, %[[SCALED]] : f64
// CHECK:         %[[ERROR:.*]] = math.fma %[[NEAREST]], %[[SCALED]], %{{.*}} : f64
// CHECK-NEXT:    %[[ABOVE:.*]] = arith.cmpf ogt, %[[ERROR]], %{{.*}} : f64
// CHECK:         %[[LESS:.*]] = arith.mulf %[[NEAREST]], %{{.*}} : f64
// CHECK-NEXT:    %[[RECIPROCAL:.*]] = arith.select %[[ABOVE]], %[[LESS]], %[[NEAREST]] : f64
// CHECK:         scf.for
// CHECK-NOT:       arith.divf
// CHECK:           %[[LHS:.*]] = arith.mulf %y, %[[BY]] : f64
// CHECK-NEXT:      %q = arith.mulf %[[LHS]], %[[RECIPROCAL]] fastmath<contract> : f64
// CHECK-NEXT:      %p = arith.mulf %q, %y : f64

// -----

// Near misses: a quotient that is stored, one that is compared, one of which a function is summed, a
// divisor that varies, a divisor of divisors, and a loop of few steps.

func.func @others(%x: memref<?xf64>, %y: memref<?xf64>, %z: f64, %n: index) -> (f64, f64, f64, f64, f64) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %few = arith.constant 4 : index
  %none = arith.constant 0.0 : f64
  %sums:4 = scf.for %k = %zero to %n step %one iter_args(%a = %none, %b = %none, %c = %none, %d = %none) -> (f64, f64, f64, f64) {
    %v = memref.load %x[%k] : memref<?xf64>
    %stored = arith.divf %v, %z : f64
    memref.store %stored, %y[%k] : memref<?xf64>
    %next = arith.addf %a, %stored fastmath<reassoc,contract> : f64
    %w = arith.addf %v, %v : f64
    %compared = arith.divf %w, %z : f64
    %test = arith.cmpf olt, %compared, %none : f64
    %kept = arith.select %test, %compared, %none : f64
    %next_1 = arith.addf %b, %kept fastmath<reassoc,contract> : f64
    %u = arith.addf %w, %v : f64
    %argument = arith.divf %u, %z : f64
    %function = math.exp %argument : f64
    %inner = arith.divf %function, %v : f64
    %next_2 = arith.addf %c, %inner fastmath<reassoc,contract> : f64
    %t = arith.addf %u, %v : f64
    %divisor = arith.divf %t, %z : f64
    %quotient = arith.divf %t, %divisor : f64
    %next_3 = arith.addf %d, %quotient fastmath<reassoc,contract> : f64
    scf.yield %next, %next_1, %next_2, %next_3 : f64, f64, f64, f64
  }
  %short = scf.for %k = %zero to %few step %one iter_args(%a = %none) -> (f64) {
    %v = memref.load %x[%k] : memref<?xf64>
    %q = arith.divf %v, %z : f64
    %next = arith.addf %a, %q fastmath<reassoc,contract> : f64
    scf.yield %next : f64
  }
  func.return %sums#0, %sums#1, %sums#2, %sums#3, %short : f64, f64, f64, f64, f64
}
// CHECK-LABEL: func.func @others
// CHECK-NOT:     math.fma
// CHECK-COUNT-6: arith.divf
// CHECK-NOT:     math.fma

// -----

// A recurrence is no sum: its partial results are rounded as the program says.

func.func @recurrence(%x: memref<?xf64>, %z: f64, %n: index) -> f64 {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %none = arith.constant 0.0 : f64
  %total = scf.for %k = %zero to %n step %one iter_args(%sum = %none) -> (f64) {
    %y = memref.load %x[%k] : memref<?xf64>
    %q = arith.divf %y, %z : f64
    %next = arith.addf %sum, %q : f64
    scf.yield %next : f64
  }
  func.return %total : f64
}
// CHECK-LABEL: func.func @recurrence
// CHECK-NOT:     math.fma
// CHECK:         arith.divf %y, %z : f64
