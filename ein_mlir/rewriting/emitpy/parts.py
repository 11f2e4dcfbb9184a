"""Results of operations that are computed in a part of a tensor, where they may be repeated."""

from __future__ import annotations

from xdsl.dialects.builtin import TensorType
from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from ein_mlir.analysis.hints import isa
from ein_mlir.dialects import emitpy
from ein_mlir.dialects.emitpy.base import rank_of
from ein_mlir.rewriting.emitpy.calls import TORCH, arguments_of, ufunc_of

COMPUTE_INTO = "torch.compute_into"


def new_axes_of(value: SSAValue) -> emitpy.SubscriptOp | None:
    """The ``x[:, None]`` that a value is, a view with new axes; None for other values."""
    op = value.owner
    if not isinstance(op, emitpy.SubscriptOp) or not rank_of(op.object.type):
        return None
    is_view = all(_is_new(index) or is_whole(index) for index in op.indices)
    return op if is_view and op.object.has_one_use() else None


def compute_into(
    op: Operation, store: emitpy.StoreOp, view: emitpy.SubscriptOp | None
) -> emitpy.CallIntoOp | None:
    """``compute_into(a[i:j], torch.exp, x[:, None])`` for ``a[i:j] = torch.exp(x)[:, None]``.

    None if the operation has options, the part more axes, or an operand other ones than the result.
    """
    operands, options = arguments_of(op, TORCH)
    if options or rank_of(store.value.type) != rank_of(store.target.type):
        return None
    if view is not None:
        rank = rank_of(op.results[0].type)
        if any(rank_of(value.type) not in (0, rank) for value in operands):
            return None
        operands = [_with_axes(value, view, store) for value in operands]
    function = emitpy.NameOp(ufunc_of(op, TORCH))
    Rewriter.insert_op(function, InsertPoint.before(store))
    return emitpy.CallIntoOp(
        store.target, COMPUTE_INTO, (function.result, *operands), store.indices
    )


def _with_axes(value: SSAValue, view: emitpy.SubscriptOp, store: emitpy.StoreOp) -> SSAValue:
    """An operand with the new axes of a view of the result."""
    if not rank_of(value.type):
        return value
    assert isa(value.type, TensorType)
    sizes = list(value.type.get_shape())
    for place, index in enumerate(view.indices):
        if _is_new(index):
            sizes.insert(place, 1)
    type_ = TensorType(value.type.element_type, sizes)
    read = emitpy.SubscriptOp(value, view.indices, type_)
    Rewriter.insert_op(read, InsertPoint.before(store))
    return read.result


def is_whole(index: SSAValue) -> bool:
    """``:``"""
    return isinstance(index.owner, emitpy.SliceOp) and not index.owner.bounds


def _is_new(index: SSAValue) -> bool:
    return isinstance(index.owner, emitpy.LiteralOp) and index.owner.data is None
