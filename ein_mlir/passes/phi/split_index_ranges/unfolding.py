"""Positions as choices of linear forms: mirrored ones, which no single linear form describes."""

from __future__ import annotations

from math import prod

from xdsl.dialects import arith, math
from xdsl.dialects.builtin import i64
from xdsl.ir import Operation, SSAValue

from ein_mlir.analysis.phi.index_ranges import IndexRanges
from ein_mlir.dialects import phi
from ein_mlir.dialects.creation import copy_of
from ein_mlir.passes.phi.split_index_ranges.cuts import LOGICAL
from ein_mlir.rewriting.dead_code import erase_unused
from ein_mlir.rewriting.phi.insertion import Builder

MOST_LEAVES = 8
"""The maximal number of linear forms of a position."""

_ARITHMETIC = (math.AbsIOp, arith.AddiOp, arith.SubiOp, arith.MuliOp, arith.CmpiOp)
"""Operations that act on each side of a choice."""


class Unfolding:
    """The positions of a comprehension as choices by conditions on its indices.

    An absolute value is a choice, and arithmetic and comparisons act on each side of a choice::

        a[n - |i - n|]  -->  a[i - n < 0 ? n - (n - i) : n - (i - n)]

    Each part of the comprehension then has one linear form. `undo` restores the positions.
    """

    def __init__(self, array: phi.ArrayOp, ranges: IndexRanges):
        self._body = array.body.block
        self._ranges = ranges
        self._known: dict[SSAValue, SSAValue] = {}
        self._replaced: list[tuple[phi.GetOp, int, SSAValue]] = []
        body = list(array.body.walk())
        self._has_choices = any(map(_may_choose, body))
        for get in body if self._has_choices else ():
            if isinstance(get, phi.GetOp):
                self._unfold_positions(get)

    def undo(self) -> None:
        """Restore the positions of a comprehension that is not cut."""
        for get, number, position in self._replaced:
            get.operands[number] = position
        if self._has_choices:
            erase_unused(self._body)

    def _unfold_positions(self, get: phi.GetOp) -> None:
        for number, position in enumerate(get.positions, 1):
            choice = self._of(position)
            if choice is not position and _leaves(choice) <= MOST_LEAVES:
                get.operands[number] = choice
                self._replaced.append((get, number, position))

    def _of(self, value: SSAValue) -> SSAValue:
        """A value as a choice, or the value itself."""
        if value not in self._known:
            self._known[value] = self._unfold(value)
        return self._known[value]

    def _unfold(self, value: SSAValue) -> SSAValue:
        op = value.owner
        if isinstance(op, LOGICAL):
            return self._with_operands(op, [self._of(operand) for operand in op.operands])
        if not isinstance(op, _ARITHMETIC) or op.operands[0].type != i64 or self._decides(value):
            return value
        operands = [self._of(operand) for operand in op.operands]
        if prod(map(_leaves, operands)) > MOST_LEAVES:
            return value
        for number, operand in enumerate(operands):
            choice = operand.owner
            if isinstance(choice, arith.SelectOp) and self._decides(choice.cond):
                sides = [
                    self._of(self._with_operands(op, _replaced(operands, number, side)))
                    for side in (choice.lhs, choice.rhs)
                ]
                return Builder.before(op).select(choice.cond, *sides)
        return self._sign(op) if isinstance(op, math.AbsIOp) else value

    def _sign(self, op: math.AbsIOp) -> SSAValue:
        """``|x|  -->  x < 0 ? -x : x``, if the range of an index decides that."""
        builder = Builder.before(op)
        is_negative = builder.compare(op.operand, "slt", 0)
        if not self._decides(is_negative):
            return op.result
        return builder.select(is_negative, builder.negated(op.operand), op.operand)

    def _decides(self, condition: SSAValue) -> bool:
        """Whether a condition is a combination of comparisons of an index."""
        if isinstance(condition.owner, LOGICAL):
            return all(map(self._decides, condition.owner.operands))
        return self._ranges.comparison(condition) is not None

    def _with_operands(self, op: Operation, operands: list[SSAValue]) -> SSAValue:
        """The result of an operation on other operands."""
        if all(new is old for new, old in zip(operands, op.operands, strict=True)):
            return op.results[0]
        copy = copy_of(op)
        copy.operands = operands
        return Builder.before(op).emit(copy)


def _replaced(operands: list[SSAValue], number: int, operand: SSAValue) -> list[SSAValue]:
    return [*operands[:number], operand, *operands[number + 1 :]]


def _may_choose(op: Operation) -> bool:
    """Whether an operation may make a position one of several linear forms."""
    return isinstance(op, math.AbsIOp) or (isinstance(op, arith.SelectOp) and op.result.type == i64)


def _leaves(value: SSAValue) -> int:
    """The number of values that choices choose from."""
    if isinstance(value.owner, arith.SelectOp):
        return _leaves(value.owner.lhs) + _leaves(value.owner.rhs)
    return 1
