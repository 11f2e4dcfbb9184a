// RUN: ein-opt %s --split-input-file -p narrow-loops | filecheck %s

// Elements from %j on are read: one at %j, others where a comparison selects them. The loop that
// selects keeps the elements of %r before %j.
func.func @column(%a: memref<?xf64>, %r: memref<?xf64>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %j = %c0 to %n step %c1 {
    %b = memref.alloc(%n) : memref<?xf64>
    "scf.parallel"(%c0, %n, %c1) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
    ^bb0(%i: index):
      %x = memref.load %a[%i] : memref<?xf64>
      %y = math.exp %x : f64
      memref.store %y, %b[%i] : memref<?xf64>
      scf.reduce
    }) : (index, index, index) -> ()
    %pivot = memref.load %b[%j] : memref<?xf64>
    "scf.parallel"(%c0, %n, %c1) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
    ^bb0(%i: index):
      %x = memref.load %b[%i] : memref<?xf64>
      %y = arith.divf %x, %pivot : f64
      %is_below = arith.cmpi sge, %i, %j : index
      %old = memref.load %r[%i] : memref<?xf64>
      %z = arith.select %is_below, %y, %old : f64
      memref.store %z, %r[%i] : memref<?xf64>
      scf.reduce
    }) : (index, index, index) -> ()
    memref.dealloc %b : memref<?xf64>
  }
  func.return
}

// CHECK-LABEL: func.func @column(
// CHECK:         scf.for %j =
// CHECK:           %[[LAST:.*]] = arith.subi %n, %{{.*}} : index
// CHECK-NEXT:      %[[A:.*]] = arith.minsi %j, %[[LAST]] : index
// CHECK-NEXT:      %[[B:.*]] = arith.maxsi %[[A]], %c0 : index
// CHECK-NEXT:      %[[LOW:.*]] = arith.maxsi %c0, %[[B]] : index
// CHECK-NEXT:      "scf.parallel"(%[[LOW]], %n, %c1)
// CHECK:           %[[FIRST:.*]] = arith.maxsi %c0, %{{.*}} : index
// CHECK-NEXT:      "scf.parallel"(%[[FIRST]], %n, %c1)

// -----

// A loop reads the elements before %j, of both rows; the limits are Ints.
func.func @rows(%a: memref<?xf64>, %r: memref<?xf64>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  scf.for %j = %c0 to %n step %c1 {
    %number = arith.index_cast %j : index to i64
    %b = memref.alloc(%n, %n) : memref<?x?xf64>
    "scf.parallel"(%c0, %c0, %n, %n, %c1, %c1) <{operandSegmentSizes = array<i32: 2, 2, 2, 0>}> ({
    ^bb0(%i: index, %k: index):
      %x = memref.load %a[%k] : memref<?xf64>
      memref.store %x, %b[%i, %k] : memref<?x?xf64>
      scf.reduce
    }) : (index, index, index, index, index, index) -> ()
    "scf.parallel"(%c0, %n, %c1) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
    ^bb0(%i: index):
      %s = scf.for %k = %c0 to %j step %c1 iter_args(%acc = %zero) -> (f64) {
        %x = memref.load %b[%i, %k] : memref<?x?xf64>
        %next = arith.addf %acc, %x : f64
        scf.yield %next : f64
      }
      %m = arith.index_cast %i : index to i64
      %t = arith.cmpi sle, %m, %number : i64
      %u = scf.if %t -> (f64) {
        %x = memref.load %b[%i, %i] : memref<?x?xf64>
        scf.yield %x : f64
      } else {
        scf.yield %s : f64
      }
      memref.store %u, %r[%i] : memref<?xf64>
      scf.reduce
    }) : (index, index, index) -> ()
    memref.dealloc %b : memref<?x?xf64>
  }
  func.return
}

// CHECK-LABEL: func.func @rows(
// CHECK:           memref.alloc
// CHECK:           %[[LAST:.*]] = arith.subi %n, %[[ONE:.*]] : index
// CHECK-NEXT:      %[[A:.*]] = arith.minsi %j, %[[LAST]] : index
// CHECK-NEXT:      %[[B:.*]] = arith.maxsi %[[A]], %c0 : index
// CHECK-NEXT:      %[[C:.*]] = arith.addi %[[B]], %[[ONE]] : index
// CHECK-NEXT:      %[[HIGH:.*]] = arith.minsi %n, %[[C]] : index
// CHECK-NEXT:      "scf.parallel"(%c0, %c0, %n, %[[HIGH]], %c1, %c1)

// -----

// Steps stay: that may fail, that write an array of the caller, whose elements are read at once
// from elsewhere, that are needed without the selection, or where limits change while the buffer
// lives.
func.func @stay(%a: memref<?xf64>, %r: memref<?xf64>, %n: index, %t: i1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  %outer = memref.alloc(%n) : memref<?xf64>
  scf.for %j = %c0 to %n step %c1 {
    %b = memref.alloc(%n) : memref<?xf64>
    %c = memref.alloc(%n) : memref<?xf64>
    "scf.parallel"(%c0, %n, %c1) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
    ^bb0(%i: index):
      %x = memref.load %a[%i] : memref<?xf64>
      cf.assert %t, "fails"
      memref.store %x, %b[%i] : memref<?xf64>
      scf.reduce
    }) : (index, index, index) -> ()
    %x = memref.load %b[%j] : memref<?xf64>
    "scf.parallel"(%c0, %n, %c1) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
    ^bb0(%i: index):
      memref.store %x, %r[%i] : memref<?xf64>
      memref.store %x, %outer[%i] : memref<?xf64>
      scf.reduce
    }) : (index, index, index) -> ()
    %y = memref.load %outer[%j] : memref<?xf64>
    "scf.parallel"(%c0, %n, %c1) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
    ^bb0(%i: index):
      memref.store %y, %outer[%i] : memref<?xf64>
      scf.reduce
    }) : (index, index, index) -> ()
    "scf.parallel"(%c0, %n, %c1) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
    ^bb0(%i: index):
      memref.store %y, %c[%i] : memref<?xf64>
      scf.reduce
    }) : (index, index, index) -> ()
    "scf.parallel"(%c0, %n, %c1) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
    ^bb0(%i: index):
      %z = memref.load %c[%i] : memref<?xf64>
      %is_below = arith.cmpi sgt, %i, %j : index
      %w = arith.select %is_below, %z, %zero : f64
      %v = arith.addf %w, %z : f64
      memref.store %v, %r[%i] : memref<?xf64>
      scf.reduce
    }) : (index, index, index) -> ()
    memref.dealloc %b : memref<?xf64>
    memref.dealloc %c : memref<?xf64>
  }
  memref.dealloc %outer : memref<?xf64>
  func.return
}

// CHECK-LABEL: func.func @stay(
// CHECK-NOT:     arith.maxsi
// CHECK-NOT:     arith.minsi
// CHECK:         func.return

// -----

// Steps of a loop in place that store what they read are left out: rows to %k and, in each row, the
// columns to %k and those after the diagonal. Their loop is one of its own.
func.func @in_place(%a: memref<?x?xf64>, %column: memref<?xf64>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %k = %c0 to %n step %c1 {
    "scf.parallel"(%c0, %c0, %n, %n, %c1, %c1) <{operandSegmentSizes = array<i32: 2, 2, 2, 0>}> ({
    ^bb0(%i: index, %j: index):
      %is_below = arith.cmpi sgt, %i, %k : index
      %is_right = arith.cmpi sgt, %j, %k : index
      %is_lower = arith.cmpi sle, %j, %i : index
      %both = arith.andi %is_below, %is_right : i1
      %all = arith.andi %both, %is_lower : i1
      %old = memref.load %a[%i, %j] : memref<?x?xf64>
      %x = memref.load %column[%i] : memref<?xf64>
      %y = memref.load %column[%j] : memref<?xf64>
      %product = arith.mulf %x, %y : f64
      %difference = arith.subf %old, %product : f64
      %new = arith.select %all, %difference, %old : f64
      memref.store %new, %a[%i, %j] : memref<?x?xf64>
      scf.reduce
    }) : (index, index, index, index, index, index) -> ()
  }
  func.return
}

// CHECK-LABEL: func.func @in_place(
// CHECK:         scf.for %k =
// CHECK:           %[[LAST:.*]] = arith.minsi %k, %{{.*}} : index
// CHECK-NEXT:      %[[CLIPPED:.*]] = arith.maxsi %[[LAST]], %{{.*}} : index
// CHECK-NEXT:      %[[NEXT:.*]] = arith.addi %[[CLIPPED]], %{{.*}} : index
// CHECK-NEXT:      %[[ROW:.*]] = arith.maxsi %c0, %[[NEXT]] : index
// CHECK-NEXT:      "scf.parallel"(%[[ROW]], %n, %c1)
// CHECK-NEXT:      ^bb{{.*}}(%i: index):
// CHECK:             %[[LOW:.*]] = arith.maxsi %c0,
// CHECK:             arith.minsi %i,
// CHECK:             %[[HIGH:.*]] = arith.maxsi %{{.*}}, %[[LOW]] : index
// CHECK-NEXT:        "scf.parallel"(%[[LOW]], %[[HIGH]], %c1)
// CHECK-NEXT:        ^bb{{.*}}(%j: index):
// CHECK-DAG:           %[[LOWER:.*]] = arith.constant true
// CHECK-DAG:           %[[RIGHT:.*]] = arith.constant true
// CHECK:               arith.andi %{{.*}}, %[[LOWER]] : i1
// CHECK:               memref.store %{{.*}}, %a[%i, %j]

// -----

// Branches and conditional stores limit steps as selections do.
func.func @branches(%a: memref<?xf64>, %b: memref<?xf64>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %k = %c0 to %n step %c1 {
    "scf.parallel"(%c0, %n, %c1) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
    ^bb0(%i: index):
      %is_before = arith.cmpi slt, %i, %k : index
      %old = memref.load %a[%i] : memref<?xf64>
      %new = scf.if %is_before -> (f64) {
        scf.yield %old : f64
      } else {
        %x = math.exp %old : f64
        scf.yield %x : f64
      }
      memref.store %new, %a[%i] : memref<?xf64>
      scf.reduce
    }) : (index, index, index) -> ()
    "scf.parallel"(%c0, %n, %c1) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
    ^bb0(%i: index):
      %is_before = arith.cmpi sle, %i, %k : index
      scf.if %is_before {
        %x = memref.load %a[%i] : memref<?xf64>
        memref.store %x, %b[%i] : memref<?xf64>
      }
      scf.reduce
    }) : (index, index, index) -> ()
  }
  func.return
}

// CHECK-LABEL: func.func @branches(
// CHECK:         scf.for %k =
// CHECK:           %[[LOW:.*]] = arith.maxsi %c0, %{{.*}} : index
// CHECK-NEXT:      "scf.parallel"(%[[LOW]], %n, %c1)
// CHECK:           %[[HIGH:.*]] = arith.minsi %n, %{{.*}} : index
// CHECK-NEXT:      "scf.parallel"(%c0, %[[HIGH]], %c1)

// -----

// Steps stay where another store writes the array, or the stored element is one of another place,
// or another array, or the limit is a constant or an element.
func.func @changed(%a: memref<?xf64>, %b: memref<?xf64>, %m: memref<?xi64>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  scf.for %k = %c0 to %n step %c1 {
    "scf.parallel"(%c0, %n, %c1) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
    ^bb0(%i: index):
      %is_before = arith.cmpi slt, %i, %k : index
      %old = memref.load %a[%i] : memref<?xf64>
      %x = math.exp %old : f64
      memref.store %x, %a[%i] : memref<?xf64>
      %new = arith.select %is_before, %old, %x : f64
      memref.store %new, %a[%i] : memref<?xf64>
      scf.reduce
    }) : (index, index, index) -> ()
    "scf.parallel"(%c0, %n, %c1) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
    ^bb0(%i: index):
      %is_before = arith.cmpi slt, %i, %k : index
      %old = memref.load %a[%k] : memref<?xf64>
      %other = memref.load %b[%i] : memref<?xf64>
      %new = arith.select %is_before, %old, %other : f64
      memref.store %new, %a[%i] : memref<?xf64>
      scf.reduce
    }) : (index, index, index) -> ()
    "scf.parallel"(%c0, %n, %c1) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
    ^bb0(%i: index):
      %number = arith.index_cast %i : index to i64
      %limit = memref.load %m[%i] : memref<?xi64>
      %is_before = arith.cmpi slt, %number, %limit : i64
      %is_first = arith.cmpi slt, %i, %c3 : index
      %both = arith.andi %is_before, %is_first : i1
      %old = memref.load %a[%i] : memref<?xf64>
      %x = math.exp %old : f64
      %new = arith.select %both, %x, %old : f64
      memref.store %new, %a[%i] : memref<?xf64>
      scf.reduce
    }) : (index, index, index) -> ()
  }
  func.return
}

// CHECK-LABEL: func.func @changed(
// CHECK-NOT:     arith.maxsi
// CHECK-NOT:     arith.minsi
// CHECK:         func.return

// -----

// The limit is computed in the body of the only loop, and does not vary there: it moves before it.
func.func @from_twice(%r: memref<?xf64>, %x: f64, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %k = %c0 to %n step %c1 {
    "scf.parallel"(%c0, %n, %c1) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
    ^bb0(%i: index):
      %limit = arith.addi %k, %k : index
      %is_after = arith.cmpi sge, %i, %limit : index
      %old = memref.load %r[%i] : memref<?xf64>
      %z = arith.select %is_after, %x, %old : f64
      memref.store %z, %r[%i] : memref<?xf64>
      scf.reduce
    }) : (index, index, index) -> ()
  }
  func.return
}

// CHECK-LABEL: func.func @from_twice(
// CHECK:         scf.for %k =
// CHECK-NEXT:      %limit = arith.addi %k, %k : index
// CHECK:           %[[LOW:.*]] = arith.maxsi %c0,
// CHECK-NEXT:      "scf.parallel"(%[[LOW]], %n, %c1) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
// CHECK-NEXT:      ^{{.*}}(%i: index):
// CHECK-NEXT:        %is_after = arith.constant true

// -----

// A condition of all changes that does not vary with the loop is tested before it, even if it is one of
// several; so is one of whole rows, whose element is loaded only if the rows have elements.
func.func @skipped(%a: memref<?x?xf64>, %b: memref<?xf64>, %c: memref<?xi1>, %n: index, %m: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %k = %c0 to %n step %c1 {
    %better = memref.load %c[%k] : memref<?xi1>
    "scf.parallel"(%c0, %m, %c1) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
    ^bb0(%i: index):
      %x = memref.load %a[%k, %i] : memref<?x?xf64>
      %old = memref.load %b[%i] : memref<?xf64>
      %more = arith.cmpf ogt, %x, %old : f64
      %both = arith.andi %better, %more : i1
      %new = arith.select %both, %x, %old : f64
      memref.store %new, %b[%i] : memref<?xf64>
      scf.reduce
    }) : (index, index, index) -> ()
    "scf.parallel"(%c0, %c0, %n, %m, %c1, %c1) <{operandSegmentSizes = array<i32: 2, 2, 2, 0>}> ({
    ^bb0(%i: index, %j: index):
      %keeps = memref.load %c[%i] : memref<?xi1>
      %x = memref.load %b[%j] : memref<?xf64>
      %old = memref.load %a[%i, %j] : memref<?x?xf64>
      %new = arith.select %keeps, %old, %x : f64
      memref.store %new, %a[%i, %j] : memref<?x?xf64>
      scf.reduce
    }) : (index, index, index, index, index, index) -> ()
  }
  func.return
}

// CHECK-LABEL: func.func @skipped(
// CHECK:           %better = memref.load %c[%k] : memref<?xi1>
// CHECK-NEXT:      scf.if %better {
// CHECK-NEXT:        "scf.parallel"(%c0, %m, %c1)
// CHECK-NEXT:        ^{{.*}}(%i: index):
// CHECK-NEXT:          %[[TRUE:.*]] = arith.constant true
// CHECK:               %both = arith.andi %[[TRUE]], %more : i1
// CHECK:           "scf.parallel"(%c0, %n, %c1)
// CHECK-NEXT:      ^{{.*}}(%[[I:.*]]: index):
// CHECK-NEXT:        %[[SOME:.*]] = arith.cmpi slt, %c0, %m : index
// CHECK-NEXT:        scf.if %[[SOME]] {
// CHECK-NEXT:          %keeps = memref.load %c[%[[I]]] : memref<?xi1>
// CHECK-NEXT:          %[[ONE:.*]] = arith.constant true
// CHECK-NEXT:          %[[CHANGES:.*]] = arith.xori %keeps, %[[ONE]] : i1
// CHECK-NEXT:          scf.if %[[CHANGES]] {
// CHECK-NEXT:            "scf.parallel"(%c0, %m, %c1)

// -----

// Loops stay if a step changes what the condition depends on, if a store has another condition, or if
// they have few known steps.
func.func @not_skipped(%a: memref<?xf64>, %b: memref<?xf64>, %c: i1, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %zero = arith.constant 0.0 : f64
  scf.for %k = %c0 to %n step %c1 {
    "scf.parallel"(%c0, %n, %c1) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
    ^bb0(%i: index):
      %first = memref.load %a[%k] : memref<?xf64>
      %is_more = arith.cmpf ogt, %first, %zero : f64
      %old = memref.load %a[%i] : memref<?xf64>
      %new = arith.select %is_more, %zero, %old : f64
      memref.store %new, %a[%i] : memref<?xf64>
      scf.reduce
    }) : (index, index, index) -> ()
    "scf.parallel"(%c0, %n, %c1) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
    ^bb0(%i: index):
      %old = memref.load %a[%i] : memref<?xf64>
      %new = arith.select %c, %zero, %old : f64
      memref.store %new, %a[%i] : memref<?xf64>
      memref.store %old, %b[%i] : memref<?xf64>
      scf.reduce
    }) : (index, index, index) -> ()
    "scf.parallel"(%c0, %c3, %c1) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
    ^bb0(%i: index):
      %old = memref.load %a[%i] : memref<?xf64>
      %new = arith.select %c, %zero, %old : f64
      memref.store %new, %a[%i] : memref<?xf64>
      scf.reduce
    }) : (index, index, index) -> ()
  }
  func.return
}

// CHECK-LABEL: func.func @not_skipped(
// CHECK-NOT:     scf.if
// CHECK:         func.return

// -----

// Few steps from a position are numbered, if all of them are in bounds: so conditions that an index
// is the first one are known. Otherwise the loop is not vectorised. Rows of any length stay, and so
// does a distance that is not known.
func.func @box(%a: memref<?xf64>, %b: memref<?x?xf64>, %positions: memref<?xi64>, %n: index, %r: i64) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1 : i64
  %x = arith.constant 1.0 : f64
  scf.for %k = %c0 to %n step %c1 {
    %p = memref.load %positions[%k] : memref<?xi64>
    %q = arith.addi %p, %one : i64
    %far = arith.addi %p, %r : i64
    "scf.parallel"(%c0, %n, %c1) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
    ^bb0(%i: index):
      %number = arith.index_cast %i : index to i64
      %is_after = arith.cmpi sge, %number, %p : i64
      %is_before = arith.cmpi sle, %number, %q : i64
      %both = arith.andi %is_after, %is_before : i1
      %old = memref.load %a[%i] : memref<?xf64>
      %sum = arith.addf %old, %x : f64
      %new = arith.select %both, %sum, %old : f64
      memref.store %new, %a[%i] : memref<?xf64>
      scf.reduce
    }) : (index, index, index) -> ()
    "scf.parallel"(%c0, %c0, %n, %n, %c1, %c1) <{operandSegmentSizes = array<i32: 2, 2, 2, 0>}> ({
    ^bb0(%i: index, %j: index):
      %number = arith.index_cast %j : index to i64
      %is_after = arith.cmpi sge, %number, %p : i64
      %is_before = arith.cmpi sle, %number, %q : i64
      %both = arith.andi %is_after, %is_before : i1
      %old = memref.load %b[%i, %j] : memref<?x?xf64>
      %sum = arith.addf %old, %x : f64
      %new = arith.select %both, %sum, %old : f64
      memref.store %new, %b[%i, %j] : memref<?x?xf64>
      scf.reduce
    }) : (index, index, index, index, index, index) -> ()
    "scf.parallel"(%c0, %n, %c1) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
    ^bb0(%i: index):
      %number = arith.index_cast %i : index to i64
      %is_after = arith.cmpi sge, %number, %p : i64
      %is_before = arith.cmpi sle, %number, %far : i64
      %both = arith.andi %is_after, %is_before : i1
      %old = memref.load %a[%i] : memref<?xf64>
      %sum = arith.addf %old, %x : f64
      %new = arith.select %both, %sum, %old : f64
      memref.store %new, %a[%i] : memref<?xf64>
      scf.reduce
    }) : (index, index, index) -> ()
  }
  func.return
}

// CHECK-LABEL: func.func @box(
// CHECK:         scf.for %k =
// CHECK:           %[[LEAST:.*]] = arith.cmpi sge, %[[START:.*]], %{{.*}} : index
// CHECK:           %[[INSIDE:.*]] = arith.andi %{{.*}}, %{{.*}} : i1
// CHECK-NEXT:      scf.if %[[INSIDE]] {
// CHECK:             %[[ZERO:.*]] = arith.constant 0 : index
// CHECK:             %[[TWO:.*]] = arith.constant 2 : index
// CHECK:             "scf.parallel"(%[[ZERO]], %[[TWO]], %{{.*}})
// CHECK-NEXT:        ^{{.*}}(%[[T:.*]]: index):
// CHECK-NEXT:          arith.addi %{{.*}}, %[[T]] : index
// CHECK:           } else {
// CHECK-NEXT:        "scf.parallel"(
// CHECK:             }) {ein.few_steps}
// CHECK-NEXT:      }{ein.likely}
// CHECK:           "scf.parallel"(%c0, %{{.*}}, %n, %{{.*}}, %c1, %c1)
// CHECK:           }) {ein.few_steps}
// CHECK-NOT:       scf.if
// CHECK:           "scf.parallel"(
// CHECK-NOT:       ein.few_steps
// CHECK:         func.return

// -----

// Where a term of a sum is 0, the element stays. A place that is -1 unless a condition holds is
// one where that holds, which other limits do not say.
func.func @sums(%a: memref<?x?xf64>, %b: memref<?xf64>, %c: memref<?xi1>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  %none = arith.constant -1 : i64
  scf.for %k = %c0 to %n step %c1 {
    %j = arith.index_cast %k : index to i64
    %d = memref.load %c[%k] : memref<?xi1>
    %p = arith.select %d, %j, %none : i64
    "scf.parallel"(%c0, %c0, %n, %n, %c1, %c1) <{operandSegmentSizes = array<i32: 2, 2, 2, 0>}> ({
    ^bb0(%r: index, %s: index):
      %row = arith.index_cast %r : index to i64
      %column = arith.index_cast %s : index to i64
      %below = arith.cmpi sge, %row, %j : i64
      %place = arith.select %below, %j, %none : i64
      %old = memref.load %a[%r, %s] : memref<?x?xf64>
      %at = arith.cmpi eq, %column, %place : i64
      %rest = arith.select %at, %zero, %old : f64
      %x = memref.load %b[%s] : memref<?xf64>
      %left = arith.cmpi slt, %column, %j : i64
      %y = arith.select %below, %x, %zero : f64
      %z = arith.select %left, %y, %zero : f64
      %sum = arith.addf %rest, %z : f64
      memref.store %sum, %a[%r, %s] : memref<?x?xf64>
      scf.reduce
    }) : (index, index, index, index, index, index) -> ()
    "scf.parallel"(%c0, %n, %c1) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
    ^bb0(%s: index):
      %column = arith.index_cast %s : index to i64
      %old = memref.load %b[%s] : memref<?xf64>
      %at = arith.cmpi eq, %column, %p : i64
      %new = arith.select %at, %zero, %old : f64
      memref.store %new, %b[%s] : memref<?xf64>
      scf.reduce
    }) : (index, index, index) -> ()
  }
  func.return
}
// CHECK-LABEL: func.func @sums
// CHECK:           %[[LOW:.*]] = arith.maxsi %c0, %{{.*}} : index
// CHECK:           %[[LAST:.*]] = arith.addi %{{.*}} : index
// CHECK-NEXT:      %[[HIGH:.*]] = arith.minsi %n, %[[LAST]] : index
// CHECK-NEXT:      "scf.parallel"(%[[LOW]], %c0, %n, %[[HIGH]], %c1, %c1)
// CHECK:             %at = arith.cmpi eq, %column, %place : i64
// CHECK-NEXT:        %rest = arith.select %at, %zero, %old : f64
// CHECK:           scf.if
// CHECK:             "scf.parallel"
// CHECK:               %[[AT:.*]] = arith.cmpi eq, %{{.*}}, %p : i64
// CHECK-NEXT:          arith.select %[[AT]], %zero, %{{.*}} : f64

// -----

// A position of an element of a diagonal is in bounds for a range of rows.
func.func @diagonal(%a: memref<?x?xf64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %a, %c0 : memref<?x?xf64>
  %m = memref.dim %a, %c1 : memref<?x?xf64>
  scf.for %d = %c0 to %m step %c1 {
    "scf.parallel"(%c0, %n, %c1) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
    ^bb0(%i: index):
      %x = memref.load %a[%i, %c0] : memref<?x?xf64>
      %j = arith.subi %d, %i : index
      %inside = arith.cmpi ult, %j, %m : index
      scf.if %inside {
        memref.store %x, %a[%i, %j] : memref<?x?xf64>
      }
      scf.reduce
    }) : (index, index, index) -> ()
  }
  func.return
}

// CHECK-LABEL: func.func @diagonal(
// CHECK:         %[[BEFORE:.*]] = arith.subi %d, %m : index
// CHECK:         %[[FIRST:.*]] = arith.addi %[[BEFORE]], %{{.*}} : index
// CHECK:         arith.minsi %[[FIRST]], %n : index
// CHECK:         arith.minsi %d, %{{.*}} : index
// CHECK:         arith.maxsi
// CHECK-NOT:     "scf.parallel"(%c0, %n, %c1)
// CHECK:         %x = memref.load
