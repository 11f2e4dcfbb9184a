// RUN: ein-opt %s --split-input-file -p unroll-short-loops | filecheck %s

// The elements of a row of two come after the loop that computes them.

func.func @pairs(%rows: memref<?x2xf64>, %n: index, %steps: index, %one: f64) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  "scf.parallel"(%c0, %n, %c1) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
  ^bb0(%i: index):
    %x, %y = scf.for %t = %c0 to %steps step %c1 iter_args(%u = %one, %v = %one) -> (f64, f64) {
      %next = arith.addf %u, %v : f64
      scf.yield %next, %u : f64, f64
    }
    "scf.parallel"(%c0, %c2, %c1) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
    ^bb0(%k: index):
      %is_first = arith.cmpi eq, %k, %c0 : index
      %element = arith.select %is_first, %x, %y : f64
      memref.store %element, %rows[%i, %k] : memref<?x2xf64>
      scf.reduce
    }) : (index, index, index) -> ()
    scf.reduce
  }) : (index, index, index) -> ()
  func.return
}

// CHECK-LABEL: func.func @pairs(
// CHECK:         %x, %y = scf.for
// CHECK:         %[[A:.*]] = arith.constant 0 : index
// CHECK-NEXT:    %[[IS_A:.*]] = arith.cmpi eq, %[[A]], %c0 : index
// CHECK-NEXT:    %[[FIRST:.*]] = arith.select %[[IS_A]], %x, %y : f64
// CHECK-NEXT:    memref.store %[[FIRST]], %rows[%i, %[[A]]] : memref<?x2xf64>
// CHECK-NEXT:    %[[B:.*]] = arith.constant 1 : index
// CHECK-NEXT:    %[[IS_B:.*]] = arith.cmpi eq, %[[B]], %c0 : index
// CHECK-NEXT:    %[[SECOND:.*]] = arith.select %[[IS_B]], %x, %y : f64
// CHECK-NEXT:    memref.store %[[SECOND]], %rows[%i, %[[B]]] : memref<?x2xf64>
// CHECK-NEXT:    scf.reduce

// -----

// A row of any length stays, as does one of no loop, and one beside a loop that carries an array.

func.func @kept(%rows: memref<?x?xf64>, %start: memref<2xf64>, %n: index, %steps: index, %one: f64) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  "scf.parallel"(%c0, %n, %c1) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
  ^bb0(%i: index):
    %x = scf.for %t = %c0 to %steps step %c1 iter_args(%u = %one) -> (f64) {
      %next = arith.addf %u, %u : f64
      scf.yield %next : f64
    }
    "scf.parallel"(%c0, %steps, %c1) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
    ^bb0(%long: index):
      memref.store %x, %rows[%i, %long] : memref<?x?xf64>
      scf.reduce
    }) : (index, index, index) -> ()
    scf.reduce
  }) : (index, index, index) -> ()
  "scf.parallel"(%c0, %n, %c1) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
  ^bb0(%i: index):
    "scf.parallel"(%c0, %c2, %c1) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
    ^bb0(%plain: index):
      memref.store %one, %rows[%i, %plain] : memref<?x?xf64>
      scf.reduce
    }) : (index, index, index) -> ()
    scf.reduce
  }) : (index, index, index) -> ()
  "scf.parallel"(%c0, %n, %c1) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
  ^bb0(%i: index):
    %array = scf.for %t = %c0 to %steps step %c1 iter_args(%u = %start) -> (memref<2xf64>) {
      scf.yield %u : memref<2xf64>
    }
    "scf.parallel"(%c0, %c2, %c1) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
    ^bb0(%carried: index):
      %x = memref.load %array[%carried] : memref<2xf64>
      memref.store %x, %rows[%i, %carried] : memref<?x?xf64>
      scf.reduce
    }) : (index, index, index) -> ()
    scf.reduce
  }) : (index, index, index) -> ()
  func.return
}

// CHECK-LABEL: func.func @kept(
// CHECK:           memref.store %x, %rows[%i, %long]
// CHECK:           memref.store %one, %rows[%i_1, %plain]
// CHECK:           memref.store %x_1, %rows[%i_2, %carried]

// -----

// A loop of few steps is unrolled if its counter says how many steps a loop in it takes, and the
// counts are numbers then. So is a triangle in a triangle.

func.func @triangle(%a: memref<3x3xf64>, %x: memref<?xf64>, %n: index, %zero: f64) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  "scf.parallel"(%c0, %n, %c1) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
  ^bb0(%i: index):
    %total = scf.for %k = %c0 to %c2 step %c1 iter_args(%acc = %zero) -> (f64) {
      %left = arith.subi %c2, %k : index
      %count = arith.maxsi %left, %c0 : index
      %sum = scf.for %t = %c0 to %count step %c1 iter_args(%s = %acc) -> (f64) {
        %v = memref.load %a[%k, %t] : memref<3x3xf64>
        %next = arith.addf %s, %v : f64
        scf.yield %next : f64
      }
      scf.yield %sum : f64
    }
    memref.store %total, %x[%i] : memref<?xf64>
    scf.reduce
  }) : (index, index, index) -> ()
  func.return
}

// CHECK-LABEL: func.func @triangle(
// CHECK:       ^bb0(%i: index):
// CHECK-NEXT:    %[[K0:.*]] = arith.constant 0 : index
// CHECK:         %[[TWO:.*]] = arith.constant 2 : index
// CHECK-NEXT:    %[[S0:.*]] = scf.for %{{.*}} = %c0 to %[[TWO]] step %c1 iter_args(%{{.*}} = %zero)
// CHECK-NEXT:      memref.load %a[%[[K0]], %{{.*}}]
// CHECK:         %[[K1:.*]] = arith.constant 1 : index
// CHECK:         %[[ONE:.*]] = arith.constant 1 : index
// CHECK-NEXT:    %[[S1:.*]] = scf.for %{{.*}} = %c0 to %[[ONE]] step %c1 iter_args(%{{.*}} = %[[S0]])
// CHECK:         memref.store %[[S1]], %x[%i]

// -----

// A loop in a triangle that has loops is unrolled where its bounds are known, also one that carries
// a value; one of no loop stays, since LLVM unrolls it.

func.func @rows(%a: memref<3x3xf64>, %x: memref<1xf64>, %zero: f64) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %total = scf.for %k = %c0 to %c2 step %c1 iter_args(%acc = %zero) -> (f64) {
    %count = arith.subi %c2, %k : index
    %rows = scf.for %r = %c0 to %count step %c1 iter_args(%s = %acc) -> (f64) {
      %row = scf.for %t = %c0 to %c3 step %c1 iter_args(%u = %s) -> (f64) {
        %v = memref.load %a[%r, %t] : memref<3x3xf64>
        %next = arith.addf %u, %v : f64
        scf.yield %next : f64
      }
      scf.yield %row : f64
    }
    scf.yield %rows : f64
  }
  memref.store %total, %x[%c0] : memref<1xf64>
  func.return
}

// CHECK-LABEL: func.func @rows(
// CHECK:         %count = arith.subi
// CHECK:         arith.constant 2 : index
// CHECK-NEXT:    %[[R0:.*]] = arith.constant 0 : index
// CHECK-NEXT:    %[[S0:.*]] = scf.for %{{.*}} = %c0 to %c3 step %c1 iter_args(%{{.*}} = %zero)
// CHECK-NEXT:      memref.load %a[%[[R0]], %{{.*}}]
// CHECK:         %[[R1:.*]] = arith.constant 1 : index
// CHECK-NEXT:    %[[S1:.*]] = scf.for %{{.*}} = %c0 to %c3 step %c1 iter_args(%{{.*}} = %[[S0]])
// CHECK-NEXT:      memref.load %a[%[[R1]], %{{.*}}]
// CHECK:         %count_1 = arith.subi
// CHECK:         arith.constant 1 : index
// CHECK-NEXT:    %[[R2:.*]] = arith.constant 0 : index
// CHECK-NEXT:    %[[S2:.*]] = scf.for %{{.*}} = %c0 to %c3 step %c1 iter_args(%{{.*}} = %[[S1]])
// CHECK-NEXT:      memref.load %a[%[[R2]], %{{.*}}]
// CHECK:         memref.store %[[S2]], %x[%c0]

// -----

// A count from memory is unknown in the copies, too; many steps stay.

func.func @stays(%counts: memref<2xindex>, %x: memref<?xf64>, %zero: f64) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c9 = arith.constant 9 : index
  %a = scf.for %k = %c0 to %c2 step %c1 iter_args(%acc = %zero) -> (f64) {
    %count = memref.load %counts[%k] : memref<2xindex>
    %sum = scf.for %t = %c0 to %count step %c1 iter_args(%s = %acc) -> (f64) {
      %next = arith.addf %s, %s : f64
      scf.yield %next : f64
    }
    scf.yield %sum : f64
  }
  memref.store %a, %x[%c0] : memref<?xf64>
  %b = scf.for %k = %c0 to %c9 step %c1 iter_args(%acc = %zero) -> (f64) {
    %sum = scf.for %t = %c0 to %k step %c1 iter_args(%s = %acc) -> (f64) {
      %next = arith.addf %s, %s : f64
      scf.yield %next : f64
    }
    scf.yield %sum : f64
  }
  memref.store %b, %x[%c1] : memref<?xf64>
  func.return
}

// CHECK-LABEL: func.func @stays(
// CHECK:         scf.for %k = %c0 to %c2 step %c1
// CHECK:         scf.for %{{.*}} = %c0 to %c9 step %c1

// -----

// So are those beside a function: the loop around both is a vector of functions.

func.func @functions(%rows: memref<?x2xf64>, %x: memref<?xf64>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  "scf.parallel"(%c0, %n, %c1) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
  ^bb0(%i: index):
    %u = memref.load %x[%i] : memref<?xf64>
    %e = math.cos %u : f64
    "scf.parallel"(%c0, %c2, %c1) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
    ^bb0(%k: index):
      %v = memref.load %x[%k] : memref<?xf64>
      %p = arith.mulf %e, %v : f64
      memref.store %p, %rows[%i, %k] : memref<?x2xf64>
      scf.reduce
    }) : (index, index, index) -> ()
    scf.reduce
  }) : (index, index, index) -> ()
  func.return
}

// CHECK-LABEL: func.func @functions(
// CHECK:         math.cos
// CHECK-COUNT-2: memref.store
// CHECK-NEXT:    scf.reduce
