"""Effects are those that xDSL finds, operation by operation."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from xdsl.ir import Operation
from xdsl.traits import IsTerminator, is_side_effect_free
from xdsl.transforms.dead_code_elimination import is_trivially_dead

from ein_mlir.analysis.effects import is_dead, is_kept, is_pure
from ein_mlir.dialects.emitpy import EmitPy
from ein_mlir.dialects.phi import Phi
from ein_mlir.dialects.sigma import Sigma
from ein_mlir.dialects.yarr import Yarr
from ein_mlir.entry import parse

FILECHECK = Path(__file__).resolve().parents[2] / "filecheck"
DIALECTS = (Phi, Yarr, EmitPy, Sigma)

CALLS = """
func.func private @g(%x: f64) -> f64
func.func @f(%x: f64, %n: i64) -> f64 {
  %y = func.call @g(%x) : (f64) -> f64
  %a = phi.fold (%k < %n, %acc = %x) -> f64 {
    %s = phi.fold (%l < %n, %t = %acc) -> f64 {
      %z = func.call @g(%t) : (f64) -> f64
      phi.yield %z : f64
    }
    phi.yield %s : f64
  }
  %b = phi.fold (%k < %n, %acc = %x) -> f64 {
    %s = arith.addf %acc, %x : f64
    phi.yield %s : f64
  }
  func.return %x : f64
}
"""


def samples(dialect: str) -> Iterator[Operation]:
    """The operations of the round trips of a dialect: its own, and those around them."""
    return parse((FILECHECK / f"dialects/{dialect}/ops.mlir").read_text()).walk()


@pytest.mark.parametrize("dialect", [dialect.name for dialect in DIALECTS])
def test_sample_programs(dialect: str) -> None:
    for op in samples(dialect):
        assert is_pure(op) == is_side_effect_free(op), op.name
        assert is_dead(op) == is_trivially_dead(op), op.name


def test_samples_are_of_every_operation() -> None:
    found = {type(op) for dialect in DIALECTS for op in samples(dialect.name)}
    assert found >= {op for dialect in DIALECTS for op in dialect.operations}


def test_effects_inside() -> None:
    module = parse(CALLS)
    dead = [op for op in module.walk() if is_dead(op)]
    assert [result.name_hint for op in dead for result in op.results] == ["b"]
    for op in module.walk():
        assert is_pure(op) == is_side_effect_free(op), op.name


def test_terminators_and_symbols_stay() -> None:
    kept = {op.name for op in parse(CALLS).walk() if is_kept(type(op))}
    assert kept == {"builtin.module", "func.func", "func.return", "phi.yield"}
    for dialect in DIALECTS:
        for op in dialect.operations:
            assert is_kept(op) or not op.has_trait(IsTerminator)
