// RUN: ein-opt %s -p raise-reductions | filecheck %s
// RUN: ein-opt %s -p "raise-reductions{views=true}" | filecheck %s --check-prefix VIEWS

// The scores of each row with the rows of a window are products with a view.

func.func @scores(%q: !phi.vec<!phi.vec<f64>>, %x: !phi.vec<!phi.vec<f64>>, %n: i64, %m: i64, %d: i64) -> !phi.vec<!phi.vec<f64>> {
  %zero = arith.constant 0.0 : f64
  %r = phi.array (%i < %n, %j < %m) -> !phi.vec<!phi.vec<f64>> {
    %i_1 = arith.index_cast %i : index to i64
    %j_1 = arith.index_cast %j : index to i64
    %p = arith.addi %i_1, %j_1 : i64
    %s = phi.fold (%k < %d, %acc = %zero) -> f64 {
      %a = phi.get %q[%i_1, %k] : !phi.vec<!phi.vec<f64>>[i64, i64]
      %b = phi.get %x[%p, %k] : !phi.vec<!phi.vec<f64>>[i64, i64]
      %c = arith.mulf %a, %b : f64
      %next = arith.addf %acc, %c : f64
      phi.yield %next : f64
    }
    phi.yield %s : f64
  }
  func.return %r : !phi.vec<!phi.vec<f64>>
}
// CHECK-LABEL: func.func @scores(
// CHECK:           phi.fold
// VIEWS-LABEL: func.func @scores(
// VIEWS-NOT:       phi.fold
// VIEWS-LABEL: func.func @filter(

// Filters are those of all windows: a library convolves.

func.func @filter(%w: !phi.vec<!phi.vec<f64>>, %x: !phi.vec<!phi.vec<f64>>, %n: i64, %m: i64, %d: i64) -> !phi.vec<!phi.vec<f64>> {
  %zero = arith.constant 0.0 : f64
  %r = phi.array (%i < %n, %j < %m) -> !phi.vec<!phi.vec<f64>> {
    %i_1 = arith.index_cast %i : index to i64
    %j_1 = arith.index_cast %j : index to i64
    %s = phi.fold (%k < %d, %acc = %zero) -> f64 {
      %p = arith.addi %i_1, %k : i64
      %a = phi.get %w[%j_1, %k] : !phi.vec<!phi.vec<f64>>[i64, i64]
      %b = phi.get %x[%p, %j_1] : !phi.vec<!phi.vec<f64>>[i64, i64]
      %c = arith.mulf %a, %b : f64
      %next = arith.addf %acc, %c : f64
      phi.yield %next : f64
    }
    phi.yield %s : f64
  }
  func.return %r : !phi.vec<!phi.vec<f64>>
}
// CHECK-LABEL: func.func @filter(
// VIEWS:           phi.fold
