"""Nests of few steps from positions that a program computes."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from xdsl.builder import Builder
from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import UnitAttr
from xdsl.ir import Block, Region, SSAValue
from xdsl.rewriter import InsertPoint

from ein_mlir.analysis.loops.unrolled import MOST_OTHERS
from ein_mlir.backends.native.abi import LIKELY
from ein_mlir.dialects.creation import copy_of_region
from ein_mlir.host.dataclass import dataclass
from ein_mlir.rewriting.loops.index_values import IndexValues


@dataclass(frozen=True)
class FewSteps:
    """Steps of a loop: so many from ``value + more`` on, as far as they are in ``0 .. end``."""

    value: SSAValue
    more: int
    count: int
    end: SSAValue


def number_steps(nest: scf.ParallelOp, loops: Sequence[FewSteps]) -> None:
    """Take the steps of a nest by their number, in a branch where all of them are in bounds.

    ``for i in max(k, 0) .. min(k + 2, n) { f(i) }
    -->  if 0 <= k <= n - 2 { for t in 0 .. 2 { f(k + t) } } else { for i in .. { f(i) } }``

    So LLVM unrolls them, and knows which of them a comparison of i and k selects.
    """
    emit = IndexValues(Builder(InsertPoint.before(nest)))
    starts, tests = list[SSAValue](), list[SSAValue]()
    for each in loops:
        start = emit.combined(emit.index(each.value), "+", emit.integer(each.more))
        last = emit.combined(each.end, "-", emit.integer(each.count))
        below = arith.CmpiOp(start, last, "sle")
        tests += [emit.compared(start, "sge", 0), emit.build.insert(below).result]
        starts.append(start)
    then = Region(Block())
    _add_numbered(then.block, nest, starts, [each.count for each in loops])
    branch = emit.build.insert(scf.IfOp(emit.all(tests), [], then, Region(Block())))
    branch.attributes[LIKELY] = UnitAttr()
    nest.detach()
    branch.false_region.block.add_ops([nest, scf.YieldOp()])


def _add_numbered(
    block: Block, nest: scf.ParallelOp, starts: Sequence[SSAValue], counts: Sequence[int]
) -> None:
    """Add a copy of a nest whose indices are the sums of starts and counters."""
    emit = IndexValues(Builder(InsertPoint.at_end(block)))
    zero, one = emit.integer(0), emit.integer(1)
    body = copy_of_region(nest.body, {})
    inner = IndexValues(Builder(InsertPoint.at_start(body.block)))
    for counter, start in zip(body.block.args, starts, strict=True):
        uses = list(counter.uses)
        index = inner.combined(start, "+", counter)
        for use in uses:
            use.operation.operands[use.index] = index
    rank = len(counts)
    numbered = scf.ParallelOp([zero] * rank, list(map(emit.integer, counts)), [one] * rank, body)
    emit.build.insert(numbered)
    emit.build.insert(scf.YieldOp())


def is_worth_numbering(nest: scf.ParallelOp, loops: Sequence[FewSteps]) -> bool:
    """Whether a nest has few steps along all axes, and all of them few operations."""
    if len(loops) < len(nest.lowerBound) or any(op.regions for op in nest.body.block.ops):
        return False
    return prod(each.count for each in loops) * len(nest.body.block.ops) <= MOST_OTHERS
