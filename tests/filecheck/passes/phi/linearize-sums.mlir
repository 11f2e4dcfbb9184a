// RUN: ein-opt %s -p linearize,simplify | filecheck %s

// Two sums of a step that compute the same exponential are one loop, in which it is computed once.
// CHECK-LABEL: @average
// CHECK: phi.fold
// CHECK: math.exp
// CHECK-NOT: math.exp
// CHECK: phi.transpose
func.func @average(%x: !phi.vec<f64>, %y: !phi.vec<f64>, %c: f64) -> tuple<f64, !phi.vec<f64>> {
  %r = phi.vjp (%u = %x by %c) : !phi.vec<f64> by f64 -> tuple<f64, !phi.vec<f64>> {
    %zero = arith.constant 0.0 : f64
    %n = phi.size %u, 0 : !phi.vec<f64>
    %s = phi.fold (%k < %n, %a = %zero) -> f64 {
      %e = phi.get %u[%k] : !phi.vec<f64>[i64]
      %w = math.exp %e : f64
      %v = phi.get %y[%k] : !phi.vec<f64>[i64]
      %p = arith.mulf %w, %v : f64
      %b = arith.addf %a, %p : f64
      phi.yield %b : f64
    }
    %t = phi.fold (%k < %n, %a = %zero) -> f64 {
      %e = phi.get %u[%k] : !phi.vec<f64>[i64]
      %w = math.exp %e : f64
      %b = arith.addf %a, %w : f64
      phi.yield %b : f64
    }
    %q = arith.divf %s, %t : f64
    phi.yield %q : f64
  }
  func.return %r : tuple<f64, !phi.vec<f64>>
}
