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
// CHECK-NEXT:      %12 = arith.constant 4 : index
// CHECK-NEXT:      %13 = arith.cmpi sge, %6, %12 : index
// CHECK-NEXT:      %14 = arith.constant 4 : index
// CHECK-NEXT:      %15 = arith.subi %3, %2 : index
// CHECK-NEXT:      %16 = arith.remsi %15, %14 : index
// CHECK-NEXT:      %17 = arith.subi %3, %16 : index
// CHECK-NEXT:      scf.if %13 {
// CHECK-NEXT:        "scf.parallel"(%2, %2, %17, %6, %14, %11) <{operandSegmentSizes = array<i32: 2, 2, 2, 0>}> ({
// CHECK-NEXT:        ^bb0(%18: index, %19: index):
// CHECK-NEXT:          %20 = arith.subi %6, %19 : index
// CHECK-NEXT:          %21 = memref.alloca() : memref<128xf64>
// CHECK-NEXT:          %22 = memref.alloca() : memref<128xf64>
// CHECK-NEXT:          %23 = memref.alloca() : memref<128xf64>
// CHECK-NEXT:          %24 = memref.alloca() : memref<128xf64>
// CHECK-NEXT:          %25 = arith.minsi %20, %11 : index
// CHECK-NEXT:          %26 = arith.constant 1 : index
// CHECK-NEXT:          %27 = arith.addi %18, %26 : index
// CHECK-NEXT:          %28 = arith.constant 2 : index
// CHECK-NEXT:          %29 = arith.addi %18, %28 : index
// CHECK-NEXT:          %30 = arith.constant 3 : index
// CHECK-NEXT:          %31 = arith.addi %18, %30 : index
// CHECK-NEXT:          scf.for %32 = %9 to %25 step %10 {
// CHECK-NEXT:            memref.store %zero, %21[%32] : memref<128xf64>
// CHECK-NEXT:          }
// CHECK-NEXT:          scf.for %33 = %9 to %25 step %10 {
// CHECK-NEXT:            memref.store %zero, %22[%33] : memref<128xf64>
// CHECK-NEXT:          }
// CHECK-NEXT:          scf.for %34 = %9 to %25 step %10 {
// CHECK-NEXT:            memref.store %zero, %23[%34] : memref<128xf64>
// CHECK-NEXT:          }
// CHECK-NEXT:          scf.for %35 = %9 to %25 step %10 {
// CHECK-NEXT:            memref.store %zero, %24[%35] : memref<128xf64>
// CHECK-NEXT:          }
// CHECK-NEXT:          %36 = arith.constant 4 : index
// CHECK-NEXT:          %37 = arith.remsi %5, %36 : index
// CHECK-NEXT:          %38 = arith.subi %5, %37 : index
// CHECK-NEXT:          scf.for %39 = %2 to %38 step %36 {
// CHECK-NEXT:            %40 = arith.constant 1 : index
// CHECK-NEXT:            %41 = arith.addi %39, %40 : index
// CHECK-NEXT:            %42 = arith.constant 2 : index
// CHECK-NEXT:            %43 = arith.addi %39, %42 : index
// CHECK-NEXT:            %44 = arith.constant 3 : index
// CHECK-NEXT:            %45 = arith.addi %39, %44 : index
// CHECK-NEXT:            %x = memref.load %a[%18, %39] : memref<?x?xf64>
// CHECK-NEXT:            %x_1 = memref.load %a[%18, %41] : memref<?x?xf64>
// CHECK-NEXT:            %x_2 = memref.load %a[%18, %43] : memref<?x?xf64>
// CHECK-NEXT:            %x_3 = memref.load %a[%18, %45] : memref<?x?xf64>
// CHECK-NEXT:            %x_4 = memref.load %a[%27, %39] : memref<?x?xf64>
// CHECK-NEXT:            %x_5 = memref.load %a[%27, %41] : memref<?x?xf64>
// CHECK-NEXT:            %x_6 = memref.load %a[%27, %43] : memref<?x?xf64>
// CHECK-NEXT:            %x_7 = memref.load %a[%27, %45] : memref<?x?xf64>
// CHECK-NEXT:            %x_8 = memref.load %a[%29, %39] : memref<?x?xf64>
// CHECK-NEXT:            %x_9 = memref.load %a[%29, %41] : memref<?x?xf64>
// CHECK-NEXT:            %x_10 = memref.load %a[%29, %43] : memref<?x?xf64>
// CHECK-NEXT:            %x_11 = memref.load %a[%29, %45] : memref<?x?xf64>
// CHECK-NEXT:            %x_12 = memref.load %a[%31, %39] : memref<?x?xf64>
// CHECK-NEXT:            %x_13 = memref.load %a[%31, %41] : memref<?x?xf64>
// CHECK-NEXT:            %x_14 = memref.load %a[%31, %43] : memref<?x?xf64>
// CHECK-NEXT:            %x_15 = memref.load %a[%31, %45] : memref<?x?xf64>
// CHECK-NEXT:            scf.for %46 = %9 to %25 step %10 {
// CHECK-NEXT:              %47 = memref.load %21[%46] : memref<128xf64>
// CHECK-NEXT:              %48 = arith.addi %19, %46 : index
// CHECK-NEXT:              %y = memref.load %b[%39, %48] : memref<?x?xf64>
// CHECK-NEXT:              %p = arith.mulf %x, %y fastmath<contract> : f64
// CHECK-NEXT:              %q = arith.addf %47, %p fastmath<reassoc,contract> : f64
// CHECK-NEXT:              %49 = arith.addi %19, %46 : index
// CHECK-NEXT:              %y_1 = memref.load %b[%41, %49] : memref<?x?xf64>
// CHECK-NEXT:              %p_1 = arith.mulf %x_1, %y_1 fastmath<contract> : f64
// CHECK-NEXT:              %q_1 = arith.addf %q, %p_1 fastmath<reassoc,contract> : f64
// CHECK-NEXT:              %50 = arith.addi %19, %46 : index
// CHECK-NEXT:              %y_2 = memref.load %b[%43, %50] : memref<?x?xf64>
// CHECK-NEXT:              %p_2 = arith.mulf %x_2, %y_2 fastmath<contract> : f64
// CHECK-NEXT:              %q_2 = arith.addf %q_1, %p_2 fastmath<reassoc,contract> : f64
// CHECK-NEXT:              %51 = arith.addi %19, %46 : index
// CHECK-NEXT:              %y_3 = memref.load %b[%45, %51] : memref<?x?xf64>
// CHECK-NEXT:              %p_3 = arith.mulf %x_3, %y_3 fastmath<contract> : f64
// CHECK-NEXT:              %q_3 = arith.addf %q_2, %p_3 fastmath<reassoc,contract> : f64
// CHECK-NEXT:              %52 = memref.load %22[%46] : memref<128xf64>
// CHECK-NEXT:              %53 = arith.addi %19, %46 : index
// CHECK-NEXT:              %y_4 = memref.load %b[%39, %53] : memref<?x?xf64>
// CHECK-NEXT:              %p_4 = arith.mulf %x_4, %y_4 fastmath<contract> : f64
// CHECK-NEXT:              %q_4 = arith.addf %52, %p_4 fastmath<reassoc,contract> : f64
// CHECK-NEXT:              %54 = arith.addi %19, %46 : index
// CHECK-NEXT:              %y_5 = memref.load %b[%41, %54] : memref<?x?xf64>
// CHECK-NEXT:              %p_5 = arith.mulf %x_5, %y_5 fastmath<contract> : f64
// CHECK-NEXT:              %q_5 = arith.addf %q_4, %p_5 fastmath<reassoc,contract> : f64
// CHECK-NEXT:              %55 = arith.addi %19, %46 : index
// CHECK-NEXT:              %y_6 = memref.load %b[%43, %55] : memref<?x?xf64>
// CHECK-NEXT:              %p_6 = arith.mulf %x_6, %y_6 fastmath<contract> : f64
// CHECK-NEXT:              %q_6 = arith.addf %q_5, %p_6 fastmath<reassoc,contract> : f64
// CHECK-NEXT:              %56 = arith.addi %19, %46 : index
// CHECK-NEXT:              %y_7 = memref.load %b[%45, %56] : memref<?x?xf64>
// CHECK-NEXT:              %p_7 = arith.mulf %x_7, %y_7 fastmath<contract> : f64
// CHECK-NEXT:              %q_7 = arith.addf %q_6, %p_7 fastmath<reassoc,contract> : f64
// CHECK-NEXT:              %57 = memref.load %23[%46] : memref<128xf64>
// CHECK-NEXT:              %58 = arith.addi %19, %46 : index
// CHECK-NEXT:              %y_8 = memref.load %b[%39, %58] : memref<?x?xf64>
// CHECK-NEXT:              %p_8 = arith.mulf %x_8, %y_8 fastmath<contract> : f64
// CHECK-NEXT:              %q_8 = arith.addf %57, %p_8 fastmath<reassoc,contract> : f64
// CHECK-NEXT:              %59 = arith.addi %19, %46 : index
// CHECK-NEXT:              %y_9 = memref.load %b[%41, %59] : memref<?x?xf64>
// CHECK-NEXT:              %p_9 = arith.mulf %x_9, %y_9 fastmath<contract> : f64
// CHECK-NEXT:              %q_9 = arith.addf %q_8, %p_9 fastmath<reassoc,contract> : f64
// CHECK-NEXT:              %60 = arith.addi %19, %46 : index
// CHECK-NEXT:              %y_10 = memref.load %b[%43, %60] : memref<?x?xf64>
// CHECK-NEXT:              %p_10 = arith.mulf %x_10, %y_10 fastmath<contract> : f64
// CHECK-NEXT:              %q_10 = arith.addf %q_9, %p_10 fastmath<reassoc,contract> : f64
// CHECK-NEXT:              %61 = arith.addi %19, %46 : index
// CHECK-NEXT:              %y_11 = memref.load %b[%45, %61] : memref<?x?xf64>
// CHECK-NEXT:              %p_11 = arith.mulf %x_11, %y_11 fastmath<contract> : f64
// CHECK-NEXT:              %q_11 = arith.addf %q_10, %p_11 fastmath<reassoc,contract> : f64
// CHECK-NEXT:              %62 = memref.load %24[%46] : memref<128xf64>
// CHECK-NEXT:              %63 = arith.addi %19, %46 : index
// CHECK-NEXT:              %y_12 = memref.load %b[%39, %63] : memref<?x?xf64>
// CHECK-NEXT:              %p_12 = arith.mulf %x_12, %y_12 fastmath<contract> : f64
// CHECK-NEXT:              %q_12 = arith.addf %62, %p_12 fastmath<reassoc,contract> : f64
// CHECK-NEXT:              %64 = arith.addi %19, %46 : index
// CHECK-NEXT:              %y_13 = memref.load %b[%41, %64] : memref<?x?xf64>
// CHECK-NEXT:              %p_13 = arith.mulf %x_13, %y_13 fastmath<contract> : f64
// CHECK-NEXT:              %q_13 = arith.addf %q_12, %p_13 fastmath<reassoc,contract> : f64
// CHECK-NEXT:              %65 = arith.addi %19, %46 : index
// CHECK-NEXT:              %y_14 = memref.load %b[%43, %65] : memref<?x?xf64>
// CHECK-NEXT:              %p_14 = arith.mulf %x_14, %y_14 fastmath<contract> : f64
// CHECK-NEXT:              %q_14 = arith.addf %q_13, %p_14 fastmath<reassoc,contract> : f64
// CHECK-NEXT:              %66 = arith.addi %19, %46 : index
// CHECK-NEXT:              %y_15 = memref.load %b[%45, %66] : memref<?x?xf64>
// CHECK-NEXT:              %p_15 = arith.mulf %x_15, %y_15 fastmath<contract> : f64
// CHECK-NEXT:              %q_15 = arith.addf %q_14, %p_15 fastmath<reassoc,contract> : f64
// CHECK-NEXT:              memref.store %q_3, %21[%46] : memref<128xf64>
// CHECK-NEXT:              memref.store %q_7, %22[%46] : memref<128xf64>
// CHECK-NEXT:              memref.store %q_11, %23[%46] : memref<128xf64>
// CHECK-NEXT:              memref.store %q_15, %24[%46] : memref<128xf64>
// CHECK-NEXT:            } {ein.results}
// CHECK-NEXT:          }
// CHECK-NEXT:          scf.for %67 = %38 to %5 step %1 {
// CHECK-NEXT:            %x_16 = memref.load %a[%18, %67] : memref<?x?xf64>
// CHECK-NEXT:            %x_17 = memref.load %a[%27, %67] : memref<?x?xf64>
// CHECK-NEXT:            %x_18 = memref.load %a[%29, %67] : memref<?x?xf64>
// CHECK-NEXT:            %x_19 = memref.load %a[%31, %67] : memref<?x?xf64>
// CHECK-NEXT:            scf.for %68 = %9 to %25 step %10 {
// CHECK-NEXT:              %69 = memref.load %21[%68] : memref<128xf64>
// CHECK-NEXT:              %70 = arith.addi %19, %68 : index
// CHECK-NEXT:              %y_16 = memref.load %b[%67, %70] : memref<?x?xf64>
// CHECK-NEXT:              %p_16 = arith.mulf %x_16, %y_16 fastmath<contract> : f64
// CHECK-NEXT:              %q_16 = arith.addf %69, %p_16 fastmath<reassoc,contract> : f64
// CHECK-NEXT:              %71 = memref.load %22[%68] : memref<128xf64>
// CHECK-NEXT:              %72 = arith.addi %19, %68 : index
// CHECK-NEXT:              %y_17 = memref.load %b[%67, %72] : memref<?x?xf64>
// CHECK-NEXT:              %p_17 = arith.mulf %x_17, %y_17 fastmath<contract> : f64
// CHECK-NEXT:              %q_17 = arith.addf %71, %p_17 fastmath<reassoc,contract> : f64
// CHECK-NEXT:              %73 = memref.load %23[%68] : memref<128xf64>
// CHECK-NEXT:              %74 = arith.addi %19, %68 : index
// CHECK-NEXT:              %y_18 = memref.load %b[%67, %74] : memref<?x?xf64>
// CHECK-NEXT:              %p_18 = arith.mulf %x_18, %y_18 fastmath<contract> : f64
// CHECK-NEXT:              %q_18 = arith.addf %73, %p_18 fastmath<reassoc,contract> : f64
// CHECK-NEXT:              %75 = memref.load %24[%68] : memref<128xf64>
// CHECK-NEXT:              %76 = arith.addi %19, %68 : index
// CHECK-NEXT:              %y_19 = memref.load %b[%67, %76] : memref<?x?xf64>
// CHECK-NEXT:              %p_19 = arith.mulf %x_19, %y_19 fastmath<contract> : f64
// CHECK-NEXT:              %q_19 = arith.addf %75, %p_19 fastmath<reassoc,contract> : f64
// CHECK-NEXT:              memref.store %q_16, %21[%68] : memref<128xf64>
// CHECK-NEXT:              memref.store %q_17, %22[%68] : memref<128xf64>
// CHECK-NEXT:              memref.store %q_18, %23[%68] : memref<128xf64>
// CHECK-NEXT:              memref.store %q_19, %24[%68] : memref<128xf64>
// CHECK-NEXT:            }
// CHECK-NEXT:          }
// CHECK-NEXT:          scf.for %77 = %9 to %25 step %10 {
// CHECK-NEXT:            %78 = memref.load %21[%77] : memref<128xf64>
// CHECK-NEXT:            %79 = arith.addi %19, %77 : index
// CHECK-NEXT:            memref.store %78, %c[%18, %79] : memref<?x?xf64>
// CHECK-NEXT:          }
// CHECK-NEXT:          scf.for %80 = %9 to %25 step %10 {
// CHECK-NEXT:            %81 = memref.load %22[%80] : memref<128xf64>
// CHECK-NEXT:            %82 = arith.addi %19, %80 : index
// CHECK-NEXT:            memref.store %81, %c[%27, %82] : memref<?x?xf64>
// CHECK-NEXT:          }
// CHECK-NEXT:          scf.for %83 = %9 to %25 step %10 {
// CHECK-NEXT:            %84 = memref.load %23[%83] : memref<128xf64>
// CHECK-NEXT:            %85 = arith.addi %19, %83 : index
// CHECK-NEXT:            memref.store %84, %c[%29, %85] : memref<?x?xf64>
// CHECK-NEXT:          }
// CHECK-NEXT:          scf.for %86 = %9 to %25 step %10 {
// CHECK-NEXT:            %87 = memref.load %24[%86] : memref<128xf64>
// CHECK-NEXT:            %88 = arith.addi %19, %86 : index
// CHECK-NEXT:            memref.store %87, %c[%31, %88] : memref<?x?xf64>
// CHECK-NEXT:          }
// CHECK-NEXT:          scf.reduce
// CHECK-NEXT:        }) : (index, index, index, index, index, index) -> ()
// CHECK-NEXT:        "scf.parallel"(%17, %2, %3, %6, %1, %11) <{operandSegmentSizes = array<i32: 2, 2, 2, 0>}> ({
// CHECK-NEXT:        ^bb0(%89: index, %90: index):
// CHECK-NEXT:          %91 = arith.subi %6, %90 : index
// CHECK-NEXT:          %92 = memref.alloca() : memref<128xf64>
// CHECK-NEXT:          %93 = arith.minsi %91, %11 : index
// CHECK-NEXT:          scf.for %94 = %9 to %93 step %10 {
// CHECK-NEXT:            memref.store %zero, %92[%94] : memref<128xf64>
// CHECK-NEXT:          }
// CHECK-NEXT:          %95 = arith.constant 4 : index
// CHECK-NEXT:          %96 = arith.remsi %5, %95 : index
// CHECK-NEXT:          %97 = arith.subi %5, %96 : index
// CHECK-NEXT:          scf.for %98 = %2 to %97 step %95 {
// CHECK-NEXT:            %99 = arith.constant 1 : index
// CHECK-NEXT:            %100 = arith.addi %98, %99 : index
// CHECK-NEXT:            %101 = arith.constant 2 : index
// CHECK-NEXT:            %102 = arith.addi %98, %101 : index
// CHECK-NEXT:            %103 = arith.constant 3 : index
// CHECK-NEXT:            %104 = arith.addi %98, %103 : index
// CHECK-NEXT:            %x_20 = memref.load %a[%89, %98] : memref<?x?xf64>
// CHECK-NEXT:            %x_21 = memref.load %a[%89, %100] : memref<?x?xf64>
// CHECK-NEXT:            %x_22 = memref.load %a[%89, %102] : memref<?x?xf64>
// CHECK-NEXT:            %x_23 = memref.load %a[%89, %104] : memref<?x?xf64>
// CHECK-NEXT:            scf.for %105 = %9 to %93 step %10 {
// CHECK-NEXT:              %106 = memref.load %92[%105] : memref<128xf64>
// CHECK-NEXT:              %107 = arith.addi %90, %105 : index
// CHECK-NEXT:              %y_20 = memref.load %b[%98, %107] : memref<?x?xf64>
// CHECK-NEXT:              %p_20 = arith.mulf %x_20, %y_20 fastmath<contract> : f64
// CHECK-NEXT:              %q_20 = arith.addf %106, %p_20 fastmath<reassoc,contract> : f64
// CHECK-NEXT:              %108 = arith.addi %90, %105 : index
// CHECK-NEXT:              %y_21 = memref.load %b[%100, %108] : memref<?x?xf64>
// CHECK-NEXT:              %p_21 = arith.mulf %x_21, %y_21 fastmath<contract> : f64
// CHECK-NEXT:              %q_21 = arith.addf %q_20, %p_21 fastmath<reassoc,contract> : f64
// CHECK-NEXT:              %109 = arith.addi %90, %105 : index
// CHECK-NEXT:              %y_22 = memref.load %b[%102, %109] : memref<?x?xf64>
// CHECK-NEXT:              %p_22 = arith.mulf %x_22, %y_22 fastmath<contract> : f64
// CHECK-NEXT:              %q_22 = arith.addf %q_21, %p_22 fastmath<reassoc,contract> : f64
// CHECK-NEXT:              %110 = arith.addi %90, %105 : index
// CHECK-NEXT:              %y_23 = memref.load %b[%104, %110] : memref<?x?xf64>
// CHECK-NEXT:              %p_23 = arith.mulf %x_23, %y_23 fastmath<contract> : f64
// CHECK-NEXT:              %q_23 = arith.addf %q_22, %p_23 fastmath<reassoc,contract> : f64
// CHECK-NEXT:              memref.store %q_23, %92[%105] : memref<128xf64>
// CHECK-NEXT:            }
// CHECK-NEXT:          }
// CHECK-NEXT:          scf.for %111 = %97 to %5 step %1 {
// CHECK-NEXT:            %x_24 = memref.load %a[%89, %111] : memref<?x?xf64>
// CHECK-NEXT:            scf.for %112 = %9 to %93 step %10 {
// CHECK-NEXT:              %113 = memref.load %92[%112] : memref<128xf64>
// CHECK-NEXT:              %114 = arith.addi %90, %112 : index
// CHECK-NEXT:              %y_24 = memref.load %b[%111, %114] : memref<?x?xf64>
// CHECK-NEXT:              %p_24 = arith.mulf %x_24, %y_24 fastmath<contract> : f64
// CHECK-NEXT:              %q_24 = arith.addf %113, %p_24 fastmath<reassoc,contract> : f64
// CHECK-NEXT:              memref.store %q_24, %92[%112] : memref<128xf64>
// CHECK-NEXT:            }
// CHECK-NEXT:          }
// CHECK-NEXT:          scf.for %115 = %9 to %93 step %10 {
// CHECK-NEXT:            %116 = memref.load %92[%115] : memref<128xf64>
// CHECK-NEXT:            %117 = arith.addi %90, %115 : index
// CHECK-NEXT:            memref.store %116, %c[%89, %117] : memref<?x?xf64>
// CHECK-NEXT:          }
// CHECK-NEXT:          scf.reduce
// CHECK-NEXT:        }) : (index, index, index, index, index, index) -> ()
// CHECK-NEXT:      } else {
// CHECK-NEXT:        "scf.parallel"(%2, %2, %3, %6, %1, %1) <{operandSegmentSizes = array<i32: 2, 2, 2, 0>}> ({
// CHECK-NEXT:        ^bb0(%i: index, %j: index):
// CHECK-NEXT:          %s = scf.for %118 = %2 to %5 step %1 iter_args(%acc = %zero) -> (f64) {
// CHECK-NEXT:            %x_25 = memref.load %a[%i, %118] : memref<?x?xf64>
// CHECK-NEXT:            %y_25 = memref.load %b[%118, %j] : memref<?x?xf64>
// CHECK-NEXT:            %p_25 = arith.mulf %x_25, %y_25 fastmath<contract> : f64
// CHECK-NEXT:            %q_25 = arith.addf %acc, %p_25 fastmath<reassoc,contract> : f64
// CHECK-NEXT:            scf.yield %q_25 : f64
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

// -----

// The steps in which the condition holds are listed, and the loop runs over the list.
func.func @masked(%a: !phi.vec<!phi.vec<f64>>, %keep: !phi.vec<i1>) -> !phi.vec<f64> {
  %zero = arith.constant 0.0 : f64
  %n = phi.size %keep, 0 : !phi.vec<i1>
  %m = phi.size %a, 1 : !phi.vec<!phi.vec<f64>>
  %l = phi.size %a, 0 : !phi.vec<!phi.vec<f64>>
  %0 = phi.assert_eq %n, %l, "rows"
  %c = phi.array (%j < %m) -> !phi.vec<f64> {
    %s = phi.fold (%k < %n, %acc = %zero) -> f64 {
      %is = phi.get %keep[%k] : !phi.vec<i1>[i64]
      %x = phi.get %a[%k, %j] : !phi.vec<!phi.vec<f64>>[i64, index]
      %y = arith.select %is, %x, %zero : f64
      %next = arith.addf %acc, %y : f64
      phi.yield %next : f64
    }
    phi.yield %s : f64
  }
  func.return %c : !phi.vec<f64>
}

// CHECK:         func.func @masked(%a: memref<?x?xf64>, %keep: memref<?xi1>, %operands: memref<2xi64>) -> memref<?xf64> {
// CHECK-NEXT:      %zero = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:      %0 = arith.constant true
// CHECK-NEXT:      %1 = arith.constant 1 : index
// CHECK-NEXT:      %2 = arith.constant 0 : index
// CHECK-NEXT:      %3 = memref.dim %a, %2 : memref<?x?xf64>
// CHECK-NEXT:      %4 = memref.dim %a, %1 : memref<?x?xf64>
// CHECK-NEXT:      %5 = memref.dim %keep, %2 : memref<?xi1>
// CHECK-NEXT:      %l = arith.index_cast %3 : index to i64
// CHECK-NEXT:      %n = arith.index_cast %5 : index to i64
// CHECK-NEXT:      %6 = arith.cmpi eq, %n, %l : i64
// CHECK-NEXT:      %7 = arith.xori %6, %0 : i1
// CHECK-NEXT:      scf.if %7 {
// CHECK-NEXT:        memref.store %n, %operands[%2] : memref<2xi64>
// CHECK-NEXT:        memref.store %l, %operands[%1] : memref<2xi64>
// CHECK-NEXT:      }
// CHECK-NEXT:      cf.assert %6, "rows: {0} != {1}"
// CHECK-NEXT:      %c = memref.alloc(%4) : memref<?xf64>
// CHECK-NEXT:      %8 = arith.constant 0 : index
// CHECK-NEXT:      %9 = arith.constant 1 : index
// CHECK-NEXT:      %10 = arith.constant 128 : index
// CHECK-NEXT:      %11 = arith.constant 8 : index
// CHECK-NEXT:      %12 = arith.constant 127 : index
// CHECK-NEXT:      %13 = arith.addi %4, %12 : index
// CHECK-NEXT:      %14 = arith.constant 128 : index
// CHECK-NEXT:      %15 = arith.divsi %13, %14 : index
// CHECK-NEXT:      %16 = arith.constant 16 : index
// CHECK-NEXT:      %17 = arith.muli %15, %16 : index
// CHECK-NEXT:      %18 = arith.constant 1024 : index
// CHECK-NEXT:      %19 = arith.minsi %17, %18 : index
// CHECK-NEXT:      %20 = arith.maxsi %10, %19 : index
// CHECK-NEXT:      %21 = arith.constant 63 : index
// CHECK-NEXT:      %22 = arith.addi %4, %21 : index
// CHECK-NEXT:      %23 = arith.constant 64 : index
// CHECK-NEXT:      %24 = arith.divsi %22, %23 : index
// CHECK-NEXT:      %25 = arith.constant 16 : index
// CHECK-NEXT:      %26 = arith.muli %24, %25 : index
// CHECK-NEXT:      %27 = arith.constant 512 : index
// CHECK-NEXT:      %28 = arith.minsi %26, %27 : index
// CHECK-NEXT:      %29 = arith.maxsi %20, %28 : index
// CHECK-NEXT:      %30 = arith.cmpi sge, %4, %11 : index
// CHECK-NEXT:      scf.if %30 {
// CHECK-NEXT:        "scf.parallel"(%2, %4, %29) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
// CHECK-NEXT:        ^bb0(%31: index):
// CHECK-NEXT:          %32 = arith.subi %4, %31 : index
// CHECK-NEXT:          %33 = memref.alloca() : memref<1024xf64>
// CHECK-NEXT:          %34 = memref.alloca() : memref<128xindex>
// CHECK-NEXT:          %35 = arith.minsi %32, %29 : index
// CHECK-NEXT:          scf.for %36 = %8 to %35 step %9 {
// CHECK-NEXT:            memref.store %zero, %33[%36] : memref<1024xf64>
// CHECK-NEXT:          }
// CHECK-NEXT:          %37 = arith.constant 128 : index
// CHECK-NEXT:          %38 = arith.constant true
// CHECK-NEXT:          scf.for %39 = %2 to %5 step %37 {
// CHECK-NEXT:            %40 = arith.addi %39, %37 : index
// CHECK-NEXT:            %41 = arith.minsi %40, %5 : index
// CHECK-NEXT:            %42 = scf.for %43 = %39 to %41 step %1 iter_args(%44 = %8) -> (index) {
// CHECK-NEXT:              %is = memref.load %keep[%43] : memref<?xi1>
// CHECK-NEXT:              memref.store %43, %34[%44] : memref<128xindex>
// CHECK-NEXT:              %45 = arith.addi %44, %9 : index
// CHECK-NEXT:              %46 = arith.select %is, %45, %44 : index
// CHECK-NEXT:              scf.yield %46 : index
// CHECK-NEXT:            }
// CHECK-NEXT:            %47 = arith.constant 4 : index
// CHECK-NEXT:            %48 = arith.remsi %42, %47 : index
// CHECK-NEXT:            %49 = arith.subi %42, %48 : index
// CHECK-NEXT:            scf.for %50 = %8 to %49 step %47 {
// CHECK-NEXT:              %51 = memref.load %34[%50] : memref<128xindex>
// CHECK-NEXT:              %52 = arith.constant 1 : index
// CHECK-NEXT:              %53 = arith.addi %50, %52 : index
// CHECK-NEXT:              %54 = memref.load %34[%53] : memref<128xindex>
// CHECK-NEXT:              %55 = arith.constant 2 : index
// CHECK-NEXT:              %56 = arith.addi %50, %55 : index
// CHECK-NEXT:              %57 = memref.load %34[%56] : memref<128xindex>
// CHECK-NEXT:              %58 = arith.constant 3 : index
// CHECK-NEXT:              %59 = arith.addi %50, %58 : index
// CHECK-NEXT:              %60 = memref.load %34[%59] : memref<128xindex>
// CHECK-NEXT:              scf.for %61 = %8 to %35 step %9 {
// CHECK-NEXT:                %62 = memref.load %33[%61] : memref<1024xf64>
// CHECK-NEXT:                %63 = arith.addi %31, %61 : index
// CHECK-NEXT:                %x = memref.load %a[%51, %63] : memref<?x?xf64>
// CHECK-NEXT:                %y = arith.select %38, %x, %zero : f64
// CHECK-NEXT:                %next = arith.addf %62, %y fastmath<reassoc,contract> : f64
// CHECK-NEXT:                %64 = arith.addi %31, %61 : index
// CHECK-NEXT:                %x_1 = memref.load %a[%54, %64] : memref<?x?xf64>
// CHECK-NEXT:                %y_1 = arith.select %38, %x_1, %zero : f64
// CHECK-NEXT:                %next_1 = arith.addf %next, %y_1 fastmath<reassoc,contract> : f64
// CHECK-NEXT:                %65 = arith.addi %31, %61 : index
// CHECK-NEXT:                %x_2 = memref.load %a[%57, %65] : memref<?x?xf64>
// CHECK-NEXT:                %y_2 = arith.select %38, %x_2, %zero : f64
// CHECK-NEXT:                %next_2 = arith.addf %next_1, %y_2 fastmath<reassoc,contract> : f64
// CHECK-NEXT:                %66 = arith.addi %31, %61 : index
// CHECK-NEXT:                %x_3 = memref.load %a[%60, %66] : memref<?x?xf64>
// CHECK-NEXT:                %y_3 = arith.select %38, %x_3, %zero : f64
// CHECK-NEXT:                %next_3 = arith.addf %next_2, %y_3 fastmath<reassoc,contract> : f64
// CHECK-NEXT:                memref.store %next_3, %33[%61] : memref<1024xf64>
// CHECK-NEXT:              }
// CHECK-NEXT:            }
// CHECK-NEXT:            scf.for %67 = %49 to %42 step %9 {
// CHECK-NEXT:              %68 = memref.load %34[%67] : memref<128xindex>
// CHECK-NEXT:              scf.for %69 = %8 to %35 step %9 {
// CHECK-NEXT:                %70 = memref.load %33[%69] : memref<1024xf64>
// CHECK-NEXT:                %71 = arith.addi %31, %69 : index
// CHECK-NEXT:                %x_4 = memref.load %a[%68, %71] : memref<?x?xf64>
// CHECK-NEXT:                %y_4 = arith.select %38, %x_4, %zero : f64
// CHECK-NEXT:                %next_4 = arith.addf %70, %y_4 fastmath<reassoc,contract> : f64
// CHECK-NEXT:                memref.store %next_4, %33[%69] : memref<1024xf64>
// CHECK-NEXT:              }
// CHECK-NEXT:            }
// CHECK-NEXT:          }
// CHECK-NEXT:          scf.for %72 = %8 to %35 step %9 {
// CHECK-NEXT:            %73 = memref.load %33[%72] : memref<1024xf64>
// CHECK-NEXT:            %74 = arith.addi %31, %72 : index
// CHECK-NEXT:            memref.store %73, %c[%74] : memref<?xf64>
// CHECK-NEXT:          }
// CHECK-NEXT:          scf.reduce
// CHECK-NEXT:        }) : (index, index, index) -> ()
// CHECK-NEXT:      } else {
// CHECK-NEXT:        "scf.parallel"(%2, %4, %1) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
// CHECK-NEXT:        ^bb0(%j: index):
// CHECK-NEXT:          %s = scf.for %75 = %2 to %5 step %1 iter_args(%acc = %zero) -> (f64) {
// CHECK-NEXT:            %is_1 = memref.load %keep[%75] : memref<?xi1>
// CHECK-NEXT:            %x_5 = memref.load %a[%75, %j] : memref<?x?xf64>
// CHECK-NEXT:            %y_5 = arith.select %is_1, %x_5, %zero : f64
// CHECK-NEXT:            %next_5 = arith.addf %acc, %y_5 fastmath<reassoc,contract> : f64
// CHECK-NEXT:            scf.yield %next_5 : f64
// CHECK-NEXT:          }
// CHECK-NEXT:          memref.store %s, %c[%j] : memref<?xf64>
// CHECK-NEXT:          scf.reduce
// CHECK-NEXT:        }) : (index, index, index) -> ()
// CHECK-NEXT:      }
// CHECK-NEXT:      func.return %c : memref<?xf64>
// CHECK-NEXT:    }

// -----

// A sum that takes no steps unless a test fails stays as it is.

func.func @rare(%a: !phi.vec<!phi.vec<f64>>, %is_unsafe: i1) -> !phi.vec<f64> {
  %n = phi.size %a, 1 : !phi.vec<!phi.vec<f64>>
  %m = phi.size %a, 0 : !phi.vec<!phi.vec<f64>>
  %zero = arith.constant 0.0 : f64
  %none = arith.constant 0 : i64
  %most = arith.constant 17592186044416 : i64
  %limit = arith.select %is_unsafe, %most, %none : i64
  %count = arith.minsi %m, %limit : i64
  %c = phi.array (%j < %n) -> !phi.vec<f64> {
    %s = phi.fold (%k < %count, %acc = %zero) -> f64 {
      %x = phi.get %a[%k, %j] : !phi.vec<!phi.vec<f64>>[i64, index]
      %next = arith.addf %acc, %x : f64
      phi.yield %next : f64
    }
    phi.yield %s : f64
  }
  func.return %c : !phi.vec<f64>
}
// CHECK-LABEL: func.func @rare(
// CHECK-NOT:     memref.alloca
// CHECK:         %s = scf.for

// Rows with steps of their own: each has its own loops.

func.func @triangle(%a: !phi.vec<!phi.vec<f64>>, %b: !phi.vec<!phi.vec<f64>>) -> !phi.vec<!phi.vec<f64>> {
  %n = phi.size %a, 0 : !phi.vec<!phi.vec<f64>>
  %m = phi.size %b, 1 : !phi.vec<!phi.vec<f64>>
  %zero = arith.constant 0.0 : f64
  %r = phi.array (%i < %n, %j < %m) -> !phi.vec<!phi.vec<f64>> {
    %count = arith.index_cast %i : index to i64
    %s = phi.fold irregular (%k < %count, %acc = %zero) -> f64 {
      %x = phi.get %a[%i, %k] : !phi.vec<!phi.vec<f64>>[index, i64]
      %y = phi.get %b[%k, %j] : !phi.vec<!phi.vec<f64>>[i64, index]
      %z = arith.mulf %x, %y : f64
      %next = arith.addf %acc, %z : f64
      phi.yield %next : f64
    }
    phi.yield %s : f64
  }
  func.return %r : !phi.vec<!phi.vec<f64>>
}

// CHECK-LABEL: func.func @triangle(
// CHECK-NOT:     arith.constant 4 : index
// CHECK:         %[[#BLOCK:]] = arith.constant 128 : index
// CHECK-NOT:     arith.remsi
// CHECK:         "scf.parallel"(%{{.*}}, %[[#BLOCK]]) <{operandSegmentSizes = array<i32: 2, 2, 2, 0>}> ({

// -----

// Steps on the bits of an Int are unrolled, and gain nothing from a block.

func.func @bits(%a: !phi.vec<i64>) -> !phi.vec<i64> {
  %n = phi.size %a, 0 : !phi.vec<i64>
  %none = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %width = arith.constant 64 : i64
  %r = phi.array (%i < %n) -> !phi.vec<i64> {
    %x = phi.get %a[%i] : !phi.vec<i64>[index]
    %s = phi.fold (%k < %width, %acc = %none) -> i64 {
      %shifted = arith.shrui %x, %k : i64
      %bit = arith.andi %shifted, %one : i64
      %next = arith.xori %acc, %bit : i64
      phi.yield %next : i64
    }
    phi.yield %s : i64
  }
  func.return %r : !phi.vec<i64>
}
// CHECK-LABEL: func.func @bits(
// CHECK-NOT:     memref.alloca
// CHECK:         %s = scf.for

// Steps that read where the step before says wait for their loads: they are taken one by one.

func.func @walks(%next: !phi.vec<i64>, %n: i64) -> !phi.vec<i64> {
  %zero = arith.constant 0 : i64
  %ends = phi.array (%i < %n) -> !phi.vec<i64> {
    %p = arith.index_cast %i : index to i64
    %s = phi.fold (%k < %n, %at = %p) -> i64 {
      %q = phi.get %next[%at] : !phi.vec<i64>[i64]
      %r = phi.get %next[%k] : !phi.vec<i64>[i64]
      %e = arith.addi %q, %r : i64
      phi.yield %e : i64
    }
    phi.yield %s : i64
  }
  func.return %ends : !phi.vec<i64>
}

// CHECK-LABEL: func.func @walks(
// CHECK:         memref.alloca() : memref<128xi64>
// CHECK-NOT:     arith.remsi
// CHECK:         func.return

// A loop that counts for one result of many, that of an index, runs for this alone.

func.func @labelled(%a: !phi.vec<f64>, %labels: !phi.vec<i64>, %n: i64) -> !phi.vec<f64> {
  %zero = arith.constant 0.0 : f64
  %m = phi.size %a, 0 : !phi.vec<f64>
  %count = phi.size %labels, 0 : !phi.vec<i64>
  %sums = phi.array (%i < %n) -> !phi.vec<f64> {
    %j = arith.index_cast %i : index to i64
    %s = phi.fold (%t < %count, %acc = %zero) -> f64 {
      %label = phi.get %labels[%t] : !phi.vec<i64>[i64]
      %own = arith.cmpi eq, %label, %j : i64
      %inner = phi.fold (%k < %m, %sum = %zero) -> f64 {
        %x = phi.get %a[%k] : !phi.vec<f64>[i64]
        %term = arith.select %own, %x, %zero : f64
        %more = arith.addf %sum, %term : f64
        phi.yield %more : f64
      }
      %next = arith.addf %acc, %inner : f64
      phi.yield %next : f64
    }
    phi.yield %s : f64
  }
  func.return %sums : !phi.vec<f64>
}

// CHECK-LABEL: func.func @labelled(
// CHECK-NOT:     memref.alloca()
// CHECK:         func.return

// Not if the steps of a sum read rows at positions from memory: those have vectors.
func.func @rows_at_random(%a: !phi.vec<!phi.vec<f64>>, %at: !phi.vec<i64>) -> !phi.vec<f64> {
  %n = phi.size %at, 0 : !phi.vec<i64>
  %m = phi.size %a, 1 : !phi.vec<!phi.vec<f64>>
  %zero = arith.constant 0.0 : f64
  %r = phi.array (%i < %n) -> !phi.vec<f64> {
    %p = phi.get %at[%i] : !phi.vec<i64>[index]
    %s = phi.fold (%k < %m, %acc = %zero) -> f64 {
      %x = phi.get %a[%p, %k] : !phi.vec<!phi.vec<f64>>[i64, i64]
      %next = arith.addf %acc, %x : f64
      phi.yield %next : f64
    }
    phi.yield %s : f64
  }
  func.return %r : !phi.vec<f64>
}

// CHECK:         func.func @rows_at_random(
// CHECK-NOT:     memref.alloca
// CHECK:         func.return
