# RUN: python %s | filecheck %s

# A slice is a comprehension; its size follows Python's rules, clipped only if necessary.

from ein_mlir import function, matrix_type, vector_type


@function
def inner(a):
    return a[1:-1]


@function
def backwards(a):
    return a[0, ::-1]


print(inner.phi(vector_type(int)), backwards.phi(matrix_type(int)))

# CHECK:      func.func @inner(%a: !phi.vec<i64>) -> !phi.vec<i64> {
# CHECK-NEXT:   %size0_a = phi.size %a, 0 : !phi.vec<i64>
# CHECK-NEXT:   %0 = arith.constant 2 : i64
# CHECK-NEXT:   %1 = arith.subi %size0_a, %0 : i64
# CHECK-NEXT:   %2 = arith.constant 0 : i64
# CHECK-NEXT:   %3 = arith.maxsi %1, %2 : i64
# CHECK-NEXT:   %4 = phi.array (%i < %3) -> !phi.vec<i64> {
# CHECK-NEXT:     %5 = arith.constant 1 : i64
# CHECK-NEXT:     %6 = arith.index_cast %i : index to i64
# CHECK-NEXT:     %7 = arith.addi %6, %5 : i64
# CHECK-NEXT:     %8 = phi.get %a[%7] : !phi.vec<i64>[i64]
# CHECK-NEXT:     phi.yield %8 : i64

# CHECK:      func.func @backwards(%a: !phi.vec<!phi.vec<i64>>) -> !phi.vec<i64> {
# CHECK-NEXT:   %size1_a = phi.size %a, 1 : !phi.vec<!phi.vec<i64>>
# CHECK-NEXT:   %0 = arith.constant 1 : i64
# CHECK-NEXT:   %1 = arith.subi %size1_a, %0 : i64
# CHECK-NEXT:   %2 = phi.array (%i < %size1_a) -> !phi.vec<i64> {
# CHECK-NEXT:     %3 = arith.constant 0 : i64
# CHECK-NEXT:     %4 = arith.index_cast %i : index to i64
# CHECK-NEXT:     %5 = arith.subi %1, %4 : i64
# CHECK-NEXT:     %6 = phi.get %a[%3, %5]
