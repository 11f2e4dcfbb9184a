"""Loops that read and write elements of large arrays in each step: JAX copies none of them."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

from ein_mlir import Float, Int, Vec, array, fold, fold_while, function, where
from tests.agreement.comparison import assert_call_agrees
from tests.libraries import needs
from tests.selection import combinations

Vector = Vec[Float]
Matrix = Vec[Vec[Float]]
Ints = Vec[Int]

COPY = re.compile(r"= \w+\[\d{3,}\S*\]\S* copy\(")
"""A copy of an array of a hundred elements or more, in XLA's text."""


def replaced(v: Any, p: Int, x: Any) -> Any:
    return array(lambda i: where(i == p, x, v[i]))


@function
def rewritten(v: Vector, p: Ints, q: Ints) -> Vector:
    """Elements that a step has written are read and overwritten in it."""

    def step(t: Int, s: Vector) -> Vector:
        a = replaced(s, p[t], s[q[t]] * 0.5 + 1.0)
        b = replaced(a, q[t], a[p[t]] + a[(p[t] + q[t]) % v.size()])
        return replaced(b, t, b[q[t]] * 0.25)

    return fold(v, step, count=p.size())


@function
def spread(v: Vector, p: Ints, q: Ints) -> Vector:
    """An element is read after the first of three updates in the order of the program."""

    def step(t: Int, s: Vector) -> Vector:
        e = s[p[t]] * 0.25

        def share(i: Int) -> Float:
            return where(i == p[t] + 1, e, where(i == q[t], e * 0.5, where(i == t, -e, 0.0)))

        return array(lambda i: s[i] + share(i))

    return fold(v, step, count=p.size())


@function
def counted(v: Vector, p: Ints, q: Ints) -> Int:
    """Inversions by a tree of counts: one loop reads it, and an independent one updates it."""
    n = v.size()

    def add(tree: Ints, i: Int) -> Ints:
        def one(s: tuple[Ints, Int]) -> tuple[Ints, Int]:
            counts, k = s
            return replaced(counts, k, counts[k] + 1), k + (k & -k)

        return fold_while((tree, i), lambda s: s[1] <= n, one, limit=64)[0]

    def total(tree: Ints, i: Int) -> Int:
        def one(s: tuple[Int, Int]) -> tuple[Int, Int]:
            found, k = s
            return found + tree[k], k - (k & -k)

        return fold_while((0, i), lambda s: s[1] > 0, one, limit=64)[0]

    def step(t: Int, s: tuple[Ints, Int]) -> tuple[Ints, Int]:
        tree, found = s
        return add(tree, p[t] + 1), found + t - total(tree, p[t] + 1)

    return fold((array(lambda i: 0, size=n + 1), 0), step, count=p.size())[1]


@function
def chosen(v: Vector, p: Ints, q: Ints) -> tuple[Vector, Vector]:
    """One of two arrays is written, by elements of both."""

    def step(t: Int, s: tuple[Vector, Vector]) -> tuple[Vector, Vector]:
        a, b = s
        c = a[p[t]] < b[p[t]]
        return (
            array(lambda i: where(c & (i == q[t]), b[p[t]], a[i])),
            array(lambda i: where(~c & (i == q[t]), a[p[t]], b[i])),
        )

    return fold((v, array(lambda i: 1.0 - v[i])), step, count=p.size())


PROGRAMS = [rewritten, spread, counted, chosen]
TOLERANCE = {"float64": 1e-12, "float32": 1e-4}


def inputs(n: int, dtype: str) -> tuple[Any, ...]:
    rng = np.random.default_rng(0)
    return rng.random(n).astype(dtype), rng.integers(0, max(n, 1), n), rng.integers(0, max(n, 1), n)


@pytest.mark.parametrize(("program", "backend", "dtype"), combinations(PROGRAMS))
def test_steps_agree(program: Any, backend: str, dtype: str) -> None:
    for n in (0, 1, 2, 17, 40):
        assert_call_agrees(program, inputs(n, dtype), backend, TOLERANCE)


@function
def turned(v: Matrix, w: Matrix) -> tuple[Matrix, Matrix]:
    """The two next rows have a loop of their own, which reads one of them at other positions."""
    n, size = v.size(), (v.size(), 3)

    def step(_: Int, s: tuple[Matrix, Matrix]) -> tuple[Matrix, Matrix]:
        x, y = s
        new = array(
            lambda i, c: y[i, (c + 1) % 3] - x[i, c] / (1.0 + x[i, 0] ** 2.0).sqrt(), size=size
        )
        return array(lambda i, c: x[i, c] + new[i, c], size=size), new

    start = array(lambda i, c: v[i, c] + 0.0, size=size), array(lambda i, c: w[i, c], size=size)
    return fold(start, step, count=n)


@pytest.mark.parametrize(("program", "backend", "dtype"), combinations([turned]))
def test_rows_that_are_read_are_not_overwritten(program: Any, backend: str, dtype: str) -> None:
    rng = np.random.default_rng(0)
    for n in (0, 1, 2, 7):
        arguments = rng.random((n, 3)).astype(dtype), rng.random((n, 3)).astype(dtype)
        assert_call_agrees(program, arguments, backend, TOLERANCE)


@needs("jax")
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda each: each.__name__)
def test_jax_copies_no_array_in_steps(program: Any) -> None:
    import jax

    arguments = inputs(300, "float32")
    namespace = dict[str, Any]()
    exec(program.source(*arguments, backend="jax"), namespace)
    with jax.enable_x64(True):
        compiled = jax.jit(namespace[program.__name__]).lower(*arguments).compile()
    assert len(COPY.findall(compiled.as_text() or "")) <= 1, (
        "the argument is copied, and nothing else"
    )


@function
def inversions(rank: Ints) -> Int:
    """A tree of counts that a loop reads, and another one then writes, in the order of the text."""
    n = rank.size()

    def counted(t: Ints, p: Int) -> Ints:
        def up(s: Any) -> Any:
            return replaced(s[0], s[1], s[0][s[1]] + 1), s[1] + (s[1] & -s[1])

        return fold_while((t, p), lambda s: s[1] <= n, up)[0]

    def total(t: Ints, p: Int) -> Int:
        def down(s: Any) -> Any:
            return s[0] + t[s[1]], s[1] - (s[1] & -s[1])

        return fold_while((0, p), lambda s: s[1] > 0, down)[0]

    def step(i: Int, s: Any) -> Any:
        t, count = s
        return counted(t, rank[i] + 1), count + i - total(t, rank[i] + 1)

    return fold((array(lambda k: 0, size=n + 1), 0), step, count=n)[1]


def test_numpy_reads_before_it_writes() -> None:
    for n in (0, 1, 2, 7):
        rank = np.random.default_rng(0).permutation(n)
        pairs = sum(int(rank[i] > rank[j]) for j in range(n) for i in range(j))
        assert inversions(rank) == pairs
    assert ".copy()" not in inversions.source(np.arange(3)).split("for i ")[1]
