"""Reductions of vectors by functions: sizes, and identities that are none."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from ein_mlir import EinValueError, Float, Function, Int, Vec, array, concat, function, where
from tests.agreement.comparison import assert_agree, assert_call_agrees
from tests.libraries import BACKENDS
from tests.selection import sizes_on

Rows = Vec[Vec[Float]]


@pytest.mark.parametrize(
    "combine",
    [
        lambda x, y: concat(x, y),
        lambda x, y: array(lambda i: x[i] + y[i], size=2),
        lambda x, y: array(lambda i: x[i] + y[i], size=x.size() + 1),
        lambda x, y: array(lambda i: x[i] + y[i], size=x.size() + y.size()),
        lambda x, y: x[1:],
        lambda x, y: where(x[0] < y[0], x, x)[::2],
    ],
)
def test_functions_that_change_sizes(combine):
    @function
    def run(a: Rows):
        return a.reduce(array(lambda i: 0.0, size=a.size(1)), combine)

    with pytest.raises(
        EinValueError, match=r"keep the sizes .* axis 0.*size=x.size\(0\).*fold\(.*at"
    ):
        run.phi()


@pytest.mark.parametrize(
    "combine",
    [
        lambda b, x, y: x,
        lambda b, x, y: array(lambda i: x[i] + y[i]),
        lambda b, x, y: array(lambda i: b[i] * x[i] + y[i]),
        lambda b, x, y: array(lambda i: y[i] + x[0], size=y.size()),
        lambda b, x, y: where(x[0] < y[0], x, y),
    ],
)
@pytest.mark.parametrize("backend", BACKENDS)
def test_sizes_of_identities(combine, backend):
    @function
    def run(a: Rows, b: Vec[Float], n: Int):
        return a.reduce(array(lambda i: 0.0, size=n), lambda x, y: combine(b, x, y))

    for rows in sizes_on(backend, (0, 1, 3)):
        a, b = np.ones((rows, 3)), np.ones(3)
        if rows < 2:  # the functions are not all associative
            expected = run.eval(a, b, 3, backend="naive")
            assert_agree(run.eval(a, b, 3, backend=backend), expected, {"float64": 1e-12})
        with pytest.raises(ValueError, match=r"size of the identity .* axis 0: 2 != 3"):
            run.eval(a, b, 2, backend=backend)


def test_sizes_in_records():
    @function
    def run(a: Rows):
        pairs = array(lambda i: (a[i], 1.0))
        none = array(lambda i: 0.0, size=a.size(1))
        return pairs.reduce((none, 0.0), lambda x, y: (concat(x[0], y[0]), x[1]))

    with pytest.raises(EinValueError, match="keep the sizes"):
        run.phi()


ASSOCIATIVE = {
    "sum": lambda x, y: x + y,
    "product": lambda x, y: x * y,
    "larger": lambda x, y: x.max(y),
    "chosen": lambda x, y: where(x > y, x, y),
    "first": lambda x, y: x,
    "last": lambda x, y: y,
    "shifted": lambda x, y: x + y + 1.0,
    "circle": lambda x, y: x + y + x * y,
    "norm": lambda x, y: (x * x + y * y).sqrt(),
}


@cache
def programs(identity: float, name: str) -> list[Function]:
    combine = ASSOCIATIVE[name]

    @function
    def vector(a: Vec[Float]):
        return a.reduce(identity, combine)

    @function
    def rows(a: Vec[Float]):
        return array(lambda i: array(lambda j: a[i] * a[j]).reduce(identity, combine))

    @function
    def records(a: Vec[Float]):
        return array(lambda i: (a[i], 2.0 * a[i])).reduce(
            (identity, identity), lambda x, y: (combine(x[0], y[0]), combine(x[1], y[1]))
        )

    return [vector, rows, records]


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("name", ASSOCIATIVE)
def test_identities_that_are_none(name, backend):
    """They are combined once, before the first element."""
    for identity in (0.0, 2.5):
        for run in programs(identity, name):
            for size in sizes_on(backend, (0, 1, 2, 5), name):
                a = np.linspace(-0.5, 1.5, size)
                assert_call_agrees(run, (a,), backend, {"float64": 1e-9})


def test_a_proved_identity_costs_nothing():
    @function
    def compose(a: Vec[Int], b: Vec[Int]):
        maps = array(lambda i: (a[i], b[i]))
        return maps.reduce((1, 0), lambda f, g: (f[0] * g[0], f[1] * g[0] + g[1]))

    assert "yarr.concat" not in compose.ir("yarr")
    assert "yarr.tree_reduce" in compose.ir("yarr")
