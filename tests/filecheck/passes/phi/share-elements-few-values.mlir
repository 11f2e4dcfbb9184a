// RUN: ein-opt %s --split-input-file -p share-elements{folds=true},canonicalize,dce | filecheck %s
// RUN: ein-opt %s --split-input-file -p share-elements,canonicalize,dce | filecheck %s --check-prefix=LOOPS
// RUN: ein-opt %s --split-input-file -p "share-elements{folds=true differentiable=true},canonicalize,dce" | filecheck %s --check-prefix=LOOPS

// A function of an Int from 0 to 63 is an element of a table, on a library.
func.func @letters(%x: !phi.vec<i64>) -> !phi.vec<i64> {
  %n = phi.size %x, 0 : !phi.vec<i64>
  %mask = arith.constant 63 : i64
  %m = arith.constant 26 : i64
  %r = phi.array (%i < %n) -> !phi.vec<i64> {
    %y = phi.get %x[%i] : !phi.vec<i64>[index]
    %v = arith.andi %y, %mask : i64
    %is_upper = arith.cmpi slt, %v, %m : i64
    %a = arith.addi %v, %mask : i64
    %b = arith.muli %v, %v : i64
    %c = arith.muli %b, %m : i64
    %d = arith.subi %c, %v : i64
    %e = arith.select %is_upper, %a, %d : i64
    phi.yield %e : i64
  }
  func.return %r : !phi.vec<i64>
}

// CHECK-LABEL: func.func @letters(
// CHECK:         %[[SIZE:.*]] = arith.constant 64 : i64
// CHECK-NEXT:    %[[T:.*]] = phi.array (%[[C:.*]] < %[[SIZE]]) -> !phi.vec<i64> {
// CHECK-NEXT:      %[[V:.*]] = arith.index_cast %[[C]] : index to i64
// CHECK-NEXT:      %is_upper = arith.cmpi slt, %[[V]], %m : i64
// CHECK:         %r = phi.array (%i < %n) -> !phi.vec<i64> {
// CHECK-NEXT:      %y = phi.get %x[%i] : !phi.vec<i64>[index]
// CHECK-NEXT:      %[[P:.*]] = arith.andi %y, %mask : i64
// CHECK-NEXT:      %[[E:.*]] = phi.get %[[T]][%[[P]]] : !phi.vec<i64>[i64]
// CHECK-NEXT:      phi.yield %[[E]] : i64
// LOOPS-LABEL: func.func @letters(
// LOOPS-COUNT-1: phi.array
// LOOPS:         arith.select
// LOOPS-NOT:     phi.array

// -----

// So is no function of a cheaper kind, of a larger range, or of an index alone.
func.func @others(%x: !phi.vec<i64>) -> !phi.vec<i64> {
  %n = phi.size %x, 0 : !phi.vec<i64>
  %small = arith.constant 63 : i64
  %large = arith.constant 256 : i64
  %r = phi.array (%i < %n) -> !phi.vec<i64> {
    %y = phi.get %x[%i] : !phi.vec<i64>[index]
    %v = arith.andi %y, %small : i64
    %cheap = arith.muli %v, %v : i64
    %w = arith.andi %y, %large : i64
    %a = arith.muli %w, %w : i64
    %b = arith.muli %a, %w : i64
    %c = arith.muli %b, %w : i64
    %d = arith.muli %c, %a : i64
    %e = arith.muli %d, %b : i64
    %f = arith.muli %e, %c : i64
    %p = arith.index_cast %i : index to i64
    %q = arith.andi %p, %small : i64
    %g = arith.muli %q, %q : i64
    %h = arith.muli %g, %q : i64
    %j = arith.muli %h, %q : i64
    %k = arith.muli %j, %g : i64
    %l = arith.muli %k, %h : i64
    %m = arith.muli %l, %j : i64
    %0 = arith.addi %cheap, %f : i64
    %1 = arith.addi %0, %m : i64
    phi.yield %1 : i64
  }
  func.return %r : !phi.vec<i64>
}

// CHECK-LABEL: func.func @others(
// LOOPS-LABEL: func.func @others(
// CHECK-COUNT-1: phi.array
// CHECK-NOT:     phi.array
