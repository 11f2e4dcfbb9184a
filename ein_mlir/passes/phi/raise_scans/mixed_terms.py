"""Sums of ``x[i] - y[k]`` under an order, as ``abs(x[i] - y[k])``: a sum of each term.

The terms of each side of a comparison are factors of the indices around times values of the steps,
whose sums over the selected steps are raised. So is that of the steps, which is their number.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial, reduce
from typing import TypeAlias

from xdsl.dialects import arith, math
from xdsl.dialects.builtin import AnyFloat, IntegerAttr, i1, i8, i64
from xdsl.ir import Operation, OpResult, SSAValue

from ein_mlir.analysis.constants import known_float
from ein_mlir.analysis.hints import isa
from ein_mlir.analysis.phi.bounds import bound_of
from ein_mlir.analysis.phi.memory_cost import slice_of
from ein_mlir.analysis.phi.selections import Step, Test, step_of
from ein_mlir.analysis.phi.variables import variables_around
from ein_mlir.analysis.predicates import NEGATED, SYMBOLS, predicate_of
from ein_mlir.analysis.scopes import captured, dependents
from ein_mlir.dialects import phi, sigma
from ein_mlir.dialects.algebra import is_sum
from ein_mlir.dialects.creation import copy_of
from ein_mlir.host.dataclass import dataclass
from ein_mlir.passes.phi.raise_scans.fallbacks import replace_unless_rare
from ein_mlir.passes.phi.raise_scans.selection import varying_tests
from ein_mlir.passes.phi.raise_scans.sorted_steps import Least, are_few_pairs
from ein_mlir.rewriting.dead_code import erase_unused
from ein_mlir.rewriting.phi.float_tests import is_finite, is_small
from ein_mlir.rewriting.phi.insertion import Builder, Inserter
from ein_mlir.rewriting.phi.range_reductions import RecomputedValues
from ein_mlir.rewriting.phi.replacement import Raising, Replacement
from ein_mlir.rewriting.phi.step_values import StepValues, fold_of_selected, fold_of_step

_LARGE = 2**60
_MOST_TERMS = 8
"""The most terms that a value is taken apart into."""


@dataclass(frozen=True)
class _Term:
    """A value of the steps, or 1, times and by values that are the same in all steps."""

    value: SSAValue | None
    factors: Sequence[tuple[type[Operation], SSAValue]] = ()
    is_negative: bool = False
    tests: Sequence[Test] = ()
    """It is 0 where one of these fails."""

    def times(self, other: _Term, build: Inserter) -> _Term:
        values = [each.value for each in (self, other) if each.value is not None]
        value = reduce(build.mul, values) if values else None
        is_negative = self.is_negative != other.is_negative
        factors, tests = [*self.factors, *other.factors], [*self.tests, *other.tests]
        return _Term(value, factors, is_negative, tests)

    def applied(self, build: Inserter, value: SSAValue | None) -> SSAValue:
        """The product with another value in place of that of a step."""
        for kind, factor in self.factors:
            if value is None:
                value = factor
            else:
                value = build.emit(kind.create(operands=[value, factor], result_types=[value.type]))
        assert value is not None
        return value


_Piece: TypeAlias = tuple[Sequence[Test], SSAValue]
"""The tests of some steps, and their value."""
_Cases: TypeAlias = Sequence[tuple[Test, SSAValue]]
"""The values of a choice, each with a test; it is zero where there is none."""


@dataclass(frozen=True)
class _Mixed:
    """The terms of a step with their tests, and the values that may be no exceptional ones."""

    terms: Sequence[tuple[Sequence[Test], _Term]]
    limits: Sequence[SSAValue]
    keys: Sequence[SSAValue]


def _cases(condition: SSAValue, first: SSAValue, second: SSAValue) -> _Cases:
    return [(Test(condition, True), first), (Test(condition, False), second)]


def _opposite(terms: Sequence[_Term]) -> list[_Term]:
    return [replace(term, is_negative=not term.is_negative) for term in terms]


def _total(build: Inserter, terms: Sequence[_Term], values: Sequence[SSAValue | None]) -> SSAValue:
    """The sum of terms with other values in place of those of a step."""
    total = None
    for term, value in zip(terms, values, strict=True):
        part = term.applied(build, value)
        if total is None:
            total = build.negated(part) if term.is_negative else part
        else:
            total = build.sub(total, part) if term.is_negative else build.add(total, part)
    assert total is not None
    return total


class _Terms:
    """The terms of the steps of a fold, which are built in its body."""

    def __init__(self, op: phi.FoldOp, raising: Raising):
        self._op, self._forms, self._block = op, raising.forms, op.body.block
        self._build = Builder.before_end(self._block, raising.forms.add)
        self._steps = dependents(self._block, op.counter)
        self.limits = list[SSAValue]()
        """Values that are the same in all steps, and must be finite, or no large Ints."""
        self.keys = list[SSAValue]()
        """Values of the steps that must be, too."""

    def pieces(self, tests: Sequence[Test], value: SSAValue) -> Iterator[_Piece]:
        """The cases of the choices that a value of a step makes by a comparison."""
        for choice in slice_of(self._block, [value]):
            if (found := self._choice(choice)) is not None:
                break
        else:
            yield tests, value
            return
        for test, taken in found:
            chosen = self._build.copied_value(self._block, value, {choice.results[0]: taken})
            self._steps = dependents(self._block, self._op.counter)
            yield from self.pieces([*tests, test], chosen)

    def _choice(self, op: Operation) -> _Cases | None:
        """The cases of a choice by an order between values of the type of the sum."""
        if [each.type for each in op.results] != [self._op.result.type]:
            return None
        match op:
            case arith.SelectOp(cond=condition, lhs=lhs, rhs=rhs):
                order = self._order(condition)
                return None if order is None else _cases(order, lhs, rhs)
            case math.AbsFOp(operand=number) | math.AbsIOp(operand=number):
                d = number.owner
                is_difference = isinstance(d, arith.SubfOp | arith.SubiOp)
                opposite = self._build.sub(d.rhs, d.lhs) if is_difference else None
                opposite = self._build.negated(number) if opposite is None else opposite
                return self._by_sign(self.terms(number), number, opposite)
            case arith.MaximumfOp(lhs=lhs, rhs=rhs) | arith.MaxSIOp(lhs=lhs, rhs=rhs):
                return self._extreme(lhs, rhs, lhs, rhs)
            case arith.MinimumfOp(lhs=lhs, rhs=rhs) | arith.MinSIOp(lhs=lhs, rhs=rhs):
                return self._extreme(lhs, rhs, rhs, lhs)
            case sigma.SignOp(operand=OpResult(op=arith.SubfOp(lhs=lhs, rhs=rhs))):
                return self._sign(lhs, rhs)
            case _:
                return None

    def _order(self, condition: SSAValue) -> SSAValue | None:
        """A condition that compares a value of the steps with one that is the same in all.

        ``x - y < 0`` is ``x < y`` for finite numbers.
        """
        compare = condition.owner
        if not isinstance(compare, arith.CmpfOp | arith.CmpiOp):
            return None
        symbol, (lhs, rhs) = SYMBOLS.get(predicate_of(compare), "=="), compare.operands
        if symbol in ("==", "!=") or bound_of(self._op, Test(condition, True), self._forms):
            return None
        if isinstance(lhs.owner, arith.SubfOp) and known_float(rhs) == 0.0:
            lhs, rhs = lhs.owner.operands
            checked, condition = (lhs, rhs), self._build.compare(lhs, symbol, rhs)
        else:
            checked = ()
        if (lhs in self._steps) == (rhs in self._steps):
            return None
        for each in checked:
            (self.keys if each in self._steps else self.limits).append(each)
        return condition

    def _extreme(
        self, lhs: SSAValue, rhs: SSAValue, larger: SSAValue, other: SSAValue
    ) -> _Cases | None:
        """``where(lhs > rhs, larger, other)``, one of which is the same in all steps."""
        if (lhs in self._steps) == (rhs in self._steps):
            return None
        key, limit = (lhs, rhs) if lhs in self._steps else (rhs, lhs)
        if len(self.terms(key)) > 1:
            return self._by_sign(
                [*self.terms(lhs), *_opposite(self.terms(rhs))], larger, other, may_be_nan=True
            )
        self.limits += [limit] if isa(limit.type, AnyFloat) else []
        return self._ordered(key, ">" if key is lhs else "<", limit, larger, other)

    def _by_sign(
        self,
        terms: Sequence[_Term],
        positive: SSAValue,
        other: SSAValue,
        *,
        may_be_nan: bool = False,
    ) -> _Cases | None:
        """``where(k > x, positive, other)`` for the terms of ``k - x``, where k alone varies.

        Both have parts of k, or with ``may_be_nan`` one has parts of both and one of none. Ints may
        not be so large that a difference wraps.
        """
        varying = [term for term in terms if term.value is not None]
        fixed = [term for term in terms if term.value is None]
        is_mixed = varying and any(map(self._is_outer, fixed))
        if not is_mixed or any(map(self._is_outer, varying)) or any(x.tests for x in terms):
            return None
        if not isa(positive.type, AnyFloat):
            values = [(self.keys, term.value) for term in varying if not term.factors]
            values += [
                (self.limits, term.factors[0][1]) for term in fixed if len(term.factors) == 1
            ]
            if len(values) < len(terms) or len(terms) > _MOST_TERMS:
                return None
            for found, value in values:
                assert value is not None
                found.append(value)
        is_negative = all(term.is_negative for term in varying)
        varying, fixed = (_opposite(varying), fixed) if is_negative else (varying, _opposite(fixed))
        key = _total(self._build, varying, [term.value for term in varying])
        limit = _total(self._build, fixed, [None for _ in fixed])
        self._steps = dependents(self._block, self._op.counter)
        self.limits += [limit] if may_be_nan and isa(limit.type, AnyFloat) else []
        return self._ordered(key, "<" if is_negative else ">", limit, positive, other)

    def _ordered(
        self, key: SSAValue, predicate: str, limit: SSAValue, first: SSAValue, second: SSAValue
    ) -> _Cases:
        """``where(key > limit, first, second)``; for a NaN as the key, one that varies with it."""
        if second not in self._steps:
            first, second, predicate = second, first, NEGATED[predicate]
        return _cases(self._build.compare(key, predicate, limit), first, second)

    def _sign(self, lhs: SSAValue, rhs: SSAValue) -> _Cases | None:
        """``sign(lhs - rhs)``, one of which is the same in all steps: no NaN has a case."""
        if (lhs in self._steps) == (rhs in self._steps):
            return None
        key, limit = (lhs, rhs) if lhs in self._steps else (rhs, lhs)
        self.keys.append(key)
        self.limits.append(limit)
        signs = ((">", 1), ("<", -1))
        return [
            (
                Test(self._build.compare(lhs, predicate, rhs), True),
                self._build.number(sign, key.type),
            )
            for predicate, sign in signs
        ]

    def terms(self, value: SSAValue) -> list[_Term]:
        """The terms of a value: one, if no factor varies with the loops around the fold."""
        found = self._terms(value)
        return found if any(map(self._is_outer, found)) else [_Term(value)]

    def _is_outer(self, term: _Term) -> bool:
        factors = [factor for _, factor in term.factors]
        return bool(term.tests or variables_around(self._op, factors))

    def _terms(self, value: SSAValue) -> list[_Term]:
        is_float = isa(value.type, AnyFloat)
        product = arith.MulfOp if is_float else arith.MuliOp
        if value not in self._steps:
            return [_Term(None, [(product, value)])]
        match value.owner:
            case arith.AddfOp(lhs=lhs, rhs=rhs) | arith.AddiOp(lhs=lhs, rhs=rhs):
                return [*self.terms(lhs), *self.terms(rhs)]
            case arith.SubfOp(lhs=lhs, rhs=rhs) | arith.SubiOp(lhs=lhs, rhs=rhs):
                return [*self.terms(lhs), *_opposite(self.terms(rhs))]
            case arith.NegfOp(operand=operand):
                return _opposite(self.terms(operand))
            case arith.MulfOp(lhs=lhs, rhs=rhs) | arith.MuliOp(lhs=lhs, rhs=rhs):
                first, second = self._terms(lhs), self._terms(rhs)
                if len(first) == 1 or len(second) == 1:
                    return [x.times(y, self._build) for x in first for y in second]
            case arith.DivfOp(lhs=lhs, rhs=rhs) if rhs not in self._steps:
                by = _Term(None, [(arith.DivfOp, rhs)])
                return [each.times(by, self._build) for each in self.terms(lhs)]
            case arith.ExtUIOp(input=condition) | arith.UIToFPOp(input=condition) if (
                condition.type == i1 and (order := self._order(condition)) is not None
            ):
                return [_Term(None, tests=[Test(order, True)])]
            case arith.SIToFPOp(input=number) | arith.UIToFPOp(input=number) if number.type == i8:
                found = self._terms(number)
                if not any(term.factors or term.value for term in found):
                    return found
            case _:
                pass
        return [_Term(value)]


def copy_of_mixed(op: phi.FoldOp, raising: Raising) -> phi.FoldOp | None:
    """A copy of a fold, if its terms could be apart."""
    step = step_of(op)
    is_mixed = step is not None and _pieces_of(op, step, raising) is not None
    erase_unused(op.body.block)
    return copy_of(op) if is_mixed else None


def split_mixed_terms(
    op: phi.FoldOp, step: Step, raising: Raising, least: Least, *, static: bool
) -> bool:
    """``sum_k where(y[k] < x, x - y[k], 0)  -->  n * x - sum_k where(y[k] < x, y[k], 0)``

    for the number n of selected steps. Other choices by an order are sums of either side:
    ``abs(x - y[k])``, ``max(x, y[k])``. If ``raising`` replaces all of these; whether it does.
    Where the result is not finite, or there are few pairs of limits and keys, the fold takes its
    steps. That needs a test of all indices, so there are none of a loop around it.
    """
    found, inputs = _pieces_of(op, step, raising), [*op.operands, *captured(op)]
    needs_guard = isa(op.result.type, AnyFloat) or (found is not None and bool(found.limits))
    is_in_loop = not all(map(phi.is_comprehension_index, variables_around(op, inputs)))
    if found is None or (needs_guard and is_in_loop):
        erase_unused(op.body.block)
        return False
    totals = list[SSAValue]()
    for tests, term in found.terms:
        total = _raised(op, step, tests, term, raising)
        if total is None:
            erase_unused(op.body.block)
            return False
        totals.append(total)
    values = RecomputedValues(op, raising.free.of(op.result), raising.free)
    build = Replacement(op)
    few = are_few_pairs(build, op, inputs, (), least) if least.pairs else None
    ordinary = _ordinary_steps(build, op, found)

    def result(inner: Builder, own: Sequence[SSAValue]) -> tuple[SSAValue, list[SSAValue]]:
        at = values.at(inner, own)
        known = [
            replace(term, factors=[(kind, at(factor)) for kind, factor in term.factors])
            for _, term in found.terms
        ]
        tests = [_is_ordinary(inner, at(limit)) for limit in dict.fromkeys(found.limits)]
        rare = [inner.is_as_expected(each, False) for each in (*tests, *map(at, ordinary))]
        return _total(inner, known, list(map(at, totals))), rare

    replace_unless_rare(
        build,
        op,
        step,
        values,
        result,
        raising.free,
        static=static,
        is_guarded=needs_guard,
        others=few,
    )
    return True


def _pieces_of(op: phi.FoldOp, step: Step, raising: Raising) -> _Mixed | None:
    """The cases of a step with their terms, if some choices or terms are to be taken apart.

    Values that vary with loops around have an order for each of their steps, in which limits are
    found by a call for each: that is no gain for a few hundred of them.
    """
    if not is_sum(step.combine.name) or not isinstance(step.value, SSAValue):
        return None
    if any(each.regions for each in op.body.block.ops):
        return None
    found = _Terms(op, raising)
    pieces = list(found.pieces(step.tests, step.value))
    terms = [
        ([*tests, *term.tests], term) for tests, value in pieces for term in found.terms(value)
    ]
    values = [term.value for _, term in terms if term.value is not None]
    selected = [bool(varying_tests(op, tests)) for tests, _ in terms]
    if len(terms) > _MOST_TERMS or (len(terms) == 1 and values):
        return None
    if variables_around(op, values) or not any(selected):
        return None
    return _Mixed(terms, found.limits, found.keys)


def _raised(
    op: phi.FoldOp, step: Step, tests: Sequence[Test], term: _Term, raising: Raising
) -> SSAValue | None:
    """The sum of the values of a term, without its factors."""
    if term.value is not None:
        fold = fold_of_step(op, Step(step.combine, tests, term.value))
        return raising.value(op, fold, fewer=True)
    zero, one = (IntegerAttr(number, i64) for number in (0, 1))
    fold = fold_of_selected(op, arith.AddiOp, zero, tests, one)
    number = raising.value(op, fold, fewer=True)
    if number is None:
        return None
    return Builder.before(op, raising.forms.add).number_as(number, op.result.type)


def _is_ordinary(build: Inserter, value: SSAValue) -> SSAValue:
    """Whether a float is finite, or an Int so small that sums of a few do not wrap."""
    if isa(value.type, AnyFloat):
        return is_finite(build, value)
    return build.compare(build.add(value, _LARGE), "ult", 2 * _LARGE)


def _ordinary_steps(build: Builder, op: phi.FoldOp, found: _Mixed) -> list[SSAValue]:
    """Whether no key is a large Int, and no product of values of a step, which a factor multiplies,
    so small that it lost digits.
    """
    values = StepValues(op)

    def is_key(value: SSAValue, inner: Inserter, at: Sequence[SSAValue]) -> SSAValue:
        return _is_ordinary(inner, values.value(inner, value, at[0]))

    def is_product(term: arith.MulfOp, inner: Inserter, at: Sequence[SSAValue]) -> SSAValue:
        known = dict[SSAValue, SSAValue]({op.counter: at[0]})
        value, *factors = values.computed(inner, [term.result, *term.operands], known)
        are_zero = [inner.compare(factor, "==", 0.0) for factor in factors]
        return inner.any_of([inner.is_as_expected(is_small(inner, value), False), *are_zero])

    products = [x.value.owner for _, x in found.terms if x.value is not None and x.factors]
    tests = [partial(is_key, key) for key in dict.fromkeys(found.keys)]
    tests += [partial(is_product, each) for each in products if isinstance(each, arith.MulfOp)]
    return [build.all_hold([op.count], test, [op.counter]) for test in tests]
