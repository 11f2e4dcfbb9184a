"""Records: tuples, dicts, named tuples and dataclasses wherever a value may stand."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pytest

from ein_mlir import EinTypeError, Float, Int, Vec, array, evaluate, fold, function, where, wrap


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


class Point(NamedTuple):
    x: Float
    y: Float


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
