// RUN: ein-opt %s --split-input-file -p convert-phi-to-loops,version-loops | filecheck %s

// An index that positions divide is two counters, if the divisor divides its size: positions are
// in bounds by a test, and not clipped.
func.func @divided(%a: !phi.vec<f64>, %k: i64, %m: i64) -> !phi.vec<f64> {
  %n = phi.size %a, 0 : !phi.vec<f64>
  %t = phi.array (%p < %n) -> !phi.vec<f64> {
    %0 = arith.index_cast %p : index to i64
    %q = arith.floordivsi %0, %m : i64
    %r = sigma.floormod %0, %m : i64
    %1 = arith.muli %q, %k : i64
    %2 = arith.addi %1, %r : i64
    %x = phi.get %a[%2] : !phi.vec<f64>[i64]
    phi.yield %x : f64
  }
  func.return %t : !phi.vec<f64>
}

// CHECK-LABEL:   func.func @divided(
// CHECK:           %[[ROWS:.*]] = arith.divui %{{.*}}, %{{.*}} : i64
// CHECK:           scf.if %{{.*}} {
// CHECK:             scf.if %{{.*}} {
// CHECK:               "scf.parallel"(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}) <{operandSegmentSizes = array<i32: 2, 2, 2, 0>}> ({
// CHECK-NEXT:          ^bb0(%{{.*}}: index, %[[R:.*]]: index):
// CHECK:                 %[[START:.*]] = arith.minui
// CHECK:                 %[[START:.*]] = arith.minui
// CHECK:                 %[[AT:.*]] = arith.addi %[[START]], %{{.*}} : i64
// CHECK-NEXT:            %[[POSITION:.*]] = arith.index_cast %[[AT]] : i64 to index
// CHECK-NEXT:            %x = memref.load %a[%[[POSITION]]] : memref<?xf64>
// CHECK:             } else {
// CHECK:           } else {
// CHECK:             arith.divf

// -----

// A remainder that is divided again is three counters; where all divisors are positive, but the
// sizes no multiples of them, its quotient is one of floats.
func.func @again(%a: !phi.vec<f64>, %k: i64, %m: i64) -> !phi.vec<f64> {
  %n = phi.size %a, 0 : !phi.vec<f64>
  %t = phi.array (%p < %n) -> !phi.vec<f64> {
    %0 = arith.index_cast %p : index to i64
    %r = sigma.floormod %0, %m : i64
    %q = arith.floordivsi %r, %k : i64
    %x = phi.get %a[%q] : !phi.vec<f64>[i64]
    phi.yield %x : f64
  }
  func.return %t : !phi.vec<f64>
}

// CHECK-LABEL:   func.func @again(
// CHECK:           operandSegmentSizes = array<i32: 3, 3, 3, 0>
// CHECK:           operandSegmentSizes = array<i32: 1, 1, 1, 0>
// CHECK-NOT:       arith.divsi
// CHECK:           operandSegmentSizes = array<i32: 1, 1, 1, 0>
// CHECK:           arith.divsi

// -----

// One loop: rows of two elements are short, and the index of an inner comprehension stays.
func.func @flat(%a: !phi.vec<f64>, %m: i64) -> (!phi.vec<f64>, !phi.vec<!phi.vec<f64>>) {
  %n = phi.size %a, 0 : !phi.vec<f64>
  %two = arith.constant 2 : i64
  %t = phi.array (%p < %n) -> !phi.vec<f64> {
    %0 = arith.index_cast %p : index to i64
    %r = sigma.floormod %0, %two : i64
    %x = phi.get %a[%r] : !phi.vec<f64>[i64]
    phi.yield %x : f64
  }
  %u = phi.array (%i < %n) -> !phi.vec<!phi.vec<f64>> {
    %row = phi.array (%p < %n) -> !phi.vec<f64> {
      %0 = arith.index_cast %p : index to i64
      %r = sigma.floormod %0, %m : i64
      %x = phi.get %a[%r] : !phi.vec<f64>[i64]
      phi.yield %x : f64
    }
    phi.yield %row : !phi.vec<f64>
  }
  func.return %t, %u : !phi.vec<f64>, !phi.vec<!phi.vec<f64>>
}

// CHECK-LABEL:   func.func @flat(
// CHECK-NOT:       divui

// -----

// Remainders by an Int and by twice that: the elements of both halves are computed together, and
// are stored after their loads. Which half an element is in is known.
func.func @halves(%a: !phi.vec<f64>, %m: i64) -> !phi.vec<f64> {
  %n = phi.size %a, 0 : !phi.vec<f64>
  %two = arith.constant 2 : i64
  %w = arith.muli %m, %two : i64
  %t = phi.array (%p < %n) -> !phi.vec<f64> {
    %0 = arith.index_cast %p : index to i64
    %b = sigma.floormod %0, %w : i64
    %r = sigma.floormod %0, %m : i64
    %is_low = arith.cmpi slt, %b, %m : i64
    %1 = arith.subi %0, %b : i64
    %2 = arith.addi %1, %r : i64
    %x = phi.get %a[%2] : !phi.vec<f64>[i64]
    %y = arith.negf %x : f64
    %z = arith.select %is_low, %x, %y : f64
    phi.yield %z : f64
  }
  func.return %t : !phi.vec<f64>
}

// CHECK-LABEL:   func.func @halves(
// CHECK:           "scf.parallel"(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}) <{operandSegmentSizes = array<i32: 2, 2, 2, 0>}> ({
// CHECK-NOT:         arith.select
// CHECK:             %x = memref.load
// CHECK:             %x_1 = memref.load
// CHECK-NEXT:        %y = arith.negf %x_1 : f64
// CHECK-NEXT:        memref.store %x,
// CHECK-NEXT:        memref.store %y,
// CHECK-NEXT:        scf.reduce

// -----

// Values that meet at elements: the loops over the counters are in order.

func.func @columns(%x: !phi.vec<f64>, %m: i64) -> !phi.vec<f64> {
  %n = phi.size %x, 0 : !phi.vec<f64>
  %r = phi.accumulate (%p < %n) into "add" (%m) -> !phi.vec<f64> {
    %i = arith.index_cast %p : index to i64
    %q = arith.floordivsi %i, %m : i64
    %k = sigma.floormod %i, %m : i64
    %a = phi.get %x[%p] : !phi.vec<f64>[index]
    %f = arith.sitofp %q : i64 to f64
    %v = arith.mulf %a, %f : f64
    %t = phi.tuple (%k, %v) : tuple<i64, f64>
    phi.yield %t : tuple<i64, f64>
  }
  func.return %r : !phi.vec<f64>
}

// CHECK-LABEL:   func.func @columns(
// CHECK:           scf.if %{{.*}} {
// CHECK:             memref.store %{{.*}}, %r[%{{.*}}] : memref<?xf64>
// CHECK:             scf.for %[[Q:.*]] = %{{.*}} to %{{.*}} step %{{.*}} {
// CHECK-NEXT:          scf.for %[[K:.*]] = %{{.*}} to %{{.*}} step %{{.*}} {
// CHECK:                 %q = arith.index_cast %[[Q]] : index to i64
// CHECK:                 %v = arith.mulf
// CHECK:                 memref.load %r[%[[K]]] : memref<?xf64>
// CHECK:           } else {
