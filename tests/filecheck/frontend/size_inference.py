# RUN: python %s | filecheck %s

# ruff: noqa: E501
# Several arrays indexed by one index must have one size; the message of the assertion names them.

from ein_mlir import array, function, matrix_type, vector_type


@function
def weighted(a, w):
    return array(lambda i: array(lambda j: a[i, j] * w[j] + w[i]))


print(weighted.phi(matrix_type("f32"), vector_type("f32")))

# Sizes depend on no index, and precede the comprehension of i, those of j too.

# CHECK:      func.func @weighted(%a: !phi.vec<!phi.vec<f32>>, %w: !phi.vec<f32>)
# CHECK-NEXT:   %size0_a = phi.size %a, 0
# CHECK-NEXT:   %size0_w = phi.size %w, 0
# CHECK-NEXT:   %size0_a_1 = phi.assert_eq %size0_a, %size0_w, "index i: size of a along axis 0 and size of w along axis 0"
# CHECK-NEXT:   %size1_a = phi.size %a, 1
# CHECK-NEXT:   %size1_a_1 = phi.assert_eq %size1_a, %size0_w, "index j: size of a along axis 1 and size of w along axis 0"
# CHECK-NEXT:   %0 = phi.array (%i < %size0_a_1) -> !phi.vec<!phi.vec<f32>> {
# CHECK-NEXT:     %1 = phi.array (%j < %size1_a_1) -> !phi.vec<f32> {
# CHECK-NEXT:       %2 = phi.get %a[%i, %j]
