"""Sums of products that are computed in order, where that is needed, block by block."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ein_mlir import array, exp, fold_sum, function, where
from tests.agreement.comparison import assert_agree
from tests.fuzzing.ways import Way, running


@function
def others(a: Any, b: Any) -> Any:
    """Sums over all but one, of products that may be infinite at that one."""
    n = a.size(0)

    def term(i: Any, t: Any) -> Any:
        near = where(t == i, 0.0, exp(a[i, t]) * (1.0 / (a[i, t] - a[t, i])))
        return near * b[t]

    return array(lambda i: fold_sum(lambda t: term(i, t), count=n), size=n)


@function
def rows(a: Any, b: Any) -> Any:
    """Sums of three factors, of which two are functions, for each row."""
    return array(lambda i: fold_sum(lambda t: exp(a[i, t]) * (exp(-a[i, t]) * b[t])))


@pytest.mark.parametrize("program", [others, rows], ids=lambda each: each.__name__)
@pytest.mark.parametrize("block", [None, 8, 40])
def test_agreement(program: Any, block: int | None) -> None:
    for n in (0, 1, 2, 7):
        for special in (0.0, np.inf, 1e300, np.nan):
            random = np.random.default_rng(n)
            a, b = random.normal(size=(n, n)), random.normal(size=n)
            a[-1:, :1] += special
            b[1:2] = special
            with running(Way("naive")) as naive, running(Way("numpy", block=block)) as ours:
                module = program.phi(a, b)
                expected, found = naive(module)(a, b), ours(module)(a, b)
            assert_agree(found, expected, {"float64": 1e-10}, f"{n}, {special}")
