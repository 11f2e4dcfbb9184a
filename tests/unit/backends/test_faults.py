"""Load and faults: threads, forks, interrupts and missing memory leave a usable process."""

from __future__ import annotations

import gc
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

import numpy as np
import pytest

from ein_mlir import Function, array, fold, fold_sum, function
from tests.agreement.comparison import given
from tests.libraries import on
from tests.threads import in_threads


def distances(a):
    """A program in blocks on NumPy."""
    return array(lambda i, j: fold_sum(lambda k: abs(a[i, k] - a[j, k])))


def steps(a):
    """A loop that overwrites its buffers."""

    def step(k, b):
        return array(lambda i, j: (b[i - 1, j] + b[i + 1, j]).tanh() + a[i, j])

    return fold(a, step, count=40)


def outer(a):
    return array(lambda i, j: a[i, 0] * a[j, 0] + 1.0)


def scaled(factor: float) -> Function[..., Any]:
    return function(lambda a: array(lambda i: a[i] * factor))


PROGRAMS: dict[str, Callable[..., Any]] = {"distances": distances, "steps": steps}


def result(f: Function[..., Any], a: Any, backend: str) -> Any:
    return np.asarray(f.eval(a, backend=backend))


@contextmanager
def interrupt_after(seconds: float) -> Iterator[None]:
    """Raise KeyboardInterrupt after some time, as Ctrl-C does."""

    def stop(number: int, frame: FrameType | None) -> None:
        raise KeyboardInterrupt

    old = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, old)


@pytest.mark.parametrize("backend", on("numpy", "torch", "native"))
@pytest.mark.parametrize("name", PROGRAMS)
def test_interrupts(name: str, backend: str) -> None:
    """At any moment of a call: the argument is unchanged, and the next call is right."""
    f = function(PROGRAMS[name])
    values = np.random.default_rng(0).random((150, 20))
    a = given(values, backend)
    expected = result(f, a, backend)
    interrupted = 0
    for seconds in np.linspace(1e-4, 4e-3, 10):
        try:
            with interrupt_after(float(seconds)):
                for _ in range(20):
                    result(f, a, backend)
        except KeyboardInterrupt:
            interrupted += 1
        np.testing.assert_array_equal(np.asarray(a), values)
        np.testing.assert_array_equal(result(f, a, backend), expected)
    assert interrupted


@pytest.mark.parametrize("backend", on("numpy", "native"))
def test_interrupts_of_the_compiler(backend: str) -> None:
    """A function whose compilation was interrupted is compiled by the next call."""
    a = np.random.default_rng(0).random((5, 4))
    expected = np.abs(a[:, None] - a[None]).sum(2)
    for seconds in np.linspace(1e-3, 5e-2, 8):
        f = function(lambda a: distances(a))
        try:
            with interrupt_after(float(seconds)):
                result(f, a, backend)
        except KeyboardInterrupt:
            pass
        np.testing.assert_allclose(result(f, a, backend), expected)


@pytest.mark.parametrize("backend", on("numpy", "native"))
def test_missing_memory(backend: str) -> None:
    """A result that no memory holds is a MemoryError, after which the function works."""
    f = function(outer)
    small = np.ones((3, 1))
    expected = result(f, small, backend)
    large = np.broadcast_to(1.0, (2**23, 1))
    for _ in range(3):
        with pytest.raises(MemoryError):
            result(f, large, backend)
        np.testing.assert_array_equal(result(f, small, backend), expected)


@pytest.mark.parametrize("backend", on("numpy", "torch", "native"))
def test_compilations_in_many_threads(backend: str) -> None:
    """Threads that compile and call different functions, and one that all share."""
    a = np.arange(12.0).reshape(4, 3)
    shared, wrong = function(distances), list[object]()
    expected = np.abs(a[:, None] - a[None]).sum(2)

    def work(number: int) -> None:
        try:
            own = function(lambda a: array(lambda i, j: a[i, j] * number + a[j, i]))
            for _ in range(3):
                found = result(shared, given(a, backend), backend)
                if not np.array_equal(found, expected):
                    wrong.append(found)
                mine = result(own, given(a[:3], backend), backend)
                if not np.array_equal(mine, a[:3] * number + a[:3].T):
                    wrong.append(mine)
        except BaseException as error:
            wrong.append(error)

    in_threads(work, 6)
    assert not wrong


FORKS = """
import os
import numpy as np
from ein_mlir import array, fold_sum, function

product = function(lambda a, b: array(lambda i, j: fold_sum(lambda k: a[i, k] * b[k, j])))
a = np.arange(9.0).reshape(3, 3)
np.testing.assert_array_equal(product(a, a), a @ a)
for _ in range(3):
    child = os.fork()
    if child == 0:
        other = function(lambda a: array(lambda i, j: a[j, i] + 1.0))
        right = np.array_equal(product(a, a), a @ a) and np.array_equal(other(a), a.T + 1)
        os._exit(0 if right else 1)
    assert os.waitpid(child, 0)[1] == 0
np.testing.assert_array_equal(product(a, a), a @ a)
"""


@pytest.mark.one_turn
@pytest.mark.skipif(not hasattr(os, "fork"), reason="the system does not fork")
def test_forked_processes_compile() -> None:
    subprocess.run([sys.executable, "-c", FORKS], check=True, timeout=60)


def test_dropped_functions_are_forgotten() -> None:
    """Their source, too, once the cache of programs is empty."""
    import linecache

    from ein_mlir import clear_cache

    def sources() -> int:
        gc.collect()
        return sum(name.startswith("<ein_mlir:") for name in linecache.cache)

    clear_cache()
    before = sources()
    for k in (2.0, 3.0, 4.0):
        scaled(k)(np.arange(3.0))
    clear_cache()
    assert sources() <= before
