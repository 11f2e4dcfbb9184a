// RUN: ein-opt %s -p raise-writes,canonicalize,dce | filecheck %s

// The count of a loop and of one in it is not negative where a step runs: the step reads no element
// of the row that it writes, and another row may be computed as a whole.
func.func @rows(%a: !phi.vec<!phi.vec<f64>>, %n: i64) -> !phi.vec<!phi.vec<f64>> {
  %one = arith.constant 1 : i64
  %size = arith.addi %n, %one : i64
  %start = phi.array (%i < %size, %j < %size) -> !phi.vec<!phi.vec<f64>> {
    %x = phi.get %a[%i, %j] : !phi.vec<!phi.vec<f64>>[index, index]
    phi.yield %x : f64
  }
  %r = phi.fold (%k < %n, %t = %start) -> !phi.vec<!phi.vec<f64>> {
    %next = arith.addi %k, %one : i64
    %s = phi.fold (%l < %n, %u = %t) -> !phi.vec<!phi.vec<f64>> {
      %x = phi.get %u[%k, %l] : !phi.vec<!phi.vec<f64>>[i64, i64]
      %at = arith.addi %l, %one : i64
      %v = phi.update %u[%next, %at], %x : (!phi.vec<!phi.vec<f64>>, i64, i64, f64) -> !phi.vec<!phi.vec<f64>>
      phi.yield %v : !phi.vec<!phi.vec<f64>>
    }
    phi.yield %s : !phi.vec<!phi.vec<f64>>
  }
  func.return %r : !phi.vec<!phi.vec<f64>>
}

// CHECK-LABEL: func.func @rows(
// CHECK-NEXT:   %one = arith.constant 1 : i64
// CHECK-NEXT:   %size = arith.addi %n, %one : i64
// CHECK-NEXT:   %start = phi.array (%i < %size, %j < %size) -> !phi.vec<!phi.vec<f64>> {
// CHECK-NEXT:     %x = phi.get %a[%i, %j] : !phi.vec<!phi.vec<f64>>[index, index]
// CHECK-NEXT:     phi.yield %x : f64
// CHECK-NEXT:   }
// CHECK-NEXT:   %r = phi.fold (%k < %n, %t = %start) -> !phi.vec<!phi.vec<f64>> {
// CHECK-NEXT:     %next = arith.addi %k, %one : i64
// CHECK-NEXT:     %0 = arith.constant 1 : i64
// CHECK-NEXT:     %1 = phi.size %t, 1 : !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:     %2 = phi.array (%3 < %1) -> !phi.vec<f64> {
// CHECK-NEXT:       %l = arith.index_cast %3 : index to i64
// CHECK-NEXT:       %4 = arith.subi %l, %0 : i64
// CHECK-NEXT:       %5 = arith.constant 0 : i64
// CHECK-NEXT:       %6 = arith.cmpi sge, %4, %5 : i64
// CHECK-NEXT:       %x_1 = phi.get %t[%k, %4] : !phi.vec<!phi.vec<f64>>[i64, i64]
// CHECK-NEXT:       %7 = phi.get %t[%next, %3] : !phi.vec<!phi.vec<f64>>[i64, index]
// CHECK-NEXT:       %8 = arith.select %6, %x_1, %7 : f64
// CHECK-NEXT:       phi.yield %8 : f64
// CHECK-NEXT:     }
// CHECK-NEXT:     %s = phi.update %t[%next], %2 : (!phi.vec<!phi.vec<f64>>, i64, !phi.vec<f64>) -> !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:     phi.yield %s : !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:   }
// CHECK-NEXT:   func.return %r : !phi.vec<!phi.vec<f64>>
// CHECK-NEXT: }
