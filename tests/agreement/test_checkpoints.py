"""Gradients of loops that save the values of some steps, and compute the others again."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from ein_mlir import (
    EinValueError,
    Float,
    Int,
    Vec,
    array,
    cos,
    fold,
    fold_sum,
    fold_while,
    function,
    grad,
    jvp,
    sin,
    tanh,
    value_and_grad,
    vjp,
)
from tests.libraries import INSTALLED
from tests.selection import sizes_on

COUNTS = (0, 1, 2, 7)


@function
def waves(x: Vec[Float], w: Vec[Float], n: Int) -> Float:
    """Each step reads the whole array."""

    def step(_: Int, v: Vec[Float]) -> Vec[Float]:
        return array(lambda i: sin(v[i] * w[i] + 0.1 * fold_sum(lambda j: v[j])))

    last = fold(x, step, count=n)
    return fold_sum(lambda i: last[i] ** 2.0)


@function
def driven(x: Vec[Float], w: Vec[Float], n: Int) -> Float:
    """A record, of which the steps read an element of an array each."""

    def step(k: Int, state: tuple[Float, Float]) -> tuple[Float, Float]:
        place, speed = state
        return place + 0.1 * speed, tanh(speed - place * w[k % 3]) + x[k]

    place, speed = fold((1.0, 0.5), step, count=n)
    return place * speed


@function
def nested(x: Vec[Float], w: Vec[Float], n: Int) -> Float:
    """A loop in the steps of a loop."""

    def step(k: Int, v: Vec[Float]) -> Vec[Float]:
        rate = fold(w[0], lambda j, r: cos(r * v[j]) + w[1], count=n)
        return array(lambda i: sin(v[i] * rate) + w[i])

    last = fold(x, step, count=n)
    return fold_sum(lambda i: last[i])


@function
def grown(x: Vec[Float], w: Vec[Float], n: Int) -> Float:
    """A loop with a condition."""
    limit = 2.0 * n.float()
    found = fold_while(
        w,
        lambda v: fold_sum(lambda i: v[i]) < limit,
        lambda v: array(lambda i: v[i] * 1.2 + 0.1 * sin(v[i] * x[i])),
    )
    return fold_sum(lambda i: found[i] * found[i])


PROGRAMS: dict[str, Any] = {each.__name__: each for each in (waves, driven, nested, grown)}


def arguments(n: int) -> tuple[Any, ...]:
    size = max(n, 3)
    return np.linspace(0.1, 0.9, size), np.linspace(0.5, 1.5, size), n


@pytest.mark.parametrize("backend", INSTALLED)
@pytest.mark.parametrize("name", PROGRAMS)
def test_gradients_are_as_before(name: str, backend: str) -> None:
    program = PROGRAMS[name]
    chosen, plain = value_and_grad(program, (0, 1), checkpoint=0), value_and_grad(program, (0, 1))
    for n in sizes_on(backend, COUNTS):
        value, gradient = chosen.eval(*arguments(n), backend=backend)
        expected = plain.eval(*arguments(n), backend="numpy")
        np.testing.assert_allclose(value, expected[0])
        for found, wanted in zip(gradient, expected[1], strict=True):
            np.testing.assert_allclose(found, wanted, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("name", ["waves", "driven"])
def test_second_derivatives(name: str) -> None:
    program = PROGRAMS[name]

    def length(gradient: Callable[..., Any]) -> Any:
        def f(x: Any, w: Any, n: Any) -> Any:
            slope = gradient(x, w, n)
            return fold_sum(lambda i: slope[i] ** 2.0)

        return f

    def forwards(gradient: Callable[..., Any]) -> Any:
        return function(lambda x, w, n: jvp(lambda y: gradient(y, w, n), (x,), (w,))[1])

    plain, chosen = grad(program), grad(program, checkpoint=0)
    pairs = (
        (grad(length(plain)), grad(length(chosen), checkpoint=0)),
        (forwards(plain), forwards(chosen)),
    )
    for n in COUNTS:
        for wanted, found in pairs:
            values = (each.eval(*arguments(n), backend="numpy") for each in (found, wanted))
            np.testing.assert_allclose(*values, rtol=1e-8, atol=1e-10)


@pytest.mark.parametrize("backend", ["numpy", "native"])
@pytest.mark.parametrize("program", [waves, nested], ids=lambda each: each.__name__)
def test_memory_grows_with_the_root_of_the_steps(program: Any, backend: str) -> None:
    gradient = function(grad(program, (0, 1), checkpoint=0), backend=backend)

    def temporaries(n: int) -> int:
        rows = np.ones(1000), np.ones(1000)
        return gradient.memory(*rows, n).temporaries

    assert temporaries(1600) < 2.3 * temporaries(400)


def test_a_loop_within_the_bound_saves_all_steps() -> None:
    rows = np.ones(100), np.ones(100)

    def temporaries(n: int, checkpoint: int | None) -> int:
        program = function(grad(waves, checkpoint=checkpoint), backend="numpy")
        return program.memory(*rows, n).temporaries

    bound = 8 * 101 * 50  # an array and its sum
    assert temporaries(50, bound) >= temporaries(50, None) > temporaries(50, 0)
    assert temporaries(200, bound) == temporaries(200, 0)


def test_vjp_has_the_option() -> None:
    x, w, n = arguments(5)
    value, backwards = vjp(waves, x, w, n, checkpoint=0)
    expected, plain = vjp(waves, x, w, n)
    np.testing.assert_allclose(value, expected)
    for found, wanted in zip(backwards(1.0)[:2], plain(1.0)[:2], strict=True):
        np.testing.assert_allclose(found, wanted)


def test_a_bound_is_a_number_of_bytes() -> None:
    with pytest.raises(EinValueError, match="grad: checkpoint is -1, and not a number of bytes"):
        grad(waves, checkpoint=-1)
