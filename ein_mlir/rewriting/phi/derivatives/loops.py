"""Reductions and loops with a condition as folds, which have derivatives."""

from __future__ import annotations

from xdsl.builder import Builder
from xdsl.dialects import arith, func
from xdsl.dialects.builtin import i1, i64
from xdsl.ir import Operation
from xdsl.rewriter import InsertPoint, Rewriter

from ein_mlir.analysis.phi.free_indices import FreeIndices
from ein_mlir.analysis.scopes import innermost_first
from ein_mlir.dialects import phi
from ein_mlir.rewriting.phi.builders import integer, leaves_of, record_of
from ein_mlir.rewriting.phi.derivatives.folds import replace_record
from ein_mlir.rewriting.phi.derivatives.tangents import NoDerivativeError


def reductions_as_folds(op: Operation) -> None:
    """``reduce v identity z by { e }  -->  fold (k < size v, acc = z) { e(acc, v[k]) }``"""
    for reduction in innermost_first(op, phi.ReduceOp):
        _reduction_as_fold(reduction)


def _reduction_as_fold(op: phi.ReduceOp) -> None:
    build = Builder(InsertPoint.before(op))
    columns = leaves_of(build, op.vec)
    size = build.insert(phi.SizeOp(columns[0], 0)).result
    body = op.body.clone()
    block = body.block
    counter = block.insert_arg(i64, 0)
    inner = Builder(InsertPoint.at_start(block))
    elements = [inner.insert(phi.GetOp(column, [counter])).result for column in columns]
    element = record_of(inner, op.identity.type, elements)
    replace_record(block.args[2], element)
    block.erase_arg(block.args[2])
    fold = phi.FoldOp(size, op.identity, body)
    fold.location = op.location
    Rewriter.replace_op(op, fold)


def whiles_as_folds(op: Operation, function: func.FuncOp) -> None:
    """``while (k < n, x = a) { e }  -->  fold (k < steps, x = a) { e }``

    A loop of its own counts the steps. They must be the same for all indices.
    """
    loops = innermost_first(op, phi.WhileOp)
    if not loops:
        return
    free = FreeIndices(function)
    for loop in loops:
        if free.of(loop.accumulator):
            raise NoDerivativeError(
                loop,
                "its number of steps depends on an index: it has a derivative by jvp, and none by "
                "vjp or grad",
            )
        _while_as_fold(loop)


def _while_as_fold(op: phi.WhileOp) -> None:
    build = Builder(InsertPoint.before(op))
    counting = op.body.clone()
    block = counting.block
    record = block.insert_arg(phi.tuple_of((i1, op.init.type, i64)), 2)
    inner = Builder(InsertPoint.at_start(block))
    before = inner.insert(phi.ProjOp(record, 1)).result
    steps = inner.insert(phi.ProjOp(record, 2)).result
    block.args[1].replace_all_uses_with(before)
    block.erase_arg(block.args[1])
    last = block.last_op
    assert isinstance(last, phi.YieldOp)
    end = Builder(InsertPoint.before(last))
    more = end.insert(arith.AddiOp(steps, integer(end, 1))).result
    condition = end.insert(phi.ProjOp(last.value, 0)).result
    after = end.insert(phi.TupleOp([condition, last.value, more]))
    Rewriter.replace_op(last, phi.YieldOp(after), ())
    first = build.insert(phi.ProjOp(op.init, 0)).result
    start = build.insert(phi.TupleOp([first, op.init, integer(build, 0)]))
    found = build.insert(phi.WhileOp(op.count, start, counting))
    count = build.insert(phi.ProjOp(found.result, 2)).result
    body = op.body.clone()
    fold = phi.FoldOp(count, op.init, body)
    fold.location = op.location
    Rewriter.replace_op(op, fold)
