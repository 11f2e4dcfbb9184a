"""``exit-settled-loops``: a test ends with the step after which no other one changes it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from collections.abc import Set as AbstractSet

from xdsl.builder import Builder
from xdsl.dialects import arith, func, memref, scf
from xdsl.dialects.builtin import IntegerAttr, i1
from xdsl.ir import Block, BlockArgument, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from ein_mlir.analysis.constants import known_int
from ein_mlir.analysis.loops.effects import is_scalar, only_reads
from ein_mlir.analysis.loops.neighbours import is_near, varying
from ein_mlir.analysis.loops.unrolled import known_range
from ein_mlir.analysis.manager import AnalysisManager
from ein_mlir.analysis.scopes import (
    ancestors,
    dependents,
    innermost_first,
    is_within,
    operations_in,
    slice_within,
)
from ein_mlir.dialects.creation import copy_of
from ein_mlir.rewriting.loops.index_values import IndexValues
from ein_mlir.rewriting.passes import FunctionPass

FIRST = 8
"""The steps that are taken one by one, before those in blocks."""

BLOCK, LARGEST = 32, 1024
"""The steps of the first block, and the most of one: each has twice as many as that before."""

LEAST = 32
"""The fewest steps of a test that ends, if other loops would run for blocks of results."""

MOST = 120
"""The most operations of a nest that has two versions."""

# Analysis ---------------------------------------------------------------------------------------


def is_test(loop: scf.ForOp) -> bool:
    """Whether all that a loop carries are Bools that stay as they are from some step on.

    ``acc or c(k)`` and ``acc and c(k)``, where no ``c(k)`` depends on what the loop carries.
    """
    block, last, steps = loop.body.block, loop.body.block.last_op, known_range(loop)
    if last is None or not loop.iter_args or known_int(loop.step) != 1 or not only_reads(loop):
        return False
    is_short = steps is not None and len(steps) < LEAST and not _has_loops(loop)
    return not is_short and all(map(_settles, block.args[1:], last.operands))


def _settles(carried: SSAValue, value: SSAValue) -> bool:
    combine = value.owner
    is_combined = isinstance(combine, arith.AndIOp | arith.OrIOp) and carried in combine.operands
    return carried.type == i1 and is_combined and carried.has_one_use()


def _has_loops(loop: scf.ForOp) -> bool:
    return any(op.regions for op in loop.body.block.ops)


def _loads(loop: scf.ForOp) -> Sequence[memref.LoadOp]:
    return [op for op in loop.body.block.ops if isinstance(op, memref.LoadOp)]


def _data(loop: scf.ForOp) -> AbstractSet[SSAValue]:
    """What steps compute from elements that they read."""
    block = loop.body.block
    vary = dependents(block, block.args[0])
    return dependents(block, *(load.res for load in _loads(loop) if load.res in vary))


def _reads_at_random(loop: scf.ForOp) -> bool:
    """Whether a step reads elements at positions from memory, of which there are no vectors."""
    data = _data(loop)
    return any(not data.isdisjoint(load.indices) for load in _loads(loop))


def _reads_rows(loop: scf.ForOp, nest: scf.ParallelOp) -> bool:
    """Whether a step reads neighbours for neighbouring results: a row of them, in each step."""
    block, data = loop.body.block, _data(loop)
    vary, results = dependents(block, block.args[0]), varying(nest)
    return any(
        not vary.isdisjoint(outer)
        and data.isdisjoint(outer)
        and is_near(last, nest.body.block.args[-1], results)
        for *outer, last in (load.indices for load in _loads(loop) if load.indices)
    )


def _is_uniform(loop: scf.ForOp, nest: scf.ParallelOp) -> bool:
    """Whether numbers from outside of a nest tell the bounds of a loop in it."""
    bounds = loop.lb, loop.ub
    ops = slice_within(nest, bounds)
    read = [*bounds, *(value for op in ops for value in op.operands)]
    inner = (value for value in read if isinstance(value, BlockArgument))
    return all(map(is_scalar, ops)) and not any(is_within(value, nest) for value in inner)


# Rewriting --------------------------------------------------------------------------------------


class _Emitter(IndexValues):
    """Builds loops that end."""

    def least(self, lhs: SSAValue, rhs: SSAValue) -> SSAValue:
        return self.value(arith.MinSIOp(lhs, rhs))

    def any_of(self, conditions: Sequence[SSAValue]) -> SSAValue:
        found, *others = conditions
        for each in others:
            found = self.value(arith.OrIOp(found, each))
        return found

    def may_change(self, loop: scf.ForOp, state: Sequence[SSAValue]) -> SSAValue:
        """Whether a step may change one of the tests, a false ``or`` or a true ``and``."""
        last, found = loop.body.block.last_op, list[SSAValue]()
        assert last is not None
        for value, carried in zip(last.operands, state, strict=True):
            if isinstance(value.owner, arith.OrIOp):
                true = self.value(arith.ConstantOp(IntegerAttr(1, i1)))
                carried = self.value(arith.XOrIOp(carried, true))
            found.append(carried)
        return self.any_of(found)

    def is_long(self, nest: scf.ParallelOp, lower: SSAValue, upper: SSAValue) -> SSAValue:
        """Whether a test in a nest takes at least `LEAST` steps, before the nest."""
        known = dict[SSAValue, SSAValue]()
        for op in slice_within(nest, (lower, upper)):
            self.build.insert(copy_of(op, known))
        steps = self.combined(known.get(upper, upper), "-", known.get(lower, lower))
        return self.compared(steps, "sge", LEAST)

    def loop_until(
        self,
        loop: scf.ForOp,
        end: SSAValue,
        start: Sequence[SSAValue],
        step: Callable[[_Emitter, Sequence[SSAValue]], Sequence[SSAValue]],
    ) -> Sequence[SSAValue]:
        """A loop that carries a counter, some tests, and more, to an end or until these settle."""
        types = [value.type for value in start]
        before, body = Block(arg_types=types), Block(arg_types=types)
        head = _Emitter(Builder(InsertPoint.at_end(before)))
        counter, *state = before.args
        is_left = head.value(arith.CmpiOp(counter, end, "slt"))
        goes_on = head.all([is_left, head.may_change(loop, state[: len(loop.iter_args)])])
        head.build.insert(scf.ConditionOp(goes_on, *before.args))
        inside = _Emitter(Builder(InsertPoint.at_end(body)))
        inside.build.insert(scf.YieldOp(*step(inside, body.args)))
        return self.build.insert(scf.WhileOp(start, types, [before], [body])).res


def end_early(loop: scf.ForOp) -> None:
    """Take the steps of a test one by one, and after the first ones in blocks, until it settles."""
    emit = _Emitter(Builder(InsertPoint.before(loop)))
    is_in_blocks = not (_has_loops(loop) or _reads_at_random(loop))
    first = emit.combined(loop.lb, "+", emit.integer(FIRST)) if is_in_blocks else loop.ub
    end = emit.least(first, loop.ub) if is_in_blocks else loop.ub

    def step(inside: _Emitter, args: Sequence[SSAValue]) -> Sequence[SSAValue]:
        values = dict[SSAValue, SSAValue](zip(loop.body.block.args, args, strict=True))
        *ops, last = loop.body.block.ops
        for op in ops:
            inside.build.insert(copy_of(op, values))
        return inside.combined(args[0], "+", inside.integer(1)), *(
            values.get(x, x) for x in last.operands
        )

    def block(inside: _Emitter, args: Sequence[SSAValue]) -> Sequence[SSAValue]:
        counter, *before, size = args
        end = inside.least(inside.combined(counter, "+", size), loop.ub)
        copy = copy_of(loop)
        copy.operands = [counter, end, loop.step, *before]
        inside.build.insert(copy)
        larger = inside.least(inside.combined(size, "+", size), inside.integer(LARGEST))
        return end, *copy.res, larger

    counter, *state = emit.loop_until(loop, end, [loop.lb, *loop.iter_args], step)
    if is_in_blocks:
        start = [counter, *state, emit.integer(BLOCK)]
        _, *state, _ = emit.loop_until(loop, loop.ub, start, block)
    Rewriter.replace_op(loop, [], state)


def end_in_nest(nest: scf.ParallelOp, loops: Sequence[scf.ForOp]) -> None:
    """``nest  -->  if some test is long { nest whose tests end } else { nest }``

    Where the number of steps of each test varies in the nest, it has one version.
    """
    emit = _Emitter(Builder(InsertPoint.before(nest)))
    bounds = {(loop.lb, loop.ub): None for loop in loops if _is_uniform(loop, nest)}
    if bounds:
        is_long = emit.any_of([emit.is_long(nest, *each) for each in bounds])
        long, short = Block(), Block([copy_of(nest), scf.YieldOp()])
        emit.build.insert(scf.IfOp(is_long, [], [long], [short]))
        nest.detach()
        long.add_ops((nest, scf.YieldOp()))
    for loop in loops:
        end_early(loop)


class ExitSettledLoopsPass(FunctionPass):
    """Ends tests with the step after which no other one changes them.

    Before::

        %any = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %false) -> (i1) {
          %x = memref.load %a[%k] : memref<?xf64>
          %c = arith.cmpf ogt, %x, %limit : f64
          %0 = arith.ori %acc, %c : i1
          scf.yield %0 : i1
        }

    After::

        %k, %few = scf.while (%k = %c0, %acc = %false) {    // the first 8 steps, one by one
          .. scf.condition(%k < min(%n, %c8) and not %acc) ..
        } do { .. }
        %_, %any, %_ = scf.while (%b = %k, %acc = %few, %size = %c32) {
          .. scf.condition(%b < %n and not %acc) ..
        } do {
          %end = .. min(%b + %size, %n) ..
          %next = scf.for %k = %b to %end step %c1 iter_args(%acc = %acc) -> (i1) { .. }
          .. scf.yield %end, %next, min(2 * %size, 1024)
        }

    so that a test that fails at once takes a step, and one that holds is a loop of vectors. Steps
    with loops, or with elements at positions from memory, are taken one by one.

    `interchange-loops` would take the tests of neighbouring results together: so it does where the
    steps are less than 32, in another version of the nest, and where each reads a row of elements,
    one for each result.
    """

    name = "exit-settled-loops"
    looks_for = (scf.ForOp,)

    def run(self, function: func.FuncOp, analyses: AnalysisManager) -> None:
        nests = dict[scf.ParallelOp | None, list[scf.ForOp]]()
        for loop in innermost_first(function, scf.ForOp):
            nest = next(ancestors(loop, scf.ParallelOp), None)
            if is_test(loop) and (nest is None or not _reads_rows(loop, nest)):
                nests.setdefault(nest, []).append(loop)
        for nest, loops in nests.items():
            if nest is None:
                for loop in loops:
                    end_early(loop)
            elif len(operations_in(nest)) <= MOST:
                end_in_nest(nest, loops)
