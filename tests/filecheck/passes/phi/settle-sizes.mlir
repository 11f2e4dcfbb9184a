// RUN: ein-opt %s --split-input-file -p settle-sizes | filecheck %s

// The matrix has %n columns before the first step: each position in it is below %n. Without a step
// the result has the columns of %a.
func.func @columns(%a: !phi.vec<!phi.vec<f64>>) -> !phi.vec<!phi.vec<f64>> {
  %n = phi.size %a, 0 : !phi.vec<!phi.vec<f64>>
  %r = phi.fold (%k < %n, %v = %a) -> !phi.vec<!phi.vec<f64>> {
    %w = phi.array (%i < %n, %j < %n) -> !phi.vec<!phi.vec<f64>> {
      %x = phi.get %v[%i, %k] : !phi.vec<!phi.vec<f64>>[index, i64]
      %y = phi.get %v[%k, %j] : !phi.vec<!phi.vec<f64>>[i64, index]
      %z = arith.addf %x, %y : f64
      phi.yield %z : f64
    }
    phi.yield %w : !phi.vec<!phi.vec<f64>>
  }
  func.return %r : !phi.vec<!phi.vec<f64>>
}

// CHECK-LABEL: func.func @columns(
// CHECK-DAG:     %[[L:.*]] = phi.size %a, 0
// CHECK:         %[[S:.*]] = phi.array (%{{.*}} < %{{.*}}, %{{.*}} < %n) -> !phi.vec<!phi.vec<f64>> {
// CHECK:           phi.get %a[
// CHECK:         %r = phi.fold (%k < %n, %v = %[[S]])
// CHECK:         %[[TEST:.*]] = arith.cmpi sgt, %n, %{{.*}} : i64
// CHECK:         %[[M:.*]] = phi.size %a, 1
// CHECK-NEXT:    %[[SIZE:.*]] = arith.select %[[TEST]], %n, %[[M]] : i64
// CHECK-NEXT:    %[[RESULT:.*]] = phi.array (%{{.*}} < %{{.*}}, %{{.*}} < %[[SIZE]])
// CHECK:           arith.select %[[TEST]], %{{.*}}, %{{.*}} : f64
// CHECK:         func.return %[[RESULT]]

// -----

// The array is a field of nested folds. The inner one has a step in each step of the outer one.
// Both arrays have the elements that the user of the result reads.
func.func @nested(%a: !phi.vec<f64>, %b: !phi.vec<f64>) -> !phi.vec<f64> {
  %one = arith.constant 1 : i64
  %m = phi.size %b, 0 : !phi.vec<f64>
  %init = phi.tuple(%one, %a) : tuple<i64, !phi.vec<f64>>
  %r = phi.fold (%t < %m, %u = %init) -> tuple<i64, !phi.vec<f64>> {
    %c = arith.addi %t, %one : i64
    %f = phi.proj %u, 0 : tuple<i64, !phi.vec<f64>> -> i64
    %g = phi.proj %u, 1 : tuple<i64, !phi.vec<f64>> -> !phi.vec<f64>
    %s = phi.fold (%k < %c, %v = %g) -> !phi.vec<f64> {
      %w = phi.array (%i < %m) -> !phi.vec<f64> {
        %x = phi.get %v[%i] : !phi.vec<f64>[index]
        %y = phi.get %v[%k] : !phi.vec<f64>[i64]
        %z = arith.addf %x, %y : f64
        phi.yield %z : f64
      }
      phi.yield %w : !phi.vec<f64>
    }
    %p = phi.tuple(%f, %s) : tuple<i64, !phi.vec<f64>>
    phi.yield %p : tuple<i64, !phi.vec<f64>>
  }
  %h = phi.proj %r, 1 : tuple<i64, !phi.vec<f64>> -> !phi.vec<f64>
  %d = phi.array (%i < %m) -> !phi.vec<f64> {
    %e = phi.get %h[%i] : !phi.vec<f64>[index]
    phi.yield %e : f64
  }
  func.return %d : !phi.vec<f64>
}

// CHECK-LABEL: func.func @nested(
// CHECK:         %[[S:.*]] = phi.array (%{{.*}} < %m) -> !phi.vec<f64> {
// CHECK-NEXT:      phi.get %a[
// CHECK:         %[[INIT:.*]] = phi.tuple (%one, %[[S]])
// CHECK-NEXT:    %r = phi.fold (%t < %m, %u = %[[INIT]])
// CHECK-NOT:     arith.select
// CHECK:         phi.get %h[

// -----

// The choice discards the elements that %a may have and %w has not.
func.func @guarded(%a: !phi.vec<f64>, %b: !phi.vec<f64>, %n: i64) -> !phi.vec<f64> {
  %one = arith.constant 1 : i64
  %m = phi.size %b, 0 : !phi.vec<f64>
  %last = arith.subi %m, %one : i64
  %r = phi.fold (%t < %n, %v = %a) -> !phi.vec<f64> {
    %w = phi.array (%i < %m) -> !phi.vec<f64> {
      %k = arith.index_cast %i : index to i64
      %next = arith.addi %k, %one : i64
      %x = phi.get %v[%i] : !phi.vec<f64>[index]
      %y = phi.get %v[%next] : !phi.vec<f64>[i64]
      %z = arith.mulf %y, %y : f64
      %c = arith.cmpi slt, %k, %last : i64
      %s = arith.select %c, %z, %x : f64
      phi.yield %s : f64
    }
    phi.yield %w : !phi.vec<f64>
  }
  func.return %r : !phi.vec<f64>
}

// CHECK-LABEL: func.func @guarded(
// CHECK:         %[[S:.*]] = phi.array (%{{.*}} < %m) -> !phi.vec<f64> {
// CHECK-NEXT:      phi.get %a[
// CHECK:         phi.fold (%t < %n, %v = %[[S]])

// -----

// Not so here: the first step may read an element of %a that no later step reads.
func.func @beyond(%a: !phi.vec<f64>, %b: !phi.vec<f64>, %n: i64) -> !phi.vec<f64> {
  %one = arith.constant 1 : i64
  %m = phi.size %b, 0 : !phi.vec<f64>
  %r = phi.fold (%t < %n, %v = %a) -> !phi.vec<f64> {
    %w = phi.array (%i < %m) -> !phi.vec<f64> {
      %k = arith.index_cast %i : index to i64
      %next = arith.addi %k, %one : i64
      %y = phi.get %v[%next] : !phi.vec<f64>[i64]
      phi.yield %y : f64
    }
    phi.yield %w : !phi.vec<f64>
  }
  func.return %r : !phi.vec<f64>
}

// CHECK-LABEL: func.func @beyond(
// CHECK:         phi.fold (%t < %n, %v = %a)
// CHECK:         func.return %r

// -----

// Nor where a step reads the size, or where an inner fold may have no step.
func.func @unsettled(%a: !phi.vec<f64>, %b: !phi.vec<f64>, %n: i64, %c: !phi.vec<i64>) -> !phi.vec<f64> {
  %m = phi.size %b, 0 : !phi.vec<f64>
  %r = phi.fold (%t < %n, %v = %a) -> !phi.vec<f64> {
    %l = phi.size %v, 0 : !phi.vec<f64>
    %f = arith.sitofp %l : i64 to f64
    %w = phi.array (%i < %m) -> !phi.vec<f64> {
      phi.yield %f : f64
    }
    phi.yield %w : !phi.vec<f64>
  }
  %s = phi.fold (%t < %n, %u = %r) -> !phi.vec<f64> {
    %count = phi.get %c[%t] : !phi.vec<i64>[i64]
    %q = phi.fold (%k < %count, %v = %u) -> !phi.vec<f64> {
      %p = phi.size %v, 0 : !phi.vec<f64>
      %f = arith.sitofp %p : i64 to f64
      %w = phi.array (%i < %m) -> !phi.vec<f64> {
        phi.yield %f : f64
      }
      phi.yield %w : !phi.vec<f64>
    }
    phi.yield %q : !phi.vec<f64>
  }
  func.return %s : !phi.vec<f64>
}

// CHECK-LABEL: func.func @unsettled(
// CHECK:         phi.fold (%t < %n, %v = %a)
// CHECK:         phi.fold (%t_1 < %n, %u = %r)
// CHECK:           phi.fold (%k < %count, %v_1 = %u)
