"""Loops whose counts, the sizes of some arrays, bound positions in other arrays."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import ein_mlir
from ein_mlir import Function, array, compile, fold_max, fold_sum, function, value_and_grad, where
from ein_mlir import max as most
from ein_mlir import min as least
from ein_mlir.dialects import phi
from ein_mlir.entry import find_entry, parse
from tests.agreement.comparison import assert_agree, given
from tests.libraries import on

fold: Any = ein_mlir.fold
"""The combinator, for arguments without static types."""


def put(v: Any, p: Any, x: Any) -> Any:
    return array(lambda i: where(i == p, x, v[i]))


@function
def filtered(x, y, a):
    """Elements of three vectors in each step, by the size of the first."""
    n = x.size(0)

    def step(t, state):
        s, out = state
        new = 0.5 * s + x[t] * y[t] - a[n - 1 - t, 0]
        return new, put(out, t, new)

    return fold((0.0, array(lambda i: y[i] * 2.0)), step, count=n)


@function
def factored(x, y, a):
    """Both axes of a matrix, by nested counters that begin at others."""
    n = a.size(0)

    def row(i, m):
        def column(t, m):
            j = i + t
            new = m[i, j] - fold_sum(lambda k: m[i, k] * m[k, j], count=i) + x[j]
            return array(lambda p, q: where((p == i) & (q == j), new, m[p, q]))

        return fold(m, column, count=n - i)

    return fold(a, row, count=n)


@function
def relaxed(x, y, a):
    """A border that selections exclude, and one that is clipped."""
    n = a.size(0)

    def step(_, u):
        def element(i, j):
            inside = (i > 0) & (i < n - 1) & (j > 0) & (j < n - 1)
            beside = u[least(i + 1, n - 1), j] - u[i, most(j - 1, 0)]
            return where(inside, u[i - 1, j] + u[i, j + 1], beside) * 0.5

        return array(element, size=(a.size(0), a.size(1)))

    return fold(a, step, count=3)


@function
def haloed(x, y, a):
    """A vector that is read beyond the size of the other one."""
    n = x.size(0)

    def step(t, v):
        return array(lambda i: 0.5 * v[i] + y[i + 2] - y[i] + x[t], size=n)

    return fold(array(lambda i: x[i]), step, count=n)


@function
def asserted(x, y, a):
    """The sizes are compared in steps, of which there may be none."""
    return fold(x, lambda t, v: array(lambda i: v[i] + y[i] * a[i, t]), count=a.size(0) - 2)


@function
def substituted(x, y, a):
    """A solve with a bidiagonal matrix: there are fewer elements beside the diagonal than on it."""
    n, m = x.size(0), a.size(1)

    def step(i, u):
        def at(j, k):
            new = (u[j, k] - where(i > 0, y[i - 1] * u[i - 1, k], 0.0)) / (2.0 + x[i] ** 2)
            return where(j == i, new, u[j, k])

        return array(at, size=(n, m))

    solved = fold(a, step, count=n)
    return array(lambda j: fold_sum(lambda k: solved[j, k]))


@function
def attended(x, y, a):
    """Reductions over the size of one vector that read others at their counters."""
    n = x.size(0)

    def at(i):
        largest = fold_max(lambda k: x[i] * y[k], count=n)
        return fold_sum(lambda k: (x[i] * y[k] - largest).exp() * a[k, 0], count=n)

    return array(at, size=n)


@function
def padded(x, y, a):
    """A test is against equal sizes."""
    return array(lambda i: x[i] * fold_sum(lambda k: x[k] * where(k < y.size(0), y[k], 1.0)))


PROGRAMS = (filtered, factored, relaxed, haloed, asserted, substituted, attended, padded)

SHAPES = (
    *((4, 4, 4, 4), (5, 4, 5, 5), (3, 5, 3, 4), (1, 1, 1, 1), (0, 0, 0, 0), (2, 2, 2, 7)),
    (4, 3, 4, 2),
)
"""The sizes of the vectors and of the matrix: equal, or not."""


@pytest.mark.parametrize("backend", on("numpy", "torch", "jax", "native"))
@pytest.mark.parametrize("program", PROGRAMS)
def test_sizes(program: Function[..., Any], backend: str) -> None:
    rng = np.random.default_rng(1)
    for n, m, rows, columns in SHAPES[::3] if backend == "jax" else SHAPES:
        arguments = rng.normal(size=n), rng.normal(size=m), rng.normal(size=(rows, columns))
        values = [given(each, backend) for each in arguments]
        try:
            expected = program.eval(*arguments, backend="naive")
        except ValueError as error:
            with pytest.raises(match=str(error)[:20]):
                program.eval(*values, backend=backend)
            continue
        actual = program.eval(*values, backend=backend)
        assert_agree(actual, expected, {"float64": 1e-9}, f"{n}, {m}, {rows} x {columns}")


def total(program: Function[..., Any]) -> Any:
    """The sum of the elements of a result, squared."""

    def loss(x: Any, y: Any, a: Any) -> Any:
        found = program(x, y, a)
        found = found[1] if program is filtered else found
        if program in (factored, relaxed):
            return fold_sum(lambda i, j: found[i, j] ** 2.0)
        return fold_sum(lambda i: found[i] ** 2.0)

    return loss


@pytest.mark.parametrize("backend", on("numpy", "jax", "native"))
@pytest.mark.parametrize("program", PROGRAMS)
def test_gradients_are_central_differences(program: Function[..., Any], backend: str) -> None:
    rng = np.random.default_rng(1)
    loss: Any = function(total(program), backend="numpy")
    own: Any = function(total(program), backend=backend)
    gradient: Any = value_and_grad(own, argnums=(0, 1, 2))
    for n, m, rows, columns in SHAPES[::3] if backend == "jax" else SHAPES:
        x, y, a = rng.normal(size=n), rng.normal(size=m), rng.normal(size=(rows, columns))
        dx, dy, da = (rng.normal(size=each.shape) for each in (x, y, a))
        try:
            expected = loss(x, y, a)
        except ValueError:
            with pytest.raises(ValueError, match="size"):
                gradient(x, y, a)
            continue
        value, slopes = gradient(x, y, a)
        np.testing.assert_allclose(np.asarray(value), expected, rtol=1e-10)
        ends = [loss(x + h * dx, y + h * dy, a + h * da) for h in (1e-5, -1e-5)]
        found = sum(np.sum(np.asarray(s) * d) for s, d in zip(slopes, (dx, dy, da), strict=True))
        np.testing.assert_allclose(found, (ends[0] - ends[1]) / 2e-5, rtol=1e-6, atol=1e-7)


@pytest.mark.parametrize(
    ("program", "groups"),
    [
        (filtered, [[(0, 0), (1, 0), (2, 0)]]),
        (factored, [[(0, 0), (2, 0), (2, 1)]]),
        (relaxed, [[(2, 0), (2, 1)]]),
        (haloed, []),
        (asserted, [[(0, 0), (1, 0), (2, 0), (2, 1)]]),
        (substituted, [[(0, 0), (1, 0), (2, 0)]]),
        (attended, [[(0, 0), (1, 0), (2, 0)]]),
        (padded, []),
    ],
)
def test_groups(program: Function[..., Any], groups: list[list[tuple[int, int]]]) -> None:
    text = program.ir("phi", np.ones(3), np.ones(3), np.ones((3, 3)))
    assert list(phi.equal_axes(find_entry(parse(text), None))) == groups


@pytest.mark.parametrize(
    ("size", "groups"),
    [(4, [[(0, 0), (1, 0), (2, 0)]]), (3, [[(0, 0), (2, 0)]]), (5, [[(0, 0), (2, 0)]])],
)
def test_a_version_assumes_the_sizes_that_hold(size: int, groups: list[Any]) -> None:
    arguments = np.ones(4), np.ones(size), np.ones((4, 2))
    text = substituted.ir("phi", np.ones(4), np.ones(4), np.ones((4, 2)))
    version = compile(text, backend="numpy").for_sizes_of(arguments)
    assert list(phi.equal_axes(find_entry(parse(version.ir("phi")), None))) == groups
    assert "copy" not in version.source.split("for i in")[1]


def test_a_version_for_no_equal_sizes_has_no_assumptions() -> None:
    arguments = np.ones(4), np.ones(3), np.ones((5, 2))
    compiled = compile(substituted.ir("phi", *arguments), backend="numpy")
    version = compiled.for_sizes_of(arguments)
    assert not phi.equal_axes(find_entry(parse(version.ir("phi")), None))
    assert compiled.for_sizes_of(arguments) is version
    expected = substituted.eval(*arguments, backend="naive")
    assert_agree(compiled(*arguments), expected, {"float64": 1e-9})
