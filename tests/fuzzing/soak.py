"""A soak: functions are compiled, called and dropped, and the memory of the process stays flat."""

from __future__ import annotations

import gc
import time
from pathlib import Path

import numpy as np

from tests.fuzzing.check import Reference, reason_of
from tests.fuzzing.samples import sample
from tests.fuzzing.ways import Way
from tests.libraries import INSTALLED

ROWS = 20
"""The number of measurements."""
GROWTH = 1.1
"""The factor by which memory may grow after the first half: caches fill until then."""


def memory() -> float:
    """The resident memory of the process, in MiB."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * 4096 / 2**20


def step(number: int, backends: list[str]) -> None:
    """Compile a sample for the backends, call it, and drop it."""
    made = sample(number)
    try:
        module = made.module()
        known = Reference(module, made.arguments)
    except Exception:
        return
    for backend in backends:
        reason_of(module, Way(backend), made.arguments, known)


def run(minutes: float, seed: int) -> int:
    """Soak, print the memory over time; 1 if it grows."""
    backends = [name for name in INSTALLED if name != "jax"]
    start, number, curve = time.monotonic(), 0, list[float]()
    while len(curve) < ROWS:
        step(seed * 1_000_000 + number, backends)
        number += 1
        passed = time.monotonic() - start
        if passed >= (len(curve) + 1) * minutes * 60 / ROWS:
            gc.collect()
            curve.append(memory())
            print(f"{passed:6.0f} s, {number:6} programs, {curve[-1]:7.0f} MiB", flush=True)
    growth = float(np.mean(curve[-3:]) / np.mean(curve[ROWS // 2 - 2 : ROWS // 2 + 1]))
    print(f"memory grew by a factor of {growth:.3f} in the second half")
    return 1 if growth > GROWTH else 0
