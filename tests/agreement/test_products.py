"""Products of matrices in programs on native code, by the library and in parts of any size."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from ein_mlir import (
    array,
    exp,
    fold_max,
    fold_sum,
    function,
    set_num_threads,
    sqrt,
    tanh,
    where,
)
from ein_mlir.backends.native import abi
from ein_mlir.passes.loops.raise_products import raising, rows
from ein_mlir.pipelines import run_pipeline
from tests.agreement.comparison import leaves
from tests.selection import in_turn


@pytest.fixture(autouse=True)
def small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Products of any size are calls of the library, and parts have a few rows."""
    monkeypatch.setattr(abi, "LEAST_PRODUCT", 1)
    monkeypatch.setattr(raising, "MOST_ELEMENTS", 40)
    monkeypatch.setattr(rows, "ELEMENTS", 40)
    monkeypatch.setattr(rows, "LEAST_ROWS", 3)
    monkeypatch.setenv("EIN_CACHE_DIR", "")


def heads(q: Any, k: Any) -> Any:
    """Scores of heads, whose elements are next to each other: positions g*e + c."""
    n, h = q.size(0), 2
    e = q.size(1) // h
    return array(
        lambda g, i, j: fold_sum(lambda c: q[i, g * e + c] * k[j, g * e + c], count=e),
        size=(h, n, k.size(0)),
    )


def strided(x: Any, w: Any) -> Any:
    """A convolution with channels and a step."""
    count = (x.size(1) - w.size(2)) // 2 + 1
    return array(
        lambda o, p: tanh(fold_sum(lambda c, t: x[c, 2 * p + t] * w[o, c, t])),
        size=(w.size(0), count.max(0)),
    )


def padded(x: Any, w: Any) -> Any:
    """A convolution in batches with zeros around the images, beyond which positions clip."""
    rows, columns = x.size(1), x.size(2)

    def at(n: Any, i: Any, j: Any) -> Any:
        return where((i >= 0) & (i < rows) & (j >= 0) & (j < columns), x[n, i, j], 0.0)

    return array(
        lambda n, o, i, j: fold_sum(lambda p, q: at(n, i + p - 1, j + q - 1) * w[o, p, q]),
        size=(x.size(0), w.size(0), rows, columns),
    )


def frames(x: Any, w: Any, table: Any) -> Any:
    """Frames that overlap, times a window and a table."""
    n = w.size()
    count = ((x.size() - n) // 3 + 1).max(0)

    def power(m: Any, f: Any) -> Any:
        return fold_sum(lambda t: x[3 * m + t] * w[t] * table[f, t]) ** 2

    return array(power, size=(count, table.size(0)))


def attention(q: Any, k: Any, v: Any) -> Any:
    """Rows with a product of rows at the start, and one with the row of weights at the end."""

    def row(i: Any) -> Any:
        scores = array(lambda j: fold_sum(lambda c: q[i, c] * k[j, c]) / sqrt(2.0 + 0 * q[i, 0]))
        most = fold_max(lambda j: scores[j])
        weights = array(lambda j: exp(scores[j] - most))
        total = fold_sum(lambda j: weights[j])
        return array(lambda c: fold_sum(lambda j: weights[j] * v[j, c]) / total)

    return array(row, size=q.size(0))


def masked(q: Any, k: Any, v: Any) -> Any:
    """The same with a mask, and a number of each row besides."""
    s = array(lambda i, j: where(j <= i, fold_sum(lambda c: q[i, c] * k[j, c]), -10.0))

    def row(i: Any) -> Any:
        most = fold_max(lambda j: s[i, j])
        weights = array(lambda j: exp(s[i, j] - most))
        return array(lambda c: most + fold_sum(lambda j: weights[j] * v[j, c]))

    return array(row)


def biased(q: Any, k: Any, v: Any) -> Any:
    """Attention with heads, and a bias by distance: rows in a nest of two indices."""

    def row(h: Any, i: Any) -> Any:
        def score(j: Any) -> Any:
            slope = 1.0 / (h + 1).float()
            return fold_sum(lambda c: q[h, i, c] * k[h, j, c]) - slope * (i - j).abs().float()

        scores = array(score, size=k.size(1))
        most = fold_max(lambda j: scores[j])
        weights = array(lambda j: exp(scores[j] - most))
        total = fold_sum(lambda j: weights[j])
        return array(lambda c: fold_sum(lambda j: weights[j] * v[h, j, c]) / total)

    return array(row, size=(q.size(0), q.size(1)))


def by_matrix(q: Any, k: Any, v: Any) -> Any:
    """Weights of a head as a matrix, which is multiplied in the step of that head."""

    def head(h: Any) -> Any:
        scores = array(lambda i, j: fold_sum(lambda c: q[h, i, c] * k[h, j, c]))
        most = array(lambda i: fold_max(lambda j: scores[i, j]))
        weights = array(lambda i, j: exp(scores[i, j] - most[i]))
        return array(lambda i, c: fold_sum(lambda j: weights[i, j] * v[h, j, c]))

    return array(head, size=q.size(0))


def chosen(x: Any, w: Any) -> Any:
    """Two layers of a network for each row, with a choice by the Ints and Bools of the row."""

    def row(i: Any) -> Any:
        hidden = array(lambda j: tanh(fold_sum(lambda k: x[i, k] * w[k, j])), size=w.size(0))
        count = fold_sum(lambda j: where(hidden[j] > 0.0, 1, 0))
        is_most = 2 * count > w.size(0)
        out = array(lambda c: fold_sum(lambda j: hidden[j] * w[j, c]))
        return array(lambda c: where(is_most, out[c], count.float() - out[(c + count) % 2]))

    return array(row, size=x.size(0))


Shapes = Callable[[int], tuple[tuple[int, ...], ...]]

PROGRAMS: list[tuple[Callable[..., Any], Shapes]] = [
    (heads, lambda n: ((n, 6), (n + 1, 6))),
    (strided, lambda n: ((3, 2 * n), (4, 3, 3))),
    (padded, lambda n: ((2, n, n + 1), (3, 3, 3))),
    (frames, lambda n: ((3 * n,), (5,), (4, 5))),
    (attention, lambda n: ((n, 3), (n + 2, 3), (n + 2, 4))),
    (masked, lambda n: ((n, 3), (n, 3), (n, 4))),
    (biased, lambda n: ((2, n, 3), (2, n + 1, 3), (2, n + 1, 4))),
    (by_matrix, lambda n: ((2, n, 3), (2, n + 1, 3), (2, n + 1, 4))),
    (chosen, lambda n: ((n, 5), (5, 5))),
]


@pytest.mark.parametrize(
    ("program", "size", "dtype"), in_turn(PROGRAMS, [0, 1, 2, 7], ["float64", "float32"])
)
def test_products(program: tuple[Callable[..., Any], Shapes], size: int, dtype: str) -> None:
    """Native code agrees with the reference interpreter."""
    f, shapes = program
    rng = np.random.default_rng(size)
    arguments = [rng.normal(size=shape).astype(dtype) for shape in shapes(size)]
    expected = leaves(function(f).eval(*arguments, backend="naive"))
    given = leaves(function(f).eval(*arguments, backend="native"))
    tolerance = 1e-12 if dtype == "float64" else 1e-4
    for result, wanted in zip(given, expected, strict=True):
        assert result.shape == wanted.shape
        np.testing.assert_allclose(result, wanted, rtol=tolerance, atol=tolerance)


CALLS = [heads, strided, padded, attention, masked, biased, by_matrix, chosen]


@pytest.mark.parametrize("f", CALLS, ids=lambda f: f.__name__)
def test_products_are_calls(f: Callable[..., Any]) -> None:
    """The loops of these programs leave their products to the library."""
    shapes = next(shapes for g, shapes in PROGRAMS if g is f)
    module = function(f).phi(*(np.ones(shape) for shape in shapes(3)))
    assert "linalg.generic" in str(run_pipeline(module, "loops"))


def parts(a: Any, b: Any, n: Any, m: Any) -> Any:
    """Products of the first rows, columns and steps of matrices."""
    return array(
        lambda i, j: 1.0 + fold_sum(lambda k: a[i, k] * b[k, j], count=n),
        size=(m, b.size(1)),
    )


@pytest.mark.parametrize("steps", [0, 1, 4, 5, 6, 9])
@pytest.mark.parametrize("rows", [0, 2, 3, 7])
def test_parts_of_matrices(steps: int, rows: int) -> None:
    """Positions beyond the ends clip."""
    rng = np.random.default_rng(0)
    a, b = rng.normal(size=(3, 5)), rng.normal(size=(6, 4))
    f = function(parts)
    expected = f.eval(a, b, steps, rows, backend="naive")
    np.testing.assert_allclose(f.native(a, b, steps, rows), expected, rtol=1e-13)


@pytest.mark.parametrize("f", [attention, biased, by_matrix, chosen], ids=lambda f: f.__name__)
def test_threads_do_not_change_products(f: Callable[..., Any]) -> None:
    shapes = next(shapes for g, shapes in PROGRAMS if g is f)
    rng = np.random.default_rng(0)
    arguments = [rng.normal(size=shape) for shape in shapes(67)]
    program, results = function(f), list[Any]()
    for threads in (1, 2, 3, 7):
        set_num_threads(threads)
        results.append(program.native(*arguments))
    set_num_threads()
    assert all(np.array_equal(result, results[0]) for result in results)
