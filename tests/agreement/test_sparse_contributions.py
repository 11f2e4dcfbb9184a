"""Contributions that a sparse mask of data keeps are gathered, and all of a dense one computed."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ein_mlir import (
    Bool,
    Float,
    Int,
    Vec,
    accumulate,
    array,
    exp,
    fold,
    fold_max,
    fold_sum,
    function,
    where,
)
from ein_mlir.passes.phi import gather_contributions
from tests.agreement.comparison import assert_call_agrees
from tests.libraries import BACKENDS

OF_ARRAYS = [each for each in BACKENDS if each.values[0] != "jax"]
TOLERANCE = {"float64": 1e-9}
SHAPES = (0, 3), (3, 0), (1, 1), (9, 4)


@pytest.fixture(autouse=True)
def always(monkeypatch: Any) -> None:
    """Few contributions are worth it, too."""
    monkeypatch.setattr(gather_contributions, "LEAST", 1)


def votes(x: Vec[Vec[Float]], limit: Float, m: Int):
    """Dropped by a position, or by the identity as a value; with an index that the mask lacks."""

    def position(i: Any, j: Any, t: Any) -> Any:
        place = (x[i, j] * 3.0).floor().int() + i - t
        return (t, where(x[i, j] > limit, place, -1)), 1

    def outside(j: Any, t: Any, i: Any) -> Any:
        return where((x[i, j] > limit) & (t != 1), i + t, m), x[i, j]

    def value(i: Any, j: Any) -> Any:
        return i + 2 * j - 3, where(x[i, j] > limit, x[i, j], 0.0)

    return (
        accumulate(position, size=(3, m), count=(None, None, 3)),
        accumulate(outside, size=m, count=(None, 2, None)),
        accumulate(value, size=m),
        accumulate(lambda i, j: (j, where(x[i, j] > limit, x[i, j], -np.inf)), size=m, by="max"),
        accumulate(lambda i, j: (i * j, where(x[i, j] > limit, i, 2**63 - 1)), size=m, by="min"),
        accumulate(lambda i, j: (i + j, (x[i, j] > limit) & (j != 2)), size=m, by="any"),
    )


def nested(x: Vec[Vec[Float]], limit: Float, m: Int):
    """In a comprehension, whose index the mask varies with or not; in the steps of a loop."""
    first = array(
        lambda t: accumulate(lambda i, j: (where(x[i, j] > limit, i + t, -1), x[i, j]), size=m),
        size=2,
    )
    of_rows = array(lambda i: accumulate(lambda j: (where(x[i, j] > limit, j, -1), 1), size=m))

    def step(k: Any, s: Any) -> Any:
        new = accumulate(lambda j: (j % 3, where(x[k, j] > limit, s[j % 3], 0.0)), size=m)
        return array(lambda c: 0.5 * s[c] + new[c])

    return first, of_rows, fold(array(lambda c: 1.0, size=m), step, count=x.size(0))


def sums(x: Vec[Vec[Float]], limit: Float, m: Int):
    """Sums and maxima over the steps that a mask keeps, of terms that vary with another index."""

    def term(k: Any, y: Any) -> Any:
        return exp(-((x[k, 0] - y.float()) ** 2.0)) * x[k, 1]

    return (
        array(lambda y: fold_sum(lambda k: where(x[k, 0] > limit, term(k, y), 0.0)), size=m),
        array(lambda y: fold_max(lambda k: where(x[k, 0] > limit, term(k, y), -np.inf)), size=m),
        array(
            lambda y: fold(
                2.0, lambda k, s: where((x[k, 0] > limit) & (k != y), s + term(k, y), s),
                count=x.size(0),
            ),
            size=m,
        ),
    )  # fmt: skip


def scattered(x: Vec[Vec[Float]], limit: Float, m: Int):
    """The last row that is kept at each place, and its element."""

    def step(k: Any, s: Any) -> Any:
        place = where(x[k, 0] > limit, (x[k, 1] * 4.0).floor().int(), -1)
        return array(lambda c: where(c == place, x[k, 1], s[c]))

    return fold(array(lambda c: 0.0, size=m), step, count=x.size(0))


@pytest.mark.parametrize("backend", OF_ARRAYS)
@pytest.mark.parametrize("program", [votes, nested, sums, scattered], ids=lambda f: f.__name__)
def test_agrees(program: Any, backend: str) -> None:
    compiled: Any = function(program)
    for shape in SHAPES:
        if program in (sums, scattered):
            shape = shape[0], 2
        x = np.random.default_rng(sum(shape)).random(shape)
        x[1:2, :1] = np.nan
        for limit in (0.9, 0.3, 2.0):
            assert_call_agrees(compiled, (x, limit, 5), backend, TOLERANCE)


@pytest.mark.parametrize("backend", OF_ARRAYS)
def test_errors(backend: str) -> None:
    """A negative size is an error of the accumulation, whether the mask is sparse or not."""
    compiled = function(lambda x, m: accumulate(lambda i: (where(x[i] > 0.9, i, -1), x[i]), size=m))
    for limit in (0.0, 1.0):
        with pytest.raises(ValueError, match="size 0 of the accumulation is negative: -2"):
            compiled.eval(np.full(9, limit), -2, backend=backend)


@function
def products(f: Vec[Bool], x: Vec[Float], w: Vec[Vec[Float]], v: Vec[Vec[Float]]):
    """Sums of products of rows or columns that a mask keeps."""
    return (
        array(lambda j: fold_sum(lambda i: where(f[i], w[i, j], 0.0))),
        array(lambda j: fold_sum(lambda i: where(f[i], 0.0, w[i, j] * x[i]))),
        array(lambda i: fold_sum(lambda j: where(f[j], v[i, j] * x[j], 0.0))),
        array(lambda i, j: fold_sum(lambda k: where(f[k], v[i, k] * w[k, j], 0.0))),
    )


@pytest.mark.parametrize("size", [0, 1, 8200])
def test_products(size: int) -> None:
    """Large arrays, of which the mask keeps few rows, most or none; the others may be NaN."""
    r = np.random.default_rng(0)
    w, v, x = r.random((size, 2)), r.random((2, size)), r.random(size)
    w[2:3], v[:, 3:4] = np.nan, np.inf
    for f in (x > 0.97, x < 0.97, x > 2.0):
        assert_call_agrees(products, (f, x, w, v), "numpy", TOLERANCE)
