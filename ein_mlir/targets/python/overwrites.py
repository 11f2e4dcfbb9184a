"""The overwrites of arrays in a function, before which held expressions must be evaluated."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Iterable, Iterator

from xdsl.dialects import func
from xdsl.ir import BlockArgument, Operation, SSAValue

from ein_mlir.analysis.emitpy.shared_memory import Memory, Roots
from ein_mlir.analysis.scopes import operations_in
from ein_mlir.dialects import emitpy


class Overwrites:
    """The operations of a function that overwrite each array, by their positions in the text."""

    def __init__(self, function: func.FuncOp, memory: Memory):
        self._memory = memory
        self._positions = {op: position for position, op in enumerate(operations_in(function))}
        self._overwrites: dict[SSAValue, list[int]] = {}
        self._held: dict[SSAValue, Roots] = {}
        loops = dict[emitpy.ForOp, None]()
        for op in self._positions:
            if isinstance(op, emitpy.AugmentOp | emitpy.CallIntoOp | emitpy.StoreOp):
                self._add(op, op.target)
                around = dict.fromkeys(_loops_around(op))
                self._add_accumulators(op, reversed(around))
                loops.update(around)
        for loop in loops:
            for init in loop.inits:
                self._add(loop, init)
        for positions in self._overwrites.values():
            positions.sort()

    def _add(self, op: Operation, target: SSAValue) -> None:
        """Note the overwritten memory: that of an accumulator is also that of its initial value.

        Steps may read elements through the latter (see ``use-python-numbers``).
        """
        pending, seen = list(self._memory.roots(target)), set[SSAValue]()
        while pending:
            root = pending.pop()
            if root in seen:
                continue
            seen.add(root)
            self._overwrites.setdefault(root, []).append(self._positions[op])
            loop = root.block.parent_op() if isinstance(root, BlockArgument) else None
            if isinstance(loop, emitpy.ForOp) and isinstance(root, BlockArgument) and root.index:
                pending.extend(self._memory.roots(loop.inits[root.index - 1]))

    def _add_accumulators(self, op: Operation, loops: Iterable[emitpy.ForOp]) -> None:
        """Note the accumulators whose initial values an operation in the steps overwrites.

        Steps may write elements through these (see ``use-python-numbers``).
        """
        for loop in loops:
            for accumulator, init in zip(loop.accumulators, loop.inits, strict=True):
                written = (self._overwrites.get(root, [-1]) for root in self._memory.roots(init))
                if any(positions[-1] == self._positions[op] for positions in written):
                    self._add(op, accumulator)

    def position(self, op: Operation) -> int:
        """The number of an operation in the order of the text."""
        return self._positions[op]

    def hold(self, op: Operation) -> None:
        """Note that an expression is held, so that its use reads its operands."""
        if self._overwrites:
            self._held[op.results[0]] = self._read_by(op)

    def _read_by(self, op: Operation) -> Roots:
        """The arrays that an expression reads, as a whole or in part."""
        return Roots().union(
            *(self._memory.roots(v) | self._held.get(v, Roots()) for v in op.operands)
        )

    def separate(self, op: Operation, use: Operation) -> bool:
        """Whether an operand of an expression is overwritten before a use in the same block."""
        if not self._overwrites:
            return False
        start, end = self._positions[op], self._end(use)
        for root in self._read_by(op):
            positions = self._overwrites.get(root, [])
            following = bisect_right(positions, start)
            if following < len(positions) and positions[following] < end:
                return True
        return False

    def _end(self, use: Operation) -> float:
        """The position at which a use reads; for a slice, that of the last use of the slice."""
        if not isinstance(use, emitpy.SliceOp):
            return self._positions[use]
        users = [inner.operation for inner in use.result.uses]
        if any(user.parent is not use.parent for user in users):
            return math.inf
        return max((self._positions[user] for user in users), default=self._positions[use])


def _loops_around(op: Operation) -> Iterator[emitpy.ForOp]:
    parent = op.parent_op()
    while parent is not None:
        if isinstance(parent, emitpy.ForOp):
            yield parent
        parent = parent.parent_op()
