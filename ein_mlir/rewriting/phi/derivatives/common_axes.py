"""Sums over different loops of values that have much work in common."""

from __future__ import annotations

from collections.abc import Sequence, Set

from xdsl.ir import Block, Operation, SSAValue

from ein_mlir.analysis.phi.element_cost import FEW_READS, cost
from ein_mlir.analysis.scopes import values_behind
from ein_mlir.dialects import phi
from ein_mlir.rewriting.phi.derivatives.contributions import Contribution, Loop, is_fixed
from ein_mlir.rewriting.phi.derivatives.copies import Copies
from ein_mlir.rewriting.phi.derivatives.sizes import is_visible


class CommonAxes:
    """The contributions of each body, by the loops whose indices are their positions.

    In ``c[k] += f(i, j, k); s += g(i, j, k)``, ``s`` is the sum over ``k`` of an array of sums over
    ``i`` and ``j``, as ``c`` is one: the same loops compute both arrays, and what ``f`` and ``g``
    have in common once.
    """

    def __init__(self, copies: Copies):
        self._copies = copies
        self._known: dict[Block, list[Contribution]] = {}
        self._work: dict[tuple[SSAValue, Block], Set[Operation]] = {}

    def note(self, each: Contribution) -> None:
        """Remember a contribution."""
        self._known.setdefault(each.block, []).append(each)

    def found(
        self,
        own: Sequence[Loop],
        rest: Sequence[Loop],
        value: SSAValue,
        home: Block,
        at: Operation | None,
    ) -> Sequence[Loop]:
        """The loops of a sum that are axes of another contribution of the body, and others not."""
        block = None if at is None else at.parent
        for each in self._known.get(block, ()) if block and len(rest) > 1 else ():
            loops = self._loops_of(each, own, rest, home)
            if loops and self._have_much_in_common(value, each.value, home):
                return loops
        return ()

    def _loops_of(
        self, each: Contribution, own: Sequence[Loop], rest: Sequence[Loop], home: Block
    ) -> Sequence[Loop]:
        """The other axes of a contribution; none if they are all loops, or it is no sum."""
        places = set(map(phi.uncast, each.positions))
        loops = [loop for loop in rest if loop.variable in places]
        others = places - {loop.variable for loop in (*own, *loops)}
        is_sum = len(loops) < len(rest) and all(loop.variable in places for loop in own)
        are_known = all(is_visible(loop.size, home) for loop in loops)
        is_whole = are_known and all(is_fixed(place, home) for place in others)
        return loops if is_sum and is_whole else ()

    def _have_much_in_common(self, value: SSAValue, other: SSAValue, home: Block) -> bool:
        """Whether the operations that both values are computed by take long."""
        shared = self._work_of(value, home) & self._work_of(other, home)
        return sum(cost(op) or 0 for op in shared) > FEW_READS

    def _work_of(self, value: SSAValue, home: Block) -> Set[Operation]:
        """The operations of bodies that a value is computed by, and that take time."""
        value = self._copies.now(value)
        if (value, home) not in self._work:
            behind = values_behind([value], lambda each: not is_visible(each, home))
            owners = (each.owner for each in behind)
            self._work[value, home] = {
                op for op in owners if isinstance(op, Operation) and cost(op)
            }
        return self._work[value, home]
