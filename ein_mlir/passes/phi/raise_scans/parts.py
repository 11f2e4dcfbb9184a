"""Folds over a part of the steps of another fold, and over as many as the longest of several."""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence
from itertools import permutations

from xdsl.dialects import arith
from xdsl.dialects.builtin import AnyFloat, IntegerAttr, i1, i64
from xdsl.ir import Operation, SSAValue

from ein_mlir.analysis.hints import isa
from ein_mlir.analysis.phi.bounds import bound_of
from ein_mlir.analysis.phi.equality import computes_same
from ein_mlir.analysis.phi.index_forms import IndexForms
from ein_mlir.analysis.phi.memory_cost import slice_of
from ein_mlir.analysis.phi.ragged_folds import has_regular_steps
from ein_mlir.analysis.phi.selections import Step, Test, reduction, step_of
from ein_mlir.analysis.phi.speculation import may_fail_first
from ein_mlir.analysis.predicates import NEGATED
from ein_mlir.analysis.scopes import blocks_around, captured, dependents, is_within
from ein_mlir.dialects import phi
from ein_mlir.dialects.algebra import algebra_of, is_product, is_sum
from ein_mlir.host.dataclass import dataclass
from ein_mlir.passes.phi.raise_scans.comparisons import Comparison, comparisons_of
from ein_mlir.passes.phi.raise_scans.fallbacks import replace_unless_rare
from ein_mlir.passes.phi.raise_scans.mixed_terms import copy_of_mixed
from ein_mlir.passes.phi.raise_scans.selection import Value, Window, varying_tests
from ein_mlir.rewriting.dead_code import erase_unused
from ein_mlir.rewriting.phi.builders import difference, folded
from ein_mlir.rewriting.phi.float_tests import is_small
from ein_mlir.rewriting.phi.guarded_counts import if_any_step
from ein_mlir.rewriting.phi.insertion import Builder
from ein_mlir.rewriting.phi.longest_folds import is_over_windows, with_longest_count
from ein_mlir.rewriting.phi.range_reductions import RecomputedValues
from ein_mlir.rewriting.phi.ranges import assume, start_at
from ein_mlir.rewriting.phi.replacement import Raising, Replacement, erase_unused_among, replace
from ein_mlir.rewriting.phi.step_values import (
    Known,
    fold_of_selected,
    fold_of_step,
    with_start,
)

MOST_BOUNDS = 3
"""The most bounds that choices in a term may compare: a sum has a part for each of their cases."""


def narrow(op: phi.FoldOp, window: Window) -> None:
    """``fold (k < n) { where(p <= k < p + c, e, acc) }  -->  fold (d < c) { .. }``

    with ``p + d`` for k, if that is a step of the old fold.
    """
    block = op.body.block
    before, start = Builder.before(op), Builder.at_start(block)
    count = op.count
    op.operands[0] = before.integer(window.size)
    place = start_at(start, op, start.linear_value(window.first))
    for bound in window.bounds:
        assume(start, op, bound.test)
    end = Builder.before_end(block)
    is_step = end.compare(place, "ult", count)
    op.yield_instead(end.select(is_step, op.yielded(), op.accumulator))


def raised_parts(
    op: phi.FoldOp, parts: Iterable[phi.FoldOp], raising: Raising
) -> list[SSAValue] | None:
    """The values of folds over steps of another one; None if the first one is not raised."""
    values = list[SSAValue]()
    for fold in parts:
        value = raising.value(op, fold, always=bool(values))
        if value is None:
            return None
        values.append(value)
    return values


def combine_parts(
    op: phi.FoldOp, step: Step, parts: Iterable[phi.FoldOp], raising: Raising
) -> bool:
    """Replace a fold by two of parts of its steps, if the first one is raised; whether it is."""
    values = raised_parts(op, parts, raising)
    if values is None:
        return False
    build = Replacement(op)
    total = build.same(step.combine, *values)
    build.finish(with_start(build, op, step, total), raising.free)
    return True


def replace_by_number(op: phi.FoldOp, step: Step, value: Value, raising: Raising) -> bool:
    """``sum_k where(t, c, 0.0)  -->  float(sum_k where(t, 1, 0)) * c``

    And ``any_k t  -->  sum_k where(t, 1, 0) > 0``. Sums of Ints have differences. If ``raising``
    replaces the fold of these; whether it does.
    """
    is_truth = isinstance(step.combine, arith.OrIOp | arith.AndIOp) and op.result.type == i1
    if not step.tests or not (is_truth or isinstance(step.combine, arith.AddfOp)):
        return False

    zero, one = (IntegerAttr(number, i64) for number in (0, 1))
    number = raising.value(op, fold_of_selected(op, arith.AddiOp, zero, step.tests, one))
    if number is None:
        return False
    build = Replacement(op)
    if is_truth:
        decisive = IntegerAttr.from_bool(not step.neutral.value.data)
        values = build.constant(decisive), build.constant(step.neutral)
        total = build.select(build.compare(number, "sgt", 0), *values)
    else:
        total = multiple(build, op, number, value)
    build.finish(with_start(build, op, step, total), raising.free)
    return True


@dataclass(frozen=True)
class _Factor:
    """A factor or divisor of a value that is the same in all steps of a fold."""

    op: Operation
    """The product or quotient that has it as an operand."""
    side: int
    """The number of that operand."""
    path: Sequence[tuple[Operation, int]]
    """The products and quotients around it, outermost first, each with the operand it is in."""

    def rest(self, build: Builder) -> SSAValue:
        """The value without the factor."""
        value = self.op.operands[1 - self.side]
        for outer, side in reversed(self.path):
            operands = [*outer.operands]
            operands[side] = value
            value = build.same(outer, *operands)
        return value


def _fixed_factor(
    value: SSAValue, steps: Container[SSAValue], path: Sequence[tuple[Operation, int]] = ()
) -> _Factor | None:
    """The outermost of the factors and divisors that do not vary with some values of a step."""
    op = value.owner
    is_divided = isinstance(op, arith.DivfOp)
    if (
        value not in steps
        or not isinstance(op, Operation)
        or not (is_product(op.name) or is_divided)
    ):
        return None
    for side in (1,) if is_divided else (0, 1):
        if op.operands[side] not in steps and op.operands[1 - side] in steps:
            return _Factor(op, side, path)
    parts = (
        _fixed_factor(op.operands[side], steps, (*path, (op, side)))
        for side in ((0,) if is_divided else (0, 1))
    )
    return next((part for part in parts if part is not None), None)


def take_out_factor(op: phi.FoldOp, step: Step, raising: Raising, *, static: bool) -> bool:
    """``sum_k where(t, c * x, 0)  -->  c * sum_k where(t, x, 0)``, for a c of all steps

    Likewise for ``x / c``, and factors of factors. If ``raising`` replaces the fold of these;
    whether it does. Where such a product of floats is not finite, the sum of products may be: a
    fold computes that then, and has no steps otherwise. It does so, too, where the sum without a
    factor of a factor is so small that some terms may have lost digits.
    """
    outer = [block.parent_op() for block in blocks_around(op)]
    are_reduced = any(isinstance(each, phi.FoldOp) and reduction(each) for each in outer)
    if not is_sum(step.combine.name) or are_reduced or not isinstance(step.value, SSAValue):
        return False  # the loops may become reductions of whole arrays
    factor = _fixed_factor(step.value, dependents(op.body.block, op.counter))
    values = RecomputedValues(op, raising.free.of(op.result), raising.free)
    is_float, indices = isa(op.result.type, AnyFloat), values.indices
    may_guard = not is_float or (len(indices) < 2 and values.can_have([op.result]))
    if factor is None or not may_guard:
        return False

    rest, fixed = factor.rest(Builder.before_end(op.body.block)), factor.op.operands[factor.side]
    total = raising.value(op, fold_of_step(op, Step(step.combine, step.tests, rest)))
    erase_unused(op.body.block)
    if total is None:
        return False

    def result(inner: Builder, own: Sequence[SSAValue]) -> tuple[SSAValue, list[SSAValue]]:
        part, other = map(values.at(inner, own), (total, fixed))
        value = inner.same(factor.op, *((part, other) if factor.side else (other, part)))
        return value, [is_small(inner, part)] if is_float and factor.path else []

    build = Replacement(op)
    replace_unless_rare(
        build, op, step, values, result, raising.free, static=static, is_guarded=is_float
    )
    return True


def multiple(build: Builder, op: phi.FoldOp, number: SSAValue, value: Value) -> SSAValue:
    """The sum of a number of equal values of a fold: 0 of none, since 0 * infinity is NaN."""
    count = build.number_as(number, value.type)
    if not isinstance(value, SSAValue):
        is_one = value.value.data == 1
        return count if is_one else build.mul(count, build.constant(value))
    (factor,) = build.copied(op.body.block, [value], {})
    total = build.mul(count, factor)
    if not isa(value.type, AnyFloat):
        return total
    return build.select(build.compare(number, "sgt", 0), total, 0.0)


def replace_by_longest(op: phi.FoldOp, raising: Raising) -> bool:
    """``fold (k < i + 1) { e }  -->  fold (k < n) { where(k < i + 1, e, acc) }``

    for the counter i of a fold of n steps around it, if ``raising`` replaces the new fold.
    """
    fold = with_longest_count(op, raising.forms)
    return fold is not None and raising.replace(op, fold)


def split_alternatives(op: phi.FoldOp, raising: Raising) -> bool:
    """``sum_k where(a | b, e, 0)  -->  sum_k where(~a & b, e, 0) + sum_k where(a, e, 0)``

    for a bound a, or of other tests ``where(b, e, 0)``, if the operation may take a value twice.
    If ``raising`` replaces the first fold; whether it does.
    """
    step = step_of(op)
    algebra = None if step is None else algebra_of(step.combine.name)
    if step is None or algebra is None or not algebra.takes_any_order:
        return False
    for test in varying_tests(op, step.tests):
        others = [each for each in step.tests if each is not test]
        found = _alternatives(op, test, raising.forms, may_overlap=algebra.idempotent)
        steps = (Step(step.combine, [*others, *own], step.value) for own in found)
        parts = (fold_of_step(op, each) for each in steps)
        if found and combine_parts(op, step, parts, raising):
            return True
    return False


def _alternatives(
    op: phi.FoldOp, test: Test, forms: IndexForms, *, may_overlap: bool
) -> Sequence[Sequence[Test]]:
    """The tests of both alternatives, ``~a & b`` and ``a`` for ``a | b`` with a bound a, if any."""
    either = test.condition.owner
    if not isinstance(either, arith.AndIOp | arith.OrIOp):
        return ()
    one, other = (Test(side, test.expected) for side in either.operands)
    for own, rest in ((one, other), (other, one)):
        if bound_of(op, own, forms) is not None:
            return [Test(own.condition, not own.expected), rest], [own]
    return ([one], [other]) if may_overlap else ()


def split_choices(op: phi.FoldOp, raising: Raising) -> bool:
    """``sum_k f(where(c, x, y))  -->  sum_k where(c, f(x), 0) + sum_k where(~c, f(y), 0)``

    for a bound c, if ``raising`` replaces the first fold; whether it does. The first of few bounds:
    ``raising`` may split at the next ones.
    """
    step, block = step_of(op), op.body.block
    algebra = None if step is None else algebra_of(step.combine.name)
    if step is None or algebra is None or not algebra.takes_any_order:
        return False
    needed = slice_of(block, step.parts(()))
    choices = [each for each in needed if isinstance(each, arith.SelectOp)]
    bounds = list[SSAValue]()
    for condition in dict.fromkeys(each.cond for each in choices):
        if any(computes_same(condition, bound) for bound in bounds):
            continue
        if bound_of(op, Test(condition, True), raising.forms) is not None:
            bounds.append(condition)
    if not 0 < len(bounds) <= MOST_BOUNDS:
        return False
    sides = [Test(bounds[0], is_chosen) for is_chosen in (True, False)]
    own = [each for each in choices if computes_same(each.cond, bounds[0])]
    parts = (_fold_where(op, step, side, own) for side in sides)
    return combine_parts(op, step, parts, raising)


def _fold_where(
    op: phi.FoldOp, step: Step, side: Test, choices: Sequence[arith.SelectOp]
) -> phi.FoldOp:
    """The fold of the steps in which a test holds, where it decides choices."""
    block = op.body.block

    def next_(build: Builder, counter: SSAValue, total: SSAValue) -> SSAValue:
        known: Known = {op.counter: counter}
        for each in choices:
            taken = each.lhs if side.expected else each.rhs
            known[each.result] = build.copied_value(block, taken, known)
        tests = build.copied_tests(block, [*step.tests, side], known)
        value = build.chosen(tests, build.copied_value(block, step.value, known), step.neutral)
        return build.same(step.combine, total, value)

    return folded(op, arith.ConstantOp(step.neutral), next_)


@dataclass(frozen=True)
class _Between:
    """``(low <= x) & (x <= high)``, either of which may be strict."""

    low: Comparison
    high: Comparison

    @property
    def tests(self) -> list[Test]:
        return [self.low.test, self.high.test]

    def conditions(self, build: Builder) -> list[SSAValue]:
        """Whether the interval of a step is not empty, and begins or ends before the number."""
        low, high, number = self.low.key, self.high.key, self.low.limit
        begins, ends = self.low.predicate, NEGATED[self.high.predicate]
        is_open = (begins, ends) == ("<", "<=")
        return [
            build.compare(low, "<" if is_open else "<=", high),
            build.compare(low, begins, number),
            build.compare(high, ends, number),
        ]


def split_intervals(op: phi.FoldOp, step: Step, raising: Raising) -> bool:
    """``sum_k where((a[k] <= x) & (x < b[k]), e, 0)
    -->  sum_k where(t & (a[k] <= x), e, 0) - sum_k where(t & (b[k] <= x), e, 0)``

    with ``a[k] <= b[k]`` for t, where the first one of these sums is raised. Whether it is.
    """
    algebra = algebra_of(step.combine.name)
    found = _between(op, step, raising.forms)
    if found is None or algebra is None or not algebra.is_invertible:
        return False
    is_some, *sides = found.conditions(Builder.before_end(op.body.block))
    others = [test for test in step.tests if test not in found.tests]
    tests = [[Test(is_some, True), Test(side, True), *others] for side in sides]
    parts = (fold_of_step(op, Step(step.combine, each, step.value)) for each in tests)
    sums = raised_parts(op, parts, raising)
    if sums is None:
        erase_unused(op.body.block)
        return False
    build = Replacement(op)
    total = build.emit(difference(step.combine, *sums))
    build.finish(with_start(build, op, step, total), raising.free)
    return True


def _between(op: phi.FoldOp, step: Step, forms: IndexForms) -> _Between | None:
    """Two tests that a number is in the interval of a step."""
    steps = dependents(op.body.block, op.counter)
    tests = varying_tests(op, step.tests)
    known = [each for test in tests for each in comparisons_of(op, test, steps, (), forms)]
    for low, high in permutations(known, 2):
        is_between = low.is_below and not high.is_below and low.test is not high.test
        if is_between and computes_same(low.limit, high.limit):
            return _Between(low, high)
    return None


def raise_at_all_steps(op: phi.FoldOp, raising: Raising, *, windows: bool) -> bool:
    """``fold (i < n) { .. fold (k < c(i)) { e } .. }  -->  fold (i < n) { .. t[i] .. }``

    where ``t = array (i < n) { fold (k < m) { where(k < c(i), e, acc) } }``, if ``raising``
    replaces that fold, or with ``windows``, if it is over windows: ``c(i) = min(m, n - i)``. It
    varies with the counter of the loop around, and no accumulator there.
    """
    outer, forms = op.parent_op(), raising.forms
    if not isinstance(outer, phi.FoldOp) or not phi.is_scalar_type(op.result.type):
        return False
    needed = slice_of(outer.body.block, [op.result])[:-1]
    inputs = [*op.operands, *captured(op), *(each for part in needed for each in part.operands)]
    if outer.accumulator in inputs or any(may_fail_first(each, outer) for each in needed):
        return False
    if any(each.regions for each in needed):
        return False
    fold = with_longest_count(op, forms) or copy_of_mixed(op, raising)
    if fold is None:
        return False
    if is_within(fold.count, outer) or not has_regular_steps(fold, outer):
        fold.erase()
        return False
    copies, new = list[SSAValue](), list[Operation]()

    def element(inner: Builder, own: Sequence[SSAValue]) -> SSAValue:
        known: dict[SSAValue, SSAValue] = {outer.counter: inner.as_int(own[0])}
        for each in (*needed, fold):
            inner.insert_copy(each, known)
        copies.append(known[fold.result])
        return copies[0]

    build = Builder.before(outer, forms.add, new.append)
    if not forms.is_nonnegative(forms.form(fold.count)):
        fold.operands[0] = if_any_step(build, outer, fold.count)
    array = build.comprehension([build.max(outer.count, 0)], element, [outer.counter])
    fold.erase()
    copy = phi.FoldOp.of(copies[0])
    if not raising.rule(copy) and not (windows and is_over_windows(op, forms)):
        erase_unused_among(new)
        return False
    replace(op, Builder.before(op).get(array, [outer.counter]), raising.free)
    return True
