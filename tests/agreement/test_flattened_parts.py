"""Rows of a matrix as a part of a vector, before other elements or behind a few of them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ein_mlir import Float, Int, Vec, array, fold_sum, function, where
from ein_mlir.frontend.function import Function
from tests.agreement.comparison import assert_call_agrees
from tests.libraries import on
from tests.selection import combinations, sizes_on


@function
def packed(x: Vec[Vec[Float]], v: Vec[Float]):
    """A matrix and a vector, and the matrix in between."""
    h, w = x.shape
    n = v.size()
    behind = array(lambda i: where(i < h * w, x[i // w, i % w], v[i - h * w]), size=h * w + n)
    within = array(lambda i: where(i >= w * h, v[i - h * w], x[i // w, i % w] * v[0]), size=n)
    return behind, within


@function
def any_rows(x: Vec[Vec[Float]], v: Vec[Float], rows: Int):
    """An end that is a product of a number of rows, which may be any Int."""
    w = x.size(1)
    return array(lambda i: where(i < rows * w, x[i // w, i % w], v[i]), size=2 * v.size())


@function
def tokens(x: Vec[Vec[Float]], v: Vec[Float]):
    """Patches of an image behind one token, each with a bias of its own."""
    h, w = x.shape
    rows, columns = h // 2, w // 2

    def token(i: Any, e: Any):
        k = i - 1
        value = fold_sum(
            lambda p, q: x[k // columns * 2 + p, k % columns * 2 + q] * (v[e] + p.float()),
            count=(2, 2),
        )
        return where(i == 0, v[e], value) + v[i] * 0.5

    return array(token, size=(rows * columns + 1, v.size()))


@function
def behind(x: Vec[Vec[Float]], v: Vec[Float]):
    """Behind two others, by several conditions, of which one holds at an index of the rows."""
    h, w = x.shape

    def element(i: Any):
        value = x[(i - 2) // w, (i - 2) % w]
        return where(i < 2, v[i], value) + where((i == 5) | (i <= 1), 1.0, 0.0)

    columns = array(lambda j, i: where(i > 1, x[(i - 2) // w, (i - 2) % w], v[j]), size=(2, h + w))
    return array(element, size=h * w + 2), columns


PROGRAMS: dict[str, Function[..., Any]] = {
    "packed": packed,
    "any_rows": any_rows,
    "tokens": tokens,
    "behind": behind,
}
SHAPES = ((4, 6, 3), (5, 5, 2), (1, 1, 1), (2, 1, 4), (0, 3, 2), (3, 0, 2), (2, 3, 0))


def inputs(name: str, number: int, dtype: str) -> tuple[Any, ...]:
    h, w, n = SHAPES[number]
    x = np.random.default_rng(number).normal(size=(h, w)).astype(dtype)
    return x, np.arange(1, n + 1).astype(dtype), *((h,) if name == "any_rows" else ())


@pytest.mark.parametrize(("name", "backend", "dtype"), combinations(PROGRAMS))
def test_values(name: str, backend: str, dtype: str) -> None:
    for number in sizes_on(backend, range(len(SHAPES)), name):
        arguments = inputs(name, number, dtype)
        assert_call_agrees(PROGRAMS[name], arguments, backend, {"float64": 1e-12, "float32": 1e-5})


@pytest.mark.parametrize("backend", on("numpy", "torch"))
@pytest.mark.parametrize("rows", [-(2**63), -1, 0, 1, 2**61, 2**62, 2**63 - 1])
def test_any_number_of_rows(rows: int, backend: str) -> None:
    """A product that wraps is no end of rows."""
    for number in (0, 2, 3):
        x, v, _ = inputs("any_rows", number, "float64")
        assert_call_agrees(any_rows, (x, v, rows), backend, {"float64": 1e-12})


@pytest.mark.one_turn
def test_rows_are_no_gathers() -> None:
    """The elements before the rows are computed alone, and the rows are slices."""
    code = tokens.source(*inputs("tokens", 0, "float64"), backend="torch").rpartition("\ndef ")[2]
    assert "where" not in code
    assert " @ " in code
    code = packed.source(*inputs("packed", 0, "float64"), backend="torch").rpartition("\ndef ")[2]
    assert "torch.where" not in code
