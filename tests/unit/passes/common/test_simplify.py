"""``simplify`` is xDSL's ``canonicalize`` in less time, with more constant folding."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

from ein_mlir.analysis.dominance import check_dominance
from ein_mlir.entry import parse
from ein_mlir.passes.common.simplify import canonical_rules, laws
from ein_mlir.pipelines import register, run_pipeline
from ein_mlir.rewriting.worklist import Rules, Simplifier
from tests.agreement.cases import CASES
from tests.agreement.programs import PROGRAMS
from tests.fuzzing.phi import programs
from tests.selection import examples, some
from tests.unit.passes.large_programs import assert_near_linear, nests

CONVERSION = ("inline-calls", "struct-of-arrays", "outline", "convert-phi-to-yarr")


def assert_canonical(module: ModuleOp) -> None:
    """``simplify`` without its folding makes of a module what ``canonicalize`` does.

    With folding, it leaves nothing to do for ``canonicalize``.
    """
    lawful = module.clone()
    simplify(lawful, laws)
    assert str(lawful) == str(run_pipeline(module.clone(), ("canonicalize",)))
    simplified = run_pipeline(module.clone(), ("simplify",))
    check_dominance(simplified)
    before = str(simplified)
    assert str(run_pipeline(simplified, ("canonicalize",))) == before


def simplify(module: ModuleOp, rules: Callable[[type[Operation]], Rules] = canonical_rules) -> bool:
    ctx = Context()
    register(ctx)
    return Simplifier(ctx, rules).simplify(module)


@given(programs())
@settings(max_examples=examples(100))
def test_random_programs(text: str) -> None:
    assert_canonical(parse(text))


@given(programs())
@settings(max_examples=examples(25))
def test_random_programs_on_arrays(text: str) -> None:
    assert_canonical(run_pipeline(parse(text), CONVERSION))


@pytest.mark.one_turn
@pytest.mark.parametrize("name", some([*PROGRAMS, *CASES]))
def test_programs(name: str) -> None:
    program = PROGRAMS[name].function if name in PROGRAMS else CASES[name].program
    inputs = PROGRAMS[name].inputs if name in PROGRAMS else CASES[name].inputs
    module = program.phi(*inputs(5, "float64", np.random.default_rng(5)))
    assert_canonical(module)
    assert_canonical(run_pipeline(module, CONVERSION))


@given(programs())
@settings(max_examples=examples(50))
def test_nothing_is_left_to_do(text: str) -> None:
    module = parse(text)
    simplify(module)
    before = str(module)
    assert not simplify(module)
    assert str(module) == before


def chain(operations: int) -> str:
    """Operations each of which reads the one before it, and of which the last is not used."""
    steps = "\n".join(f"%x{k + 1} = arith.mulf %x{k}, %x{k} : f64" for k in range(operations))
    return f"func.func @f(%x0: f64) -> f64 {{\n{steps}\nfunc.return %x0 : f64\n}}"


def foldable(operations: int) -> str:
    """Operations each of which is constant once the one before it is."""
    steps = "\n".join(f"%x{k + 1} = arith.addi %x{k}, %x0 : i64" for k in range(operations))
    start = "%x0 = arith.constant 1 : i64"
    return f"func.func @f() -> i64 {{\n{start}\n{steps}\nfunc.return %x{operations} : i64\n}}"


def captures(folds: int) -> str:
    """Folds, each of which reads the one before in its region; the last is not used."""
    fold = """%x{l} = phi.fold (%k{l} < %n, %a{l} = %x0) -> f64 {{
      %y{l} = arith.mulf %a{l}, %x{k} : f64
      phi.yield %y{l} : f64
    }}"""
    steps = "\n".join(fold.format(k=k, l=k + 1) for k in range(folds))
    return f"func.func @f(%n: i64, %x0: f64) -> f64 {{\n{steps}\nfunc.return %x0 : f64\n}}"


def nested(depth: int) -> str:
    """Nested folds, of which nothing is used but the outermost: its region goes with it."""
    lines = [f"%r{k} = phi.fold (%k{k} < %n, %a{k} = %x) -> f64 {{" for k in range(depth)]
    body = ["%y = arith.mulf %x, %c : f64", "phi.yield %y : f64 }"]
    ends = [f"phi.yield %r{k} : f64 }}" for k in reversed(range(1, depth))]
    text = "\n".join(["%c = arith.mulf %x, %x : f64", *lines, *body, *ends])
    return f"func.func @f(%n: i64, %x: f64) -> f64 {{\n{text}\nfunc.return %x : f64\n}}"


@pytest.mark.one_turn
@pytest.mark.parametrize("program", [chain, foldable, captures])
def test_long_chains(program: Callable[[int], str], calls: Callable[..., int]) -> None:
    small, large = parse(program(250)), parse(program(1_000))
    assert calls(lambda: simplify(large)) < 5 * calls(lambda: simplify(small))
    assert len(list(large.walk())) == (4 if program is foldable else 3)


def test_deep_nests(calls: Callable[..., int]) -> None:
    """Whether an operation has effects is a question about all that is in it: at worst a square."""
    small, large = parse(nested(10)), parse(nested(40))
    assert calls(lambda: simplify(large)) < 16 * calls(lambda: simplify(small))
    assert len(list(large.walk())) == 3


@pytest.mark.one_turn
def test_calls_are_linear_in_the_program(calls: Callable[..., int]) -> None:
    small, large = nests(500), nests(2_000)
    assert calls(lambda: simplify(large)) < 5 * calls(lambda: simplify(small))


@pytest.mark.one_turn
def test_time_is_near_linear_in_the_program() -> None:
    assert_near_linear(simplify)
