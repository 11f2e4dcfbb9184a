// RUN: ein-opt %s -p raise-scans,dce | filecheck %s
// RUN: ein-opt %s -p raise-scans{once=true},dce | filecheck %s --check-prefix=ONCE

// Windows that end at the last element, in the steps of a loop, are an array before it. A negative
// width is an error if the loop has a step.
func.func @products(%x: !phi.vec<f64>, %w: !phi.vec<f64>, %m: i64) -> f64 {
  %n = phi.size %x, 0 : !phi.vec<f64>
  %zero = arith.constant 0.0 : f64
  %r = phi.fold (%i < %n, %acc = %zero) -> f64 {
    %left = arith.subi %n, %i : i64
    %count = arith.minsi %m, %left : i64
    %s = phi.fold (%k < %count, %sum = %zero) -> f64 {
      %p = arith.addi %i, %k : i64
      %a = phi.get %x[%p] : !phi.vec<f64>[i64]
      %b = phi.get %w[%k] : !phi.vec<f64>[i64]
      %ab = arith.mulf %a, %b : f64
      %next = arith.addf %sum, %ab : f64
      phi.yield %next : f64
    }
    %t = arith.mulf %acc, %s : f64
    %u = math.sin %t : f64
    phi.yield %u : f64
  }
  func.return %r : f64
}
// CHECK-LABEL: func.func @products(
// CHECK:         %[[LEAST:.*]] = arith.minsi %{{.*}}, %m : i64
// CHECK:         %[[ANY:.*]] = arith.cmpi sgt, %n, %{{.*}} : i64
// CHECK-NEXT:    %[[WIDTH:.*]] = arith.select %[[ANY]], %[[LEAST]], %{{.*}} : i64
// CHECK:         %[[SUMS:.*]] = phi.array (%[[I:.*]] < %{{.*}}) -> !phi.vec<f64> {
// CHECK:           phi.fold (%k < %[[WIDTH]], %{{.*}} = %{{.*}}) -> f64 {
// CHECK:             arith.cmpi slt, %k, %left : i64
// CHECK:         phi.fold (%[[STEP:.*]] < %n, %acc = %{{.*}}) -> f64 {
// CHECK-NEXT:      phi.get %[[SUMS]][%[[STEP]]] : !phi.vec<f64>[i64]

// Loops of machine code take them one after the other.
// ONCE-LABEL: func.func @products(
// ONCE-NOT:     phi.array

// Nor are triangles, or windows of an array that the loop replaces.
func.func @kept(%x: !phi.vec<f64>, %m: i64) -> (f64, !phi.vec<f64>) {
  %n = phi.size %x, 0 : !phi.vec<f64>
  %zero = arith.constant 0.0 : f64
  %r = phi.fold (%i < %n, %acc = %zero) -> f64 {
    %s = phi.fold (%k < %i, %sum = %zero) -> f64 {
      %p = arith.addi %i, %k : i64
      %a = phi.get %x[%p] : !phi.vec<f64>[i64]
      %b = phi.get %x[%k] : !phi.vec<f64>[i64]
      %ab = arith.mulf %a, %b : f64
      %next = arith.addf %sum, %ab : f64
      phi.yield %next : f64
    }
    %t = arith.mulf %acc, %s : f64
    %u = math.sin %t : f64
    phi.yield %u : f64
  }
  %v = phi.fold (%i < %n, %y = %x) -> !phi.vec<f64> {
    %left = arith.subi %n, %i : i64
    %count = arith.minsi %m, %left : i64
    %s = phi.fold (%k < %count, %sum = %zero) -> f64 {
      %p = arith.addi %i, %k : i64
      %a = phi.get %y[%p] : !phi.vec<f64>[i64]
      %next = arith.addf %sum, %a : f64
      phi.yield %next : f64
    }
    %z = phi.update %y[%i], %s : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>
    phi.yield %z : !phi.vec<f64>
  }
  func.return %r, %v : f64, !phi.vec<f64>
}
// CHECK-LABEL: func.func @kept(
// CHECK-NOT:     phi.array
