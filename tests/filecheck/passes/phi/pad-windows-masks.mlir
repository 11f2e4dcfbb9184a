// RUN: ein-opt %s -p pad-windows{masks=true},simplify | filecheck %s

// A full convolution: the window among the factors is a slice of a padded array, and the sum keeps
// the mask, since no test says whether the other factors are finite.
func.func @full(%x: !phi.vec<f64>, %w: !phi.vec<f64>, %y: !phi.vec<f64>) -> !phi.vec<f64> {
  %zero = arith.constant 0.0 : f64
  %none = arith.constant 0 : i64
  %n = phi.size %x, 0 : !phi.vec<f64>
  %m = phi.size %y, 0 : !phi.vec<f64>
  %taps = phi.size %w, 0 : !phi.vec<f64>
  %r = phi.array (%i < %m) -> !phi.vec<f64> {
    %i_1 = arith.index_cast %i : index to i64
    %s = phi.fold (%k < %taps, %acc = %zero) -> f64 {
      %p = arith.subi %i_1, %k : i64
      %c = arith.cmpi sge, %p, %none : i64
      %d = arith.cmpi slt, %p, %n : i64
      %inside = arith.andi %c, %d : i1
      %e = phi.get %x[%p] : !phi.vec<f64>[i64]
      %f = phi.get %w[%k] : !phi.vec<f64>[i64]
      %product = arith.mulf %e, %f : f64
      %term = arith.select %inside, %product, %zero : f64
      %next = arith.addf %acc, %term : f64
      phi.yield %next : f64
    }
    phi.yield %s : f64
  }
  func.return %r : !phi.vec<f64>
}
// CHECK-LABEL:  func.func @full(%x: !phi.vec<f64>, %w: !phi.vec<f64>, %y: !phi.vec<f64>) -> !phi.vec<f64> {
// CHECK-NEXT:     %zero = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:     %none = arith.constant 0 : i64
// CHECK-NEXT:     %n = phi.size %x, 0 : !phi.vec<f64>
// CHECK-NEXT:     %m = phi.size %y, 0 : !phi.vec<f64>
// CHECK-NEXT:     %taps = phi.size %w, 0 : !phi.vec<f64>
// CHECK-NEXT:     %0 = arith.addi %m, %taps : i64
// CHECK-NEXT:     %1 = arith.constant 1 : i64
// CHECK-NEXT:     %2 = arith.subi %0, %1 : i64
// CHECK-NEXT:     %3 = arith.constant 0 : i64
// CHECK-NEXT:     %4 = arith.maxsi %2, %3 : i64
// CHECK-NEXT:     %5 = phi.array (%i < %4) -> !phi.vec<f64> {
// CHECK-NEXT:       %6 = arith.index_cast %i : index to i64
// CHECK-NEXT:       %7 = arith.subi %6, %taps : i64
// CHECK-NEXT:       %8 = arith.constant 1 : i64
// CHECK-NEXT:       %9 = arith.addi %7, %8 : i64
// CHECK-NEXT:       %10 = phi.get %x[%9] : !phi.vec<f64>[i64]
// CHECK-NEXT:       %c = arith.cmpi sge, %9, %none : i64
// CHECK-NEXT:       %d = arith.cmpi slt, %9, %n : i64
// CHECK-NEXT:       %inside = arith.andi %c, %d : i1
// CHECK-NEXT:       %11 = arith.select %inside, %10, %zero : f64
// CHECK-NEXT:       phi.yield %11 : f64
// CHECK-NEXT:     }
// CHECK-NEXT:     %r = phi.array (%i_1 < %m) -> !phi.vec<f64> {
// CHECK-NEXT:       %i_2 = arith.index_cast %i_1 : index to i64
// CHECK-NEXT:       %s = phi.fold (%k < %taps, %acc = %zero) -> f64 {
// CHECK-NEXT:         %p = arith.subi %i_2, %k : i64
// CHECK-NEXT:         %c_1 = arith.cmpi sge, %p, %none : i64
// CHECK-NEXT:         %d_1 = arith.cmpi slt, %p, %n : i64
// CHECK-NEXT:         %inside_1 = arith.andi %c_1, %d_1 : i1
// CHECK-NEXT:         %f = phi.get %w[%k] : !phi.vec<f64>[i64]
// CHECK-NEXT:         %12 = arith.index_cast %i_1 : index to i64
// CHECK-NEXT:         %13 = arith.addi %12, %taps : i64
// CHECK-NEXT:         %14 = arith.subi %13, %k : i64
// CHECK-NEXT:         %15 = arith.constant 1 : i64
// CHECK-NEXT:         %16 = arith.subi %14, %15 : i64
// CHECK-NEXT:         %17 = phi.get %5[%16] : !phi.vec<f64>[i64]
// CHECK-NEXT:         %product = arith.mulf %17, %f : f64
// CHECK-NEXT:         %term = arith.select %inside_1, %product, %zero : f64
// CHECK-NEXT:         %next = arith.addf %acc, %term : f64
// CHECK-NEXT:         phi.yield %next : f64
// CHECK-NEXT:       }
// CHECK-NEXT:       phi.yield %s : f64
// CHECK-NEXT:     }
// CHECK-NEXT:     func.return %r : !phi.vec<f64>
// CHECK-NEXT:   }

// Both factors are windows that the condition guards: both are masked, and the product is not.
func.func @squares(%x: !phi.vec<f64>) -> !phi.vec<f64> {
  %zero = arith.constant 0.0 : f64
  %none = arith.constant 0 : i64
  %five = arith.constant 5 : i64
  %two = arith.constant 2 : i64
  %n = phi.size %x, 0 : !phi.vec<f64>
  %r = phi.array (%i < %n) -> !phi.vec<f64> {
    %i_1 = arith.index_cast %i : index to i64
    %s = phi.fold (%k < %five, %acc = %zero) -> f64 {
      %q = arith.addi %i_1, %k : i64
      %p = arith.subi %q, %two : i64
      %c = arith.cmpi sge, %p, %none : i64
      %d = arith.cmpi slt, %p, %n : i64
      %inside = arith.andi %c, %d : i1
      %e = phi.get %x[%p] : !phi.vec<f64>[i64]
      %product = arith.mulf %e, %e : f64
      %term = arith.select %inside, %product, %zero : f64
      %next = arith.addf %acc, %term : f64
      phi.yield %next : f64
    }
    phi.yield %s : f64
  }
  func.return %r : !phi.vec<f64>
}
// CHECK-LABEL:  func.func @squares(%x: !phi.vec<f64>) -> !phi.vec<f64> {
// CHECK:          phi.array
// CHECK:            arith.select
// CHECK:          phi.fold
// CHECK-NOT:        arith.select
// CHECK:            arith.mulf
