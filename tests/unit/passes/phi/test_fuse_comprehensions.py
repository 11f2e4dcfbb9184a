"""Values are unchanged by fusion, and the time is linear."""

from __future__ import annotations

from math import inf

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from xdsl.context import Context

from ein_mlir.analysis.dominance import check_dominance
from ein_mlir.analysis.phi.element_cost import CHEAP, FEW_READS, is_profitable
from ein_mlir.dialects import phi
from ein_mlir.entry import parse
from ein_mlir.interpreters import run
from ein_mlir.passes.phi.fuse_comprehensions import FuseComprehensionsPass
from tests.fuzzing.phi import arguments, programs
from tests.selection import examples
from tests.unit.passes.large_programs import applied, assert_near_linear, outcome


@settings(max_examples=examples(150))
@given(programs(), st.integers(0, 3), st.integers(-1, 3))
def test_evaluation_is_unchanged(text: str, size: int, n: int) -> None:
    """The error of an unused value may be lost, but no error is added."""
    module = parse(text)
    expected = outcome(module, size, n)
    FuseComprehensionsPass().apply(Context(), module)
    module.verify()
    check_dominance(module)
    if expected is not None:
        assert outcome(module, size, n) == expected


POSITIONS = {
    "in bounds": "%k",
    "beyond the end": "%far",
    "below zero": "%negative",
}


@pytest.mark.parametrize("size", [0, 1, 3])
@pytest.mark.parametrize("position", POSITIONS.values(), ids=POSITIONS)
def test_positions_clip(position: str, size: int) -> None:
    """An element of an empty array is zero."""
    text = f"""func.func @f(%v: !phi.vec<f64>, %p: !phi.vec<tuple<f64, i64>>, %x: f64, %k: i64)
        -> f64 {{
      %n = phi.size %v, 0 : !phi.vec<f64>
      %ten = arith.constant 10 : i64
      %minus = arith.constant -10 : i64
      %far = arith.addi %k, %ten : i64
      %negative = arith.addi %k, %minus : i64
      %a = phi.array (%i < %n) -> !phi.vec<f64> {{
        %0 = phi.get %v[%i] : !phi.vec<f64>[index]
        %1 = arith.index_cast %i : index to i64
        %2 = arith.sitofp %1 : i64 to f64
        %3 = arith.addf %0, %2 : f64
        %4 = arith.addf %3, %x : f64
        phi.yield %4 : f64
      }}
      %r = phi.get %a[{position}] : !phi.vec<f64>[i64]
      func.return %r : f64
    }}"""
    module = parse(text)
    expected = run(module, "f", arguments(size, 1)[:4])
    FuseComprehensionsPass().apply(Context(), module)
    assert not any(isinstance(op, phi.ArrayOp) for op in module.walk())
    assert run(module, "f", arguments(size, 1)[:4]) == expected


def test_the_cost_rule() -> None:
    assert is_profitable(inf, 1, is_repeated=False)
    assert not is_profitable(inf, 2, is_repeated=False)
    assert is_profitable(CHEAP, 1, is_repeated=True)
    assert not is_profitable(CHEAP + 1, 1, is_repeated=True)
    assert is_profitable(FEW_READS, 2, is_repeated=False)
    assert not is_profitable(FEW_READS + 1, 2, is_repeated=False)


def chain(length: int) -> str:
    """Comprehensions that each read the one before."""
    lines = list[str]()
    for number in range(length):
        lines.append(
            f"""%a{number + 1} = phi.array (%i{number} < %n) -> !phi.vec<f64> {{
              %x{number} = phi.get %a{number}[%i{number}] : !phi.vec<f64>[index]
              %y{number} = arith.addf %x{number}, %x{number} : f64
              phi.yield %y{number} : f64
            }}"""
        )
    body = "\n".join(lines)
    return f"""func.func @f(%a0: !phi.vec<f64>) -> !phi.vec<f64> {{
      %n = phi.size %a0, 0 : !phi.vec<f64>
      {body}
      func.return %a{length} : !phi.vec<f64>
    }}"""


def test_a_chain_becomes_one_comprehension() -> None:
    module = parse(chain(5))
    FuseComprehensionsPass().apply(Context(), module)
    assert len([op for op in module.walk() if isinstance(op, phi.ArrayOp)]) == 1


@pytest.mark.one_turn
def test_the_time_is_linear() -> None:
    assert_near_linear(applied(FuseComprehensionsPass()))


def test_a_long_chain_is_copied_once() -> None:
    def copies(length: int) -> int:
        module = parse(chain(length))
        FuseComprehensionsPass().apply(Context(), module)
        return sum(1 for _ in module.walk())

    assert copies(80) < 9 * copies(10)
