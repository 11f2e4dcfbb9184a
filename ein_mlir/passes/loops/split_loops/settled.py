"""Recurrences that only some steps continue: in others what they carry is known before the loop."""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.builder import Builder
from xdsl.dialects import arith, func, scf
from xdsl.ir import SSAValue
from xdsl.rewriter import InsertPoint

from ein_mlir.analysis.arithmetic import LinearForm
from ein_mlir.analysis.constants import known_int
from ein_mlir.analysis.loops.idle_steps import settling_conditions
from ein_mlir.analysis.loops.spans import Conditions, Limits, Span
from ein_mlir.analysis.scopes import around, is_within, operations_in
from ein_mlir.passes.loops.split_loops.interior import Interior
from ein_mlir.rewriting.loops.index_values import IndexValues

_LOOPS = (scf.ForOp, scf.ParallelOp, scf.WhileOp)


def recurrences(function: func.FuncOp) -> Iterator[scf.ForOp]:
    """The loops without others inside that carry values, and count from 0 in steps of 1.

    Those that are the step of a parallel loop run for many of its steps at a time.
    """
    for op in operations_in(function):
        if type(op) is scf.ForOp and op.iter_args and known_int(op.lb) == 0:
            outer = next((each for each in around(op) if isinstance(each, _LOOPS)), None)
            has_regions = any(each.regions for each in op.body.block.ops)
            if known_int(op.step) == 1 and not has_regions and type(outer) is not scf.ParallelOp:
                yield op


def continued(loop: scf.ForOp) -> Interior | None:
    """The steps that go on with what the step before carries, by limits of the counter.

    ``where((j >= p) & (j < q), f(acc), x)`` does so from p to q; it is x elsewhere.
    """
    conditions = Conditions(loop.body.block.args[0], lambda value: not is_within(value, loop))
    found = [
        (conditions.where(condition, not value), {condition: value})
        for condition, value in settling_conditions(loop)
    ]
    if not found:
        return None
    span, outside = max(found, key=lambda each: len(each[0].lows) + len(each[0].highs))
    limits = [*span.lows, *span.highs]
    if not limits or any(known_int(limit) is not None for limit in limits):
        return None
    return _interior(loop, span, conditions, outside)


def _interior(
    loop: scf.ForOp, span: Span, conditions: Conditions, outside: dict[SSAValue, bool]
) -> Interior:
    emit, found = IndexValues(Builder(InsertPoint.before(loop))), Interior(outside={**outside})

    def forms(limits: Limits) -> list[LinearForm]:
        """The limits, which are at most the end before a sum with 1: that does not wrap."""
        values = [(emit.index(limit), number) for limit, number in limits.items()]
        least = [emit.build.insert(arith.MinSIOp(each, loop.ub)).result for each, _ in values]
        pairs = zip(least, values, strict=True)
        return [LinearForm.of(value) + number for value, (_, number) in pairs]

    found.lows, found.highs = forms(span.lows), forms(span.highs)
    for op in loop.body.block.ops:
        for expected in (True, False) if isinstance(op, arith.CmpiOp) else ():
            if conditions.where(op.results[0], expected).holds_in(span):
                found.values[op.results[0]] = expected
    return found
