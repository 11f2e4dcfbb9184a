"""Spans of positions: limits that conditions on a position imply ::

%is_below = arith.cmpi sge, %i, %j : index        // where it holds, %i is at least %j
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import field
from typing import TypeAlias

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import IndexType
from xdsl.ir import BlockArgument, SSAValue

from ein_mlir.analysis.constants import known_int
from ein_mlir.analysis.predicates import NEGATED, SWAPPED, predicate_of
from ein_mlir.host.dataclass import dataclass

Limits: TypeAlias = Mapping[SSAValue, int]
"""Limits: values, each plus 0 or 1."""


@dataclass(frozen=True)
class Span:
    """Positions that are at least each of some limits, and below each of others."""

    lows: Limits = field(default_factory=dict[SSAValue, int])
    highs: Limits = field(default_factory=dict[SSAValue, int])

    def __and__(self, other: Span) -> Span:
        """The positions in both."""
        return Span(
            {**self.lows, **other.lows, **_common(max, self.lows, other.lows)},
            {**self.highs, **other.highs, **_common(min, self.highs, other.highs)},
        )

    def __or__(self, other: Span) -> Span:
        """A span of the positions in one of both."""
        lows = _common(min, self.lows, other.lows)
        return Span(lows, _common(max, self.highs, other.highs))

    def holds_in(self, other: Span) -> bool:
        """Whether limits, at least one, hold for all positions in another span."""
        return (
            bool(self.lows or self.highs)
            and all(other.lows.get(value, -1) >= number for value, number in self.lows.items())
            and all(other.highs.get(value, 2) <= number for value, number in self.highs.items())
        )


def _common(choose: Callable[[int, int], int], a: Limits, b: Limits) -> Limits:
    return {value: choose(number, b[value]) for value, number in a.items() if value in b}


def union(spans: Iterable[Span]) -> Span:
    """A span of the positions in one of some spans; all positions, if there are none."""
    found: Span | None = None
    for span in spans:
        found = span if found is None else found | span
        if not found.lows and not found.highs:
            break
    return found or Span()


def number_of(value: SSAValue) -> SSAValue:
    """An Int or an index without casts between these."""
    while isinstance(value.owner, arith.IndexCastOp):
        value = value.owner.input
    return value


class Conditions:
    """Finds the span of a position that conditions imply; limits are values of some kind."""

    def __init__(self, position: SSAValue, is_limit: Callable[[SSAValue], bool]):
        self.position = number_of(position)
        self._is_limit = is_limit

    def between(self, low: tuple[SSAValue, int], high: tuple[SSAValue, int]) -> Span:
        """The positions that are at least a limit, and below another; numbers are added to both."""
        return Span(self._limit(*low), self._limit(*high))

    def _limit(self, value: SSAValue, number: int | None) -> Limits:
        value = number_of(value)
        return {} if number is None or not self._is_limit(value) else {value: number}

    def where(self, condition: SSAValue, expected: bool) -> Span:
        """The span that a condition implies, if it holds or does not."""
        test = condition.owner
        if isinstance(test, arith.AndIOp if expected else arith.OrIOp):
            return self.where(test.lhs, expected) & self.where(test.rhs, expected)
        if not isinstance(test, arith.CmpiOp):
            return Span()
        predicate, limit = predicate_of(test), test.rhs
        if expected and predicate == "eq" and (found := self._where_chosen(test)) is not None:
            return found
        if number_of(test.rhs) is self.position:
            predicate, limit = SWAPPED[predicate], test.lhs
        elif number_of(test.lhs) is not self.position:
            return Span()
        low, high = _SPANS.get(predicate if expected else NEGATED[predicate], (None, None))
        return Span(self._limit(limit, low), self._limit(limit, high))

    def _where_chosen(self, test: arith.CmpiOp) -> Span | None:
        """The span of ``i == select(c, p, -1)``, for an index: c holds, and ``i == p``."""
        if (choice := chosen_place(test)) is None:
            return None
        is_own = number_of(test.lhs) is self.position
        place = self.between((choice.lhs, 0), (choice.lhs, 1)) if is_own else Span()
        return self.where(choice.cond, True) & place


def chosen_place(test: arith.CmpiOp) -> arith.SelectOp | None:
    """``select(c, p, -1)``, if a comparison is between that and an index: c need not be a limit."""
    choice = test.rhs.owner
    if not isinstance(choice, arith.SelectOp) or not _is_index(number_of(test.lhs)):
        return None
    number = known_int(choice.rhs)
    return choice if number is not None and number < 0 else None


def _is_index(value: SSAValue) -> bool:
    """Whether a value is the index of a loop, which is not negative."""
    loop = value.owner.parent_op() if isinstance(value, BlockArgument) else None
    return isinstance(loop, scf.ForOp | scf.ParallelOp) and isinstance(value.type, IndexType)


_SPANS: Mapping[str, Sequence[int | None]] = {
    "sge": (0, None),
    "sgt": (1, None),
    "sle": (None, 1),
    "slt": (None, 0),
    "eq": (0, 1),
}
"""For each predicate the least position above a limit, and the first one that is not below."""
