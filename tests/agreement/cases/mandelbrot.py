"""The Mandelbrot set: the number of steps for which points stay near the origin."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from ein_mlir import Float, Int, Vec, array, fold, function, where
from tests.agreement.cases.case import Case, prange

STEPS = 30


@dataclass(frozen=True)
class Complex:
    re: Float
    im: Float

    def __add__(self, other: Complex) -> Complex:
        return Complex(self.re + other.re, self.im + other.im)

    def __mul__(self, other: Complex) -> Complex:
        return Complex(
            self.re * other.re - self.im * other.im, self.re * other.im + self.im * other.re
        )

    def norm(self) -> Float:
        return self.re * self.re + self.im * self.im


@function
def mandelbrot(re: Vec[Float], im: Vec[Float], steps: Int) -> Vec[Vec[Int]]:
    """The number of the first steps of z -> z z + c with z within 2 of the origin, for each c."""

    def escape_time(c: Complex) -> Int:
        def step(t: Int, state: tuple[Complex, Int]) -> tuple[Complex, Int]:
            z, count = state
            near = z.norm() <= 4.0
            return where(near, (z * z + c, count + 1), (z, count))

        return fold((Complex(c.re * 0.0, c.im * 0.0), 0), step, count=steps)[1]

    return array(lambda i, j: escape_time(Complex(re[j], im[i])))


@function
def unpacked(re: Vec[Float], im: Vec[Float], steps: Int) -> Vec[Vec[Int]]:
    """The columns are outermost, numbers are not records, and the condition is the other one."""

    def escape_time(j: Int, i: Int) -> Int:
        def step(t: Int, state: tuple[Int, Float, Float]) -> tuple[Int, Float, Float]:
            count, y, x = state
            far = y * y + x * x > 4.0
            return where(far, state, (1 + count, im[i] + 2.0 * x * y, re[j] + x * x - y * y))

        return fold((0, im[i] * 0.0, re[j] * 0.0), step, count=steps)[0]

    times = array(escape_time)
    return array(lambda i, j: times[j, i])


def inputs(n: int, dtype: DTypeLike, rng: np.random.Generator) -> tuple[Any, ...]:
    return np.linspace(-2, 0.6, n).astype(dtype), np.linspace(-1.2, 1.25, n).astype(dtype), STEPS


def oracle(re: NDArray[Any], im: NDArray[Any], steps: int) -> NDArray[Any]:
    result = np.zeros((len(im), len(re)), np.int64)
    for i, y in enumerate(im):
        for j, x in enumerate(re):
            a = b = re.dtype.type(0)
            while result[i, j] < steps and a * a + b * b <= 4:
                a, b = a * a - b * b + x, a * b + b * a + y
                result[i, j] += 1
    return result


def idiomatic(re: NDArray[Any], im: NDArray[Any], steps: int) -> NDArray[Any]:
    c = re[None, :] + 1j * im[:, None]
    z = np.zeros_like(c)
    count = np.zeros(c.shape, np.int64)
    for _ in range(steps):
        near = np.abs(z) <= 2
        z[near] = z[near] ** 2 + c[near]
        count += near
    return count


def expert(re: NDArray[Any], im: NDArray[Any], steps: int) -> NDArray[Any]:
    """Only the points that are still near remain."""
    count = np.zeros(len(im) * len(re), np.int64)
    where_ = np.arange(count.size)
    x, y = np.tile(re, len(im)), np.repeat(im, len(re))
    a, b = np.zeros_like(x), np.zeros_like(y)
    for _ in range(steps):
        squares, others = a * a, b * b
        near = squares + others <= 4
        if not near.all():
            where_, x, y = where_[near], x[near], y[near]
            a, b, squares, others = a[near], b[near], squares[near], others[near]
        count[where_] += 1
        b *= a
        b += b
        b += y
        np.subtract(squares, others, out=a)
        a += x
    return count.reshape(len(im), len(re))


def numba(re: NDArray[Any], im: NDArray[Any], steps: int) -> NDArray[Any]:
    """A point is left as soon as it is far."""
    result = np.empty((len(im), len(re)), np.int64)
    for i in prange(len(im)):
        for j in range(len(re)):
            a, b, count = 0.0 * re[j], 0.0 * im[i], 0
            while count < steps and a * a + b * b <= 4:
                a, b = a * a - b * b + re[j], 2 * a * b + im[i]
                count += 1
            result[i, j] = count
    return result


def jax(re: Any, im: Any, steps: Any) -> Any:
    import jax.numpy as jnp
    from jax import lax

    x, y = re[None, :], im[:, None]

    def step(t: Any, state: Any) -> Any:
        a, b, count = state
        near = a * a + b * b <= 4
        new_a, new_b = a * a - b * b + x, 2 * a * b + y
        return jnp.where(near, new_a, a), jnp.where(near, new_b, b), count + near

    zero = jnp.zeros((len(im), len(re)), re.dtype)
    return lax.fori_loop(0, steps, step, (zero, zero, zero.astype(jnp.int64)))[2]


def torch(re: Any, im: Any, steps: int) -> Any:
    import torch

    x, y = re[None, :], im[:, None]
    a = b = torch.zeros_like(x + y)
    count = torch.zeros_like(a, dtype=torch.int64)
    for _ in range(steps):
        near = a * a + b * b <= 4
        new_a, new_b = a * a - b * b + x, 2 * a * b + y
        a, b = torch.where(near, new_a, a), torch.where(near, new_b, b)
        count += near
    return count


CASE = Case(
    name="mandelbrot",
    about="How long points of the plane stay near the origin under z -> z z + c",
    program=mandelbrot,
    inputs=inputs,
    large=300,
    sweep=(20, 40, 75, 150, 300),
    oracle=oracle,
    idiomatic=idiomatic,
    expert=expert,
    jax=jax,
    torch=torch,
    numba=numba,
    variants=(unpacked,),
)
