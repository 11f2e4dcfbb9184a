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

// -----

// Windows of three rows are few times the array: their products are one contraction.
func.func @neighbours(%q: !phi.vec<!phi.vec<f64>>, %x: !phi.vec<!phi.vec<f64>>, %w: i64) -> !phi.vec<!phi.vec<f64>> {
  %zero = arith.constant 0.0 : f64
  %three = arith.constant 3 : i64
  %n = phi.size %q, 0 : !phi.vec<!phi.vec<f64>>
  %r = phi.array (%i < %n, %p < %three) -> !phi.vec<!phi.vec<f64>> {
    %row = arith.index_cast %i : index to i64
    %offset = arith.index_cast %p : index to i64
    %at = arith.addi %row, %offset : i64
    %s = phi.fold (%k < %w, %acc = %zero) -> f64 {
      %a = phi.get %q[%i, %k] : !phi.vec<!phi.vec<f64>>[index, i64]
      %b = phi.get %x[%at, %k] : !phi.vec<!phi.vec<f64>>[i64, i64]
      %c = arith.mulf %a, %b : f64
      %next = arith.addf %acc, %c : f64
      phi.yield %next : f64
    }
    phi.yield %s : f64
  }
  func.return %r : !phi.vec<!phi.vec<f64>>
}

// CHECK-LABEL: func.func @neighbours(
// CHECK-NOT:     phi.fold
// CHECK:         phi.array (%k < %w)
// CHECK:         phi.reduce
// CHECK-NOT:     phi.fold

// -----

// Windows of any length may be much larger than the array.
func.func @any_neighbours(%q: !phi.vec<!phi.vec<f64>>, %x: !phi.vec<!phi.vec<f64>>, %m: i64, %w: i64) -> !phi.vec<!phi.vec<f64>> {
  %zero = arith.constant 0.0 : f64
  %n = phi.size %q, 0 : !phi.vec<!phi.vec<f64>>
  %r = phi.array (%i < %n, %p < %m) -> !phi.vec<!phi.vec<f64>> {
    %row = arith.index_cast %i : index to i64
    %offset = arith.index_cast %p : index to i64
    %at = arith.addi %row, %offset : i64
    %s = phi.fold (%k < %w, %acc = %zero) -> f64 {
      %a = phi.get %q[%i, %k] : !phi.vec<!phi.vec<f64>>[index, i64]
      %b = phi.get %x[%at, %k] : !phi.vec<!phi.vec<f64>>[i64, i64]
      %c = arith.mulf %a, %b : f64
      %next = arith.addf %acc, %c : f64
      phi.yield %next : f64
    }
    phi.yield %s : f64
  }
  func.return %r : !phi.vec<!phi.vec<f64>>
}

// CHECK-LABEL: func.func @any_neighbours(
// CHECK:         phi.fold
