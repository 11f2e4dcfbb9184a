"""Loops that read positions from arrays: a version for arrays whose elements are in bounds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from xdsl.ir import BlockArgument, Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from ein_mlir.analysis.emitpy.shared_memory import Memory, array_before
from ein_mlir.analysis.emitpy.stored_elements import stores_of, unfilled
from ein_mlir.analysis.scopes import is_within, operations_in
from ein_mlir.dialects import emitpy
from ein_mlir.dialects.emitpy import OBJECT
from ein_mlir.dialects.emitpy.base import is_array
from ein_mlir.host.dataclass import dataclass
from ein_mlir.passes.emitpy.use_python_numbers.plan import INT, is_whole

LEAST_CLIPS = 2
"""The fewest clips of a step that make up for a second loop."""


@dataclass(frozen=True)
class _Clip:
    """``min(max(p, 0), n)``, where p is an element of some arrays, or one of some numbers."""

    op: emitpy.CallOp
    position: SSAValue
    last: SSAValue
    arrays: frozenset[SSAValue]
    numbers: frozenset[int]


@dataclass(frozen=True)
class Version:
    """A loop without clips, and whether it is taken."""

    loop: emitpy.ForOp
    arrays: Mapping[SSAValue, SSAValue]
    """The arrays whose elements are positions, each with that condition."""


def version_of(loop: emitpy.ForOp) -> Version | None:
    """A copy of a loop before it, which takes the steps if all elements are in bounds::

    is_inside = are_positions(a, n - 1, steps)
    for k in range(steps if is_inside else 0):
        s = a[s]
    for k in range(0 if is_inside else steps):
        t = a[min(max(t, 0), n - 1)]
    s if is_inside else t
    """
    clips = list(_clips(loop)) if loop.conditional is None and loop.step is None else []
    if len(clips) < LEAST_CLIPS:
        return None
    is_inside, written = _test(loop, clips), stores_of(loop).keys()
    inside = loop.clone()
    copies = dict(zip(operations_in(loop), operations_in(inside), strict=True))
    Rewriter.insert_op(inside, InsertPoint.before(loop))
    _limit(inside, is_inside, taken=True)
    _limit(loop, is_inside, taken=False)
    _join(inside, loop, is_inside)
    for clip in clips:
        Rewriter.replace_op(copies[clip.op], [], [_copy(clip.position, copies)])
    arrays = {array for clip in clips for array in clip.arrays}
    return Version(inside, dict.fromkeys(arrays - written, is_inside))


def _test(loop: emitpy.ForOp, clips: Sequence[_Clip]) -> SSAValue:
    """Whether all positions are in bounds, before a loop."""
    place, tests = InsertPoint.before(loop), list[Operation]()
    pairs = dict.fromkeys((array, clip.last) for clip in clips for array in clip.arrays)
    bounds = dict.fromkeys((x, clip.last) for clip in clips for x in sorted(clip.numbers - {0}))
    for array, last in pairs:
        tests.append(emitpy.HelperOp("np.are_positions", [array, last, loop.count], OBJECT))
    for number, last in bounds:
        Rewriter.insert_op(literal := emitpy.LiteralOp(number), place)
        tests.append(emitpy.BinaryOp(literal, "<=", last, OBJECT))
    Rewriter.insert_op(tests, place)
    result, *others = (test.results[0] for test in tests)
    for other in others:
        Rewriter.insert_op(both := emitpy.BinaryOp(result, "and", other, OBJECT), place)
        result = both.result
    result.name_hint = "is_inside"
    return result


def _limit(loop: emitpy.ForOp, condition: SSAValue, *, taken: bool) -> None:
    """Let a loop take its steps if a condition holds, or if it does not."""
    zero = emitpy.LiteralOp(0)
    counts = (loop.count, zero) if taken else (zero, loop.count)
    count = emitpy.ConditionalOp(condition, *counts, OBJECT)
    Rewriter.insert_op([zero, count], InsertPoint.before(loop))
    loop.operands[0] = count.result


def _join(first: emitpy.ForOp, second: emitpy.ForOp, is_first: SSAValue) -> None:
    """Let arrays be those of the first loop in the second one, and numbers those of one of them."""
    for number, (one, other) in enumerate(zip(first.res, second.res, strict=True)):
        if is_array(one):
            second.operands[1 + number] = one
            continue
        uses, choice = list(other.uses), emitpy.ConditionalOp(is_first, one, other, other.type)
        Rewriter.insert_op(choice, InsertPoint.after(second))
        for use in uses:
            use.operation.operands[use.index] = choice.result


def is_within_loop(loop: emitpy.ForOp) -> bool:
    """Whether there is a loop around a loop."""
    around = loop.parent_op()
    while around is not None and not isinstance(around, emitpy.ForOp):
        around = around.parent_op()
    return around is not None


def _copy(value: SSAValue, copies: Mapping[Operation, Operation]) -> SSAValue:
    """The copy of a value of a loop."""
    if isinstance(value, BlockArgument):
        around = value.block.parent_op()
        assert around is not None
        return copies[around].regions[0].block.args[value.index]
    assert isinstance(value.owner, Operation)
    return copies[value.owner].results[value.owner.results.index(value)]


def _clips(loop: emitpy.ForOp) -> Iterator[_Clip]:
    """The clips of positions that come from arrays, of which steps store such positions, too."""
    memory, stores = Memory(), stores_of(loop)
    written = {array: memory.roots(array) for array in stores}
    for op in operations_in(loop):
        found = _clipped(op, loop)
        if found is None or not isinstance(op, emitpy.CallOp):
            continue
        position, last = found
        sources = list(_sources(position, loop, stores))
        arrays = {x for x in sources if isinstance(x, SSAValue)}
        numbers = {x for x in sources if isinstance(x, int)}
        is_known = all(
            array is other or roots.isdisjoint(memory.roots(array))
            for array in arrays
            for other, roots in written.items()
        )
        if arrays and None not in sources and is_known and all(x >= 0 for x in numbers):
            yield _Clip(op, position, last, frozenset(arrays), frozenset(numbers))


def _clipped(op: Operation, loop: emitpy.ForOp) -> tuple[SSAValue, SSAValue] | None:
    """The p and n of ``min(max(p, 0), n)`` for a number n from before a loop."""
    match op:
        case emitpy.CallOp() if op.callee.data == "min" and len(op.operands) == 2:
            lower, last = op.operands
        case _:
            return None
    inner = lower.owner
    if op.results[0].type != OBJECT or is_within(last, loop) or last.type != OBJECT:
        return None
    if not isinstance(inner, emitpy.CallOp) or inner.callee.data != "max":
        return None
    position, least = inner.operands
    is_position = position.type == INT and is_within(position, loop)
    return (position, last) if is_position and emitpy.literal_data(least) == 0 else None


def _sources(
    position: SSAValue,
    loop: emitpy.ForOp,
    stores: Mapping[SSAValue, Sequence[emitpy.StoreOp]],
) -> Iterator[SSAValue | int | None]:
    """The arrays and numbers that a position is read from; None for a value of other sources.

    An element of an array that steps write is one from before the loop, or one that they store.
    """
    seen, work = set[SSAValue](), [position]
    while work:
        value = work.pop()
        if value in seen:
            continue
        seen.add(value)
        op = value.owner
        match op:
            case emitpy.ConditionalOp():
                work += [op.if_true, op.if_false]
            case emitpy.CallOp() if op.callee.data == "np.int64":
                work.append(op.operands[0])
            case emitpy.LiteralOp():
                number = emitpy.literal_data(value)
                yield number if isinstance(number, int) else None
            case emitpy.ForOp() if op is loop or loop.is_ancestor(op):
                number = op.results.index(value)
                work += [op.inits[number], op.yielded[number]]
            case emitpy.SubscriptOp() if is_array(op.object) and is_whole(op.object, op.indices):
                array = unfilled(array_before(loop, op.object))
                yield None if is_within(array, loop) else array
                work += [store.value for store in stores.get(array, ())]
            case _:
                around = value.block.parent_op() if isinstance(value, BlockArgument) else None
                if isinstance(around, emitpy.ForOp) and value is not around.counter:
                    number = around.accumulators.index(value)
                    work += [around.inits[number], around.yielded[number]]
                else:
                    yield None
