"""``measure-varying-sizes``: sizes that vary with loops are checked and bounded before them."""

from __future__ import annotations

from xdsl.dialects import arith, func
from xdsl.ir import SSAValue

from ein_mlir.analysis.arithmetic import LinearForm
from ein_mlir.analysis.manager import AnalysisManager
from ein_mlir.analysis.phi.varying_sizes import UnprovedSize, varying_sizes
from ein_mlir.analysis.scopes import around
from ein_mlir.dialects import phi
from ein_mlir.rewriting.dead_code import erase_unused
from ein_mlir.rewriting.passes import FunctionPass
from ein_mlir.rewriting.phi.bounds import bound_value, place_of
from ein_mlir.rewriting.phi.insertion import Builder
from ein_mlir.rewriting.phi.size_loops import SizeLoop


def measure(found: UnprovedSize) -> bool:
    """Replace a size by an equal one that is a size and bounded; False if that is impossible."""
    loop = SizeLoop(found.op, found.size)
    if not loop.is_computable:
        return False
    tests, size = _tests_of(found), _measured(found, loop)
    for number, operand in enumerate(found.op.operands):
        if operand is found.size and found.op.size_or_count(number) is not None:
            found.op.operands[number] = size
    for op in tests:
        op.operands[1] = size
    return True


def _tests_of(found: UnprovedSize) -> list[arith.CmpiOp]:
    """The comparisons ``.. < m`` after an operation, so that they are seen to test its size."""
    block = found.op.parent
    assert block is not None
    behind = set(list(block.ops)[block.get_operation_index(found.op) + 1 :])
    users = [use.operation for use in found.size.uses if use.index == 1]
    return [
        op
        for op in users
        if isinstance(op, arith.CmpiOp) and any(each in behind for each in around(op))
    ]


def _measured(found: UnprovedSize, loop: SizeLoop) -> SSAValue:
    """``m = max(min(m, N), 0)``, where a loop computes the largest ``N`` and rejects others."""
    build = Builder.before(place_of(found.op.results[0]))
    bound = bound_value(build, LinearForm.of(loop.largest(build)))
    build = Builder.before(found.op)
    return build.max(build.min(found.size, bound), 0)


class MeasureVaryingSizesPass(FunctionPass):
    """Checks sizes and counts that vary from step to step before the loop, and bounds them.

    Before::

        %r = phi.fold (%k < %n, %acc = %zero) -> f64 {
          %c = phi.get %counts[%k] : !phi.vec<i64>[i64]
          %next = phi.fold (%j < %c, %s = %acc) -> f64 { .. }
          phi.yield %next : f64
        }

    After::

        %largest = phi.fold (%k < %n, %most = %none) -> i64 {
          %c = phi.get %counts[%k] : !phi.vec<i64>[i64]
          %checked = phi.fold (%j < %c, %s = %most) -> i64 { phi.yield %s : i64 }
          %next = arith.maxsi %most, %c : i64
          phi.yield %next : i64
        }
        %N = ..                                          // %largest, as the size of an array
        %r = phi.fold (%k < %n, %acc = %zero) -> f64 {
          %c = phi.get %counts[%k] : !phi.vec<i64>[i64]
          %0 = arith.minsi %c, %N : i64
          %1 = arith.maxsi %0, %none : i64
          %next = phi.fold (%j < %1, %s = %acc) -> f64 { .. }
          phi.yield %next : f64
        }

    The first loop computes numbers only, and a library that compiles loops runs it before it
    compiles. Proved sizes stay.
    """

    name = "measure-varying-sizes"
    looks_for = (phi.FoldOp,)

    def run(self, function: func.FuncOp, analyses: AnalysisManager) -> None:
        # One after the other, since the bound of one may bound others.
        ops = [each.op for each in analyses.get(varying_sizes, function).unproved]
        for op in dict.fromkeys(ops):
            for _ in op.operands:
                varying = analyses.get(varying_sizes, function)
                found = next((each for each in varying.unproved if each.op is op), None)
                if found is None or not measure(found):
                    break
                analyses.note(op, "a size that varies is computed before the loop")
                analyses.invalidate(function)
        if ops:
            erase_unused(function.body.block)
            analyses.invalidate(function)
