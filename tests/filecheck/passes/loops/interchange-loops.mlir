// RUN: ein-opt %s --split-input-file -p convert-phi-to-loops,eliminate-common-subexpressions | ein-opt --split-input-file -p interchange-loops | filecheck %s

// Reductions run for a block of neighbouring results at once.

// The lanes of a product of matrices are the columns of the second one.
func.func @mm(%a: !phi.vec<!phi.vec<f64>>, %b: !phi.vec<!phi.vec<f64>>) -> !phi.vec<!phi.vec<f64>> {
  %n = phi.size %a, 0 : !phi.vec<!phi.vec<f64>>
  %l = phi.size %b, 0 : !phi.vec<!phi.vec<f64>>
  %l1 = phi.size %a, 1 : !phi.vec<!phi.vec<f64>>
  %m = phi.size %b, 1 : !phi.vec<!phi.vec<f64>>
  %l2 = phi.assert_eq %l, %l1, "m"
  %zero = arith.constant 0.0 : f64
  %c = phi.array (%i < %n, %j < %m) -> !phi.vec<!phi.vec<f64>> {
    %s = phi.fold (%k < %l2, %acc = %zero) -> f64 {
      %x = phi.get %a[%i, %k] : !phi.vec<!phi.vec<f64>>[index, i64]
      %y = phi.get %b[%k, %j] : !phi.vec<!phi.vec<f64>>[i64, index]
      %p = arith.mulf %x, %y : f64
      %q = arith.addf %acc, %p : f64
      phi.yield %q : f64
    }
    phi.yield %s : f64
  }
  func.return %c : !phi.vec<!phi.vec<f64>>
}

// CHECK:         func.func @mm(%a: memref<?x?xf64>, %b: memref<?x?xf64>, %operands: memref<2xi64>) -> memref<?x?xf64> {
// CHECK-NEXT:      %zero = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:      %0 = arith.constant true
// CHECK-NEXT:      %1 = arith.constant 1 : index
// CHECK-NEXT:      %2 = arith.constant 0 : index
// CHECK-NEXT:      %3 = memref.dim %a, %2 : memref<?x?xf64>
// CHECK-NEXT:      %4 = memref.dim %a, %1 : memref<?x?xf64>
// CHECK-NEXT:      %5 = memref.dim %b, %2 : memref<?x?xf64>
// CHECK-NEXT:      %6 = memref.dim %b, %1 : memref<?x?xf64>
// CHECK-NEXT:      %l1 = arith.index_cast %4 : index to i64
// CHECK-NEXT:      %l = arith.index_cast %5 : index to i64
// CHECK-NEXT:      %7 = arith.cmpi eq, %l, %l1 : i64
// CHECK-NEXT:      %8 = arith.xori %7, %0 : i1
// CHECK-NEXT:      scf.if %8 {
// CHECK-NEXT:        memref.store %l, %operands[%2] : memref<2xi64>
// CHECK-NEXT:        memref.store %l1, %operands[%1] : memref<2xi64>
// CHECK-NEXT:      }
// CHECK-NEXT:      cf.assert %7, "m: {0} != {1}"
// CHECK-NEXT:      %c = memref.alloc(%3, %6) : memref<?x?xf64>
// CHECK-NEXT:      %9 = arith.constant 0 : index
// CHECK-NEXT:      %10 = arith.constant 1 : index
// CHECK-NEXT:      %11 = arith.constant 128 : index
// CHECK-NEXT:      %12 = arith.constant 8 : index
// CHECK-NEXT:      %13 = arith.cmpi sge, %6, %12 : index
// CHECK-NEXT:      scf.if %13 {
// CHECK-NEXT:        "scf.parallel"(%2, %2, %3, %6, %1, %11) <{operandSegmentSizes = array<i32: 2, 2, 2, 0>}> ({
// CHECK-NEXT:        ^bb0(%14: index, %15: index):
// CHECK-NEXT:          %16 = arith.subi %6, %15 : index
// CHECK-NEXT:          %17 = memref.alloca() : memref<128xf64>
// CHECK-NEXT:          %18 = arith.minsi %16, %11 : index
// CHECK-NEXT:          scf.for %19 = %9 to %18 step %10 {
// CHECK-NEXT:            memref.store %zero, %17[%19] : memref<128xf64>
// CHECK-NEXT:          }
// CHECK-NEXT:          %20 = arith.constant 4 : index
// CHECK-NEXT:          %21 = arith.remsi %5, %20 : index
// CHECK-NEXT:          %22 = arith.subi %5, %21 : index
// CHECK-NEXT:          scf.for %23 = %2 to %22 step %20 {
// CHECK-NEXT:            %x = memref.load %a[%14, %23] : memref<?x?xf64>
// CHECK-NEXT:            %24 = arith.constant 1 : index
// CHECK-NEXT:            %25 = arith.addi %23, %24 : index
// CHECK-NEXT:            %x_1 = memref.load %a[%14, %25] : memref<?x?xf64>
// CHECK-NEXT:            %26 = arith.constant 2 : index
// CHECK-NEXT:            %27 = arith.addi %23, %26 : index
// CHECK-NEXT:            %x_2 = memref.load %a[%14, %27] : memref<?x?xf64>
// CHECK-NEXT:            %28 = arith.constant 3 : index
// CHECK-NEXT:            %29 = arith.addi %23, %28 : index
// CHECK-NEXT:            %x_3 = memref.load %a[%14, %29] : memref<?x?xf64>
// CHECK-NEXT:            scf.for %30 = %9 to %18 step %10 {
// CHECK-NEXT:              %31 = memref.load %17[%30] : memref<128xf64>
// CHECK-NEXT:              %32 = arith.addi %15, %30 : index
// CHECK-NEXT:              %y = memref.load %b[%23, %32] : memref<?x?xf64>
// CHECK-NEXT:              %p = arith.mulf %x, %y fastmath<contract> : f64
// CHECK-NEXT:              %q = arith.addf %31, %p fastmath<reassoc,contract> : f64
// CHECK-NEXT:              %33 = arith.addi %15, %30 : index
// CHECK-NEXT:              %y_1 = memref.load %b[%25, %33] : memref<?x?xf64>
// CHECK-NEXT:              %p_1 = arith.mulf %x_1, %y_1 fastmath<contract> : f64
// CHECK-NEXT:              %q_1 = arith.addf %q, %p_1 fastmath<reassoc,contract> : f64
// CHECK-NEXT:              %34 = arith.addi %15, %30 : index
// CHECK-NEXT:              %y_2 = memref.load %b[%27, %34] : memref<?x?xf64>
// CHECK-NEXT:              %p_2 = arith.mulf %x_2, %y_2 fastmath<contract> : f64
// CHECK-NEXT:              %q_2 = arith.addf %q_1, %p_2 fastmath<reassoc,contract> : f64
// CHECK-NEXT:              %35 = arith.addi %15, %30 : index
// CHECK-NEXT:              %y_3 = memref.load %b[%29, %35] : memref<?x?xf64>
// CHECK-NEXT:              %p_3 = arith.mulf %x_3, %y_3 fastmath<contract> : f64
// CHECK-NEXT:              %q_3 = arith.addf %q_2, %p_3 fastmath<reassoc,contract> : f64
// CHECK-NEXT:              memref.store %q_3, %17[%30] : memref<128xf64>
// CHECK-NEXT:            }
// CHECK-NEXT:          }
// CHECK-NEXT:          scf.for %36 = %22 to %5 step %1 {
// CHECK-NEXT:            %x_4 = memref.load %a[%14, %36] : memref<?x?xf64>
// CHECK-NEXT:            scf.for %37 = %9 to %18 step %10 {
// CHECK-NEXT:              %38 = memref.load %17[%37] : memref<128xf64>
// CHECK-NEXT:              %39 = arith.addi %15, %37 : index
// CHECK-NEXT:              %y_4 = memref.load %b[%36, %39] : memref<?x?xf64>
// CHECK-NEXT:              %p_4 = arith.mulf %x_4, %y_4 fastmath<contract> : f64
// CHECK-NEXT:              %q_4 = arith.addf %38, %p_4 fastmath<reassoc,contract> : f64
// CHECK-NEXT:              memref.store %q_4, %17[%37] : memref<128xf64>
// CHECK-NEXT:            }
// CHECK-NEXT:          }
// CHECK-NEXT:          scf.for %40 = %9 to %18 step %10 {
// CHECK-NEXT:            %41 = memref.load %17[%40] : memref<128xf64>
// CHECK-NEXT:            %42 = arith.addi %15, %40 : index
// CHECK-NEXT:            memref.store %41, %c[%14, %42] : memref<?x?xf64>
// CHECK-NEXT:          }
// CHECK-NEXT:          scf.reduce
// CHECK-NEXT:        }) : (index, index, index, index, index, index) -> ()
// CHECK-NEXT:      } else {
// CHECK-NEXT:        "scf.parallel"(%2, %2, %3, %6, %1, %1) <{operandSegmentSizes = array<i32: 2, 2, 2, 0>}> ({
// CHECK-NEXT:        ^bb0(%i: index, %j: index):
// CHECK-NEXT:          %s = scf.for %43 = %2 to %5 step %1 iter_args(%acc = %zero) -> (f64) {
// CHECK-NEXT:            %x_5 = memref.load %a[%i, %43] : memref<?x?xf64>
// CHECK-NEXT:            %y_5 = memref.load %b[%43, %j] : memref<?x?xf64>
// CHECK-NEXT:            %p_5 = arith.mulf %x_5, %y_5 fastmath<contract> : f64
// CHECK-NEXT:            %q_5 = arith.addf %acc, %p_5 fastmath<reassoc,contract> : f64
// CHECK-NEXT:            scf.yield %q_5 : f64
// CHECK-NEXT:          }
// CHECK-NEXT:          memref.store %s, %c[%i, %j] : memref<?x?xf64>
// CHECK-NEXT:          scf.reduce
// CHECK-NEXT:        }) : (index, index, index, index, index, index) -> ()
// CHECK-NEXT:      }
// CHECK-NEXT:      func.return %c : memref<?x?xf64>
// CHECK-NEXT:    }

// -----

// A loop stays if neighbouring results read elements that are no neighbours.
func.func @rows(%a: !phi.vec<!phi.vec<f64>>, %b: !phi.vec<!phi.vec<f64>>) -> !phi.vec<!phi.vec<f64>> {
  %n = phi.size %a, 0 : !phi.vec<!phi.vec<f64>>
  %l = phi.size %a, 1 : !phi.vec<!phi.vec<f64>>
  %m = phi.size %b, 0 : !phi.vec<!phi.vec<f64>>
  %zero = arith.constant 0.0 : f64
  %c = phi.array (%i < %n, %j < %m) -> !phi.vec<!phi.vec<f64>> {
    %s = phi.fold (%k < %l, %acc = %zero) -> f64 {
      %y = phi.get %a[%i, %k] : !phi.vec<!phi.vec<f64>>[index, i64]
      %x = phi.get %b[%j, %k] : !phi.vec<!phi.vec<f64>>[index, i64]
      %p = arith.mulf %x, %y : f64
      %q = arith.addf %acc, %p : f64
      phi.yield %q : f64
    }
    phi.yield %s : f64
  }
  func.return %c : !phi.vec<!phi.vec<f64>>
}

// CHECK:         func.func @rows(%a: memref<?x?xf64>, %b: memref<?x?xf64>, %operands: memref<2xi64>) -> memref<?x?xf64> {
// CHECK-NEXT:      %zero = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:      %0 = arith.constant 1 : index
// CHECK-NEXT:      %1 = arith.constant 0 : index
// CHECK-NEXT:      %2 = memref.dim %a, %1 : memref<?x?xf64>
// CHECK-NEXT:      %3 = memref.dim %a, %0 : memref<?x?xf64>
// CHECK-NEXT:      %4 = memref.dim %b, %1 : memref<?x?xf64>
// CHECK-NEXT:      %5 = memref.dim %b, %0 : memref<?x?xf64>
// CHECK-NEXT:      %6 = arith.cmpi eq, %4, %1 : index
// CHECK-NEXT:      %7 = arith.cmpi eq, %5, %1 : index
// CHECK-NEXT:      %8 = arith.ori %6, %7 : i1
// CHECK-NEXT:      %9 = scf.if %8 -> (memref<?x?xf64>) {
// CHECK-NEXT:        %10 = arith.maxsi %4, %0 : index
// CHECK-NEXT:        %11 = arith.maxsi %5, %0 : index
// CHECK-NEXT:        %12 = memref.alloc(%10, %11) : memref<?x?xf64>
// CHECK-NEXT:        "scf.parallel"(%1, %1, %10, %11, %0, %0) <{operandSegmentSizes = array<i32: 2, 2, 2, 0>}> ({
// CHECK-NEXT:        ^bb0(%13: index, %14: index):
// CHECK-NEXT:          memref.store %zero, %12[%13, %14] : memref<?x?xf64>
// CHECK-NEXT:          scf.reduce
// CHECK-NEXT:        }) : (index, index, index, index, index, index) -> ()
// CHECK-NEXT:        scf.yield %12 : memref<?x?xf64>
// CHECK-NEXT:      } else {
// CHECK-NEXT:        scf.yield %b : memref<?x?xf64>
// CHECK-NEXT:      }
// CHECK-NEXT:      %c = memref.alloc(%2, %4) : memref<?x?xf64>
// CHECK-NEXT:      "scf.parallel"(%1, %1, %2, %4, %0, %0) <{operandSegmentSizes = array<i32: 2, 2, 2, 0>}> ({
// CHECK-NEXT:      ^bb0(%i: index, %j: index):
// CHECK-NEXT:        %s = scf.for %15 = %1 to %3 step %0 iter_args(%acc = %zero) -> (f64) {
// CHECK-NEXT:          %y = memref.load %a[%i, %15] : memref<?x?xf64>
// CHECK-NEXT:          %16 = arith.subi %5, %0 : index
// CHECK-NEXT:          %17 = arith.minsi %15, %16 : index
// CHECK-NEXT:          %18 = arith.maxsi %17, %1 : index
// CHECK-NEXT:          %x = memref.load %9[%j, %18] : memref<?x?xf64>
// CHECK-NEXT:          %p = arith.mulf %x, %y fastmath<contract> : f64
// CHECK-NEXT:          %q = arith.addf %acc, %p fastmath<reassoc,contract> : f64
// CHECK-NEXT:          scf.yield %q : f64
// CHECK-NEXT:        }
// CHECK-NEXT:        memref.store %s, %c[%i, %j] : memref<?x?xf64>
// CHECK-NEXT:        scf.reduce
// CHECK-NEXT:      }) : (index, index, index, index, index, index) -> ()
// CHECK-NEXT:      scf.if %8 {
// CHECK-NEXT:        memref.dealloc %9 : memref<?x?xf64>
// CHECK-NEXT:      }
// CHECK-NEXT:      func.return %c : memref<?x?xf64>
// CHECK-NEXT:    }
