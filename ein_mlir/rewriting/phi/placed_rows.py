"""Sums of rows that are added at places: frames that overlap, windows that are put back."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import replace
from functools import partial, reduce

from xdsl.ir import BlockArgument, Operation, SSAValue

from ein_mlir.analysis.arithmetic import SUMS_OF_SIZES, LinearForm
from ein_mlir.analysis.constants import known_int
from ein_mlir.analysis.phi.equality import difference
from ein_mlir.analysis.phi.free_indices import FreeIndices
from ein_mlir.analysis.phi.index_forms import IndexForms
from ein_mlir.analysis.phi.selections import Step, Test, is_neutral, step_of
from ein_mlir.analysis.phi.speculation import may_fail_first
from ein_mlir.analysis.predicates import Relation, relation_of
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

    nest: Sequence[phi.FoldOp]
    """A fold, or a nest of them that all add to one sum, outermost first."""
    step: Step
    """The step of the innermost fold, with the tests of all."""
    rows: Sequence[Row]
    parts: Sequence[SSAValue]
    """The values that the rows depend on, and those of the step in an element of them."""
    tests: Sequence[Test]
    """The tests of the step that do not bound a row."""

    @property
    def op(self) -> phi.FoldOp:
        """The fold that the sum of all rows replaces."""
        return self.nest[0]

    @property
    def counters(self) -> Sequence[BlockArgument]:
        """The counters of the steps."""
        return [fold.counter for fold in self.nest]

    @property
    def counts(self) -> Sequence[SSAValue]:
        """The numbers of the steps."""
        return [fold.count for fold in self.nest]

    def dependents(self, *counters: BlockArgument) -> set[SSAValue]:
        """The values that vary with some counters, or all of them, and with the sum so far."""
        accumulators = (fold.accumulator for fold in self.nest)
        return dependents(self.op.body.block, *(counters or self.counters), *accumulators)

    @property
    def indices(self) -> Sequence[BlockArgument]:
        """The indices of the axes, in order."""
        return [row.index for row in self.rows]


def placed_rows(op: phi.FoldOp, step: Step, forms: IndexForms) -> PlacedRows | None:
    """The elements that a step of a fold adds to, if its tests bound rows of them.

    No row starts at the counter itself: those are diagonals, which are slices. Steps read an array
    that is as large as all rows, or one at each ``index - start``. Folds around that continue the
    sum are part of it if they move rows along further axes.
    """
    found = _rows_of([op], step, forms)
    while found is not None and (around := _fold_around(found)) is not None:
        more = _rows_of(*around, forms)
        if more is None or len(more.rows) <= len(found.rows):
            break
        found = more
    return found


def _fold_around(found: PlacedRows) -> tuple[Sequence[phi.FoldOp], Step] | None:
    """The nest with the fold around that adds the sum of each step to its own, and its steps."""
    op, outer = found.op, found.op.parent_op()
    step = step_of(outer) if isinstance(outer, phi.FoldOp) else None
    if step is None or step.value is not op.result or not op.result.has_one_use():
        return None
    assert isinstance(outer, phi.FoldOp)
    is_sum = step.combine.name == found.step.combine.name and is_neutral(op.init, step.neutral)
    if not is_sum or is_within(op.count, outer) or may_fail_first(op, outer):
        return None
    tests = [*step.tests, *found.step.tests]
    return [outer, *found.nest], replace(found.step, tests=tests)


def _rows_of(nest: Sequence[phi.FoldOp], step: Step, forms: IndexForms) -> PlacedRows | None:
    """The rows that the steps of a nest add to."""
    found = PlacedRows(nest, step, (), (), ())
    rows = dict[BlockArgument, Row]()
    for pair in itertools.permutations(step.tests, 2):
        row = _row(pair, forms)
        if row is not None and _is_moved(found, row, forms.free):
            rows.setdefault(row.index, row)
    if not rows:
        return None
    order = sorted(rows.values(), key=lambda row: nesting(row.index))
    bounds = {id(test) for row in order for test in row.tests}
    others = [test for test in step.tests if id(test) not in bounds]
    ends = [each for row in order for form in (row.start, row.length) for each in form.coefficients]
    found = replace(found, rows=order, parts=[*step.parts(others), *ends], tests=others)
    values = RecomputedValues(found.op, found.indices, forms.free)
    return found if values.can_have(found.parts, found.counters) else None


def _row(pair: tuple[Test, Test], forms: IndexForms) -> Row | None:
    """The row that two tests bound."""
    distance, length = _between(*pair, forms)
    for index, factor in distance.coefficients.items():
        is_index = isinstance(index, BlockArgument) and phi.is_comprehension_index(index)
        if factor == 1 and is_index:
            assert isinstance(index, BlockArgument)
            return Row(index, -distance.without([index]), length, pair)
    return None


def _is_moved(found: PlacedRows, row: Row, free: FreeIndices) -> bool:
    """Whether rows of one length start at a place for each step, and are no diagonals.

    Those that start at a negative multiple, ``0 <= k * s + i < m``, are most of the axis: i is the
    place in a row, and the test is whether that is in bounds.
    """
    steps = found.dependents()
    is_moved = any(each in steps and c > 0 for each, c in row.start.coefficients.items())
    is_fixed = steps.isdisjoint(row.length.coefficients)
    ends = [*row.start.coefficients, *row.length.coefficients]
    is_diagonal = any(abs(row.start.coefficients.get(each, 0)) == 1 for each in found.counters)
    varies = any(row.index in free.of(each) for each in ends)
    return is_moved and is_fixed and not is_diagonal and not varies


def _between(first: Test, end: Test, forms: IndexForms) -> tuple[LinearForm, LinearForm]:
    """``x - p`` and ``n`` of ``x >= p`` and ``x < p + n``, for a small n; 0 for other tests.

    Either side may be written first. The sum does not wrap: p is a number, or no larger than x,
    which is small.
    """
    low, high = (_reading(*test) for test in ((first, "sge"), (end, "slt")))
    if low is None or high is None:
        return LinearForm(), LinearForm()
    x, p = forms.form(low.lhs), forms.form(low.rhs)
    length = difference(forms.form(high.rhs), p)
    is_small = forms.is_exact(length) and forms.range_of(length) in SUMS_OF_SIZES
    is_exact = known_int(low.rhs) is not None or forms.range(low.lhs) in SUMS_OF_SIZES
    is_row = is_small and is_exact and difference(forms.form(high.lhs), x).known() == 0
    return x - p if is_row else LinearForm(), length


def _reading(test: Test, predicate: str) -> Relation | None:
    """The relation that a test is, read from the side where it has a predicate."""
    found = relation_of(test.condition, expected=test.expected)
    readings = () if found is None else found.readings
    return next((each for each in readings if each.predicate == predicate), None)


def are_read(found: PlacedRows, free: FreeIndices) -> bool:
    """Whether steps read ``f[k, p]``, where p varies with all indices, and k with steps alone.

    f has all axes of parts, and one for each counter.
    """
    steps = [found.dependents(counter) for counter in found.counters]
    every = set[SSAValue]().union(*steps)
    axes = {other for part in found.parts for other in free.of(part)}

    def is_table(get: Operation) -> bool:
        if not isinstance(get, phi.GetOp) or get.array in every:
            return False
        rows = [each for each in get.positions if free.of(each).isdisjoint(found.indices)]
        own = [each for each in rows if not free.of(each)]
        has_rows = all(not varying.isdisjoint(own) for varying in steps)
        return has_rows and len(rows) < len(get.positions) and axes <= free.of(get.result)

    return any(map(is_table, operations_in(found.op)))


def are_read_at_distances(found: PlacedRows, forms: IndexForms) -> bool:
    """Whether steps read ``w[index - start + c]`` for all rows, of one length in all elements."""
    ends = (each for row in found.rows for each in row.length.coefficients)
    positions = [
        forms.form(position)
        for get in operations_in(found.op)
        if isinstance(get, phi.GetOp)
        for position in get.positions
    ]

    def is_read(row: Row) -> bool:
        distance = LinearForm.of(row.index) - row.start
        return any(difference(form, distance).known() is not None for form in positions)

    return not any(map(forms.free.of, ends)) and all(map(is_read, found.rows))


def are_short(build: Builder, found: PlacedRows, free: FreeIndices, most_in_block: int) -> SSAValue:
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
    *inner, count = found.counts
    others = [*lengths, *(build.max(size, 1) for size in (*axes, *inner))]
    most = reduce(build.floordiv, others, build.integer(MOST))
    tests = [build.compare(count, "sle", most)]
    for length, size in zip(lengths, sizes, strict=True):
        longest = build.floordiv(size, build.integer(SHORT))
        tests.append(build.compare(length, "sle", longest))
    if len(lengths) > 1 and most_in_block < MOST:
        blocks = reduce(build.floordiv, lengths, build.integer(most_in_block))
        tests.append(build.compare(blocks, "sge", 1))
    return build.all_of(tests)


def accumulated_rows(build: Builder, found: PlacedRows, free: FreeIndices) -> SSAValue:
    """``accumulate (k < n, j < length) into kind (the size of the index) { start + j, value }``"""
    values = RecomputedValues(found.op, found.indices, free)
    counters, step = found.counters, found.step

    def contributions(inner: Builder, own: Sequence[SSAValue]) -> Contributions:
        steps = map(partial(step_of_index, inner), found.nest, own)
        known: dict[SSAValue, SSAValue] = dict(zip(counters, steps, strict=True))
        places = list[SSAValue]()
        for row, number in zip(found.rows, own[len(counters) :], strict=True):
            start = inner.linear_value(row.start, values.at(inner, found.indices, known))
            places.append(inner.add(start, inner.as_int(number)))
        at = values.at(inner, places, known)
        return [(places, selected(inner, step, found.tests, at))]

    same = values.at(build, found.indices)
    sizes = [*found.counts, *(build.linear_value(row.length, same) for row in found.rows)]
    into = kind_of(step.combine.name), [phi.size_of_index(each) for each in found.indices]
    return build.accumulation(sizes, [into], contributions, [*counters, *found.indices])
