// RUN: ein-opt %s -p raise-updates,dce | filecheck %s

// where(i == p, x, a[i])

func.func @element(%a: !phi.vec<f64>, %p: i64, %x: f64) -> !phi.vec<f64> {
  %n = phi.size %a, 0 : !phi.vec<f64>
  %b = phi.array (%i < %n) -> !phi.vec<f64> {
    %0 = arith.index_cast %i : index to i64
    %1 = arith.cmpi eq, %0, %p : i64
    %2 = phi.get %a[%i] : !phi.vec<f64>[index]
    %3 = arith.select %1, %x, %2 : f64
    phi.yield %3 : f64
  }
  func.return %b : !phi.vec<f64>
}
// CHECK-LABEL: func.func @element(
// CHECK-NEXT:    %b = phi.update %a[%p], %x : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>
// CHECK-NEXT:    func.return %b : !phi.vec<f64>

// where(p + 1 != i & true.., ..) with everything the other way around: ~(p + 1 != i - k)

func.func @reordered(%a: !phi.vec<f64>, %p: i64, %k: i64, %x: f64) -> !phi.vec<f64> {
  %n = phi.size %a, 0 : !phi.vec<f64>
  %one = arith.constant 1 : i64
  %b = phi.array (%i < %n) -> !phi.vec<f64> {
    %0 = arith.index_cast %i : index to i64
    %1 = arith.addi %p, %one : i64
    %2 = arith.subi %0, %k : i64
    %3 = arith.cmpi ne, %1, %2 : i64
    %4 = phi.get %a[%0] : !phi.vec<f64>[i64]
    %5 = arith.select %3, %4, %x : f64
    phi.yield %5 : f64
  }
  func.return %b : !phi.vec<f64>
}
// CHECK-LABEL: func.func @reordered(
// CHECK:         %[[SUM:.*]] = arith.addi %{{p|k}}, %{{k|p}} : i64
// CHECK:         %[[P:.*]] = arith.addi %[[SUM]], %{{.*}} : i64
// CHECK-NEXT:    %b = phi.update %a[%[[P]]], %x : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>

// The new element may depend on the index, which is the position there.

func.func @element_of_index(%a: !phi.vec<f64>, %c: !phi.vec<f64>, %p: i64) -> !phi.vec<f64> {
  %n = phi.size %a, 0 : !phi.vec<f64>
  %b = phi.array (%i < %n) -> !phi.vec<f64> {
    %0 = arith.index_cast %i : index to i64
    %1 = arith.cmpi eq, %0, %p : i64
    %2 = phi.get %a[%i] : !phi.vec<f64>[index]
    %3 = phi.get %c[%i] : !phi.vec<f64>[index]
    %4 = arith.select %1, %3, %2 : f64
    phi.yield %4 : f64
  }
  func.return %b : !phi.vec<f64>
}
// CHECK-LABEL: func.func @element_of_index(
// CHECK-NEXT:    %[[X:.*]] = phi.get %c[%p] : !phi.vec<f64>[i64]
// CHECK-NEXT:    %b = phi.update %a[%p], %[[X]] : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>

// Two positions: the outer choice is the later update. A further condition moves the position
// out of bounds.

func.func @nested(%a: !phi.vec<f64>, %p: i64, %q: i64, %c: i1, %x: f64, %y: f64) -> !phi.vec<f64> {
  %n = phi.size %a, 0 : !phi.vec<f64>
  %b = phi.array (%i < %n) -> !phi.vec<f64> {
    %0 = arith.index_cast %i : index to i64
    %1 = arith.cmpi eq, %0, %p : i64
    %2 = arith.cmpi eq, %q, %0 : i64
    %3 = arith.andi %2, %c : i1
    %4 = phi.get %a[%i] : !phi.vec<f64>[index]
    %5 = arith.select %3, %y, %4 : f64
    %6 = arith.select %1, %x, %5 : f64
    phi.yield %6 : f64
  }
  func.return %b : !phi.vec<f64>
}
// CHECK-LABEL: func.func @nested(
// CHECK-NEXT:    %[[NOWHERE:.*]] = arith.constant -1 : i64
// CHECK-NEXT:    %[[Q:.*]] = arith.select %c, %q, %[[NOWHERE]] : i64
// CHECK-NEXT:    %[[FIRST:.*]] = phi.update %a[%[[Q]]], %y : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>
// CHECK-NEXT:    %b = phi.update %[[FIRST]][%p], %x : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>

// Updates in both branches of a choice that is the same at all indices.
func.func @guarded(%a: !phi.vec<f64>, %p: i64, %q: i64, %c: i1, %x: f64, %y: f64) -> !phi.vec<f64> {
  %n = phi.size %a, 0 : !phi.vec<f64>
  %b = phi.array (%i < %n) -> !phi.vec<f64> {
    %0 = arith.index_cast %i : index to i64
    %1 = arith.cmpi eq, %0, %p : i64
    %2 = arith.cmpi eq, %0, %q : i64
    %3 = phi.get %a[%i] : !phi.vec<f64>[index]
    %4 = arith.select %1, %x, %3 : f64
    %5 = arith.select %2, %y, %4 : f64
    %6 = arith.select %2, %x, %3 : f64
    %7 = arith.select %c, %5, %6 : f64
    phi.yield %7 : f64
  }
  func.return %b : !phi.vec<f64>
}
// CHECK-LABEL: func.func @guarded(
// CHECK:         %[[P:.*]] = arith.select %c, %p, %{{.*}} : i64
// CHECK-NEXT:    %[[A:.*]] = phi.update %a[%[[P]]], %x : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>
// CHECK:         %[[Q:.*]] = arith.select %c, %q, %{{.*}} : i64
// CHECK-NEXT:    %[[B:.*]] = phi.update %[[A]][%[[Q]]], %y : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>
// CHECK:         %[[NOT:.*]] = arith.xori %c, %{{.*}} : i1
// CHECK:         %[[R:.*]] = arith.select %[[NOT]], %q, %{{.*}} : i64
// CHECK-NEXT:    %b = phi.update %[[B]][%[[R]]], %x : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>

// An element of a matrix, a row, and a column.

func.func @matrix(%a: !phi.vec<!phi.vec<f64>>, %v: !phi.vec<f64>, %p: i64, %q: i64, %x: f64) -> (!phi.vec<!phi.vec<f64>>, !phi.vec<!phi.vec<f64>>, !phi.vec<!phi.vec<f64>>) {
  %n = phi.size %a, 0 : !phi.vec<!phi.vec<f64>>
  %m = phi.size %a, 1 : !phi.vec<!phi.vec<f64>>
  %element = phi.array (%i < %n, %j < %m) -> !phi.vec<!phi.vec<f64>> {
    %0 = arith.index_cast %i : index to i64
    %1 = arith.index_cast %j : index to i64
    %2 = arith.cmpi eq, %0, %p : i64
    %3 = arith.cmpi eq, %1, %q : i64
    %4 = arith.andi %2, %3 : i1
    %5 = phi.get %a[%i, %j] : !phi.vec<!phi.vec<f64>>[index, index]
    %6 = arith.select %4, %x, %5 : f64
    phi.yield %6 : f64
  }
  %row = phi.array (%i < %n, %j < %m) -> !phi.vec<!phi.vec<f64>> {
    %0 = arith.index_cast %i : index to i64
    %1 = arith.cmpi eq, %0, %p : i64
    %2 = phi.get %v[%j] : !phi.vec<f64>[index]
    %3 = phi.get %a[%i, %j] : !phi.vec<!phi.vec<f64>>[index, index]
    %4 = arith.select %1, %2, %3 : f64
    phi.yield %4 : f64
  }
  %column = phi.array (%i < %n, %j < %m) -> !phi.vec<!phi.vec<f64>> {
    %0 = arith.index_cast %j : index to i64
    %1 = arith.cmpi eq, %0, %q : i64
    %2 = phi.get %v[%i] : !phi.vec<f64>[index]
    %3 = phi.get %a[%i, %j] : !phi.vec<!phi.vec<f64>>[index, index]
    %4 = arith.select %1, %2, %3 : f64
    phi.yield %4 : f64
  }
  func.return %element, %row, %column : !phi.vec<!phi.vec<f64>>, !phi.vec<!phi.vec<f64>>, !phi.vec<!phi.vec<f64>>
}
// CHECK-LABEL: func.func @matrix(
// CHECK:         %element = phi.update %a[%p, %q], %x : (!phi.vec<!phi.vec<f64>>, i64, i64, f64) -> !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:    %[[ROW:.*]] = phi.array (%j < %m) -> !phi.vec<f64> {
// CHECK-NEXT:      %[[X:.*]] = phi.get %v[%j] : !phi.vec<f64>[index]
// CHECK-NEXT:      phi.yield %[[X]] : f64
// CHECK-NEXT:    }
// CHECK-NEXT:    %row = phi.update %a[%p], %[[ROW]] : (!phi.vec<!phi.vec<f64>>, i64, !phi.vec<f64>) -> !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:    %column = phi.array (%i < %n) -> !phi.vec<!phi.vec<f64>> {
// CHECK-NEXT:      %[[OLD:.*]] = phi.get %a[%i] : !phi.vec<!phi.vec<f64>>[index]
// CHECK-NEXT:      %[[Y:.*]] = phi.get %v[%i] : !phi.vec<f64>[index]
// CHECK-NEXT:      %[[NEW:.*]] = phi.update %[[OLD]][%q], %[[Y]] : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>
// CHECK-NEXT:      phi.yield %[[NEW]] : !phi.vec<f64>
// CHECK-NEXT:    }

// Elements that are not those of an array are computed first, in a separate comprehension.

func.func @computed(%a: !phi.vec<f64>, %n: i64, %p: i64, %x: f64) -> !phi.vec<f64> {
  %b = phi.array (%i < %n) -> !phi.vec<f64> {
    %0 = arith.index_cast %i : index to i64
    %1 = arith.cmpi eq, %0, %p : i64
    %2 = phi.get %a[%i] : !phi.vec<f64>[index]
    %3 = arith.select %1, %x, %2 : f64
    phi.yield %3 : f64
  }
  func.return %b : !phi.vec<f64>
}
// CHECK-LABEL: func.func @computed(
// CHECK-NEXT:    %[[OLD:.*]] = phi.array (%i < %n) -> !phi.vec<f64> {
// CHECK-NEXT:      %[[X:.*]] = phi.get %a[%i] : !phi.vec<f64>[index]
// CHECK-NEXT:      phi.yield %[[X]] : f64
// CHECK-NEXT:    }
// CHECK-NEXT:    %{{.*}} = phi.update %[[OLD]][%p], %x : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>

// No update: an element at an edge next to computed ones, elements that are reduced, other
// comparisons, a position that varies with an index of the comprehension.

func.func @none(%a: !phi.vec<f64>, %c: !phi.vec<!phi.vec<f64>>, %n: i64, %p: i64, %x: f64) -> (!phi.vec<f64>, f64, !phi.vec<f64>, !phi.vec<!phi.vec<f64>>) {
  %s = phi.size %a, 0 : !phi.vec<f64>
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %edge = phi.array (%i < %s) -> !phi.vec<f64> {
    %0 = arith.index_cast %i : index to i64
    %1 = arith.cmpi eq, %0, %zero : i64
    %2 = arith.subi %0, %one : i64
    %3 = phi.get %a[%2] : !phi.vec<f64>[i64]
    %4 = arith.select %1, %x, %3 : f64
    phi.yield %4 : f64
  }
  %reduced = phi.array (%i < %n) -> !phi.vec<f64> {
    %0 = arith.index_cast %i : index to i64
    %1 = arith.cmpi eq, %0, %p : i64
    %2 = phi.get %a[%i] : !phi.vec<f64>[index]
    %3 = arith.select %1, %x, %2 : f64
    phi.yield %3 : f64
  }
  %f = arith.constant 0.0 : f64
  %sum = phi.reduce %reduced identity %f by { arith.addf } -> f64
  %below = phi.array (%i < %s) -> !phi.vec<f64> {
    %0 = arith.index_cast %i : index to i64
    %1 = arith.cmpi slt, %0, %p : i64
    %2 = phi.get %a[%i] : !phi.vec<f64>[index]
    %3 = arith.select %1, %x, %2 : f64
    phi.yield %3 : f64
  }
  %rows = phi.size %c, 0 : !phi.vec<!phi.vec<f64>>
  %columns = phi.size %c, 1 : !phi.vec<!phi.vec<f64>>
  %diagonal = phi.array (%i < %rows, %j < %columns) -> !phi.vec<!phi.vec<f64>> {
    %0 = arith.index_cast %i : index to i64
    %1 = arith.index_cast %j : index to i64
    %2 = arith.cmpi eq, %0, %1 : i64
    %3 = phi.get %c[%i, %j] : !phi.vec<!phi.vec<f64>>[index, index]
    %4 = arith.select %2, %x, %3 : f64
    phi.yield %4 : f64
  }
  func.return %edge, %sum, %below, %diagonal : !phi.vec<f64>, f64, !phi.vec<f64>, !phi.vec<!phi.vec<f64>>
}
// CHECK-LABEL: func.func @none(
// CHECK-NOT:     phi.update

// A condition on an index that is not compared chooses the new elements of a row.

func.func @part_of_row(%a: !phi.vec<!phi.vec<f64>>, %p: i64, %x: f64) -> !phi.vec<!phi.vec<f64>> {
  %zero = arith.constant 0 : i64
  %n = phi.size %a, 0 : !phi.vec<!phi.vec<f64>>
  %m = phi.size %a, 1 : !phi.vec<!phi.vec<f64>>
  %r = phi.array (%i < %n, %j < %m) -> !phi.vec<!phi.vec<f64>> {
    %k = arith.index_cast %i : index to i64
    %l = arith.index_cast %j : index to i64
    %at = arith.cmpi eq, %k, %p : i64
    %right = arith.cmpi sgt, %l, %zero : i64
    %c = arith.andi %right, %at : i1
    %y = phi.get %a[%i, %j] : !phi.vec<!phi.vec<f64>>[index, index]
    %z = arith.select %c, %x, %y : f64
    phi.yield %z : f64
  }
  func.return %r : !phi.vec<!phi.vec<f64>>
}
// CHECK-LABEL: func.func @part_of_row(
// CHECK:           %0 = phi.array (%j < %m) -> !phi.vec<f64> {
// CHECK-NEXT:        %l = arith.index_cast %j : index to i64
// CHECK-NEXT:        %right = arith.cmpi sgt, %l, %zero : i64
// CHECK-NEXT:        %1 = phi.get %a[%p, %j] : !phi.vec<!phi.vec<f64>>[i64, index]
// CHECK-NEXT:        %2 = arith.select %right, %x, %1 : f64
// CHECK-NEXT:        phi.yield %2 : f64
// CHECK-NEXT:      }
// CHECK-NEXT:      %r = phi.update %a[%p], %0

// Sizes that are equal only by an assertion are still compared.

func.func @compared(%a: !phi.vec<f64>, %b: !phi.vec<f64>, %p: i64) -> !phi.vec<f64> {
  %n = phi.size %a, 0 : !phi.vec<f64>
  %m = phi.size %b, 0 : !phi.vec<f64>
  %o = phi.assert_eq %n, %m, "index i"
  %r = phi.array (%i < %o) -> !phi.vec<f64> {
    %k = arith.index_cast %i : index to i64
    %at = arith.cmpi eq, %k, %p : i64
    %x = phi.get %a[%i] : !phi.vec<f64>[index]
    %y = phi.get %b[%i] : !phi.vec<f64>[index]
    %z = arith.select %at, %x, %y : f64
    phi.yield %z : f64
  }
  func.return %r : !phi.vec<f64>
}
// CHECK-LABEL: func.func @compared(
// CHECK:         %o = phi.assert_eq %n, %m, "index i"
// CHECK-NEXT:    %r = phi.array (%i < %o) -> !phi.vec<f64> {
// CHECK-NEXT:      %y = phi.get %b[%i] : !phi.vec<f64>[index]
// CHECK-NEXT:      phi.yield %y : f64
// CHECK-NEXT:    }
// CHECK-NEXT:    %x = phi.get %a[%p] : !phi.vec<f64>[i64]
// CHECK-NEXT:    %r_1 = phi.update %r[%p], %x : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>

// A choice between an array and an update of it, and between two updates.
func.func @choices(%a: !phi.vec<f64>, %c: i1, %p: i64, %q: i64, %x: f64) -> (!phi.vec<f64>, !phi.vec<f64>, !phi.vec<f64>) {
  %n = phi.size %a, 0 : !phi.vec<f64>
  %b = phi.update %a[%p], %x : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>
  %r = phi.array (%i < %n) -> !phi.vec<f64> {
    %0 = phi.get %a[%i] : !phi.vec<f64>[index]
    %1 = phi.get %b[%i] : !phi.vec<f64>[index]
    %2 = arith.select %c, %0, %1 : f64
    phi.yield %2 : f64
  }
  %y = arith.negf %x : f64
  %d = phi.update %a[%p], %x : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>
  %e = phi.update %a[%p], %y : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>
  %s = phi.array (%j < %n) -> !phi.vec<f64> {
    %3 = phi.get %d[%j] : !phi.vec<f64>[index]
    %4 = phi.get %e[%j] : !phi.vec<f64>[index]
    %5 = arith.select %c, %3, %4 : f64
    phi.yield %5 : f64
  }
  %f = phi.update %a[%p], %x : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>
  %g = phi.update %a[%q], %y : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>
  %t = phi.array (%k < %n) -> !phi.vec<f64> {
    %6 = phi.get %f[%k] : !phi.vec<f64>[index]
    %7 = phi.get %g[%k] : !phi.vec<f64>[index]
    %8 = arith.select %c, %6, %7 : f64
    phi.yield %8 : f64
  }
  func.return %r, %s, %t : !phi.vec<f64>, !phi.vec<f64>, !phi.vec<f64>
}

// CHECK-LABEL: func.func @choices(
// CHECK-NEXT:   %0 = arith.constant -1 : i64
// CHECK-NEXT:   %1 = arith.select %c, %0, %p : i64
// CHECK-NEXT:   %r = phi.update %a[%1], %x : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>
// CHECK-NEXT:   %y = arith.negf %x : f64
// CHECK-NEXT:   %2 = arith.select %c, %x, %y : f64
// CHECK-NEXT:   %s = phi.update %a[%p], %2 : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>
// CHECK-NEXT:   %3 = arith.constant -1 : i64
// CHECK-NEXT:   %4 = arith.select %c, %p, %3 : i64
// CHECK-NEXT:   %5 = phi.update %a[%4], %x : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>
// CHECK-NEXT:   %6 = arith.select %c, %3, %q : i64
// CHECK-NEXT:   %t = phi.update %5[%6], %y : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>
// CHECK-NEXT:   func.return %r, %s, %t : !phi.vec<f64>, !phi.vec<f64>, !phi.vec<f64>
// CHECK-NEXT: }

// One element of an array of records: an update of the array of each field that it replaces.
func.func @fields(%a: !phi.vec<f64>, %b: !phi.vec<i64>, %p: i64, %x: f64) -> tuple<!phi.vec<f64>, !phi.vec<i64>> {
  %n = phi.size %a, 0 : !phi.vec<f64>
  %r = phi.array (%i < %n) -> tuple<!phi.vec<f64>, !phi.vec<i64>> {
    %k = arith.index_cast %i : index to i64
    %c = arith.cmpi eq, %k, %p : i64
    %0 = phi.get %a[%i] : !phi.vec<f64>[index]
    %1 = arith.select %c, %x, %0 : f64
    %2 = phi.get %b[%i] : !phi.vec<i64>[index]
    %3 = arith.muli %2, %2 : i64
    %4 = phi.tuple (%1, %3) : tuple<f64, i64>
    phi.yield %4 : tuple<f64, i64>
  }
  func.return %r : tuple<!phi.vec<f64>, !phi.vec<i64>>
}

// CHECK-LABEL: func.func @fields(
// CHECK-NEXT:   %n = phi.size %a, 0 : !phi.vec<f64>
// CHECK-NEXT:   %r = phi.update %a[%p], %x : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>
// CHECK-NEXT:   %r_1 = phi.array (%i < %n) -> !phi.vec<i64> {
// CHECK-NEXT:     %0 = phi.get %b[%i] : !phi.vec<i64>[index]
// CHECK-NEXT:     %1 = arith.muli %0, %0 : i64
// CHECK-NEXT:     phi.yield %1 : i64
// CHECK-NEXT:   }
// CHECK-NEXT:   %r_2 = phi.tuple (%r, %r_1) : tuple<!phi.vec<f64>, !phi.vec<i64>>

// Of an array of records of records, too. A record that a loop computes stays one, of arrays.
func.func @nested_fields(%a: !phi.vec<f64>, %b: tuple<!phi.vec<i64>, !phi.vec<i64>>, %p: i64, %x: f64, %z: tuple<i64, i64>) -> tuple<!phi.vec<f64>, tuple<!phi.vec<i64>, !phi.vec<i64>>, tuple<!phi.vec<i64>, !phi.vec<i64>>> {
  %n = phi.size %a, 0 : !phi.vec<f64>
  %b0 = phi.proj %b, 0 : tuple<!phi.vec<i64>, !phi.vec<i64>> -> !phi.vec<i64>
  %b1 = phi.proj %b, 1 : tuple<!phi.vec<i64>, !phi.vec<i64>> -> !phi.vec<i64>
  %r = phi.array (%i < %n) -> tuple<!phi.vec<f64>, tuple<!phi.vec<i64>, !phi.vec<i64>>, tuple<!phi.vec<i64>, !phi.vec<i64>>> {
    %k = arith.index_cast %i : index to i64
    %c = arith.cmpi eq, %k, %p : i64
    %0 = phi.get %a[%i] : !phi.vec<f64>[index]
    %1 = arith.select %c, %x, %0 : f64
    %2 = phi.get %b0[%i] : !phi.vec<i64>[index]
    %3 = arith.muli %2, %2 : i64
    %4 = phi.tuple (%3, %k) : tuple<i64, i64>
    %f = phi.fold (%t < %p, %acc = %z) -> tuple<i64, i64> {
      %u = phi.proj %acc, 1 : tuple<i64, i64> -> i64
      %v = phi.tuple (%u, %t) : tuple<i64, i64>
      phi.yield %v : tuple<i64, i64>
    }
    %5 = phi.tuple (%1, %4, %f) : tuple<f64, tuple<i64, i64>, tuple<i64, i64>>
    phi.yield %5 : tuple<f64, tuple<i64, i64>, tuple<i64, i64>>
  }
  func.return %r : tuple<!phi.vec<f64>, tuple<!phi.vec<i64>, !phi.vec<i64>>, tuple<!phi.vec<i64>, !phi.vec<i64>>>
}

// CHECK-LABEL: func.func @nested_fields(
// CHECK-NEXT:   %n = phi.size %a, 0 : !phi.vec<f64>
// CHECK-NEXT:   %b0 = phi.proj %b, 0 : tuple<!phi.vec<i64>, !phi.vec<i64>> -> !phi.vec<i64>
// CHECK-NEXT:   %r = phi.update %a[%p], %x : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>
// CHECK-NEXT:   %r_1 = phi.array (%i < %n) -> !phi.vec<i64> {
// CHECK-NEXT:     %0 = phi.get %b0[%i] : !phi.vec<i64>[index]
// CHECK-NEXT:     %1 = arith.muli %0, %0 : i64
// CHECK-NEXT:     phi.yield %1 : i64
// CHECK-NEXT:   }
// CHECK-NEXT:   %r_2 = phi.array (%i_1 < %n) -> !phi.vec<i64> {
// CHECK-NEXT:     %k = arith.index_cast %i_1 : index to i64
// CHECK-NEXT:     phi.yield %k : i64
// CHECK-NEXT:   }
// CHECK-NEXT:   %2 = phi.tuple (%r_1, %r_2) : tuple<!phi.vec<i64>, !phi.vec<i64>>
// CHECK-NEXT:   %r_3 = phi.array (%i_2 < %n) -> tuple<!phi.vec<i64>, !phi.vec<i64>> {
// CHECK-NEXT:     %f = phi.fold (%t < %p, %acc = %z) -> tuple<i64, i64> {
// CHECK-NEXT:       %u = phi.proj %acc, 1 : tuple<i64, i64> -> i64
// CHECK-NEXT:       %v = phi.tuple (%u, %t) : tuple<i64, i64>
// CHECK-NEXT:       phi.yield %v : tuple<i64, i64>
// CHECK-NEXT:     }
// CHECK-NEXT:     phi.yield %f : tuple<i64, i64>
// CHECK-NEXT:   }
// CHECK-NEXT:   %r_4 = phi.tuple (%r, %2, %r_3) : tuple<!phi.vec<f64>, tuple<!phi.vec<i64>, !phi.vec<i64>>, tuple<!phi.vec<i64>, !phi.vec<i64>>>
// CHECK-NEXT:   func.return %r_4 : tuple<!phi.vec<f64>, tuple<!phi.vec<i64>, !phi.vec<i64>>, tuple<!phi.vec<i64>, !phi.vec<i64>>>
// CHECK-NEXT: }

// A diagonal: the position in a row depends on the row. A value without a loop or a read at the other index
// is computed everywhere.
func.func @diagonal(%a: !phi.vec<!phi.vec<f64>>, %x: !phi.vec<f64>, %d: i64) -> (!phi.vec<!phi.vec<f64>>, !phi.vec<!phi.vec<f64>>) {
  %n = phi.size %a, 0 : !phi.vec<!phi.vec<f64>>
  %m = phi.size %a, 1 : !phi.vec<!phi.vec<f64>>
  %r = phi.array (%i < %n, %j < %m) -> !phi.vec<!phi.vec<f64>> {
    %k = arith.index_cast %i : index to i64
    %l = arith.index_cast %j : index to i64
    %0 = arith.subi %l, %k : i64
    %c = arith.cmpi eq, %0, %d : i64
    %1 = phi.get %x[%j] : !phi.vec<f64>[index]
    %2 = phi.get %a[%i, %j] : !phi.vec<!phi.vec<f64>>[index, index]
    %3 = arith.select %c, %1, %2 : f64
    phi.yield %3 : f64
  }
  %s = phi.array (%i < %n, %j < %m) -> !phi.vec<!phi.vec<f64>> {
    %k = arith.index_cast %i : index to i64
    %l = arith.index_cast %j : index to i64
    %c = arith.cmpi eq, %k, %l : i64
    %1 = phi.get %x[%i] : !phi.vec<f64>[index]
    %2 = phi.get %a[%i, %j] : !phi.vec<!phi.vec<f64>>[index, index]
    %3 = arith.select %c, %1, %2 : f64
    phi.yield %3 : f64
  }
  func.return %r, %s : !phi.vec<!phi.vec<f64>>, !phi.vec<!phi.vec<f64>>
}

// CHECK-LABEL: func.func @diagonal(
// CHECK:         %[[R:.*]] = phi.array (%i < %n) -> !phi.vec<!phi.vec<f64>> {
// CHECK:           %[[PLACE:.*]] = arith.addi %{{.*}}, %{{.*}} : i64
// CHECK:           %[[X:.*]] = phi.get %x[%[[PLACE]]] : !phi.vec<f64>[i64]
// CHECK-NEXT:      %[[ROW:.*]] = phi.update %{{.*}}[%[[PLACE]]], %[[X]] : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>
// CHECK-NEXT:      phi.yield %[[ROW]] : !phi.vec<f64>
// CHECK:         %s = phi.array (%i_1 < %n, %j < %m)
// CHECK:           arith.select

// Optional terms at positions: each is an update of the array before it.

func.func @terms(%a: !phi.vec<f64>, %p: i64, %q: i64, %x: f64, %y: f64) -> !phi.vec<f64> {
  %zero = arith.constant 0.0 : f64
  %n = phi.size %a, 0 : !phi.vec<f64>
  %r = phi.array (%i < %n) -> !phi.vec<f64> {
    %k = arith.index_cast %i : index to i64
    %at = arith.cmpi eq, %k, %p : i64
    %behind = arith.cmpi ne, %k, %q : i64
    %0 = phi.get %a[%i] : !phi.vec<f64>[index]
    %1 = arith.select %at, %x, %zero : f64
    %2 = arith.addf %1, %0 : f64
    %3 = arith.select %behind, %zero, %y : f64
    %4 = arith.subf %2, %3 : f64
    phi.yield %4 : f64
  }
  func.return %r : !phi.vec<f64>
}
// CHECK-LABEL: func.func @terms(
// CHECK-NEXT:     %0 = phi.get %a[%p] : !phi.vec<f64>[i64]
// CHECK-NEXT:     %1 = arith.addf %0, %x : f64
// CHECK-NEXT:     %2 = phi.update %a[%p], %1 : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>
// CHECK-NEXT:     %3 = phi.get %2[%q] : !phi.vec<f64>[i64]
// CHECK-NEXT:     %4 = arith.subf %3, %y : f64
// CHECK-NEXT:     %r = phi.update %2[%q], %4 : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>
// CHECK-NEXT:     func.return %r : !phi.vec<f64>
// CHECK-NEXT:   }

// A sum of optional terms, and one that is chosen from two.

func.func @sums_of_terms(%a: !phi.vec<i64>, %p: i64, %q: i64, %x: i64, %y: i64) -> !phi.vec<i64> {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %n = phi.size %a, 0 : !phi.vec<i64>
  %r = phi.array (%i < %n) -> !phi.vec<i64> {
    %k = arith.index_cast %i : index to i64
    %at_p = arith.cmpi eq, %k, %p : i64
    %at_q = arith.cmpi eq, %k, %q : i64
    %at_one = arith.cmpi eq, %k, %one : i64
    %0 = phi.get %a[%i] : !phi.vec<i64>[index]
    %1 = arith.select %at_p, %x, %zero : i64
    %2 = arith.select %at_q, %y, %1 : i64
    %3 = arith.select %at_one, %x, %zero : i64
    %4 = arith.addi %2, %3 : i64
    %5 = arith.addi %0, %4 : i64
    phi.yield %5 : i64
  }
  func.return %r : !phi.vec<i64>
}
// CHECK-LABEL: func.func @sums_of_terms(
// CHECK-NEXT:     %zero = arith.constant 0 : i64
// CHECK-NEXT:     %one = arith.constant 1 : i64
// CHECK-NEXT:     %0 = arith.constant 1 : i64
// CHECK-NEXT:     %1 = phi.get %a[%0] : !phi.vec<i64>[i64]
// CHECK-NEXT:     %2 = arith.addi %1, %x : i64
// CHECK-NEXT:     %3 = phi.update %a[%0], %2 : (!phi.vec<i64>, i64, i64) -> !phi.vec<i64>
// CHECK-NEXT:     %at_one = arith.cmpi eq, %p, %one : i64
// CHECK-NEXT:     %4 = phi.get %a[%p] : !phi.vec<i64>[i64]
// CHECK-NEXT:     %5 = arith.select %at_one, %x, %zero : i64
// CHECK-NEXT:     %6 = arith.addi %5, %x : i64
// CHECK-NEXT:     %7 = arith.addi %4, %6 : i64
// CHECK-NEXT:     %8 = phi.update %3[%p], %7 : (!phi.vec<i64>, i64, i64) -> !phi.vec<i64>
// CHECK-NEXT:     %at_one_1 = arith.cmpi eq, %q, %one : i64
// CHECK-NEXT:     %9 = phi.get %a[%q] : !phi.vec<i64>[i64]
// CHECK-NEXT:     %10 = arith.select %at_one_1, %x, %zero : i64
// CHECK-NEXT:     %11 = arith.addi %10, %y : i64
// CHECK-NEXT:     %12 = arith.addi %9, %11 : i64
// CHECK-NEXT:     %r = phi.update %8[%q], %12 : (!phi.vec<i64>, i64, i64) -> !phi.vec<i64>
// CHECK-NEXT:     func.return %r : !phi.vec<i64>
// CHECK-NEXT:   }

// Not if another element is updated, or a term has no position: then nothing is saved.

func.func @no_terms(%a: !phi.vec<f64>, %p: i64, %x: f64, %on: i1) -> (!phi.vec<f64>, !phi.vec<f64>) {
  %zero = arith.constant 0.0 : f64
  %n = phi.size %a, 0 : !phi.vec<f64>
  %r = phi.array (%i < %n) -> !phi.vec<f64> {
    %k = arith.index_cast %i : index to i64
    %at = arith.cmpi eq, %k, %p : i64
    %0 = phi.get %a[%i] : !phi.vec<f64>[index]
    %1 = math.sqrt %0 : f64
    %2 = arith.select %at, %x, %zero : f64
    %3 = arith.addf %1, %2 : f64
    phi.yield %3 : f64
  }
  %s = phi.array (%i < %n) -> !phi.vec<f64> {
    %0 = phi.get %a[%i] : !phi.vec<f64>[index]
    %1 = arith.select %on, %x, %zero : f64
    %2 = arith.addf %0, %1 : f64
    phi.yield %2 : f64
  }
  func.return %r, %s : !phi.vec<f64>, !phi.vec<f64>
}
// CHECK-LABEL: func.func @no_terms(
// CHECK-NEXT:     %zero = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:     %n = phi.size %a, 0 : !phi.vec<f64>
// CHECK-NEXT:     %r = phi.array (%i < %n) -> !phi.vec<f64> {
// CHECK-NEXT:       %k = arith.index_cast %i : index to i64
// CHECK-NEXT:       %at = arith.cmpi eq, %k, %p : i64
// CHECK-NEXT:       %0 = phi.get %a[%i] : !phi.vec<f64>[index]
// CHECK-NEXT:       %1 = math.sqrt %0 : f64
// CHECK-NEXT:       %2 = arith.select %at, %x, %zero : f64
// CHECK-NEXT:       %3 = arith.addf %1, %2 : f64
// CHECK-NEXT:       phi.yield %3 : f64
// CHECK-NEXT:     }
// CHECK-NEXT:     %s = phi.array (%i_1 < %n) -> !phi.vec<f64> {
// CHECK-NEXT:       %4 = phi.get %a[%i_1] : !phi.vec<f64>[index]
// CHECK-NEXT:       %5 = arith.select %on, %x, %zero : f64
// CHECK-NEXT:       %6 = arith.addf %4, %5 : f64
// CHECK-NEXT:       phi.yield %6 : f64
// CHECK-NEXT:     }
// CHECK-NEXT:     func.return %r, %s : !phi.vec<f64>, !phi.vec<f64>
// CHECK-NEXT:   }

// A comparison with a position is a term of Bools.

func.func @marks(%a: !phi.vec<i1>, %p: i64, %q: i64) -> !phi.vec<i1> {
  %n = phi.size %a, 0 : !phi.vec<i1>
  %r = phi.array (%i < %n) -> !phi.vec<i1> {
    %i_1 = arith.index_cast %i : index to i64
    %x = phi.get %a[%i] : !phi.vec<i1>[index]
    %is = arith.cmpi eq, %i_1, %p : i64
    %no = arith.cmpi ne, %i_1, %q : i64
    %y = arith.ori %x, %is : i1
    %z = arith.andi %no, %y : i1
    phi.yield %z : i1
  }
  func.return %r : !phi.vec<i1>
}

// CHECK-LABEL: func.func @marks(
// CHECK-NEXT:    %0 = arith.constant true
// CHECK-NEXT:    %1 = phi.update %a[%p], %0 : (!phi.vec<i1>, i64, i1) -> !phi.vec<i1>
// CHECK-NEXT:    %2 = arith.constant false
// CHECK-NEXT:    %r = phi.update %1[%q], %2 : (!phi.vec<i1>, i64, i1) -> !phi.vec<i1>

// Any of several comparisons selects a value. One that varies with the index replaces an element once:
// that at q if it is not at p.

func.func @any_position(%a: !phi.vec<i64>, %p: i64, %q: i64, %x: i64)
    -> (!phi.vec<i64>, !phi.vec<i64>) {
  %n = phi.size %a, 0 : !phi.vec<i64>
  %r = phi.array (%i < %n) -> !phi.vec<i64> {
    %i_1 = arith.index_cast %i : index to i64
    %old = phi.get %a[%i] : !phi.vec<i64>[index]
    %is_p = arith.cmpi eq, %i_1, %p : i64
    %is_q = arith.cmpi eq, %q, %i_1 : i64
    %any = arith.ori %is_p, %is_q : i1
    %y = arith.select %any, %x, %old : i64
    phi.yield %y : i64
  }
  %s = phi.array (%j < %n) -> !phi.vec<i64> {
    %j_1 = arith.index_cast %j : index to i64
    %before = phi.get %a[%j] : !phi.vec<i64>[index]
    %at_p = arith.cmpi eq, %j_1, %p : i64
    %at_q = arith.cmpi eq, %j_1, %q : i64
    %one = arith.ori %at_p, %at_q : i1
    %doubled = arith.addi %before, %before : i64
    %z = arith.select %one, %doubled, %before : i64
    phi.yield %z : i64
  }
  func.return %r, %s : !phi.vec<i64>, !phi.vec<i64>
}

// CHECK-LABEL: func.func @any_position(
// CHECK-NEXT:      %0 = phi.update %a[%p], %x : (!phi.vec<i64>, i64, i64) -> !phi.vec<i64>
// CHECK-NEXT:      %r = phi.update %0[%q], %x : (!phi.vec<i64>, i64, i64) -> !phi.vec<i64>
// CHECK-NEXT:      %before = phi.get %a[%p] : !phi.vec<i64>[i64]
// CHECK-NEXT:      %doubled = arith.addi %before, %before : i64
// CHECK-NEXT:      %1 = phi.update %a[%p], %doubled : (!phi.vec<i64>, i64, i64) -> !phi.vec<i64>
// CHECK-NEXT:      %at_p = arith.cmpi eq, %q, %p : i64
// CHECK-NEXT:      %2 = arith.constant true
// CHECK-NEXT:      %3 = arith.xori %at_p, %2 : i1
// CHECK-NEXT:      %4 = arith.constant -1 : i64
// CHECK-NEXT:      %5 = arith.select %3, %q, %4 : i64
// CHECK-NEXT:      %6 = phi.get %1[%q] : !phi.vec<i64>[i64]
// CHECK-NEXT:      %doubled_1 = arith.addi %6, %6 : i64
// CHECK-NEXT:      %s = phi.update %1[%5], %doubled_1 : (!phi.vec<i64>, i64, i64) -> !phi.vec<i64>
// CHECK-NEXT:      func.return %r, %s : !phi.vec<i64>, !phi.vec<i64>
// CHECK-NEXT:    }

// Positions of all axes are known where a condition reads an element at them.
func.func @condition_at_positions(%a: !phi.vec<!phi.vec<i64>>, %p: i64, %x: i64) -> !phi.vec<!phi.vec<i64>> {
  %n = phi.size %a, 0 : !phi.vec<!phi.vec<i64>>
  %m = phi.size %a, 1 : !phi.vec<!phi.vec<i64>>
  %zero = arith.constant 0 : i64
  %r = phi.array (%i < %n, %j < %m) -> !phi.vec<!phi.vec<i64>> {
    %i_1 = arith.index_cast %i : index to i64
    %j_1 = arith.index_cast %j : index to i64
    %at_row = arith.cmpi eq, %i_1, %p : i64
    %at_column = arith.cmpi eq, %j_1, %zero : i64
    %there = arith.andi %at_row, %at_column : i1
    %own = phi.get %a[%p, %j] : !phi.vec<!phi.vec<i64>>[i64, index]
    %is_less = arith.cmpi slt, %own, %x : i64
    %both = arith.andi %there, %is_less : i1
    %old = phi.get %a[%i, %j] : !phi.vec<!phi.vec<i64>>[index, index]
    %new = arith.select %both, %x, %old : i64
    phi.yield %new : i64
  }
  func.return %r : !phi.vec<!phi.vec<i64>>
}

// CHECK-LABEL: func.func @condition_at_positions(
// CHECK:           %own = phi.get %a[%p, %[[ZERO:.*]]] : !phi.vec<!phi.vec<i64>>[i64, i64]
// CHECK-NEXT:      %is_less = arith.cmpi slt, %own, %x : i64
// CHECK-NEXT:      %[[NONE:.*]] = arith.constant -1 : i64
// CHECK-NEXT:      %[[ROW:.*]] = arith.select %is_less, %p, %[[NONE]] : i64
// CHECK-NEXT:      phi.update %a[%[[ROW]], %[[ZERO]]], %x

// where(c, where(j == p, x, a[i, j]), a[i, j]), where c varies with i alone

func.func @under_condition(%a: !phi.vec<!phi.vec<f64>>, %p: i64, %x: f64) -> !phi.vec<!phi.vec<f64>> {
  %n = phi.size %a, 0 : !phi.vec<!phi.vec<f64>>
  %m = phi.size %a, 1 : !phi.vec<!phi.vec<f64>>
  %b = phi.array (%i < %n, %j < %m) -> !phi.vec<!phi.vec<f64>> {
    %0 = arith.index_cast %i : index to i64
    %c = arith.cmpi sgt, %0, %p : i64
    %1 = arith.index_cast %j : index to i64
    %d = arith.cmpi eq, %1, %p : i64
    %old = phi.get %a[%i, %j] : !phi.vec<!phi.vec<f64>>[index, index]
    %2 = arith.select %d, %x, %old : f64
    %3 = arith.select %c, %2, %old : f64
    phi.yield %3 : f64
  }
  func.return %b : !phi.vec<!phi.vec<f64>>
}
// CHECK-LABEL: func.func @under_condition(
// CHECK:         phi.array (%i < %n) -> !phi.vec<!phi.vec<f64>> {
// CHECK:           phi.update %{{.*}}[%p], %{{.*}} : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>

// Rows that are updated and read element by element are rows of the result.

func.func @elements_of_rows(%a: !phi.vec<!phi.vec<f64>>, %p: i64, %x: !phi.vec<f64>) -> !phi.vec<!phi.vec<f64>> {
  %n = phi.size %a, 0 : !phi.vec<!phi.vec<f64>>
  %m = phi.size %a, 1 : !phi.vec<!phi.vec<f64>>
  %b = phi.array (%i < %n, %j < %m) -> !phi.vec<!phi.vec<f64>> {
    %row = phi.get %a[%i] : !phi.vec<!phi.vec<f64>>[index]
    %e = phi.get %x[%i] : !phi.vec<f64>[index]
    %new = phi.update %row[%p], %e : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>
    %y = phi.get %new[%j] : !phi.vec<f64>[index]
    phi.yield %y : f64
  }
  func.return %b : !phi.vec<!phi.vec<f64>>
}
// CHECK-LABEL: func.func @elements_of_rows(
// CHECK:         %b = phi.array (%i < %n) -> !phi.vec<!phi.vec<f64>> {
// CHECK-NEXT:      %row = phi.get %a[%i] : !phi.vec<!phi.vec<f64>>[index]
// CHECK-NEXT:      %e = phi.get %x[%i] : !phi.vec<f64>[index]
// CHECK-NEXT:      %new = phi.update %row[%p], %e : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>
// CHECK-NEXT:      phi.yield %new : !phi.vec<f64>

// Rows of another size stay, and so do positions that vary with the last index.

func.func @elements_of_others(%a: !phi.vec<!phi.vec<f64>>, %m: i64, %x: f64) -> (!phi.vec<!phi.vec<f64>>, !phi.vec<!phi.vec<f64>>) {
  %n = phi.size %a, 0 : !phi.vec<!phi.vec<f64>>
  %l = phi.size %a, 1 : !phi.vec<!phi.vec<f64>>
  %zero = arith.constant 0 : i64
  %b = phi.array (%i < %n, %j < %m) -> !phi.vec<!phi.vec<f64>> {
    %row = phi.get %a[%i] : !phi.vec<!phi.vec<f64>>[index]
    %new = phi.update %row[%zero], %x : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>
    %y = phi.get %new[%j] : !phi.vec<f64>[index]
    phi.yield %y : f64
  }
  %c = phi.array (%i < %n, %j < %l) -> !phi.vec<!phi.vec<f64>> {
    %p = arith.index_cast %j : index to i64
    %row = phi.get %a[%i] : !phi.vec<!phi.vec<f64>>[index]
    %new = phi.update %row[%p], %x : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>
    %y = phi.get %new[%j] : !phi.vec<f64>[index]
    phi.yield %y : f64
  }
  func.return %b, %c : !phi.vec<!phi.vec<f64>>, !phi.vec<!phi.vec<f64>>
}
// CHECK-LABEL: func.func @elements_of_others(
// CHECK:         %b = phi.array (%i < %n, %j < %m)
// CHECK:         %c = phi.array (%{{.*}} < %n, %{{.*}} < %l)

// -----

// The last of as many elements as an Int says is at an edge, too.

func.func @last_of_an_int(%x: !phi.vec<f64>, %steps: i64) -> !phi.vec<f64> {
  %one = arith.constant 1 : i64
  %n = arith.addi %steps, %one : i64
  %two = arith.constant 2.0 : f64
  %r = phi.array (%i < %n) -> !phi.vec<f64> {
    %p = arith.index_cast %i : index to i64
    %u = phi.get %x[%i] : !phi.vec<f64>[index]
    %v = arith.mulf %u, %two : f64
    %w = arith.addf %v, %two : f64
    %at = arith.cmpi eq, %p, %steps : i64
    %e = arith.select %at, %w, %v : f64
    phi.yield %e : f64
  }
  func.return %r : !phi.vec<f64>
}

// CHECK-LABEL: func.func @last_of_an_int
// CHECK-NOT:     phi.update
// CHECK:         func.return

// Tests with positions, their negations, and tests as numbers are terms, too.

func.func @tests_as_terms(%a: !phi.vec<!phi.vec<i1>>, %m: !phi.vec<!phi.vec<f64>>, %p: i64, %q: i64)
    -> (!phi.vec<!phi.vec<i1>>, !phi.vec<!phi.vec<i1>>, !phi.vec<!phi.vec<f64>>) {
  %n = phi.size %a, 0 : !phi.vec<!phi.vec<i1>>
  %l = phi.size %a, 1 : !phi.vec<!phi.vec<i1>>
  %n_m = phi.size %m, 0 : !phi.vec<!phi.vec<f64>>
  %l_m = phi.size %m, 1 : !phi.vec<!phi.vec<f64>>
  %set = phi.array (%i < %n, %j < %l) -> !phi.vec<!phi.vec<i1>> {
    %i_1 = arith.index_cast %i : index to i64
    %j_1 = arith.index_cast %j : index to i64
    %at_p = arith.cmpi eq, %i_1, %p : i64
    %at_q = arith.cmpi eq, %j_1, %q : i64
    %at = arith.andi %at_p, %at_q : i1
    %x = phi.get %a[%i, %j] : !phi.vec<!phi.vec<i1>>[index, index]
    %y = arith.ori %at, %x : i1
    phi.yield %y : i1
  }
  %flipped = phi.array (%i < %n, %j < %l) -> !phi.vec<!phi.vec<i1>> {
    %i_1 = arith.index_cast %i : index to i64
    %j_1 = arith.index_cast %j : index to i64
    %at_p = arith.cmpi eq, %i_1, %p : i64
    %at_q = arith.cmpi eq, %j_1, %q : i64
    %at = arith.andi %at_p, %at_q : i1
    %x = phi.get %a[%i, %j] : !phi.vec<!phi.vec<i1>>[index, index]
    %y = arith.xori %x, %at : i1
    phi.yield %y : i1
  }
  %counted = phi.array (%i < %n_m, %j < %l_m) -> !phi.vec<!phi.vec<f64>> {
    %i_1 = arith.index_cast %i : index to i64
    %j_1 = arith.index_cast %j : index to i64
    %at_p = arith.cmpi eq, %i_1, %p : i64
    %at_q = arith.cmpi eq, %j_1, %q : i64
    %at = arith.andi %at_p, %at_q : i1
    %one = arith.uitofp %at : i1 to f64
    %x = phi.get %m[%i, %j] : !phi.vec<!phi.vec<f64>>[index, index]
    %y = arith.addf %x, %one : f64
    phi.yield %y : f64
  }
  func.return %set, %flipped, %counted : !phi.vec<!phi.vec<i1>>, !phi.vec<!phi.vec<i1>>, !phi.vec<!phi.vec<f64>>
}
// CHECK-LABEL: func.func @tests_as_terms(
// CHECK:         %set = phi.update %a[%p, %q], %0
// CHECK-NEXT:    %x = phi.get %a[%p, %q]
// CHECK-NEXT:    %1 = arith.constant true
// CHECK-NEXT:    %2 = arith.xori %x, %1 : i1
// CHECK-NEXT:    %flipped = phi.update %a[%p, %q], %2
// CHECK-NEXT:    %x_1 = phi.get %m[%p, %q]
// CHECK-NEXT:    %3 = arith.constant 1.000000e+00 : f64
// CHECK-NEXT:    %4 = arith.addf %x_1, %3 : f64
// CHECK-NEXT:    %counted = phi.update %m[%p, %q], %4

// Optional terms that are all of the elements but for zeros are updates of zeros.

func.func @terms_of_zeros(%a: !phi.vec<f64>, %b: !phi.vec<f64>, %m: i64, %p: i64, %q: i64) -> !phi.vec<!phi.vec<f64>> {
  %n = phi.size %a, 0 : !phi.vec<f64>
  %zero = arith.constant 0.0 : f64
  %r = phi.array (%i < %n, %j < %m) -> !phi.vec<!phi.vec<f64>> {
    %k = arith.index_cast %j : index to i64
    %x = phi.get %a[%i] : !phi.vec<f64>[index]
    %at_p = arith.cmpi eq, %k, %p : i64
    %s = arith.select %at_p, %x, %zero : f64
    %y = phi.get %b[%i] : !phi.vec<f64>[index]
    %at_q = arith.cmpi eq, %k, %q : i64
    %t = arith.select %at_q, %y, %zero : f64
    %u = arith.addf %s, %t : f64
    phi.yield %u : f64
  }
  func.return %r : !phi.vec<!phi.vec<f64>>
}
// CHECK-LABEL: func.func @terms_of_zeros(
// CHECK:         [[ZEROS:%[^ ]+]] = phi.array (%i{{.*}} < %n, %j{{.*}} < %m)
// CHECK:           phi.yield %zero
// CHECK-COUNT-2:   phi.update
// CHECK-NOT:       arith.select
