"""Random updates of vectors and matrices in folds agree with the reference interpreter on NumPy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ein_mlir import Function, array, fold, function, where
from tests.agreement.comparison import given as as_given
from tests.agreement.comparison import leaves
from tests.agreement.mismatched_sizes import assert_same_errors
from tests.libraries import BACKENDS, library_for, on
from tests.selection import examples
from tests.threads import in_threads

Vector = Any
"""A staged vector of Ints."""

Position = Callable[[Any, Vector], Any]
Element = Callable[[Any, Vector, Vector], Any]

POSITIONS: dict[str, Position] = {
    "counter": lambda k, p: k,
    "before": lambda k, p: k - 1,
    "doubled": lambda k, p: 2 * k,
    "given": lambda k, p: p[k],
    "beyond": lambda k, p: p[k] - 3,
}
ELEMENTS: dict[str, Element] = {
    "constant": lambda k, v, w: 7,
    "before": lambda k, v, w: v[k - 1] + 1,
    "other": lambda k, v, w: w[k] * 2,
    "own": lambda k, v, w: v[k] + v[k + 1],
}
CONDITIONS: dict[str, Callable[[Any, Any, Any], Any]] = {
    "equal": lambda i, p, k: i == p,
    "swapped": lambda i, p, k: p == i,
    "shifted": lambda i, p, k: i + 1 == p + 1,
    "guarded": lambda i, p, k: (k > 0) & (i == p),
    "bounded": lambda i, p, k: (i == p) & (i > 1),
}

Choice = tuple[str, str, str]
choices = st.tuples(*(st.sampled_from(list(t)) for t in (POSITIONS, ELEMENTS, CONDITIONS)))


def chosen(choice: Choice, i: Any, k: Any, p: Vector, v: Vector, w: Vector, old: Any) -> Any:
    position, element, condition = choice
    place = POSITIONS[position](k, p)
    return where(CONDITIONS[condition](i, place, k), ELEMENTS[element](k, v, w), old)


def program(first: Choice, second: Choice, hands_on: str) -> Function:
    """A fold over two vectors that updates the first, at one position or two, and carries both."""

    def run(v, w, p):
        def step(k, pair):
            x, y = pair

            def changed(i):
                inner = chosen(second, i, k, p, x, y, x[i])
                return chosen(first, i, k, p, x, y, inner)

            new = array(changed, size=v.size())
            return {"new": (new, y), "old": (new, x), "swapped": (y, new)}[hands_on]

        return fold((v, w), step, count=p.size())

    return function(run)


def matrix_program(first: Choice, second: Choice, rows: bool, columns: bool) -> Function:
    """A fold over a matrix that updates an element, a row or a column of it."""

    def run(m, w, p):
        def step(k, x):
            def changed(i, j):
                at_row = i == POSITIONS[first[0]](k, p)
                at_column = j == POSITIONS[second[0]](k, p)
                is_there = at_row if rows else at_column
                if rows and columns:
                    is_there = at_column & at_row
                return where(is_there, x[k, j] + w[i] + k, x[i, j])

            return array(changed)

        return fold(m, step, count=p.size())

    return function(run)


def assert_same(run: Function, *arguments: Any) -> None:
    """Two calls agree with the interpreter, return fresh arrays, and change no argument."""
    copies = [np.copy(argument) for argument in arguments]
    expected = leaves(run.eval(*arguments, backend="naive"))
    results = [leaves(run.numpy(*arguments)) for _ in range(2)]
    for found in results:
        for a, e in zip(found, expected, strict=True):
            np.testing.assert_array_equal(a, e, strict=True)
    arrays = [*arguments, *(np.asarray(a) for found in results for a in found)]
    for number, one in enumerate(arrays):
        for other in arrays[number + 1 :]:
            assert not np.shares_memory(one, other)
    for argument, copy in zip(arguments, copies, strict=True):
        np.testing.assert_array_equal(argument, copy)


@settings(max_examples=examples(60))
@given(
    choices,
    choices,
    st.sampled_from(["new", "old", "swapped"]),
    st.integers(0, 4),
    st.lists(st.integers(-2, 6), max_size=4),
)
def test_vectors(first: Choice, second: Choice, hands_on: str, size: int, p: list[int]) -> None:
    v, w = np.arange(size) * 3, np.arange(size) - 5
    assert_same(program(first, second, hands_on), v, w, np.array(p, np.int64))


@settings(max_examples=examples(40))
@given(
    choices,
    choices,
    st.sampled_from([(True, False), (False, True), (True, True)]),
    st.tuples(st.integers(0, 3), st.integers(0, 3)),
    st.lists(st.integers(-2, 4), max_size=3),
)
def test_matrices(
    first: Choice, second: Choice, axes: tuple[bool, bool], shape: tuple[int, int], p: list[int]
) -> None:
    m = np.arange(shape[0] * shape[1]).reshape(shape)
    run = matrix_program(first, second, *axes)
    assert_same(run, m, np.arange(shape[0]) + 10, np.array(p, np.int64))


@pytest.mark.parametrize("backend", on("naive", "numpy", "torch", "jax", "native"))
def test_sizes_are_compared(backend: str) -> None:
    """If an element of another vector replaces one, both vectors have the same size."""

    @function
    def taken(v: Vector, w: Vector, p: Vector) -> Any:
        return array(lambda i: where(i == p[0], w[i], v[i]))

    v, w, p = np.arange(4), np.arange(3), np.array([1])
    with pytest.raises(ValueError, match=r"index i: size of w .* and size of v .*: 3 != 4"):
        taken.eval(v, w, p, backend=backend)


def test_threads_share_nothing() -> None:
    run = program(("counter", "before", "equal"), ("given", "own", "equal"), "new")
    p = np.arange(200) % 50
    inputs = [(np.arange(50) + k, np.arange(50) - k, p) for k in range(2)]
    expected = [leaves(run.numpy(*values)) for values in inputs]
    found: dict[int, list[Any]] = {}

    def call(k: int) -> None:
        for _ in range(20):
            found[k] = leaves(run.numpy(*inputs[k]))

    in_threads(call, 2)
    for k, values in enumerate(expected):
        for a, e in zip(found[k], values, strict=True):
            np.testing.assert_array_equal(a, e)


def replaced_element(v: Vector, w: Vector, k: Any) -> Any:
    return array(lambda i: where(i != k, v[i], w[i]))


def replaced_elements(v: Vector, w: Vector, k: Any) -> Any:
    def step(t: Any, u: Vector) -> Any:
        return array(lambda i: where(i != t, u[i], w[i]))

    return fold(v, step, count=k)


def chosen_updates(v: Vector, w: Vector, k: Any) -> Any:
    a = array(lambda i: where(i == 0, 5, v[i]))
    return array(lambda i: where(k > 1, a[i], v[i]) + w[i] - w[i])


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("program", [replaced_element, replaced_elements, chosen_updates])
def test_sizes_that_only_the_replaced_elements_compare(program: Any, backend: str) -> None:
    """An update of one element needs no sizes; they are compared nevertheless."""
    compiled: Any = function(program)
    arguments = [np.arange(4), np.arange(4, 8), 2]
    expected = compiled.eval(*arguments, backend="naive")
    own = [as_given(each, library_for(backend)) for each in arguments]
    np.testing.assert_array_equal(np.asarray(compiled.eval(*own, backend=backend)), expected)
    assert_same_errors(compiled, arguments, backend)
