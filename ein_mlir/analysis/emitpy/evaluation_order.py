"""Peak memory of an order of evaluation, and the order of operands that reduces it."""

# pyright: reportPrivateUsage=false

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from math import prod
from typing import TypeAlias

from xdsl.dialects.builtin import DYNAMIC_INDEX, FixedBitwidthType, TensorType
from xdsl.ir import Operation, OpResult, SSAValue

from ein_mlir.analysis.emitpy.shared_memory import Memory, Roots
from ein_mlir.analysis.hints import isa
from ein_mlir.dialects.emitpy.base import has_memory

Group: TypeAlias = "Operation | None"
"""The operation that computes a postponed operand; None for operations that are not moved."""

TYPICAL_SIZE = 1024
"""The estimate of a dynamic size: arrays of lower rank are negligible next to others."""


def estimated_bytes(value: SSAValue) -> int:
    """The estimated memory of an array; 0 for other values."""
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
    """The estimated peak memory of operations in an order.

    ``is_last`` is whether these operations contain the last use of an array. Arrays that are live
    before and after do not count, nor arrays that are ``placed`` in existing memory.
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
    return Roots().union(*map(memory.roots, op._operands))


def larger_operands_first(ops: Sequence[Operation], memory: Memory) -> list[Operation]:
    """Pure operations in another order, by the rule of Sethi and Ullman.

    Of two operands, the one that needs more temporary memory is computed first, before the other
    one is allocated. An operand moves together with the operations that only it depends on. It is
    postponed until after the operand that comes first; no operation moves forward.
    """
    operands = _Operands(ops, memory)
    return list(operands.order() if operands.is_new else ops)


class _Operands:
    """The memory of operands, each with the operations that only it uses."""

    def __init__(self, ops: Sequence[Operation], memory: Memory):
        self._ops, self._memory = ops, memory
        self._positions = {op: position for position, op in enumerate(ops)}
        self._need, self._left = dict[Operation, int](), dict[Operation, int]()
        self._next = dict[Operation, Operation]()
        for op in ops:
            self._visit(op)

    @property
    def is_new(self) -> bool:
        """Whether the order is another one."""
        return bool(self._next)

    def _visit(self, op: Operation) -> None:
        """Order the operands of an operation; note its peak memory and the memory it leaves."""
        operands = sorted(self._own_operands(op), key=self._positions.__getitem__)
        peak = self._peak(operands)
        if len(operands) > 1:
            best = sorted(operands, key=lambda operand: self._left[operand] - self._need[operand])
            if (lower := self._peak(best)) < peak:
                self._postpone(best)
                operands, peak = best, lower
        left = sum([self._left[operand] for operand in operands])
        made = sum(map(estimated_bytes, filter(self._is_new, op.results)))
        self._need[op] = max(peak, left + made)
        is_view = not made and any(map(self._memory.roots, op.results))
        self._left[op] = left if is_view else made

    def _own_operands(self, op: Operation) -> set[Operation]:
        """The operations that compute the operands and have no other user."""
        makers = (v.op for v in op._operands if isinstance(v, OpResult) and v.has_one_use())
        return {maker for maker in makers if maker in self._positions and len(maker.results) == 1}

    def _is_new(self, value: SSAValue) -> bool:
        return has_memory(value.type) and value in self._memory.roots(value)

    def _peak(self, operands: Iterable[Operation]) -> int:
        """The peak memory of operands that are computed in sequence."""
        peak = left = 0
        for operand in operands:
            peak = max(peak, left + self._need[operand])
            left += self._left[operand]
        return peak

    def _postpone(self, operands: Sequence[Operation]) -> None:
        """Let operands follow each other; note those that this moves."""
        last, place = operands[0], self._positions[operands[0]]
        for operand in operands[1:]:
            if self._positions[operand] < place:
                self._next[last] = operand
            else:
                place = self._positions[operand]
            last = operand

    def order(self) -> Iterator[Operation]:
        """The operations in order; a postponed one comes with the operations that only it uses."""
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
        """The operations that are moved together, in their order."""
        postponed, group_of = set(self._next.values()), dict[Operation, Group]()
        for op in reversed(self._ops):
            group = op if op in postponed else group_of.setdefault(op, None)
            group_of[op] = group
            group_of.update(dict.fromkeys(self._own_operands(op), group))
        groups = dict[Group, list[Operation]]()
        for op in self._ops:
            groups.setdefault(group_of[op], []).append(op)
        return groups
