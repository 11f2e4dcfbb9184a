"""Values that the same operations compute."""

from __future__ import annotations

from xdsl.dialects import arith
from xdsl.dialects.builtin import IndexType, i64
from xdsl.ir import Block, SSAValue

from ein_mlir.analysis.phi.equality import computes_same
from ein_mlir.dialects import phi

BLOCK = Block(arg_types=[phi.VecType(i64), i64, IndexType()])
ARRAY, STEP, INDEX = BLOCK.args


def read(position: SSAValue, number: int = 1) -> SSAValue:
    """``a[position] + number``"""
    constant = arith.ConstantOp.from_int_and_width(number, 64)
    return arith.AddiOp(phi.GetOp(ARRAY, [position]), constant).result


def test_operations_alike() -> None:
    assert computes_same(read(STEP), read(STEP))
    assert not computes_same(read(STEP), read(STEP, 2))
    assert not computes_same(read(STEP), STEP)


def test_renamed_values() -> None:
    assert not computes_same(read(STEP), read(INDEX))
    assert computes_same(read(STEP), read(INDEX), {STEP: INDEX})
    assert not computes_same(read(INDEX), read(STEP), {STEP: INDEX})


def test_casts_are_no_operations() -> None:
    assert computes_same(read(INDEX), read(arith.IndexCastOp(INDEX, i64).result))
