"""The sizes that the steps of a fold compare with those of its accumulator, compared before it."""

from __future__ import annotations

from collections.abc import Collection

from xdsl.dialects import arith
from xdsl.ir import Operation, SSAValue

from ein_mlir.analysis.phi.memory_cost import slice_of
from ein_mlir.analysis.phi.size_equivalence import SizeEquivalence
from ein_mlir.analysis.phi.speculation import may_fail
from ein_mlir.analysis.scopes import is_defined_in
from ein_mlir.dialects import phi
from ein_mlir.rewriting.phi.builders import Emitter, integer


class ComparedSizes(Emitter):
    """The sizes of the array that takes the place of a fold.

    A step compares them with those of the arrays that it reads, where nothing proves them equal.
    The comparisons move out of the fold: there they hold of a fold that runs no step, whose result
    has the sizes of its initial value.
    """

    def __init__(self, op: phi.FoldOp, arrays: Collection[Operation], sizes: SizeEquivalence):
        """``arrays`` are comprehensions of the body over all axes of the accumulator."""
        super().__init__()
        self._op = op
        self._arrays = arrays
        self._proven = sizes
        rank = phi.rank_of(op.result.type)
        self._axes = [self.emit(phi.SizeOp(op.init, axis)) for axis in range(rank)]
        self.values: dict[SSAValue, SSAValue] = {}
        """Values of the body that a step does not change -> the same before the fold."""
        for inner in op.body.block.ops:
            if isinstance(inner, phi.SizeOp) and inner.array is op.accumulator:
                self.values[inner.result] = self._axes[inner.axis.value.data]

    def of_result(self) -> list[SSAValue] | None:
        """The sizes, compared with what a step compares them with."""
        for inner in self._op.body.block.ops:
            if isinstance(inner, phi.ArrayOp) and inner in self._arrays:
                for axis, size in enumerate(inner.sizes):
                    if not self._compare(axis, size):
                        return None
        return self._axes

    def _compare(self, axis: int, size: SSAValue) -> bool:
        """Compare a size of the result with one in a step, if that takes an assertion."""
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
        if _asserted(compared) is not own:
            compared = self._equal(own, compared, unproven[-1].message.data)
        self._axes[axis] = compared
        return True

    def _move(self, op: Operation) -> bool:
        """Compute before the fold what an operation of a step gives; whether that is possible."""
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
            self.emit(op.clone(self.values))
        return True

    def _equal(self, lhs: SSAValue, rhs: SSAValue, message: str) -> SSAValue:
        """``assert_eq lhs, (rhs if count > 0 else lhs)``"""
        zero = integer(self, 0)
        runs = self.emit(arith.CmpiOp(self._op.count, zero, "sgt"))
        other = self.emit(arith.SelectOp(runs, rhs, lhs))
        return self.emit(phi.AssertEqOp(lhs, other, message))


def _asserted(value: SSAValue) -> SSAValue:
    """The number that an assertion, or one of its result, gives back."""
    while isinstance(value.owner, phi.AssertEqOp):
        value = value.owner.lhs
    return value
