"""Ints that are known to fit fewer than 64 bits."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

from xdsl.dialects import arith, memref
from xdsl.dialects.builtin import IntegerType, MemRefType, i64
from xdsl.ir import Block, Operation, SSAValue

from ein_mlir.analysis.arithmetic import RANGES, Range
from ein_mlir.analysis.arithmetic.ranges import ints_of
from ein_mlir.analysis.constants import known_int
from ein_mlir.analysis.hints import isa

WIDTHS = (8, 16, 32)
"""The numbers of bits of narrow integers."""

COMPUTED = frozenset[type[Operation]](
    (
        arith.AddiOp,
        arith.SubiOp,
        arith.MuliOp,
        arith.MinSIOp,
        arith.MaxSIOp,
        arith.SelectOp,
    )
)
"""The operations that are computed in fewer bits, if operands and result fit these."""

_OF_ELEMENTS = (memref.LoadOp, memref.StoreOp, memref.DeallocOp, memref.DimOp)
"""The operations on an array of which no other value is a part or a name."""


def width_of(found: Range) -> int | None:
    """The least number of bits of integers that have a range."""
    return next((width for width in WIDTHS if found in ints_of(width)), None)


class NarrowInts:
    """The ranges of Ints that come from constants, narrower integers and arrays of such Ints."""

    def __init__(self):
        self._ranges = dict[SSAValue, Range | None]()

    def range(self, value: SSAValue) -> Range | None:
        """The range of an Int, or of the elements of an allocated array of Ints that is only read
        and written; None if it does not fit 32 bits, or is not known to.
        """
        pending, opened = [value], set[SSAValue]()
        while pending:
            current = pending[-1]
            if current not in self._ranges:
                self._ranges[current] = None  # an array that is computed from its own elements
                opened.add(current)
                pending.extend(each for each in _sources(current) if each not in self._ranges)
                continue
            pending.pop()
            if current in opened:
                opened.remove(current)
                found = self._find(current)
                fits = found is not None and width_of(found) is not None
                self._ranges[current] = found if fits else None
        return self._ranges[value]

    def replace(self, value: SSAValue, new: SSAValue) -> None:
        """Give the range of a value to another one that replaces it."""
        self._ranges[new] = self.range(value)

    def _find(self, value: SSAValue) -> Range | None:
        """The range of a value, by those of its sources."""
        number = known_int(value)
        if number is not None:
            return Range.of(number)
        ranges = [self._ranges[each] for each in _sources(value)]
        known = [each for each in ranges if each is not None]
        match value.owner:
            case arith.ExtUIOp() | arith.ExtSIOp() as op:
                return _extended(op)
            case Operation() as op if known and len(known) == len(ranges):
                is_arithmetic = type(op) in COMPUTED and not _is_choice(op)
                return RANGES[type(op)](*known) if is_arithmetic else reduce(Range.__or__, known)
            case _:
                return None


def _sources(value: SSAValue) -> Sequence[SSAValue]:
    """The values that determine the range of a value."""
    op = value.owner
    if isinstance(op, Block):
        return ()
    if type(op) is memref.LoadOp:
        return (op.memref,)
    if type(op) is memref.AllocOp:
        return _stored_values(value)
    return numbers(op) if type(op) in COMPUTED and value.type == i64 else ()


def numbers(op: Operation) -> Sequence[SSAValue]:
    """The operands of an operation that are numbers: not the condition of a choice."""
    return op.operands[1:] if _is_choice(op) else op.operands


def _is_choice(op: Operation) -> bool:
    return type(op) is arith.SelectOp


def _extended(op: arith.ExtUIOp | arith.ExtSIOp) -> Range | None:
    """The range of an integer of few bits."""
    type_ = op.input.type
    if not isa(type_, IntegerType):
        return None
    width = type_.width.data
    if isinstance(op, arith.ExtSIOp):
        return Range(-(2 ** (width - 1)), 2 ** (width - 1) - 1)
    return Range(0, 2**width - 1)


def _stored_values(array: SSAValue) -> list[SSAValue]:
    """The elements written to an array of Ints; none if it has uses other than of elements."""
    if not isa(array.type, MemRefType) or array.type.element_type != i64:
        return []
    users = [use.operation for use in array.uses]
    if not all(isinstance(op, _OF_ELEMENTS) for op in users):
        return []
    return [op.value for op in users if isinstance(op, memref.StoreOp)]
