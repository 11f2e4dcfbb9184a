"""The presence of derivatives."""

from __future__ import annotations

from xdsl.dialects import func

from ein_mlir.analysis.manager import AnalysisManager, classes_of
from ein_mlir.dialects import phi


def has_derivatives(function: func.FuncOp, analyses: AnalysisManager) -> bool:
    """Whether a function has derivatives that are not expanded yet."""
    return any(issubclass(found, phi.DerivativeOp) for found in analyses.get(classes_of, function))
