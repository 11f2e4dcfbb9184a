"""Run in a fresh process: the seconds that importing Ein and the first programs take, as JSON.

python -m tools.benchmarks.fresh_process
"""

from __future__ import annotations

import json
import sys
from time import perf_counter


def seconds() -> dict[str, float]:
    """The time of each step, in order."""
    moments = [perf_counter()]
    import numpy as np

    moments.append(perf_counter())
    from ein_mlir import array, fold_sum, function

    moments.append(perf_counter())
    a = np.ones((3, 3))
    function(lambda a: array(lambda i, j: fold_sum(lambda k: abs(a[i, k] - a[j, k]))))(a)
    moments.append(perf_counter())
    function(lambda a: array(lambda i, j: fold_sum(lambda k: (a[i, k] - a[j, k]) ** 2)))(a)
    moments.append(perf_counter())
    steps = ("import NumPy", "import ein_mlir after it", "first program", "second program")
    return {step: b - a for step, a, b in zip(steps, moments, moments[1:], strict=False)}


if __name__ == "__main__":
    json.dump(seconds(), sys.stdout)
