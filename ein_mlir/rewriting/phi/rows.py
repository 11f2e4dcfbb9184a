"""The steps of rows of several lengths, one row after another."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects import arith
from xdsl.ir import SSAValue

from ein_mlir.analysis.arithmetic import MOST
from ein_mlir.dialects import phi
from ein_mlir.rewriting.phi.builders import (
    Contributions,
    accumulation,
    comprehension,
    count_or_none,
    reduction_by,
)
from ein_mlir.rewriting.phi.insertion import Builder


@dataclass(frozen=True)
class StepsOfRows:
    """One sequence of the steps of all rows."""

    count: SSAValue
    """The number of steps of all rows, as a size."""

    starts: SSAValue
    """The numbers of steps before each row, and of all."""

    numbers: SSAValue
    """The row of each step."""

    def place(self, build: Builder, index: SSAValue) -> tuple[SSAValue, SSAValue]:
        """The row of a step of the sequence, and its number among the steps of the row."""
        row = build.get(self.numbers, [index])
        first = build.get(self.starts, [row])
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
        starts = build.emit(phi.ScanOp("add", lengths))
        total = build.get(starts, [size])
        extent = count_or_none(build, total) if checked else _size(build, total)

        def mark(inner: Builder, at: Sequence[SSAValue]) -> Contributions:
            return [([inner.get(starts, [at[0]])], inner.integer(1))]

        marks = accumulation(build, [size], [("add", [extent])], mark)
        count = _or_negative(build, lengths, total) if checked else extent
        return cls(count, starts, build.emit(phi.ScanOp("add", marks)))

    def steps(self, build: Builder, *counters: SSAValue) -> StepsOfRows:
        """The sequence of the steps of all rows, named by a counter."""

        def number(inner: Builder, at: Sequence[SSAValue]) -> SSAValue:
            one = inner.integer(1)
            return inner.sub(inner.get(self.started, [inner.add(inner.as_int(at[0]), one)]), one)

        numbers = comprehension(build, [self.count], number, counters)
        return StepsOfRows(self.count, self.starts, numbers)


def _or_negative(build: Builder, lengths: SSAValue, total: SSAValue) -> SSAValue:
    """The least length instead of the total, if it is negative."""
    zero = build.integer(0)
    least = build.emit(reduction_by(lengths, zero, arith.MinSIOp))
    return build.select(build.compare(least, "slt", zero), least, total)


def _size(build: Builder, steps: SSAValue) -> SSAValue:
    """A number of steps as a size, so that arrays of this size may leave a loop.

    No run takes more steps than that, and no memory holds them.
    """
    most, zero = build.integer(MOST), build.integer(0)
    is_negative = build.compare(steps, "slt", zero)
    steps = build.select(is_negative, most, steps)
    return build.max(build.min(steps, most), zero)
