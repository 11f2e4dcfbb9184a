// RUN: ein-opt %s -p differentiate{shifts=true},canonicalize | filecheck %s
// RUN: ein-opt %s -p differentiate,canonicalize | filecheck %s --check-prefix PLACES

// The cotangent of what is read at an index and an Int is the cotangent, moved by it, if the Int is
// near to the indices. All steps of one that is not, whose positions may wrap around, are beyond an
// end. Without the option, steps add to the elements at their positions.
// CHECK-LABEL: @moved
// CHECK:         %8 = arith.cmpi sge, %c, %7 : i64
// CHECK:         %10 = arith.cmpi sle, %c, %9 : i64
// CHECK-NEXT:    %11 = arith.andi %8, %10 : i1
// CHECK:         %13 = arith.select %11, %1, %12 : i64
// CHECK:         %15 = arith.select %11, %14, %1 : i64
// CHECK-NEXT:    %16 = phi.array (%17 < %5) -> !phi.vec<f64> {
// CHECK:           %19 = arith.subi %18, %c : i64
// CHECK:           %22 = arith.cmpi slt, %19, %13 : i64
// CHECK:         phi.fold (%{{.*}} < %15, %{{.*}} = %{{.*}}) -> f64 {
// CHECK:         phi.fold (%{{.*}} < %15, %{{.*}} = %{{.*}}) -> f64 {
// CHECK-NOT:     phi.accumulate
// PLACES-LABEL: @moved
// PLACES:        phi.accumulate
func.func @moved(%a: !phi.vec<f64>, %c: i64, %ct: !phi.vec<f64>) -> tuple<!phi.vec<f64>, !phi.vec<f64>> {
  %n = phi.size %a, 0 : !phi.vec<f64>
  %r = phi.vjp (%x = %a by %ct) : !phi.vec<f64> by !phi.vec<f64> -> tuple<!phi.vec<f64>, !phi.vec<f64>> {
    %y = phi.array (%i < %n) -> !phi.vec<f64> {
      %k = arith.index_cast %i : index to i64
      %p = arith.addi %k, %c : i64
      %e = phi.get %x[%p] : !phi.vec<f64>[i64]
      phi.yield %e : f64
    }
    phi.yield %y : !phi.vec<f64>
  }
  func.return %r : tuple<!phi.vec<f64>, !phi.vec<f64>>
}
