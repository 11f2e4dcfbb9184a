"""Recurrences in a loop that do not vary with the loops around it: computed once, before these."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ein_mlir import (
    EinValueError,
    Float,
    Int,
    Vec,
    accumulate,
    array,
    exp,
    fold,
    fold_sum,
    function,
    value_and_grad,
    where,
)
from tests.agreement.comparison import assert_call_agrees
from tests.libraries import INSTALLED

Vector = Vec[Float]
Matrix = Vec[Vec[Float]]


def gain(p: Any, r: Any) -> Any:
    return (p + 0.25) / (p + 0.25 + r)


@function
def tracks(z: Matrix, r: Float, steps: Int) -> Vector:
    """Filters of many tracks with the same gains; one array for all of a step."""

    def step(t: Any, s: Any) -> Any:
        x, p = s
        k = gain(p, r)
        return array(lambda i: x[i] + k * (z[i, t] - x[i])), (1 - k) * (p + 0.25)

    return fold((array(lambda i: z[i, 0]), 1.0), step, count=steps)[0]


def track(z: Any, i: Any, r: Any, steps: Any) -> Any:
    def step(t: Any, s: Any) -> Any:
        x, p = s
        k = gain(p, r)
        return x + k * (z[i, t] - x), (1 - k) * (p + 0.25)

    return fold((z[i, 0], 1.0), step, count=steps)


@function
def each_track(z: Matrix, r: Float, steps: Int) -> Any:
    """A loop for each track, whose last variance is a result, too."""
    return array(lambda i: track(z, i, r, steps), size=z.size(0))


@function
def total(z: Matrix, r: Float, steps: Int) -> Float:
    """The same in a sum."""
    return fold_sum(lambda i: track(z, i, r, steps)[0], count=z.size(0))


@function
def repeated(z: Matrix, r: Float, steps: Int) -> Float:
    """The same in a loop that carries something else, whose steps are all alike."""
    return fold(0.5, lambda i, a: a * 0.5 + track(z, i, r, steps)[0], count=z.size(0))


@function
def at_keys(z: Matrix, r: Float, steps: Int) -> Vector:
    """The same, accumulated at positions."""
    return accumulate(lambda i: (i % 2, track(z, i, r, steps)[0]), size=2, count=z.size(0))


@function
def in_groups(z: Matrix, r: Float, steps: Int) -> Matrix:
    """The same with a variance for each group of tracks."""

    def one(g: Any, i: Any) -> Any:
        def step(t: Any, s: Any) -> Any:
            x, p = s
            k = gain(p, r + g.float())
            return x + k * (z[i, t] - x), (1 - k) * (p + 0.25)

        return fold((0.0, 1.0), step, count=steps)[0]

    return array(one, size=(3, z.size(0)))


@function
def two_states(z: Matrix, r: Float, steps: Int) -> Matrix:
    """The same with a covariance that is a matrix, and a gain that is a vector."""

    def one(i: Any) -> Any:
        def step(t: Any, s: Any) -> Any:
            x, p = s
            k = array(lambda j: p[j, 0] / (p[0, 0] + r), size=2)
            e = z[i, t] - x[0]
            after = array(lambda j, q: p[j, q] - k[j] * p[0, q] + 0.1 / (j + q + 1).float())
            return array(lambda j: 0.9 * x[j] + k[j] * e, size=2), after

        start = array(lambda j, q: where(j == q, 1.0, 0.0), size=(2, 2))
        return fold((array(lambda j: 0.0, size=2), start), step, count=steps)[0]

    return array(one, size=z.size(0))


@function
def ends(z: Matrix, r: Float, steps: Int) -> Matrix:
    """Two recurrences, of which one affects the other, a choice and a Bool."""

    def one(i: Any) -> Any:
        def step(t: Any, s: Any) -> Any:
            x, n, w, seen = s
            n = (n * 5 + 3) % 7
            w = where(n > 3, exp(-w), w * 1.5 + r)
            return x * 0.5 + where(n % 2 == 0, w, z[i, t]), n, w, (n > 3) & (seen == False)  # noqa: E712

        x, n, w, seen = fold((0.0, i * 0 + 1, 0.5, z.size(0) > 1), step, count=steps)
        return x + w + n.float() + where(seen, 1.0, 0.0)

    return array(lambda i, j: one(i) + j.float(), size=(z.size(0), 2))


@function
def own_counts(z: Matrix, r: Float, steps: Int) -> Vector:
    """Near miss: tracks have their own number of steps."""
    return array(lambda i: track(z, i, r, (i + steps) % 3)[0], size=z.size(0))


@function
def own_starts(z: Matrix, r: Float, steps: Int) -> Vector:
    """Near miss: variances begin with one of their own."""

    def one(i: Any) -> Any:
        def step(t: Any, s: Any) -> Any:
            x, p = s
            k = gain(p, r)
            return x + k * (z[i, t] - x), (1 - k) * (p + 0.25)

        return fold((0.0, z[i, 0] ** 2), step, count=steps)[0]

    return array(one, size=z.size(0))


PROGRAMS = [
    tracks,
    each_track,
    total,
    repeated,
    at_keys,
    in_groups,
    two_states,
    ends,
    own_counts,
    own_starts,
]
TOLERANCE = {"float64": 1e-12}


@pytest.mark.parametrize(("n", "steps"), [(0, 2), (1, 0), (1, 1), (4, 0), (4, 3), (5, 20)])
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.__name__)
@pytest.mark.parametrize("backend", INSTALLED)
def test_agrees(backend: str, program: Any, n: int, steps: int) -> None:
    z = np.random.default_rng(n).normal(size=(n, 20))
    assert_call_agrees(program, [z, 0.5, steps], backend, tolerance=TOLERANCE)


@pytest.mark.parametrize("program", PROGRAMS)
def test_is_computed_once(program: Any) -> None:
    notes = program.explain(np.ones((3, 20)), 0.5, 4, backend="native")
    is_unvarying = program not in (tracks, own_counts, own_starts)
    assert ("a recurrence of s is computed before the loops" in notes) == is_unvarying


@pytest.mark.parametrize("program", [each_track, in_groups, two_states, ends])
def test_negative_counts_are_errors(program: Any) -> None:
    with pytest.raises(EinValueError, match="negative"):
        program.eval(np.ones((3, 4)), 0.5, -1, backend="native")


@pytest.mark.parametrize("steps", [1, 4])
def test_gradient(steps: int) -> None:
    z = np.random.default_rng(0).normal(size=(3, 4))
    gradient = function(value_and_grad(total, argnums=(0, 1)))
    assert_call_agrees(gradient, [z, 0.5, steps], "native", tolerance=TOLERANCE)
