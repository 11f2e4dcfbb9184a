"""The backend `native` in the Python API and on the command line."""

from __future__ import annotations

import builtins
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ein_mlir
from ein_mlir import Float, Vec, array, ext, fold_sum, function, wrap
from ein_mlir.compiler import compile
from ein_mlir.errors import EinTypeError, EinValueError, MissingBackendError
from ein_mlir.frontend.evaluation import numpy_backend
from ein_mlir.tools.ein_run import main
from tests.libraries import needs

TWICE = """
func.func @twice(%a: !phi.vec<f64>, %k: i32) -> (!phi.vec<f64>, i32) {
  %n = phi.size %a, 0 : !phi.vec<f64>
  %b = phi.array (%i < %n) -> !phi.vec<f64> {
    %x = phi.get %a[%i] : !phi.vec<f64>[index]
    %y = arith.addf %x, %x : f64
    phi.yield %y : f64
  }
  func.return %b, %k : !phi.vec<f64>, i32
}
"""


@pytest.fixture
def restored() -> Iterator[None]:
    yield
    ein_mlir.set_numpy_backend("numpy")


@needs("native")
def test_compile():
    twice = compile(TWICE, backend="native", threads=2)
    b, k = twice(np.arange(3.0), 7)
    np.testing.assert_array_equal(b, [0.0, 2.0, 4.0])
    assert k == 7
    assert type(k) is np.int32
    assert "scf.parallel" in twice.source
    assert "llvm.func" in twice.ir("llvm")
    assert "memref.alloc" in twice.ir("loops")
    assert "ein.twice" in twice.assembly
    with pytest.raises(EinValueError, match="no stage 'yarr'; there are phi, loops, llvm"):
        twice.ir("yarr")
    with pytest.raises(EinTypeError, match="argument a: expected an array of float64 and rank 1"):
        twice(np.zeros(3, np.float32), 1)


def test_options_are_checked():
    with pytest.raises(EinValueError, match="threads is for native: the backend is numpy"):
        compile(TWICE, threads=2)
    with pytest.raises(EinValueError, match="threads: expected a positive int, got 0"):
        compile(TWICE, backend="native", threads=0)
    with pytest.raises(EinValueError, match="jit is for torch and jax"):
        compile(TWICE, backend="native", jit=True)
    with pytest.raises(EinValueError, match="assembly is for native: the backend is numpy"):
        _ = compile(TWICE).assembly


@needs("native")
def test_values_and_functions():
    a = np.arange(4.0)
    staged = wrap(a)
    np.testing.assert_array_equal(array(lambda i: staged[i] + 1.0).native(), a + 1)

    @function(threads=1)
    def total(x: Vec[Float]) -> Any:
        return fold_sum(lambda i: x[i])

    assert total.native(a) == 6.0
    assert total.eval(a, backend="native") == 6.0


@needs("native")
def test_records():
    @function(backend="native")
    def swapped(pairs: Any, one: Any) -> Any:
        return array(lambda i: (pairs[i][1], pairs[i][0] + one["x"])), {"y": one["x"]}

    (first, second), rest = swapped.eval(wrap([(1.0, 2), (3.0, 4)]), {"x": 0.5}, backend="native")
    np.testing.assert_array_equal(first, [2, 4])
    np.testing.assert_array_equal(second, [1.5, 3.5])
    assert rest == {"y": 0.5}


@needs("native")
def test_errors_are_those_of_numpy():
    @function
    def product(a: Vec[Vec[Float]], b: Vec[Float]) -> Any:
        return array(lambda i: fold_sum(lambda k: a[i, k] * b[k]))

    messages = list[str]()
    for run in (product.numpy, product.native):
        with pytest.raises(ValueError, match="3 != 4") as caught:
            run(np.zeros((2, 3)), np.zeros(4))
        messages.append(str(caught.value))
    assert messages[0] == messages[1]


@needs("native")
def test_extrinsics_take_records():
    def both(pair: Any) -> Any:
        return pair[0] + pair[1], pair[0].sum(-1)

    summed = ext(both, ([tuple[Vec[Float], Vec[Float]]], tuple[Vec[Float], Float]))

    @function
    def program(a: Vec[Float]) -> Any:
        return summed((array(lambda i: a[i] * 2.0), a))

    a = np.arange(4.0)
    for result in (program.native(a), program.numpy(a)):
        np.testing.assert_array_equal(result[0], 3 * a)
        assert result[1] == 12.0


@needs("native")
@pytest.mark.usefixtures("restored")
def test_the_backend_of_numpy_arrays():
    @function
    def doubled(a: Vec[Float]) -> Any:
        return array(lambda i: a[i] * 2.0)

    a = np.arange(3.0)
    assert "np." in doubled.source(a) or "def doubled" in doubled.source(a)
    ein_mlir.set_numpy_backend("native")
    assert "memref" in doubled.source(a)
    np.testing.assert_array_equal(doubled(a), 2 * a)
    assert numpy_backend() == "native"
    with pytest.raises(EinValueError, match="expected numpy or native, got 'torch'"):
        ein_mlir.set_numpy_backend("torch")


@pytest.mark.one_turn
@needs("native")
def test_the_environment_sets_the_backend():
    program = "from ein_mlir.frontend.evaluation import numpy_backend; print(numpy_backend())"
    for name in ("native", "numpy"):
        found = subprocess.run(
            [sys.executable, "-c", program],
            env={"EIN_BACKEND": name},
            check=True,
            capture_output=True,
            text=True,
        )
        assert found.stdout.strip() == name


@needs("native")
def test_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    (tmp_path / "twice.mlir").write_text(TWICE)
    np.save(tmp_path / "a.npy", np.arange(3.0))
    arguments = [str(tmp_path / "twice.mlir"), "--backend", "native"]
    main([*arguments, "--input", str(tmp_path / "a.npy"), "3"])
    assert capsys.readouterr().out == "[0. 2. 4.]\n3\n"
    main([*arguments, "--source"])
    assert "memref.alloc" in capsys.readouterr().out


def test_a_missing_library(monkeypatch: pytest.MonkeyPatch):
    """The message names the package, for someone who has only the core."""
    for name in list(sys.modules):
        if name.startswith(("llvmlite", "ein_mlir.backends.native")):
            monkeypatch.delitem(sys.modules, name)
    found = builtins.__import__

    def without(name: str, *arguments: Any) -> Any:
        if name.partition(".")[0] == "llvmlite":
            raise ModuleNotFoundError("No module named 'llvmlite'", name="llvmlite")
        return found(name, *arguments)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(MissingBackendError, match=r"pip install 'ein-mlir\[native\]'"):
        compile(TWICE, backend="native")
