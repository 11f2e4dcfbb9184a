"""Measure compile time, call overhead, and compiled programs against hand-written NumPy.

Everything is compared within one run: figures are times of the fastest of several interleaved
repetitions, and ratios of them.

    python tools/benchmark.py [--quick] [--only compile|calls|programs] [--json FILE]
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from rich.console import Console
from rich.progress import track
from rich.table import Table

import ein_mlir
from ein_mlir import Float, Vec, array, fold, fold_min, fold_sum, function

CONSOLE = Console()


@dataclass
class Report:
    """Tables of figures, as they are printed and written to JSON."""

    tables: dict[str, list[dict[str, Any]]] = field(default_factory=dict[str, list[dict[str, Any]]])

    def show(self, title: str, rows: list[dict[str, Any]]) -> None:
        """Print a table and keep it."""
        table = Table(title=title, title_justify="left")
        for column in rows[0]:
            table.add_column(column, justify="left" if column == "what" else "right")
        for row in rows:
            table.add_row(*(_cell(value) for value in row.values()))
        CONSOLE.print(table)
        self.tables[title] = rows


def _cell(value: Any) -> str:
    return f"{value:.3g}" if isinstance(value, float) else str(value)


def fastest(actions: Sequence[Callable[[], object]], repetitions: int) -> list[float]:
    """The least time of each action in seconds; the actions take turns."""
    best = [float("inf")] * len(actions)
    for _ in range(repetitions):
        for k, action in enumerate(actions):
            start = time.perf_counter()
            action()
            best[k] = min(best[k], time.perf_counter() - start)
    return best


# Compile time ---------------------------------------------------------------------------------


def pairwise_l1(a: Vec[Vec[Float]]) -> Vec[Vec[Float]]:
    """The program that compile time is quoted for."""
    return array(lambda i, j: fold_sum(lambda k: abs(a[i, k] - a[j, k])))


def chain(operations: int) -> Callable[[Any], Any]:
    """A program of a given number of scalar operations at each element."""

    def program(a: Any) -> Any:
        def element(i: Any) -> Any:
            x = a[i]
            for k in range(operations // 2):
                x = (x + float(k)) * a[i]
            return x

        return array(element)

    return program


def nest(depth: int) -> Callable[[Any], Any]:
    """A program of a given number of nested folds."""

    def program(a: Any) -> Any:
        def level(d: int, x: Any) -> Any:
            if d == 0:
                return x
            return fold(x, lambda k, acc: level(d - 1, acc * 0.5 + a[k]), count=2)

        return array(lambda i: level(depth, a[i]))

    return program


def compile_times(report: Report, quick: bool) -> None:
    """Trace to callable, for the quoted program and for programs that double in size."""
    repetitions = 2 if quick else 5
    matrix, vector = np.ones((3, 3)), np.ones(3)

    def trace_and_compile(program: Callable[..., Any], *args: Any) -> Callable[[], object]:
        return lambda: function(program)(*args)

    cases: list[tuple[str, Callable[[], object]]] = [
        ("pairwise L1", trace_and_compile(pairwise_l1, matrix))
    ]
    sizes = (125, 250, 500) if quick else (125, 250, 500, 1000, 2000)
    cases += [(f"{n} operations", trace_and_compile(chain(n), vector)) for n in sizes]
    depths = (1, 3, 6) if quick else (1, 3, 6, 12)
    cases += [(f"{d} nested folds", trace_and_compile(nest(d), vector)) for d in depths]
    rows: list[dict[str, Any]] = []
    for name, action in track(cases, "compile time", console=CONSOLE, transient=True):
        (seconds,) = fastest([action], repetitions)
        rows.append({"what": name, "ms": seconds * 1e3})
    report.show("Compile time, trace to callable (first call included)", rows)


# Calls ----------------------------------------------------------------------------------------


def call_overhead(report: Report, quick: bool) -> None:
    """What a call costs beyond the emitted source called by hand."""
    a = np.ones((3, 3))
    compiled = ein_mlir.compile(function(pairwise_l1).phi(a))
    decorated = function(pairwise_l1)
    namespace: dict[str, Any] = {}
    exec(compiled.source, namespace)
    by_hand = namespace[compiled.signature.name]
    loops = 200 if quick else 2000
    actions = [by_hand, compiled, decorated]
    best = fastest(
        [lambda f=f: [f(a) for _ in range(loops)] and None for f in actions], 3 if quick else 7
    )
    hand = best[0] / loops * 1e6
    rows = [
        {"what": name, "us": t / loops * 1e6, "us more": t / loops * 1e6 - hand}
        for name, t in zip(("emitted source", "compile(...)", "@function"), best, strict=True)
    ]
    report.show("Calls on a 3 x 3 matrix", rows)


# Programs -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Case:
    """A program, hand-written NumPy for it, and inputs."""

    name: str
    program: Callable[..., Any]
    by_hand: Callable[..., Any]
    inputs: tuple[Any, ...]


def cases(quick: bool) -> Iterator[Case]:
    """Programs at sizes where hand-written NumPy takes some 20 ms (a tenth of it when quick)."""
    rng = np.random.default_rng(0)
    scale = 0.3 if quick else 1.0

    def matrix(*shape: float) -> Any:
        return rng.normal(size=[max(1, int(size * scale)) for size in shape])

    yield Case(
        "matrix product",
        lambda a, b: array(lambda i, j: fold_sum(lambda k: a[i, k] * b[k, j])),
        lambda a, b: a @ b,
        (matrix(900, 900), matrix(900, 900)),
    )
    yield Case(
        "pairwise L1",
        pairwise_l1,
        lambda a: np.abs(a[:, None, :] - a[None, :, :]).sum(axis=2),
        (matrix(400, 20),),
    )
    yield Case(
        "outer product",
        lambda u, v: array(lambda i, j: u[i] * v[j]),
        lambda u, v: u[:, None] * v[None, :],
        (matrix(3000), matrix(3000)),
    )
    yield Case(
        "tropical product",
        lambda a, b: array(lambda i, j: fold_min(lambda k: a[i, k] + b[k, j])),
        lambda a, b: (a[:, :, None] + b[None, :, :]).min(axis=1),
        (matrix(200, 200), matrix(200, 200)),
    )
    yield Case(
        "symmetric part",
        lambda a: array(lambda i, j: (a[i, j] + a[j, i]) / 2.0),
        lambda a: (a + a.T) / 2,
        (matrix(2000, 2000),),
    )
    yield Case(
        "row sums of squares",
        lambda a: array(lambda i: fold_sum(lambda j: a[i, j] * a[i, j])),
        lambda a: (a * a).sum(axis=1),
        (matrix(2000, 2000),),
    )
    yield Case(
        "3-point smoothing",
        lambda a: array(lambda i: (a[i - 1] + a[i] + a[i + 1]) / 3.0, size=a.size()),
        lambda a: (np.concatenate((a[:1], a[:-1])) + a + np.concatenate((a[1:], a[-1:]))) / 3,
        (matrix(3_000_000),),
    )


def programs(report: Report, quick: bool) -> None:
    """Compiled programs against hand-written NumPy; a wrong result is not timed."""
    rows: list[dict[str, Any]] = []
    for case in track(list(cases(quick)), "programs", console=CONSOLE, transient=True):
        compiled = function(case.program)
        np.testing.assert_allclose(compiled(*case.inputs), case.by_hand(*case.inputs), rtol=1e-7)
        ours, theirs = fastest(
            [lambda f=compiled, c=case: f(*c.inputs), lambda c=case: c.by_hand(*c.inputs)],
            3 if quick else 9,
        )
        rows.append(
            {"what": case.name, "ms": ours * 1e3, "NumPy ms": theirs * 1e3, "ratio": ours / theirs}
        )
    mean = float(np.exp(np.mean([np.log(row["ratio"]) for row in rows])))
    rows.append({"what": "geometric mean", "ms": "", "NumPy ms": "", "ratio": mean})
    report.show("Compiled programs against hand-written NumPy", rows)


SECTIONS = {"compile": compile_times, "calls": call_overhead, "programs": programs}


def main() -> None:
    """Run the sections that were asked for."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--quick", action="store_true", help="smaller sizes, fewer repetitions")
    parser.add_argument("--only", choices=SECTIONS, help="one section")
    parser.add_argument("--json", metavar="FILE", help="write the figures there too")
    arguments = parser.parse_args()
    report = Report()
    for name, section in SECTIONS.items():
        if arguments.only in (None, name):
            section(report, arguments.quick)
    if arguments.json:
        with open(arguments.json, "w") as file:
            json.dump(report.tables, file, indent=2)


if __name__ == "__main__":
    main()
