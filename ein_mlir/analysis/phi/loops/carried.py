"""Carried scalars: the fields of an accumulator whose next value follows from their own.

Such a field is known before the loop runs: its values before all steps are a scan.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects import arith
from xdsl.ir import Block, SSAValue

from ein_mlir.analysis.phi.loops.combinations import Link, links_of
from ein_mlir.analysis.phi.searches import Search, search_of
from ein_mlir.analysis.scopes import dependents_among
from ein_mlir.dialects.reductions import SCAN_KINDS, combination


@dataclass(frozen=True)
class Combined:
    """The value before, combined with values of the step by links of one kind."""

    links: Sequence[Link]

    @property
    def parts(self) -> list[SSAValue]:
        """The values of a step that the next value depends on."""
        return [part for link in self.links for part in link.parts]


@dataclass(frozen=True)
class Taken:
    """The value before, or a value of the step, as conditions of the step select."""

    choice: SSAValue
    """The next value: selections whose branches are values of the step, or one of ``previous``."""
    previous: frozenset[SSAValue]
    parts: Sequence[SSAValue]


@dataclass(frozen=True)
class Improved:
    """The better one of the value before and a value of the step."""

    search: Search

    @property
    def parts(self) -> list[SSAValue]:
        """The values of a step that the next value depends on."""
        return [*self.search.candidates, *self.search.guards]


Carried = Combined | Taken | Improved


def carried(next_value: SSAValue, previous: Sequence[SSAValue], block: Block) -> Carried | None:
    """The dependence of the next value of a scalar field on its previous one; None if another."""
    varying = set[SSAValue](previous)
    for each in previous:
        varying |= dependents_among(block.ops, each)
    links = links_of(next_value, previous, block)
    if links and len({link.kind for link in links}) == 1:
        kind = links[0].kind
        if kind in SCAN_KINDS and combination(kind, next_value.type) is not None:
            return Combined(links)
    taken = _taken(next_value, frozenset(previous), varying)
    if taken is not None:
        return taken
    search = search_of(next_value, lambda value: 0 if value in previous else None)
    if search is not None and varying.isdisjoint((*search.candidates, *search.guards)):
        return Improved(search)
    return None


def _taken(value: SSAValue, previous: frozenset[SSAValue], varying: set[SSAValue]) -> Taken | None:
    """Selections between values of the step and previous ones, by conditions of the step."""
    parts, pending = list[SSAValue](), [value]
    while pending:
        current = pending.pop()
        if current not in varying:
            parts.append(current)
        elif current not in previous:
            op = current.owner
            if not isinstance(op, arith.SelectOp) or op.cond in varying:
                return None
            parts.append(op.cond)
            pending += [op.lhs, op.rhs]
    return Taken(value, previous, parts)
