"""Counts of arguments in steps of folds: an error if, and only if, a step is taken."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ein_mlir import (
    Float,
    Function,
    Int,
    Vec,
    array,
    cos,
    fold,
    fold_any,
    fold_sum,
    function,
    where,
)
from tests.agreement.comparison import assert_agree, given
from tests.libraries import in_64_bits, on

A = np.random.default_rng(2).normal(size=(4, 5))
COUNTS = [(3, 2), (1, 1), (0, 2), (2, 0), (0, -1), (2, -1), (-1, 2), (-1, -1), (0, 0)]


@function
def energy(a: Vec[Vec[Float]], n: Int, m: Int):
    """The sum of a product in an array of its own."""

    def amplitude(i: Any, k: Any):
        return fold_sum(lambda t: a[i, t] * cos((k * t).float()))

    return fold_sum(lambda i: fold_sum(lambda k: amplitude(i, k) ** 2, count=m), count=n)


@function
def transposed(a: Vec[Vec[Float]], n: Int, m: Int):
    """A contraction; and a search in arrays whose size is a count of another fold."""
    both = fold_sum(lambda i: fold_sum(lambda j: a[i, j] * a[j, i], count=m), count=n)
    row = fold_any(lambda i: fold_sum(lambda j: array(lambda k: a[k, i], size=m)[j]) > 0.5, count=n)
    return both, row


@function
def correlated(a: Vec[Vec[Float]], n: Int, m: Int):
    """The first fold can be innermost, and moves over the others."""
    rows, columns = a.shape

    def at(y: Any, z: Any):
        def term(c: Any):
            return fold_sum(
                lambda p: fold_sum(lambda q: a[c, y + p + q] * a[p, q], count=m), count=n
            )

        return fold_sum(term, count=rows) * z.float()

    return array(at, size=(columns, 2))


@function
def differences(a: Vec[Vec[Float]], n: Int, m: Int):
    """A count in the innermost of three folds: both others may be without steps."""

    def row(i: Any, t: Any):
        return fold_sum(lambda j: abs(a[i, j] - a[i, t]), count=m)

    return fold_sum(lambda i: fold_sum(lambda t: row(i, t), count=n - 1), count=n)


@function
def in_a_loop(a: Vec[Vec[Float]], n: Int, m: Int):
    """A loop around the folds, of no step perhaps."""

    def step(t: Any, v: Any):
        total = fold_sum(lambda i: fold_sum(lambda j: a[i, j] * v[j], count=m), count=n)
        return array(lambda j: where(j == t, total, v[j] * 0.5))

    return fold(array(lambda j: a[0, j]), step, count=n - 1)


def outcome(program: Function[..., Any], arguments: tuple[Any, ...], backend: str) -> Any:
    """The results of a call, or the beginning of its error."""
    try:
        return program.eval(*arguments, backend=backend)
    except ValueError as error:
        return str(error).splitlines()[0]


@pytest.mark.parametrize("backend", on("numpy", "torch", "jax", "native"))
@pytest.mark.parametrize("program", [energy, transposed, correlated, differences, in_a_loop])
def test_counts(program: Function[..., Any], backend: str):
    for n, m in COUNTS:
        expected = outcome(program, (A, n, m), "naive")
        with in_64_bits(backend):
            found = outcome(program, (given(A, backend), n, m), backend)
        if isinstance(expected, str):
            assert isinstance(found, str), f"{n}, {m}"
            assert "is negative: -1" in found or "is negative: -2" in found
        else:
            assert not isinstance(found, str), f"{n}, {m}: {found}"
            assert_agree(found, expected, {"float64": 1e-12}, f"{n}, {m}")


def test_no_loop_is_left():
    for program in (energy, transposed, differences):
        assert "a step may raise an error" not in program.explain(A, 2, 2)
    assert "those over c become innermost" in correlated.explain(A, 2, 2)
