// RUN: ein-opt %s --split-input-file -p raise-scans,dce | filecheck %s

// The last step before an index with a lesser element: a table of the least of 2^j elements, and a
// search in it for all indices at once.

func.func @previous(%x: !phi.vec<f64>) -> !phi.vec<i64> {
  %none = arith.constant -1 : i64
  %least = arith.constant -9223372036854775808 : i64
  %n = phi.size %x, 0 : !phi.vec<f64>
  %r = phi.array (%i < %n) -> !phi.vec<i64> {
    %y = phi.get %x[%i] : !phi.vec<f64>[index]
    %m = phi.fold (%k < %n, %acc = %least) -> i64 {
      %own = arith.index_cast %i : index to i64
      %is_before = arith.cmpi slt, %k, %own : i64
      %z = phi.get %x[%k] : !phi.vec<f64>[i64]
      %is_less = arith.cmpf olt, %z, %y : f64
      %c = arith.andi %is_before, %is_less : i1
      %e = arith.select %c, %k, %none : i64
      %next = arith.maxsi %acc, %e : i64
      phi.yield %next : i64
    }
    phi.yield %m : i64
  }
  func.return %r : !phi.vec<i64>
}
// CHECK-LABEL: func.func @previous(
// CHECK:         %[[TABLE:.*]] = phi.fold ({{.*}}) -> !phi.vec<!phi.vec<f64>> {
// CHECK:           arith.minnumf
// CHECK:           phi.update
// CHECK:         %[[LEFT:.*]] = phi.fold ({{.*}}) -> i64 {
// CHECK:           phi.get %[[TABLE]][
// CHECK:           arith.cmpf olt
// CHECK:         arith.cmpi sgt, %[[LEFT]], %{{.*}} : i64
// CHECK-NOT:     phi.fold
// CHECK:         func.return

// -----

// The first one before an index is not next to it, and neither is the sum of steps.

func.func @others(%x: !phi.vec<f64>) -> (!phi.vec<i64>, !phi.vec<i64>) {
  %zero = arith.constant 0 : i64
  %most = arith.constant 9223372036854775807 : i64
  %n = phi.size %x, 0 : !phi.vec<f64>
  %r = phi.array (%i < %n) -> !phi.vec<i64> {
    %y = phi.get %x[%i] : !phi.vec<f64>[index]
    %m = phi.fold (%k < %n, %acc = %most) -> i64 {
      %own = arith.index_cast %i : index to i64
      %is_before = arith.cmpi slt, %k, %own : i64
      %z = phi.get %x[%k] : !phi.vec<f64>[i64]
      %is_less = arith.cmpf olt, %z, %y : f64
      %c = arith.andi %is_before, %is_less : i1
      %e = arith.select %c, %k, %most : i64
      %next = arith.minsi %acc, %e : i64
      phi.yield %next : i64
    }
    phi.yield %m : i64
  }
  %s = phi.array (%i < %n) -> !phi.vec<i64> {
    %y = phi.get %x[%i] : !phi.vec<f64>[index]
    %m = phi.fold (%k < %n, %acc = %zero) -> i64 {
      %own = arith.index_cast %i : index to i64
      %is_before = arith.cmpi slt, %k, %own : i64
      %z = phi.get %x[%k] : !phi.vec<f64>[i64]
      %is_less = arith.cmpf olt, %z, %y : f64
      %c = arith.andi %is_before, %is_less : i1
      %e = arith.select %c, %k, %zero : i64
      %next = arith.addi %acc, %e : i64
      phi.yield %next : i64
    }
    phi.yield %m : i64
  }
  func.return %r, %s : !phi.vec<i64>, !phi.vec<i64>
}
// CHECK-LABEL: func.func @others(
// CHECK-NOT:     phi.update
// CHECK:         arith.minsi %acc
// CHECK-NOT:     phi.update
// CHECK:         arith.addi %acc
