"""Minima and maxima with a value in place of the elements that a test leaves out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from xdsl.dialects import arith
from xdsl.dialects.builtin import FloatAttr, IntegerAttr, i64
from xdsl.ir import Operation, SSAValue

from ein_mlir.analysis.phi.bounds import Bound, bound_of
from ein_mlir.analysis.phi.free_indices import FreeIndices
from ein_mlir.analysis.phi.index_forms import IndexForms
from ein_mlir.analysis.phi.selections import Test, conjuncts, is_constant, reduction
from ein_mlir.analysis.phi.speculation import any_may_fail
from ein_mlir.analysis.scopes import dependents
from ein_mlir.dialects import phi
from ein_mlir.dialects.algebra import algebra_of, identity, neutral_of
from ein_mlir.rewriting.phi.builders import chosen, copied, copied_tests, folded, same_operation
from ein_mlir.rewriting.phi.insertion import Builder
from ein_mlir.rewriting.phi.replacement import Replacement, raised


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
    if select.parent is not op.body.block or select.cond not in varying:
        return None
    sides = [(select.lhs, select.rhs, True), (select.rhs, select.lhs, False)]
    fixed = [side for side in sides if side[1] not in varying]
    if len(fixed) != 1:
        return None
    ((element, sentinel, expected),) = fixed
    tests = list(conjuncts(Test(select.cond, expected)))
    outer = [test for test in tests if test.condition not in varying]
    return _Sentinel(combine, outer, [x for x in tests if x not in outer], element, sentinel)
