// RUN: ein-opt %s --split-input-file -p split-cases | filecheck %s

// A case for each of two channels, along the inner axis.
func.func @channels(%a: !phi.vec<f64>, %b: !phi.vec<f64>) -> !phi.vec<!phi.vec<f64>> {
  %n = phi.size %a, 0 : !phi.vec<f64>
  %two = arith.constant 2 : i64
  %none = arith.constant 0 : i64
  %t = phi.array (%p < %n, %c < %two) -> !phi.vec<!phi.vec<f64>> {
    %0 = arith.index_cast %c : index to i64
    %first = arith.cmpi eq, %0, %none : i64
    %x = phi.get %a[%p] : !phi.vec<f64>[index]
    %y = phi.get %b[%c] : !phi.vec<f64>[index]
    %z = arith.select %first, %x, %y : f64
    phi.yield %z : f64
  }
  func.return %t : !phi.vec<!phi.vec<f64>>
}
// CHECK-LABEL: func.func @channels
// CHECK:         %[[ONE:.*]] = arith.constant 1 : i64
// CHECK-NEXT:    %[[FIRST:.*]] = phi.array (%p < %n, %c < %[[ONE]]) -> !phi.vec<!phi.vec<f64>> {
// CHECK:           %[[ZERO:.*]] = arith.constant 0 : i64
// CHECK:           arith.cmpi eq, %[[ZERO]], %none : i64
// CHECK:         %[[SECOND:.*]] = phi.array (%p_1 < %n, %c_1 < %[[ONE]]) -> !phi.vec<!phi.vec<f64>> {
// CHECK:           arith.cmpi eq, %[[C:.*]], %none : i64
// CHECK:           phi.get %b[%{{.*}}] : !phi.vec<f64>[i64]
// CHECK:         %[[TWO:.*]] = arith.constant 2 : i64
// CHECK-NEXT:    %{{.*}} = phi.array (%p_2 < %n) -> !phi.vec<!phi.vec<f64>> {
// CHECK-NEXT:      %[[X:.*]] = phi.get %[[FIRST]][%p_2] : !phi.vec<!phi.vec<f64>>[index]
// CHECK-NEXT:      %[[Y:.*]] = phi.get %[[SECOND]][%p_2] : !phi.vec<!phi.vec<f64>>[index]
// CHECK-NEXT:      %[[ROW:.*]] = phi.concat %[[X]], %[[Y]] of %[[TWO]] : !phi.vec<f64>
// CHECK-NEXT:      phi.yield %[[ROW]] : !phi.vec<f64>

// -----

// Left alone: a short vector, many values, a comparison with no constant, a loop, and an element that
// an accumulator keeps.
func.func @short(%a: f64, %b: f64) -> !phi.vec<f64> {
  %two = arith.constant 2 : i64
  %none = arith.constant 0 : i64
  %t = phi.array (%c < %two) -> !phi.vec<f64> {
    %0 = arith.index_cast %c : index to i64
    %first = arith.cmpi eq, %0, %none : i64
    %z = arith.select %first, %a, %b : f64
    phi.yield %z : f64
  }
  func.return %t : !phi.vec<f64>
}
// CHECK-LABEL: func.func @short
// CHECK-NOT:     phi.concat

func.func @many(%a: !phi.vec<f64>, %b: f64, %m: i64) -> (!phi.vec<!phi.vec<f64>>, !phi.vec<!phi.vec<f64>>) {
  %n = phi.size %a, 0 : !phi.vec<f64>
  %two = arith.constant 2 : i64
  %five = arith.constant 5 : i64
  %none = arith.constant 0 : i64
  %t = phi.array (%p < %n, %c < %five) -> !phi.vec<!phi.vec<f64>> {
    %0 = arith.index_cast %c : index to i64
    %first = arith.cmpi eq, %0, %none : i64
    %x = phi.get %a[%p] : !phi.vec<f64>[index]
    %z = arith.select %first, %x, %b : f64
    phi.yield %z : f64
  }
  %u = phi.array (%p < %n, %c < %two) -> !phi.vec<!phi.vec<f64>> {
    %0 = arith.index_cast %c : index to i64
    %first = arith.cmpi eq, %0, %m : i64
    %x = phi.get %a[%p] : !phi.vec<f64>[index]
    %z = arith.select %first, %x, %b : f64
    phi.yield %z : f64
  }
  func.return %t, %u : !phi.vec<!phi.vec<f64>>, !phi.vec<!phi.vec<f64>>
}
// CHECK-LABEL: func.func @many
// CHECK-NOT:     phi.concat

func.func @loops(%a: !phi.vec<!phi.vec<f64>>, %k: i64) -> !phi.vec<!phi.vec<f64>> {
  %n = phi.size %a, 0 : !phi.vec<!phi.vec<f64>>
  %two = arith.constant 2 : i64
  %none = arith.constant 0 : i64
  %t = phi.array (%p < %n, %c < %two) -> !phi.vec<!phi.vec<f64>> {
    %0 = arith.index_cast %c : index to i64
    %first = arith.cmpi eq, %0, %none : i64
    %x = phi.get %a[%p, %c] : !phi.vec<!phi.vec<f64>>[index, index]
    %y = phi.fold (%i < %k, %acc = %x) -> f64 {
      %e = math.exp %acc : f64
      phi.yield %e : f64
    }
    %z = arith.select %first, %x, %y : f64
    phi.yield %z : f64
  }
  func.return %t : !phi.vec<!phi.vec<f64>>
}
// CHECK-LABEL: func.func @loops
// CHECK-NOT:     phi.concat

func.func @kept(%a: !phi.vec<!phi.vec<f64>>, %k: i64) -> !phi.vec<!phi.vec<f64>> {
  %n = phi.size %a, 0 : !phi.vec<!phi.vec<f64>>
  %two = arith.constant 2 : i64
  %none = arith.constant 0 : i64
  %s = phi.fold (%step < %k, %v = %a) -> !phi.vec<!phi.vec<f64>> {
    %t = phi.array (%p < %n, %c < %two) -> !phi.vec<!phi.vec<f64>> {
      %0 = arith.index_cast %c : index to i64
      %first = arith.cmpi eq, %0, %none : i64
      %x = phi.get %v[%p, %c] : !phi.vec<!phi.vec<f64>>[index, index]
      %y = math.exp %x : f64
      %z = arith.select %first, %x, %y : f64
      phi.yield %z : f64
    }
    phi.yield %t : !phi.vec<!phi.vec<f64>>
  }
  func.return %s : !phi.vec<!phi.vec<f64>>
}
// CHECK-LABEL: func.func @kept
// CHECK-NOT:     phi.concat

// The first step of a loop is a case if a loop in a step tests for it.

func.func @table(%t: !phi.vec<!phi.vec<f64>>, %x: f64) -> !phi.vec<!phi.vec<f64>> {
  %n = phi.size %t, 0 : !phi.vec<!phi.vec<f64>>
  %m = phi.size %t, 1 : !phi.vec<!phi.vec<f64>>
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %r = phi.fold (%i < %n, %u = %t) -> !phi.vec<!phi.vec<f64>> {
    %first = arith.cmpi eq, %i, %zero : i64
    %before = arith.subi %i, %one : i64
    %s = phi.fold (%j < %m, %v = %u) -> !phi.vec<!phi.vec<f64>> {
      %y = phi.get %v[%before, %j] : !phi.vec<!phi.vec<f64>>[i64, i64]
      %e = arith.select %first, %x, %y : f64
      %w = phi.update %v[%i, %j], %e : (!phi.vec<!phi.vec<f64>>, i64, i64, f64) -> !phi.vec<!phi.vec<f64>>
      phi.yield %w : !phi.vec<!phi.vec<f64>>
    }
    phi.yield %s : !phi.vec<!phi.vec<f64>>
  }
  func.return %r : !phi.vec<!phi.vec<f64>>
}
// CHECK-LABEL: func.func @table(
// CHECK:         %[[COUNT:.*]] = arith.minsi %n, %{{.*}} : i64
// CHECK:         %[[FIRST:.*]] = phi.fold (%{{.*}} < %[[COUNT]], %{{.*}} = %t)
// CHECK:           arith.cmpi eq
// CHECK:         %[[REST:.*]] = arith.maxsi
// CHECK:         phi.fold (%{{.*}} < %[[REST]], %{{.*}} = %[[FIRST]])
// CHECK-NOT:       arith.cmpi
// CHECK:           arith.constant false

// It is none if steps read the row that they write, which diagonals compute, or if no loop tests for it.

func.func @diagonals(%t: !phi.vec<!phi.vec<f64>>, %a: !phi.vec<f64>, %x: f64) -> (!phi.vec<!phi.vec<f64>>, !phi.vec<f64>) {
  %n = phi.size %t, 0 : !phi.vec<!phi.vec<f64>>
  %m = phi.size %t, 1 : !phi.vec<!phi.vec<f64>>
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %r = phi.fold (%i < %n, %u = %t) -> !phi.vec<!phi.vec<f64>> {
    %first = arith.cmpi eq, %i, %zero : i64
    %s = phi.fold (%j < %m, %v = %u) -> !phi.vec<!phi.vec<f64>> {
      %before = arith.subi %j, %one : i64
      %y = phi.get %v[%i, %before] : !phi.vec<!phi.vec<f64>>[i64, i64]
      %e = arith.select %first, %x, %y : f64
      %w = phi.update %v[%i, %j], %e : (!phi.vec<!phi.vec<f64>>, i64, i64, f64) -> !phi.vec<!phi.vec<f64>>
      phi.yield %w : !phi.vec<!phi.vec<f64>>
    }
    phi.yield %s : !phi.vec<!phi.vec<f64>>
  }
  %q = phi.fold (%i < %n, %u = %a) -> !phi.vec<f64> {
    %first = arith.cmpi eq, %i, %zero : i64
    %e = phi.get %u[%i] : !phi.vec<f64>[i64]
    %y = arith.select %first, %x, %e : f64
    %w = phi.update %u[%i], %y : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>
    phi.yield %w : !phi.vec<f64>
  }
  func.return %r, %q : !phi.vec<!phi.vec<f64>>, !phi.vec<f64>
}
// CHECK-LABEL: func.func @diagonals(
// CHECK:         %r = phi.fold (%i < %n, %u = %t)
// CHECK:         %q = phi.fold (%{{.*}} < %n, %{{.*}} = %a)

// -----

// A sum is no loop over rows that are given and computed: its terms are an array.
func.func @sum_over_basis_functions(%a: !phi.vec<!phi.vec<f64>>, %x: f64, %n: i64) -> f64 {
  %0 = arith.constant 0.0 : f64
  %zero = arith.constant 0 : i64
  %r = phi.fold (%i < %n, %u = %0) -> f64 {
    %first = arith.cmpi eq, %i, %zero : i64
    %s = phi.fold (%j < %n, %v = %0) -> f64 {
      %y = phi.get %a[%i, %j] : !phi.vec<!phi.vec<f64>>[i64, i64]
      %b = arith.select %first, %x, %y : f64
      %t = arith.mulf %b, %y : f64
      %w = arith.addf %v, %t : f64
      phi.yield %w : f64
    }
    %z = arith.addf %u, %s : f64
    phi.yield %z : f64
  }
  func.return %r : f64
}

// CHECK:      func.func @sum_over_basis_functions(
// CHECK:        %r = phi.fold (%i < %n, %u = %0) -> f64 {
// CHECK-NEXT:     %first = arith.cmpi eq, %i, %zero : i64
// CHECK:        func.return %r : f64
