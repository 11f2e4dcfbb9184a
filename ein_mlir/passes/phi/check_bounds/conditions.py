"""Conditions under which positions are used, without those that provably hold."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import SSAValue

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
from ein_mlir.analysis.phi.index_ranges import Comparison, IndexRanges
from ein_mlir.analysis.phi.position_bounds import PositionBounds
from ein_mlir.analysis.phi.selections import Test, conjuncts
from ein_mlir.analysis.scopes import is_within
from ein_mlir.dialects import phi

OPPOSITE = {"<": ">=", ">=": "<", "==": "!=", "!=": "=="}


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
            predicate = OPPOSITE[comparison.predicate]
            comparison = Comparison(comparison.index, predicate, comparison.threshold)
        found.append(comparison)
    return found


class Simplifier:
    """Simplifies the conditions of a block."""

    def __init__(self, bounds: PositionBounds):
        """``bounds`` are the facts that hold in the block."""
        self._bounds = bounds
        self._simple = {ALWAYS: ALWAYS}

    def __call__(self, condition: Condition) -> Condition:
        """An equivalent condition."""
        pending = [condition]
        while condition not in self._simple:
            current = pending[-1]
            missing = [part for part in parts_of(current) if part not in self._simple]
            pending.extend(missing)
            if not missing:
                self._simple[current] = self._simplified(current)
                pending.pop()
        return self._simple[condition]

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
        tests = conjunction(inner)
        if not isinstance(loop, phi.ArrayOp) or tests is None:
            return False
        if not all(is_within(test.condition, loop) for test in tests):
            return False
        bounds = self._bounds.where(outer.tests, outer.counts)
        ranges = IndexRanges(loop, bounds.forms, None)
        found = comparisons(loop, tests, ranges)
        compared = {each.index: each for each in found if each is not None}
        return len(compared) == len(tests) and all(
            _holds_somewhere(bounds, compared.get(index), size)
            for index, size in zip(loop.indices, loop.sizes, strict=True)
        )


def _holds_somewhere(bounds: PositionBounds, comparison: Comparison | None, size: SSAValue) -> bool:
    """Whether a comparison provably holds for some index below a size."""
    last = bounds.forms.extent(size) - 1
    if comparison is None:
        return bounds.is_nonnegative(last)
    threshold = comparison.threshold
    match comparison.predicate:
        case "==":
            return bounds.is_nonnegative(threshold) and bounds.is_nonnegative(last - threshold)
        case ">=":
            return bounds.is_nonnegative(last) and bounds.is_nonnegative(last - threshold)
        case "<":
            return bounds.is_nonnegative(last) and bounds.is_nonnegative(threshold - 1)
        case _:
            return False
