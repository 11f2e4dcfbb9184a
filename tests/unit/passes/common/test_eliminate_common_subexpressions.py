"""``eliminate-common-subexpressions`` is xDSL's ``cse`` in less time."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from xdsl.dialects.builtin import ModuleOp

from ein_mlir.analysis.dominance import check_dominance
from ein_mlir.analysis.manager import functions_of
from ein_mlir.entry import parse
from ein_mlir.pipelines import run_pipeline
from ein_mlir.rewriting.common_subexpressions import eliminate_common_subexpressions
from tests.agreement.cases import CASES
from tests.agreement.programs import PROGRAMS
from tests.fuzzing.phi import programs
from tests.selection import examples, some
from tests.unit.passes.large_programs import assert_near_linear, nests

FLAG = "eliminate-common-subexpressions"
CONVERSION = ("inline-calls", "struct-of-arrays", "outline", "convert-phi-to-yarr")


def assert_shared(module: ModuleOp) -> None:
    """The pass makes of a module what ``cse`` does, up to names."""
    shared = run_pipeline(module.clone(), (FLAG,))
    assert shared.is_structurally_equivalent(run_pipeline(module.clone(), ("cse",)))
    check_dominance(shared)


def eliminate(module: ModuleOp) -> None:
    for function in functions_of(module):
        eliminate_common_subexpressions(function.body)


@given(programs())
@settings(max_examples=examples(100))
def test_random_programs(text: str) -> None:
    assert_shared(parse(text))


@given(programs())
@settings(max_examples=examples(25))
def test_random_programs_on_arrays(text: str) -> None:
    assert_shared(run_pipeline(parse(text), CONVERSION))


@pytest.mark.one_turn
@pytest.mark.parametrize("name", some([*PROGRAMS, *CASES]))
def test_programs(name: str) -> None:
    program = PROGRAMS[name].function if name in PROGRAMS else CASES[name].program
    inputs = PROGRAMS[name].inputs if name in PROGRAMS else CASES[name].inputs
    module = program.phi(*inputs(5, "float64", np.random.default_rng(5)))
    assert_shared(module)
    assert_shared(run_pipeline(module, CONVERSION))
    assert_shared(run_pipeline(module, ("simplify",)))


def copies(operations: int) -> ModuleOp:
    """Equal operations, each read by one of equal operations."""
    lines = [
        f"%a{k} = arith.mulf %x, %x : f64\n%b{k} = arith.addf %a{k}, %x : f64"
        for k in range(operations // 2)
    ]
    names = [f"%b{k}" for k in range(operations // 2)]
    types = ", ".join("f64" for _ in names)
    body = "\n".join([*lines, f"func.return {', '.join(names)} : {types}"])
    return parse(f"func.func @f(%x: f64) -> ({types}) {{\n{body}\n}}")


def nested(depth: int) -> ModuleOp:
    """Nested folds in each of which is what is around them."""
    lines = [
        f"%y{k} = arith.mulf %x, %x : f64\n%r{k} = phi.fold (%k{k} < %n, %a{k} = %y{k}) -> f64 {{"
        for k in range(depth)
    ]
    ends = [f"phi.yield %r{k} : f64 }}" for k in reversed(range(1, depth))]
    inner = f"phi.yield %a{depth - 1} : f64 }}"
    body = "\n".join([*lines, inner, *ends, "func.return %r0 : f64"])
    return parse(f"func.func @f(%n: i64, %x: f64) -> f64 {{\n{body}\n}}")


def test_copies(calls: Callable[..., int]) -> None:
    small, large = copies(500), copies(2_000)
    assert calls(lambda: eliminate(large)) < 5 * calls(lambda: eliminate(small))
    assert len(list(large.walk())) == 5


def test_deep_nests(calls: Callable[..., int]) -> None:
    """Whether an operation has effects is a question about all that is in it: at worst a square."""
    small, large = nested(10), nested(40)
    assert calls(lambda: eliminate(large)) < 16 * calls(lambda: eliminate(small))
    assert str(large).count("arith.mulf") == 1


@pytest.mark.one_turn
def test_calls_are_linear_in_the_program(calls: Callable[..., int]) -> None:
    small, large = nests(500), nests(2_000)
    assert calls(lambda: eliminate(large)) < 5 * calls(lambda: eliminate(small))


@pytest.mark.one_turn
def test_time_is_near_linear_in_the_program() -> None:
    assert_near_linear(eliminate)
