"""Emitted programs on disk: the process that meets a program again runs no pass."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ein_mlir.compiler
from ein_mlir import array, clear_cache, compile, fold, function
from ein_mlir.backends import disk_cache
from ein_mlir.backends.emitted import Emitted, EmittedFunction, packed, unpacked
from ein_mlir.errors import CompilationError
from tests.libraries import in_64_bits, needs, on


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder for emitted programs."""
    monkeypatch.setenv(disk_cache.FOLDER_VARIABLE, str(tmp_path / "programs"))
    return tmp_path / "programs"


@pytest.fixture
def runs(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """The pipelines that are run on programs of phi from now on."""
    pipelines, run = list[Any](), ein_mlir.compiler._run

    def counted(module: Any, pipeline: Any, *note: Any) -> None:
        if not pipeline[0].startswith("convert-yarr-to-torch"):
            pipelines.append(pipeline)
        run(module, pipeline, *note)

    monkeypatch.setattr(ein_mlir.compiler, "_run", counted)
    return pipelines


def scaled(backend: str = "numpy", factor: float = 3.0) -> Any:
    """A function that this process has not met."""
    clear_cache()
    return function(lambda a: array(lambda i: factor * a[i]), backend=backend)


A = np.arange(4.0)


@pytest.mark.parametrize("backend", on("numpy", "torch", "jax"))
def test_a_program_is_emitted_once(folder: Path, runs: list[Any], backend: str) -> None:
    with in_64_bits(backend):
        results = [scaled(backend)(A) for _ in range(3)]
    for result in results:
        np.testing.assert_array_equal(np.asarray(result), 3 * A)
    assert len(runs) == 1
    assert len(list(folder.iterdir())) == 1


@needs("torch")
def test_other_programs_backends_and_versions(
    folder: Path, runs: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    scaled()(A)
    np.testing.assert_array_equal(scaled(factor=2.0)(A), 2 * A)
    scaled("torch")(A)
    monkeypatch.setattr("ein_mlir.emission.package_state", lambda: "another")
    scaled()(A)
    monkeypatch.setattr("ein_mlir.emission.version_of_xdsl", lambda: "another")
    scaled()(A)
    monkeypatch.setattr(np, "__version__", "another")
    scaled()(A)
    assert len(runs) == len(list(folder.iterdir())) == 6


@pytest.mark.parametrize("part", [0, 40, -1])
def test_a_broken_file_is_not_used(folder: Path, runs: list[Any], part: int) -> None:
    scaled()(A)
    (path,) = folder.iterdir()
    contents = bytearray(path.read_bytes())
    contents[part] ^= 1
    path.write_bytes(contents)
    np.testing.assert_array_equal(scaled()(A), 3 * A)
    path.write_bytes(path.read_bytes()[:50])
    np.testing.assert_array_equal(scaled()(A), 3 * A)
    assert len(runs) == 3
    np.testing.assert_array_equal(scaled()(A), 3 * A)
    assert len(runs) == 3


def test_a_file_of_another_program_is_not_used(folder: Path, runs: list[Any]) -> None:
    scaled(factor=2.0)(A)
    (other,) = folder.iterdir()
    scaled(factor=3.0)(A)
    (path,) = set(folder.iterdir()) - {other}
    path.write_bytes(other.read_bytes())
    np.testing.assert_array_equal(scaled(factor=3.0)(A), 3 * A)
    assert len(runs) == 3


@pytest.mark.skipif(sys.platform == "win32", reason="the modes of POSIX")
def test_a_folder_that_others_may_write_to_is_not_used(folder: Path, runs: list[Any]) -> None:
    scaled()(A)
    folder.chmod(0o777)
    np.testing.assert_array_equal(scaled()(A), 3 * A)
    assert len(runs) == 2


def test_without_a_folder(monkeypatch: pytest.MonkeyPatch, runs: list[Any]) -> None:
    monkeypatch.setenv(disk_cache.FOLDER_VARIABLE, "")
    for _ in range(2):
        scaled()(A)
    assert len(runs) == 2


@pytest.mark.usefixtures("folder")
def test_source_and_ir_of_a_program_from_disk() -> None:
    first = scaled().source(A)
    again = scaled()
    assert again.source(A) == first
    assert again.ir("emitpy", A) == scaled().ir("emitpy", A)
    assert again.explain(A)


@pytest.mark.usefixtures("folder")
def test_functions_of_the_embedding_program_are_those_of_the_process(runs: list[Any]) -> None:
    text = """
      func.func @f(%x: f64) -> f64 {
        %y = phi.extern @g(%x) : (f64) -> f64
        func.return %y : f64
      }
    """
    for shift in (1.0, -1.0):
        clear_cache()
        assert compile(text, externs={"g": lambda x, shift=shift: x + shift})(1.0) == 1.0 + shift
    assert len(runs) == 1


@pytest.mark.usefixtures("folder")
def test_an_error_is_not_kept(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(module: Any, pipeline: Any) -> None:
        raise CompilationError("no rule")

    with monkeypatch.context() as patches:
        patches.setattr(ein_mlir.compiler, "_run", fails)
        with pytest.raises(CompilationError, match="no rule"):
            scaled()(A)
    assert not folder.exists() or not list(folder.iterdir())
    np.testing.assert_array_equal(scaled()(A), 3 * A)


def grown(n: int) -> Any:
    """An array of ``n`` elements, which JAX must know."""
    return array(lambda i: i + 1, size=n)


@needs("jax")
@pytest.mark.usefixtures("folder")
def test_static_arguments_of_jax(runs: list[Any]) -> None:
    for _ in range(2):
        clear_cache()
        compiled = compile(function(grown).phi(np.int64(2)), backend="jax")
        assert compiled.static_arguments == ("n",)
        np.testing.assert_array_equal(np.asarray(compiled(3)), [1, 2, 3])
    assert len(runs) == 1


def recurrence(a: Any) -> Any:
    """A loop of scalars, which PyTorch programs run on NumPy."""
    return fold(a[0], lambda k, acc: (acc * a[k]).max(acc + 1.0), count=a.size())


@needs("torch")
@pytest.mark.usefixtures("folder")
def test_small_steps_of_torch(runs: list[Any]) -> None:
    import torch

    expected = function(recurrence)(A)
    before = len(runs)
    for _ in range(2):
        clear_cache()
        compiled = compile(function(recurrence).phi(A), backend="torch")
        assert compiled._code.program.functions["recurrence"].has_small_steps
        assert compiled(torch.tensor(A)).item() == expected
    assert len(runs) - before == 1


def test_emitted_programs_as_bytes() -> None:
    functions = {
        "f": EmittedFunction("f", ((0,), (1, 2)), uses_f64=True),
        "main": EmittedFunction("main_1", has_small_steps=True),
        "large": EmittedFunction("large", has_temporaries=True),
    }
    whole = Emitted("π = 3\n", functions, {"g.h": "g_h"})
    assert unpacked(packed(whole)) == whole


PROGRAM = """
import sys
import numpy as np
from ein_mlir import array, fold_sum, function
f = function(lambda a: array(lambda i: fold_sum(lambda k: a[i] * a[k])))
assert (f(np.arange(3.0)) == 3 * np.arange(3.0)).all()
print(sum(name.startswith("ein_mlir.passes.") for name in sys.modules))
"""


@pytest.mark.one_turn
@pytest.mark.usefixtures("folder")
def test_other_processes_load_no_pass() -> None:
    counts = [
        subprocess.run(
            [sys.executable, "-c", PROGRAM], check=True, capture_output=True, text=True
        ).stdout.strip()
        for _ in range(2)
    ]
    assert counts[0] != "0"
    assert counts[1] == "0"


def test_a_program_that_python_cannot_express() -> None:
    """The source of each loop of 25 would be indented, and Python nests 20."""
    start = "".join(
        f"%r{k} = phi.fold (%k{k} < %n, %a{k + 1} = %a{k}) -> f64 {{\n" for k in range(25)
    )
    end = "phi.yield %s : f64\n}\n" + "".join(
        f"%s{k} = math.sin %r{k} : f64\nphi.yield %s{k} : f64\n}}\n" for k in range(24, 0, -1)
    )
    text = (
        f"func.func @f(%n: i64, %a0: f64) -> f64 {{\n{start}%s = arith.mulf %a25, %a0 : f64\n"
        f"{end}func.return %r0 : f64\n}}"
    )
    with pytest.raises(CompilationError, match="at most 20 nested loops"):
        compile(text)
