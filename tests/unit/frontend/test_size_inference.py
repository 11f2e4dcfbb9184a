"""Inferred sizes of indices."""

from __future__ import annotations

import numpy as np
import pytest

from ein_mlir import (
    EinTypeError,
    EinValueError,
    SizeInferenceError,
    array,
    concat,
    fold,
    fold_sum,
    where,
    wrap,
)
from tests.agreement.comparison import assert_agree


def test_size_is_that_of_the_array_indexed(a, phi):
    text = phi(array(lambda i, j: a[j, i]))
    assert "%size1_a = phi.size %a, 1" in text
    assert "phi.array (%i < %size1_a, %j < %size0_a)" in text
    assert "assert_eq" not in text


def test_several_sizes_are_asserted_to_be_equal(a, v, phi):
    text = phi(array(lambda i: a[i, 0] + v[i] + v[i]))
    message = '"index i: size of a along axis 0 and size of v along axis 0"'
    assert text.count("assert_eq") == 1
    assert f"phi.assert_eq %size0_a, %size0_v, {message}" in text


def test_mismatch_names_index_arrays_and_sizes():
    a, b = wrap(np.ones(5), "a"), wrap(np.ones(1), "b")
    message = "index i: size of a along axis 0 and size of b along axis 0: 5 != 1"
    with pytest.raises(ValueError, match=message):
        array(lambda i: a[i] + b[i]).eval("naive")


def test_three_arrays():
    data = {"a": np.ones(3), "b": np.ones(3), "c": np.ones(2)}
    a, b, c = (wrap(value, name) for name, value in data.items())
    with pytest.raises(ValueError, match="size of a along axis 0 and size of c along axis 0"):
        array(lambda i: a[i] + b[i] + c[i]).eval("naive")


def test_counts(a, phi):
    assert "(%k < %size1_a, %acc = " in phi(fold(0, lambda k, acc: acc + a[0, k]))
    assert "(%q < %size0_a, %acc = " in phi(fold_sum(lambda q: a[q, 0]))


def test_sizes_are_free_of_indices_and_stand_outside(a, phi):
    text = phi(array(lambda i: array(lambda j: fold_sum(lambda k: a[i][k] * a[j][k]))))
    body = text.split("phi.array", 1)[1]
    assert "phi.size" not in body


@pytest.mark.parametrize(
    "make",
    [
        lambda a: array(lambda i: a[i][1:]),
        lambda a: array(lambda i: array(lambda j: a[i, j] * 2.0)),
        lambda a: array(lambda i: concat(a[i], a[i])[2:]),
        lambda a: array(lambda i: where(i > 0, a[i], a[0])),
        lambda a: fold(a, lambda k, acc: array(lambda i, j: acc[i, j] * 2.0), count=2),
        lambda a: fold((a, 0), lambda k, s: (array(lambda i, j: s[0][i, j]), s[1]), count=1)[0],
    ],
)
def test_sizes_of_computed_arrays(a, make):
    made = make(a)
    twice = array(lambda i, j: made[i, j] + made[i, j])
    np.testing.assert_array_equal(twice.eval("naive"), 2 * made.eval("naive"))
    assert tuple(s.eval("naive") for s in made.shape) == made.eval("naive").shape


def test_sizes_through_fields():
    rows = array(lambda i: {"row": wrap(np.ones((3, 2)), "r")[i], "at": i})
    total = array(lambda i, k: rows[i]["row"][k])
    assert total.eval("naive").shape == (3, 2)


def test_explicit_sizes_win(v, phi):
    assert "assert_eq" not in phi(array(lambda i: v[i], size=7))
    assert array(lambda i: v[i], size=5).eval("naive").tolist() == [1.5, -2.0, 4.0, 4.0, 4.0]
    assert array(lambda i, j: v[i], size=(None, 2)).eval("naive").shape == (3, 2)
    assert array(lambda i: i, size=v.size() * 2).eval("naive").shape == (6,)
    assert array(lambda i: i, size=wrap(np.array([4], "int32"))[0]).eval("naive").shape == (4,)


def test_nothing_determines_the_size(v, a):
    with pytest.raises(SizeInferenceError) as error:
        array(lambda i: v[i + 1] + a[2 * i, 0])
    message = str(error.value)
    assert "cannot infer the size of index i" in message
    assert f"v along axis 0, at a computed position ({__file__}:" in message
    assert "a along axis 0, at a computed position" in message
    assert "give the size: array(lambda i: ..., size=n)" in message
    with pytest.raises(SizeInferenceError, match=r"give the count, as in fold\(..., count=n\)"):
        fold(0, lambda k, acc: acc + k)


def test_candidates_bound_inside_are_refused(v):
    with pytest.raises(SizeInferenceError, match=r"index i: the size of .* depends on k"):
        array(
            lambda i: fold(0, lambda k, acc: acc + array(lambda j: j, size=k)[i], count=2),
        )


def test_sizes_that_depend_on_an_index_are_refused(n):
    with pytest.raises(EinValueError, match="size of index j depends on the index i"):
        array(lambda i: array(lambda j: j, size=i + 1), size=3)
    counted = array(lambda i: fold(0, lambda k, acc: acc + 1, count=n[i]))
    np.testing.assert_array_equal(counted.eval("naive"), np.maximum(n.eval("naive"), 0))


@pytest.mark.parametrize("size", [-1, wrap(-3)])
def test_negative_sizes(size):
    with pytest.raises(ValueError, match="size of index i is negative: -"):
        array(lambda i: i, size=size).eval("naive")


@pytest.mark.parametrize("size", [2.5, "3", True, wrap(2.0), (1, 2)])
def test_sizes_of_a_wrong_type(size):
    with pytest.raises(EinTypeError):
        array(lambda i: i, size=size)


def test_inference_is_linear_along_a_chain(calls):
    def trace(length):
        rows = wrap(np.ones((2, 2)), "a")
        for _ in range(length):
            rows = array(lambda i, rows=rows: rows[i])
        rows.size(1)

    trace(1)
    assert calls(lambda: trace(1000)) < 11 * calls(lambda: trace(100))


def test_inference_is_linear_in_the_depth_of_nesting(calls):
    a = wrap(np.ones((1, 1)), "a")

    def trace(depth):
        return a[0, 0] if depth == 0 else fold(0, lambda k, acc: acc + a[k, k] + trace(depth - 1))

    trace(1)
    assert calls(lambda: trace(50)) < 11 * calls(lambda: trace(5))


@pytest.mark.parametrize(
    "build",
    [
        lambda b, m: fold(b, lambda k, acc: array(lambda i: acc[i] + acc[k] * m[k, k])),
        lambda b, m: fold(b, lambda k, acc: array(lambda i: acc[i] + m[k, i] + acc[k])),
        lambda b, m: fold((b, 0.0), lambda k, acc: (acc[0], acc[1] + acc[0][k] * b[k]))[1],
        lambda b, m: array(lambda i: array(lambda j: m[i, j] + b[i])[i] + b[i]),
        lambda b, m: array(
            lambda j: fold(b, lambda k, acc: array(lambda i: acc[i] + acc[k] * m[j, k]))[j]
        ),
    ],
)
def test_sizes_bound_inside_are_no_candidates(build):
    """A counter that indexes the accumulator takes its count from the other arrays."""
    b, m = np.arange(1.0, 4.0), np.arange(9.0).reshape(3, 3)
    value = build(wrap(b, "b"), wrap(m, "m"))
    assert_agree(value.eval("numpy"), value.eval("naive"), {"float64": 1e-12})


def test_only_sizes_bound_inside():
    b = wrap(np.ones(3), "b")
    with pytest.raises(SizeInferenceError, match=r"size of acc along axis 0 .* depends on acc"):
        fold(b, lambda k, acc: array(lambda i: acc[i] + acc[k]))
