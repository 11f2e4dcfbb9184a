// RUN: DIAGNOSTICS

// A definition dominates its uses: checked after parsing and after each pass.

func.func @before(%a: f64) -> f64 {
  %x = arith.addf %y, %a : f64
  %y = arith.addf %a, %a : f64
  func.return %x : f64
}
// CHECK: arith.addf: operand 0, %y, a result of arith.addf, is used where it is not defined
// CHECK-SAME: (at {{.*}}dominance.mlir:6:3); its definition (at {{.*}}dominance.mlir:7:3) must come before

// -----

func.func @own_body(%n: i64) -> !phi.vec<f64> {
  %r = phi.array (%i < %n) -> !phi.vec<f64> {
    %x = phi.get %r[%i] : !phi.vec<f64>[index]
    phi.yield %x : f64
  }
  func.return %r : !phi.vec<f64>
}
// CHECK: phi.get: operand 0, %r, a result of phi.array, is used where it is not defined
// CHECK-SAME: (at {{.*}}dominance.mlir:17:5)

// -----

func.func @own_size(%x: f64) -> !phi.vec<f64> {
  %n = phi.size %r, 0 : !phi.vec<f64>
  %r = phi.array (%i < %n) -> !phi.vec<f64> {
    phi.yield %x : f64
  }
  func.return %r : !phi.vec<f64>
}
// CHECK: phi.size: operand 0, %r, a result of phi.array, is used where it is not defined

// -----

func.func @sibling(%n: i64, %a: f64) -> !phi.vec<f64> {
  %r = phi.array (%i < %n) -> !phi.vec<f64> {
    %x = arith.addf %a, %a : f64
    phi.yield %x : f64
  }
  %s = phi.array (%j < %n) -> !phi.vec<f64> {
    phi.yield %x : f64
  }
  func.return %s : !phi.vec<f64>
}
// CHECK: dominance.mlir:44:15
// CHECK: %x is not defined in this body or one around it

// -----

func.func @other_function(%z: f64) -> f64 {
  func.return %z : f64
}
func.func @g(%q: f64) -> f64 {
  func.return %z : f64
}
// CHECK: dominance.mlir:57:15
// CHECK: %z is not defined in this body or one around it

// -----

func.func @later_step(%n: i64, %a: f64) -> f64 {
  %r = phi.fold (%k < %n, %acc = %s) -> f64 {
    phi.yield %acc : f64
  }
  %s = arith.addf %r, %a : f64
  func.return %s : f64
}
// CHECK: phi.fold: operand 1, %s, a result of arith.addf, is used where it is not defined

// -----

func.func @within_its_user(%n: index, %x: f64) -> f64 {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %r = scf.for %i = %zero to %n step %one iter_args(%acc = %next) -> (f64) {
    %next = arith.addf %acc, %x : f64
    scf.yield %next : f64
  }
  func.return %r : f64
}

// CHECK: iter_args(%acc = %next)
// CHECK: %next is not defined in this body or one around it
