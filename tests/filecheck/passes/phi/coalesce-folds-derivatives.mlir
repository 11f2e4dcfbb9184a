// RUN: ein-opt %s -p coalesce-folds{derivatives=true} | filecheck %s

// The rows of a sum become one sequence before its derivative is expanded.

func.func @total(%a: !phi.vec<f64>, %offsets: !phi.vec<i64>) -> tuple<f64, f64> {
  %zero = arith.constant 0.0 : f64
  %one = arith.constant 1 : i64
  %r = phi.jvp (%x = %a by %a) : !phi.vec<f64> -> tuple<f64, f64> {
    %n = phi.size %x, 0 : !phi.vec<f64>
    %s = phi.fold (%i < %n, %acc = %zero) -> f64 {
      %next = arith.addi %i, %one : i64
      %first = phi.get %offsets[%i] : !phi.vec<i64>[i64]
      %last = phi.get %offsets[%next] : !phi.vec<i64>[i64]
      %count = arith.subi %last, %first : i64
      %t = phi.fold (%k < %count, %sum = %zero) -> f64 {
        %p = arith.addi %first, %k : i64
        %e = phi.get %x[%p] : !phi.vec<f64>[i64]
        %more = arith.addf %sum, %e : f64
        phi.yield %more : f64
      }
      %y = arith.addf %acc, %t : f64
      phi.yield %y : f64
    }
    phi.yield %s : f64
  }
  func.return %r : tuple<f64, f64>
}
// CHECK-LABEL: func.func @total(
// CHECK:         phi.jvp
// CHECK:           %[[ROWS:.*]] = phi.array (%k < %[[COUNT:.*]]) -> !phi.vec<i64>
// CHECK:           phi.fold (%{{.*}} < %[[COUNT]], %acc = %zero) -> f64 {
// CHECK-NOT:         phi.fold
// CHECK:           phi.yield

// A function without derivatives is unchanged.

func.func @none(%a: !phi.vec<f64>, %starts: !phi.vec<i64>, %lengths: !phi.vec<i64>) -> f64 {
  %zero = arith.constant 0.0 : f64
  %m = phi.size %starts, 0 : !phi.vec<i64>
  %s = phi.fold (%i < %m, %acc = %zero) -> f64 {
    %n = phi.get %lengths[%i] : !phi.vec<i64>[i64]
    %start = phi.get %starts[%i] : !phi.vec<i64>[i64]
    %t = phi.fold (%k < %n, %acc_1 = %zero) -> f64 {
      %p = arith.addi %start, %k : i64
      %x = phi.get %a[%p] : !phi.vec<f64>[i64]
      %y = arith.addf %acc_1, %x : f64
      phi.yield %y : f64
    }
    %next = arith.addf %acc, %t : f64
    phi.yield %next : f64
  }
  func.return %s : f64
}
// CHECK-LABEL: func.func @none(
// CHECK:         phi.fold (%i < %m, %acc = %zero) -> f64 {
// CHECK:           phi.fold (%k < %n, %acc_1 = %zero) -> f64 {
