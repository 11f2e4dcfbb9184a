"""The last step before an index, or the first one behind it, whose key compares with a limit."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import arith
from xdsl.dialects.builtin import AnyFloat
from xdsl.ir import Operation, SSAValue

from ein_mlir.analysis.hints import isa
from ein_mlir.analysis.phi.bounds import Bound, bound_of
from ein_mlir.analysis.phi.selections import Step
from ein_mlir.analysis.predicates import NEGATED
from ein_mlir.analysis.scopes import dependents
from ein_mlir.dialects import phi
from ein_mlir.host.dataclass import dataclass
from ein_mlir.passes.phi.raise_scans.comparisons import Comparison, comparisons_of
from ein_mlir.passes.phi.raise_scans.selection import position_of, selects_often, varying_tests
from ein_mlir.passes.phi.raise_scans.sorted_steps import Facts
from ein_mlir.rewriting.phi.insertion import Builder
from ein_mlir.rewriting.phi.range_reductions import bit_length
from ein_mlir.rewriting.phi.ranges import copies_of
from ein_mlir.rewriting.phi.step_values import StepValues


def nearest_step(build: Builder, op: phi.FoldOp, step: Step, facts: Facts) -> SSAValue | None:
    """``fold_max (k) { where((k < p) & (x[k] < y), k, -inf) }  -->  last[p, y]``

    Likewise for a minimum over the steps from p on, which are taken the other way around, and for
    values that increase or decrease with k. Row j of a table has the least of 2^j keys up to each
    step. By these, the steps behind the last one are passed in runs of .., 4, 2, 1: that takes
    log n steps for each limit.
    """
    found = _nearest(op, step, facts)
    if found is None:
        return None
    table, rows = _table(build, op, found)
    copies = copies_of(build, op, [*found.bound.parts, found.comparison.limit])
    limit = copies(found.comparison.limit)
    position = position_of(build, op.count, found.bound, copies)
    position = build.min(build.max(position, 0), op.count)
    start = build.sub(op.count, position) if found.bound.suffix else position

    def passed(inner: Builder, counter: SSAValue, left: SSAValue) -> SSAValue:
        row = inner.sub(inner.sub(rows, 1), counter)
        key = inner.get(table, [row, inner.max(inner.sub(left, 1), 0)])
        is_in_run = found.selects(inner, key, limit)
        behind = inner.max(inner.sub(left, inner.power_of_two(row)), 0)
        return inner.select(is_in_run, left, behind)

    left = build.fold_over(rows, start, passed, op.body.block.args)
    place = build.sub(op.count, left) if found.bound.suffix else build.sub(left, 1)
    value = StepValues(op).value(build, found.value, place)
    return build.select(build.compare(left, "sgt", 0), value, build.constant(step.neutral))


@dataclass(frozen=True)
class _Nearest:
    """The step next to a bound whose key compares with a limit."""

    bound: Bound
    comparison: Comparison
    value: SSAValue

    def best(self, lhs: SSAValue, rhs: SSAValue) -> Operation:
        """The key of two that is selected by more limits: NaN by none, or by all."""
        least, most = arith.MinSIOp, arith.MaxSIOp
        if isa(lhs.type, AnyFloat) and self.comparison.selects_nan:
            least, most = arith.MinimumfOp, arith.MaximumfOp
        elif isa(lhs.type, AnyFloat):
            least, most = arith.MinnumfOp, arith.MaxnumfOp
        return (least if self.comparison.is_below else most)(lhs, rhs)

    def selects(self, build: Builder, key: SSAValue, limit: SSAValue) -> SSAValue:
        """Whether the best key of a run is selected: then one of the run is."""
        predicate = self.comparison.predicate
        if not self.comparison.selects_nan:
            return build.compare(key, predicate, limit)
        return build.is_as_expected(build.compare(key, NEGATED[predicate], limit), False)


def _nearest(op: phi.FoldOp, step: Step, facts: Facts) -> _Nearest | None:
    """The two tests of a step, if the best value is that of the step next to the bound."""
    tests, value, forms = varying_tests(op, step.tests), step.value, facts.forms
    bounds = [bound for test in tests if (bound := bound_of(op, test, forms)) is not None]
    if len(tests) != 2 or len(bounds) != 1 or not isinstance(value, SSAValue):
        return None
    steps, (bound,) = dependents(op.body.block, op.counter), bounds
    found = [x for test in tests for x in comparisons_of(op, test, steps, (), forms, with_nan=True)]
    if len(found) != 1 or not steps.isdisjoint(bound.parts):
        return None
    (comparison,) = found
    if not isinstance(step.combine, arith.MaxSIOp | arith.MinSIOp) or not forms.is_exact(
        form := forms.form(value)
    ):
        return None
    factor, rest = form.split(op.counter)
    is_last = isinstance(step.combine, arith.MaxSIOp) == (factor > 0)
    if not factor or not steps.isdisjoint(rest.coefficients) or is_last == bound.suffix:
        return None
    limits, keys = [comparison.limit, *bound.parts], [comparison.key]
    if not selects_often(op, comparison, keys, facts.free):
        return None
    return _Nearest(bound, comparison, value) if facts.may_store(op, limits, keys) else None


def _table(build: Builder, op: phi.FoldOp, found: _Nearest) -> tuple[SSAValue, SSAValue]:
    """The best of 2^j keys up to each step, for each j, and the number of its rows."""
    values, rows = StepValues(op), bit_length(build, op.count)

    def key(inner: Builder, step: SSAValue) -> SSAValue:
        if found.bound.suffix:
            step = inner.sub(inner.sub(op.count, 1), step)
        return values.value(inner, found.comparison.key, step)

    keys = values.over_steps(build, key)

    def longer(inner: Builder, row: SSAValue, table: SSAValue) -> SSAValue:
        def both(body: Builder, own: Sequence[SSAValue]) -> SSAValue:
            before = body.max(body.sub(body.as_int(own[0]), body.power_of_two(row)), 0)
            return body.emit(found.best(*(body.get(table, [row, k]) for k in (own[0], before))))

        best = inner.comprehension([op.count], both, [op.counter])
        return inner.update(table, [inner.add(row, 1)], best)

    copies = build.comprehension([rows, op.count], lambda inner, own: inner.get(keys, own[1:]))
    last = build.max(build.sub(rows, 1), 0)
    return build.fold_over(last, copies, longer, op.body.block.args), rows
