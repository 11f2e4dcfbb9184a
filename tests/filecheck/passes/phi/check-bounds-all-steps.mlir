// RUN: ein-opt %s -p "check-bounds{guards=false},simplify,eliminate-common-subexpressions" | filecheck %s

// A guard limits the index: two ends are compared for all positions of a step, and the mark has a
// fold of its own.

// CHECK-LABEL: func.func @taken_from(
// CHECK:       phi.fold (%k < %n, %b = %a) -> !phi.vec<f64> {
// CHECK:       phi.fold (%k_1 < %n, %{{.*}} = %{{.*}}) -> i1 {
// CHECK-NEXT:    %least_1 = phi.get %p[%k_1]
// CHECK-NOT:     phi.array
// CHECK:         arith.subi %m, %least_1 : i64
func.func @taken_from(%a: !phi.vec<f64>, %p: !phi.vec<i64>, %zero: f64) -> !phi.vec<f64> {
  %n = phi.size %p, 0 : !phi.vec<i64>
  %m = phi.size %a, 0 : !phi.vec<f64>
  %one = arith.constant 1 : i64
  %r = phi.fold (%k < %n, %b = %a) -> !phi.vec<f64> {
    %least = phi.get %p[%k] : !phi.vec<i64>[i64]
    %c = phi.array (%i < %m) -> !phi.vec<f64> {
      %at = arith.index_cast %i : index to i64
      %ok = arith.cmpi sge, %at, %one : i64
      %from = arith.subi %at, %least : i64
      %x = phi.get %b[%from] : !phi.vec<f64>[i64]
      %y = arith.select %ok, %x, %zero : f64
      phi.yield %y : f64
    }
    phi.yield %c : !phi.vec<f64>
  }
  func.return %r : !phi.vec<f64>
}

// Positions that depend on different counters are checked separately.

// CHECK-LABEL: func.func @pairs(
// CHECK:       phi.array (%i < %n, %j < %m)
// CHECK:       phi.array (%i_1 < %n) -> !phi.vec<i1> {
// CHECK:       phi.array (%j_1 < %m) -> !phi.vec<i1> {
func.func @pairs(
  %s: !phi.vec<!phi.vec<f64>>, %p: !phi.vec<i64>, %q: !phi.vec<i64>
) -> !phi.vec<!phi.vec<f64>> {
  %n = phi.size %p, 0 : !phi.vec<i64>
  %m = phi.size %q, 0 : !phi.vec<i64>
  %r = phi.array (%i < %n, %j < %m) -> !phi.vec<!phi.vec<f64>> {
    %x = phi.get %p[%i] : !phi.vec<i64>[index]
    %y = phi.get %q[%j] : !phi.vec<i64>[index]
    %z = phi.get %s[%x, %y] : !phi.vec<!phi.vec<f64>>[i64, i64]
    phi.yield %z : f64
  }
  func.return %r : !phi.vec<!phi.vec<f64>>
}

// One element of an array takes a value: its position is one of the indices.

// CHECK-LABEL: func.func @written(
// CHECK:       phi.fold (%k_1 < %m, %{{.*}} = %{{.*}}) -> i1 {
// CHECK-NEXT:    phi.get %p[%k_1]
// CHECK-NEXT:    phi.size %b, 0
// CHECK-NEXT:    arith.cmpi uge
// CHECK-NEXT:    arith.ori
func.func @written(%a: !phi.vec<f64>, %b: !phi.vec<f64>, %p: !phi.vec<i64>) -> !phi.vec<f64> {
  %n = phi.size %a, 0 : !phi.vec<f64>
  %m = phi.size %p, 0 : !phi.vec<i64>
  %one = arith.constant 1 : i64
  %size = arith.addi %m, %one : i64
  %zero = arith.constant 0.0 : f64
  %init = phi.array (%i < %size) -> !phi.vec<f64> {
    phi.yield %zero : f64
  }
  %r = phi.fold (%k < %m, %acc = %init) -> !phi.vec<f64> {
    %x = phi.get %p[%k] : !phi.vec<i64>[i64]
    %y = phi.get %b[%x] : !phi.vec<f64>[i64]
    %c = phi.array (%i < %size) -> !phi.vec<f64> {
      %at = arith.index_cast %i : index to i64
      %next = arith.addi %k, %one : i64
      %here = arith.cmpi eq, %at, %next : i64
      %old = phi.get %acc[%i] : !phi.vec<f64>[index]
      %new = arith.select %here, %y, %old : f64
      phi.yield %new : f64
    }
    phi.yield %c : !phi.vec<f64>
  }
  func.return %r : !phi.vec<f64>
}
