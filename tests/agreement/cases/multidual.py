"""A function of many variables with its gradient, by multidual numbers."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from ein_mlir import Float, Int, Vec, array, fold, function, where
from tests.agreement.cases.case import Case

ZERO: Any = 0.0
"""A number as a Float of either width."""


@dataclass(frozen=True)
class Multidual:
    """A number that depends on several variables, with its derivative by each."""

    value: Float
    gradient: Vec[Float]

    def __add__(self, other: Multidual) -> Multidual:
        return Multidual(
            self.value + other.value, array(lambda v: self.gradient[v] + other.gradient[v])
        )

    def __mul__(self, other: Multidual) -> Multidual:
        return Multidual(
            self.value * other.value,
            array(lambda v: self.value * other.gradient[v] + other.value * self.gradient[v]),
        )

    def scale(self, factor: Float) -> Multidual:
        return Multidual(factor * self.value, array(lambda v: factor * self.gradient[v]))

    def tanh(self) -> Multidual:
        value = self.value.tanh()
        slope = 1.0 - value * value
        return Multidual(value, array(lambda v: slope * self.gradient[v]))


@function
def network_with_gradient(w: Vec[Vec[Float]], x: Vec[Float]) -> Multidual:
    """The sum of tanh(w x)**2, with its derivative by each x."""
    n = x.size()
    zero = Multidual(ZERO, array(lambda v: ZERO, size=n))

    def variable(j: Int) -> Multidual:
        return Multidual(x[j], array(lambda v: where(v == j, 1.0, 0.0), size=n))

    def neuron(i: Int) -> Multidual:
        return fold(zero, lambda j, total: total + variable(j).scale(w[i, j])).tanh()

    def add_square(i: Int, total: Multidual) -> Multidual:
        y = neuron(i)
        return total + y * y

    return fold(zero, add_square, count=w.size(0))


def inputs(n: int, dtype: DTypeLike, rng: np.random.Generator) -> tuple[Any, ...]:
    return rng.normal(size=(2 * n, n)).astype(dtype) / max(n, 1), rng.normal(size=n).astype(dtype)


def oracle(w: NDArray[Any], x: NDArray[Any]) -> tuple[Any, NDArray[Any]]:
    """By the chain rule, for each neuron and variable."""
    value, gradient = x.dtype.type(0), np.zeros_like(x)
    for i in range(len(w)):
        y = np.tanh(sum((w[i, j] * x[j] for j in range(len(x))), x.dtype.type(0)))
        value += y * y
        for v in range(len(x)):
            gradient[v] += 2 * y * (1 - y * y) * w[i, v]
    return value, gradient


def idiomatic(w: NDArray[Any], x: NDArray[Any]) -> tuple[Any, NDArray[Any]]:
    """All neurons at once; each is an array of values and a matrix of derivatives."""
    y = np.tanh(w @ x)
    y_gradient = (1 - y**2)[:, None] * (w @ np.eye(len(x), dtype=x.dtype))
    squares_gradient = y[:, None] * y_gradient + y[:, None] * y_gradient
    return np.sum(y * y), squares_gradient.sum(axis=0)


def expert(w: NDArray[Any], x: NDArray[Any]) -> tuple[Any, NDArray[Any]]:
    """In reverse: no matrix of derivatives."""
    y = np.tanh(w @ x)
    return y @ y, (2 * y * (1 - y * y)) @ w


def numba(w: NDArray[Any], x: NDArray[Any]) -> tuple[Any, NDArray[Any]]:
    """In reverse, with products by BLAS."""
    y = np.dot(w, x)
    slope = np.empty_like(y)
    value = 0.0
    for i in range(len(y)):
        y[i] = math.tanh(y[i])
        slope[i] = 2 * y[i] * (1 - y[i] * y[i])
        value += y[i] * y[i]
    return value, np.dot(slope, w)


def jax(w: Any, x: Any) -> Any:
    import jax.numpy as jnp

    y = jnp.tanh(w @ x)
    return y @ y, (2 * y * (1 - y * y)) @ w


def torch(w: Any, x: Any) -> Any:
    y = (w @ x).tanh()
    return y @ y, (2 * y * (1 - y * y)) @ w


CASE = Case(
    name="multidual",
    about="A function of many variables with its gradient, by forward-mode multidual numbers",
    program=network_with_gradient,
    inputs=inputs,
    large=600,
    sweep=(75, 150, 300, 600),
    oracle=oracle,
    idiomatic=idiomatic,
    expert=expert,
    jax=jax,
    torch=torch,
    numba=numba,
)
