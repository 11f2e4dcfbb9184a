// RUN: ein-opt %s -p raise-writes{windows=true},canonicalize,dce | filecheck %s
// RUN: ein-opt %s -p raise-writes,canonicalize,dce | filecheck %s --check-prefix=LOOP

// With windows, a row of floats with one cost for all steps is combined in windows of 1, 2, 4, ..
// steps; without, it stays a loop.
func.func @row(%e: !phi.vec<f64>, %v: !phi.vec<f64>, %c: f64, %n: i64) -> !phi.vec<f64> {
  %one = arith.constant 1 : i64
  %r = phi.fold (%k < %n, %w = %v) -> !phi.vec<f64> {
    %p = arith.addi %k, %one : i64
    %old = phi.get %w[%k] : !phi.vec<f64>[i64]
    %moved = arith.addf %old, %c : f64
    %limit = phi.get %e[%k] : !phi.vec<f64>[i64]
    %new = arith.minimumf %moved, %limit : f64
    %next = phi.update %w[%p], %new : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>
    phi.yield %next : !phi.vec<f64>
  }
  func.return %r : !phi.vec<f64>
}

// CHECK:        func.func @row(%e: !phi.vec<f64>, %v: !phi.vec<f64>, %c: f64, %n: i64) -> !phi.vec<f64> {
// CHECK-NEXT:     %0 = arith.constant 0 : i64
// CHECK-NEXT:     %1 = phi.get %v[%0] : !phi.vec<f64>[i64]
// CHECK-NEXT:     %2 = arith.constant 1 : i64
// CHECK-NEXT:     %3 = arith.addi %n, %2 : i64
// CHECK-NEXT:     %4 = arith.constant 1 : i64
// CHECK-NEXT:     %5 = phi.array (%6 < %4) -> !phi.vec<f64> {
// CHECK-NEXT:       phi.yield %1 : f64
// CHECK-NEXT:     }
// CHECK-NEXT:     %7 = phi.array (%k < %n) -> !phi.vec<f64> {
// CHECK-NEXT:       %k_1 = arith.index_cast %k : index to i64
// CHECK-NEXT:       %limit = phi.get %e[%k_1] : !phi.vec<f64>[i64]
// CHECK-NEXT:       phi.yield %limit : f64
// CHECK-NEXT:     }
// CHECK-NEXT:     %8 = phi.concat %5, %7 of %3 : !phi.vec<f64>
// CHECK-NEXT:     %9 = arith.constant 0x7ff0000000000000 : f64
// CHECK-NEXT:     %10 = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:     %11 = arith.cmpf oeq, %c, %9 : f64
// CHECK-NEXT:     %12 = math.absf %c : f64
// CHECK-NEXT:     %13 = arith.select %11, %10, %12 : f64
// CHECK-NEXT:     %14 = arith.sitofp %n : i64 to f64
// CHECK-NEXT:     %15 = arith.mulf %13, %14 : f64
// CHECK-NEXT:     %16 = arith.constant 0x7ff0000000000000 : f64
// CHECK-NEXT:     %17 = arith.cmpf olt, %15, %16 : f64
// CHECK-NEXT:     %18 = math.ctlz %n : i64
// CHECK-NEXT:     %19 = arith.constant 64 : i64
// CHECK-NEXT:     %20 = arith.subi %19, %18 : i64
// CHECK-NEXT:     %21 = arith.constant 0 : i64
// CHECK-NEXT:     %22 = arith.select %17, %20, %21 : i64
// CHECK-NEXT:     %23 = phi.tuple (%8, %c) : tuple<!phi.vec<f64>, f64>
// CHECK-NEXT:     %24 = phi.fold (%25 < %22, %26 = %23) -> tuple<!phi.vec<f64>, f64> {
// CHECK-NEXT:       %27 = phi.proj %26, 0 : tuple<!phi.vec<f64>, f64> -> !phi.vec<f64>
// CHECK-NEXT:       %28 = phi.proj %26, 1 : tuple<!phi.vec<f64>, f64> -> f64
// CHECK-NEXT:       %29 = arith.constant 1 : i64
// CHECK-NEXT:       %30 = arith.shli %29, %25 : i64
// CHECK-NEXT:       %31 = arith.minsi %30, %3 : i64
// CHECK-NEXT:       %32 = arith.constant 0 : i64
// CHECK-NEXT:       %33 = arith.maxsi %32, %31 : i64
// CHECK-NEXT:       %34 = phi.array (%35 < %3) -> !phi.vec<f64> {
// CHECK-NEXT:         %36 = phi.get %27[%35] : !phi.vec<f64>[index]
// CHECK-NEXT:         %37 = arith.index_cast %35 : index to i64
// CHECK-NEXT:         %38 = arith.subi %37, %33 : i64
// CHECK-NEXT:         %39 = phi.get %27[%38] : !phi.vec<f64>[i64]
// CHECK-NEXT:         %40 = arith.addf %39, %28 : f64
// CHECK-NEXT:         %41 = arith.minimumf %40, %36 : f64
// CHECK-NEXT:         %42 = arith.index_cast %35 : index to i64
// CHECK-NEXT:         %43 = arith.cmpi sge, %42, %33 : i64
// CHECK-NEXT:         %44 = arith.select %43, %41, %36 : f64
// CHECK-NEXT:         phi.yield %44 : f64
// CHECK-NEXT:       }
// CHECK-NEXT:       %45 = arith.addf %28, %28 : f64
// CHECK-NEXT:       %46 = phi.tuple (%34, %45) : tuple<!phi.vec<f64>, f64>
// CHECK-NEXT:       phi.yield %46 : tuple<!phi.vec<f64>, f64>
// CHECK-NEXT:     }
// CHECK-NEXT:     %47 = phi.proj %24, 0 : tuple<!phi.vec<f64>, f64> -> !phi.vec<f64>
// CHECK-NEXT:     %48 = arith.constant 0 : i64
// CHECK-NEXT:     %49 = arith.select %17, %48, %n : i64
// CHECK-NEXT:     %50 = phi.tuple (%1, %47) : tuple<f64, !phi.vec<f64>>
// CHECK-NEXT:     %51 = phi.fold (%52 < %49, %53 = %50) -> tuple<f64, !phi.vec<f64>> {
// CHECK-NEXT:       %54 = phi.proj %53, 0 : tuple<f64, !phi.vec<f64>> -> f64
// CHECK-NEXT:       %55 = phi.proj %53, 1 : tuple<f64, !phi.vec<f64>> -> !phi.vec<f64>
// CHECK-NEXT:       %56 = arith.constant 1 : i64
// CHECK-NEXT:       %57 = arith.addi %52, %56 : i64
// CHECK-NEXT:       %limit_1 = phi.get %e[%52] : !phi.vec<f64>[i64]
// CHECK-NEXT:       %58 = arith.addf %54, %c : f64
// CHECK-NEXT:       %59 = arith.minimumf %58, %limit_1 : f64
// CHECK-NEXT:       %60 = phi.update %55[%57], %59 : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>
// CHECK-NEXT:       %61 = phi.tuple (%59, %60) : tuple<f64, !phi.vec<f64>>
// CHECK-NEXT:       phi.yield %61 : tuple<f64, !phi.vec<f64>>
// CHECK-NEXT:     }
// CHECK-NEXT:     %62 = phi.proj %51, 1 : tuple<f64, !phi.vec<f64>> -> !phi.vec<f64>
// CHECK-NEXT:     %63 = phi.size %v, 0 : !phi.vec<f64>
// CHECK-NEXT:     %r = phi.array (%64 < %63) -> !phi.vec<f64> {
// CHECK-NEXT:       %k_2 = arith.index_cast %64 : index to i64
// CHECK-NEXT:       %65 = arith.constant 0 : i64
// CHECK-NEXT:       %66 = arith.cmpi sge, %k_2, %65 : i64
// CHECK-NEXT:       %67 = arith.constant 1 : i64
// CHECK-NEXT:       %68 = arith.addi %n, %67 : i64
// CHECK-NEXT:       %69 = arith.cmpi slt, %k_2, %68 : i64
// CHECK-NEXT:       %70 = phi.get %62[%k_2] : !phi.vec<f64>[i64]
// CHECK-NEXT:       %71 = phi.get %v[%64] : !phi.vec<f64>[index]
// CHECK-NEXT:       %72 = arith.select %66, %70, %71 : f64
// CHECK-NEXT:       %73 = arith.select %69, %72, %71 : f64
// CHECK-NEXT:       phi.yield %73 : f64
// CHECK-NEXT:     }
// CHECK-NEXT:     func.return %r : !phi.vec<f64>
// CHECK-NEXT:   }

// LOOP:        %r = phi.fold (%k < %n, %w = %v) -> !phi.vec<f64> {
