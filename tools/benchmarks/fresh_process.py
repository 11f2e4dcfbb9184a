"""Run in a fresh process: the seconds that importing Ein and the first programs take, as JSON.

python -m tools.benchmarks.fresh_process BACKEND
"""

from __future__ import annotations

import json
import sys
from importlib import import_module
from time import perf_counter


def seconds(backend: str) -> dict[str, float]:
    """The time of each step, in order."""
    moments = [perf_counter()]
    import numpy as np

    moments.append(perf_counter())
    from ein_mlir import array, fold_sum, function

    moments.append(perf_counter())
    a = np.ones((3, 3))
    first = function(
        lambda a: array(lambda i, j: fold_sum(lambda k: abs(a[i, k] - a[j, k]))), backend=backend
    )
    first.phi(a)
    moments.append(perf_counter())
    import_module("ein_mlir.compiler")
    import_module(f"ein_mlir.backends.{backend}.runtime")
    moments.append(perf_counter())
    first(a)
    moments.append(perf_counter())
    second = function(
        lambda a: array(lambda i, j: fold_sum(lambda k: (a[i, k] - a[j, k]) ** 2)), backend=backend
    )
    second(a)
    moments.append(perf_counter())
    steps = (
        "import NumPy",
        "import ein_mlir after it",
        "trace the first program, with imports",
        "import the compiler",
        "first program",
        "second program, traced",
    )
    return {step: b - a for step, a, b in zip(steps, moments, moments[1:], strict=False)}


if __name__ == "__main__":
    json.dump(seconds(sys.argv[1]), sys.stdout)
