"""Conditions that positions are in bounds, around what a step of a loop does."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from itertools import takewhile

from xdsl.builder import Builder
from xdsl.dialects import arith, memref, scf
from xdsl.dialects.builtin import MemRefType, UnitAttr
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from ein_mlir.analysis.arithmetic import LinearForm
from ein_mlir.analysis.constants import known_int
from ein_mlir.analysis.loops.effects import is_scalar, only_reads
from ein_mlir.analysis.loops.index_bounds import IndexBounds, is_negative, is_size
from ein_mlir.analysis.predicates import conjoined, predicate_of
from ein_mlir.analysis.scopes import around, dependents, is_within, operations_in, operations_of
from ein_mlir.backends.native.abi import LIKELY
from ein_mlir.dialects.creation import copy_of
from ein_mlir.rewriting.dead_code import erase_unused
from ein_mlir.rewriting.loops.index_values import IndexValues


def hold(condition: SSAValue) -> None:
    """Let a condition hold: ``x and condition  -->  x``, ``if condition { .. }  -->  ..``."""
    for use in list(condition.uses):
        op = use.operation
        if isinstance(op, arith.AndIOp):
            Rewriter.replace_op(op, (), (op.operands[1 - use.index],))
        elif isinstance(op, scf.IfOp) and not op.results and not op.false_region.blocks:
            body = op.true_region.block
            assert body.last_op is not None
            Rewriter.erase_op(body.last_op)
            Rewriter.inline_block(body, InsertPoint.before(op))
            Rewriter.erase_op(op)


def leave_out_of_bounds(nest: scf.ParallelOp) -> None:
    """``parallel (i < n) { if i + k < n { .. } }  -->  parallel (i < max(n - k, 0)) { .. }``

    The comparison is one without sign, and k a sum of sizes: no step is left out at the start.
    """
    for test in list(_guards(nest)):
        bounds = IndexBounds(nest, nest.body.block.args)
        for number, index in enumerate(nest.body.block.args):
            if (end := _end(nest, test, index, bounds)) is None:
                continue
            emit = IndexValues(Builder(InsertPoint.before(nest)))
            most = emit.build.insert(arith.MaxSIOp(emit.form(end), emit.integer(0))).result
            nest.operands[len(nest.lowerBound) + number] = most
            hold(test.result)
            erase_unused(nest.body.block)
            break


def _guards(nest: scf.ParallelOp) -> Iterator[arith.CmpiOp]:
    """The conditions of all that a step does besides computing numbers."""
    *body, last = nest.body.block.ops
    writes = [op for op in body if not is_scalar(op) and not only_reads(op)]
    if nest.initVals or len(writes) != 1 or not isinstance(last, scf.ReduceOp):
        return
    branch = writes[0]
    if isinstance(branch, scf.IfOp) and not branch.results and not branch.false_region.blocks:
        for condition in conjoined(branch.cond):
            test = condition.owner
            if isinstance(test, arith.CmpiOp) and predicate_of(test) == "ult":
                yield test


def _end(
    nest: scf.ParallelOp, test: arith.CmpiOp, index: SSAValue, bounds: IndexBounds
) -> LinearForm | None:
    """The first value of an index for which a comparison does not hold; all before are steps."""
    number = nest.body.block.args.index(index)
    upper = nest.upperBound[number]
    found = [bounds.of(value) for value in (test.lhs, test.rhs, upper)]
    if known_int(nest.lowerBound[number]) != 0 or any(
        each is None or not each.is_fixed for each in found
    ):
        return None
    position, size, steps = (each.least for each in found if each is not None)
    more = position - LinearForm.of(index)
    end = size - more
    is_known = all(
        is_size(atom, nest) for form in (more, size, steps) for atom in form.coefficients
    )
    varies = any(each in form.coefficients for form in (more, size) for each in bounds.fixed)
    return (
        end if is_known and not varies and is_negative(-more) and is_negative(end - steps) else None
    )


def clip_in_branches(loop: scf.WhileOp | scf.ForOp) -> None:
    """``max(min(p, last), 0)  -->  if p < size { p } else { max(min(p, last), 0) }``

    The positions are those of loads in a loop that is none of vectors: one by a condition, or over
    a counter with positions that it carries. Few are out of bounds, which a processor guesses: the
    load need not wait for the clip.
    """
    positions = dict.fromkeys(
        index
        for op in operations_of(loop, memref.LoadOp)
        if not any(isinstance(each, scf.ForOp | scf.WhileOp) for each in _until(op, loop))
        for index in op.indices
    )
    carried = _carried(loop) if isinstance(loop, scf.ForOp) else positions
    for clip in [position.owner for position in positions if position in carried]:
        if isinstance(clip, arith.MaxSIOp) and known_int(clip.rhs) == 0:
            least = clip.lhs.owner
            if isinstance(least, arith.MinSIOp) and is_within(clip.result, loop):
                _clip_in_branch(clip, least)


def _carried(loop: scf.ForOp) -> Collection[SSAValue]:
    """The values of a loop that depend on numbers which it carries; none in a parallel loop."""
    if any(isinstance(each, scf.ParallelOp) for each in (*around(loop), *operations_in(loop))):
        return ()
    numbers = [each for each in loop.body.block.args[1:] if not isinstance(each.type, MemRefType)]
    return dependents(loop.body.block, *numbers)


def _until(op: Operation, loop: Operation) -> Iterator[Operation]:
    return takewhile(lambda each: each is not loop, around(op.parent_op()))


def _clip_in_branch(clip: arith.MaxSIOp, least: arith.MinSIOp) -> None:
    emit = IndexValues(Builder(InsertPoint.after(clip)))
    size = emit.combined(least.rhs, "+", emit.integer(1))
    test = emit.build.insert(arith.CmpiOp(least.lhs, size, "ult")).result
    values = dict[SSAValue, SSAValue]()
    inner = copy_of(least, values)
    outer = copy_of(clip, values)
    then = Block([scf.YieldOp(least.lhs)])
    other = Block([inner, outer, scf.YieldOp(outer.result)])
    choice = emit.build.insert(scf.IfOp(test, [clip.result.type], Region(then), Region(other)))
    choice.attributes[LIKELY] = UnitAttr()
    Rewriter.replace_op(clip, (), choice.results)
    if not any(least.result.uses):
        Rewriter.erase_op(least)
