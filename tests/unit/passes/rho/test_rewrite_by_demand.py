"""Chapter 6 of the thesis on random programs: F(e) = e, S(e) = shape e, D(e) = dim e."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, event, given, settings

from ein_mlir.analysis.verification import verify
from ein_mlir.dialects.rho import Level
from ein_mlir.interpreters.rho import Array, run
from ein_mlir.passes.rho.rewrite_by_demand import rewrite_by_demand
from ein_mlir.sources.rho.parser import parse
from ein_mlir.targets.rho.printer import rho_text
from tests.fuzzing.rho import Shape, programs
from tests.selection import examples

MANY = settings(
    max_examples=examples(600),
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
    deadline=None,
)


def value_of(text: str) -> Array | None:
    try:
        return run(parse(text))
    except ValueError:
        return None


def rewritten(text: str, level: Level) -> Array:
    """The value of a rewritten program, which is valid and has the same text when read again."""
    module = parse(text)
    rewrite_by_demand(module, level)
    verify(module)
    printed = rho_text(module)
    assert rho_text(parse(printed)) == printed
    return run(module)


@pytest.mark.one_turn
@MANY
@given(programs())
def test_levels_of_random_programs(program: tuple[str, Shape]) -> None:
    text, shape = program
    value = value_of(text)
    event(f"has a value: {value is not None}")
    assume(value is not None)
    assert value is not None
    assert value.shape == shape
    np.testing.assert_array_equal(rewritten(text, Level.FULL), value)
    np.testing.assert_array_equal(rewritten(text, Level.SHAPE), np.array(value.shape, float))
    np.testing.assert_array_equal(rewritten(text, Level.DIM), value.ndim)


RECURSIVE = r"""
let grow = \n.\v. if n <= 0 then [v, v] else grow (n - 1) (v ++ [n]) in
let unused = \n. unused n in
let size = (shape (grow 3 [7])).([1]) in
grow 2 (gen size 1)
"""
CAPTURES = r"""
let a = [1, 2, 3] in
let outer = \x.
  let inner = \y. (shape a).([0]) + dim x + y in
  gen [inner 1] (inner 2)
in
[shape (outer a), [1] * (outer [[1]]).([0])]
"""
VERSIONS = r"""
let f = \x.\y. if dim y > 1 then x else x ++ x in
let v = f [1] [[2]] in
f (shape (f v [1])) (gen [dim (f v v), 1] v.([0]))
"""


@pytest.mark.parametrize("text", [RECURSIVE, CAPTURES, VERSIONS])
def test_levels_of_functions(text: str) -> None:
    value = value_of(text)
    assert value is not None
    np.testing.assert_array_equal(rewritten(text, Level.FULL), value)
    np.testing.assert_array_equal(rewritten(text, Level.SHAPE), np.array(value.shape, float))
    np.testing.assert_array_equal(rewritten(text, Level.DIM), value.ndim)


def test_a_shape_that_may_be_a_scalar() -> None:
    """``gen n 0`` is a vector if ``n`` is a scalar, which is decided at run time."""
    for argument, shape in (("3", [3]), ("[3]", [3]), ("[2, 1]", [2, 1])):
        text = f"let f = \\n. gen n 0 in f {argument}"
        np.testing.assert_array_equal(rewritten(text, Level.SHAPE), shape)
        np.testing.assert_array_equal(rewritten(text, Level.DIM), len(shape))
