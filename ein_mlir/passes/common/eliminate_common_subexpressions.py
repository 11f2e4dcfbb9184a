"""``eliminate-common-subexpressions``: equal operations become the first of them."""

from __future__ import annotations

from xdsl.dialects import arith, func
from xdsl.ir import Operation

from ein_mlir.analysis.manager import AnalysisManager, classes_of
from ein_mlir.dialects import phi, sigma
from ein_mlir.host.dataclass import dataclass
from ein_mlir.rewriting.common_subexpressions import eliminate_common_subexpressions
from ein_mlir.rewriting.passes import FunctionPass

_QUOTIENTS = arith.FloorDivSIOp, sigma.FloorModOp


@dataclass(frozen=True)
class EliminateCommonSubexpressionsPass(FunctionPass):
    """Replaces operations without effects by equal ones that dominate them.

    Before::

        %0 = yarr.take %a, 0, %i : (tensor<?xf64>, tensor<i64>) -> tensor<f64>
        %1 = yarr.take %a, 0, %i : (tensor<?xf64>, tensor<i64>) -> tensor<f64>
        %2 = yarr.elementwise { arith.addf } %0, %1 : (tensor<f64>, tensor<f64>) -> tensor<f64>

    After::

        %0 = yarr.take %a, 0, %i : (tensor<?xf64>, tensor<i64>) -> tensor<f64>
        %2 = yarr.elementwise { arith.addf } %0, %0 : (tensor<f64>, tensor<f64>) -> tensor<f64>

    Operations with regions are equal if the operations in their regions are. Dead operations go.
    """

    name = "eliminate-common-subexpressions"
    is_idempotent = True

    quotients: bool = False
    """Whether only quotients and remainders of Ints are, and sizes where there are some of these:
    linear forms have them as atoms.
    """

    def run(self, function: func.FuncOp, analyses: AnalysisManager) -> None:
        if self.quotients and analyses.get(classes_of, function).isdisjoint(_QUOTIENTS):
            return
        among = (*_QUOTIENTS, phi.SizeOp) if self.quotients else (Operation,)
        eliminate_common_subexpressions(function.body, among)
