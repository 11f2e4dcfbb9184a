// RUN: ein-opt %s -p "delinearize-indices{costly=true},dce" | filecheck %s

// The size of the axis is an Int that may be any: positions are quotients, clipped to that axis.
func.func @heads(%a: !phi.vec<!phi.vec<f64>>, %v: !phi.vec<!phi.vec<f64>>, %heads: i64) -> !phi.vec<!phi.vec<!phi.vec<f64>>> {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %n = phi.size %a, 0 : !phi.vec<!phi.vec<f64>>
  %m = phi.size %v, 0 : !phi.vec<!phi.vec<f64>>
  %p = phi.size %a, 1 : !phi.vec<!phi.vec<f64>>
  %w = arith.floordivsi %p, %heads : i64
  %r = phi.accumulate (%c < %p) into "add" (%heads) -> !phi.vec<!phi.vec<!phi.vec<f64>>> {
    %k = arith.index_cast %c : index to i64
    %q = arith.floordivsi %k, %w : i64
    %last = arith.subi %heads, %one : i64
    %low = arith.minsi %q, %last : i64
    %at = arith.maxsi %low, %zero : i64
    %row = phi.array (%i < %n, %j < %m) -> !phi.vec<!phi.vec<f64>> {
      %x = phi.get %a[%i, %c] : !phi.vec<!phi.vec<f64>>[index, index]
      %y = phi.get %v[%j, %c] : !phi.vec<!phi.vec<f64>>[index, index]
      %z = arith.mulf %x, %y : f64
      phi.yield %z : f64
    }
    %t = phi.tuple (%at, %row) : tuple<i64, !phi.vec<!phi.vec<f64>>>
    phi.yield %t : tuple<i64, !phi.vec<!phi.vec<f64>>>
  }
  func.return %r : !phi.vec<!phi.vec<!phi.vec<f64>>>
}

// CHECK-LABEL: func.func @heads(%a: !phi.vec<!phi.vec<f64>>, %v: !phi.vec<!phi.vec<f64>>, %heads: i64) -> !phi.vec<!phi.vec<!phi.vec<f64>>> {
// CHECK-NEXT:       %zero = arith.constant 0 : i64
// CHECK-NEXT:       %one = arith.constant 1 : i64
// CHECK-NEXT:       %n = phi.size %a, 0 : !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:       %m = phi.size %v, 0 : !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:       %p = phi.size %a, 1 : !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:       %w = arith.floordivsi %p, %heads : i64
// CHECK-NEXT:       %0 = arith.constant 1 : i64
// CHECK-NEXT:       %1 = arith.constant 0 : i64
// CHECK-NEXT:       %2 = arith.minsi %w, %p : i64
// CHECK-NEXT:       %3 = arith.maxsi %2, %0 : i64
// CHECK-NEXT:       %4 = arith.floordivsi %p, %3 : i64
// CHECK-NEXT:       %5 = sigma.floormod %p, %3 : i64
// CHECK-NEXT:       %6 = arith.cmpi eq, %5, %1 : i64
// CHECK-NEXT:       %7 = arith.cmpi eq, %4, %heads : i64
// CHECK-NEXT:       %8 = arith.cmpi sge, %w, %0 : i64
// CHECK-NEXT:       %9 = arith.constant 288230376151711744 : i64
// CHECK-NEXT:       %10 = arith.cmpi sle, %w, %9 : i64
// CHECK-NEXT:       %11 = arith.andi %6, %7 : i1
// CHECK-NEXT:       %12 = arith.andi %11, %8 : i1
// CHECK-NEXT:       %13 = arith.andi %12, %10 : i1
// CHECK-NEXT:       %14 = arith.select %13, %1, %p : i64
// CHECK-NEXT:       %15 = arith.select %13, %1, %heads : i64
// CHECK-NEXT:       %16 = arith.select %13, %heads, %1 : i64
// CHECK-NEXT:       %17 = arith.select %13, %3, %1 : i64
// CHECK-NEXT:       %18 = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:       %19 = phi.array (%c < %16, %i < %n, %j < %m) -> !phi.vec<!phi.vec<!phi.vec<f64>>> {
// CHECK-NEXT:         %20 = phi.fold (%c_1 < %17, %21 = %18) -> f64 {
// CHECK-NEXT:           %q = arith.index_cast %c : index to i64
// CHECK-NEXT:           %22 = arith.muli %q, %3 : i64
// CHECK-NEXT:           %k = arith.addi %22, %c_1 : i64
// CHECK-NEXT:           %x = phi.get %a[%i, %k] : !phi.vec<!phi.vec<f64>>[index, i64]
// CHECK-NEXT:           %y = phi.get %v[%j, %k] : !phi.vec<!phi.vec<f64>>[index, i64]
// CHECK-NEXT:           %z = arith.mulf %x, %y : f64
// CHECK-NEXT:           %23 = arith.addf %21, %z : f64
// CHECK-NEXT:           phi.yield %23 : f64
// CHECK-NEXT:         }
// CHECK-NEXT:         phi.yield %20 : f64
// CHECK-NEXT:       }
// CHECK-NEXT:       %r = phi.accumulate (%c_2 < %14) into "add" (%15) -> !phi.vec<!phi.vec<!phi.vec<f64>>> {
// CHECK-NEXT:         %k_1 = arith.index_cast %c_2 : index to i64
// CHECK-NEXT:         %q_1 = arith.floordivsi %k_1, %w : i64
// CHECK-NEXT:         %last = arith.subi %heads, %one : i64
// CHECK-NEXT:         %low = arith.minsi %q_1, %last : i64
// CHECK-NEXT:         %at = arith.maxsi %low, %zero : i64
// CHECK-NEXT:         %row = phi.array (%i_1 < %n, %j_1 < %m) -> !phi.vec<!phi.vec<f64>> {
// CHECK-NEXT:           %x_1 = phi.get %a[%i_1, %c_2] : !phi.vec<!phi.vec<f64>>[index, index]
// CHECK-NEXT:           %y_1 = phi.get %v[%j_1, %c_2] : !phi.vec<!phi.vec<f64>>[index, index]
// CHECK-NEXT:           %z_1 = arith.mulf %x_1, %y_1 : f64
// CHECK-NEXT:           phi.yield %z_1 : f64
// CHECK-NEXT:         }
// CHECK-NEXT:         %t = phi.tuple (%at, %row) : tuple<i64, !phi.vec<!phi.vec<f64>>>
// CHECK-NEXT:         phi.yield %t : tuple<i64, !phi.vec<!phi.vec<f64>>>
// CHECK-NEXT:       }
// CHECK-NEXT:       %r_1 = phi.concat %19, %r of %heads : !phi.vec<!phi.vec<!phi.vec<f64>>>
// CHECK-NEXT:       func.return %r_1 : !phi.vec<!phi.vec<!phi.vec<f64>>>
// CHECK-NEXT:     }
