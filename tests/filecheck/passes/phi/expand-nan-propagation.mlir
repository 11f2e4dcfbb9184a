// RUN: ein-opt %s -p expand-nan-propagation | filecheck %s

// An element is NaN if others are infinite or NaN: more than its own, counted over all positions.

func.func @f(%x: !phi.vec<f64>, %y: !phi.vec<f64>) -> !phi.vec<f64> {
  %r = phi.propagate_nan %x from %y : !phi.vec<f64> from !phi.vec<f64>
  func.return %r : !phi.vec<f64>
}
// CHECK-LABEL: func.func @f(
// CHECK-NEXT:    [[N:%[^ ]+]] = phi.size %x, 0
// CHECK-NEXT:    [[ZERO:%[^ ]+]] = arith.constant 0 : i64
// CHECK-NEXT:    [[ALL:%[^ ]+]] = phi.fold ([[K:%[^ ]+]] < [[N]], [[ACC:%[^ ]+]] = [[ZERO]]) -> i64 {
// CHECK-NEXT:      [[Y:%[^ ]+]] = phi.get %y{{\[}}[[K]]]
// CHECK-NEXT:      [[MOST:%[^ ]+]] = arith.constant 1.7976931348623157e+308 : f64
// CHECK-NEXT:      [[ABS:%[^ ]+]] = math.absf [[Y]] : f64
// CHECK-NEXT:      [[BAD:%[^ ]+]] = arith.cmpf ugt, [[ABS]], [[MOST]] : f64
// CHECK-NEXT:      [[ONE:%[^ ]+]] = arith.extui [[BAD]] : i1 to i64
// CHECK-NEXT:      [[NEXT:%[^ ]+]] = arith.addi [[ACC]], [[ONE]] : i64
// CHECK-NEXT:      phi.yield [[NEXT]] : i64
// CHECK-NEXT:    }
// CHECK-NEXT:    %r = phi.array (
// CHECK:           [[X:%[^ ]+]] = phi.get %x[
// CHECK:           [[OTHERS:%[^ ]+]] = arith.subi [[ALL]],
// CHECK:           [[SOME:%[^ ]+]] = arith.cmpi sgt, [[OTHERS]],
// CHECK:           arith.select [[SOME]], {{%[^ ]+}}, [[X]] : f64
// CHECK-NEXT:      phi.yield

// The limit of f32 is its own.

func.func @narrow(%x: !phi.vec<f32>, %y: !phi.vec<f32>) -> !phi.vec<f32> {
  %r = phi.propagate_nan %x from %y : !phi.vec<f32> from !phi.vec<f32>
  func.return %r : !phi.vec<f32>
}
// CHECK-LABEL: func.func @narrow(
// CHECK:         arith.constant 3.4028234{{.*}} : f32
