// RUN: ein-opt %s -p 'raise-running-values{derivatives=true}' | filecheck %s

// A product that a loop carries in a derivative is a scan before it; the largest value stays.
func.func @light(%a: !phi.vec<f64>, %ct: f64) -> tuple<f64, !phi.vec<f64>> {
  %one = arith.constant 1.0 : f64
  %zero = arith.constant 0.0 : f64
  %r = phi.vjp (%x = %a by %ct) : !phi.vec<f64> by f64 -> tuple<f64, !phi.vec<f64>> {
    %n = phi.size %x, 0 : !phi.vec<f64>
    %init = phi.tuple (%one, %zero, %zero) : tuple<f64, f64, f64>
    %s = phi.fold (%k < %n, %state = %init) -> tuple<f64, f64, f64> {
      %left = phi.proj %state, 0 : tuple<f64, f64, f64> -> f64
      %most = phi.proj %state, 1 : tuple<f64, f64, f64> -> f64
      %sum = phi.proj %state, 2 : tuple<f64, f64, f64> -> f64
      %e = phi.get %x[%k] : !phi.vec<f64>[i64]
      %new = arith.mulf %left, %e : f64
      %more = arith.maximumf %most, %e : f64
      %term = arith.mulf %left, %most : f64
      %total = arith.addf %sum, %term : f64
      %next = phi.tuple (%new, %more, %total) : tuple<f64, f64, f64>
      phi.yield %next : tuple<f64, f64, f64>
    }
    %t = phi.proj %s, 2 : tuple<f64, f64, f64> -> f64
    phi.yield %t : f64
  }
  func.return %r : tuple<f64, !phi.vec<f64>>
}
// CHECK-LABEL: func.func @light
// CHECK:         phi.vjp
// CHECK:           %[[ALL:.*]] = phi.scan "mul"
// CHECK:           phi.fold (%{{.*}} < %n, %state = %{{.*}}) -> tuple<f64, f64> {
// CHECK:             arith.maximumf

// Where no derivative is taken, it stays a loop.
func.func @plain(%x: !phi.vec<f64>) -> f64 {
  %one = arith.constant 1.0 : f64
  %zero = arith.constant 0.0 : f64
  %n = phi.size %x, 0 : !phi.vec<f64>
  %init = phi.tuple (%one, %zero) : tuple<f64, f64>
  %s = phi.fold (%k < %n, %state = %init) -> tuple<f64, f64> {
    %left = phi.proj %state, 0 : tuple<f64, f64> -> f64
    %sum = phi.proj %state, 1 : tuple<f64, f64> -> f64
    %e = phi.get %x[%k] : !phi.vec<f64>[i64]
    %new = arith.mulf %left, %e : f64
    %total = arith.addf %sum, %left : f64
    %next = phi.tuple (%new, %total) : tuple<f64, f64>
    phi.yield %next : tuple<f64, f64>
  }
  %t = phi.proj %s, 1 : tuple<f64, f64> -> f64
  func.return %t : f64
}
// CHECK-LABEL: func.func @plain
// CHECK-NOT:     phi.scan
// CHECK:         phi.fold (%k < %n, %state = %{{.*}}) -> tuple<f64, f64> {
