"""``linearize``: derivatives as linear programs."""

from __future__ import annotations

from xdsl.dialects import func

from ein_mlir.analysis.manager import AnalysisManager
from ein_mlir.dialects import phi
from ein_mlir.host.dataclass import dataclass
from ein_mlir.rewriting.passes import FunctionPass
from ein_mlir.rewriting.phi.derivatives import innermost, linearize


@dataclass(frozen=True)
class LinearizePass(FunctionPass):
    """Expands ``phi.jvp``, and splits ``phi.vjp`` into a program and a linear one to transpose.

    Before::

        %r = phi.vjp (%x = %a by %ct) : f64 -> tuple<f64, f64> { sin %x }

    After::

        %y = math.sin %a : f64
        %t = phi.transpose (%dx = %a) by %ct -> tuple<f64> : f64 { %dx * cos %a }
        %da = phi.proj %t, 0 : tuple<f64> -> f64
        %r = phi.tuple (%y, %da) : tuple<f64, f64>

    Those with other derivatives inside wait for them. In a ``phi.vjp``, sums that compute the same
    functions become one loop before, as by ``merge-comprehensions``. A loop that saves more bytes
    than ``checkpoint`` is split in chunks, of which it saves the first values only: a fold over
    chunks has one over their steps, which is computed again.
    """

    name = "linearize"
    looks_for = (phi.JvpOp, phi.VjpOp)

    checkpoint: int | None = None

    def run(self, function: func.FuncOp, analyses: AnalysisManager) -> None:
        for op in innermost(function):
            if isinstance(op, phi.DerivativeAtPointOp):
                linearize(op, function, self.checkpoint)
