// RUN: ein-opt %s --split-input-file -p "carry-values{powers=true}" | filecheck %s

// The power of a number by the counter is the last one times the number.
func.func @polynomial(%c: !phi.vec<f64>, %x: f64) -> f64 {
  %zero = arith.constant 0.0 : f64
  %n = phi.size %c, 0 : !phi.vec<f64>
  %r = phi.fold (%k < %n, %acc = %zero) -> f64 {
    %power = math.fpowi %x, %k : f64, i64
    %a = phi.get %c[%k] : !phi.vec<f64>[i64]
    %term = arith.mulf %a, %power : f64
    %next = arith.addf %acc, %term : f64
    phi.yield %next : f64
  }
  func.return %r : f64
}

// CHECK-LABEL: func.func @polynomial(
// CHECK:           %[[FIRST:.*]] = math.fpowi %x, %{{.*}} : f64, i64
// CHECK:           %[[INIT:.*]] = phi.tuple (%zero, %[[FIRST]])
// CHECK:           phi.fold (%k < %n, %[[ACC:.*]] = %[[INIT]]) -> tuple<f64, f64> {
// CHECK-NOT:         math.fpowi
// CHECK:             %[[POWER:.*]] = phi.proj %[[ACC]], 1
// CHECK:             arith.mulf %{{.*}}, %[[POWER]] : f64
// CHECK:             %[[NEXT:.*]] = arith.mulf %[[POWER]], %x : f64
// CHECK:             phi.tuple (%{{.*}}, %[[NEXT]])

// -----

// In double precision, also of a float exponent; from a later exponent on.
func.func @single(%c: !phi.vec<f32>, %x: f32) -> f32 {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1 : i64
  %n = phi.size %c, 0 : !phi.vec<f32>
  %r = phi.fold (%k < %n, %acc = %zero) -> f32 {
    %later = arith.addi %k, %one : i64
    %float = arith.sitofp %later : i64 to f32
    %power = math.powf %x, %float : f32
    %next = arith.addf %acc, %power : f32
    phi.yield %next : f32
  }
  func.return %r : f32
}

// CHECK-LABEL: func.func @single(
// CHECK:           %[[WIDE:.*]] = arith.extf %x : f32 to f64
// CHECK:           math.fpowi %[[WIDE]], %{{.*}} : f64, i64
// CHECK:           phi.fold (%k < %n, %[[ACC:.*]] = %{{.*}}) -> tuple<f32, f64> {
// CHECK:             %[[POWER:.*]] = phi.proj %[[ACC]], 1
// CHECK:             arith.truncf %[[POWER]] : f64 to f32
// CHECK:             arith.mulf %[[POWER]], %[[WIDE]] : f64

// -----

// Exponents that fall, or that may be negative, and bases that vary.
func.func @others(%c: !phi.vec<f64>, %x: f64, %s: i64) -> f64 {
  %zero = arith.constant 0.0 : f64
  %n = phi.size %c, 0 : !phi.vec<f64>
  %r = phi.fold (%k < %n, %acc = %zero) -> f64 {
    %falling = arith.subi %n, %k : i64
    %any = arith.addi %k, %s : i64
    %0 = math.fpowi %x, %falling : f64, i64
    %1 = math.fpowi %x, %any : f64, i64
    %a = phi.get %c[%k] : !phi.vec<f64>[i64]
    %2 = math.fpowi %a, %k : f64, i64
    %3 = arith.addf %0, %1 : f64
    %4 = arith.addf %2, %3 : f64
    %next = arith.addf %acc, %4 : f64
    phi.yield %next : f64
  }
  func.return %r : f64
}

// CHECK-LABEL: func.func @others(
// CHECK:           phi.fold (%k < %n, %acc = %zero) -> f64 {
