// RUN: ein-opt %s --split-input-file -p block-functions | filecheck %s

// A function of the result of a loop: all loops of a block first.

func.func @sums(%a: memref<?x?xf64>, %n: index, %m: index) -> f64 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  %r = scf.for %j = %c0 to %n step %c1 iter_args(%acc = %zero) -> (f64) {
    %s = scf.for %k = %c0 to %m step %c1 iter_args(%x = %zero) -> (f64) {
      %y = memref.load %a[%j, %k] : memref<?x?xf64>
      %z = arith.addf %x, %y : f64
      scf.yield %z : f64
    }
    %y = math.log %s : f64
    %next = arith.addf %acc, %y fastmath<reassoc> : f64
    scf.yield %next : f64
  }
  func.return %r : f64
}

// CHECK-LABEL: func.func @sums(
// CHECK:         %0 = arith.constant 32 : index
// CHECK-NEXT:    %r = scf.for [[J:%.*]] = %c0 to %n step %0 iter_args([[ACC:%.*]] = %zero) -> (f64) {
// CHECK:           [[LEFT:%.*]] = arith.subi %n, [[J]] : index
// CHECK-NEXT:      [[COUNT:%.*]] = arith.minsi [[LEFT]], {{%.*}} : index
// CHECK-NEXT:      [[SUMS:%.*]] = memref.alloca() : memref<32xf64>
// CHECK-NEXT:      scf.for [[P:%.*]] = {{%.*}} to [[COUNT]] step {{%.*}} {
// CHECK-NEXT:        [[ROW:%.*]] = arith.addi [[J]], [[P]] : index
// CHECK-NEXT:        %s = scf.for %k = %c0 to %m step %c1 iter_args(%x = %zero) -> (f64) {
// CHECK-NEXT:          %y = memref.load %a[[[ROW]], %k] : memref<?x?xf64>
// CHECK:             memref.store %s, [[SUMS]][[[P]]] : memref<32xf64>
// CHECK:           [[SUM:%.*]] = scf.for [[Q:%.*]] = {{%.*}} to [[COUNT]] step {{%.*}} iter_args([[X:%.*]] = [[ACC]]) -> (f64) {
// CHECK:             [[S:%.*]] = memref.load [[SUMS]][[[Q]]] : memref<32xf64>
// CHECK-NEXT:        [[Y:%.*]] = math.log [[S]] : f64
// CHECK-NEXT:        [[NEXT:%.*]] = arith.addf [[X]], [[Y]] fastmath<reassoc> : f64
// CHECK-NEXT:        scf.yield [[NEXT]] : f64
// CHECK:           scf.yield [[SUM]] : f64

// -----

// A recurrence with a function of data.

func.func @recurrence(%a: memref<?xf64>, %n: index, %f: f64) -> f64 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %j = %c0 to %n step %c1 iter_args(%acc = %f) -> (f64) {
    %x = memref.load %a[%j] : memref<?xf64>
    %y = math.exp %x : f64
    %0 = arith.mulf %acc, %f : f64
    %next = arith.addf %0, %y : f64
    scf.yield %next : f64
  }
  func.return %r : f64
}

// CHECK-LABEL: func.func @recurrence(
// CHECK:         scf.for [[J:%.*]] = %c0 to %n step %0 iter_args([[ACC:%.*]] = %f) -> (f64) {
// CHECK:           scf.for
// CHECK:             %y = math.exp %x : f64
// CHECK-NEXT:        memref.store %y, [[TERMS:%.*]][[[P:%.*]]] : memref<32xf64>
// CHECK:           scf.for [[Q:%.*]] = {{.*}} iter_args([[X:%.*]] = [[ACC]]) -> (f64) {
// CHECK:             arith.mulf [[X]], %f : f64
// CHECK-NEXT:        memref.load [[TERMS]][[[Q]]] : memref<32xf64>

// -----

// A function that a loop needs, and one of its result.

func.func @elements(%a: memref<?xf64>, %b: memref<?x?xf64>, %n: index, %m: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  "scf.parallel"(%c0, %c0, %n, %m, %c1, %c1) <{operandSegmentSizes = array<i32: 2, 2, 2, 0>}> ({
  ^bb0(%i: index, %j: index):
    %x = memref.load %a[%j] : memref<?xf64>
    %w = math.exp %x : f64
    %s = scf.for %k = %c0 to %j step %c1 iter_args(%acc = %zero) -> (f64) {
      %y = memref.load %a[%k] : memref<?xf64>
      %0 = arith.mulf %y, %w : f64
      %z = arith.maximumf %0, %acc : f64
      scf.yield %z : f64
    }
    %y = math.tanh %s : f64
    memref.store %y, %b[%i, %j] : memref<?x?xf64>
    scf.reduce
  }) : (index, index, index, index, index, index) -> ()
  func.return
}

// CHECK-LABEL: func.func @elements(
// CHECK:         "scf.parallel"(%c0, %c0, %n, %m, %c1, %0)
// CHECK:           scf.for
// CHECK:             %w = math.exp
// CHECK-NEXT:        memref.store %w, [[WEIGHTS:%.*]][
// CHECK:           scf.for
// CHECK:             memref.load [[WEIGHTS]][
// CHECK-NEXT:        %s = scf.for %k
// CHECK:             memref.store %s, [[RESULTS:%.*]][
// CHECK:           scf.for
// CHECK:             memref.load [[RESULTS]][
// CHECK-NEXT:        [[Y:%.*]] = math.tanh
// CHECK-NEXT:        memref.store [[Y]], %b[

// -----

// Unchanged: a function of what the loop carries; a sum without loops, which is vectorised; few
// steps; a loop that is unrolled; a loop that writes a row, which a function needs.

// CHECK-LABEL: func.func @others(
// CHECK-NOT:     memref.alloca
func.func @others(%a: memref<?xf64>, %b: memref<?x?xf64>, %n: index, %m: index) -> (f64, f64, f64) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %zero = arith.constant 0.0 : f64
  %r = scf.for %j = %c0 to %n step %c1 iter_args(%acc = %zero) -> (f64) {
    %y = math.exp %acc : f64
    %x = memref.load %a[%j] : memref<?xf64>
    %next = arith.mulf %x, %y : f64
    scf.yield %next : f64
  }
  %s = scf.for %j = %c0 to %n step %c1 iter_args(%acc = %zero) -> (f64) {
    %x = memref.load %a[%j] : memref<?xf64>
    %y = math.exp %x : f64
    %next = arith.addf %acc, %y fastmath<reassoc> : f64
    scf.yield %next : f64
  }
  %t = scf.for %j = %c0 to %c4 step %c1 iter_args(%acc = %zero) -> (f64) {
    %x = memref.load %a[%j] : memref<?xf64>
    %y = math.exp %x : f64
    %next = arith.divf %y, %acc : f64
    scf.yield %next : f64
  }
  "scf.parallel"(%c0, %n, %c1) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
  ^bb0(%i: index):
    %u = scf.for %k = %c0 to %c4 step %c1 iter_args(%acc = %zero) -> (f64) {
      %x = memref.load %a[%k] : memref<?xf64>
      %next = arith.addf %acc, %x : f64
      scf.yield %next : f64
    }
    %v = math.exp %u : f64
    memref.store %v, %a[%i] : memref<?xf64>
    scf.reduce
  }) : (index, index, index) -> ()
  "scf.parallel"(%c0, %n, %c1) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
  ^bb0(%i: index):
    scf.for %k = %c0 to %m step %c1 {
      memref.store %zero, %b[%i, %k] : memref<?x?xf64>
    }
    %x = memref.load %b[%i, %c0] : memref<?x?xf64>
    %v = math.exp %x : f64
    memref.store %v, %a[%i] : memref<?xf64>
    scf.reduce
  }) : (index, index, index) -> ()
  func.return %r, %s, %t : f64, f64, f64
}
