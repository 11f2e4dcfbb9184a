"""Vectors of scalars and of vectors."""

from typing import reveal_type

import numpy as np

from ein_mlir import Bool, Float, Int, Vec, array, concat, fold, fold_sum, max, where, wrap

a: Vec[Vec[Float]] = wrap(np.ones((3, 4)))
v: Vec[Float] = wrap(np.ones(4))
n: Vec[Int] = wrap(np.arange(3))

# Indexing

reveal_type(a[0])  # expect: Vec[Float]
reveal_type(a[0, 1])  # expect: Float
reveal_type(a[0][1])  # expect: Float
reveal_type(v[n[0]])  # expect: Float
reveal_type(v[1:])  # expect: Vec[Float]
reveal_type(v.size())  # expect: Int
v["x"]  # expect an error
v[0][0]  # expect an error
v[v[0]]  # expect an error

# Scalars

reveal_type(v[0] + 1)  # expect: Float
reveal_type(2 * n[0])  # expect: Int
reveal_type(n[0] / n[1])  # expect: Float
reveal_type(v[0] < 1.0)  # expect: Bool
reveal_type((v[0] < 1.0) & (v[0] > 0.0))  # expect: Bool
reveal_type(n[0].float())  # expect: Float
reveal_type(v[0].sqrt())  # expect: Float
reveal_type(max(n[0], 1))  # expect: Int
v[0] + n[0]  # expect an error
v + v  # expect an error

# Combinators

reveal_type(array(lambda i: v[i] + 1))  # expect: Vec[Float]
reveal_type(array(lambda i, j: a[j, i]))  # expect: Vec[Vec[Float]]
reveal_type(array(lambda i: n[i] < 2))  # expect: Vec[Bool]
reveal_type(array(lambda i, j, k: i + j + k, size=(1, 2, 3)))  # expect: Vec[Vec[Vec[Int]]]
reveal_type(array(lambda i: array(lambda j: a[i, j])))  # expect: Vec[Vec[Float]]
reveal_type(fold_sum(lambda i: v[i]))  # expect: Float
reveal_type(fold_sum(lambda i, j: a[i, j] * v[j]))  # expect: Float
reveal_type(fold_sum(lambda i, j: n[i] * n[j], count=(2, 3)))  # expect: Int
reveal_type(fold(v[0], lambda i, x: x + v[i]))  # expect: Float
reveal_type(v.reduce(0.0, lambda x, y: x + y))  # expect: Float
reveal_type(where(v[0] > 0, v[0], 0.0))  # expect: Float
reveal_type(concat(v, v))  # expect: Vec[Float]
concat(v, v[0])  # expect an error
array(lambda i: v[i], size="3")  # expect an error
where(v[0], v[0], v[1])  # expect an error


def truth(x: Bool) -> Float:
    return x  # expect an error
