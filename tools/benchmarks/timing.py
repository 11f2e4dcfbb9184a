"""Measurement of time and memory."""

from __future__ import annotations

import gc
import time
import tracemalloc
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from math import exp, log
from statistics import median
from typing import Any, TypeAlias

import numpy as np

from tests.agreement.comparison import leaves

Action: TypeAlias = Callable[[], Any]


@dataclass
class Samples:
    """The times of one action, in seconds."""

    seconds: list[float] = field(default_factory=list)

    @property
    def least(self) -> float:
        return min(self.seconds)

    @property
    def median(self) -> float:
        return median(self.seconds)


@dataclass(frozen=True)
class Effort:
    """The repetitions of an action: for some time, within bounds on their number."""

    seconds: float
    fewest: int
    most: int

    def is_enough(self, samples: Samples) -> bool:
        """Whether an action has been repeated often enough."""
        count = len(samples.seconds)
        return count >= self.most or (count >= self.fewest and sum(samples.seconds) >= self.seconds)


PAUSE = 2e-3
"""Seconds before each measurement: threads of other libraries wait for work awake, for a while."""

THOROUGH = Effort(seconds=2.0, fewest=3, most=25)
QUICK = Effort(seconds=0.02, fewest=3, most=8)


def once(action: Action) -> float:
    """The time of one call, in seconds."""
    start = time.perf_counter()
    action()
    return time.perf_counter() - start


def interleaved(actions: Mapping[str, Action], effort: Effort) -> dict[str, Samples]:
    """The times of actions that alternate, so that disturbances affect all of them equally.

    They are warm: the check of their results has called them. Slow ones are repeated less often.
    """
    samples = {name: Samples() for name in actions}
    pending = dict(actions)
    enabled = gc.isenabled()
    gc.disable()
    try:
        while pending:
            for name, action in pending.items():
                time.sleep(PAUSE)
                samples[name].seconds.append(once(action))
            pending = {k: f for k, f in pending.items() if not effort.is_enough(samples[k])}
    finally:
        if enabled:
            gc.enable()
    return samples


def temporary_memory(action: Action) -> int:
    """The most bytes that Python and NumPy hold at once during a call, without its result.

    Allocations of PyTorch and JAX are not counted.
    """
    gc.collect()
    tracemalloc.start()
    try:
        before, _ = tracemalloc.get_traced_memory()
        result = action()
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    return max(0, peak - before - sum(np.asarray(leaf).nbytes for leaf in leaves(result)))


def geometric_mean(ratios: Iterable[float]) -> float:
    """The mean of ratios; NaN of none."""
    logarithms = [log(ratio) for ratio in ratios]
    return exp(sum(logarithms) / len(logarithms)) if logarithms else float("nan")
