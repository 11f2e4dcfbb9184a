"""Sizes and counts of a program as functions of its arguments, before any pass.

Each is a ``Number`` of ``ein_mlir.host.extents``, or a bound: of an index, the limit; of a choice,
the larger value. Steps of a loop are taken to keep the sizes of accumulators.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from xdsl.dialects import arith
from xdsl.ir import Block, BlockArgument, Operation, SSAValue

from ein_mlir.analysis.constants import known_int
from ein_mlir.dialects import phi
from ein_mlir.host.extents import Number

DEEPEST = 32
"""The most definitions that are followed to an argument."""

_FUNCTIONS: dict[type[Operation], str] = {
    arith.AddiOp: "+",
    arith.SubiOp: "-",
    arith.MuliOp: "*",
    arith.MaxSIOp: "max",
    arith.MinSIOp: "min",
}


class Extents:
    """The bounds of the Ints and of the sizes of arrays in a function, if they are known."""

    def __init__(self, entry: Block):
        self._entry = entry

    def number(self, value: SSAValue) -> Number | None:
        """A bound of an Int, by the arguments."""
        return self._number(value, DEEPEST)

    def shape(self, array: SSAValue, rank: int, path: phi.Path = ()) -> Sequence[Number] | None:
        """Bounds of the sizes of an array, or of such a field of a record, if all are known."""
        sizes = [self._extent(array, path, axis, DEEPEST) for axis in range(rank)]
        return None if None in sizes else cast("list[Number]", sizes)

    def _number(self, value: SSAValue, depth: int) -> Number | None:
        known = known_int(value)
        if known is not None or not depth:
            return known
        if isinstance(value, BlockArgument):
            return self._argument(value, depth)
        match value.owner:
            case phi.SizeOp(array=array, axis=axis):
                return self._extent(array, (), axis.value.data, depth)
            case phi.AssertEqOp(lhs=operand) | arith.FloorDivSIOp(lhs=operand):
                return self._number(operand, depth - 1)
            case arith.SelectOp(lhs=x, rhs=y):
                return self._function("max", x, y, depth)
            case Operation() as op if type(op) in _FUNCTIONS:
                x, y = op.operands
                return self._function(_FUNCTIONS[type(op)], x, y, depth)
            case _:
                return None

    def _argument(self, value: BlockArgument, depth: int) -> Number | None:
        """An argument, or the limit of an index or a counter."""
        if value.block is self._entry:
            return ("int", value.index)
        op = value.block.parent_op()
        limit = op.limit(value) if isinstance(op, phi.PhiOp) else None
        return None if limit is None else self._number(limit, depth - 1)

    def _function(self, name: str, x: SSAValue, y: SSAValue, depth: int) -> Number | None:
        numbers = self._number(x, depth - 1), self._number(y, depth - 1)
        return None if None in numbers else (name, *numbers)

    def _extent(self, array: SSAValue, path: phi.Path, axis: int, depth: int) -> Number | None:
        """The size of a field of a value along an axis."""
        owner = array.owner
        if array.owner is self._entry and isinstance(array, BlockArgument):
            return None if path else ("size", array.index, axis)
        if not depth:
            return None
        loop = owner.parent_op() if isinstance(owner, Block) else owner
        if isinstance(loop, phi.LoopOp):
            return self._extent(loop.start, path, axis, depth - 1)
        if (term := phi.Term(array, path, axis).source) is None:
            return None
        if term.axis is None:
            return self._number(term.value, depth - 1)
        return self._extent(term.value, term.path, term.axis, depth - 1)
