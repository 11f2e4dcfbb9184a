"""Threads and memory of native programs."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from ein_mlir import Float, Vec, array, ext, fold, fold_sum, function
from ein_mlir.errors import EinValueError
from tests.threads import in_threads

pytest.importorskip("llvmlite", reason="llvmlite is not installed")

from ein_mlir.backends.native import settings
from ein_mlir.backends.native.threads import default_threads, set_num_threads


@pytest.fixture(autouse=True)
def _defaults() -> Iterator[None]:
    yield
    set_num_threads()
    settings.set_memory_bound()


@function(backend="native")
def product(a: Vec[Vec[Float]], b: Vec[Vec[Float]]) -> Any:
    return array(lambda i, j: fold_sum(lambda k: a[i, k] * b[k, j]))


@function(backend="native")
def smoothed(a: Vec[Float], steps: int) -> Any:
    return fold(
        a,
        lambda t, x: array(lambda i: (x[i - 1] + x[i] + x[i + 1]) / 3.0, size=a.size()),
        count=steps,
    )


def matrices(n: int) -> tuple[Any, Any]:
    rng = np.random.default_rng(n)
    return rng.random((n, 40)), rng.random((40, n + 3))


def test_bits_do_not_depend_on_the_number_of_threads():
    """Also with few rows, so that the second loop is split."""
    rng = np.random.default_rng(0)
    arguments = [matrices(200), (rng.random((3, 100)), rng.random((100, 4000)))]
    for a, b in arguments:
        set_num_threads(1)
        expected = product(a, b)
        np.testing.assert_allclose(expected, a @ b)
        for threads in (2, 3, 7):
            set_num_threads(threads)
            np.testing.assert_array_equal(product(a, b), expected)


@pytest.mark.one_turn
def test_many_loops_in_one_call():
    """Fewer threads than the pool has, and more than it has shares of pieces, too."""
    a = np.random.default_rng(1).random(100_000)
    set_num_threads(1)
    expected = smoothed(a, 30)
    np.testing.assert_allclose(expected, smoothed.numpy(a, 30))
    wide = np.random.default_rng(2).random(7_000_000)
    expected_of_wide = smoothed(wide, 2)
    for threads in (3, 2, 7, 70, 3):
        set_num_threads(threads)
        np.testing.assert_array_equal(smoothed(wide, 2), expected_of_wide)
        for _ in range(5):
            np.testing.assert_array_equal(smoothed(a, 30), expected)


@function(backend="native")
def smoothed_rows(a: Vec[Vec[Float]], steps: int) -> Any:
    def row(i: Any) -> Any:
        x = fold(
            array(lambda j: a[i, j]),
            lambda t, x: array(lambda j: 0.5 * (x[j] + x[(j + 1) % x.size()])),
            count=steps,
        )
        total = fold_sum(lambda j: x[j])
        return array(lambda j: x[j] / total)

    return array(row)


@pytest.mark.parametrize("steps", [0, 1, 2, 5])
@pytest.mark.parametrize("shape", [(0, 4), (1, 1), (20_000, 4), (301, 700)])
def test_buffers_of_steps(shape: tuple[int, int], steps: int):
    """Threads keep the buffers of a row, which take turns in its loop, for all of their rows."""
    a = 0.5 + np.random.default_rng(3).random(shape)
    expected = a
    for _ in range(steps):
        expected = 0.5 * (expected + np.roll(expected, -1, 1))
    expected = expected / expected.sum(1, keepdims=True)
    for threads in (1, 2, 7):
        set_num_threads(threads)
        np.testing.assert_allclose(smoothed_rows(a, steps), expected, rtol=1e-12)


def test_calls_from_many_threads():
    set_num_threads(3)
    a, b = matrices(150)
    expected = product(a, b)
    wrong = list[int]()

    def work(number: int) -> None:
        for _ in range(20):
            if not np.array_equal(product(a, b), expected):
                wrong.append(number)

    in_threads(work, 6)
    assert not wrong


FORKS = """
import os
import numpy as np
from ein_mlir import array, fold_sum, function
from ein_mlir.backends.native.threads import set_num_threads

set_num_threads(2)

@function(backend="native")
def product(a, b):
    return array(lambda i, j: fold_sum(lambda k: a[i, k] * b[k, j]))

a = np.random.default_rng(0).random((200, 200))
expected = product(a, a)
for _ in range(3):
    child = os.fork()
    if child == 0:
        os._exit(0 if np.array_equal(product(a, a), expected) else 1)
    _, status = os.waitpid(child, 0)
    assert status == 0, status
assert np.array_equal(product(a, a), expected)
"""


@pytest.mark.one_turn
@pytest.mark.skipif(not hasattr(os, "fork"), reason="the system does not fork")
def test_forked_processes():
    """Threads stay in the parent: a child starts its own."""
    subprocess.run([sys.executable, "-c", FORKS], check=True, timeout=60)


def test_an_exception_in_the_middle():
    """An extrinsic that raises leaves threads and memory usable."""

    def fails(a: Any) -> Any:
        raise KeyboardInterrupt

    failing = ext(fails, ([Vec[Float]], Vec[Float]))

    @function(backend="native")
    def program(a: Vec[Float]) -> Any:
        b = array(lambda i: a[i] * 2.0)
        return failing(b)

    set_num_threads(2)
    a = np.ones(200_000)
    for _ in range(3):
        with pytest.raises(KeyboardInterrupt):
            program(a)
    np.testing.assert_allclose(product(*matrices(150)), np.matmul(*matrices(150)))


def test_memory_is_kept_and_returned():
    @function(backend="native")
    def doubled(a: Vec[Float]) -> Any:
        return array(lambda i: 2.0 * a[i])

    a = np.ones(100_000)
    settings.release_memory()
    assert settings.kept_memory() == 0
    result = doubled(a)
    address = result.ctypes.data
    assert settings.kept_memory() == 0
    del result
    kept = settings.kept_memory()
    assert a.nbytes <= kept <= 1.25 * a.nbytes + 128
    result = doubled(a)
    assert result.ctypes.data == address
    assert settings.kept_memory() == 0
    del result
    settings.set_memory_bound(1000)
    assert settings.kept_memory() == 0
    del a


def test_settings_are_checked(monkeypatch: pytest.MonkeyPatch):
    with pytest.raises(EinValueError, match="positive int, got 0"):
        set_num_threads(0)
    with pytest.raises(EinValueError, match="int from 0, got -1"):
        settings.set_memory_bound(-1)
    monkeypatch.setenv("EIN_NUM_THREADS", "many")
    with pytest.raises(EinValueError, match="EIN_NUM_THREADS: expected a positive number"):
        default_threads()
    monkeypatch.setenv("EIN_NUM_THREADS", "3")
    assert default_threads() == 3
