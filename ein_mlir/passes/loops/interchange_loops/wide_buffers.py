"""Buffers that a body allocates, such as those of the states that a derivative reads again."""

from __future__ import annotations

from collections.abc import Collection

from xdsl.builder import Builder
from xdsl.dialects import arith, memref, scf
from xdsl.dialects.builtin import DYNAMIC_INDEX, IndexType, IntegerAttr
from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from ein_mlir.analysis.loops.neighbours import Buffer
from ein_mlir.dialects.creation import made


def side_by_side(op: scf.ParallelOp, buffers: Collection[Buffer], width: int) -> scf.ParallelOp:
    """The loop whose buffers have one more axis, for the results of a block.

    ::

        %b = memref.alloc(%n) : memref<?xf64>         %b = memref.alloc(%n, %width)
        .. memref.load %b[%k] ..                      .. memref.load %b[%k, %i] ..

    for the last index ``%i``: a block replaces it by the place of the result.
    """
    places = [number for number, each in enumerate(op.body.block.ops) if each in buffers]
    copy = op.clone()
    inner = list(copy.body.block.ops)
    for number in places:
        _widen(inner[number], copy.body.block.args[-1], width)
    return copy


def _widen(op: Operation, index: SSAValue, width: int) -> None:
    assert isinstance(op, memref.AllocOp | memref.AllocaOp)
    build, old = Builder(InsertPoint.before(op)), op.memref
    type_, shape = old.type.element_type, old.type.get_shape()
    if isinstance(op, memref.AllocaOp):
        new = memref.AllocaOp.get(type_, shape=[*shape, width])
    else:
        size = build.insert(arith.ConstantOp(IntegerAttr(width, IndexType()))).result
        new = memref.AllocOp.get(
            type_, shape=[*shape, DYNAMIC_INDEX], dynamic_sizes=[*op.dynamic_sizes, size]
        )
    for use in list(old.uses):
        access = use.operation
        if isinstance(access, memref.LoadOp | memref.StoreOp):
            types = [result.type for result in access.results]
            Rewriter.replace_op(access, made(type(access), [*access.operands, index], types))
    Rewriter.replace_op(op, new)
