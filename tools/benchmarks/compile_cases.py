"""Compile time of all cases, against that of hand-written JAX."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any

import jax

from ein_mlir import clear_cache
from tests.agreement.cases.case import Arguments, Case
from tests.agreement.comparison import given
from tools.benchmarks.report import Report
from tools.benchmarks.timing import Action, Effort, geometric_mean, interleaved
from tools.benchmarks.ways import EIN, finished, in_64_bits, inputs, untraced

BACKENDS = EIN
BY_HAND = "hand-written JAX"
"""The way with which all others are compared."""


def compile_times_of_cases(report: Report, cases: Iterable[Case], quick: bool) -> None:
    """From the Python function to the first result, at a tiny size."""
    effort = Effort(seconds=0, fewest=1 if quick else 3, most=1 if quick else 3)
    rows: list[dict[str, Any]] = []
    with report.progress() as progress, in_64_bits():
        for case in progress.track(list(cases), description="compile time of cases"):
            rows.append({"case": case.name, **_row(_least(case, effort))})
    title = "Compile time in ms at a tiny size; ratios to hand-written JAX"
    report.show("compile-cases", title, [*rows, *_summary(rows)] if rows else [])


def _least(case: Case, effort: Effort) -> dict[str, float]:
    """The least times of each backend and of JAX, taken in turns; of one turn, as it comes."""
    arguments = inputs(case, case.small[-1])
    ways: dict[str, Action] = {
        backend: partial(_ours, case, backend, [given(value, backend) for value in arguments])
        for backend in BACKENDS
    }
    ways[BY_HAND] = partial(_by_hand, case, tuple(given(value, "jax") for value in arguments))
    if effort.most > 1:
        for action in ways.values():
            action()
    return {way: samples.least for way, samples in interleaved(ways, effort).items()}


def _ours(case: Case, backend: str, arguments: Sequence[Any]) -> Any:
    """Trace, compile, and run once; for JAX with its own compilation."""
    clear_cache()
    return finished(untraced(case.program).eval(*arguments, backend=backend))


def _by_hand(case: Case, arguments: Arguments) -> Any:
    """Trace and compile hand-written JAX, which has not seen this function before."""
    program = jax.jit(lambda *values: case.jax(*values), static_argnums=case.static)
    return program.lower(*arguments).compile()


def _row(least: Mapping[str, float]) -> dict[str, float]:
    times = {f"{way} ms": seconds * 1e3 for way, seconds in least.items()}
    return {**times, **{_ratio(b): least[b] / least[BY_HAND] for b in BACKENDS}}


def _ratio(backend: str) -> str:
    """The column of a ratio."""
    return f"{backend} / JAX"


def _summary(rows: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The means and the largest of the ratios."""
    summaries: dict[str, Callable[[list[float]], float]] = {
        "geometric mean": geometric_mean,
        "maximum": max,
    }
    empty = dict.fromkeys((f"{way} ms" for way in (*BACKENDS, BY_HAND)), "")
    return [
        {
            "case": name,
            **empty,
            **{_ratio(b): summary([row[_ratio(b)] for row in rows]) for b in BACKENDS},
        }
        for name, summary in summaries.items()
    ]
