"""How many vectors of steps LLVM takes at a time, of a loop that it may vectorise.

A sum waits for the addition of the step before, some cycles: in these, a processor can do other
steps, which need sums of their own. It has them to do already if steps compute much besides, or
several sums. Each vector more is code to compile, and more steps that are left at the end of a row.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from xdsl.dialects import llvm
from xdsl.dialects.builtin import AnyFloat
from xdsl.ir import Block, Operation, SSAValue

MOST = 4
"""The most vectors at a time, which LLVM takes of a sum."""
_ADDITION = 4
"""The cycles of an addition or a product of floats; minima and choices take two such operations."""
_OF_INTS = 2
"""The cycles of an addition of Ints, and of a test of Bools, with the counter of the loop."""
_AT_A_TIME = 2
"""The operations on vectors of floats, and the loads, that start in a cycle."""
_COST: Mapping[type[Operation], int] = {
    llvm.FAddOp: 1,
    llvm.FSubOp: 1,
    llvm.FMulOp: 1,
    llvm.FCmpOp: 1,
    llvm.FDivOp: 16,
}
"""Class of an operation -> what it takes, in operations on vectors."""
_INTRINSICS = {"llvm.sqrt": 20}
"""The first words of an intrinsic -> the same; others are one operation."""
_FUSED = "llvm.fma"
_FEWEST_OF_A_FUNCTION = 6
"""The fewest fused operations of a function, such as `exp`, all of which wait for each other."""


def vectors_at_a_time(head: Block, last: Block, carried: Sequence[SSAValue]) -> int:
    """The number for a loop from its first block to its last, with the values it carries on."""
    waits = max(map(_latency, carried), default=0)
    if not waits:
        return 1
    operations = list(_operations(head, last))
    if _computes_a_function(operations):
        return MOST
    loads = sum(isinstance(op, llvm.LoadOp) for op in operations)
    cycles = max(loads, sum(map(_cost, operations))) / _AT_A_TIME
    count = 1
    while count < MOST and count * cycles < waits:
        count *= 2
    return count


def _computes_a_function(operations: Sequence[Operation]) -> bool:
    calls = [op for op in operations if type(op) is llvm.CallOp]
    fused = [op for op in operations if _is_intrinsic(op, _FUSED)]
    return bool(calls) or len(fused) >= _FEWEST_OF_A_FUNCTION


def _is_intrinsic(op: Operation, word: str) -> bool:
    return isinstance(op, llvm.CallIntrinsicOp) and op.intrin.data.startswith(word)


def _latency(carried: SSAValue) -> int:
    """The cycles until the next step may use a value, at most."""
    if isinstance(carried.type, llvm.LLVMPointerType):
        return 0
    match carried.owner:
        case llvm.FAddOp() | llvm.FSubOp() | llvm.FMulOp():
            return _ADDITION
        case llvm.AddOp() | llvm.OrOp() | llvm.AndOp():
            return _OF_INTS
        case _:
            return 2 * _ADDITION


def _operations(head: Block, last: Block) -> Iterator[Operation]:
    block: Block | None = head
    while block is not None:
        yield from block.ops
        block = None if block is last else block.next_block


def _cost(op: Operation) -> int:
    """What an operation takes; products are fused with the additions of their results."""
    if isinstance(op, llvm.CallIntrinsicOp):
        costs = (cost for word, cost in _INTRINSICS.items() if _is_intrinsic(op, word))
        return next(costs, 1)
    if type(op) is llvm.FMulOp and _is_fused(op.res):
        return 0
    is_mask = type(op) is llvm.SelectOp and isinstance(op.res.type, AnyFloat)
    return 1 if is_mask else _COST.get(type(op), 0)


def _is_fused(product: SSAValue) -> bool:
    use = product.get_user_of_unique_use()
    return isinstance(use, llvm.FAddOp | llvm.FSubOp)
