"""A variant of a program is compiled to the same calls: no optimisation is lost.

The emitted programs of a case and of its variants are compared, not times. A variant may need
another function for arithmetic, but no slow one.
"""

from __future__ import annotations

import ast
from functools import cache

import numpy as np
import pytest

from ein_mlir import Function
from ein_mlir.pipelines import run_pipeline
from ein_mlir.targets.python.printer import python_source
from tests.agreement.cases import CASES
from tests.agreement.cases.case import Case
from tests.selection import in_turn

COSTLY = {
    "arange",
    "cat",
    "clipped_slice",
    "clipped_take",
    "concatenate",
    "einsum",
    "fold",
    "range",
    "take",
    "where",
}
"""Calls of masks, gathers, copies, loops and contractions in an order that needs copies."""

EXPLAINED = {
    ("hotspot", "by_columns"): {"clipped_slice"},
}
"""Additional calls of some variants: their explicit sizes clip accesses."""

VARIANTS = [(case, variant) for case in CASES.values() for variant in case.variants]


@cache
def costly_calls(name: str, program: Function, backend: str) -> set[str]:
    """The slow functions that the emitted program calls, without those of its helpers."""
    case = CASES[name]
    arguments = case.inputs(case.small[-1], "float64", np.random.default_rng(0))
    emitted = python_source(run_pipeline(program.phi(*arguments).clone(), backend))
    functions = [op for op in ast.parse(emitted).body if isinstance(op, ast.FunctionDef)]
    names = {
        op.func.attr if isinstance(op.func, ast.Attribute) else ast.unparse(op.func)
        for op in ast.walk(functions[-1])
        if isinstance(op, ast.Call)
    }
    return names & COSTLY


@pytest.mark.parametrize(
    ("pair", "backend"),
    in_turn(VARIANTS, ("numpy", "torch", "jax")),
    ids=lambda each: each if isinstance(each, str) else f"{each[0].name}-{each[1].__name__}",
)
def test_variants_need_no_other_calls(pair: tuple[Case, Function], backend: str) -> None:
    case, variant = pair
    explained = EXPLAINED.get((case.name, variant.__name__), set[str]())
    calls = costly_calls(case.name, case.program, backend)
    assert costly_calls(case.name, variant, backend) - calls <= explained


@pytest.mark.parametrize(("name", "variant"), EXPLAINED)
def test_every_explained_call_is_needed(name: str, variant: str) -> None:
    (program,) = [each for each in CASES[name].variants if each.__name__ == variant]
    assert EXPLAINED[name, variant] <= costly_calls(name, program, "numpy")
