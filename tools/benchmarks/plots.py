"""Log-log plots of time against size, one panel for each case."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import ceil
from pathlib import Path
from typing import Any

from tools.benchmarks.cases import Measured
from tools.benchmarks.ways import WAYS, library_of

COLOURS = {"numpy": "tab:blue", "jax": "tab:green", "torch": "tab:red", "native": "tab:orange"}
COLUMNS = 4


def style(way: str) -> dict[str, Any]:
    """A colour for each library; Ein is solid, hand-written code dashed, an expert's dotted."""
    colour = COLOURS["native" if way == "Ein native" else library_of(way)]
    line = "-" if way.startswith("Ein") else ":" if way.startswith("expert") else "--"
    return {"color": colour, "linestyle": line, "marker": ".", "linewidth": 1.2}


def plot(sweeps: Mapping[str, Sequence[Measured]], path: Path) -> None:
    """Draw all sweeps as one figure, in PNG or the format of the path's suffix."""
    import matplotlib as mpl
    from matplotlib.figure import Figure

    with mpl.rc_context({"font.size": 8, "axes.titlesize": 9}):
        rows = ceil(len(sweeps) / COLUMNS)
        figure = Figure(figsize=(3.2 * COLUMNS, 2.5 * rows + 0.5), layout="constrained")
        grid = figure.subplots(rows, COLUMNS, squeeze=False)
        for axes, (name, measured) in zip(grid.flat, sweeps.items(), strict=False):
            _panel(axes, name, measured)
        for axes in list(grid.flat)[len(sweeps) :]:
            axes.set_axis_off()
        handles, labels = grid[0, 0].get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside lower center", ncols=len(WAYS))
        path.parent.mkdir(parents=True, exist_ok=True)
        figure.savefig(path, dpi=110)


def _panel(axes: Any, name: str, measured: Sequence[Measured]) -> None:
    sizes = [m.size for m in measured]
    for way in WAYS:
        axes.plot(sizes, [m.times[way].least * 1e3 for m in measured], label=way, **style(way))
    axes.set(title=name, xscale="log", yscale="log", xlabel="size", ylabel="ms")
    axes.set_xticks(sizes, [f"{size:g}" for size in sizes])
    axes.tick_params(axis="x", which="minor", bottom=False, labelbottom=False)
    axes.grid(True, which="major", linewidth=0.3)
