// RUN: ein-opt %s -p linearize | filecheck %s

// A loop that an index around it does not change leaves the comprehension: cotangents of its
// results are summed over that index first.

func.func @invariant(%x: !phi.vec<f64>, %w: !phi.vec<f64>, %ct: !phi.vec<!phi.vec<f64>>) -> tuple<!phi.vec<!phi.vec<f64>>, !phi.vec<f64>> {
  %n = phi.size %x, 0 : !phi.vec<f64>
  %m = phi.size %w, 0 : !phi.vec<f64>
  %r = phi.vjp (%z = %x by %ct) : !phi.vec<f64> by !phi.vec<!phi.vec<f64>> -> tuple<!phi.vec<!phi.vec<f64>>, !phi.vec<f64>> {
    %y = phi.array (%i < %n, %d < %m) -> !phi.vec<!phi.vec<f64>> {
      %zero = arith.constant 0.0 : f64
      %s = phi.fold (%j < %n, %acc = %zero) -> f64 {
        %r = phi.fold (%c < %n, %sum = %zero) -> f64 {
          %a = phi.get %z[%i] : !phi.vec<f64>[index]
          %b = phi.get %z[%j] : !phi.vec<f64>[i64]
          %ab = arith.mulf %a, %b : f64
          %next = arith.addf %sum, %ab : f64
          phi.yield %next : f64
        }
        %e = phi.get %w[%d] : !phi.vec<f64>[index]
        %f = arith.mulf %r, %e : f64
        %next = arith.addf %acc, %f : f64
        phi.yield %next : f64
      }
      phi.yield %s : f64
    }
    phi.yield %y : !phi.vec<!phi.vec<f64>>
  }
  func.return %r : tuple<!phi.vec<!phi.vec<f64>>, !phi.vec<f64>>
}
// CHECK-LABEL: func.func @invariant(%x: !phi.vec<f64>, %w: !phi.vec<f64>, %ct: !phi.vec<!phi.vec<f64>>) -> tuple<!phi.vec<!phi.vec<f64>>, !phi.vec<f64>> {
// CHECK-NEXT:      %n = phi.size %x, 0 : !phi.vec<f64>
// CHECK-NEXT:      %m = phi.size %w, 0 : !phi.vec<f64>
// CHECK-NEXT:      %0 = phi.array (%i < %n, %j < %n) -> !phi.vec<!phi.vec<f64>> {
// CHECK-NEXT:        %1 = arith.index_cast %j : index to i64
// CHECK-NEXT:        %zero = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:        %r = phi.fold (%c < %n, %sum = %zero) -> f64 {
// CHECK-NEXT:          %a = phi.get %x[%i] : !phi.vec<f64>[index]
// CHECK-NEXT:          %b = phi.get %x[%1] : !phi.vec<f64>[i64]
// CHECK-NEXT:          %ab = arith.mulf %a, %b : f64
// CHECK-NEXT:          %next = arith.addf %sum, %ab : f64
// CHECK-NEXT:          phi.yield %next : f64
// CHECK-NEXT:        }
// CHECK-NEXT:        phi.yield %r : f64
// CHECK-NEXT:      }
// CHECK-NEXT:      %y = phi.array (%i_1 < %n, %d < %m) -> !phi.vec<!phi.vec<f64>> {
// CHECK-NEXT:        %zero_1 = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:        %s = phi.fold (%j_1 < %n, %acc = %zero_1) -> f64 {
// CHECK-NEXT:          %r_1 = phi.get %0[%i_1, %j_1] : !phi.vec<!phi.vec<f64>>[index, i64]
// CHECK-NEXT:          %e = phi.get %w[%d] : !phi.vec<f64>[index]
// CHECK-NEXT:          %f = arith.mulf %r_1, %e : f64
// CHECK-NEXT:          %next_1 = arith.addf %acc, %f : f64
// CHECK-NEXT:          phi.yield %next_1 : f64
// CHECK-NEXT:        }
// CHECK-NEXT:        phi.yield %s : f64
// CHECK-NEXT:      }
// CHECK-NEXT:      %2 = phi.size %ct, 0 : !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:      %3 = phi.size %y, 0 : !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:      %4 = phi.assert_eq %3, %2, "cotangent: size of the value along axis 0, size of the cotangent"
// CHECK-NEXT:      %5 = phi.size %ct, 1 : !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:      %6 = phi.size %y, 1 : !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:      %7 = phi.assert_eq %6, %5, "cotangent: size of the value along axis 1, size of the cotangent"
// CHECK-NEXT:      %8 = phi.array (%9 < %4, %10 < %7) -> !phi.vec<!phi.vec<f64>> {
// CHECK-NEXT:        %11 = phi.get %ct[%9, %10] : !phi.vec<!phi.vec<f64>>[index, index]
// CHECK-NEXT:        phi.yield %11 : f64
// CHECK-NEXT:      }
// CHECK-NEXT:      %12 = phi.transpose (%dz = %x) by %8 -> tuple<!phi.vec<f64>> : !phi.vec<!phi.vec<f64>> {
// CHECK-NEXT:        %13 = phi.array (%i_2 < %n, %j_2 < %n) -> !phi.vec<!phi.vec<f64>> {
// CHECK-NEXT:          %14 = arith.index_cast %j_2 : index to i64
// CHECK-NEXT:          %15 = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:          %16 = phi.fold (%c_1 < %n, %17 = %15) -> f64 {
// CHECK-NEXT:            %a_1 = phi.get %x[%i_2] : !phi.vec<f64>[index]
// CHECK-NEXT:            %18 = phi.get %dz[%i_2] : !phi.vec<f64>[index]
// CHECK-NEXT:            %b_1 = phi.get %x[%14] : !phi.vec<f64>[i64]
// CHECK-NEXT:            %19 = phi.get %dz[%14] : !phi.vec<f64>[i64]
// CHECK-NEXT:            %20 = arith.mulf %18, %b_1 : f64
// CHECK-NEXT:            %21 = arith.mulf %19, %a_1 : f64
// CHECK-NEXT:            %22 = arith.addf %20, %21 : f64
// CHECK-NEXT:            %23 = arith.addf %17, %22 : f64
// CHECK-NEXT:            phi.yield %23 : f64
// CHECK-NEXT:          }
// CHECK-NEXT:          phi.yield %16 : f64
// CHECK-NEXT:        }
// CHECK-NEXT:        %24 = phi.array (%i_3 < %n, %d_1 < %m) -> !phi.vec<!phi.vec<f64>> {
// CHECK-NEXT:          %25 = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:          %26 = phi.fold (%j_3 < %n, %27 = %25) -> f64 {
// CHECK-NEXT:            %28 = phi.get %13[%i_3, %j_3] : !phi.vec<!phi.vec<f64>>[index, i64]
// CHECK-NEXT:            %e_1 = phi.get %w[%d_1] : !phi.vec<f64>[index]
// CHECK-NEXT:            %29 = arith.mulf %28, %e_1 : f64
// CHECK-NEXT:            %30 = arith.addf %27, %29 : f64
// CHECK-NEXT:            phi.yield %30 : f64
// CHECK-NEXT:          }
// CHECK-NEXT:          phi.yield %26 : f64
// CHECK-NEXT:        }
// CHECK-NEXT:        phi.yield %24 : !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:      }
// CHECK-NEXT:      %31 = phi.proj %12, 0 : tuple<!phi.vec<f64>> -> !phi.vec<f64>
// CHECK-NEXT:      %r_2 = phi.tuple (%y, %31) : tuple<!phi.vec<!phi.vec<f64>>, !phi.vec<f64>>
// CHECK-NEXT:      func.return %r_2 : tuple<!phi.vec<!phi.vec<f64>>, !phi.vec<f64>>
// CHECK-NEXT:    }

// A loop that depends on what a loop around it carries stays there.

func.func @carried(%x: !phi.vec<f64>, %w: !phi.vec<f64>, %ct: !phi.vec<f64>) -> tuple<!phi.vec<f64>, !phi.vec<f64>> {
  %n = phi.size %x, 0 : !phi.vec<f64>
  %m = phi.size %w, 0 : !phi.vec<f64>
  %r = phi.vjp (%z = %x by %ct) : !phi.vec<f64> -> tuple<!phi.vec<f64>, !phi.vec<f64>> {
    %y = phi.array (%d < %m) -> !phi.vec<f64> {
      %zero = arith.constant 0.0 : f64
      %s = phi.fold (%j < %n, %acc = %zero) -> f64 {
        %r = phi.fold (%c < %n, %sum = %zero) -> f64 {
          %a = phi.get %z[%c] : !phi.vec<f64>[i64]
          %b = arith.mulf %a, %acc : f64
          %next = arith.addf %sum, %b : f64
          phi.yield %next : f64
        }
        phi.yield %r : f64
      }
      phi.yield %s : f64
    }
    phi.yield %y : !phi.vec<f64>
  }
  func.return %r : tuple<!phi.vec<f64>, !phi.vec<f64>>
}
// CHECK-LABEL: func.func @carried(
// CHECK:         phi.array (%{{.*}} < %m) -> {{.*}} {
// CHECK:           phi.fold (%{{.*}} < %n
// CHECK:             phi.fold (%c < %n, %sum = %zero) -> f64 {
