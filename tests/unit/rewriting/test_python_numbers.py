"""Emitted source that is kept runs with Python numbers, as compiled functions do."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import ein_mlir
from ein_mlir import Bool, Float, Int, Vec, array, fold, function, sqrt, where
from tests.libraries import in_64_bits, on


def alternating(n: Int) -> Int:
    return fold(0, lambda k, acc: where(acc > 5, acc - k, acc + k), count=n)


PROGRAMS: dict[str, tuple[Callable[..., Any], tuple[Any, ...], tuple[Any, ...]]] = {
    "conversion to a float": (lambda n: n.float() * 0.5, (Int,), (3,)),
    "conversion to an int": (lambda x: x.int() + 1, (Float,), (3.7,)),
    "conversion of a truth value": (lambda b: b.int(), (Bool,), (True,)),
    "square root": (lambda x: sqrt(x), (Float,), (2.0,)),
    "division by zero": (lambda n, m: n // m, (Int, Int), (7, 0)),
    "remainder by zero": (lambda n, m: n % m, (Int, Int), (7, 0)),
    "quotient by zero": (lambda x, y: x / y, (Float, Float), (1.0, 0.0)),
    "product that wraps": (lambda n, m: n * m, (Int, Int), (2**62, 5)),
    "power that wraps": (lambda n, m: n**m, (Int, Int), (3, 50)),
    "shift": (lambda n, m: n << m, (Int, Int), (3, 70)),
    "negation": (lambda n: ~(n > 0), (Int,), (3,)),
    "minimum": (lambda x, y: ein_mlir.min(x, y), (Float, Float), (3.0, -1.0)),
    "choice": (lambda b, x: where(b, x, -x), (Bool, Float), (True, 2.0)),
    "the argument": (lambda x: x, (Float,), (3.7,)),
    "size": (lambda n, x: array(lambda i: i.float() * x, size=n), (Int, Float), (3, 2.0)),
    "size by a factor": (
        lambda n, x: array(lambda i: i.float(), size=(n.float() * x).int()),
        (Int, Float),
        (3, 2.5),
    ),
    "size by an unsigned minimum": (
        lambda n, m: array(lambda i: i + m, size=where(n.int("u32") < m.int("u32"), n, m)),
        (Int, Int),
        (3, -4),
    ),
    "size by a product that wraps": (
        lambda n, m: array(lambda i: i * n, size=(n * m) % 11),
        (Int, Int),
        (2**62 + 1, 5),
    ),
    "size from a record": (
        lambda p: array(lambda i: i.float() * p[0], size=(p[1].float() / 2).int()),
        (tuple[Float, Int],),
        ((1.5, 7),),
    ),
    "loop": (alternating, (Int,), (9,)),
    "position": (lambda a, n: a[n], (Vec[Float], Int), (np.arange(3.0), 1)),
    "record": (lambda p: p[0] / p[1].float(), (tuple[Float, Int],), ((1.0, 4),)),
    "with an array": (
        lambda a, x: array(lambda i: a[i] * x + x),
        (Vec[Float], Float),
        (np.arange(3.0), 2.0),
    ),
}


def kept(source: str) -> Callable[..., Any]:
    """The last function of a source."""
    names: dict[str, Any] = {}
    exec(source, names)
    return names["main"] if "main" in names else names["alternating"]


def given(value: Any, backend: str) -> Any:
    """An array of a library; a number, or a record of numbers, as it is."""
    if isinstance(value, np.ndarray) and backend == "torch":
        import torch

        return torch.from_numpy(value)
    return tuple(value) if isinstance(value, tuple) else value


@pytest.mark.parametrize("backend", on("numpy", "torch", "jax"))
@pytest.mark.parametrize("name", PROGRAMS)
def test_kept_source_takes_python_numbers(name: str, backend: str) -> None:
    program, types, arguments = PROGRAMS[name]
    f = function(program)
    expected = np.asarray(f.eval(*arguments, backend="naive"))
    source = function(program, backend=backend).source(*types)
    with in_64_bits(backend), np.errstate(over="ignore"):  # of sizes, which NumPy computes
        actual = np.asarray(kept(source)(*(given(value, backend) for value in arguments)))
    np.testing.assert_allclose(actual, expected, rtol=1e-15)
    assert actual.dtype == expected.dtype


def test_numbers_next_to_arrays_are_not_converted() -> None:
    source = function(lambda a, x: array(lambda i: a[i] * x)).source(Vec[Float], Float)
    assert "return a * x" in source
