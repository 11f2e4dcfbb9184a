"""``narrow-loops``: elements that are not read, or that stay as they are, are not computed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from xdsl.builder import Builder
from xdsl.dialects import arith, func, memref, scf
from xdsl.dialects.builtin import IndexType
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter
from xdsl.traits import Pure

from ein_mlir.analysis.constants import known_int
from ein_mlir.analysis.loops.kept_elements import span_changed
from ein_mlir.analysis.loops.read_ranges import span_read
from ein_mlir.analysis.loops.spans import Span, union
from ein_mlir.analysis.manager import AnalysisManager
from ein_mlir.analysis.scopes import is_within, operations_in, slice_within
from ein_mlir.rewriting.loops.index_values import IndexValues
from ein_mlir.rewriting.passes import FunctionPass

_HARMLESS = {
    *(memref.LoadOp, memref.StoreOp, memref.AllocOp, memref.AllocaOp, memref.DeallocOp),
    *(memref.DimOp, scf.ForOp, scf.IfOp, scf.ParallelOp, scf.WhileOp),
    *(scf.YieldOp, scf.ConditionOp, scf.ReduceOp),
}
"""Operations of steps that may be left out, as pure ones may: nothing reads their elements."""


# Analysis ---------------------------------------------------------------------------------------


def spans(nest: scf.ParallelOp) -> Iterator[tuple[int, Span]]:
    """The loops of a nest of which steps may be left out, each with those that are needed."""
    body = operations_in(nest)[1:]
    stores = [op for op in body if type(op) is memref.StoreOp and not is_within(op.memref, nest)]
    if nest.initVals or not stores or not all(map(_is_harmless, body)):
        return
    for number, lower in enumerate(nest.lowerBound):
        if known_int(lower) == 0 and known_int(nest.step[number]) == 1:
            found = union(_needed(nest, store, number) for store in stores)
            if found.lows or found.highs:
                yield number, found


def _needed(nest: scf.ParallelOp, store: memref.StoreOp, number: int) -> Span:
    """The steps in which a store changes an element that is read."""
    changed = span_changed(nest, store, number)
    written = _written(store, nest.body.block.args[number], nest.upperBound[number])
    return changed & span_read(*written) if written and _is_of_a_step(store) else changed


def _is_of_a_step(op: memref.StoreOp) -> bool:
    """Whether a store is to a buffer of a body, where limits vary."""
    buffer = op.memref.owner
    return type(buffer) is memref.AllocOp and type(buffer.parent_op()) is not func.FuncOp


def _is_harmless(op: Operation) -> bool:
    return type(op) in _HARMLESS or op.has_trait(Pure)


def _written(
    op: memref.StoreOp, index: SSAValue, size: SSAValue
) -> tuple[memref.AllocOp, int] | None:
    """The buffer of a store, and its axis of a size along which an index is the position."""
    buffer = op.memref.owner
    if not isinstance(buffer, memref.AllocOp) or len(buffer.dynamic_sizes) != len(op.indices):
        return None
    pairs = zip(op.indices, buffer.dynamic_sizes, strict=True)
    return next(((buffer, axis) for axis, pair in enumerate(pairs) if pair == (index, size)), None)


# Rewriting --------------------------------------------------------------------------------------


def narrow(nest: scf.ParallelOp, number: int, span: Span) -> None:
    """Let a loop take the steps of a span alone.

    Limits are clipped to the steps, as positions are; a sum that wraps leaves out none.
    """
    limits = [*span.lows, *span.highs]
    if any(is_within(limit, nest) for limit in limits):
        nest, number = _last_loop(nest, limits), 0
    emit, rank = IndexValues(Builder(InsertPoint.before(nest))), len(nest.lowerBound)
    zero, end = nest.lowerBound[number], nest.upperBound[number]
    last = emit.combined(end, "-", emit.integer(1))

    def clipped(value: SSAValue, more: int) -> SSAValue:
        position = _plus(emit, emit.index(value), more)
        return _insert(emit, arith.MaxSIOp(_insert(emit, arith.MinSIOp(position, last)), zero))

    low, high = zero, end
    for value, more in span.lows.items():
        low = _insert(emit, arith.MaxSIOp(low, clipped(value, more)))
    for value, more in span.highs.items():
        after = _plus(emit, clipped(value, more - 1), 1)
        high = _insert(emit, arith.MinSIOp(high, after))
    if span.lows and span.highs:
        high = _insert(emit, arith.MaxSIOp(high, low))
    nest.operands[number], nest.operands[rank + number] = low, high


def _last_loop(nest: scf.ParallelOp, limits: Sequence[SSAValue]) -> scf.ParallelOp:
    """Make the last loop of a nest one of its own, after limits that vary with the other indices.

    ``for i, j { k = f(i); .. }  -->  for i { k = f(i); for j { .. } }``
    """
    needed = slice_within(nest, limits)
    for op in needed:
        op.detach()
    if len(nest.lowerBound) == 1:  # the limits vary with nothing
        Rewriter.insert_op(needed, InsertPoint.before(nest))
        return nest
    block, inner = nest.body.block, Block(arg_types=[IndexType()])
    last = block.args[-1]
    inner.args[0].name_hint = last.name_hint
    last.replace_all_uses_with(inner.args[0])
    block.erase_arg(last)
    for op in list(block.ops):
        op.detach()
        inner.add_op(op)
    (*lowers, low), (*uppers, high), (*steps, step) = nest.lowerBound, nest.upperBound, nest.step
    loop = scf.ParallelOp([low], [high], [step], Region(inner))
    block.add_ops([*needed, loop, scf.ReduceOp()])
    outer = scf.ParallelOp(lowers, uppers, steps, nest.detach_region(nest.body))
    Rewriter.replace_op(nest, outer)
    return loop


def _plus(emit: IndexValues, value: SSAValue, more: int) -> SSAValue:
    return emit.combined(value, "+", emit.integer(more)) if more else value


def _insert(emit: IndexValues, op: Operation) -> SSAValue:
    return emit.build.insert(op).results[0]


class NarrowLoopsPass(FunctionPass):
    """Leaves out steps of parallel loops that compute elements which are not read, or keep them.

    Before (the elements of %b from %j on are read)::

        %b = memref.alloc(%n) : memref<?xf64>
        "scf.parallel"(%zero, %n, %one) ({
        ^bb0(%i: index):
          %x = .. : f64
          memref.store %x, %b[%i] : memref<?xf64>
        })
        "scf.parallel"(%zero, %n, %one) ({
        ^bb0(%i: index):
          %y = memref.load %b[%i] : memref<?xf64>
          %is_below = arith.cmpi sge, %i, %j : index
          %z = arith.select %is_below, %y, %other : f64
          ..

    After::

        %b = memref.alloc(%n) : memref<?xf64>
        %last = arith.subi %n, %one : index
        %first = arith.minsi %j, %last : index
        %low = arith.maxsi %first, %zero : index
        "scf.parallel"(%low, %n, %one) ({
        ^bb0(%i: index):
          ..

    So a column of a triangular matrix is computed from the diagonal on. A limit is a position that
    is read, a bound of a loop that reads, or what a comparison that selects compares with. It must
    vary with a loop, and be known where the buffer is allocated
    (`ein_mlir/analysis/loops/read_ranges.py`).

    A loop that overwrites an array takes the steps alone that change it: in ``where(i > k, x, a[i,
    j])``, stored at the same place, those from ``k + 1`` on. The last index may be limited by the
    others, as in ``j <= i``: then its loop is one of its own, in that of the others
    (`ein_mlir/analysis/loops/kept_elements.py`). So an elimination in place takes a third of the
    steps of that of whole matrices.

    Loops stay if they write anything else, or if a step may fail.
    """

    name = "narrow-loops"
    looks_for = (scf.ParallelOp,)

    def run(self, function: func.FuncOp, analyses: AnalysisManager) -> None:
        for op in reversed(operations_in(function)):
            if type(op) is scf.ParallelOp and op.parent is not function.body.block:
                for number, span in list(spans(op)):
                    narrow(op, number, span)
