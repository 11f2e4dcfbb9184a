// RUN: ein-opt %s -p simplify-arithmetic,simplify | filecheck %s

// A term that is no product stays, and the negation of its condition is not made.
func.func @kept_terms(%a: !phi.vec<f64>, %n: i64, %i: i64) -> f64 {
  %zero = arith.constant 0.0 : f64
  %none = arith.constant 0 : i64
  %s = phi.fold (%k < %n, %acc = %zero) -> f64 {
    %0 = arith.addi %i, %none : i64
    %c = arith.cmpi slt, %k, %0 : i64
    %d = arith.cmpi sgt, %k, %i : i64
    %x = phi.get %a[%k] : !phi.vec<f64>[i64]
    %p = arith.mulf %x, %x : f64
    %q = arith.select %d, %p, %zero : f64
    %z = math.sin %x : f64
    %t = arith.select %c, %q, %z : f64
    %u = arith.addf %acc, %t : f64
    phi.yield %u : f64
  }
  func.return %s : f64
}
// CHECK-LABEL: func.func @kept_terms
// CHECK:           %c = arith.cmpi slt, %k, %i : i64
// CHECK-NEXT:      %d = arith.cmpi sgt, %k, %i : i64
// CHECK:           math.sin
// CHECK-NEXT:      arith.select %c, %q, %z : f64

// A sum of choices of one value, at most one of which is not zero, is a choice.
func.func @exclusive(%x: f64, %i: i64, %k: i64, %c: i1) -> (f64, f64) {
  %zero = arith.constant 0.0 : f64
  %above = arith.cmpi sgt, %i, %k : i64
  %at = arith.cmpi eq, %k, %i : i64
  %0 = arith.select %c, %zero, %x : f64
  %1 = arith.select %above, %zero, %0 : f64
  %2 = arith.select %above, %0, %zero : f64
  %3 = arith.addf %1, %2 : f64
  %4 = arith.select %at, %x, %zero : f64
  %5 = arith.select %above, %x, %zero : f64
  %6 = arith.addf %4, %5 : f64
  func.return %3, %6 : f64, f64
}
// CHECK-LABEL: func.func @exclusive
// CHECK:         %[[ABOVE:.*]] = arith.cmpi sgt, %i, %k : i64
// CHECK-NEXT:    %[[AT:.*]] = arith.cmpi eq, %k, %i : i64
// CHECK-NEXT:    %[[A:.*]] = arith.select %c, %zero, %x : f64
// CHECK-NEXT:    %[[R:.*]] = arith.select %[[ABOVE]], %x, %zero : f64
// CHECK-NEXT:    %[[B:.*]] = arith.select %[[AT]], %x, %[[R]] : f64
// CHECK-NEXT:    func.return %[[A]], %[[B]] : f64, f64

// Not where both may be other than zero, or where they are of different values.
func.func @inclusive(%x: f64, %y: f64, %i: i64, %k: i64) -> (f64, f64) {
  %zero = arith.constant 0.0 : f64
  %from = arith.cmpi sge, %i, %k : i64
  %at = arith.cmpi eq, %i, %k : i64
  %0 = arith.select %at, %x, %zero : f64
  %1 = arith.select %from, %x, %zero : f64
  %2 = arith.addf %0, %1 : f64
  %3 = arith.select %at, %zero, %y : f64
  %4 = arith.addf %0, %3 : f64
  func.return %2, %4 : f64, f64
}
// CHECK-LABEL: func.func @inclusive
// CHECK:         arith.addf
// CHECK:         arith.addf

// A comparison decides others of the same Ints, and a branch may be the whole choice.
func.func @decided(%x: f64, %y: f64, %z: f64, %i: i64, %k: i64) -> (f64, f64, f64) {
  %above = arith.cmpi sgt, %i, %k : i64
  %at = arith.cmpi eq, %i, %k : i64
  %unsigned = arith.cmpi ugt, %i, %k : i64
  %0 = arith.select %at, %y, %z : f64
  %1 = arith.select %above, %0, %x : f64
  %2 = arith.select %above, %z, %0 : f64
  %3 = arith.select %unsigned, %z, %0 : f64
  func.return %1, %2, %3 : f64, f64, f64
}
// CHECK-LABEL: func.func @decided
// CHECK:         %[[AT:.*]] = arith.select %at, %y, %z : f64
// CHECK-NEXT:    %[[ABOVE:.*]] = arith.select %above, %z, %x : f64
// CHECK-NEXT:    %[[U:.*]] = arith.select %unsigned, %z, %[[AT]] : f64
// CHECK-NEXT:    func.return %[[ABOVE]], %[[AT]], %[[U]] : f64, f64, f64

// An Int that is added and subtracted is left out; another one is not.
func.func @left_out(%x: i64, %y: i64, %z: i64) -> (i64, i64, i64) {
  %0 = arith.addi %x, %y : i64
  %1 = arith.subi %0, %z : i64
  %2 = arith.subi %1, %y : i64
  %3 = arith.subi %0, %x : i64
  %4 = arith.subi %1, %z : i64
  func.return %2, %3, %4 : i64, i64, i64
}
// CHECK-LABEL: func.func @left_out
// CHECK:         %[[S:.*]] = arith.addi %x, %y : i64
// CHECK-NEXT:    %[[D:.*]] = arith.subi %[[S]], %z : i64
// CHECK-NEXT:    %[[R:.*]] = arith.subi %x, %z : i64
// CHECK-NEXT:    %[[T:.*]] = arith.subi %[[D]], %z : i64
// CHECK-NEXT:    func.return %[[R]], %y, %[[T]] : i64, i64, i64

// The middle of three neighbours on a ring is the index itself.
func.func @ring(%x: !phi.vec<f64>) -> !phi.vec<f64> {
  %one = arith.constant 1 : i64
  %n = phi.size %x, 0 : !phi.vec<f64>
  %r = phi.array (%i < %n) -> !phi.vec<f64> {
    %k = arith.index_cast %i : index to i64
    %next = arith.addi %k, %one : i64
    %back = arith.subi %next, %one : i64
    %own = sigma.floormod %back, %n : i64
    %other = sigma.floormod %next, %n : i64
    %a = phi.get %x[%own] : !phi.vec<f64>[i64]
    %b = phi.get %x[%other] : !phi.vec<f64>[i64]
    %c = arith.addf %a, %b : f64
    phi.yield %c : f64
  }
  func.return %r : !phi.vec<f64>
}

// CHECK-LABEL: func.func @ring(%x: !phi.vec<f64>) -> !phi.vec<f64> {
// CHECK-NEXT:       %one = arith.constant 1 : i64
// CHECK-NEXT:       %n = phi.size %x, 0 : !phi.vec<f64>
// CHECK-NEXT:       %r = phi.array (%i < %n) -> !phi.vec<f64> {
// CHECK-NEXT:         %k = arith.index_cast %i : index to i64
// CHECK-NEXT:         %next = arith.addi %k, %one : i64
// CHECK-NEXT:         %other = sigma.floormod %next, %n : i64
// CHECK-NEXT:         %a = phi.get %x[%k] : !phi.vec<f64>[i64]
// CHECK-NEXT:         %b = phi.get %x[%other] : !phi.vec<f64>[i64]
// CHECK-NEXT:         %c = arith.addf %a, %b : f64
// CHECK-NEXT:         phi.yield %c : f64
// CHECK-NEXT:       }
// CHECK-NEXT:       func.return %r : !phi.vec<f64>
// CHECK-NEXT:     }
