// RUN: ein-opt %s --split-input-file -p search-blocks | filecheck %s

// The place of the greatest element: a block's elements, the greatest of them, and its place if it is better.

func.func @argmax(%a: memref<?xf64>, %n: index) -> (f64, index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %low = arith.constant 0xfff0000000000000 : f64
  %best, %place = scf.for %i = %c0 to %n step %c1 iter_args(%x = %low, %p = %c0) -> (f64, index) {
    %y = memref.load %a[%i] : memref<?xf64>
    %better = arith.cmpf ogt, %y, %x : f64
    %0 = arith.select %better, %y, %x : f64
    %1 = arith.select %better, %i, %p : index
    scf.yield %0, %1 : f64, index
  }
  func.return %best, %place : f64, index
}

// CHECK-LABEL: func.func @argmax(
// CHECK:         [[COUNT:%.*]] = arith.subi %n, %c0 : index
// CHECK-NEXT:    [[LEAST:%.*]] = arith.constant 64 : index
// CHECK-NEXT:    [[LONG:%.*]] = arith.cmpi sge, [[COUNT]], [[LEAST]] : index
// CHECK-NEXT:    scf.if [[LONG]] -> (f64, index) {
// CHECK-NEXT:      [[SIZE:%.*]] = arith.constant 512 : index
// CHECK-NEXT:      scf.for [[FIRST:%.*]] = %c0 to %n step [[SIZE]] iter_args([[X:%.*]] = %low, [[P:%.*]] = %c0) -> (f64, index) {
// CHECK-NEXT:        [[LEFT:%.*]] = arith.subi %n, [[FIRST]] : index
// CHECK-NEXT:        [[STEPS:%.*]] = arith.minsi [[LEFT]], [[SIZE]] : index
// CHECK-NEXT:        [[ELEMENTS:%.*]] = memref.alloca() : memref<512xf64>
// CHECK:             scf.for
// CHECK:               [[Y:%.*]] = memref.load %a[
// CHECK-NEXT:          [[NUMBER:%.*]] = arith.cmpf ord, [[Y]], [[Y]] : f64
// CHECK-NEXT:          [[E:%.*]] = arith.select [[NUMBER]], [[Y]], {{%.*}} : f64
// CHECK-NEXT:          memref.store [[E]], [[ELEMENTS]]
// CHECK:             [[MOST:%.*]] = scf.for
// CHECK-NEXT:          memref.load [[ELEMENTS]]
// CHECK-NEXT:          arith.maximumf {{%.*}}, {{%.*}} fastmath<nnan> : f64
// CHECK:             [[BETTER:%.*]] = arith.cmpf ogt, [[MOST]], [[X]] : f64
// CHECK-NEXT:        scf.if [[BETTER]] -> (f64, index) {
// CHECK:               [[AT:%.*]] = scf.for {{.*}} iter_args({{%.*}} = [[STEPS]]) -> (index) {
// CHECK-NEXT:            [[SEEN:%.*]] = memref.load [[ELEMENTS]]
// CHECK-NEXT:            arith.cmpf oeq, [[SEEN]], [[MOST]] : f64
// CHECK:                 arith.minsi
// CHECK:               [[PLACE:%.*]] = arith.addi [[FIRST]], [[AT]] : index
// CHECK-NEXT:          [[FOUND:%.*]] = memref.load %a[[[PLACE]]] : memref<?xf64>
// CHECK-NEXT:          scf.yield [[FOUND]], [[PLACE]] : f64, index
// CHECK-NEXT:        } else {
// CHECK-NEXT:          scf.yield [[X]], [[P]] : f64, index
// CHECK:         } else {
// CHECK-NEXT:      scf.for %{{.*}} = %c0 to %n step %c1 iter_args(

// -----

// The least of masked Ints, with the operands of the comparison in the other order, and a value that belongs to it.

func.func @masked(%a: memref<?xi64>, %mask: memref<?xi1>, %b: memref<?xf64>, %n: index, %x: f64) -> (i64, f64) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %high = arith.constant 9223372036854775807 : i64
  %best, %of = scf.for %i = %c0 to %n step %c1 iter_args(%u = %high, %v = %x) -> (i64, f64) {
    %m = memref.load %mask[%i] : memref<?xi1>
    %y = memref.load %a[%i] : memref<?xi64>
    %z = arith.select %m, %high, %y : i64
    %w = memref.load %b[%i] : memref<?xf64>
    %better = arith.cmpi sgt, %u, %z : i64
    %0 = arith.select %better, %z, %u : i64
    %1 = arith.select %better, %w, %v : f64
    scf.yield %0, %1 : i64, f64
  }
  func.return %best, %of : i64, f64
}

// CHECK-LABEL: func.func @masked(
// CHECK:         memref.alloca() : memref<512xi64>
// CHECK-NOT:     arith.cmpf
// CHECK:         [[LEAST:%.*]] = scf.for
// CHECK:           arith.minsi
// CHECK:         arith.cmpi slt, [[LEAST]], {{%.*}} : i64
// CHECK:         [[W:%.*]] = memref.load %b[
// CHECK-NEXT:    scf.yield {{%.*}}, [[W]] : i64, f64

// -----

// Loops stay: one whose element depends on what it carries, one of a column, one of few steps, one at clipped
// positions, one that carries a value in each step, one that takes the last of equal elements, and one for a
// greatest Int alone.

func.func @kept(%a: memref<?xf64>, %b: memref<?x?xf64>, %k: memref<?xi64>, %n: index, %low: f64, %l: i64) -> (f64, index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c9 = arith.constant 9 : index
  %r0, %p0 = scf.for %i = %c0 to %n step %c1 iter_args(%x = %low, %p = %c0) -> (f64, index) {
    %e = memref.load %a[%i] : memref<?xf64>
    %y = arith.subf %e, %x : f64
    %better = arith.cmpf ogt, %y, %x : f64
    %0 = arith.select %better, %y, %x : f64
    %1 = arith.select %better, %i, %p : index
    scf.yield %0, %1 : f64, index
  }
  %r1, %p1 = scf.for %i = %c0 to %n step %c1 iter_args(%x = %r0, %p = %p0) -> (f64, index) {
    %y = memref.load %b[%i, %c0] : memref<?x?xf64>
    %better = arith.cmpf ogt, %y, %x : f64
    %0 = arith.select %better, %y, %x : f64
    %1 = arith.select %better, %i, %p : index
    scf.yield %0, %1 : f64, index
  }
  %r2, %p2 = scf.for %i = %c0 to %c9 step %c1 iter_args(%x = %r1, %p = %p1) -> (f64, index) {
    %y = memref.load %a[%i] : memref<?xf64>
    %better = arith.cmpf ogt, %y, %x : f64
    %0 = arith.select %better, %y, %x : f64
    %1 = arith.select %better, %i, %p : index
    scf.yield %0, %1 : f64, index
  }
  %r3, %p3 = scf.for %i = %c0 to %n step %c1 iter_args(%x = %r2, %p = %p2) -> (f64, index) {
    %q = arith.minsi %i, %c9 : index
    %y = memref.load %a[%q] : memref<?xf64>
    %better = arith.cmpf ogt, %y, %x : f64
    %0 = arith.select %better, %y, %x : f64
    %1 = arith.select %better, %i, %p : index
    scf.yield %0, %1 : f64, index
  }
  %r4, %p4 = scf.for %i = %c0 to %n step %c1 iter_args(%x = %r3, %p = %p3) -> (f64, index) {
    %y = memref.load %a[%i] : memref<?xf64>
    %better = arith.cmpf ogt, %y, %x : f64
    %0 = arith.select %better, %y, %x : f64
    scf.yield %0, %i : f64, index
  }
  %r5, %p5 = scf.for %i = %c0 to %n step %c1 iter_args(%x = %r4, %p = %p4) -> (f64, index) {
    %y = memref.load %a[%i] : memref<?xf64>
    %better = arith.cmpf oge, %y, %x : f64
    %0 = arith.select %better, %y, %x : f64
    %1 = arith.select %better, %i, %p : index
    scf.yield %0, %1 : f64, index
  }
  %r6 = scf.for %i = %c0 to %n step %c1 iter_args(%x = %l) -> (i64) {
    %y = memref.load %k[%i] : memref<?xi64>
    %better = arith.cmpi sgt, %y, %x : i64
    %0 = arith.select %better, %y, %x : i64
    scf.yield %0 : i64
  }
  func.return %r5, %p5 : f64, index
}

// CHECK-LABEL: func.func @kept(
// CHECK-NOT:     memref.alloca
// CHECK:         func.return
