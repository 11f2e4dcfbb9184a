"""Axes whose size is the literal 1, in folds of few steps: types agree after every pass."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from ein_mlir import Float, Function, Int, Vec, array, fold, function, where
from ein_mlir.analysis.verification import verify
from ein_mlir.pipelines import run_pipeline
from tests.agreement.comparison import assert_agree
from tests.libraries import on
from tests.selection import in_turn

STARTS: dict[str, Callable[[Any, Any], Any]] = {
    "given": lambda x, n: array(lambda i: x, size=1),
    "computed": lambda x, n: array(lambda i: 0.5 * x + 1.0, size=1),
    "index": lambda x, n: array(lambda i: i.float() * x, size=1),
    "matrix": lambda x, n: array(lambda i, j: x, size=(1, 1)),
    "row": lambda x, n: array(lambda i, j: x, size=(1, n)),
    "column": lambda x, n: array(lambda i, j: x, size=(n, 1)),
}
VECTOR_STEPS: dict[str, Callable[[Any, Any], Any]] = {
    "element": lambda a, x: lambda k, s: array(lambda i: where(i == k, s[i] + a[k], s[i])),
    "add": lambda a, x: lambda k, s: array(lambda i: s[i] + a[k]),
    "scale": lambda a, x: lambda k, s: array(lambda i: s[i] * x),
    "larger": lambda a, x: lambda k, s: array(lambda i: s[i].max(a[k])),
    "apply": lambda a, x: lambda k, s: array(lambda i: (s[i] * x).sin()),
    "first": lambda a, x: lambda k, s: array(lambda i: s[0] * s[i]),
    "sized": lambda a, x: lambda k, s: array(lambda i: s[i] * 2.0, size=1),
    "moved": lambda a, x: lambda k, s: array(lambda i: where(i > 0, s[i - 1], s[i]), size=1),
}
MATRIX_STEPS: dict[str, Callable[[Any, Any], Any]] = {
    "row": lambda a, x: lambda k, s: array(lambda i, j: where(i == k, s[i, j] + x, s[i, j])),
    "column": lambda a, x: lambda k, s: array(lambda i, j: where(j == k, s[i, j] + a[k], s[i, j])),
    "add": lambda a, x: lambda k, s: array(lambda i, j: s[i, j] + a[k]),
    "outer": lambda a, x: lambda k, s: array(lambda i, j: s[i, 0] * s[0, j]),
    "turned": lambda a, x: lambda k, s: array(lambda i, j: s[i, j] + s[i, 0] * a[k]),
}
COUNTS: dict[str, Callable[[Int], Any]] = {
    "3": lambda n: 3,
    "n": lambda n: n,
}
PROGRAMS = [
    (start, step, count)
    for start in STARTS
    for step in (MATRIX_STEPS if start in ("matrix", "row", "column") else VECTOR_STEPS)
    for count in COUNTS
]


def program(start: str, step: str, count: str) -> Function:
    steps = MATRIX_STEPS if start in ("matrix", "row", "column") else VECTOR_STEPS

    @function
    def run(a: Vec[Float], x: Float):
        n = a.size()
        return fold(STARTS[start](x, n), steps[step](a, x), count=COUNTS[count](n))

    return run


@pytest.mark.parametrize(
    ("parts", "pipeline"),
    in_turn(PROGRAMS, ("numpy", "torch", "jax")),
    ids=lambda each: each if isinstance(each, str) else " ".join(each),
)
def test_types_agree_after_every_pass(parts: tuple[str, str, str], pipeline: str):
    module = program(*parts).phi()
    run_pipeline(module, pipeline, after_each=lambda _, after: verify(after))
    assert str(-(2**63)) not in str(module), "a dynamic size is a number in emitted code"


@pytest.mark.parametrize("backend", on("numpy", "torch"))
@pytest.mark.parametrize("parts", PROGRAMS, ids=" ".join)
def test_values(parts: tuple[str, str, str], backend: str):
    run = program(*parts)
    for size in (0, 1, 2):
        a = np.linspace(1.0, 2.0, size)
        expected = run.eval(a, 1.5, backend="naive")
        assert_agree(run.eval(a, 1.5, backend=backend), expected, {"float64": 1e-12})
