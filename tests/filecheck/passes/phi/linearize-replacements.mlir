// RUN: ein-opt %s -p linearize,canonicalize | filecheck %s

// The fold also carries the last step that replaces the Floats, where their tangents are computed.
// CHECK-LABEL: @nearest
// CHECK:         %2 = phi.fold (%k < %n, %acc = %1) -> tuple<f64, f64, i64> {
// CHECK:           %3 = phi.proj %acc, 2 : tuple<f64, f64, i64> -> i64
// CHECK:           %4 = arith.select %is_less, %k, %3 : i64
// CHECK-NEXT:      %5 = phi.tuple (%value, %found, %4) : tuple<f64, f64, i64>
// CHECK:         %6 = phi.proj %2, 2 : tuple<f64, f64, i64> -> i64
// CHECK:         %8 = arith.cmpi sge, %6, %7 : i64
// CHECK:         %10 = arith.maxsi %6, %9 : i64
// CHECK-NEXT:    %11 = phi.transpose (%dx = %a) by %ct -> tuple<!phi.vec<f64>> : f64 {
// CHECK-NEXT:      %y_1 = phi.get %a[%10] : !phi.vec<f64>[i64]
// CHECK-NEXT:      %12 = phi.get %dx[%10] : !phi.vec<f64>[i64]
// CHECK-NEXT:      %13 = arith.mulf %12, %y_1 : f64
// CHECK:           %17 = arith.select %8, %15, %16 : f64
// CHECK-NEXT:      phi.yield %17 : f64
func.func @nearest(%a: !phi.vec<f64>, %b: !phi.vec<f64>, %ct: f64) -> tuple<f64, !phi.vec<f64>> {
  %r = phi.vjp (%x = %a by %ct) : !phi.vec<f64> by f64 -> tuple<f64, !phi.vec<f64>> {
    %n = phi.size %b, 0 : !phi.vec<f64>
    %far = arith.constant 9.0 : f64
    %zero = arith.constant 0.0 : f64
    %start = phi.tuple (%far, %zero) : tuple<f64, f64>
    %f = phi.fold (%k < %n, %acc = %start) -> tuple<f64, f64> {
      %best = phi.proj %acc, 0 : tuple<f64, f64> -> f64
      %old = phi.proj %acc, 1 : tuple<f64, f64> -> f64
      %e = phi.get %b[%k] : !phi.vec<f64>[i64]
      %y = phi.get %x[%k] : !phi.vec<f64>[i64]
      %is_less = arith.cmpf olt, %e, %best : f64
      %value = arith.select %is_less, %e, %best : f64
      %square = arith.mulf %y, %y : f64
      %found = arith.select %is_less, %square, %old : f64
      %next = phi.tuple (%value, %found) : tuple<f64, f64>
      phi.yield %next : tuple<f64, f64>
    }
    %s = phi.proj %f, 1 : tuple<f64, f64> -> f64
    phi.yield %s : f64
  }
  func.return %r : tuple<f64, !phi.vec<f64>>
}

// What a step replaces depends on the value before it: each step is linear.
// CHECK-LABEL: @sum
// CHECK:         phi.transpose
// CHECK:           phi.fold (%k_1 < %n, %{{.*}} = %{{.*}}) -> f64 {
func.func @sum(%a: !phi.vec<f64>, %ct: f64) -> tuple<f64, !phi.vec<f64>> {
  %r = phi.vjp (%x = %a by %ct) : !phi.vec<f64> by f64 -> tuple<f64, !phi.vec<f64>> {
    %n = phi.size %x, 0 : !phi.vec<f64>
    %zero = arith.constant 0.0 : f64
    %f = phi.fold (%k < %n, %acc = %zero) -> f64 {
      %y = phi.get %x[%k] : !phi.vec<f64>[i64]
      %is_less = arith.cmpf olt, %acc, %y : f64
      %both = arith.addf %acc, %y : f64
      %next = arith.select %is_less, %both, %acc : f64
      phi.yield %next : f64
    }
    phi.yield %f : f64
  }
  func.return %r : tuple<f64, !phi.vec<f64>>
}
