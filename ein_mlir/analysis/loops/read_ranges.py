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

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from xdsl.dialects import arith, func, math, memref, scf
from xdsl.ir import Block, BlockArgument, Operation, SSAValue, Use

from ein_mlir.analysis.constants import known_int
from ein_mlir.analysis.predicates import NEGATED, SWAPPED, predicate_of
from ein_mlir.analysis.scopes import around, block_of

MOST_USES = 64
"""The most values that are followed to the selections that they are for."""

Limits: TypeAlias = Mapping[SSAValue, int]
"""Limits: values, each plus 0 or 1."""


@dataclass(frozen=True)
class Span:
    """Positions that are at least each of some limits, and below each of others."""

    lows: Limits = field(default_factory=dict[SSAValue, int])
    highs: Limits = field(default_factory=dict[SSAValue, int])

    def __and__(self, other: Span) -> Span:
        """The positions in both."""
        return Span(
            {**self.lows, **other.lows, **_common(max, self.lows, other.lows)},
            {**self.highs, **other.highs, **_common(min, self.highs, other.highs)},
        )

    def __or__(self, other: Span) -> Span:
        """A span of the positions in one of both."""
        lows = _common(min, self.lows, other.lows)
        return Span(lows, _common(max, self.highs, other.highs))


def _common(choose: Callable[[int, int], int], a: Limits, b: Limits) -> Limits:
    return {value: choose(number, b[value]) for value, number in a.items() if value in b}


def union(spans: Iterable[Span]) -> Span:
    """A span of the positions in one of some spans; all positions, if there are none."""
    found: Span | None = None
    for span in spans:
        found = span if found is None else found | span
        if not found.lows and not found.highs:
            break
    return found or Span()


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


def is_known_at(value: SSAValue, op: Operation) -> bool:
    """Whether a value is defined before an operation, in its block or around it."""
    block = block_of(value)
    before = None if block is None else block.find_ancestor_op_in_block(op)
    if before is None:
        return False
    owner = value.owner
    return isinstance(owner, Block) or (owner is not before and owner.is_before_in_block(before))


def number_of(value: SSAValue) -> SSAValue:
    """An Int or an index without casts between these."""
    while isinstance(value.owner, arith.IndexCastOp):
        value = value.owner.input
    return value


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
        self._position = number_of(unclipped(number_of(position), size))
        self._needs = dict[SSAValue, Span]()

    def span(self, load: memref.LoadOp) -> Span:
        """The range of the position where the element is needed."""
        span = self._own() & self._needed(load.res)
        for op in around(load):
            above = op.parent_op()
            if isinstance(above, scf.IfOp):
                span &= self._where(above.cond, op.parent is above.true_region.block)
        return span

    def _own(self) -> Span:
        """The bounds of a position: itself, or those of its loop."""
        position = self._position
        if is_known_at(position, self._buffer):
            return self._above(position, 0) & self._below(position, 1)
        loop = position.owner.parent_op() if isinstance(position, BlockArgument) else None
        if isinstance(position, BlockArgument):
            if isinstance(loop, scf.ForOp) and position.index == 0:
                return self._above(loop.lb, 0) & self._below(loop.ub, 0)
            if isinstance(loop, scf.ParallelOp):
                at = position.index
                return self._above(loop.lowerBound[at], 0) & self._below(loop.upperBound[at], 0)
        return Span()

    def _above(self, value: SSAValue, number: int) -> Span:
        return Span(lows=self._limit(value, number))

    def _below(self, value: SSAValue, number: int) -> Span:
        return Span(highs=self._limit(value, number))

    def _limit(self, value: SSAValue, number: int) -> Limits:
        value = number_of(value)
        block = block_of(value)
        varies = block is not None and not isinstance(block.parent_op(), func.FuncOp)
        return {value: number} if varies and is_known_at(value, self._buffer) else {}

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
            needed &= self._where(op.cond, use.index == 1)
        return needed

    def _where(self, condition: SSAValue, expected: bool) -> Span:
        """The range of the position that a condition implies, if it holds or does not."""
        test = condition.owner
        if isinstance(test, arith.AndIOp if expected else arith.OrIOp):
            return self._where(test.lhs, expected) & self._where(test.rhs, expected)
        if not isinstance(test, arith.CmpiOp):
            return Span()
        predicate, limit = predicate_of(test), test.rhs
        if number_of(test.rhs) is self._position:
            predicate, limit = SWAPPED[predicate], test.lhs
        elif number_of(test.lhs) is not self._position:
            return Span()
        low, high = _SPANS.get(predicate if expected else NEGATED[predicate], (None, None))
        span = Span() if low is None else self._above(limit, low)
        return span if high is None else span & self._below(limit, high)


_COMPUTED = frozenset(op for dialect in (arith.Arith, math.Math) for op in dialect.operations)
"""The operations that do nothing but compute values."""

_SPANS: Mapping[str, Sequence[int | None]] = {
    "sge": (0, None),
    "sgt": (1, None),
    "sle": (None, 1),
    "slt": (None, 0),
    "eq": (0, 1),
}
"""For each predicate the least position above a limit, and the first one that is not below."""
