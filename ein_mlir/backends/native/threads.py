"""The number of threads of the process: of calls, and of LLVM."""

from __future__ import annotations

import os

from ein_mlir.errors import EinValueError

THREADS_VARIABLE = "EIN_NUM_THREADS"
"""The environment variable that sets the number of threads."""

MOST_THREADS = 1024


class _Threads:
    """The number of threads that a call may use."""

    def __init__(self) -> None:
        self.number = default_threads()


def default_threads() -> int:
    """The number of threads that the environment sets; by default the processors of this process.

    Raises EinValueError for a value of the variable that is not a positive number.
    """
    given = os.environ.get(THREADS_VARIABLE)
    if given is None:
        affinity = getattr(os, "sched_getaffinity", None)
        return len(affinity(0)) if affinity is not None else os.cpu_count() or 1
    if not given.strip().isdecimal() or not int(given):
        raise EinValueError(f"{THREADS_VARIABLE}: expected a positive number, got {given!r}")
    return min(int(given), MOST_THREADS)


_THREADS = _Threads()


def threads_of_calls() -> int:
    """The number of threads that a call may use."""
    return _THREADS.number


def set_num_threads(number: int | None = None) -> None:
    """Set the number of threads that a native program may use; by default that at the start.

    The results do not depend on it.
    """
    if number is None:
        number = default_threads()
    if not isinstance(number, int) or number < 1:  # pyright: ignore[reportUnnecessaryIsInstance]
        raise EinValueError(f"the number of threads: expected a positive int, got {number!r}")
    _THREADS.number = min(number, MOST_THREADS)
