"""Sums of Ints over the steps whose own interval holds a number."""

from __future__ import annotations

from collections.abc import Callable
from itertools import permutations

from xdsl.ir import SSAValue

from ein_mlir.analysis.phi.equality import computes_same
from ein_mlir.analysis.phi.free_indices import FreeIndices
from ein_mlir.analysis.phi.index_forms import IndexForms
from ein_mlir.analysis.phi.selections import Step, Test
from ein_mlir.analysis.scopes import dependents
from ein_mlir.dialects import phi
from ein_mlir.dialects.algebra import algebra_of
from ein_mlir.host.dataclass import dataclass
from ein_mlir.passes.phi.raise_scans.comparisons import Comparison, comparisons_of
from ein_mlir.passes.phi.raise_scans.parts import raised_parts
from ein_mlir.passes.phi.raise_scans.selection import varying_tests
from ein_mlir.passes.phi.raise_scans.sorted_steps import compared
from ein_mlir.rewriting.dead_code import erase_unused
from ein_mlir.rewriting.phi.builders import difference
from ein_mlir.rewriting.phi.insertion import Builder
from ein_mlir.rewriting.phi.replacement import Replacement
from ein_mlir.rewriting.phi.step_values import fold_of_step, with_start


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
        begins = "lt" if self.low.predicate == "<" else "le"
        ends = "le" if self.high.predicate == ">" else "lt"
        is_open = begins == "lt" and ends == "le"
        return [
            compared(build, low, "lt" if is_open else "le", high),
            compared(build, low, begins, number),
            compared(build, high, ends, number),
        ]


def split_intervals(
    op: phi.FoldOp,
    step: Step,
    raise_: Callable[[phi.FoldOp], bool],
    forms: IndexForms,
    free: FreeIndices,
) -> bool:
    """``sum_k where((a[k] <= x) & (x < b[k]), e, 0)
    -->  sum_k where(t & (a[k] <= x), e, 0) - sum_k where(t & (b[k] <= x), e, 0)``

    with ``a[k] <= b[k]`` for t, where the first one of these sums is raised. Whether it is.
    """
    algebra = algebra_of(step.combine.name)
    found = _between(op, step, forms)
    if found is None or algebra is None or not algebra.is_invertible:
        return False
    is_some, *sides = found.conditions(Builder.before_end(op.body.block))
    others = [test for test in step.tests if test not in found.tests]
    tests = [[Test(is_some, True), Test(side, True), *others] for side in sides]
    parts = (fold_of_step(op, Step(step.combine, each, step.value)) for each in tests)
    sums = raised_parts(op, parts, raise_, free)
    if sums is None:
        erase_unused(op.body.block)
        return False
    build = Replacement(op)
    total = build.emit(difference(step.combine, *sums))
    build.finish(with_start(build, op, step, total), free)
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
