"""Sums of rows that are added at places: frames that overlap, windows that are put back."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from functools import reduce

from xdsl.ir import BlockArgument, Operation, SSAValue

from ein_mlir.analysis.arithmetic import SUMS_OF_SIZES, LinearForm
from ein_mlir.analysis.constants import known_int
from ein_mlir.analysis.phi.equality import difference
from ein_mlir.analysis.phi.free_indices import FreeIndices
from ein_mlir.analysis.phi.index_forms import IndexForms
from ein_mlir.analysis.phi.selections import Step, Test
from ein_mlir.analysis.predicates import relation_of
from ein_mlir.analysis.scopes import dependents, is_within, nesting, operations_in
from ein_mlir.dialects import phi
from ein_mlir.dialects.reductions import kind_of
from ein_mlir.host.dataclass import dataclass
from ein_mlir.rewriting.phi.insertion import Builder, Contributions
from ein_mlir.rewriting.phi.range_reductions import RecomputedValues, selected
from ein_mlir.rewriting.phi.step_values import step_of_index

SHORT = 8
"""Rows are short if so many of them are no longer than the axis."""

MOST = 1 << 24
"""The most elements of rows that are no array yet."""


@dataclass(frozen=True)
class Row:
    """``0 <= index - start < length``: the elements along an axis that a step adds to."""

    index: BlockArgument
    start: LinearForm
    """Modulo 2^64. It varies with the counter, and not with the index."""
    length: LinearForm
    tests: tuple[Test, Test]


@dataclass(frozen=True)
class PlacedRows:
    """The elements that a step adds to: a row along an axis, or a block along some."""

    rows: Sequence[Row]
    parts: Sequence[SSAValue]
    """The values that the rows depend on, and those of the step in an element of them."""
    tests: Sequence[Test]
    """The tests of the step that do not bound a row."""

    @property
    def indices(self) -> Sequence[BlockArgument]:
        """The indices of the axes, in order."""
        return [row.index for row in self.rows]


def placed_rows(op: phi.FoldOp, step: Step, forms: IndexForms) -> PlacedRows | None:
    """The elements that a step of a fold adds to, if its tests bound rows of them.

    No row starts at the counter itself: those are diagonals, which are slices. Steps read an array
    that is as large as all rows, or one at each ``index - start``.
    """
    rows = dict[BlockArgument, Row]()
    for pair in itertools.permutations(step.tests, 2):
        row = _row(pair, forms)
        if row is not None and _is_moved(op, row, forms.free):
            rows.setdefault(row.index, row)
    if not rows:
        return None
    order = sorted(rows.values(), key=lambda row: nesting(row.index))
    bounds = {id(test) for row in order for test in row.tests}
    others = [test for test in step.tests if id(test) not in bounds]
    ends = [each for row in order for form in (row.start, row.length) for each in form.coefficients]
    found = PlacedRows(order, [*step.parts(others), *ends], others)
    if not RecomputedValues(op, found.indices, forms.free).can_have(found.parts, [op.counter]):
        return None
    return found


def _row(pair: tuple[Test, Test], forms: IndexForms) -> Row | None:
    """The row that two tests bound."""
    distance, length = _between(*pair, forms)
    for index, factor in distance.coefficients.items():
        is_index = isinstance(index, BlockArgument) and phi.is_comprehension_index(index)
        if factor == 1 and is_index:
            assert isinstance(index, BlockArgument)
            return Row(index, -distance.without([index]), length, pair)
    return None


def _is_moved(op: phi.FoldOp, row: Row, free: FreeIndices) -> bool:
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


def are_read(op: phi.FoldOp, found: PlacedRows, free: FreeIndices) -> bool:
    """Whether steps read ``f[k, p]``, where p varies with all indices, and k with steps alone.

    f has all axes of parts.
    """
    steps = dependents(op.body.block, op.counter, op.accumulator)
    axes = {other for part in found.parts for other in free.of(part)}

    def is_table(get: Operation) -> bool:
        if not isinstance(get, phi.GetOp) or get.array in steps:
            return False
        rows = [each for each in get.positions if free.of(each).isdisjoint(found.indices)]
        has_row = any(each in steps and not free.of(each) for each in rows)
        return has_row and len(rows) < len(get.positions) and axes <= free.of(get.result)

    return any(map(is_table, operations_in(op)))


def are_read_at_distances(op: phi.FoldOp, found: PlacedRows, forms: IndexForms) -> bool:
    """Whether steps read ``w[index - start + c]`` for all rows, of one length in all elements."""
    ends = (each for row in found.rows for each in row.length.coefficients)
    positions = [
        forms.form(position)
        for get in operations_in(op)
        if isinstance(get, phi.GetOp)
        for position in get.positions
    ]

    def is_read(row: Row) -> bool:
        distance = LinearForm.of(row.index) - row.start
        return any(difference(form, distance).known() is not None for form in positions)

    return not any(map(forms.free.of, ends)) and all(map(is_read, found.rows))


def are_short(
    build: Builder, op: phi.FoldOp, found: PlacedRows, free: FreeIndices, most_in_block: int
) -> SSAValue:
    """Whether rows are much shorter than their axes, and have `MOST` elements at most in all.

    It is built before the comprehension with the first index.
    """
    array = found.indices[0].owner.parent_op()
    assert array is not None

    def outside(value: SSAValue) -> SSAValue:
        return build.recomputed(value, {}, lambda each: is_within(each, array))

    lengths = [build.max(build.linear_value(row.length, outside), 1) for row in found.rows]
    sizes = [outside(phi.size_of_index(index)) for index in found.indices]
    others = {index for part in found.parts for index in free.of(part)}.difference(found.indices)
    axes = [outside(phi.size_of_index(each)) for each in sorted(others, key=nesting)]
    most = reduce(
        build.floordiv, [*lengths, *(build.max(size, 1) for size in axes)], build.integer(MOST)
    )
    tests = [build.compare(op.count, "sle", most)]
    for length, size in zip(lengths, sizes, strict=True):
        longest = build.floordiv(size, build.integer(SHORT))
        tests.append(build.compare(length, "sle", longest))
    if len(lengths) > 1 and most_in_block < MOST:
        blocks = reduce(build.floordiv, lengths, build.integer(most_in_block))
        tests.append(build.compare(blocks, "sge", 1))
    return build.all_of(tests)


def accumulated_rows(
    build: Builder, op: phi.FoldOp, step: Step, found: PlacedRows, free: FreeIndices
) -> SSAValue:
    """``accumulate (k < n, j < length) into kind (the size of the index) { start + j, value }``"""
    values = RecomputedValues(op, found.indices, free)

    def contributions(inner: Builder, own: Sequence[SSAValue]) -> Contributions:
        known: dict[SSAValue, SSAValue] = {op.counter: step_of_index(inner, op, own[0])}
        places = list[SSAValue]()
        for row, number in zip(found.rows, own[1:], strict=True):
            start = inner.linear_value(row.start, values.at(inner, found.indices, known))
            places.append(inner.add(start, inner.as_int(number)))
        at = values.at(inner, places, known)
        return [(places, selected(inner, step, found.tests, at))]

    same = values.at(build, found.indices)
    sizes = [op.count, *(build.linear_value(row.length, same) for row in found.rows)]
    into = kind_of(step.combine.name), [phi.size_of_index(each) for each in found.indices]
    return build.accumulation(sizes, [into], contributions, [op.counter, *found.indices])
