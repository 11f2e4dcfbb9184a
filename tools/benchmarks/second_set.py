"""The second set: programs that the compiler was not tuned for, against hand-written ones."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import Any

import jax

from ein_mlir import clear_cache
from tests.agreement.cases.case import Case
from tests.agreement.comparison import given
from tools.benchmarks.cases import RATIOS
from tools.benchmarks.report import Report, cell
from tools.benchmarks.timing import QUICK, Action, Effort, geometric_mean, interleaved, once
from tools.benchmarks.ways import (
    LIMIT,
    actions,
    attempt,
    check,
    check_small,
    chosen_size,
    finished,
    in_64_bits,
    inputs,
    slow_ways,
    untraced,
)

FIRST_CALL = "first call, JAX / JAX"
"""The column of the ratio of first calls, which include compilation."""
COLUMNS = (*RATIOS, FIRST_CALL)
THOROUGH = Effort(seconds=1.0, fewest=3, most=15)
SLOW = f"over {LIMIT:g} s"
"""The entry of a program that takes too long on a backend, compilation included."""


def measure_program(case: Case, size: int, effort: Effort) -> dict[str, Any]:
    """The row of a program at a size.

    A way that is expected to take too long is not run at its intended size. Raises WrongResultError
    before timing a way that is wrong.
    """
    with in_64_bits():
        check_small(case)
        ways = _ways(case, size)
        for way in _slow(case, size):
            del ways[way]
        check(case, ways)
        least = {way: samples.least for way, samples in interleaved(ways, effort).items()}
        ratios = {column: _ratio(least, *pair) for column, pair in RATIOS.items()}
        jitted = set(RATIOS["JAX / JAX"]) <= set(least)
        first = _first_call(case, size) if jitted else ratios["JAX / JAX"]
    numpy = least["Ein numpy"] * 1e3 if "Ein numpy" in least else SLOW
    return {"program": case.name, "size": size, "NumPy ms": numpy, **ratios, FIRST_CALL: first}


def _slow(case: Case, size: int) -> set[str]:
    if size != case.large:
        return set()
    return slow_ways(case, size, partial(_ways, case))


def _ways(case: Case, size: int) -> dict[str, Action]:
    """The ways to run a program, without native code, which has a table of its own."""
    found = actions(case, inputs(case, size))
    found.pop("Ein native", None)
    return found


def _ratio(least: Mapping[str, float], ours: str, theirs: str) -> float | str:
    """The ratio of least times; `SLOW`, or nothing if there is no hand-written version."""
    if ours not in least:
        return SLOW
    return least[ours] / least[theirs] if theirs in least else ""


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


def measure_second_set(report: Report, cases: Iterable[Case], sizes: str) -> None:
    """Measure programs and show their table; those with a wrong result are rejected."""
    effort = THOROUGH if sizes == "large" else QUICK
    rows: list[dict[str, Any]] = []
    with report.progress() as progress:
        for case in progress.track(list(cases), description="second set"):
            with attempt(report, case):
                rows.append(row := measure_program(case, chosen_size(case, sizes), effort))
                report.say(", ".join(f"{column} {cell(value)}" for column, value in row.items()))
    report.show(
        "second", "Second set: ratios of least times", [*rows, _means(rows)] if rows else []
    )


def _means(rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The geometric means of the ratios that were measured."""
    ratios = {c: [row[c] for row in rows if isinstance(row[c], float)] for c in COLUMNS}
    means = {column: geometric_mean(group) if group else "" for column, group in ratios.items()}
    return {"program": "geometric mean", "size": "", "NumPy ms": "", **means}
