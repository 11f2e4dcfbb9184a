"""Large loops in parallel loops are functions, so that LLVM compiles parts of them at once."""

from __future__ import annotations

import numpy as np
import pytest
from xdsl.dialects import llvm

from ein_mlir import Float, Function, Vec, array, compile, exp, fold_max, fold_sum, function
from ein_mlir.compiler import compile_loops
from ein_mlir.pipelines import TO_LLVM, run_pipeline
from tests.agreement.comparison import assert_agree

pytest.importorskip("llvmlite")

Matrix = Vec[Vec[Float]]


def weights(a: Matrix, b: Matrix) -> Matrix:
    near = array(lambda i, j: exp(-fold_sum(lambda k: abs(a[i, k] - b[j, k]))))
    return array(lambda i, j: near[i, j] / fold_sum(lambda m: near[i, m]))


@function
def one_pair(a: Matrix, b: Matrix) -> Matrix:
    w = weights(a, b)
    return array(lambda i, k: fold_max(lambda j: w[i, j] * b[j, k]))


@function
def pairs(a: Vec[Matrix], b: Vec[Matrix]) -> Vec[Matrix]:
    return array(lambda t: one_pair(a[t], b[t]))


def loops_apart(program: Function) -> list[str]:
    """The functions of loops that no threads share."""
    module = run_pipeline(compile_loops(program.phi()).clone(), TO_LLVM)
    names = [op.sym_name.data for op in module.ops if isinstance(op, llvm.FuncOp)]
    loops = [name for name in names if name.startswith("loop.") and name.count(".") == 2]
    return [name for name in loops if f"{name}.threaded" not in names]


def test_loops_of_a_batch_are_apart():
    assert len(loops_apart(pairs)) >= 2


def test_loops_of_one_pair_are_shared_by_threads():
    assert not loops_apart(one_pair)


@pytest.mark.one_turn
@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize(
    "sizes", [(0, 2, 2, 2), (1, 1, 1, 1), (2, 0, 3, 2), (2, 5, 4, 3), (3, 9, 12, 6)]
)
def test_results_of_loops_apart(sizes: tuple[int, ...], threads: int) -> None:
    rng, (batch, rows, columns, depth) = np.random.default_rng(2), sizes
    a, b = rng.normal(size=(batch, rows, depth)), rng.normal(size=(batch, columns, depth))
    actual = compile(pairs.phi(), backend="native", threads=threads)(a, b)
    expected = compile(pairs.phi(), backend="naive")(a, b)
    tolerance = {"float64": 1e-12, "float32": 1e-4}
    assert_agree(actual, expected, tolerance, f"{sizes}")
