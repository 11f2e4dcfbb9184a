"""Folds over the steps that either of two tests selects."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from xdsl.dialects import arith

from ein_mlir.analysis.phi.bounds import bound_of
from ein_mlir.analysis.phi.free_indices import FreeIndices
from ein_mlir.analysis.phi.index_forms import IndexForms
from ein_mlir.analysis.phi.selections import Step, Test, step_of
from ein_mlir.dialects import phi
from ein_mlir.dialects.algebra import algebra_of
from ein_mlir.passes.phi.raise_scans.parts import raised_parts
from ein_mlir.passes.phi.raise_scans.selection import varying_tests
from ein_mlir.rewriting.phi.builders import same_operation
from ein_mlir.rewriting.phi.replacement import Replacement
from ein_mlir.rewriting.phi.step_values import fold_of_step, with_start


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
        steps = (Step(step.combine, [*others, *own], step.value) for own in found)
        parts = (fold_of_step(op, each) for each in steps)
        totals = raised_parts(op, parts, raise_, free) if found else None
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
