"""Loops of long functions are functions, which LLVM compiles at once, and equal ones once."""

from __future__ import annotations

import numpy as np
import pytest
from xdsl.context import Context
from xdsl.dialects import llvm
from xdsl.parser import Parser
from xdsl.universe import XDSL_UNIVERSE

from ein_mlir import (
    Float,
    Function,
    Int,
    Vec,
    array,
    compile,
    exp,
    fold,
    fold_argmax,
    fold_max,
    fold_sum,
    fold_while,
    function,
)
from ein_mlir.compiler import compile_loops
from ein_mlir.passes.conversions.convert_loops_to_llvm import convert
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


# Sequential loops of a long function -------------------------------------------------------------

LOOP = """
  %s{0} = scf.for %i = %zero to %n step %one iter_args(%s = %x) -> (f64) {{
    %0 = memref.load %a[%i] : memref<?xf64>
    %1 = arith.subf %0, %{1} : f64
    %2 = arith.mulf %s, %1 : f64
    scf.yield %2 : f64
  }}"""
HEAD = """
func.func @f(%a: memref<?xf64>, %x: f64, %operands: memref<2xi64>) -> f64 {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %n = memref.dim %a, %zero : memref<?xf64>"""


def functions_of_chain(loops: int) -> dict[str, str]:
    """The functions of so many loops, each of which reads the result of the one before."""
    names = ["x", *(f"s{k}" for k in range(loops))]
    body = "".join(LOOP.format(k, name) for k, name in enumerate(names[:-1]))
    text = f"{HEAD}{body}\n  func.return %{names[-1]} : f64\n}}"
    context = Context()
    for dialect in ("arith", "builtin", "func", "memref", "scf"):
        context.register_dialect(dialect, XDSL_UNIVERSE.all_dialects[dialect])
    module = Parser(context, text).parse_module()
    convert(module)
    return {op.sym_name.data: str(op) for op in module.ops if isinstance(op, llvm.FuncOp)}


def test_equal_loops_of_a_long_function_are_one_function():
    functions = functions_of_chain(140)
    loops = [name for name in functions if name.startswith("loop.")]
    assert loops == ["loop.f.0", "loop.f.1"]  # the first one reads %x in two places
    main = functions["ein.f"]
    assert "optnone" in main
    assert main.count("@loop.f.1") == 139


def test_loops_of_a_short_function_stay_in_it():
    assert not any(name.startswith("loop.") for name in functions_of_chain(30))


def halfway(_: Int, s: Vec[Float]) -> Vec[Float]:
    return array(lambda i: (s[i - 1] + s[i]) * 0.5)


def facts(a: Vec[Float], limit: Int) -> list[Float]:
    """Loops with results of several types, and with arrays that change places."""
    best = fold_argmax(lambda i: a[i])
    smooth = fold(a, halfway, count=limit)
    average = fold(0.0, lambda i, s: 0.9 * s + 0.1 * a[i], count=a.size(0))
    steps, late = fold_while(
        (0, False), lambda s: s[0] * s[0] < limit, lambda s: (s[0] + 1, s[0] > 2)
    )
    return [a[best], smooth[0], average, steps.float() + late.float()]


def mean_of(a: Vec[Float]) -> Float:
    return fold_sum(lambda i: a[i]) / a.size(0).float()


def less(a: Vec[Float], x: Float) -> Vec[Float]:
    return array(lambda i: a[i] - x)


@function
def statistics(a: Vec[Float], limit: Int) -> tuple[Float, ...]:
    found = list[Float]()
    for _ in range(8):
        mean = mean_of(a)
        found += [mean, *facts(a, limit)]
        a = less(a, mean * 0.5)
    return tuple(found)


def test_loops_of_a_long_program_are_apart():
    assert len(loops_apart(statistics)) >= 4


@pytest.mark.one_turn
@pytest.mark.parametrize("threads", [1, 2, 3, 7])
def test_results_of_a_long_program(threads: int) -> None:
    native = compile(statistics.phi(), backend="native", threads=threads)
    naive = compile(statistics.phi(), backend="naive")
    for size in (0, 1, 2, 7, 30):
        a = np.random.default_rng(3).normal(size=size)
        assert_agree(native(a, 3), naive(a, 3), {"float64": 1e-12}, f"{size}")
