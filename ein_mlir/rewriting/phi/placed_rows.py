"""Sums of rows that are added at places: frames that overlap, windows that are put back."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from xdsl.ir import BlockArgument, Operation, SSAValue

from ein_mlir.analysis.arithmetic import SUMS_OF_SIZES, LinearForm
from ein_mlir.analysis.constants import known_int
from ein_mlir.analysis.phi.equality import difference
from ein_mlir.analysis.phi.free_indices import FreeIndices
from ein_mlir.analysis.phi.index_forms import IndexForms
from ein_mlir.analysis.phi.selections import Step, Test
from ein_mlir.analysis.predicates import relation_of
from ein_mlir.analysis.scopes import dependents, operations_in
from ein_mlir.dialects import phi
from ein_mlir.dialects.reductions import kind_of
from ein_mlir.host.dataclass import dataclass
from ein_mlir.rewriting.phi.insertion import Builder, Contributions
from ein_mlir.rewriting.phi.range_reductions import RecomputedValues, selected
from ein_mlir.rewriting.phi.step_values import step_of_index


@dataclass(frozen=True)
class PlacedRow:
    """``0 <= index - start < length``: the elements that a step adds to, ``length`` of them."""

    index: BlockArgument
    start: LinearForm
    """Modulo 2^64. It varies with the counter, and not with the index."""
    length: LinearForm
    parts: Sequence[SSAValue]
    """The values that the row depends on, and those of the step in an element of it."""
    tests: Sequence[Test]
    """The tests of the step that do not bound the row."""


def placed_row(op: phi.FoldOp, step: Step, forms: IndexForms) -> PlacedRow | None:
    """The elements that a step of a fold adds to, if its tests bound a row of them.

    No row starts at the counter itself: those are diagonals, which are slices. An array that steps
    read is as large as all rows.
    """
    for pair in itertools.permutations(step.tests, 2):
        distance, length = _between(*pair, forms)
        for index, factor in distance.coefficients.items():
            if (
                factor == 1
                and isinstance(index, BlockArgument)
                and phi.is_comprehension_index(index)
            ):
                start = -distance.without([index])
                others = [test for test in step.tests if test not in pair]
                parts = [*step.parts(others), *start.coefficients, *length.coefficients]
                row = PlacedRow(index, start, length, parts, others)
                if _is_moved(op, row, forms.free) and _reads_rows(op, row, forms.free):
                    return row
    return None


def _is_moved(op: phi.FoldOp, row: PlacedRow, free: FreeIndices) -> bool:
    """Whether rows of one length start at a place for each step, and are no diagonals."""
    steps = dependents(op.body.block, op.counter, op.accumulator)
    is_moved = not steps.isdisjoint(row.start.coefficients)
    is_fixed = steps.isdisjoint(row.length.coefficients)
    ends = [*row.start.coefficients, *row.length.coefficients]
    is_diagonal = abs(row.start.coefficients.get(op.counter, 0)) == 1
    varies = any(row.index in free.of(each) for each in ends)
    return is_moved and is_fixed and not is_diagonal and not varies


def _between(first: Test, end: Test, forms: IndexForms) -> tuple[LinearForm, LinearForm]:
    """``x - p`` and ``n`` of ``x >= p`` and ``x < p + n``, for a small n; 0 for other tests.

    The sum does not wrap: p is a number, or no larger than x, which is small.
    """
    low, high = (relation_of(test.condition, expected=test.expected) for test in (first, end))
    if low is None or high is None or (low.predicate, high.predicate) != ("sge", "slt"):
        return LinearForm(), LinearForm()
    x, p = forms.form(low.lhs), forms.form(low.rhs)
    length = difference(forms.form(high.rhs), p)
    is_small = forms.is_exact(length) and forms.range_of(length) in SUMS_OF_SIZES
    is_exact = known_int(low.rhs) is not None or forms.range(low.lhs) in SUMS_OF_SIZES
    is_row = is_small and is_exact and difference(forms.form(high.lhs), x).known() == 0
    return x - p if is_row else LinearForm(), length


def _reads_rows(op: phi.FoldOp, row: PlacedRow, free: FreeIndices) -> bool:
    """Whether steps read ``f[k, p]``, where p varies with the index, and k with steps alone.

    f has all axes of parts.

    The parts raise no error, and nothing else in them varies with the index.
    """
    if not RecomputedValues(op, [row.index], free).can_have(row.parts, [op.counter]):
        return False
    steps = dependents(op.body.block, op.counter, op.accumulator)
    axes = {other for part in row.parts for other in free.of(part)}

    def is_table(get: Operation) -> bool:
        if not isinstance(get, phi.GetOp) or get.array in steps:
            return False
        rows = [each for each in get.positions if row.index not in free.of(each)]
        has_row = any(each in steps and not free.of(each) for each in rows)
        return has_row and len(rows) < len(get.positions) and axes <= free.of(get.result)

    return any(map(is_table, operations_in(op)))


def accumulated_rows(
    build: Builder, op: phi.FoldOp, step: Step, row: PlacedRow, free: FreeIndices
) -> SSAValue:
    """``accumulate (k < n, j < length) into kind (the size of the index) { start + j, value }``"""
    values = RecomputedValues(op, [row.index], free)

    def contributions(inner: Builder, own: Sequence[SSAValue]) -> Contributions:
        known: dict[SSAValue, SSAValue] = {op.counter: step_of_index(inner, op, own[0])}
        start = inner.linear_value(row.start, values.at(inner, [row.index], known))
        place = inner.add(start, inner.as_int(own[1]))
        at = values.at(inner, [place], known)
        return [([place], selected(inner, step, row.tests, at))]

    sizes = [op.count, build.linear_value(row.length, values.at(build, [row.index]))]
    into = kind_of(step.combine.name), [phi.size_of_index(row.index)]
    return build.accumulation(sizes, [into], contributions, [op.counter, row.index])
