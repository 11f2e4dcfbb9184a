"""Compiled programs on disk."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ein_mlir import array, clear_cache, function

pytest.importorskip("llvmlite", reason="llvmlite is not installed")

from ein_mlir.backends import disk_cache
from ein_mlir.backends.native import binary
from ein_mlir.backends.native.machine import Machine
from ein_mlir.backends.native.program import Binary, Function, Leaf, Program
from ein_mlir.backends.native.support import support


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder for compiled programs; those that every process needs are loaded before."""
    support()
    monkeypatch.setenv(disk_cache.FOLDER_VARIABLE, str(tmp_path / "programs"))
    return tmp_path / "programs"


def scaled() -> Callable[[Any], Any]:
    """A new function, compiled anew."""
    clear_cache()
    return function(lambda a: array(lambda i: 3.0 * a[i]), backend="native")


@pytest.fixture
def compilations(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The texts that LLVM compiles from now on."""
    support()
    texts, compile_ = list[str](), Machine.compile

    def counted(self: Machine, text: str, *options: int) -> Sequence[bytes]:
        texts.append(text)
        return compile_(self, text, *options)

    monkeypatch.setattr(Machine, "compile", counted)
    return texts


def test_a_program_is_compiled_once(folder: Path, compilations: list[str]):
    a = np.arange(4.0)
    for _ in range(3):
        np.testing.assert_array_equal(scaled()(a), 3 * a)
    assert len(compilations) == 1
    assert len(list(folder.iterdir())) == 1


@pytest.mark.parametrize("part", [0, 40, -1])
def test_a_broken_file_is_compiled_again(folder: Path, compilations: list[str], part: int):
    a = np.arange(4.0)
    scaled()(a)
    (path,) = folder.iterdir()
    contents = bytearray(path.read_bytes())
    contents[part] ^= 1
    path.write_bytes(contents)
    np.testing.assert_array_equal(scaled()(a), 3 * a)
    path.write_bytes(b"")
    np.testing.assert_array_equal(scaled()(a), 3 * a)
    assert len(compilations) == 3
    np.testing.assert_array_equal(scaled()(a), 3 * a)
    assert len(compilations) == 3


@pytest.mark.skipif(sys.platform == "win32", reason="the modes of POSIX")
def test_a_folder_that_others_may_write_to_is_not_used(folder: Path, compilations: list[str]):
    folder.mkdir(mode=0o777)
    folder.chmod(0o777)
    a = np.arange(4.0)
    for _ in range(2):
        np.testing.assert_array_equal(scaled()(a), 3 * a)
    assert len(compilations) == 2
    assert not list(folder.iterdir())


def test_without_a_folder(monkeypatch: pytest.MonkeyPatch, compilations: list[str]):
    monkeypatch.setenv(disk_cache.FOLDER_VARIABLE, "")
    assert disk_cache.disk_cache() is None
    for _ in range(2):
        scaled()(np.arange(4.0))
    assert len(compilations) == 2


def test_a_binary_as_bytes():
    leaf = Leaf("<f8", 2)
    program = Program(
        (Function("f", (leaf, Leaf("<i8", 0)), (leaf,)),), (Function("g", (), (leaf,)),), ("no",)
    )
    whole = Binary(program, (b"\n\0code\n", b"", b"of parts"))
    assert binary.unpacked(binary.packed(whole)) == whole


PROGRAM = """
import numpy as np
from ein_mlir import array, function
from ein_mlir.backends.native.machine import Machine
compiled = []
compile_ = Machine.compile
Machine.compile = lambda self, text, *o: compiled.append(text) or compile_(self, text, *o)
f = function(lambda a: array(lambda i: a[i] + 1.0), backend="native")
assert (f(np.arange(3.0)) == np.arange(3.0) + 1).all()
print(len(compiled))
"""


@pytest.mark.one_turn
def test_other_processes(folder: Path):
    """The second process compiles nothing, neither the program nor what it calls."""
    counts = [
        subprocess.run(
            [sys.executable, "-c", PROGRAM], check=True, capture_output=True, text=True
        ).stdout.strip()
        for _ in range(2)
    ]
    assert counts == ["2", "0"]
