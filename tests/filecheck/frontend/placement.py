# RUN: python %s | filecheck %s

# A value is defined in the body that it was written in, or further out if bodies share it.

from ein_mlir import array, fold, function, vector_type


@function
def normalised(x):
    total = fold(0, lambda k, acc: acc + x[k])
    scaled = array(lambda i: x[i] / total)
    return fold(0, lambda step, acc: acc + scaled[step] * scaled[step])


print(normalised.phi(vector_type("f32")))

# The literal 0 of each fold is an f32, as its step needs; the total is computed once, and both
# loops are in sequence.

# CHECK:      func.func @normalised(%x: !phi.vec<f32>) -> f32 {
# CHECK-NEXT:   %size0_x = phi.size %x, 0 : !phi.vec<f32>
# CHECK-NEXT:   %0 = arith.constant 0.000000e+00 : f32
# CHECK-NEXT:   %1 = phi.fold (%k < %size0_x, %acc = %0) -> f32 {
# CHECK-NEXT:     %2 = phi.get %x[%k] : !phi.vec<f32>[i64]
# CHECK-NEXT:     %3 = arith.addf %acc, %2 : f32
# CHECK-NEXT:     phi.yield %3 : f32
# CHECK-NEXT:   }
# CHECK-NEXT:   %4 = phi.array (%i < %size0_x) -> !phi.vec<f32> {
# CHECK-NEXT:     %5 = phi.get %x[%i] : !phi.vec<f32>[index]
# CHECK-NEXT:     %6 = arith.divf %5, %1 : f32
# CHECK-NEXT:     phi.yield %6 : f32
# CHECK-NEXT:   }
# CHECK-NEXT:   %7 = phi.fold (%step < %size0_x, %acc_1 = %0) -> f32 {
