"""Bounds of counters: comparisons that hold in the steps before a position, or from it on."""

from __future__ import annotations

from xdsl.ir import BlockArgument, SSAValue

from ein_mlir.analysis.arithmetic import MOST, LinearForm
from ein_mlir.analysis.constants import known_int
from ein_mlir.analysis.phi.free_indices import FreeIndices
from ein_mlir.analysis.phi.index_forms import IndexForms
from ein_mlir.analysis.phi.selections import Test
from ein_mlir.analysis.predicates import relation_of
from ein_mlir.analysis.scopes import is_within
from ein_mlir.dialects import phi
from ein_mlir.host.dataclass import dataclass


@dataclass(frozen=True)
class Bound:
    """The steps before a position, or from it on: ``k < position`` or ``k >= position``."""

    test: Test
    position: SSAValue | LinearForm
    plus_one: bool
    """Whether the position is the successor of the value."""
    suffix: bool
    factor: int = 1
    """The bound is one of this multiple of the counter: ``factor * k < position``."""

    @property
    def parts(self) -> list[SSAValue]:
        """The values that the position is computed from."""
        if isinstance(self.position, LinearForm):
            return list(self.position.coefficients)
        return [self.position]

    def form(self, forms: IndexForms) -> LinearForm | None:
        """The position as an integer, if it is an exact linear form."""
        position = self.position
        if isinstance(position, SSAValue):
            position = forms.form(position) + int(self.plus_one)
        return position if forms.is_exact(position) else None

    def free(self, free: FreeIndices) -> frozenset[BlockArgument]:
        """The indices that the position varies with."""
        return frozenset(index for part in self.parts for index in free.of(part))


_BOUNDS = {"slt": (False, False), "sle": (True, False), "sgt": (True, True), "sge": (False, True)}
"""For each predicate of ``k`` and a value: whether the bound is the successor, and of a suffix."""


def bound_of(
    op: phi.FoldOp, test: Test, forms: IndexForms, *, multiples: bool = False
) -> Bound | None:
    """The bound by a comparison that is equivalent to one of the counter with another value.

    With ``multiples``, also of one with a multiple of the counter.
    """
    found = relation_of(test.condition, expected=test.expected)
    if found is None or found.predicate not in _BOUNDS:
        return None
    if found.rhs is op.counter:
        found = found.swapped
    if found.lhs is not op.counter:
        sides = forms.form(found.lhs), forms.form(found.rhs)
        form = sides[0] - sides[1]
        factor, rest = form.split(op.counter)
        plus_one, suffix = _BOUNDS[(found.swapped if factor < 0 else found).predicate]
        position = rest * (1 if factor < 0 else -1) + int(plus_one)
        is_exact = all(map(forms.is_exact, (*sides, position)))
        is_outside = not any(is_within(atom, op) for atom in position.coefficients)
        is_possible = factor != 0 if multiples else abs(factor) == 1
        if not is_possible or not is_exact or not is_outside:
            return None
        return Bound(test, position, False, suffix, abs(factor))
    plus_one, suffix = _BOUNDS[found.predicate]
    if (known := known_int(found.rhs)) is not None and known < MOST:
        return Bound(test, LinearForm.number(known + int(plus_one)), False, suffix)
    low, high = LinearForm(), forms.integer(op.count)
    position = forms.without_bounds(found.rhs, low - int(plus_one), high - int(plus_one))
    return Bound(test, position, plus_one, suffix)


def exception_of(op: phi.FoldOp, test: Test, forms: IndexForms) -> LinearForm | None:
    """The only step, modulo 2^64, in which a test ``k != position`` fails; None for other tests."""
    equation = forms.equation(test.condition, expected=not test.expected)
    return None if equation is None else equation.solved_for(op.counter)
