"""Rows of a nest of loops: what all elements of a row share runs once before its loop."""

from __future__ import annotations

from xdsl.dialects import arith, cf, memref, scf
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from ein_mlir.analysis.constants import known_int
from ein_mlir.analysis.loops.effects import is_long_loop, only_reads, read_by
from ein_mlir.analysis.loops.index_bounds import uncast
from ein_mlir.analysis.loops.memory_roots import are_apart
from ein_mlir.analysis.scopes import (
    dependents_among,
    is_within,
    operands_within,
    operations_in,
    operations_of,
)


def has_rows(nest: scf.ParallelOp) -> bool:
    """Whether loops of the elements along the last axis have one count, and read neighbours.

    The count is computed in the nest, such as that of a sparse row.
    """
    *outer, column = nest.body.block.args
    loops = [op for op in nest.body.block.ops if type(op) is scf.ForOp]
    if not outer or nest.initVals or not loops:
        return False
    vary = dependents_among(nest.body.block.ops, column)
    return any(
        is_within(uncast(op.ub), nest) and op.ub not in vary and _reads_along(op, column)
        for op in loops
    )


def _reads_along(loop: scf.ForOp, column: SSAValue) -> bool:
    """Whether a loop reads elements that are neighbours for neighbouring columns."""
    return any(
        isinstance(op, memref.LoadOp) and bool(op.indices) and op.indices[-1] is column
        for op in operations_in(loop)
    )


def has_common_loops(nest: scf.ParallelOp) -> bool:
    """Whether a loop of more than a few steps is the same for all elements along the last axis.

    So are the steps of a trajectory whose last state is a row.
    """
    if len(nest.body.block.args) < 2 or nest.initVals:
        return False
    return any(map(is_long_loop, nest.body.block.ops)) and any(map(is_long_loop, _common(nest)))


def split_rows(nest: scf.ParallelOp) -> None:
    """``parallel (i, j) { a(i); b(i, j) }  -->  parallel (i) { a(i); parallel (j) { b(i, j) }}``

    ``if 0 < m { .. }`` is around it where loops or assertions would run without elements j < m.
    """
    body = nest.body.block
    common = _common(nest)
    lower, upper, step = nest.lowerBound, nest.upperBound, nest.step
    inner = Block(arg_types=[body.args[-1].type])
    body.args[-1].replace_all_uses_with(inner.args[0])
    inner.args[0].name_hint = body.args[-1].name_hint
    for op in list(body.ops):
        if op not in common:
            op.detach()
            inner.add_op(op)
    body.erase_arg(body.args[-1])
    row = scf.ParallelOp(lower[-1:], upper[-1:], step[-1:], Region(inner))
    body.add_ops([row, scf.ReduceOp()])
    rows = scf.ParallelOp(lower[:-1], upper[:-1], step[:-1], nest.detach_region(nest.body))
    Rewriter.replace_op(nest, rows)
    if any(isinstance(op, cf.AssertOp) or is_long_loop(op) for op in common):
        _guard(rows, lower[-1], upper[-1])
    if has_common_loops(rows):
        split_rows(rows)


def _guard(rows: scf.ParallelOp, lower: SSAValue, upper: SSAValue) -> None:
    """Let rows run only if they have an element, unless that is known."""
    first, end = known_int(lower), known_int(upper)
    if first is not None and end is not None and first < end:
        return
    has_elements, body = arith.CmpiOp(lower, upper, "slt"), Block([])
    guard = scf.IfOp(has_elements, [], Region(body))
    Rewriter.insert_op([has_elements, guard], InsertPoint.before(rows))
    rows.detach()
    body.add_ops([rows, scf.YieldOp()])


def _common(nest: scf.ParallelOp) -> set[Operation]:
    """The operations of a nest that are the same for all elements along its last axis.

    They compute numbers, also in loops, from elements that no step writes, or assert something
    about these.
    """
    stores = operations_of(nest, memref.StoreOp)
    written = {op.memref for op in stores}
    own = set[SSAValue](nest.body.block.args[:-1])
    common = set[Operation]()
    for op in nest.body.block.ops:
        inputs = [value for value in operands_within(op) if not is_within(value, op)]
        is_known = all(value in own or not is_within(value, nest) for value in inputs)
        if is_known and _is_movable(op, written):
            common.add(op)
            own.update(op.results)
    return common


def _is_movable(op: Operation, written: set[SSAValue]) -> bool:
    """Whether an operation may run once for several steps, which write some arrays."""
    match op:
        case scf.ForOp() | scf.WhileOp():
            return only_reads(op) and are_apart(read_by(op), written)
        case memref.LoadOp():
            return op.memref not in written
        case scf.IfOp():  # the operands of an assertion
            block = op.true_region.block
            return (
                not op.results
                and isinstance(op.next_op, cf.AssertOp)
                and not any(each.regions for each in block.ops)
            )
        case _:
            return isinstance(op, cf.AssertOp) or (
                not op.regions and op.name.startswith(("arith.", "math."))
            )
