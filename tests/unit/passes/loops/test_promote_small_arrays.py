"""``promote-small-arrays``: the same results, from loops that are checked at each step."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ein_mlir import array, fold, fold_sum, function, set_num_threads, where
from ein_mlir.pipelines import run_pipeline
from tests.unit.passes.conversions.loops_interpreter import TO_LOOPS, loops_of

PASS = "promote-small-arrays"


@function
def chain(m: Any) -> Any:
    """A product of matrices: two buffers change places."""
    start = array(lambda i, j: where(i == j, 1.0, 0.0), size=(3, 3))

    def step(t: Any, a: Any) -> Any:
        return array(lambda i, j: fold_sum(lambda k: m[t, i, k] * a[k, j]), size=(3, 3))

    return fold(start, step, count=m.size(0))


@function
def filtered(z: Any) -> Any:
    """A filter with a state, updated in place, and a matrix that each step computes anew."""

    def step(t: Any, state: Any) -> Any:
        x, p = state
        q = array(lambda i, j: p[j, i] + p[0, j] * 0.5 + where(i == j, 0.25, 0.0), size=(2, 2))
        k = array(lambda i: q[i, 0] / (q[0, 0] + 1.0), size=2)
        error = z[t, 0] - x[0]
        return array(lambda i: x[1 - i] + k[i] * error), array(
            lambda i, j: q[i, j] - k[i] * q[0, j]
        )

    start = array(lambda i: i.float(), size=2), array(lambda i, j: 1.0, size=(2, 2))
    return fold(start, step, count=z.size(0))


@function
def nested(m: Any) -> Any:
    """An inner loop goes on with the vector of an outer one."""

    def step(t: Any, outer: Any) -> Any:
        def inner(k: Any, v: Any) -> Any:
            return array(lambda i: v[(i + 1) % 3] * m[t, k] + v[i], size=3)

        return fold(outer, inner, count=m.size(1))

    return fold(array(lambda i: 1.0 + i.float(), size=3), step, count=m.size(0))


@function
def rows(m: Any) -> Any:
    """A small vector for each row, of which one element is read at a position that varies."""

    def row(i: Any) -> Any:
        def step(t: Any, v: Any) -> Any:
            return array(lambda c: v[(c + t) % 4] + m[i, t], size=4)

        return fold(array(lambda c: c.float(), size=4), step, count=m.size(1))

    return array(lambda i: row(i)[(m[i, 0] * 10.0).int() % 4])


@function
def exchanged(m: Any) -> Any:
    """Two vectors change places, and the one that is read is returned, too."""
    start = array(lambda i: i.float(), size=2), array(lambda i: -1.0, size=2)
    return fold(start, lambda t, s: (s[1], array(lambda i: s[0][i] + m[t, 0])), count=m.size(0))


PROGRAMS = (exchanged, filtered, nested, rows)


def _same(program: Any, shapes: Any) -> None:
    traced = program.phi(np.ones(shapes[0]))
    plain, promoted = loops_of(traced, TO_LOOPS), loops_of(traced, (*TO_LOOPS, PASS))
    before = str(run_pipeline(traced.clone(), TO_LOOPS))
    after = str(run_pipeline(traced.clone(), (*TO_LOOPS, PASS)))
    assert "memref.alloca()" in after
    assert "memref.alloca()" not in before
    random = np.random.default_rng(0)
    for shape in shapes:
        values = random.uniform(size=shape)
        want = program.eval(values, backend="naive")
        native = program.eval(values, backend="native")
        results = [np.atleast_1d(*each) for each in _pairs(plain(values), promoted(values))]
        for expected, got in results:
            assert got.tobytes() == expected.tobytes(), shape
        for expected, got in _pairs(want, native):
            np.testing.assert_allclose(got, expected, rtol=1e-12)


def _pairs(a: Any, b: Any) -> Any:
    return zip(*(each if isinstance(each, tuple) else (each,) for each in (a, b)), strict=True)


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.__name__)
def test_program(program: Any) -> None:
    pytest.importorskip("llvmlite", reason="llvmlite is not installed")
    _same(program, [(5, 3), (1, 1), (2, 2), (0, 2), (17, 4)])


def test_product() -> None:
    """The count of a sum is the constant that an assertion compares it with."""
    pytest.importorskip("llvmlite", reason="llvmlite is not installed")
    _same(chain, [(4, 3, 3), (0, 3, 3), (1, 3, 3), (2, 2, 3)])
    with pytest.raises(ValueError, match="counter k"):
        chain.eval(np.ones((1, 3, 4)), backend="native")


@function
def rotated(q: Any, v: Any) -> Any:
    """Sums of three products, of which rows are sums of products themselves."""

    def row(t: Any, i: Any, j: Any) -> Any:
        return where(i == j, 1.0 - 2.0 * q[t, i] * q[t, j], q[t, i] * q[t, 2] + q[t, j] * q[t, 0])

    def turned(t: Any, i: Any) -> Any:
        return fold_sum(lambda j: row(t, i, j) * v[t, j], count=3)

    return array(turned, size=(v.size(0), 3))


def test_short_sums_are_the_same_on_any_number_of_threads() -> None:
    """Vectors and the steps that are left round alike."""
    pytest.importorskip("llvmlite", reason="llvmlite is not installed")
    random = np.random.default_rng(0)
    q, v = random.normal(size=(2, 100_003, 3))
    want = rotated.eval(q, v, backend="native").tobytes()
    try:
        for threads in (2, 3, 7):
            set_num_threads(threads)
            assert rotated.eval(q, v, backend="native").tobytes() == want
    finally:
        set_num_threads()
