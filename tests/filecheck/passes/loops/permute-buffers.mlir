// RUN: ein-opt %s --split-input-file -p permute-buffers | filecheck %s

// Neighbouring columns are summed at once; the result reads a row.
func.func @columns(%a: memref<?x?xf64>, %r: memref<?x?xf64>, %n: index, %m: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  %more = arith.addi %n, %c1 : index
  %b = memref.alloc(%m, %more) : memref<?x?xf64>
  "scf.parallel"(%c0, %m, %c1) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
  ^bb0(%j: index):
    memref.store %zero, %b[%j, %c0] : memref<?x?xf64>
    %s = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %zero) -> (f64) {
      %x = memref.load %a[%k, %j] : memref<?x?xf64>
      %next = arith.addf %acc, %x : f64
      %after = arith.addi %k, %c1 : index
      memref.store %next, %b[%j, %after] : memref<?x?xf64>
      scf.yield %next : f64
    }
    scf.reduce
  }) : (index, index, index) -> ()
  "scf.parallel"(%c0, %c0, %n, %m, %c1, %c1) <{operandSegmentSizes = array<i32: 2, 2, 2, 0>}> ({
  ^bb0(%i: index, %j: index):
    %x = memref.load %b[%j, %i] : memref<?x?xf64>
    %y = math.sqrt %x : f64
    memref.store %y, %r[%i, %j] : memref<?x?xf64>
    scf.reduce
  }) : (index, index, index, index, index, index) -> ()
  memref.dealloc %b : memref<?x?xf64>
  func.return
}

// CHECK-LABEL: func.func @columns(
// CHECK:         %b = memref.alloc(%more, %m) : memref<?x?xf64>
// CHECK:         memref.store %zero, %b[%c0, %j] : memref<?x?xf64>
// CHECK:         memref.store %next, %b[%after, %j] : memref<?x?xf64>
// CHECK:         %{{.*}} = memref.load %b[%i, %{{.*}}] : memref<?x?xf64>

// -----

// The middle axis of three becomes the last one.
func.func @middle(%r: memref<?x?x?xf64>, %n: index, %m: index, %l: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  %b = memref.alloc(%l, %m, %n) : memref<?x?x?xf64>
  "scf.parallel"(%c0, %c0, %c0, %n, %l, %m, %c1, %c1, %c1) <{operandSegmentSizes = array<i32: 3, 3, 3, 0>}> ({
  ^bb0(%i: index, %k: index, %j: index):
    memref.store %zero, %b[%k, %j, %i] : memref<?x?x?xf64>
    scf.reduce
  }) : (index, index, index, index, index, index, index, index, index) -> ()
  "scf.parallel"(%c0, %c0, %c0, %n, %l, %m, %c1, %c1, %c1) <{operandSegmentSizes = array<i32: 3, 3, 3, 0>}> ({
  ^bb0(%i: index, %k: index, %j: index):
    %x = memref.load %b[%k, %j, %i] : memref<?x?x?xf64>
    memref.store %x, %r[%i, %k, %j] : memref<?x?x?xf64>
    scf.reduce
  }) : (index, index, index, index, index, index, index, index, index) -> ()
  memref.dealloc %b : memref<?x?x?xf64>
  func.return
}

// CHECK-LABEL: func.func @middle(
// CHECK:         memref.alloc(%l, %n, %m)
// CHECK:         memref.store %zero, %b[%k, %i, %j]
// CHECK:         memref.load %b[%{{k.*}}, %{{i.*}}, %{{j.*}}]

// -----

// A loop that reads two buffers is exchanged, since both move.
func.func @backwards(%r: memref<?xf64>, %n: index, %m: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1.0 : f64
  %a = memref.alloc(%m, %n) : memref<?x?xf64>
  %b = memref.alloc(%m, %n) : memref<?x?xf64>
  "scf.parallel"(%c0, %m, %c1) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
  ^bb0(%j: index):
    %s = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %one) -> (f64) {
      %x = arith.addf %acc, %one : f64
      memref.store %acc, %a[%j, %k] : memref<?x?xf64>
      memref.store %x, %b[%j, %k] : memref<?x?xf64>
      scf.yield %x : f64
    }
    scf.reduce
  }) : (index, index, index) -> ()
  "scf.parallel"(%c0, %m, %c1) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
  ^bb0(%j: index):
    %s = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %one) -> (f64) {
      %last = arith.subi %n, %c1 : index
      %back = arith.subi %last, %k : index
      %x = memref.load %a[%j, %back] : memref<?x?xf64>
      %y = memref.load %b[%j, %back] : memref<?x?xf64>
      %z = arith.mulf %x, %y : f64
      %next = arith.addf %acc, %z : f64
      scf.yield %next : f64
    }
    memref.store %s, %r[%j] : memref<?xf64>
    scf.reduce
  }) : (index, index, index) -> ()
  memref.dealloc %a : memref<?x?xf64>
  memref.dealloc %b : memref<?x?xf64>
  func.return
}

// CHECK-LABEL: func.func @backwards(
// CHECK:         %a = memref.alloc(%n, %m) : memref<?x?xf64>
// CHECK:         %b = memref.alloc(%n, %m) : memref<?x?xf64>
// CHECK:         memref.store %acc, %a[%k, %j]
// CHECK:         memref.load %a[%back, %{{j.*}}]
// CHECK:         memref.load %b[%back, %{{j.*}}]

// -----

// Layouts stay: of a buffer whose rows are written and columns read, of one that is a result, and
// of one whose loop reads elements at a distance.
func.func @stay(%a: memref<?x?xf64>, %r: memref<?x?xf64>, %n: index, %m: index) -> memref<?x?xf64> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  %b = memref.alloc(%m, %n) : memref<?x?xf64>
  %c = memref.alloc(%m, %n) : memref<?x?xf64>
  %d = memref.alloc(%m, %n) : memref<?x?xf64>
  "scf.parallel"(%c0, %c0, %m, %n, %c1, %c1) <{operandSegmentSizes = array<i32: 2, 2, 2, 0>}> ({
  ^bb0(%i: index, %j: index):
    memref.store %zero, %b[%i, %j] : memref<?x?xf64>
    memref.store %zero, %c[%j, %i] : memref<?x?xf64>
    scf.reduce
  }) : (index, index, index, index, index, index) -> ()
  "scf.parallel"(%c0, %m, %c1) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
  ^bb0(%j: index):
    %s = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %zero) -> (f64) {
      %x = memref.load %a[%j, %k] : memref<?x?xf64>
      %next = arith.addf %acc, %x : f64
      memref.store %next, %d[%j, %k] : memref<?x?xf64>
      scf.yield %next : f64
    }
    scf.reduce
  }) : (index, index, index) -> ()
  "scf.parallel"(%c0, %c0, %n, %m, %c1, %c1) <{operandSegmentSizes = array<i32: 2, 2, 2, 0>}> ({
  ^bb0(%i: index, %j: index):
    %x = memref.load %b[%j, %i] : memref<?x?xf64>
    %y = memref.load %d[%j, %i] : memref<?x?xf64>
    %z = arith.addf %x, %y : f64
    memref.store %z, %r[%i, %j] : memref<?x?xf64>
    scf.reduce
  }) : (index, index, index, index, index, index) -> ()
  memref.dealloc %b : memref<?x?xf64>
  memref.dealloc %d : memref<?x?xf64>
  func.return %c : memref<?x?xf64>
}

// CHECK-LABEL: func.func @stay(
// CHECK-NOT:     memref.alloc(%n, %m)
// CHECK:         func.return %c

// -----

// Rows that a loop in a nest reads, which is no loop of neighbouring results, are those of the loop.
func.func @counter(%a: memref<?x?xf64>, %r: memref<?xf64>, %n: index, %m: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  %b = memref.alloc(%m, %n) : memref<?x?xf64>
  "scf.parallel"(%c0, %c0, %n, %m, %c1, %c1) <{operandSegmentSizes = array<i32: 2, 2, 2, 0>}> ({
  ^bb0(%i: index, %j: index):
    memref.store %zero, %b[%j, %i] : memref<?x?xf64>
    scf.reduce
  }) : (index, index, index, index, index, index) -> ()
  "scf.parallel"(%c0, %n, %c1) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
  ^bb0(%i: index):
    %s = scf.for %k = %c0 to %m step %c1 iter_args(%acc = %zero) -> (f64) {
      %x = memref.load %a[%i, %k] : memref<?x?xf64>
      %y = memref.load %b[%k, %i] : memref<?x?xf64>
      %z = arith.mulf %x, %y : f64
      %next = arith.addf %acc, %z : f64
      scf.yield %next : f64
    }
    memref.store %s, %r[%i] : memref<?xf64>
    scf.reduce
  }) : (index, index, index) -> ()
  memref.dealloc %b : memref<?x?xf64>
  func.return
}

// CHECK-LABEL: func.func @counter(
// CHECK:         %b = memref.alloc(%n, %m)
// CHECK:         memref.store %zero, %b[%i, %j]
// CHECK:         memref.load %b[%i_1, %k]

// -----

// The loop with a buffer of its own may run for a block of columns; the sums along a row may be in
// either order.
func.func @sums(%r: memref<?xf64>, %n: index, %m: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1.0 : f64
  %a = memref.alloc(%m, %n) : memref<?x?xf64>
  "scf.parallel"(%c0, %m, %c1) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
  ^bb0(%j: index):
    %own = memref.alloc(%n) : memref<?xf64>
    %s = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %one) -> (f64) {
      %x = arith.addf %acc, %one : f64
      memref.store %acc, %own[%k] : memref<?xf64>
      scf.yield %x : f64
    }
    %t = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %s) -> (f64) {
      %x = memref.load %own[%k] : memref<?xf64>
      %y = arith.mulf %acc, %x : f64
      memref.store %y, %a[%j, %k] : memref<?x?xf64>
      scf.yield %y : f64
    }
    memref.dealloc %own : memref<?xf64>
    scf.reduce
  }) : (index, index, index) -> ()
  "scf.parallel"(%c0, %n, %c1) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
  ^bb0(%k: index):
    %s = scf.for %j = %c0 to %m step %c1 iter_args(%acc = %one) -> (f64) {
      %x = memref.load %a[%j, %k] : memref<?x?xf64>
      %next = arith.addf %acc, %x : f64
      scf.yield %next : f64
    }
    memref.store %s, %r[%k] : memref<?xf64>
    scf.reduce
  }) : (index, index, index) -> ()
  memref.dealloc %a : memref<?x?xf64>
  func.return
}

// CHECK-LABEL: func.func @sums(
// CHECK:         memref.alloc(%n, %m) : memref<?x?xf64>
// CHECK:         memref.store %y, %a[%{{k.*}}, %j]
// CHECK:         memref.load %a[%{{k.*}}, %{{j.*}}]
