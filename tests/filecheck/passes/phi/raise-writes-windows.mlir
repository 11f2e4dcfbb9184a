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
// CHECK-NEXT:     %9 = arith.constant 0xfff0000000000000 : f64
// CHECK-NEXT:     %10 = arith.cmpf une, %c, %9 : f64
// CHECK-NEXT:     %11 = math.ctlz %n : i64
// CHECK-NEXT:     %12 = arith.constant 64 : i64
// CHECK-NEXT:     %13 = arith.subi %12, %11 : i64
// CHECK-NEXT:     %14 = arith.constant 0 : i64
// CHECK-NEXT:     %15 = arith.select %10, %13, %14 : i64
// CHECK-NEXT:     %16 = phi.tuple (%8, %c) : tuple<!phi.vec<f64>, f64>
// CHECK-NEXT:     %17 = phi.fold (%18 < %15, %19 = %16) -> tuple<!phi.vec<f64>, f64> {
// CHECK-NEXT:       %20 = phi.proj %19, 0 : tuple<!phi.vec<f64>, f64> -> !phi.vec<f64>
// CHECK-NEXT:       %21 = phi.proj %19, 1 : tuple<!phi.vec<f64>, f64> -> f64
// CHECK-NEXT:       %22 = arith.constant 1 : i64
// CHECK-NEXT:       %23 = arith.shli %22, %18 : i64
// CHECK-NEXT:       %24 = arith.minsi %23, %3 : i64
// CHECK-NEXT:       %25 = arith.constant 0 : i64
// CHECK-NEXT:       %26 = arith.maxsi %25, %24 : i64
// CHECK-NEXT:       %27 = phi.array (%28 < %3) -> !phi.vec<f64> {
// CHECK-NEXT:         %29 = phi.get %20[%28] : !phi.vec<f64>[index]
// CHECK-NEXT:         %30 = arith.index_cast %28 : index to i64
// CHECK-NEXT:         %31 = arith.subi %30, %26 : i64
// CHECK-NEXT:         %32 = phi.get %20[%31] : !phi.vec<f64>[i64]
// CHECK-NEXT:         %33 = arith.addf %32, %21 : f64
// CHECK-NEXT:         %34 = arith.minimumf %33, %29 : f64
// CHECK-NEXT:         %35 = arith.index_cast %28 : index to i64
// CHECK-NEXT:         %36 = arith.cmpi sge, %35, %26 : i64
// CHECK-NEXT:         %37 = arith.select %36, %34, %29 : f64
// CHECK-NEXT:         phi.yield %37 : f64
// CHECK-NEXT:       }
// CHECK-NEXT:       %38 = arith.addf %21, %21 : f64
// CHECK-NEXT:       %39 = phi.tuple (%27, %38) : tuple<!phi.vec<f64>, f64>
// CHECK-NEXT:       phi.yield %39 : tuple<!phi.vec<f64>, f64>
// CHECK-NEXT:     }
// CHECK-NEXT:     %40 = phi.proj %17, 0 : tuple<!phi.vec<f64>, f64> -> !phi.vec<f64>
// CHECK-NEXT:     %41 = arith.constant 0 : i64
// CHECK-NEXT:     %42 = arith.select %10, %41, %n : i64
// CHECK-NEXT:     %43 = phi.tuple (%1, %40) : tuple<f64, !phi.vec<f64>>
// CHECK-NEXT:     %44 = phi.fold (%45 < %42, %46 = %43) -> tuple<f64, !phi.vec<f64>> {
// CHECK-NEXT:       %47 = phi.proj %46, 0 : tuple<f64, !phi.vec<f64>> -> f64
// CHECK-NEXT:       %48 = phi.proj %46, 1 : tuple<f64, !phi.vec<f64>> -> !phi.vec<f64>
// CHECK-NEXT:       %49 = arith.constant 1 : i64
// CHECK-NEXT:       %50 = arith.addi %45, %49 : i64
// CHECK-NEXT:       %limit_1 = phi.get %e[%45] : !phi.vec<f64>[i64]
// CHECK-NEXT:       %51 = arith.addf %47, %c : f64
// CHECK-NEXT:       %52 = arith.minimumf %51, %limit_1 : f64
// CHECK-NEXT:       %53 = phi.update %48[%50], %52 : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>
// CHECK-NEXT:       %54 = phi.tuple (%52, %53) : tuple<f64, !phi.vec<f64>>
// CHECK-NEXT:       phi.yield %54 : tuple<f64, !phi.vec<f64>>
// CHECK-NEXT:     }
// CHECK-NEXT:     %55 = phi.proj %44, 1 : tuple<f64, !phi.vec<f64>> -> !phi.vec<f64>
// CHECK-NEXT:     %56 = phi.size %v, 0 : !phi.vec<f64>
// CHECK-NEXT:     %r = phi.array (%57 < %56) -> !phi.vec<f64> {
// CHECK-NEXT:       %k_2 = arith.index_cast %57 : index to i64
// CHECK-NEXT:       %58 = arith.constant 0 : i64
// CHECK-NEXT:       %59 = arith.cmpi sge, %k_2, %58 : i64
// CHECK-NEXT:       %60 = arith.constant 1 : i64
// CHECK-NEXT:       %61 = arith.addi %n, %60 : i64
// CHECK-NEXT:       %62 = arith.cmpi slt, %k_2, %61 : i64
// CHECK-NEXT:       %63 = phi.get %55[%k_2] : !phi.vec<f64>[i64]
// CHECK-NEXT:       %64 = phi.get %v[%57] : !phi.vec<f64>[index]
// CHECK-NEXT:       %65 = arith.select %59, %63, %64 : f64
// CHECK-NEXT:       %66 = arith.select %62, %65, %64 : f64
// CHECK-NEXT:       phi.yield %66 : f64
// CHECK-NEXT:     }
// CHECK-NEXT:     func.return %r : !phi.vec<f64>
// CHECK-NEXT:   }

// LOOP:        %r = phi.fold (%k < %n, %w = %v) -> !phi.vec<f64> {
