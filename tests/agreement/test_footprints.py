"""Sums over windows with a mask, by any radius, around the ends of an array, or bounded by them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ein_mlir import Float, Int, Vec, array, fold_sum, function, max, min, where
from ein_mlir.frontend.function import Function
from tests.agreement.comparison import assert_call_agrees, given
from tests.selection import BACKENDS, combinations, sizes_on

Image = Vec[Vec[Float]]


def footprint(image: Any, radius: Any, inside: Any) -> Any:
    """The sum of the elements in a disc around each element."""
    n, m = image.shape
    width = 2 * radius + 1

    def element(i: Any, j: Any, y: Any, x: Any) -> Any:
        is_near = (y - radius) * (y - radius) + (x - radius) * (x - radius) <= radius * radius
        return where(is_near, image[inside(i + y - radius, n), inside(j + x - radius, m)], 0.0)

    return array(
        lambda i, j: fold_sum(lambda y, x: element(i, j, y, x), count=(width, width)), size=(n, m)
    )


@function
def around(image: Image, radius: Int):
    return footprint(image, radius, lambda p, n: p % n)


@function
def bounded(image: Image, radius: Int):
    return footprint(image, radius, lambda p, n: min(max(p, 0), n - 1))


@function
def bounded_early(image: Image, radius: Int):
    return footprint(image, radius, lambda p, n: min(max(p, 1), n - 2))


@function
def reflected(image: Image, radius: Int):
    return footprint(
        image, radius, lambda p, n: where(p < 0, -1 - p, where(p >= n, 2 * n - 1 - p, p))
    )


@function
def reflected_weights(image: Image, weights: Image):
    """A correlation by weights, with the elements at the ends left out of the reflection."""
    n, m = image.shape
    up, left = weights.size(0) // 2, weights.size(1) // 2

    def inside(p: Any, n: Any) -> Any:
        return where(p < 0, -p, where(p >= n, 2 * n - 2 - p, p))

    return array(
        lambda i, j: fold_sum(
            lambda y, x: weights[y, x] * image[inside(i + y - up, n), inside(j + x - left, m)]
        ),
        size=(n, m),
    )


WEIGHTED = {"reflected_weights": reflected_weights}

TOLERANCE = {"float64": 1e-12, "float32": 1e-5}

FOOTPRINTS: dict[str, Function[..., Any]] = {
    f.__name__: f for f in (around, bounded, bounded_early, reflected)
}


@pytest.mark.parametrize(("name", "backend", "dtype"), combinations(FOOTPRINTS))
def test_footprints(name: str, backend: str, dtype: str) -> None:
    rng = np.random.default_rng(3)
    for rows, columns in sizes_on(backend, ((5, 7), (1, 2), (2, 0))):
        image = rng.standard_normal((rows, columns)).astype(dtype)
        for radius in (0, 1, 3, -(2**63)):
            assert_call_agrees(FOOTPRINTS[name], (image, radius), backend, TOLERANCE)


@pytest.mark.parametrize("backend", BACKENDS)
def test_no_width(backend: str) -> None:
    image = given(np.ones((3, 4)), backend if backend == "torch" else "numpy")
    for radius in (-1, 2**50, 2**63 - 1):
        for program in FOOTPRINTS.values():
            with pytest.raises(ValueError, match=r"count of [yx] is (negative|too large)"):
                program.eval(image, radius, backend=backend)


@pytest.mark.parametrize(("name", "backend", "dtype"), combinations(WEIGHTED))
def test_weights(name: str, backend: str, dtype: str) -> None:
    rng = np.random.default_rng(4)
    for rows, columns in ((6, 5), (1, 1), (0, 3)):
        for height, width in ((3, 5), (7, 1), (0, 2)):
            image = rng.standard_normal((rows, columns)).astype(dtype)
            weights = rng.standard_normal((height, width)).astype(dtype)
            assert_call_agrees(WEIGHTED[name], (image, weights), backend, TOLERANCE)


def test_windows_are_slices() -> None:
    """On NumPy no element of a window is gathered by its position."""
    image = np.ones((9, 9))
    for name in ("around", "bounded", "reflected"):
        source = FOOTPRINTS[name].source(image, 2)
        loop = source[source.index("for y in") :]
        assert "take" not in loop.split("return")[0], name
