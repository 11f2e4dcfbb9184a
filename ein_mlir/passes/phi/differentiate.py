"""``differentiate``: programs without derivatives."""

from __future__ import annotations

from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp

from ein_mlir.analysis.calls import functions_in
from ein_mlir.analysis.manager import AnalysisManager
from ein_mlir.dialects import phi
from ein_mlir.host.dataclass import dataclass
from ein_mlir.rewriting.dead_code import erase_unused
from ein_mlir.rewriting.passes import FunctionPass
from ein_mlir.rewriting.phi.calls import forget_rules, rules_of


@dataclass(frozen=True)
class DifferentiatePass(FunctionPass):
    """Expands all derivatives: `linearize` and `transpose-linear` by turns, inner ones first.

    Before, the second derivative of a sine::

        %r = phi.jvp (%x = %a by %one) : f64 -> tuple<f64, f64> {
          %s = phi.vjp (%z = %x by %one) : f64 -> tuple<f64, f64> { sin %z }
          phi.proj %s, 1 : tuple<f64, f64> -> f64
        }

    After, without unused operations::

        %d = arith.mulf %one, cos %a : f64
        %0 = arith.mulf -(%one * sin %a), %one : f64
        %r = phi.tuple (%d, %0) : tuple<f64, f64>

    Loops that save more bytes than ``checkpoint`` save every sqrt(n)-th step only. Functions that
    are derivatives of extrinsics are removed. Searches become folds, as those of programs are.
    With ``shifts``, the transpose of ``a[i + c]`` by any Int ``c`` is a part of the cotangent: for
    small arrays, the tests of ``c`` may take longer than to add elements at positions.
    """

    name = "differentiate"
    looks_for = (phi.DerivativeOp,)

    checkpoint: int | None = None
    shifts: bool = False

    def run_on_module(self, module: ModuleOp, analyses: AnalysisManager) -> None:
        has_others = len(functions_in(module)) > 1
        # An extrinsic without a use leaves the module before its rules do.
        rules = rules_of(module) if has_others else set[str]()
        super().run_on_module(module, analyses)
        if has_others:
            forget_rules(module, rules)

    def run(self, function: func.FuncOp, analyses: AnalysisManager) -> None:
        # The rules of derivatives take a tenth of the time of loading all passes.
        from ein_mlir.rewriting.phi.derivatives import (
            forget_marks,
            innermost,
            linearize,
            searches_as_folds,
            transpose,
        )
        from ein_mlir.rewriting.phi.fields import drop_unused_fields, read_fields_of_tuples

        while found := innermost(function):
            for op in found:
                if isinstance(op, phi.TransposeOp):
                    transpose(op, function, shifts=self.shifts)
                else:
                    linearize(op, function, self.checkpoint)
        searches_as_folds(function)
        forget_marks(function)
        erase_unused(function.body.block)
        read_fields_of_tuples(function)
        drop_unused_fields(function.body.block)
        erase_unused(function.body.block)
