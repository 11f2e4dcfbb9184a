// RUN: ein-opt %s --split-input-file -p raise-running-values{windows=true},canonicalize,dce | filecheck %s
// RUN: ein-opt %s --split-input-file -p raise-running-values,canonicalize,dce | filecheck %s --check-prefix=LOOP

// An average that decays, in blocks of steps: the sums of all blocks are products with a matrix.
func.func @average(%u: !phi.vec<f64>, %a: f64, %x: f64) -> f64 {
  %n = phi.size %u, 0 : !phi.vec<f64>
  %r = phi.fold (%k < %n, %y = %x) -> f64 {
    %old = arith.mulf %a, %y : f64
    %new = phi.get %u[%k] : !phi.vec<f64>[i64]
    %sum = arith.addf %old, %new : f64
    phi.yield %sum : f64
  }
  func.return %r : f64
}

// CHECK-LABEL: func.func @average
// CHECK:         arith.constant 256 : i64
// CHECK:         phi.fold ({{.*}}) -> tuple<f64, i64> {
// CHECK:           phi.fold ({{.*}}) -> tuple<f64, !phi.vec<f64>, i1> {
// CHECK:           phi.reduce {{.*}} by { arith.addf } -> f64
// CHECK:           phi.fold ({{.*}}) -> tuple<f64, !phi.vec<f64>> {
// CHECK:         phi.fold (%k < {{.*}}) -> tuple<f64> {

// LOOP-LABEL: func.func @average
// LOOP-NEXT:    %n = phi.size %u, 0
// LOOP-NEXT:    phi.fold (%k < %n, %y = %x) -> f64 {

// -----

// The first step differs: it runs before.
func.func @first(%u: !phi.vec<f64>, %a: f64, %x: f64) -> f64 {
  %n = phi.size %u, 0 : !phi.vec<f64>
  %zero = arith.constant 0 : i64
  %r = phi.fold (%k < %n, %y = %x) -> f64 {
    %old = arith.mulf %a, %y : f64
    %new = phi.get %u[%k] : !phi.vec<f64>[i64]
    %sum = arith.addf %old, %new : f64
    %is_first = arith.cmpi eq, %k, %zero : i64
    %next = arith.select %is_first, %new, %sum : f64
    phi.yield %next : f64
  }
  func.return %r : f64
}

// CHECK-LABEL: func.func @first
// CHECK:         arith.minsi %n, {{.*}} : i64
// CHECK-NEXT:    phi.fold (%k < {{.*}}, %y = %x) -> f64 {
// CHECK:         phi.fold ({{.*}}) -> tuple<f64, i64> {

// -----

// Elements that depend on the two before them: the first two steps run before.
func.func @series(%u: !phi.vec<f64>, %a: f64, %b: f64) -> !phi.vec<f64> {
  %n = phi.size %u, 0 : !phi.vec<f64>
  %one = arith.constant 1 : i64
  %two = arith.constant 2 : i64
  %r = phi.fold (%k < %n, %y = %u) -> !phi.vec<f64> {
    %p = arith.subi %k, %one : i64
    %q = arith.subi %k, %two : i64
    %y1 = phi.get %y[%p] : !phi.vec<f64>[i64]
    %y2 = phi.get %y[%q] : !phi.vec<f64>[i64]
    %new = phi.get %u[%k] : !phi.vec<f64>[i64]
    %0 = arith.mulf %y1, %a : f64
    %1 = arith.divf %y2, %b : f64
    %2 = arith.subf %0, %1 : f64
    %3 = arith.addf %new, %2 : f64
    %next = phi.update %y[%k], %3 : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>
    phi.yield %next : !phi.vec<f64>
  }
  func.return %r : !phi.vec<f64>
}

// CHECK-LABEL: func.func @series
// CHECK:         phi.fold (%k < {{.*}}, %y = %u) -> !phi.vec<f64> {
// CHECK:         phi.fold ({{.*}}) -> tuple<f64, f64, !phi.vec<f64>, i64> {

// -----

// A factor of its own in each step, a product of fields, and few steps: loops.
func.func @factors(%u: !phi.vec<f64>, %x: f64) -> f64 {
  %n = phi.size %u, 0 : !phi.vec<f64>
  %r = phi.fold (%k < %n, %y = %x) -> f64 {
    %a = phi.get %u[%k] : !phi.vec<f64>[i64]
    %old = arith.mulf %a, %y : f64
    %sum = arith.addf %old, %a : f64
    phi.yield %sum : f64
  }
  func.return %r : f64
}
func.func @square(%u: !phi.vec<f64>, %x: f64) -> f64 {
  %n = phi.size %u, 0 : !phi.vec<f64>
  %r = phi.fold (%k < %n, %y = %x) -> f64 {
    %a = phi.get %u[%k] : !phi.vec<f64>[i64]
    %old = arith.mulf %y, %y : f64
    %sum = arith.addf %old, %a : f64
    phi.yield %sum : f64
  }
  func.return %r : f64
}
func.func @few(%u: !phi.vec<f64>, %a: f64, %x: f64) -> f64 {
  %n = arith.constant 50 : i64
  %r = phi.fold (%k < %n, %y = %x) -> f64 {
    %old = arith.mulf %a, %y : f64
    %new = phi.get %u[%k] : !phi.vec<f64>[i64]
    %sum = arith.addf %old, %new : f64
    phi.yield %sum : f64
  }
  func.return %r : f64
}

// CHECK-LABEL: func.func @factors
// CHECK:         phi.fold (%k < %n, %y = %x)
// CHECK-LABEL: func.func @square
// CHECK:         phi.fold (%k < %n, %y = %x)
// CHECK-LABEL: func.func @few
// CHECK:         phi.fold (%k < %n, %y = %x)
