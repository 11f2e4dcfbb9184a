"""Maxima and minima of ``x + y[k]``: x is added to those of ``y[k]``.

Rounding is monotonic: the largest sum is that of the largest term. An infinite x needs care: with
``-inf`` among the terms, ``inf + y[k]`` is NaN, which the least term shows. Of Ints, the sums are
those of integers where none wraps.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import TypeAlias

from xdsl.dialects import arith, math
from xdsl.dialects.builtin import i64
from xdsl.ir import Operation, SSAValue

from ein_mlir.analysis.arithmetic import INTS, LinearForm
from ein_mlir.analysis.phi.index_forms import IndexForms
from ein_mlir.analysis.phi.selections import Step, Test, conjuncts, is_neutral, step_of
from ein_mlir.analysis.scopes import dependents
from ein_mlir.dialects import phi
from ein_mlir.dialects.algebra import identity, neutral_of
from ein_mlir.host.dataclass import dataclass
from ein_mlir.rewriting.dead_code import erase_unused
from ein_mlir.rewriting.phi.insertion import Builder
from ein_mlir.rewriting.phi.replacement import Raising, Replacement
from ein_mlir.rewriting.phi.step_values import fold_of_selected

_OTHER: dict[type[Operation], type[Operation] | None] = {
    arith.MaximumfOp: arith.MinimumfOp,
    arith.MinimumfOp: arith.MaximumfOp,
    arith.MaxSIOp: None,
    arith.MinSIOp: None,
}
"""The extremes whose terms may be sums, and the other ones that these need."""
_MOST_PIECES = 8
"""The most extremes that one becomes."""


@dataclass(frozen=True)
class _Shifted:
    """``x + y``, ``x - y`` or ``y - x``, where y depends on the counter of a fold."""

    x: SSAValue
    y: SSAValue
    has_negative_x: bool = False


@dataclass(frozen=True)
class _Choice:
    """An extreme of chosen terms: of equal ones, or one of y, with x; of floats, both of y."""

    extreme: SSAValue
    other: SSAValue | None = None
    shifted: _Shifted | None = None
    is_bound: bool = False
    """Whether it is a term that is no better than any other: that of no steps is."""


_Piece: TypeAlias = tuple[Sequence[Test], SSAValue, _Shifted | None]
"""Tests, the term of the steps that pass them, and the term as a sum."""


def shift_extremes(op: phi.FoldOp, raising: Raising) -> bool:
    """``fold { max(acc, where(c, x + y, -inf)) }  -->  x + fold { max(acc, where(c, y, -inf)) }``

    where ``raising`` replaces that fold. Another choice than ``-inf`` is an extreme of its own, as
    are the steps with one sign of ``abs(i - k)``. Whether all were replaced.
    """
    step = step_of(op)
    if step is None or type(step.combine) not in _OTHER or not isinstance(step.value, SSAValue):
        return False
    choices = _choices(op, step, raising)
    if choices is None:
        erase_unused(op.body.block)
        return False
    build = Replacement(op)
    values = [_combined(build, op, step.combine, choice) for choice in choices]
    if not is_neutral(op.init, step.neutral):
        values.append(op.init)
    total = values[0]
    for value in values[1:]:
        total = build.same(step.combine, total, value)
    build.finish(total, raising.free)
    return True


def _choices(op: phi.FoldOp, step: Step, raising: Raising) -> list[_Choice] | None:
    """The extremes of the terms of a step, if all were replaced and some term is a sum."""
    assert isinstance(step.value, SSAValue)
    forms = raising.forms
    found = _pieces(op, step.tests, step.value, forms)
    varying = dependents(op.body.block, op.counter, op.accumulator)
    pieces = [(tests, value, _shifted(op, value, varying, forms)) for tests, value in found]
    if len(pieces) > _MOST_PIECES or not any(shifted for _, _, shifted in pieces):
        return None
    choices, bounds = list[_Choice](), set[SSAValue]()
    for tests, value, shifted in pieces:
        if shifted is None and value not in varying and _bounds_all(step, value, pieces, forms):
            bounds.add(value)
            continue
        if not tests or (shifted is None and value in varying):
            return None
        parts = _Parts(op, tests, raising)
        choice = parts.shifted(step.combine, shifted) if shifted else parts.equal(step, value)
        if choice is None:
            return None
        choices.append(choice)
    return [*choices, *(_Choice(bound, is_bound=True) for bound in bounds)]


def _bounds_all(step: Step, bound: SSAValue, pieces: Iterable[_Piece], forms: IndexForms) -> bool:
    """Whether all terms are at least as good as one of them, which is that of the other steps."""
    end = forms.exact_form(bound) if bound.type == i64 else None
    others = [forms.exact_form(value) for _, value, _ in pieces if value is not bound]
    sign = -1 if isinstance(step.combine, arith.MinSIOp) else 1
    return end is not None and all(
        other is not None and forms.is_nonnegative((other - end) * sign) for other in others
    )


def _pieces(
    op: phi.FoldOp, tests: Sequence[Test], value: SSAValue, forms: IndexForms
) -> Sequence[tuple[Sequence[Test], SSAValue]]:
    """The terms of a step and their tests: those of a choice, and of an Int and its negative."""
    parts = list[tuple[Sequence[Test], SSAValue]]()
    match value.owner:
        case arith.SelectOp(cond=condition, lhs=chosen, rhs=other):
            for expected, term in ((True, chosen), (False, other)):
                for own in _alternatives(Test(condition, expected)):
                    parts += _pieces(op, [*tests, *own], term, forms)
        case math.AbsIOp(operand=number) if forms.is_exact(form := forms.form(number)):
            build = Builder.before_end(op.body.block, forms.add)
            others = [test for test in tests if not _excludes_zero(test, form, forms)]
            predicate = "sge" if len(others) == len(tests) else "sgt"
            for term, sign in ((form, predicate), (-form, "sgt")):
                part = build.linear_value(term)
                own = Test(build.compare(part, sign, 0), expected=True)
                parts += _pieces(op, [*others, own], part, forms)
        case _:
            parts.append((tests, value))
    return parts


def _excludes_zero(test: Test, form: LinearForm, forms: IndexForms) -> bool:
    equation = forms.equation(test.condition, expected=not test.expected)
    return equation is not None and equation in (form, -form)


def _alternatives(test: Test) -> Sequence[Sequence[Test]]:
    """Conjunctions, of which any one makes a test hold: ``~a`` and ``~b`` of ``~(a & b)``."""
    opposite = [*conjuncts(Test(test.condition, not test.expected))]
    if len(opposite) == 1:
        return [[*conjuncts(test)]]
    return [[Test(each.condition, not each.expected)] for each in opposite]


def _shifted(
    fold: phi.FoldOp, value: SSAValue, varying: Collection[SSAValue], forms: IndexForms
) -> _Shifted | None:
    """A sum, or difference, of which one operand varies."""
    if value.type == i64:
        return _shifted_int(fold, value, varying, forms)
    op = value.owner
    if not isinstance(op, arith.AddfOp | arith.SubfOp) or (op.lhs in varying) == (
        op.rhs in varying
    ):
        return None
    is_difference = isinstance(op, arith.SubfOp)
    if op.lhs in varying:
        return _Shifted(op.rhs, op.lhs, is_difference)
    build = Builder.before_end(fold.body.block)
    return _Shifted(op.lhs, build.negated(op.rhs) if is_difference else op.rhs)


def _shifted_int(
    fold: phi.FoldOp, value: SSAValue, varying: Collection[SSAValue], forms: IndexForms
) -> _Shifted | None:
    """The terms of a sum of Ints that do not vary, and the others, where neither sum wraps."""
    form = forms.form(value)
    moving = form.without(atom for atom in form.coefficients if atom not in varying)
    fixed = form.without(moving.coefficients) - form.constant
    if not moving.coefficients or not fixed.coefficients or not forms.is_exact(form):
        return None
    least, most = forms.range_of(moving).ends
    if least <= INTS.low or most >= INTS.high:
        return None
    build = Builder.before_end(fold.body.block)
    return _Shifted(build.linear_value(fixed), build.linear_value(moving))


@dataclass(frozen=True)
class _Parts:
    """Extremes of parts of the terms of a fold, in the steps that pass tests."""

    op: phi.FoldOp
    tests: Sequence[Test]
    raising: Raising

    def shifted(self, combine: Operation, shifted: _Shifted) -> _Choice | None:
        """The extreme of y; of floats, both extremes."""
        opposite = _OTHER[type(combine)]
        extreme = self._fold(type(combine), shifted.y)
        if extreme is None or opposite is None:
            return None if extreme is None else _Choice(extreme, None, shifted)
        other = self._fold(opposite, shifted.y)
        return None if other is None else _Choice(extreme, other, shifted)

    def equal(self, step: Step, value: SSAValue) -> _Choice | None:
        """A value that does not vary, if a step has it."""
        found = self._fold(type(step.combine), value)
        return None if found is None else _Choice(found)

    def _fold(self, kind: type[Operation], term: SSAValue) -> SSAValue | None:
        """The replaced fold of ``where(tests, term, neutral)``."""
        neutral = identity(kind.name, term.type)
        assert neutral is not None

        def extreme(*operands: SSAValue) -> Operation:
            return kind.create(operands=operands, result_types=[term.type])

        fold = fold_of_selected(self.op, extreme, neutral, self.tests, term)
        return self.raising.value(self.op, fold, fewer=True)


def _combined(build: Builder, op: phi.FoldOp, combine: Operation, choice: _Choice) -> SSAValue:
    """``x + extreme``: with the other extreme for an infinite x, and as it is for no terms."""
    if choice.is_bound:
        (term,) = build.copied(op.body.block, [choice.extreme], {})
        is_empty = build.compare(op.count, "sle", 0)
        return build.select(is_empty, build.constant(neutral_of(combine)), term)
    if choice.shifted is None:
        return choice.extreme
    (x,) = build.copied(op.body.block, [choice.shifted.x], {})
    neutral = build.constant(neutral_of(combine))
    if choice.other is None:
        has_none = build.compare(choice.extreme, "eq", neutral)
        return build.select(has_none, neutral, build.add(x, choice.extreme))
    if choice.shifted.has_negative_x:
        x = build.negated(x)
    is_largest = isinstance(combine, arith.MaximumfOp)
    least, most = (choice.other, choice.extreme)[:: 1 if is_largest else -1]
    infinite = build.negated(neutral)
    is_infinite = build.compare(x, "oeq", infinite)
    term = build.select(is_infinite, choice.other, choice.extreme)
    total = build.add(x, term)
    has_none = build.compare(most, "olt", least)
    return build.select(has_none, neutral, total)
