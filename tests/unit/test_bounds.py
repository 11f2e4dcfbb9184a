"""``bounds="check"``: positions that are used and out of bounds, on every backend.

Each program is written twice: in Ein, and as loops of Python whose `at` raises an error. Python
evaluates one branch of a choice, and one operand of ``and`` where that decides.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ein_mlir import (
    EinIndexError,
    EinValueError,
    Float,
    Function,
    Int,
    Vec,
    array,
    concat,
    fold,
    fold_any,
    fold_sum,
    function,
    max,
    vjp,
    where,
)
from ein_mlir.compiler import compile
from ein_mlir.pipelines import CHECK_ALL_STEPS, CHECK_BOUNDS, run_pipeline
from ein_mlir.tools import ein_run
from tests import selection
from tests.libraries import BACKENDS, needs, on

EVERYWHERE = [*BACKENDS, "naive"]


class Out(Exception):
    """A position out of bounds in a loop of Python: its array, axis, position and size."""


def at(a: Any, *positions: int) -> Any:
    for axis, position in enumerate(positions):
        if not 0 <= position < a.shape[axis]:
            raise Out(axis, int(position), a.shape[axis])
    return a[tuple(positions)]


@dataclass(frozen=True)
class Case:
    """A program in Ein, and in Python."""

    ein: Callable[..., Any]
    python: Callable[..., Any]


def gathered(a: Vec[Float], p: Vec[Int]):
    return array(lambda i: a[p[i]])


def neighbours(a: Vec[Float], p: Vec[Int]):
    return array(lambda i: where(p[i] > 0, a[p[i] - 1], 0.0))


def short_circuit(a: Vec[Float], p: Vec[Int]):
    return array(lambda i: where((p[i] >= 0) & (p[i] < a.size()) & (a[p[i]] > 1.0), 1, 0))


def alternative(a: Vec[Float], p: Vec[Int]):
    return array(lambda i: where((p[i] < 0) | (a[p[i]] > 1.0), 1, 0))


def nested_choice(a: Vec[Float], p: Vec[Int]):
    return array(
        lambda i: where(p[i] < 0, -1.0, where(p[i] < 3, a[p[i]], where(p[i] > 5, 7.0, a[p[i] - 3])))
    )


def sums(a: Vec[Float], p: Vec[Int]):
    return array(lambda j: fold_sum(lambda i: a[p[i]] * a[j]))


def products_of_pairs(a: Vec[Float], p: Vec[Int]):
    return array(lambda i, j: a[p[i]] * a[p[j]])


def shared_row(a: Vec[Float], p: Vec[Int]):
    """A value in one body that only some steps of an inner loop use."""

    def row(i: Any):
        x = a[p[i]] + 1.0
        return array(lambda j: where((p[i] >= 0) & (p[j] > 1), x, 0.0))

    return array(row)


def before_the_loop(a: Vec[Float], p: Vec[Int]):
    first = a[p.size() - 1]
    return array(lambda i: p[i].float() + first)


def walk(a: Vec[Float], p: Vec[Int]):
    """A position that the steps of a fold carry."""
    return fold(
        {"at": 0, "sum": 0.0},
        lambda k, s: {"at": s["at"] + p[k], "sum": s["sum"] + a[s["at"]]},
        count=p.size(),
    )["sum"]


def guarded_walk(a: Vec[Float], p: Vec[Int]):
    return fold(
        {"at": 0, "sum": 0.0},
        lambda k, s: {
            "at": s["at"] + p[k],
            "sum": where(s["at"] >= 0, s["sum"] + a[s["at"]], s["sum"]),
        },
        count=p.size(),
    )["sum"]


def walks(a: Vec[Float], p: Vec[Int]):
    return array(
        lambda i: fold(p[i], lambda k, s: where(a[s] > 1.0, s + p[k], s), count=p.size()).float()
    )


def walks_beside(a: Vec[Float], p: Vec[Int]):
    """Marks of different indices, two of which folds carry."""
    n = p.size()

    def walked(start: Int) -> Float:
        return fold(start, lambda k, s: where(a[s] > 1.0, s + p[k], s), count=n).float()

    return array(lambda i, j: walked(p[i]) + walked(p[j] + 1) + a[p[j]] + a[p[i]], size=(n, n))


def composed(a: Vec[Float], p: Vec[Int]):
    """A reduction whose operation reads an array."""
    return p.reduce(0, lambda x, y: where(a[x] > a[y], x, y))


def some(a: Vec[Float], p: Vec[Int]):
    return fold_any(lambda i: a[p[i]] > 1.0)


def rows(a: Vec[Float], p: Vec[Int]):
    table = array(lambda i, j: a[i] + p[j].float())
    return array(lambda i: table[p[i], p[i]])


def joined(a: Vec[Float], p: Vec[Int]):
    both = concat(a, array(lambda i: p[i].float()))
    return array(lambda i: both[p[i] + a.size()])


def unused(a: Vec[Float], p: Vec[Int]):
    lost = array(lambda i: a[p[i] + 100])
    return lost.size() + p.size()


def shifted(a: Vec[Float], p: Vec[Int]):
    """A linear position, used under a condition on data."""
    return array(lambda i: where(a[i] > 1.0, a[i + p.size() - 2], 0.0))


def constant(a: Vec[Float], p: Vec[Int]):
    return array(lambda i: a[2] * p[i].float())


def written(a: Vec[Float], p: Vec[Int]):
    """A value that one element of an array takes."""

    def step(k: Any, b: Any):
        x = b[p[k]] + 1.0
        return array(lambda i: where(i == k, x, b[i]))

    return fold(a, step, count=p.size())


def written_below(a: Vec[Float], p: Vec[Int]):
    def step(k: Any, b: Any):
        x = b[p[k]]
        y = b[p[k] + 1]
        return array(lambda i: where(i <= k - 1, x, where(i != k, y, b[i])))

    return fold(a, step, count=p.size())


def triangle(a: Vec[Float], p: Vec[Int]):
    return fold(0.0, lambda j, s: s + fold_sum(lambda k: a[2 * k + 1 - j], count=j), count=p.size())


def chosen_rows(a: Vec[Float], p: Vec[Int]):
    """Arrays as branches of a choice."""
    rows = array(lambda i: a[p[i]])
    return where(p.size() > 2, rows, array(lambda i: 0.0, size=p.size()))


def taken_from(a: Vec[Float], p: Vec[Int]):
    """A guard that limits an index by an element."""

    def step(k: Any, b: Any):
        return array(lambda i: where(i >= p[k], b[i - p[k]], 0.0), size=b.size())

    return fold(a, step, count=p.size())


def between(a: Vec[Float], p: Vec[Int]):
    """Guards on both sides of an index, also by indices around it."""
    n = p.size()
    return array(
        lambda i, j: where((j <= i + 1) & (j > p[i]) & (j < p[0]), a[i - j + 1], 0.0), size=(n, n)
    )


def at_one(a: Vec[Float], p: Vec[Int]):
    return array(lambda i: where(i == p[i], a[i], where(i == 2, a[2 * i - 3], 1.0)), size=p.size())


def in_blocks(a: Vec[Float], p: Vec[Int]):
    """Quotients, remainders and products of indices, by divisors of several kinds."""

    def step(k: Any, b: Any):
        d = p[k]
        return array(lambda i: b[i % d % 3 + i // d * d] + b[(i + 1) // 2 * (i % 2)], size=b.size())

    return fold(a, step, count=p.size())


def wrapped(number: int) -> int:
    """A number modulo 2^64, as an Int."""
    return (number + 2**63) % 2**64 - 2**63


def python_taken_from(a: Any, p: Any) -> Any:
    b = a.copy()
    for least in map(int, p):
        b = np.array(
            [at(b, wrapped(i - least)) if i >= least else 0.0 for i in range(len(b))], float
        )
    return b


def python_between(a: Any, p: Any) -> Any:
    n = len(p)
    found = np.zeros((n, n))
    for i in range(n):
        for j in range(n):
            if j <= i + 1 and p[i] < j < p[0]:
                found[i, j] = at(a, i - j + 1)
    return found


def python_at_one(a: Any, p: Any) -> Any:
    found = np.ones(len(p))
    for i, place in enumerate(p):
        if i in (place, 2):
            found[i] = at(a, i if i == place else 2 * i - 3)
    return found


def python_in_blocks(a: Any, p: Any) -> Any:
    b = a
    for d in map(int, p):
        parts = [(i % d if d else 0, i // d if d else 0) for i in range(len(b))]
        b = np.array(
            [
                at(b, wrapped(rest % 3 + block * d)) + at(b, (i + 1) // 2 * (i % 2))
                for i, (rest, block) in enumerate(parts)
            ],
            float,
        )
    return b


def python_written(a: Any, p: Any) -> Any:
    b = a.copy()
    for k, place in enumerate(p):
        if k < len(b):
            b[k] = at(b, place) + 1.0
    return b


def python_written_below(a: Any, p: Any) -> Any:
    b = a.copy()
    for k, place in enumerate(p):
        old = b.copy()
        for i in range(len(b)):
            b[i] = at(old, place) if i < k else at(old, place + 1) if i != k else old[i]
    return b


def python_triangle(a: Any, p: Any) -> float:
    return sum((at(a, 2 * k + 1 - j) for j in range(len(p)) for k in range(j)), 0.0)


def python_walk(a: Any, p: Any, guarded: bool) -> float:
    place, total = 0, 0.0
    for step in p:
        if not guarded or place >= 0:
            total += at(a, place)
        place += step
    return total


def python_walks(a: Any, p: Any) -> Any:
    found = list[float]()
    for place in p:
        for step in p:
            if at(a, place) > 1.0:
                place = place + step
        found.append(float(place))
    return np.array(found)


def python_walks_beside(a: Any, p: Any) -> Any:
    def walked(place: int) -> float:
        for step in p:
            if at(a, place) > 1.0:
                place = place + step
        return float(place)

    n = len(p)
    found = np.zeros((n, n))
    for i, place in enumerate(p):
        for j, other in enumerate(p):
            first = walked(place)
            found[i, j] = first + walked(other + 1) + at(a, other) + at(a, place)
    return found


def python_rows(a: Any, p: Any) -> Any:
    table = a[:, None] + p.astype(float)
    return np.array([at(table, place, place) for place in p])


def python_shared_row(a: Any, p: Any) -> Any:
    found = np.zeros((len(p), len(p)))
    for i, place in enumerate(p):
        for j, other in enumerate(p):
            if place >= 0 and other > 1:
                found[i, j] = at(a, place) + 1.0
    return found


def python_nested(a: Any, x: int) -> float:
    if x < 0:
        return -1.0
    return at(a, x) if x < 3 else 7.0 if x > 5 else at(a, x - 3)


CASES = {
    "gathered": Case(gathered, lambda a, p: np.array([at(a, x) for x in p])),
    "neighbours": Case(
        neighbours, lambda a, p: np.array([at(a, x - 1) if x > 0 else 0.0 for x in p])
    ),
    "short circuit": Case(
        short_circuit,
        lambda a, p: np.array([int(x >= 0 and x < len(a) and at(a, x) > 1.0) for x in p], int),
    ),
    "alternative": Case(
        alternative, lambda a, p: np.array([int(x < 0 or at(a, x) > 1.0) for x in p], int)
    ),
    "nested choice": Case(nested_choice, lambda a, p: np.array([python_nested(a, x) for x in p])),
    "sums": Case(sums, lambda a, p: np.array([sum(at(a, x) * y for x in p) for y in a])),
    "products of pairs": Case(
        products_of_pairs,
        lambda a, p: np.array([at(a, x) * at(a, y) for x in p for y in p]).reshape(len(p), len(p)),
    ),
    "shared row": Case(shared_row, python_shared_row),
    "before the loop": Case(
        before_the_loop, lambda a, p: np.array([x + at(a, len(p) - 1) for x in p], float)
    ),
    "walk": Case(walk, lambda a, p: python_walk(a, p, False)),
    "guarded walk": Case(guarded_walk, lambda a, p: python_walk(a, p, True)),
    "walks": Case(walks, python_walks),
    "walks beside": Case(walks_beside, python_walks_beside),
    "some": Case(some, lambda a, p: bool(np.any([at(a, x) > 1.0 for x in p]))),
    "rows": Case(rows, python_rows),
    "joined": Case(
        joined,
        lambda a, p: np.array([at(np.concatenate([a, p]), x + len(a)) for x in p], float),
    ),
    "shifted": Case(
        shifted,
        lambda a, p: np.array(
            [at(a, i + len(p) - 2) if x > 1.0 else 0.0 for i, x in enumerate(a)], float
        ),
    ),
    "constant": Case(constant, lambda a, p: np.array([at(a, 2) * x for x in p], float)),
    "written": Case(written, python_written),
    "written below": Case(written_below, python_written_below),
    "triangle": Case(triangle, python_triangle),
    "chosen rows": Case(
        chosen_rows,
        lambda a, p: np.array([at(a, x) if len(p) > 2 else 0.0 for x in p], float),
    ),
    "taken from": Case(taken_from, python_taken_from),
    "between": Case(between, python_between),
    "at one": Case(at_one, python_at_one),
    "in blocks": Case(in_blocks, python_in_blocks),
    "unused": Case(unused, lambda a, p: 2 * len(p)),
}

CHECKED = {name: function(case.ein, bounds="check") for name, case in CASES.items()}

INPUTS = [
    ([], []),
    ([], [0]),
    ([2.0], []),
    ([2.0], [0]),
    ([2.0], [1]),
    ([2.0], [-1]),
    ([2.0, 3.0, 4.0], [0, 2, 1]),
    ([2.0, 3.0, 4.0], [0, 3, 1]),
    ([2.0, 3.0, 4.0], [2, 1, -1]),
    ([2.0, 0.5, 4.0, 1.0, 0.0], [1, 0, 0, 2]),
    ([2.0, 0.5, 4.0, 1.0, 0.0], [1, 4, 6, 2]),
    ([2.0, 0.5, 4.0, 1.0, 0.0], [1, -1, 1, 9]),
    ([2.0, 0.5, 4.0, 1.0, 0.0], [0, 0, 9, -9]),
    ([2.0, 0.5, 4.0, 1.0, 0.0], [2, 3, 1]),
    ([2.0, 0.5, 4.0, 1.0, 0.0], [4, -1, 0, 1]),
    ([2.0, 0.5], [2**62, 0]),
    ([2.0, 0.5], [-(2**63), 0]),
]


def compare(name: str, backend: str, a: list[float], p: list[int]) -> None:
    case, arrays = CASES[name], (np.array(a, float), np.array(p, int))
    try:
        expected = case.python(*arrays)
    except Out as out:
        axis, position, size = out.args
        with pytest.raises(EinIndexError) as error:
            CHECKED[name].eval(*arrays, backend=backend)
        text = f"position {position} is out of bounds for axis {axis} of "
        assert text in str(error.value)
        assert f"whose size is {size}" in str(error.value)
    else:
        found = np.asarray(CHECKED[name].eval(*arrays, backend=backend))
        np.testing.assert_allclose(found, expected)


@pytest.mark.parametrize("backend", EVERYWHERE)
@pytest.mark.parametrize("name", CASES)
def test_cases(name: str, backend: str):
    """JAX compiles for each shape: it takes every third input."""
    first = list(CASES).index(name) % 3
    for a, p in selection.some(INPUTS[first:]) if backend == "jax" else INPUTS:
        compare(name, backend, a, p)


@given(
    st.sampled_from(list(CASES)),
    st.lists(st.sampled_from([0.5, 2.0, 3.0]), max_size=5),
    st.lists(st.integers(-2, 6), max_size=5),
)
def test_random_positions(name: str, a: list[float], p: list[int]):
    compare(name, "numpy", a, p)


@pytest.mark.parametrize("backend", EVERYWHERE)
def test_reductions_with_positions(backend: str):
    """The steps of a reduction have no numbers."""
    f = function(composed, bounds="check")
    a = np.array([1.0, 5.0, 3.0])
    assert int(f.eval(a, np.array([2, 1, 0]), backend=backend)) == 1
    with pytest.raises(IndexError, match="position 3 is out of bounds for axis 0 of a, whose size"):
        f.eval(a, np.array([2, 3, 0]), backend=backend)


def message(f: Function[..., Any], *args: Any) -> str:
    with pytest.raises(IndexError) as error:
        f(*args)
    return str(error.value)


def test_the_message_names_array_position_size_steps_and_place():
    f = function(products_of_pairs, bounds="check")
    text = message(f, np.ones(4), np.array([1, 2, 5]))
    line = products_of_pairs.__code__.co_firstlineno + 1
    assert text == (
        "products_of_pairs: position 5 is out of bounds for axis 0 of a, whose size is 4, "
        f"where i = 0, j = 2 (at {__file__}:{line})"
    )


def test_the_first_position_in_the_order_of_the_program():
    @function(bounds="check")
    def f(a, p):
        return array(lambda i: fold_sum(lambda k: a[p[i, k]]))

    positions = np.array([[0, 1], [1, 9], [7, 0]])
    assert "position 9 " in message(f, np.ones(3), positions)
    assert "where i = 1, k = 1 " in message(f, np.ones(3), positions)


def test_axes_of_a_matrix_and_of_its_rows():
    @function(bounds="check")
    def f(m, i: Int, j: Int):
        row = m[i]
        return row[j]

    assert f(np.eye(2), 1, 1) == 1.0
    assert "position 2 is out of bounds for axis 0 of m, whose size is 2" in message(
        f, np.ones((2, 3)), 2, 0
    )
    assert "position -1 is out of bounds for axis 1 of m, whose size is 3" in message(
        f, np.ones((2, 3)), 0, -1
    )


def test_positions_from_the_end_are_those_that_the_program_has():
    @function(bounds="check")
    def f(m):
        return array(lambda i: m[i, -3]), m[-2][0]

    np.testing.assert_array_equal(f(np.eye(3))[0], [1.0, 0.0, 0.0])
    assert "position -3 is out of bounds for axis 1 of m, whose size is 2" in message(
        f, np.ones((3, 2))
    )
    assert "position -2 is out of bounds for axis 0 of m, whose size is 1" in message(
        f, np.ones((1, 3))
    )


def test_arrays_of_records():
    @function(bounds="check")
    def f(points: Vec[tuple[Float, Float]], p: Vec[Int]):
        return array(lambda i: points[p[i]])

    x, y = f((np.arange(3.0), np.ones(3)), np.array([2, 0]))
    np.testing.assert_array_equal((x, y), [[2.0, 0.0], [1.0, 1.0]])
    assert "axis 0 of points, whose size is 3" in message(
        f, (np.arange(3.0), np.ones(3)), np.array([2, 3])
    )


@pytest.mark.parametrize("backend", EVERYWHERE)
def test_positions_of_32_bits(backend: str):
    f = function(lambda a, p: array(lambda i: a[p[i]]), bounds="check")
    p = np.array([2, 0], np.int32)
    np.testing.assert_array_equal(np.asarray(f.eval(np.arange(3.0), p, backend=backend)), [2, 0])
    with pytest.raises(IndexError, match="position -1 is out of bounds"):
        f.eval(np.arange(3.0), p - 1, backend=backend)


PROVEN: dict[str, Callable[..., Any]] = {
    "own index": lambda a: array(lambda i: 2.0 * a[i]),
    "two indices": lambda a: array(lambda i, j: a[i] + a[j]),
    "counter": lambda a: fold_sum(lambda k: a[k]),
    "reversed": lambda a: array(lambda i: a[a.size() - 1 - i] + a[i]),
    "guard below": lambda a: array(lambda i: where(i > 0, a[i - 1], 0.0) + a[i]),
    "guard beyond": lambda a: array(lambda i: where(i + 1 < a.size(), a[i + 1], 0.0) + a[i]),
    "guard by equation": lambda a: array(lambda i: where(i == 0, 0.0, a[i - 1]) + a[i]),
    "guard of both sides": lambda a: array(
        lambda i: where((i > 0) & (i < a.size() - 1), a[i - 1] + a[i + 1], 0.0) + a[i]
    ),
    "guard by a negation": lambda a: array(
        lambda i: where((i < 2) | (i >= a.size() - 2), 0.0, a[i - 2] + a[i + 2]) + a[i]
    ),
    "guard of a loop": lambda a: array(
        lambda i: where(i > 0, fold_sum(lambda k: a[i - 1] * a[k]), 0.0) + a[i]
    ),
    "clipped": lambda a: array(lambda i: a[max_of(i - 1, 0)] + a[i]),
    "rotated": lambda a: array(lambda i: a[(i + 3) % a.size()] + a[i]),
    "halves": lambda a: array(lambda i: a[i // 2] + a[i]),
    "first, used in each step": lambda a: array_with_first(a),
    "shorter": lambda a: array(lambda i: a[i + 1] - a[i], size=max_of(a.size() - 1, 0)),
}


def max_of(x: Any, y: Any) -> Any:
    return where(x > y, x, y)


def array_with_first(a: Any) -> Any:
    first = a[0]
    return array(lambda i: a[i] - first)


@pytest.mark.parametrize("name", [name for name in PROVEN if name not in ("clipped", "shorter")])
def test_proven_positions_cost_nothing(name: str):
    clipped, checked = function(PROVEN[name]), function(PROVEN[name], bounds="check")
    assert checked.source(np.ones(3)) == clipped.source(np.ones(3))


@pytest.mark.parametrize("name", PROVEN)
@pytest.mark.parametrize("size", [0, 1, 2, 5])
def test_positions_in_bounds(name: str, size: int):
    a = np.arange(1.0, size + 1.0)
    found = function(PROVEN[name], bounds="check")(a)
    np.testing.assert_array_equal(found, function(PROVEN[name], backend="naive")(a))


def test_a_position_that_no_selection_uses_is_checked_once():
    """The first checks of linear positions ignore guards, for less time; an alarm corrects that."""
    f = function(shifted, bounds="check")
    a, p = np.array([2.0, 0.5, 0.5]), np.arange(3)
    np.testing.assert_array_equal(f(a, p), [0.5, 0.0, 0.0])
    np.testing.assert_array_equal(f(a, p), [0.5, 0.0, 0.0])
    assert "position 3 " in message(f, a[::-1].copy(), p)


def offset(a: Vec[Float], b: Vec[Float]):
    return array(lambda i: b[i] * a[i - 1 + b.size()])


def test_linear_positions_are_checked_outside_of_loops():
    assert ".any()" not in function(offset, backend="numpy", bounds="check").source()


def test_explain_names_the_checks():
    f = function(gathered, bounds="check")
    assert "a: position ... is checked, as it may be out of bounds (at " in f.explain()
    assert "checked" not in function(gathered).explain()


# Options ------------------------------------------------------------------------------------------


def test_the_default_clips():
    np.testing.assert_array_equal(function(gathered)(np.arange(3.0), np.array([9])), [2.0])


def test_the_environment(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("EIN_BOUNDS", "check")
    a, p = np.arange(3.0), np.array([9])
    with pytest.raises(IndexError, match="gathered: position 9 is out of bounds"):
        function(gathered)(a, p)
    np.testing.assert_array_equal(function(gathered, bounds="clip")(a, p), [2.0])
    monkeypatch.setenv("EIN_BOUNDS", "yes")
    with pytest.raises(EinValueError, match="EIN_BOUNDS: expected 'clip' or 'check', got 'yes'"):
        function(gathered)(a, p)


def test_an_unknown_choice():
    with pytest.raises(EinValueError, match="bounds: expected 'clip' or 'check', got 'raise'"):
        function(gathered, bounds="raise")(np.ones(1), np.array([0]))


TEXT = """
func.func @element(%x: !phi.vec<f64>, %k: i64) -> f64 {
  %e = phi.get %x[%k] : !phi.vec<f64>[i64]
  func.return %e : f64
}
"""


def test_the_option_of_the_compiler():
    checked = compile(TEXT, bounds="check")
    assert compile(TEXT)(np.ones(3), 5) == checked(np.ones(3), 2) == 1.0
    expected = (
        "element: position 5 is out of bounds for axis 0 of x, whose size is 3 (at <string>:3:3)"
    )
    with pytest.raises(IndexError) as error:
        checked(np.ones(3), 5)
    assert str(error.value) == expected
    with pytest.raises(IndexError):
        pickle.loads(pickle.dumps(checked))(np.ones(3), 5)


def test_the_option_of_ein_run(tmp_path: Any, capsys: pytest.CaptureFixture[str]):
    file, numbers = tmp_path / "element.mlir", tmp_path / "x.npy"
    file.write_text(TEXT)
    np.save(numbers, np.ones(3))
    ein_run.main([str(file), "--input", str(numbers), "5"])
    assert capsys.readouterr().out == "1.0\n"
    with pytest.raises(SystemExit):
        ein_run.main([str(file), "--bounds", "check", "--input", str(numbers), "5"])
    assert "position 5 is out of bounds for axis 0 of x" in capsys.readouterr().err


# Libraries ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("backend", on("torch", "jax"))
def test_arrays_of_a_library(backend: str):
    f = function(gathered, bounds="check")
    library: Any = pytest.importorskip("torch" if backend == "torch" else "jax.numpy")
    a, p = library.ones(3), library.asarray([0, 2, 1])
    assert f(a, p).shape == (3,)
    with pytest.raises(IndexError, match="position 3 is out of bounds"):
        f(a, p + 1)


@needs("torch")
def test_gradients_of_pytorch():
    import torch

    a = torch.ones(3, requires_grad=True)
    function(gathered, bounds="check")(a, torch.tensor([0, 2, 2])).sum().backward()
    assert a.grad is not None
    assert a.grad.tolist() == [1.0, 0.0, 2.0]


@needs("jax")
def test_transformations_of_jax():
    import jax
    import jax.numpy as jnp

    f = function(gathered, bounds="check")
    with jax.enable_x64(True):
        a, p = jnp.ones(3), jnp.asarray([0, 2, 2])
        assert jax.grad(lambda a: f(a, p).sum())(a).tolist() == [1.0, 0.0, 2.0]
        with pytest.raises(EinValueError, match="write bounds='clip' there"):
            jax.jit(f)(a, p)


def test_sizes_that_are_defined_later():
    """A size that is provably that of a loop, and is read after it."""

    def f(a: Vec[Float], m: Vec[Vec[Float]], p: Int):
        def g(a: Any, m: Any) -> Any:
            def total(i: Any, j: Any) -> Any:
                return fold_sum(lambda k: a[i] * m[k, i] * m[j, k] * a[k], count=0)

            return array(total, size=(max(p, 0).min(4), 1))

        values, backwards = vjp(g, a, m)
        return backwards(values)

    arguments = np.ones(3), np.ones((0, 3)), -1
    traced = function(f).phi(*arguments)
    for pipeline in (CHECK_BOUNDS, CHECK_ALL_STEPS):
        checked = run_pipeline(traced.clone(), pipeline)
        checked.verify()
        (da, _), is_out = compile(checked, "f", backend="naive")(*arguments)
        assert not np.any(da)
        assert not is_out
