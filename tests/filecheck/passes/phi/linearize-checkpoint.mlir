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
// CHECK-NEXT:      %25 = phi.fold (%k < %20, %acc = %24) -> tuple<f64, !phi.vec<f64>> {
// CHECK-NEXT:        %acc_1 = phi.proj %acc, 0 : tuple<f64, !phi.vec<f64>> -> f64
// CHECK-NEXT:        %26 = phi.proj %acc, 1 : tuple<f64, !phi.vec<f64>> -> !phi.vec<f64>
// CHECK-NEXT:        %27 = arith.constant 0 : i64
// CHECK-NEXT:        %28 = arith.muli %k, %13 : i64
// CHECK-NEXT:        %start = arith.maxsi %28, %27 : i64
// CHECK-NEXT:        %29 = arith.subi %n, %start : i64
// CHECK-NEXT:        %30 = arith.minsi %13, %29 : i64
// CHECK-NEXT:        %length = arith.maxsi %30, %27 : i64
// CHECK-NEXT:        %31 = phi.array (%32 < %length) -> !phi.vec<f64> {
// CHECK-NEXT:          %33 = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:          phi.yield %33 : f64
// CHECK-NEXT:        }
// CHECK-NEXT:        %34 = phi.tuple (%acc_1, %31) : tuple<f64, !phi.vec<f64>>
// CHECK-NEXT:        %35 = phi.fold (%k_1 < %length, %acc_2 = %34) -> tuple<f64, !phi.vec<f64>> {
// CHECK-NEXT:          %acc_3 = phi.proj %acc_2, 0 : tuple<f64, !phi.vec<f64>> -> f64
// CHECK-NEXT:          %36 = phi.proj %acc_2, 1 : tuple<f64, !phi.vec<f64>> -> !phi.vec<f64>
// CHECK-NEXT:          %s = math.sin %acc_3 : f64
// CHECK-NEXT:          %37 = phi.update %36[%k_1], %acc_3 : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>
// CHECK-NEXT:          %38 = phi.tuple (%s, %37) : tuple<f64, !phi.vec<f64>>
// CHECK-NEXT:          phi.yield %38 : tuple<f64, !phi.vec<f64>>
// CHECK-NEXT:        } {recomputed}
// CHECK-NEXT:        %39 = phi.proj %35, 0 : tuple<f64, !phi.vec<f64>> -> f64
// CHECK-NEXT:        %40 = phi.update %26[%k], %acc_1 : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>
// CHECK-NEXT:        %41 = phi.tuple (%39, %40) : tuple<f64, !phi.vec<f64>>
// CHECK-NEXT:        phi.yield %41 : tuple<f64, !phi.vec<f64>>
// CHECK-NEXT:      } {checkpointed}
// CHECK-NEXT:      %y = phi.proj %25, 0 : tuple<f64, !phi.vec<f64>> -> f64
// CHECK-NEXT:      %42 = phi.proj %25, 1 : tuple<f64, !phi.vec<f64>> -> !phi.vec<f64>
// CHECK-NEXT:      %43 = phi.transpose (%dx = %a) by %ct -> tuple<f64> : f64 {
// CHECK-NEXT:        %44 = phi.fold (%k_2 < %20, %45 = %dx) -> f64 {
// CHECK-NEXT:          %acc_4 = phi.get %42[%k_2] : !phi.vec<f64>[i64]
// CHECK-NEXT:          %46 = arith.constant 0 : i64
// CHECK-NEXT:          %47 = arith.muli %k_2, %13 : i64
// CHECK-NEXT:          %start_1 = arith.maxsi %47, %46 : i64
// CHECK-NEXT:          %48 = arith.subi %n, %start_1 : i64
// CHECK-NEXT:          %49 = arith.minsi %13, %48 : i64
// CHECK-NEXT:          %length_1 = arith.maxsi %49, %46 : i64
// CHECK-NEXT:          %50 = phi.array (%51 < %length_1) -> !phi.vec<f64> {
// CHECK-NEXT:            %52 = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:            phi.yield %52 : f64
// CHECK-NEXT:          }
// CHECK-NEXT:          %53 = phi.tuple (%acc_4, %50) : tuple<f64, !phi.vec<f64>>
// CHECK-NEXT:          %54 = phi.fold (%k_3 < %length_1, %acc_5 = %53) -> tuple<f64, !phi.vec<f64>> {
// CHECK-NEXT:            %acc_6 = phi.proj %acc_5, 0 : tuple<f64, !phi.vec<f64>> -> f64
// CHECK-NEXT:            %55 = phi.proj %acc_5, 1 : tuple<f64, !phi.vec<f64>> -> !phi.vec<f64>
// CHECK-NEXT:            %s_1 = math.sin %acc_6 : f64
// CHECK-NEXT:            %56 = phi.update %55[%k_3], %acc_6 : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>
// CHECK-NEXT:            %57 = phi.tuple (%s_1, %56) : tuple<f64, !phi.vec<f64>>
// CHECK-NEXT:            phi.yield %57 : tuple<f64, !phi.vec<f64>>
// CHECK-NEXT:          } {recomputed}
// CHECK-NEXT:          %58 = phi.proj %54, 1 : tuple<f64, !phi.vec<f64>> -> !phi.vec<f64>
// CHECK-NEXT:          %59 = phi.fold (%k_4 < %length_1, %60 = %45) -> f64 {
// CHECK-NEXT:            %acc_7 = phi.get %58[%k_4] : !phi.vec<f64>[i64]
// CHECK-NEXT:            %61 = math.cos %acc_7 : f64
// CHECK-NEXT:            %62 = arith.mulf %60, %61 : f64
// CHECK-NEXT:            phi.yield %62 : f64
// CHECK-NEXT:          }
// CHECK-NEXT:          phi.yield %59 : f64
// CHECK-NEXT:        }
// CHECK-NEXT:        phi.yield %44 : f64
// CHECK-NEXT:      }
// CHECK-NEXT:      %63 = phi.proj %43, 0 : tuple<f64> -> f64
// CHECK-NEXT:      %r = phi.tuple (%y, %63) : tuple<f64, f64>
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
