"""How much memory an order of evaluation takes, and which operands had better come first."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from math import prod
from typing import TypeAlias

from xdsl.dialects.builtin import DYNAMIC_INDEX, FixedBitwidthType, TensorType
from xdsl.ir import Operation, OpResult, SSAValue

from ein_mlir.analysis.emitpy.shared_memory import Memory, Roots
from ein_mlir.analysis.hints import isa

Group: TypeAlias = "Operation | None"
"""The operation that a postponed operand comes from, or None for what stays in its place."""

TYPICAL_SIZE = 1024
"""What a size that is not known counts as: arrays of fewer axes hardly count beside others."""


def estimated_bytes(value: SSAValue) -> int:
    """About how much memory an array takes; none for what is no array."""
    if not isa(value.type, TensorType) or not value.type.get_num_dims():
        return 0
    element, shape = value.type.element_type, value.type.get_shape()
    width = element.size if isinstance(element, FixedBitwidthType) else 8
    return width * prod(TYPICAL_SIZE if n == DYNAMIC_INDEX else n for n in shape)


def peak_bytes(
    ops: Sequence[Operation],
    memory: Memory,
    is_last: Callable[[SSAValue], bool],
    placed: Set[SSAValue] = frozenset(),
) -> int:
    """About the most memory that is in use at a time while operations run in an order.

    ``is_last`` says of an array whether these operations are the last that need it. Arrays that are
    there before and after do not count, nor those that are ``placed`` in what is there.
    """
    made: dict[SSAValue, int] = {
        result: estimated_bytes(result)
        for op in ops
        for result in op.results
        if result not in placed and result in memory.roots(result)
    }
    reads = [_roots(op, memory) for op in ops]
    left = Counter(
        root for roots in reads for root in roots if is_last(root) and root not in placed
    )
    live = peak = sum(estimated_bytes(root) for root in left if root not in made)
    for op, roots in zip(ops, reads, strict=True):
        live += sum(made.get(result, 0) for result in op.results)
        peak = max(peak, live)
        for root in roots & left.keys():
            left[root] -= 1
            if not left[root]:
                live -= made[root] if root in made else estimated_bytes(root)
    return peak


def _roots(op: Operation, memory: Memory) -> Roots:
    return Roots().union(*map(memory.roots, op.operands))


def larger_operands_first(ops: Sequence[Operation], memory: Memory) -> list[Operation]:
    """Operations without effects in another order, by the rule of Sethi and Ullman.

    Of two operands, that one is computed first which needs more memory besides what it leaves, so
    that the other does not lie there meanwhile. An operand goes with all that is only there for it;
    it is postponed until behind the one that comes first, and nothing comes earlier.
    """
    return list(_Operands(ops, memory).order())


class _Operands:
    """What the operands of operations need, each with the operations that are there for it only."""

    def __init__(self, ops: Sequence[Operation], memory: Memory):
        self._ops, self._memory = ops, memory
        self._positions = {op: position for position, op in enumerate(ops)}
        self._need, self._left = dict[Operation, int](), dict[Operation, int]()
        self._next = dict[Operation, Operation]()
        for op in ops:
            self._visit(op)

    def _visit(self, op: Operation) -> None:
        """Put the operands of an operation in order; note what it needs, and what it leaves."""
        operands = sorted(self._own_operands(op), key=self._positions.__getitem__)
        best = sorted(operands, key=lambda operand: self._left[operand] - self._need[operand])
        if self._peak(best) < self._peak(operands):
            self._postpone(best)
            operands = best
        left = sum(self._left[operand] for operand in operands)
        made = sum(map(estimated_bytes, filter(self._is_new, op.results)))
        self._need[op] = max(self._peak(operands), left + made)
        is_view = not made and any(map(self._memory.roots, op.results))
        self._left[op] = left if is_view else made

    def _own_operands(self, op: Operation) -> set[Operation]:
        """The operations that make the operands, and nothing else."""
        makers = (v.op for v in op.operands if isinstance(v, OpResult) and v.has_one_use())
        return {maker for maker in makers if maker in self._positions and len(maker.results) == 1}

    def _is_new(self, value: SSAValue) -> bool:
        return value in self._memory.roots(value)

    def _peak(self, operands: Iterable[Operation]) -> int:
        """What operands need, one after the other."""
        peak = left = 0
        for operand in operands:
            peak = max(peak, left + self._need[operand])
            left += self._left[operand]
        return peak

    def _postpone(self, operands: Sequence[Operation]) -> None:
        """Let operands follow each other, where they do not yet."""
        last, place = operands[0], self._positions[operands[0]]
        for operand in operands[1:]:
            if self._positions[operand] < place:
                self._next[last] = operand
            else:
                place = self._positions[operand]
            last = operand

    def order(self) -> Iterator[Operation]:
        """The operations in order, those that are postponed with what is there for them only."""
        groups = self._groups()
        pending = [iter(groups.get(None, ()))]
        while pending:
            for op in pending[-1]:
                yield op
                if op in self._next:
                    pending.append(iter(groups[self._next[op]]))
                    break
            else:
                pending.pop()

    def _groups(self) -> dict[Group, list[Operation]]:
        """The operations that come together, in their order."""
        postponed, group_of = set(self._next.values()), dict[Operation, Group]()
        for op in reversed(self._ops):
            group = op if op in postponed else group_of.setdefault(op, None)
            group_of[op] = group
            group_of.update(dict.fromkeys(self._own_operands(op), group))
        groups = dict[Group, list[Operation]]()
        for op in self._ops:
            groups.setdefault(group_of[op], []).append(op)
        return groups
