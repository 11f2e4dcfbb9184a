"""``expand-nan-propagation``: ``phi.propagate_nan`` becomes a count and a choice by element."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import arith, func, math
from xdsl.dialects.builtin import AnyFloat, FloatAttr, IntegerAttr, i64
from xdsl.ir import SSAValue
from xdsl.rewriter import Rewriter

from ein_mlir.analysis.hints import isa
from ein_mlir.analysis.manager import AnalysisManager
from ein_mlir.analysis.scopes import operations_in
from ein_mlir.dialects import phi
from ein_mlir.rewriting.passes import FunctionPass
from ein_mlir.rewriting.phi.float_tests import LIMITS, is_infinite
from ein_mlir.rewriting.phi.insertion import Builder


def expand(op: phi.PropagateNanOp) -> None:
    """``propagate_nan x from y``  -->
    ``array (j < n) { where(bits of abs(y[j]) <= limit, nan, x[j]) }``
    """
    build = Builder.before(op)
    size = build.size(op.vec, 0)
    limit = _limit(op, _count(op, size, build), build)

    def element(inner: Builder, own: Sequence[SSAValue]) -> SSAValue:
        place = inner.as_int(own[0])
        x, y = inner.get(op.vec, [place]), inner.get(op.others, [place])
        bits = inner.emit(arith.BitcastOp(inner.emit(math.AbsFOp(y)), limit.type))
        some = inner.compare(bits, "sle", limit)
        assert isa(x.type, AnyFloat)
        nan = inner.constant(FloatAttr(float("nan"), x.type))
        return inner.select(some, nan, x)

    array = build.comprehension([size], element)
    array.name_hint = op.result.name_hint
    Rewriter.replace_op(op, (), (array,))


def _limit(op: phi.PropagateNanOp, count: SSAValue, build: Builder) -> SSAValue:
    """The greatest bits of a magnitude for which an element is NaN.

    All are, if two or more positions are infinite or NaN, and all finite ones, if one is: the bits
    of these are in the order of the magnitudes, below those of infinity.
    """
    element = phi.scalar_of(op.others.type)
    assert isa(element, AnyFloat)
    width = element.bitwidth
    none, every = (build.constant(IntegerAttr(k, width)) for k in (-1, 2 ** (width - 1) - 1))
    largest = build.constant(FloatAttr(LIMITS[element].largest, element))
    finite = build.emit(arith.BitcastOp(largest, none.type))
    some = build.select(build.compare(count, "sgt", 1), every, finite)
    return build.select(build.compare(count, "sgt", 0), some, none)


def _count(op: phi.PropagateNanOp, size: SSAValue, build: Builder) -> SSAValue:
    """The number of positions where the other vector is infinite or NaN."""

    def step(inner: Builder, counter: SSAValue, total: SSAValue) -> SSAValue:
        is_bad = is_infinite(inner, inner.get(op.others, [counter]))
        return inner.add(total, inner.emit(arith.ExtUIOp(is_bad, i64)))

    return build.fold_over(size, build.integer(0), step)


class ExpandNanPropagationPass(FunctionPass):
    """Expands ``phi.propagate_nan`` into a count, and a choice for each element.

    Before::

        %r = phi.propagate_nan %x from %y : !phi.vec<f64> from !phi.vec<f64>

    After, where ``%bad`` is 1 for an infinity or NaN of %y, and 0 otherwise, and ``%limit`` depends
    on the count of these::

        %n = phi.size %x, 0 : !phi.vec<f64>
        %all = phi.fold (%k < %n, %acc = %zero) -> i64 { .. %acc + %bad at %k .. }
        %limit = .. -1 for 0, the bits of the largest number for 1, else 2^63 - 1 .. : i64
        %r = phi.array (%j < %n) -> !phi.vec<f64> {
          %bits = .. of the magnitude of %y[%j] .. : i64
          phi.yield select (%bits <= %limit), %nan, %x[%j] : f64
        }

    Elements are then computed where they are read, and the vector is not stored.
    """

    name = "expand-nan-propagation"
    looks_for = (phi.PropagateNanOp,)

    def run(self, function: func.FuncOp, analyses: AnalysisManager) -> None:
        for op in operations_in(function):
            if isinstance(op, phi.PropagateNanOp):
                expand(op)
