# RUN: python %s | filecheck %s

# Records of Python are tuples of phi; the fields of dataclasses and dicts become names.

from dataclasses import dataclass

from ein_mlir import Float, Vec, array, function, vector_type, wrap


@dataclass
class Dual:
    real: Float
    eps: Float

    def __mul__(self, other):
        return Dual(self.real * other.real, self.real * other.eps + self.eps * other.real)


@function
def squares(x: Vec[Float]):
    duals = array(lambda i: Dual(x[i], wrap(1.0)))

    def square(i):
        d = duals[i]
        return d * d

    return array(square)


print(squares.phi(vector_type(float)))

# CHECK:      func.func @squares(%x: !phi.vec<f64>) -> !phi.vec<tuple<f64, f64>> {
# CHECK:        %0 = phi.array (%i < %size0_x) -> !phi.vec<tuple<f64, f64>> {
# CHECK-NEXT:     %1 = phi.get %x[%i] : !phi.vec<f64>[index]
# CHECK-NEXT:     %2 = arith.constant 1.000000e+00 : f64
# CHECK-NEXT:     %3 = phi.tuple (%1, %2) : tuple<f64, f64>
# CHECK-NEXT:     phi.yield %3 : tuple<f64, f64>
# CHECK:        phi.array (%i_1 < %size0_x) -> !phi.vec<tuple<f64, f64>> {
# CHECK-NEXT:     %5 = phi.get %0[%i_1] : !phi.vec<tuple<f64, f64>>[index]
# CHECK-NEXT:     %real = phi.proj %5, 0 : tuple<f64, f64> -> f64
# CHECK-NEXT:     %6 = arith.mulf %real, %real : f64
# CHECK-NEXT:     %eps = phi.proj %5, 1 : tuple<f64, f64> -> f64
