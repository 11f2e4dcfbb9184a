"""`ext`: functions of libraries as functions of staged values."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import pytest

from ein_mlir import (
    EinTypeError,
    Float,
    Int,
    Vec,
    array,
    ext,
    fold,
    function,
    scalar_type,
    vector_type,
    where,
    wrap,
)
from tests.agreement.comparison import assert_ulps

wrong: Any = ext
"""`ext`, for calls that type checkers reject too."""

MATRIX = np.array([[3.0, 1.0, 2.0], [0.0, 5.0, 4.0]])


@dataclass
class Polar:
    radius: Float
    angle: Float


def sort(x: Vec[Float]) -> Vec[Float]:
    return ext(np.sort, ([Vec[Float]], Vec[Float]))(x)


def agree(value, ulps=0):
    """The value, on which both backends agree."""
    result, expected = value.eval("numpy"), value.eval("naive")
    assert_ulps(result, expected, ulps)
    assert np.asarray(result).dtype == np.asarray(expected).dtype
    return result


def test_the_example_of_the_dissertation():
    assert sort(wrap(np.array([2.5, 0.0, 1.0]))).numpy().tolist() == [0.0, 1.0, 2.5]


def test_a_batched_call(phi):
    a = wrap(MATRIX, "a")
    program = array(lambda i: sort(a[i]))
    assert "phi.extern @sort(" in phi(program)
    np.testing.assert_array_equal(agree(program), np.sort(MATRIX))
    smallest = array(lambda i: sort(a[i])[0] + 1)
    assert agree(smallest).tolist() == [2.0, 1.0]


def test_in_folds_and_under_several_indices():
    a = wrap(MATRIX)
    hypot = ext(np.hypot, ([Float, Float], Float))
    table = array(lambda i, j, k: hypot(a[i, j], a[k, j]))
    assert_ulps(agree(table, ulps=4), np.hypot(MATRIX[:, :, None], MATRIX.T[None, :, :]))
    longest = array(lambda i: fold(0.0, lambda j, acc: hypot(acc, a[i, j])))
    np.testing.assert_allclose(longest.eval(), np.linalg.norm(MATRIX, axis=1))


@pytest.mark.parametrize("shape", [(0, 3), (3, 0), (1, 1), (0, 0)])
def test_small_shapes(shape):
    a = wrap(np.ones(shape))
    assert agree(array(lambda i: sort(a[i]))).shape == shape


def test_vectors_of_the_size_of_a_result():
    a = wrap(MATRIX)

    def halves(i: Int) -> Vec[Float]:
        ordered = sort(a[i])
        return array(lambda j: ordered[j] / 2)

    np.testing.assert_array_equal(agree(array(halves)), np.sort(MATRIX) / 2)


def test_keywords_are_constants_and_make_other_functions(phi):
    a, total = wrap(MATRIX), ext(np.sum, ([Vec[Float]], Float))
    program = array(
        lambda i: total(a[i], axis=-1) + total(a[i], axis=-1) * total(a[i], axis=-1, initial=1)
    )
    text = phi(program)
    assert "@sum_(" in text
    assert "@sum__1(" in text
    assert "@sum__2(" not in text
    assert agree(program).tolist() == [6 + 6 * 7, 9 + 9 * 10]
    with pytest.raises(EinTypeError, match="the keyword axis is a constant, and this Int is stag"):
        total(a[0], axis=wrap(0))


def test_partial_functions():
    a = wrap(MATRIX)
    total = ext(partial(np.sum, axis=-1), ([Vec[Float]], Float))
    assert agree(array(lambda i: total(a[i]))).tolist() == [6.0, 9.0]


def test_different_functions_of_one_name_are_not_confused():
    def shifted(by):
        def shift(x):
            return x + by

        return ext(shift, ([Float], Float))

    @function
    def both(x: Float) -> tuple[Float, Float]:
        return shifted(1.0)(x), shifted(10.0)(x)

    assert both(0.0) == (1.0, 10.0)
    assert both.eval(0.0, backend="naive") == (1.0, 10.0)
    first, second = map(lambda by: function(lambda x: shifted(by)(x)), (2.0, 3.0))
    assert (first(0.0), second(0.0)) == (2.0, 3.0)


def test_a_function_with_the_name_of_its_extrinsic():
    program: Any = function(sort)
    assert program(MATRIX[0]).tolist() == [1.0, 2.0, 3.0]
    source = program.source()
    assert "# Given by the embedding program: sort_1\n" in source
    assert "return sort_1(x)" in source


def test_records_and_vectors_in_and_out():
    def polar(x, y):
        return Polar(np.hypot(x, y), np.arctan2(y, x))

    def flip(p):
        assert isinstance(p, Polar)
        return {"angles": -p.angle, "radii": p.radius}

    to_polar = ext(polar, ([Float, Float], Polar))
    flipped = ext(flip, ([Vec[Polar]], {"radii": vector_type(), "angles": vector_type()}))
    a = wrap(MATRIX)

    @function
    def rows():
        return array(lambda i: flipped(array(lambda j: to_polar(a[i, j], 1.0))))

    for backend in ("numpy", "naive"):
        result = rows.eval(backend=backend)
        assert list(result) == ["radii", "angles"]
        assert_ulps(result["radii"], np.hypot(MATRIX, 1.0))
        assert_ulps(result["angles"], -np.arctan2(1.0, MATRIX))


def test_widths():
    narrow = wrap(MATRIX[0].astype("float32"))
    power = ext(np.power, ([Float, Float], Float))
    assert agree(array(lambda i: power(narrow[i], 2)), ulps=4).dtype == np.float32
    wide = array(lambda i: power(narrow[i], wrap(2.0)))
    assert agree(wide, ulps=4).dtype == np.float64
    exact = ext(np.sqrt, ([scalar_type("f32")], scalar_type("f32")))
    assert agree(array(lambda i: exact(narrow[i]))).dtype == np.float32
    with pytest.raises(
        EinTypeError, match=r"argument 0 of the extrinsic sqrt is a Float .f64., not"
    ):
        exact(wrap(2.0))


def test_what_is_not_used_is_not_called():
    def fail(x):
        raise AssertionError

    @function
    def fixed(x):
        ext(fail, ([Float], Float))(x)
        return where(x > 0, x, -x)

    assert fixed(-2.0) == 2.0


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda x: wrong(3, ([Float], Float)), "ext: expected a function, as in ext"),
        (lambda x: wrong(np.sort, Float), "a signature is a list of argument types and a result"),
        (lambda x: wrong(np.sort, ([], 3, 4)), "a signature is a list of argument types and a res"),
        (lambda x: ext(np.sort, ([object()], Float)), "is not the type of a value of Ein"),
        (lambda x: sort(x[0]), "argument 0 of the extrinsic sort is annotated Vec.Float., but is"),
        (lambda x: sort(wrap([1, 2])), "but is a Vec.Int."),
        (lambda x: ext(np.sort, ([], Float))(x), "the extrinsic sort takes 0 arguments, got 1"),
        (lambda x: wrong(np.sort, ([Vec[Float]], Vec[Float]))(np.ones(3)), "wrap.. it"),
    ],
)
def test_mistakes(make, message):
    with pytest.raises(EinTypeError, match=message):
        make(wrap(MATRIX[0]))


@pytest.mark.parametrize(
    ("fun", "result", "message"),
    [
        (
            np.argsort,
            Vec[Float],
            "extrinsic @argsort: expected an array of float64 and rank 1, got",
        ),
        (
            lambda x: (x, x, x),
            tuple[Vec[Float], Float],
            "extrinsic lambda: expected a tuple.*got a t",
        ),
        (
            lambda x: Polar(x, x),
            Polar,
            "field 0: expected a scalar of float64, got an array of flo",
        ),
    ],
)
def test_wrong_results_name_the_function(fun, result, message):
    program = function(lambda x: ext(fun, ([Vec[Float]], result))(x))
    for backend in ("numpy", "naive"):
        with pytest.raises(EinTypeError, match=message):
            program.eval(MATRIX[0], backend=backend)


def test_how_it_is_shown():
    assert (
        repr(ext(np.sort, ([Vec[Float]], Vec[Int]))) == "<extrinsic sort(Vec[Float]) -> Vec[Int]>"
    )
