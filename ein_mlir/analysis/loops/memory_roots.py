"""Where the memory of an array comes from: two arrays without a common root share no memory."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from xdsl.dialects import arith, func, memref, scf
from xdsl.ir import BlockArgument, Operation, OpResult, SSAValue

_FRESH = (memref.AllocOp, memref.AllocaOp, func.CallOp)
"""The operations that make new memory, or return memory of unknown origin."""


def memory_roots(value: SSAValue) -> frozenset[SSAValue | None]:
    """The allocations, arguments and calls that the memory of an array may come from.

    None is memory of unknown origin, which any other may share.
    """
    roots = set[SSAValue | None]()
    seen = set[SSAValue]()
    pending = [value]
    while pending:
        value = pending.pop()
        if value not in seen:
            seen.add(value)
            if _is_root(value):
                roots.add(value)
            else:
                sources = _sources(value)
                roots.update([None] if sources is None else ())
                pending.extend(sources or ())
    return frozenset(roots)


def are_disjoint(roots: frozenset[SSAValue | None], others: frozenset[SSAValue | None]) -> bool:
    """Whether memory with some roots is not that with others."""
    return None not in roots and None not in others and not roots & others


def are_apart(arrays: Iterable[SSAValue], others: Collection[SSAValue]) -> bool:
    """Whether provably no array has memory in common with one of some others."""
    return all(share_no_memory(array, other) for array in arrays for other in others)


def share_no_memory(
    a: SSAValue, b: SSAValue, assumed: frozenset[frozenset[SSAValue]] = frozenset()
) -> bool:
    """Whether two arrays provably have no memory in common, also carried ones that alternate.

    Two carried arrays of a loop share none if their initial values share none, and a step that
    starts with two such arrays ends with two. Memory that a step allocates is not that of the
    arrays that it starts with.
    """
    a, b = _whole(a), _whole(b)
    if a is not b and _is_root(a) and _is_root(b):
        return True
    pair = frozenset((a, b))
    if _is_later_memory(a, b) or _is_later_memory(b, a):
        return True
    if pair in assumed or are_disjoint(memory_roots(a), memory_roots(b)):
        return True
    for array, rest in ((a, b), (b, a)):
        choices = _choices(array)
        if choices:
            return all(share_no_memory(choice, rest, assumed) for choice in choices)
    one, other = _carried(a), _carried(b)
    if a is b or one is None or other is None or one[0] is not other[0]:
        return False
    loop, numbers = one[0], (one[1], other[1])
    last = loop.body.block.last_op
    assert last is not None
    within = frozenset(loop.body.block.args[1 + number] for number in numbers)
    pairs = [[values[number] for number in numbers] for values in (loop.iter_args, last.operands)]
    return all(share_no_memory(x, y, assumed | {pair, within}) for x, y in pairs)


def _is_later_memory(a: SSAValue, b: SSAValue) -> bool:
    """Whether an array is allocated in a body that another one is an argument of."""
    return (
        isinstance(a.owner, memref.AllocOp)
        and isinstance(b, BlockArgument)
        and b.block.find_ancestor_op_in_block(a.owner) is not None
    )


def _whole(value: SSAValue) -> SSAValue:
    """The array that a view is a part of."""
    while type(value.owner) is memref.SubviewOp or type(value.owner) is memref.CastOp:
        value = value.owner.source
    return value


def _choices(value: SSAValue) -> Sequence[SSAValue]:
    """The arrays that a condition chooses a value from."""
    chooses = isinstance(value.owner, scf.IfOp | arith.SelectOp)
    return (_sources(value) or ()) if chooses else ()


def _carried(value: SSAValue) -> tuple[scf.ForOp, int] | None:
    """The loop that carries a value, from step to step or as its result, and its number."""
    if not isinstance(value, BlockArgument):
        loop = value.owner
        return (loop, loop.results.index(value)) if isinstance(loop, scf.ForOp) else None
    loop = value.block.parent_op()
    return (loop, value.index - 1) if isinstance(loop, scf.ForOp) and value.index else None


def _is_root(value: SSAValue) -> bool:
    """Whether a value is fresh memory, or an argument of the function."""
    if type(value) is BlockArgument:
        return type(value.block.parent_op()) is func.FuncOp
    return type(value.owner) in _FRESH


def _sources(value: SSAValue) -> Sequence[SSAValue] | None:
    """The values that a value may be, or is a part of; None if they are not known."""
    if isinstance(value, BlockArgument):
        loop = value.block.parent_op()
        if isinstance(loop, scf.ForOp):
            number = value.index - 1
            return (loop.iter_args[number], *_yielded(loop, number))
        if isinstance(loop, scf.WhileOp):
            return _of_while(loop, value.index)
        return None
    assert isinstance(value, OpResult)
    match value.op:
        case scf.ForOp() as op:
            return (op.iter_args[value.index], *_yielded(op, value.index))
        case scf.WhileOp() as op:
            return _of_while(op, value.index)
        case scf.IfOp() as op:
            return [*_yielded(op, value.index)]
        case arith.SelectOp() as op:
            return (op.lhs, op.rhs)
        case memref.SubviewOp() | memref.CastOp() as op:
            return (op.source,)
        case _:
            return None


def _of_while(op: scf.WhileOp, number: int) -> Sequence[SSAValue]:
    """The values that a value of a loop may be: both regions and the results carry the same."""
    last = op.after_region.block.last_op
    assert last is not None
    return (op.arguments[number], last.operands[number])


def _yielded(op: Operation, number: int) -> Iterable[SSAValue]:
    """The values that the regions of an operation yield for a result."""
    for region in op.regions:
        last = region.block.last_op
        if last is not None:
            yield last.operands[number]
