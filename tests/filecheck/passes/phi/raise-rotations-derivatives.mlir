// RUN: ein-opt %s -p raise-rotations{derivatives=true} | filecheck %s

// A function with a derivative, before that is expanded. Others are left to the pass without the option.

func.func @with_derivative(%x: !phi.vec<f64>, %ct: f64) -> tuple<f64, !phi.vec<f64>> {
  %r = phi.vjp (%z = %x by %ct) : !phi.vec<f64> by f64 -> tuple<f64, !phi.vec<f64>> {
    %n = phi.size %z, 0 : !phi.vec<f64>
    %zero = arith.constant 0.0 : f64
    %one = arith.constant 1 : i64
    %first = arith.constant 0 : i64
    %s = phi.fold (%i < %n, %acc = %zero) -> f64 {
      %next = arith.addi %i, %one : i64
      %inside = arith.cmpi slt, %next, %n : i64
      %p = arith.select %inside, %next, %first : i64
      %e = phi.get %z[%p] : !phi.vec<f64>[i64]
      %sum = arith.addf %acc, %e : f64
      phi.yield %sum : f64
    }
    phi.yield %s : f64
  }
  func.return %r : tuple<f64, !phi.vec<f64>>
}
// CHECK-LABEL: func.func @with_derivative(
// CHECK:         phi.vjp
// CHECK:           phi.fold (%i < %n
// CHECK:             [[P:%[^ ]+]] = sigma.floormod %{{.*}}, %n
// CHECK:             phi.get %z{{\[}}[[P]]]

func.func @without(%z: !phi.vec<f64>) -> f64 {
  %n = phi.size %z, 0 : !phi.vec<f64>
  %zero = arith.constant 0.0 : f64
  %one = arith.constant 1 : i64
  %first = arith.constant 0 : i64
  %s = phi.fold (%i < %n, %acc = %zero) -> f64 {
    %next = arith.addi %i, %one : i64
    %inside = arith.cmpi slt, %next, %n : i64
    %p = arith.select %inside, %next, %first : i64
    %e = phi.get %z[%p] : !phi.vec<f64>[i64]
    %sum = arith.addf %acc, %e : f64
    phi.yield %sum : f64
  }
  func.return %s : f64
}
// CHECK-LABEL: func.func @without(
// CHECK-NOT:     sigma.floormod
