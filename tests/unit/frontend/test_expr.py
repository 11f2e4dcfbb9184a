"""The graph: sharing, collection of garbage, cost of tracing."""

from __future__ import annotations

import gc
import time

import numpy as np
import pytest

from ein_mlir import array, fold, wrap
from ein_mlir.frontend.expr import Array, Expr
from ein_mlir.frontend.lowering import lower


def live() -> int:
    return sum(issubclass(type(thing), Expr) for thing in gc.get_objects())


def test_forty_doublings_are_forty_operations(phi):
    x = wrap(np.ones(1), "a")[0]
    for _ in range(40):
        x = x + x
    assert phi(x).count("arith.addf") == 40


@pytest.mark.one_turn
def test_long_chains_do_not_overflow_the_stack():
    x = wrap(np.ones(1), "a")[0]
    for _ in range(30_000):
        x = x + 1.0
    assert "more than" in repr(x)
    assert sum(1 for _ in lower(x.expr).module.walk()) > 30_000
    del x


@pytest.mark.one_turn
def test_expressions_on_an_input_are_freed_at_once():
    a = wrap(np.arange(4.0), "a")
    gc.collect()
    gc.disable()
    try:
        before = live()
        for k in range(1000):
            array(lambda i, k=k: a[i] + float(k))
            fold(0, lambda i, acc: acc + a[i])
            _ = a[1:][0], a.size()
        assert live() - before < 50
    finally:
        gc.enable()


@pytest.mark.one_turn
def test_ten_thousand_expressions_are_not_kept():
    a = wrap(np.arange(4.0), "a")
    before = live()
    for k in range(10_000):
        _ = a[0] + k
    gc.collect()
    assert live() - before < 50


def test_nested_folds_are_traced_once():
    calls = 0
    a = wrap(np.ones((1,) * 12, np.float32), "a")

    def nest(*indices):
        nonlocal calls
        calls += 1
        if len(indices) == 12:
            return a[indices]
        return fold(0, lambda k, acc: acc + nest(*indices, k))

    start = time.perf_counter()
    result = nest()
    assert time.perf_counter() - start < 1
    assert calls == 13
    assert result.eval("naive").dtype == np.float32


def test_free_variables_are_those_not_bound():
    seen = []
    a = wrap(np.ones((2, 2)), "a")

    def body(i):
        inner = array(lambda j: seen.append(a[i, j]) or a[i, j])
        seen.append(inner)
        return inner

    outer = array(body)
    element, inner = seen
    assert {variable.name for variable in element.expr.free} == {"i", "j"}
    assert {variable.name for variable in inner.expr.free} == {"i"}
    assert not outer.expr.free
    assert isinstance(outer.expr, Array)
