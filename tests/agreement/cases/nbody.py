"""Gravity between all pairs of bodies."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from ein_mlir import Float, Vec, array, fold, function, rsqrt
from tests.agreement.cases.case import Case, prange

SOFTENING = 0.01
ZERO: Any = 0.0
"""A number as a Float of either width."""


@dataclass(frozen=True)
class Vector:
    """A vector in space."""

    x: Float
    y: Float
    z: Float

    def __add__(self, other: Vector) -> Vector:
        return Vector(self.x + other.x, self.y + other.y, self.z + other.z)

    def __sub__(self, other: Vector) -> Vector:
        return Vector(self.x - other.x, self.y - other.y, self.z - other.z)

    def __mul__(self, factor: Float) -> Vector:
        return Vector(self.x * factor, self.y * factor, self.z * factor)

    def dot(self, other: Vector) -> Float:
        return self.x * other.x + self.y * other.y + self.z * other.z


@function
def accelerations(position: Vec[Vec[Float]], mass: Vec[Float]) -> Vec[Vector]:
    bodies = array(lambda i: Vector(position[i, 0], position[i, 1], position[i, 2]))

    def attraction(i: Any, j: Any) -> Vector:
        towards = bodies[j] - bodies[i]
        inverse = rsqrt(towards.dot(towards) + SOFTENING)
        return towards * (mass[j] * inverse * inverse * inverse)

    rest = Vector(ZERO, ZERO, ZERO)
    return array(lambda i: fold(rest, lambda j, total: total + attraction(i, j)))


def inputs(n: int, dtype: DTypeLike, rng: np.random.Generator) -> tuple[Any, ...]:
    return rng.normal(size=(n, 3)).astype(dtype), rng.uniform(size=n).astype(dtype)


def oracle(position: NDArray[Any], mass: NDArray[Any]) -> tuple[NDArray[Any], ...]:
    n = len(mass)
    result = np.zeros((3, n), position.dtype)
    for i in range(n):
        for j in range(n):
            towards = position[j] - position[i]
            square = sum(towards[axis] ** 2 for axis in range(3)) + SOFTENING
            for axis in range(3):
                result[axis, i] += mass[j] * towards[axis] / (square * np.sqrt(square))
    return tuple(result)


def idiomatic(position: NDArray[Any], mass: NDArray[Any]) -> tuple[NDArray[Any], ...]:
    towards = position[None, :, :] - position[:, None, :]
    square = (towards**2).sum(axis=2) + SOFTENING
    weight = mass * square**-1.5
    return tuple((towards * weight[:, :, None]).sum(axis=1).T.copy())


def expert(position: NDArray[Any], mass: NDArray[Any]) -> tuple[NDArray[Any], ...]:
    """A block of bodies at a time, so that their temporaries stay in cache."""
    n, block = len(mass), 32
    columns = np.ascontiguousarray(position.T)
    result = np.empty((3, n), position.dtype)
    towards, weight = np.empty((3, block, n), position.dtype), np.empty((block, n), position.dtype)
    for start in range(0, n, block):
        stop = min(start + block, n)
        d, w = towards[:, : stop - start], weight[: stop - start]
        np.subtract(columns[:, None, :], columns[:, start:stop, None], out=d)
        np.einsum("aij,aij->ij", d, d, out=w)
        w += SOFTENING
        np.multiply(w, np.sqrt(w), out=w)
        np.divide(mass, w, out=w)
        np.einsum("aij,ij->ai", d, w, out=result[:, start:stop])
    return tuple(result)


def numba(position: NDArray[Any], mass: NDArray[Any]) -> tuple[NDArray[Any], ...]:
    """A block of bodies at a time: the innermost loop has no sum."""
    n, block = len(mass), 64
    columns = position.T.copy()
    result = np.zeros((3, n), position.dtype)
    for part in prange((n + block - 1) // block):
        start, stop = part * block, min(part * block + block, n)
        x, y, z = columns[0, start:stop], columns[1, start:stop], columns[2, start:stop]
        ax, ay, az = result[0, start:stop], result[1, start:stop], result[2, start:stop]
        for j in range(n):
            px, py, pz, m = columns[0, j], columns[1, j], columns[2, j], mass[j]
            for i in range(stop - start):
                dx, dy, dz = px - x[i], py - y[i], pz - z[i]
                square = dx * dx + dy * dy + dz * dz + SOFTENING
                weight = m / (square * math.sqrt(square))
                ax[i] += dx * weight
                ay[i] += dy * weight
                az[i] += dz * weight
    return result[0], result[1], result[2]


def jax(position: Any, mass: Any) -> Any:
    from jax import lax

    towards = position[None, :, :] - position[:, None, :]
    inverse = lax.rsqrt((towards**2).sum(axis=2) + SOFTENING)
    return tuple((towards * (mass * inverse**3)[:, :, None]).sum(axis=1).T)


def torch(position: Any, mass: Any) -> Any:
    towards = position[None, :, :] - position[:, None, :]
    inverse = (towards.square().sum(dim=2) + SOFTENING).rsqrt()
    return tuple((towards * (mass * inverse**3)[:, :, None]).sum(dim=1).T)


CASE = Case(
    name="nbody",
    about="Softened gravitational acceleration of each body by all others",
    program=accelerations,
    inputs=inputs,
    large=1_000,
    sweep=(125, 250, 500, 1_000),
    oracle=oracle,
    idiomatic=idiomatic,
    expert=expert,
    jax=jax,
    torch=torch,
    numba=numba,
    memory_bound=True,
)
