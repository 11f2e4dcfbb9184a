"""Loops over the rows of a nest that copy what the nest overwrites: see `read_in_rows`."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.builder import Builder
from xdsl.dialects import arith, memref, scf
from xdsl.dialects.builtin import IntegerAttr, MemRefType, NoneAttr
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from ein_mlir.analysis.constants import known_int
from ein_mlir.analysis.hints import isa
from ein_mlir.analysis.loops.effects import is_scalar, written_by
from ein_mlir.analysis.loops.memory_roots import are_apart, share_no_memory
from ein_mlir.dialects.creation import copy_of
from ein_mlir.host.dataclass import dataclass

LEAST_ROWS = 16
"""Of fewer rows threads may take columns: see ``ein_parallel`` of the runtime."""


@dataclass(frozen=True)
class _Copies:
    """A loop with a step for each row of a nest, and the buffers that it fills for the nest."""

    loop: scf.ParallelOp
    stores: Sequence[memref.StoreOp]

    @property
    def buffers(self) -> Sequence[SSAValue]:
        """The buffers."""
        return [store.memref for store in self.stores]


def read_in_rows(nest: scf.ParallelOp) -> None:
    """Read elements of the rows that a nest overwrites in its steps, not in a loop before it.

    A column of an accumulator is copied before its elements change::

        scf.parallel (%i) = .. { %0 = memref.load %a[%i, %k]; memref.store %0, %c[%i] }
        scf.parallel (%i, %j) = .. { %f = memref.load %c[%i]; .. memref.store %x, %a[%i, %j] }

    A step of the first index only changes its own row, so it may read the element itself::

        scf.parallel (%i) = .. {
          %f = memref.load %a[%i, %k]
          scf.parallel (%j) = .. { .. memref.store %x, %a[%i, %j] }
        }

    A column has a line of the cache for each row, which other threads have written: to fetch them
    takes as long as the steps. A nest of few rows is taken by columns, and stays as it is.
    """
    if len(nest.lowerBound) < 2 or not _is_plain(nest, 0):
        return
    found = [copies for loop in _loops_before(nest) if (copies := _copies(loop, nest)) is not None]
    rows = known_int(nest.upperBound[0])
    if found and (rows is None or rows >= LEAST_ROWS):
        _fuse(nest, found, is_wide=rows is not None)


def _is_plain(loop: scf.ParallelOp, axis: int) -> bool:
    """Whether a loop counts along an axis from 0 by 1, and has only scalars and accesses."""
    counts = known_int(loop.lowerBound[axis]) == 0 and known_int(loop.step[axis]) == 1
    accesses = (memref.LoadOp, memref.StoreOp, memref.DimOp, scf.ReduceOp)
    return counts and all(isinstance(op, accesses) or is_scalar(op) for op in loop.body.block.ops)


def _loops_before(nest: scf.ParallelOp) -> list[scf.ParallelOp]:
    """The loops in the same block that fill the buffers with an element for each row."""
    found = dict[scf.ParallelOp, None]()
    for op in nest.body.block.ops:
        if isinstance(op, memref.LoadOp) and list(op.indices) == [nest.body.block.args[0]]:
            users = (use.operation for use in op.memref.uses)
            for store in (user for user in users if isinstance(user, memref.StoreOp)):
                loop = store.parent_op()
                if isinstance(loop, scf.ParallelOp) and loop.parent is nest.parent:
                    found[loop] = None
    return [*found]


def _copies(loop: scf.ParallelOp, nest: scf.ParallelOp) -> _Copies | None:
    """What a loop copies for a nest that overwrites it, if rows of the nest may read it."""
    if len(loop.lowerBound) != 1 or loop is nest or not _is_plain(loop, 0):
        return None
    if loop.upperBound[0] is not nest.upperBound[0]:
        return None
    ops = list(loop.body.block.ops)
    stores = [op for op in ops if isinstance(op, memref.StoreOp)]
    loads = [op for op in ops if isinstance(op, memref.LoadOp)]
    if not all(_is_for_rows(store, loop, nest) for store in stores):
        return None
    between, read = _written_between(loop, nest), [load.memref for load in loads]
    if between is None or not are_apart(read, between):
        return None
    written = [op for op in nest.body.block.ops if isinstance(op, memref.StoreOp)]
    if are_apart(read, [store.memref for store in written]):
        return None  # there is nothing to gain
    own = loop.body.block.args[0], nest.body.block.args[0]
    is_row = all(_is_of_row(load, store, *own) for load in loads for store in written)
    return _Copies(loop, stores) if is_row else None


def _is_for_rows(store: memref.StoreOp, loop: scf.ParallelOp, nest: scf.ParallelOp) -> bool:
    """Whether a store is to an element of a row that only a nest reads, in steps of the row."""
    buffer = store.memref
    if not isinstance(buffer.owner, memref.AllocOp) or buffer.owner.parent is not nest.parent:
        return False
    row = nest.body.block.args[0]
    others = (use.operation for use in buffer.uses if use.operation is not store)
    return list(store.indices) == [loop.body.block.args[0]] and all(
        (isinstance(op, memref.DeallocOp) and op.parent is nest.parent)
        or (
            isinstance(op, memref.LoadOp)
            and op.parent is nest.body.block
            and list(op.indices) == [row]
        )
        for op in others
    )


def _written_between(loop: Operation, nest: Operation) -> list[SSAValue] | None:
    """The arrays that operations between two write to; None if they are not known."""
    written, op = list[SSAValue](), loop.next_op
    while op is not None and op is not nest:
        arrays = written_by(op)
        if arrays is None:
            return None
        written += arrays
        op = op.next_op
    return written if op is nest else None


def _is_of_row(
    load: memref.LoadOp, store: memref.StoreOp, own: SSAValue, changed: SSAValue
) -> bool:
    """Whether a step of a row reads no element that a step of another row changes."""
    if share_no_memory(load.memref, store.memref):
        return True
    is_first = load.indices[:1] == (own,) and store.indices[:1] == (changed,)
    return is_first and _is_or_apart(load.memref, store.memref)


def _is_or_apart(array: SSAValue, other: SSAValue) -> bool:
    """Whether an array is another one, all of it, or shares no memory with it."""
    if array is other:
        return isa(array.type, MemRefType) and isinstance(array.type.layout, NoneAttr)
    if isinstance(array.owner, scf.IfOp):
        number = array.owner.results.index(array)
        ends = [region.block.last_op for region in array.owner.regions]
        return all(end is not None and _is_or_apart(end.operands[number], other) for end in ends)
    return share_no_memory(array, other)


# Rewriting ----------------------------------------------------------------------------------------


def _fuse(nest: scf.ParallelOp, found: Sequence[_Copies], *, is_wide: bool) -> None:
    """Read in rows, if there are enough of them."""
    before = Builder(InsertPoint.before(nest))
    rows = _rows(nest, found)
    buffers = [buffer.owner for copies in found for buffer in copies.buffers]
    kept = [op for op in buffers if isinstance(op, memref.AllocOp)]
    released = [use.operation for op in kept for use in op.memref.uses]
    ends = [op for op in released if isinstance(op, memref.DeallocOp)]
    moved = [*kept, *(copies.loop for copies in found), nest, *ends]
    if is_wide:
        before.insert(rows)
        for op in reversed(moved):
            Rewriter.erase_op(op)
        return
    least = before.insert(arith.ConstantOp(IntegerAttr.from_index_int_value(LEAST_ROWS))).result
    enough = before.insert(arith.CmpiOp(nest.upperBound[0], least, "sge")).result
    otherwise = Block()
    then = Region(Block([rows, scf.YieldOp()]))
    before.insert(scf.IfOp(enough, [], then, Region(otherwise)))
    for op in moved:
        op.detach()
        otherwise.add_op(op)
    otherwise.add_op(scf.YieldOp())


def _rows(nest: scf.ParallelOp, found: Sequence[_Copies]) -> scf.ParallelOp:
    """The nest as a loop over rows, which read their elements first."""
    row, *others = nest.body.block.args
    outer, inner = Block(arg_types=[row.type]), Block(arg_types=[each.type for each in others])
    values = dict[SSAValue, SSAValue](zip((row, *others), (*outer.args, *inner.args), strict=True))
    for old, new in values.items():
        new.name_hint = old.name_hint
    read = dict[SSAValue, SSAValue]()
    for copies in found:
        own = dict[SSAValue, SSAValue]({copies.loop.body.block.args[0]: outer.args[0]})
        ops = [op for op in copies.loop.body.block.ops if not isinstance(op, scf.ReduceOp)]
        outer.add_ops([copy_of(op, own) for op in ops if not isinstance(op, memref.StoreOp)])
        read.update((store.memref, own.get(store.value, store.value)) for store in copies.stores)
    for op in nest.body.block.ops:
        if isinstance(op, memref.LoadOp) and op.memref in read:
            values[op.res] = read[op.memref]
        else:
            inner.add_op(copy_of(op, values))
    low, high, step = list(nest.lowerBound), list(nest.upperBound), list(nest.step)
    outer.add_ops((scf.ParallelOp(low[1:], high[1:], step[1:], Region(inner)), scf.ReduceOp()))
    return scf.ParallelOp(low[:1], high[:1], step[:1], Region(outer))
