"""Parts of a program for LLVM: they are compiled independently, and linked."""

from __future__ import annotations

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp

from ein_mlir import array, clear_cache, fold_sum, function, sin
from ein_mlir.compiler import compile, compile_loops
from ein_mlir.pipelines import TO_LLVM, run_pipeline
from ein_mlir.targets.llvm_ir.parts import MOST_PARTS, llvm_ir_parts
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


def test_each_function_is_in_one_part():
    whole, parts = llvm_ir(_llvm()), llvm_ir_parts(_llvm())
    assert 1 < len(parts) <= MOST_PARTS
    defined = [_symbols(part, "define") for part in parts]
    assert set.union(*defined) == _symbols(whole, "define")
    assert sum(map(len, defined)) == len(_symbols(whole, "define"))
    for part, own in zip(parts, defined, strict=True):
        declared = _symbols(part, "declare")
        assert not declared & own
        called = {line.partition("@")[2].partition("(")[0] for line in part.splitlines()}
        assert called - {""} <= declared | own


def test_parts_are_no_smaller_than_needed():
    @function
    def twice(a):
        return array(lambda i: a[i] + a[i])

    module = run_pipeline(compile_loops(twice.phi(np.arange(3.0))).clone(), TO_LLVM)
    assert len(llvm_ir_parts(module)) == 1


def test_the_parts_do_not_depend_on_the_run():
    assert llvm_ir_parts(_llvm()) == llvm_ir_parts(_llvm())


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
