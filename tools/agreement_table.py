"""A table of the programs and backends that the agreement tests compare with the interpreter.

The table is made from the tests themselves: it lacks the programs, backends and dtypes that they
omit or skip. With ``--run`` the tests are run, and it lacks the failures, too.

    python tools/agreement_table.py [--run]
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterable
from contextlib import redirect_stdout
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).resolve().parent.parent
TESTS = (
    "tests/agreement/test_agreement.py::test_agreement",
    "tests/agreement/test_cases.py::test_backends",
    "tests/agreement/test_second_set.py::test_backends",
)
BACKENDS = ("numpy", "torch", "jax", "native")
SHORT = {"float64": "f64", "float32": "f32"}


class Cell(NamedTuple):
    """A comparison: a program on a backend, in a dtype."""

    name: str
    backend: str
    dtype: str


class Comparisons:
    """A plugin of pytest that records for each cell whether all of its tests count."""

    def __init__(self) -> None:
        self.cells = dict[Cell, bool]()
        self._of_test = dict[str, Cell]()

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Record the tests, and those that are skipped or expected to fail."""
        for item in session.items:
            if isinstance(item, pytest.Function):
                cell = Cell(*(str(item.callspec.params[field]) for field in Cell._fields))
                self._of_test[item.nodeid] = cell
                marks = ("skip", "skipif", "xfail")
                self._note(cell, not any(item.get_closest_marker(mark) for mark in marks))

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Record the tests that did not pass."""
        self._note(self._of_test[report.nodeid], report.passed)

    def _note(self, cell: Cell, counts: bool) -> None:
        self.cells[cell] = self.cells.get(cell, True) and counts


def comparisons(tests: Iterable[str], *, run: bool) -> dict[Cell, bool]:
    """The cells of some tests; whether each is compared and, if the tests are run, agrees."""
    plugin = Comparisons()
    options = ["-q", "-p", "no:cacheprovider", *([] if run else ["--collect-only"])]
    os.environ["EIN_TESTS"] = "whole"
    with open(os.devnull, "w") as nowhere, redirect_stdout(nowhere):
        code = pytest.main([*options, *tests], plugins=[plugin])
    if code not in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED):
        raise SystemExit(f"the agreement tests cannot be collected: {pytest.ExitCode(code).name}")
    return plugin.cells


def table(cells: dict[Cell, bool]) -> str:
    """A table in Markdown: a row for all programs of the same dtypes on each backend."""
    rows = dict[tuple[str, ...], list[str]]()
    for name in dict.fromkeys(cell.name for cell in cells):
        dtypes = tuple(
            " ".join(short for d, short in SHORT.items() if cells.get(Cell(name, backend, d)))
            or "—"
            for backend in BACKENDS
        )
        rows.setdefault(dtypes, []).append(name.replace("_", " "))
    header = [f"| {' | '.join(BACKENDS)} | programs |", "|---" * (1 + len(BACKENDS)) + "|"]
    lines = [f"| {' | '.join(dtypes)} | {', '.join(names)} |" for dtypes, names in rows.items()]
    return "\n".join([*header, *lines])


def main() -> None:
    parser = argparse.ArgumentParser(description="Show the comparisons of the agreement tests.")
    parser.add_argument("--run", action="store_true", help="run the tests, too")
    os.chdir(ROOT)
    print(table(comparisons(TESTS, run=parser.parse_args().run)))


if __name__ == "__main__":
    main()
