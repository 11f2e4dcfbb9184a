"""Folds over a part of the steps of another fold."""

from __future__ import annotations

from collections.abc import Callable

from xdsl.dialects import arith
from xdsl.dialects.builtin import AnyFloat, FloatAttr, IntegerAttr, i1
from xdsl.ir import Operation, SSAValue

from ein_mlir.analysis.hints import isa
from ein_mlir.analysis.phi.free_indices import FreeIndices
from ein_mlir.analysis.phi.selections import step_of
from ein_mlir.dialects import phi
from ein_mlir.passes.phi.raise_scans.selection import Value, Window, repeated_value
from ein_mlir.rewriting.phi.builders import (
    chosen,
    copied,
    copied_tests,
    folded,
    linear_value,
    number_as,
)
from ein_mlir.rewriting.phi.insertion import Builder
from ein_mlir.rewriting.phi.ranges import assume, start_at
from ein_mlir.rewriting.phi.replacement import Replacement, raised
from ein_mlir.rewriting.phi.step_values import with_start

_LARGEST = 2**31
"""The largest whole number whose sums are sums of Ints, too."""


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


def replace_by_number(
    op: phi.FoldOp, raise_: Callable[[phi.FoldOp], bool], free: FreeIndices
) -> bool:
    """``sum_k where(t, 1.0, 0.0)  -->  float(sum_k where(t, 1, 0))``, of any whole number.

    And ``any_k t  -->  sum_k where(t, 1, 0) > 0``. Sums of Ints have differences. If ``raise_``
    replaces the fold of these; whether it does.
    """
    found = step_of(op)
    value = repeated_value(op, found) if found is not None and found.tests else None
    if found is None or value is None or (whole := _whole(found.combine, value)) is None:
        return False

    def step(build: Builder, counter: SSAValue, accumulator: SSAValue) -> SSAValue:
        tests = copied_tests(build, op.body.block, found.tests, {op.counter: counter})
        return build.add(accumulator, chosen(build, tests, build.integer(whole), build.integer(0)))

    zero = arith.ConstantOp.from_int_and_width(0, 64)
    number = raised(op, folded(op, zero, step), raise_, free, [zero])
    if number is None:
        return False
    build = Replacement(op)
    if op.result.type == i1:
        decisive = IntegerAttr.from_bool(not found.neutral.value.data)
        values = build.constant(decisive), build.constant(found.neutral)
        total = build.select(build.compare(number, "sgt", 0), *values)
    else:
        total = number_as(build, number, op.result.type)
    build.finish(with_start(build, op, found, total), free)
    return True


def _whole(combine: Operation, value: Value) -> int | None:
    """The Int whose sums are those of a value: 1 for a truth value, of which some are decisive."""
    if isinstance(combine, arith.OrIOp | arith.AndIOp) and value.type == i1:
        return 1
    if not isinstance(combine, arith.AddfOp) or not isa(value, FloatAttr):
        return None
    number = value.value.data
    return int(number) if number.is_integer() and abs(number) <= _LARGEST else None


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
