// RUN: ein-opt %s --split-input-file -p narrow-folds{bands=true},canonicalize,dce | filecheck %s
// RUN: ein-opt %s --split-input-file -p narrow-folds,canonicalize,dce | filecheck %s --check-prefix=ALL

// Outside of the band, a step stores the number that the element is before the loop.
func.func @band(%n: i64, %w: i64) -> !phi.vec<f64> {
  %one = arith.constant 1 : i64
  %far = arith.constant 9.0 : f64
  %start = phi.array (%i < %n) -> !phi.vec<f64> {
    phi.yield %far : f64
  }
  %size = phi.size %start, 0 : !phi.vec<f64>
  %r = phi.fold (%i < %size, %above = %start) -> !phi.vec<f64> {
    %first = arith.subi %i, %w : i64
    %last = arith.addi %i, %w : i64
    %row = phi.fold (%j < %size, %v = %start) -> !phi.vec<f64> {
      %is_late = arith.cmpi sge, %j, %first : i64
      %is_early = arith.cmpi slt, %j, %last : i64
      %inside = arith.andi %is_late, %is_early : i1
      %x = phi.get %above[%j] : !phi.vec<f64>[i64]
      %y = arith.addf %x, %far : f64
      %z = arith.select %inside, %y, %far : f64
      %u = phi.update %v[%j], %z : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>
      phi.yield %u : !phi.vec<f64>
    }
    phi.yield %row : !phi.vec<f64>
  }
  func.return %r : !phi.vec<f64>
}

// CHECK-LABEL: func.func @band(
// CHECK:         phi.fold (%{{.*}} < %size, %{{.*}} = %start)
// CHECK:           phi.fold (%[[K:.*]] < %[[LENGTH:.*]], %[[V:.*]] = %start) -> !phi.vec<f64> {
// CHECK-NEXT:        %[[J:.*]] = arith.addi %{{.*}}, %[[K]] : i64
// CHECK-NEXT:        %x = phi.get %{{.*}}[%[[J]]] : !phi.vec<f64>[i64]
// CHECK-NEXT:        %y = arith.addf %x, %far : f64
// CHECK-NEXT:        %u = phi.update %[[V]][%[[J]]], %y
// ALL-LABEL: func.func @band(
// ALL:         phi.fold (%{{.*}} < %size, %{{.*}} = %start)
// ALL:           phi.fold (%{{.*}} < %size, %{{.*}} = %start)

// -----

// A bound on one side stays a condition: such tables may be computed by diagonals.
func.func @triangle(%n: i64) -> !phi.vec<f64> {
  %far = arith.constant 9.0 : f64
  %start = phi.array (%i < %n) -> !phi.vec<f64> {
    phi.yield %far : f64
  }
  %size = phi.size %start, 0 : !phi.vec<f64>
  %r = phi.fold (%i < %size, %above = %start) -> !phi.vec<f64> {
    %row = phi.fold (%j < %size, %v = %start) -> !phi.vec<f64> {
      %inside = arith.cmpi sge, %j, %i : i64
      %x = phi.get %above[%j] : !phi.vec<f64>[i64]
      %y = arith.addf %x, %far : f64
      %z = arith.select %inside, %y, %far : f64
      %u = phi.update %v[%j], %z : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>
      phi.yield %u : !phi.vec<f64>
    }
    phi.yield %row : !phi.vec<f64>
  }
  func.return %r : !phi.vec<f64>
}

// CHECK-LABEL: func.func @triangle(
// CHECK:         phi.fold (%{{.*}} < %size, %{{.*}} = %start)
// CHECK:           phi.fold (%{{.*}} < %size, %{{.*}} = %start)
// CHECK:             arith.select

// -----

// The kept value is that of the element that the step replaces.
func.func @kept(%a: !phi.vec<f64>, %k: i64) -> !phi.vec<f64> {
  %size = phi.size %a, 0 : !phi.vec<f64>
  %r = phi.fold (%j < %size, %v = %a) -> !phi.vec<f64> {
    %inside = arith.cmpi sge, %j, %k : i64
    %x = phi.get %v[%j] : !phi.vec<f64>[i64]
    %y = arith.addf %x, %x : f64
    %z = arith.select %inside, %y, %x : f64
    %u = phi.update %v[%j], %z : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>
    phi.yield %u : !phi.vec<f64>
  }
  func.return %r : !phi.vec<f64>
}

// CHECK-LABEL: func.func @kept(
// CHECK:         phi.fold (%{{.*}} < %{{.*}}, %[[W:.*]] = %a) -> !phi.vec<f64> {
// CHECK:           phi.update %[[W]][%{{.*}}], %y
// ALL-LABEL: func.func @kept(
// ALL-NOT:     arith.select %inside, %y, %x
