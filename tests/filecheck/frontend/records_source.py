# RUN: python %s | filecheck %s

# Records cost nothing at run time: the source for an array of dual numbers is the same as that
# written by hand with two arrays.

from __future__ import annotations

from dataclasses import dataclass

from ein_mlir import Float, Vec, array, function


@dataclass(frozen=True)
class Dual:
    real: Float
    eps: Float

    def __mul__(self, other: Dual) -> Dual:
        return Dual(self.real * other.real, self.real * other.eps + self.eps * other.real)


@function
def products(x: Vec[Dual], y: Vec[Dual]) -> Vec[Dual]:
    return array(lambda i: x[i] * y[i])


print(products.source())

# CHECK:      def products(x, y):
# CHECK-DAG:    [[A:t[0-9]+]] = x[0]
# CHECK-DAG:    [[B:t[0-9]+]] = x[1]
# CHECK-DAG:    [[C:t[0-9]+]] = y[0]
# CHECK-DAG:    [[D:t[0-9]+]] = y[1]
# CHECK:        return ([[A]] * [[C]], [[A]] * [[D]] + [[B]] * [[C]])
