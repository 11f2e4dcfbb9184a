"""Functions that are compiled, and functions of libraries."""

from typing import reveal_type

import numpy as np

from ein_mlir import Float, Int, Vec, array, ext, fold_sum, function, wrap


@function
def scale(a: Vec[Float], factor: Float) -> Vec[Float]:
    return array(lambda i: factor * a[i])


@function(backend="naive")
def total(a: Vec[Vec[Float]]) -> Float:
    return fold_sum(lambda i: fold_sum(lambda j: a[i, j]))


v: Vec[Float] = wrap(np.ones(3))

reveal_type(scale(v, v[0]))  # expect: Vec[Float]
reveal_type(total(array(lambda i: scale(v, v[i]))))  # expect: Float
reveal_type(scale.source())  # expect: str
scale(v, v[0]).angle()  # expect an error

# Arrays and numbers take the place of staged values by position, but none may be missing

x = np.ones(3)
reveal_type(scale(x, 2.0))  # expect: Any
reveal_type(scale(v, 2.0))  # expect: Any
reveal_type(scale(x, factor=v[0]))  # expect: Any
scale(x)  # expect an error
scale(v)  # expect an error
scale(factor=2.0)  # expect an error
scale(x, power=v[0])  # expect an error


@function
def shifted(a, steps=1):
    return array(lambda i: a[i + steps])


shifted(x)
shifted(x, steps=2)
shifted()  # expect an error
shifted(x, count=2)  # expect an error


@function
def power(a: Vec[Float], *, steps: Int | int) -> Vec[Float]:
    return array(lambda i: a[i] ** steps)


power(x, steps=3)
reveal_type(power(v, steps=3))  # expect: Vec[Float]
power(x)  # expect an error


@function
def most(*vectors: Vec[Float]) -> Float:
    return vectors[0][0]


most(x, x, v)
reveal_type(most(v, v))  # expect: Float


@function
def six(a: Float, b: Float, c: Float, d: Float, e: Float, f: Float) -> Float:
    return a


six(1.0, 2.0, 3.0, 4.0, 5.0, 6.0)
reveal_type(six(v[0], v[0], v[0], v[0], v[0], v[0]))  # expect: Float

sort = ext(np.sort, ([Vec[Float]], Vec[Float]))
argsort = ext(np.argsort, ([Vec[Float]], Vec[Int]))

reveal_type(sort(v))  # expect: Vec[Float]
reveal_type(argsort(v)[0])  # expect: Int
reveal_type(array(lambda i: v[argsort(v)[i]]))  # expect: Vec[Float]
ext(3, ([Float], Float))  # expect an error
ext(np.sort, Vec[Float])  # expect an error


@function
def wrong(a: Vec[Float]) -> Int:
    return a[0]  # expect an error
