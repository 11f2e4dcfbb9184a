// RUN: ein-opt %s --split-input-file -p block-reductions{views=true},dce | filecheck %s

// The windows of a vector are a view: their sums need no blocks.
func.func @moving_sums(%x: !phi.vec<f64>, %n: i64, %w: i64) -> !phi.vec<f64> {
  %zero = arith.constant 0.0 : f64
  %r = phi.array (%i < %n) -> !phi.vec<f64> {
    %p = arith.index_cast %i : index to i64
    %s = phi.fold (%k < %w, %acc = %zero) -> f64 {
      %at = arith.addi %p, %k : i64
      %y = phi.get %x[%at] : !phi.vec<f64>[i64]
      %next = arith.addf %acc, %y : f64
      phi.yield %next : f64
    }
    phi.yield %s : f64
  }
  func.return %r : !phi.vec<f64>
}

// CHECK-LABEL: func.func @moving_sums(
// CHECK-NOT:     phi.fold
// CHECK:         %[[WINDOW:.*]] = phi.array (%k < %w)
// CHECK:         phi.reduce %[[WINDOW]]
// CHECK-NOT:     phi.fold

// -----

// Values that are computed from a window are no view.
func.func @sums_of_powers(%x: !phi.vec<f64>, %n: i64, %w: i64) -> !phi.vec<f64> {
  %zero = arith.constant 0.0 : f64
  %r = phi.array (%i < %n) -> !phi.vec<f64> {
    %p = arith.index_cast %i : index to i64
    %s = phi.fold (%k < %w, %acc = %zero) -> f64 {
      %at = arith.addi %p, %k : i64
      %y = phi.get %x[%at] : !phi.vec<f64>[i64]
      %e = math.exp %y : f64
      %next = arith.addf %acc, %e : f64
      phi.yield %next : f64
    }
    phi.yield %s : f64
  }
  func.return %r : !phi.vec<f64>
}

// CHECK-LABEL: func.func @sums_of_powers(
// CHECK:         phi.fold (%k < %{{.*}}, %acc = %zero)
// CHECK:           phi.array (%k_1 < %{{.*}})
// CHECK:             math.exp

// -----

// A diagonal of windows gathers.
func.func @diagonals(%x: !phi.vec<!phi.vec<f64>>, %n: i64, %w: i64) -> !phi.vec<f64> {
  %zero = arith.constant 0.0 : f64
  %r = phi.array (%i < %n) -> !phi.vec<f64> {
    %p = arith.index_cast %i : index to i64
    %s = phi.fold (%k < %w, %acc = %zero) -> f64 {
      %at = arith.addi %p, %k : i64
      %y = phi.get %x[%at, %k] : !phi.vec<!phi.vec<f64>>[i64, i64]
      %next = arith.addf %acc, %y : f64
      phi.yield %next : f64
    }
    phi.yield %s : f64
  }
  func.return %r : !phi.vec<f64>
}

// CHECK-LABEL: func.func @diagonals(
// CHECK:         phi.fold (%
