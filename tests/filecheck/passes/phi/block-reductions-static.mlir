// RUN: ein-opt %s --split-input-file -p "block-reductions{static=true elements=100}",dce | filecheck %s

// The rows of a product are computed in blocks of equal size, and the steps behind them in one.
func.func @largest_scores(%x: !phi.vec<!phi.vec<f64>>, %w: !phi.vec<!phi.vec<f64>>, %n: i64) -> f64 {
  %zero = arith.constant 0.0 : f64
  %low = arith.constant 0xFFF0000000000000 : f64
  %l = phi.size %w, 0 : !phi.vec<!phi.vec<f64>>
  %m = phi.size %w, 1 : !phi.vec<!phi.vec<f64>>
  %s = phi.fold (%k < %n, %acc = %zero) -> f64 {
    %scores = phi.array (%j < %m) -> !phi.vec<f64> {
      %products = phi.array (%i < %l) -> !phi.vec<f64> {
        %u = phi.get %x[%k, %i] : !phi.vec<!phi.vec<f64>>[i64, index]
        %v = phi.get %w[%i, %j] : !phi.vec<!phi.vec<f64>>[index, index]
        %p = arith.mulf %u, %v : f64
        phi.yield %p : f64
      }
      %score = phi.reduce %products identity %zero by { arith.addf } -> f64
      phi.yield %score : f64
    }
    %most = phi.reduce %scores identity %low by { arith.maximumf } -> f64
    %next = arith.addf %acc, %most : f64
    phi.yield %next : f64
  }
  func.return %s : f64
}

// CHECK-LABEL: func.func @largest_scores(
// CHECK:         %[[BLOCKS:.*]] = arith.floordivsi %n, %[[STEPS:.*]] : i64
// CHECK:         %[[LENGTH:.*]] = arith.minsi %[[STEPS]], %n : i64
// CHECK:         %[[WHOLE:.*]] = phi.fold (%block < %{{.*}}, %acc = %zero) -> f64 {
// CHECK:           %start = arith.minsi
// CHECK:           %[[MOST:.*]] = phi.array (%k < %[[LENGTH]])
// CHECK:           %[[SUM:.*]] = phi.reduce %[[MOST]] identity
// CHECK:           arith.addf %acc, %[[SUM]]
// CHECK:         %[[ALL:.*]] = phi.fold (%block_1 < %{{.*}}, %acc_1 = %[[WHOLE]]) -> f64 {
// CHECK:           phi.reduce
// CHECK-NOT:     phi.fold
// CHECK:         func.return %[[ALL]] : f64

// -----

// Rows of differences stay: no product computes them.
func.func @nearest(%x: !phi.vec<!phi.vec<f64>>, %w: !phi.vec<!phi.vec<f64>>, %n: i64) -> f64 {
  %zero = arith.constant 0.0 : f64
  %high = arith.constant 0x7FF0000000000000 : f64
  %l = phi.size %w, 0 : !phi.vec<!phi.vec<f64>>
  %m = phi.size %w, 1 : !phi.vec<!phi.vec<f64>>
  %s = phi.fold (%k < %n, %acc = %zero) -> f64 {
    %distances = phi.array (%j < %m) -> !phi.vec<f64> {
      %squares = phi.array (%i < %l) -> !phi.vec<f64> {
        %u = phi.get %x[%k, %i] : !phi.vec<!phi.vec<f64>>[i64, index]
        %v = phi.get %w[%i, %j] : !phi.vec<!phi.vec<f64>>[index, index]
        %d = arith.subf %u, %v : f64
        %p = arith.mulf %d, %d : f64
        phi.yield %p : f64
      }
      %distance = phi.reduce %squares identity %zero by { arith.addf } -> f64
      phi.yield %distance : f64
    }
    %least = phi.reduce %distances identity %high by { arith.minimumf } -> f64
    %next = arith.addf %acc, %least : f64
    phi.yield %next : f64
  }
  func.return %s : f64
}

// CHECK-LABEL: func.func @nearest(
// CHECK:         phi.fold (%k < %n, %acc = %zero)
// CHECK-NOT:     phi.fold

// -----

// A step that depends on the one before is a step of a loop.
func.func @carried(%x: !phi.vec<!phi.vec<f64>>, %w: !phi.vec<!phi.vec<f64>>, %n: i64) -> f64 {
  %zero = arith.constant 0.0 : f64
  %l = phi.size %w, 0 : !phi.vec<!phi.vec<f64>>
  %m = phi.size %w, 1 : !phi.vec<!phi.vec<f64>>
  %s = phi.fold (%k < %n, %acc = %zero) -> f64 {
    %scores = phi.array (%j < %m) -> !phi.vec<f64> {
      %products = phi.array (%i < %l) -> !phi.vec<f64> {
        %u = phi.get %x[%k, %i] : !phi.vec<!phi.vec<f64>>[i64, index]
        %v = phi.get %w[%i, %j] : !phi.vec<!phi.vec<f64>>[index, index]
        %p = arith.mulf %u, %v : f64
        phi.yield %p : f64
      }
      %score = phi.reduce %products identity %zero by { arith.addf } -> f64
      %y = arith.mulf %score, %acc : f64
      phi.yield %y : f64
    }
    %most = phi.reduce %scores identity %zero by { arith.addf } -> f64
    %next = arith.addf %acc, %most : f64
    phi.yield %next : f64
  }
  func.return %s : f64
}

// CHECK-LABEL: func.func @carried(
// CHECK:         phi.fold (%k < %n, %acc = %zero)
// CHECK-NOT:     phi.fold
