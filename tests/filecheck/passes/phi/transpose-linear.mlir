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
// CHECK-NEXT:    %0 = phi.array (%1 < %n, %2 < %p) -> !phi.vec<!phi.vec<f64>> {
// CHECK-NEXT:      %3 = arith.index_cast %2 : index to i64
// CHECK-NEXT:      %4 = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:      %5 = phi.fold (%j < %m, %6 = %4) -> f64 {
// CHECK-NEXT:        %v = phi.get %b[%3, %j] : !phi.vec<!phi.vec<f64>>[i64, i64]
// CHECK-NEXT:        %7 = phi.get %ct[%1, %j] : !phi.vec<!phi.vec<f64>>[index, i64]
// CHECK-NEXT:        %8 = arith.mulf %7, %v : f64
// CHECK-NEXT:        %9 = arith.addf %6, %8 : f64
// CHECK-NEXT:        phi.yield %9 : f64
// CHECK-NEXT:      }
// CHECK-NEXT:      phi.yield %5 : f64
// CHECK-NEXT:    }
// CHECK-NEXT:    %t = phi.tuple (%0) : tuple<!phi.vec<!phi.vec<f64>>>
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
// CHECK-NEXT:    %0 = phi.size %table, 0 : !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:    %1 = phi.size %table, 1 : !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:    %2 = phi.accumulate (%i < %n) into "add" (%0) -> !phi.vec<!phi.vec<f64>> {
// CHECK-NEXT:      %k = phi.get %ids[%i] : !phi.vec<i64>[index]
// CHECK-NEXT:      %3 = arith.constant 1 : i64
// CHECK-NEXT:      %4 = arith.subi %0, %3 : i64
// CHECK-NEXT:      %5 = arith.minsi %k, %4 : i64
// CHECK-NEXT:      %6 = arith.constant 0 : i64
// CHECK-NEXT:      %7 = arith.maxsi %5, %6 : i64
// CHECK-NEXT:      %8 = phi.array (%j < %1) -> !phi.vec<f64> {
// CHECK-NEXT:        %9 = phi.get %ct[%i, %j] : !phi.vec<!phi.vec<f64>>[index, index]
// CHECK-NEXT:        phi.yield %9 : f64
// CHECK-NEXT:      }
// CHECK-NEXT:      %10 = phi.tuple (%7, %8) : tuple<i64, !phi.vec<f64>>
// CHECK-NEXT:      phi.yield %10 : tuple<i64, !phi.vec<f64>>
// CHECK-NEXT:    }
// CHECK-NEXT:    %t = phi.tuple (%2) : tuple<!phi.vec<!phi.vec<f64>>>
// CHECK-NEXT:    func.return %t : tuple<!phi.vec<!phi.vec<f64>>>
// CHECK-NEXT:  }
