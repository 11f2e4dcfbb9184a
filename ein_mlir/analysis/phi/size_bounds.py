"""Upper bounds of sizes that vary with folds, in values outside of all folds."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TypeAlias

from xdsl.dialects import arith, func
from xdsl.ir import Operation, SSAValue

from ein_mlir.analysis.arithmetic import SIZES, SUMS_OF_SIZES, LinearForm
from ein_mlir.analysis.phi.index_forms import IndexForms
from ein_mlir.analysis.scopes import block_of, depth_of
from ein_mlir.dialects import phi, sigma
from ein_mlir.dialects.phi import Path

Folds: TypeAlias = frozenset[phi.FoldOp]

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
        seen = set[phi.FoldOp]()
        while folds := {fold for atom in form.coefficients if (fold := counted_by(atom))} - seen:
            fold = max(folds, key=depth_of)
            seen.add(fold)
            coefficient, last = form.coefficients[fold.counter], self._last(fold)
            is_linear = all(counted_by(a) or not self._folds_of(a) for a in last.coefficients)
            if coefficient > 0 and is_linear:
                form = form.without([fold.counter]) + last * coefficient
        return form

    def _last(self, fold: phi.FoldOp) -> LinearForm:
        """The last step of a fold that has one: ``n - 1``, also for the count ``max(n, 0)``."""
        count = fold.count
        if isinstance(op := count.owner, arith.MaxSIOp):
            for kept, other in ((op.lhs, op.rhs), (op.rhs, op.lhs)):
                if self._forms.range(other).high <= 0:
                    count = kept
        form = self._forms.exact_form(count, SIZES)
        return (LinearForm.of(count) if form is None else form) - 1

    def _highest_atom(self, atom: SSAValue, depth: int) -> LinearForm | None:
        if not self._folds_of(atom):
            return outside(atom)
        if depth == 0:
            return None
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

    def _of_operands(self, op: Operation, depth: int) -> list[LinearForm | None]:
        """The bounds of the last two operands."""
        forms = map(self._forms.exact_form, op.operands[-2:])
        return [None if form is None else self._bounded(form, depth - 1) for form in forms]

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
        if not self._folds_of(atom):
            return outside(atom)
        low = self._forms.range(atom).low
        return LinearForm.number(low) if low >= 0 else None


def counted_by(value: SSAValue) -> phi.FoldOp | None:
    """The fold whose counter a value is."""
    fold = value.owner.parent_op() if not isinstance(value.owner, Operation) else None
    return fold if isinstance(fold, phi.FoldOp) and value is fold.counter else None


def outside(atom: SSAValue) -> LinearForm | None:
    """The form of a value that the block of the function defines; None for other values."""
    block = block_of(atom)
    is_outside = block is not None and isinstance(block.parent_op(), func.FuncOp)
    return LinearForm.of(atom) if is_outside else None
