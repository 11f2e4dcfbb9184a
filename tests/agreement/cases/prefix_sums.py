"""Sums of all prefixes of each row."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from ein_mlir import Float, Vec, array, fold_sum, function, where
from tests.agreement.cases.case import Case, prange


@function
def prefix_sums(a: Vec[Vec[Float]]) -> Vec[Vec[Float]]:
    return array(
        lambda r, i: fold_sum(lambda j: where(j <= i, a[r, j], 0.0)), size=(a.size(0), a.size(1))
    )


@function
def by_columns(a: Vec[Vec[Float]]) -> Vec[Vec[Float]]:
    """The columns are outermost, and the condition excludes later elements."""
    sums = array(
        lambda i, r: fold_sum(lambda j: where(i < j, 0.0, a[r, j])), size=(a.size(1), a.size(0))
    )
    return array(lambda r, i: sums[i, r])


def inputs(n: int, dtype: DTypeLike, rng: np.random.Generator) -> tuple[Any, ...]:
    return (rng.normal(size=(8, n)).astype(dtype),)


def oracle(a: NDArray[Any]) -> NDArray[Any]:
    result = np.zeros_like(a)
    for r in range(a.shape[0]):
        total = a.dtype.type(0)
        for i in range(a.shape[1]):
            total += a[r, i]
            result[r, i] = total
    return result


def idiomatic(a: NDArray[Any]) -> NDArray[Any]:
    return np.cumsum(a, axis=1)


expert = idiomatic


def numba(a: NDArray[Any]) -> NDArray[Any]:
    """A row at a time."""
    result = np.empty_like(a)
    for r in prange(a.shape[0]):
        total = 0.0
        for i in range(a.shape[1]):
            total += a[r, i]
            result[r, i] = total
    return result


def jax(a: Any) -> Any:
    import jax.numpy as jnp

    return jnp.cumsum(a, axis=1)


def torch(a: Any) -> Any:
    return a.cumsum(dim=1)


CASE = Case(
    name="prefix-sums",
    about="Sums of all prefixes of each row of a matrix (dissertation, section 4)",
    program=prefix_sums,
    inputs=inputs,
    large=1_000_000,
    sweep=(1_000, 10_000, 100_000, 1_000_000),
    oracle=oracle,
    idiomatic=idiomatic,
    expert=expert,
    jax=jax,
    torch=torch,
    numba=numba,
    variants=(by_columns,),
)
