// RUN: ein-opt %s -p guard-branches{products=true} | filecheck %s

// A factor of a sum of products is finite where its branch is not taken, another value may be not.

func.func @factors(%a: !phi.vec<f64>, %b: !phi.vec<f64>) -> (f64, !phi.vec<f64>) {
  %zero = arith.constant 0.0 : f64
  %one = arith.constant 1.0 : f64
  %n = phi.size %a, 0 : !phi.vec<f64>
  %s = phi.fold (%k < %n, %acc = %zero) -> f64 {
    %x = phi.get %a[%k] : !phi.vec<f64>[i64]
    %y = phi.get %b[%k] : !phi.vec<f64>[i64]
    %q = arith.divf %one, %x : f64
    %c = arith.cmpf une, %x, %zero : f64
    %z = arith.select %c, %q, %zero : f64
    %p = arith.mulf %z, %y : f64
    %t = arith.addf %acc, %p : f64
    phi.yield %t : f64
  }
  %r = phi.array (%i < %n) -> !phi.vec<f64> {
    %x_1 = phi.get %a[%i] : !phi.vec<f64>[index]
    %q_1 = arith.divf %one, %x_1 : f64
    %c_1 = arith.cmpf une, %x_1, %zero : f64
    %z_1 = arith.select %c_1, %q_1, %zero : f64
    phi.yield %z_1 : f64
  }
  func.return %s, %r : f64, !phi.vec<f64>
}
// CHECK-LABEL: func.func @factors(
// CHECK:           %[[X:.*]] = arith.select %c, %x, %{{.*}} : f64
// CHECK-NEXT:      %q = arith.divf %one, %[[X]] : f64
// CHECK:           %q_1 = arith.divf %one, %x_1 : f64
