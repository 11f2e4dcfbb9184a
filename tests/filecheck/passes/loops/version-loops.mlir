// RUN: ein-opt %s --split-input-file -p version-loops | filecheck %s

// A position is clipped only if the loop has more steps than the array elements.
func.func @rows(%a: memref<?xf64>, %r: memref<?xf64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %r, %c0 : memref<?xf64>
  %m = memref.dim %a, %c0 : memref<?xf64>
  %last = arith.subi %m, %c1 : index
  "scf.parallel"(%c0, %n, %c1) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
  ^bb0(%i: index):
    %p = arith.minsi %i, %last : index
    %q = arith.maxsi %p, %c0 : index
    %x = memref.load %a[%q] : memref<?xf64>
    memref.store %x, %r[%i] : memref<?xf64>
    scf.reduce
  }) : (index, index, index) -> ()
  func.return
}

// CHECK:         func.func @rows(%a: memref<?xf64>, %r: memref<?xf64>) {
// CHECK-NEXT:      %c0 = arith.constant 0 : index
// CHECK-NEXT:      %c1 = arith.constant 1 : index
// CHECK-NEXT:      %n = memref.dim %r, %c0 : memref<?xf64>
// CHECK-NEXT:      %m = memref.dim %a, %c0 : memref<?xf64>
// CHECK-NEXT:      %last = arith.subi %m, %c1 : index
// CHECK-NEXT:      %0 = arith.subi %n, %m : index
// CHECK-NEXT:      %1 = arith.constant 0 : index
// CHECK-NEXT:      %2 = arith.cmpi sle, %0, %1 : index
// CHECK-NEXT:      scf.if %2 {
// CHECK-NEXT:        "scf.parallel"(%c0, %n, %c1) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
// CHECK-NEXT:        ^bb0(%i: index):
// CHECK-NEXT:          %x = memref.load %a[%i] : memref<?xf64>
// CHECK-NEXT:          memref.store %x, %r[%i] : memref<?xf64>
// CHECK-NEXT:          scf.reduce
// CHECK-NEXT:        }) : (index, index, index) -> ()
// CHECK-NEXT:      } else {
// CHECK-NEXT:        "scf.parallel"(%c0, %n, %c1) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
// CHECK-NEXT:        ^bb0(%i_1: index):
// CHECK-NEXT:          %p = arith.minsi %i_1, %last : index
// CHECK-NEXT:          %q = arith.maxsi %p, %c0 : index
// CHECK-NEXT:          %x_1 = memref.load %a[%q] : memref<?xf64>
// CHECK-NEXT:          memref.store %x_1, %r[%i_1] : memref<?xf64>
// CHECK-NEXT:          scf.reduce
// CHECK-NEXT:        }) : (index, index, index) -> ()
// CHECK-NEXT:      }
// CHECK-NEXT:      func.return
// CHECK-NEXT:    }

// -----

// The counter of the inner loop is less than that of the outer one; an Int must be a size for the
// test to be right; a loop that carries values yields them.
func.func @triangle(%a: memref<?x?xf64>, %t: i64, %n: index) -> f64 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  %m = memref.dim %a, %c0 : memref<?x?xf64>
  %l = memref.dim %a, %c1 : memref<?x?xf64>
  %s = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (f64) {
    %s = scf.for %k = %c0 to %i step %c1 iter_args(%total = %acc) -> (f64) {
      %0 = arith.index_cast %t : i64 to index
      %1 = arith.addi %0, %k : index
      %2 = arith.subi %m, %c1 : index
      %3 = arith.minsi %1, %2 : index
      %4 = arith.maxsi %3, %c0 : index
      %5 = arith.subi %l, %c1 : index
      %6 = arith.minsi %k, %5 : index
      %x = memref.load %a[%4, %6] : memref<?x?xf64>
      %next = arith.addf %total, %x : f64
      scf.yield %next : f64
    }
    scf.yield %s : f64
  }
  func.return %s : f64
}

// CHECK:         func.func @triangle(%a: memref<?x?xf64>, %t: i64, %n: index) -> f64 {
// CHECK-NEXT:      %c0 = arith.constant 0 : index
// CHECK-NEXT:      %c1 = arith.constant 1 : index
// CHECK-NEXT:      %zero = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:      %m = memref.dim %a, %c0 : memref<?x?xf64>
// CHECK-NEXT:      %l = memref.dim %a, %c1 : memref<?x?xf64>
// CHECK-NEXT:      %0 = arith.index_cast %t : i64 to index
// CHECK-NEXT:      %1 = arith.constant 17592186044416 : index
// CHECK-NEXT:      %2 = arith.cmpi ule, %0, %1 : index
// CHECK-NEXT:      %3 = arith.cmpi ule, %n, %1 : index
// CHECK-NEXT:      %4 = arith.addi %0, %n : index
// CHECK-NEXT:      %5 = arith.subi %4, %m : index
// CHECK-NEXT:      %6 = arith.constant 1 : index
// CHECK-NEXT:      %7 = arith.subi %5, %6 : index
// CHECK-NEXT:      %8 = arith.constant 0 : index
// CHECK-NEXT:      %9 = arith.cmpi sle, %7, %8 : index
// CHECK-NEXT:      %10 = arith.subi %n, %l : index
// CHECK-NEXT:      %11 = arith.subi %10, %6 : index
// CHECK-NEXT:      %12 = arith.cmpi sle, %11, %8 : index
// CHECK-NEXT:      %13 = arith.andi %2, %3 : i1
// CHECK-NEXT:      %14 = arith.andi %13, %9 : i1
// CHECK-NEXT:      %15 = arith.andi %14, %12 : i1
// CHECK-NEXT:      %s = scf.if %15 -> (f64) {
// CHECK-NEXT:        %16 = arith.constant 17592186044416 : index
// CHECK-NEXT:        %17 = arith.index_cast %t : i64 to index
// CHECK-NEXT:        %18 = arith.minui %17, %16 : index
// CHECK-NEXT:        %19 = arith.index_cast %18 : index to i64
// CHECK-NEXT:        %20 = arith.minui %n, %16 : index
// CHECK-NEXT:        %s_1 = scf.for %i = %c0 to %20 step %c1 iter_args(%acc = %zero) -> (f64) {
// CHECK-NEXT:          %s_2 = scf.for %k = %c0 to %i step %c1 iter_args(%total = %acc) -> (f64) {
// CHECK-NEXT:            %21 = arith.index_cast %19 : i64 to index
// CHECK-NEXT:            %22 = arith.addi %21, %k : index
// CHECK-NEXT:            %x = memref.load %a[%22, %k] : memref<?x?xf64>
// CHECK-NEXT:            %next = arith.addf %total, %x : f64
// CHECK-NEXT:            scf.yield %next : f64
// CHECK-NEXT:          }
// CHECK-NEXT:          scf.yield %s_2 : f64
// CHECK-NEXT:        }
// CHECK-NEXT:        scf.yield %s_1 : f64
// CHECK-NEXT:      } else {
// CHECK-NEXT:        %s_3 = scf.for %i_1 = %c0 to %n step %c1 iter_args(%acc_1 = %zero) -> (f64) {
// CHECK-NEXT:          %s_4 = scf.for %k_1 = %c0 to %i_1 step %c1 iter_args(%total_1 = %acc_1) -> (f64) {
// CHECK-NEXT:            %23 = arith.index_cast %t : i64 to index
// CHECK-NEXT:            %24 = arith.addi %23, %k_1 : index
// CHECK-NEXT:            %25 = arith.subi %m, %c1 : index
// CHECK-NEXT:            %26 = arith.minsi %24, %25 : index
// CHECK-NEXT:            %27 = arith.maxsi %26, %c0 : index
// CHECK-NEXT:            %28 = arith.subi %l, %c1 : index
// CHECK-NEXT:            %29 = arith.minsi %k_1, %28 : index
// CHECK-NEXT:            %x_1 = memref.load %a[%27, %29] : memref<?x?xf64>
// CHECK-NEXT:            %next_1 = arith.addf %total_1, %x_1 : f64
// CHECK-NEXT:            scf.yield %next_1 : f64
// CHECK-NEXT:          }
// CHECK-NEXT:          scf.yield %s_4 : f64
// CHECK-NEXT:        }
// CHECK-NEXT:        scf.yield %s_3 : f64
// CHECK-NEXT:      }
// CHECK-NEXT:      func.return %s : f64
// CHECK-NEXT:    }

// -----

// The border of a stencil stays: the test would fail. So do positions that are read, and those that
// the loop does not vary.
func.func @stays(%a: memref<?xf64>, %at: memref<?xindex>, %r: memref<?xf64>, %t: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %r, %c0 : memref<?xf64>
  %m = memref.dim %a, %c0 : memref<?xf64>
  %last = arith.subi %m, %c1 : index
  "scf.parallel"(%c0, %n, %c1) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
  ^bb0(%i: index):
    %0 = arith.addi %i, %c1 : index
    %1 = arith.minsi %0, %last : index
    %x = memref.load %a[%1] : memref<?xf64>
    %2 = arith.subi %i, %c1 : index
    %3 = arith.maxsi %2, %c0 : index
    %y = memref.load %a[%3] : memref<?xf64>
    %4 = memref.load %at[%i] : memref<?xindex>
    %5 = arith.minsi %4, %last : index
    %6 = arith.maxsi %5, %c0 : index
    %z = memref.load %a[%6] : memref<?xf64>
    %7 = arith.minsi %t, %last : index
    %8 = arith.maxsi %7, %c0 : index
    %w = memref.load %a[%8] : memref<?xf64>
    %9 = arith.addf %x, %y : f64
    %10 = arith.addf %z, %w : f64
    %11 = arith.addf %9, %10 : f64
    memref.store %11, %r[%i] : memref<?xf64>
    scf.reduce
  }) : (index, index, index) -> ()
  func.return
}

// CHECK:         func.func @stays(%a: memref<?xf64>, %at: memref<?xindex>, %r: memref<?xf64>, %t: index) {
// CHECK-NEXT:      %c0 = arith.constant 0 : index
// CHECK-NEXT:      %c1 = arith.constant 1 : index
// CHECK-NEXT:      %n = memref.dim %r, %c0 : memref<?xf64>
// CHECK-NEXT:      %m = memref.dim %a, %c0 : memref<?xf64>
// CHECK-NEXT:      %last = arith.subi %m, %c1 : index
// CHECK-NEXT:      "scf.parallel"(%c0, %n, %c1) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
// CHECK-NEXT:      ^bb0(%i: index):
// CHECK-NEXT:        %0 = arith.addi %i, %c1 : index
// CHECK-NEXT:        %1 = arith.minsi %0, %last : index
// CHECK-NEXT:        %x = memref.load %a[%1] : memref<?xf64>
// CHECK-NEXT:        %2 = arith.subi %i, %c1 : index
// CHECK-NEXT:        %3 = arith.maxsi %2, %c0 : index
// CHECK-NEXT:        %y = memref.load %a[%3] : memref<?xf64>
// CHECK-NEXT:        %4 = memref.load %at[%i] : memref<?xindex>
// CHECK-NEXT:        %5 = arith.minsi %4, %last : index
// CHECK-NEXT:        %6 = arith.maxsi %5, %c0 : index
// CHECK-NEXT:        %z = memref.load %a[%6] : memref<?xf64>
// CHECK-NEXT:        %7 = arith.minsi %t, %last : index
// CHECK-NEXT:        %8 = arith.maxsi %7, %c0 : index
// CHECK-NEXT:        %w = memref.load %a[%8] : memref<?xf64>
// CHECK-NEXT:        %9 = arith.addf %x, %y : f64
// CHECK-NEXT:        %10 = arith.addf %z, %w : f64
// CHECK-NEXT:        %11 = arith.addf %9, %10 : f64
// CHECK-NEXT:        memref.store %11, %r[%i] : memref<?xf64>
// CHECK-NEXT:        scf.reduce
// CHECK-NEXT:      }) : (index, index, index) -> ()
// CHECK-NEXT:      func.return
// CHECK-NEXT:    }

// -----

// A loop whose number of steps is read has a test of its own; the position in the slow version stays.
func.func @segments(%a: memref<?xf64>, %start: memref<?xindex>, %end: memref<?xindex>, %r: memref<?xf64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  %n = memref.dim %r, %c0 : memref<?xf64>
  %m = memref.dim %a, %c0 : memref<?xf64>
  %last = arith.subi %m, %c1 : index
  "scf.parallel"(%c0, %n, %c1) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
  ^bb0(%i: index):
    %first = memref.load %start[%i] : memref<?xindex>
    %count = memref.load %end[%i] : memref<?xindex>
    %s = scf.for %k = %c0 to %count step %c1 iter_args(%acc = %zero) -> (f64) {
      %0 = arith.addi %first, %k : index
      %1 = arith.minsi %0, %last : index
      %2 = arith.maxsi %1, %c0 : index
      %x = memref.load %a[%2] : memref<?xf64>
      %y = arith.addf %acc, %x : f64
      scf.yield %y : f64
    }
    memref.store %s, %r[%i] : memref<?xf64>
    scf.reduce
  }) : (index, index, index) -> ()
  func.return
}

// CHECK:         func.func @segments(%a: memref<?xf64>, %start: memref<?xindex>, %end: memref<?xindex>, %r: memref<?xf64>) {
// CHECK-NEXT:        %c0 = arith.constant 0 : index
// CHECK-NEXT:        %c1 = arith.constant 1 : index
// CHECK-NEXT:        %zero = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:        %n = memref.dim %r, %c0 : memref<?xf64>
// CHECK-NEXT:        %m = memref.dim %a, %c0 : memref<?xf64>
// CHECK-NEXT:        %last = arith.subi %m, %c1 : index
// CHECK-NEXT:        "scf.parallel"(%c0, %n, %c1) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
// CHECK-NEXT:        ^bb0(%i: index):
// CHECK-NEXT:          %first = memref.load %start[%i] : memref<?xindex>
// CHECK-NEXT:          %count = memref.load %end[%i] : memref<?xindex>
// CHECK-NEXT:          %0 = arith.constant 17592186044416 : index
// CHECK-NEXT:          %1 = arith.cmpi ule, %first, %0 : index
// CHECK-NEXT:          %2 = arith.cmpi ule, %count, %0 : index
// CHECK-NEXT:          %3 = arith.addi %first, %count : index
// CHECK-NEXT:          %4 = arith.subi %3, %m : index
// CHECK-NEXT:          %5 = arith.constant 0 : index
// CHECK-NEXT:          %6 = arith.cmpi sle, %4, %5 : index
// CHECK-NEXT:          %7 = arith.andi %1, %2 : i1
// CHECK-NEXT:          %8 = arith.andi %7, %6 : i1
// CHECK-NEXT:          %s = scf.if %8 -> (f64) {
// CHECK-NEXT:            %9 = arith.constant 17592186044416 : index
// CHECK-NEXT:            %10 = arith.minui %first, %9 : index
// CHECK-NEXT:            %11 = arith.minui %count, %9 : index
// CHECK-NEXT:            %s_1 = scf.for %k = %c0 to %11 step %c1 iter_args(%acc = %zero) -> (f64) {
// CHECK-NEXT:              %12 = arith.addi %10, %k : index
// CHECK-NEXT:              %x = memref.load %a[%12] : memref<?xf64>
// CHECK-NEXT:              %y = arith.addf %acc, %x : f64
// CHECK-NEXT:              scf.yield %y : f64
// CHECK-NEXT:            }
// CHECK-NEXT:            scf.yield %s_1 : f64
// CHECK-NEXT:          } else {
// CHECK-NEXT:            %s_2 = scf.for %k_1 = %c0 to %count step %c1 iter_args(%acc_1 = %zero) -> (f64) {
// CHECK-NEXT:              %13 = arith.addi %first, %k_1 : index
// CHECK-NEXT:              %14 = arith.minsi %13, %last : index
// CHECK-NEXT:              %15 = arith.maxsi %14, %c0 : index
// CHECK-NEXT:              %x_1 = memref.load %a[%15] : memref<?xf64>
// CHECK-NEXT:              %y_1 = arith.addf %acc_1, %x_1 : f64
// CHECK-NEXT:              scf.yield %y_1 : f64
// CHECK-NEXT:            }
// CHECK-NEXT:            scf.yield %s_2 : f64
// CHECK-NEXT:          }
// CHECK-NEXT:          memref.store %s, %r[%i] : memref<?xf64>
// CHECK-NEXT:          scf.reduce
// CHECK-NEXT:        }) : (index, index, index) -> ()
// CHECK-NEXT:        func.return
// CHECK-NEXT:      }

// -----

// A position that is not negative, in an array whose size varies: there is no test.
func.func @growing(%n: index) -> f64 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  %r = "scf.for"(%c0, %n, %c1, %zero) ({
  ^bb0(%k: index, %acc: f64):
    %size = arith.addi %k, %c1 : index
    %s = memref.alloc(%size) : memref<?xf64>
    memref.store %acc, %s[%c0] : memref<?xf64>
    %p = arith.addi %k, %n : index
    %last = arith.subi %size, %c1 : index
    %q = arith.minsi %p, %last : index
    %x = memref.load %s[%q] : memref<?xf64>
    scf.yield %x : f64
  }) : (index, index, index, f64) -> f64
  func.return %r : f64
}

// CHECK:         func.func @growing(
// CHECK-NOT:     scf.if
// CHECK:         %[[Q:.*]] = arith.minsi
// CHECK-NEXT:    memref.load %s[%[[Q]]]

// -----

// An index is tested as a size; its Int is that of the tested one.
func.func @index_as_int(%a: memref<?xf64>, %r: memref<?xf64>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  %m = memref.dim %a, %c0 : memref<?xf64>
  %last = arith.subi %m, %c1 : index
  "scf.parallel"(%c0, %n, %c1) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
  ^bb0(%i: index):
    %j = arith.index_cast %i : index to i64
    %size = arith.index_cast %m : index to i64
    %count = arith.minsi %j, %size : i64
    %steps = arith.index_cast %count : i64 to index
    %sum = scf.for %k = %c0 to %steps step %c1 iter_args(%acc = %zero) -> (f64) {
      %l = arith.index_cast %k : index to i64
      %p = arith.addi %l, %j : i64
      %q = arith.index_cast %p : i64 to index
      %s = arith.minsi %q, %last : index
      %x = memref.load %a[%s] : memref<?xf64>
      %next = arith.addf %acc, %x : f64
      scf.yield %next : f64
    }
    memref.store %sum, %r[%i] : memref<?xf64>
    scf.reduce
  }) : (index, index, index) -> ()
  func.return
}

// CHECK-LABEL:   func.func @index_as_int(
// CHECK:             %sum = scf.if
// CHECK:               [[I:%[0-9]+]] = arith.minui %i, [[MOST:%[0-9]+]] : index
// CHECK-NEXT:          [[J:%[0-9]+]] = arith.index_cast [[I]] : index to i64
// CHECK:                 %p = arith.addi %l, [[J]] : i64

// -----

// Of a position that is negative in the first step, the clip from above is tested.
func.func @before_the_start(%a: memref<?xf64>, %r: memref<?xf64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %r, %c0 : memref<?xf64>
  %m = memref.dim %a, %c0 : memref<?xf64>
  %last = arith.subi %m, %c1 : index
  "scf.parallel"(%c0, %n, %c1) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
  ^bb0(%i: index):
    %p = arith.subi %i, %c1 : index
    %q = arith.minsi %p, %last : index
    %s = arith.maxsi %q, %c0 : index
    %x = memref.load %a[%s] : memref<?xf64>
    memref.store %x, %r[%i] : memref<?xf64>
    scf.reduce
  }) : (index, index, index) -> ()
  func.return
}

// CHECK-LABEL:   func.func @before_the_start(
// CHECK:           scf.if
// CHECK:             %p = arith.subi %i, %c1 : index
// CHECK-NEXT:        %s = arith.maxsi %p, %c0 : index
// CHECK-NEXT:        memref.load %a[%s]
// CHECK:           } else {
// CHECK:             %q = arith.minsi
// CHECK-NEXT:        %s_1 = arith.maxsi %q, %c0 : index

// -----

// The last bits of a number, such as those of a key of a table, are at most their mask.

func.func @table(%a: memref<?xf64>, %keys: memref<?xi64>, %r: memref<?xf64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %mask = arith.constant 255 : i64
  %n = memref.dim %keys, %c0 : memref<?xi64>
  %m = memref.dim %a, %c0 : memref<?xf64>
  %last = arith.subi %m, %c1 : index
  "scf.parallel"(%c0, %n, %c1) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
  ^bb0(%i: index):
    %key = memref.load %keys[%i] : memref<?xi64>
    %bits = arith.andi %key, %mask : i64
    %p = arith.index_cast %bits : i64 to index
    %q = arith.minsi %p, %last : index
    %x = memref.load %a[%q] : memref<?xf64>
    memref.store %x, %r[%i] : memref<?xf64>
    scf.reduce
  }) : (index, index, index) -> ()
  func.return
}
// CHECK-LABEL:   func.func @table(
// CHECK:           %[[TEST:.*]] = arith.cmpi sle
// CHECK-NEXT:      scf.if %[[TEST]] {
// CHECK:             %p = arith.index_cast %bits : i64 to index
// CHECK-NEXT:        %x = memref.load %a[%p] : memref<?xf64>
// CHECK:           } else {
// CHECK:             arith.minsi

// -----

// The elements of a row of this product are loops of one count, which is computed in the nest: the
// row is a loop in the nest, with the count before it.

func.func @rows_of_one_count(%ends: memref<?xindex>, %columns: memref<?xindex>, %b: memref<?x?xf64>, %c: memref<?x?xf64>, %n: index, %m: index, %zero: f64) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  "scf.parallel"(%c0, %c0, %n, %m, %c1, %c1) <{operandSegmentSizes = array<i32: 2, 2, 2, 0>}> ({
  ^bb0(%i: index, %j: index):
    %count = memref.load %ends[%i] : memref<?xindex>
    %bias = memref.load %b[%c0, %j] : memref<?x?xf64>
    %old = memref.load %c[%i, %c0] : memref<?x?xf64>
    %is_count = arith.cmpi sge, %count, %c0 : index
    cf.assert %is_count, "a count is negative"
    %s = scf.for %k = %c0 to %count step %c1 iter_args(%acc = %bias) -> (f64) {
      %p = memref.load %columns[%k] : memref<?xindex>
      %x = memref.load %b[%p, %j] : memref<?x?xf64>
      %next = arith.addf %acc, %x : f64
      scf.yield %next : f64
    }
    %sum = arith.addf %s, %old : f64
    memref.store %sum, %c[%i, %j] : memref<?x?xf64>
    scf.reduce
  }) : (index, index, index, index, index, index) -> ()
  func.return
}

// CHECK-LABEL: func.func @rows_of_one_count(
// CHECK:         "scf.parallel"(%c0, %n, %c1)
// CHECK-NEXT:    ^bb0(%i: index):
// CHECK-NEXT:      %count = memref.load %ends[%i] : memref<?xindex>
// CHECK-NEXT:      %is_count = arith.cmpi sge, %count, %c0 : index
// CHECK-NEXT:      cf.assert %is_count, "a count is negative"
// CHECK-NEXT:      "scf.parallel"(%c0, %m, %c1)
// CHECK-NEXT:      ^bb0(%j: index):
// CHECK-NEXT:        %bias = memref.load %b[%c0, %j] : memref<?x?xf64>
// CHECK-NEXT:        %old = memref.load %c[%i, %c0] : memref<?x?xf64>
// CHECK-NEXT:        %s = scf.for %k = %c0 to %count step %c1

// -----

// A branch without an alternative may be beside such a loop.

func.func @rows_with_branch(%ends: memref<?xindex>, %b: memref<?x?xf64>, %c: memref<?x?xf64>, %n: index, %m: index, %zero: f64) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  "scf.parallel"(%c0, %c0, %n, %m, %c1, %c1) <{operandSegmentSizes = array<i32: 2, 2, 2, 0>}> ({
  ^bb0(%i: index, %j: index):
    %count = memref.load %ends[%i] : memref<?xindex>
    %is_first = arith.cmpi eq, %j, %c0 : index
    scf.if %is_first {
      memref.store %zero, %c[%i, %j] : memref<?x?xf64>
    }
    %s = scf.for %k = %c0 to %count step %c1 iter_args(%acc = %zero) -> (f64) {
      %x = memref.load %b[%k, %j] : memref<?x?xf64>
      %next = arith.addf %acc, %x : f64
      scf.yield %next : f64
    }
    memref.store %s, %c[%i, %j] : memref<?x?xf64>
    scf.reduce
  }) : (index, index, index, index, index, index) -> ()
  func.return
}

// CHECK-LABEL: func.func @rows_with_branch(
// CHECK:         "scf.parallel"(%c0, %n, %c1)
// CHECK:           "scf.parallel"(%c0, %m, %c1)
// CHECK:             scf.if %is_first {

// -----

// A loop that is the same for all elements of a row runs once for it, if the row has an element.

func.func @rows_of_one_loop(%b: memref<?xf64>, %c: memref<?x?xf64>, %n: index, %m: index, %zero: f64) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  "scf.parallel"(%c0, %c0, %n, %m, %c1, %c1) <{operandSegmentSizes = array<i32: 2, 2, 2, 0>}> ({
  ^bb0(%i: index, %j: index):
    %s = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %zero) -> (f64) {
      %x = memref.load %b[%i] : memref<?xf64>
      %next = arith.addf %acc, %x : f64
      scf.yield %next : f64
    }
    %y = memref.load %b[%j] : memref<?xf64>
    %z = arith.mulf %s, %y : f64
    memref.store %z, %c[%i, %j] : memref<?x?xf64>
    scf.reduce
  }) : (index, index, index, index, index, index) -> ()
  func.return
}

// CHECK-LABEL: func.func @rows_of_one_loop(
// CHECK:         %0 = arith.cmpi slt, %c0, %m : index
// CHECK-NEXT:    scf.if %0 {
// CHECK-NEXT:      "scf.parallel"(%c0, %n, %c1)
// CHECK-NEXT:      ^bb0(%i: index):
// CHECK-NEXT:        %s = scf.for %k = %c0 to %n step %c1
// CHECK:             "scf.parallel"(%c0, %m, %c1)
// CHECK-NEXT:        ^bb0(%j: index):
// CHECK-NEXT:          %y = memref.load %b[%j]

// -----

// Not if the loop reads elements that the nest writes.

func.func @rows_of_written_elements(%c: memref<?x?xf64>, %n: index, %m: index, %zero: f64) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  "scf.parallel"(%c0, %c0, %n, %m, %c1, %c1) <{operandSegmentSizes = array<i32: 2, 2, 2, 0>}> ({
  ^bb0(%i: index, %j: index):
    %s = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %zero) -> (f64) {
      %x = memref.load %c[%i, %c0] : memref<?x?xf64>
      %next = arith.addf %acc, %x : f64
      scf.yield %next : f64
    }
    memref.store %s, %c[%i, %j] : memref<?x?xf64>
    scf.reduce
  }) : (index, index, index, index, index, index) -> ()
  func.return
}

// CHECK-LABEL: func.func @rows_of_written_elements(
// CHECK:         "scf.parallel"(%c0, %c0, %n, %m, %c1, %c1)

// -----

// The remainder by a literal is below it.

func.func @ring(%b: memref<?xi64>, %c: memref<?xi64>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %size = memref.dim %b, %c0 : memref<?xi64>
  %last = arith.subi %size, %c1 : index
  "scf.parallel"(%c0, %n, %c1) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
  ^bb0(%i: index):
    %rest = arith.remui %i, %c5 : index
    %below = arith.minsi %rest, %last : index
    %place = arith.maxsi %below, %c0 : index
    %x = memref.load %b[%place] : memref<?xi64>
    memref.store %x, %c[%i] : memref<?xi64>
    scf.reduce
  }) : (index, index, index) -> ()
  func.return
}

// CHECK-LABEL: func.func @ring(
// CHECK:         scf.if
// CHECK:           memref.load %b[%rest]
// CHECK:         } else {
// CHECK:           memref.load %b[%place]

// -----

// A guarded store, and an array that is replaced by zeros if it is empty.

func.func @in_place(%a: memref<?xf64>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %size = memref.dim %a, %c0 : memref<?xf64>
  %last = arith.subi %size, %c1 : index
  %is_empty = arith.cmpi eq, %size, %c0 : index
  %zeros = memref.alloc(%c1) : memref<?xf64>
  scf.for %i = %c0 to %n step %c1 {
    scf.for %k = %c0 to %n step %c1 {
      %b = scf.if %is_empty -> (memref<?xf64>) {
        scf.yield %zeros : memref<?xf64>
      } else {
        scf.yield %a : memref<?xf64>
      }
      %p = arith.minsi %k, %last : index
      %x = memref.load %b[%p] : memref<?xf64>
      %in_bounds = arith.cmpi ult, %k, %size : index
      scf.if %in_bounds {
        memref.store %x, %a[%k] : memref<?xf64>
      }
    }
  }
  memref.dealloc %zeros : memref<?xf64>
  func.return
}

// CHECK-LABEL: func.func @in_place(
// CHECK:         scf.if %{{.*}} {
// CHECK:           scf.for %k = %c0 to %{{.*}} step %c1 {
// CHECK-NEXT:        %x = memref.load %a[%k] : memref<?xf64>
// CHECK-NEXT:        memref.store %x, %a[%k] : memref<?xf64>
// CHECK-NEXT:      }
// CHECK:         } else {
// CHECK:           arith.minsi %{{.*}}, %last : index
// CHECK:           memref.load %{{.*}}[%{{.*}}] : memref<?xf64>
// CHECK:           arith.cmpi ult, %{{.*}}, %size : index

// -----

// Steps beyond the last interval do nothing.

func.func @intervals(%m: memref<?x?xf64>, %p: memref<?xf64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %m, %c0 : memref<?x?xf64>
  scf.for %l = %c0 to %n step %c1 {
    "scf.parallel"(%c0, %n, %c1) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
    ^bb0(%i: index):
      %x = memref.load %p[%i] : memref<?xf64>
      %j = arith.addi %i, %l : index
      %in_bounds = arith.cmpi ult, %j, %n : index
      scf.if %in_bounds {
        memref.store %x, %m[%i, %j] : memref<?x?xf64>
      }
      scf.reduce
    }) : (index, index, index) -> ()
  }
  func.return
}

// CHECK-LABEL: func.func @intervals(
// CHECK:           [[END:%.*]] = arith.subi %n, %l : index
// CHECK:           [[COUNT:%.*]] = arith.maxsi [[END]], %{{.*}} : index
// CHECK-NEXT:      "scf.parallel"(%c0, [[COUNT]], %c1)
// CHECK:             %j = arith.addi %i, %l : index
// CHECK-NEXT:        memref.store %x, %m[%i, %j] : memref<?x?xf64>
// CHECK-NEXT:        scf.reduce

// -----

// A position that may be negative, and a step that does more, stay.

func.func @before(%m: memref<?xf64>, %p: memref<?xf64>, %k: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %m, %c0 : memref<?xf64>
  "scf.parallel"(%c0, %n, %c1) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
  ^bb0(%i: index):
    %x = memref.load %p[%i] : memref<?xf64>
    %j = arith.subi %i, %c1 : index
    %in_bounds = arith.cmpi ult, %j, %n : index
    scf.if %in_bounds {
      memref.store %x, %m[%j] : memref<?xf64>
    }
    scf.reduce
  }) : (index, index, index) -> ()
  "scf.parallel"(%c0, %n, %c1) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
  ^bb0(%i: index):
    %x = memref.load %p[%i] : memref<?xf64>
    %j = arith.addi %i, %c1 : index
    %in_bounds = arith.cmpi ult, %j, %n : index
    scf.if %in_bounds {
      memref.store %x, %m[%j] : memref<?xf64>
    }
    memref.store %x, %p[%c0] : memref<?xf64>
    scf.reduce
  }) : (index, index, index) -> ()
  func.return
}

// CHECK-LABEL: func.func @before(
// CHECK:           "scf.parallel"(%c0, %n, %c1)
// CHECK:             scf.if %in_bounds
// CHECK:           "scf.parallel"(%c0, %n, %c1)
// CHECK:             scf.if %in_bounds

// -----

// A loop by a condition follows positions: the clip is in a branch that is seldom taken. That of a
// loop over a counter inside stays.

func.func @roots(%p: memref<?xi64>, %start: index, %n: index) -> index {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %size = memref.dim %p, %c0 : memref<?xi64>
  %last = arith.subi %size, %c1 : index
  %r = scf.while (%v = %start) : (index) -> index {
    %a = arith.minsi %v, %last : index
    %b = arith.maxsi %a, %c0 : index
    %x = memref.load %p[%b] : memref<?xi64>
    %w = arith.index_cast %x : i64 to index
    %goes_on = arith.cmpi ne, %w, %v : index
    scf.condition(%goes_on) %w : index
  } do {
  ^bb0(%v: index):
    scf.for %k = %c0 to %n step %c1 {
      %s = arith.muli %v, %k : index
      %a = arith.minsi %s, %last : index
      %b = arith.maxsi %a, %c0 : index
      %x = memref.load %p[%b] : memref<?xi64>
      memref.store %x, %p[%c0] : memref<?xi64>
    }
    scf.yield %v : index
  }
  func.return %r : index
}

// CHECK-LABEL: func.func @roots(
// CHECK:           scf.while
// CHECK:             [[SIZE:%.*]] = arith.addi %last, %{{.*}} : index
// CHECK-NEXT:        [[TEST:%.*]] = arith.cmpi ult, %v, [[SIZE]] : index
// CHECK-NEXT:        [[P:%.*]] = scf.if [[TEST]] -> (index) {
// CHECK-NEXT:          scf.yield %v : index
// CHECK-NEXT:        } else {
// CHECK-NEXT:          [[A:%.*]] = arith.minsi %v, %last : index
// CHECK-NEXT:          [[B:%.*]] = arith.maxsi [[A]], %c0 : index
// CHECK-NEXT:          scf.yield [[B]] : index
// CHECK-NEXT:        }{ein.likely}
// CHECK-NEXT:        memref.load %p[[[P]]] : memref<?xi64>
// CHECK:             scf.for
// CHECK-NEXT:          arith.muli
// CHECK-NEXT:          arith.minsi
// CHECK-NEXT:          arith.maxsi

// -----

// So are positions that a loop over a counter carries, not those that it reads elsewhere.

func.func @walk(%p: memref<?xindex>, %q: memref<?xindex>, %start: index, %n: index) -> index {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %size = memref.dim %p, %c0 : memref<?xindex>
  %last = arith.subi %size, %c1 : index
  %r = scf.for %k = %c0 to %n step %c1 iter_args(%v = %start) -> (index) {
    %a = arith.minsi %v, %last : index
    %b = arith.maxsi %a, %c0 : index
    %x = memref.load %p[%b] : memref<?xindex>
    %y = memref.load %q[%c0] : memref<?xindex>
    %c = arith.minsi %y, %last : index
    %d = arith.maxsi %c, %c0 : index
    %z = memref.load %p[%d] : memref<?xindex>
    %next = arith.addi %x, %z : index
    scf.yield %next : index
  }
  func.return %r : index
}

// CHECK-LABEL: func.func @walk(
// CHECK:           scf.for
// CHECK:             scf.if %{{.*}} -> (index) {
// CHECK:             }{ein.likely}
// CHECK:             arith.minsi %y, %last : index
// CHECK-NEXT:        arith.maxsi
// CHECK-NEXT:        memref.load
