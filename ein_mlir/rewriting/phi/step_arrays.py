"""The values of all steps of a fold as one array."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import arith
from xdsl.dialects.builtin import IndexType
from xdsl.ir import Block, Region, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from ein_mlir.analysis.phi.memory_cost import slice_of
from ein_mlir.dialects import phi


def array_of_steps(op: phi.FoldOp, values: Sequence[SSAValue]) -> phi.ArrayOp:
    """``array (k < n) { (x, y) }`` of values in the body of a fold, which move into it.

    The index replaces the counter of the fold, which may be a value, too.
    """
    body = Block(arg_types=(IndexType(),))
    body.args[0].name_hint = op.counter.name_hint
    for inner in slice_of(op.body.block, values):
        inner.detach()
        body.add_op(inner)
    element = values[0]
    if len(values) > 1:
        body.add_op(record := phi.TupleOp(values))
        element = record.result
    body.add_op(phi.YieldOp(element))
    cast = arith.IndexCastOp(body.args[0], op.counter.type)
    cast.result.name_hint = op.counter.name_hint
    Rewriter.insert_op(cast, InsertPoint.at_start(body))
    op.counter.replace_all_uses_with(cast.result)
    type_ = phi.struct_of_arrays(phi.vec_of(element.type))
    return phi.ArrayOp([op.count], Region(body), type_)
