"""The cost of ``bounds="check"`` over clipping, on the libraries that are called."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ein_mlir import EinIndexError, function
from tests.agreement.cases.case import Case
from tests.agreement.comparison import given
from tools.benchmarks.report import Report
from tools.benchmarks.timing import QUICK, Effort, interleaved

BACKENDS = ("numpy", "torch")


def measure_bounds(report: Report, cases: Sequence[Case], sizes: str, quick: bool) -> None:
    """The ratio for each program that has a check; others, and those that rely on clipping, have
    none.
    """
    effort = QUICK if quick else Effort(seconds=0.3, fewest=5, most=15)
    rows: list[dict[str, Any]] = []
    with report.progress() as progress:
        for case in progress.track(cases, description="bounds"):
            size = case.large if sizes == "large" else case.small[-1]
            inputs = case.inputs(size, "float64", np.random.default_rng(0))
            ratios = {backend: _ratio(case, backend, inputs, effort) for backend in BACKENDS}
            if any(ratio is not None for ratio in ratios.values()):
                rows.append({"case": case.name, **ratios})
    report.show("bounds", 'Time with bounds="check" over time with bounds="clip"', rows)


def _ratio(case: Case, backend: str, inputs: Sequence[Any], effort: Effort) -> float | None:
    arguments = [given(value, backend) for value in inputs]
    clipped = function(case.program, backend=backend, bounds="clip")
    checked = function(case.program, backend=backend, bounds="check")
    try:
        checked(*arguments)
    except EinIndexError:
        return None
    if checked.source(*inputs) == clipped.source(*inputs):
        return None
    actions = {
        bounds: lambda f=f: finished(f(*arguments))
        for bounds, f in (("clip", clipped), ("check", checked))
    }
    for action in actions.values():
        action()
    times = interleaved(actions, effort)
    return times["check"].least / times["clip"].least


def finished(value: Any) -> None:
    """Wait for a result of JAX, or a record of such."""
    for part in value if isinstance(value, tuple) else (value,):
        if isinstance(part, tuple):
            finished(part)
        getattr(part, "block_until_ready", lambda: None)()
