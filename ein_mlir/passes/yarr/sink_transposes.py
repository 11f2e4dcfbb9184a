"""``sink-transposes``: arrays are computed in the order of axes of their operands."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

from xdsl.dialects import func
from xdsl.dialects.builtin import IntegerAttr, i64
from xdsl.ir import Block, Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from ein_mlir.analysis.manager import AnalysisManager
from ein_mlir.analysis.scopes import classes_among, operations_in
from ein_mlir.dialects import yarr
from ein_mlir.dialects.creation import copy_of
from ein_mlir.rewriting.passes import FunctionPass
from ein_mlir.rewriting.yarr.transposed_twins import share_twins

Permutation: TypeAlias = tuple[int, ...]
"""Axis ``d`` of a transposed array is axis ``p[d]`` of the array."""

Lookup: TypeAlias = Callable[[SSAValue], Permutation | None]
"""The permutation of a transposed array; None for others."""

PERMUTABLE = (
    yarr.ArgreduceOp,
    yarr.ConcatOp,
    yarr.ElementwiseOp,
    yarr.FillEmptyOp,
    yarr.PadOp,
    yarr.ReduceOp,
    yarr.RepeatOp,
    yarr.ScanOp,
    yarr.SliceOp,
)
"""Operations that commute with a transpose, along permuted axes."""


def sink_transposes(block: Block) -> None:
    """Sink the transposes of a block, and of its inner bodies, below their users."""
    for op in list(block.ops):
        if isinstance(op, yarr.FoldOp):
            op = _sink_through_fold(op) or op
        elif isinstance(op, PERMUTABLE):
            _sink_through(op)
            continue
        for region in op.regions:
            sink_transposes(region.block)


# Permutations ---------------------------------------------------------------------------------


def transposed(value: SSAValue) -> tuple[SSAValue, Permutation]:
    """The operand of a transpose and its permutation; other values themselves."""
    axes = tuple(range(yarr.rank_of(value)))
    while isinstance(value.owner, yarr.TransposeOp):
        axes = tuple(value.owner.axes[axis] for axis in axes)
        value = value.owner.array
    return value, axes


def inverse(permutation: Permutation) -> Permutation:
    """The inverse of a permutation."""
    return tuple(permutation.index(axis) for axis in range(len(permutation)))


def _known_permutation(value: SSAValue) -> Permutation | None:
    """The permutation of a transposed value; None for others."""
    _, axes = transposed(value)
    return axes if _moves(axes) else None


def _moves(permutation: Permutation) -> bool:
    return permutation != tuple(range(len(permutation)))


def _is_vector(value: SSAValue) -> bool:
    """Whether at most one axis has a size other than 1: its elements have one order only."""
    return sum(size != 1 for size in yarr.shape_of(value)) <= 1


# Operations below transposes -----------------------------------------------------------------


def _arrays(op: Operation) -> Sequence[SSAValue]:
    """The arrays whose elements an operation reads."""
    match op:
        case yarr.ElementwiseOp():
            return op.arguments
        case yarr.ConcatOp():
            return op.arrays
        case _:
            return op.operands[:1]


def _common(op: Operation, lookup: Lookup) -> Permutation | None:
    """The common permutation of all arrays that an operation reads; None if they differ.

    Vectors fit any order, and arrays any that moves their axes of size 1 alone.
    """
    orders = {array: lookup(array) for array in _arrays(op) if not _is_vector(array)}
    found = {order for order in orders.values() if order is not None}
    if len(found) != 1:
        return None
    permutation = found.pop()
    others = (array for array, order in orders.items() if order is None)
    return permutation if all(_keeps_order(array, permutation) for array in others) else None


def _keeps_order(array: SSAValue, permutation: Permutation) -> bool:
    """Whether a permutation moves axes of size 1 of an array alone."""
    kept = [permutation[d] for d, size in enumerate(yarr.shape_of(array)) if size != 1]
    return kept == sorted(kept)


def _after(op: Operation, before: Permutation) -> Permutation:
    """The permutation of the result of an operation on transposed arrays.

    ``reduce(A, transpose(p, x)) = transpose(q, reduce(p(A), x))``, with ``q`` the order of the
    remaining axes; other operations keep the permutation.
    """
    match op:
        case yarr.ReduceOp():
            axes = op.axes
        case yarr.ArgreduceOp():
            axes = (op.axis.value.data,)
        case _:
            return before
    kept = [axis for d, axis in enumerate(before) if d not in axes]
    return tuple(sorted(kept).index(axis) for axis in kept)


def _sink_through(op: Operation) -> None:
    """``f(transpose(p, x), ..) --> transpose(p, f'(x, ..))``, with the axes of ``f`` permuted"""
    permutation = _common(op, _known_permutation)
    if permutation is None:
        return
    new, arrays = copy_of(op), set(_arrays(op))
    for number, operand in enumerate(op.operands):
        if operand in arrays and _known_permutation(operand) != permutation:
            moved = yarr.TransposeOp(operand, inverse(permutation))
            Rewriter.insert_op(moved, InsertPoint.before(op))
            new.operands[number] = moved.result
        elif operand in arrays:
            new.operands[number], _ = transposed(operand)
    _permute_axes(new, permutation)
    after = _after(op, permutation)
    result = op.results[0]
    shape = yarr.shape_of(result)
    Rewriter.replace_value_with_new_type(
        new.results[0],
        yarr.tensor(yarr.element_of(result), [shape[axis] for axis in inverse(after)]),
    )
    if not _moves(after):
        Rewriter.replace_op(op, new)
        return
    Rewriter.replace_op(op, (new, yarr.TransposeOp(new.results[0], after)))


def _permute_axes(op: Operation, permutation: Permutation) -> None:
    """Replace the axes of an operation by those of the array before a transpose."""
    match op:
        case yarr.ReduceOp():
            axes = sorted(permutation[axis] for axis in op.axes)
            op.axes_attr = type(op.axes_attr).from_list(i64, axes)
        case (
            yarr.ArgreduceOp()
            | yarr.ConcatOp()
            | yarr.FillEmptyOp()
            | yarr.PadOp()
            | yarr.RepeatOp()
            | yarr.ScanOp()
            | yarr.SliceOp()
        ):
            op.axis = IntegerAttr(permutation[op.axis.value.data], i64)
        case _:
            pass


# Loops ----------------------------------------------------------------------------------------


def _sink_through_fold(op: yarr.FoldOp) -> yarr.FoldOp | None:
    """``fold(transpose(p, x), f) --> transpose(p, fold(x, transpose(-p) . f . transpose(p)))``

    This applies to accumulators with transposed initial values that each step yields in the same
    transposed order, and to those of which each step writes elements along a later axis.
    """
    starts = {
        number: permutation
        for number, init in enumerate(op.inits)
        if (permutation := _known_permutation(init)) is not None
    }
    if not _keeps_transposed(op, starts):
        starts.clear()
    inits = list(op.inits)
    terminator = op.body.block.last_op
    assert terminator is not None
    for number, permutation in starts.items():
        inits[number], _ = transposed(op.inits[number])
        _transpose_accumulator(op, number, inits[number], permutation)
        step = yarr.TransposeOp(terminator.operands[number], inverse(permutation))
        Rewriter.insert_op(step, InsertPoint.before(terminator))
        terminator.operands[number] = step.result
    for number, accumulator in enumerate(op.accumulators):
        if number not in starts and (axis := _written_axis(accumulator)):
            inits[number], starts[number] = _write_first_axis(op, number, axis)
    if not starts:
        return None
    body = op.detach_region(op.body)
    fold = yarr.FoldOp(op.count, inits, body)
    results, views = list[SSAValue](fold.res), list[Operation]()
    for number, permutation in starts.items():
        views.append(view := yarr.TransposeOp(fold.res[number], permutation))
        results[number] = view.result
    Rewriter.replace_op(op, (fold, *views), results)
    return fold


def _written_axis(accumulator: SSAValue) -> int | None:
    """The axis along which each step writes at one position and may read at others, if any."""
    users = [use.operation for use in accumulator.uses]
    updates = [
        user for user in users if isinstance(user, yarr.UpdateOp) and user.array is accumulator
    ]
    reads = [user for user in users if isinstance(user, yarr.TakeOp)]
    axes = {axis for update in updates for axis in update.axes}
    axes.update(read.axis.value.data for read in reads)
    if len(axes) != 1 or len(updates) != 1 or len(updates) + len(reads) != len(users):
        return None
    after = [use.operation for use in updates[0].result.uses]
    return axes.pop() if all(isinstance(each, yarr.YieldOp) for each in after) else None


def _write_first_axis(op: yarr.FoldOp, number: int, axis: int) -> tuple[SSAValue, Permutation]:
    """``fold(x, update along d) --> transpose(-p, fold(transpose(p, x), update along 0))``

    where ``p`` moves axis ``d`` to the front: each step writes neighbouring elements. Returns the
    initial value, and the permutation of the result.
    """
    order = (axis, *(d for d in range(yarr.rank_of(op.inits[number])) if d != axis))
    init = yarr.TransposeOp(op.inits[number], order)
    Rewriter.insert_op(init, InsertPoint.before(op))
    _transpose_accumulator(op, number, init.result, inverse(order))
    terminator = op.body.block.last_op
    assert terminator is not None
    update = terminator.operands[number].owner
    assert isinstance(update, yarr.UpdateOp)
    in_bounds = update.in_bounds is not None
    array, new = op.accumulators[number], (update.value, update.condition)
    new = yarr.UpdateOp(array, [0], update.positions, *new, in_bounds=in_bounds)
    Rewriter.replace_op(update, new)
    return init.result, inverse(order)


def _transpose_accumulator(
    op: yarr.FoldOp, number: int, init: SSAValue, permutation: Permutation
) -> None:
    """Give an accumulator the type of another initial value; users read its transpose."""
    first = op.body.block.first_op
    assert first is not None
    accumulator = Rewriter.replace_value_with_new_type(op.accumulators[number], init.type)
    view = yarr.TransposeOp(accumulator, permutation)
    accumulator.replace_all_uses_with(view.result)
    view.operands[0] = accumulator
    Rewriter.insert_op(view, InsertPoint.before(first))


def _keeps_transposed(op: yarr.FoldOp, starts: Mapping[int, Permutation]) -> bool:
    """Whether a step keeps the permutations of the initial values of accumulators."""
    known: dict[SSAValue, Permutation] = {op.accumulators[d]: p for d, p in starts.items()}

    def lookup(value: SSAValue) -> Permutation | None:
        return known[value] if value in known else _known_permutation(value)

    for inner in op.body.block.ops:
        if isinstance(inner, PERMUTABLE):
            permutation = _common(inner, lookup)
            if permutation is not None and _moves(after := _after(inner, permutation)):
                known[inner.results[0]] = after
    terminator = op.body.block.last_op
    assert isinstance(terminator, yarr.YieldOp)
    return all(lookup(terminator.values[number]) == starts[number] for number in starts)


class SinkTransposesPass(FunctionPass):
    """Moves transposes below the operations that use them.

    Before::

        %x = yarr.transpose %a, [1, 0] : tensor<?x?xf64> -> tensor<?x?xf64>
        %y = yarr.transpose %b, [1, 0] : tensor<?x?xf64> -> tensor<?x?xf64>
        %c = yarr.elementwise { arith.addf } %x, %y : ... -> tensor<?x?xf64>

    After::

        %0 = yarr.elementwise { arith.addf } %a, %b : ... -> tensor<?x?xf64>
        %c = yarr.transpose %0, [1, 0] : tensor<?x?xf64> -> tensor<?x?xf64>

    A transpose is a view, but a loop over it has large strides in memory, and so does a block of
    its rows. Below sums, slices, paddings and whole loops, a transpose meets its inverse, or the
    end of the program. Arrays that are read together in several orders are unchanged, unless only
    axes of size 1 of the others move, as with a value of each column. A loop that writes columns,
    such as the values of its steps for each element, carries the transposed array, and writes rows.
    """

    name = "sink-transposes"
    looks_for = (yarr.ElementwiseOp, yarr.TransposeOp, yarr.UpdateOp)

    def run(self, function: func.FuncOp, analyses: AnalysisManager) -> None:
        share_twins(function.body.block)
        if classes_among(operations_in(function), yarr.TransposeOp, yarr.UpdateOp):
            sink_transposes(function.body.block)
