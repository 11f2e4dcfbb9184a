// RUN: ein-opt %s --split-input-file -p split-loops | filecheck %s

// A parallel loop is split where a clip or a comparison of its last index changes.

func.func @before(%a: memref<?x?xf64>, %r: memref<?x?xf64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %a, %c0 : memref<?x?xf64>
  %m = memref.dim %a, %c1 : memref<?x?xf64>
  "scf.parallel"(%c0, %c0, %n, %m, %c1, %c1) <{operandSegmentSizes = array<i32: 2, 2, 2, 0>}> ({
  ^bb0(%i: index, %j: index):
    %p = arith.subi %j, %c1 : index
    %q = arith.maxsi %p, %c0 : index
    %x = memref.load %a[%i, %q] : memref<?x?xf64>
    memref.store %x, %r[%i, %j] : memref<?x?xf64>
    scf.reduce
  }) : (index, index, index, index, index, index) -> ()
  func.return
}

// CHECK:         func.func @before(%a: memref<?x?xf64>, %r: memref<?x?xf64>) {
// CHECK-NEXT:      %c0 = arith.constant 0 : index
// CHECK-NEXT:      %c1 = arith.constant 1 : index
// CHECK-NEXT:      %n = memref.dim %a, %c0 : memref<?x?xf64>
// CHECK-NEXT:      %m = memref.dim %a, %c1 : memref<?x?xf64>
// CHECK-NEXT:      %0 = arith.constant 0 : index
// CHECK-NEXT:      %1 = arith.constant 1 : index
// CHECK-NEXT:      %2 = arith.maxsi %0, %1 : index
// CHECK-NEXT:      %3 = arith.minsi %2, %m : index
// CHECK-NEXT:      %4 = arith.maxsi %m, %3 : index
// CHECK-NEXT:      %5 = arith.subi %4, %3 : index
// CHECK-NEXT:      %6 = arith.subi %m, %5 : index
// CHECK-NEXT:      "scf.parallel"(%c0, %n, %c1) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
// CHECK-NEXT:      ^bb0(%i: index):
// CHECK-NEXT:        "scf.parallel"(%c0, %5, %c1) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
// CHECK-NEXT:        ^bb0(%7: index):
// CHECK-NEXT:          %8 = arith.addi %3, %7 : index
// CHECK-NEXT:          %p = arith.subi %8, %c1 : index
// CHECK-NEXT:          %x = memref.load %a[%i, %p] : memref<?x?xf64>
// CHECK-NEXT:          memref.store %x, %r[%i, %8] : memref<?x?xf64>
// CHECK-NEXT:          scf.reduce
// CHECK-NEXT:        }) : (index, index, index) -> ()
// CHECK-NEXT:        "scf.parallel"(%c0, %6, %c1) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
// CHECK-NEXT:        ^bb0(%9: index):
// CHECK-NEXT:          %x_1 = memref.load %a[%i, %c0] : memref<?x?xf64>
// CHECK-NEXT:          memref.store %x_1, %r[%i, %9] : memref<?x?xf64>
// CHECK-NEXT:          scf.reduce
// CHECK-NEXT:        }) {ein.few_steps} : (index, index, index) -> ()
// CHECK-NEXT:        scf.reduce
// CHECK-NEXT:      }) : (index, index, index) -> ()
// CHECK-NEXT:      func.return
// CHECK-NEXT:    }

// -----

// The remainder at both ends of an axis; one axis is split as a whole.
func.func @around(%a: memref<?xf64>, %r: memref<?xf64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %a, %c0 : memref<?xf64>
  "scf.parallel"(%c0, %n, %c1) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
  ^bb0(%i: index):
    %p = arith.addi %i, %c1 : index
    %low = arith.cmpi sge, %p, %c0 : index
    %high = arith.cmpi slt, %p, %n : index
    %in = arith.andi %low, %high : i1
    %rest = arith.remsi %p, %n : index
    %q = arith.select %in, %p, %rest : index
    %x = memref.load %a[%q] : memref<?xf64>
    memref.store %x, %r[%i] : memref<?xf64>
    scf.reduce
  }) : (index, index, index) -> ()
  func.return
}

// CHECK:         func.func @around(%a: memref<?xf64>, %r: memref<?xf64>) {
// CHECK-NEXT:      %c0 = arith.constant 0 : index
// CHECK-NEXT:      %c1 = arith.constant 1 : index
// CHECK-NEXT:      %n = memref.dim %a, %c0 : memref<?xf64>
// CHECK-NEXT:      %0 = arith.constant 0 : index
// CHECK-NEXT:      %1 = arith.constant 1 : index
// CHECK-NEXT:      %2 = arith.subi %n, %1 : index
// CHECK-NEXT:      %3 = arith.minsi %n, %2 : index
// CHECK-NEXT:      %4 = arith.maxsi %3, %0 : index
// CHECK-NEXT:      %5 = arith.subi %4, %0 : index
// CHECK-NEXT:      %6 = arith.subi %n, %5 : index
// CHECK-NEXT:      "scf.parallel"(%c0, %5, %c1) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
// CHECK-NEXT:      ^bb0(%7: index):
// CHECK-NEXT:        %8 = arith.addi %0, %7 : index
// CHECK-NEXT:        %p = arith.addi %8, %c1 : index
// CHECK-NEXT:        %x = memref.load %a[%p] : memref<?xf64>
// CHECK-NEXT:        memref.store %x, %r[%8] : memref<?xf64>
// CHECK-NEXT:        scf.reduce
// CHECK-NEXT:      }) : (index, index, index) -> ()
// CHECK-NEXT:      "scf.parallel"(%c0, %6, %c1) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
// CHECK-NEXT:      ^bb0(%9: index):
// CHECK-NEXT:        %10 = arith.addi %9, %5 : index
// CHECK-NEXT:        %p_1 = arith.addi %10, %c1 : index
// CHECK-NEXT:        %rest = arith.remsi %p_1, %n : index
// CHECK-NEXT:        %x_1 = memref.load %a[%rest] : memref<?xf64>
// CHECK-NEXT:        memref.store %x_1, %r[%10] : memref<?xf64>
// CHECK-NEXT:        scf.reduce
// CHECK-NEXT:      }) {ein.few_steps} : (index, index, index) -> ()
// CHECK-NEXT:      func.return
// CHECK-NEXT:    }

// -----

// A sum takes its steps in order: before the interior, inside, and after it.
func.func @sum_around(%a: memref<?xf64>) -> f64 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  %n = memref.dim %a, %c0 : memref<?xf64>
  %s = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (f64) {
    %p = arith.addi %i, %c1 : index
    %in = arith.cmpi slt, %p, %n : index
    %rest = arith.remsi %p, %n : index
    %q = arith.select %in, %p, %rest : index
    %x = memref.load %a[%q] : memref<?xf64>
    %next = arith.addf %acc, %x fastmath<reassoc> : f64
    scf.yield %next : f64
  }
  func.return %s : f64
}

// CHECK:         func.func @sum_around
// CHECK:           %[[HIGH:.*]] = arith.addi %[[LOW:.*]], %[[INSIDE:.*]] : index
// CHECK-NEXT:      %[[MIDDLE:.*]] = scf.for %[[K:.*]] = %[[LOW]] to %[[HIGH]] step %c1 iter_args(%[[ACC:.*]] = %zero) -> (f64) {
// CHECK-NEXT:        %p = arith.addi %[[K]], %c1 : index
// CHECK-NEXT:        %x = memref.load %a[%p] : memref<?xf64>
// CHECK-NEXT:        %next = arith.addf %[[ACC]], %x fastmath<reassoc> : f64
// CHECK-NEXT:        scf.yield %next : f64
// CHECK-NEXT:      }
// CHECK-NEXT:      %s = scf.for %{{.*}} = %[[HIGH]] to %n step %c1 iter_args(%{{.*}} = %[[MIDDLE]]) -> (f64) {
// CHECK-NOT:         arith.select
// CHECK:           } {ein.few_steps}
// CHECK-NEXT:      func.return %s : f64

// -----

// The steps before the interior come first.
func.func @sum_before(%a: memref<?xf64>) -> f64 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  %n = memref.dim %a, %c0 : memref<?xf64>
  %s = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (f64) {
    %p = arith.subi %i, %c1 : index
    %q = arith.maxsi %p, %c0 : index
    %x = memref.load %a[%q] : memref<?xf64>
    %next = arith.addf %acc, %x fastmath<reassoc> : f64
    scf.yield %next : f64
  }
  func.return %s : f64
}

// CHECK:         func.func @sum_before
// CHECK:           %[[FIRST:.*]] = scf.for %{{.*}} = %c0 to %[[LOW:.*]] step %c1
// CHECK-NEXT:        %{{.*}} = memref.load %a[%c0] : memref<?xf64>
// CHECK:           } {ein.few_steps}
// CHECK-NEXT:      %s = scf.for %{{.*}} = %[[LOW]] to %{{.*}} step %c1 iter_args(%{{.*}} = %[[FIRST]]) -> (f64) {
// CHECK-NOT:         arith.maxsi
// CHECK:           }
// CHECK-NEXT:      func.return %s : f64

// -----

// Not if the steps wait for each other.
func.func @recurrence_around(%a: memref<?xf64>) -> f64 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  %n = memref.dim %a, %c0 : memref<?xf64>
  %s = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (f64) {
    %p = arith.addi %i, %c1 : index
    %in = arith.cmpi slt, %p, %n : index
    %q = arith.select %in, %p, %c0 : index
    %x = memref.load %a[%q] : memref<?xf64>
    %y = arith.mulf %acc, %x : f64
    %next = arith.addf %y, %x : f64
    scf.yield %next : f64
  }
  func.return %s : f64
}

// CHECK:         func.func @recurrence_around
// CHECK-COUNT-1: scf.for
// CHECK-NOT:     scf.for
// CHECK:           func.return

// -----

// A nest with a loop is split as a whole, if most of it is inside.
func.func @window(%a: memref<?xf64>, %w: memref<?xf64>, %r: memref<?xf64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  %n = memref.dim %a, %c0 : memref<?xf64>
  %k = memref.dim %w, %c0 : memref<?xf64>
  %last = arith.subi %n, %c1 : index
  "scf.parallel"(%c0, %n, %c1) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
  ^bb0(%i: index):
    %s = scf.for %t = %c0 to %k step %c1 iter_args(%acc = %zero) -> (f64) {
      %p = arith.addi %i, %t : index
      %q = arith.minsi %p, %last : index
      %x = memref.load %a[%q] : memref<?xf64>
      %y = arith.addf %acc, %x : f64
      scf.yield %y : f64
    }
    memref.store %s, %r[%i] : memref<?xf64>
    scf.reduce
  }) : (index, index, index) -> ()
  func.return
}

// CHECK:         func.func @window(%a: memref<?xf64>, %w: memref<?xf64>, %r: memref<?xf64>) {
// CHECK-NEXT:      %c0 = arith.constant 0 : index
// CHECK-NEXT:      %c1 = arith.constant 1 : index
// CHECK-NEXT:      %zero = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:      %n = memref.dim %a, %c0 : memref<?xf64>
// CHECK-NEXT:      %k = memref.dim %w, %c0 : memref<?xf64>
// CHECK-NEXT:      %last = arith.subi %n, %c1 : index
// CHECK-NEXT:      %0 = arith.constant 0 : index
// CHECK-NEXT:      %1 = arith.subi %n, %k : index
// CHECK-NEXT:      %2 = arith.constant 1 : index
// CHECK-NEXT:      %3 = arith.addi %1, %2 : index
// CHECK-NEXT:      %4 = arith.minsi %n, %3 : index
// CHECK-NEXT:      %5 = arith.maxsi %4, %0 : index
// CHECK-NEXT:      %6 = arith.subi %5, %0 : index
// CHECK-NEXT:      %7 = arith.subi %n, %6 : index
// CHECK-NEXT:      %8 = arith.cmpi sge, %6, %7 : index
// CHECK-NEXT:      scf.if %8 {
// CHECK-NEXT:        "scf.parallel"(%c0, %6, %c1) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
// CHECK-NEXT:        ^bb0(%9: index):
// CHECK-NEXT:          %10 = arith.addi %0, %9 : index
// CHECK-NEXT:          %s = scf.for %t = %c0 to %k step %c1 iter_args(%acc = %zero) -> (f64) {
// CHECK-NEXT:            %p = arith.addi %10, %t : index
// CHECK-NEXT:            %x = memref.load %a[%p] : memref<?xf64>
// CHECK-NEXT:            %y = arith.addf %acc, %x : f64
// CHECK-NEXT:            scf.yield %y : f64
// CHECK-NEXT:          }
// CHECK-NEXT:          memref.store %s, %r[%10] : memref<?xf64>
// CHECK-NEXT:          scf.reduce
// CHECK-NEXT:        }) : (index, index, index) -> ()
// CHECK-NEXT:        "scf.parallel"(%c0, %7, %c1) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
// CHECK-NEXT:        ^bb0(%11: index):
// CHECK-NEXT:          %12 = arith.addi %11, %6 : index
// CHECK-NEXT:          %s_1 = scf.for %t_1 = %c0 to %k step %c1 iter_args(%acc_1 = %zero) -> (f64) {
// CHECK-NEXT:            %p_1 = arith.addi %12, %t_1 : index
// CHECK-NEXT:            %q = arith.minsi %p_1, %last : index
// CHECK-NEXT:            %x_1 = memref.load %a[%q] : memref<?xf64>
// CHECK-NEXT:            %y_1 = arith.addf %acc_1, %x_1 : f64
// CHECK-NEXT:            scf.yield %y_1 : f64
// CHECK-NEXT:          }
// CHECK-NEXT:          memref.store %s_1, %r[%12] : memref<?xf64>
// CHECK-NEXT:          scf.reduce
// CHECK-NEXT:        }) : (index, index, index) -> ()
// CHECK-NEXT:      } else {
// CHECK-NEXT:        "scf.parallel"(%c0, %n, %c1) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
// CHECK-NEXT:        ^bb0(%i: index):
// CHECK-NEXT:          %s_2 = scf.for %t_2 = %c0 to %k step %c1 iter_args(%acc_2 = %zero) -> (f64) {
// CHECK-NEXT:            %p_2 = arith.addi %i, %t_2 : index
// CHECK-NEXT:            %q_1 = arith.minsi %p_2, %last : index
// CHECK-NEXT:            %x_2 = memref.load %a[%q_1] : memref<?xf64>
// CHECK-NEXT:            %y_2 = arith.addf %acc_2, %x_2 : f64
// CHECK-NEXT:            scf.yield %y_2 : f64
// CHECK-NEXT:          }
// CHECK-NEXT:          memref.store %s_2, %r[%i] : memref<?xf64>
// CHECK-NEXT:          scf.reduce
// CHECK-NEXT:        }) : (index, index, index) -> ()
// CHECK-NEXT:      }
// CHECK-NEXT:      func.return
// CHECK-NEXT:    }

// -----

// The clip is that of an outer axis, whose rows are contiguous anyway.
func.func @rows(%a: memref<?x?xf64>, %r: memref<?x?xf64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %a, %c0 : memref<?x?xf64>
  %m = memref.dim %a, %c1 : memref<?x?xf64>
  "scf.parallel"(%c0, %c0, %n, %m, %c1, %c1) <{operandSegmentSizes = array<i32: 2, 2, 2, 0>}> ({
  ^bb0(%i: index, %j: index):
    %p = arith.subi %i, %c1 : index
    %q = arith.maxsi %p, %c0 : index
    %x = memref.load %a[%q, %j] : memref<?x?xf64>
    memref.store %x, %r[%i, %j] : memref<?x?xf64>
    scf.reduce
  }) : (index, index, index, index, index, index) -> ()
  func.return
}

// CHECK:         func.func @rows(%a: memref<?x?xf64>, %r: memref<?x?xf64>) {
// CHECK-NEXT:      %c0 = arith.constant 0 : index
// CHECK-NEXT:      %c1 = arith.constant 1 : index
// CHECK-NEXT:      %n = memref.dim %a, %c0 : memref<?x?xf64>
// CHECK-NEXT:      %m = memref.dim %a, %c1 : memref<?x?xf64>
// CHECK-NEXT:      "scf.parallel"(%c0, %c0, %n, %m, %c1, %c1) <{operandSegmentSizes = array<i32: 2, 2, 2, 0>}> ({
// CHECK-NEXT:      ^bb0(%i: index, %j: index):
// CHECK-NEXT:        %p = arith.subi %i, %c1 : index
// CHECK-NEXT:        %q = arith.maxsi %p, %c0 : index
// CHECK-NEXT:        %x = memref.load %a[%q, %j] : memref<?x?xf64>
// CHECK-NEXT:        memref.store %x, %r[%i, %j] : memref<?x?xf64>
// CHECK-NEXT:        scf.reduce
// CHECK-NEXT:      }) : (index, index, index, index, index, index) -> ()
// CHECK-NEXT:      func.return
// CHECK-NEXT:    }

// -----

// A position is clipped from below, and then as an index from above, which it never exceeds.
func.func @cast(%a: memref<?xf64>, %r: memref<?xf64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %n = memref.dim %a, %c0 : memref<?xf64>
  %last = arith.subi %n, %c1 : index
  "scf.parallel"(%c0, %n, %c1) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
  ^bb0(%i: index):
    %k = arith.index_cast %i : index to i64
    %p = arith.subi %k, %one : i64
    %q = arith.maxsi %p, %zero : i64
    %s = arith.index_cast %q : i64 to index
    %t = arith.minsi %s, %last : index
    %x = memref.load %a[%t] : memref<?xf64>
    memref.store %x, %r[%i] : memref<?xf64>
    scf.reduce
  }) : (index, index, index) -> ()
  func.return
}

// CHECK:         func.func @cast(%a: memref<?xf64>, %r: memref<?xf64>) {
// CHECK-NEXT:      %c0 = arith.constant 0 : index
// CHECK-NEXT:      %c1 = arith.constant 1 : index
// CHECK-NEXT:      %zero = arith.constant 0 : i64
// CHECK-NEXT:      %one = arith.constant 1 : i64
// CHECK-NEXT:      %n = memref.dim %a, %c0 : memref<?xf64>
// CHECK-NEXT:      %last = arith.subi %n, %c1 : index
// CHECK-NEXT:      %0 = arith.constant 0 : index
// CHECK-NEXT:      %1 = arith.constant 1 : index
// CHECK-NEXT:      %2 = arith.maxsi %0, %1 : index
// CHECK-NEXT:      %3 = arith.minsi %2, %n : index
// CHECK-NEXT:      %4 = arith.maxsi %n, %3 : index
// CHECK-NEXT:      %5 = arith.subi %4, %3 : index
// CHECK-NEXT:      %6 = arith.subi %n, %5 : index
// CHECK-NEXT:      "scf.parallel"(%c0, %5, %c1) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
// CHECK-NEXT:      ^bb0(%7: index):
// CHECK-NEXT:        %8 = arith.addi %3, %7 : index
// CHECK-NEXT:        %k = arith.index_cast %8 : index to i64
// CHECK-NEXT:        %p = arith.subi %k, %one : i64
// CHECK-NEXT:        %s = arith.index_cast %p : i64 to index
// CHECK-NEXT:        %x = memref.load %a[%s] : memref<?xf64>
// CHECK-NEXT:        memref.store %x, %r[%8] : memref<?xf64>
// CHECK-NEXT:        scf.reduce
// CHECK-NEXT:      }) : (index, index, index) -> ()
// CHECK-NEXT:      "scf.parallel"(%c0, %6, %c1) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
// CHECK-NEXT:      ^bb0(%9: index):
// CHECK-NEXT:        %s_1 = arith.index_cast %zero : i64 to index
// CHECK-NEXT:        %t = arith.minsi %s_1, %last : index
// CHECK-NEXT:        %x_1 = memref.load %a[%t] : memref<?xf64>
// CHECK-NEXT:        memref.store %x_1, %r[%9] : memref<?xf64>
// CHECK-NEXT:        scf.reduce
// CHECK-NEXT:      }) {ein.few_steps} : (index, index, index) -> ()
// CHECK-NEXT:      func.return
// CHECK-NEXT:    }

// -----

// An assertion before the loop holds that an Int is a size.
func.func @asserted(%a: memref<?xf64>, %m: i64, %r: memref<?xf64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i64
  %most = arith.constant 17592186044416 : i64
  %is_least = arith.cmpi sge, %m, %zero : i64
  cf.assert %is_least, "negative"
  %is_most = arith.cmpi sle, %m, %most : i64
  cf.assert %is_most, "too large"
  %n = arith.index_cast %m : i64 to index
  "scf.parallel"(%c0, %n, %c1) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
  ^bb0(%i: index):
    %p = arith.subi %i, %c1 : index
    %q = arith.maxsi %p, %c0 : index
    %x = memref.load %a[%q] : memref<?xf64>
    memref.store %x, %r[%i] : memref<?xf64>
    scf.reduce
  }) : (index, index, index) -> ()
  func.return
}

// CHECK:         func.func @asserted(%a: memref<?xf64>, %m: i64, %r: memref<?xf64>) {
// CHECK-NEXT:      %c0 = arith.constant 0 : index
// CHECK-NEXT:      %c1 = arith.constant 1 : index
// CHECK-NEXT:      %zero = arith.constant 0 : i64
// CHECK-NEXT:      %most = arith.constant 17592186044416 : i64
// CHECK-NEXT:      %is_least = arith.cmpi sge, %m, %zero : i64
// CHECK-NEXT:      cf.assert %is_least, "negative"
// CHECK-NEXT:      %is_most = arith.cmpi sle, %m, %most : i64
// CHECK-NEXT:      cf.assert %is_most, "too large"
// CHECK-NEXT:      %n = arith.index_cast %m : i64 to index
// CHECK-NEXT:      %0 = arith.constant 0 : index
// CHECK-NEXT:      %1 = arith.constant 1 : index
// CHECK-NEXT:      %2 = arith.maxsi %0, %1 : index
// CHECK-NEXT:      %3 = arith.minsi %2, %n : index
// CHECK-NEXT:      %4 = arith.maxsi %n, %3 : index
// CHECK-NEXT:      %5 = arith.subi %4, %3 : index
// CHECK-NEXT:      %6 = arith.subi %n, %5 : index
// CHECK-NEXT:      "scf.parallel"(%c0, %5, %c1) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
// CHECK-NEXT:      ^bb0(%7: index):
// CHECK-NEXT:        %8 = arith.addi %3, %7 : index
// CHECK-NEXT:        %p = arith.subi %8, %c1 : index
// CHECK-NEXT:        %x = memref.load %a[%p] : memref<?xf64>
// CHECK-NEXT:        memref.store %x, %r[%8] : memref<?xf64>
// CHECK-NEXT:        scf.reduce
// CHECK-NEXT:      }) : (index, index, index) -> ()
// CHECK-NEXT:      "scf.parallel"(%c0, %6, %c1) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
// CHECK-NEXT:      ^bb0(%9: index):
// CHECK-NEXT:        %x_1 = memref.load %a[%c0] : memref<?xf64>
// CHECK-NEXT:        memref.store %x_1, %r[%9] : memref<?xf64>
// CHECK-NEXT:        scf.reduce
// CHECK-NEXT:      }) {ein.few_steps} : (index, index, index) -> ()
// CHECK-NEXT:      func.return
// CHECK-NEXT:    }

// -----

// One behind it does not.
func.func @later(%a: memref<?xf64>, %m: i64, %r: memref<?xf64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i64
  %most = arith.constant 17592186044416 : i64
  %is_least = arith.cmpi sge, %m, %zero : i64
  cf.assert %is_least, "negative"
  %n = arith.index_cast %m : i64 to index
  "scf.parallel"(%c0, %n, %c1) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
  ^bb0(%i: index):
    %p = arith.subi %i, %c1 : index
    %q = arith.maxsi %p, %c0 : index
    %x = memref.load %a[%q] : memref<?xf64>
    memref.store %x, %r[%i] : memref<?xf64>
    scf.reduce
  }) : (index, index, index) -> ()
  %is_most = arith.cmpi sle, %m, %most : i64
  cf.assert %is_most, "too large"
  func.return
}

// CHECK:         func.func @later(%a: memref<?xf64>, %m: i64, %r: memref<?xf64>) {
// CHECK-NEXT:        %c0 = arith.constant 0 : index
// CHECK-NEXT:        %c1 = arith.constant 1 : index
// CHECK-NEXT:        %zero = arith.constant 0 : i64
// CHECK-NEXT:        %most = arith.constant 17592186044416 : i64
// CHECK-NEXT:        %is_least = arith.cmpi sge, %m, %zero : i64
// CHECK-NEXT:        cf.assert %is_least, "negative"
// CHECK-NEXT:        %n = arith.index_cast %m : i64 to index
// CHECK-NEXT:        "scf.parallel"(%c0, %n, %c1) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
// CHECK-NEXT:        ^bb0(%i: index):
// CHECK-NEXT:          %p = arith.subi %i, %c1 : index
// CHECK-NEXT:          %q = arith.maxsi %p, %c0 : index
// CHECK-NEXT:          %x = memref.load %a[%q] : memref<?xf64>
// CHECK-NEXT:          memref.store %x, %r[%i] : memref<?xf64>
// CHECK-NEXT:          scf.reduce
// CHECK-NEXT:        }) : (index, index, index) -> ()
// CHECK-NEXT:        %is_most = arith.cmpi sle, %m, %most : i64
// CHECK-NEXT:        cf.assert %is_most, "too large"
// CHECK-NEXT:        func.return
// CHECK-NEXT:      }

// -----

// A clip from below that never does anything goes in the interior, and leaves no border.
func.func @clipped_twice(%a: memref<?xf64>, %r: memref<?xf64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %a, %c0 : memref<?xf64>
  %last = arith.subi %n, %c1 : index
  "scf.parallel"(%c0, %n, %c1) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
  ^bb0(%i: index):
    %p = arith.addi %i, %c1 : index
    %q = arith.maxsi %p, %c0 : index
    %s = arith.minsi %q, %last : index
    %t = arith.maxsi %s, %c0 : index
    %x = memref.load %a[%t] : memref<?xf64>
    memref.store %x, %r[%i] : memref<?xf64>
    scf.reduce
  }) : (index, index, index) -> ()
  func.return
}

// CHECK-LABEL:   func.func @clipped_twice(
// CHECK:           "scf.parallel"
// CHECK:             %p = arith.addi
// CHECK-NEXT:        %x = memref.load %a[%p] : memref<?xf64>
// CHECK:           "scf.parallel"
// CHECK:             %t = arith.maxsi
// CHECK-NEXT:        %x_1 = memref.load %a[%t] : memref<?xf64>
// CHECK:           {ein.few_steps}
// CHECK:           func.return

// -----

// A loop without a border stays one.
func.func @no_border(%a: memref<?xf64>, %r: memref<?xf64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %a, %c0 : memref<?xf64>
  "scf.parallel"(%c0, %n, %c1) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
  ^bb0(%i: index):
    %q = arith.maxsi %i, %c0 : index
    %x = memref.load %a[%q] : memref<?xf64>
    memref.store %x, %r[%i] : memref<?xf64>
    scf.reduce
  }) : (index, index, index) -> ()
  func.return
}

// CHECK-LABEL:   func.func @no_border(
// CHECK-COUNT-1:   "scf.parallel"
// CHECK-NOT:       "scf.parallel"

// -----

// Windows are shorter at the start, and have one size from there on.
func.func @shorter_windows(%a: memref<?xf64>, %r: memref<?xf64>, %w: i64) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %start = arith.constant 0.0 : f64
  %n = memref.dim %a, %c0 : memref<?xf64>
  %size = arith.index_cast %n : index to i64
  %some = arith.minsi %size, %w : i64
  %most = arith.maxsi %some, %zero : i64
  "scf.parallel"(%c0, %n, %c1) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
  ^bb0(%i: index):
    %j = arith.index_cast %i : index to i64
    %next = arith.addi %j, %one : i64
    %width = arith.minsi %next, %most : i64
    %count = arith.index_cast %width : i64 to index
    %sum = scf.for %k = %c0 to %count step %c1 iter_args(%acc = %start) -> (f64) {
      %p = arith.subi %i, %k : index
      %x = memref.load %a[%p] : memref<?xf64>
      %s = arith.addf %acc, %x : f64
      scf.yield %s : f64
    }
    memref.store %sum, %r[%i] : memref<?xf64>
    scf.reduce
  }) : (index, index, index) -> ()
  func.return
}

// CHECK-LABEL:   func.func @shorter_windows(
// CHECK:           scf.if
// CHECK-NEXT:        "scf.parallel"
// CHECK-NOT:         arith.minsi
// CHECK:             arith.index_cast %most : i64 to index
// CHECK:             scf.for
// CHECK:           "scf.parallel"
// CHECK:             arith.minsi %{{.*}}, %most : i64
// CHECK:             scf.for

// A recurrence goes on between two positions: elsewhere its steps need none before them.
func.func @band(%a: memref<?xf64>, %b: memref<?xf64>, %p: i64, %q: i64, %n: index, %x: f64) -> f64 {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %r = scf.for %i = %zero to %n step %one iter_args(%acc = %x) -> (f64) {
    %k = arith.index_cast %i : index to i64
    %c = arith.cmpi sge, %k, %p : i64
    %d = arith.cmpi sle, %k, %q : i64
    %e = arith.andi %c, %d : i1
    %y = memref.load %a[%i] : memref<?xf64>
    %f = arith.mulf %acc, %y : f64
    %g = arith.addf %f, %y : f64
    %s = arith.select %e, %g, %x : f64
    memref.store %s, %b[%i] : memref<?xf64>
    scf.yield %s : f64
  }
  func.return %r : f64
}
// CHECK-LABEL: func.func @band(
// CHECK:         %[[P:.*]] = arith.index_cast %p : i64 to index
// CHECK:         arith.minsi %[[P]], %n : index
// CHECK:         %[[Q:.*]] = arith.index_cast %q : i64 to index
// CHECK:         arith.minsi %[[Q]], %n : index
// CHECK:         %[[BEFORE:.*]] = scf.for %{{.*}} = %zero to %[[LOW:.*]] step %one iter_args(%{{.*}} = %x) -> (f64) {
// CHECK:           memref.store %x, %b[%{{.*}}] : memref<?xf64>
// CHECK-NEXT:      scf.yield %x : f64
// CHECK:         %[[IN:.*]] = scf.for %{{.*}} = %[[LOW]] to %[[HIGH:.*]] step %one iter_args(%[[ACC:.*]] = %[[BEFORE]]) -> (f64) {
// CHECK-NOT:       arith.select
// CHECK:           arith.mulf %[[ACC]], %{{.*}} : f64
// CHECK:         %[[R:.*]] = scf.for %{{.*}} = %[[HIGH]] to %n step %one iter_args(%{{.*}} = %[[IN]]) -> (f64) {
// CHECK:           scf.yield %x : f64
// CHECK:         func.return %[[R]] : f64

// Not where a step that needs none of those before it keeps what it got.
func.func @kept(%a: memref<?xf64>, %p: i64, %n: index, %x: f64) -> f64 {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %r = scf.for %i = %zero to %n step %one iter_args(%acc = %x) -> (f64) {
    %k = arith.index_cast %i : index to i64
    %c = arith.cmpi sge, %k, %p : i64
    %y = memref.load %a[%i] : memref<?xf64>
    %f = arith.mulf %acc, %y : f64
    %s = arith.select %c, %f, %acc : f64
    memref.store %s, %a[%i] : memref<?xf64>
    scf.yield %s : f64
  }
  func.return %r : f64
}
// CHECK-LABEL: func.func @kept(
// CHECK-COUNT-1: scf.for
// CHECK-NOT:     scf.for
// CHECK:         func.return

// -----

// An axis that is read backwards up to an Int, and comparisons with that; the size of the axis is
// a sum, and that of a buffer.
func.func @backwards(%a: memref<?xf64>, %m: index, %x: f64) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %n = memref.dim %a, %c0 : memref<?xf64>
  %twice = arith.muli %n, %c2 : index
  %size = arith.addi %twice, %c1 : index
  %r = memref.alloc(%size) : memref<?xf64>
  scf.for %k = %c0 to %n step %c1 {
    "scf.parallel"(%c0, %size, %c1) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
    ^bb0(%j: index):
      %p = arith.subi %k, %j : index
      %q = arith.maxsi %p, %c0 : index
      %y = memref.load %a[%q] : memref<?xf64>
      %before = arith.cmpi sle, %j, %k : index
      %z = arith.select %before, %y, %x : f64
      memref.store %z, %r[%j] : memref<?xf64>
      scf.reduce
    }) : (index, index, index) -> ()
  }
  func.return
}

// CHECK-LABEL:   func.func @backwards(
// CHECK:           scf.for %k =
// CHECK:             %[[INSIDE:.*]] = arith.subi
// CHECK:             "scf.parallel"(%c0, %[[INSIDE]], %c1)
// CHECK:               %p = arith.subi %k, %[[J:.*]] : index
// CHECK-NEXT:          %y = memref.load %a[%p] : memref<?xf64>
// CHECK-NEXT:          memref.store %y, %r[%[[J]]] : memref<?xf64>
// CHECK:             "scf.parallel"(%c0, %{{.*}}, %c1)
// CHECK:               memref.store %x, %r[
// CHECK-NEXT:          scf.reduce
// CHECK-NEXT:        }) : (index, index, index) -> ()

// -----

// Few steps stay: LLVM unrolls them.

func.func @few(%a: memref<?x?xf64>, %r: memref<?x?xf64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %n = memref.dim %a, %c0 : memref<?x?xf64>
  "scf.parallel"(%c0, %c0, %n, %c3, %c1, %c1) <{operandSegmentSizes = array<i32: 2, 2, 2, 0>}> ({
  ^bb0(%i: index, %j: index):
    %p = arith.subi %j, %c1 : index
    %q = arith.maxsi %p, %c0 : index
    %x = memref.load %a[%i, %q] : memref<?x?xf64>
    memref.store %x, %r[%i, %j] : memref<?x?xf64>
    scf.reduce
  }) : (index, index, index, index, index, index) -> ()
  func.return
}

// CHECK-LABEL: func.func @few(
// CHECK:         "scf.parallel"
// CHECK-NOT:     "scf.parallel"
// CHECK:         func.return
