"""``unroll-single-blocks``: blocks of small arrays, in loops, are the whole arrays."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeGuard

from xdsl.dialects import func
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from ein_mlir.analysis.manager import AnalysisManager
from ein_mlir.analysis.scopes import ancestors, innermost_first, operations_in
from ein_mlir.dialects import emitpy
from ein_mlir.dialects.creation import copy_of
from ein_mlir.rewriting.dead_code import erase_unused
from ein_mlir.rewriting.emitpy.calls import WRITES
from ein_mlir.rewriting.passes import FunctionPass

MOST_OPERATIONS = 100
"""The most operations of a body that is copied: more calls take longer than their slices."""


def unroll_single_block(loop: emitpy.ForOp) -> None:
    """Take the only block of arrays that are no longer than one without slices."""
    step = loop.step
    assert step is not None
    none = emitpy.LiteralOp(0)
    some = emitpy.BinaryOp(none, "<", loop.count, emitpy.OBJECT)
    fits = emitpy.BinaryOp(loop.count, "<=", step, emitpy.OBJECT)
    is_single = emitpy.BinaryOp(some, "and", fits, emitpy.OBJECT)
    Rewriter.insert_op((none, some, fits, is_single), InsertPoint.before(loop))
    single = _conditional(loop, is_single.result, loop.inits, is_expected=True)
    _copy_whole(loop, single.body.block)
    blocks = _conditional(loop, is_single.result, single.res, is_expected=False)
    for old, new in zip(loop.res, blocks.res, strict=True):
        old.replace_all_uses_with(new)
        new.name_hint = old.name_hint
    loop.detach()
    for index, accumulator in enumerate(blocks.accumulators):
        loop.operands[1 + index] = accumulator
    blocks.body.block.add_ops((loop, emitpy.YieldOp(*loop.res)))


def _conditional(
    loop: emitpy.ForOp, condition: SSAValue, inits: Sequence[SSAValue], *, is_expected: bool
) -> emitpy.ForOp:
    """A loop of one step if a condition is as expected, and else of none, before another loop."""
    if_true, if_false = emitpy.LiteralOp(int(is_expected)), emitpy.LiteralOp(int(not is_expected))
    count = emitpy.ConditionalOp(condition, if_true, if_false, emitpy.OBJECT)
    block = Block(arg_types=[emitpy.OBJECT, *(init.type for init in inits)])
    for own, name in zip(block.args[1:], loop.accumulators, strict=True):
        own.name_hint = name.name_hint
    result = emitpy.ForOp(count, inits, Region(block))
    result.location = loop.location
    Rewriter.insert_op((if_true, if_false, count, result), InsertPoint.before(loop))
    return result


def _copy_whole(loop: emitpy.ForOp, into: Block) -> None:
    """Copy the body of a loop over blocks for the only one: its parts of arrays are the arrays."""
    written = _written(loop)
    start = emitpy.LiteralOp(0)
    into.add_op(start)
    own = start.result, *into.args[1:]
    values = dict[SSAValue, SSAValue](zip(loop.body.block.args, own, strict=True))
    for op in loop.body.block.ops:
        if _is_block(op, loop) and (op.object in loop.accumulators or op.object not in written):
            values[op.result] = values.get(op.object, op.object)
        elif _is_end(op, loop):
            values[op.result] = loop.count
        elif _writes_block(op, loop):
            arguments = [values.get(each, each) for each in op.positional]
            target = values.get(op.target, op.target)
            values[op.result] = (
                copy := emitpy.CallIntoOp(target, op.callee.data, arguments)
            ).result
            into.add_op(copy)
            _follow(op.target, op.result, values)
        else:
            into.add_op(copy_of(op, values))
            if isinstance(op, WRITES):
                _follow(op.target, op.result, values)
    erase_unused(into)


def _follow(target: SSAValue, result: SSAValue, values: dict[SSAValue, SSAValue]) -> None:
    """Let later operations read the result of a write for the array that it overwrites."""
    array = values.get(target, target)
    for old, new in list(values.items()):
        if new is array:
            values[old] = values[result]


def _written(loop: emitpy.ForOp) -> set[SSAValue]:
    """The arrays that a loop overwrites, and those that these are parts of."""
    found = set[SSAValue]()
    for op in operations_in(loop):
        target = op.target if isinstance(op, WRITES) else None
        while target is not None and target not in found:
            found.add(target)
            owner = target.owner
            target = None
            if isinstance(owner, emitpy.SubscriptOp):
                target = owner.object
            elif isinstance(owner, WRITES):
                target = owner.target
    return found


def _is_block(op: Operation, loop: emitpy.ForOp) -> TypeGuard[emitpy.SubscriptOp]:
    """``a[start:stop]``, ``a[:, start:stop]``"""
    if not isinstance(op, emitpy.SubscriptOp) or op.result.type != op.object.type:
        return False
    return _cuts_block(op.indices, loop) and _stays(op.result, loop.body.block)


def _writes_block(op: Operation, loop: emitpy.ForOp) -> TypeGuard[emitpy.CallIntoOp]:
    """``np.add(x, y, out=a[start:stop])`` for an array that the loop carries"""
    if not isinstance(op, emitpy.CallIntoOp) or op.keywords is not None or not op.indices:
        return False
    return op.target in loop.accumulators and _cuts_block(op.indices, loop)


def _cuts_block(indices: Sequence[SSAValue], loop: emitpy.ForOp) -> bool:
    """``start:stop`` for one axis, and all elements along the others"""
    slices = [index.owner for index in indices]
    cuts = [each for each in slices if isinstance(each, emitpy.SliceOp) and each.bounds]
    if len(cuts) != 1 or not all(isinstance(each, emitpy.SliceOp) for each in slices):
        return False
    start, stop = cuts[0].bounds[0], cuts[0].bounds[1].owner
    return start is loop.counter and _is_end(stop, loop)


def _is_end(op: Operation | Block, loop: emitpy.ForOp) -> TypeGuard[emitpy.BinaryOp]:
    """``start + step``, where a block ends unless the array does"""
    if not isinstance(op, emitpy.BinaryOp) or op.operator.data != "+":
        return False
    return set(op.operands) == {loop.counter, loop.step}


def _stays(part: SSAValue, block: Block) -> bool:
    """Whether a part of an array is overwritten by operations of a block alone, if at all."""
    for use in part.uses:
        op = use.operation
        if isinstance(op, WRITES) and not use.index:
            if op.parent is not block or not _stays(op.result, block):
                return False
        elif isinstance(op, emitpy.ForOp):
            return False
    return True


class UnrollSingleBlocksPass(FunctionPass):
    """Computes with whole arrays in a loop where they are no longer than a block.

    Before::

        for t in range(n):
            for start in range(0, m, step):
                stop = start + step
                np.add(x[start:stop], y[start:stop], out=z[start:stop])

    After::

        for t in range(n):
            if 0 < m and m <= step:
                np.add(x, y, out=z)
            else:
                for start in range(0, m, step):
                    ..

    in IR. A slice takes a third of the time of a call on a small array.
    """

    name = "unroll-single-blocks"
    looks_for = (emitpy.ForOp,)

    def run(self, function: func.FuncOp, analyses: AnalysisManager) -> None:
        for loop in innermost_first(function, emitpy.ForOp):
            loops = ancestors(loop, emitpy.ForOp)
            is_in_loop = any(not each.is_condition for each in loops if each is not loop)
            if loop.step is not None and is_in_loop and len(operations_in(loop)) <= MOST_OPERATIONS:
                unroll_single_block(loop)
