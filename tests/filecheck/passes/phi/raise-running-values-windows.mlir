// RUN: ein-opt %s -p raise-running-values{windows=true},canonicalize,dce | filecheck %s
// RUN: ein-opt %s -p raise-running-values,canonicalize,dce | filecheck %s --check-prefix=LOOP

// A queue: waiting times of floats are combined in windows of 1, 2, 4, .. steps. If a cost is the
// infinity that is better than all limits, a loop runs instead.
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
// CHECK-NEXT:     %12 = arith.constant 0x7ff0000000000000 : f64
// CHECK-NEXT:     %13 = phi.array (%14 < %1) -> !phi.vec<i1> {
// CHECK-NEXT:       %15 = arith.index_cast %14 : index to i64
// CHECK-NEXT:       %16 = phi.get %11[%15] : !phi.vec<f64>[i64]
// CHECK-NEXT:       %17 = arith.cmpf une, %16, %12 : f64
// CHECK-NEXT:       phi.yield %17 : i1
// CHECK-NEXT:     }
// CHECK-NEXT:     %18 = arith.constant true
// CHECK-NEXT:     %19 = phi.reduce %13 identity %18 by { arith.andi } -> i1
// CHECK-NEXT:     %20 = math.ctlz %n : i64
// CHECK-NEXT:     %21 = arith.constant 64 : i64
// CHECK-NEXT:     %22 = arith.subi %21, %20 : i64
// CHECK-NEXT:     %23 = arith.constant 0 : i64
// CHECK-NEXT:     %24 = arith.select %19, %22, %23 : i64
// CHECK-NEXT:     %25 = phi.tuple (%6, %11) : tuple<!phi.vec<f64>, !phi.vec<f64>>
// CHECK-NEXT:     %26 = phi.fold (%27 < %24, %28 = %25) -> tuple<!phi.vec<f64>, !phi.vec<f64>> {
// CHECK-NEXT:       %29 = phi.proj %28, 0 : tuple<!phi.vec<f64>, !phi.vec<f64>> -> !phi.vec<f64>
// CHECK-NEXT:       %30 = phi.proj %28, 1 : tuple<!phi.vec<f64>, !phi.vec<f64>> -> !phi.vec<f64>
// CHECK-NEXT:       %31 = arith.constant 1 : i64
// CHECK-NEXT:       %32 = arith.shli %31, %27 : i64
// CHECK-NEXT:       %33 = arith.minsi %32, %1 : i64
// CHECK-NEXT:       %34 = arith.constant 0 : i64
// CHECK-NEXT:       %35 = arith.maxsi %34, %33 : i64
// CHECK-NEXT:       %36 = phi.array (%37 < %1) -> !phi.vec<f64> {
// CHECK-NEXT:         %38 = phi.get %29[%37] : !phi.vec<f64>[index]
// CHECK-NEXT:         %39 = arith.index_cast %37 : index to i64
// CHECK-NEXT:         %40 = arith.subi %39, %35 : i64
// CHECK-NEXT:         %41 = phi.get %29[%40] : !phi.vec<f64>[i64]
// CHECK-NEXT:         %42 = phi.get %30[%37] : !phi.vec<f64>[index]
// CHECK-NEXT:         %43 = arith.addf %41, %42 : f64
// CHECK-NEXT:         %44 = arith.maximumf %43, %38 : f64
// CHECK-NEXT:         %45 = arith.index_cast %37 : index to i64
// CHECK-NEXT:         %46 = arith.cmpi sge, %45, %35 : i64
// CHECK-NEXT:         %47 = arith.select %46, %44, %38 : f64
// CHECK-NEXT:         phi.yield %47 : f64
// CHECK-NEXT:       }
// CHECK-NEXT:       %48 = phi.array (%49 < %1) -> !phi.vec<f64> {
// CHECK-NEXT:         %50 = phi.get %30[%49] : !phi.vec<f64>[index]
// CHECK-NEXT:         %51 = arith.index_cast %49 : index to i64
// CHECK-NEXT:         %52 = arith.subi %51, %35 : i64
// CHECK-NEXT:         %53 = phi.get %30[%52] : !phi.vec<f64>[i64]
// CHECK-NEXT:         %54 = arith.addf %53, %50 : f64
// CHECK-NEXT:         %55 = arith.index_cast %49 : index to i64
// CHECK-NEXT:         %56 = arith.cmpi sge, %55, %35 : i64
// CHECK-NEXT:         %57 = arith.select %56, %54, %50 : f64
// CHECK-NEXT:         phi.yield %57 : f64
// CHECK-NEXT:       }
// CHECK-NEXT:       %58 = phi.tuple (%36, %48) : tuple<!phi.vec<f64>, !phi.vec<f64>>
// CHECK-NEXT:       phi.yield %58 : tuple<!phi.vec<f64>, !phi.vec<f64>>
// CHECK-NEXT:     }
// CHECK-NEXT:     %59 = phi.proj %26, 0 : tuple<!phi.vec<f64>, !phi.vec<f64>> -> !phi.vec<f64>
// CHECK-NEXT:     %60 = arith.constant 0 : i64
// CHECK-NEXT:     %61 = arith.select %19, %60, %n : i64
// CHECK-NEXT:     %62 = phi.tuple (%x, %59) : tuple<f64, !phi.vec<f64>>
// CHECK-NEXT:     %63 = phi.fold (%64 < %61, %65 = %62) -> tuple<f64, !phi.vec<f64>> {
// CHECK-NEXT:       %66 = phi.proj %65, 0 : tuple<f64, !phi.vec<f64>> -> f64
// CHECK-NEXT:       %67 = phi.proj %65, 1 : tuple<f64, !phi.vec<f64>> -> !phi.vec<f64>
// CHECK-NEXT:       %68 = arith.constant 1 : i64
// CHECK-NEXT:       %69 = arith.addi %64, %68 : i64
// CHECK-NEXT:       %y = phi.get %a[%64] : !phi.vec<f64>[i64]
// CHECK-NEXT:       %70 = arith.addf %66, %y : f64
// CHECK-NEXT:       %71 = arith.maximumf %70, %zero : f64
// CHECK-NEXT:       %72 = phi.update %67[%69], %71 : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>
// CHECK-NEXT:       %73 = phi.tuple (%71, %72) : tuple<f64, !phi.vec<f64>>
// CHECK-NEXT:       phi.yield %73 : tuple<f64, !phi.vec<f64>>
// CHECK-NEXT:     }
// CHECK-NEXT:     %74 = phi.proj %63, 1 : tuple<f64, !phi.vec<f64>> -> !phi.vec<f64>
// CHECK-NEXT:     %75 = phi.get %74[%n] : !phi.vec<f64>[i64]
// CHECK-NEXT:     %r = phi.fold (%k_1 < %n, %state = %v) -> !phi.vec<f64> {
// CHECK-NEXT:       %76 = arith.constant 1 : i64
// CHECK-NEXT:       %77 = arith.addi %k_1, %76 : i64
// CHECK-NEXT:       %next_w = phi.get %74[%77] : !phi.vec<f64>[i64]
// CHECK-NEXT:       %new = phi.update %state[%k_1], %next_w : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>
// CHECK-NEXT:       phi.yield %new : !phi.vec<f64>
// CHECK-NEXT:     }
// CHECK-NEXT:     %r_1 = phi.tuple (%75, %r) : tuple<f64, !phi.vec<f64>>
// CHECK-NEXT:     func.return %r_1 : tuple<f64, !phi.vec<f64>>
// CHECK-NEXT:   }

// LOOP:        %r = phi.fold (%k < %n, %state = %init) -> tuple<f64, !phi.vec<f64>> {
