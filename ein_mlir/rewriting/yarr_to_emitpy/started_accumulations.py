"""Accumulations that start with an array: ``min(x, accumulate(.., by="min"))``."""

from __future__ import annotations

from typing import ClassVar

from xdsl.ir import Block, Operation, SSAValue

from ein_mlir.dialects import emitpy, yarr
from ein_mlir.rewriting.yarr_to_emitpy.rules.elementwise import ElementwiseRules
from ein_mlir.rewriting.yarr_to_emitpy.rules.reductions import ReductionRules


class StartedAccumulations(ElementwiseRules, ReductionRules):
    """``accumulate_at(.., x, values, ..)`` in place of a combination of its result with ``x``.

    The helper combines values with a copy of the array. It starts with no identity, with which
    almost every value would be combined anew.
    """

    starts: ClassVar = frozenset(("min", "max", "or", "and"))
    """The kinds of accumulation that are no slower if they start with an array."""

    def __init__(self, source: Block):
        super().__init__(source)
        self._started = dict[SSAValue, yarr.AccumulateOp]()

    def accumulate_at(self, op: yarr.AccumulateOp) -> None:
        """Accumulations with one user are noted, which may give them another start."""
        super().accumulate_at(op)
        if op.kind.data in self.starts and op.result.has_one_use():
            self._started[self.value(op.result)] = op

    def scalar(self, op: Operation) -> None:
        """``min(x, accumulate(.., by="min"))`` is an accumulation that starts with ``x``."""
        if self._started and len(op.operands) == 2:
            for found, start in (op.operands, op.operands[::-1]):
                if found.has_one_use() and self._may_start(self.value(found), op.name):
                    self._start_with(self.value(start), self.value(found), op)
                    return
        super().scalar(op)

    def _may_start(self, value: SSAValue, combine: str) -> bool:
        """Whether a value is an accumulation in the same block, by a given operation."""
        found, call = self._started.get(value), value.owner
        return (
            found is not None
            and found.combine == combine
            and isinstance(call, emitpy.HelperOp)
            and call.callee.data == self.name("accumulate_at")
            and call.parent is self.build.block
            and 1 not in yarr.shape_of(found.result)
        )

    def _start_with(self, start: SSAValue, found: SSAValue, op: Operation) -> None:
        """Move an accumulation to its only user, with an array in place of the identity."""
        call = found.owner
        assert isinstance(call, emitpy.HelperOp)
        call.detach()
        call.operands[1] = start
        del self._started[found]
        self.build.insert(call)
        self.bind(op.results[0], found)
