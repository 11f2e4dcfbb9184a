// RUN: ein-opt %s -p expand-nan-propagation | filecheck %s

// An element is NaN if others are infinite or NaN: if two are, or one that is not its own. The bits
// of a magnitude say so, compared with a limit for all positions.

func.func @f(%x: !phi.vec<f64>, %y: !phi.vec<f64>) -> !phi.vec<f64> {
  %r = phi.propagate_nan %x from %y : !phi.vec<f64> from !phi.vec<f64>
  func.return %r : !phi.vec<f64>
}
// CHECK-LABEL: func.func @f(
// CHECK-NEXT:    [[N:%[^ ]+]] = phi.size %x, 0
// CHECK-NEXT:    [[ZERO:%[^ ]+]] = arith.constant 0 : i64
// CHECK-NEXT:    [[ALL:%[^ ]+]] = phi.fold ([[K:%[^ ]+]] < [[N]], [[ACC:%[^ ]+]] = [[ZERO]]) -> i64 {
// CHECK-NEXT:      [[Y:%[^ ]+]] = phi.get %y{{\[}}[[K]]]
// CHECK-NEXT:      [[ABS:%[^ ]+]] = math.absf [[Y]] : f64
// CHECK-NEXT:      [[MOST:%[^ ]+]] = arith.constant 1.7976931348623157e+308 : f64
// CHECK-NEXT:      [[BAD:%[^ ]+]] = arith.cmpf ugt, [[ABS]], [[MOST]] : f64
// CHECK-NEXT:      [[ONE:%[^ ]+]] = arith.extui [[BAD]] : i1 to i64
// CHECK-NEXT:      [[NEXT:%[^ ]+]] = arith.addi [[ACC]], [[ONE]] : i64
// CHECK-NEXT:      phi.yield [[NEXT]] : i64
// CHECK-NEXT:    }
// CHECK-NEXT:    [[NONE:%[^ ]+]] = arith.constant -1 : i64
// CHECK-NEXT:    [[EVERY:%[^ ]+]] = arith.constant 9223372036854775807 : i64
// CHECK-NEXT:    [[LARGEST:%[^ ]+]] = arith.constant 1.7976931348623157e+308 : f64
// CHECK-NEXT:    [[FINITE:%[^ ]+]] = arith.bitcast [[LARGEST]] : f64 to i64
// CHECK:         [[TWO:%[^ ]+]] = arith.cmpi sgt, [[ALL]],
// CHECK-NEXT:    [[BOTH:%[^ ]+]] = arith.select [[TWO]], [[EVERY]], [[FINITE]] : i64
// CHECK:         [[ONE:%[^ ]+]] = arith.cmpi sgt, [[ALL]],
// CHECK-NEXT:    [[LIMIT:%[^ ]+]] = arith.select [[ONE]], [[BOTH]], [[NONE]] : i64
// CHECK-NEXT:    %r = phi.array (
// CHECK:           [[X:%[^ ]+]] = phi.get %x[
// CHECK-NEXT:      [[Y:%[^ ]+]] = phi.get %y[
// CHECK-NEXT:      [[ABS:%[^ ]+]] = math.absf [[Y]] : f64
// CHECK-NEXT:      [[BITS:%[^ ]+]] = arith.bitcast [[ABS]] : f64 to i64
// CHECK-NEXT:      [[SOME:%[^ ]+]] = arith.cmpi sle, [[BITS]], [[LIMIT]] : i64
// CHECK:           arith.select [[SOME]], {{%[^ ]+}}, [[X]] : f64
// CHECK-NEXT:      phi.yield

// The limit of f32 is its own.

func.func @narrow(%x: !phi.vec<f32>, %y: !phi.vec<f32>) -> !phi.vec<f32> {
  %r = phi.propagate_nan %x from %y : !phi.vec<f32> from !phi.vec<f32>
  func.return %r : !phi.vec<f32>
}
// CHECK-LABEL: func.func @narrow(
// CHECK:         arith.constant 3.4028234{{.*}} : f32
// CHECK:         arith.constant -1 : i32
// CHECK-NEXT:    arith.constant 2147483647 : i32
