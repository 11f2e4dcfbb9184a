"""Conditions under which positions are used, without those that provably hold."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product

from xdsl.ir import BlockArgument

from ein_mlir.analysis.arithmetic import LinearForm
from ein_mlir.analysis.phi.demand import (
    ALWAYS,
    Both,
    Condition,
    Either,
    InSomeStep,
    both,
    either,
    in_some_step,
)
from ein_mlir.analysis.phi.index_ranges import Comparison, IndexRange, IndexRanges
from ein_mlir.analysis.phi.position_bounds import PositionBounds
from ein_mlir.analysis.phi.selections import Test, conjuncts
from ein_mlir.analysis.predicates import NEGATED
from ein_mlir.dialects import phi


def parts_of(condition: Condition) -> Sequence[Condition]:
    """The conditions of the same block that a condition consists of."""
    match condition:
        case Both(outer=outer) | InSomeStep(outer=outer):
            return () if outer is ALWAYS else (outer,)
        case Either(parts=parts):
            return parts
        case _:
            return ()


def conjunction(condition: Condition) -> list[Test] | None:
    """The tests that a condition is the conjunction of; None for other conditions."""
    tests = list[Test]()
    while isinstance(condition, Both):
        assert condition.test is not None
        tests.extend(conjuncts(condition.test))
        condition = condition.outer
    return tests if condition is ALWAYS else None


def comparisons(
    loop: phi.ArrayOp | phi.FoldOp, tests: Sequence[Test], ranges: IndexRanges
) -> list[Comparison | None]:
    """The comparison of an index of a loop, if a test is one, for each of some tests."""
    found = list[Comparison | None]()
    for test in tests:
        comparison = ranges.comparison(test.condition)
        if comparison is not None and not test.expected:
            predicate = NEGATED[comparison.predicate]
            comparison = Comparison(comparison.index, predicate, comparison.threshold)
        found.append(comparison)
    return found


def range_of(
    loop: phi.ArrayOp | phi.FoldOp,
    index: BlockArgument,
    found: Sequence[Comparison | None],
    ranges: IndexRanges,
) -> IndexRange:
    """The steps of a loop in which comparisons hold for an index, except equations with ``!=``."""
    range_ = IndexRange((LinearForm(),), (ranges.extent(index),))
    for each in found:
        if each is not None and each.index is index:
            range_ = _cut(range_, each, ranges)
    return range_


def _cut(range_: IndexRange, comparison: Comparison, ranges: IndexRanges) -> IndexRange:
    threshold = comparison.threshold
    if comparison.predicate in (">=", "==") and not ranges.is_from(range_, threshold):
        range_ = ranges.cut(range_, threshold)[1]
    last = threshold + 1 if comparison.predicate == "==" else threshold
    if comparison.predicate in ("<", "==") and not ranges.is_below(range_, last):
        range_ = ranges.cut(range_, last)[0]
    return range_


def spans_of(
    loop: phi.ArrayOp, tests: Sequence[Test], ranges: IndexRanges
) -> list[IndexRange] | None:
    """Ranges of the indices of a loop: tests hold in some step if none is empty.

    None if there is another condition.
    """
    found = comparisons(loop, tests, ranges)
    spans = [range_of(loop, index, found, ranges) for index in loop.indices]
    for each in found:
        if each is None:
            return None
        if each.predicate == "!=" and not ranges.holds(each, spans[each.index.index]):
            return None
    return spans


class Conditions:
    """The conditions of a block, and the facts that hold under them."""

    def __init__(self, bounds: PositionBounds):
        """``bounds`` are the facts that hold in the block."""
        self._bounds = bounds
        self._simple = {ALWAYS: ALWAYS}

    def simple(self, condition: Condition) -> Condition:
        """An equivalent condition, without the parts that provably hold."""
        pending = [condition]
        while condition not in self._simple:
            current = pending[-1]
            missing = [part for part in parts_of(current) if part not in self._simple]
            pending.extend(missing)
            if not missing:
                self._simple[current] = self._simplified(current)
                pending.pop()
        return self._simple[condition]

    def under(self, condition: Condition) -> PositionBounds:
        """The facts under a condition."""
        bounds = self._bounds.where(condition.tests, condition.counts)
        for each in _chain(condition):
            if isinstance(each, InSomeStep):
                spans = self._spans(each.loop, each.inner) or ()
                bounds = bounds.knowing(width for span in spans for width in _widths(span))
        return bounds

    def _simplified(self, condition: Condition) -> Condition:
        match condition:
            case Both(test=Test() as test):
                return both(self._simple[condition.outer], test)
            case Either(parts=parts):
                return either(self._simple[part] for part in parts) or ALWAYS
            case InSomeStep(loop=phi.BodyOp() as loop, inner=inner):
                outer = self._simple[condition.outer]
                is_certain = self._is_certain(loop, inner, outer)
                return outer if is_certain else in_some_step(loop, inner, outer)
            case _:
                return condition

    def _is_certain(self, loop: phi.BodyOp, inner: Condition, outer: Condition) -> bool:
        """Whether a condition provably holds in some step of a loop that is used.

        ``(i < n) & (i == p)`` holds for some ``i`` if ``0 <= p < n``.
        """
        spans = self._spans(loop, inner)
        if spans is None:
            return False
        bounds = self.under(outer)
        return all(bounds.is_nonnegative(width) for span in spans for width in _widths(span))

    def _spans(self, loop: phi.BodyOp | None, inner: Condition) -> list[IndexRange] | None:
        """Ranges that are not empty if, and only if, a condition holds in some step of a loop."""
        tests = conjunction(inner)
        if not isinstance(loop, phi.ArrayOp) or tests is None:
            return None
        return spans_of(loop, tests, IndexRanges(loop, self._bounds.forms, None))


def _chain(condition: Condition) -> Iterator[Condition]:
    """The conditions of a block that a condition is the conjunction of."""
    while isinstance(condition, Both | InSomeStep):
        yield condition
        condition = condition.outer


def _widths(range_: IndexRange) -> Iterator[LinearForm]:
    """The forms that are all non-negative if a range is not empty."""
    for lower, upper in product(range_.lowers, range_.uppers):
        yield upper - lower - 1
