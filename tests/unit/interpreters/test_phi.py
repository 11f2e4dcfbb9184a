"""The rules of phi's operations, and of running a program."""

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import numpy as np
import pytest

from ein_mlir.dialects import phi
from ein_mlir.errors import CompilationError
from ein_mlir.interpreters.phi import PhiFunctions

Evaluate = Callable[..., object]

VEC, MAT = "!phi.vec<f64>", "!phi.vec<!phi.vec<f64>>"


def assert_array(actual: object, expected: object, dtype: type[np.generic] = np.float64) -> None:
    assert isinstance(actual, np.ndarray)
    assert actual.dtype == dtype
    np.testing.assert_array_equal(actual, np.asarray(expected, dtype), strict=True)


@contextmanager
def error(message: str) -> Iterator[pytest.ExceptionInfo[ValueError]]:
    """The program is stopped by an error with exactly this message."""
    with pytest.raises(ValueError) as caught:  # noqa: PT011
        yield caught
    assert str(caught.value) == message


def test_every_operation_has_a_rule():
    """Derivatives have none: they are expanded before."""
    rules = {op for op, _ in PhiFunctions._impls()}
    operations = set(phi.Phi.operations)
    assert rules == {op for op in operations if not issubclass(op, phi.DerivativeOp)}


# Arrays


OUTER = """
func.func @outer(%n : i64, %m : i64) -> !phi.vec<!phi.vec<i64>> {
  %ten = arith.constant 10 : i64
  %r = phi.array (%i < %n, %j < %m) -> !phi.vec<!phi.vec<i64>> {
    %p = arith.index_cast %i : index to i64
    %q = arith.index_cast %j : index to i64
    %x = arith.muli %p, %ten : i64
    %y = arith.addi %x, %q : i64
    phi.yield %y : i64
  }
  func.return %r : !phi.vec<!phi.vec<i64>>
}
"""


@pytest.mark.parametrize(("n", "m"), [(2, 3), (1, 1), (0, 3), (3, 0), (0, 0)])
def test_array(evaluate: Evaluate, n: int, m: int):
    expected = 10 * np.arange(n)[:, None] + np.arange(m)
    assert_array(evaluate(OUTER, n, m), expected, np.int64)


def test_negative_size(evaluate: Evaluate):
    with error("size of index j is negative: -3"):
        evaluate(OUTER, 2, -3)
    with error("size of index j is negative: -3"):
        evaluate(OUTER, 0, -3)


def test_negative_size_of_an_unnamed_index(evaluate: Evaluate):
    text = """
    func.func @f(%n : i64, %x : f64) -> !phi.vec<!phi.vec<f64>> {
      %r = "phi.array"(%n, %n) ({
      ^bb0(%0 : index, %1 : index):
        phi.yield %x : f64
      }) : (i64, i64) -> !phi.vec<!phi.vec<f64>>
      func.return %r : !phi.vec<!phi.vec<f64>>
    }"""
    with error("size of index #0 is negative: -1"):
        evaluate(text, -1, 0.0)


def test_array_of_truth_values(evaluate: Evaluate):
    text = """
    func.func @f(%n : i64) -> !phi.vec<i1> {
      %one = arith.constant 1 : i64
      %r = phi.array (%i < %n) -> !phi.vec<i1> {
        %p = arith.index_cast %i : index to i64
        %c = arith.cmpi sgt, %p, %one : i64
        phi.yield %c : i1
      }
      func.return %r : !phi.vec<i1>
    }"""
    assert_array(evaluate(text, 3), [False, False, True], np.bool_)
    assert_array(evaluate(text, 0), [], np.bool_)


def test_empty_array_keeps_inner_sizes(evaluate: Evaluate):
    """The sizes of the body's value are known although the body reads from an empty array."""
    text = """
    func.func @f(%a : !phi.vec<!phi.vec<f32>>, %m : i64) -> !phi.vec<!phi.vec<!phi.vec<f32>>> {
      %n = phi.size %a, 0 : !phi.vec<!phi.vec<f32>>
      %r = phi.array (%i < %n) -> !phi.vec<!phi.vec<!phi.vec<f32>>> {
        %row = phi.get %a[%i] : !phi.vec<!phi.vec<f32>>[index]
        %rows = phi.array (%j < %m) -> !phi.vec<!phi.vec<f32>> {
          phi.yield %row : !phi.vec<f32>
        }
        phi.yield %rows : !phi.vec<!phi.vec<f32>>
      }
      func.return %r : !phi.vec<!phi.vec<!phi.vec<f32>>>
    }"""
    assert_array(evaluate(text, np.zeros((0, 4), np.float32), 5), np.zeros((0, 5, 4)), np.float32)
    assert_array(evaluate(text, np.ones((2, 4), np.float32), 0), np.zeros((2, 0, 4)), np.float32)


def test_assertion_inside_of_an_empty_array(evaluate: Evaluate):
    text = """
    func.func @f(%n : i64, %m : i64) -> !phi.vec<i64> {
      %r = phi.array (%i < %n) -> !phi.vec<i64> {
        %x = phi.assert_eq %n, %m, "n and m"
        phi.yield %x : i64
      }
      func.return %r : !phi.vec<i64>
    }"""
    with error("n and m: 0 != 1"):
        evaluate(text, 0, 1)


# Records


RECORDS = """
func.func @records(%n : i64, %m : i64) -> !phi.vec<tuple<i64, !phi.vec<f64>>> {
  %x = arith.constant 0.5 : f64
  %r = phi.array (%i < %n) -> !phi.vec<tuple<i64, !phi.vec<f64>>> {
    %p = arith.index_cast %i : index to i64
    %v = phi.array (%j < %m) -> !phi.vec<f64> {
      phi.yield %x : f64
    }
    %t = phi.tuple (%p, %v) : tuple<i64, !phi.vec<f64>>
    phi.yield %t : tuple<i64, !phi.vec<f64>>
  }
  func.return %r : !phi.vec<tuple<i64, !phi.vec<f64>>>
}
"""


@pytest.mark.parametrize(("n", "m"), [(2, 3), (0, 3), (2, 0)])
def test_array_of_records_is_a_record_of_arrays(evaluate: Evaluate, n: int, m: int):
    result = evaluate(RECORDS, n, m)
    assert isinstance(result, tuple)
    assert_array(result[0], np.arange(n), np.int64)
    assert_array(result[1], np.full((n, m), 0.5))


def test_record_of_arrays_is_an_array_of_records(evaluate: Evaluate):
    text = """
    func.func @f(%r : !phi.vec<tuple<i64, f64>>, %k : i64) -> tuple<f64, i64> {
      %t = phi.get %r[%k] : !phi.vec<tuple<i64, f64>>[i64]
      %n = phi.proj %t, 0 : tuple<i64, f64> -> i64
      %x = phi.proj %t, 1 : tuple<i64, f64> -> f64
      %u = phi.tuple (%x, %n) : tuple<f64, i64>
      func.return %u : tuple<f64, i64>
    }"""
    assert evaluate(text, (np.array([1, 2]), np.array([0.5, 1.5])), 1) == (1.5, 2)
    assert evaluate(text, ([], []), 1) == (0.0, 0)


# Indexing


@pytest.mark.parametrize(("k", "expected"), [(0, 1.0), (2, 3.0), (-1, 1.0), (3, 3.0), (2**62, 3.0)])
def test_positions_clip(evaluate: Evaluate, k: int, expected: float):
    text = f"""
    func.func @f(%v : {VEC}, %k : i64) -> f64 {{
      %x = phi.get %v[%k] : {VEC}[i64]
      func.return %x : f64
    }}"""
    assert evaluate(text, np.array([1.0, 2.0, 3.0]), k) == expected
    assert evaluate(text, np.zeros(0), k) == 0.0


def test_zero_is_read_from_an_empty_axis(evaluate: Evaluate):
    text = f"""
    func.func @f(%a : {MAT}, %k : i32) -> ({VEC}, f64) {{
      %v = phi.get %a[%k] : {MAT}[i32]
      %x = phi.get %a[%k, %k] : {MAT}[i32, i32]
      func.return %v, %x : {VEC}, f64
    }}"""
    for shape in [(0, 3), (3, 0), (0, 0)]:
        result = evaluate(text, np.ones(shape), 1)
        assert isinstance(result, tuple)
        assert_array(result[0], np.zeros(shape[1]))
        assert result[1] == 0.0


def test_select_reads_both_branches(evaluate: Evaluate):
    """Accesses and divisions of the branch not taken are harmless for all operands."""
    text = f"""
    func.func @f(%v : {VEC}, %k : i64, %d : i64) -> i64 {{
      %x = phi.get %v[%k] : {VEC}[i64]
      %n = arith.fptosi %x : f64 to i64
      %q = arith.floordivsi %n, %d : i64
      %false = arith.constant false
      %r = arith.select %false, %q, %k : i64
      func.return %r : i64
    }}"""
    assert evaluate(text, np.zeros(0), 7, 0) == 7


def test_select_of_vectors_of_different_sizes(evaluate: Evaluate):
    text = f"""
    func.func @f(%c : i1, %v : {VEC}, %w : {VEC}) -> {VEC} {{
      %r = arith.select %c, %v, %w : {VEC}
      func.return %r : {VEC}
    }}"""
    assert_array(evaluate(text, True, np.ones(2), np.zeros(2)), np.ones(2))
    with error("select: sizes along axis 0 differ: 2 != 3"):
        evaluate(text, True, np.ones(2), np.zeros(3))


# Folds and reductions


FACTORIAL = """
func.func @factorial(%n : i64) -> i64 {
  %one = arith.constant 1 : i64
  %r = phi.fold (%k < %n, %acc = %one) -> i64 {
    %k1 = arith.addi %k, %one : i64
    %next = arith.muli %acc, %k1 : i64
    phi.yield %next : i64
  }
  func.return %r : i64
}
"""


@pytest.mark.parametrize(("n", "expected"), [(0, 1), (1, 1), (5, 120), (21, -4249290049419214848)])
def test_fold(evaluate: Evaluate, n: int, expected: int):
    assert evaluate(FACTORIAL, n) == expected


def test_negative_count(evaluate: Evaluate):
    with error("size of index k is negative: -3"):
        evaluate(FACTORIAL, -3)


def test_fold_of_a_record_with_an_array(evaluate: Evaluate):
    """Fibonacci numbers, and the number of extensions of the accumulator."""
    text = """
    func.func @f(%n : i64, %one : !phi.vec<i64>) -> tuple<!phi.vec<i64>, i64> {
      %init = phi.tuple (%one, %n) : tuple<!phi.vec<i64>, i64>
      %1 = arith.constant 1 : i64
      %2 = arith.constant 2 : i64
      %r = phi.fold (%k < %n, %acc = %init) -> tuple<!phi.vec<i64>, i64> {
        %v = phi.proj %acc, 0 : tuple<!phi.vec<i64>, i64> -> !phi.vec<i64>
        %c = phi.proj %acc, 1 : tuple<!phi.vec<i64>, i64> -> i64
        %s = phi.size %v, 0 : !phi.vec<i64>
        %p = arith.subi %s, %1 : i64
        %q = arith.subi %s, %2 : i64
        %x = phi.get %v[%p] : !phi.vec<i64>[i64]
        %y = phi.get %v[%q] : !phi.vec<i64>[i64]
        %z = arith.addi %x, %y : i64
        %tail = phi.array (%i < %1) -> !phi.vec<i64> {
          phi.yield %z : i64
        }
        %w = phi.concat %v, %tail : !phi.vec<i64>
        %d = arith.addi %c, %1 : i64
        %next = phi.tuple (%w, %d) : tuple<!phi.vec<i64>, i64>
        phi.yield %next : tuple<!phi.vec<i64>, i64>
      }
      func.return %r : tuple<!phi.vec<i64>, i64>
    }"""
    result = evaluate(text, 5, np.array([1, 1]))
    assert isinstance(result, tuple)
    assert_array(result[0], [1, 1, 2, 3, 5, 8, 13], np.int64)
    assert result[1] == 10


REDUCE = """
func.func @f(%v : !phi.vec<f64>, %z : f64) -> (f64, f64) {
  %sum = phi.reduce %v identity %z by { arith.addf } -> f64
  %last = phi.reduce %v identity %z by (%x, %y) -> f64 {
    phi.yield %y : f64
  }
  func.return %sum, %last : f64, f64
}
"""


@pytest.mark.parametrize("elements", [[], [3.0], [1.0, 2.0, 4.0]])
def test_reduce_keeps_the_order(evaluate: Evaluate, elements: list[float]):
    expected = (sum(elements), elements[-1] if elements else 0.0)
    assert evaluate(REDUCE, np.array(elements, np.float64), 0.0) == expected


def test_reduce_of_vectors(evaluate: Evaluate):
    text = f"""
    func.func @f(%a : {MAT}, %z : {VEC}) -> {VEC} {{
      %r = phi.reduce %a identity %z by {{ phi.concat }} -> {VEC}
      func.return %r : {VEC}
    }}"""
    assert_array(evaluate(text, np.arange(6.0).reshape(3, 2), np.zeros(0)), np.arange(6.0))


# Sizes, assertions, concatenation


CONCAT = f"""
func.func @f(%a : {MAT}, %b : {MAT}) -> {MAT} {{
  %r = phi.concat %a, %b : {MAT}
  func.return %r : {MAT}
}}
"""


def test_concat(evaluate: Evaluate):
    a, b, empty = np.ones((1, 3)), np.zeros((2, 3)), np.zeros((0, 3))
    for x, y in [(a, b), (a, empty), (empty, b), (empty, empty)]:
        assert_array(evaluate(CONCAT, x, y), np.concatenate((x, y)))


@pytest.mark.parametrize("rows", [0, 1])
def test_concat_of_different_inner_sizes(evaluate: Evaluate, rows: int):
    with error("concat: sizes along axis 1 differ: 2 != 3"):
        evaluate(CONCAT, np.ones((rows, 2)), np.ones((1, 3)))


def test_size(evaluate: Evaluate):
    text = f"""
    func.func @f(%a : {MAT}) -> (i64, i64) {{
      %n = phi.size %a, 0 : {MAT}
      %m = phi.size %a, 1 : {MAT}
      func.return %n, %m : i64, i64
    }}"""
    assert evaluate(text, np.ones((2, 3))) == (2, 3)
    assert evaluate(text, np.ones((0, 3))) == (0, 3)


def test_assert_eq(evaluate: Evaluate):
    text = """
    func.func @f(%n : i64, %m : i64) -> i64 {
      %r = phi.assert_eq %n, %m, "size of a, size of b"
      func.return %r : i64
    }"""
    assert evaluate(text, 3, 3) == 3
    with error("size of a, size of b: 3 != 4") as caught:
        evaluate(text, 3, 4)
    assert len(caught.value.__notes__) == 1
    assert "Error while interpreting op" in caught.value.__notes__[0]


# Functions


EXTERN = f"""
func.func @f(%v : {VEC}) -> {VEC} {{
  %r = phi.extern @sort(%v) : ({VEC}) -> {VEC}
  func.return %r : {VEC}
}}
"""


def test_extern(evaluate: Evaluate):
    assert_array(evaluate(EXTERN, np.array([2.0, 1.0]), sort=np.sort), [1.0, 2.0])
    with pytest.raises(ValueError, match="no extern function '@sort' is registered; there are: @g"):
        evaluate(EXTERN, np.ones(2), g=np.sort)
    with pytest.raises(TypeError, match="result of @sort: expected an array of rank 1 of float64"):
        evaluate(EXTERN, np.ones(2), sort=np.sum)


def test_calls(evaluate: Evaluate):
    text = """
    func.func @f(%x : f64) -> f64 {
      %y = func.call @g(%x) : (f64) -> f64
      %z = func.call @g(%y) : (f64) -> f64
      func.return %z : f64
    }
    func.func @g(%x : f64) -> f64 {
      %y = arith.addf %x, %x : f64
      func.return %y : f64
    }"""
    assert evaluate(text, 1.5) == 6.0


def test_arguments_and_results(evaluate: Evaluate):
    with pytest.raises(TypeError, match="@factorial takes 1 argument, got 2"):
        evaluate(FACTORIAL, 1, 2)
    with pytest.raises(TypeError, match="argument n of @factorial: expected int64, got float64"):
        evaluate(FACTORIAL, 1.5)
    assert evaluate("func.func @f() { func.return }") == ()


def test_no_warning_is_given(evaluate: Evaluate):
    text = """
    func.func @f(%x : f64, %n : i64) -> (f64, i64) {
      %zero = arith.constant 0.0 : f64
      %y = arith.divf %x, %zero : f64
      %z = math.log %zero : f64
      %s = arith.subf %y, %z : f64
      %m = arith.muli %n, %n : i64
      func.return %s, %m : f64, i64
    }"""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert evaluate(text, 1.0, 2**62) == (np.inf, 0)


def test_an_operation_without_a_rule(evaluate: Evaluate):
    with pytest.raises(CompilationError, match=r"test\.op"):
        evaluate('func.func @f() { "test.op"() : () -> () func.return }')
