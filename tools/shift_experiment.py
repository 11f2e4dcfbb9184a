"""The experiment of chapter 8 of the thesis: shift 20,000 elements, by growing distances.

The program as it is and the program after `rewrite-by-demand`, on the interpreter of rho and on
compiled backends:

python tools/shift_experiment.py docs/shift.png
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from time import perf_counter
from typing import Any

import numpy as np

from ein_mlir import compile, run_pipeline
from ein_mlir.interpreters.rho import run
from ein_mlir.sources.rho.parser import parse

PROGRAM = r"""
let take = \n.\arr.
  let ofs = if n > 0 then 0 else (shape arr).([0]) + n in
  gen [|n|] 0 with [n * 0] <= iv < [|n|] in arr.(iv + ofs)
in
let drop = \n.\arr.
  if n > 0 then take (n - (shape arr).([0])) arr
  else take ((shape arr).([0]) + n) arr
in
let shift = \n.\arr.
  let pad = gen (shape (take n arr)) 0 in
  let xs = drop (-n) arr in
  if n > 0 then pad ++ xs else xs ++ pad
in
\n.\arr. shift n arr
"""
SIZE = 20_000
PASSES = {"original": (), "rewritten": ("rewrite-by-demand",)}
RANKS = "convert-rho-to-phi{ranks=0,1}"


def implementations(backend: str) -> dict[str, Callable[..., Any]]:
    """The program, as it is and rewritten, as functions of a distance and an array."""
    if backend == "interpreter":
        modules = {way: run_pipeline(parse(PROGRAM), passes) for way, passes in PASSES.items()}
        return {way: lambda *args, m=module: run(m, args) for way, module in modules.items()}
    return {
        way: compile(run_pipeline(parse(PROGRAM), (*passes, RANKS)), backend=backend)
        for way, passes in PASSES.items()
    }


def least_times(
    functions: Sequence[Callable[..., Any]], arguments: Sequence[Any], runs: int
) -> list[float]:
    """The least time of each function in ms, of runs side by side."""
    best = [float("inf")] * len(functions)
    for _ in range(runs):
        for k, function in enumerate(functions):
            start = perf_counter()
            function(*arguments)
            best[k] = min(best[k], (perf_counter() - start) * 1e3)
    return best


def main() -> None:
    parser = argparse.ArgumentParser(description="The experiment of chapter 8 of the thesis.")
    parser.add_argument("file", help="the plot to write")
    parser.add_argument("--backends", nargs="+", default=["interpreter", "numpy", "native"])
    arguments = parser.parse_args()
    import matplotlib

    matplotlib.use("agg")
    from matplotlib import pyplot as plt

    array = np.arange(float(SIZE))
    distances = range(0, SIZE + 1, SIZE // 8)
    figure, axes = plt.subplots(
        1, len(arguments.backends), figsize=(4 * len(arguments.backends), 3)
    )
    for backend, plot in zip(arguments.backends, np.atleast_1d(axes), strict=True):
        ways = implementations(backend)
        runs = 1 if backend == "interpreter" else 50
        times = [least_times(list(ways.values()), (float(n), array), runs) for n in distances]
        for way, series in zip(ways, zip(*times, strict=True), strict=True):
            plot.plot(distances, series, marker=".", label=way)
            print(f"{backend:12} {way:10}", *(f"{time:9.3f}" for time in series))
        plot.set(title=backend, xlabel="distance", ylim=(0, None))
        plot.legend()
    np.atleast_1d(axes)[0].set_ylabel("ms")
    figure.tight_layout()
    figure.savefig(arguments.file, dpi=80)


if __name__ == "__main__":
    main()
