"""Arrays that a loop carries: the next one is written over one that is dead."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from ein_mlir import array, fold, function, where
from ein_mlir.pipelines import run_pipeline
from tests.unit.passes.conversions.loops_interpreter import TO_LOOPS, loops_of


def shifted(a: Any) -> Any:
    """Each element from another one: not in place."""
    return array(lambda i: 0.5 * a[i + 1] - a[i - 1], size=a.shape[0])


def carried(step: Callable[..., Any], count: int = 3) -> Any:
    """A loop that carries three arrays of the same size."""

    @function
    def program(a: Any) -> Any:
        start = tuple(array(lambda i: c * a[i]) for c in (1.0, 2.0, 3.0))  # noqa: B023
        return fold(start, lambda t, state: step(*state), count=count)

    return program


STEPS: dict[str, tuple[Callable[..., Any], int]] = {
    "the old one": (lambda a, b, c: (array(lambda i: a[i] + b[i]), b, c), 0),
    "wave": (lambda a, b, c: (array(lambda i: a[i - 1] - b[i], size=a.shape[0]), a, c), 0),
    "read at a distance": (lambda a, b, c: (shifted(b), a, c), 1),
    "chain": (lambda a, b, c: (array(lambda i: a[i + 1] - c[i], size=a.shape[0]), a, b), 0),
    "unread": (lambda a, b, c: (shifted(a), a, b), 0),
    "read after it": (lambda a, b, c: (shifted(a), a, array(lambda i: b[i] + c[i])), 1),
    "two for one": (lambda a, b, c: (shifted(a), shifted(b), a), 1),
    "two of one": (lambda a, b, c: (shifted(a), a, a), 1),
    "kept": (lambda a, b, c: (shifted(a), b, c), 1),
}
"""Name -> the step, and the number of second buffers that it needs."""


@pytest.mark.one_turn
@pytest.mark.parametrize("name", STEPS)
def test_values(name: str) -> None:
    step, _ = STEPS[name]
    for count in range(5):
        program = carried(step, count)
        run = loops_of(program.phi(np.ones(2)), TO_LOOPS)
        for size in (0, 1, 2, 5):
            a = np.random.default_rng(size).normal(size=size)
            got, want = run(a), program.numpy(a)
            for x, y in zip(got, want, strict=True):
                np.testing.assert_allclose(np.asarray(x), y, rtol=1e-12)


@pytest.mark.parametrize("name", STEPS)
def test_buffers(name: str) -> None:
    step, spares = STEPS[name]
    text = str(run_pipeline(carried(step).phi(np.ones(2)), TO_LOOPS))
    (loop,) = (line for line in text.splitlines() if "scf.for" in line and "memref" in line)
    assert loop.count("memref<?xf64>") == 3 + spares


def test_other_sizes() -> None:
    """An array of another size, or one that may be of another, is not overwritten."""

    @function
    def program(a: Any, b: Any) -> Any:
        def step(t: Any, state: Any) -> Any:
            x, _ = state
            return shifted(x), array(lambda i: x[i], size=b.shape[0])

        return fold((a, b), step, count=2)

    text = str(run_pipeline(program.phi(np.ones(2), np.ones(3)), TO_LOOPS))
    (loop,) = (line for line in text.splitlines() if "scf.for" in line and "memref" in line)
    assert loop.count("memref<?xf64>") >= 3


def from_zeros(a: Any, row: Any) -> Any:
    """A row whose elements are computed in order, from zeros."""
    zeros = array(lambda i: 0.0 * a[0], size=a.shape[0])
    return _in_order(zeros, lambda j, new: new[j - 1] + row[j])


def from_step(a: Any, row: Any) -> Any:
    """A row that starts from elements of the step, in two loops."""
    start = array(lambda i: row[i] - a[i + 1], size=a.shape[0])
    first = _in_order(start, lambda j, new: new[j - 1] * row[j])
    return _in_order(first, lambda j, new: new[j + 1] - row[j])


def from_old(a: Any, row: Any) -> Any:
    """A row that starts from the old one, which each step reads."""
    return _in_order(row, lambda j, new: new[j - 1] + row[j + 1])


def _in_order(start: Any, element: Callable[..., Any]) -> Any:
    def step(j: Any, row: Any) -> Any:
        return array(lambda i: where(i == j, element(j, row), row[i]))

    return fold(start, step, count=start.shape[0])


@pytest.mark.parametrize("row", [from_zeros, from_step, from_old], ids=lambda f: f.__name__)
def test_loops_begin_in_second_buffers(row: Callable[..., Any]) -> None:
    @function
    def program(a: Any) -> Any:
        return fold(array(lambda i: a[i]), lambda t, old: row(a, old), count=3)

    passes = (*TO_LOOPS[:3], "raise-updates", *TO_LOOPS[3:])
    traced = program.phi(np.ones(2))
    run = loops_of(traced, passes)
    for size in (0, 1, 2, 5):
        a = np.random.default_rng(size).normal(size=size)
        np.testing.assert_allclose(np.asarray(run(a)), program.numpy(a), rtol=1e-12)
    text = str(run_pipeline(traced, passes))
    _, inside = text.split("scf.for", 1)
    assert "memref.alloc(" not in inside, "no step allocates a row"
