"""Sums of the elements of a matrix that a vector of Bools selects: products of both."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest

import ein_mlir
from ein_mlir import Function, array, fold_sum, function, where
from tests.agreement.comparison import given, leaves
from tests.libraries import library_for, on

fold: Any = ein_mlir.fold
"""The combinator, for arguments without static types."""


@function
def of_columns(w, m, x):
    return array(lambda i: fold_sum(lambda j: where(m[j] > 0.5, w[i, j], 0.0)))


@function
def of_rows(w, m, x):
    """The other branch is selected, along the first axis, and a number is a factor."""
    return array(lambda j: fold_sum(lambda i: where(x[i] > 0.5, 0.0, 3.0 * w[i, j])))


@function
def of_pairs(w, m, x):
    """Two masks, of which one stays out of the sum."""
    return array(lambda i: fold_sum(lambda j: where((m[j] > 0.5) & (x[i] > 0.2), w[i, j], 0.0)))


@function
def of_both(w, m, x):
    """The mask has an axis of the result."""
    return array(lambda i: fold_sum(lambda j: where(m[j] > x[i], w[i, j], 0.0)))


@function
def of_all(w, m, x):
    """One sum."""
    return fold_sum(lambda i, j: where((m[j] > 0.5) & (x[i] > 0.5), w[i, j], 0.0))


@function
def of_products(w, m, x):
    """A factor that has the axis of the mask."""
    return array(lambda i: fold_sum(lambda j: where(m[j] > 0.5, w[i, j], 0.0) * m[j]))


@function
def of_ints(w, m, x):
    return array(lambda i: fold_sum(lambda j: where(m[j] > 0.5, (w[i, j] * 4.0).int(), 0)))


@function
def in_steps(w, m, x):
    """Neurons that fire together: the mask is carried."""

    def step(t, state):
        v, s = state
        new = array(
            lambda i: 0.9 * v[i] + x[i] + fold_sum(lambda j: where(s[j], 0.1 * w[i, j], 0.0)),
            size=x.size(0),
        )
        return new, array(lambda j: new[j % x.size(0)] > 0.4, size=w.size(1))

    return fold((array(lambda i: x[i]), array(lambda j: m[j] > 0.5)), step, count=4)


@function
def of_vectors(w, m, x):
    """A mask with the axes of both vectors, once a condition and once its opposite."""
    one = array(lambda i: fold_sum(lambda j: where(w[i, j] > 0.1, m[j], 0.0)))
    return one, array(lambda i: fold_sum(lambda j: where(w[i, j] > 0.1, 0.0, 2.0 * x[i] * m[j])))


@function
def of_near_pairs(w, m, x):
    """The mask is computed, and a vector may have infinite elements that are not selected."""
    big = array(lambda i: 1.0 / (x[i] - 0.9))

    def total(i):
        near = fold_sum(lambda k: where(abs(x[i] - x[k]) < 0.3, big[k], 0.0))
        return near + fold_sum(lambda k: where(abs(x[i] - x[k]) < 0.3, x[k], 0.0))

    return array(total)


@function
def of_known_pairs(w, m, x):
    """Sums over the rows in which both elements are known: products, squares, and one of them."""

    def both(a, b, f):
        return fold_sum(lambda i: where((w[i, a] < 9.0) & (w[i, b] < 9.0), f(i), 0.0))

    size = (w.size(1), w.size(1))
    return (
        array(lambda a, b: both(a, b, lambda i: w[i, a] * w[i, b]), size=size),
        array(lambda a, b: both(a, b, lambda i: w[i, a] ** 2), size=size),
        array(lambda a, b: both(a, b, lambda i: w[i, a] * x[i] * w[i, a]), size=size),
    )


PROGRAMS = (
    of_known_pairs,
    of_vectors,
    of_near_pairs,
    of_columns,
    of_rows,
    of_pairs,
    of_both,
    of_all,
    of_products,
    of_ints,
    in_steps,
)

SHAPES = ((3, 4), (1, 1), (7, 5), (3, 0), (0, 3))


@pytest.mark.parametrize("backend", on("numpy", "torch", "jax", "native"))
@pytest.mark.parametrize("program", PROGRAMS)
def test_selected_terms(program: Function[..., Any], backend: str) -> None:
    """Elements that are not selected may be infinite or NaN."""
    shapes = SHAPES[:3] if backend == "jax" else SHAPES
    for (n, m), special in product(shapes, ["none", "unselected", "selected"]):
        if program is in_steps and not n:
            continue
        rng = np.random.default_rng(n)
        w, mask, x = rng.normal(size=(n, m)), rng.uniform(size=m), rng.uniform(size=n)
        if special != "none" and n and m and program is not of_ints:
            w[0, 0], w[-1, -1] = np.inf, np.nan
            mask[[0, -1]] = x[[0, -1]] = 0.1 if special == "unselected" else 0.9
        expected = leaves(program.eval(w, mask, x, backend="naive"))
        values = [given(each, library_for(backend)) for each in (w, mask, x)]
        found = leaves(program.eval(*values, backend=backend))
        for own, each in zip(found, expected, strict=True):
            np.testing.assert_allclose(np.asarray(own), each, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("program", [of_columns, of_rows, of_vectors, in_steps])
def test_sums_are_products(program: Function[..., Any]) -> None:
    w, mask, x = np.ones((3, 4)), np.ones(4), np.ones(3)
    assert ".dot(" in program.source(w, mask, x, backend="numpy")
