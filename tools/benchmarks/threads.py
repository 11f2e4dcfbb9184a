"""The number of threads of all libraries: the same for each."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping

VARIABLES = (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "NUMBA_NUM_THREADS",
    "EIN_NUM_THREADS",
)
"""The environment variables of the libraries, which read them when they are loaded."""

BLOCKTIME = "1"
"""The milliseconds for which threads of OpenMP of LLVM and Intel wait awake, which is 200 by
default: they would take the processors from the next measurement, which comes after 2.
"""


def environment(threads: int) -> Mapping[str, str]:
    """The variables for a number of threads, which do not wait awake for long."""
    return {**dict.fromkeys(VARIABLES, str(threads)), "KMP_BLOCKTIME": BLOCKTIME}


def processors() -> list[int]:
    """The processors that this process may use."""
    affinity = getattr(os, "sched_getaffinity", None)
    return sorted(affinity(0)) if affinity is not None else list(range(os.cpu_count() or 1))


def restart(threads: int) -> None:
    """Run this program again on a number of threads, unless it does.

    JAX starts a thread for each processor of the process, so it gets as many.
    """
    wanted = environment(threads)
    if all(os.environ.get(name) == value for name, value in wanted.items()):
        return
    os.environ.update(wanted)
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, processors()[:threads])
    sys.stdout.flush()
    os.execv(sys.executable, [sys.executable, *sys.orig_argv[1:]])
