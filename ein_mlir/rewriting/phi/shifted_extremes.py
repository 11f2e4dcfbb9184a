"""Maxima and minima of ``x + y[k]``: x is added to those of ``y[k]``.

Rounding is monotonic: the largest sum is that of the largest term. An infinite x needs care: with
``-inf`` among the terms, ``inf + y[k]`` is NaN, which the least term shows.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

from xdsl.dialects import arith
from xdsl.ir import Operation, SSAValue

from ein_mlir.analysis.phi.free_indices import FreeIndices
from ein_mlir.analysis.phi.selections import Step, Test, conjuncts, is_neutral, step_of
from ein_mlir.analysis.scopes import dependents
from ein_mlir.dialects import phi
from ein_mlir.dialects.algebra import identity, neutral_of
from ein_mlir.rewriting.phi.builders import chosen, copied, copied_tests, folded, same_operation
from ein_mlir.rewriting.phi.insertion import Builder
from ein_mlir.rewriting.phi.replacement import Replacement, raised

_OTHER: dict[type[Operation], type[Operation]] = {
    arith.MaximumfOp: arith.MinimumfOp,
    arith.MinimumfOp: arith.MaximumfOp,
}

_Raise = Callable[[phi.FoldOp], bool]


@dataclass(frozen=True)
class _Shifted:
    """``x + y``, ``x - y`` or ``y - x``, where y depends on the counter of a fold."""

    x: SSAValue
    y: SSAValue
    has_negative_x: bool
    has_negative_y: bool


@dataclass(frozen=True)
class _Choice:
    """An extreme of chosen terms: of equal ones, or one of y, with the other extreme and x."""

    extreme: SSAValue
    other: SSAValue | None = None
    shifted: _Shifted | None = None


def shift_extremes(op: phi.FoldOp, raise_: _Raise, free: FreeIndices) -> bool:
    """``fold { max(acc, where(c, x + y, -inf)) }  -->  x + fold { max(acc, where(c, y, -inf)) }``

    where ``raise_`` replaces that fold. Another choice than ``-inf`` is an extreme of its own.
    Whether all were replaced.
    """
    step = step_of(op)
    if step is None or type(step.combine) not in _OTHER or not isinstance(step.value, SSAValue):
        return False
    varying = dependents(op.body.block, op.counter, op.accumulator)
    pieces = [(tests, value, _shifted(value, varying)) for tests, value in _pieces(step)]
    if not any(shifted for _, _, shifted in pieces):
        return False
    choices = list[_Choice]()
    for tests, value, shifted in pieces:
        if not tests or (shifted is None and value in varying):
            return False
        parts = _Parts(op, tests, raise_, free)
        choice = parts.shifted(step.combine, shifted) if shifted else parts.equal(step, value)
        if choice is None:
            return False
        choices.append(choice)
    build = Replacement(op)
    values = [_combined(build, op, step.combine, choice) for choice in choices]
    if not is_neutral(op.init, step.neutral):
        values.append(op.init)
    total = values[0]
    for value in values[1:]:
        total = build.emit(same_operation(step.combine, total, value))
    build.finish(total, free)
    return True


def _pieces(step: Step) -> list[tuple[list[Test], SSAValue]]:
    """The terms of a step and their tests: two of a choice."""
    assert isinstance(step.value, SSAValue)
    tests = list(step.tests)
    if not isinstance(choice := step.value.owner, arith.SelectOp):
        return [(tests, step.value)]
    return [
        ([*tests, *conjuncts(Test(choice.cond, expected))], value)
        for expected, value in ((True, choice.lhs), (False, choice.rhs))
    ]


def _shifted(value: SSAValue, varying: Collection[SSAValue]) -> _Shifted | None:
    """A sum, or difference, of which one operand varies."""
    op = value.owner
    if not isinstance(op, arith.AddfOp | arith.SubfOp) or (op.lhs in varying) == (
        op.rhs in varying
    ):
        return None
    is_difference = isinstance(op, arith.SubfOp)
    if op.lhs in varying:
        return _Shifted(op.rhs, op.lhs, is_difference, False)
    return _Shifted(op.lhs, op.rhs, False, is_difference)


@dataclass(frozen=True)
class _Parts:
    """Extremes of parts of the terms of a fold, in the steps that pass tests."""

    op: phi.FoldOp
    tests: Sequence[Test]
    raise_: _Raise
    free: FreeIndices

    def shifted(self, combine: Operation, shifted: _Shifted) -> _Choice | None:
        """Both extremes of y."""
        kind = type(combine)
        found = [
            self._fold(each, shifted.y, negative=shifted.has_negative_y)
            for each in (kind, _OTHER[kind])
        ]
        extreme, other = found
        if extreme is None or other is None:
            return None
        return _Choice(extreme, other, shifted)

    def equal(self, step: Step, value: SSAValue) -> _Choice | None:
        """A value that does not vary, if a step has it."""
        found = self._fold(type(step.combine), value, negative=False)
        return None if found is None else _Choice(found)

    def _fold(self, kind: type[Operation], term: SSAValue, *, negative: bool) -> SSAValue | None:
        """The replaced fold of ``where(tests, term, neutral)``."""
        neutral = identity(kind.name, term.type)
        assert neutral is not None

        def step(build: Builder, counter: SSAValue, total: SSAValue) -> SSAValue:
            known: dict[SSAValue, SSAValue] = {self.op.counter: counter}
            tests = copied_tests(build, self.op.body.block, self.tests, known)
            (value,) = copied(build, self.op.body.block, [term], known)
            if negative:
                value = build.emit(arith.NegfOp(value))
            value = chosen(build, tests, value, build.constant(neutral))
            return build.emit(kind.create(operands=[total, value], result_types=[term.type]))

        fold = folded(self.op, arith.ConstantOp(neutral), step)
        return raised(self.op, fold, self.raise_, self.free)


def _combined(build: Builder, op: phi.FoldOp, combine: Operation, choice: _Choice) -> SSAValue:
    """``x + extreme``: with the other extreme for an infinite x, and as it is for no terms."""
    if choice.shifted is None or choice.other is None:
        return choice.extreme
    (x,) = copied(build, op.body.block, [choice.shifted.x], {})
    neutral = build.constant(neutral_of(combine))
    if choice.shifted.has_negative_x:
        x = build.emit(arith.NegfOp(x))
    is_largest = isinstance(combine, arith.MaximumfOp)
    least, most = (choice.other, choice.extreme)[:: 1 if is_largest else -1]
    infinite = build.emit(arith.NegfOp(neutral))
    is_infinite = build.emit(arith.CmpfOp(x, infinite, "oeq"))
    term = build.select(is_infinite, choice.other, choice.extreme)
    total = build.emit(arith.AddfOp(x, term))
    has_none = build.emit(arith.CmpfOp(most, least, "olt"))
    return build.select(has_none, neutral, total)
