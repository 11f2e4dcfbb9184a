"""Loops that only some sizes need are compiled when a call first has such sizes."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ein_mlir import Function, argsort, array, clear_cache, exp, fold_sum, function, where

pytest.importorskip("llvmlite", reason="llvmlite is not installed")

from ein_mlir.backends import disk_cache
from ein_mlir.backends.native import machine
from ein_mlir.backends.native.machine import Machine
from ein_mlir.backends.native.support import support
from ein_mlir.compiler import compile, compile_loops
from ein_mlir.native import native_program


def distances() -> Function:
    """A new function, with loops for many rows and loops for few."""
    clear_cache()
    return function(
        lambda a: array(lambda i, j: fold_sum(lambda k: abs(a[i, k] - a[j, k]))), backend="native"
    )


def expected(a: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    return np.abs(a[:, None] - a).sum(-1)


@pytest.fixture
def texts(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The texts that LLVM compiles from now on."""
    monkeypatch.setenv(disk_cache.FOLDER_VARIABLE, "")
    support()
    found, compile_ = list[str](), Machine.compile

    def noted(self: Machine, texts: Sequence[str], *options: int) -> Sequence[bytes]:
        found.extend(texts)
        return compile_(self, texts, *options)

    monkeypatch.setattr(Machine, "compile", noted)
    return found


def test_sizes_decide_what_is_compiled(texts: list[str]):
    program, few, many = distances(), np.random.rand(5, 3), np.random.rand(30, 7)
    compiled = list[int]()
    for a in (few, few, many, few, many, np.random.rand(33, 2)):
        np.testing.assert_allclose(program(a), expected(a), rtol=1e-12)
        compiled.append(len(texts))
    first, second, third, *others = compiled
    assert first == second < third
    assert set(others) == {third}


@pytest.mark.one_turn
@pytest.mark.parametrize("rows", [0, 1, 2, 3, 4, 7, 8, 9, 12])
def test_each_size_may_be_the_first(rows: int, texts: list[str]):
    program, a = distances(), np.random.rand(rows, 3)
    np.testing.assert_allclose(program(a), expected(a), rtol=1e-12)
    assert texts
    without_columns = np.zeros((rows, 0))
    np.testing.assert_array_equal(program(without_columns), expected(without_columns))


def test_loops_without_steps_are_not_compiled(texts: list[str]):
    program = distances()
    program(np.zeros((0, 3)))
    count = len(texts)
    program(np.zeros((2, 3)))
    assert len(texts) > count


@pytest.mark.parametrize("threads", [1, 2, 4])
def test_on_several_threads(threads: int, monkeypatch: pytest.MonkeyPatch):
    clear_cache()
    monkeypatch.setattr(machine, "threads_of_calls", lambda: threads)
    a = np.random.rand(300, 40)
    program = compile(distances().phi(a), backend="native", threads=threads)
    np.testing.assert_allclose(program(a), expected(a), rtol=1e-12)
    np.testing.assert_allclose(program(a[:5]), expected(a[:5]), rtol=1e-12)


def test_first_calls_at_once(texts: list[str]):
    program, a = distances(), np.random.rand(40, 5)
    program(a[:0])
    with ThreadPoolExecutor(8) as threads:
        for result in threads.map(program, [a] * 16):
            np.testing.assert_allclose(result, expected(a), rtol=1e-12)
    assert len(texts) == len(set(texts))


@pytest.mark.parametrize("error", [RuntimeError, KeyboardInterrupt])
def test_an_error_while_compiling_is_raised(
    error: type[BaseException], monkeypatch: pytest.MonkeyPatch
):
    """A later call compiles; the memory of the failed one is free."""
    monkeypatch.setenv(disk_cache.FOLDER_VARIABLE, "")
    program, a = distances(), np.random.rand(40, 5)
    program(a[:0])

    def fails(*_: object) -> Sequence[bytes]:
        raise error

    with monkeypatch.context() as broken:
        broken.setattr(Machine, "compile", fails)
        for _ in range(2):
            with pytest.raises(error):
                program(a)
    np.testing.assert_allclose(program(a), expected(a), rtol=1e-12)


def weighted(batch: Any) -> Any:
    """Products of matrices in each step, for which large ones have a version."""
    scores = array(lambda i, j: fold_sum(lambda k: batch[i, k] * batch[j, k]))
    return array(lambda i, k: fold_sum(lambda j: exp(scores[i, j]) * batch[j, k]))


def expected_weighted(batch: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    return np.exp(batch @ batch.transpose(0, 2, 1)) @ batch


@pytest.mark.parametrize("threads", [1, 3])
def test_steps_of_large_sizes(
    threads: int, texts: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The loop around them asks before its steps run on threads."""
    clear_cache()
    monkeypatch.setattr(machine, "threads_of_calls", lambda: threads)
    program = function(lambda a: array(lambda b: weighted(a[b, :, :])))
    small, large = np.random.rand(3, 4, 5), np.random.rand(9, 70, 30) / 30
    compiled_program = compile(program.phi(small), backend="native", threads=threads)
    compiled = list[int]()
    for a in (small, large, small, large, large[:0], large[:, :0]):
        np.testing.assert_allclose(compiled_program(a), expected_weighted(a), rtol=1e-12)
        compiled.append(len(texts))
    first, second, *others = compiled
    assert first < second
    assert set(others) == {second}


def test_the_first_of_many(texts: list[str]) -> None:
    """The heaps of several ranges are merged in order, by a loop that is compiled for many."""
    clear_cache()
    program = function(lambda a: array(lambda k: argsort(a)[k], size=3), backend="native")
    few, many = np.random.rand(9), np.random.rand(2**16)
    compiled = list[int]()
    for a in (few, many, few, many):
        np.testing.assert_array_equal(program(a), np.argsort(a)[:3])
        compiled.append(len(texts))
    first, second, *others = compiled
    assert first < second
    assert set(others) == {second}


def test_versions_by_data_are_not_late():
    """Each branch may run in the same call."""

    @function
    def by_sign(a, s):
        return where(s > 0.0, array(lambda i: a[i] + s), array(lambda i: a[i] * s))

    loops = compile_loops(by_sign.phi(np.zeros(3), 1.0))
    assert not native_program(loops.clone()).late
    assert not native_program(loops, late=True).late


def test_all_is_compiled_at_once_unless_asked():
    """A shared object and the assembly have all loops."""
    loops = compile_loops(distances().phi(np.zeros((3, 3))))
    assert not native_program(loops.clone()).late
    late = native_program(loops.clone(), late=True).late
    assert len(late) == 2
    names = [name for part in late for name in part.symbols]
    assert len(names) == len(set(names))
    assembly = compile(distances().phi(np.zeros((3, 3))), backend="native").assembly
    assert all(name in assembly for name in names)


def test_late_parts_are_kept_on_disk(
    tmp_path: Path, texts: list[str], monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv(disk_cache.FOLDER_VARIABLE, str(tmp_path / "programs"))
    a, counts = np.random.rand(40, 5), list[int]()
    for _ in range(2):
        program = distances()
        for rows in (a[:3], a):
            np.testing.assert_allclose(program(rows), expected(rows), rtol=1e-12)
            counts.append(len(texts))
    assert counts[0] < counts[1] == counts[2] == counts[3]
