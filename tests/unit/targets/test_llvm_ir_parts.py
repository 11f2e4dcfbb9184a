"""Parts of a program for LLVM: they are compiled independently, and linked."""

from __future__ import annotations

import ctypes
import mmap
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp

from ein_mlir import array, clear_cache, fold_sum, function, sin
from ein_mlir.compiler import compile, compile_loops
from ein_mlir.pipelines import TO_LLVM, run_pipeline
from ein_mlir.targets.llvm_ir.parts import MOST_PARTS, all_parts
from ein_mlir.targets.llvm_ir.printer import llvm_ir


@function
def waves(a, b):
    """Several loops; two of them share functions of numbers."""
    n, m = a.shape[0], b.shape[0]
    x = array(lambda i, j: sin(a[i] * b[j]), size=(n, m))
    y = array(lambda i: fold_sum(lambda j: x[i, j] * b[j]))
    z = array(lambda j: fold_sum(lambda i: sin(x[i, j]) + y[i]), size=m)
    return array(lambda i, j: sin(y[i] + z[j]) * x[i, j])


def _llvm() -> ModuleOp:
    a, b = np.arange(3.0), np.arange(4.0)
    return run_pipeline(compile_loops(waves.phi(a, b)).clone(), TO_LLVM)


def _symbols(text: str, keyword: str) -> set[str]:
    lines = (line for line in text.splitlines() if line.startswith(keyword))
    return {line.partition("@")[2].partition("(")[0] for line in lines}


def test_each_loop_is_in_one_part():
    """Functions of numbers, which LLVM inlines in loops, are in each that uses them."""
    whole, parts = llvm_ir(_llvm()), all_parts(_llvm())[0]
    assert 1 < len(parts) <= MOST_PARTS
    defined = [_symbols(part, "define") for part in parts]
    assert set.union(*defined) == _symbols(whole, "define")
    loops = [{name for name in own if not name.startswith("math.")} for own in defined]
    assert sum(map(len, loops)) == len(set.union(*loops))
    for part, own in zip(parts, defined, strict=True):
        declared = _symbols(part, "declare")
        assert not declared & own
        called = {line.partition("@")[2].partition("(")[0] for line in part.splitlines()}
        assert called - {""} <= declared | own
        assert not any(name.startswith("math.") for name in declared)


def test_parts_are_no_smaller_than_needed():
    @function
    def twice(a):
        return array(lambda i: a[i] + a[i])

    module = run_pipeline(compile_loops(twice.phi(np.arange(3.0))).clone(), TO_LLVM)
    assert len(all_parts(module)[0]) == 1


@pytest.mark.one_turn
def test_the_parts_do_not_depend_on_the_run():
    assert all_parts(_llvm())[0] == all_parts(_llvm())[0]


@pytest.mark.parametrize("threads", [1, 2])
def test_results_of_parts(threads: int, monkeypatch: pytest.MonkeyPatch):
    pytest.importorskip("llvmlite")
    from ein_mlir.backends.native import machine

    monkeypatch.setattr(machine, "threads_of_calls", lambda: threads)
    monkeypatch.setenv("EIN_CACHE_DIR", "")
    clear_cache()
    a, b = np.linspace(0, 2, 5), np.linspace(1, 3, 7)
    x = np.sin(np.outer(a, b))
    y, z = x @ b, (np.sin(x) + (x @ b)[:, None]).sum(0)
    expected = np.sin(y[:, None] + z) * x
    result = compile(waves.phi(a, b), "waves", "native")(a, b)
    np.testing.assert_allclose(result, expected, rtol=1e-12)


@contextmanager
def _one_hole(size: int, below: int) -> Iterator[None]:
    """All memory is in use but for a hole of a size, and what is far below it."""
    libc = ctypes.CDLL(None)
    libc.mmap.restype, libc.mmap.argtypes = (
        ctypes.c_void_p,
        [*[ctypes.c_size_t] * 2, *[ctypes.c_int] * 4],
    )
    libc.munmap.argtypes = [ctypes.c_size_t, ctypes.c_size_t]

    def reserve(place: int, length: int) -> int:
        flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS
        return libc.mmap(place, length, 0, flags, -1, 0)

    lines = Path("/proc/self/maps").read_text().splitlines()
    ends = [tuple(int(end, 16) for end in line.split()[0].split("-")) for line in lines]
    gaps = [(a, b) for (_, a), (b, _) in pairwise(ends) if 0 < b - a < 2**36 and a > 2**46]
    taken = [(reserve(start, stop - start), stop - start) for start, stop in gaps]
    place = reserve(0, below)
    libc.munmap(place + below - size, size)
    try:
        yield
    finally:
        for start, length in (*taken, (place, below - size)):
            libc.munmap(start, length)


@pytest.mark.skipif(sys.platform != "linux", reason="the places in memory are those of Linux")
@pytest.mark.parametrize("pages", [4, 8, 16, 32])
def test_parts_may_be_far_apart(pages: int):
    """Some parts fit into a hole, and others are more than 2 GB below it."""
    clear_cache()
    a, b = np.arange(3.0), np.arange(4.0)
    expected = waves.eval(a, b, backend="naive")
    with _one_hole(pages * mmap.PAGESIZE, 3 * 2**30):
        found = compile(waves.phi(a, b), backend="native")(a, b)
    np.testing.assert_allclose(found, expected)
