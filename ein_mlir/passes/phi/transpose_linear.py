"""``transpose-linear``: the transposes of linear programs."""

from __future__ import annotations

from xdsl.dialects import func

from ein_mlir.analysis.manager import AnalysisManager
from ein_mlir.dialects import phi
from ein_mlir.rewriting.passes import FunctionPass
from ein_mlir.rewriting.phi.derivatives import innermost, transpose


class TransposeLinearPass(FunctionPass):
    """Expands ``phi.transpose``: arrays are read where they were written, and sums distributed.

    Before::

        %t = phi.transpose (%dx = %x) by %ct -> tuple<!phi.vec<f64>> : f64 {
          phi.fold (%k < %n, %acc = %zero) -> f64 { %acc + %dx[%k] * %c }
        }

    After, if ``%n`` is the size of ``%x``::

        %g = phi.array (%k < %n) -> !phi.vec<f64> { %ct * %c }
        %t = phi.tuple (%g) : tuple<!phi.vec<f64>>

    Positions that are no indices get a scatter.
    """

    name = "transpose-linear"
    looks_for = (phi.TransposeOp,)

    def run(self, function: func.FuncOp, analyses: AnalysisManager) -> None:
        for op in innermost(function):
            if isinstance(op, phi.TransposeOp):
                transpose(op, function)
