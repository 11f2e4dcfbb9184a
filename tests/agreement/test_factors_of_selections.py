"""Sums of selected products with a factor that is the same in all steps, which is taken out."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ein_mlir import Float, Int, Vec, array, fold_max, fold_sum, function, where
from tests.agreement.comparison import assert_call_agrees
from tests.libraries import BACKENDS, on

Ints = Vec[Int]
Floats = Vec[Float]
inf, nan, huge, tiny = np.inf, np.nan, 1e200, 1e-200
TOLERANCE = {"float64": 1e-12, "float32": 1e-5}


@function
def joined(a: Ints, c: Floats, b: Ints, x: Floats) -> Floats:
    return array(lambda i: fold_sum(lambda k: where(b[k] == a[i], c[i] * x[k], 0.0)))


@function
def joined_sum(a: Ints, c: Floats, b: Ints, x: Floats) -> Float:
    return fold_sum(lambda i: fold_sum(lambda k: where(b[k] == a[i], x[k] * c[i], 0.0)))


@function
def before(a: Ints, c: Floats, b: Ints, x: Floats) -> Floats:
    return array(lambda i: fold_sum(lambda k: where(k <= a[i], c[i] * x[k], 0.0)))


@function
def below(a: Ints, c: Floats, b: Ints, x: Floats) -> Floats:
    return array(lambda i: fold_sum(lambda k: where(x[k] < c[i], 2.0 * (c[i] * x[k]), 0.0)))


@function
def pairs(a: Ints, c: Floats, b: Ints, x: Floats) -> Vec[Floats]:
    return array(lambda i, j: fold_sum(lambda k: where(b[k] < a[i], c[i] * c[j] * x[k], 0.0)))


@function
def of_ints(a: Ints, c: Floats, b: Ints, x: Floats) -> Ints:
    return array(lambda i: fold_sum(lambda k: where(b[k] == a[i], a[i] * b[k] - b[k] * 3, 0)))


@function
def products(
    a: Ints, c: Floats, b: Ints, x: Floats
) -> tuple[Ints, Floats, Floats, Floats, Vec[Floats]]:
    """Choices within products: Ints, elements, masks, extremes of sums, and a batch."""
    return (
        array(lambda i: fold_sum(lambda k: 3 * where(k <= a[i], b[k], 0) * (k - b[k]))),
        array(lambda i: fold_sum(lambda k: where(k <= a[i], b[k].float() + 1.0, 0.0) * x[k])),
        array(lambda i: fold_sum(lambda k: x[k] * where((k > a[i]) & (x[k] > 1.0), 1.0, 0.0))),
        array(lambda i: fold_max(lambda k: where(k < a[i], b[k].float(), -inf) + x[k])),
        array(lambda i, j: fold_sum(lambda k: c[j] * where(k < a[i], 1.0, 0.0) * x[k])),
    )


PROGRAMS = (joined, joined_sum, before, below, pairs, of_ints, products)

VALUES: dict[str, tuple[list[float], list[float]]] = {
    "ordinary": ([1.5, -2.0, 0.0], [3.0, 0.25, -1.0, 2.0]),
    "product overflows": ([huge, 1.0, -huge], [huge, 2.0, -1.0, 3.0]),
    "sum overflows": ([tiny, 1e-300, 0.0], [1.7e308, 1.7e308, 1.7e308, 1.0]),
    "infinite factor": ([inf, 1.0, -inf], [0.5, 0.0, -1.0, 3.0]),
    "NaN factor": ([nan, 1.0, 2.0], [1.0, 2.0, 3.0, 4.0]),
    "infinite element": ([0.0, 1.0, 2.0], [inf, 1.0, 2.0, -inf]),
    "NaN element": ([1.0, 0.0, 2.0], [nan, 1.0, 2.0, 4.0]),
}


@pytest.mark.parametrize("backend", on("numpy", "native", "jax"))
@pytest.mark.parametrize("values", VALUES)
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_special_values(program: Any, values: str, backend: str) -> None:
    c, x = map(np.array, VALUES[values])
    arguments = np.array([0, 1, 2]), c, np.array([0, 0, 5, 2]), x
    assert_call_agrees(program, arguments, backend, TOLERANCE)


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize(
    ("sizes", "dtype"),
    [((0, 3), "float64"), ((3, 0), "float64"), ((2, 5), "float64"), ((1, 3), "float32")],
)
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_sizes(program: Any, sizes: tuple[int, int], dtype: str, backend: str) -> None:
    draw = np.random.default_rng(0)
    (a, c), (b, x) = ((draw.integers(0, 3, n), draw.normal(size=n)) for n in sizes)
    assert_call_agrees(program, (a, c.astype(dtype), b, x.astype(dtype)), backend, TOLERANCE)


def test_a_join_takes_no_loop_over_pairs() -> None:
    arguments = np.arange(3), np.ones(3), np.arange(4), np.ones(4)
    assert "accumulate_at(" in joined.source(*arguments, backend="numpy")


@pytest.mark.parametrize("backend", on("numpy", "torch", "jax"))
def test_choices_within_products_are_scans(backend: str) -> None:
    arguments = np.arange(3), np.ones(3), np.arange(4), np.ones(4)
    explained = products.explain(*arguments, backend=backend)
    assert explained.count("a scan of products with choices") == 5
