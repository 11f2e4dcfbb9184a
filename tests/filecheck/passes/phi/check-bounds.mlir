// RUN: ein-opt %s -p check-bounds | filecheck %s
// RUN: ein-opt %s -p "check-bounds{locate=true}" | filecheck %s --check-prefix=LOCATE

// The comprehension stays as it is; a reduction of its own says whether a position is out of bounds.

// CHECK-LABEL: func.func @gather(
// CHECK-SAME:  -> (!phi.vec<f64>, i1)
// LOCATE-LABEL: func.func @gather(
// LOCATE-SAME: -> (!phi.vec<f64>, i64, i64, i64, i64)
// LOCATE-SAME: ein.accesses = [{array = "a", axis = 0 : i64, loops = ["i"], place = " (at
func.func @gather(%a: !phi.vec<f64>, %p: !phi.vec<i64>) -> !phi.vec<f64> {
  %n = phi.size %p, 0 : !phi.vec<i64>
  %b = phi.array (%i < %n) -> !phi.vec<f64> {
    %k = phi.get %p[%i] : !phi.vec<i64>[index]
    %x = phi.get %a[%k] : !phi.vec<f64>[i64]
    phi.yield %x : f64
  }
  func.return %b : !phi.vec<f64>
}

// A guard proves the bounds.

// CHECK-LABEL: func.func @guarded(
// CHECK-SAME:  -> !phi.vec<f64> {
func.func @guarded(%a: !phi.vec<f64>, %zero: f64) -> !phi.vec<f64> {
  %n = phi.size %a, 0 : !phi.vec<f64>
  %none = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %b = phi.array (%i < %n) -> !phi.vec<f64> {
    %q = arith.index_cast %i : index to i64
    %k = arith.subi %q, %one : i64
    %x = phi.get %a[%k] : !phi.vec<f64>[i64]
    %c = arith.cmpi sgt, %q, %none : i64
    %y = arith.select %c, %x, %zero : f64
    phi.yield %y : f64
  }
  func.return %b : !phi.vec<f64>
}

// A position that a fold carries: the fold carries the mark, too.

// CHECK-LABEL: func.func @walk(
// CHECK:       phi.fold (%k < %n, %at = %{{.*}}) -> tuple<i64, i1> {
// LOCATE-LABEL: func.func @walk(
// LOCATE:       -> tuple<i64, i64, i64, i64, i64> {
func.func @walk(%next: !phi.vec<i64>, %start: i64, %n: i64) -> i64 {
  %end = phi.fold (%k < %n, %at = %start) -> i64 {
    %to = phi.get %next[%at] : !phi.vec<i64>[i64]
    phi.yield %to : i64
  }
  func.return %end : i64
}

// The size of an array uses no element.

// CHECK-LABEL: func.func @unused(
// CHECK-SAME:  -> i64 {
func.func @unused(%a: !phi.vec<f64>, %n: i64, %k: i64) -> i64 {
  %b = phi.array (%i < %n) -> !phi.vec<f64> {
    %x = phi.get %a[%k] : !phi.vec<f64>[i64]
    phi.yield %x : f64
  }
  %m = phi.size %b, 0 : !phi.vec<f64>
  func.return %m : i64
}

// Each step of a loop that ends by a condition is checked: the loop carries the mark.

// CHECK-LABEL: func.func @follow(
// CHECK:         %{{.*}} = phi.tuple (%{{.*}}, %init, %{{.*}}) : tuple<i1, tuple<i1, i64>, i1>
// CHECK:         phi.while (%k < %n, %acc = %{{.*}}) -> tuple<i1, tuple<i1, i64>, i1> {
// CHECK:           arith.ori
// CHECK:           phi.yield %{{.*}} : tuple<i1, tuple<i1, i64>, i1>
func.func @follow(%next: !phi.vec<i64>, %init: tuple<i1, i64>, %n: i64) -> i64 {
  %zero = arith.constant 0 : i64
  %end = phi.while (%k < %n, %acc = %init) -> tuple<i1, i64> {
    %at = phi.proj %acc, 1 : tuple<i1, i64> -> i64
    %to = phi.get %next[%at] : !phi.vec<i64>[i64]
    %more = arith.cmpi sge, %to, %zero : i64
    %after = phi.tuple (%more, %to) : tuple<i1, i64>
    phi.yield %after : tuple<i1, i64>
  }
  %r = phi.proj %end, 1 : tuple<i1, i64> -> i64
  func.return %r : i64
}

// An element that only its own update needs: the update has no effect out of bounds.
func.func @replaced(%a: !phi.vec<f64>, %p: i64, %x: f64) -> !phi.vec<f64> {
  %old = phi.get %a[%p] : !phi.vec<f64>[i64]
  %new = arith.addf %old, %x : f64
  %b = phi.update %a[%p], %new : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>
  func.return %b : !phi.vec<f64>
}

// CHECK-LABEL: func.func @replaced(
// CHECK-SAME:    -> !phi.vec<f64> {
// CHECK-NEXT:    %old = phi.get %a[%p] : !phi.vec<f64>[i64]
// CHECK-NEXT:    %new = arith.addf %old, %x : f64
