"""``sink-loops``: loops run only where a condition, or a row of a nest, needs their results.

- `rows`: loops that copy elements of the rows that a nest overwrites
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet

from xdsl.builder import Builder
from xdsl.dialects import arith, func, scf
from xdsl.dialects.builtin import IntegerAttr, i1
from xdsl.ir import Block, Operation, Region, SSAValue, Use
from xdsl.rewriter import InsertPoint, Rewriter

from ein_mlir.analysis.loops.effects import is_long_loop, only_reads, read_by, written_by
from ein_mlir.analysis.loops.idle_steps import idle_conditions
from ein_mlir.analysis.loops.memory_roots import are_apart
from ein_mlir.analysis.loops.unrolled import has_few_steps
from ein_mlir.analysis.manager import AnalysisManager
from ein_mlir.analysis.scopes import (
    is_within,
    makers,
    nested,
    operands_within,
    operations_in,
)
from ein_mlir.passes.loops.sink_loops.rows import read_in_rows
from ein_mlir.rewriting.passes import FunctionPass


def only_for(root: Operation, uses: Sequence[Use]) -> list[Operation]:
    """The operations of a block that nothing but some uses of an operation depends on, in order.

    They may be computed there: they have no effects, and nothing in between writes what they read.
    """
    found, written = list[Operation](), list[SSAValue]()
    inside, own = {root}, {(use.operation, use.index) for use in uses}
    read = (use.operation.operands[use.index] for use in uses)
    left = {op for op in makers(read, root.parent) if _is_only_for(op, inside, root, own)}
    op = root.prev_op
    while op is not None and left:
        is_candidate = op in left
        left.discard(op)
        if is_candidate and only_reads(op) and are_apart(read_by(op), written):
            inside.add(op)
            found.append(op)
            needed = makers(operands_within(op), op.parent)
            left |= {each for each in needed if _is_only_for(each, inside, root, own)}
        elif (writes := written_by(op)) is not None:
            written += writes
        else:
            break
        op = op.prev_op
    has_loop = any(is_long_loop(each) for op in found for each in operations_in(op))
    return found[::-1] if has_loop else []


def _is_only_for(
    op: Operation, inside: set[Operation], root: Operation, own: set[tuple[Operation, int]]
) -> bool:
    """Whether an operation has no other users than some of a block, and some uses of the last."""
    block = op.parent
    assert block is not None
    for use in (use for result in op.results for use in result.uses):
        user = block.find_ancestor_op_in_block(use.operation)
        if user not in inside or (user is root and (use.operation, use.index) not in own):
            return False
    return True


# Branches -----------------------------------------------------------------------------------------

_CHOICES = (arith.SelectOp, arith.AndIOp, arith.OrIOp)
"""The operations that need an operand only if another one has some value."""


def _choices(op: Operation) -> Iterator[tuple[SSAValue, bool, int]]:
    """The conditions of an operation, with the truth for which it needs an operand, of a number."""
    match op:
        case arith.SelectOp():
            yield op.cond, True, 1
            yield op.cond, False, 2
        case arith.AndIOp() | arith.OrIOp() if op.result.type == i1:
            needs = isinstance(op, arith.AndIOp)
            yield op.lhs, needs, 1
            yield op.rhs, needs, 0
        case _:
            pass


def choose(op: Operation, looped: AbstractSet[SSAValue]) -> None:
    """``select c, x, y  -->  if c { x } else { y }`` with the loops for ``x`` and ``y``"""
    for condition, needs, number in _choices(op):
        value = op.operands[number]
        moved = only_for(op, [Use(op, number)]) if value in looped else []
        if value in {result for each in moved for result in each.results}:
            sink(_branch(op, condition, needs, value, moved), looped)
            return


def _branch(
    op: Operation, condition: SSAValue, needs: bool, value: SSAValue, moved: Sequence[Operation]
) -> scf.IfOp:
    """Compute a value in the branch that needs it."""
    other = _other(op, condition, value)
    literal = [] if other is not None else [arith.ConstantOp(IntegerAttr(int(not needs), i1))]
    rest = other if other is not None else literal[0].result
    for each in moved:
        each.detach()
    here = Region(Block([*moved, scf.YieldOp(value)]))
    there = Region(Block([*literal, scf.YieldOp(rest)]))
    regions = (here, there) if needs else (there, here)
    branch = scf.IfOp(condition, [value.type], *regions)
    Rewriter.replace_op(op, branch)
    return branch


def _other(op: Operation, condition: SSAValue, value: SSAValue) -> SSAValue | None:
    """The other value of a choice; None for that of a truth value, which is a constant."""
    if not isinstance(op, arith.SelectOp):
        return None
    return op.rhs if value is op.lhs else op.lhs


def sink(op: scf.IfOp, looped: AbstractSet[SSAValue]) -> None:
    """Move the loops for values that only one branch uses into that branch."""
    for region in op.regions:
        block = region.blocks.first
        if block is None or looped.isdisjoint(operands_within(op)):
            continue
        uses = [
            Use(each, number)
            for each in nested(block)
            for number, operand in enumerate(each.operands)
            if operand in looped
        ]
        moved = only_for(op, uses)
        for each in moved:
            each.detach()
        Rewriter.insert_op(moved, InsertPoint.at_start(block))


# Guards of steps --------------------------------------------------------------------------------


def skip(op: scf.ForOp) -> None:
    """``for k < n { s += select(c & d(k), x, 0) }  -->  for k < select(c, n, 0) { .. }``"""
    if not op.iter_args or has_few_steps(op) or not only_reads(op):
        return
    for condition, idle in list(idle_conditions(op, lambda each: not is_within(each, op))):
        build = Builder(InsertPoint.before(op))
        known = build.insert(arith.ConstantOp(IntegerAttr(int(not idle), i1))).result
        condition.replace_uses_with_if(known, lambda use: op.body.block.is_ancestor(use.operation))
        counts = (op.lb, op.ub) if idle else (op.ub, op.lb)
        op.operands[1] = build.insert(arith.SelectOp(condition, *counts)).result


def _from_loops(ops: Sequence[Operation]) -> AbstractSet[SSAValue]:
    """The values that loops of more than a few steps compute, and those that depend on these."""
    found = set[SSAValue]()
    for op in ops:
        if is_long_loop(op) or not found.isdisjoint(op.operands):
            found.update(op.results)
            parent = op.parent_op()
            if isinstance(op, scf.YieldOp) and parent is not None:
                found.update(parent.results)
    return found


class SinkLoopsPass(FunctionPass):
    """Runs loops only where a condition needs their results.

    Before::

        %s = scf.for %k = %zero to %n step %one iter_args(%acc = %x) -> (f64) { .. }
        %z = math.sqrt %s : f64
        %r = arith.select %c, %z, %y : f64

    After::

        %r = scf.if %c -> (f64) {
          %s = scf.for %k = %zero to %n step %one iter_args(%acc = %x) -> (f64) { .. }
          %z = math.sqrt %s : f64
          scf.yield %z : f64
        } else {
          scf.yield %y : f64
        }

    A loop takes no step if the steps keep what it carries without a condition that is the same in
    all of them: sums of products of which some are 0, as in a convolution that is scattered ::

        %sum = scf.for %k = %zero to %n step %one iter_args(%acc = %x) -> (f64) {
          ..
          %both = arith.andi %c, %d : i1
          %term = arith.select %both, %y, %zero_f : f64
          %next = arith.addf %acc, %term : f64

    counts to ``select %c, %n, %zero``.

    Loops for a value that is stored only where its position is in bounds run there, too. Those of
    few known steps stay, since LLVM unrolls them and vectorises the loop around them: so this pass
    comes after those that exchange loops. Loops that write to memory, or may raise an error, stay.

    A loop that copies an element of each row of an array, which the nest after it overwrites, is in
    the rows of that nest: see ``read_in_rows``.
    """

    name = "sink-loops"
    looks_for = (scf.ForOp, scf.ParallelOp, scf.WhileOp)

    def run(self, function: func.FuncOp, analyses: AnalysisManager) -> None:
        ops = operations_in(function)
        looped = _from_loops(operations_in(function, bodies_first=True))
        for op in reversed(ops):
            if type(op) is scf.IfOp:
                sink(op, looped)
            elif type(op) in _CHOICES:
                choose(op, looped)
        for op in ops:
            if type(op) is scf.ForOp:
                skip(op)
            elif type(op) is scf.ParallelOp and op.parent is not None:
                read_in_rows(op)
