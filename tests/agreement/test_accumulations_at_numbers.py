"""Accumulations at positions that are numbers of which indices are the digits."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ein_mlir import accumulate, array, function, grad, where
from tests.agreement.comparison import assert_call_agrees
from tests.libraries import on


def upsampled(x: Any) -> Any:
    """Each element four times: numbers of a size and a constant."""
    n, m = x.shape
    return accumulate(
        lambda i, j, a, b: ((2 * i + a, 2 * j + b), x[i, j]),
        size=(2 * n, 2 * m),
        count=(n, m, 2, 2),
    )


def image(x: Any) -> Any:
    """Patches beside each other, backwards: the digits are sizes."""
    n, m = x.shape
    patches = array(lambda i, j, a, b: x[i, j] + (a * b).float(), size=(n, m, 3, m))
    return accumulate(
        lambda i, j, a, b: ((i * 3 + 2 - a, m * m - 1 - (j * m + b)), patches[i, j, a, b]),
        size=(n * 3, m * m),
        by="max",
    )


def flat(x: Any) -> Any:
    """A number of three digits, and reversed positions of rows."""
    n, m = x.shape
    numbers = accumulate(
        lambda i, j, a: ((i * m + j) * 2 + a, x[i, j] - a.float()),
        size=n * m * 2,
        count=(n, m, 2),
    )
    rows = accumulate(lambda i: (n - 1 - i, array(lambda j: x[i, j])), size=n)
    return numbers, rows


def partly(x: Any) -> Any:
    """Sums over an index that is no digit, and beside a position that is no number."""
    n, m = x.shape
    sums = accumulate(
        lambda i, a, k: (2 * i + a, x[i, k] * (a + k + 1).float()), size=2 * n, count=(n, 2, m)
    )
    keyed = accumulate(
        lambda i, j, a: (((i * j) % 3, 2 * j + a), where(a == 0, x[i, j], 1.0)),
        size=(3, 2 * m),
        by="prod",
        count=(n, m, 2),
    )
    return sums, keyed


def near_misses(x: Any) -> Any:
    """Numbers with gaps, with digits that overlap, or of fewer values than there are elements."""
    n, m = x.shape
    gaps = accumulate(lambda i, a: (3 * i + a, x[i, a]), size=3 * n, count=(n, ein_min(m, 2)))
    overlaps = accumulate(lambda i, j: (2 * i + j, x[i, j]), size=2 * n)
    shorter = accumulate(lambda i, a: (2 * i + a, x[i, 0]), size=2 * n - 1, count=(n, 2))
    moved = accumulate(lambda i, a: (2 * i + a + 1, x[i, 0]), size=2 * n, count=(n, 2))
    diagonal = accumulate(lambda i, j: ((i + j, n - 1 - i), x[i, j]), size=(n, n))
    return gaps, overlaps, shorter, moved, diagonal


def ein_min(x: Any, y: Any) -> Any:
    return where(x < y, x, y)


@pytest.mark.parametrize("backend", on("numpy", "torch", "jax", "native"))
@pytest.mark.parametrize("program", [upsampled, image, flat, partly, near_misses])
def test_values_at_numbers(program: Any, backend: str) -> None:
    for shape in ((3, 4), (1, 1), (4, 1), (1, 3), (2, 2)):
        x = np.cos(np.arange(float(np.prod(shape)))).reshape(shape)
        call: Any = function(program)
        assert_call_agrees(call, (x,), backend, {"float64": 1e-12})


@pytest.mark.parametrize("backend", on("numpy", "native"))
@pytest.mark.parametrize("program", [upsampled, image, flat, partly])
def test_empty_arrays(program: Any, backend: str) -> None:
    for shape in ((0, 3), (3, 0), (0, 0)):
        call: Any = function(program)
        assert_call_agrees(call, (np.zeros(shape),), backend, {"float64": 1e-12})


@pytest.mark.parametrize("backend", on("numpy", "native"))
def test_gradients_of_patches(backend: str) -> None:
    def loss(x: Any, y: Any) -> Any:
        total = array(lambda i, a: x[2 * i + a] * y[i], size=(y.size(), 2))
        return total[0, 1] * total[-1, 0] + (total[0, 0] * total[1, 1]).sin()

    for n in (1, 2, 5):
        args = np.cos(np.arange(2.0 * n)), np.arange(1.0, n + 1)
        assert_call_agrees(function(grad(loss, argnums=(0, 1))), args, backend, {"float64": 1e-12})


def test_emitted_code() -> None:
    x, programs = np.ones((3, 4)), list[Any]([upsampled, image, flat])
    for program in programs:
        assert "accumulate_at" not in function(program).source(x, backend="numpy")
