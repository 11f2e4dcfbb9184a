"""``split-cases``: each value of an index that conditions compare is a case, if it has few."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects import arith, func
from xdsl.ir import SSAValue
from xdsl.rewriter import Rewriter

from ein_mlir.analysis.constants import known_int
from ein_mlir.analysis.manager import AnalysisManager
from ein_mlir.analysis.notes import name_of
from ein_mlir.analysis.phi.cases import decides, is_few, may_have_cases
from ein_mlir.analysis.scopes import innermost_first
from ein_mlir.dialects import phi
from ein_mlir.dialects.creation import copy_of
from ein_mlir.rewriting.passes import FunctionPass
from ein_mlir.rewriting.phi.builders import joined_along
from ein_mlir.rewriting.phi.insertion import Builder
from ein_mlir.rewriting.phi.replacement import replace


def _found(op: phi.ArrayOp) -> int | None:
    """The first index with few values that conditions compare with constants.

    Of several indices: the elements of a short vector are computed at once.
    """
    if len(op.indices) < 2 or not may_have_cases(op):
        return None
    for axis, index in enumerate(op.indices):
        casts = (use.operation for use in index.uses)
        is_compared = any(isinstance(cast, arith.IndexCastOp) and decides(cast) for cast in casts)
        if is_compared and is_few(known_int(op.sizes[axis])):
            return axis
    return None


def _split(op: phi.ArrayOp, axis: int) -> list[phi.ArrayOp]:
    """``array (i < n, c < 2) { e(i, c) }  -->  array (i, c < 1) { e(i, 0) } ++ .. { e(i, 1) }``

    Returns the comprehensions of the cases.
    """
    build, cases = Builder.before(op), list[phi.ArrayOp]()
    one = build.integer(1)
    for case in range(known_int(op.sizes[axis]) or 0):
        part = build.insert(copy_of(op))
        part.operands[axis] = one
        cases.append(part)
        value = Builder.at_start(part.body.block).integer(case)
        for use in list(part.indices[axis].uses):
            if isinstance(use.operation, arith.IndexCastOp):
                Rewriter.replace_op(use.operation, (), (value,))
            else:
                use.operation.operands[use.index] = value
    joined: SSAValue = cases[0].result
    for number, part in enumerate(cases[1:], 2):
        joined = joined_along(build, op, axis, joined, part.result, build.integer(number))
    replace(op, joined)
    return cases


@dataclass(frozen=True)
class SplitCasesPass(FunctionPass):
    """Turns each value of an index into a case, if there are few and conditions compare it.

    Before, where ``%three`` is 3, the channels of pixels::

        %r = phi.array (%i < %n, %c < %three) -> !phi.vec<!phi.vec<f64>> {
          %0 = arith.index_cast %c : index to i64
          %1 = arith.cmpi eq, %0, %none : i64
          %x = phi.get %a[%i] : !phi.vec<f64>[index]
          %y = math.exp %x : f64
          %2 = arith.select %1, %x, %y : f64
          phi.yield %2 : f64
        }

    After::

        %0 = phi.array (%i < %n, %c < %one) -> !phi.vec<!phi.vec<f64>> {
          %x = phi.get %a[%i] : !phi.vec<f64>[index]
          ..                                              // with 0 for %c
        }
        %1 = phi.array (%i < %n, %c < %one) -> ..         // with 1
        %2 = phi.array (%i < %n, %c < %one) -> ..         // with 2
        %r = phi.array (%i < %n) -> !phi.vec<!phi.vec<f64>> {
          %3 = phi.get %0[%i] : !phi.vec<!phi.vec<f64>>[index]
          ..
          %4 = phi.concat %3, .. : !phi.vec<f64>
          phi.yield %4 : !phi.vec<f64>
        }

    No case computes the elements of another. ``delinearize-indices`` makes such an index of a
    remainder, so that elements of even and of odd indices are cases.
    """

    name = "split-cases"
    looks_for = (arith.CmpiOp,)

    def run(self, function: func.FuncOp, analyses: AnalysisManager) -> None:
        pending = list(innermost_first(function, phi.ArrayOp))
        while pending:
            op = pending.pop()
            axis = _found(op)
            if axis is not None:
                analyses.note(op, f"each value of {name_of(op.indices[axis])} is a case")
                pending.extend(_split(op, axis))
