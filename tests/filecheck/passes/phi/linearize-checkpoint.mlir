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
// CHECK-NEXT:      %18 = phi.array (%19 < %17) -> !phi.vec<f64> {
// CHECK-NEXT:        %20 = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:        phi.yield %20 : f64
// CHECK-NEXT:      }
// CHECK-NEXT:      %21 = phi.tuple (%a, %18) : tuple<f64, !phi.vec<f64>>
// CHECK-NEXT:      %22 = phi.fold (%23 < %17, %24 = %21) -> tuple<f64, !phi.vec<f64>> {
// CHECK-NEXT:        %25 = phi.proj %24, 0 : tuple<f64, !phi.vec<f64>> -> f64
// CHECK-NEXT:        %26 = phi.proj %24, 1 : tuple<f64, !phi.vec<f64>> -> !phi.vec<f64>
// CHECK-NEXT:        %27 = phi.proj %24, 0 : tuple<f64, !phi.vec<f64>> -> f64
// CHECK-NEXT:        %28 = arith.muli %23, %13 : i64
// CHECK-NEXT:        %29 = arith.subi %n, %28 : i64
// CHECK-NEXT:        %30 = arith.minsi %29, %13 : i64
// CHECK-NEXT:        %31 = phi.array (%32 < %30) -> !phi.vec<f64> {
// CHECK-NEXT:          %33 = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:          phi.yield %33 : f64
// CHECK-NEXT:        }
// CHECK-NEXT:        %34 = phi.tuple (%27, %31) : tuple<f64, !phi.vec<f64>>
// CHECK-NEXT:        %35 = phi.fold (%k < %30, %36 = %34) -> tuple<f64, !phi.vec<f64>> {
// CHECK-NEXT:          %37 = phi.proj %36, 0 : tuple<f64, !phi.vec<f64>> -> f64
// CHECK-NEXT:          %38 = phi.proj %36, 1 : tuple<f64, !phi.vec<f64>> -> !phi.vec<f64>
// CHECK-NEXT:          %acc = phi.proj %36, 0 : tuple<f64, !phi.vec<f64>> -> f64
// CHECK-NEXT:          %s = math.sin %acc : f64
// CHECK-NEXT:          %39 = phi.update %38[%k], %37 : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>
// CHECK-NEXT:          %40 = phi.tuple (%s, %39) : tuple<f64, !phi.vec<f64>>
// CHECK-NEXT:          phi.yield %40 : tuple<f64, !phi.vec<f64>>
// CHECK-NEXT:        } {recomputed}
// CHECK-NEXT:        %41 = phi.proj %35, 0 : tuple<f64, !phi.vec<f64>> -> f64
// CHECK-NEXT:        %42 = phi.update %26[%23], %25 : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>
// CHECK-NEXT:        %43 = phi.tuple (%41, %42) : tuple<f64, !phi.vec<f64>>
// CHECK-NEXT:        phi.yield %43 : tuple<f64, !phi.vec<f64>>
// CHECK-NEXT:      } {checkpointed}
// CHECK-NEXT:      %y = phi.proj %22, 0 : tuple<f64, !phi.vec<f64>> -> f64
// CHECK-NEXT:      %44 = phi.proj %22, 1 : tuple<f64, !phi.vec<f64>> -> !phi.vec<f64>
// CHECK-NEXT:      %45 = phi.transpose (%dx = %a) by %ct -> tuple<f64> : f64 {
// CHECK-NEXT:        %46 = phi.fold (%47 < %17, %48 = %dx) -> f64 {
// CHECK-NEXT:          %49 = phi.get %44[%47] : !phi.vec<f64>[i64]
// CHECK-NEXT:          %50 = arith.muli %47, %13 : i64
// CHECK-NEXT:          %51 = arith.subi %n, %50 : i64
// CHECK-NEXT:          %52 = arith.minsi %51, %13 : i64
// CHECK-NEXT:          %53 = phi.array (%54 < %52) -> !phi.vec<f64> {
// CHECK-NEXT:            %55 = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:            phi.yield %55 : f64
// CHECK-NEXT:          }
// CHECK-NEXT:          %56 = phi.tuple (%49, %53) : tuple<f64, !phi.vec<f64>>
// CHECK-NEXT:          %57 = phi.fold (%k_1 < %52, %58 = %56) -> tuple<f64, !phi.vec<f64>> {
// CHECK-NEXT:            %59 = phi.proj %58, 0 : tuple<f64, !phi.vec<f64>> -> f64
// CHECK-NEXT:            %60 = phi.proj %58, 1 : tuple<f64, !phi.vec<f64>> -> !phi.vec<f64>
// CHECK-NEXT:            %acc_1 = phi.proj %58, 0 : tuple<f64, !phi.vec<f64>> -> f64
// CHECK-NEXT:            %s_1 = math.sin %acc_1 : f64
// CHECK-NEXT:            %61 = phi.update %60[%k_1], %59 : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>
// CHECK-NEXT:            %62 = phi.tuple (%s_1, %61) : tuple<f64, !phi.vec<f64>>
// CHECK-NEXT:            phi.yield %62 : tuple<f64, !phi.vec<f64>>
// CHECK-NEXT:          } {recomputed}
// CHECK-NEXT:          %63 = phi.proj %57, 1 : tuple<f64, !phi.vec<f64>> -> !phi.vec<f64>
// CHECK-NEXT:          %64 = phi.fold (%k_2 < %52, %65 = %48) -> f64 {
// CHECK-NEXT:            %acc_2 = phi.get %63[%k_2] : !phi.vec<f64>[i64]
// CHECK-NEXT:            %66 = math.cos %acc_2 : f64
// CHECK-NEXT:            %67 = arith.mulf %65, %66 : f64
// CHECK-NEXT:            phi.yield %67 : f64
// CHECK-NEXT:          }
// CHECK-NEXT:          phi.yield %64 : f64
// CHECK-NEXT:        }
// CHECK-NEXT:        phi.yield %46 : f64
// CHECK-NEXT:      }
// CHECK-NEXT:      %68 = phi.proj %45, 0 : tuple<f64> -> f64
// CHECK-NEXT:      %r = phi.tuple (%y, %68) : tuple<f64, f64>
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
