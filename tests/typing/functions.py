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
