"""Records: tuples, dicts, named tuples and dataclasses in place of values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Generic, NamedTuple, TypeVar

import numpy as np
import pytest

from ein_mlir import (
    EinTypeError,
    Float,
    Int,
    Vec,
    array,
    evaluate,
    fold,
    fold_sum,
    function,
    where,
    wrap,
)

S = TypeVar("S")
T = TypeVar("T")


@dataclass
class Dual:
    real: Float
    eps: Float

    def __mul__(self, other: Dual) -> Dual:
        return Dual(self.real * other.real, self.real * other.eps + self.eps * other.real)


@dataclass(frozen=True)
class Frozen:
    x: Int
    inner: Dual


@dataclass
class Pair(Generic[S, T]):
    first: S
    second: T


class Point(NamedTuple):
    x: Float
    y: Float


def of_arrays(real: Any, eps: Any) -> Any:
    """A ``Dual`` of host values, as programs take and return it."""
    return Dual(real, eps)


def test_elements_are_containers():
    table = array(lambda i: {"x": i, "y": i * i, "z": (i, i * i * i)}, size=10)
    assert list(table[4]) == ["x", "y", "z"]
    assert table[4]["y"].eval("naive") == 16
    assert table[4]["z"][1].eval("naive") == 64


def test_dataclasses_keep_their_operators():
    duals = array(lambda i: Dual(i.float(), wrap(1.0)), size=4)
    squares = array(lambda i: duals[i] * duals[i])
    assert isinstance(squares[1], Dual)
    result = squares.eval("naive")
    assert isinstance(result, Dual)
    np.testing.assert_array_equal(result.real, [0, 1, 4, 9])
    np.testing.assert_array_equal(result.eps, [0, 2, 4, 6])


def test_nested_records_through_every_combinator(v):
    start = Frozen(wrap(0), Dual(wrap(1.0), wrap(0.0)))

    def step(k: Int, state: Frozen) -> Frozen:
        assert isinstance(state, Frozen)
        return Frozen(state.x + k, where(v[k] > 0, Dual(v[k], state.inner.eps), state.inner))

    result = evaluate(fold(start, step), "naive")
    assert result == Frozen(np.int64(3), Dual(np.float64(4.0), np.float64(0.0)))  # pyright: ignore[reportArgumentType]


def test_named_tuples(v):
    points = array(lambda i: Point(v[i], -v[i]))
    assert isinstance(points[0], Point)
    assert points.eval("naive").y.tolist() == [-1.5, 2.0, -4.0]


def test_records_of_arrays_in_arrays(a):
    rows = array(lambda i: {"row": a[i], "first": a[i, 0]})
    assert rows[1]["row"][2].eval("naive") == 6.0
    result = rows.eval("naive")
    assert result["row"].shape == (3, 4)
    assert result["first"].shape == (3,)


def test_fields_are_named_in_the_program(phi):
    duals = wrap(Dual(np.ones(2), np.ones(2)))  # pyright: ignore[reportArgumentType]
    text = phi(array(lambda i: duals.real[i] + duals.eps[i]))
    assert "(%real: " in text
    assert "%eps: " in text


def test_a_record_taken_apart_and_put_together_is_itself(v):
    points = array(lambda i: (v[i], i))
    copied = array(lambda i: (points[i][0], points[i][1]))
    same = array(lambda i: points[i])
    assert same.expr.type is not None
    assert evaluate(copied, "naive")[1].tolist() == evaluate(same, "naive")[1].tolist()


def test_generic_dataclasses():
    @function
    def swap(pairs: Vec[Pair[Int, Vec[Float]]]) -> Vec[Pair[Vec[Float], Int]]:
        return array(lambda i: Pair(pairs[i].second, pairs[i].first))

    given: Any = Pair(np.arange(2), np.ones((2, 3)))
    for backend in ("numpy", "naive"):
        result = swap.eval(given, backend=backend)
        assert isinstance(result, Pair)
        assert result.first.shape == (2, 3)
        assert result.second.tolist() == [0, 1]
    with pytest.raises(
        EinTypeError, match=r"annotated Vec.Pair.Int, Vec.Float..., but is a Vec.Pai"
    ):
        swap(Pair(np.ones(2), np.ones((2, 3))))


def test_elements_of_reductions(v):
    duals = array(lambda i: Frozen(wrap(1), Dual(v[i], v[i] * v[i])))

    def merge(x: Frozen, y: Frozen) -> Frozen:
        return Frozen(x.x + y.x, x.inner * y.inner)

    one: Any = Frozen(0, Dual(1.0, 0.0))  # pyright: ignore[reportArgumentType]
    for backend in ("numpy", "naive"):
        result = evaluate(duals.reduce(one, merge), backend)
        assert isinstance(result, Frozen)
        assert (result.x, result.inner.real, result.inner.eps) == (3, -12.0, -42.0)


def test_branches_are_records_of_one_kind(v):
    chosen = array(lambda i: where(v[i] > 0, Point(v[i], wrap(0.0)), Point(wrap(0.0), v[i])))
    for backend in ("numpy", "naive"):
        result = chosen.eval(backend)
        assert result.x.tolist() == [1.5, 0.0, 4.0]
        assert result.y.tolist() == [0.0, -2.0, 0.0]


def test_arrays_of_records_are_arguments_and_results():
    @function
    def square(duals: Vec[Dual]) -> Vec[Dual]:
        return array(lambda i: duals[i] * duals[i])

    given = of_arrays(np.arange(3.0), np.ones(3))
    for backend in ("numpy", "naive"):
        once = square.eval(given, backend=backend)
        assert isinstance(once, Dual)
        twice = square.eval(once, backend=backend)
        assert twice.real.tolist() == [0.0, 1.0, 16.0]
        assert twice.eps.tolist() == [0.0, 4.0, 32.0]
    staged = wrap(given, like=Vec[Dual])
    assert square.eval(staged).eps.tolist() == [0.0, 2.0, 4.0]
    assert square.eval(given).eps.tolist() == [0.0, 2.0, 4.0]


def test_arrays_of_records_in_records_and_of_higher_rank():
    @function
    def dot(a: Vec[Vec[Pair[Float, Float]]], b: Pair[Vec[Dual], Vec[Float]]) -> Vec[Float]:
        def term(i: Int, k: Int) -> Float:
            return a[i, k].first * b.first[k].eps + a[i, k].second * b.second[k]

        return array(lambda i: fold_sum(lambda k: term(i, k)))

    matrix, vector = np.arange(6.0).reshape(2, 3), np.arange(3.0)
    a: Any = Pair(matrix, -matrix)
    b: Any = Pair(of_arrays(vector, vector), 2 * vector)
    for backend in ("numpy", "naive"):
        np.testing.assert_array_equal(dot.eval(a, b, backend=backend), -(matrix @ vector))
    assert "tuple<!phi.vec<tuple<f64, f64>>, !phi.vec<f64>>" in dot.ir("phi")
    np.testing.assert_array_equal(
        evaluate(dot(wrap(a, like=Vec[Vec[Pair]]), b)), -(matrix @ vector)
    )


def test_fields_of_arrays_of_records_have_the_same_size():
    @function
    def reals(duals: Vec[Dual]) -> Vec[Float]:
        return array(lambda i: duals[i].real)

    sizes = of_arrays(np.ones(3), np.ones(4))
    for backend in ("numpy", "naive"):
        with pytest.raises((ValueError, TypeError), match="size"):
            reals.eval(sizes, backend=backend)
    scalar = of_arrays(np.ones(3), 1.0)
    with pytest.raises(
        EinTypeError, match="the field eps represents an array of records of rank 1"
    ):
        reals(scalar)
    with pytest.raises(EinTypeError, match=r"annotated Vec.Dual., but is a Vec.tuple.Float, Float"):
        reals((np.ones(3), np.ones(3)))


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (
            lambda d: fold(d, lambda k, acc: of_arrays(acc.real, k), count=2),  # pyright: ignore[reportAttributeAccessIssue]
            "the accumulator acc.eps changes its type: Float before a step, Int after it",
        ),
        (
            lambda d: fold((d, 0), lambda k, acc: (Dual(acc[0].eps > 0, acc[0].eps), 1), count=2),
            "the accumulator acc[0].real changes its type: Float before a step, Bool after it",
        ),
        (
            lambda d: array(lambda i: d, size=2).reduce(Dual(wrap(True), d.eps), lambda x, y: x),
            "reduce: the elements.real are Float, but the identity is Bool",
        ),
        (
            lambda d: where(d.real > 0, d, Point(d.real, d.eps)),
            "where: the branches are different records: Dual(real: Float, eps: Float) and Point(",
        ),
        (
            lambda d: where(d.real > 0, {"x": d.real}, {"y": d.real}),
            "where: the branches are different records: {x: Float} and {y: Float}",
        ),
        (lambda d: wrap(d, like=Point), "wrap: the value is annotated Point, but is a Dual("),
    ],
)
def test_differences_name_the_field(make, message):
    with pytest.raises(EinTypeError) as error:
        make(Dual(wrap(1.0), wrap(2.0)))
    assert message in str(error.value)


def test_functions_take_and_give_records():
    @function(backend="naive")
    def scale(point: Point, by: dict[str, Float]) -> tuple[Float, Vec[Float]]:
        return point.x * by["k"], array(lambda i: point.y, size=2)

    x, y = scale(Point(2.0, 3.0), {"k": 4.0})  # pyright: ignore[reportArgumentType]
    assert x == 8.0
    assert y.tolist() == [3.0, 3.0]


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ((), "a record needs at least one field"),
        ({1: 2}, "the keys of a record are strings, not 1"),
        ({"x": "y"}, "not str"),
        ((1, None), "not None"),
    ],
)
def test_mistakes(value, message):
    with pytest.raises(EinTypeError) as error:
        array(lambda i: value, size=3)
    assert message in str(error.value)
