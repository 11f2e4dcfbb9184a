"""Sums along rows: neighbouring rows are summed in one loop, see `sum_together`."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.builder import Builder
from xdsl.dialects import arith, memref, scf
from xdsl.dialects.builtin import IntegerAttr
from xdsl.dialects.utils import FastMathFlag
from xdsl.ir import Block, BlockArgument, Operation, Region, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from ein_mlir.analysis.constants import known_int
from ein_mlir.analysis.loops.neighbours import is_simple
from ein_mlir.analysis.loops.unrolled import has_few_steps
from ein_mlir.analysis.scopes import operations_in
from ein_mlir.dialects.creation import copy_of
from ein_mlir.passes.loops.interchange_loops.rows import INDEX, Values
from ein_mlir.passes.loops.interchange_loops.tiles import is_one, shifted

TOGETHER = 4
"""The rows of a loop, if there are more than `SHORT`."""

SHORT = 8
"""The most rows that are all in one loop, also if they are columns: numbers of each point."""

MOST_OPERATIONS = 12
"""The most operations of a step."""


def are_summed_alike(op: scf.ParallelOp, vary: set[SSAValue]) -> bool:
    """Whether a step sums along a row, and reads elements there that other rows read, too.

    Few rows may be columns, too, as those of many points in the gradient of a rotation.
    """
    *others, _ = op.body.block.ops
    loops = [each for each in others if isinstance(each, scf.ForOp)]
    if len(loops) != 1 or not is_one(op.step[-1]) or (rows := _rows_together(op)) < 2:
        return False
    (loop,) = loops
    inside = operations_in(loop)[1:]
    return (
        all(map(is_simple, (*(each for each in others if each is not loop), *inside)))
        and len(inside) <= MOST_OPERATIONS
        and vary.isdisjoint((loop.lb, loop.ub, loop.step))
        and is_one(loop.step)
        and not has_few_steps(loop)
        and _regroups(loop)
        and _shares_row(loop, vary, columns=rows == known_int(op.upperBound[-1]))
    )


def _rows_together(op: scf.ParallelOp) -> int:
    """The rows that are summed in one loop: all, if they are known and few; 0 if there are less."""
    low, high = known_int(op.lowerBound[-1]), known_int(op.upperBound[-1])
    if low is None or high is None or high - low > SHORT:
        return TOGETHER
    return high if low == 0 else 0


def _regroups(loop: scf.ForOp) -> bool:
    """Whether a loop carries sums whose terms may be regrouped, and nothing else."""
    last = loop.body.block.last_op
    assert last is not None
    carried = zip(loop.body.block.args[1:], last.operands, strict=True)
    return bool(loop.results) and all(
        total.has_one_use() and _is_regrouped_sum(value.owner, total) for total, value in carried
    )


def _is_regrouped_sum(op: Operation | Block, total: SSAValue) -> bool:
    return (
        isinstance(op, arith.AddfOp)
        and total in op.operands
        and FastMathFlag.REASSOC in op.fastmath.data
    )


def _shares_row(loop: scf.ForOp, vary: set[SSAValue], *, columns: bool) -> bool:
    """Whether a loop reads neighbours in each step: some of its own row, some of all rows.

    With ``columns``, it may read an element of each row of an array.
    """
    counter, own, shared = loop.body.block.args[0], 0, 0
    for op in loop.body.block.ops:
        if isinstance(op, memref.StoreOp):
            return False
        if isinstance(op, memref.LoadOp) and op.indices:
            others = [index for index in op.indices if index is not counter]
            is_along = op.indices[-1] is counter or (columns and op.indices[-2:-1] == (counter,))
            if not is_along or len(others) != len(op.indices) - 1:
                return False
            own += not vary.isdisjoint(others)
            shared += vary.isdisjoint(others)
    return own > 0 and shared > 0


def sum_together(op: scf.ParallelOp, vary: set[SSAValue]) -> None:
    """Sum several rows in one loop, and those that are left one by one.

    ::

        scf.parallel (%i) = .. { %s = scf.for %k = .. { %acc + %a[%i, %k] * %x[%k] }; .. }

    becomes ::

        scf.parallel (%i) = .. step 4 {
          %s, %s_1, .. = scf.for %k = .. {
            %y = %x[%k]; %acc + %a[%i, %k] * %y; %acc_1 + %a[%i + 1, %k] * %y; ..
          }
          ..
        }

    Rows share the elements of ``x``, and lanes are added up, and elements that fill no vector are
    read, for four rows at the same time: for short rows that is most of the work.
    """
    before, number = Builder(InsertPoint.before(op)), _rows_together(op)
    count = before.insert(arith.ConstantOp(IntegerAttr(number, INDEX))).result
    if number == known_int(op.upperBound[-1]):
        jumps = [*op.step[:-1], count]
        body = Region(_body(op, vary, number))
        Rewriter.replace_op(op, scf.ParallelOp(op.lowerBound, op.upperBound, jumps, body), [])
        return
    rows = before.insert(arith.SubiOp(op.upperBound[-1], op.lowerBound[-1])).result
    left = before.insert(arith.RemSIOp(rows, count)).result
    middle = before.insert(arith.SubiOp(op.upperBound[-1], left)).result
    lows, highs, steps = list(op.lowerBound), list(op.upperBound), list(op.step)
    ends, jumps = [*highs[:-1], middle], [*steps[:-1], count]
    before.insert(scf.ParallelOp(lows, ends, jumps, Region(_body(op, vary, number))))
    rest = scf.ParallelOp([*lows[:-1], middle], highs, steps, op.detach_region(op.body))
    Rewriter.replace_op(op, rest, [])


def _body(op: scf.ParallelOp, vary: set[SSAValue], number: int) -> Block:
    """A step for several rows."""
    old, new = op.body.block, Block(arg_types=[INDEX] * len(op.body.block.args))
    build = Builder(InsertPoint.at_end(new))
    values = dict[SSAValue, SSAValue](zip(old.args, new.args, strict=True))
    rows = _rows(build, values, old.args[-1], number)
    for each in old.ops:
        if isinstance(each, scf.ForOp):
            _loop(each, build, rows, vary)
        elif not isinstance(each, scf.ReduceOp):
            _copy(each, build, rows, vary)
    build.insert(scf.ReduceOp())
    return new


def _rows(build: Builder, values: Values, index: BlockArgument, number: int) -> list[Values]:
    """The values of each row."""
    return [{**values, index: shifted(build, values[index], row)} for row in range(number)]


def _copy(op: Operation, build: Builder, rows: Sequence[Values], vary: set[SSAValue]) -> None:
    """Emit an operation for each row, or once for all of them."""
    is_shared = bool(op.results) and vary.isdisjoint(op.operands)
    for values in rows[:1] if is_shared else rows:
        build.insert(copy_of(op, values))
    if is_shared:
        for values in rows[1:]:
            values.update((result, rows[0][result]) for result in op.results)


def _loop(op: scf.ForOp, build: Builder, rows: Sequence[Values], vary: set[SSAValue]) -> None:
    """One loop for all rows."""
    old, first, count = op.body.block, rows[0], len(op.iter_args)
    low, high, step = (first.get(bound, bound) for bound in (op.lb, op.ub, op.step))
    starts = [values.get(start, start) for values in rows for start in op.iter_args]
    new = Block(arg_types=[old.args[0].type, *(start.type for start in starts)])
    inside = Builder(InsertPoint.at_end(new))
    counter, *carried = new.args
    own = [dict(values) for values in rows]
    for number, values in enumerate(own):
        values[old.args[0]] = counter
        part = carried[number * count : (number + 1) * count]
        values.update(zip(old.args[1:], part, strict=True))
    last = old.last_op
    assert last is not None
    for each in old.ops:
        if each is not last:
            _copy(each, inside, own, vary)
    inside.insert(scf.YieldOp(*(v.get(value, value) for v in own for value in last.operands)))
    loop = build.insert(scf.ForOp(low, high, step, starts, Region(new)))
    for number, values in enumerate(rows):
        part = loop.results[number * count : (number + 1) * count]
        values.update(zip(op.results, part, strict=True))
