"""Arrays that begin with a value in all places: a constant, an argument, or a loaded element."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ein_mlir import array, fold, fold_sum, function, where
from ein_mlir.frontend.function import Function
from tests.agreement.comparison import assert_call_agrees
from tests.selection import combinations, sizes_on


@function
def element(x: Any, n: Any):
    return array(lambda i: x[0], size=n), array(lambda i: 1.5, size=n)


@function
def rows(x: Any, n: Any):
    return array(lambda i, j: x[i], size=(x.size(), n))


@function
def changed(x: Any, n: Any):
    """Each step replaces one element of a row of equal ones."""

    def of_row(i: Any):
        def step(t: Any, a: Any):
            return array(lambda j: where(j == (t + i) % n.max(1), a[j] + x[t], a[j]))

        return fold(array(lambda j: x[i], size=n), step, count=n.min(x.size()))

    return array(lambda i: of_row(i), size=x.size())


@function
def numbers(x: Any, n: Any):
    """Rows of sizes, from which a loop takes the number of a place."""

    def of_row(i: Any):
        places = array(lambda j: n + i, size=n)
        return fold(places, lambda t, a: array(lambda j: where(j == i, t, a[j])), count=n)

    return array(
        lambda i: fold_sum(lambda j: of_row(i)[j].float() * (x[i] + j.float())), size=x.size()
    )


TOLERANCE = {"float64": 1e-12, "float32": 1e-4}
PROGRAMS: dict[str, Function] = {
    "element": element,
    "rows": rows,
    "changed": changed,
    "numbers": numbers,
}


@pytest.mark.parametrize(("name", "backend", "dtype"), combinations(PROGRAMS))
def test_backends(name: str, backend: str, dtype: str) -> None:
    rng = np.random.default_rng(5)
    for n in sizes_on(backend, [0, 1, 3, 8, 17], name):
        x = rng.normal(size=max(n, 1)).astype(dtype)
        assert_call_agrees(PROGRAMS[name], (x, n), backend, TOLERANCE)
