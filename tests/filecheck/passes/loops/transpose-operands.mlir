// RUN: ein-opt %s --split-input-file -p transpose-operands | filecheck %s

// An array that neighbouring results read at a distance is copied, if its elements are read often.

func.func @distances(%a: memref<?x?xf64>, %b: memref<?x?xf64>, %r: memref<?x?xf64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  %out = memref.alloc(%c1, %c1) : memref<?x?xf64>
  %n = memref.dim %a, %c0 : memref<?x?xf64>
  %l = memref.dim %a, %c1 : memref<?x?xf64>
  %m = memref.dim %b, %c0 : memref<?x?xf64>
  "scf.parallel"(%c0, %c0, %n, %m, %c1, %c1) <{operandSegmentSizes = array<i32: 2, 2, 2, 0>}> ({
  ^bb0(%i: index, %j: index):
    %s = scf.for %k = %c0 to %l step %c1 iter_args(%acc = %zero) -> (f64) {
      %x = memref.load %a[%i, %k] : memref<?x?xf64>
      %y = memref.load %b[%j, %k] : memref<?x?xf64>
      %d = arith.subf %x, %y : f64
      %t = arith.addf %acc, %d : f64
      scf.yield %t : f64
    }
    memref.store %s, %out[%i, %j] : memref<?x?xf64>
    scf.reduce
  }) : (index, index, index, index, index, index) -> ()
  func.return
}

// CHECK:         func.func @distances(%a: memref<?x?xf64>, %b: memref<?x?xf64>, %r: memref<?x?xf64>) {
// CHECK-NEXT:      %c0 = arith.constant 0 : index
// CHECK-NEXT:      %c1 = arith.constant 1 : index
// CHECK-NEXT:      %zero = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:      %out = memref.alloc(%c1, %c1) : memref<?x?xf64>
// CHECK-NEXT:      %n = memref.dim %a, %c0 : memref<?x?xf64>
// CHECK-NEXT:      %l = memref.dim %a, %c1 : memref<?x?xf64>
// CHECK-NEXT:      %m = memref.dim %b, %c0 : memref<?x?xf64>
// CHECK-NEXT:      %0 = arith.constant 8 : index
// CHECK-NEXT:      %1 = arith.cmpi sge, %m, %0 : index
// CHECK-NEXT:      %2 = arith.constant 1 : index
// CHECK-NEXT:      %3 = arith.subi %n, %c0 : index
// CHECK-NEXT:      %4 = arith.muli %2, %3 : index
// CHECK-NEXT:      %5 = arith.constant 4 : index
// CHECK-NEXT:      %6 = arith.cmpi sge, %4, %5 : index
// CHECK-NEXT:      %7 = arith.andi %1, %6 : i1
// CHECK-NEXT:      scf.if %7 {
// CHECK-NEXT:        %8 = arith.constant 1 : index
// CHECK-NEXT:        %9 = memref.dim %b, %8 : memref<?x?xf64>
// CHECK-NEXT:        %10 = arith.constant 0 : index
// CHECK-NEXT:        %11 = memref.dim %b, %10 : memref<?x?xf64>
// CHECK-NEXT:        %12 = memref.alloc(%9, %11) : memref<?x?xf64>
// CHECK-NEXT:        %13 = arith.constant 8 : index
// CHECK-NEXT:        "scf.parallel"(%10, %11, %13) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
// CHECK-NEXT:        ^bb0(%14: index):
// CHECK-NEXT:          %15 = arith.subi %11, %14 : index
// CHECK-NEXT:          %16 = arith.minsi %15, %13 : index
// CHECK-NEXT:          scf.for %17 = %10 to %9 step %8 {
// CHECK-NEXT:            scf.for %18 = %10 to %16 step %8 {
// CHECK-NEXT:              %19 = arith.addi %14, %18 : index
// CHECK-NEXT:              %20 = memref.load %b[%19, %17] : memref<?x?xf64>
// CHECK-NEXT:              memref.store %20, %12[%17, %19] : memref<?x?xf64>
// CHECK-NEXT:            }
// CHECK-NEXT:          }
// CHECK-NEXT:          scf.reduce
// CHECK-NEXT:        }) : (index, index, index) -> ()
// CHECK-NEXT:        "scf.parallel"(%c0, %c0, %n, %m, %c1, %c1) <{operandSegmentSizes = array<i32: 2, 2, 2, 0>}> ({
// CHECK-NEXT:        ^bb0(%i: index, %j: index):
// CHECK-NEXT:          %s = scf.for %k = %c0 to %l step %c1 iter_args(%acc = %zero) -> (f64) {
// CHECK-NEXT:            %x = memref.load %a[%i, %k] : memref<?x?xf64>
// CHECK-NEXT:            %y = memref.load %12[%k, %j] : memref<?x?xf64>
// CHECK-NEXT:            %d = arith.subf %x, %y : f64
// CHECK-NEXT:            %t = arith.addf %acc, %d : f64
// CHECK-NEXT:            scf.yield %t : f64
// CHECK-NEXT:          }
// CHECK-NEXT:          memref.store %s, %out[%i, %j] : memref<?x?xf64>
// CHECK-NEXT:          scf.reduce
// CHECK-NEXT:        }) : (index, index, index, index, index, index) -> ()
// CHECK-NEXT:        memref.dealloc %12 : memref<?x?xf64>
// CHECK-NEXT:      } else {
// CHECK-NEXT:        "scf.parallel"(%c0, %c0, %n, %m, %c1, %c1) <{operandSegmentSizes = array<i32: 2, 2, 2, 0>}> ({
// CHECK-NEXT:        ^bb0(%i_1: index, %j_1: index):
// CHECK-NEXT:          %s_1 = scf.for %k_1 = %c0 to %l step %c1 iter_args(%acc_1 = %zero) -> (f64) {
// CHECK-NEXT:            %x_1 = memref.load %a[%i_1, %k_1] : memref<?x?xf64>
// CHECK-NEXT:            %y_1 = memref.load %b[%j_1, %k_1] : memref<?x?xf64>
// CHECK-NEXT:            %d_1 = arith.subf %x_1, %y_1 : f64
// CHECK-NEXT:            %t_1 = arith.addf %acc_1, %d_1 : f64
// CHECK-NEXT:            scf.yield %t_1 : f64
// CHECK-NEXT:          }
// CHECK-NEXT:          memref.store %s_1, %out[%i_1, %j_1] : memref<?x?xf64>
// CHECK-NEXT:          scf.reduce
// CHECK-NEXT:        }) : (index, index, index, index, index, index) -> ()
// CHECK-NEXT:      }
// CHECK-NEXT:      func.return
// CHECK-NEXT:    }

// -----

// Each element is read once: the copy would take as long as the loop.
func.func @sums(%a: memref<?x?xf64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  %n = memref.dim %a, %c0 : memref<?x?xf64>
  %l = memref.dim %a, %c1 : memref<?x?xf64>
  %out = memref.alloc(%n) : memref<?xf64>
  "scf.parallel"(%c0, %n, %c1) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
  ^bb0(%i: index):
    %s = scf.for %k = %c0 to %l step %c1 iter_args(%acc = %zero) -> (f64) {
      %x = memref.load %a[%i, %k] : memref<?x?xf64>
      %t = arith.addf %acc, %x : f64
      scf.yield %t : f64
    }
    memref.store %s, %out[%i] : memref<?xf64>
    scf.reduce
  }) : (index, index, index) -> ()
  func.return
}

// CHECK:         func.func @sums(%a: memref<?x?xf64>) {
// CHECK-NEXT:      %c0 = arith.constant 0 : index
// CHECK-NEXT:      %c1 = arith.constant 1 : index
// CHECK-NEXT:      %zero = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:      %n = memref.dim %a, %c0 : memref<?x?xf64>
// CHECK-NEXT:      %l = memref.dim %a, %c1 : memref<?x?xf64>
// CHECK-NEXT:      %out = memref.alloc(%n) : memref<?xf64>
// CHECK-NEXT:      "scf.parallel"(%c0, %n, %c1) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
// CHECK-NEXT:      ^bb0(%i: index):
// CHECK-NEXT:        %s = scf.for %k = %c0 to %l step %c1 iter_args(%acc = %zero) -> (f64) {
// CHECK-NEXT:          %x = memref.load %a[%i, %k] : memref<?x?xf64>
// CHECK-NEXT:          %t = arith.addf %acc, %x : f64
// CHECK-NEXT:          scf.yield %t : f64
// CHECK-NEXT:        }
// CHECK-NEXT:        memref.store %s, %out[%i] : memref<?xf64>
// CHECK-NEXT:        scf.reduce
// CHECK-NEXT:      }) : (index, index, index) -> ()
// CHECK-NEXT:      func.return
// CHECK-NEXT:    }

// -----

// The nest writes to an array that may be the one that it reads.
func.func @written(%a: memref<?x?xf64>, %n: index, %m: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  "scf.parallel"(%c0, %c0, %n, %n, %c1, %c1) <{operandSegmentSizes = array<i32: 2, 2, 2, 0>}> ({
  ^bb0(%i: index, %j: index):
    %s = scf.for %k = %c0 to %m step %c1 iter_args(%acc = %zero) -> (f64) {
      %y = memref.load %a[%j, %k] : memref<?x?xf64>
      %t = arith.addf %acc, %y : f64
      scf.yield %t : f64
    }
    memref.store %s, %a[%i, %j] : memref<?x?xf64>
    scf.reduce
  }) : (index, index, index, index, index, index) -> ()
  func.return
}

// CHECK:         func.func @written(%a: memref<?x?xf64>, %n: index, %m: index) {
// CHECK-NEXT:      %c0 = arith.constant 0 : index
// CHECK-NEXT:      %c1 = arith.constant 1 : index
// CHECK-NEXT:      %zero = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:      "scf.parallel"(%c0, %c0, %n, %n, %c1, %c1) <{operandSegmentSizes = array<i32: 2, 2, 2, 0>}> ({
// CHECK-NEXT:      ^bb0(%i: index, %j: index):
// CHECK-NEXT:        %s = scf.for %k = %c0 to %m step %c1 iter_args(%acc = %zero) -> (f64) {
// CHECK-NEXT:          %y = memref.load %a[%j, %k] : memref<?x?xf64>
// CHECK-NEXT:          %t = arith.addf %acc, %y : f64
// CHECK-NEXT:          scf.yield %t : f64
// CHECK-NEXT:        }
// CHECK-NEXT:        memref.store %s, %a[%i, %j] : memref<?x?xf64>
// CHECK-NEXT:        scf.reduce
// CHECK-NEXT:      }) : (index, index, index, index, index, index) -> ()
// CHECK-NEXT:      func.return
// CHECK-NEXT:    }

// -----

// Sums of rows of %w read their columns: the steps read a column of %b, which each row reads again.
func.func @steps(%w: memref<?x?xf64>, %b: memref<?x?xf64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  %n = memref.dim %w, %c0 : memref<?x?xf64>
  %m = memref.dim %w, %c1 : memref<?x?xf64>
  %out = memref.alloc(%n) : memref<?xf64>
  "scf.parallel"(%c0, %n, %c1) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
  ^bb0(%i: index):
    %s = scf.for %j = %c0 to %m step %c1 iter_args(%acc = %zero) -> (f64) {
      %x = memref.load %w[%i, %j] : memref<?x?xf64>
      %y = memref.load %b[%j, %c1] : memref<?x?xf64>
      %d = arith.mulf %x, %y : f64
      %t = arith.addf %acc, %d fastmath<reassoc> : f64
      scf.yield %t : f64
    }
    memref.store %s, %out[%i] : memref<?xf64>
    scf.reduce
  }) : (index, index, index) -> ()
  func.return
}

// CHECK-LABEL: func.func @steps(%w: memref<?x?xf64>, %b: memref<?x?xf64>) {
// CHECK-NEXT:       %c0 = arith.constant 0 : index
// CHECK-NEXT:       %c1 = arith.constant 1 : index
// CHECK-NEXT:       %zero = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:       %n = memref.dim %w, %c0 : memref<?x?xf64>
// CHECK-NEXT:       %m = memref.dim %w, %c1 : memref<?x?xf64>
// CHECK-NEXT:       %out = memref.alloc(%n) : memref<?xf64>
// CHECK-NEXT:       %0 = arith.constant 8 : index
// CHECK-NEXT:       %1 = arith.cmpi sge, %n, %0 : index
// CHECK-NEXT:       %2 = arith.constant 1 : index
// CHECK-NEXT:       %3 = arith.subi %n, %c0 : index
// CHECK-NEXT:       %4 = arith.muli %2, %3 : index
// CHECK-NEXT:       %5 = arith.constant 4 : index
// CHECK-NEXT:       %6 = memref.dim %b, %2 : memref<?x?xf64>
// CHECK-NEXT:       %7 = arith.muli %5, %6 : index
// CHECK-NEXT:       %8 = arith.cmpi sge, %4, %7 : index
// CHECK-NEXT:       %9 = arith.andi %1, %8 : i1
// CHECK-NEXT:       scf.if %9 {
// CHECK-NEXT:         %10 = arith.constant 1 : index
// CHECK-NEXT:         %11 = memref.dim %b, %10 : memref<?x?xf64>
// CHECK-NEXT:         %12 = arith.constant 0 : index
// CHECK-NEXT:         %13 = memref.dim %b, %12 : memref<?x?xf64>
// CHECK-NEXT:         %14 = memref.alloc(%11, %13) : memref<?x?xf64>
// CHECK-NEXT:         %15 = arith.constant 8 : index
// CHECK-NEXT:         "scf.parallel"(%12, %13, %15) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
// CHECK-NEXT:         ^bb0(%16: index):
// CHECK-NEXT:           %17 = arith.subi %13, %16 : index
// CHECK-NEXT:           %18 = arith.minsi %17, %15 : index
// CHECK-NEXT:           scf.for %19 = %12 to %11 step %10 {
// CHECK-NEXT:             scf.for %20 = %12 to %18 step %10 {
// CHECK-NEXT:               %21 = arith.addi %16, %20 : index
// CHECK-NEXT:               %22 = memref.load %b[%21, %19] : memref<?x?xf64>
// CHECK-NEXT:               memref.store %22, %14[%19, %21] : memref<?x?xf64>
// CHECK-NEXT:             }
// CHECK-NEXT:           }
// CHECK-NEXT:           scf.reduce
// CHECK-NEXT:         }) : (index, index, index) -> ()
// CHECK-NEXT:         "scf.parallel"(%c0, %n, %c1) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
// CHECK-NEXT:         ^bb0(%i: index):
// CHECK-NEXT:           %s = scf.for %j = %c0 to %m step %c1 iter_args(%acc = %zero) -> (f64) {
// CHECK-NEXT:             %x = memref.load %w[%i, %j] : memref<?x?xf64>
// CHECK-NEXT:             %y = memref.load %14[%c1, %j] : memref<?x?xf64>
// CHECK-NEXT:             %d = arith.mulf %x, %y : f64
// CHECK-NEXT:             %t = arith.addf %acc, %d fastmath<reassoc> : f64
// CHECK-NEXT:             scf.yield %t : f64
// CHECK-NEXT:           }
// CHECK-NEXT:           memref.store %s, %out[%i] : memref<?xf64>
// CHECK-NEXT:           scf.reduce
// CHECK-NEXT:         }) : (index, index, index) -> ()
// CHECK-NEXT:         memref.dealloc %14 : memref<?x?xf64>
// CHECK-NEXT:       } else {
// CHECK-NEXT:         "scf.parallel"(%c0, %n, %c1) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
// CHECK-NEXT:         ^bb0(%i_1: index):
// CHECK-NEXT:           %s_1 = scf.for %j_1 = %c0 to %m step %c1 iter_args(%acc_1 = %zero) -> (f64) {
// CHECK-NEXT:             %x_1 = memref.load %w[%i_1, %j_1] : memref<?x?xf64>
// CHECK-NEXT:             %y_1 = memref.load %b[%j_1, %c1] : memref<?x?xf64>
// CHECK-NEXT:             %d_1 = arith.mulf %x_1, %y_1 : f64
// CHECK-NEXT:             %t_1 = arith.addf %acc_1, %d_1 fastmath<reassoc> : f64
// CHECK-NEXT:             scf.yield %t_1 : f64
// CHECK-NEXT:           }
// CHECK-NEXT:           memref.store %s_1, %out[%i_1] : memref<?xf64>
// CHECK-NEXT:           scf.reduce
// CHECK-NEXT:         }) : (index, index, index) -> ()
// CHECK-NEXT:       }
// CHECK-NEXT:       func.return
// CHECK-NEXT:     }

// -----

// A nest without loops reads a column for each row of results.
func.func @elements(%u: memref<?xf64>, %b: memref<?x?xf64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %u, %c0 : memref<?xf64>
  %m = memref.dim %b, %c0 : memref<?x?xf64>
  %out = memref.alloc(%n, %m) : memref<?x?xf64>
  "scf.parallel"(%c0, %c0, %n, %m, %c1, %c1) <{operandSegmentSizes = array<i32: 2, 2, 2, 0>}> ({
  ^bb0(%i: index, %j: index):
    %x = memref.load %u[%i] : memref<?xf64>
    %y = memref.load %b[%j, %c1] : memref<?x?xf64>
    %d = arith.mulf %x, %y : f64
    memref.store %d, %out[%i, %j] : memref<?x?xf64>
    scf.reduce
  }) : (index, index, index, index, index, index) -> ()
  func.return
}

// CHECK-LABEL: func.func @elements(%u: memref<?xf64>, %b: memref<?x?xf64>) {
// CHECK-NEXT:       %c0 = arith.constant 0 : index
// CHECK-NEXT:       %c1 = arith.constant 1 : index
// CHECK-NEXT:       %n = memref.dim %u, %c0 : memref<?xf64>
// CHECK-NEXT:       %m = memref.dim %b, %c0 : memref<?x?xf64>
// CHECK-NEXT:       %out = memref.alloc(%n, %m) : memref<?x?xf64>
// CHECK-NEXT:       %0 = arith.constant 8 : index
// CHECK-NEXT:       %1 = arith.cmpi sge, %m, %0 : index
// CHECK-NEXT:       %2 = arith.constant 1 : index
// CHECK-NEXT:       %3 = arith.subi %n, %c0 : index
// CHECK-NEXT:       %4 = arith.muli %2, %3 : index
// CHECK-NEXT:       %5 = arith.constant 4 : index
// CHECK-NEXT:       %6 = memref.dim %b, %2 : memref<?x?xf64>
// CHECK-NEXT:       %7 = arith.muli %5, %6 : index
// CHECK-NEXT:       %8 = arith.cmpi sge, %4, %7 : index
// CHECK-NEXT:       %9 = arith.andi %1, %8 : i1
// CHECK-NEXT:       scf.if %9 {
// CHECK-NEXT:         %10 = arith.constant 1 : index
// CHECK-NEXT:         %11 = memref.dim %b, %10 : memref<?x?xf64>
// CHECK-NEXT:         %12 = arith.constant 0 : index
// CHECK-NEXT:         %13 = memref.dim %b, %12 : memref<?x?xf64>
// CHECK-NEXT:         %14 = memref.alloc(%11, %13) : memref<?x?xf64>
// CHECK-NEXT:         %15 = arith.constant 8 : index
// CHECK-NEXT:         "scf.parallel"(%12, %13, %15) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
// CHECK-NEXT:         ^bb0(%16: index):
// CHECK-NEXT:           %17 = arith.subi %13, %16 : index
// CHECK-NEXT:           %18 = arith.minsi %17, %15 : index
// CHECK-NEXT:           scf.for %19 = %12 to %11 step %10 {
// CHECK-NEXT:             scf.for %20 = %12 to %18 step %10 {
// CHECK-NEXT:               %21 = arith.addi %16, %20 : index
// CHECK-NEXT:               %22 = memref.load %b[%21, %19] : memref<?x?xf64>
// CHECK-NEXT:               memref.store %22, %14[%19, %21] : memref<?x?xf64>
// CHECK-NEXT:             }
// CHECK-NEXT:           }
// CHECK-NEXT:           scf.reduce
// CHECK-NEXT:         }) : (index, index, index) -> ()
// CHECK-NEXT:         "scf.parallel"(%c0, %c0, %n, %m, %c1, %c1) <{operandSegmentSizes = array<i32: 2, 2, 2, 0>}> ({
// CHECK-NEXT:         ^bb0(%i: index, %j: index):
// CHECK-NEXT:           %x = memref.load %u[%i] : memref<?xf64>
// CHECK-NEXT:           %y = memref.load %14[%c1, %j] : memref<?x?xf64>
// CHECK-NEXT:           %d = arith.mulf %x, %y : f64
// CHECK-NEXT:           memref.store %d, %out[%i, %j] : memref<?x?xf64>
// CHECK-NEXT:           scf.reduce
// CHECK-NEXT:         }) : (index, index, index, index, index, index) -> ()
// CHECK-NEXT:         memref.dealloc %14 : memref<?x?xf64>
// CHECK-NEXT:       } else {
// CHECK-NEXT:         "scf.parallel"(%c0, %c0, %n, %m, %c1, %c1) <{operandSegmentSizes = array<i32: 2, 2, 2, 0>}> ({
// CHECK-NEXT:         ^bb0(%i_1: index, %j_1: index):
// CHECK-NEXT:           %x_1 = memref.load %u[%i_1] : memref<?xf64>
// CHECK-NEXT:           %y_1 = memref.load %b[%j_1, %c1] : memref<?x?xf64>
// CHECK-NEXT:           %d_1 = arith.mulf %x_1, %y_1 : f64
// CHECK-NEXT:           memref.store %d_1, %out[%i_1, %j_1] : memref<?x?xf64>
// CHECK-NEXT:           scf.reduce
// CHECK-NEXT:         }) : (index, index, index, index, index, index) -> ()
// CHECK-NEXT:       }
// CHECK-NEXT:       func.return
// CHECK-NEXT:     }

// -----

// A transposition reads each element once.
func.func @once(%b: memref<?x?xf64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %b, %c1 : memref<?x?xf64>
  %m = memref.dim %b, %c0 : memref<?x?xf64>
  %out = memref.alloc(%n, %m) : memref<?x?xf64>
  "scf.parallel"(%c0, %c0, %n, %m, %c1, %c1) <{operandSegmentSizes = array<i32: 2, 2, 2, 0>}> ({
  ^bb0(%i: index, %j: index):
    %y = memref.load %b[%j, %i] : memref<?x?xf64>
    memref.store %y, %out[%i, %j] : memref<?x?xf64>
    scf.reduce
  }) : (index, index, index, index, index, index) -> ()
  func.return
}

// CHECK-LABEL: func.func @once(%b: memref<?x?xf64>) {
// CHECK-NEXT:       %c0 = arith.constant 0 : index
// CHECK-NEXT:       %c1 = arith.constant 1 : index
// CHECK-NEXT:       %n = memref.dim %b, %c1 : memref<?x?xf64>
// CHECK-NEXT:       %m = memref.dim %b, %c0 : memref<?x?xf64>
// CHECK-NEXT:       %out = memref.alloc(%n, %m) : memref<?x?xf64>
// CHECK-NEXT:       "scf.parallel"(%c0, %c0, %n, %m, %c1, %c1) <{operandSegmentSizes = array<i32: 2, 2, 2, 0>}> ({
// CHECK-NEXT:       ^bb0(%i: index, %j: index):
// CHECK-NEXT:         %y = memref.load %b[%j, %i] : memref<?x?xf64>
// CHECK-NEXT:         memref.store %y, %out[%i, %j] : memref<?x?xf64>
// CHECK-NEXT:         scf.reduce
// CHECK-NEXT:       }) : (index, index, index, index, index, index) -> ()
// CHECK-NEXT:       func.return
// CHECK-NEXT:     }
