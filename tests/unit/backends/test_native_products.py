"""Products of matrices in native programs: by the library of the host, and by the runtime."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest
from xdsl.context import Context
from xdsl.parser import Parser
from xdsl.universe import XDSL_UNIVERSE
from xdsl.utils.exceptions import PassFailedException

from ein_mlir import (
    Float,
    Int,
    Vec,
    array,
    compile,
    exp,
    fold,
    fold_sum,
    function,
    set_num_threads,
    tanh,
    where,
)
from ein_mlir.pipelines import register, run_pipeline

pytest.importorskip("llvmlite")

from ein_mlir.backends.native import runtime
from ein_mlir.backends.native.support import products_of_numpy, support

Matrix = Vec[Vec[Float]]
Matrices = Vec[Matrix]


@function
def layer(x: Matrix, w: Matrix, b: Vec[Float]) -> Matrix:
    return array(lambda i, j: tanh(fold_sum(lambda k: x[i, k] * w[k, j]) + b[j]))


@function
def transposed_batch(x: Matrices, w: Matrix) -> Matrices:
    return array(lambda i, j, h: 1.0 - fold_sum(lambda k: x[h, i, k] * w[j, k]))


@function
def scores(q: Matrices, k: Matrices) -> Matrices:
    return array(lambda h, i, j: fold_sum(lambda e: q[h, i, e] * k[h, j, e]))


@function
def one_of_several(x: Matrices, w: Matrix, t: Int) -> Matrix:
    return array(lambda i, j: fold_sum(lambda k: w[k, i] * x[t, k, j]))


@function
def sum_of_products(x: Matrices, w: Matrices) -> Matrix:
    def add(t: Int, total: Matrix) -> Matrix:
        return array(lambda i, j: total[i, j] + fold_sum(lambda k: w[t, k, i] * x[t, k, j]))

    return fold(array(lambda i, j: 0.0 * w[0, 0, i] * x[0, 0, j]), add, count=x.size(0))


@function
def covariance(x: Matrix, m: Vec[Float]) -> Matrix:
    return array(lambda i, j: fold_sum(lambda k: (x[k, i] - m[i]) * (x[k, j] - m[j])))


@function
def scaled(x: Matrix, w: Matrix, m: Vec[Float]) -> Matrix:
    return array(lambda i, j: fold_sum(lambda k: 0.5 * x[i, k] * m[k] * (1.0 - w[j, k])))


@function
def power(x: Matrix, n: Int) -> Matrix:
    def times(s: Int, a: Matrix) -> Matrix:
        return array(lambda i, j: fold_sum(lambda k: a[i, k] * x[k, j]))

    return fold(x, times, count=n)


def numbers(*shape: int) -> Any:
    return np.random.default_rng(sum(shape)).normal(size=shape)


CASES: dict[str, tuple[Any, Callable[..., Any], Callable[[int], tuple[Any, ...]]]] = {
    "layer": (
        layer,
        lambda x, w, b: np.tanh(x @ w + b),
        lambda n: (numbers(n, n + 1), numbers(n + 1, n + 2), numbers(n + 2)),
    ),
    "transposed-batch": (
        transposed_batch,
        lambda x, w: 1 - (x @ w.T).transpose(1, 2, 0),
        lambda n: (numbers(3, n, n + 1), numbers(n + 2, n + 1)),
    ),
    "scores": (
        scores,
        lambda q, k: q @ k.transpose(0, 2, 1),
        lambda n: (numbers(2, n, n + 1), numbers(2, n + 3, n + 1)),
    ),
    "one-of-several": (
        one_of_several,
        lambda x, w, t: w.T @ x[t],
        lambda n: (numbers(3, n, n + 1), numbers(n, n), 1),
    ),
    "sum-of-products": (
        sum_of_products,
        lambda x, w: (w.transpose(0, 2, 1) @ x).sum(0),
        lambda n: (numbers(3, n, n + 1), numbers(3, n, n + 2)),
    ),
    "covariance": (
        covariance,
        lambda x, m: (x - m).T @ (x - m),
        lambda n: (numbers(n + 1, n), numbers(n)),
    ),
    "scaled": (
        scaled,
        lambda x, w, m: (0.5 * x * m) @ (1 - w).T,
        lambda n: (numbers(n, n + 1), numbers(n + 2, n + 1), numbers(n + 1)),
    ),
    "power": (power, lambda x, n: np.linalg.matrix_power(x, n + 1), lambda n: (numbers(n, n), 3)),
}


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("name", CASES)
def test_product(name: str, dtype: str) -> None:
    """Below and above the size that is left to the library."""
    program, expected, arguments = CASES[name]
    for n in (0, 1, 2, 7, 40):
        given = [a.astype(dtype) if isinstance(a, np.ndarray) else a for a in arguments(n)]
        result = program.eval(*given, backend="native")
        tolerance = 1e-9 if dtype == "float64" else 1e-2
        np.testing.assert_allclose(result, expected(*given), rtol=tolerance, atol=tolerance)
        assert result.dtype == dtype


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("name", ["layer", "scores"])
def test_small_products_of_each_width(name: str, dtype: str) -> None:
    """Columns that are neighbours, and columns at strides: eight, four, one; some of them twice."""
    program, expected, _ = CASES[name]
    for columns in range(1, 20):
        own, others = (6, 5), ((5, columns), (columns,))
        if name == "scores":
            own, others = (2, 6, 5), ((2, columns, 5),)
        given = [numbers(*shape).astype(dtype) for shape in (own, *others)]
        result = program.eval(*given, backend="native")
        np.testing.assert_allclose(result, expected(*given), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("name", ["layer", "transposed-batch", "scores", "covariance", "scaled"])
def test_product_is_raised(name: str) -> None:
    program, _, arguments = CASES[name]
    compiled = compile(program.ir("phi", *arguments(2)), backend="native")
    assert "linalg.generic" in compiled.source


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("name", ["layer", "transposed-batch", "scores", "one-of-several"])
def test_product_by_numpy(name: str, dtype: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same results without a library that can be called from machine code."""
    program, _, arguments = CASES[name]
    given = [a.astype(dtype) if isinstance(a, np.ndarray) else a for a in arguments(40)]
    direct = program.eval(*given, backend="native")
    calls = list[int]()
    multiply = runtime._multiply
    monkeypatch.setattr(runtime, "_multiply", lambda slots: (calls.append(slots), multiply(slots)))
    support().set_products(None, None, None, None)
    try:
        by_numpy = program.eval(*given, backend="native")
    finally:
        support().set_products(*products_of_numpy())
    assert calls
    np.testing.assert_allclose(direct, by_numpy, rtol=1e-9 if dtype == "float64" else 1e-4)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize(
    "sizes", [(64, 65, 66, 1), (200, 201, 9, 17), (300, 200, 3, 5), (1, 500, 70, 70)]
)
def test_products_in_steps_without_a_library(sizes: tuple[int, int, int, int], dtype: str) -> None:
    """Threads multiply by themselves: few columns, several, and some beside whole vectors."""

    def weighted(q: Any, k: Any, v: Any) -> Any:
        scores = array(lambda i, j: fold_sum(lambda f: q[i, f] * k[j, f]))
        return array(lambda i, f: fold_sum(lambda j: exp(scores[i, j]) * v[j, f]))

    program = function(lambda q, k, v: array(lambda b: weighted(q[b], k[b], v[b])))
    queries, keys, terms, columns = sizes
    shapes = (3, queries, terms), (3, keys, terms), (3, keys, columns)
    q, k, v = (np.random.rand(*shape).astype(dtype) / terms for shape in shapes)
    support().set_products(None, None, None, None)
    try:
        alone = program.eval(q, k, v, backend="native")
    finally:
        support().set_products(*products_of_numpy())
    tolerance = 1e-9 if dtype == "float64" else 1e-4
    np.testing.assert_allclose(alone, program.eval(q, k, v, backend="native"), rtol=tolerance)
    np.testing.assert_allclose(alone, np.exp(q @ k.swapaxes(1, 2)) @ v, rtol=tolerance)


def test_products_are_called_directly(monkeypatch: pytest.MonkeyPatch) -> None:
    if products_of_numpy() == (None, None, None, None):
        pytest.skip("NumPy links no library with integers of 64 bits")
    calls = list[int]()
    monkeypatch.setattr(runtime, "_multiply", calls.append)
    program, expected, _ = CASES["layer"]
    given = CASES["layer"][2](40)
    np.testing.assert_allclose(program.eval(*given, backend="native"), expected(*given), rtol=1e-9)
    assert not calls


def test_other_contractions_are_rejected() -> None:
    """Textual IR may have any; only products of matrices are converted."""
    text = """
    func.func @f(%a: memref<?xf64>, %b: memref<?xf64>, %operands: memref<2xi64>) {
      linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>],
          iterator_types = ["parallel"]} ins(%a : memref<?xf64>) outs(%b : memref<?xf64>) {
      ^bb0(%x: f64, %y: f64):
        linalg.yield %x : f64
      }
      func.return
    }
    """
    context = Context()
    register(context)
    context.register_dialect("linalg", XDSL_UNIVERSE.all_dialects["linalg"])
    module = Parser(context, text).parse_module()
    with pytest.raises(PassFailedException, match=r"no rule for 'linalg\.generic'"):
        run_pipeline(module, ["convert-loops-to-llvm"])


@function
def triangular(a: Vec[Vec[Float]], b: Vec[Vec[Float]]) -> Vec[Vec[Float]]:
    """Each row of results has its own number of steps."""
    return array(lambda i, j: fold_sum(lambda k: where(k <= i, a[i, k] * b[k, j], 0.0)))


@pytest.mark.parametrize("n", [0, 1, 5, 8, 20, 67])
def test_rows_with_steps_of_their_own(n: int) -> None:
    rng = np.random.default_rng(n)
    a, b = rng.normal(size=(2, n, n))
    np.testing.assert_allclose(triangular.native(a, b), np.tril(a) @ b, atol=1e-12)


def threads_of_library() -> int:
    _, _, get, _ = products_of_numpy()
    if get is None:
        pytest.skip("the library has no number of threads")
    return ctypes.CFUNCTYPE(ctypes.c_int)(get)()


@pytest.mark.parametrize("shape", [(3, 40, 50), (1, 300, 400)])
def test_pieces_on_threads(shape: tuple[int, int, int]) -> None:
    """Several matrices, and one that is cut by rows or columns, in the order of any axes."""
    rng, before = np.random.default_rng(0), threads_of_library()
    count, _, m = shape
    x, w = rng.normal(size=shape), rng.normal(size=(count, 2 * m, m))
    for q, k in ((x, w), (w, x)):
        results = list[Any]()
        for threads in (1, 2, 3, 7):
            set_num_threads(threads)
            results.append(scores.native(q, k))
        set_num_threads()
        assert all(np.array_equal(result, results[0]) for result in results)
        np.testing.assert_allclose(results[0], q @ k.transpose(0, 2, 1), atol=1e-9)
    assert threads_of_library() == before


def test_calls_from_threads_leave_the_library_its_threads() -> None:
    before = threads_of_library()
    x, w = numbers(8, 60, 70), numbers(8, 60, 70)
    expected = x @ w.transpose(0, 2, 1)
    with ThreadPoolExecutor(4) as pool:
        for result in pool.map(lambda _: scores.native(x, w), range(40)):
            np.testing.assert_allclose(result, expected, atol=1e-9)
    assert threads_of_library() == before
