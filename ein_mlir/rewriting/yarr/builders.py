"""Builders for passes on yarr."""

from __future__ import annotations

from xdsl.ir import Block, Operation, Region, SSAValue

from ein_mlir.dialects import yarr


def elementwise(operation: type[Operation], *arrays: SSAValue) -> yarr.ElementwiseOp:
    """``elementwise { operation } arrays``: one scalar operation on all elements."""
    block = Block(arg_types=[yarr.element_of(array) for array in arrays])
    block.add_op(scalar := operation(*block.args))
    block.add_op(yarr.YieldOp(scalar))
    return yarr.ElementwiseOp(arrays, Region(block))
