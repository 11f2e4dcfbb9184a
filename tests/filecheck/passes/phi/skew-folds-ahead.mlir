// RUN: ein-opt %s --split-input-file -p skew-folds | filecheck %s

// Downwards, a step reads an element that later steps write if the weight is not negative.
func.func @knapsack(%best: !phi.vec<f64>, %weight: i64, %value: f64, %n: i64) -> !phi.vec<f64> {
  %size = phi.size %best, 0 : !phi.vec<f64>
  %one = arith.constant 1 : i64
  %last = arith.subi %size, %one : i64
  %r = phi.fold (%k < %n, %v = %best) -> !phi.vec<f64> {
    %p = arith.subi %last, %k : i64
    %q = arith.subi %p, %weight : i64
    %x = phi.get %v[%p] : !phi.vec<f64>[i64]
    %y = phi.get %v[%q] : !phi.vec<f64>[i64]
    %with = arith.addf %y, %value : f64
    %z = arith.maximumf %x, %with : f64
    %w = phi.update %v[%p], %z : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>
    phi.yield %w : !phi.vec<f64>
  }
  func.return %r : !phi.vec<f64>
}

// CHECK-LABEL: func.func @knapsack(
// CHECK:         arith.cmpi sge, %weight, %{{.*}} : i64
// CHECK:         %[[STEPS:.*]] = arith.select %[[AHEAD:.*]], %n, %{{.*}} : i64
// CHECK:         %[[NEW:.*]] = phi.array (%{{.*}} < %[[STEPS]]) -> !phi.vec<f64> {
// CHECK:           phi.get %best[
// CHECK:           phi.get %best[
// CHECK:         %[[AFTER:.*]] = phi.update_slice %best[%{{.*}} by %{{.*}}], %[[NEW]] : !phi.vec<f64>
// CHECK:         %[[LEFT:.*]] = arith.minsi %n, %{{.*}} : i64
// CHECK:         %r = phi.fold (%{{.*}} < %[[LEFT]], %v = %[[AFTER]]) -> !phi.vec<f64> {

// -----

// Every second element: one by one.
func.func @strided(%best: !phi.vec<f64>, %weight: i64, %n: i64) -> !phi.vec<f64> {
  %two = arith.constant 2 : i64
  %r = phi.fold (%k < %n, %v = %best) -> !phi.vec<f64> {
    %p = arith.muli %two, %k : i64
    %q = arith.addi %p, %weight : i64
    %y = phi.get %v[%q] : !phi.vec<f64>[i64]
    %w = phi.update %v[%p], %y : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>
    phi.yield %w : !phi.vec<f64>
  }
  func.return %r : !phi.vec<f64>
}

// CHECK-LABEL: func.func @strided(
// CHECK-NOT:     phi.update_slice
// CHECK:         func.return
