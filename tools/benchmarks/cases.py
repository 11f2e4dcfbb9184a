"""Compiled cases against hand-written NumPy, JAX and PyTorch."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from ein_mlir import clear_cache
from tests.agreement.cases.case import Arguments, Case
from tools.benchmarks.report import Report
from tools.benchmarks.timing import (
    QUICK,
    THOROUGH,
    Action,
    Effort,
    Samples,
    geometric_mean,
    interleaved,
    once,
    temporary_memory,
)
from tools.benchmarks.ways import (
    WAYS,
    actions,
    attempt,
    check,
    check_small,
    chosen_size,
    feasible_size,
    in_64_bits,
    inputs,
    untraced,
)

RATIOS = {
    "NumPy / idiomatic": ("Ein numpy", "idiomatic NumPy"),
    "NumPy / expert": ("Ein numpy", "expert NumPy"),
    "JAX / JAX": ("Ein jax", "hand-written JAX"),
    "torch / torch": ("Ein torch", "hand-written torch"),
}
"""The pairs that are compared: a backend, and hand-written code."""

PAGE = 4096
"""Bytes: temporary memory below it is negligible."""


@dataclass(frozen=True)
class Measured:
    """The figures of a case at one size: times by way; others for its largest size only."""

    case: Case
    wanted: int
    """The requested size; it is replaced by a smaller one if it takes too long."""
    size: int
    times: dict[str, Samples]
    memory: dict[str, int]
    compile_seconds: dict[str, float]

    def __str__(self) -> str:
        return ", ".join(f"{way} {s.least * 1e3:.3g} ms" for way, s in self.times.items())

    def ratio(self, ours: str, theirs: str) -> float:
        """The ratio of the least times of two ways."""
        return self.times[ours].least / self.times[theirs].least

    @property
    def memory_ratio(self) -> float:
        """Temporary memory of the NumPy backend, relative to idiomatic NumPy."""
        ours, theirs = (self.memory[way] for way in ("Ein numpy", "idiomatic NumPy"))
        return max(ours, PAGE) / max(theirs, PAGE)


def measure_case(case: Case, wanted: int, effort: Effort) -> Measured:
    """Measure a case at a size, or at a feasible one.

    Raises WrongResultError before timing a way that is wrong.
    """
    with in_64_bits():
        check_small(case)
        size = feasible_size(case, wanted, lambda n: actions(case, inputs(case, n)))
        ways = actions(case, inputs(case, size))
        clear_cache()
        first = check(case, ways)
        memory = {way: temporary_memory(ways[way]) for way in ("Ein numpy", "idiomatic NumPy")}
        times = interleaved(ways, effort)
    return Measured(case, wanted, size, times, memory, _compile_times(case, first, times))


def _compile_times(
    case: Case, first: Mapping[str, float], times: Mapping[str, Samples]
) -> dict[str, float]:
    """The times from the Python function to NumPy source, and of compilation by JAX."""
    arguments = inputs(case, case.small[-1])
    program = untraced(case.program)
    jitted = ("Ein jax", "hand-written JAX")
    clear_cache()
    return {
        "Ein numpy": once(lambda: program.source(*arguments)),
        **{way: max(0.0, first[way] - times[way].median) for way in jitted},
    }


def measure_cases(report: Report, cases: Iterable[Case], sizes: str) -> list[Measured]:
    """Measure cases and show the tables; cases with a wrong result are rejected."""
    effort = THOROUGH if sizes == "large" else QUICK
    measured: list[Measured] = []
    with report.progress() as progress:
        cases = list(cases)
        task = progress.add_task("cases", total=len(cases))
        for case in cases:
            progress.update(task, description=f"cases: {case.name}")
            with attempt(report, case):
                measured.append(m := measure_case(case, chosen_size(case, sizes), effort))
                report.say(f"{case.name} at {m.size}: {m}")
            progress.advance(task)
    show(report, measured)
    return measured


def show(report: Report, measured: Sequence[Measured]) -> None:
    """Show the tables of ratios, times, memory and compile time."""
    report.show("ratios", "Ratios of least times, below 1 if Ein is faster", _ratios(measured))
    report.show("times", "Times in ms: least (median)", [_times(m) for m in measured])
    report.show("memory", "Temporary memory of NumPy code", [_memory(m) for m in measured])
    report.show("case-compile", "Compile time in ms", [_compile(m) for m in measured])


def _ratios(measured: Sequence[Measured]) -> list[dict[str, Any]]:
    rows = [_ratio_row(_name(m), [m]) for m in measured]
    bound = [m for m in measured if m.case.memory_bound]
    means = {"geometric mean": measured, "geometric mean, memory-bound": bound}
    return rows + [_ratio_row(name, group) for name, group in means.items() if group]


def _name(m: Measured) -> str:
    return m.case.name if m.size == m.wanted else f"{m.case.name} (at {m.size}, not {m.wanted})"


def _ratio_row(name: str, group: Sequence[Measured]) -> dict[str, Any]:
    ratios = {
        column: geometric_mean(m.ratio(*pair) for m in group) for column, pair in RATIOS.items()
    }
    return {"case": name, **ratios, "memory": geometric_mean(m.memory_ratio for m in group)}


def _times(m: Measured) -> dict[str, Any]:
    shown = {
        way: f"{m.times[way].least * 1e3:.3g} ({m.times[way].median * 1e3:.3g})" for way in WAYS
    }
    return {"case": m.case.name, "size": m.size, **shown}


def _memory(m: Measured) -> dict[str, Any]:
    mebibytes = {f"{way}, MiB": m.memory[way] / 2**20 for way in ("Ein numpy", "idiomatic NumPy")}
    return {"case": m.case.name, "size": m.size, **mebibytes, "ratio": m.memory_ratio}


def _compile(m: Measured) -> dict[str, Any]:
    return {"case": m.case.name} | {k: v * 1e3 for k, v in m.compile_seconds.items()}


def measure_variants(report: Report, cases: Iterable[Case], sizes: str) -> None:
    """Show the times of the NumPy backend for variants of the programs."""
    effort = THOROUGH if sizes == "large" else QUICK
    rows: list[dict[str, Any]] = []
    with report.progress() as progress:
        for case in progress.track(list(cases), description="variants"):
            with attempt(report, case):
                rows += _variants(case, inputs(case, chosen_size(case, sizes)), effort)
    report.show("variants", "Variants of programs, relative to the program", rows)


def _variants(case: Case, arguments: Arguments, effort: Effort) -> list[dict[str, Any]]:
    """The ratio of least times for each variant of a case."""
    programs = {f.__name__: f for f in (case.program, *case.variants)}
    ways: dict[str, Action] = {
        name: partial(untraced(program).numpy, *arguments) for name, program in programs.items()
    }
    check(case, {**ways, "idiomatic NumPy": partial(case.idiomatic, *arguments)})
    times = interleaved(ways, effort)
    least = times[case.program.__name__].least
    return [
        {"case": case.name, "variant": f.__name__, "ratio": times[f.__name__].least / least}
        for f in case.variants
    ]


def sweep(report: Report, measured: Sequence[Measured], quick: bool) -> dict[str, list[Measured]]:
    """Measure cases at all sizes; the largest were measured before."""
    effort = QUICK if quick else Effort(seconds=0.3, fewest=2, most=20)
    found: dict[str, list[Measured]] = {}
    with report.progress() as progress:
        for m in progress.track(measured, description="sweep"):
            sizes = [size for size in m.case.sweep if size < m.size]
            with attempt(report, m.case), in_64_bits():
                found[m.case.name] = [_at(m.case, size, effort) for size in sizes] + [m]
    rows = [_sweep_row(m) for measured in found.values() for m in measured]
    report.show("sweep", "Least times in ms at all sizes", rows)
    return found


def _sweep_row(m: Measured) -> dict[str, Any]:
    times = {way: m.times[way].least * 1e3 for way in WAYS}
    return {"case": m.case.name, "size": m.size, **times}


def _at(case: Case, size: int, effort: Effort) -> Measured:
    ways: dict[str, Action] = actions(case, inputs(case, size))
    check(case, ways)
    return Measured(case, size, size, interleaved(ways, effort), {}, {})
