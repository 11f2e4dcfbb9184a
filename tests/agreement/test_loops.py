"""Programs whose loops write, accumulate, scan or search need no loop on NumPy."""

from __future__ import annotations

import ast
import warnings
from typing import Any

import numpy as np
import pytest

from ein_mlir import compile
from tests.agreement.comparison import assert_call_agrees
from tests.agreement.loops import LOOPS, Loop, make
from tests.libraries import on

SIZES = (0, 1, 2, 5, 9)
TOLERANCE = {"float64": 1e-9, "float32": 1e-4}


def calls_of(loop: Loop, dtype: str) -> list[list[Any]]:
    """Arguments of all sizes."""
    rng = np.random.default_rng(7)
    return [make(loop.arguments, size, dtype, rng) for size in SIZES]


def loops_in(source: str) -> list[str]:
    """The loops of an emitted program, without those of its helpers and those over blocks."""
    functions = [op for op in ast.parse(source).body if isinstance(op, ast.FunctionDef)]
    loops = [op for op in ast.walk(functions[-1]) if isinstance(op, ast.For)]
    iterated = [ast.unparse(op.iter) for op in loops]
    return [each for each in iterated if not each.endswith(", step)")]


def assert_same(loop: Loop, backend: str, dtype: str) -> None:
    """A program agrees with the interpreter, and changes no argument, or both raise an error."""
    for arguments in calls_of(loop, dtype):
        assert_call_agrees(loop.function, arguments, backend, TOLERANCE)


@pytest.mark.parametrize("dtype", TOLERANCE)
@pytest.mark.parametrize("name", LOOPS)
def test_numpy(name: str, dtype: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert_same(LOOPS[name], "numpy", dtype)


@pytest.mark.parametrize("backend", on("torch", "jax"))
@pytest.mark.parametrize("name", LOOPS)
def test_other_libraries(name: str, backend: str) -> None:
    assert_same(LOOPS[name], backend, "float64")


@pytest.mark.parametrize("name", LOOPS)
def test_no_loop_is_left(name: str) -> None:
    loop = LOOPS[name]
    (arguments,) = calls_of(loop, "float64")[3:4]
    assert loops_in(compile(loop.function.phi(*arguments), name, "numpy").source) == []
