"""Folds that write elements in sequence: their conversion to comprehensions, and their meaning."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from ein_mlir import Float, Int, Vec, array, fold, fold_sum, function, where
from ein_mlir.dialects import phi
from ein_mlir.pipelines import PHI_SIMPLIFY, run_pipeline
from tests.libraries import BACKENDS
from tests.selection import examples


def written(z: Any, place: Callable[[Any], Any], value: Callable[..., Any], count: Any) -> Any:
    """``v[place(k)] = value(k, v)`` for each k below a count."""

    def step(k, v):
        return array(lambda i: where(i == place(k), value(k, v), v[i]), size=v.size())

    return fold(z, step, count=count)


def matrix(z: Any, first: Any, second: Any, place: Callable[..., Any], value: Any) -> Any:
    """``u[place(p, q)] = value(p, q, u)`` for each p and q."""

    def outer(p, u):
        def inner(q, v):
            def element(i, j):
                x, y = place(p, q)
                return where((i == x) & (j == y), value(p, q, v), v[i, j])

            return array(element, size=(v.size(0), v.size(1)))

        return fold(u, inner, count=second)

    return fold(z, outer, count=first)


def triangle(m: Any, value: Callable[..., Any]) -> Any:
    """``u[p, q] = value(p, q)`` for each q below p."""

    def outer(p, u):
        def inner(q, v):
            def element(i, j):
                return where((i == p) & (j == q), value(p, q), v[i, j])

            return array(element, size=(m.size(0), m.size(1)))

        return fold(u, inner, count=p)

    return fold(m, outer, count=m.size(0))


def rows(z: Any, m: Any, condition: Callable[[Any], Any]) -> Any:
    """``u[k] = 2 * m[k] + u[k]``, a row at a time, where a condition holds."""

    def step(k, u):
        def element(i, j):
            return where((i == k) & condition(k), 2.0 * m[k, j] + u[i, j], u[i, j])

        return array(element, size=(u.size(0), u.size(1)))

    return fold(z, step, count=z.size(0))


def columns(z: Any, value: Callable[..., Any]) -> Any:
    """``u[i, n - 1 - k] = value(i, k, u)`` for all rows i."""
    n = z.size(1)

    def step(k, u):
        def element(i, j):
            return where(j == n - 1 - k, value(i, k, u), u[i, j])

        return array(element, size=(u.size(0), n))

    return fold(z, step, count=n)


def two(z: Any, writes: Callable[..., Any], count: Any) -> Any:
    """``v[p] = x; v[q] = y`` in each step, for ``((p, x), (q, y)) = writes(k, v)``."""

    def step(k, v):
        (p, x), (q, y) = writes(k, v)
        w = array(lambda i: where(i == p, x, v[i]), size=z.size())
        return array(lambda i: where(i == q, y(w), w[i]), size=z.size())

    return fold(z, step, count=count)


def fields(z: Any, a: Any) -> Any:
    """Three fields of a record: two are written, the third is a sum that needs a loop."""
    n = z.size()

    def step(k, state):
        x, y, s = state
        return (
            array(lambda i: where(i == k, a[k] * 2.0, x[i]), size=n),
            array(lambda i: where(i == n - k, a[k] + y[i], y[i]), size=n),
            s * 0.5 + a[k],
        )

    return fold((z, z, 0.0), step, count=n)


WHOLE: dict[str, Callable[..., Any]] = {
    "each": lambda z, a, m, n, c: written(z, lambda k: k, lambda k, v: a[k] * 2.0, z.size()),
    "backwards": lambda z, a, m, n, c: written(
        z, lambda k: z.size() - 1 - k, lambda k, v: a[k] * 2.0, z.size()
    ),
    "more steps": lambda z, a, m, n, c: written(
        z, lambda k: k - 2, lambda k, v: a[k] + 1.0, z.size() + 3
    ),
    "own element": lambda z, a, m, n, c: written(
        z, lambda k: k, lambda k, v: v[k] * a[k], z.size()
    ),
    "next element": lambda z, a, m, n, c: written(
        z, lambda k: k, lambda k, v: v[k + 1] - a[k], z.size()
    ),
    "next element backwards": lambda z, a, m, n, c: written(
        z, lambda k: z.size() - k - 1, lambda k, v: v[z.size() - k - 3] - a[k], z.size()
    ),
    "conditional": lambda z, a, m, n, c: fold(
        z,
        lambda k, v: array(lambda i: where((i == k) & (a[k] > 0.0), a[k], v[i]), size=z.size()),
        count=z.size(),
    ),
    "sums": lambda z, a, m, n, c: written(
        z, lambda k: k, lambda k, v: fold_sum(lambda j: m[k, j]), z.size()
    ),
    "some": lambda z, a, m, n, c: written(z, lambda k: k, lambda k, v: a[k] * 2.0, n),
    "some from": lambda z, a, m, n, c: written(z, lambda k: k + c, lambda k, v: a[k] * 2.0, n),
    "some down from": lambda z, a, m, n, c: written(
        z, lambda k: c - k, lambda k, v: v[c - k] + a[k], n
    ),
    "inside": lambda z, a, m, n, c: written(
        z, lambda k: k + 1, lambda k, v: v[k + 2] + a[k], (z.size() - 2).max(0)
    ),
    "outer product": lambda z, a, m, n, c: matrix(
        m, m.size(0), m.size(1), lambda p, q: (p, q), lambda p, q, v: a[p] * z[q]
    ),
    "transposed": lambda z, a, m, n, c: matrix(
        m, m.size(1), m.size(0), lambda p, q: (q, p), lambda p, q, v: v[q, p] * z[q]
    ),
    "part of a matrix": lambda z, a, m, n, c: matrix(
        m, m.size(0), n.max(0), lambda p, q: (p, q + c), lambda p, q, v: a[p] * z[q]
    ),
    "triangle": lambda z, a, m, n, c: triangle(m, lambda p, q: a[p] / z[q]),
    "rows": lambda z, a, m, n, c: rows(m, m, lambda k: True),
    "some rows": lambda z, a, m, n, c: rows(m, m, lambda k: a[k] > 0.0),
    "columns": lambda z, a, m, n, c: columns(m, lambda i, k, u: a[i] * z[k]),
    "old columns": lambda z, a, m, n, c: columns(
        m, lambda i, k, u: u[i, m.size(1) - 1 - k] - u[i, m.size(1) - 2 - k]
    ),
    "exchanges": lambda z, a, m, n, c: two(
        z,
        lambda k, v: ((k, v[z.size() - 1 - k]), (z.size() - 1 - k, lambda w: v[k] + a[k])),
        z.size() // 2,
    ),
    "exchanges of halves": lambda z, a, m, n, c: two(
        z,
        lambda k, v: ((k, v[k + z.size() // 2]), (k + z.size() // 2, lambda w: v[k] * a[k])),
        z.size() // 2,
    ),
    "a row of each": lambda z, a, m, n, c: array(
        lambda i: written(z, lambda k: k, lambda k, v: m[i, k] * 2.0, n), size=m.size(0)
    ),
}
"""Programs that need no loop."""


def product(z: Any, m: Any) -> Any:
    """``u[i, j] += m[i, k] * m[j, k]`` for all i, j and k."""

    def first(i, u):
        def second(j, v):
            def third(k, w):
                def element(p, q):
                    return where((p == i) & (q == j), w[p, q] + m[i, k] * m[j, k], w[p, q])

                return array(element, size=(w.size(0), w.size(1)))

            return fold(v, third, count=m.size(1))

        return fold(u, second, count=m.size(0))

    return fold(z, first, count=m.size(0))


ELEMENTS: dict[str, Callable[..., Any]] = {
    "a sum": lambda z, a, m, n, c: written(z, lambda k: c, lambda k, v: v[c] + a[k], a.size()),
    "a sum of some": lambda z, a, m, n, c: fold(
        z,
        lambda k, v: array(
            lambda i: where((i == c) & (a[k] > 0.0), v[i] + a[k], v[i]), size=z.size()
        ),
        count=a.size(),
    ),
    "a product of matrices": lambda z, a, m, n, c: product(
        array(lambda i, j: a[i] * a[j], size=(m.size(0), m.size(0))), m
    ),
    "sums of rows": lambda z, a, m, n, c: fold(
        m,
        lambda k, u: array(
            lambda i, j: where(i == c, u[c, j] + m[k, j], u[i, j]), size=(m.size(0), m.size(1))
        ),
        count=m.size(0),
    ),
    "the last": lambda z, a, m, n, c: written(
        z, lambda k: c, lambda k, v: fold_sum(lambda j: m[k, j]), n
    ),
}
"""Programs that overwrite one element repeatedly."""

COMPARED: dict[str, Callable[..., Any]] = {
    "its own index": lambda z, a, m, n, c: fold(
        z, lambda k, v: array(lambda i: where(i == k, a[i] * 2.0, v[i])), count=n
    ),
    "rows of another": lambda z, a, m, n, c: fold(
        m, lambda k, u: array(lambda i, j: where(i == k, z[j] + u[i, j], u[i, j])), count=n
    ),
    "columns of another": lambda z, a, m, n, c: fold(
        m, lambda k, u: array(lambda i, j: where(j == k, z[i] * a[k], u[i, j])), count=n
    ),
    "fields of records": lambda z, a, m, n, c: fold(
        (z, a),
        lambda k, v: (
            array(lambda i: where(i == k, a[i] * 2.0, v[0][i])),
            array(lambda i: where((i == k) & (z[k] > 0.0), z[i] + v[1][i], v[1][i])),
        ),
        count=n,
    ),
}
"""Programs whose steps compare sizes that may not agree."""

LOOPS: dict[str, Callable[..., Any]] = {
    "element before": lambda z, a, m, n, c: written(
        z, lambda k: k, lambda k, v: v[k - 1] * 0.5 + a[k] * v[k], z.size()
    ),
    "exchanges that meet": lambda z, a, m, n, c: two(
        z,
        lambda k, v: ((k, v[k + z.size() // 2]), (k + z.size() // 2, lambda w: v[k])),
        z.size() // 2 + 1,
    ),
    "a clipped element of the other write": lambda z, a, m, n, c: two(
        z, lambda k, v: ((2 * k, a[k]), (k, lambda w: v[2 * k + 1])), a.size()
    ),
    "a clipped element between the writes": lambda z, a, m, n, c: two(
        z, lambda k, v: ((k, a[k]), (c - k, lambda w: w[k + 1])), a.size()
    ),
    "few": lambda z, a, m, n, c: written(z, lambda k: k + c, lambda k, v: a[k], 3),
    "blocks": lambda z, a, m, n, c: fold(
        z, lambda t, v: written(v, lambda k: t + k, lambda k, w: a[t] + z[k], n), count=2
    ),
}
"""Programs whose elements are changed in place."""


def made(body: Callable[..., Any]) -> Any:
    """A program of two vectors and a matrix, a count and an offset."""

    def program(z: Vec[Float], a: Vec[Float], m: Vec[Vec[Float]], n: Int, c: Int):
        return body(z, a, m, n, c)

    return function(program)


PROGRAMS = {name: made(body) for name, body in {**WHOLE, **ELEMENTS, **COMPARED, **LOOPS}.items()}
PROGRAMS["fields"] = made(lambda z, a, m, n, c: fields(z, a))


def folds(name: str) -> list[phi.FoldOp]:
    """The remaining folds of a program."""
    passes = PHI_SIMPLIFY[: PHI_SIMPLIFY.index("raise-writes") + 1]
    module = run_pipeline(PROGRAMS[name].phi().clone(), passes)
    return [op for op in module.walk() if isinstance(op, phi.FoldOp)]


@pytest.mark.parametrize("name", [*WHOLE, *COMPARED])
def test_loops_become_comprehensions(name: str) -> None:
    assert not folds(name)


@pytest.mark.parametrize("name", LOOPS)
def test_loops_that_stay(name: str) -> None:
    assert folds(name)


@pytest.mark.parametrize("name", ELEMENTS)
def test_one_element(name: str) -> None:
    """A sum has no loop; other computations for the element, or row, have a loop of their own."""
    left = folds(name)
    assert len(left) == (0 if name.startswith("a ") else 1)
    assert all(phi.rank_of(op.result.type) == int("rows" in name) for op in left)


def test_fields_are_separate() -> None:
    assert len(folds("fields")) == 1


Floats = st.floats(-9, 9, width=32) | st.sampled_from([float("nan"), float("inf"), 0.0, -0.0])


@st.composite
def arguments(draw: st.DrawFn) -> tuple[Any, ...]:
    size, width = draw(st.integers(0, 6)), draw(st.integers(0, 4))
    count, offset = draw(st.integers(-1, 9)), draw(st.integers(-3, 8))
    others = draw(st.integers(0, 4)) if draw(st.booleans()) else size
    z, a = (draw(st.lists(Floats, min_size=n, max_size=n)) for n in (size, others))
    values = draw(st.lists(Floats, min_size=size * width, max_size=size * width))
    m = np.array(values, np.float64).reshape(size, width)
    return np.array(z, np.float64), np.array(a, np.float64), m, count, offset


def outcome(name: str, args: tuple[Any, ...], backend: str) -> Any:
    """The results of a program, as arrays; or a value for its error."""
    try:
        result = PROGRAMS[name].eval(*args, backend=backend)
    except ValueError:
        return "error"
    return [np.asarray(each) for each in (result if isinstance(result, tuple) else (result,))]


@pytest.mark.one_turn
@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("name", PROGRAMS)
@settings(max_examples=examples(12, is_drawn=True))
@given(args=arguments())
@example(args=(np.zeros(0), np.zeros(1), np.zeros((0, 0)), 1, 0))
def test_any_values(args: tuple[Any, ...], name: str, backend: str) -> None:
    expected, actual = outcome(name, args, "naive"), outcome(name, args, backend)
    assert (expected == "error") == (actual == "error")
    if expected != "error":
        for ours, theirs in zip(actual, expected, strict=True):
            assert ours.dtype == theirs.dtype
            np.testing.assert_allclose(ours, theirs, rtol=1e-12)


def gradient_program(z: Vec[Float], a: Vec[Float], n: Int) -> Vec[Float]:
    return written(z, lambda k: k + 2, lambda k, v: a[k].sqrt(), n)


def test_gradients_of_what_is_not_written() -> None:
    """An infinite derivative of a value that no step computes is harmless."""
    jax = pytest.importorskip("jax")
    program = function(gradient_program)

    def total(a: Any) -> Any:
        return program.eval(0.0 * a, a, 2, backend="jax").sum()

    a = jax.numpy.array([4.0, 4.0, 0.0, 0.0, 0.0])
    np.testing.assert_array_equal(jax.grad(total)(a), [0.25, 0.25, 0.0, 0.0, 0.0])
