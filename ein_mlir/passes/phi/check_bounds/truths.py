"""Truth values about numbers of steps, as operations."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import product

from xdsl.ir import Operation, SSAValue

from ein_mlir.analysis.arithmetic import LinearForm
from ein_mlir.analysis.phi.demand import counts_of
from ein_mlir.analysis.phi.index_ranges import IndexRange
from ein_mlir.dialects import phi
from ein_mlir.rewriting.phi.builders import all_of
from ein_mlir.rewriting.phi.insertion import Builder


def is_positive(build: Builder, number: SSAValue) -> SSAValue:
    """``number > 0``"""
    return build.compare(number, "sgt", 0)


def has_steps(build: Builder, loop: Operation) -> SSAValue:
    """Whether the body of a loop runs."""
    counts = list(counts_of(loop))
    if isinstance(loop, phi.ReduceOp):
        counts = [build.size(loop.vec, 0)]
    elif isinstance(loop, phi.WhileOp):
        more = build.proj(loop.init, 0)
        return all_of(build, [more, is_positive(build, loop.count)])
    return all_of(build, [is_positive(build, count) for count in counts])


def runs(
    build: Builder, range_: IndexRange, value: Callable[[LinearForm], SSAValue]
) -> Iterator[SSAValue]:
    """Truth values that all hold if a range is not empty, given the values of forms."""
    for lower, upper in product(range_.lowers, range_.uppers):
        width = (upper - lower).known()
        if width is None or width <= 0:
            yield build.compare(value(lower), "slt", value(upper))
