"""The elements of a buffer that are read, along an axis.

A bound is a number that is known where the buffer is allocated, and so the same for all reads: a
position itself, a bound of the loop around, or the limit of a comparison that selects. Only those
that vary with a loop are of interest: most arrays are read from 0 to their size ::

    %b = memref.alloc(%n) : memref<?xf64>
    ..                                                // elements of %b are read from %j on
    %x = memref.load %b[%j] : memref<?xf64>
    "scf.parallel"(%zero, %n, %one) ({
    ^bb0(%i: index):
      %y = memref.load %b[%i] : memref<?xf64>
      %z = arith.divf %y, %x : f64
      %is_below = arith.cmpi sge, %i, %j : index
      %w = arith.select %is_below, %z, %other : f64
      ..
    })
"""

from __future__ import annotations

from xdsl.dialects import arith, func, math, memref, scf
from xdsl.ir import SSAValue, Use

from ein_mlir.analysis.constants import known_int
from ein_mlir.analysis.loops.index_bounds import counter_range
from ein_mlir.analysis.loops.spans import Conditions, Span, number_of, union
from ein_mlir.analysis.scopes import around, block_of, is_known_at

MOST_USES = 64
"""The most values that are followed to the selections that they are for."""


def span_read(buffer: memref.AllocOp, axis: int) -> Span:
    """The positions along an axis at which elements of a buffer are read.

    The clip of a position to the axis is no part of it: a lower limit beyond the last element, and
    an upper one before the first, stand for these.
    """
    loads = list[memref.LoadOp]()
    arrays: list[SSAValue] = [buffer.memref]
    for array in arrays:
        for use in array.uses:
            match use.operation:
                case memref.LoadOp() as load:
                    loads.append(load)
                case memref.StoreOp() | memref.DeallocOp() | memref.DimOp():
                    pass
                case scf.YieldOp() as op if isinstance(choice := op.parent_op(), scf.IfOp):
                    arrays.append(choice.results[use.index])
                case _:
                    return Span()
    size = buffer.dynamic_sizes[axis]
    return union(_Reads(buffer, load.indices[axis], size).span(load) for load in loads)


def unclipped(position: SSAValue, size: SSAValue) -> SSAValue:
    """``max(min(p, size - 1), 0)  -->  p``"""
    least = position.owner
    if isinstance(least, arith.MaxSIOp) and known_int(least.rhs) == 0:
        least = least.lhs.owner
    last = least.rhs.owner if isinstance(least, arith.MinSIOp) else None
    is_last = isinstance(last, arith.SubiOp) and last.lhs is size and known_int(last.rhs) == 1
    return least.lhs if isinstance(least, arith.MinSIOp) and is_last else position


class _Reads:
    """Finds the span of a position of loads from a buffer."""

    def __init__(self, buffer: memref.AllocOp, position: SSAValue, size: SSAValue):
        self._buffer = buffer
        self._conditions = Conditions(unclipped(number_of(position), size), self._is_limit)
        self._needs = dict[SSAValue, Span]()

    def span(self, load: memref.LoadOp) -> Span:
        """The range of the position where the element is needed."""
        span = self._own() & self._needed(load.res)
        for op in around(load):
            above = op.parent_op()
            if isinstance(above, scf.IfOp):
                span &= self._conditions.where(above.cond, op.parent is above.true_region.block)
        return span

    def _own(self) -> Span:
        """The bounds of a position: itself, or those of its loop."""
        position = self._conditions.position
        if is_known_at(position, self._buffer):
            return self._conditions.between((position, 0), (position, 1))
        found = counter_range(position)
        return self._conditions.between(*((end, 0) for end in found)) if found else Span()

    def _is_limit(self, value: SSAValue) -> bool:
        block = block_of(value)
        varies = block is not None and not isinstance(block.parent_op(), func.FuncOp)
        return varies and is_known_at(value, self._buffer)

    def _needed(self, value: SSAValue) -> Span:
        """The range of the position in all selections that need a value."""
        if value not in self._needs:
            self._needs[value] = Span()
            if len(self._needs) <= MOST_USES:
                self._needs[value] = union(map(self._used, value.uses))
        return self._needs[value]

    def _used(self, use: Use) -> Span:
        op = use.operation
        if type(op) not in _COMPUTED:
            return Span()
        needed = union(map(self._needed, op.results))
        if type(op) is arith.SelectOp and use.index > 0:
            needed &= self._conditions.where(op.cond, use.index == 1)
        return needed


_COMPUTED = frozenset(op for dialect in (arith.Arith, math.Math) for op in dialect.operations)
"""The operations that do nothing but compute values."""
