// RUN: ein-opt %s --split-input-file -p "raise-updates{windows=true},simplify" | filecheck %s

// The elements of a window that moves by steps: those of it outside of the bounds keep their values.
func.func @ahead(%x: !phi.vec<f64>, %w: !phi.vec<f64>) -> !phi.vec<f64> {
  %n = phi.size %x, 0 : !phi.vec<f64>
  %m = phi.size %w, 0 : !phi.vec<f64>
  %zero = arith.constant 0.000000e+00 : f64
  %r = phi.fold (%t < %n, %a = %x) -> !phi.vec<f64> {
    %end = arith.addi %t, %m : i64
    %own = phi.get %a[%t] : !phi.vec<f64>[i64]
    %new = phi.array (%s < %n) -> !phi.vec<f64> {
      %i = arith.index_cast %s : index to i64
      %from = arith.cmpi sge, %i, %t : i64
      %to = arith.cmpi slt, %i, %end : i64
      %c = arith.andi %from, %to : i1
      %old = phi.get %a[%s] : !phi.vec<f64>[index]
      %y = arith.select %c, %own, %zero : f64
      %sum = arith.addf %old, %y : f64
      phi.yield %sum : f64
    }
    phi.yield %new : !phi.vec<f64>
  }
  func.return %r : !phi.vec<f64>
}

// CHECK:        func.func @ahead(%x: !phi.vec<f64>, %w: !phi.vec<f64>) -> !phi.vec<f64> {
// CHECK-NEXT:       %n = phi.size %x, 0 : !phi.vec<f64>
// CHECK-NEXT:       %m = phi.size %w, 0 : !phi.vec<f64>
// CHECK-NEXT:       %r = phi.fold (%t < %n, %a = %x) -> !phi.vec<f64> {
// CHECK-NEXT:         %end = arith.addi %t, %m : i64
// CHECK-NEXT:         %own = phi.get %a[%t] : !phi.vec<f64>[i64]
// CHECK-NEXT:         %0 = arith.minsi %m, %n : i64
// CHECK-NEXT:         %1 = arith.subi %n, %0 : i64
// CHECK-NEXT:         %2 = arith.minsi %t, %1 : i64
// CHECK-NEXT:         %3 = arith.constant 0 : i64
// CHECK-NEXT:         %4 = arith.maxsi %2, %3 : i64
// CHECK-NEXT:         %5 = arith.constant 1 : i64
// CHECK-NEXT:         %6 = phi.array (%s < %0) -> !phi.vec<f64> {
// CHECK-NEXT:           %7 = arith.index_cast %s : index to i64
// CHECK-NEXT:           %s_1 = arith.addi %4, %7 : i64
// CHECK-NEXT:           %old = phi.get %a[%s_1] : !phi.vec<f64>[i64]
// CHECK-NEXT:           %8 = arith.addf %old, %own : f64
// CHECK-NEXT:           %from = arith.cmpi sge, %s_1, %t : i64
// CHECK-NEXT:           %to = arith.cmpi slt, %s_1, %end : i64
// CHECK-NEXT:           %9 = arith.andi %from, %to : i1
// CHECK-NEXT:           %10 = arith.select %9, %8, %old : f64
// CHECK-NEXT:           phi.yield %10 : f64
// CHECK-NEXT:         }
// CHECK-NEXT:         %new = phi.update_slice %a[%4 by %5], %6 : !phi.vec<f64>
// CHECK-NEXT:         phi.yield %new : !phi.vec<f64>
// CHECK-NEXT:       }
// CHECK-NEXT:       func.return %r : !phi.vec<f64>
// CHECK-NEXT:     }

// -----

// The number of elements is another one in each step.
func.func @growing(%x: !phi.vec<f64>, %m: i64) -> !phi.vec<f64> {
  %n = phi.size %x, 0 : !phi.vec<f64>
  %two = arith.constant 2 : i64
  %r = phi.fold (%t < %n, %a = %x) -> !phi.vec<f64> {
    %end = arith.muli %t, %two : i64
    %own = phi.get %a[%t] : !phi.vec<f64>[i64]
    %new = phi.array (%s < %n) -> !phi.vec<f64> {
      %i = arith.index_cast %s : index to i64
      %from = arith.cmpi sge, %i, %t : i64
      %to = arith.cmpi slt, %i, %end : i64
      %c = arith.andi %from, %to : i1
      %old = phi.get %a[%s] : !phi.vec<f64>[index]
      %y = arith.select %c, %own, %old : f64
      phi.yield %y : f64
    }
    phi.yield %new : !phi.vec<f64>
  }
  func.return %r : !phi.vec<f64>
}

// CHECK-LABEL: func.func @growing
// CHECK-NOT:     phi.update_slice
