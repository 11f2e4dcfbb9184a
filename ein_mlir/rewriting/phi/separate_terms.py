"""Sums of several terms in one fold: a fold for each term that is chosen, and one for the rest."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from xdsl.builder import Builder
from xdsl.dialects import arith
from xdsl.dialects.builtin import FloatAttr, IntegerAttr
from xdsl.ir import Operation, Region, SSAValue
from xdsl.rewriter import InsertPoint

from ein_mlir.analysis.phi.memory_cost import slice_of
from ein_mlir.analysis.phi.selections import Step, Test, conjuncts, is_neutral, selected
from ein_mlir.analysis.scopes import is_within
from ein_mlir.dialects import phi
from ein_mlir.dialects.algebra import OPERATIONS, SUM_OF, identity, takes_any_order
from ein_mlir.rewriting.phi.builders import chosen, copied, fold_body

Inserted = Callable[[Operation], None]


@dataclass(frozen=True)
class _Term:
    """A term of a sum, or of a difference."""

    value: SSAValue
    is_negative: bool


@dataclass(frozen=True)
class Choice:
    """The step of a fold that adds a value, or its negative, if some tests hold."""

    step: Step
    is_negative: bool


@dataclass(frozen=True)
class Terms:
    """``acc + where(c, x, 0) - where(d, y, 0) + z``: what the steps of a fold add up."""

    fold: phi.FoldOp
    combine: type[Operation]
    choices: Sequence[Choice]
    rest: Sequence[_Term]

    def separated(self, alone: Sequence[Choice], inserted: Sequence[Inserted]) -> list[phi.FoldOp]:
        """A fold for each of some choices, which starts from the fold before it; the first is that
        of all other terms.

        They are inserted before the fold; the last one has its result. ``inserted`` is told of the
        new operations.
        """
        place = InsertPoint.before(self.fold)
        build = Builder(place, operation_insertion_handler=list(inserted))
        folds, start = list[phi.FoldOp](), self.fold.init
        others = [choice for choice in self.choices if choice not in alone]
        parts = [[*self.rest, *others], *([choice] for choice in alone)]
        for part in filter(None, parts):
            body = fold_body(self.fold, start.type)
            inner = Builder(InsertPoint.at_end(body))
            total: SSAValue = body.args[1]
            known: dict[SSAValue, SSAValue] = {self.fold.counter: body.args[0]}
            for term in part:
                value = self._value(inner, term, known)
                total = inner.insert(self.combine(total, value)).results[0]  # pyright: ignore[reportCallIssue]
            inner.insert(phi.YieldOp(total))
            new = phi.FoldOp(self.fold.count, start, Region(body))
            new.location = self.fold.location
            new.result.name_hint = self.fold.result.name_hint
            folds.append(build.insert(new))
            start = new.result
        return folds

    def _value(
        self, build: Builder, term: _Term | Choice, known: dict[SSAValue, SSAValue]
    ) -> SSAValue:
        """A term in the body of a new fold."""
        block = self.fold.body.block
        if isinstance(term, _Term):
            (value,) = copied(build, block, [term.value], known)
            return self._negated(build, value) if term.is_negative else value
        step = term.step
        conditions = copied(build, block, [test.condition for test in step.tests], known)
        tests = [Test(c, test.expected) for c, test in zip(conditions, step.tests, strict=True)]
        if isinstance(step.value, SSAValue):
            (value,) = copied(build, block, [step.value], known)
        else:
            value = build.insert(arith.ConstantOp(step.value)).result
        value = self._negated(build, value) if term.is_negative else value
        return chosen(build, tests, value, self._zero(build))

    def _zero(self, build: Builder) -> SSAValue:
        neutral = identity(self.combine.name, self.fold.result.type)
        assert neutral is not None
        return build.insert(arith.ConstantOp(neutral)).result

    def _negated(self, build: Builder, value: SSAValue) -> SSAValue:
        (difference,) = (name for name, sum_ in SUM_OF.items() if sum_ == self.combine.name)
        return build.insert(OPERATIONS[difference](self._zero(build), value)).results[0]  # pyright: ignore[reportCallIssue]


def terms_of(op: phi.FoldOp) -> Terms | None:
    """The terms of the steps of a fold, if there are several and some are chosen.

    No loop in the steps is needed by two of them, which would each repeat it.
    """
    total = op.yielded().owner
    if not isinstance(total, Operation) or total.parent is not op.body.block:
        return None
    name = SUM_OF.get(total.name, total.name)
    neutral = identity(name, op.result.type) if takes_any_order(name) else None
    terms = list[_Term]()
    if neutral is None or not _collect(op, name, _Term(op.yielded(), False), terms):
        return None
    choices, rest = list[Choice](), list[_Term]()
    for term in terms:
        found = _alternatives(term.value, neutral)
        steps = [Step(total, tests, value) for tests, value in found]
        choices += [Choice(step, term.is_negative) for step in steps]
        rest += [] if found else [term]
    if not choices or len(choices) + len(rest) < 2:
        return None
    parts = [choice.step.parts(choice.step.tests) for choice in choices]
    parts.append([term.value for term in rest])
    return None if _share_loops(op, parts) else Terms(op, OPERATIONS[name], choices, rest)


def _collect(op: phi.FoldOp, name: str, term: _Term, terms: list[_Term]) -> bool:
    """Collect the terms of a sum; whether the accumulator is one of them, and in no other."""
    pending, seen = [term], 0
    while pending:
        term = pending.pop()
        inner = term.value.owner
        if term.value is op.accumulator:
            if term.is_negative:
                return False
            seen += 1
        elif (
            isinstance(inner, Operation)
            and inner.parent is op.body.block
            and SUM_OF.get(inner.name, inner.name) == name
            and term.value.has_one_use()
        ):
            first, second = inner.operands
            is_difference = inner.name != name
            pending.append(_Term(second, term.is_negative != is_difference))
            pending.append(_Term(first, term.is_negative))
        else:
            terms.append(term)
    return seen == 1 and op.accumulator.has_one_use()


def _alternatives(
    value: SSAValue, neutral: IntegerAttr | FloatAttr
) -> list[tuple[list[Test], SSAValue | IntegerAttr | FloatAttr]]:
    """``where(c, x, where(d, y, 0))`` as x if c, and y if d and not c; none for other values."""
    found = list[tuple[list[Test], SSAValue | IntegerAttr | FloatAttr]]()
    before = list[Test]()
    while True:
        tests, inner = selected(value, neutral)
        if tests:
            return [*found, ([*before, *tests], inner)]
        op = value.owner
        if not isinstance(op, arith.SelectOp):
            return []
        for other, rest, expected in ((op.lhs, op.rhs, True), (op.rhs, op.lhs, False)):
            if _is_chosen(rest, neutral):
                found.append(([*before, *conjuncts(Test(op.cond, expected))], other))
                before.append(Test(op.cond, not expected))
                value = rest
                break
        else:
            return []


def _is_chosen(value: SSAValue, neutral: IntegerAttr | FloatAttr) -> bool:
    """Whether a value is neutral if all of some tests fail."""
    op = value.owner
    return is_neutral(value, neutral) or (
        isinstance(op, arith.SelectOp)
        and any(_is_chosen(side, neutral) for side in (op.lhs, op.rhs))
    )


def _share_loops(op: phi.FoldOp, parts: Sequence[Sequence[SSAValue]]) -> bool:
    """Whether two parts of the steps of a fold need the same loop in the steps."""
    loops = list[Operation]()
    for part in parts:
        inside = [value for value in part if is_within(value, op)]
        loops += [each for each in slice_of(op.body.block, inside) if each.regions]
    return len(loops) != len(set(loops))
