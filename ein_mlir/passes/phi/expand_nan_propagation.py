"""``expand-nan-propagation``: ``phi.propagate_nan`` becomes a count and a choice by element."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import arith, func
from xdsl.dialects.builtin import AnyFloat, FloatAttr, i64
from xdsl.ir import SSAValue
from xdsl.rewriter import Rewriter

from ein_mlir.analysis.hints import isa
from ein_mlir.analysis.manager import AnalysisManager
from ein_mlir.analysis.scopes import operations_in
from ein_mlir.dialects import phi
from ein_mlir.rewriting.passes import FunctionPass
from ein_mlir.rewriting.phi.builders import comprehension, fold_over
from ein_mlir.rewriting.phi.float_tests import is_infinite
from ein_mlir.rewriting.phi.insertion import Builder


def expand(op: phi.PropagateNanOp) -> None:
    """``propagate_nan x from y``  -->
    ``array (j < n) { where(sum (k < n) { bad(y[k]) } - bad(y[j]) > 0, nan, x[j]) }``
    """
    build = Builder.before(op)
    size = build.size(op.vec, 0)
    total = _count(op, size, build)

    def element(inner: Builder, own: Sequence[SSAValue]) -> SSAValue:
        place = inner.as_int(own[0])
        x = inner.get(op.vec, [place])
        some = inner.compare(inner.sub(total, _bad(op, inner, place)), "sgt", 0)
        assert isa(x.type, AnyFloat)
        nan = inner.constant(FloatAttr(float("nan"), x.type))
        return inner.select(some, nan, x)

    array = comprehension(build, [size], element)
    array.name_hint = op.result.name_hint
    Rewriter.replace_op(op, (), (array,))


def _count(op: phi.PropagateNanOp, size: SSAValue, build: Builder) -> SSAValue:
    """The number of positions where the other vector is infinite or NaN."""

    def step(inner: Builder, counter: SSAValue, total: SSAValue) -> SSAValue:
        return inner.add(total, _bad(op, inner, counter))

    return fold_over(build, size, build.integer(0), step)


def _bad(op: phi.PropagateNanOp, build: Builder, place: SSAValue) -> SSAValue:
    """1 if the other vector is infinite or NaN at a position, else 0."""
    y = build.get(op.others, [place])
    return build.emit(arith.ExtUIOp(is_infinite(build, y), i64))


class ExpandNanPropagationPass(FunctionPass):
    """Expands ``phi.propagate_nan`` into a count, and a choice for each element.

    Before::

        %r = phi.propagate_nan %x from %y : !phi.vec<f64> from !phi.vec<f64>

    After, where ``%bad`` is 1 for an infinity or NaN of %y, and 0 otherwise::

        %n = phi.size %x, 0 : !phi.vec<f64>
        %all = phi.fold (%k < %n, %acc = %zero) -> i64 { .. %acc + %bad at %k .. }
        %r = phi.array (%j < %n) -> !phi.vec<f64> {
          %others = arith.subi %all, %bad : i64
          %some = arith.cmpi sgt, %others, %zero : i64
          %e = phi.get %x[%j] : !phi.vec<f64>[index]
          %z = arith.select %some, %nan, %e : f64
          phi.yield %z : f64
        }

    Elements are then computed where they are read, and the vector is not stored.
    """

    name = "expand-nan-propagation"
    looks_for = (phi.PropagateNanOp,)

    def run(self, function: func.FuncOp, analyses: AnalysisManager) -> None:
        for op in operations_in(function):
            if isinstance(op, phi.PropagateNanOp):
                expand(op)
