"""Counts that vary with an index by way of a loop's accumulator agree with the interpreter."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from ein_mlir import array, fold, fold_max, fold_sum, function, grad, where
from ein_mlir.pipelines import PIPELINES, run_pipeline
from tests.agreement.comparison import assert_call_agrees
from tests.libraries import BACKENDS
from tests.selection import sizes_on

Step = Callable[[Any, Any], Any]


def _walks(start: Callable[[Any], Any], step: Callable[[Any], Step]) -> Callable[..., Any]:
    """The second field that a loop leaves at each index."""

    def program(x: Any, q: Any) -> Any:
        def walk(i: Any) -> Any:
            return fold((start(q[i]), x[0] * 0), lambda k, s: step((x, q, i))(k, s), count=3)[1]

        return array(walk, size=q.size())

    return program


def _after_a_step(given: Any) -> Step:
    x, q, i = given
    return lambda k, s: (s[0] + q[i], s[1] + fold_sum(lambda t: x[t], count=s[0]))


def _of_data(given: Any) -> Step:
    x, q, _ = given
    return lambda k, s: (q[s[0]], fold(s[1], lambda t, c: (c * x[t] + 1) % 10, count=s[0]))


def _of_what_it_computes(given: Any) -> Step:
    x, _, i = given
    return lambda k, s: (
        (s[1] + i.float()).int() % 4,
        fold_max(lambda t: where(t == i, x[i - t], s[1] + 1), count=s[0]).max(-3.0),
    )


def _of_an_inner_loop(given: Any) -> Step:
    x, q, i = given

    def step(k: Any, s: Any) -> Any:
        def inner(_: Any, u: Any) -> Any:
            return u[0] - 1, u[1] + fold_sum(lambda t: x[t] * k.float(), count=u[0])

        return q[i], fold((s[0], s[1]), inner, count=2)[1]

    return step


def exchanged(x: Any, q: Any) -> Any:
    """The count is the other number in every other step."""

    def walk(i: Any) -> Any:
        def step(k: Any, s: Any) -> Any:
            a, (b, c) = s
            return b, (a, c + fold_sum(lambda t: x[t], count=a))

        return fold((x.size(), (q[i], x[0] * 0)), step, count=4)[1][1]

    return array(walk, size=q.size())


def elements(x: Any, q: Any) -> Any:
    """The counts are in an array that the loop carries."""

    def walk(i: Any) -> Any:
        def step(k: Any, s: Any) -> Any:
            counts, c = s
            changed = array(lambda j: where(j == i, counts[j] + 1, counts[j]), size=q.size())
            return changed, c + fold_sum(lambda t: x[t], count=counts[k])

        return fold((q, x[0] * 0), step, count=q.size())[1]

    return array(walk, size=q.size())


def literals(x: Any, q: Any) -> Any:
    """A literal is the first count, in a loop that varies itself."""

    def walk(i: Any) -> Any:
        def step(k: Any, s: Any) -> Any:
            return s[1], fold(s[0], lambda t, c: c + s[0] - k, count=s[0].min(4))

        return fold((1, i * 0), step, count=q[i])[1]

    return array(walk, size=q.size())


PROGRAMS: dict[str, Callable[..., Any]] = {
    "after-a-step": _walks(lambda n: n * 0, _after_a_step),
    "of-data": _walks(lambda n: n, _of_data),
    "of-results": _walks(lambda n: n, _of_what_it_computes),
    "inner-loop": _walks(lambda n: n, _of_an_inner_loop),
    "exchanged": exchanged,
    "elements": elements,
    "literals": literals,
}


@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.parametrize("backend", BACKENDS)
def test_counts_of_accumulators(name: str, backend: str) -> None:
    for n in sizes_on(backend, (0, 1, 2, 7)):
        rng = np.random.default_rng(n)
        x, q = rng.integers(-2, 4, size=max(n, 1)).astype(float), rng.integers(-1, 4, size=n)
        assert_call_agrees(function(PROGRAMS[name]), (x, q), backend, {"float64": 0.0})


@pytest.mark.parametrize("name", PROGRAMS)
def test_programs_are_valid(name: str) -> None:
    function(PROGRAMS[name]).phi(np.zeros(3), np.zeros(3, int)).verify()


def test_counts_that_are_equal_stay_counts() -> None:
    """The count varies with the steps alone, and another part of the accumulator by the index."""

    def program(x: Any) -> Any:
        def step(k: Any, s: Any, i: Any) -> Any:
            return (s[0] * 3) % 5, fold(s[1], lambda t, c: c + x[t] * x[i], count=s[0])

        return array(lambda i: fold((1, x[i]), lambda k, s: step(k, s, i), count=x.size())[1])

    assert "phi.while" not in str(function(program).phi(np.zeros(3)))


@pytest.mark.parametrize("depth", [1, 2, 12])
def test_steps_of_nested_loops_are_traced_twice(depth: int) -> None:
    """Each loop has a count that varies with the index by its own accumulator."""
    steps = list[int]()

    def program(q: Any) -> Any:
        def loop(level: int, i: Any, c: Any) -> Any:
            def step(k: Any, s: Any) -> Any:
                steps.append(level)
                inner = loop(level + 1, i, s[1]) if level < depth else s[1]
                return s[0], inner + fold_sum(lambda t: t + 1, count=s[0])

            return fold((q[i], c), step, count=1)[1]

        return array(lambda i: loop(1, i, q[i]), size=q.size())

    q = np.arange(3)
    np.testing.assert_array_equal(
        function(program).eval(q, backend="naive"), q + depth * q * (q + 1) // 2
    )
    assert sorted(steps) == sorted([*range(1, depth + 1)] * 2)


def _automata(text: Any, table: Any, most: Any) -> Any:
    """The state after at most so many letters, from each of them."""

    def state(i: Any) -> Any:
        return fold(0, lambda k, q: table[q, text[i + k]], count=(text.size() - i).min(most))

    return array(state, size=text.size())


@pytest.mark.parametrize("most", [8, "parameter"])
@pytest.mark.parametrize("backend", BACKENDS)
def test_few_steps_at_a_time(backend: str, most: Any) -> None:
    """Rows of few steps start together: they take few steps together, too."""
    table = np.array([[1, 2], [2, 0], [1, 1]])
    if most == 8:
        f, more = function(lambda text, table: _automata(text, table, 8)), list[Any]()
        assert "range(text.shape[0])" not in f.source(np.zeros(5, int), table)
    else:
        f, more = function(_automata), [3]
    for size in (0, 1, 2, 7, 20):
        text = np.arange(size) ** 2 // 3 % 2
        assert_call_agrees(f, (text, table, *more), backend, {})


def shared_loops(x: Any, q: Any) -> Any:
    """Loops that do not vary with the index, with a count of each step of a sum."""

    def loop(i: Any) -> Any:
        return fold(x[i], lambda t, c: (c * x[t]).sin() + 1.0, count=q[i])

    return array(lambda j: fold_sum(lambda i: loop(i) * x[j], count=q.size()), size=x.size())


def loss_of_shared_loops(x: Any, q: Any) -> Any:
    y = shared_loops(x, q)
    return fold_sum(lambda j: y[j])


@pytest.mark.parametrize("backend", BACKENDS)
def test_shared_loops_have_counts_of_their_own(backend: str) -> None:
    """A loop is an element of an array whose counts vary with its index, on machine code only."""
    for n in sizes_on(backend, (0, 1, 2, 5)):
        rng = np.random.default_rng(n)
        given = rng.normal(size=n), rng.integers(0, n + 1, size=n)
        for program in (function(shared_loops), grad(loss_of_shared_loops)):
            assert_call_agrees(program, given, backend, {"float64": 1e-12, "float32": 1e-4})


@pytest.mark.parametrize("backend", PIPELINES)
def test_shared_loops_stay_valid(backend: str) -> None:
    program = function(shared_loops).phi(np.zeros(3), np.zeros(3, int))
    run_pipeline(program, PIPELINES[backend], after_each=lambda _, module: module.verify())
