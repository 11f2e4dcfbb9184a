"""Rows of any length in blocks of results, signs and shares of extremes, and rows of cotangents."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ein_mlir import array, floor, fold_sum, function, max, min, vjp
from tests.agreement.comparison import assert_agree, assert_call_agrees
from tests.libraries import on


@function
def distances(x: Any, ct: Any):
    """The cotangents of distances are signs, for pairs of rows of few elements."""

    def between(x: Any):
        return array(lambda i, j: fold_sum(lambda k: abs(x[i, k] - x[j, k])))

    value, backwards = vjp(between, x)
    return value, backwards(ct)


@function
def products(x: Any, ct: Any):
    """Products that no library computes, in blocks of columns."""
    return array(lambda i, k: fold_sum(lambda j: max(ct[i, j] * x[j, k], x[i, k])))


@function
def medians(x: Any, ct: Any):
    """Medians of three neighbours; equal ones share their cotangents."""

    def median(x: Any):
        def pixel(i: Any, j: Any):
            a, b, c = x[i, j - 1], x[i, j], x[i - 1, j]
            return max(min(a, b), min(max(a, b), c))

        return array(pixel)

    value, backwards = vjp(median, x)
    return value, backwards(array(lambda i, j: ct[i % ct.size(0), 0] + x[i, j], size=x.shape))


@function
def resized(x: Any, ct: Any):
    """Positions and weights of a row are computed once for it."""

    def rows(x: Any):
        def element(i: Any, j: Any):
            y = i.float() * 0.4 - 0.3
            top, place = floor(y), floor(y).int()
            return x[place, j] + (y - top) * (x[place + 1, j] - x[place, j])

        return array(element, size=(ct.size(0), x.size(1)))

    value, backwards = vjp(rows, x)
    return value, backwards(array(lambda i, j: ct[i, 0] + j.float(), size=value.shape))


PROGRAMS = {"distances": distances, "products": products, "medians": medians, "resized": resized}
SHAPES = ((0, 3), (1, 1), (2, 7), (3, 8), (3, 9), (5, 20), (2, 31), (9, 33), (2, 150), (3, 0))


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("name", PROGRAMS)
def test_rows_of_any_length(name: str, dtype: str) -> None:
    for shape in SHAPES if dtype == "float64" else SHAPES[::3]:
        if name == "resized" and 0 in shape:
            continue
        rng = np.random.default_rng(1)
        x = rng.normal(size=shape).round(1).astype(dtype)
        ct = rng.normal(size=(shape[0], shape[0])).astype(dtype)
        ct = ct[:, :1] if name == "resized" else ct
        expected = PROGRAMS[name].eval(x, ct, backend="naive")
        assert_agree(
            PROGRAMS[name].eval(x, ct, backend="native"),
            expected,
            {"float64": 1e-12, "float32": 1e-4},
            f"{name} {shape}",
        )


@pytest.mark.parametrize("backend", on("numpy", "native"))
def test_signs(backend: str) -> None:
    signs = function(lambda x: array(lambda i: x[i].sign()))
    for dtype in ("float64", "float32", "int64", "int8"):
        numbers = [0.0, -0.0, 2.5, -3.0, 1.0]
        x = np.array([*numbers, np.inf, -np.inf, np.nan] if dtype[0] == "f" else numbers, dtype)
        result = signs.eval(np.tile(x, 5), backend=backend)
        np.testing.assert_array_equal(result, np.tile(np.sign(x), 5))
        if dtype[0] == "f":
            assert not np.signbit(result[:2]).any()


@pytest.mark.parametrize("shape", [(3, 4), (2, 3), (3, 3)])
def test_cotangents_of_other_sizes(shape: tuple[int, int]) -> None:
    x = np.arange(12.0).reshape(3, 4)
    scaled = function(
        lambda x, ct: vjp(lambda x: array(lambda i, j: x[i, j] * floor(i.float() / 3.0)), x)[1](ct)
    )
    if shape == x.shape:
        assert_call_agrees(scaled, (x, np.ones(shape)), "native", {"float64": 1e-12})
    else:
        for backend in ("naive", "native"):
            with pytest.raises(ValueError, match="cotangent"):
                scaled.eval(x, np.ones(shape), backend=backend)
