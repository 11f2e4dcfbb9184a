// RUN: ein-opt %s --split-input-file -p 'raise-counted-loops{searches=true},simplify' | filecheck %s

// The first element above a level is found in blocks of steps.
func.func @first_above(%x: !phi.vec<f64>, %level: f64) -> i64 {
  %most = arith.constant 17592186044416 : i64
  %n = phi.size %x, 0 : !phi.vec<f64>
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %some = arith.cmpi slt, %zero, %n : i64
  %init = phi.tuple (%some, %zero) : tuple<i1, i64>
  %s = phi.while (%steps < %most, %state = %init) -> tuple<i1, i64> {
    %k = phi.proj %state, 1 : tuple<i1, i64> -> i64
    %next = arith.addi %k, %one : i64
    %is_inside = arith.cmpi slt, %next, %n : i64
    %e = phi.get %x[%next] : !phi.vec<f64>[i64]
    %is_below = arith.cmpf ole, %e, %level : f64
    %more = arith.andi %is_inside, %is_below : i1
    %after = phi.tuple (%more, %next) : tuple<i1, i64>
    phi.yield %after : tuple<i1, i64>
  }
  %r = phi.proj %s, 1 : tuple<i1, i64> -> i64
  func.return %r : i64
}
// CHECK-LABEL: @first_above
// CHECK:       phi.while
// CHECK:         %[[HOLDS:.*]] = phi.array
// CHECK:           arith.cmpf ole
// CHECK:         phi.argreduce %{{.*}} by "<" : !phi.vec<i8>
// CHECK:         phi.get %[[HOLDS]]
// CHECK:         phi.yield

// -----

// A sum that the condition reads is a scan of each block; another field is a fold over all steps.
func.func @sums(%x: !phi.vec<f64>, %y: !phi.vec<f64>) -> tuple<f64, f64> {
  %most = arith.constant 17592186044416 : i64
  %zero = arith.constant 0.0 : f64
  %one = arith.constant 1.0 : f64
  %true = arith.constant true
  %init = phi.tuple (%true, %zero, %one) : tuple<i1, f64, f64>
  %s = phi.while (%k < %most, %state = %init) -> tuple<i1, f64, f64> {
    %sum = phi.proj %state, 1 : tuple<i1, f64, f64> -> f64
    %acc = phi.proj %state, 2 : tuple<i1, f64, f64> -> f64
    %u = phi.get %x[%k] : !phi.vec<f64>[i64]
    %v = phi.get %y[%k] : !phi.vec<f64>[i64]
    %next = arith.addf %sum, %u : f64
    %p = arith.mulf %acc, %v : f64
    %q = arith.addf %p, %u : f64
    %more = arith.cmpf olt, %next, %one : f64
    %after = phi.tuple (%more, %next, %q) : tuple<i1, f64, f64>
    phi.yield %after : tuple<i1, f64, f64>
  }
  %a = phi.proj %s, 1 : tuple<i1, f64, f64> -> f64
  %b = phi.proj %s, 2 : tuple<i1, f64, f64> -> f64
  %r = phi.tuple (%a, %b) : tuple<f64, f64>
  func.return %r : tuple<f64, f64>
}
// CHECK-LABEL: @sums
// CHECK:       phi.while
// CHECK:         phi.scan "add"
// CHECK:         phi.argreduce
// CHECK:       phi.fold
// CHECK:         arith.mulf

// -----

// The next number depends on the one before: the loop stays.
func.func @halves(%x: f64) -> f64 {
  %most = arith.constant 17592186044416 : i64
  %half = arith.constant 0.5 : f64
  %one = arith.constant 1.0 : f64
  %some = arith.cmpf ogt, %x, %one : f64
  %init = phi.tuple (%some, %x) : tuple<i1, f64>
  %s = phi.while (%k < %most, %state = %init) -> tuple<i1, f64> {
    %e = phi.proj %state, 1 : tuple<i1, f64> -> f64
    %next = arith.mulf %e, %e : f64
    %moved = arith.subf %next, %half : f64
    %more = arith.cmpf ogt, %moved, %one : f64
    %after = phi.tuple (%more, %moved) : tuple<i1, f64>
    phi.yield %after : tuple<i1, f64>
  }
  %r = phi.proj %s, 1 : tuple<i1, f64> -> f64
  func.return %r : f64
}
// CHECK-LABEL: @halves
// CHECK-NOT:   phi.argreduce

// -----

// The limit may be negative, which is an error of the loop.
func.func @limited(%x: !phi.vec<f64>, %limit: i64) -> i64 {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %true = arith.constant true
  %level = arith.constant 0.5 : f64
  %init = phi.tuple (%true, %zero) : tuple<i1, i64>
  %s = phi.while (%steps < %limit, %state = %init) -> tuple<i1, i64> {
    %k = phi.proj %state, 1 : tuple<i1, i64> -> i64
    %next = arith.addi %k, %one : i64
    %e = phi.get %x[%next] : !phi.vec<f64>[i64]
    %more = arith.cmpf ole, %e, %level : f64
    %after = phi.tuple (%more, %next) : tuple<i1, i64>
    phi.yield %after : tuple<i1, i64>
  }
  %r = phi.proj %s, 1 : tuple<i1, i64> -> i64
  func.return %r : i64
}
// CHECK-LABEL: @limited
// CHECK-NOT:   phi.argreduce
