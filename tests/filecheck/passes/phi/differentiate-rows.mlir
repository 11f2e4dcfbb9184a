// RUN: ein-opt %s -p differentiate,simplify | filecheck %s

// A loop with sums of as many steps as were taken reads a row of an array: what its steps add to
// the row is carried, not an array of all rows for each of them.

func.func @grad_energies(%r: !phi.vec<!phi.vec<f64>>) -> !phi.vec<!phi.vec<f64>> {
  %0 = arith.constant 1.000000e+00 : f64
  %1 = phi.vjp (%r_1 = %r by %0) : !phi.vec<!phi.vec<f64>> by f64 -> tuple<f64, !phi.vec<!phi.vec<f64>>> {
    %size0_r = phi.size %r_1, 0 : !phi.vec<!phi.vec<f64>>
    %2 = arith.constant 0.000000e+00 : f64
    %size1_r = phi.size %r_1, 1 : !phi.vec<!phi.vec<f64>>
    %3 = phi.array (%b < %size0_r) -> !phi.vec<!phi.vec<f64>> {
      %4 = phi.array (%j < %size1_r) -> !phi.vec<f64> {
        %5 = arith.constant 5.000000e-01 : f64
        phi.yield %5 : f64
      }
      %6 = phi.fold (%m < %size1_r, %a = %4) -> !phi.vec<f64> {
        %7 = phi.fold (%j_1 < %m, %acc = %2) -> f64 {
          %8 = phi.get %a[%j_1] : !phi.vec<f64>[i64]
          %9 = arith.subi %m, %j_1 : i64
          %10 = phi.get %r_1[%b, %9] : !phi.vec<!phi.vec<f64>>[index, i64]
          %11 = arith.mulf %8, %10 : f64
          %12 = arith.addf %acc, %11 : f64
          phi.yield %12 : f64
        }
        %13 = phi.array (%j_2 < %size1_r) -> !phi.vec<f64> {
          %14 = arith.index_cast %j_2 : index to i64
          %15 = arith.cmpi eq, %14, %m : i64
          %16 = arith.addf %7, %0 : f64
          %17 = phi.get %a[%j_2] : !phi.vec<f64>[index]
          %18 = arith.select %15, %16, %17 : f64
          phi.yield %18 : f64
        }
        phi.yield %13 : !phi.vec<f64>
      }
      phi.yield %6 : !phi.vec<f64>
    }
    %19 = phi.size %3, 1 : !phi.vec<!phi.vec<f64>>
    %20 = phi.fold (%b_1 < %size0_r, %acc_1 = %2) -> f64 {
      %21 = phi.fold (%j_3 < %19, %acc_2 = %2) -> f64 {
        %22 = phi.get %3[%b_1, %j_3] : !phi.vec<!phi.vec<f64>>[i64, i64]
        %23 = phi.get %3[%b_1, %j_3] : !phi.vec<!phi.vec<f64>>[i64, i64]
        %24 = arith.mulf %22, %23 : f64
        %25 = arith.addf %acc_2, %24 : f64
        phi.yield %25 : f64
      }
      %26 = arith.addf %acc_1, %21 : f64
      phi.yield %26 : f64
    }
    phi.yield %20 : f64
  }
  %27 = phi.proj %1, 1 : tuple<f64, !phi.vec<!phi.vec<f64>>> -> !phi.vec<!phi.vec<f64>>
  func.return %27 : !phi.vec<!phi.vec<f64>>
}

// CHECK-LABEL: func.func @grad_energies(
// CHECK:         phi.array (%b < %size0_r)
// CHECK-NOT:     phi.fold (%{{.*}} < %size0_r
// CHECK:           phi.fold (%{{.*}} < %size1_r, %{{.*}} = %{{.*}}) -> tuple<!phi.vec<f64>, !phi.vec<f64>> {
// CHECK-NOT:     phi.fold (%{{.*}} < %size0_r
// CHECK:         func.return
