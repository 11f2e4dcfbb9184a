"""The comparisons of sizes in the steps of a fold, moved before the fold."""

from __future__ import annotations

from collections.abc import Collection

from xdsl.ir import Operation, SSAValue

from ein_mlir.analysis.phi.memory_cost import slice_of
from ein_mlir.analysis.phi.size_equivalence import SizeEquivalence, unasserted
from ein_mlir.analysis.phi.speculation import may_fail
from ein_mlir.analysis.scopes import is_defined_in
from ein_mlir.dialects import phi
from ein_mlir.rewriting.phi.guarded_counts import if_any_step
from ein_mlir.rewriting.phi.insertion import Emitter


class ComparedSizes(Emitter):
    """The sizes of the array that replaces a fold.

    A step compares them with the sizes of the arrays that it reads, unless they are provably equal.
    The comparisons move out of the fold: there they must succeed for a fold without steps, whose
    result has the sizes of its initial value.
    """

    def __init__(self, op: phi.FoldOp, arrays: Collection[Operation], sizes: SizeEquivalence):
        """``arrays`` are comprehensions of the body over all axes of the accumulator."""
        super().__init__()
        self._op = op
        self._arrays = arrays
        self._proven = sizes
        rank = phi.rank_of(op.result.type)
        self._axes = [self.size(op.init, axis) for axis in range(rank)]
        self.values: dict[SSAValue, SSAValue] = {}
        """Loop-invariant values of the body, mapped to the same values before the fold."""
        for inner in op.body.block.ops:
            if isinstance(inner, phi.SizeOp) and inner.array is op.accumulator:
                self.values[inner.result] = self._axes[inner.axis.value.data]

    def of_result(self) -> list[SSAValue] | None:
        """The sizes, with the comparisons of a step; None if these cannot move."""
        for inner in self._op.body.block.ops:
            if isinstance(inner, phi.ArrayOp) and inner in self._arrays:
                for axis, size in enumerate(inner.sizes):
                    if not self._compare(axis, size):
                        return None
        return self._axes

    def _compare(self, axis: int, size: SSAValue) -> bool:
        """Compare a size of the result with one in a step; False if the comparison cannot move."""
        ops = slice_of(self._op.body.block, [size])
        unproven = [
            each
            for each in ops
            if isinstance(each, phi.AssertEqOp) and not self._proven.same(each.lhs, each.rhs)
        ]
        if not unproven:
            return True
        if not all(map(self._move, ops)):
            return False
        own, compared = self._axes[axis], self.values[size]
        if unasserted(compared) is not own:
            compared = self._equal(own, compared, unproven[-1].message.data)
        self._axes[axis] = compared
        return True

    def _move(self, op: Operation) -> bool:
        """Compute the result of an operation of a step before the fold; whether that is legal."""
        if op.results[0] in self.values:
            return True
        block = self._op.body.block
        if op.regions or not all(
            operand in self.values or not is_defined_in(operand, block) for operand in op.operands
        ):
            return False
        if isinstance(op, phi.AssertEqOp):
            lhs, rhs = (self.values.get(side, side) for side in op.operands)
            self.values[op.result] = self._equal(lhs, rhs, op.message.data)
        elif may_fail(op):
            return False
        else:
            self.copy(op, self.values)
        return True

    def _equal(self, lhs: SSAValue, rhs: SSAValue, message: str) -> SSAValue:
        """``assert_eq lhs, (rhs if count > 0 else lhs)``"""
        return self.emit(phi.AssertEqOp(lhs, if_any_step(self, self._op, rhs, lhs), message))
