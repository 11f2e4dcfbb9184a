// RUN: ein-opt %s -p "raise-updates{derivatives=true}" | filecheck %s

// Before derivatives, an array that exists is updated. A unit vector stays a comprehension, whose
// elements are computed where they are read.

func.func @before(%a: !phi.vec<f64>, %p: i64, %ct: !phi.vec<f64>) -> !phi.vec<f64> {
  %zero = arith.constant 0.0 : f64
  %one = arith.constant 1.0 : f64
  %r = phi.vjp (%x = %a by %ct) : !phi.vec<f64> -> tuple<!phi.vec<f64>, !phi.vec<f64>> {
    %n = phi.size %x, 0 : !phi.vec<f64>
    %y = phi.array (%i < %n) -> !phi.vec<f64> {
      %i_1 = arith.index_cast %i : index to i64
      %is_there = arith.cmpi eq, %i_1, %p : i64
      %e = phi.get %x[%i] : !phi.vec<f64>[index]
      %s = arith.select %is_there, %zero, %e : f64
      phi.yield %s : f64
    }
    %u = phi.array (%j < %n) -> !phi.vec<f64> {
      %j_1 = arith.index_cast %j : index to i64
      %is_here = arith.cmpi eq, %j_1, %p : i64
      %t = arith.select %is_here, %one, %zero : f64
      phi.yield %t : f64
    }
    %z = phi.array (%k < %n) -> !phi.vec<f64> {
      %yk = phi.get %y[%k] : !phi.vec<f64>[index]
      %uk = phi.get %u[%k] : !phi.vec<f64>[index]
      %sum = arith.addf %yk, %uk : f64
      phi.yield %sum : f64
    }
    phi.yield %z : !phi.vec<f64>
  }
  %g = phi.proj %r, 1 : tuple<!phi.vec<f64>, !phi.vec<f64>> -> !phi.vec<f64>
  func.return %g : !phi.vec<f64>
}
// CHECK-LABEL: func.func @before(
// CHECK:           %y = phi.update %x[%p], %zero : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>
// CHECK:           %u = phi.array (%j < %n) -> !phi.vec<f64> {

// A function without derivatives is unchanged.

func.func @none(%a: !phi.vec<f64>, %p: i64) -> !phi.vec<f64> {
  %zero = arith.constant 0.0 : f64
  %n = phi.size %a, 0 : !phi.vec<f64>
  %y = phi.array (%i < %n) -> !phi.vec<f64> {
    %i_1 = arith.index_cast %i : index to i64
    %is_there = arith.cmpi eq, %i_1, %p : i64
    %e = phi.get %a[%i] : !phi.vec<f64>[index]
    %s = arith.select %is_there, %zero, %e : f64
    phi.yield %s : f64
  }
  func.return %y : !phi.vec<f64>
}
// CHECK-LABEL: func.func @none(
// CHECK-NOT:       phi.update
