"""Programs whose loops write, accumulate, scan or search need no loop on NumPy."""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from ein_mlir import compile
from tests.agreement.comparison import assert_call_agrees
from tests.agreement.loops import LOOPS, Loop, make
from tests.libraries import on
from tests.selection import combinations, sizes_on

SIZES = (0, 1, 2, 5, 9)
TOLERANCE = {"float64": 1e-9, "float32": 1e-4}


def calls_of(loop: Loop, dtype: str, sizes: Sequence[int] = SIZES) -> list[list[Any]]:
    """Arguments of some sizes."""
    rng = np.random.default_rng(7)
    return [make(loop.arguments, size, dtype, rng) for size in sizes]


def loops_in(source: str) -> list[str]:
    """The loops of an emitted program, without those of its helpers and those over blocks."""
    functions = [op for op in ast.parse(source).body if isinstance(op, ast.FunctionDef)]
    loops = [op for op in ast.walk(functions[-1]) if isinstance(op, ast.For)]
    iterated = [ast.unparse(op.iter) for op in loops]
    return [each for each in iterated if not re.search(r", step(_\d+)?\)$", each)]


@pytest.mark.parametrize(
    ("name", "backend", "dtype"), combinations(LOOPS, on("numpy", "torch", "jax"))
)
def test_backends(name: str, backend: str, dtype: str) -> None:
    """A program agrees with the interpreter, and changes no argument, or both raise an error."""
    with warnings.catch_warnings():
        if backend == "numpy":
            warnings.simplefilter("error")
        for arguments in calls_of(LOOPS[name], dtype, sizes_on(backend, SIZES, name)):
            assert_call_agrees(LOOPS[name].function, arguments, backend, TOLERANCE)


@pytest.mark.parametrize("name", LOOPS)
def test_no_loop_is_left(name: str) -> None:
    loop = LOOPS[name]
    (arguments,) = calls_of(loop, "float64")[3:4]
    assert loops_in(compile(loop.function.phi(*arguments), name, "numpy").source) == []
