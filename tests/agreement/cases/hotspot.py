"""Hotspot: temperatures on a chip from the power of its cells."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from ein_mlir import Float, Int, Vec, array, fold, function, where
from tests.agreement.cases.case import Case, prange

STEPS = 4
AMBIENT = 80.0


@function
def hotspot(
    start: Vec[Vec[Float]],
    power: Vec[Vec[Float]],
    rate: Float,
    gx: Float,
    gy: Float,
    gz: Float,
    steps: Int,
) -> Vec[Vec[Float]]:
    """``gx``, ``gy``, ``gz`` conduct along rows, along columns and out of the chip.

    No heat leaves at the edges: there a cell's missing neighbour is the cell itself.
    """

    def step(t: Int, temp: Vec[Vec[Float]]) -> Vec[Vec[Float]]:
        def cell(i: Int, j: Int) -> Float:
            here = temp[i, j]
            flow = (
                power[i, j]
                + (temp[i + 1, j] + temp[i - 1, j] - 2.0 * here) * gy
                + (temp[i, j + 1] + temp[i, j - 1] - 2.0 * here) * gx
                + (AMBIENT - here) * gz
            )
            return here + rate * flow

        return array(cell)

    return fold(start, step, count=steps)


@function
def by_columns(
    start: Vec[Vec[Float]],
    power: Vec[Vec[Float]],
    rate: Float,
    gx: Float,
    gy: Float,
    gz: Float,
    steps: Int,
) -> Vec[Vec[Float]]:
    """The chip is transposed, and neighbours are chosen instead of clipped."""
    rows, columns = start.size(0), start.size(1)

    def step(t: Int, temp: Vec[Vec[Float]]) -> Vec[Vec[Float]]:
        def cell(j: Int, i: Int) -> Float:
            here = temp[j, i]
            right, left = where(j < columns - 1, temp[j + 1, i], here), temp[j - 1, i]
            down, up = temp[j, i + 1], where(i > 0, temp[j, i - 1], here)
            flow = gx * (left + right - here * 2.0) + gy * (up + down - here * 2.0)
            return rate * (flow + gz * (AMBIENT - here) + power[i, j]) + here

        return array(cell, size=(columns, rows))

    end = fold(array(lambda j, i: start[i, j]), step, count=steps)
    return array(lambda i, j: end[j, i])


def inputs(n: int, dtype: DTypeLike, rng: np.random.Generator) -> tuple[Any, ...]:
    """The constants are Rodinia's, for a chip of 16 mm by 16 mm."""
    edge = 0.016 / max(n, 1)
    thickness, conductivity, heat, factor = 0.0005, 100.0, 1.75e6, 0.5
    capacity = factor * heat * thickness * edge * edge
    time = 1e-6 * (factor * thickness * heat) / 3e6
    coefficients = (
        time / capacity,
        2.0 * conductivity * thickness,
        2.0 * conductivity * thickness,
        conductivity * edge * edge / thickness,
    )
    scalar: Any = np.dtype(dtype).type
    temperatures = rng.uniform(320, 340, size=(n, n)).astype(dtype)
    power = rng.uniform(0, 1e-3, size=(n, n)).astype(dtype)
    return (temperatures, power, *map(scalar, coefficients), STEPS)


def oracle(
    start: NDArray[Any], power: NDArray[Any], rate: Any, gx: Any, gy: Any, gz: Any, steps: int
) -> NDArray[Any]:
    rows, columns = start.shape
    temp = start.copy()
    for _ in range(steps):
        new = temp.copy()
        for i in range(rows):
            for j in range(columns):
                up, down = temp[max(i - 1, 0), j], temp[min(i + 1, rows - 1), j]
                left, right = temp[i, max(j - 1, 0)], temp[i, min(j + 1, columns - 1)]
                here = temp[i, j]
                flow = power[i, j] + (down + up - 2 * here) * gy + (right + left - 2 * here) * gx
                new[i, j] = here + rate * (flow + (AMBIENT - here) * gz)
        temp = new
    return temp


def idiomatic(
    start: NDArray[Any], power: NDArray[Any], rate: Any, gx: Any, gy: Any, gz: Any, steps: int
) -> NDArray[Any]:
    temp = start
    for _ in range(steps):
        padded = np.pad(temp, 1, mode="edge")
        vertical = padded[2:, 1:-1] + padded[:-2, 1:-1] - 2 * temp
        horizontal = padded[1:-1, 2:] + padded[1:-1, :-2] - 2 * temp
        temp = temp + rate * (power + vertical * gy + horizontal * gx + (AMBIENT - temp) * gz)
    return temp


def expert(
    start: NDArray[Any], power: NDArray[Any], rate: Any, gx: Any, gy: Any, gz: Any, steps: int
) -> NDArray[Any]:
    """Two padded grids alternate, in blocks of rows, with the constants multiplied out."""
    rows, columns = start.shape
    old, new = np.pad(start, 1, mode="edge"), np.empty((rows + 2, columns + 2), start.dtype)
    source = rate * (power + start.dtype.type(AMBIENT) * gz)
    own, across, down = 1 - rate * (2 * gy + 2 * gx + gz), rate * gx, rate * gy
    block = max(1, 2**15 // max(1, columns))
    buffer = np.empty((block, columns), start.dtype)
    for _ in range(steps):
        for i in range(0, rows, block):
            stop = min(i + block, rows)
            target, part = new[i + 1 : stop + 1, 1:-1], buffer[: stop - i]
            np.multiply(old[i + 1 : stop + 1, 1:-1], own, out=target)
            target += source[i:stop]
            np.add(old[i:stop, 1:-1], old[i + 2 : stop + 2, 1:-1], out=part)
            part *= down
            target += part
            np.add(old[i + 1 : stop + 1, :-2], old[i + 1 : stop + 1, 2:], out=part)
            part *= across
            target += part
        new[0], new[-1] = new[1], new[-2]
        new[:, 0], new[:, -1] = new[:, 1], new[:, -2]
        old, new = new, old
    return old[1:-1, 1:-1].copy()


def numba(
    start: NDArray[Any], power: NDArray[Any], rate: Any, gx: Any, gy: Any, gz: Any, steps: int
) -> NDArray[Any]:
    """Two padded grids alternate, with the constants multiplied out."""
    rows, columns = start.shape
    old, new = (
        np.empty((rows + 2, columns + 2), start.dtype),
        np.empty((rows + 2, columns + 2), start.dtype),
    )
    for i in prange(rows):
        for j in range(columns):
            old[i + 1, j + 1] = start[i, j]
    own, across, down = 1 - rate * (2 * gy + 2 * gx + gz), rate * gx, rate * gy
    source = rate * AMBIENT * gz
    for _ in range(steps):
        old[0], old[rows + 1] = old[1], old[rows]
        for i in range(rows + 2):
            old[i, 0], old[i, columns + 1] = old[i, 1], old[i, columns]
        for i in prange(rows):
            above, here, below = old[i], old[i + 1], old[i + 2]
            for j in range(columns):
                new[i + 1, j + 1] = (
                    own * here[j + 1]
                    + (rate * power[i, j] + source)
                    + down * (above[j + 1] + below[j + 1])
                    + across * (here[j] + here[j + 2])
                )
        old, new = new, old
    return old[1 : rows + 1, 1 : columns + 1].copy()


def jax(start: Any, power: Any, rate: Any, gx: Any, gy: Any, gz: Any, steps: Any) -> Any:
    import jax.numpy as jnp
    from jax import lax

    def step(t: Any, temp: Any) -> Any:
        padded = jnp.pad(temp, 1, mode="edge")
        vertical = padded[2:, 1:-1] + padded[:-2, 1:-1] - 2 * temp
        horizontal = padded[1:-1, 2:] + padded[1:-1, :-2] - 2 * temp
        return temp + rate * (power + vertical * gy + horizontal * gx + (AMBIENT - temp) * gz)

    return lax.fori_loop(0, steps, step, start)


def torch(start: Any, power: Any, rate: Any, gx: Any, gy: Any, gz: Any, steps: int) -> Any:
    import torch

    temp = start
    for _ in range(steps):
        padded = torch.nn.functional.pad(temp[None], (1, 1, 1, 1), mode="replicate")[0]
        vertical = padded[2:, 1:-1] + padded[:-2, 1:-1] - 2 * temp
        horizontal = padded[1:-1, 2:] + padded[1:-1, :-2] - 2 * temp
        temp = temp + rate * (power + vertical * gy + horizontal * gx + (AMBIENT - temp) * gz)
    return temp


CASE = Case(
    name="hotspot",
    about="Steps of heat conduction on a chip, a 2D stencil with edges (Rodinia)",
    program=hotspot,
    inputs=inputs,
    large=1024,
    sweep=(64, 128, 256, 512, 1024),
    oracle=oracle,
    idiomatic=idiomatic,
    expert=expert,
    jax=jax,
    torch=torch,
    numba=numba,
    memory_bound=True,
    variants=(by_columns,),
)
