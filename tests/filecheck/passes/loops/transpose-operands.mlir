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
