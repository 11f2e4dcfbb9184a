"""Native code against the fastest that is written by hand, on the same number of threads."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import torch

from ein_mlir.backends.native.settings import kept_memory, release_memory
from tests.agreement.cases.case import Arguments, Case
from tests.agreement.comparison import given
from tools.benchmarks.cases import PAGE
from tools.benchmarks.compilers import by_numba, by_torch, unavailable
from tools.benchmarks.report import Report, cell
from tools.benchmarks.timing import (
    QUICK,
    Action,
    Effort,
    geometric_mean,
    interleaved,
    temporary_memory,
)
from tools.benchmarks.ways import (
    LIMIT,
    WrongResultError,
    actions,
    attempt,
    check,
    check_small,
    chosen_size,
    in_64_bits,
    inputs,
    slow_ways,
)

NATIVE, NUMPY, IDIOMATIC = "Ein native", "Ein numpy", "idiomatic NumPy"
COMPILED = ("numba", "torch.compile")
"""The ways that another compiler takes seconds for."""
OURS = (NATIVE, NUMPY)
BY_HAND = ("expert NumPy", "hand-written JAX", *COMPILED)
"""The ways that native code is compared with: the fastest of them."""
BY_HAND_OF_SECOND_SET = (IDIOMATIC, "expert NumPy", "hand-written JAX", "hand-written torch")
"""The same for the second set, most of which has no expert's version and none for Numba."""
EFFORT = Effort(seconds=1.0, fewest=5, most=25)


@dataclass(frozen=True)
class Comparison:
    """The least times of the ways to run a case, in seconds, and the memory of ours."""

    case: Case
    size: int
    rivals: tuple[str, ...]
    times: Mapping[str, float]
    memory: Mapping[str, int]
    left_out: Mapping[str, str]

    @property
    def memory_ratio(self) -> float | str:
        """Temporary memory, relative to the NumPy backend, if that was measured."""
        if NUMPY not in self.memory:
            return ""
        return max(self.memory[NATIVE], PAGE) / max(self.memory[NUMPY], PAGE)

    def _ratio(self, way: str) -> float | str:
        """The time of native code by that of a way; nothing if that takes too long to measure."""
        return self.times[NATIVE] / self.times[way] if way in self.times else ""

    def row(self) -> dict[str, Any]:
        """The row of a table."""
        ways = (NATIVE, NUMPY, *dict.fromkeys((IDIOMATIC, *self.rivals)))
        times = {way: self.times[way] * 1e3 if way in self.times else "" for way in ways}
        rivals = {way: self.times[way] for way in self.rivals if way in self.times}
        fastest = min(rivals, key=lambda way: rivals[way])
        return {
            "case": self.case.name,
            "size": self.size,
            **times,
            "fastest by hand": fastest,
            "native / fastest": self._ratio(fastest),
            "native / idiomatic": self._ratio(IDIOMATIC),
            "memory": self.memory_ratio,
        }


RATIOS = ("native / fastest", "native / idiomatic", "memory")


def compare(case: Case, size: int, rivals: Sequence[str], effort: Effort) -> Comparison:
    """Compare the ways to run a case at a size; without the NumPy backend if it takes too long.

    Raises WrongResultError before timing a way that is wrong, or if native code takes too long.
    """

    def ways_at(n: int, chosen: Sequence[str] = (*OURS, IDIOMATIC)) -> dict[str, Action]:
        found = actions(case, inputs(case, n))
        return {way: action for way, action in found.items() if way in chosen}

    with in_64_bits():
        check_small(case)
        slow = slow_ways(case, size, ways_at) if size == case.large else set()
        if NATIVE in slow:
            raise WrongResultError(f"{case.name}: native code takes over {LIMIT:g} s at {size}")
        ways = ways_at(size, [way for way in (*OURS, IDIOMATIC, *rivals) if way not in slow])
        compiled, left_out = _compiled(case, rivals, inputs(case, size))
        ways.update(compiled)
        check(case, ways)
        memory = {NATIVE: native_memory(ways[NATIVE])}
        if NUMPY in ways:
            memory[NUMPY] = temporary_memory(ways[NUMPY])
        times = {way: samples.least for way, samples in interleaved(ways, effort).items()}
    torch.compiler.reset()
    return Comparison(case, size, tuple(rivals), times, memory, left_out)


def _compiled(
    case: Case, rivals: Sequence[str], arguments: Arguments
) -> tuple[dict[str, Action], dict[str, str]]:
    """The ways that other compilers take part in, and the reasons for those that are left out."""
    found, left_out = dict[str, Action](), dict[str, str]()
    if "numba" in rivals and case.numba is not None:
        found["numba"] = partial(by_numba(case.numba), *(given(v, "numpy") for v in arguments))
    if "torch.compile" in rivals:
        tensors = [given(value, "torch") for value in arguments]
        version = by_torch(case.torch, tensors)
        if isinstance(version, str):
            left_out["torch.compile"] = version
        else:
            found["torch.compile"] = partial(version, *tensors)
    return found, left_out


def native_memory(action: Action) -> int:
    """The bytes of buffers that a call of native code takes and releases, and those of Python.

    Buffers are counted as they are kept for later calls: with the padding of their size.
    """
    release_memory()
    result = action()
    buffers = kept_memory()
    del result
    return buffers + temporary_memory(action)


def measure_native(
    report: Report,
    cases: Iterable[Case],
    second: Iterable[Case],
    sizes: str,
    threads: int,
    quick: bool,
) -> None:
    """Measure cases and the second set and show their tables."""
    missing = unavailable() if not quick else dict.fromkeys(COMPILED, "it takes long to compile")
    for way, reason in missing.items():
        report.say(f"{way} is left out: {reason}")
    if NATIVE in missing:
        return
    rivals = [way for way in BY_HAND if way not in missing]
    suffix, named = ("-one-thread", "one thread") if threads == 1 else ("", f"{threads} threads")
    title = f"Native code against the fastest by hand, on {named}: least times in ms"
    rows = _rows(report, cases, rivals, sizes, "native")
    report.show(f"native{suffix}", title, rows)
    if not quick:
        rows = _rows(report, second, BY_HAND_OF_SECOND_SET, sizes, "native, second set")
        report.show(f"native-second{suffix}", f"Second set. {title}", rows)


def _rows(
    report: Report, cases: Iterable[Case], rivals: Sequence[str], sizes: str, description: str
) -> list[dict[str, Any]]:
    effort = EFFORT if sizes == "large" else QUICK
    rows = list[dict[str, Any]]()
    with report.progress() as progress:
        for case in progress.track(list(cases), description=description):
            with attempt(report, case):
                found = compare(case, chosen_size(case, sizes), rivals, effort)
                rows.append(row := found.row())
                report.say(", ".join(f"{column} {cell(value)}" for column, value in row.items()))
                for way, reason in found.left_out.items():
                    report.say(f"{case.name}: {way} is left out: {reason}")
    return [*rows, *_summary(rows)] if rows else []


def _summary(rows: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The geometric means and the largest of the ratios."""
    summaries = {"geometric mean": geometric_mean, "maximum": max}
    empty = dict.fromkeys(rows[0], "")
    ratios = {c: [row[c] for row in rows if row[c] != ""] for c in RATIOS}
    return [
        {**empty, "case": name, **{c: summary(of) if of else "" for c, of in ratios.items()}}
        for name, summary in summaries.items()
    ]
