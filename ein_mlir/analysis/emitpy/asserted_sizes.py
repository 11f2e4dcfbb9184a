"""Sizes that are equal, or not negative, where a loop starts: an error is raised otherwise."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import func
from xdsl.ir import Block, SSAValue

from ein_mlir.analysis.emitpy.shapes import PythonShapes, Size
from ein_mlir.dialects import emitpy

Pair = tuple[Size, Size]


class AssertedSizes:
    """The sizes that a function has compared, or tested, where each of its loops starts."""

    def __init__(self, function: func.FuncOp, shapes: PythonShapes):
        self._shapes = shapes
        self._before: dict[emitpy.ForOp, Sequence[Pair]] = {}
        self._tested: dict[emitpy.ForOp, Sequence[SSAValue]] = {}
        self._collect(function.body.block, [], [])

    def _collect(self, block: Block, pairs: list[Pair], tested: list[SSAValue]) -> None:
        for op in block.ops:
            if isinstance(op, emitpy.RaiseIfOp):
                pairs += self.compared(op)
                tested += tested_by(op)
            elif isinstance(op, emitpy.ForOp):
                self._before[op], self._tested[op] = tuple(pairs), tuple(tested)
                self._collect(op.body.block, list(pairs), list(tested))

    def before(self, loop: emitpy.ForOp) -> Sequence[Pair]:
        """The pairs of equal sizes where a loop starts."""
        return self._before[loop]

    def not_negative(self, loop: emitpy.ForOp) -> Sequence[SSAValue]:
        """The sizes that are not negative where a loop starts."""
        return self._tested[loop]

    def compared(self, op: emitpy.RaiseIfOp) -> Sequence[Pair]:
        """The two sizes that are equal after ``if m != n: raise``, if these are sizes."""
        test = op.condition.owner
        if not isinstance(test, emitpy.BinaryOp) or test.operator.data != "!=":
            return ()
        one, other = map(self._shapes.number, test.operands)
        return () if one is None or other is None else ((one, other),)


def tested_by(op: emitpy.RaiseIfOp) -> Sequence[SSAValue]:
    """The size that is not negative after ``if n < 0: raise``, if this is the test."""
    test = op.condition.owner
    if not isinstance(test, emitpy.BinaryOp) or test.operator.data != "<":
        return ()
    return (test.lhs,) if emitpy.literal_data(test.rhs) == 0 else ()
