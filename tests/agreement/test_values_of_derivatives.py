"""``v, backwards = vjp(f, x)`` computes the value once, also if arguments must have equal sizes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ein_mlir import array, exp, fold_sum, function, max, min, vjp
from tests.agreement.comparison import assert_call_agrees
from tests.libraries import on


def layer(x: Any, w: Any, b: Any):
    """The assertions of one derivative are those of the value before it."""

    def unit(i: Any, j: Any):
        return exp(0.1 * fold_sum(lambda k: x[i, k] * w[k, j]) + b[j])

    return array(unit)


def neighbours(x: Any, w: Any, b: Any):
    """Extremes of neighbours are arrays of sizes that both compute."""

    def pixel(i: Any, j: Any):
        rows = [min(min(x[i + p, j], x[i + p, j + 1]), x[i + p, j + 2] * w[i, 0]) for p in range(3)]
        return max(max(rows[0], rows[1]), rows[2] + b[j])

    return array(pixel, size=(x.size(0), b.size(0)))


def both(f: Any):
    """The value and the cotangents of all arguments."""

    def program(x: Any, w: Any, b: Any, ct: Any):
        value, backwards = vjp(f, x, w, b)
        return value, backwards(ct)

    return function(program)


PROGRAMS = {"layer": both(layer), "neighbours": both(neighbours)}


def arguments(n: int, k: int, m: int) -> tuple[Any, ...]:
    rng = np.random.default_rng(1)
    shapes = (n, k), (k, m), m, (n, m)
    return tuple(rng.normal(size=shape) for shape in shapes)


@pytest.mark.parametrize("backend", on("numpy", "torch", "jax", "native"))
@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.parametrize("sizes", [(4, 4, 5), (1, 1, 1), (2, 2, 1), (3, 3, 0)])
def test_value(name: str, sizes: tuple[int, int, int], backend: str) -> None:
    assert_call_agrees(PROGRAMS[name], arguments(*sizes), backend, {"float64": 1e-10})


def test_one_product() -> None:
    source = PROGRAMS["layer"].source(*arguments(4, 3, 5))
    assert source.count("np.exp(") == 1, source


@pytest.mark.parametrize("backend", on("numpy", "native"))
@pytest.mark.parametrize("number", range(4))
def test_other_sizes(number: int, backend: str) -> None:
    values = list(arguments(4, 3, 5))
    values[number] = np.ones(np.add(values[number].shape, 1))
    for each in ("naive", backend):
        with pytest.raises(ValueError, match="size"):
            PROGRAMS["layer"].eval(*values, backend=each)
