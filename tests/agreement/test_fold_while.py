"""Loops that end by a condition agree with the reference interpreter, and with plain Python."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import gcd
from typing import Any

import numpy as np
import pytest

from ein_mlir import (
    EinTypeError,
    array,
    fold,
    fold_sum,
    fold_while,
    function,
    where,
)
from tests.agreement.comparison import assert_agree, assert_call_agrees, given
from tests.libraries import BACKENDS, in_64_bits, needs
from tests.selection import combinations, sizes_on

SIZES = (0, 1, 5)
TOLERANCE = {"float64": 1e-12, "float32": 1e-5}
Arguments = Callable[[int, str, np.random.Generator], tuple[Any, ...]]


@dataclass(frozen=True)
class Program:
    """A program, and its arguments of a size."""

    program: Any
    arguments: Arguments


PROGRAMS = dict[str, Program]()


def program(arguments: Arguments) -> Callable[[Any], Any]:
    """Add a function to the programs."""

    def add(f: Any) -> Any:
        PROGRAMS[f.__name__] = Program(function(f), arguments)
        return f

    return add


def floats(n: int, dtype: str, rng: np.random.Generator) -> tuple[Any, ...]:
    return (rng.uniform(0.5, 9.0, n).astype(dtype),)


def matrix(n: int, dtype: str, rng: np.random.Generator) -> tuple[Any, ...]:
    return (rng.uniform(0.5, 2.0, (n, n)).astype(dtype),)


def ints(n: int, dtype: str, rng: np.random.Generator) -> tuple[Any, ...]:
    return (rng.integers(1, 40, n), rng.integers(0, 40, n))


def pointers(n: int, dtype: str, rng: np.random.Generator) -> tuple[Any, ...]:
    return (np.array([rng.integers(0, k + 1) for k in range(n)], np.int64),)


@program(floats)
def distances(a: Any) -> Any:
    def ahead(x: Any, y: Any) -> Any:
        return 1.0 / (1.0 + (x * x + y * y).sqrt())

    def point(i: Any) -> Any:
        def step(state: Any) -> Any:
            x, y, n = state
            return x + ahead(x, y), y - ahead(x, y) * a[i], n + 1

        return fold_while((a[i], 0.0, 0), lambda s: (ahead(s[0], s[1]) > 0.1) & (s[2] < 7), step)

    return array(point)


@program(floats)
def velocities(a: Any) -> Any:
    def step(t: Any, state: Any) -> Any:
        x, v = state
        following = x + 0.1 * v - 0.005 * x.sin()
        return following, v - 0.05 * (x.sin() + following.sin())

    return array(lambda i: fold((a[i], 0.0), step, count=5))


@program(floats)
def newton(a: Any) -> Any:
    """Each element takes its own number of steps."""
    return array(
        lambda i: fold_while(
            a[i], lambda x: abs(x * x - a[i]) > 1e-5 * a[i], lambda x: 0.5 * (x + a[i] / x)
        )
    )


@program(floats)
def bisection(a: Any) -> Any:
    def halved(s: Any, y: Any) -> Any:
        low, high = s
        middle = 0.5 * (low + high)
        return where(middle * middle < y, (middle, high), (low, middle))

    return array(
        lambda i: fold_while(
            (a[i] * 0, a[i] + 1), lambda s: s[1] - s[0] > 1e-3, lambda s: halved(s, a[i]), limit=40
        )
    )


@program(ints)
def collatz(a: Any, b: Any) -> Any:
    def step(s: Any) -> Any:
        n, steps = s
        return where(n % 2 == 0, n // 2, 3 * n + 1), steps + 1

    return array(lambda i: fold_while((a[i], 0), lambda s: s[0] > 1, step)[1] + b[i])


@program(floats)
def escapes(a: Any) -> Any:
    """Only numbers of steps are used: the values of elements that are done may overflow."""

    def one(x: Any, y: Any) -> Any:
        def step(s: Any) -> Any:
            u, v, n = s
            return u * u - v * v + x, 3.0 * u * v + y, n + 1

        return fold_while(
            (x, y, 4), lambda s: (s[0] * s[0] + s[1] * s[1] < 900.0) & (s[2] < 90), step
        )

    return array(lambda i, j: one(a[i] - 5.0, a[j] - 4.5)[2])


@program(ints)
def later(a: Any, b: Any) -> Any:
    """The first number of each element is its own."""
    return array(
        lambda i: fold_while((a[i], b[i]), lambda s: s[0] < 50, lambda s: (2 * s[0], s[1] + 1))[1]
    )


@program(ints)
def quotients(a: Any, b: Any) -> Any:
    """The divisor is positive in steps of elements that are not done."""

    def step(s: Any) -> Any:
        n, d, k = s
        return n - n // d, d - 1, k + 1

    return array(lambda i: fold_while((a[i], b[i], 0), lambda s: s[1] > 0, step)[2])


@program(pointers)
def depths(parent: Any) -> Any:
    """Positions are in bounds in steps of elements that are not done."""

    def step(s: Any) -> Any:
        return where(parent[s[0]] == s[0], -1, parent[s[0]]), s[1] + 1

    return array(lambda i: fold_while((i, 0), lambda s: s[0] >= 0, step)[1], size=parent.size())


@program(ints)
def greatest_divisor(a: Any, b: Any) -> Any:
    return array(
        lambda i, j: fold_while((a[i], b[j]), lambda s: s[1] != 0, lambda s: (s[1], s[0] % s[1]))[0]
    )


@program(ints)
def one_for_all(a: Any, b: Any) -> Any:
    """The condition varies with no index, and the accumulator does."""
    return array(
        lambda i: fold_while(
            {"k": 0, "x": a[i]}, lambda s: s["k"] < 3, lambda s: {"k": s["k"] + 1, "x": 2 * s["x"]}
        )
    )


@program(pointers)
def inversions(p: Any) -> Any:
    """A loop over elements of a tree that another loop updates in the same step."""
    n = p.size(0)

    def read(tree: Any, x: Any) -> Any:
        def step(s: Any) -> Any:
            return s[0] & (s[0] - 1), s[1] + tree[s[0]]

        return fold_while((x, 0), lambda s: s[0] > 0, step)[1]

    def added(tree: Any, x: Any) -> Any:
        def step(s: Any) -> Any:
            at, tree = s
            following = array(lambda i: where(i == at, tree[i] + 1, tree[i]), size=n + 1)
            return at + (at & -at), following

        return fold_while((x + 1, tree), lambda s: s[0] <= n, step)[1]

    def count(k: Any, s: Any) -> Any:
        tree, total = s
        x = p[n - 1 - k]
        return added(tree, x), total + read(tree, x)

    return fold((array(lambda i: 0, size=n + 1), 0), count, count=n)


@program(ints)
def limited(a: Any, b: Any) -> Any:
    """The limit is an Int of the program."""
    limit = fold_sum(lambda k: a[k]) % 7
    return fold_while(0, lambda x: x < 5, lambda x: x + 1, limit=limit), b


@program(matrix)
def power_iteration(a: Any) -> Any:
    def step(s: Any) -> Any:
        v, norm, _ = s
        w = array(lambda i: fold_sum(lambda k: a[i, k] * v[k]) + 1)
        after = fold_sum(lambda i: w[i] * w[i]).sqrt()
        return array(lambda i: w[i] / after), after, abs(after - norm)

    ones = array(lambda i: a[i, 0] * 0 + 1)
    return fold_while((ones, 0.0, 1.0), lambda s: s[2] > 1e-3, step, limit=30)


@program(matrix)
def rows(a: Any) -> Any:
    """For each row an array in the accumulator."""
    return array(
        lambda i: fold_while(
            array(lambda j: a[i, j]),
            lambda r: fold_sum(lambda j: r[j]) < 20,
            lambda r: array(lambda j: r[j] * 2),
            limit=9,
        )
    )


@program(floats)
def in_a_fold(a: Any) -> Any:
    return fold(
        0.0, lambda k, acc: fold_while(acc, lambda x: x < a[k], lambda x: x + a[k] / 3) - 0.25
    )


@program(ints)
def nested(a: Any, b: Any) -> Any:
    """A loop in a step, which would not end for elements that are done."""

    def step(s: Any) -> Any:
        n, total = s
        inner = fold_while(n, lambda x: (x < 50) & (x != 0), lambda x: 3 * x)
        return n - 5, total + inner

    return array(lambda i: fold_while((a[i], b[i]), lambda s: s[0] > 0, step))


@program(pointers)
def roots(parent: Any) -> Any:
    """Pointer jumping: positions that depend on the accumulator."""
    return array(lambda i: fold_while(i, lambda k: parent[k] != k, lambda k: parent[k]))


@program(lambda n, dtype, rng: (rng.permutation(n),))
def cycles(p: Any) -> Any:
    """The number of cycles of a permutation: elements are marked by a loop in the steps."""

    def visit(i: Any, acc: Any) -> Any:
        seen, count = acc
        marked, _ = fold_while(
            (seen, i),
            lambda state: ~state[0][state[1]],
            lambda state: (
                array(lambda k: where(k == state[1], True, state[0][k])),
                p[state[1]],
            ),
        )
        return marked, count + where(seen[i], 0, 1)

    return fold((array(lambda i: False, size=p.size()), 0), visit, count=p.size())[1]


@program(floats)
def moved_marks(a: Any) -> Any:
    """An element is replaced in each step, of which an empty vector has none."""

    def step(state: Any) -> Any:
        k, total, v = state
        marked = array(lambda j: where(j == k, v[j] + total, v[j]))
        return k + 1, total + a[k], marked

    return fold_while((0, 0.0, a), lambda s: (s[0] < a.size()) & (a[s[0]] <= 8.0), step)


@program(ints)
def in_the_condition(a: Any, b: Any) -> Any:
    """A loop in the condition."""

    def digits(n: Any) -> Any:
        return fold_while((n, 1), lambda s: s[0] > 9, lambda s: (s[0] // 10, s[1] + 1))[1]

    return array(lambda i: fold_while(a[i], lambda x: digits(x) < 4, lambda x: x * 3))


@pytest.mark.parametrize(("name", "backend", "dtype"), combinations(PROGRAMS))
def test_backends(name: str, backend: str, dtype: str) -> None:
    found = PROGRAMS[name]
    for size in sizes_on(backend, SIZES, name):
        arguments = found.arguments(size, dtype, np.random.default_rng(size))
        assert_call_agrees(found.program, arguments, backend, TOLERANCE)


def test_against_python() -> None:
    a, b = np.array([12, 7, 100, 1]), np.array([18, 21, 0, 5])
    expected = [[gcd(x, y) for y in b.tolist()] for x in a.tolist()]
    np.testing.assert_array_equal(PROGRAMS["greatest_divisor"].program(a, b), expected)


def test_marks_are_written_in_place() -> None:
    """Sizes of arrays that a loop in the steps of a loop changes are known to stay."""
    code = PROGRAMS["cycles"].program.source(np.arange(3), backend="numpy")
    assert "= True" in code
    assert "changes the size" not in code


def test_values_that_nobody_reads_are_not_kept() -> None:
    """Masks are and-ed and counted; positions and used values stay those of the last step."""
    a = np.ones(3)
    code = PROGRAMS["escapes"].program.source(a, backend="numpy").rpartition("\ndef ")[2]
    assert "where" not in code
    assert "copyto" not in code
    links = PROGRAMS["depths"].program.source(np.arange(3), backend="numpy")
    whole, _, live = links.partition("first_positions(~")
    assert whole.count("where=") == live.count("where=") == 1


@pytest.mark.parametrize("backend", ["naive", *BACKENDS])
def test_a_step_must_keep_sizes(backend: str) -> None:
    grow = function(
        lambda a: fold_while(
            a, lambda x: x.size() < 9, lambda x: array(lambda i: x[i], size=x.size() + 1)
        )
    )
    with pytest.raises(ValueError, match="while: a step changes the size along axis 0: 3 != 4"):
        grow.eval(np.ones(3), backend=backend)


@pytest.mark.parametrize("backend", ["naive", *BACKENDS])
def test_a_negative_limit_is_an_error(backend: str) -> None:
    f = function(lambda x, n: fold_while(x, lambda y: y > 0, lambda y: y - 1, limit=n))
    with in_64_bits(backend):
        assert f.eval(10, 3, backend=backend) == 7
        assert f.eval(10, 0, backend=backend) == 10
        with pytest.raises(ValueError, match="limit of steps is negative: -3"):
            f.eval(10, -3, backend=backend)


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_size_may_be_a_result(backend: str) -> None:
    f = function(
        lambda n: array(lambda i: 2 * i, size=fold_while(1, lambda k: k < n, lambda k: 2 * k))
    )
    with in_64_bits(backend):
        assert_agree(f.eval(5, backend=backend), 2 * np.arange(8), {}, dtypes=False)


@pytest.mark.parametrize("backend", BACKENDS)
def test_positions_are_checked_in_the_steps_that_run(backend: str) -> None:
    @function(bounds="check")
    def chase(link: Any, start: Any) -> Any:
        def step(s: Any) -> Any:
            return link[s[0]], s[1] + 1

        return array(lambda i: fold_while((start[i], 0), lambda s: s[0] >= 0, step, limit=9)[1])

    good, bad = np.array([1, 2, -1]), np.array([1, 7, -1])
    with in_64_bits(backend):
        np.testing.assert_array_equal(chase.eval(good, np.array([0, -1]), backend=backend), [3, 0])
        np.testing.assert_array_equal(chase.eval(bad, np.array([2, -1]), backend=backend), [1, 0])
        with pytest.raises(IndexError, match="position 7 is out of bounds for axis 0 of link"):
            chase.eval(bad, np.array([0, 2]), backend=backend)


def square_root(limit: int | None) -> Any:
    return function(
        lambda a: array(
            lambda i: fold_while(
                a[i], lambda x: abs(x * x - a[i]) > 1e-12, lambda x: 0.5 * (x + a[i] / x), limit
            )
        )
    )


@function
def widened(x: Any) -> Any:
    """The count of a sum depends on the state."""

    def step(s: Any) -> Any:
        k, total = s
        return k + 1, total + fold_sum(lambda t: x[t], count=k)

    return fold_while((1, x[0] * 0.0), lambda s: s[0] < 5, step, limit=10)


@pytest.mark.parametrize("backend", BACKENDS)
def test_counts_depend_on_the_state(backend: str) -> None:
    assert_call_agrees(widened, (np.arange(8.0),), backend, {"float64": 1e-12})


@needs("jax")
def test_derivatives_of_jax() -> None:
    import jax

    values = np.array([2.0, 3.0, 9.0])
    with in_64_bits("jax"):
        a = given(values, "jax")
        forward = jax.jvp(square_root(None), (a,), (a * 0 + 1,))[1]
        np.testing.assert_allclose(forward, 0.5 / np.sqrt(values))
        reverse = jax.grad(lambda a: square_root(50)(a).sum())(a)
        np.testing.assert_allclose(reverse, 0.5 / np.sqrt(values))
        with pytest.raises(ValueError, match="Reverse-mode differentiation does not work"):
            jax.grad(lambda a: square_root(None)(a).sum())(a)


@needs("torch")
def test_derivatives_of_torch() -> None:
    import torch

    values = np.array([2.0, 3.0, 9.0])
    a = torch.tensor(values, requires_grad=True)
    square_root(None)(a).sum().backward()
    assert a.grad is not None
    np.testing.assert_allclose(a.grad, 0.5 / np.sqrt(values))


def test_messages() -> None:
    with pytest.raises(EinTypeError, match="the condition must be a Bool, not Int"):
        fold_while(1, lambda x: x, lambda x: x + 1)
    with pytest.raises(EinTypeError, match="the accumulator x changes its type: Int"):
        function(lambda a: fold_while(a, lambda x: x > 0, lambda x: x > 1)).eval(3)
    with pytest.raises(EinTypeError, match=r"the step of fold_while\(\) has 1 parameter, "):
        fold_while(1, lambda x: x < 3, lambda k, x: x)  # pyright: ignore
