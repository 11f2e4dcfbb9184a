// RUN: ein-opt %s -p 'split-index-ranges{static=true}' | filecheck %s

// The size of an array cuts a range; a counter and an argument do not.

func.func @cut(%a: !phi.vec<f64>, %m: i64) -> !phi.vec<f64> {
  %n = phi.size %a, 0 : !phi.vec<f64>
  %zero = arith.constant 0.0 : f64
  %one = arith.constant 1 : i64
  %last = arith.subi %n, %one : i64
  %r = phi.fold (%k < %n, %v = %a) -> !phi.vec<f64> {
    %b = phi.array (%i < %n) -> !phi.vec<f64> {
      %p = arith.index_cast %i : index to i64
      %c = arith.cmpi slt, %p, %k : i64
      %d = arith.cmpi slt, %p, %m : i64
      %e = arith.cmpi slt, %p, %last : i64
      %x = phi.get %v[%i] : !phi.vec<f64>[index]
      %0 = arith.select %c, %x, %zero : f64
      %1 = arith.select %d, %0, %x : f64
      %2 = arith.select %e, %1, %zero : f64
      phi.yield %2 : f64
    }
    phi.yield %b : !phi.vec<f64>
  }
  func.return %r : !phi.vec<f64>
}
// CHECK-LABEL: func.func @cut(%a: !phi.vec<f64>, %m: i64) -> !phi.vec<f64> {
// CHECK-NEXT:    %n = phi.size %a, 0 : !phi.vec<f64>
// CHECK-NEXT:    %zero = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:    %one = arith.constant 1 : i64
// CHECK-NEXT:    %last = arith.subi %n, %one : i64
// CHECK-NEXT:    %r = phi.fold (%k < %n, %v = %a) -> !phi.vec<f64> {
// CHECK-NEXT:      %0 = arith.constant 1 : i64
// CHECK-NEXT:      %1 = arith.subi %n, %0 : i64
// CHECK-NEXT:      %2 = arith.constant 0 : i64
// CHECK-NEXT:      %3 = arith.maxsi %1, %2 : i64
// CHECK-NEXT:      %4 = phi.array (%i < %3) -> !phi.vec<f64> {
// CHECK-NEXT:        %p = arith.index_cast %i : index to i64
// CHECK-NEXT:        %c = arith.cmpi slt, %p, %k : i64
// CHECK-NEXT:        %d = arith.cmpi slt, %p, %m : i64
// CHECK-NEXT:        %x = phi.get %v[%i] : !phi.vec<f64>[index]
// CHECK-NEXT:        %5 = arith.select %c, %x, %zero : f64
// CHECK-NEXT:        %6 = arith.select %d, %5, %x : f64
// CHECK-NEXT:        phi.yield %6 : f64
// CHECK-NEXT:      }
// CHECK-NEXT:      %7 = arith.maxsi %2, %1 : i64
// CHECK-NEXT:      %8 = arith.subi %n, %7 : i64
// CHECK-NEXT:      %9 = arith.maxsi %8, %2 : i64
// CHECK-NEXT:      %10 = phi.array (%i_1 < %9) -> !phi.vec<f64> {
// CHECK-NEXT:        phi.yield %zero : f64
// CHECK-NEXT:      }
// CHECK-NEXT:      %b = phi.concat %4, %10 of %n : !phi.vec<f64>
// CHECK-NEXT:      phi.yield %b : !phi.vec<f64>
// CHECK-NEXT:    }
// CHECK-NEXT:    func.return %r : !phi.vec<f64>
// CHECK-NEXT:  }
