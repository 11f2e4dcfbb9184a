"""``lead-with-short-axes``: differences of rows have the axis along the rows first."""

from __future__ import annotations

from collections.abc import Iterable

from xdsl.dialects import func
from xdsl.ir import SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from ein_mlir.analysis.manager import AnalysisManager
from ein_mlir.analysis.scopes import operations_of
from ein_mlir.dialects import yarr
from ein_mlir.dialects.creation import copy_of
from ein_mlir.rewriting.passes import FunctionPass

LONG = 32
"""The least known size of a last axis that stays: a call on rows of it takes no longer."""


def _is_outer(op: yarr.ElementwiseOp) -> bool:
    """Whether an array combines each row of a matrix with each row of others.

    All operands are repeated along other axes, and two of them have elements along the last one.
    """
    if yarr.rank_of(op.result) < 3:
        return False
    *others, last = yarr.shape_of(op.result)
    if last == 1 or last >= LONG:
        return False
    shapes = [yarr.shape_of(each) for each in op.arguments]
    ranks = [_rank(shape[:-1]) for shape in shapes]
    rows = [rank for rank, shape in zip(ranks, shapes, strict=True) if rank and shape[-1] != 1]
    return len(rows) > 1 and max(ranks) < _rank(others)


def _rank(sizes: Iterable[int]) -> int:
    """The number of axes along which an array has more than one element, or may have."""
    return sum(size != 1 for size in sizes)


def _is_combined(value: SSAValue) -> bool:
    """Whether all uses of an array are sums, or functions of its elements of which all are.

    An operation without uses is one that a contraction has replaced.
    """
    users = [use.operation for use in value.uses]
    return all(
        isinstance(user, yarr.ReduceOp | yarr.EinsumOp | yarr.InOrderOp)
        or (isinstance(user, yarr.ElementwiseOp) and _keeps_shape(user, value))
        for user in users
    )


def _keeps_shape(op: yarr.ElementwiseOp, value: SSAValue) -> bool:
    """Whether an array has the axes of an operand, and others vary along fewer; and is combined."""
    rank = _rank(yarr.shape_of(value))
    others = (each for each in op.arguments if each is not value)
    return (
        _rank(yarr.shape_of(op.result)) == rank
        and all(_rank(yarr.shape_of(each)) < rank for each in others)
        and _is_combined(op.result)
    )


def _lead(op: yarr.ElementwiseOp) -> None:
    """``f(a, b)  -->  transpose(f(transpose(a), transpose(b)))``, with the last axis first."""
    rank = yarr.rank_of(op.result)
    order = (rank - 1, *range(rank - 1))
    new = copy_of(op)
    for number, operand in enumerate(op.operands):
        if yarr.rank_of(operand):
            moved = _with_order(operand, order)
            Rewriter.insert_op(moved, InsertPoint.before(op))
            new.operands[number] = moved[-1].results[0]
    shape = yarr.shape_of(op.result)
    type_ = yarr.tensor(yarr.element_of(op.result), [shape[axis] for axis in order])
    Rewriter.replace_value_with_new_type(new.results[0], type_)
    Rewriter.replace_op(op, (new, yarr.TransposeOp(new.results[0], (*range(1, rank), 0))))


def _with_order(
    value: SSAValue, order: tuple[int, ...]
) -> list[yarr.TransposeOp | yarr.UnsqueezeOp]:
    """The operations for an array with its axes in an order: its rows become columns if it is a
    matrix with axes of size 1, which are then new ones.
    """
    source = value.owner
    if not isinstance(source, yarr.UnsqueezeOp):
        return [yarr.TransposeOp(value, order)]
    own = [axis for axis in range(len(order)) if axis not in source.axes]
    kept = [own.index(axis) for axis in order if axis in own]
    moved = yarr.TransposeOp(source.array, kept)
    added = [place for place, axis in enumerate(order) if axis in source.axes]
    return [moved, yarr.UnsqueezeOp(moved.result, added)]


class LeadWithShortAxesPass(FunctionPass):
    """Computes differences of rows, and other functions of two, with the axis along a row first.

    Before::

        %a = yarr.unsqueeze %x, [1] : tensor<?x?xf64> -> tensor<?x1x?xf64>
        %b = yarr.unsqueeze %y, [0] : tensor<?x?xf64> -> tensor<1x?x?xf64>
        %d = yarr.elementwise { arith.subf } %a, %b : ... -> tensor<?x?x?xf64>
        %s = yarr.einsum "ijk,ij->ik" %d, %w : ... -> tensor<?x?xf64>

    After::

        %0 = yarr.transpose %x, [1, 0] : tensor<?x?xf64> -> tensor<?x?xf64>
        %1 = yarr.unsqueeze %0, [2] : tensor<?x?xf64> -> tensor<?x?x1xf64>
        %2 = yarr.transpose %y, [1, 0] : tensor<?x?xf64> -> tensor<?x?xf64>
        %3 = yarr.unsqueeze %2, [1] : tensor<?x?xf64> -> tensor<?x1x?xf64>
        %4 = yarr.elementwise { arith.subf } %1, %3 : ... -> tensor<?x?x?xf64>
        %d = yarr.transpose %4, [1, 2, 0] : tensor<?x?x?xf64> -> tensor<?x?x?xf64>
        %s = yarr.einsum "ijk,ij->ik" %d, %w : ... -> tensor<?x?xf64>

    The rows are often those of points, with two or three coordinates, and NumPy has a loop along
    the last axis, which starts again for each pair: 17 times longer for two coordinates, 6 times
    for eight, as long for 32. The transpose of a matrix takes no time beside that of all pairs.
    Arrays that are neither summed nor contracted are unchanged.
    """

    name = "lead-with-short-axes"
    looks_for = (yarr.ElementwiseOp,)

    def run(self, function: func.FuncOp, analyses: AnalysisManager) -> None:
        for op in operations_of(function, yarr.ElementwiseOp):
            if _is_outer(op) and _is_combined(op.result):
                _lead(op)
