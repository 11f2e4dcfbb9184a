"""Comprehensions over some indices, of comprehensions over the others."""

from __future__ import annotations

from xdsl.dialects.builtin import IndexType
from xdsl.ir import Block, Region
from xdsl.rewriter import Rewriter

from ein_mlir.dialects import phi


def split(op: phi.ArrayOp, count: int) -> phi.ArrayOp:
    """``array (i < n, j < m) { e }  -->  array (i < n) { array (j < m) { e } }``"""
    block = op.body.block
    outer = Block(arg_types=[IndexType()] * count)
    for new, old in zip(outer.args, list(block.args)[:count], strict=True):
        new.name_hint = old.name_hint
        old.replace_all_uses_with(new)
    for old in list(block.args)[:count]:
        block.erase_arg(old)
    row = phi.row_of(op.result.type, count)
    inner = phi.ArrayOp(list(op.sizes)[count:], Region(op.body.detach_block(block)), row)
    inner.location = op.location
    outer.add_ops([inner, phi.YieldOp(inner.result)])
    new_op = phi.ArrayOp(list(op.sizes)[:count], Region(outer), op.result.type)
    new_op.location = op.location
    new_op.result.name_hint = op.result.name_hint
    Rewriter.replace_op(op, new_op)
    return new_op
