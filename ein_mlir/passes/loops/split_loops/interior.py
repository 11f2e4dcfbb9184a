"""The interior of a loop, where positions near a border need no clip."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field
from typing import TypeAlias

from xdsl.dialects import arith, memref, scf
from xdsl.ir import BlockArgument, Operation, SSAValue

from ein_mlir.analysis.arithmetic import LinearForm
from ein_mlir.analysis.constants import known_int
from ein_mlir.analysis.loops.index_bounds import (
    IndexBounds,
    is_negative,
    is_possible,
    is_size,
    uncast,
)
from ein_mlir.analysis.predicates import SWAPPED
from ein_mlir.analysis.scopes import is_within, operations_in
from ein_mlir.host.dataclass import dataclass

Loop: TypeAlias = scf.ParallelOp | scf.ForOp

WIDEST_BORDER = 64
"""The most steps before or after which a comparison changes that counts as one at a border."""


def index_of(loop: Loop) -> BlockArgument:
    """The index of a sequential loop, or the last one of a nest."""
    return loop.body.block.args[0 if isinstance(loop, scf.ForOp) else -1]


def end_of(loop: Loop) -> SSAValue:
    """The number of steps of a loop that counts from 0, or of the last one of a nest."""
    return loop.ub if isinstance(loop, scf.ForOp) else loop.upperBound[-1]


@dataclass
class Interior:
    """The steps of a loop in which clips do nothing and comparisons are decided."""

    lows: list[LinearForm] = field(default_factory=list[LinearForm])
    """The first of these steps is at least each of these."""
    highs: list[LinearForm] = field(default_factory=list[LinearForm])
    """The last of them is below each of these."""
    values: dict[SSAValue, SSAValue | bool] = field(
        default_factory=dict[SSAValue, "SSAValue | bool"]
    )
    """The clips and comparisons, with their values there."""
    outside: dict[SSAValue, SSAValue | bool] = field(
        default_factory=dict[SSAValue, "SSAValue | bool"]
    )
    """The clips and conditions that are known in all other steps."""
    border: int | None = None
    """The most steps that are not in it, if their number is known."""


class Finder:
    """Finds the interior of the last loop of a nest, or of a sequential loop."""

    def __init__(self, nest: Loop):
        self._nest = nest
        self._index = index_of(nest)
        self._bounds = IndexBounds(nest, [self._index])
        self._end = self._bounds.of(end_of(nest))
        self._comparisons = list[tuple[arith.CmpiOp, LinearForm, str]]()
        self.found = Interior()

    def interior(self) -> Interior | None:
        """The interior, if some position of an innermost axis, or a count, is simpler there."""
        body = operations_in(self._nest)[1:]
        for op in body:
            match op:
                case arith.MinSIOp():
                    self._add_upper(op)
                case arith.MaxSIOp():
                    self._add_lower(op)
                case arith.CmpiOp():
                    self._add_comparison(op)
                case _:
                    pass
        self._decide_others()
        positions = [
            op.indices[-1]
            for op in body
            if isinstance(op, memref.LoadOp | memref.StoreOp) and op.indices
        ]
        counts = [op.ub for op in body if isinstance(op, scf.ForOp)]
        needed = _operands_within(self._nest, [*positions, *counts])
        self.found.border = self._border()
        is_split = bool(self.found.lows or self.found.highs)
        return self.found if is_split and not needed.isdisjoint(self.found.values) else None

    def _border(self) -> int | None:
        """The most steps outside of the interior; in a shorter loop than that, all are."""
        end = self._end.least if self._end is not None and self._end.is_fixed else None
        starts = [form.known() for form in self.found.lows]
        ends = [None if end is None else (end - form).known() for form in self.found.highs]
        known = [number for number in (*starts, *ends) if number is not None]
        if len(known) < len(starts) + len(ends):
            return None
        return max([0, *known[: len(starts)]]) + max([0, *known[len(starts) :]])

    def _inside(self, value: SSAValue) -> SSAValue:
        """The position that a clipped one is in the interior."""
        position = uncast(value)
        known = self.found.values.get(position)
        return self._inside(known) if isinstance(known, SSAValue) else position

    def _distance(self, value: SSAValue, sign: int = 1) -> tuple[LinearForm, LinearForm] | None:
        """The least and the greatest ``c`` of ``j + c``, for the index j, or of ``c - j``."""
        found = self._bounds.of(value)
        if found is None or not all(map(self._is_known, found.forms())):
            return None
        if any(form.coefficients.get(self._index) != sign for form in found.forms()):
            return None
        own = LinearForm.of(self._index) * sign
        return found.least - own, found.greatest - own

    def _is_known(self, form: LinearForm) -> bool:
        return all(is_size(atom, self._nest) for atom in form.coefficients)

    def _is_border(self, excess: LinearForm) -> bool:
        """Whether the last step exceeds a limit, by its sizes; `version-loops` tests all others."""
        end = self._end
        return end is not None and end.is_fixed and not is_possible(end.least - 1 + excess)

    def _is_never(self, excess: LinearForm) -> bool:
        """Whether no step exceeds a limit."""
        end = self._end
        return end is not None and end.is_fixed and is_negative(end.least - 1 + excess)

    def _limit(self, value: SSAValue) -> LinearForm | None:
        """A number that is the same in all steps."""
        found = self._bounds.of(value)
        is_same = found is not None and found.is_fixed and self._is_known(found.least)
        if found is None or not is_same or self._index in found.least.coefficients:
            return None
        return found.least

    def _add_upper(self, op: arith.MinSIOp) -> None:
        """``min(j + c, last)`` is ``j + c`` below ``last - c + 1``; a count is the last after.

        ``min(c - j, last)`` is ``c - j`` from ``c - last`` on.
        """
        position, last = self._inside(op.lhs), self._limit(op.rhs)
        distance, back = self._distance(position), self._distance(position, -1)
        if last is None:
            return
        if back is not None:
            self._clip(op, back, back[1] - last, self.found.lows)
        elif distance is None:
            return
        elif self._is_never(distance[1] - last):
            self._remove(op)
        elif self._is_border(distance[1] - last):
            self._clip(op, distance, last - distance[1] + 1, self.found.highs)
        elif _is_count(op.result) and distance[0] == distance[1]:
            self.found.lows.append(last - distance[0])
            self.found.values[op.result] = op.rhs

    def _add_lower(self, op: arith.MaxSIOp) -> None:
        """``max(j + c, 0)`` is ``j + c`` from ``-c`` on, ``max(c - j, 0)`` is ``c - j`` up to c."""
        position = self._inside(op.lhs)
        distance, back = self._distance(position), self._distance(position, -1)
        if known_int(op.rhs) != 0:
            return
        if back is not None and not self._is_never(-back[0]):
            self._clip(op, back, back[0] + 1, self.found.highs)
        elif distance is not None and is_negative(-distance[0]):
            self._remove(op)
        elif distance is not None and not is_possible(-distance[0]):
            self._clip(op, distance, -distance[0], self.found.lows)

    def _clip(
        self,
        op: arith.MinSIOp | arith.MaxSIOp,
        distance: tuple[LinearForm, LinearForm],
        bound: LinearForm,
        bounds: list[LinearForm],
    ) -> None:
        """A clip does nothing on one side of a bound; it is the limit on the other."""
        bounds.append(bound)
        self._remove(op)
        if distance[0] == distance[1]:
            self.found.outside[op.result] = op.rhs

    def _remove(self, clip: arith.MinSIOp | arith.MaxSIOp) -> None:
        """A clip is its position, which may be a clip itself."""
        self.found.values[clip.result] = self.found.values.get(clip.lhs, clip.lhs)

    def _add_comparison(self, op: arith.CmpiOp) -> None:
        """``j + c < x`` is decided from ``x - c`` on if that is near the start, or before it."""
        lhs, rhs, predicate = op.lhs, op.rhs, _PREDICATES.get(op.predicate.value.data)
        if predicate is None:
            return
        if self._distance(lhs) is None:
            lhs, rhs, predicate = rhs, lhs, SWAPPED[predicate]
        distance, limit = self._distance(lhs), self._limit(rhs)
        if distance is None or limit is None or distance[0] != distance[1]:
            return
        change = limit - distance[0]
        if predicate in ("<=", ">"):
            change, predicate = change + 1, "<" if predicate == "<=" else ">="
        self._decide(op, change, predicate)
        self._comparisons.append((op, change, predicate))

    def _decide(self, op: arith.CmpiOp, change: LinearForm, predicate: str) -> None:
        start, end = change.known(), None
        if self._end is not None and self._end.is_fixed:
            end = (change - self._end.least).known()
        if start is not None and abs(start) <= WIDEST_BORDER:
            self.found.lows.append(change + (1 if predicate in ("==", "!=") else 0))
            self.found.values[op.result] = predicate in (">=", "!=")
        elif end is not None and abs(end) <= WIDEST_BORDER:
            self.found.highs.append(change)
            self.found.values[op.result] = predicate in ("<", "!=")

    def _decide_others(self) -> None:
        """Decide other comparisons by the bounds, and those of the other steps by a single one."""
        lows = {form for form in self.found.lows if (form.known() or 1) > 0}
        highs = {*self.found.highs}
        inside, outside = self.found.values, self.found.outside
        if len(lows) + len(highs) != 1:
            outside.clear()
        for op, change, predicate in self._comparisons:
            is_before = any(is_negative(high - change) for high in highs)
            is_after = any(is_negative(change - low) for low in lows)
            if is_before or (is_after and predicate in ("<", ">=")):
                inside[op.result] = predicate in (("<", "!=") if is_before else (">=",))
            if len(lows) + len(highs) == 1 and predicate in ("<", ">="):
                if any(is_negative(change - high) for high in highs):
                    outside[op.result] = predicate == ">="
                elif any(is_negative(low - change) for low in lows):
                    outside[op.result] = predicate == "<"


def _is_count(value: SSAValue) -> bool:
    """Whether a value is the upper bound of loops alone: windows at the start are shorter."""
    uses = list(value.uses)
    for use in value.uses:
        if isinstance(use.operation, arith.IndexCastOp):
            uses.remove(use)
            uses += use.operation.result.uses
    return bool(uses) and all(
        isinstance(use.operation, scf.ForOp) and use.index == 1 for use in uses
    )


_PREDICATES = {0: "==", 1: "!=", 2: "<", 3: "<=", 4: ">", 5: ">="}
"""The numbers of the comparisons of signed integers."""


def _operands_within(nest: Operation, values: Sequence[SSAValue]) -> set[SSAValue]:
    """The values in a nest that others are computed from, and these."""
    found, pending = set[SSAValue](), list(values)
    while pending:
        value = pending.pop()
        if value in found or not is_within(value, nest):
            continue
        found.add(value)
        if isinstance(value.owner, Operation) and not isinstance(value.owner, memref.LoadOp):
            pending.extend(value.owner.operands)
    return found
