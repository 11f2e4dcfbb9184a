"""What each pass of the NumPy pipeline is worth: the time of each case without it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from functools import partial
from typing import Any

from xdsl.utils.exceptions import DiagnosticException, PassFailedException, VerifyException

from ein_mlir.backends.python_printer import python_source
from ein_mlir.errors import EinError
from ein_mlir.pipelines import NUMPY, run_pipeline
from tests.agreement.cases.case import Case
from tools.benchmarks.report import Report
from tools.benchmarks.timing import QUICK, Action, Effort, geometric_mean, interleaved
from tools.benchmarks.ways import (
    WrongResultError,
    check,
    chosen_size,
    feasible_size,
    inputs,
    untraced,
)

ALL = "all passes"
NOT_COMPILED = (DiagnosticException, EinError, PassFailedException, VerifyException)
"""What is raised where a pipeline lacks a pass that it cannot do without."""


def default_passes() -> tuple[str, ...]:
    """The passes of the pipeline that may be left out: all but the lowerings."""
    return tuple(dict.fromkeys(flag for flag in NUMPY if not flag.startswith("convert-")))


def ablation(report: Report, cases: Iterable[Case], passes: Sequence[str], sizes: str) -> None:
    """Show how much longer each case takes with one pass left out, wherever it stands."""
    effort = Effort(seconds=1.0, fewest=2, most=20) if sizes == "large" else QUICK
    rows: list[dict[str, Any]] = []
    with report.progress() as progress:
        for case in progress.track(list(cases), description="ablation"):
            try:
                rows.append(
                    {"case": case.name, **_without(case, passes, chosen_size(case, sizes), effort)}
                )
            except WrongResultError as error:
                report.fail(str(error))
    if rows:
        rows.append(_means(rows, passes))
    report.show("ablation", "Time without a pass, relative to the time with all", rows)


def _without(case: Case, passes: Sequence[str], wanted: int, effort: Effort) -> dict[str, Any]:
    """The ratio for each pass, or ``needed`` where nothing can be compiled without it."""
    functions = {"idiomatic NumPy": case.idiomatic}
    for left_out in (ALL, *passes):
        with suppress(*NOT_COMPILED):
            pipeline = tuple(flag for flag in NUMPY if flag != left_out)
            functions[left_out] = compiled(case, pipeline)

    def ways(size: int) -> dict[str, Action]:
        arguments = inputs(case, size)
        return {name: partial(f, *arguments) for name, f in functions.items()}

    actions = ways(feasible_size(case, wanted, ways))
    check(case, actions)
    del actions["idiomatic NumPy"]
    times = interleaved(actions, effort)
    return {
        flag: times[flag].least / times[ALL].least if flag in times else "needed" for flag in passes
    }


def compiled(case: Case, pipeline: Sequence[str]) -> Callable[..., Any]:
    """The emitted NumPy function of a case whose program goes through a pipeline."""
    module = untraced(case.program).phi(*inputs(case, case.small[-1]))
    run_pipeline(module, pipeline)
    namespace: dict[str, Any] = {}
    exec(python_source(module), namespace)
    return namespace[case.program.__name__]


def _means(rows: Sequence[dict[str, Any]], passes: Sequence[str]) -> dict[str, Any]:
    means = {
        flag: geometric_mean(row[flag] for row in rows if isinstance(row[flag], float))
        for flag in passes
    }
    return {"case": "geometric mean", **means}
