# RUN: python %s | filecheck %s

# The distances between all pairs of rows (dissertation, figure 3.3): Python functions are macros,
# sizes are inferred, and the names of parameters become names in the program.

from ein_mlir import array, fold, function, matrix_type


def fold_sum(f):
    return fold(0.0, lambda k, acc: acc + f(k))


def l1(u, v):
    return fold_sum(lambda k: abs(u[k] - v[k]))


@function
def pairwise_l1(a):
    return array(lambda i, j: l1(a[i], a[j]))


print(pairwise_l1.phi(matrix_type(float)))

# CHECK:      func.func @pairwise_l1(%a: !phi.vec<!phi.vec<f64>>) -> !phi.vec<!phi.vec<f64>> {
# CHECK-NEXT:   %size0_a = phi.size %a, 0 : !phi.vec<!phi.vec<f64>>
# CHECK-NEXT:   %size1_a = phi.size %a, 1 : !phi.vec<!phi.vec<f64>>
# CHECK-NEXT:   %0 = phi.array (%i < %size0_a, %j < %size0_a) -> !phi.vec<!phi.vec<f64>> {
# CHECK-NEXT:     %1 = arith.constant 0.000000e+00 : f64
# CHECK-NEXT:     %2 = phi.fold (%k < %size1_a, %acc = %1) -> f64 {
# CHECK-NEXT:       %3 = phi.get %a[%i, %k] : !phi.vec<!phi.vec<f64>>[index, i64]
# CHECK-NEXT:       %4 = phi.get %a[%j, %k] : !phi.vec<!phi.vec<f64>>[index, i64]
# CHECK-NEXT:       %5 = arith.subf %3, %4 : f64
# CHECK-NEXT:       %6 = math.absf %5 : f64
# CHECK-NEXT:       %7 = arith.addf %acc, %6 : f64
# CHECK-NEXT:       phi.yield %7 : f64
# CHECK-NEXT:     }
# CHECK-NEXT:     phi.yield %2 : f64
# CHECK-NEXT:   }
# CHECK-NEXT:   func.return %0 : !phi.vec<!phi.vec<f64>>
