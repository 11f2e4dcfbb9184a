"""The values of the ends of boxes."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from xdsl.dialects import arith
from xdsl.ir import SSAValue

from ein_mlir.analysis.arithmetic import MOST, LinearForm
from ein_mlir.analysis.phi.index_forms import IndexForms
from ein_mlir.analysis.phi.index_ranges import IndexRange
from ein_mlir.analysis.scopes import is_within
from ein_mlir.dialects import sigma
from ein_mlir.passes.phi.check_bounds.boxes import Box
from ein_mlir.passes.phi.check_bounds.truths import runs
from ein_mlir.rewriting.phi.builders import linear_value
from ein_mlir.rewriting.phi.insertion import Builder

FACTOR = 2**31
"""Factors below this have a product that does not wrap."""


class BoxValues:
    """Builds the ends of a box after its loop."""

    def __init__(
        self,
        build: Builder,
        box: Box,
        forms: IndexForms,
        current: Callable[[SSAValue], SSAValue],
    ):
        """``current`` is the value that has replaced one of the program."""
        self._build = build
        self._box = box
        self._forms = forms
        self._current = current
        self._ends: dict[tuple[SSAValue, bool], SSAValue] = {}
        self._doubts: dict[tuple[SSAValue, str, int], SSAValue] = {}

    @property
    def doubts(self) -> Sequence[SSAValue]:
        """The ends are right if none of these truth values holds."""
        return tuple(self._doubts.values())

    def size(self, axis: int) -> SSAValue:
        """The size of the axis."""
        if self._box.size is None:
            return self._build.size(self._current(self._box.array), axis)
        return self._value(self._box.size)

    def ends(self) -> tuple[SSAValue, SSAValue]:
        """The least and the largest position; the same value if they are equal."""
        box = self._box
        low = self._end(box.low, upper=False)
        if box.low == box.high and not any(map(self._varies, box.low.coefficients)):
            return low, low
        return low, self._end(box.high, upper=True)

    def runs(self) -> list[SSAValue]:
        """Truth values that all hold if the box has positions."""
        return [each for span in self._box.spans for each in runs(self._build, span, self._value)]

    def _value(self, form: LinearForm) -> SSAValue:
        return linear_value(self._build, form, self._current)

    def _varies(self, atom: SSAValue) -> bool:
        """Whether a value varies with the steps of the loops."""
        return atom in self._box.ranges or is_within(atom, self._box.loop)

    def _starts_at_zero(self, form: LinearForm) -> bool:
        """Whether the least value of a form is provably 0, if its parts are right."""
        return form.constant == 0 and all(
            coefficient > 0 and self._varies(atom) and self._part_starts_at_zero(atom)
            for atom, coefficient in form.coefficients.items()
        )

    def _part_starts_at_zero(self, atom: SSAValue) -> bool:
        if atom in self._box.ranges:
            return all(lower.known() == 0 for lower in self._box.ranges[atom].lowers)
        match atom.owner:
            case arith.FloorDivSIOp() | sigma.FloorModOp() as op:
                return self._starts_at_zero(self._forms.form(op.lhs))
            case owner:
                assert isinstance(owner, arith.MuliOp)
                factors = [self._forms.form(each) for each in owner.operands]
                varying = [each for each in factors if any(map(self._varies, each.coefficients))]
                return bool(varying) and all(map(self._starts_at_zero, varying))

    def _end(self, form: LinearForm, *, upper: bool) -> SSAValue:
        """The largest or least value of a form."""
        if not upper and self._starts_at_zero(form):
            return self._build.integer(0)

        def value_of(atom: SSAValue) -> SSAValue:
            if not self._varies(atom):
                return self._current(atom)
            return self._end_of(atom, upper=(form.coefficients[atom] > 0) == upper)

        return linear_value(self._build, form, value_of)

    def _end_of(self, atom: SSAValue, *, upper: bool) -> SSAValue:
        """The largest or least value of a variable, or of a part of the position."""
        if (atom, upper) not in self._ends:
            self._ends[atom, upper] = self._find_end(atom, upper=upper)
        return self._ends[atom, upper]

    def _find_end(self, atom: SSAValue, *, upper: bool) -> SSAValue:
        if atom in self._box.ranges:
            return self._end_of_range(self._box.ranges[atom], upper=upper)
        match atom.owner:
            case arith.FloorDivSIOp() as op:
                return self._quotient(op, upper=upper)
            case sigma.FloorModOp() as op:
                return self._remainder(op, upper=upper)
            case op:
                assert isinstance(op, arith.MuliOp)
                return self._product(op, upper=upper)

    def _end_of_range(self, range_: IndexRange, *, upper: bool) -> SSAValue:
        forms = [bound - 1 for bound in range_.uppers] if upper else range_.lowers
        value, *others = map(self._value, forms)
        combine = arith.MinSIOp if upper else arith.MaxSIOp
        for other in others:
            value = self._build.emit(combine(value, other))
        return value

    def _quotient(self, op: arith.FloorDivSIOp, *, upper: bool) -> SSAValue:
        """``x // d <= max(x) // d`` for positive d"""
        dividend = self._natural(op.lhs, MOST, upper=upper)
        return self._build.floordiv(dividend, self._divisor(op.rhs))

    def _remainder(self, op: sigma.FloorModOp, *, upper: bool) -> SSAValue:
        """``0 <= x % d <= min(d - 1, max(x))`` for positive d"""
        dividend = self._natural(op.lhs, MOST, upper=upper)
        if not upper:
            return self._build.integer(0)
        last = arith.SubiOp(self._divisor(op.rhs), self._build.integer(1))
        return self._build.min(self._build.emit(last), dividend)

    def _product(self, op: arith.MuliOp, *, upper: bool) -> SSAValue:
        """``x * y <= max(x) * max(y)`` for natural numbers"""
        lhs, rhs = (self._natural(factor, FACTOR, upper=upper) for factor in op.operands)
        found = self._build.mul(lhs, rhs)
        if upper:
            self._doubt(found, "sge", MOST)
        return found

    def _natural(self, value: SSAValue, limit: int, *, upper: bool) -> SSAValue:
        """An end of an Int that is to be from 0 on and below a limit."""
        form = self._forms.form(value)
        end = self._end(form, upper=upper)
        if not self._starts_at_zero(form):
            self._doubt(end, "slt", 0)
        if upper:
            self._doubt(end, "sge", limit)
        return end

    def _divisor(self, value: SSAValue) -> SSAValue:
        divisor = self._value(self._forms.form(value))
        self._doubt(divisor, "slt", 1)
        return divisor

    def _doubt(self, end: SSAValue, predicate: str, limit: int) -> None:
        """Doubt the ends if a comparison of one with a number holds."""
        if (end, predicate, limit) not in self._doubts:
            test = arith.CmpiOp(end, self._build.integer(limit), predicate)
            self._doubts[end, predicate, limit] = self._build.emit(test)
