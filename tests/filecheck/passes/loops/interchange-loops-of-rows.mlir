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

// -----

// The buffers of a body, such as saved states, are those of 32 results, side by side.

func.func @saved(%x: memref<?xf64>, %y: memref<?xf64>, %n: index, %m: index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %none = arith.constant 0.0 : f64
  "scf.parallel"(%zero, %n, %one) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
  ^bb0(%i: index):
    %first = memref.load %x[%i] : memref<?xf64>
    %states = memref.alloc(%m) : memref<?xf64>
    %last = scf.for %k = %zero to %m step %one iter_args(%acc = %first) -> (f64) {
      memref.store %acc, %states[%k] : memref<?xf64>
      %next = math.sin %acc : f64
      scf.yield %next : f64
    }
    %s = scf.for %k = %zero to %m step %one iter_args(%acc = %last) -> (f64) {
      %state = memref.load %states[%k] : memref<?xf64>
      %next = arith.mulf %acc, %state : f64
      scf.yield %next : f64
    }
    memref.dealloc %states : memref<?xf64>
    memref.store %s, %y[%i] : memref<?xf64>
    scf.reduce
  }) : (index, index, index) -> ()
  func.return
}
// CHECK-LABEL: func.func @saved
// CHECK:         "scf.parallel"(%zero, %n, %{{.*}}) <{
// CHECK:           %[[WIDTH:.*]] = arith.constant 32 : index
// CHECK-NEXT:      %[[STATES:.*]] = memref.alloc(%m, %[[WIDTH]]) : memref<?x?xf64>
// CHECK:           memref.load %x
// CHECK:             memref.store %{{.*}}, %[[STATES]][%{{.*}}, %{{.*}}] : memref<?x?xf64>
// CHECK:             memref.load %[[STATES]][%{{.*}}, %{{.*}}] : memref<?x?xf64>
// CHECK:           memref.dealloc %[[STATES]]
// CHECK:         "scf.parallel"(%zero, %n, %one)
// CHECK:           memref.alloc(%m) : memref<?xf64>

// -----

// Not so: a buffer that is larger for some results.

func.func @ragged(%x: memref<?xf64>, %y: memref<?xf64>, %n: index, %m: index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  "scf.parallel"(%zero, %n, %one) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
  ^bb0(%i: index):
    %first = memref.load %x[%i] : memref<?xf64>
    %more = arith.addi %m, %i : index
    %states = memref.alloc(%more) : memref<?xf64>
    %last = scf.for %k = %zero to %m step %one iter_args(%acc = %first) -> (f64) {
      memref.store %acc, %states[%k] : memref<?xf64>
      %next = math.sin %acc : f64
      scf.yield %next : f64
    }
    %state = memref.load %states[%i] : memref<?xf64>
    memref.dealloc %states : memref<?xf64>
    memref.store %state, %y[%i] : memref<?xf64>
    scf.reduce
  }) : (index, index, index) -> ()
  func.return
}
// CHECK-LABEL: func.func @ragged
// CHECK-NOT:     arith.constant 32

// -----

// The sums of two columns, such as coordinates of points, are one loop over the points.

func.func @columns(%a: memref<?x2xf64>, %x: memref<?xf64>, %y: memref<?xf64>, %m: index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %two = arith.constant 2 : index
  %none = arith.constant 0.0 : f64
  "scf.parallel"(%zero, %two, %one) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
  ^bb0(%i: index):
    %s = scf.for %k = %zero to %m step %one iter_args(%acc = %none) -> (f64) {
      %u = memref.load %a[%k, %i] : memref<?x2xf64>
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
// CHECK-LABEL: func.func @columns
// CHECK:         "scf.parallel"(%zero, %two, %{{.*}})
// CHECK:           scf.for %{{.*}} = %zero to %m step %one iter_args(%{{.*}} = %none, %{{.*}} = %none)
// CHECK-COUNT-2:     memref.load %a
// CHECK-NEXT:        memref.load %x
// CHECK-NOT:         memref.load
// CHECK-COUNT-2:   memref.store
// CHECK-NOT:     "scf.parallel"
