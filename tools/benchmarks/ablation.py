"""The benefit of each pass of the NumPy pipeline: the time of each case without it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from functools import partial
from typing import Any

import numpy as np
from xdsl.utils.exceptions import DiagnosticException, PassFailedException, VerifyException

from ein_mlir.errors import EinError
from ein_mlir.pipelines import NUMPY, run_pipeline
from ein_mlir.targets.python.printer import python_source
from tests.agreement.cases.case import Case
from tools.benchmarks.report import Report
from tools.benchmarks.timing import QUICK, Action, Effort, geometric_mean, interleaved
from tools.benchmarks.ways import (
    attempt,
    check,
    chosen_size,
    feasible_size,
    inputs,
    untraced,
)

ALL = "all passes"
IDIOMATIC = "idiomatic NumPy"
"""The way that all others are compared with."""
NEEDED = "needed"
"""The entry of a pass without which a case cannot be compiled."""

NOTABLE = 1.15
"""The least ratio that is listed: smaller ones may be chance."""
NOT_COMPILED = (DiagnosticException, EinError, PassFailedException, VerifyException)
"""The errors of a pipeline that lacks a pass it needs."""


def default_passes() -> tuple[str, ...]:
    """The passes of the pipeline that may be left out: all except the lowerings."""
    return tuple(dict.fromkeys(flag for flag in NUMPY if not flag.startswith("convert-")))


def ablation(report: Report, cases: Iterable[Case], passes: Sequence[str], sizes: str) -> None:
    """Show the slowdown of each case without one pass, at all its places in the pipeline."""
    effort = Effort(seconds=0.5, fewest=3, most=20) if sizes == "large" else QUICK
    rows: list[dict[str, Any]] = []
    with report.progress() as progress:
        for case in progress.track(list(cases), description="ablation"):
            with attempt(report, case):
                rows.append(
                    {"case": case.name, **_without(case, passes, chosen_size(case, sizes), effort)}
                )
    if rows:
        title = "Time without a pass, relative to the time with all"
        report.keep("ablation-cases", title, rows)
        report.show("ablation", title, [_summary(flag, rows) for flag in passes])


def _summary(flag: str, rows: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """The effect of leaving out a pass on all cases, and on the most affected ones."""
    ratios = {row["case"]: row[flag] for row in rows if row[flag] != NEEDED}

    def listed(names: Iterable[str]) -> str:
        return ", ".join(f"{name} {ratios[name]:.3g}" for name in names)

    order = sorted(ratios, key=lambda name: -ratios[name])
    return {
        "pass left out": flag,
        "geometric mean": geometric_mean(ratios.values()) if ratios else NEEDED,
        "slower": listed(name for name in order if ratios[name] > NOTABLE),
        "faster": listed(name for name in reversed(order) if ratios[name] < 1 / NOTABLE),
        "not compiled": ", ".join(row["case"] for row in rows if row[flag] == NEEDED),
    }


def _without(case: Case, passes: Sequence[str], wanted: int, effort: Effort) -> dict[str, Any]:
    """The ratio for each pass, or `NEEDED` if the case does not compile without it.

    A pass that does not change the emitted source has the ratio 1, and is not measured.
    """
    first: dict[str, str] = {}  # of each source, the pipeline that it was emitted by first
    alike: dict[str, str] = {}  # of each pipeline, the first that emits the same
    for left_out in (ALL, *passes):
        with suppress(*NOT_COMPILED):
            source = source_of(case, [flag for flag in NUMPY if flag != left_out])
            alike[left_out] = first.setdefault(source, left_out)
    functions = {flag: function_of(case, source) for source, flag in first.items()}
    functions[IDIOMATIC] = case.idiomatic

    def ways(size: int) -> dict[str, Action]:
        arguments = [
            v if isinstance(v, np.ndarray) else np.asarray(v)[()] for v in inputs(case, size)
        ]
        return {name: partial(f, *arguments) for name, f in functions.items()}

    actions = ways(feasible_size(case, wanted, ways))
    check(case, actions)
    del actions[IDIOMATIC]
    times = interleaved(actions, effort)
    least = {flag: times[same].least for flag, same in alike.items()}
    return {flag: least[flag] / least[ALL] if flag in least else NEEDED for flag in passes}


def source_of(case: Case, pipeline: Sequence[str]) -> str:
    """The NumPy source of the program of a case, emitted by a pipeline."""
    module = untraced(case.program).phi(*inputs(case, case.small[-1]))
    run_pipeline(module, pipeline)
    return python_source(module)


def function_of(case: Case, source: str) -> Callable[..., Any]:
    """The emitted function of a case.

    It takes NumPy scalars for numbers, like the functions of `ein_mlir.compile`.
    """
    namespace: dict[str, Any] = {}
    exec(source, namespace)
    return namespace[case.program.__name__]
