"""The second set: programs that the compiler was not tuned for, against hand-written ones."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import jax

from ein_mlir import clear_cache
from tests.agreement.cases.case import Case
from tests.agreement.comparison import given
from tools.benchmarks.cases import RATIOS
from tools.benchmarks.report import Report
from tools.benchmarks.timing import QUICK, Effort, geometric_mean, interleaved, once
from tools.benchmarks.ways import (
    WrongResultError,
    actions,
    check,
    check_small,
    chosen_size,
    feasible_size,
    finished,
    in_64_bits,
    inputs,
    untraced,
)

FIRST_CALL = "first call, JAX / JAX"
"""The column of the ratio of first calls, which include compilation."""
COLUMNS = (*RATIOS, FIRST_CALL)
THOROUGH = Effort(seconds=1.0, fewest=3, most=15)


@dataclass(frozen=True)
class Program:
    """The figures of a program of the second set at one size."""

    case: Case
    wanted: int
    """The requested size; it is replaced by a smaller one if it takes too long."""
    size: int
    milliseconds: float
    """The time of the NumPy backend."""
    ratios: Mapping[str, float]
    """The ratio of each column; none for a column without a hand-written version."""


def measure_program(case: Case, wanted: int, effort: Effort) -> Program:
    """Measure a program at a size, or at a feasible one.

    Raises WrongResultError before timing a way that is wrong.
    """
    with in_64_bits():
        check_small(case)
        size = feasible_size(case, wanted, lambda n: actions(case, inputs(case, n)))
        ways = actions(case, inputs(case, size))
        check(case, ways)
        least = {way: samples.least for way, samples in interleaved(ways, effort).items()}
        pairs = {column: pair for column, pair in RATIOS.items() if set(pair) <= set(least)}
        ratios = {column: least[ours] / least[theirs] for column, (ours, theirs) in pairs.items()}
        first = _first_call(case, size)
    return Program(case, wanted, size, 1e3 * least["Ein numpy"], {**ratios, FIRST_CALL: first})


def _first_call(case: Case, size: int) -> float:
    """The ratio of the least of two first calls on JAX, of functions that were not called before.

    Each traces, compiles, and runs once.
    """
    arguments = [given(value, "jax") for value in inputs(case, size)]

    def ours() -> Any:
        clear_cache()
        return finished(untraced(case.program).jax(*arguments))

    def by_hand() -> Any:
        program = jax.jit(lambda *values: case.jax(*values), static_argnums=case.static)
        return finished(program(*arguments))

    pairs = [(once(ours), once(by_hand)) for _ in range(2)]
    return min(a for a, _ in pairs) / min(b for _, b in pairs)


def measure_second_set(report: Report, cases: Iterable[Case], sizes: str) -> list[Program]:
    """Measure programs and show their table; those with a wrong result are rejected."""
    effort = THOROUGH if sizes == "large" else QUICK
    measured: list[Program] = []
    with report.progress() as progress:
        for case in progress.track(list(cases), description="second set"):
            try:
                measured.append(m := measure_program(case, chosen_size(case, sizes), effort))
                report.say(f"{case.name} at {m.size}: {_figures(m)}")
            except WrongResultError as error:
                report.fail(str(error))
    report.show("second", "Second set: ratios of least times", _rows(measured))
    return measured


def _figures(program: Program) -> str:
    return ", ".join(f"{column} {ratio:.3g}" for column, ratio in program.ratios.items())


def _rows(measured: Sequence[Program]) -> list[dict[str, Any]]:
    """A row for each program, and one of means over the programs that have the ratio."""
    rows = [
        {
            "program": m.case.name,
            "size": m.size if m.size == m.wanted else f"{m.size}, not {m.wanted}",
            "NumPy ms": m.milliseconds,
            **{column: m.ratios.get(column, "") for column in COLUMNS},
        }
        for m in measured
    ]
    ratios = {
        column: [m.ratios[column] for m in measured if column in m.ratios] for column in COLUMNS
    }
    means = {column: geometric_mean(group) if group else "" for column, group in ratios.items()}
    return rows + [{"program": "geometric mean", "size": "", "NumPy ms": "", **means}] * bool(rows)
