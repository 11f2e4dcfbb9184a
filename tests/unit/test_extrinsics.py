"""Results of functions of the embedding program are checked at calls from textual IR."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from ein_mlir import EinTypeError, EinValueError, compile

ROWS = """
  func.func @rows(%a: !phi.vec<!phi.vec<f64>>) -> !phi.vec<!phi.vec<f64>> {
    %n = phi.size %a, 0 : !phi.vec<!phi.vec<f64>>
    %b = phi.array (%i < %n) -> !phi.vec<!phi.vec<f64>> {
      %x = phi.get %a[%i] : !phi.vec<!phi.vec<f64>>[index]
      %y = phi.extern @f(%x) : (!phi.vec<f64>) -> !phi.vec<f64>
      phi.yield %y : !phi.vec<f64>
    }
    func.return %b : !phi.vec<!phi.vec<f64>>
  }"""

MATRIX = np.array([[3.0, 1.0, 2.0], [0.0, 5.0, 4.0]])


def rows(f: Callable[..., Any], backend: str = "numpy") -> Any:
    return compile(ROWS, backend=backend, externs={"f": f})(MATRIX)


def test_one_call_for_all_rows():
    shapes = []

    def f(x):
        shapes.append(x.shape)
        return np.sort(x)

    np.testing.assert_array_equal(rows(f), np.sort(MATRIX))
    np.testing.assert_array_equal(rows(f, "naive"), np.sort(MATRIX))
    assert shapes == [(2, 3), (3,), (3,)]


@pytest.mark.parametrize(
    ("f", "error", "message"),
    [
        (
            np.argsort,
            EinTypeError,
            "an array of float64 and rank 2, of which 1 batch axes, got an ",
        ),
        (np.sum, EinTypeError, "got a scalar of float64"),
        (lambda x: x[0], EinTypeError, "got an array of float64 and rank 1"),
        (lambda x: x[:1], EinValueError, r"its shape \(1, 3\) does not start with the batch axes"),
        (lambda x: x.tolist(), EinTypeError, "got list "),
        (lambda x: (x, x), EinTypeError, "got a tuple of 2"),
    ],
)
def test_wrong_results_name_the_extrinsic(f, error, message):
    with pytest.raises(error, match=f"the result of the extrinsic @f: .*{message}"):
        rows(f)


def test_errors_of_the_function_name_it_too():
    def f(x):
        raise KeyError("gone")

    for backend in ("numpy", "naive"):
        with pytest.raises(KeyError, match="gone") as error:
            rows(f, backend)
        assert error.value.__notes__ == ["raised by the extrinsic @f"]


RECORDS = """
  func.func @split(%a: !phi.vec<f64>) -> !phi.vec<tuple<f64, i64>> {
    %b = phi.extern @f(%a) : (!phi.vec<f64>) -> !phi.vec<tuple<f64, i64>>
    func.return %b : !phi.vec<tuple<f64, i64>>
  }"""


def test_arrays_of_records_are_records_of_arrays():
    def f(x):
        return np.sort(x), np.argsort(x)

    for backend in ("numpy", "naive"):
        values, order = compile(RECORDS, backend=backend, externs={"f": f})(MATRIX[0])
        assert values.tolist() == [1.0, 2.0, 3.0]
        assert order.tolist() == [1, 2, 0]


@pytest.mark.parametrize(
    ("f", "message"),
    [
        (lambda x: x, "expected a tuple of 2, got an array of float64 and rank 1"),
        (lambda x: (x, x), "field 1: expected an array of int64 and rank 1, got an array of float"),
        (lambda x: (x, np.argsort(x)[:1]), r"have different sizes: \(1,\) and \(3,\)"),
        (lambda x: (x, np.argsort(x), x), "expected a tuple of 2, got a tuple of 3"),
    ],
)
def test_wrong_records(f, message):
    with pytest.raises((EinTypeError, EinValueError), match=message):
        compile(RECORDS, externs={"f": f})(MATRIX[0])


OVERLOADED = """
  func.func @sums(%a: !phi.vec<f64>, %b: !phi.vec<!phi.vec<f32>>) -> tuple<f64, !phi.vec<f32>> {
    %0 = phi.extern @f(%a) : (!phi.vec<f64>) -> f64
    %1 = phi.extern @f(%b) : (!phi.vec<!phi.vec<f32>>) -> !phi.vec<f32>
    %2 = phi.tuple (%0, %1) : tuple<f64, !phi.vec<f32>>
    func.return %2 : tuple<f64, !phi.vec<f32>>
  }"""


def test_a_symbol_may_be_called_with_several_types():
    sums = compile(OVERLOADED, externs={"f": lambda x: x.sum(-1)})
    total, parts = sums(MATRIX[0], MATRIX.astype("float32"))
    assert total == 6.0
    assert parts.tolist() == [6.0, 9.0]
    with pytest.raises(EinTypeError, match="expected an array of float32 and rank 1, got a scalar"):
        compile(OVERLOADED, externs={"f": np.sum})(MATRIX[0], MATRIX.astype("float32"))


@pytest.mark.parametrize("symbol", ["np", "len", "twice", "return", "a"])
def test_symbols_hide_nothing_in_the_source(symbol):
    text = f"""
      func.func @twice(%a: !phi.vec<f64>) -> !phi.vec<f64> {{
        %n = phi.size %a, 0 : !phi.vec<f64>
        %b = phi.extern @{symbol}(%a) : (!phi.vec<f64>) -> !phi.vec<f64>
        %c = phi.array (%i < %n) -> !phi.vec<f64> {{
          %x = phi.get %b[%i] : !phi.vec<f64>[index]
          %y = math.sqrt %x : f64
          phi.yield %y : f64
        }}
        func.return %c : !phi.vec<f64>
      }}"""
    program = compile(text, externs={symbol: lambda x: x * x})
    assert program(np.array([1.0, 2.0])).tolist() == [1.0, 2.0]
    assert "# Given by the embedding program: " in program.source


def test_functions_of_another_library():
    torch = pytest.importorskip("torch")
    program = compile(ROWS, backend="torch", externs={"f": np.sort})
    with pytest.raises(EinTypeError, match="expected a tensor of PyTorch, got an array of float64"):
        program(torch.tensor(MATRIX))
    program = compile(ROWS, backend="torch", externs={"f": lambda x: x.sort().values})
    assert program(torch.tensor(MATRIX)).tolist() == np.sort(MATRIX).tolist()
