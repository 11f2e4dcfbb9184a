// RUN: ein-opt %s --split-input-file -p nest-comprehensions | filecheck %s

// The product of a sparse matrix and a matrix: a row has one count.

func.func @product(%ends: !phi.vec<i64>, %at: !phi.vec<i64>, %b: !phi.vec<!phi.vec<f64>>, %n: i64, %m: i64) -> !phi.vec<!phi.vec<f64>> {
  %zero = arith.constant 0.0 : f64
  %c = phi.array (%i < %n, %j < %m) -> !phi.vec<!phi.vec<f64>> {
    %count = phi.get %ends[%i] : !phi.vec<i64>[index]
    %s = phi.fold irregular (%k < %count, %acc = %zero) -> f64 {
      %q = phi.get %at[%k] : !phi.vec<i64>[i64]
      %x = phi.get %b[%q, %j] : !phi.vec<!phi.vec<f64>>[i64, index]
      %next = arith.addf %acc, %x : f64
      phi.yield %next : f64
    }
    phi.yield %s : f64
  }
  func.return %c : !phi.vec<!phi.vec<f64>>
}

// CHECK-LABEL: func.func @product(
// CHECK:         %c = phi.array (%i < %n) -> !phi.vec<!phi.vec<f64>> {
// CHECK-NEXT:      %count = phi.get %ends[%i] : !phi.vec<i64>[index]
// CHECK-NEXT:      %[[ROW:.*]] = phi.array (%j < %m) -> !phi.vec<f64> {
// CHECK-NEXT:        %s = phi.fold irregular (%k < %count, %acc = %zero) -> f64 {
// CHECK:             phi.yield %s : f64
// CHECK-NEXT:      }
// CHECK-NEXT:      phi.yield %[[ROW]] : !phi.vec<f64>

// -----

// Comprehensions stay: one whose counts vary in a row, are not looked up, or that reads no rows.

func.func @stay(%ends: !phi.vec<i64>, %b: !phi.vec<!phi.vec<f64>>, %n: i64, %m: i64) -> !phi.vec<!phi.vec<f64>> {
  %zero = arith.constant 0.0 : f64
  %c = phi.array (%i < %n, %j < %m) -> !phi.vec<!phi.vec<f64>> {
    %count = phi.get %ends[%j] : !phi.vec<i64>[index]
    %s = phi.fold irregular (%k < %count, %acc = %zero) -> f64 {
      %x = phi.get %b[%k, %j] : !phi.vec<!phi.vec<f64>>[i64, index]
      %next = arith.addf %acc, %x : f64
      phi.yield %next : f64
    }
    phi.yield %s : f64
  }
  %d = phi.array (%i < %n, %j < %m) -> !phi.vec<!phi.vec<f64>> {
    %count = arith.index_cast %i : index to i64
    %s = phi.fold irregular (%k < %count, %acc = %zero) -> f64 {
      %x = phi.get %c[%k, %j] : !phi.vec<!phi.vec<f64>>[i64, index]
      %next = arith.addf %acc, %x : f64
      phi.yield %next : f64
    }
    phi.yield %s : f64
  }
  %e = phi.array (%i < %n, %j < %m) -> !phi.vec<!phi.vec<f64>> {
    %count = phi.get %ends[%i] : !phi.vec<i64>[index]
    %s = phi.fold irregular (%k < %count, %acc = %zero) -> f64 {
      %x = phi.get %d[%j, %k] : !phi.vec<!phi.vec<f64>>[index, i64]
      %next = arith.addf %acc, %x : f64
      phi.yield %next : f64
    }
    phi.yield %s : f64
  }
  func.return %e : !phi.vec<!phi.vec<f64>>
}

// CHECK-LABEL: func.func @stay(
// CHECK-NOT:     phi.array (%i < %n) ->
// CHECK:         func.return
