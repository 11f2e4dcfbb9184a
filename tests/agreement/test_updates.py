"""Random updates of vectors and matrices in folds agree with the reference interpreter on NumPy."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ein_mlir import Function, array, fold, fold_while, function, where
from tests.agreement.comparison import given as as_given
from tests.agreement.comparison import leaves
from tests.agreement.mismatched_sizes import assert_same_errors
from tests.libraries import BACKENDS, library_for, on
from tests.selection import combinations, examples, sizes_on
from tests.threads import in_threads

Vector = Any
"""A staged vector of Ints."""

Position = Callable[[Any, Vector], Any]
Element = Callable[[Any, Vector, Vector, Any], Any]

Update = Callable[[Any], Any]

POSITIONS: dict[str, Position] = {
    "counter": lambda k, p: k,
    "before": lambda k, p: k - 1,
    "doubled": lambda k, p: 2 * k,
    "given": lambda k, p: p[k],
    "beyond": lambda k, p: p[k] - 3,
}
ELEMENTS: dict[str, Element] = {
    "constant": lambda k, v, w, old: 7,
    "before": lambda k, v, w, old: v[k - 1] + 1,
    "other": lambda k, v, w, old: w[k] * 2,
    "own": lambda k, v, w, old: v[k] + v[k + 1],
    "combined": lambda k, v, w, old: old + w[k],
}
CONDITIONS: dict[str, Callable[[Any, Any, Any, Any], Any]] = {
    "equal": lambda i, p, k, old: i == p,
    "swapped": lambda i, p, k, old: p == i,
    "shifted": lambda i, p, k, old: i + 1 == p + 1,
    "guarded": lambda i, p, k, old: (k > 0) & (i == p),
    "bounded": lambda i, p, k, old: (i == p) & (i > 1),
    "by element": lambda i, p, k, old: (i == p) & (old % 2 == 0),
}

Choice = tuple[str, str, str]
choices = st.tuples(*(st.sampled_from(list(t)) for t in (POSITIONS, ELEMENTS, CONDITIONS)))


def chosen(choice: Choice, i: Any, k: Any, p: Vector, v: Vector, w: Vector, old: Any) -> Any:
    position, element, condition = choice
    place = POSITIONS[position](k, p)
    return where(CONDITIONS[condition](i, place, k, old), ELEMENTS[element](k, v, w, old), old)


def in_sequence(on: Any, old: Any, one: Update, other: Update) -> Any:
    return one(other(old))


def guarded(on: Any, old: Any, one: Update, other: Update) -> Any:
    return where(on, old, one(other(old)))


def by_branch(on: Any, old: Any, one: Update, other: Update) -> Any:
    return where(on, one(old), other(old))


def guarded_again(on: Any, old: Any, one: Update, other: Update) -> Any:
    first = where(on, other(old), old)
    return where(on, where(old > 3, first, one(first)), where(on, 0, one(first)))


ORDERS = [in_sequence, guarded, by_branch, guarded_again]


def program(
    first: Choice, second: Choice, hands_on: str, order: Callable[..., Any] = in_sequence
) -> Function:
    """A fold over two vectors that updates the first, at one position or two, and carries both."""

    def run(v, w, p):
        def step(k, pair):
            x, y = pair

            def changed(i):
                one = partial(chosen, first, i, k, p, x, y)
                other = partial(chosen, second, i, k, p, x, y)
                return order(y[k] % 3 == k, x[i], one, other)

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
    st.sampled_from(ORDERS),
    st.integers(0, 4),
    st.lists(st.integers(-2, 6), max_size=4),
)
def test_vectors(
    first: Choice,
    second: Choice,
    hands_on: str,
    order: Callable[..., Any],
    size: int,
    p: list[int],
) -> None:
    v, w = np.arange(size) * 3, np.arange(size) - 5
    assert_same(program(first, second, hands_on, order), v, w, np.array(p, np.int64))


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


Matrix = Any
"""A staged matrix of Floats."""


def with_row(saved: Matrix, p: Any, row: Vector) -> Matrix:
    return array(lambda q, i: where(q == p, row[i], saved[q, i]))


def saved_steps(x: Matrix) -> Any:
    """Each step saves an array that it computes, and hands on another one."""

    def step(k: Any, state: Any) -> Any:
        y, saved, flags = state
        z = array(lambda i: y[i] * x[k, i] + 1.0)
        return array(lambda i: z[i] - y[i]), with_row(saved, k, z), with_row(flags, k, y)

    start = array(lambda i: x[0, i])
    zeros = array(lambda q, i: 0.0 * x[q, i])
    return fold((start, zeros, zeros), step, count=x.size())


def saved_backwards(x: Matrix) -> Any:
    """The last row first; the row that is saved is the one that is handed on."""

    def step(k: Any, state: Any) -> Any:
        y, saved = state
        z = array(lambda i: y[i] + x[x.size() - 1 - k, i])
        return z, with_row(saved, x.size() - 1 - k, z)

    return fold((array(lambda i: x[0, i]), x), step, count=x.size())


def saved_and_updated(x: Matrix) -> Any:
    """A row is updated after it was saved."""

    def step(k: Any, state: Any) -> Any:
        y, saved = state
        z = array(lambda i: y[i] + x[k, i])
        return array(lambda i: where(i == k, 7.0, z[i])), with_row(saved, k, z)

    return fold((array(lambda i: x[0, i]), x), step, count=x.size())


def saved_beyond(x: Matrix) -> Any:
    """The position may be out of bounds; then nothing is saved."""

    def step(k: Any, state: Any) -> Any:
        y, saved = state
        z = array(lambda i: y[i] + x[k, i])
        return z, with_row(saved, 2 * k - 1, z)

    return fold((array(lambda i: x[0, i]), x), step, count=x.size())


def updated_columns(x: Matrix) -> Any:
    """Rows of a computed matrix are updated, and read before at other positions."""
    a = array(lambda i, j: x[i, j] * 2.0)
    total = array(lambda i: a[i, 1] + a[i - 1, 0])
    return array(lambda i, j: where(j == 1, a[i, 0] + total[i], a[i, j]))


def updated_columns_of_steps(x: Matrix) -> Any:
    """The updated matrix is the next one of a loop, which reads the one before."""

    def step(k: Any, y: Matrix) -> Matrix:
        a = array(lambda i, j: y[i, j] + y[i, j - 1])
        return array(lambda i, j: where(j == k, a[i, 0] + y[i - 1, k], a[i, j]))

    return fold(x, step, count=3)


def updated_and_read(x: Matrix) -> Any:
    """The matrix before is read afterwards, or at rows of other steps."""
    a = array(lambda i, j: x[i, j] * 2.0)
    b = array(lambda i, j: where(j == 1, a[i, 0], a[i, j]))
    c = array(lambda i, j: x[i, j] + 1.0)
    d = array(lambda i, j: where(j == 0, c[i - 1, 1], c[i, j]))
    return b, array(lambda i: a[i, 1]), d


def rotated_columns(x: Matrix) -> Any:
    """Two or three columns of the matrix are replaced, from their old elements or new ones."""

    def step(k: Any, y: Matrix) -> Matrix:
        p, q = k, (3 * k + 1) % (x.size() + 1)

        def element(i: Any, j: Any) -> Any:
            other = where(j == q, y[i, p] + 0.5 * y[i, q], y[i, j])
            return where(j == p, 0.5 * y[i, p] - y[i, q], other)

        return array(element, size=y.shape)

    def chained(k: Any, y: Matrix) -> Matrix:
        def row(i: Any) -> Any:
            first = array(lambda j: where(j == k, y[i, j - 1], y[i, j]), size=y.size(1))
            second = array(lambda j: where(j == 1, first[k] + y[i, 0], first[j]))
            return array(lambda j: where(j == k - 1, second[1], second[j]))

        return array(row, size=y.size(0))

    return fold(x, step, count=x.size()), fold(x, chained, count=x.size())


def flattened_tree(x: Matrix) -> Any:
    """Loops with a condition go on with an array one after another, then the step updates it."""
    n = x.size()
    parents = array(lambda i: (x[i, 0] * 10.0).int() % (i + 1))

    def root(parents: Any, i: Any) -> Any:
        def step(state: Any) -> Any:
            parents, i = state
            above = parents[parents[i]]
            return array(lambda k: where(k == i, above, parents[k])), above

        return fold_while((parents, i), lambda state: state[0][state[1]] != state[1], step)

    def join(k: Any, parents: Any) -> Any:
        parents, one = root(parents, k)
        parents, other = root(parents, (k * 7) % n)
        return array(lambda i: where(i == one, other, parents[i]))

    return fold(parents, join, count=n)


def updated_and_saved(x: Matrix) -> Any:
    """The result of a loop in a step is updated, and saved as it was before."""

    def step(k: Any, state: Any) -> Any:
        y, before = state
        y = fold(y, lambda t, y: array(lambda i: where(i == y[t].int(), x[k, i], y[i])), count=k)
        return array(lambda i: where(i == k, before[i] + 1.0, y[i])), y

    start = array(lambda i: x[0, i])
    return fold((start, start), step, count=x.size())


def exchanged(x: Matrix) -> Any:
    """Steps exchange elements, and change the neighbours of one by their old values."""

    def exchange(k: Any, y: Any) -> Any:
        other = (k * 5 + 2) % x.size()
        first = array(lambda i: where(i == k, y[other], y[i]))
        return array(lambda i: where(i == other, y[k], first[i]))

    def spread(k: Any, y: Any) -> Any:
        def element(i: Any) -> Any:
            right = where(i == k + 1, y[i] + 0.25 * y[k], y[i])
            return where(i == k - 1, y[i] + 0.5 * y[k], where(i == k, 2.0 * y[k - 1], right))

        return array(element)

    start = array(lambda i: x[i, 0] + i.float())
    return fold(start, exchange, count=x.size()), fold(start, spread, count=x.size())


def merged(x: Matrix) -> Any:
    """Several elements get one value, some of them the same element, or none of the array."""

    def merge(k: Any, y: Any) -> Any:
        p, q = k * 3 % x.size() - 1, k * 2 % 5
        total = y[p] + 0.5 * y[q]
        return array(lambda i: where((i == p) | (i == q) | (i + 1 == k), total, y[i]))

    def spoil(k: Any, y: Any) -> Any:
        return array(lambda i: where((i == k) | (i == k * 2 % 5), y[i] * 0.5 + i.float(), y[i]))

    start = array(lambda i: x[i, 0] + i.float())
    return fold(start, merge, count=x.size()), fold(start, spoil, count=x.size())


def counted_by_elements(x: Matrix) -> Any:
    """Whether a step adds to elements depends on these: their state, or a bound of them."""
    key = array(lambda t: (t * 5 + 2) % 3, size=4 * x.size())
    start = array(lambda i: 0, size=x.size())

    def advance(t: Any, state: Any) -> Any:
        def element(i: Any) -> Any:
            return where((i == key[t]) & (t % 2 == state[i] % 2), state[i] + 1, state[i])

        return array(element, size=x.size())

    def fill(t: Any, total: Any) -> Any:
        def element(i: Any) -> Any:
            is_open = (i == key[t]) & (total[i] < 2)
            first = where(is_open, total[i] + 1, total[i])
            return where((i == key[t] + 1) & (total[i] < 5), first + 2, first)

        return array(element, size=x.size())

    def changed(t: Any, y: Any, condition: Any) -> Any:
        return array(
            lambda i, j: where(condition(i, j), y[i, j] + 0.5, y[i, j]),
            size=(x.size(), x.size(1)),
        )

    def row(t: Any, y: Any) -> Any:
        return changed(t, y, lambda i, j: (i == key[t]) & (y[i, 0] < 1.0))

    def one(t: Any, y: Any) -> Any:
        p, q = key[t], t % 2
        return changed(t, y, lambda i, j: (i == p) & (j == q) & (y[p, j] + y[i, q] < y[i, j] + 1.0))

    count = key.size()
    return (
        fold(start, advance, count=count),
        fold(start, fill, count=count),
        fold(start, lambda t, y: fold(y, lambda _, y: advance(t, y), count=2), count=count),
        fold(x, row, count=count),
        fold(x, one, count=count),
    )


def led_in_a_range(x: Matrix) -> Any:
    """Some steps change an array, and another value reads the changed one."""

    def step(k: Any, state: Any) -> Any:
        _, y, phase = state
        y = array(lambda i: where((k > 1) & (i == 2 * k - 2), x[k, 0], y[i]), size=y.size())
        return y[k], y, (phase + 2 * k) % 3

    def turn(k: Any, state: Any) -> Any:
        phase, y = state
        phase = (phase + 2 * k) % 3
        return phase, array(lambda i: where(i == k, x[k, 0] * where(phase > 1, 1.0, 0.5), y[i]))

    start = array(lambda i: x[i, 0] + i.float())
    return fold((x[0, 0], start, 1), step, count=3 * x.size()), fold((1, start), turn)


ROWS = (
    counted_by_elements,
    led_in_a_range,
    exchanged,
    merged,
    flattened_tree,
    updated_and_saved,
    saved_steps,
    saved_backwards,
    saved_and_updated,
    saved_beyond,
    rotated_columns,
    updated_columns,
    updated_columns_of_steps,
    updated_and_read,
)


@pytest.mark.parametrize(("program", "backend", "dtype"), combinations(ROWS))
def test_rows(program: Any, backend: str, dtype: str) -> None:
    """Rows are written where they belong, and matrices are overwritten, if nothing reads them."""
    compiled: Any = function(program)
    for shape in sizes_on(backend, ((2, 0), (1, 1), (4, 3), (5, 2), (3, 4)), program.__name__):
        x = np.random.default_rng(shape[0]).uniform(-1, 1, shape).astype(dtype)
        expected = leaves(compiled.eval(x, backend="naive"))
        found = leaves(compiled.eval(as_given(x, library_for(backend)), backend=backend))
        for own, each in zip(found, expected, strict=True):
            np.testing.assert_allclose(np.asarray(own), each, rtol=1e-5)
