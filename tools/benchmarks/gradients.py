"""The time of a value and all of its gradients over that of the value, for each case."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ein_mlir import Function, function, vjp
from tests.agreement.cases.case import Case
from tests.agreement.comparison import given, leaves
from tests.agreement.test_derivatives import is_float, mapped
from tools.benchmarks.bounds import finished
from tools.benchmarks.report import Report
from tools.benchmarks.timing import QUICK, Effort, interleaved

BACKENDS = ("numpy", "native")


def measure_gradients(report: Report, cases: Sequence[Case], sizes: str, quick: bool) -> None:
    """The ratio for each program with Floats as arguments and results."""
    effort = QUICK if quick else Effort(seconds=0.3, fewest=5, most=15)
    rows: list[dict[str, Any]] = []
    with report.progress() as progress:
        for case in progress.track(cases, description="gradients"):
            size = case.large if sizes == "large" else case.small[-1]
            inputs = case.inputs(size, "float64", np.random.default_rng(0))
            if any(map(is_float, leaves(inputs))) and has_floats(case, inputs):
                ratios = {each: _ratio(report, case, each, inputs, effort) for each in BACKENDS}
                rows.append({"case": case.name, **ratios})
    report.show("gradients", "Time of a program and its gradients over that of the program", rows)


def has_floats(case: Case, inputs: Sequence[Any]) -> bool:
    """Whether a program has a result with a gradient."""
    return any(map(is_float, leaves(case.program.eval(*inputs, backend="numpy"))))


def with_gradients(case: Case, backend: str) -> Function[..., Any]:
    """The values of a program, and the cotangents of its arguments for one of its result."""

    def both(arguments: Any, cotangent: Any) -> Any:
        value, backwards = vjp(case.program, *arguments)
        return value, backwards(cotangent)

    return function(both, backend=backend)


def _ratio(
    report: Report, case: Case, backend: str, inputs: Sequence[Any], effort: Effort
) -> float | None:
    arguments = tuple(given(value, backend) for value in inputs)
    program, both = function(case.program, backend=backend), with_gradients(case, backend)
    result = case.program.eval(*inputs, backend="numpy")
    ones = mapped(result, lambda leaf: np.ones_like(leaf) if is_float(leaf) else leaf)
    cotangent = mapped(ones, lambda leaf: given(leaf, backend))
    actions = {
        "program": lambda: finished(program(*arguments)),
        "both": lambda: finished(both(arguments, cotangent)),
    }
    try:
        for action in actions.values():
            action()
    except Exception as error:  # a program without a derivative is a row of the table
        report.say(f"{case.name} on {backend}: {error}")
        return None
    times = interleaved(actions, effort)
    return times["both"].least / times["program"].least
