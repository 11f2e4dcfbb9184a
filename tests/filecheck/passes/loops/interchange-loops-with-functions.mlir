// RUN: ein-opt %s --split-input-file -p interchange-loops | filecheck %s

// The states of a recurrence with a function are stored by rows, and copied by a parallel loop: a
// block takes the steps of that in order, and its buffers lie side by side.

func.func @states(%a: memref<?xf64>, %b: memref<?x?xf64>, %c: memref<?x?xf64>, %n: index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %m = arith.constant 20 : index
  "scf.parallel"(%zero, %n, %one) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
  ^bb0(%i: index):
    %own = memref.alloca() : memref<20xf64>
    %start = memref.load %a[%i] : memref<?xf64>
    %s = scf.for %t = %zero to %m step %one iter_args(%q = %start) -> (f64) {
      %next = math.exp %q : f64
      memref.store %q, %own[%t] : memref<20xf64>
      memref.store %next, %b[%i, %t] : memref<?x?xf64>
      scf.yield %next : f64
    }
    "scf.parallel"(%zero, %m, %one) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
    ^bb1(%t_1: index):
      %x = memref.load %own[%t_1] : memref<20xf64>
      memref.store %x, %c[%i, %t_1] : memref<?x?xf64>
      scf.reduce
    }) : (index, index, index) -> ()
    scf.reduce
  }) : (index, index, index) -> ()
  func.return
}
// CHECK-LABEL: func.func @states
// CHECK:         arith.constant 16 : index
// CHECK:         scf.if
// CHECK-NEXT:      "scf.parallel"(%zero, %n, %{{.*}})
// CHECK:           memref.alloca() : memref<20x32xf64>
// CHECK:           scf.for %[[STEP:.*]] = %zero to
// CHECK:             scf.for %[[PLACE:.*]] = %
// CHECK:               math.exp
// CHECK:               memref.store %{{.*}}, %own[%[[STEP]], %[[PLACE]]] : memref<20x32xf64>
// CHECK:               memref.store %{{.*}}, %b
// CHECK:             scf.for
// CHECK:               memref.load %own[%{{.*}}, %{{.*}}] : memref<20x32xf64>
// CHECK:               memref.store %{{.*}}, %c
// CHECK:         else
// CHECK:           memref.alloca() : memref<20xf64>

// -----

// Elements of rows that a loop with a function reads stay neighbours.

func.func @rows(%a: memref<?x?xf64>, %b: memref<?xf64>, %n: index, %m: index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %start = arith.constant 0.0 : f64
  "scf.parallel"(%zero, %n, %one) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
  ^bb0(%i: index):
    %s = scf.for %t = %zero to %m step %one iter_args(%q = %start) -> (f64) {
      %x = memref.load %a[%i, %t] : memref<?x?xf64>
      %e = math.exp %x : f64
      %half = arith.mulf %q, %q : f64
      %next = arith.addf %half, %e : f64
      scf.yield %next : f64
    }
    memref.store %s, %b[%i] : memref<?xf64>
    scf.reduce
  }) : (index, index, index) -> ()
  func.return
}
// CHECK-LABEL: func.func @rows
// CHECK-NOT:     scf.if
// CHECK:         func.return

// -----

// Few known steps of a recurrence, as those of Newton's method, are taken for a block of results.
func.func @roots(%m: memref<?xf64>, %r: memref<?xf64>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  "scf.parallel"(%c0, %n, %c1) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
  ^bb0(%i: index):
    %start = memref.load %m[%i] : memref<?xf64>
    %x = scf.for %k = %c0 to %c8 step %c1 iter_args(%acc = %start) -> (f64) {
      %y = math.sin %acc : f64
      %next = arith.addf %y, %start : f64
      scf.yield %next : f64
    }
    memref.store %x, %r[%i] : memref<?xf64>
    scf.reduce
  }) : (index, index, index) -> ()
  func.return
}

// CHECK-LABEL: func.func @roots(
// CHECK:         memref.alloca() : memref<128xf64>
// CHECK:         scf.for %{{.*}} = %c0 to
// CHECK:           scf.for
// CHECK:             math.sin
