"""Elements of a carried array that no earlier or no later step writes: before or after the loop."""

from __future__ import annotations

from xdsl.ir import SSAValue

from ein_mlir.analysis.phi.bounds import bound_of
from ein_mlir.analysis.phi.index_forms import IndexForms
from ein_mlir.analysis.phi.loops.dependence import Dependences
from ein_mlir.analysis.phi.loops.writes import Write, writes_behind
from ein_mlir.analysis.phi.searches import field_of
from ein_mlir.dialects import phi


class FinalElements:
    """The reads of final and of initial elements of an array that a fold carries."""

    def __init__(self, op: phi.FoldOp, field: int, step: SSAValue, forms: IndexForms):
        """``step`` is the next value of the field."""
        self._op, self._forms = op, forms
        self._dependences = Dependences(op, forms)
        self.writes = writes_behind(
            step, op.body.block, lambda value: field_of(value, op.accumulator) == field
        )
        """The writes of a step, last to first; None for other steps."""

    def has(self, read: phi.GetOp, *, is_new: bool = False) -> bool:
        """Whether no step from that of a read on writes its element; a new one is that of the step.

        The read may be in a loop in the step.
        """
        return self.writes is not None and all(
            self._is_behind(write, read, is_new=is_new) for write in self.writes
        )

    def is_initial(self, read: phi.GetOp) -> bool:
        """Whether no step before that of a read has written its element.

        The read is of the array before the writes of a step.
        """
        return self.writes is not None and not any(
            self._dependences.distances(
                [*write.indices, *write.positions],
                read.positions,
                sizes=[self._forms.size(read.array, axis) for axis in range(write.depth)],
                strictly=True,
            ).may_be_positive
            for write in self.writes
        )

    def _is_behind(self, write: Write, read: phi.GetOp, *, is_new: bool) -> bool:
        sizes = [self._forms.size(read.array, axis) for axis in range(write.depth)]
        place, later = [*write.indices, *write.positions], (read, self._first_step(write))
        found = self._dependences.distances(place, read.positions, sizes=sizes, later=later)
        return not (found.may_be_negative or (found.may_be_zero and not is_new))

    def _first_step(self, write: Write) -> int:
        """The first step that writes, as far as comparisons of the counter with numbers tell."""
        bounds = [bound_of(self._op, test, self._forms) for test in write.tests]
        starts = [b.form(self._forms) for b in bounds if b is not None and b.suffix]
        numbers = [start.known() for start in starts if start is not None]
        return max([0, *(number for number in numbers if number is not None)])
