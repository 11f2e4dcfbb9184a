"""The presence of derivatives."""

from __future__ import annotations

from xdsl.dialects import func
from xdsl.ir import Operation

from ein_mlir.analysis.manager import AnalysisManager, classes_of
from ein_mlir.analysis.scopes import around
from ein_mlir.dialects import phi


def has_derivatives(function: func.FuncOp, analyses: AnalysisManager) -> bool:
    """Whether a function has derivatives that are not expanded yet."""
    return phi.DerivativeOp in analyses.get(classes_of, function)


def is_differentiated(op: Operation) -> bool:
    """Whether an operation is within a derivative."""
    return any(isinstance(each, phi.DerivativeOp) for each in around(op))


def may_save_steps(op: Operation) -> bool:
    """Whether all derivatives around an operation may save values of all steps of a loop."""
    return all(not isinstance(each, phi.VjpOp) or each.checkpoint is None for each in around(op))
