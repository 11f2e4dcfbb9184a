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
