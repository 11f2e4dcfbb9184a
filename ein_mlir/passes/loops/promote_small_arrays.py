"""``promote-small-arrays``: small arrays of known sizes are kept on the stack, or in registers."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product
from math import prod

from xdsl.builder import Builder
from xdsl.dialects import arith, func, math, memref, scf
from xdsl.dialects.builtin import IndexType, IntegerAttr, MemRefType
from xdsl.dialects.utils import FastMathFlag
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from ein_mlir.analysis.constants import known_int
from ein_mlir.analysis.hints import isa
from ein_mlir.analysis.loops.small_arrays import (
    MOST_ELEMENTS,
    Slot,
    SmallArrays,
    body_of,
    carried_by,
    small_arrays,
)
from ein_mlir.analysis.manager import AnalysisManager
from ein_mlir.analysis.notes import name_of
from ein_mlir.analysis.scopes import around, operations_in, operations_of
from ein_mlir.rewriting.passes import FunctionPass

INDEX = IndexType()


# Loops ------------------------------------------------------------------------------------------


def is_short(op: scf.ParallelOp) -> bool:
    """Whether a parallel loop has few steps, which are steps of loops that follow one another."""
    outer = list(around(op))[1:]
    return (
        any(isinstance(each, scf.ForOp | scf.WhileOp) for each in outer)
        and not any(isinstance(each, scf.ParallelOp) for each in outer)
        and all(_steps(each) is not None for each in operations_in(op))
        and (_steps(op) or 0) <= MOST_ELEMENTS
    )


def _steps(op: Operation) -> int | None:
    """The number of steps of an operation, if it is known: 1 if it is no loop."""
    match op:
        case scf.WhileOp():
            return None
        case scf.ForOp():
            bounds = [(op.lb, op.ub, op.step)]
        case scf.ParallelOp():
            bounds = list(zip(op.lowerBound, op.upperBound, op.step, strict=True))
        case _:
            return 1
    ranges = [[known_int(bound) for bound in each] for each in bounds]
    known = [[bound for bound in each if bound is not None] for each in ranges]
    return None if known != ranges else prod(len(range(*each)) for each in known)


def run_in_order(op: scf.ParallelOp) -> None:
    """``scf.parallel (%i, %j) { .. }  -->  scf.for %i { scf.for %j { .. } }``"""
    body = op.body.detach_block(0)
    last = body.last_op
    assert last is not None
    Rewriter.replace_op(last, scf.YieldOp())
    for lower, upper, step in reversed([*zip(op.lowerBound, op.upperBound, op.step, strict=True)]):
        counter = body.args[-1]
        loop = scf.ForOp(lower, upper, step, [], Region(Block(arg_types=[INDEX])))
        inner = loop.body.block
        counter.replace_all_uses_with(inner.args[0])
        inner.args[0].name_hint = counter.name_hint
        body.erase_arg(counter)
        for each in list(body.ops):
            each.detach()
            inner.add_op(each)
        if body.args:
            body.add_ops([loop, scf.YieldOp()])
        else:
            Rewriter.replace_op(op, loop)


def fuse_short_sum(op: scf.ForOp) -> None:
    """``acc + a * b  -->  fma(a, b, acc)`` in a sum of few terms, in their order.

    LLVM unrolls the loop. Left to it, which products are rounded with a sum, and which sums are
    regrouped, would not be the same in vectors and for the steps that are left.
    """
    last = op.body.block.last_op
    assert last is not None
    for before, after in zip(op.body.block.args[1:], last.operands, strict=True):
        add = after.owner
        if not isinstance(add, arith.AddfOp) or before not in add.operands:
            continue
        term = add.rhs if add.lhs is before else add.lhs
        times = term.owner
        if isinstance(times, arith.MulfOp) and term.has_one_use() and _contracts(times):
            Rewriter.replace_op(add, math.FmaOp(times.lhs, times.rhs, before))
            Rewriter.erase_op(times)
        else:
            Rewriter.replace_op(add, arith.AddfOp(add.lhs, add.rhs))


def _contracts(op: arith.MulfOp) -> bool:
    """Whether a product may be rounded with a sum."""
    return FastMathFlag.ALLOW_CONTRACT in op.fastmath.data


# Arrays -----------------------------------------------------------------------------------------


class Promotion:
    """Moves arrays to the stack: a loop that carries one overwrites its own copy."""

    def __init__(self, arrays: SmallArrays):
        self._shape = arrays.shape
        self._arrays = arrays
        type_ = arrays.allocations[0].memref.type
        assert isa(type_, MemRefType)
        self._element = type_.element_type

    def run(self) -> None:
        """Rewrite the loops, the accesses and the allocations."""
        for access in self._arrays.accesses:
            self._access(access)
        for use in self._arrays.returns:
            self._return(use.operation, use.index)
        locals_ = {slot: self._local(slot) for slot in self._arrays.slots}
        for loop in dict.fromkeys(slot.loop for slot in self._arrays.slots):
            self._overwrite({s: a for s, a in locals_.items() if s.loop is loop})
        for loop in dict.fromkeys(slot.loop for slot in self._arrays.slots):
            _drop(loop, {slot.number for slot in locals_ if slot.loop is loop})
        for op in self._arrays.allocations:
            Rewriter.replace_op(op, (), (self._stack(op, op.memref.name_hint),))

    def _stack(self, place: Operation, name: str | None) -> SSAValue:
        """An array on the stack, allocated once for all steps of the loops around a place."""
        while isinstance(outer := place.parent_op(), scf.ForOp | scf.IfOp | scf.WhileOp):
            place = outer
        op = memref.AllocaOp.get(self._element, shape=self._shape)
        op.memref.name_hint = name
        Rewriter.insert_op(op, InsertPoint.before(place))
        return op.memref

    def _access(self, op: Operation) -> None:
        """A size is a number, and nothing is released."""
        if isinstance(op, memref.DimOp):
            axis = known_int(op.index)
            assert axis is not None
            Rewriter.replace_op(op, arith.ConstantOp(IntegerAttr(self._shape[axis], INDEX)))
        elif isinstance(op, memref.DeallocOp):
            Rewriter.erase_op(op)

    def _return(self, op: Operation, number: int) -> None:
        """Return a copy of an array that the caller may keep."""
        build, old = Builder(InsertPoint.before(op)), op.operands[number]
        sizes = [_constant(build, size) for size in self._shape]
        copy = build.insert(memref.AllocOp(sizes, [], old.type)).memref
        source = build.insert(memref.CastOp.get(old, copy.type)).dest
        build.insert(memref.CopyOp(source, copy))
        op.operands[number] = copy

    def _local(self, slot: Slot) -> SSAValue:
        """The copy of an array that a loop starts with and overwrites."""
        local = self._stack(slot.loop, slot.argument.name_hint)
        Rewriter.insert_op(memref.CopyOp(slot.init, local), InsertPoint.before(slot.loop))
        return local

    def _overwrite(self, locals_: Mapping[Slot, SSAValue]) -> None:
        """Let the steps of a loop use copies, which are overwritten at once at their ends.

        Elements are moved one by one, as LLVM keeps them in registers.
        """
        for slot, local in locals_.items():
            slot.argument.replace_all_uses_with(local)
            slot.result.replace_all_uses_with(local)
        last = next(iter(locals_)).body.last_op
        assert last is not None
        build = Builder(InsertPoint.before(last))
        moved = [(s.following, local) for s, local in locals_.items() if s.following is not local]
        if not moved:
            return
        numbers = [_constant(build, number) for number in range(max(self._shape, default=0))]
        places = [[numbers[n] for n in place] for place in product(*map(range, self._shape))]
        stores = [
            memref.StoreOp.get(build.insert(memref.LoadOp.get(array, place)).res, local, place)
            for array, local in moved
            for place in places
        ]
        for store in stores:
            build.insert(store)


def _constant(build: Builder, number: int) -> SSAValue:
    return build.insert(arith.ConstantOp(IntegerAttr(number, INDEX))).result


def _drop(loop: scf.ForOp | scf.WhileOp, numbers: set[int]) -> None:
    """Replace a loop by one that carries some of its values no longer."""
    body = body_of(loop)
    last = body.last_op
    assert last is not None
    kept = [n for n in range(len(loop.results)) if n not in numbers]
    init = [carried_by(loop)[n] for n in kept]
    Rewriter.replace_op(last, scf.YieldOp(*(last.operands[n] for n in kept)))
    if isinstance(loop, scf.ForOp):
        _erase(body, {1 + n for n in numbers})
        new = scf.ForOp(loop.lb, loop.ub, loop.step, init, loop.detach_region(loop.body))
    else:
        before = loop.before_region.block
        condition = before.last_op
        assert isinstance(condition, scf.ConditionOp)
        more, passed = condition.condition, [before.args[n] for n in kept]
        Rewriter.replace_op(condition, scf.ConditionOp(more, *passed))
        _erase(before, numbers)
        _erase(body, numbers)
        regions = [loop.detach_region(each) for each in (loop.before_region, loop.after_region)]
        new = scf.WhileOp(init, [value.type for value in init], *regions)
    for number, result in zip(kept, new.results, strict=True):
        result.name_hint = loop.results[number].name_hint
        loop.results[number].replace_all_uses_with(result)
    Rewriter.insert_op(new, InsertPoint.before(loop))
    Rewriter.erase_op(loop)


def _erase(block: Block, numbers: set[int]) -> None:
    for number in sorted(numbers, reverse=True):
        block.erase_arg(block.args[number])


class PromoteSmallArraysPass(FunctionPass):
    """Keeps small arrays of known sizes on the stack, from where LLVM takes them into registers.

    Before::

        %a = memref.alloc(%c2) : memref<?xf64>
        ..
        %r = scf.for %t = %c0 to %n step %c1 iter_args(%x = %a) -> (memref<?xf64>) {
          %y = memref.alloc(%c2) : memref<?xf64>
          scf.parallel (%i) = (%c0) to (%c2) step (%c1) { .. %y[%i] .. %x[%i] .. }
          memref.dealloc %x
          scf.yield %y : memref<?xf64>
        }
        func.return %r : memref<?xf64>

    After::

        %a = memref.alloca() : memref<2xf64>
        ..
        %x, %y = memref.alloca() : memref<2xf64>
        .. %x[0], %x[1] = %a[0], %a[1] ..
        scf.for %t = %c0 to %n step %c1 {
          scf.for %i = %c0 to %c2 step %c1 { .. %y[%i] .. %x[%i] .. }
          .. %x[0], %x[1] = %y[0], %y[1] ..
        }
        %r = memref.alloc(%c2) : memref<?xf64>
        .. %r[0], %r[1] = %x[0], %x[1] ..
        func.return %r : memref<?xf64>

    Parallel loops of few steps in a loop are unrolled by LLVM, too. Sums of few products are fused
    multiplications and additions, in the order of the terms. Arrays have at most
    ``MOST_ELEMENTS`` elements. An array stays where it is if a branch chooses it, or if a view or
    a call reaches its memory.
    """

    name = "promote-small-arrays"
    looks_for = (memref.AllocOp, scf.ForOp, scf.ParallelOp)

    def run(self, function: func.FuncOp, analyses: AnalysisManager) -> None:
        for op in operations_in(function):
            if type(op) is scf.ParallelOp and is_short(op):
                run_in_order(op)
            elif type(op) is scf.ForOp and (_steps(op) or MOST_ELEMENTS + 1) <= MOST_ELEMENTS:
                fuse_short_sum(op)
        for op in operations_of(function, memref.AllocOp):
            if op.parent is not None:
                found = small_arrays(op)
                if found is not None and (found.slots or not found.returns):
                    analyses.note(op, f"{name_of(op.memref)} is kept on the stack")
                    Promotion(found).run()
