// RUN: ein-opt %s -p linearize{checkpoint=1024} | filecheck %s
// RUN: ein-opt %s -p differentiate | filecheck %s --check-prefix=OWN

// A step that needs the value before it: chunks of sqrt(n) steps, which the linear program runs
// again.

func.func @scan(%a: f64, %n: i64, %ct: f64) -> f64 {
  %r = phi.vjp (%x = %a by %ct) : f64 -> tuple<f64, f64> {
    %y = phi.fold (%k < %n, %acc = %x) -> f64 {
      %s = math.sin %acc : f64
      phi.yield %s : f64
    }
    phi.yield %y : f64
  }
  %g = phi.proj %r, 1 : tuple<f64, f64> -> f64
  func.return %g : f64
}
// CHECK-LABEL: func.func @scan(%a: f64, %n: i64, %ct: f64) -> f64 {
// CHECK-NEXT:      %0 = arith.constant 1 : i64
// CHECK-NEXT:      %1 = arith.maxsi %n, %0 : i64
// CHECK-NEXT:      %2 = arith.sitofp %1 : i64 to f64
// CHECK-NEXT:      %3 = math.sqrt %2 : f64
// CHECK-NEXT:      %4 = math.ceil %3 : f64
// CHECK-NEXT:      %5 = arith.fptosi %4 : f64 to i64
// CHECK-NEXT:      %6 = arith.constant 1.024000e+03 : f64
// CHECK-NEXT:      %7 = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:      %8 = arith.constant 8.000000e+00 : f64
// CHECK-NEXT:      %9 = arith.sitofp %1 : i64 to f64
// CHECK-NEXT:      %10 = arith.mulf %8, %9 : f64
// CHECK-NEXT:      %11 = arith.addf %7, %10 : f64
// CHECK-NEXT:      %12 = arith.cmpf ole, %11, %6 : f64
// CHECK-NEXT:      %13 = arith.select %12, %1, %5 : i64
// CHECK-NEXT:      %14 = arith.constant 1 : i64
// CHECK-NEXT:      %15 = arith.subi %13, %14 : i64
// CHECK-NEXT:      %16 = arith.addi %n, %15 : i64
// CHECK-NEXT:      %17 = arith.floordivsi %16, %13 : i64
// CHECK-NEXT:      %18 = arith.constant 17592186044416 : i64
// CHECK-NEXT:      %19 = arith.cmpi ule, %n, %18 : i64
// CHECK-NEXT:      %20 = arith.select %19, %17, %n : i64
// CHECK-NEXT:      %21 = phi.array (%22 < %20) -> !phi.vec<f64> {
// CHECK-NEXT:        %23 = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:        phi.yield %23 : f64
// CHECK-NEXT:      }
// CHECK-NEXT:      %24 = phi.tuple (%a, %21) : tuple<f64, !phi.vec<f64>>
// CHECK-NEXT:      %25 = phi.fold (%k < %20, %26 = %24) -> tuple<f64, !phi.vec<f64>> {
// CHECK-NEXT:        %27 = phi.proj %26, 0 : tuple<f64, !phi.vec<f64>> -> f64
// CHECK-NEXT:        %28 = phi.proj %26, 1 : tuple<f64, !phi.vec<f64>> -> !phi.vec<f64>
// CHECK-NEXT:        %acc = phi.proj %26, 0 : tuple<f64, !phi.vec<f64>> -> f64
// CHECK-NEXT:        %29 = arith.constant 0 : i64
// CHECK-NEXT:        %30 = arith.muli %k, %13 : i64
// CHECK-NEXT:        %start = arith.maxsi %30, %29 : i64
// CHECK-NEXT:        %31 = arith.subi %n, %start : i64
// CHECK-NEXT:        %32 = arith.minsi %13, %31 : i64
// CHECK-NEXT:        %length = arith.maxsi %32, %29 : i64
// CHECK-NEXT:        %33 = phi.array (%34 < %length) -> !phi.vec<f64> {
// CHECK-NEXT:          %35 = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:          phi.yield %35 : f64
// CHECK-NEXT:        }
// CHECK-NEXT:        %36 = phi.tuple (%acc, %33) : tuple<f64, !phi.vec<f64>>
// CHECK-NEXT:        %37 = phi.fold (%k_1 < %length, %38 = %36) -> tuple<f64, !phi.vec<f64>> {
// CHECK-NEXT:          %39 = phi.proj %38, 0 : tuple<f64, !phi.vec<f64>> -> f64
// CHECK-NEXT:          %40 = phi.proj %38, 1 : tuple<f64, !phi.vec<f64>> -> !phi.vec<f64>
// CHECK-NEXT:          %acc_1 = phi.proj %38, 0 : tuple<f64, !phi.vec<f64>> -> f64
// CHECK-NEXT:          %s = math.sin %acc_1 : f64
// CHECK-NEXT:          %41 = phi.update %40[%k_1], %39 : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>
// CHECK-NEXT:          %42 = phi.tuple (%s, %41) : tuple<f64, !phi.vec<f64>>
// CHECK-NEXT:          phi.yield %42 : tuple<f64, !phi.vec<f64>>
// CHECK-NEXT:        } {recomputed}
// CHECK-NEXT:        %43 = phi.proj %37, 0 : tuple<f64, !phi.vec<f64>> -> f64
// CHECK-NEXT:        %44 = phi.update %28[%k], %27 : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>
// CHECK-NEXT:        %45 = phi.tuple (%43, %44) : tuple<f64, !phi.vec<f64>>
// CHECK-NEXT:        phi.yield %45 : tuple<f64, !phi.vec<f64>>
// CHECK-NEXT:      } {checkpointed}
// CHECK-NEXT:      %y = phi.proj %25, 0 : tuple<f64, !phi.vec<f64>> -> f64
// CHECK-NEXT:      %46 = phi.proj %25, 1 : tuple<f64, !phi.vec<f64>> -> !phi.vec<f64>
// CHECK-NEXT:      %47 = phi.transpose (%dx = %a) by %ct -> tuple<f64> : f64 {
// CHECK-NEXT:        %48 = phi.fold (%k_2 < %20, %49 = %dx) -> f64 {
// CHECK-NEXT:          %acc_2 = phi.get %46[%k_2] : !phi.vec<f64>[i64]
// CHECK-NEXT:          %50 = arith.constant 0 : i64
// CHECK-NEXT:          %51 = arith.muli %k_2, %13 : i64
// CHECK-NEXT:          %start_1 = arith.maxsi %51, %50 : i64
// CHECK-NEXT:          %52 = arith.subi %n, %start_1 : i64
// CHECK-NEXT:          %53 = arith.minsi %13, %52 : i64
// CHECK-NEXT:          %length_1 = arith.maxsi %53, %50 : i64
// CHECK-NEXT:          %54 = phi.array (%55 < %length_1) -> !phi.vec<f64> {
// CHECK-NEXT:            %56 = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:            phi.yield %56 : f64
// CHECK-NEXT:          }
// CHECK-NEXT:          %57 = phi.tuple (%acc_2, %54) : tuple<f64, !phi.vec<f64>>
// CHECK-NEXT:          %58 = phi.fold (%k_3 < %length_1, %59 = %57) -> tuple<f64, !phi.vec<f64>> {
// CHECK-NEXT:            %60 = phi.proj %59, 0 : tuple<f64, !phi.vec<f64>> -> f64
// CHECK-NEXT:            %61 = phi.proj %59, 1 : tuple<f64, !phi.vec<f64>> -> !phi.vec<f64>
// CHECK-NEXT:            %acc_3 = phi.proj %59, 0 : tuple<f64, !phi.vec<f64>> -> f64
// CHECK-NEXT:            %s_1 = math.sin %acc_3 : f64
// CHECK-NEXT:            %62 = phi.update %61[%k_3], %60 : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>
// CHECK-NEXT:            %63 = phi.tuple (%s_1, %62) : tuple<f64, !phi.vec<f64>>
// CHECK-NEXT:            phi.yield %63 : tuple<f64, !phi.vec<f64>>
// CHECK-NEXT:          } {recomputed}
// CHECK-NEXT:          %64 = phi.proj %58, 1 : tuple<f64, !phi.vec<f64>> -> !phi.vec<f64>
// CHECK-NEXT:          %65 = phi.fold (%k_4 < %length_1, %66 = %49) -> f64 {
// CHECK-NEXT:            %acc_4 = phi.get %64[%k_4] : !phi.vec<f64>[i64]
// CHECK-NEXT:            %67 = math.cos %acc_4 : f64
// CHECK-NEXT:            %68 = arith.mulf %66, %67 : f64
// CHECK-NEXT:            phi.yield %68 : f64
// CHECK-NEXT:          }
// CHECK-NEXT:          phi.yield %65 : f64
// CHECK-NEXT:        }
// CHECK-NEXT:        phi.yield %48 : f64
// CHECK-NEXT:      }
// CHECK-NEXT:      %69 = phi.proj %47, 0 : tuple<f64> -> f64
// CHECK-NEXT:      %r = phi.tuple (%y, %69) : tuple<f64, f64>
// CHECK-NEXT:      %g = phi.proj %r, 1 : tuple<f64, f64> -> f64
// CHECK-NEXT:      func.return %g : f64
// CHECK-NEXT:    }

// A sum saves nothing.

func.func @sum(%a: !phi.vec<f64>, %n: i64, %ct: f64) -> !phi.vec<f64> {
  %r = phi.vjp (%x = %a by %ct) : !phi.vec<f64> by f64 -> tuple<f64, !phi.vec<f64>> {
    %zero = arith.constant 0.0 : f64
    %y = phi.fold (%k < %n, %acc = %zero) -> f64 {
      %e = phi.get %x[%k] : !phi.vec<f64>[i64]
      %s = arith.addf %acc, %e : f64
      phi.yield %s : f64
    }
    phi.yield %y : f64
  }
  %g = phi.proj %r, 1 : tuple<f64, !phi.vec<f64>> -> !phi.vec<f64>
  func.return %g : !phi.vec<f64>
}
// CHECK-LABEL: func.func @sum(%a: !phi.vec<f64>, %n: i64, %ct: f64) -> !phi.vec<f64> {
// CHECK-NEXT:      %zero = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:      %y = phi.fold (%k < %n, %acc = %zero) -> f64 {
// CHECK-NEXT:        %e = phi.get %a[%k] : !phi.vec<f64>[i64]
// CHECK-NEXT:        %s = arith.addf %acc, %e : f64
// CHECK-NEXT:        phi.yield %s : f64
// CHECK-NEXT:      }
// CHECK-NEXT:      %0 = phi.transpose (%dx = %a) by %ct -> tuple<!phi.vec<f64>> : f64 {
// CHECK-NEXT:        %1 = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:        %2 = phi.fold (%k_1 < %n, %3 = %1) -> f64 {
// CHECK-NEXT:          %4 = phi.get %dx[%k_1] : !phi.vec<f64>[i64]
// CHECK-NEXT:          %5 = arith.addf %3, %4 : f64
// CHECK-NEXT:          phi.yield %5 : f64
// CHECK-NEXT:        }
// CHECK-NEXT:        phi.yield %2 : f64
// CHECK-NEXT:      }
// CHECK-NEXT:      %6 = phi.proj %0, 0 : tuple<!phi.vec<f64>> -> !phi.vec<f64>
// CHECK-NEXT:      %r = phi.tuple (%y, %6) : tuple<f64, !phi.vec<f64>>
// CHECK-NEXT:      %g = phi.proj %r, 1 : tuple<f64, !phi.vec<f64>> -> !phi.vec<f64>
// CHECK-NEXT:      func.return %g : !phi.vec<f64>
// CHECK-NEXT:    }

// The bound of the derivative itself. Marks are gone in the end.

func.func @own(%a: f64, %n: i64, %ct: f64) -> f64 {
  %r = phi.vjp checkpoint 16 (%x = %a by %ct) : f64 -> tuple<f64, f64> {
    %y = phi.fold (%k < %n, %acc = %x) -> f64 {
      %s = math.sin %acc : f64
      phi.yield %s : f64
    }
    phi.yield %y : f64
  }
  %g = phi.proj %r, 1 : tuple<f64, f64> -> f64
  func.return %g : f64
}
// CHECK-LABEL: func.func @own(
// CHECK:         arith.constant 1.600000e+01 : f64
// OWN-LABEL: func.func @own(
// OWN:           %6 = arith.constant 1.600000e+01 : f64
// OWN-NOT:       {checkpointed}
// OWN-NOT:       {recomputed}
// OWN:           func.return
