// RUN: ein-opt %s --split-input-file -p narrow-folds{numbers=true} | filecheck %s
// RUN: ein-opt %s --split-input-file -p narrow-folds | filecheck %s --check-prefix=NARROWED

// A fold of few steps stays, if it is one of the numbers that a loop computes.
func.func @lags(%a: !phi.vec<f64>) -> !phi.vec<f64> {
  %n = phi.size %a, 0 : !phi.vec<f64>
  %three = arith.constant 3 : i64
  %zero = arith.constant 0.0 : f64
  %r = phi.fold (%i < %n, %x = %a) -> !phi.vec<f64> {
    %y = phi.fold (%d < %three, %acc = %zero) -> f64 {
      %before = arith.cmpi slt, %d, %i : i64
      %p = arith.subi %i, %d : i64
      %e = phi.get %x[%p] : !phi.vec<f64>[i64]
      %f = arith.select %before, %e, %zero : f64
      %next = arith.addf %acc, %f : f64
      phi.yield %next : f64
    }
    %z = phi.update %x[%i], %y : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>
    phi.yield %z : !phi.vec<f64>
  }
  func.return %r : !phi.vec<f64>
}

// CHECK-LABEL:    func.func @lags(
// CHECK:            phi.fold (%d < %three, %acc = %zero) -> f64 {
// NARROWED-LABEL: func.func @lags(
// NARROWED-NOT:     phi.fold (%d < %three

// -----

// Not beside an array of other elements.
func.func @beside(%a: !phi.vec<f64>) -> !phi.vec<f64> {
  %n = phi.size %a, 0 : !phi.vec<f64>
  %three = arith.constant 3 : i64
  %zero = arith.constant 0.0 : f64
  %r = phi.fold (%i < %n, %x = %a) -> !phi.vec<f64> {
    %y = phi.fold (%d < %three, %acc = %zero) -> f64 {
      %before = arith.cmpi slt, %d, %i : i64
      %e = phi.get %x[%d] : !phi.vec<f64>[i64]
      %f = arith.select %before, %e, %zero : f64
      %next = arith.addf %acc, %f : f64
      phi.yield %next : f64
    }
    %z = phi.array (%j < %n) -> !phi.vec<f64> {
      %e = phi.get %x[%j] : !phi.vec<f64>[index]
      %f = arith.addf %e, %y : f64
      phi.yield %f : f64
    }
    phi.yield %z : !phi.vec<f64>
  }
  func.return %r : !phi.vec<f64>
}

// CHECK-LABEL:    func.func @beside(
// CHECK-NOT:        phi.fold (%d < %three
