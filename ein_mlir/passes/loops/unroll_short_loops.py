"""``unroll-short-loops``: elements of a short row are computed one after the other."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from math import prod

from xdsl.builder import Builder
from xdsl.dialects import arith, func, scf
from xdsl.dialects.builtin import IndexType, IntegerAttr, MemRefType
from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import InsertPoint

from ein_mlir.analysis.constants import known_int
from ein_mlir.analysis.loops.neighbours import has_scalar_loops, is_simple
from ein_mlir.analysis.manager import AnalysisManager
from ein_mlir.analysis.scopes import operations_in
from ein_mlir.dialects.creation import copy_of
from ein_mlir.rewriting.passes import FunctionPass

MOST = 8
"""The most steps of a loop that is unrolled."""


def short_loops(op: scf.ParallelOp) -> Sequence[scf.ParallelOp] | None:
    """The short loops in a body that has loops over scalars, and nothing else; None for others."""
    short, loops = list[scf.ParallelOp](), False
    for each in op.body.block.ops:
        if isinstance(each, scf.ParallelOp):
            if not _is_short(each):
                return None
            short.append(each)
        elif isinstance(each, scf.ForOp):
            loops = True
            if not _carries_scalars(each):
                return None
        elif not is_simple(each):
            return None
    return short if loops else None


def steps_of(op: scf.ParallelOp) -> Sequence[range] | None:
    """The steps along each axis of a loop, if they are known."""
    ranges = list[range]()
    for bounds in zip(op.lowerBound, op.upperBound, op.step, strict=True):
        known = [number for bound in bounds if (number := known_int(bound)) is not None]
        if len(known) < len(bounds):
            return None
        ranges.append(range(*known))
    return ranges


def _carries_scalars(op: scf.ForOp) -> bool:
    return has_scalar_loops(op) and not any(isinstance(v.type, MemRefType) for v in op.iter_args)


def _is_short(op: scf.ParallelOp) -> bool:
    steps = steps_of(op)
    is_short = steps is not None and prod(map(len, steps)) <= MOST
    return is_short and not op.initVals and all(map(is_simple, op.body.block.ops))


def unroll(op: scf.ParallelOp) -> None:
    """``scf.parallel (%k) = (0) to (2) { f(%k) }  -->  f(0); f(1)``"""
    build = Builder(InsertPoint.before(op))
    for counters in product(*(steps_of(op) or ())):
        constants = [build.insert(arith.ConstantOp(IntegerAttr(n, _INDEX))) for n in counters]
        values: dict[SSAValue, SSAValue] = dict(
            zip(op.body.block.args, (each.result for each in constants), strict=True)
        )
        for each in _steps(op):
            build.insert(copy_of(each, values))
    op.detach()
    op.erase()


def _steps(op: scf.ParallelOp) -> Sequence[Operation]:
    return [each for each in op.body.block.ops if not isinstance(each, scf.ReduceOp)]


_INDEX = IndexType()


class UnrollShortLoopsPass(FunctionPass):
    """Computes the elements of a short row one after the other, if loops compute what they need.

    Before::

        "scf.parallel"(%zero, %n, %one) ({
        ^bb0(%i: index):
          %x, %y = scf.for %t = %zero to %steps step %one iter_args(%u = .., %v = ..) { .. }
          "scf.parallel"(%zero, %two, %one) ({
          ^bb0(%k: index):
            %is_first = arith.cmpi eq, %k, %zero : index
            %element = arith.select %is_first, %x, %y : f64
            memref.store %element, %rows[%i, %k] : memref<?x2xf64>
          ..

    After::

          %x, %y = scf.for %t = %zero to %steps step %one iter_args(%u = .., %v = ..) { .. }
          %is_first = arith.cmpi eq, %zero, %zero : index
          %element = arith.select %is_first, %x, %y : f64
          memref.store %element, %rows[%i, %zero] : memref<?x2xf64>
          ..

    Then the body has loops and scalars alone, and `interchange-loops` runs it for a block of
    results. Other bodies stay: LLVM unrolls such loops, too.
    """

    name = "unroll-short-loops"
    looks_for = (scf.ParallelOp,)

    def run(self, function: func.FuncOp, analyses: AnalysisManager) -> None:
        for op in operations_in(function):
            if isinstance(op, scf.ParallelOp) and op.parent is not None:
                for each in short_loops(op) or ():
                    unroll(each)
