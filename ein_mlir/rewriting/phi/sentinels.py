"""Extremes, and searches for them, with a value in place of the elements that a test leaves out."""

from __future__ import annotations

import functools
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace as replace_fields

from xdsl.dialects import arith
from xdsl.dialects.builtin import FloatAttr, IntegerAttr, i64
from xdsl.ir import Operation, SSAValue

from ein_mlir.analysis.arithmetic import LinearForm
from ein_mlir.analysis.phi.bounds import Bound, bound_of
from ein_mlir.analysis.phi.index_forms import IndexForms
from ein_mlir.analysis.phi.searches import Search, fold_search
from ein_mlir.analysis.phi.selections import Test, conjuncts, is_constant, reduction
from ein_mlir.analysis.phi.speculation import any_may_fail
from ein_mlir.analysis.scopes import dependents, is_within
from ein_mlir.dialects import phi
from ein_mlir.dialects.algebra import algebra_of, identity, neutral_of
from ein_mlir.dialects.creation import copy_of
from ein_mlir.dialects.phi.integers import is_nonnegative
from ein_mlir.dialects.reductions import STRICT
from ein_mlir.host.dataclass import dataclass
from ein_mlir.rewriting.phi.builders import folded
from ein_mlir.rewriting.phi.insertion import Builder
from ein_mlir.rewriting.phi.ranges import assume, clipped_bound, copies_of, keep_steps
from ein_mlir.rewriting.phi.replacement import Raising, Replacement
from ein_mlir.rewriting.phi.step_values import Known, StepValues


def replace_by_selected(
    op: phi.FoldOp, raising: Raising, *, nests: bool = False, counted: bool = True
) -> bool:
    """``max_k where(t, e, c)  -->  max(max_k where(t, e, -inf), c if t fails in some step)``

    for a loop-invariant c, if ``raising`` replaces the folds of the selected elements, and of their
    number: t fails in some step if fewer than all are selected. No number is needed if t provably
    fails in a step, or c is no better than any element. A part of t that is the same in all steps
    selects the whole, or c if there are steps. With ``nests``, folds that continue each other are
    replaced together if possible, when the outermost is visited. Without ``counted``, folds that
    need a number stay. Whether it was replaced.
    """
    found = _sentinel(_nest(op) if nests else [op])
    if found is None or (nests and _is_continued(op)):
        return False
    return any(
        _replace(replace_fields(found, nest=found.nest[first:]), raising, counted)
        for first in range(len(found.nest))
    )


def _replace(found: _Sentinel, raising: Raising, counted: bool) -> bool:
    op = found.nest[0]
    is_harmless = _is_harmless(found, raising.forms)
    if not (is_harmless or counted):
        return False

    def raise_nest(fold: phi.FoldOp) -> bool:
        return all(map(raising.rule, reversed(_nest(fold))))

    nests = replace_fields(raising, rule=raise_nest)
    most = nests.value(op, _selected(found))
    if most is None:
        return False
    count = None if is_harmless else nests.value(op, _number(found), always=True)
    after = Replacement(op)
    (sentinel,) = found.values.computed(after, [found.sentinel], {})
    steps = _steps(after, found.nest)
    fails = after.compare(after.integer(0) if count is None else count, "slt", steps)
    both = after.same(found.combine, most, sentinel)
    result = after.select(fails, both, most)
    if found.outer:
        has_steps = after.compare(steps, "sgt", 0)
        other = after.select(has_steps, sentinel, after.constant(found.neutral))
        result = after.chosen(found.values.tests(after, found.outer, {}), result, other)
    if not is_constant(op.init, found.neutral):
        result = after.same(found.combine, op.init, result)
    after.finish(result, raising.free)
    return True


def _steps(build: Builder, nest: Sequence[phi.FoldOp]) -> SSAValue:
    """The number of steps of the innermost fold of a nest, in all; it may be negative for one."""
    first, *others = [each.count for each in nest]
    if not others:
        return first
    sizes = [x if is_nonnegative(x) else build.max(x, 0) for x in (first, *others)]
    return functools.reduce(build.mul, sizes)


@dataclass(frozen=True)
class _Sentinel:
    """``combine(acc, where(t, e, c))``, for a loop-invariant c."""

    nest: Sequence[phi.FoldOp]
    """The folds, outermost first, each of which combines the results of the next one."""
    combine: Operation
    outer: Sequence[Test]
    """The tests that are the same in all steps,"""
    tests: Sequence[Test]
    """and the others."""
    element: SSAValue
    sentinel: SSAValue

    @property
    def neutral(self) -> FloatAttr | IntegerAttr:
        """The identity of the combination."""
        return neutral_of(self.combine)

    @property
    def values(self) -> StepValues:
        """The values of the steps."""
        return StepValues(self.nest[0], [each.body.block for each in self.nest[1:]])


def _is_harmless(found: _Sentinel, forms: IndexForms) -> bool:
    """Whether the sentinel is provably the value of a step, or no better than any element."""
    op, *inner = found.nest
    bounds = [] if inner else [bound_of(op, test, forms) for test in found.tests]
    if any(bound is not None and _leaves_out(op, bound, forms) for bound in bounds):
        return True
    if found.element.type != i64 or not isinstance(found.combine, arith.MaxSIOp | arith.MinSIOp):
        return False
    sides = [forms.integer(each) for each in (found.sentinel, found.element)]
    return forms.is_at_most(*(sides if isinstance(found.combine, arith.MaxSIOp) else sides[::-1]))


def _leaves_out(op: phi.FoldOp, bound: Bound, forms: IndexForms) -> bool:
    """Whether a step of any is provably out of a bound: the first one, or the last."""
    form = bound.form(forms)
    if form is None or bound.suffix:
        return form is not None and forms.is_nonnegative(form - 1)
    return forms.is_at_most(form + 1, forms.integer(op.count))


def _selected(found: _Sentinel) -> phi.FoldOp:
    """The fold of the elements without the sentinel."""

    def element(build: Builder, known: Known) -> SSAValue:
        tests = found.values.tests(build, found.tests, known)
        (value,) = found.values.computed(build, [found.element], known)
        return build.chosen(tests, value, found.neutral)

    def combine(build: Builder, lhs: SSAValue, rhs: SSAValue) -> SSAValue:
        return build.same(found.combine, lhs, rhs)

    return _folded(found.nest, arith.ConstantOp(found.neutral).result, element, combine, {})


def _number(found: _Sentinel) -> phi.FoldOp:
    """The fold of the number of these elements."""

    def one(build: Builder, known: Known) -> SSAValue:
        tests = found.values.tests(build, found.tests, known)
        return build.chosen(tests, build.integer(1), 0)

    zero = arith.ConstantOp(IntegerAttr(0, i64))
    return _folded(found.nest, zero.result, one, Builder.add, {})


def _folded(
    nest: Sequence[phi.FoldOp],
    init: SSAValue,
    element: Callable[[Builder, Known], SSAValue],
    combine: Callable[[Builder, SSAValue, SSAValue], SSAValue],
    known: Known,
) -> phi.FoldOp:
    """The elements of the steps of a nest combined, by folds over the same steps."""
    first, *inner = nest

    def step(build: Builder, counter: SSAValue, accumulator: SSAValue) -> SSAValue:
        own = {**known, first.counter: counter}
        if not inner:
            return combine(build, accumulator, element(build, own))
        fold = _folded(inner, init, element, combine, own)
        return combine(build, accumulator, build.emit(fold))

    return folded(first, init, step)


def _is_continued(op: phi.FoldOp) -> bool:
    """Whether the fold around is one with the same sentinel."""
    outer = op.parent_op()
    around = _sentinel(_nest(outer)) if isinstance(outer, phi.FoldOp) else None
    return around is not None and op in around.nest


def _sentinel(nest: Sequence[phi.FoldOp]) -> _Sentinel | None:
    """The selection between elements and a sentinel in each step, if a nest combines them."""
    op, found = nest[0], reduction(nest[-1])
    if found is None or any_may_fail(op):
        return None
    combine, select = found[0], found[1].owner
    algebra = algebra_of(combine.name)
    if algebra is None or not algebra.idempotent:
        return None
    if identity(combine.name, op.result.type) is None or not isinstance(select, arith.SelectOp):
        return None
    varying = {x for each in nest for x in dependents(each.body.block, each.counter)}
    choices = _choices(nest[-1], select, varying)
    if len(choices) != 1:
        return None
    ((tests, element, sentinel),) = choices
    outer = [test for test in tests if test.condition not in varying]
    rest = [test for test in tests if test not in outer]
    return _Sentinel(nest, combine, outer, rest, element, sentinel)


def _nest(op: phi.FoldOp) -> list[phi.FoldOp]:
    """A fold, the one whose results are all that it combines, by the same operation, and so on."""
    nest = [op]
    while (found := reduction(nest[-1])) is not None:
        combine, inner = found[0], found[1].owner
        if not isinstance(inner, phi.FoldOp) or inner.parent is not nest[-1].body.block:
            break
        own, neutral = reduction(inner), identity(combine.name, op.result.type)
        if own is None or own[0].name != combine.name or neutral is None:
            break
        is_alone = inner.result.has_one_use() and is_constant(inner.init, neutral)
        if not is_alone or is_within(inner.count, op):
            break
        nest.append(inner)
    return nest


def _choices(
    op: phi.FoldOp, select: arith.SelectOp, varying: Collection[SSAValue]
) -> list[tuple[list[Test], SSAValue, SSAValue]]:
    """The tests of a choice in a step, the value if they hold, and the other one, if it is fixed:
    of two fixed values in both ways.
    """
    if select.parent is not op.body.block or select.cond not in varying:
        return []
    sides = [(select.lhs, select.rhs, True), (select.rhs, select.lhs, False)]
    return [
        (list(conjuncts(Test(select.cond, expected))), element, sentinel)
        for element, sentinel, expected in sides
        if sentinel not in varying
    ]


# Searches ----------------------------------------------------------------------------------------


def search_before(op: phi.FoldOp, raising: Raising) -> bool:
    """``argmax_k where((k < p) & t, e, c)  -->  argmax_k where(k < p, where(t, e, c), -inf)``

    or p, if c is better than that. If ``raising`` replaces the new search; whether it does.
    """
    search = fold_search(op)
    if search is None or search.predicate not in STRICT or search.guards or any_may_fail(op):
        return False
    varying = dependents(op.body.block, op.counter)
    choice = search.candidates[search.best].owner
    choices = _choices(op, choice, varying) if isinstance(choice, arith.SelectOp) else ()
    for test, sentinel in [(test, other) for tests, _, other in choices for test in tests]:
        bound = bound_of(op, test, raising.forms)
        end = None if bound is None or bound.suffix else bound.form(raising.forms)
        if bound is None or end is None or not varying.isdisjoint(bound.parts):
            continue
        before = raising.value(op, _steps_before(op, test, end))
        if before is not None:
            _take_better(op, search, sentinel, bound, before, raising)
            return True
    return False


def _steps_before(op: phi.FoldOp, test: Test, end: LinearForm) -> phi.FoldOp:
    """The search in the steps before an end, where a test holds."""
    values = dict[SSAValue, SSAValue]()
    new = copy_of(op, values)
    block = new.body.block
    assume(Builder.at_start(block), new, replace_fields(test, condition=values[test.condition]))
    build = Builder.before_end(block)
    last = build.linear_value(end, lambda atom: values.get(atom, atom))
    keep_steps(build, new, build.compare(new.counter, "slt", last))
    return new


def _take_better(
    op: phi.FoldOp,
    search: Search,
    sentinel: SSAValue,
    bound: Bound,
    before: SSAValue,
    raising: Raising,
) -> None:
    """Replace a search by the values before a bound, or by those of the step at it."""
    build = Replacement(op)
    leaves, copies = build.leaves(before), copies_of(build, op, [sentinel, *bound.parts])
    end = clipped_bound(build, op, bound, raising.forms, copies)
    is_better = build.compare(copies(sentinel), search.predicate, leaves[search.best])
    is_better = build.and_(is_better, build.compare(end, "slt", op.count))
    values = StepValues(op).computed(build, search.candidates, {op.counter: end})
    chosen_leaves = [build.select(is_better, *pair) for pair in zip(values, leaves, strict=True)]
    build.finish(build.record(op.result.type, iter(chosen_leaves)), raising.free)
