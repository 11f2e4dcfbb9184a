// RUN: ein-opt %s -p "split-index-ranges{padded=true}" | filecheck %s
// RUN: ein-opt %s -p split-index-ranges | filecheck %s --check-prefix=PARTS

// Two guarded neighbours are reads of one array with a border, and the sum is computed once.

func.func @neighbours(%a: !phi.vec<f64>, %d: f64) -> !phi.vec<f64> {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %n = phi.size %a, 0 : !phi.vec<f64>
  %last = arith.subi %n, %one : i64
  %r = phi.array (%i < %n) -> !phi.vec<f64> {
    %p = arith.index_cast %i : index to i64
    %l = arith.subi %p, %one : i64
    %h = arith.addi %p, %one : i64
    %c = arith.cmpi sgt, %p, %zero : i64
    %x = phi.get %a[%l] : !phi.vec<f64>[i64]
    %left = arith.select %c, %x, %d : f64
    %e = arith.cmpi eq, %p, %last : i64
    %y = phi.get %a[%h] : !phi.vec<f64>[i64]
    %right = arith.select %e, %d, %y : f64
    %s = arith.mulf %left, %right : f64
    phi.yield %s : f64
  }
  func.return %r : !phi.vec<f64>
}
// CHECK-LABEL: func.func @neighbours(
// CHECK:         phi.yield %d : f64
// CHECK:         phi.get %a
// CHECK:         phi.yield %d : f64
// CHECK:         phi.concat
// CHECK-NEXT:    %[[PADDED:.*]] = phi.concat
// CHECK:         %r = phi.array (%[[I:.*]] < %n)
// CHECK:           %left = phi.get %[[PADDED]][%[[I]]]
// CHECK:           %right = phi.get %[[PADDED]]
// CHECK:           arith.mulf
// CHECK-NOT:       arith.mulf
// PARTS-LABEL: func.func @neighbours(
// PARTS-COUNT-3: arith.mulf

// Conditions on what is read: the border has what makes the whole condition false.

func.func @conditions(%a: !phi.vec<i64>) -> !phi.vec<i1> {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %n = phi.size %a, 0 : !phi.vec<i64>
  %last = arith.subi %n, %one : i64
  %r = phi.array (%i < %n) -> !phi.vec<i1> {
    %p = arith.index_cast %i : index to i64
    %l = arith.subi %p, %one : i64
    %h = arith.addi %p, %one : i64
    %c = arith.cmpi sgt, %p, %zero : i64
    %x = phi.get %a[%l] : !phi.vec<i64>[i64]
    %t = arith.cmpi eq, %x, %one : i64
    %left = arith.andi %c, %t : i1
    %e = arith.cmpi slt, %p, %last : i64
    %y = phi.get %a[%h] : !phi.vec<i64>[i64]
    %u = arith.cmpi eq, %y, %one : i64
    %right = arith.andi %e, %u : i1
    %s = arith.xori %left, %right : i1
    phi.yield %s : i1
  }
  func.return %r : !phi.vec<i1>
}
// CHECK-LABEL: func.func @conditions(
// CHECK:         arith.constant false
// CHECK:         phi.get %a
// CHECK:         arith.cmpi eq
// CHECK:         arith.constant false
// CHECK:         phi.concat
// CHECK-NEXT:    %[[PADDED:.*]] = phi.concat
// CHECK:         %r = phi.array (%[[I:.*]] < %n)
// CHECK:           %left = phi.get %[[PADDED]][%[[I]]]
// CHECK:           %right = phi.get %[[PADDED]]
// CHECK:           arith.xori %left, %right

// One border has 0, and the other 1: no array has both, and there are three parts.

func.func @other_borders(%a: !phi.vec<f64>) -> !phi.vec<f64> {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %none = arith.constant 0.000000e+00 : f64
  %unit = arith.constant 1.000000e+00 : f64
  %n = phi.size %a, 0 : !phi.vec<f64>
  %last = arith.subi %n, %one : i64
  %r = phi.array (%i < %n) -> !phi.vec<f64> {
    %p = arith.index_cast %i : index to i64
    %l = arith.subi %p, %one : i64
    %h = arith.addi %p, %one : i64
    %c = arith.cmpi sgt, %p, %zero : i64
    %x = phi.get %a[%l] : !phi.vec<f64>[i64]
    %left = arith.select %c, %x, %none : f64
    %e = arith.cmpi slt, %p, %last : i64
    %y = phi.get %a[%h] : !phi.vec<f64>[i64]
    %right = arith.select %e, %y, %unit : f64
    %s = arith.mulf %left, %right : f64
    phi.yield %s : f64
  }
  func.return %r : !phi.vec<f64>
}
// CHECK-LABEL: func.func @other_borders(
// CHECK-COUNT-3: arith.mulf

// The elements depend on their index, not on the position alone: three parts.

func.func @weighted(%a: !phi.vec<f64>) -> !phi.vec<f64> {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %none = arith.constant 0.000000e+00 : f64
  %n = phi.size %a, 0 : !phi.vec<f64>
  %last = arith.subi %n, %one : i64
  %r = phi.array (%i < %n) -> !phi.vec<f64> {
    %p = arith.index_cast %i : index to i64
    %w = arith.sitofp %p : i64 to f64
    %l = arith.subi %p, %one : i64
    %h = arith.addi %p, %one : i64
    %c = arith.cmpi sgt, %p, %zero : i64
    %x = phi.get %a[%l] : !phi.vec<f64>[i64]
    %v = arith.addf %w, %x : f64
    %left = arith.select %c, %v, %none : f64
    %e = arith.cmpi slt, %p, %last : i64
    %y = phi.get %a[%h] : !phi.vec<f64>[i64]
    %z = arith.addf %w, %y : f64
    %right = arith.select %e, %z, %none : f64
    %s = arith.mulf %left, %right : f64
    phi.yield %s : f64
  }
  func.return %r : !phi.vec<f64>
}
// CHECK-LABEL: func.func @weighted(
// CHECK-COUNT-3: arith.mulf

// Positions clip at 0, so those of a border may, too.

func.func @clipped(%a: !phi.vec<f64>, %d: f64) -> !phi.vec<f64> {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %two = arith.constant 2 : i64
  %n = phi.size %a, 0 : !phi.vec<f64>
  %r = phi.array (%i < %n) -> !phi.vec<f64> {
    %p = arith.index_cast %i : index to i64
    %l = arith.subi %p, %one : i64
    %m = arith.maxsi %l, %zero : i64
    %c = arith.cmpi sge, %p, %one : i64
    %x = phi.get %a[%m] : !phi.vec<f64>[i64]
    %near = arith.select %c, %x, %d : f64
    %h = arith.subi %p, %two : i64
    %o = arith.maxsi %h, %zero : i64
    %e = arith.cmpi sge, %p, %two : i64
    %y = phi.get %a[%o] : !phi.vec<f64>[i64]
    %far = arith.select %e, %y, %d : f64
    %s = arith.mulf %near, %far : f64
    phi.yield %s : f64
  }
  func.return %r : !phi.vec<f64>
}
// CHECK-LABEL: func.func @clipped(
// CHECK:         phi.yield %d : f64
// CHECK:         %[[BEFORE:.*]] = phi.concat
// CHECK:         %r = phi.array (%{{.*}} < %n)
// CHECK:           %near = phi.get %[[BEFORE]]
// CHECK:           %far = phi.get %[[BEFORE]]
// CHECK:           arith.mulf
// CHECK-NOT:       arith.mulf
// PARTS-LABEL: func.func @clipped(
// PARTS-COUNT-3: arith.mulf

// Nor do clips at both ends change what is read, and a guard that always holds is none. A range with
// more cuts than are made would be masks.

func.func @many(%a: !phi.vec<f64>, %d: f64) -> !phi.vec<f64> {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %two = arith.constant 2 : i64
  %three = arith.constant 3 : i64
  %n = phi.size %a, 0 : !phi.vec<f64>
  %last = arith.subi %n, %one : i64
  %r = phi.array (%i < %n) -> !phi.vec<f64> {
    %p = arith.index_cast %i : index to i64
    %c0 = arith.cmpi sge, %p, %zero : i64
    %x0 = phi.get %a[%i] : !phi.vec<f64>[index]
    %s0 = arith.select %c0, %x0, %d : f64
    %p1 = arith.subi %p, %one : i64
    %c1 = arith.cmpi sge, %p1, %zero : i64
    %m1 = arith.maxsi %p1, %zero : i64
    %q1 = arith.minsi %m1, %last : i64
    %x1 = phi.get %a[%q1] : !phi.vec<f64>[i64]
    %s1 = arith.select %c1, %x1, %d : f64
    %p2 = arith.subi %p, %two : i64
    %c2 = arith.cmpi sge, %p2, %zero : i64
    %x2 = phi.get %a[%p2] : !phi.vec<f64>[i64]
    %s2 = arith.select %c2, %x2, %d : f64
    %p3 = arith.subi %p, %three : i64
    %c3 = arith.cmpi sge, %p3, %zero : i64
    %x3 = phi.get %a[%p3] : !phi.vec<f64>[i64]
    %s3 = arith.select %c3, %x3, %d : f64
    %p4 = arith.addi %p, %one : i64
    %c4 = arith.cmpi slt, %p4, %n : i64
    %m4 = arith.minsi %p4, %last : i64
    %x4 = phi.get %a[%m4] : !phi.vec<f64>[i64]
    %s4 = arith.select %c4, %x4, %d : f64
    %p5 = arith.addi %p, %two : i64
    %c5 = arith.cmpi slt, %p5, %n : i64
    %x5 = phi.get %a[%p5] : !phi.vec<f64>[i64]
    %s5 = arith.select %c5, %x5, %d : f64
    %u1 = arith.addf %s0, %s1 : f64
    %u2 = arith.addf %u1, %s2 : f64
    %u3 = arith.addf %u2, %s3 : f64
    %u4 = arith.addf %u3, %s4 : f64
    %u5 = arith.addf %u4, %s5 : f64
    phi.yield %u5 : f64
  }
  func.return %r : !phi.vec<f64>
}
// CHECK-LABEL: func.func @many(
// CHECK-COUNT-5: arith.addf
// CHECK-NOT:     arith.addf
