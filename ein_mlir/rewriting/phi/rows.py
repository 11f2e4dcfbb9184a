"""The steps of rows of several lengths, one row after another."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from xdsl.dialects import arith
from xdsl.ir import Operation, SSAValue

from ein_mlir.analysis.arithmetic import MOST
from ein_mlir.analysis.scopes import is_within, operands_within, outermost_without, slice_within
from ein_mlir.dialects import phi
from ein_mlir.host.dataclass import dataclass
from ein_mlir.rewriting.phi.insertion import Builder, Contributions, Inserter
from ein_mlir.rewriting.phi.step_values import Known, StepValues, step_of_index


@dataclass(frozen=True)
class StepsOfRows:
    """One sequence of the steps of all rows."""

    count: SSAValue
    """The number of steps of all rows, as a size."""

    starts: SSAValue
    """The numbers of steps before each row, and of all."""

    numbers: SSAValue
    """The row of each step."""

    offsets: SSAValue | None = None
    """The array whose differences are the lengths: those before a row add up to one of these."""

    def place(self, build: Builder, index: SSAValue) -> tuple[SSAValue, SSAValue]:
        """The row of a step of the sequence, and its number among the steps of the row."""
        row = build.get(self.numbers, [index])
        if self.offsets is None:
            first = build.get(self.starts, [row])
        else:
            ends = (build.get(self.offsets, [at]) for at in (row, build.integer(0)))
            first = build.sub(*ends)
        return row, build.sub(build.as_int(index), first)


@dataclass(frozen=True)
class KnownRows:
    """What is known of rows by their lengths alone, none of which is an error by itself."""

    count: SSAValue
    """The number of steps of all rows."""

    starts: SSAValue
    started: SSAValue
    """The numbers of rows that start before each step of the sequence."""

    @classmethod
    def of(cls, build: Builder, lengths: SSAValue, size: SSAValue, *, checked: bool) -> KnownRows:
        """Rows with given lengths, ``size`` in all. ``checked`` if some may be negative.

        Then the count is negative, which is an error as a size.
        """
        starts = build.scan("add", lengths)
        total = build.get(starts, [size])
        extent = build.count_or_none(total) if checked else as_size(build, total)

        def mark(inner: Builder, at: Sequence[SSAValue]) -> Contributions:
            return [([inner.get(starts, [at[0]])], inner.integer(1))]

        marks = build.accumulation([size], [("add", [extent])], mark)
        count = _or_negative(build, lengths, total) if checked else extent
        return cls(count, starts, build.scan("add", marks))

    def steps(self, build: Builder, *counters: SSAValue) -> StepsOfRows:
        """The sequence of the steps of all rows, named by a counter."""

        def number(inner: Builder, at: Sequence[SSAValue]) -> SSAValue:
            one = inner.integer(1)
            return inner.sub(inner.get(self.started, [inner.add(inner.as_int(at[0]), one)]), one)

        numbers = build.comprehension([self.count], number, counters)
        return StepsOfRows(self.count, self.starts, numbers)


@dataclass(frozen=True)
class RaggedNest:
    """Nested folds, outermost first. Steps of one of them decide the count of the last one."""

    folds: Sequence[phi.FoldOp]
    rows: phi.FoldOp

    def place(self) -> Operation:
        """The outermost of the loops around the nest in which the lengths of rows are the same."""
        outer = self.folds[0]
        needed = slice_within(outer, [self.folds[-1].count])
        values = [value for op in needed for value in operands_within(op)]
        counts = [fold.count for fold in self.folds]
        return outermost_without(outer, [x for x in values + counts if not is_within(x, outer)])

    def values(self) -> StepValues:
        """The values of the steps of all folds."""
        return StepValues(self.folds[0], [fold.body.block for fold in self.folds[1:]])

    def known(self, build: Builder) -> KnownRows:
        """The rows, one for each step of the fold that decides. ``build`` inserts at the place."""
        rows = self.rows

        def length(inner: Builder, indices: Sequence[SSAValue]) -> SSAValue:
            known: Known = {rows.counter: step_of_index(inner, rows, indices[0])}
            return self.values().computed(inner, [self.folds[-1].count], known)[0]

        size = build.count_or_none(rows.count) if self.place() is not self.folds[0] else rows.count
        lengths = build.comprehension([size], length, [rows.counter])
        found = KnownRows.of(build, lengths, size, checked=True)
        is_legal = build.compare(rows.count, "eq", size)
        return replace(found, count=build.select(is_legal, found.count, rows.count))


def extreme_of(
    build: Inserter,
    nest: Sequence[phi.FoldOp],
    value: SSAValue,
    best: type[arith.MinSIOp | arith.MaxSIOp],
) -> SSAValue:
    """The least or largest of 0 and an Int that counters decide, in all steps of nested folds."""

    def is_inside(each: SSAValue) -> bool:
        return is_within(each, nest[0])

    def extreme(inner: Inserter, before: SSAValue, known: Known) -> SSAValue:
        if len(known) == len(nest):
            return inner.emit(best(before, inner.recomputed(value, dict(known), is_inside)))
        fold = nest[len(known)]

        def step(body: Inserter, k: SSAValue, before: SSAValue) -> SSAValue:
            return extreme(body, before, {**known, fold.counter: k})

        return inner.fold_over(inner.max(fold.count, 0), before, step, [fold.counter])

    return extreme(build, build.integer(0), {})


def _or_negative(build: Builder, lengths: SSAValue, total: SSAValue) -> SSAValue:
    """The least length instead of the total, if it is negative."""
    zero = build.integer(0)
    least = build.reduce(lengths, zero, arith.MinSIOp)
    return build.select(build.compare(least, "slt", zero), least, total)


def as_size(build: Builder, steps: SSAValue) -> SSAValue:
    """A number of steps as a size, so that arrays of this size may leave a loop.

    No run takes more steps than that, and no memory holds them.
    """
    most, zero = build.integer(MOST), build.integer(0)
    is_negative = build.compare(steps, "slt", zero)
    steps = build.select(is_negative, most, steps)
    return build.max(build.min(steps, most), zero)
