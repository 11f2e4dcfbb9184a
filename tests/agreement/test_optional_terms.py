"""Sums with terms that are chosen at a position: ``s[i] + where(i == p, x, 0)``."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ein_mlir import Bool, Float, Int, Vec, array, floor, fold, fold_sum, function, where
from tests.agreement.comparison import assert_call_agrees
from tests.libraries import INSTALLED
from tests.selection import combinations, sizes_on

Vector = Vec[Float]
Matrix = Vec[Vec[Float]]
Ints = Vec[Int]


@function
def exchanges(v: Vector, p: Ints, q: Ints, w: Vector) -> Vector:
    """Two elements change in each step, which may be one."""

    def step(t: Int, s: Vector) -> Vector:
        d = (s[p[t]] - s[q[t]]) * w[t]
        return array(lambda i: s[i] - where(i == p[t], d, 0.0) + where(i == q[t], d, 0.0))

    return fold(v, step, count=w.size())


@function
def diffusion_of_errors(a: Matrix) -> Matrix:
    """Floyd and Steinberg's: four neighbours of an element take parts of its error."""
    rows, columns = a.size(0), a.size(1)

    def row(y: Int, g: Matrix) -> Matrix:
        def pixel(x: Int, h: Matrix) -> Matrix:
            e = h[y, x] - floor(h[y, x])
            return array(
                lambda i, j: (
                    where((i == y) & (j == x), floor(h[i, j]), h[i, j])
                    + where((i == y) & (j == x + 1), e * 0.4375, 0)
                    + (
                        where((j == x - 1) & (i == y + 1), e * 0.1875, 0)
                        + where((i == y + 1) & (j == x), e * 0.3125, 0)
                    )
                    + where((i == y + 1) & (j == x + 1), e * 0.0625, 0)
                )
            )

        return fold(g, pixel, count=columns)

    return fold(a, row, count=rows)


@function
def deposits(v: Vector, p: Ints, q: Ints, w: Vector) -> Vector:
    """A particle's weight at two neighbours, in a loop over the particles."""
    return fold(
        v,
        lambda t, s: array(
            lambda i: s[i] + where(i == p[t], 1.0 - w[t], 0.0) + where(i == p[t] + 1, w[t], 0.0)
        ),
        count=w.size(),
    )


@function
def counts(v: Vector, p: Ints, q: Ints, w: Vector) -> Ints:
    """Ints, Bools as numbers, and a difference."""
    return array(
        lambda i: fold_sum(
            lambda t: where(p[t] == i, 2, 0) + (q[t] == i).int() - where(q[t] == i + 1, 3, 0)
        ),
        size=v.size(),
    )


@function
def alternatives(v: Vector, p: Ints, q: Ints, w: Vector) -> Vector:
    """The second weight is taken where the first position is another one; a term for all."""
    return array(
        lambda i: fold_sum(
            lambda t: where(i == p[t], w[t], where(i == q[t], 2.0 * w[t], 0.0)) + w[t] * v[i]
        )
    )


@function
def ranks(v: Vector, p: Ints, q: Ints, w: Vector) -> Vector:
    """Elements before, and half of the equal ones."""
    return array(
        lambda i: fold_sum(lambda t: where(p[t] < i, 1.0, where(p[t] == i, 0.5, 0.0))),
        size=v.size(),
    )


@function
def greater_pairs(v: Vector, p: Ints, q: Ints, w: Vector) -> Float:
    """The statistic of Mann and Whitney: pairs in order, equal ones by half."""

    def pair(i: Int, j: Int) -> Float:
        x, y = floor(v[i]), floor(w[j])
        return where(x > y, 1.0, where(x == y, 0.5, 0.0))

    return fold_sum(pair, count=(v.size(), w.size()))


@function
def marks(on: Vec[Bool], p: Ints, q: Ints) -> Vec[Bool]:
    """Comparisons as terms, where a step depends on the marks before."""

    def step(t: Int, s: Vec[Bool]) -> Vec[Bool]:
        r = array(lambda i: s[i] | (i == where(s[q[t]], p[t], q[t])))
        return array(lambda i: (i != where(r[p[t]], q[t], p[t])) & r[i])

    return fold(on, step, count=p.size())


@function
def flags(on: Vec[Bool], p: Ints, q: Ints) -> Vec[Bool]:
    """Bools are set, and taken back."""
    return fold(
        on,
        lambda t, s: array(lambda i: (s[i] | (i == p[t])) & where(i == q[t], s[0], True)),
        count=p.size(),
    )


@function
def walk(on: Vec[Bool], p: Ints, q: Ints) -> tuple[Any, Any]:
    """Marks and visits of a walk on a grid, whose steps depend on both."""
    n = on.size()

    def step(t: Int, state: Any) -> Any:
        marks, visits, r, c = state
        marks = array(lambda i, j: marks[i, j] ^ ((i == r) & (on[j] & (j == c))), size=(n, n))
        visits = array(lambda i, j: visits[i, j] + ((i == c) & (j == r)).float(), size=(n, n))
        other = where(marks[c, r] | (visits[r, c] > 1.0), p[t], q[t])
        return marks, visits, other, where((r + c) % 2 == 0, r, c)

    nothing = array(lambda i, j: on[i] & ~on[j]), array(lambda i, j: 0.0, size=(n, n))
    return fold((*nothing, 0, 0), step, count=p.size())[:2]


STEPS = [exchanges, deposits, counts, alternatives, ranks, greater_pairs]
RNG = np.random.default_rng(0)
SIZES = [(0, 3), (1, 0), (1, 4), (5, 9)]
TOLERANCE = {"float64": 1e-13, "float32": 1e-5}


def positions(n: int, steps: int) -> Any:
    return RNG.integers(-2, n + 2, steps)


@pytest.mark.parametrize(("program", "backend", "dtype"), combinations(STEPS))
def test_agreement(program: Any, backend: str, dtype: str) -> None:
    """At positions that meet, and some out of bounds."""
    for n, steps in SIZES:
        v, w = (RNG.normal(size=k).astype(dtype) for k in (n, steps))
        arguments = v, positions(n, steps), positions(n, steps), w
        assert_call_agrees(program, arguments, backend, TOLERANCE)


@pytest.mark.parametrize(("program", "backend", "dtype"), combinations([diffusion_of_errors]))
def test_errors(program: Any, backend: str, dtype: str) -> None:
    for shape in ((0, 2), (1, 1), (1, 3), (3, 4)):
        assert_call_agrees(program, [3 * RNG.random(shape).astype(dtype)], backend, TOLERANCE)


@pytest.mark.parametrize("program", [flags, marks, walk], ids=["flags", "marks", "walk"])
@pytest.mark.parametrize("backend", INSTALLED)
def test_flags(program: Any, backend: str) -> None:
    for n, steps in sizes_on(backend, SIZES):
        on, p, q = RNG.random(n) < 0.5, positions(n, steps), positions(n, steps)
        assert_call_agrees(program, (on, p, q), backend, TOLERANCE)


def test_a_mark_changes_one_element() -> None:
    source = marks.source(np.zeros(5, bool), np.zeros(4, int), np.zeros(4, int))
    assert "] = True" in source
    assert "] = False" in source
    body = walk.source(np.zeros(5, bool), np.zeros(4, int), np.zeros(4, int)).rpartition(
        "\n    for "
    )[2]
    assert "np." not in body


def test_no_step_works_on_the_whole_array() -> None:
    v, w, p = np.zeros(5), np.zeros(4), np.zeros(4, int)
    assert "np.where" not in exchanges.source(v, p, p, w)
    assert "np.where" not in diffusion_of_errors.source(np.zeros((3, 3)))
    for program in (deposits, counts):
        assert "for " not in program.source(v, p, p, w).partition(f"def {program.__name__}")[2]
