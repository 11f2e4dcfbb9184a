"""Run the programs of examples/gallery, draw their results, and write docs/gallery.md.

    python tools/gallery.py                # all programs: a minute
    python tools/gallery.py julia waves    # some: the page keeps the times of all others

Times are the least of several calls, side by side in one process.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from time import perf_counter
from types import ModuleType
from typing import Any

import numpy as np
from rich.progress import track

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))
PAGE = ROOT / "docs/gallery.md"
PICTURES = ROOT / "docs/gallery"
SECONDS = 2.0
"""How long an implementation is measured, if more than one call fits."""

COLUMNS = ("by hand", "numpy", "native", "jax")
"""The implementations that are measured."""

HEAD = """# Gallery

Programs from tutorials of several fields, in Ein and by hand in NumPy: `examples/gallery/`. The
times are milliseconds of one call, the least of several: by hand, of the NumPy backend, of machine
code, of the JAX backend. `python tools/gallery.py` measures them, and draws the pictures.
"""


def programs() -> list[str]:
    """The names of all programs of the gallery."""
    paths = sorted((ROOT / "examples/gallery").glob("*.py"))
    return [path.stem for path in paths if path.stem != "__init__"]


def module_of(name: str) -> ModuleType:
    return import_module(f"examples.gallery.{name}")


def least(calls: dict[str, Callable[[], Any]]) -> dict[str, float]:
    """The least time of each call in milliseconds; the calls take turns."""
    best = dict.fromkeys(calls, float("inf"))
    spent = 0.0
    while spent < SECONDS * len(calls):
        for name, call in calls.items():
            started = perf_counter()
            call()
            elapsed = perf_counter() - started
            best[name] = min(best[name], 1000 * elapsed)
            spent += elapsed
    return best


def measured(module: ModuleType) -> dict[str, float]:
    """The times of a program, after each implementation ran once."""
    arguments = module.data()
    calls: dict[str, Callable[[], Any]] = {"by hand": lambda: module.by_hand(*arguments)}
    for backend in ("numpy", "native", "jax"):
        calls[backend] = lambda backend=backend: np.asarray(
            module.program.eval(*arguments, backend=backend)
        )
    for call in calls.values():
        call()
    return least(calls)


def draw(name: str) -> None:
    """Draw the result of a program into the folder of pictures."""
    from matplotlib.figure import Figure

    module = module_of(name)
    arguments = module.data()
    figure = Figure(figsize=(5, 3.2), layout="constrained")
    module.draw(figure, arguments, module.program.eval(*arguments, backend="native"))
    for axes in figure.axes:
        if axes.images:
            axes.set_axis_off()
    PICTURES.mkdir(exist_ok=True)
    figure.savefig(PICTURES / f"{name}.png", dpi=90)


def source_of(name: str) -> str:
    """The part of a module that is the program in Ein."""
    text = (ROOT / f"examples/gallery/{name}.py").read_text()
    body = text.partition('"""\n')[2]
    return body.partition("\n\ndef by_hand")[0].strip()


def known_times() -> dict[str, dict[str, float]]:
    """The times of the page, as they are."""
    rows = [line.split("|")[1:6] for line in PAGE.read_text().splitlines() if "](#" in line]
    return {
        row[0].partition("[")[2].partition("]")[0]: dict(
            zip(COLUMNS, map(float, row[1:]), strict=True)
        )
        for row in rows
    }


def page(times: dict[str, dict[str, float]]) -> str:
    """The page: a table of times, then each program with its picture."""
    rows = [
        f"| [{name}](#{name.replace('_', '-')}) | "
        + " | ".join(f"{row[each]:.3g}" for each in COLUMNS)
        + f" | {row['numpy'] / row['by hand']:.2f} | {row['native'] / row['by hand']:.3f} |"
        for name, row in times.items()
    ]
    head = [
        "| program | by hand | numpy | native | jax | numpy / by hand | native / by hand |",
        "| --- |" + " ---: |" * 6,
    ]
    parts = [HEAD, "\n".join([*head, *rows]) + "\n"]
    for name in times:
        title = (module_of(name).__doc__ or "").strip()
        parts.append(
            f"## {name.replace('_', '-')}\n\n{title}\n\n![{title}](gallery/{name}.png)\n\n"
            f"```python\n{source_of(name)}\n```\n"
        )
    return "\n".join(parts)


def main() -> None:
    names = sys.argv[1:] or programs()
    for name in track(names, "drawing"):
        draw(name)
    times = {name: row for name, row in known_times().items() if name in programs()}
    for name in track(names, "measuring"):
        times[name] = measured(module_of(name))
    PAGE.write_text(page(dict(sorted(times.items()))))


if __name__ == "__main__":
    main()
