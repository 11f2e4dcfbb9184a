"""Sums of several terms in one fold: a fold for each term that is chosen, and one for the rest."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Container, Sequence
from dataclasses import replace
from typing import TypeAlias

from xdsl.dialects import arith
from xdsl.dialects.builtin import FloatAttr, IntegerAttr
from xdsl.ir import Operation, SSAValue

from ein_mlir.analysis.phi.equality import computes_same
from ein_mlir.analysis.phi.memory_cost import slice_of
from ein_mlir.analysis.phi.selections import (
    Step,
    Summand,
    Test,
    conjuncts,
    is_neutral,
    selected,
    summands,
)
from ein_mlir.analysis.predicates import predicate_of
from ein_mlir.analysis.scopes import dependents, is_within
from ein_mlir.dialects import phi
from ein_mlir.dialects.algebra import SUM_OF, identity, takes_any_order
from ein_mlir.host.dataclass import dataclass
from ein_mlir.rewriting.phi.builders import difference, folded, sum_of
from ein_mlir.rewriting.phi.insertion import Builder
from ein_mlir.rewriting.phi.replacement import Raising, Replacement, insert_before

_Value: TypeAlias = SSAValue | IntegerAttr | FloatAttr
_Alternative: TypeAlias = tuple[list[Test], _Value]
MOST_ALTERNATIVES = 16
"""The most alternatives of a term: each is a fold of its own."""
_EQUAL = ("eq", "oeq")
_UNEQUAL = ("ne", "one", "une", *("slt", "sgt", "ult", "ugt"), *("olt", "ogt"))


@dataclass(frozen=True)
class _Choice:
    """The step of a fold that adds a value, or its negative, if some tests hold."""

    step: Step
    is_negative: bool
    others: Sequence[Test] = ()
    """More tests,"""

    keys: Sequence[tuple[SSAValue, SSAValue]] = ()
    """in which the second value of each replaces the first one, to which it is equal."""


def separate_terms(op: phi.FoldOp, raising: Raising) -> bool:
    """``fold { acc + where(c, x, 0) - where(d, y, 0) + z }`` as the sum of a fold of each term.

    A term has a fold of its own if it is chosen, and ``raising`` replaces that fold. So has each
    case of one that is chosen by any of several equations. Whether there is such a term.
    """
    terms = _terms_of(op)
    if terms is None:
        return False
    values, rest = list[SSAValue](), list[Summand | _Choice](terms.rest)
    for choice in terms.choices:
        found = terms.raised([choice], raising)
        found = found or terms.raised(_cases(op, choice), raising)
        values += found
        if not found:
            rest.append(choice)
    if not values:
        return False
    if rest:
        fold = terms.summed(rest, op.init)
        insert_before(op, [fold], raising.free)
        values.insert(0, fold.result)
    elif not is_neutral(op.init, terms.neutral):
        values.insert(0, op.init)
    build = Replacement(op)
    total = functools.reduce(functools.partial(terms.combined, build), values)
    build.finish(total, raising.free)
    return True


@dataclass(frozen=True)
class _Terms:
    """The terms that the steps of a fold add."""

    fold: phi.FoldOp
    total: Operation
    """The sum, or difference, that is the next value."""
    neutral: IntegerAttr | FloatAttr
    """The value of an empty sum."""
    choices: Sequence[_Choice]
    rest: Sequence[Summand]

    def summed(self, terms: Sequence[Summand | _Choice], init: SSAValue) -> phi.FoldOp:
        """A fold of some of the terms."""

        def step(build: Builder, counter: SSAValue, total: SSAValue) -> SSAValue:
            known: dict[SSAValue, SSAValue] = {self.fold.counter: counter}
            for term in terms:
                total = self.combined(build, total, self._value(build, term, known))
            return total

        fold = folded(self.fold, init, step)
        fold.result.name_hint = self.fold.result.name_hint
        return fold

    def raised(self, parts: Sequence[_Choice], raising: Raising) -> list[SSAValue]:
        """The values that replace a fold of each part; none if a fold is not replaced."""
        values = list[SSAValue]()
        for part in parts:
            constant = arith.ConstantOp(self.neutral)
            value = raising.value(self.fold, self.summed([part], constant.result))
            if value is None:
                return []
            values.append(value)
        return values

    def combined(self, build: Builder, *values: SSAValue) -> SSAValue:
        """The sum of two values."""
        return build.emit(sum_of(self.total)(*values))

    def _value(
        self, build: Builder, term: Summand | _Choice, known: dict[SSAValue, SSAValue]
    ) -> SSAValue:
        """A term in the body of a new fold."""
        block = self.fold.body.block
        if isinstance(term, Summand):
            (value,) = build.copied(block, [term.value], known)
            return self._negated(build, value) if term.is_negative else value
        step = term.step
        tests = build.copied_tests(block, step.tests, known)
        inner = {first: known.get(second, second) for first, second in term.keys}
        inner[self.fold.counter] = known[self.fold.counter]
        tests += build.copied_tests(block, term.others, inner)
        value = build.copied_value(block, step.value, known)
        value = self._negated(build, value) if term.is_negative else value
        return build.chosen(tests, value, self._zero(build))

    def _negated(self, build: Builder, value: SSAValue) -> SSAValue:
        return build.emit(difference(self.total, self._zero(build), value))

    def _zero(self, build: Builder) -> SSAValue:
        return build.constant(self.neutral)


def _terms_of(op: phi.FoldOp) -> _Terms | None:
    """The terms of the steps of a fold, if there are several and some are chosen.

    No loop in the steps is needed by two of them, which would each repeat it.
    """
    total = op.yielded().owner
    if not isinstance(total, Operation) or total.parent is not op.body.block:
        return None
    name = SUM_OF.get(total.name, total.name)
    neutral = identity(name, op.result.type) if takes_any_order(name) else None
    if neutral is None or not op.accumulator.has_one_use():
        return None
    terms, own = summands(op.yielded(), name, op.body.block), Summand(op.accumulator, False)
    if own not in terms:
        return None
    terms.remove(own)
    choices, rest = list[_Choice](), list[Summand]()
    for term in terms:
        found = _alternatives(term.value, neutral)
        steps = [Step(total, tests, value) for tests, value in found]
        choices += [_Choice(step, term.is_negative) for step in steps]
        rest += [] if found else [term]
    if not choices:
        return None
    if len(choices) + len(rest) < 2 and not any(_cases(op, choice) for choice in choices):
        return None
    parts = [choice.step.parts(choice.step.tests) for choice in choices]
    parts.append([term.value for term in rest])
    return None if _share_loops(op, parts) else _Terms(op, total, neutral, choices, rest)


def _cases(op: phi.FoldOp, choice: _Choice) -> list[_Choice]:
    """``where((x == v) | (y == v), e, 0)`` as e if x is v, and e if y is v and x is not.

    Where y is v, x is not v if it is not y. Each case may be a conjunction with such an equation.
    There are none if e needs a loop, which each repeats.
    """
    tests = choice.step.tests
    for test in tests:
        inverse = list(conjuncts(Test(test.condition, not test.expected)))
        if len(inverse) < 2 or any(each.regions for each in op.body.block.ops):
            continue
        varying = dependents(op.body.block, op.counter)
        cases = [list(conjuncts(Test(each.condition, not each.expected))) for each in inverse]
        keys = [[key for each in case if (key := _key(each, varying))] for case in cases]
        if not all(keys):
            continue
        others = [each for each in tests if each is not test]
        return [
            replace(
                choice,
                step=replace(choice.step, tests=[*others, *cases[k]]),
                others=inverse[:k],
                keys=own,
            )
            for k, own in enumerate(keys)
        ]
    return []


def _key(test: Test, varying: Container[SSAValue]) -> tuple[SSAValue, SSAValue] | None:
    """The values of an equation: one that is the same in all steps, and one that varies."""
    comparison = _comparison(test, _EQUAL) if test.expected else None
    for first, second in itertools.permutations(comparison.operands) if comparison else ():
        if first not in varying and second in varying:
            return first, second
    return None


def _alternatives(value: _Value, neutral: IntegerAttr | FloatAttr) -> list[_Alternative]:
    """``where(c, x, where(d, y, 0))`` as x if c, and y if d and not c; none for other values."""

    @functools.cache
    def found(value: _Value) -> list[_Alternative]:
        alternatives = of_choice(value) if isinstance(value, SSAValue) else []
        return alternatives if len(alternatives) <= MOST_ALTERNATIVES else []

    def of_choice(value: SSAValue) -> list[_Alternative]:
        tests, inner = selected(value, neutral)
        if tests:
            return [(_needed([*tests, *more]), x) for more, x in found(inner)] or [(tests, inner)]
        op = value.owner
        if isinstance(op, arith.SelectOp):
            for other, rest, expected in ((op.lhs, op.rhs, True), (op.rhs, op.lhs, False)):
                if remaining := found(rest):
                    first = list(conjuncts(Test(op.cond, expected)))
                    inside = found(other) or [([], other)]
                    last = Test(op.cond, not expected)
                    return [
                        *((_needed([*first, *more]), x) for more, x in inside),
                        *((_needed([last, *more]), x) for more, x in remaining),
                    ]
        return []

    return found(value)


def _needed(tests: Sequence[Test]) -> list[Test]:
    """The tests without those that others imply: ``x == y`` implies ``not x > y``."""
    equal = [op for test in tests if test.expected and (op := _comparison(test, _EQUAL))]
    return [
        test
        for test in tests
        if test.expected
        or (unequal := _comparison(test, _UNEQUAL)) is None
        or not any(_compare_same(unequal, op) for op in equal)
    ]


def _compare_same(first: Operation, second: Operation) -> bool:
    """Whether two comparisons have the same operands, in either order."""
    return any(
        all(itertools.starmap(computes_same, zip(first.operands, operands, strict=True)))
        for operands in (second.operands, second.operands[::-1])
    )


def _comparison(test: Test, predicates: Container[str]) -> arith.CmpfOp | arith.CmpiOp | None:
    """The comparison of a test, if it has one of some predicates."""
    op = test.condition.owner
    is_comparison = isinstance(op, arith.CmpiOp | arith.CmpfOp)
    return op if is_comparison and predicate_of(op) in predicates else None


def _share_loops(op: phi.FoldOp, parts: Sequence[Sequence[SSAValue]]) -> bool:
    """Whether two parts of the steps of a fold need the same loop in the steps."""
    loops = list[Operation]()
    for part in parts:
        inside = [value for value in part if is_within(value, op)]
        loops += [each for each in slice_of(op.body.block, inside) if each.regions]
    return len(loops) != len(set(loops))
