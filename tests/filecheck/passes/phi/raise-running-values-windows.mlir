// RUN: ein-opt %s -p raise-running-values{windows=true},canonicalize,dce | filecheck %s
// RUN: ein-opt %s -p raise-running-values,canonicalize,dce | filecheck %s --check-prefix=LOOP

// A queue: waiting times of floats are combined in windows of 1, 2, 4, .. steps. If a sum of costs
// may be infinite, a loop runs instead.
func.func @queue(%a: !phi.vec<f64>, %v: !phi.vec<f64>, %x: f64) -> tuple<f64, !phi.vec<f64>> {
  %n = phi.size %a, 0 : !phi.vec<f64>
  %zero = arith.constant 0.0 : f64
  %init = phi.tuple (%x, %v) : tuple<f64, !phi.vec<f64>>
  %r = phi.fold (%k < %n, %state = %init) -> tuple<f64, !phi.vec<f64>> {
    %w = phi.proj %state, 0 : tuple<f64, !phi.vec<f64>> -> f64
    %y = phi.get %a[%k] : !phi.vec<f64>[i64]
    %sum = arith.addf %w, %y : f64
    %next_w = arith.maximumf %sum, %zero : f64
    %out = phi.proj %state, 1 : tuple<f64, !phi.vec<f64>> -> !phi.vec<f64>
    %new = phi.update %out[%k], %next_w : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>
    %next = phi.tuple (%next_w, %new) : tuple<f64, !phi.vec<f64>>
    phi.yield %next : tuple<f64, !phi.vec<f64>>
  }
  func.return %r : tuple<f64, !phi.vec<f64>>
}

// CHECK:        func.func @queue(%a: !phi.vec<f64>, %v: !phi.vec<f64>, %x: f64) -> tuple<f64, !phi.vec<f64>> {
// CHECK-NEXT:     %n = phi.size %a, 0 : !phi.vec<f64>
// CHECK-NEXT:     %zero = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:     %0 = arith.constant 1 : i64
// CHECK-NEXT:     %1 = arith.addi %n, %0 : i64
// CHECK-NEXT:     %2 = arith.constant 1 : i64
// CHECK-NEXT:     %3 = phi.array (%4 < %2) -> !phi.vec<f64> {
// CHECK-NEXT:       phi.yield %x : f64
// CHECK-NEXT:     }
// CHECK-NEXT:     %5 = phi.array (%k < %n) -> !phi.vec<f64> {
// CHECK-NEXT:       phi.yield %zero : f64
// CHECK-NEXT:     }
// CHECK-NEXT:     %6 = phi.concat %3, %5 of %1 : !phi.vec<f64>
// CHECK-NEXT:     %7 = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:     %8 = arith.constant 1 : i64
// CHECK-NEXT:     %9 = phi.array (%10 < %8) -> !phi.vec<f64> {
// CHECK-NEXT:       phi.yield %7 : f64
// CHECK-NEXT:     }
// CHECK-NEXT:     %11 = phi.concat %9, %a of %1 : !phi.vec<f64>
// CHECK-NEXT:     %12 = arith.constant 0xfff0000000000000 : f64
// CHECK-NEXT:     %13 = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:     %14 = phi.array (%15 < %1) -> !phi.vec<f64> {
// CHECK-NEXT:       %16 = arith.index_cast %15 : index to i64
// CHECK-NEXT:       %17 = phi.get %11[%16] : !phi.vec<f64>[i64]
// CHECK-NEXT:       %18 = arith.cmpf oeq, %17, %12 : f64
// CHECK-NEXT:       %19 = math.absf %17 : f64
// CHECK-NEXT:       %20 = arith.select %18, %13, %19 : f64
// CHECK-NEXT:       phi.yield %20 : f64
// CHECK-NEXT:     }
// CHECK-NEXT:     %21 = arith.constant 0xfff0000000000000 : f64
// CHECK-NEXT:     %22 = phi.reduce %14 identity %21 by { arith.maximumf } -> f64
// CHECK-NEXT:     %23 = arith.maximumf %13, %22 : f64
// CHECK-NEXT:     %24 = arith.sitofp %n : i64 to f64
// CHECK-NEXT:     %25 = arith.mulf %23, %24 : f64
// CHECK-NEXT:     %26 = arith.constant 0x7ff0000000000000 : f64
// CHECK-NEXT:     %27 = arith.cmpf olt, %25, %26 : f64
// CHECK-NEXT:     %28 = math.ctlz %n : i64
// CHECK-NEXT:     %29 = arith.constant 64 : i64
// CHECK-NEXT:     %30 = arith.subi %29, %28 : i64
// CHECK-NEXT:     %31 = arith.constant 0 : i64
// CHECK-NEXT:     %32 = arith.select %27, %30, %31 : i64
// CHECK-NEXT:     %33 = phi.tuple (%6, %11) : tuple<!phi.vec<f64>, !phi.vec<f64>>
// CHECK-NEXT:     %34 = phi.fold (%35 < %32, %36 = %33) -> tuple<!phi.vec<f64>, !phi.vec<f64>> {
// CHECK-NEXT:       %37 = phi.proj %36, 0 : tuple<!phi.vec<f64>, !phi.vec<f64>> -> !phi.vec<f64>
// CHECK-NEXT:       %38 = phi.proj %36, 1 : tuple<!phi.vec<f64>, !phi.vec<f64>> -> !phi.vec<f64>
// CHECK-NEXT:       %39 = arith.constant 1 : i64
// CHECK-NEXT:       %40 = arith.shli %39, %35 : i64
// CHECK-NEXT:       %41 = arith.minsi %40, %1 : i64
// CHECK-NEXT:       %42 = arith.constant 0 : i64
// CHECK-NEXT:       %43 = arith.maxsi %42, %41 : i64
// CHECK-NEXT:       %44 = phi.array (%45 < %1) -> !phi.vec<f64> {
// CHECK-NEXT:         %46 = phi.get %37[%45] : !phi.vec<f64>[index]
// CHECK-NEXT:         %47 = arith.index_cast %45 : index to i64
// CHECK-NEXT:         %48 = arith.subi %47, %43 : i64
// CHECK-NEXT:         %49 = phi.get %37[%48] : !phi.vec<f64>[i64]
// CHECK-NEXT:         %50 = phi.get %38[%45] : !phi.vec<f64>[index]
// CHECK-NEXT:         %51 = arith.addf %49, %50 : f64
// CHECK-NEXT:         %52 = arith.maximumf %51, %46 : f64
// CHECK-NEXT:         %53 = arith.index_cast %45 : index to i64
// CHECK-NEXT:         %54 = arith.cmpi sge, %53, %43 : i64
// CHECK-NEXT:         %55 = arith.select %54, %52, %46 : f64
// CHECK-NEXT:         phi.yield %55 : f64
// CHECK-NEXT:       }
// CHECK-NEXT:       %56 = phi.array (%57 < %1) -> !phi.vec<f64> {
// CHECK-NEXT:         %58 = phi.get %38[%57] : !phi.vec<f64>[index]
// CHECK-NEXT:         %59 = arith.index_cast %57 : index to i64
// CHECK-NEXT:         %60 = arith.subi %59, %43 : i64
// CHECK-NEXT:         %61 = phi.get %38[%60] : !phi.vec<f64>[i64]
// CHECK-NEXT:         %62 = arith.addf %61, %58 : f64
// CHECK-NEXT:         %63 = arith.index_cast %57 : index to i64
// CHECK-NEXT:         %64 = arith.cmpi sge, %63, %43 : i64
// CHECK-NEXT:         %65 = arith.select %64, %62, %58 : f64
// CHECK-NEXT:         phi.yield %65 : f64
// CHECK-NEXT:       }
// CHECK-NEXT:       %66 = phi.tuple (%44, %56) : tuple<!phi.vec<f64>, !phi.vec<f64>>
// CHECK-NEXT:       phi.yield %66 : tuple<!phi.vec<f64>, !phi.vec<f64>>
// CHECK-NEXT:     }
// CHECK-NEXT:     %67 = phi.proj %34, 0 : tuple<!phi.vec<f64>, !phi.vec<f64>> -> !phi.vec<f64>
// CHECK-NEXT:     %68 = arith.constant 0 : i64
// CHECK-NEXT:     %69 = arith.select %27, %68, %n : i64
// CHECK-NEXT:     %70 = phi.tuple (%x, %67) : tuple<f64, !phi.vec<f64>>
// CHECK-NEXT:     %71 = phi.fold (%72 < %69, %73 = %70) -> tuple<f64, !phi.vec<f64>> {
// CHECK-NEXT:       %74 = phi.proj %73, 0 : tuple<f64, !phi.vec<f64>> -> f64
// CHECK-NEXT:       %75 = phi.proj %73, 1 : tuple<f64, !phi.vec<f64>> -> !phi.vec<f64>
// CHECK-NEXT:       %76 = arith.constant 1 : i64
// CHECK-NEXT:       %77 = arith.addi %72, %76 : i64
// CHECK-NEXT:       %y = phi.get %a[%72] : !phi.vec<f64>[i64]
// CHECK-NEXT:       %78 = arith.addf %74, %y : f64
// CHECK-NEXT:       %79 = arith.maximumf %78, %zero : f64
// CHECK-NEXT:       %80 = phi.update %75[%77], %79 : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>
// CHECK-NEXT:       %81 = phi.tuple (%79, %80) : tuple<f64, !phi.vec<f64>>
// CHECK-NEXT:       phi.yield %81 : tuple<f64, !phi.vec<f64>>
// CHECK-NEXT:     }
// CHECK-NEXT:     %82 = phi.proj %71, 1 : tuple<f64, !phi.vec<f64>> -> !phi.vec<f64>
// CHECK-NEXT:     %83 = phi.get %82[%n] : !phi.vec<f64>[i64]
// CHECK-NEXT:     %r = phi.fold (%k_1 < %n, %state = %v) -> !phi.vec<f64> {
// CHECK-NEXT:       %84 = arith.constant 1 : i64
// CHECK-NEXT:       %85 = arith.addi %k_1, %84 : i64
// CHECK-NEXT:       %next_w = phi.get %82[%85] : !phi.vec<f64>[i64]
// CHECK-NEXT:       %new = phi.update %state[%k_1], %next_w : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>
// CHECK-NEXT:       phi.yield %new : !phi.vec<f64>
// CHECK-NEXT:     }
// CHECK-NEXT:     %r_1 = phi.tuple (%83, %r) : tuple<f64, !phi.vec<f64>>
// CHECK-NEXT:     func.return %r_1 : tuple<f64, !phi.vec<f64>>
// CHECK-NEXT:   }

// LOOP:        %r = phi.fold (%k < %n, %state = %init) -> tuple<f64, !phi.vec<f64>> {
