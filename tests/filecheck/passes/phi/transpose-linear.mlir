// RUN: ein-opt %s -p transpose-linear | filecheck %s

// The transpose of a contraction is a contraction.

func.func @product(%a: !phi.vec<!phi.vec<f64>>, %b: !phi.vec<!phi.vec<f64>>, %ct: !phi.vec<!phi.vec<f64>>) -> tuple<!phi.vec<!phi.vec<f64>>> {
  %n = phi.size %a, 0 : !phi.vec<!phi.vec<f64>>
  %m = phi.size %b, 1 : !phi.vec<!phi.vec<f64>>
  %p = phi.size %a, 1 : !phi.vec<!phi.vec<f64>>
  %t = phi.transpose (%da = %a) by %ct -> tuple<!phi.vec<!phi.vec<f64>>> : !phi.vec<!phi.vec<f64>> {
    %y = phi.array (%i < %n, %j < %m) -> !phi.vec<!phi.vec<f64>> {
      %zero = arith.constant 0.0 : f64
      %s = phi.fold (%k < %p, %acc = %zero) -> f64 {
        %u = phi.get %da[%i, %k] : !phi.vec<!phi.vec<f64>>[index, i64]
        %v = phi.get %b[%k, %j] : !phi.vec<!phi.vec<f64>>[i64, index]
        %w = arith.mulf %u, %v : f64
        %next = arith.addf %acc, %w : f64
        phi.yield %next : f64
      }
      phi.yield %s : f64
    }
    phi.yield %y : !phi.vec<!phi.vec<f64>>
  }
  func.return %t : tuple<!phi.vec<!phi.vec<f64>>>
}
// CHECK-LABEL: func.func @product(%a: !phi.vec<!phi.vec<f64>>, %b: !phi.vec<!phi.vec<f64>>, %ct: !phi.vec<!phi.vec<f64>>) -> tuple<!phi.vec<!phi.vec<f64>>> {
// CHECK-NEXT:    %n = phi.size %a, 0 : !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:    %m = phi.size %b, 1 : !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:    %p = phi.size %a, 1 : !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:    %0 = phi.size %ct, 0 : !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:    %1 = phi.size %ct, 1 : !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:    %2 = phi.array (%3 < %n, %4 < %p) -> !phi.vec<!phi.vec<f64>> {
// CHECK-NEXT:      %5 = arith.index_cast %4 : index to i64
// CHECK-NEXT:      %6 = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:      %7 = phi.fold (%j < %1, %8 = %6) -> f64 {
// CHECK-NEXT:        %v = phi.get %b[%5, %j] : !phi.vec<!phi.vec<f64>>[i64, i64]
// CHECK-NEXT:        %9 = phi.get %ct[%3, %j] : !phi.vec<!phi.vec<f64>>[index, i64]
// CHECK-NEXT:        %10 = arith.mulf %9, %v : f64
// CHECK-NEXT:        %11 = arith.addf %8, %10 : f64
// CHECK-NEXT:        phi.yield %11 : f64
// CHECK-NEXT:      }
// CHECK-NEXT:      phi.yield %7 : f64
// CHECK-NEXT:    }
// CHECK-NEXT:    %t = phi.tuple (%2) : tuple<!phi.vec<!phi.vec<f64>>>
// CHECK-NEXT:    func.return %t : tuple<!phi.vec<!phi.vec<f64>>>
// CHECK-NEXT:  }

// Rows at computed positions are accumulated as rows.

func.func @rows(%table: !phi.vec<!phi.vec<f64>>, %ids: !phi.vec<i64>, %ct: !phi.vec<!phi.vec<f64>>) -> tuple<!phi.vec<!phi.vec<f64>>> {
  %n = phi.size %ids, 0 : !phi.vec<i64>
  %m = phi.size %table, 1 : !phi.vec<!phi.vec<f64>>
  %t = phi.transpose (%d = %table) by %ct -> tuple<!phi.vec<!phi.vec<f64>>> : !phi.vec<!phi.vec<f64>> {
    %y = phi.array (%i < %n, %j < %m) -> !phi.vec<!phi.vec<f64>> {
      %k = phi.get %ids[%i] : !phi.vec<i64>[index]
      %u = phi.get %d[%k, %j] : !phi.vec<!phi.vec<f64>>[i64, index]
      phi.yield %u : f64
    }
    phi.yield %y : !phi.vec<!phi.vec<f64>>
  }
  func.return %t : tuple<!phi.vec<!phi.vec<f64>>>
}
// CHECK-LABEL: func.func @rows(%table: !phi.vec<!phi.vec<f64>>, %ids: !phi.vec<i64>, %ct: !phi.vec<!phi.vec<f64>>) -> tuple<!phi.vec<!phi.vec<f64>>> {
// CHECK-NEXT:    %n = phi.size %ids, 0 : !phi.vec<i64>
// CHECK-NEXT:    %m = phi.size %table, 1 : !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:    %0 = phi.size %ct, 0 : !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:    %1 = phi.size %ct, 1 : !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:    %2 = phi.size %table, 0 : !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:    %3 = phi.size %table, 1 : !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:    %4 = phi.accumulate (%i < %n) into "add" (%2) -> !phi.vec<!phi.vec<f64>> {
// CHECK-NEXT:      %k = phi.get %ids[%i] : !phi.vec<i64>[index]
// CHECK-NEXT:      %5 = arith.constant 1 : i64
// CHECK-NEXT:      %6 = arith.subi %2, %5 : i64
// CHECK-NEXT:      %7 = arith.minsi %k, %6 : i64
// CHECK-NEXT:      %8 = arith.constant 0 : i64
// CHECK-NEXT:      %9 = arith.maxsi %7, %8 : i64
// CHECK-NEXT:      %10 = phi.array (%j < %3) -> !phi.vec<f64> {
// CHECK-NEXT:        %11 = phi.get %ct[%i, %j] : !phi.vec<!phi.vec<f64>>[index, index]
// CHECK-NEXT:        phi.yield %11 : f64
// CHECK-NEXT:      }
// CHECK-NEXT:      %12 = phi.tuple (%9, %10) : tuple<i64, !phi.vec<f64>>
// CHECK-NEXT:      phi.yield %12 : tuple<i64, !phi.vec<f64>>
// CHECK-NEXT:    }
// CHECK-NEXT:    %t = phi.tuple (%4) : tuple<!phi.vec<!phi.vec<f64>>>
// CHECK-NEXT:    func.return %t : tuple<!phi.vec<!phi.vec<f64>>>
// CHECK-NEXT:  }
