// RUN: ein-opt %s --split-input-file -p pad-windows,simplify | filecheck %s

// A convolution with the step 2 and a border of zeros: all reads of the padded array are in bounds.
func.func @strided(%a: !phi.vec<f64>, %weights: !phi.vec<f64>) -> !phi.vec<f64> {
  %zero = arith.constant 0.0 : f64
  %none = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %two = arith.constant 2 : i64
  %n = phi.size %a, 0 : !phi.vec<f64>
  %taps = phi.size %weights, 0 : !phi.vec<f64>
  %r = phi.array (%i < %n) -> !phi.vec<f64> {
    %i_1 = arith.index_cast %i : index to i64
    %even = arith.muli %i_1, %two : i64
    %s = phi.fold (%k < %taps, %acc = %zero) -> f64 {
      %next = arith.addi %even, %k : i64
      %p = arith.subi %next, %one : i64
      %c = arith.cmpi sge, %p, %none : i64
      %d = arith.cmpi slt, %p, %n : i64
      %inside = arith.andi %c, %d : i1
      %x = phi.get %a[%p] : !phi.vec<f64>[i64]
      %y = arith.select %inside, %x, %zero : f64
      %w = phi.get %weights[%k] : !phi.vec<f64>[i64]
      %z = arith.mulf %w, %y : f64
      %sum = arith.addf %acc, %z : f64
      phi.yield %sum : f64
    }
    phi.yield %s : f64
  }
  func.return %r : !phi.vec<f64>
}

// CHECK-LABEL:  func.func @strided(
// CHECK:          %[[SIZE:.*]] = arith.maxsi %{{.*}}, %{{.*}} : i64
// CHECK-NEXT:     %[[PADDED:.*]] = phi.array (%[[J:.*]] < %[[SIZE]]) -> !phi.vec<f64> {
// CHECK:            %[[C:.*]] = arith.cmpi sge, %{{.*}}, %{{.*}} : i64
// CHECK:            %[[D:.*]] = arith.cmpi slt, %{{.*}}, %n : i64
// CHECK:            %[[IN:.*]] = arith.andi %[[C]], %[[D]] : i1
// CHECK:            arith.select %[[IN]], %{{.*}}, %zero : f64
// CHECK:          }
// CHECK-NEXT:     %r = phi.array (%i < %n) -> !phi.vec<f64> {
// CHECK:            phi.fold (%k < %taps, %acc = %zero) -> f64 {
// CHECK-NOT:          arith.cmpi
// CHECK:              %{{.*}} = phi.get %[[PADDED]][%{{.*}}] : !phi.vec<f64>[i64]
// CHECK-NOT:          arith.select
// CHECK:          func.return

// -----

// Along the second axis only, which is clipped where the condition fails; rows are those of the image.
func.func @rows(%a: !phi.vec<!phi.vec<f64>>, %weights: !phi.vec<f64>) -> !phi.vec<!phi.vec<f64>> {
  %zero = arith.constant 0.0 : f64
  %none = arith.constant 0 : i64
  %n = phi.size %a, 0 : !phi.vec<!phi.vec<f64>>
  %m = phi.size %a, 1 : !phi.vec<!phi.vec<f64>>
  %taps = phi.size %weights, 0 : !phi.vec<f64>
  %r = phi.array (%i < %n, %j < %m) -> !phi.vec<!phi.vec<f64>> {
    %j_1 = arith.index_cast %j : index to i64
    %s = phi.fold (%k < %taps, %acc = %zero) -> f64 {
      %p = arith.subi %j_1, %k : i64
      %c = arith.cmpi sge, %p, %none : i64
      %clipped = arith.maxsi %p, %none : i64
      %x = phi.get %a[%i, %clipped] : !phi.vec<!phi.vec<f64>>[index, i64]
      %y = arith.select %c, %x, %zero : f64
      %w = phi.get %weights[%k] : !phi.vec<f64>[i64]
      %z = arith.mulf %w, %y : f64
      %sum = arith.addf %acc, %z : f64
      phi.yield %sum : f64
    }
    phi.yield %s : f64
  }
  func.return %r : !phi.vec<!phi.vec<f64>>
}

// CHECK-LABEL:  func.func @rows(
// CHECK:          %[[PADDED:.*]] = phi.array (%[[I:.*]] < %{{.*}}, %[[J:.*]] < %{{.*}}) -> !phi.vec<!phi.vec<f64>> {
// CHECK:          %r = phi.array (%i < %n, %j < %m) -> !phi.vec<!phi.vec<f64>> {
// CHECK:              phi.get %[[PADDED]][%i, %{{.*}}] : !phi.vec<!phi.vec<f64>>[index, i64]

// -----

// Left alone: a step that may be any Int, a condition on another value, no product, and no counter.
func.func @others(%a: !phi.vec<f64>, %weights: !phi.vec<f64>, %s: i64) -> (!phi.vec<f64>, !phi.vec<f64>) {
  %zero = arith.constant 0.0 : f64
  %none = arith.constant 0 : i64
  %n = phi.size %a, 0 : !phi.vec<f64>
  %taps = phi.size %weights, 0 : !phi.vec<f64>
  %r = phi.array (%i < %n) -> !phi.vec<f64> {
    %i_1 = arith.index_cast %i : index to i64
    %t = phi.fold (%k < %taps, %acc = %zero) -> f64 {
      %far = arith.muli %k, %s : i64
      %p = arith.subi %i_1, %far : i64
      %q = arith.subi %i_1, %k : i64
      %c = arith.cmpi sge, %p, %none : i64
      %x = phi.get %a[%p] : !phi.vec<f64>[i64]
      %y = arith.select %c, %x, %zero : f64
      %d = arith.cmpi sge, %k, %i_1 : i64
      %u = phi.get %a[%q] : !phi.vec<f64>[i64]
      %v = arith.select %d, %u, %zero : f64
      %e = arith.cmpi sge, %q, %none : i64
      %o = arith.select %e, %u, %zero : f64
      %w = phi.get %weights[%k] : !phi.vec<f64>[i64]
      %z = arith.mulf %w, %y : f64
      %z_1 = arith.mulf %z, %v : f64
      %z_2 = arith.addf %z_1, %o : f64
      %sum = arith.addf %acc, %z_2 : f64
      phi.yield %sum : f64
    }
    phi.yield %t : f64
  }
  %b = phi.array (%i < %n) -> !phi.vec<f64> {
    %i_1 = arith.index_cast %i : index to i64
    %p = arith.subi %i_1, %taps : i64
    %c = arith.cmpi sge, %p, %none : i64
    %x = phi.get %a[%p] : !phi.vec<f64>[i64]
    %y = arith.select %c, %x, %zero : f64
    %z = arith.mulf %y, %y : f64
    phi.yield %z : f64
  }
  func.return %r, %b : !phi.vec<f64>, !phi.vec<f64>
}

// CHECK-LABEL:  func.func @others(
// CHECK-COUNT-2:  phi.array
// CHECK-NOT:      phi.array
