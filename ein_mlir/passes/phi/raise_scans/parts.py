"""Folds over a part of the steps of another fold."""

from __future__ import annotations

from xdsl.dialects import arith
from xdsl.dialects.builtin import FloatAttr, IntegerAttr
from xdsl.ir import SSAValue
from xdsl.rewriter import Rewriter

from ein_mlir.analysis.hints import isa
from ein_mlir.analysis.phi.selections import Test
from ein_mlir.dialects import phi
from ein_mlir.dialects.creation import copy_of
from ein_mlir.passes.phi.raise_scans.selection import Window
from ein_mlir.rewriting.phi.builders import linear_value, number_as
from ein_mlir.rewriting.phi.insertion import Builder
from ein_mlir.rewriting.phi.ranges import assume, start_at


def one_side(op: phi.FoldOp, test: Test, init: SSAValue, *, is_before: bool) -> phi.FoldOp:
    """The fold over the steps on one side of those in which ``x != y`` fails: of ``x < y``, or not.

    In these steps the comparison has the value that the test expects, as it has now.
    """
    place = [each is test.condition.owner for each in op.body.walk()].index(True)
    part = copy_of(op, {op.init: init})
    compare = list(part.body.walk())[place]
    assert isinstance(compare, arith.CmpiOp)
    is_below = is_before if test.expected else not is_before
    predicate = ("slt" if is_below else "sgt") if test.expected else ("sle" if is_below else "sge")
    Rewriter.replace_op(compare, arith.CmpiOp(compare.lhs, compare.rhs, predicate))
    return part


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
    terminator = block.last_op
    assert terminator is not None
    end = Builder.before(terminator)
    is_step = end.compare(place, "ult", count)
    step = end.select(is_step, op.yielded(), op.accumulator)
    terminator.operands[0] = step


def multiple(build: Builder, number: SSAValue, literal: FloatAttr | IntegerAttr) -> SSAValue:
    """The sum of a number of equal literals."""
    value = number_as(build, number, literal.type)
    if literal.value.data == 1:
        return value
    factor = build.constant(literal)
    product = arith.MulfOp if isa(literal, FloatAttr) else arith.MuliOp
    return build.emit(product(value, factor))
