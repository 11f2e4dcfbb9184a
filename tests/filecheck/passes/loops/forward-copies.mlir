// RUN: ein-opt %s --split-input-file -p forward-copies | filecheck %s

// The sums before each element: the copy leaves out the first.
func.func @sums(%a: memref<?xf64>, %n: index) -> memref<?xf64> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1 : i64
  %zero = arith.constant 0.0 : f64
  %more = arith.addi %n, %c1 : index
  %b = memref.alloc(%more) : memref<?xf64>
  memref.store %zero, %b[%c0] : memref<?xf64>
  %s = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %zero) -> (f64) {
    %x = memref.load %a[%k] : memref<?xf64>
    %next = arith.addf %acc, %x : f64
    %after = arith.addi %k, %c1 : index
    memref.store %next, %b[%after] : memref<?xf64>
    scf.yield %next : f64
  }
  %c = memref.alloc(%n) : memref<?xf64>
  "scf.parallel"(%c0, %n, %c1) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
  ^bb0(%i: index):
    %0 = arith.index_cast %i : index to i64
    %1 = arith.addi %0, %one : i64
    %2 = arith.index_cast %1 : i64 to index
    %x = memref.load %b[%2] : memref<?xf64>
    memref.store %x, %c[%i] : memref<?xf64>
    scf.reduce
  }) : (index, index, index) -> ()
  memref.dealloc %b : memref<?xf64>
  func.return %c : memref<?xf64>
}

// CHECK-LABEL: func.func @sums(
// CHECK:         %more = arith.addi %n, %c1 : index
// CHECK-NEXT:    %c = memref.alloc(%n) : memref<?xf64>
// CHECK-NEXT:    %s = scf.for
// CHECK:           memref.store %next, %c[%k] : memref<?xf64>
// CHECK-NEXT:      scf.yield %next : f64
// CHECK-NEXT:    }
// CHECK-NEXT:    func.return %c : memref<?xf64>

// -----

// The axes of the copy have another order.
func.func @transposed(%a: memref<?x?xf64>, %n: index, %m: index) -> memref<?x?xf64> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %b = memref.alloc(%n, %m) : memref<?x?xf64>
  "scf.parallel"(%c0, %c0, %n, %m, %c1, %c1) <{operandSegmentSizes = array<i32: 2, 2, 2, 0>}> ({
  ^bb0(%i: index, %j: index):
    %x = memref.load %a[%i, %j] : memref<?x?xf64>
    %y = math.sqrt %x : f64
    memref.store %y, %b[%i, %j] : memref<?x?xf64>
    scf.reduce
  }) : (index, index, index, index, index, index) -> ()
  %c = memref.alloc(%m, %n) : memref<?x?xf64>
  "scf.parallel"(%c0, %c0, %m, %n, %c1, %c1) <{operandSegmentSizes = array<i32: 2, 2, 2, 0>}> ({
  ^bb0(%i: index, %j: index):
    %x = memref.load %b[%j, %i] : memref<?x?xf64>
    memref.store %x, %c[%i, %j] : memref<?x?xf64>
    scf.reduce
  }) : (index, index, index, index, index, index) -> ()
  memref.dealloc %b : memref<?x?xf64>
  func.return %c : memref<?x?xf64>
}

// CHECK-LABEL: func.func @transposed(
// CHECK:         %c = memref.alloc(%m, %n) : memref<?x?xf64>
// CHECK:           memref.store %y, %c[%j, %i] : memref<?x?xf64>
// CHECK-NOT:     memref.alloc
// CHECK:         func.return %c

// -----

// Copies stay: of a part of the elements, of a buffer that is read elsewhere, and of elements
// whose place in the copy is not known.
func.func @stay(%p: memref<?xindex>, %n: index, %x: f64) -> (memref<?xf64>, memref<?xf64>, memref<?xf64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = arith.subi %n, %c1 : index
  %part = memref.alloc(%n) : memref<?xf64>
  %read = memref.alloc(%n) : memref<?xf64>
  %unknown = memref.alloc(%n) : memref<?xf64>
  "scf.parallel"(%c0, %n, %c1) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
  ^bb0(%i: index):
    %q = memref.load %p[%i] : memref<?xindex>
    memref.store %x, %part[%i] : memref<?xf64>
    memref.store %x, %read[%i] : memref<?xf64>
    memref.store %x, %unknown[%q] : memref<?xf64>
    scf.reduce
  }) : (index, index, index) -> ()
  %0 = memref.alloc(%n) : memref<?xf64>
  %1 = memref.alloc(%n) : memref<?xf64>
  %2 = memref.alloc(%m) : memref<?xf64>
  "scf.parallel"(%c0, %m, %c1) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
  ^bb0(%i: index):
    %y = memref.load %part[%i] : memref<?xf64>
    memref.store %y, %0[%i] : memref<?xf64>
    scf.reduce
  }) : (index, index, index) -> ()
  "scf.parallel"(%c0, %n, %c1) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
  ^bb0(%i: index):
    %y = memref.load %read[%i] : memref<?xf64>
    memref.store %y, %1[%i] : memref<?xf64>
    scf.reduce
  }) : (index, index, index) -> ()
  "scf.parallel"(%c0, %m, %c1) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
  ^bb0(%i: index):
    %y = memref.load %unknown[%i] : memref<?xf64>
    memref.store %y, %2[%i] : memref<?xf64>
    scf.reduce
  }) : (index, index, index) -> ()
  %z = memref.load %read[%c0] : memref<?xf64>
  memref.store %z, %0[%c0] : memref<?xf64>
  memref.dealloc %part : memref<?xf64>
  memref.dealloc %read : memref<?xf64>
  memref.dealloc %unknown : memref<?xf64>
  func.return %0, %1, %2 : memref<?xf64>, memref<?xf64>, memref<?xf64>
}

// CHECK-LABEL: func.func @stay(
// CHECK:         %part = memref.alloc
// CHECK-NEXT:    %read = memref.alloc
// CHECK-NEXT:    %unknown = memref.alloc
// CHECK-COUNT-4: "scf.parallel"

// -----

// A nest that has another effect stays.
func.func @effects(%out: memref<?xf64>, %n: index, %x: f64) -> memref<?xf64> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %b = memref.alloc(%n) : memref<?xf64>
  "scf.parallel"(%c0, %n, %c1) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
  ^bb0(%i: index):
    memref.store %x, %b[%i] : memref<?xf64>
    scf.reduce
  }) : (index, index, index) -> ()
  %c = memref.alloc(%n) : memref<?xf64>
  "scf.parallel"(%c0, %n, %c1) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
  ^bb0(%i: index):
    %y = memref.load %b[%i] : memref<?xf64>
    memref.store %y, %c[%i] : memref<?xf64>
    scf.for %k = %c0 to %i step %c1 {
      memref.store %x, %out[%i] : memref<?xf64>
    }
    scf.reduce
  }) : (index, index, index) -> ()
  memref.dealloc %b : memref<?xf64>
  func.return %c : memref<?xf64>
}

// CHECK-LABEL: func.func @effects(
// CHECK:         memref.load %b[
// CHECK:         memref.store %x, %out[

// -----

// Two rows are stored by the loop that computes them from the same columns; the position of one is
// that which is read.
func.func @rotation(%a: memref<?x?xf64>, %n: index, %m: index, %c: f64) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  scf.for %k = %c0 to %n step %c1 {
    %next = arith.addi %k, %c1 : index
    %b = memref.alloc(%m) : memref<?xf64>
    %d = memref.alloc(%m) : memref<?xf64>
    "scf.parallel"(%c0, %m, %c1) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
    ^bb0(%q: index):
      %x = memref.load %a[%k, %q] : memref<?x?xf64>
      %y = memref.load %a[%next, %q] : memref<?x?xf64>
      %u = arith.mulf %c, %x : f64
      %v = arith.addf %u, %y : f64
      memref.store %v, %b[%q] : memref<?xf64>
      memref.store %u, %d[%q] : memref<?xf64>
      scf.reduce
    }) : (index, index, index) -> ()
    "scf.parallel"(%c0, %m, %c1) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
    ^bb0(%q: index):
      %x = memref.load %b[%q] : memref<?xf64>
      memref.store %x, %a[%k, %q] : memref<?x?xf64>
      scf.reduce
    }) : (index, index, index) -> ()
    memref.dealloc %b : memref<?xf64>
    %after = arith.addi %k, %c2 : index
    %row = arith.subi %after, %c1 : index
    "scf.parallel"(%c0, %m, %c1) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
    ^bb0(%q: index):
      %x = memref.load %d[%q] : memref<?xf64>
      memref.store %x, %a[%row, %q] : memref<?x?xf64>
      scf.reduce
    }) : (index, index, index) -> ()
    memref.dealloc %d : memref<?xf64>
  }
  func.return
}

// CHECK-LABEL: func.func @rotation(
// CHECK-NOT:     memref.alloc
// CHECK:           %v = arith.addf %u, %y : f64
// CHECK-NEXT:      memref.store %v, %a[%k, %q] : memref<?x?xf64>
// CHECK-NEXT:      memref.store %u, %a[%next, %q] : memref<?x?xf64>
// CHECK-NEXT:      scf.reduce
// CHECK-NOT:     "scf.parallel"
// CHECK:         func.return

// -----

// A row stays in its buffer while other steps read the array, or something else does.
func.func @reversed(%a: memref<?x?xf64>, %k: index, %m: index) -> f64 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %last = arith.subi %m, %c1 : index
  %b = memref.alloc(%m) : memref<?xf64>
  %d = memref.alloc(%m) : memref<?xf64>
  "scf.parallel"(%c0, %m, %c1) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
  ^bb0(%q: index):
    %p = arith.subi %last, %q : index
    %x = memref.load %a[%k, %p] : memref<?x?xf64>
    memref.store %x, %b[%q] : memref<?xf64>
    scf.reduce
  }) : (index, index, index) -> ()
  "scf.parallel"(%c0, %m, %c1) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
  ^bb0(%q: index):
    %x = memref.load %b[%q] : memref<?xf64>
    memref.store %x, %a[%k, %q] : memref<?x?xf64>
    scf.reduce
  }) : (index, index, index) -> ()
  "scf.parallel"(%c0, %m, %c1) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
  ^bb0(%q: index):
    %x = memref.load %a[%k, %q] : memref<?x?xf64>
    memref.store %x, %d[%q] : memref<?xf64>
    scf.reduce
  }) : (index, index, index) -> ()
  %first = memref.load %a[%c0, %c0] : memref<?x?xf64>
  "scf.parallel"(%c0, %m, %c1) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
  ^bb0(%q: index):
    %x = memref.load %d[%q] : memref<?xf64>
    memref.store %x, %a[%c0, %q] : memref<?x?xf64>
    scf.reduce
  }) : (index, index, index) -> ()
  memref.dealloc %b : memref<?xf64>
  memref.dealloc %d : memref<?xf64>
  func.return %first : f64
}

// CHECK-LABEL: func.func @reversed(
// CHECK-COUNT-4: "scf.parallel"

// -----

// The copy is allocated after the loop: it is allocated before.
func.func @copied(%x: f64, %n: index) -> memref<?xf64> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %b = memref.alloc(%n) : memref<?xf64>
  "scf.parallel"(%c0, %n, %c1) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
  ^bb0(%i: index):
    memref.store %x, %b[%i] : memref<?xf64>
    scf.reduce
  }) : (index, index, index) -> ()
  %c = memref.alloc(%n) : memref<?xf64>
  "scf.parallel"(%c0, %n, %c1) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
  ^bb0(%i: index):
    %y = memref.load %b[%i] : memref<?xf64>
    memref.store %y, %c[%i] : memref<?xf64>
    scf.reduce
  }) : (index, index, index) -> ()
  memref.dealloc %b : memref<?xf64>
  func.return %c : memref<?xf64>
}

// CHECK-LABEL: func.func @copied(
// CHECK:         %c = memref.alloc(%n) : memref<?xf64>
// CHECK-NEXT:    "scf.parallel"
// CHECK:           memref.store %x, %c[%i] : memref<?xf64>
// CHECK-NOT:     "scf.parallel"
// CHECK:         func.return %c : memref<?xf64>

// -----

// Values of the steps of a loop, the last ones first, are stored in the row of an array.
func.func @row(%n: index, %m: index, %x: f64) -> memref<?x?xf64> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c = memref.alloc(%n, %m) : memref<?x?xf64>
  "scf.parallel"(%c0, %n, %c1) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
  ^bb0(%i: index):
    %b = memref.alloc(%m) : memref<?xf64>
    scf.for %k = %c0 to %m step %c1 {
      %left = arith.subi %m, %k : index
      %last = arith.subi %left, %c1 : index
      memref.store %x, %b[%last] : memref<?xf64>
    }
    "scf.parallel"(%c0, %m, %c1) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
    ^bb0(%j: index):
      %y = memref.load %b[%j] : memref<?xf64>
      memref.store %y, %c[%i, %j] : memref<?x?xf64>
      scf.reduce
    }) : (index, index, index) -> ()
    memref.dealloc %b : memref<?xf64>
    scf.reduce
  }) : (index, index, index) -> ()
  func.return %c : memref<?x?xf64>
}

// CHECK-LABEL: func.func @row(
// CHECK-NOT:     memref.alloc(%m)
// CHECK:           memref.store %x, %c[%i, %last] : memref<?x?xf64>
// CHECK-NOT:     memref.load

// -----

// A row at a computed position stays a copy.
func.func @computed_row(%c: memref<?x?xf64>, %n: index, %m: index, %x: f64) -> memref<?x?xf64> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = memref.alloc(%n, %m) : memref<?x?xf64>
  "scf.parallel"(%c0, %n, %c1) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
  ^bb0(%i: index):
    %b = memref.alloc(%m) : memref<?xf64>
    scf.for %k = %c0 to %m step %c1 {
      memref.store %x, %b[%k] : memref<?xf64>
    }
    %p = arith.subi %n, %i : index
    %q = arith.subi %p, %c1 : index
    "scf.parallel"(%c0, %m, %c1) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
    ^bb0(%j: index):
      %y = memref.load %b[%j] : memref<?xf64>
      memref.store %y, %r[%q, %j] : memref<?x?xf64>
      scf.reduce
    }) : (index, index, index) -> ()
    memref.dealloc %b : memref<?xf64>
    scf.reduce
  }) : (index, index, index) -> ()
  func.return %r : memref<?x?xf64>
}

// CHECK-LABEL: func.func @computed_row(
// CHECK:         memref.alloc(%m)
// CHECK:         memref.load %b

// -----

// A row is stored by the loop that computes it from the row before it, at any of its columns.
func.func @recurrence(%a: memref<?x?xf64>, %n: index, %m: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %k = %c0 to %n step %c1 {
    %next = arith.addi %k, %c1 : index
    %b = memref.alloc(%m) : memref<?xf64>
    "scf.parallel"(%c0, %m, %c1) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
    ^bb0(%i: index):
      %p = arith.subi %i, %c1 : index
      %q = arith.maxsi %p, %c0 : index
      %x = memref.load %a[%k, %q] : memref<?x?xf64>
      memref.store %x, %b[%i] : memref<?xf64>
      scf.reduce
    }) : (index, index, index) -> ()
    "scf.parallel"(%c0, %m, %c1) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
    ^bb0(%i: index):
      %y = memref.load %b[%i] : memref<?xf64>
      memref.store %y, %a[%next, %i] : memref<?x?xf64>
      scf.reduce
    }) : (index, index, index) -> ()
    memref.dealloc %b : memref<?xf64>
  }
  func.return
}

// CHECK-LABEL: func.func @recurrence(
// CHECK-NOT:     memref.alloc
// CHECK:           %x = memref.load %a[%k, %q] : memref<?x?xf64>
// CHECK-NEXT:      memref.store %x, %a[%next, %i] : memref<?x?xf64>
// CHECK-NOT:     "scf.parallel"
// CHECK:         func.return
