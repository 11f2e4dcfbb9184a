"""Boxes: the least and the largest position of an access in all steps of the loops around it.

A box is determined by linear forms in values outside of its loops.
"""

from __future__ import annotations

from collections.abc import Iterable

from xdsl.ir import Operation, SSAValue

from ein_mlir.analysis.arithmetic import LinearForm
from ein_mlir.analysis.phi.demand import Condition
from ein_mlir.analysis.phi.index_forms import IndexForms
from ein_mlir.analysis.phi.index_ranges import IndexRange, IndexRanges, is_visible
from ein_mlir.analysis.phi.selections import Test
from ein_mlir.analysis.scopes import is_within
from ein_mlir.dialects import phi
from ein_mlir.host.dataclass import dataclass
from ein_mlir.passes.phi.check_bounds.accesses import Unproven, Uses
from ein_mlir.passes.phi.check_bounds.conditions import comparisons, conjunction, range_of

MOST = 2**16
"""The largest coefficient of an index: positions wrap at most once between the ends of a box."""


@dataclass(frozen=True)
class Box:
    """A position ``p`` of an access around some loops: ``low <= p <= high`` in all steps.

    In steps that wrap modulo 2^64, one of both is out of bounds.
    """

    loop: Operation
    """The outermost of the loops; the access itself if there is none."""
    low: LinearForm
    high: LinearForm
    size: LinearForm | None
    array: SSAValue
    """The array has the size if there is no form of it."""
    spans: tuple[IndexRange, ...] = ()
    """The box has positions only if none of these ranges is empty."""
    is_exact: bool = True
    """Whether both ends are positions that are used, if the loop is."""

    def may_be_below(self) -> bool:
        """Whether the least position may be negative."""
        low = self.low.known()
        return low is None or low < 0

    def may_be_beyond(self) -> bool:
        """Whether the largest position may be at least the size."""
        distance = None if self.size is None else (self.size - self.high).known()
        return distance is None or distance <= 0


def box_of(unproven: Unproven, forms: IndexForms, uses: Uses) -> Box | None:
    """The box of an access around as many loops as possible; None if it is around none."""
    op, axis = unproven.op, unproven.axis
    form, size = forms.form(op.positions[axis]), forms.size(op.array, axis)
    if not is_visible(form, op):
        return None
    if size is not None and not is_visible(size, op):
        size = None
    box = Box(op, form, form, size, op.array)
    condition, tests = uses.of(op), list[Test]()
    while isinstance(loop := box.loop.parent_op(), phi.ArrayOp | phi.FoldOp):
        assert condition is not None
        tests.extend(condition.tests)
        wider = _Around(loop, forms, tests).box(box, condition)
        if wider is None:
            break
        box, condition = wider, uses.of(loop)
    return None if box.loop is op else box


class _Around:
    """Boxes around a loop from boxes in its body, where some tests hold for positions in use."""

    def __init__(self, loop: phi.ArrayOp | phi.FoldOp, forms: IndexForms, tests: Iterable[Test]):
        self._loop = loop
        self._ranges = IndexRanges(loop, forms, None)
        self._tests = list(dict.fromkeys(tests))
        self._comparisons = comparisons(loop, self._tests, self._ranges)

    def box(self, box: Box, condition: Condition) -> Box | None:
        """The box of a box in all steps; None if other values of the body determine it."""
        low, high = box.low, box.high
        spans = [span for span in box.spans if all(map(self._leaves, [*span.lowers, *span.uppers]))]
        is_exact = box.is_exact and len(spans) == len(box.spans) and self._is_captured(condition)
        for variable in self._loop.counters():
            range_ = range_of(self._loop, variable, self._comparisons, self._ranges)
            spans.append(range_)
            least = _at_end(low, variable, range_, is_upper=False)
            most = _at_end(high, variable, range_, is_upper=True)
            if least is None or most is None:
                return None
            low, high = least, most
        size = LinearForm.of(box.array) if box.size is None else box.size
        if not all(map(self._leaves, (low, high, size))):
            return None
        low, high = low.reduced(), high.reduced()
        return Box(self._loop, low, high, box.size, box.array, tuple(spans), is_exact)

    def _is_captured(self, condition: Condition) -> bool:
        """Whether a condition holds for the values of the variables in their ranges alone."""
        tests = conjunction(condition)
        if tests is None or not set(tests).issubset(self._tests):
            return False
        found = comparisons(self._loop, tests, self._ranges)
        return all(each is not None and each.predicate != "!=" for each in found)

    def _leaves(self, form: LinearForm) -> bool:
        """Whether the body defines none of the values of a form."""
        return not any(is_within(atom, self._loop) for atom in form.coefficients)


def _at_end(
    form: LinearForm, variable: SSAValue, range_: IndexRange, *, is_upper: bool
) -> LinearForm | None:
    """The largest or least value of a form for a variable in a range; None if there are several."""
    coefficient = form.coefficients.get(variable, 0)
    if not coefficient:
        return form
    if (coefficient > 0) == is_upper:
        ends = [bound - 1 for bound in range_.uppers]
    else:
        ends = list(range_.lowers)
    if len(ends) > 1 or abs(coefficient) > MOST:
        return None
    return form.substituted(variable, ends[0])
