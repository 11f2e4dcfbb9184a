// RUN: ein-opt %s --split-input-file -p interchange-loops | filecheck %s

// Four rows of a matrix are summed in one loop, which loads an element of the vector once.

func.func @rows(%a: memref<?x?xf64>, %x: memref<?xf64>, %y: memref<?xf64>, %n: index, %m: index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %none = arith.constant 0.0 : f64
  "scf.parallel"(%zero, %n, %one) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
  ^bb0(%i: index):
    %s = scf.for %k = %zero to %m step %one iter_args(%acc = %none) -> (f64) {
      %u = memref.load %a[%i, %k] : memref<?x?xf64>
      %v = memref.load %x[%k] : memref<?xf64>
      %p = arith.mulf %u, %v fastmath<contract> : f64
      %next = arith.addf %acc, %p fastmath<reassoc,contract> : f64
      scf.yield %next : f64
    }
    memref.store %s, %y[%i] : memref<?xf64>
    scf.reduce
  }) : (index, index, index) -> ()
  func.return
}
// CHECK-LABEL: func.func @rows
// CHECK:         %[[LEFT:.*]] = arith.remsi
// CHECK-NEXT:    %[[MIDDLE:.*]] = arith.subi %n, %[[LEFT]] : index
// CHECK-NEXT:    "scf.parallel"(%zero, %[[MIDDLE]], %{{.*}})
// CHECK:           scf.for %{{.*}} = %zero to %m step %one iter_args(%{{.*}} = %none, %{{.*}} = %none, %{{.*}} = %none, %{{.*}} = %none)
// CHECK-COUNT-4:     memref.load %a
// CHECK-NEXT:        memref.load %x
// CHECK-NOT:         memref.load
// CHECK-COUNT-4:     arith.mulf
// CHECK-COUNT-4:     arith.addf
// CHECK-COUNT-4:   memref.store
// CHECK:         "scf.parallel"(%[[MIDDLE]], %n, %one)
// CHECK:           iter_args(%acc = %none) -> (f64)

// -----

// Sums that keep their order, and rows that share nothing.

func.func @apart(%a: memref<?x?xf64>, %x: memref<?xf64>, %y: memref<?xf64>, %n: index, %m: index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %none = arith.constant 0.0 : f64
  "scf.parallel"(%zero, %n, %one) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
  ^bb0(%i: index):
    %s = scf.for %k = %zero to %m step %one iter_args(%acc = %none) -> (f64) {
      %u = memref.load %a[%i, %k] : memref<?x?xf64>
      %v = memref.load %x[%k] : memref<?xf64>
      %p = arith.mulf %u, %v : f64
      %next = arith.addf %acc, %p : f64
      scf.yield %next : f64
    }
    memref.store %s, %y[%i] : memref<?xf64>
    scf.reduce
  }) : (index, index, index) -> ()
  "scf.parallel"(%zero, %n, %one) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
  ^bb0(%i: index):
    %s = scf.for %k = %zero to %m step %one iter_args(%acc = %none) -> (f64) {
      %u = memref.load %a[%i, %k] : memref<?x?xf64>
      %next = arith.addf %acc, %u fastmath<reassoc,contract> : f64
      scf.yield %next : f64
    }
    memref.store %s, %y[%i] : memref<?xf64>
    scf.reduce
  }) : (index, index, index) -> ()
  func.return
}
// CHECK-LABEL: func.func @apart
// CHECK-NOT:     arith.remsi
// CHECK:         "scf.parallel"(%zero, %n, %one)
// CHECK-NOT:     arith.remsi
// CHECK:         "scf.parallel"(%zero, %n, %one)
