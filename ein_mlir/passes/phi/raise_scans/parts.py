"""Folds over a part of the steps of another fold."""

from __future__ import annotations

from xdsl.dialects import arith
from xdsl.dialects.builtin import AnyFloat
from xdsl.ir import SSAValue

from ein_mlir.analysis.hints import isa
from ein_mlir.dialects import phi
from ein_mlir.passes.phi.raise_scans.selection import Value, Window
from ein_mlir.rewriting.phi.builders import copied, linear_value, number_as
from ein_mlir.rewriting.phi.insertion import Builder
from ein_mlir.rewriting.phi.ranges import assume, start_at


def narrow(op: phi.FoldOp, window: Window) -> None:
    """``fold (k < n) { where(p <= k < p + c, e, acc) }  -->  fold (d < c) { .. }``

    with ``p + d`` for k, if that is a step of the old fold.
    """
    block = op.body.block
    before, start = Builder.before(op), Builder.at_start(block)
    count = op.count
    op.operands[0] = before.integer(window.size)
    place = start_at(start, op, linear_value(start, window.first))
    for bound in window.bounds:
        assume(start, bound)
    end = Builder.before_end(block)
    is_step = end.compare(place, "ult", count)
    op.yield_instead(end.select(is_step, op.yielded(), op.accumulator))


def multiple(build: Builder, op: phi.FoldOp, number: SSAValue, value: Value) -> SSAValue:
    """The sum of a number of equal values of a fold: 0 of none, since 0 * infinity is NaN."""
    count = number_as(build, number, value.type)
    is_float = isa(value.type, AnyFloat)
    product = arith.MulfOp if is_float else arith.MuliOp
    if not isinstance(value, SSAValue):
        is_one = value.value.data == 1
        return count if is_one else build.emit(product(count, build.constant(value)))
    (factor,) = copied(build, op.body.block, [value], {})
    total = build.emit(product(count, factor))
    if not is_float:
        return total
    return build.select(build.compare(number, "sgt", 0), total, build.number(0.0, value.type))
