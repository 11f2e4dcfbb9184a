"""Folds over the steps that either of two tests selects."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from xdsl.dialects import arith
from xdsl.ir import SSAValue

from ein_mlir.analysis.phi.bounds import bound_of
from ein_mlir.analysis.phi.free_indices import FreeIndices
from ein_mlir.analysis.phi.index_forms import IndexForms
from ein_mlir.analysis.phi.selections import Step, Test, step_of
from ein_mlir.dialects import phi
from ein_mlir.dialects.algebra import algebra_of
from ein_mlir.passes.phi.raise_scans.parts import over_selected, raised_parts
from ein_mlir.passes.phi.raise_scans.selection import varying_tests
from ein_mlir.rewriting.phi.builders import same_operation
from ein_mlir.rewriting.phi.insertion import Builder
from ein_mlir.rewriting.phi.replacement import Replacement
from ein_mlir.rewriting.phi.step_values import Known, StepValues, with_start


def split_alternatives(
    op: phi.FoldOp, raise_: Callable[[phi.FoldOp], bool], forms: IndexForms, free: FreeIndices
) -> bool:
    """``sum_k where(a | b, e, 0)  -->  sum_k where(~a & b, e, 0) + sum_k where(a, e, 0)``

    for a bound a, or of other tests ``where(b, e, 0)``, if the operation may take a value twice.
    If ``raise_`` replaces the first fold; whether it does.
    """
    step = step_of(op)
    algebra = None if step is None else algebra_of(step.combine.name)
    if step is None or algebra is None or not algebra.takes_any_order:
        return False
    for test in varying_tests(op, step.tests):
        others = [each for each in step.tests if each is not test]
        found = _alternatives(op, test, forms, may_overlap=algebra.idempotent)
        selected = [[*others, *own] for own in found]
        part = partial(_part, op, step, selected)
        totals = raised_parts(op, step, part, raise_, free) if selected else None
        if totals is not None:
            build = Replacement(op)
            total = build.emit(same_operation(step.combine, *totals))
            build.finish(with_start(build, op, step, total), free)
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


def _part(
    op: phi.FoldOp, step: Step, selected: Sequence[Sequence[Test]], neutral: SSAValue, number: int
) -> phi.FoldOp:
    """The fold of the steps that an alternative selects."""
    values = StepValues(op)

    def tests(build: Builder, known: Known) -> list[Test]:
        return values.tests(build, selected[number], known)

    return over_selected(op, step, neutral, tests)
