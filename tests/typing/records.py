"""Records of staged values: dataclasses, generic ones, tuples and dicts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, TypeVar, reveal_type

import numpy as np

from ein_mlir import Float, Int, Vec, array, fold, where, wrap

T = TypeVar("T")


@dataclass(frozen=True)
class Dual:
    real: Float
    eps: Float

    def __mul__(self, other: Dual) -> Dual:
        return Dual(self.real * other.real, self.real * other.eps + self.eps * other.real)


@dataclass
class Pair(Generic[T]):
    first: T
    second: T


duals: Vec[Dual] = wrap((np.ones(3), np.ones(3)), like=Vec[Dual])
pairs: Vec[Vec[Pair[Int]]] = wrap(None)

reveal_type(duals[0])  # expect: Dual
reveal_type(duals[0].eps)  # expect: Float
reveal_type(duals[1:])  # expect: Vec[Dual]
reveal_type(pairs[0, 0])  # expect: Pair[Int]
reveal_type(pairs[0][0].second)  # expect: Int
reveal_type(wrap((1, 2), like=Vec[Dual]))  # expect: Vec[Dual]
duals[0].imag()  # expect an error
duals[0] * 2.0  # expect an error
duals * duals  # expect an error

reveal_type(array(lambda i: duals[i] * duals[i]))  # expect: Vec[Dual]
reveal_type(array(lambda i: duals[i].real))  # expect: Vec[Float]
reveal_type(array(lambda i: Pair(duals[i], duals[0])))  # expect: Vec[Pair[Dual]]
reveal_type(array(lambda i: (i, duals[i].eps)))  # expect: Vec[tuple[Int, Float]]
reveal_type(fold(duals[0], lambda i, acc: acc * duals[i]))  # expect: Dual
reveal_type(duals.reduce(duals[0], lambda x, y: x * y))  # expect: Dual
reveal_type(where(duals[0].real > 0, duals[0], duals[1]))  # expect: Dual
duals.reduce(duals[0], lambda x, y: x.real)  # expect an error


def norm(x: Dual) -> Float:
    return x * x  # expect an error
