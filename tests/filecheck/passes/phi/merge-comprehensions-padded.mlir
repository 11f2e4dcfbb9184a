// RUN: ein-opt %s -p merge-comprehensions | filecheck %s

// Not one: a padded element is a factor of two products of matrices.

func.func @filters(%x: !phi.vec<f64>, %w: !phi.vec<f64>, %v: !phi.vec<f64>, %i: index, %n: i64) -> (f64, f64) {
  %zero = arith.constant 0.0 : f64
  %none = arith.constant 0 : i64
  %count = arith.constant 3 : i64
  %at = arith.index_cast %i : index to i64
  %f = phi.fold (%k < %count, %acc = %zero) -> f64 {
    %p = arith.subi %at, %k : i64
    %inside = arith.cmpi sge, %p, %none : i64
    %a = phi.get %x[%p] : !phi.vec<f64>[i64]
    %padded = arith.select %inside, %a, %zero : f64
    %b = phi.get %w[%k] : !phi.vec<f64>[i64]
    %y = arith.mulf %b, %padded : f64
    %next = arith.addf %acc, %y : f64
    phi.yield %next : f64
  }
  %g = phi.fold (%k < %count, %acc = %zero) -> f64 {
    %p = arith.subi %at, %k : i64
    %inside = arith.cmpi sge, %p, %none : i64
    %a = phi.get %x[%p] : !phi.vec<f64>[i64]
    %padded = arith.select %inside, %a, %zero : f64
    %b = phi.get %v[%k] : !phi.vec<f64>[i64]
    %y = arith.mulf %b, %padded : f64
    %next = arith.addf %acc, %y : f64
    phi.yield %next : f64
  }
  func.return %f, %g : f64, f64
}
// CHECK-LABEL: func.func @filters(
// CHECK:           %f = phi.fold (%k < %count, %acc = %zero) -> f64 {
// CHECK:           %g = phi.fold (%k_1 < %count, %acc_1 = %zero) -> f64 {
