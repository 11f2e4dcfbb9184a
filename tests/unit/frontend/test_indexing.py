"""Indexing and slicing, against NumPy."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from ein_mlir import EinTypeError, EinValueError, array, wrap
from tests.selection import some

BOUNDS = (None, -7, -5, -2, -1, 0, 1, 3, 5, 8)
STEPS = (None, 1, 2, 3, -1, -2, -7)


@pytest.mark.one_turn
@pytest.mark.parametrize("size", [0, 1, 2, 5])
@pytest.mark.parametrize("step", STEPS)
def test_slices_follow_python(size, step):
    data = np.arange(size)
    a = wrap(data, "a")
    pairs = list(itertools.product(BOUNDS, BOUNDS))
    for start, stop in some(pairs[size + STEPS.index(step) :]):
        expected = data[start:stop:step]
        np.testing.assert_array_equal(a[start:stop:step].eval("naive"), expected)


@pytest.mark.parametrize("start", [-3, 0, 2, 9])
@pytest.mark.parametrize("stop", [-3, 0, 2, 5, 9])
@pytest.mark.parametrize("step", [1, 2, -1, -2])
def test_computed_bounds_clip(start, stop, step):
    data = np.arange(5)
    a, bounds = wrap(data, "a"), wrap(np.array([start, stop]), "bounds")
    low, high = (0, 5) if step > 0 else (-1, 4)
    positions = range(min(max(start, low), high), min(max(stop, low), high), step)
    expected = [data[k] for k in positions]
    np.testing.assert_array_equal(a[bounds[0] : bounds[1] : step].eval("naive"), expected)


def test_views_of_several_axes():
    data = np.arange(24).reshape(2, 3, 4)
    a = wrap(data, "a")
    for index in np.s_[1:], np.s_[:, 1], np.s_[0, ::-1, 1:3], np.s_[-1, :, -2], np.s_[:, :, ::2]:
        np.testing.assert_array_equal(a[index].eval("naive"), data[index])
    assert a[:] is not None
    assert a[:, :].expr is a.expr


def test_sizes_are_small_expressions(phi, v):
    text = phi(v[1:-1])
    assert text.count("phi.size") == 1
    assert "arith.maxsi" in text
    assert phi(v[:]).count("phi.array") == 0
    assert "arith.maxsi" not in phi(v[::-1])


def test_chained_indexing_is_one(phi, a):
    assert "phi.get %a[%i, %j]" in phi(array(lambda i, j: a[i][j]))
    assert "phi.get %a[%i, %j]" in phi(array(lambda i, j: a[i, j]))


def test_literal_negative_positions_count_from_the_end(a):
    assert a[-1, -2].eval("naive") == 10.0
    assert a[-1][-2].eval("naive") == 10.0
    assert array(lambda i: i, size=5)[-1].eval("naive") == 4


def test_computed_positions_clip(v, n):
    assert v[n[0]].eval("naive") == 4.0
    assert v[n[1]].eval("naive") == 1.5
    assert v[np.int64(1)].eval("naive") == -2.0


def test_short_positions(phi):
    a, p = wrap(np.arange(3.0), "a"), wrap(np.array([2], "int32"), "p")
    assert "[i32]" in phi(a[p[0]])
    assert a[p[0] :].eval("naive").tolist() == [2.0]


@pytest.mark.parametrize(
    ("index", "message"),
    [
        ((0, 0, 0), "3 positions are too many for a, which has rank 2"),
        (1.0, "a position is an Int, an int or a slice, not 1.0"),
        (True, "not True"),
        (None, "not None"),
        (..., "not Ellipsis"),
        (np.ones(2), "not an array"),
        (slice(None, None, 1.5), "the step of a slice is a Python int, not 1.5"),
        (slice(0.5, None), "a bound of a slice: expected an int or an Int, not 0.5"),
    ],
)
def test_mistakes(a, index, message):
    with pytest.raises(EinTypeError) as error:
        a[index]
    assert message in str(error.value)


def test_more_mistakes(a, v):
    with pytest.raises(EinTypeError, match=r"a position is an Int, not Float; write `.int\(\)`"):
        v[v[0]]
    with pytest.raises(EinTypeError, match=r"not Vec\[Float\]"):
        v[v]
    with pytest.raises(EinValueError, match="cannot be zero"):
        v[::0]
    with pytest.raises(EinValueError, match="a has rank 2, and no axis 2"):
        a.size(2)
    with pytest.raises(EinValueError, match=r"the size of v\[i:...\] depends on the index i"):
        array(lambda i: v[i : i + 2][0])


def test_sizes(a, phi):
    assert a.size(-1).eval("naive") == 4
    assert tuple(size.eval("naive") for size in a.shape) == (3, 4)
    assert a.rank == 2
    assert "phi.size %a, 1" in phi(a[0].size())
    assert phi(array(lambda i, j: i, size=(2, 3)).size(1)).count("phi.array") == 0
