// RUN: ein-opt %s --split-input-file -p carry-stored-elements | filecheck %s

// The element before, which is clipped in the first step alone.

func.func @row(%row: memref<?xf64>, %a: memref<?xf64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %row, %c0 : memref<?xf64>
  scf.for %k = %c0 to %n step %c1 {
    %before = arith.subi %k, %c1 : index
    %p = arith.maxsi %before, %c0 : index
    %left = memref.load %row[%p] : memref<?xf64>
    %x = memref.load %a[%k] : memref<?xf64>
    %y = arith.addf %left, %x : f64
    memref.store %y, %row[%k] : memref<?xf64>
  }
  func.return
}

// CHECK-LABEL: func.func @row(
// CHECK:           [[SOME:%.*]] = arith.cmpi slt, %c0, %n : index
// CHECK-NEXT:      [[FIRST:%.*]] = scf.if [[SOME]] -> (f64) {
// CHECK:             [[LEFT:%.*]] = memref.load %row[%{{.*}}] : memref<?xf64>
// CHECK-NEXT:        scf.yield [[LEFT]] : f64
// CHECK-NEXT:      } else {
// CHECK-NEXT:        [[ZERO:%.*]] = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:        scf.yield [[ZERO]] : f64
// CHECK:           scf.for %k = %c0 to %n step %c1 iter_args([[CARRIED:%.*]] = [[FIRST]]) -> (f64) {
// CHECK-NOT:         memref.load %row
// CHECK:             [[Y:%.*]] = arith.addf [[CARRIED]], %x : f64
// CHECK-NEXT:        memref.store [[Y]], %row[%k] : memref<?xf64>
// CHECK-NEXT:        scf.yield [[Y]] : f64

// -----

// From the end on, in a row of a matrix, beside another carried value.

func.func @backward(%m: memref<?x?xi64>, %i: index, %start: i64) -> i64 {
  %c1 = arith.constant 1 : index
  %n = memref.dim %m, %c1 : memref<?x?xi64>
  %last = arith.subi %n, %c1 : index
  %r = scf.for %k = %c1 to %n step %c1 iter_args(%acc = %start) -> (i64) {
    %p = arith.subi %last, %k : index
    %q = arith.subi %n, %k : index
    %right = memref.load %m[%i, %q] : memref<?x?xi64>
    %x = memref.load %m[%i, %p] : memref<?x?xi64>
    %y = arith.addi %right, %x : i64
    %s = arith.addi %acc, %y : i64
    memref.store %y, %m[%i, %p] : memref<?x?xi64>
    scf.yield %s : i64
  }
  func.return %r : i64
}

// CHECK-LABEL: func.func @backward(
// CHECK:           [[R:%.*]], %{{.*}} = scf.for %k = %c1 to %n step %c1 iter_args(%acc = %start, [[RIGHT:%.*]] = %{{.*}}) -> (i64, i64) {
// CHECK:             [[Y:%.*]] = arith.addi [[RIGHT]], %x : i64
// CHECK:             scf.yield %s, [[Y]] : i64, i64
// CHECK:           func.return [[R]] : i64

// -----

// The position is clipped in the second step, too: it stays.

func.func @two_before(%row: memref<?xf64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %n = memref.dim %row, %c0 : memref<?xf64>
  scf.for %k = %c0 to %n step %c1 {
    %before = arith.subi %k, %c2 : index
    %p = arith.maxsi %before, %c0 : index
    %left = memref.load %row[%p] : memref<?xf64>
    %y = arith.addf %left, %left : f64
    memref.store %y, %row[%k] : memref<?xf64>
  }
  func.return
}

// CHECK-LABEL: func.func @two_before(
// CHECK:           scf.for %k = %c0 to %n step %c1 {

// -----

// A store in a branch, and a load after the store, stay.

func.func @branch(%row: memref<?xf64>, %a: memref<?xi1>, %b_: memref<?xf64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %row, %c0 : memref<?xf64>
  scf.for %k = %c1 to %n step %c1 {
    %p = arith.subi %k, %c1 : index
    %left = memref.load %row[%p] : memref<?xf64>
    %y = arith.addf %left, %left : f64
    %c = memref.load %a[%k] : memref<?xi1>
    scf.if %c {
      memref.store %y, %row[%k] : memref<?xf64>
    }
  }
  scf.for %k = %c0 to %n step %c1 {
    %b = arith.subi %k, %c1 : index
    %p = arith.maxsi %b, %c0 : index
    %x = memref.load %row[%k] : memref<?xf64>
    %y = arith.addf %x, %x : f64
    memref.store %y, %row[%k] : memref<?xf64>
    %left = memref.load %row[%p] : memref<?xf64>
    memref.store %left, %b_[%k] : memref<?xf64>
  }
  func.return
}

// CHECK-LABEL: func.func @branch(
// CHECK-NOT:       iter_args

// -----

// Another store to the array, and one to an array that may be the same, stay.

func.func @others(%row: memref<?xf64>, %other: memref<?xf64>, %c: i1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %row, %c0 : memref<?xf64>
  %either = scf.if %c -> (memref<?xf64>) {
    scf.yield %row : memref<?xf64>
  } else {
    scf.yield %other : memref<?xf64>
  }
  scf.for %k = %c1 to %n step %c1 {
    %p = arith.subi %k, %c1 : index
    %left = memref.load %row[%p] : memref<?xf64>
    %y = arith.addf %left, %left : f64
    memref.store %y, %row[%k] : memref<?xf64>
    memref.store %left, %row[%c0] : memref<?xf64>
  }
  scf.for %k = %c1 to %n step %c1 {
    %p = arith.subi %k, %c1 : index
    %left = memref.load %row[%p] : memref<?xf64>
    %y = arith.addf %left, %left : f64
    memref.store %y, %row[%k] : memref<?xf64>
    memref.store %left, %either[%p] : memref<?xf64>
  }
  func.return
}

// CHECK-LABEL: func.func @others(
// CHECK-NOT:       iter_args
