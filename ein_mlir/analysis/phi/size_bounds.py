"""Upper bounds of sizes that vary with folds, in values outside of all folds.

A number that a loop carries is bounded by its first value, if no step raises it above that, and by
the condition of the loop: the numbers of the next step are those for which it holds. In ::

    phi.while (%k < %limit, %acc = (%more, %first)) {
      %m = phi.proj %acc, 1
      %next = arith.muli %m, %two : i64
      %more_1 = arith.cmpi sle, %next, %n : i64
      phi.yield (%more_1, %next)
    }

``%m`` is at most ``%first`` in the first step, and at most ``%n`` in all others.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TypeAlias

from xdsl.dialects import arith, func
from xdsl.dialects.builtin import i64
from xdsl.ir import Operation, SSAValue

from ein_mlir.analysis.arithmetic import SIZES, SUMS_OF_SIZES, LinearForm
from ein_mlir.analysis.phi.free_indices import leaf_types
from ein_mlir.analysis.phi.index_forms import IndexForms
from ein_mlir.analysis.phi.records import whole_record
from ein_mlir.analysis.phi.searches import field_of, leaf_values
from ein_mlir.analysis.predicates import conjoined, relation_of
from ein_mlir.analysis.scopes import block_of, depth_of
from ein_mlir.dialects import phi, sigma
from ein_mlir.dialects.phi import Path

Folds: TypeAlias = frozenset[phi.CountedOp]

Axis: TypeAlias = tuple[Path, int]
"""A field of a record of arrays, and an axis of it."""

NO_FOLDS: Folds = frozenset()

DEEPEST = 16
"""The deepest nesting of minima, counters and so on that is followed for a bound."""


class SizeBounds:
    """Upper bounds of the sizes that vary with folds."""

    def __init__(
        self,
        forms: IndexForms,
        axes: Mapping[SSAValue, Mapping[Axis, SSAValue]],
        folds_of: Callable[[SSAValue], Folds],
    ):
        """``axes`` are the varying sizes of arrays, ``folds_of`` the folds around values."""
        self._forms, self._axes, self._folds_of = forms, axes, folds_of
        self._states = dict[tuple[phi.CountedOp, int | None], LinearForm | None]()
        """The bounds of counters, None, and of the fields of accumulators."""

    def of(self, size: SSAValue) -> LinearForm | None:
        """An upper bound of a varying size in values outside of all folds."""
        form = self._forms.exact_form(size, SIZES)
        return self.of_form(LinearForm.of(size) if form is None else form)

    def of_form(self, form: LinearForm) -> LinearForm | None:
        """A bound of a form, as an integer, that is a sum of sizes or less."""
        return self._bounded(form, DEEPEST)

    def _bounded(self, form: LinearForm, depth: int) -> LinearForm | None:
        bound = self._highest(form, depth)
        is_small = bound is not None and self._forms.range_of(bound).high <= SUMS_OF_SIZES.high
        return bound if is_small else None

    def _highest(self, form: LinearForm, depth: int) -> LinearForm | None:
        """``a + b <= max a + max b``, with the counters of inner folds in those of outer ones."""
        form = self._without_inner_counters(form)
        result = LinearForm.number(form.constant)
        for atom, coefficient in form.coefficients.items():
            bound = self._highest_atom(atom, depth) if coefficient > 0 else self._lowest_atom(atom)
            if bound is None:
                return None
            result += bound * coefficient
        return result

    def _without_inner_counters(self, form: LinearForm) -> LinearForm:
        """``k <= n - 1`` for the added counters of folds with linear counts, innermost first."""
        seen = set[phi.CountedOp]()
        while folds := {fold for atom in form.coefficients if (fold := counted_by(atom))} - seen:
            fold = max(folds, key=depth_of)
            seen.add(fold)
            last = self._last(fold)
            is_linear = all(counted_by(a) or not self._folds_of(a) for a in last.coefficients)
            if form.coefficients[fold.counter] > 0 and is_linear:
                form = form.substituted(fold.counter, last)
        return form

    def _last(self, fold: phi.CountedOp) -> LinearForm:
        """The last step of a fold that has one: ``n - 1``, also for the count ``max(n, 0)``."""
        count = fold.operands[0]
        if isinstance(op := count.owner, arith.MaxSIOp):
            for kept, other in ((op.lhs, op.rhs), (op.rhs, op.lhs)):
                if self._forms.range(other).high <= 0:
                    count = kept
        form = self._forms.exact_form(count, SIZES)
        return (LinearForm.of(count) if form is None else form) - 1

    def _highest_atom(self, atom: SSAValue, depth: int) -> LinearForm | None:
        if not self._folds_of(atom) and (form := outside(atom)) is not None:
            return form
        if depth == 0:
            return None
        if (state := _state_of(atom)) is not None:
            return self._highest_state(*state, depth)
        if (fold := counted_by(atom)) is not None:
            return self._highest(self._last(fold), depth - 1)
        op = atom.owner
        match op:
            case arith.MinSIOp():
                return self._smallest(self._of_operands(op, depth))
            case arith.MaxSIOp() | arith.SelectOp():
                return self._largest(self._of_operands(op, depth))
            case phi.SizeOp() if op.array in self._axes:
                size = self._axes[op.array].get(((), op.axis.value.data))
                return None if size is None else self._highest_atom(size, depth - 1)
            case arith.FloorDivSIOp() if self._forms.range(op.rhs).low > 0:
                return self._largest([LinearForm(), self._of_operands(op, depth)[0]])
            case sigma.FloorModOp() if self._forms.range(op.rhs).low > 0:
                return self._of_operands(op, depth)[1]
            case _:
                return None

    # Numbers that loops carry

    def _highest_state(
        self, loop: phi.CountedOp, field: int | None, depth: int
    ) -> LinearForm | None:
        """The bound of a counter or a field; None while it is looked for, but for induction."""
        if (loop, field) not in self._states:
            self._states[loop, field] = None
            self._states[loop, field] = self._found(loop, field, depth)
        return self._states[loop, field]

    def _found(self, loop: phi.CountedOp, field: int | None, depth: int) -> LinearForm | None:
        records = loop.start, loop.yielded()
        if field is None:
            first, after = LinearForm(), LinearForm.of(loop.counter) + 1
        else:
            first, after = (self._leaf(record, field) for record in records)
        start = self._first(loop.start, field, first, depth)
        if after is None:
            return None
        if start is not None and field is not None and self._stays(loop, field, start, after):
            return start
        found = self._by_condition(records[1], after, depth)
        if found is None:
            last = counted_by(loop.counter) if field is None else None
            return None if last is None else self._highest(self._last(last), depth - 1)
        before = None if first is None else self._by_condition(records[0], first, depth)
        is_lower = before is not None and self._forms.is_at_most(before, found)
        return found if is_lower else self._largest([start, found])

    def _first(
        self, record: SSAValue, field: int | None, form: LinearForm | None, depth: int
    ) -> LinearForm | None:
        """The bound of a first value; it may be a field of what a loop around carries."""
        if form is not None or field is None:
            return None if form is None else self._highest(form, depth - 1)
        value, place = _part(record, field)
        outer = _state_of(value)
        if outer is None or outer[1] is None:
            return None
        return self._highest_state(outer[0], outer[1] + place, depth - 1)

    def _stays(self, loop: phi.CountedOp, field: int, bound: LinearForm, after: LinearForm) -> bool:
        """Whether a field is at most ``bound`` after a step if it is so before."""
        self._states[loop, field] = bound
        highest = self._highest(after, DEEPEST)
        self._states[loop, field] = None
        return highest is not None and self._forms.is_at_most(highest, bound)

    def _by_condition(self, record: SSAValue, form: LinearForm, depth: int) -> LinearForm | None:
        """The bound of a form where field 0 of the record of a loop by a condition holds.

        ``a < b`` bounds each form: ``f <= b - a + f - 1``.
        """
        found = list[LinearForm | None]()
        for test in conjoined(_part(record, 0)[0]):
            relation = relation_of(test)
            if relation is not None and relation.predicate in ("sgt", "sge"):
                relation = relation.swapped
            if relation is not None and relation.predicate in ("slt", "sle"):
                rest = self._form(relation.rhs) - self._form(relation.lhs) + form
                found.append(self._highest(rest - int(relation.predicate == "slt"), depth - 1))
        return self._smallest(found)

    def _leaf(self, record: SSAValue, field: int) -> LinearForm | None:
        """The form of a field of a record, if it is a value of its own."""
        value, _ = _part(record, field)
        return self._form(value) if value.type == i64 else None

    def _form(self, value: SSAValue) -> LinearForm:
        """The form of an Int as an integer."""
        form = self._forms.exact_form(value)
        return LinearForm.of(value) if form is None else form

    def _of_operands(self, op: Operation, depth: int) -> list[LinearForm | None]:
        """The bounds of the last two operands."""
        return [self._bounded(self._form(value), depth - 1) for value in op.operands[-2:]]

    @staticmethod
    def _smallest(bounds: Iterable[LinearForm | None]) -> LinearForm | None:
        """One of some bounds, preferably a number."""
        known = [bound for bound in bounds if bound is not None]
        return min(known, key=lambda bound: len(bound.coefficients), default=None)

    def _largest(self, bounds: Iterable[LinearForm | None]) -> LinearForm | None:
        """A bound of both: the larger one, or the sum of two that are not negative."""
        first, second = bounds
        if first is None or second is None:
            return None
        for larger, other in ((first, second), (second, first)):
            if self._forms.is_at_most(other, larger):
                return larger
        positive = self._positive(first), self._positive(second)
        return None if positive[0] is None or positive[1] is None else positive[0] + positive[1]

    def _positive(self, form: LinearForm) -> LinearForm | None:
        """The added terms of a form: not less than it, nor than 0."""
        if any(self._forms.range(atom).low < 0 for atom in form.coefficients):
            return None
        kept = {atom: factor for atom, factor in form.coefficients.items() if factor > 0}
        return LinearForm(kept, max(form.constant, 0))

    def _lowest_atom(self, atom: SSAValue) -> LinearForm | None:
        if not self._folds_of(atom) and (form := outside(atom)) is not None:
            return form
        low = self._forms.range(atom).low
        return LinearForm.number(low) if low >= 0 else None


def counted_by(value: SSAValue) -> phi.CountedOp | None:
    """The loop of a limited number of steps whose counter a value is."""
    loop = value.owner.parent_op() if not isinstance(value.owner, Operation) else None
    if not isinstance(loop, phi.CountedOp) or value is not loop.counter:
        return None
    return None if isinstance(loop, phi.WhileOp) and loop.is_unlimited() else loop


def _part(record: SSAValue, field: int) -> tuple[SSAValue, int]:
    """The value that has a field of a record, by its number among the leaves, and that in it."""
    for part in leaf_values(record):
        count = len(leaf_types(part.type))
        if field < count:
            return part, field
        field -= count
    raise IndexError(field)


def _state_of(value: SSAValue) -> tuple[phi.CountedOp, int | None] | None:
    """The loop by a condition that counts a value, or the loop that carries it, and its field."""
    record = whole_record(value)
    loop = record.owner.parent_op() if not isinstance(record.owner, Operation) else None
    if not isinstance(loop, phi.CountedOp):
        return None
    if record is loop.counter:
        return (loop, None) if isinstance(loop, phi.WhileOp) else None
    return loop, field_of(value, loop.accumulator)


def outside(atom: SSAValue) -> LinearForm | None:
    """The form of a value that the block of the function defines; None for other values."""
    block = block_of(atom)
    is_outside = block is not None and isinstance(block.parent_op(), func.FuncOp)
    return LinearForm.of(atom) if is_outside else None
