// RUN: ein-opt %s -p extend-small-floats --split-input-file | filecheck %s

// Arithmetic is that of f32, rounded; a literal is extended at once.

func.func @product(%a: !phi.vec<f16>, %n: i64) -> !phi.vec<f16> {
  %c = arith.constant 1.500000e+00 : f16
  %r = phi.array (%i < %n) -> !phi.vec<f16> {
    %x = phi.get %a[%i] : !phi.vec<f16>[index]
    %y = arith.mulf %x, %c : f16
    phi.yield %y : f16
  }
  func.return %r : !phi.vec<f16>
}

// CHECK-LABEL: func.func @product
// CHECK:         %x = phi.get %a[%i] : !phi.vec<f16>[index]
// CHECK-NEXT:    [[X:%[0-9]+]] = arith.extf %x : f16 to f32
// CHECK-NEXT:    [[C:%[0-9]+]] = arith.constant 1.500000e+00 : f32
// CHECK-NEXT:    %y = arith.mulf [[X]], [[C]] : f32
// CHECK-NEXT:    %y_1 = arith.truncf %y : f32 to f16
// CHECK-NEXT:    phi.yield %y_1 : f16

// -----

// Comparisons, conversions from and to integers, functions of two types of operands.

func.func @others(%x: bf16, %n: i64) -> (i1, bf16, i64, bf16) {
  %less = arith.cmpf olt, %x, %x : bf16
  %f = arith.sitofp %n : i64 to bf16
  %k = arith.fptosi %x : bf16 to i64
  %p = math.fpowi %x, %n : bf16, i64
  func.return %less, %f, %k, %p : i1, bf16, i64, bf16
}

// CHECK-LABEL: func.func @others
// CHECK:         arith.cmpf olt, %{{.*}}, %{{.*}} : f32
// CHECK:         arith.sitofp %n : i64 to f32
// CHECK-NEXT:    %{{.*}} = arith.truncf %{{.*}} : f32 to bf16
// CHECK:         arith.fptosi %{{.*}} : f32 to i64
// CHECK:         math.fpowi %{{.*}}, %n : f32, i64
// CHECK-NEXT:    %{{.*}} = arith.truncf %{{.*}} : f32 to bf16

// -----

// Choices and conversions of floats need no arithmetic; wider floats stay.

func.func @moves(%c: i1, %x: f16, %y: f64) -> (f16, f64, f16, f64) {
  %z = arith.select %c, %x, %x : f16
  %w = arith.extf %x : f16 to f64
  %v = arith.truncf %y : f64 to f16
  %s = arith.addf %y, %y : f64
  func.return %z, %w, %v, %s : f16, f64, f16, f64
}

// CHECK-LABEL: func.func @moves
// CHECK-NEXT:    %z = arith.select %c, %x, %x : f16
// CHECK-NEXT:    %w = arith.extf %x : f16 to f64
// CHECK-NEXT:    %v = arith.truncf %y : f64 to f16
// CHECK-NEXT:    %s = arith.addf %y, %y : f64
