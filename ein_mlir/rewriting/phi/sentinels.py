"""Extremes, and searches for them, with a value in place of the elements that a test leaves out."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace

from xdsl.dialects import arith
from xdsl.dialects.builtin import FloatAttr, IntegerAttr, i64
from xdsl.ir import Operation, SSAValue

from ein_mlir.analysis.arithmetic import LinearForm
from ein_mlir.analysis.phi.bounds import Bound, bound_of
from ein_mlir.analysis.phi.free_indices import FreeIndices
from ein_mlir.analysis.phi.index_forms import IndexForms
from ein_mlir.analysis.phi.searches import Search, fold_search
from ein_mlir.analysis.phi.selections import Test, conjuncts, is_constant, reduction
from ein_mlir.analysis.phi.speculation import any_may_fail
from ein_mlir.analysis.scopes import dependents
from ein_mlir.dialects import phi
from ein_mlir.dialects.algebra import algebra_of, identity, neutral_of
from ein_mlir.dialects.creation import copy_of
from ein_mlir.dialects.reductions import STRICT
from ein_mlir.rewriting.phi.builders import (
    chosen,
    copied,
    copied_tests,
    folded,
    linear_value,
    same_operation,
)
from ein_mlir.rewriting.phi.insertion import Builder
from ein_mlir.rewriting.phi.ranges import assume, clipped_bound, copies_of
from ein_mlir.rewriting.phi.reductions.searches import compared
from ein_mlir.rewriting.phi.replacement import Replacement, raised
from ein_mlir.rewriting.phi.step_values import StepValues


def replace_by_selected(
    op: phi.FoldOp, raise_: Callable[[phi.FoldOp], bool], forms: IndexForms, free: FreeIndices
) -> bool:
    """``max_k where(t, e, c)  -->  max(max_k where(t, e, -inf), c if t fails in some step)``

    for a loop-invariant c, if ``raise_`` replaces the folds of the selected elements, and of their
    number: t fails in some step if fewer than all are selected. No number is needed if t provably
    fails in a step, or c is no better than any element. A part of t that is the same in all steps
    selects the whole, or c if there are steps. Whether it was replaced.
    """
    found = _sentinel(op)
    if found is None:
        return False
    is_harmless = _is_harmless(op, found, forms)
    most = raised(op, _selected(op, found), raise_, free)
    if most is None:
        return False
    count = None if is_harmless else raised(op, _number(op, found), raise_, free, always=True)
    after = Replacement(op)
    (sentinel,) = copied(after, op.body.block, [found.sentinel], {})
    fails = after.compare(after.integer(0) if count is None else count, "slt", op.count)
    both = after.emit(same_operation(found.combine, most, sentinel))
    result = after.select(fails, both, most)
    if found.outer:
        has_steps = after.compare(op.count, "sgt", 0)
        other = after.select(has_steps, sentinel, after.constant(found.neutral))
        tests = copied_tests(after, op.body.block, found.outer, {})
        result = chosen(after, tests, result, other)
    if not is_constant(op.init, found.neutral):
        result = after.emit(same_operation(found.combine, op.init, result))
    after.finish(result, free)
    return True


@dataclass(frozen=True)
class _Sentinel:
    """``combine(acc, where(t, e, c))``, for a loop-invariant c."""

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


def _is_harmless(op: phi.FoldOp, found: _Sentinel, forms: IndexForms) -> bool:
    """Whether the sentinel is provably the value of a step, or no better than any element."""
    bounds = [bound_of(op, test, forms) for test in found.tests]
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


def _selected(op: phi.FoldOp, found: _Sentinel) -> phi.FoldOp:
    """The fold of the elements without the sentinel."""

    def step(build: Builder, counter: SSAValue, accumulator: SSAValue) -> SSAValue:
        known: dict[SSAValue, SSAValue] = {op.counter: counter}
        tests = copied_tests(build, op.body.block, found.tests, known)
        (value,) = copied(build, op.body.block, [found.element], known)
        value = chosen(build, tests, value, build.constant(found.neutral))
        return build.emit(same_operation(found.combine, accumulator, value))

    return folded(op, arith.ConstantOp(found.neutral), step)


def _number(op: phi.FoldOp, found: _Sentinel) -> phi.FoldOp:
    """The fold of the number of these elements."""

    def step(build: Builder, counter: SSAValue, number: SSAValue) -> SSAValue:
        tests = copied_tests(build, op.body.block, found.tests, {op.counter: counter})
        return build.add(number, chosen(build, tests, build.integer(1), build.integer(0)))

    return folded(op, arith.ConstantOp(IntegerAttr(0, i64)), step)


def _sentinel(op: phi.FoldOp) -> _Sentinel | None:
    """The selection between elements and a sentinel in each step, if a fold combines them."""
    found = reduction(op)
    if found is None or any_may_fail(op):
        return None
    combine, select = found[0], found[1].owner
    algebra = algebra_of(combine.name)
    if algebra is None or not algebra.idempotent:
        return None
    if identity(combine.name, op.result.type) is None or not isinstance(select, arith.SelectOp):
        return None
    varying = dependents(op.body.block, op.counter)
    choices = _choices(op, select, varying)
    if len(choices) != 1:
        return None
    ((tests, element, sentinel),) = choices
    outer = [test for test in tests if test.condition not in varying]
    return _Sentinel(combine, outer, [x for x in tests if x not in outer], element, sentinel)


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


def search_before(
    op: phi.FoldOp, raise_: Callable[[phi.FoldOp], bool], forms: IndexForms, free: FreeIndices
) -> bool:
    """``argmax_k where((k < p) & t, e, c)  -->  argmax_k where(k < p, where(t, e, c), -inf)``

    or p, if c is better than that. If ``raise_`` replaces the new search; whether it does.
    """
    search = fold_search(op)
    if search is None or search.predicate not in STRICT or search.guards or any_may_fail(op):
        return False
    varying = dependents(op.body.block, op.counter)
    choice = search.candidates[search.best].owner
    choices = _choices(op, choice, varying) if isinstance(choice, arith.SelectOp) else ()
    for test, sentinel in [(test, other) for tests, _, other in choices for test in tests]:
        bound = bound_of(op, test, forms)
        end = None if bound is None or bound.suffix else bound.form(forms)
        if bound is None or end is None or not varying.isdisjoint(bound.parts):
            continue
        before = raised(op, _steps_before(op, test, end), raise_, free)
        if before is not None:
            _take_better(op, search, sentinel, bound, before, forms, free)
            return True
    return False


def _steps_before(op: phi.FoldOp, test: Test, end: LinearForm) -> phi.FoldOp:
    """The search in the steps before an end, where a test holds."""
    values = dict[SSAValue, SSAValue]()
    new = copy_of(op, values)
    block = new.body.block
    assume(Builder.at_start(block), new, replace(test, condition=values[test.condition]))
    build = Builder.before_end(block)
    last = linear_value(build, end, lambda atom: values.get(atom, atom))
    is_before = build.compare(new.counter, "slt", last)
    pairs = zip(build.leaves(new.yielded()), build.leaves(new.accumulator), strict=True)
    kept = [build.select(is_before, after, acc) for after, acc in pairs]
    new.yield_instead(build.record(new.result.type, iter(kept)))
    return new


def _take_better(
    op: phi.FoldOp,
    search: Search,
    sentinel: SSAValue,
    bound: Bound,
    before: SSAValue,
    forms: IndexForms,
    free: FreeIndices,
) -> None:
    """Replace a search by the values before a bound, or by those of the step at it."""
    build = Replacement(op)
    leaves, copies = build.leaves(before), copies_of(build, op, [sentinel, *bound.parts])
    end = clipped_bound(build, op, bound, forms, copies)
    is_better = compared(build, search.predicate, copies(sentinel), leaves[search.best])
    is_better = build.and_(is_better, build.compare(end, "slt", op.count))
    values = StepValues(op).computed(build, search.candidates, {op.counter: end})
    chosen_leaves = [build.select(is_better, *pair) for pair in zip(values, leaves, strict=True)]
    build.finish(build.record(op.result.type, iter(chosen_leaves)), free)
