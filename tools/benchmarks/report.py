"""Tables of figures: on the terminal, in JSON, and on a page of the documentation."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

from tools.benchmarks.machine import machine

Row: TypeAlias = Mapping[str, Any]


@dataclass(frozen=True)
class Shown:
    """A table with its title; all rows have the same columns, the first of which is a name."""

    title: str
    rows: Sequence[Row]


@dataclass
class Report:
    """The measurements; tables are printed immediately."""

    console: Console = field(default_factory=lambda: _console())
    machine: dict[str, str] = field(default_factory=machine)
    tables: dict[str, Shown] = field(default_factory=dict)
    failures: list[str] = field(default_factory=list)

    def show(self, key: str, title: str, rows: Sequence[Row]) -> None:
        """Print a table and keep it under a key, unless it has no rows."""
        if not rows:
            return
        table = Table(title=title, title_justify="left")
        for k, column in enumerate(rows[0]):
            table.add_column(column, justify="right" if k else "left", overflow="fold")
        for row in rows:
            table.add_row(*map(cell, row.values()))
        self.console.print(table)
        self.keep(key, title, rows)

    def keep(self, key: str, title: str, rows: Sequence[Row]) -> None:
        """Keep a table that is too wide to print."""
        self.tables[key] = Shown(title, rows)

    def say(self, message: str) -> None:
        """Print a message, so that a run that is stopped leaves partial output."""
        self.console.print(message, style="dim", highlight=False)

    def fail(self, message: str) -> None:
        """Print and record a failure."""
        self.failures.append(message)
        self.console.print(f"[bold red]refused:[/] {message}", highlight=False)

    def progress(self) -> Progress:
        """A progress bar that disappears at the end."""
        return Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            console=self.console,
            transient=True,
        )

    def write_json(self, path: Path) -> None:
        """Write all tables, the machine, and the failures."""
        tables = {key: shown.rows for key, shown in self.tables.items()}
        content = {"machine": self.machine, "tables": tables, "refused": self.failures}
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(content, indent=2) + "\n")

    def update_page(self, path: Path) -> None:
        """Replace the tables of a page, and its description of the machine.

        A table follows the line ``<!-- benchmark: KEY -->``, up to the next empty line. The machine
        has the key ``machine``. Tables that were not measured are unchanged.
        """
        text = path.read_text()
        described = {"machine": [{"": k, "measured on": v} for k, v in self.machine.items()]}
        for key, rows in {**{k: s.rows for k, s in self.tables.items()}, **described}.items():
            block = re.compile(rf"(<!-- benchmark: {key} -->\n).*?(?=\n\n|\n?\Z)", re.DOTALL)
            text = block.sub(lambda m, rows=rows: m.group(1) + markdown(rows), text)
        path.write_text(text)


def _console() -> Console:
    """Standard output; wide enough for all columns if it is a file or a pipe."""
    console = Console()
    return console if console.is_terminal else Console(width=150)


def cell(value: Any) -> str:
    """The text of a figure."""
    return f"{value:.3g}" if isinstance(value, float) else str(value)


def markdown(rows: Sequence[Row]) -> str:
    """A table in Markdown."""
    columns = list(rows[0])
    rule = ["---", *["---:"] * (len(columns) - 1)]
    lines = [columns, rule, *([cell(value) for value in row.values()] for row in rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
