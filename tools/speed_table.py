"""Print the geometric means of the tables in docs/benchmarks.md as a short table.

python tools/speed_table.py
"""

from __future__ import annotations

import re
from pathlib import Path

PAGE = Path(__file__).resolve().parent.parent / "docs/benchmarks.md"
SHOWN = {
    "ratios": ("NumPy / idiomatic", "JAX / JAX", "torch / torch"),
    "native": ("native / idiomatic", "native / fastest"),
}
"""Table of the page -> the columns that are shown."""

NAMES = {
    "NumPy / idiomatic": "the NumPy backend / idiomatic NumPy",
    "JAX / JAX": "the JAX backend / hand-written JAX, jitted",
    "torch / torch": "the PyTorch backend / hand-written PyTorch",
    "native / idiomatic": "machine code / idiomatic NumPy",
    "native / fastest": "machine code / the fastest by hand (Numba, JAX, PyTorch, expert NumPy)",
}


def cells(row: str) -> list[str]:
    """The cells of a row of Markdown."""
    return [cell.strip() for cell in row.strip().strip("|").split("|")]


def means(page: str, table: str) -> dict[str, str]:
    """The geometric means of a table, by column."""
    match = re.search(rf"<!-- benchmark: {table} -->\n((?:\|[^\n]*\n)+)", page)
    if match is None:
        raise SystemExit(f"there is no table '{table}' in {PAGE.name}")
    head, _, *rows = match[1].splitlines()
    mean = next(row for row in map(cells, rows) if row[0] == "geometric mean")
    return dict(zip(cells(head), mean, strict=True))


def main() -> None:
    page = PAGE.read_text()
    print("| time of | ratio |\n| --- | ---: |")
    for table, columns in SHOWN.items():
        found = means(page, table)
        for column in columns:
            print(f"| {NAMES[column]} | {found[column]} |")


if __name__ == "__main__":
    main()
