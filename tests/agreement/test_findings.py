"""Programs on which a backend once differed from the interpreter, found by ``tools/fuzz.py``."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ein_mlir import array, compile, fold, fold_min, function, jvp, vjp, where
from ein_mlir.backends.forms import dtypes
from ein_mlir.backends.numpy.tables import (
    OPERATOR_UFUNCS,
    SCALAR_EXTREMES,
    UFUNCS,
    UNARY_UFUNCS,
)
from ein_mlir.dialects.emitpy.names import is_library_name
from tests.agreement.comparison import assert_call_agrees, given
from tests.fuzzing.check import check
from tests.fuzzing.samples import Sample
from tests.fuzzing.ways import Way
from tests.libraries import BACKENDS
from tests.selection import sizes_on

SIBLING_LOOPS = """
func.func @f(%a: !phi.vec<f64>, %x: f64, %p: i64) -> (i64, !phi.vec<f64>) {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %s = phi.size %a, 0 : !phi.vec<f64>
  %n = arith.addi %s, %one : i64
  %r = phi.fold (%k < %s, %acc = %one) -> i64 {
    %t = phi.fold (%l < %n, %sum = %zero) -> i64 {
      %u = arith.addi %sum, %acc : i64
      phi.yield %u : i64
    }
    phi.yield %t : i64
  }
  %q = arith.addi %r, %p : i64
  %v = phi.fold (%k < %s, %w = %a) -> !phi.vec<f64> {
    %b = phi.array (%i < %n) -> !phi.vec<f64> {
      %j = arith.index_cast %i : index to i64
      %c = arith.cmpi sge, %j, %k : i64
      %y = phi.get %a[%i] : !phi.vec<f64>[index]
      %z = arith.select %c, %y, %x : f64
      phi.yield %z : f64
    }
    %e = phi.get %b[%q] : !phi.vec<f64>[i64]
    %new = phi.update %w[%k], %e : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>
    phi.yield %new : !phi.vec<f64>
  }
  func.return %r, %v : i64, !phi.vec<f64>
}"""
ELEMENTS_OF_NO_ROWS = """
func.func @f(%a: !phi.vec<!phi.vec<!phi.vec<f32>>>, %p: !phi.vec<i64>) -> !phi.vec<!phi.vec<f32>> {
  %n = phi.size %p, 0 : !phi.vec<i64>
  %m = phi.size %a, 1 : !phi.vec<!phi.vec<!phi.vec<f32>>>
  %r = phi.array (%i < %n, %j < %m) -> !phi.vec<!phi.vec<f32>> {
    %x = phi.get %p[%i] : !phi.vec<i64>[index]
    %z = phi.get %a[%x, %j, %x] : !phi.vec<!phi.vec<!phi.vec<f32>>>[i64, index, i64]
    phi.yield %z : f32
  }
  func.return %r : !phi.vec<!phi.vec<f32>>
}"""
BITS = """
func.func @f(%q: !phi.vec<i64>, %m: !phi.vec<!phi.vec<i64>>) -> (i64, i64, !phi.vec<i64>) {
  %all = arith.constant -1 : i64
  %none = arith.constant 0 : i64
  %a = phi.reduce %q identity %all by { arith.andi } -> i64
  %n = phi.size %q, 0 : !phi.vec<i64>
  %b = phi.fold (%k < %n, %acc = %none) -> i64 {
    %x = phi.get %q[%k] : !phi.vec<i64>[i64]
    %y = arith.ori %acc, %x : i64
    phi.yield %y : i64
  }
  %rows = phi.size %m, 0 : !phi.vec<!phi.vec<i64>>
  %c = phi.array (%i < %rows) -> !phi.vec<i64> {
    %v = phi.get %m[%i] : !phi.vec<!phi.vec<i64>>[index]
    %r = phi.reduce %v identity %none by { arith.ori } -> i64
    phi.yield %r : i64
  }
  func.return %a, %b, %c : i64, i64, !phi.vec<i64>
}"""
EMPTY = """
func.func @f(%v: !phi.vec<f64>, %k: i64) -> f64 {
  %w = phi.propagate_nan %v from %v : !phi.vec<f64> from !phi.vec<f64>
  %x = phi.get %w[%k] : !phi.vec<f64>[i64]
  func.return %x : f64
}"""
RECORDS = """
func.func @f(%count: !phi.vec<i64>) -> !phi.vec<f64> {
  %one = arith.constant 1 : i64
  %new = arith.constant 1.0 : f64
  %old = arith.constant 2.0 : f64
  %0 = phi.array (%i < %one) -> !phi.vec<tuple<f64, i64>> {
    %record = phi.tuple (%old, %one) : tuple<f64, i64>
    phi.yield %record : tuple<f64, i64>
  }
  %after = phi.fold (%t < %one, %acc = %0) -> !phi.vec<tuple<f64, i64>> {
    %next = phi.array (%i < %one) -> !phi.vec<tuple<f64, i64>> {
      %at = arith.index_cast %i : index to i64
      %here = arith.cmpi eq, %at, %t : i64
      %record = phi.get %acc[%i] : !phi.vec<tuple<f64, i64>>[index]
      %x = arith.select %here, %new, %old : f64
      %n = phi.proj %record, 1 : tuple<f64, i64> -> i64
      %both = phi.tuple (%x, %n) : tuple<f64, i64>
      phi.yield %both : tuple<f64, i64>
    }
    phi.yield %next : !phi.vec<tuple<f64, i64>>
  }
  %r = phi.array (%i < %one) -> !phi.vec<f64> {
    %record = phi.get %after[%i] : !phi.vec<tuple<f64, i64>>[index]
    %x = phi.proj %record, 0 : tuple<f64, i64> -> f64
    phi.yield %x : f64
  }
  func.return %r : !phi.vec<f64>
}"""
ONE_ROW = """
func.func @f(%x: f64) -> f64 {
  %one = arith.constant 1 : i64
  %three = arith.constant 3 : i64
  %rows = phi.array (%i < %one) -> !phi.vec<f64> {
    %at = arith.index_cast %i : index to i64
    %row = phi.array (%j < %three) -> !phi.vec<f64> {
      %y = phi.fold (%k < %one, %s = %x) -> f64 {
        %place = arith.index_cast %j : index to i64
        %before = arith.cmpi sgt, %at, %place : i64
        %twice = arith.addf %s, %s : f64
        %t = arith.select %before, %twice, %s : f64
        phi.yield %t : f64
      }
      phi.yield %y : f64
    }
    %diagonal = phi.get %row[%i] : !phi.vec<f64>[index]
    phi.yield %diagonal : f64
  }
  %r = phi.get %rows[%one] : !phi.vec<f64>[i64]
  func.return %r : f64
}"""
SORTED = """
func.func @f(%v: !phi.vec<i8>, %w: !phi.vec<i1>) -> (!phi.vec<i8>, !phi.vec<i64>, !phi.vec<i1>) {
  %s = phi.sort %v : !phi.vec<i8>
  %p = phi.argsort %v : !phi.vec<i8>
  %t = phi.sort %w : !phi.vec<i1>
  func.return %s, %p, %t : !phi.vec<i8>, !phi.vec<i64>, !phi.vec<i1>
}"""
LARGEST_INDEX = """
func.func @f(%n: i64) -> i64 {
  %r = phi.accumulate (%i < %n) into "max" () -> i64 {
    %x = arith.index_cast %i : index to i64
    %t = phi.tuple (%x) : tuple<i64>
    phi.yield %t : tuple<i64>
  }
  func.return %r : i64
}"""
SAME_SEARCH = """
func.func @varying(%v: !phi.vec<f64>, %before: !phi.vec<i1>, %k: i64) -> !phi.vec<i64> {
  %low = arith.constant 0xfff0000000000000 : f64
  %true = arith.constant true
  %n = phi.size %before, 0 : !phi.vec<i1>
  %zero = arith.constant 5 : i64
  %none = phi.array (%i < %k) -> !phi.vec<i64> {
    phi.yield %zero : i64
  }
  %init = phi.tuple (%before, %none) : tuple<!phi.vec<i1>, !phi.vec<i64>>
  %s = phi.fold (%rank < %k, %state = %init) -> tuple<!phi.vec<i1>, !phi.vec<i64>> {
    %taken = phi.proj %state, 0 : tuple<!phi.vec<i1>, !phi.vec<i64>> -> !phi.vec<i1>
    %all = phi.proj %state, 1 : tuple<!phi.vec<i1>, !phi.vec<i64>> -> !phi.vec<i64>
    %masked = phi.array (%j < %zero) -> !phi.vec<f64> {
      %is_taken = phi.get %taken[%j] : !phi.vec<i1>[index]
      %x = phi.get %v[%j] : !phi.vec<f64>[index]
      %step = arith.sitofp %rank : i64 to f64
      %z = arith.mulf %x, %step : f64
      %y = arith.select %true, %low, %z : f64
      phi.yield %low : f64
    }
    %at = phi.argreduce %masked by ">" : !phi.vec<f64>
    %rest = phi.update %taken[%at], %true : (!phi.vec<i1>, i64, i1) -> !phi.vec<i1>
    %more = phi.update %all[%rank], %at : (!phi.vec<i64>, i64, i64) -> !phi.vec<i64>
    %next = phi.tuple (%rest, %more) : tuple<!phi.vec<i1>, !phi.vec<i64>>
    phi.yield %next : tuple<!phi.vec<i1>, !phi.vec<i64>>
  }
  %r = phi.proj %s, 1 : tuple<!phi.vec<i1>, !phi.vec<i64>> -> !phi.vec<i64>
  func.return %r : !phi.vec<i64>
}"""
ROWS_OF_A_TABLE = """
func.func @edit_distance(%a: !phi.vec<i64>, %b: !phi.vec<i64>) -> !phi.vec<i64> {
  %size0_a = phi.size %a, 0 : !phi.vec<i64>
  %size0_b = phi.size %b, 0 : !phi.vec<i64>
  %0 = arith.constant 1 : i64
  %1 = arith.addi %size0_b, %0 : i64
  %2 = phi.array (%c < %1) -> !phi.vec<i64> {
    %3 = arith.index_cast %c : index to i64
    phi.yield %size0_a : i64
  }
  %4 = arith.addi %size0_b, %0 : i64
  %5 = phi.fold (%i < %size0_a, %previous = %2) -> !phi.vec<i64> {
    %6 = arith.constant 0 : i64
    %7 = phi.array (%c_1 < %4) -> !phi.vec<i64> {
      %8 = arith.index_cast %c_1 : index to i64
      %9 = arith.cmpi eq, %8, %6 : i64
      %10 = arith.addi %i, %1 : i64
      %11 = arith.select %9, %10, %6 : i64
      phi.yield %11 : i64
    }
    %12 = phi.fold (%j < %size0_b, %current = %7) -> !phi.vec<i64> {
      %size0_current = phi.size %current, 0 : !phi.vec<i64>
      %13 = arith.addi %j, %0 : i64
      %14 = phi.get %previous[%13] : !phi.vec<i64>[i64]
      %15 = phi.get %current[%j] : !phi.vec<i64>[i64]
      %16 = arith.minsi %14, %15 : i64
      %17 = arith.addi %16, %0 : i64
      %18 = phi.get %previous[%j] : !phi.vec<i64>[i64]
      %19 = phi.get %a[%i] : !phi.vec<i64>[i64]
      %20 = phi.get %b[%j] : !phi.vec<i64>[i64]
      %21 = arith.cmpi eq, %19, %20 : i64
      %22 = arith.select %21, %6, %0 : i64
      %23 = arith.addi %18, %22 : i64
      %24 = arith.minsi %17, %1 : i64
      %25 = phi.array (%c_2 < %size0_current) -> !phi.vec<i64> {
        %26 = arith.addi %j, %0 : i64
        %27 = arith.index_cast %c_2 : index to i64
        %28 = arith.cmpi eq, %27, %26 : i64
        %29 = phi.get %current[%c_2] : !phi.vec<i64>[index]
        %30 = arith.select %28, %24, %29 : i64
        phi.yield %30 : i64
      }
      phi.yield %25 : !phi.vec<i64>
    }
    phi.yield %12 : !phi.vec<i64>
  }
  func.return %5 : !phi.vec<i64>
}"""
FAR_STEPS = """
func.func @others(%a: !phi.vec<f64>, %weights: !phi.vec<f64>, %s: i64) -> !phi.vec<f64> {
  %zero = arith.constant 0.000000e+00 : f64
  %n = phi.size %a, 0 : !phi.vec<f64>
  %taps = phi.size %weights, 0 : !phi.vec<f64>
  %r = phi.array (%i < %n) -> !phi.vec<f64> {
    %i_1 = arith.index_cast %i : index to i64
    %t = phi.fold (%k < %taps, %acc = %zero) -> f64 {
      %far = arith.muli %k, %s : i64
      %p = arith.subi %i_1, %far : i64
      %x = phi.get %a[%p] : !phi.vec<f64>[i64]
      %sum = arith.maximumf %acc, %x : f64
      phi.yield %sum : f64
    }
    phi.yield %t : f64
  }
  func.return %r : !phi.vec<f64>
}
"""
CHOSEN_ARGUMENT = """
func.func @f(%keys: !phi.vec<i64>, %x: f32, %n: i64) -> tuple<!phi.vec<f32>, f32, !phi.vec<i64>> {
  %0 = arith.constant 0 : i64
  %1 = arith.constant 1 : i64
  %2 = phi.array (%i2 < %0) -> !phi.vec<f32> {
    %3 = arith.constant 0xff800000 : f32
    %4 = phi.fold (%k3 < %n, %acc = %3) -> f32 {
      %5 = arith.index_cast %i2 : index to i64
      %6 = arith.constant 0x7f800000 : f32
      %7 = phi.tuple (%6, %x) : tuple<f32, f32>
      %8 = phi.fold (%k4 < %1, %s5 = %7) -> tuple<f32, f32> {
        %9 = arith.cmpi sgt, %k4, %5 : i64
        %10 = arith.constant 2.000000e+00 : f32
        %11 = arith.select %9, %x, %10 : f32
        %12 = arith.constant 1.000000e+00 : f32
        %13 = phi.tuple (%11, %12) : tuple<f32, f32>
        phi.yield %13 : tuple<f32, f32>
      }
      %14 = phi.proj %8, 0 : tuple<f32, f32> -> f32
      phi.yield %14 : f32
    }
    phi.yield %4 : f32
  }
  %15 = arith.constant 1.000000e+00 : f32
  %16 = phi.tuple (%2, %15, %keys) : tuple<!phi.vec<f32>, f32, !phi.vec<i64>>
  func.return %16 : tuple<!phi.vec<f32>, f32, !phi.vec<i64>>
}
"""
ASSERTED_LATE = """
func.func @late(%w: !phi.vec<f64>, %a: !phi.vec<f64>) -> (!phi.vec<f64>, !phi.vec<f64>) {
  %zero = arith.constant 0.0 : f64
  %n = phi.size %w, 0 : !phi.vec<f64>
  %s = phi.fold (%k < %n, %acc = %w) -> !phi.vec<f64> {
    %c = phi.array (%i < %n) -> !phi.vec<f64> {
      %x = phi.get %a[%k] : !phi.vec<f64>[i64]
      %y = phi.get %acc[%i] : !phi.vec<f64>[index]
      %0 = arith.cmpf ogt, %y, %x : f64
      %1 = arith.select %0, %x, %y : f64
      phi.yield %1 : f64
    }
    phi.yield %c : !phi.vec<f64>
  }
  %m = phi.size %a, 0 : !phi.vec<f64>
  %o = phi.assert_eq %n, %m, "index i: size of w and size of a"
  %d = phi.array (%i_1 < %o) -> !phi.vec<f64> {
    phi.yield %zero : f64
  }
  func.return %s, %d : !phi.vec<f64>, !phi.vec<f64>
}
"""
BEYOND_A_SCAN = """
func.func @f(%x: !phi.vec<f64>) -> f64 {
  %n = phi.size %x, 0 : !phi.vec<f64>
  %zero = arith.constant 0.0 : f64
  %r = phi.fold (%k < %n, %acc = %zero) -> f64 {
    %v = phi.array (%i < %k) -> !phi.vec<f64> {
      %e = phi.get %x[%i] : !phi.vec<f64>[index]
      phi.yield %e : f64
    }
    %s = phi.scan "max" %v : !phi.vec<f64>
    %p = arith.addi %k, %n : i64
    %t = phi.get %s[%p] : !phi.vec<f64>[i64]
    phi.yield %t : f64
  }
  func.return %r : f64
}
"""
FOUND: dict[str, tuple[str, tuple[Any, ...]]] = {
    "a position beyond a scan whose size varies": (BEYOND_A_SCAN, (np.array([3.0, 1.0]),)),
    "an argument or another value": (CHOSEN_ARGUMENT, (np.arange(2), np.float32(2.0), 3)),
    "steps whose reach wraps around": (FAR_STEPS, (np.zeros(2), np.ones(5), -(2**63))),
    "sizes of arrays in another loop": (SIBLING_LOOPS, (np.array([3.0, 1.0, 2.0]), 0.5, 2)),
    "elements of no rows": (ELEMENTS_OF_NO_ROWS, (np.zeros((0, 0, 0), "f4"), np.arange(2))),
    "reductions of bits": (BITS, (np.array([12, 7, -3]), np.array([[1, 2], [3, 9]]))),
    "reductions of no bits": (BITS, (np.zeros(0, int), np.zeros((2, 0), int))),
    "a field that stays a loop": (RECORDS, (np.arange(2),)),
    "a fold from one row": (ONE_ROW, (1.5,)),
    "narrow keys": (SORTED, (np.array([3, -128, 127, 0], np.int8), np.array([True, False]))),
    "the largest index": (LARGEST_INDEX, (0,)),
    "one search in all steps": (SAME_SEARCH, (np.arange(3.0), np.array([True, False]), 2)),
    "rows of a table": (ROWS_OF_A_TABLE, (np.array([-1, 0, 3]), np.array([1, 3, 1]))),
    "an element of an empty vector": (EMPTY, (np.zeros(0), 3)),
}

COUNTS_OF_NEIGHBOURS = """def f(m, x, p):
    def above(i, j):
        is_above = lambda p, q: where(m[i + p - 0, j + q + 0] > x, N(1), N(0))
        return fold_sum(lambda p: fold_sum(lambda q: is_above(p, q), count=2), count=2)

    sizes = m.size(0), m.size(1)
    grown = array(lambda i, j: where(above(i, j) > 1, x, m[i, j]), size=sizes)
    return grown, array(lambda i: p <= N(2), size=max(p, 0))
"""
ELEMENTS_OF_PAIRS = """def f(m, p, n):
    above = lambda i: fold_max(
        lambda k: where(p < k, m[0, k + n], N(-INF)), count=m.size(1) + 1
    )
    pairs = array(lambda i: (above(i), i), size=m.size(1))
    return array(lambda j: pairs[j][0], size=m.size(0))
"""
RUNNING_MINIMA = """def f(a):
    def step(k, state):
        least, written = state
        return where(a[k] < least, a[k], least), array(lambda i: where(i == k, least, written[i]))

    return fold((a[0], a), step, count=a.size())
"""
DERIVATIVE_OF_A_FOLD = """def f(a, b, p, n):
    def g(a, b):
        above = lambda k: fold_all(lambda m: ~(k >= p) | (p + 1 == k), count=2)
        chosen = lambda k: where(k < p + 1, a[k + n], 1.0)
        step = lambda k, s: array(
            lambda i: where((i == k + 2) & above(k), chosen(k), s[i]), size=s.size()
        )
        return fold(a, step, count=b.size())

    values, backwards = vjp(g, a, b)
    return values, backwards(values)
"""
HALVES = np.array([1.5, -0.5, 2.0], np.float16)
FOUND_IN_EIN: dict[str, tuple[str, tuple[Any, ...]]] = {
    "constants in steps of windows": (COUNTS_OF_NEIGHBOURS, (HALVES.reshape(1, 3), HALVES[0], 1)),
    "elements of no pairs": (ELEMENTS_OF_PAIRS, (HALVES.reshape(1, 3), 2, 0)),
    "running minima of f16": (RUNNING_MINIMA, (HALVES,)),
}


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("name", FOUND_IN_EIN)
def test_ein(name: str, backend: str) -> None:
    """Floats of 16 bits, also without the pass that extends them."""
    text, arguments = FOUND_IN_EIN[name]
    ways = [Way(backend), Way(backend, frozenset({"extend-small-floats"}))]
    assert check(Sample("ein", 0, text, arguments, "float16"), ways) == ("agrees", [])


BARS = """def f(t, p, w):
    n = t.size()
    first = lambda b: fold_sum(lambda i: where(t[i] // w < b, 1, 0), count=n)
    last = lambda b: fold_sum(lambda i: where(t[i] // w <= b, 1, 0), count=n)
    high = lambda b: fold_max(lambda i: where(t[i] // w == b, p[i], -1e300))
    low = lambda b: fold_min(lambda i: where(t[i] // w == b, p[i], 1e300))
    bars = array(lambda b: (first(b), last(b), high(b), low(b)), size=t[n - 1] // w + 1)
    opening = lambda b: p[min(bars[b][0], n - 1)]
    closing = lambda b: p[max(bars[b][1] - 1, 0)]
    chosen = lambda b, c: where(c == 0, opening(b), where(c == 1, bars[b][2], bars[b][3]))
    field = lambda b, c: where(c == 3, closing(b), chosen(b, c))
    is_empty = lambda b: bars[b][0] == bars[b][1]
    return array(lambda b, c: where(is_empty(b), 0.0, field(b, c)), size=(bars.size(), 4))
"""


@pytest.mark.parametrize("backend", BACKENDS)
def test_loops_over_steps_by_an_element(backend: str) -> None:
    """Loops of equal steps become one where their number is a size that depends on an element."""
    arguments = np.array([0, 3, 4, 17, 25]), np.array([1.5, 2.0, -1.0, 4.0, 0.5]), 6
    assert check(Sample("ein", 0, BARS, arguments), [Way(backend)]) == ("agrees", [])


COUNTS_OF_EITHER = """def f(a, n):
    either = lambda i, s: fold_sum(lambda k: where((i > k) | (i != s), 1, 0), count=n)
    count = lambda i: fold(-2, lambda t, s: either(i, s), count=n)
    return array(lambda i: (a[i], count(i)), size=n)
"""


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_sum_of_differences_from_zero_is_split_once(backend: str) -> None:
    given = Sample("ein", 0, COUNTS_OF_EITHER, (np.arange(4.0), 3))
    assert check(given, [Way(backend)]) == ("agrees", [])


@pytest.mark.parametrize("backend", BACKENDS)
def test_the_derivative_of_an_extreme_with_a_loop_in_a_condition(backend: str) -> None:
    text = """def f(a, x, n):
    def least(a, x):
        product = lambda k: fold_prod(lambda l: a[n - k], count=n)
        return fold_min(lambda k: where(x < product(k), x * a[k], 3.0), count=n)

    return jvp(least, (a, x), (a, x))
"""
    given = Sample("derivatives", 0, text, (np.arange(3.0) + 2, 1.5, 2))
    assert check(given, [Way(backend)]) == ("agrees", [])


@pytest.mark.parametrize("backend", BACKENDS)
def test_far_steps_from_one_element(backend: str) -> None:
    text = """def f(x, taps, d):
    element = lambda i, k: where(i - d * k >= 0, taps[k] * x[i - d * k], 0.0)
    return array(lambda i: fold_sum(lambda k: element(i, k), count=taps.size()), size=x.size())
"""
    for size in (1, 2):
        given = Sample("ein", 0, text, (np.ones(size), np.full(size, 3.0), 2**62))
        assert check(given, [Way(backend)]) == ("agrees", [])


NESTED_RECORDS = """def f(p, q, x):
    t = array(lambda i: (p[i], {"c": q[i], "on": p[i] > 0}), size=p.size())

    def step(k, t):
        at, new = p[k], (x[k], {"c": t[k][0] + t[-1][1]["c"], "on": t[k][1]["c"] < x[k]})
        t = array(lambda i: where((i == at) & (t[i][0] <= x[k]), new, t[i]), size=t.size())
        t = array(lambda i: where(i == k, (t[i][0], t[at][1]), t[i]), size=t.size())
        return array(lambda i: where(i == at, t[k], where(i == k, t[at], t[i])), size=t.size())

    return fold(t, step, count=x.size())
"""


@pytest.mark.parametrize("backend", BACKENDS)
def test_elements_of_an_array_of_records_in_records_are_replaced(backend: str) -> None:
    for size in sizes_on(backend, (0, 1, 2, 7)):
        p, q = (np.arange(size) * 5 % 9 - 1, np.arange(size) % 3)
        given = Sample("records", 0, NESTED_RECORDS, (p, q, q * 2 - p))
        assert check(given, [Way(backend)]) == ("agrees", [])


COUNTS_IN_RANGES = """def f(y, p, q):
    inner = lambda t, u: where(y[t] > u, y[t], u / 2)
    def step(k, d, i):
        return where((k >= p[i]) & (k < q[i]), fold(d, inner, count=k), d)

    return array(lambda i: fold(0.0, lambda k, d: step(k, d, i), count=y.size()), size=p.size())
"""


@pytest.mark.parametrize("backend", BACKENDS)
def test_counts_in_the_steps_of_a_range_of_each_index(backend: str) -> None:
    """The range starts at 0 for all indices: the counts in steps are the same for all."""
    for size in sizes_on(backend, (0, 1, 2, 7)):
        p, q = np.arange(size) * 5 % 9 - 1, np.arange(size) % 3 + 3
        given = Sample("walks", 0, COUNTS_IN_RANGES, (np.sin(np.arange(size)), p, q))
        assert check(given, [Way(backend)]) == ("agrees", [])


STEPS_FROM_A_SEARCH = """def f(m, x):
    def g(m, x):
        h, w = m.size(0), m.size(1)

        def step(i, state):
            m, c = state
            a = fold_while(0, lambda t: (t < w) & (m[i, t] > 0), lambda t: t + 1, limit=6)

            def inner(j, state):
                m, c = state
                new = lambda e, g: where((e == i) & (c < 1), x[i] * m[e, g] * c, m[e, g])
                return array(new, size=(h, w)), c + x[j]

            return fold((m, c), inner, count=a.max(0).min(5))

        return fold((m, x[0] * 0), step, count=h)

    values, backwards = vjp(g, m, x)
    return backwards(values)
"""


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_derivative_saves_as_many_steps_as_a_search_finds(backend: str) -> None:
    """The first position of the search is no bound of them."""
    for size in sizes_on(backend, (1, 2, 7)):
        m, x = np.cos(np.arange(size * size)).reshape(size, size), np.sin(np.arange(size) + 1)
        given = Sample("derivatives", 0, STEPS_FROM_A_SEARCH, (m, x))
        assert check(given, [Way(backend)]) == ("agrees", [])


def test_emitted_code_knows_all_dtypes() -> None:
    names = [name for library in ("np", "jnp", "torch") for name in dtypes(library).values()]
    assert "torch.bfloat16" in names
    assert all(map(is_library_name, names))


def test_emitted_code_knows_the_functions_of_operators() -> None:
    """NumPy's functions that write a result in place, such as ``np.bitwise_xor`` for ``^``."""
    tables = OPERATOR_UFUNCS.values(), UNARY_UFUNCS.values(), SCALAR_EXTREMES, UFUNCS
    assert [name for table in tables for name in table if not is_library_name(name)] == []


@pytest.mark.parametrize("backend", BACKENDS)
def test_an_assertion_comes_before_the_positions_that_it_proves(backend: str) -> None:
    program = compile(ASSERTED_LATE, backend=backend)
    with pytest.raises(ValueError, match="index i: size of w and size of a: 40 != 3"):
        program(*(given(np.arange(n), backend) for n in (40.0, 3.0)))


def test_checks_of_positions_in_a_derivative() -> None:
    """The size of a carried array is that of an argument, by which a check compares it."""
    arguments = (np.ones(1), np.ones(0), -2, 3)
    sample = Sample("derivatives", 0, DERIVATIVE_OF_A_FOLD, arguments)
    assert check(sample, [Way("numpy")], laws=True) == ("agrees", [])


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize(
    "predicate", ["eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge"]
)
def test_comparisons_of_bools(predicate: str, backend: str) -> None:
    """A true Bool is less than a false one if it has a sign."""
    text = f"""
func.func @compare(%a: !phi.vec<i1>, %b: !phi.vec<i1>) -> (!phi.vec<i1>, i1) {{
  %n = phi.size %a, 0 : !phi.vec<i1>
  %r = phi.array (%i < %n) -> !phi.vec<i1> {{
    %x = phi.get %a[%i] : !phi.vec<i1>[index]
    %y = phi.get %b[%i] : !phi.vec<i1>[index]
    %z = arith.cmpi {predicate}, %x, %y : i1
    phi.yield %z : i1
  }}
  %k = arith.constant 1 : i64
  %c = phi.get %a[%k] : !phi.vec<i1>[i64]
  %d = phi.get %b[%k] : !phi.vec<i1>[i64]
  %e = arith.cmpi {predicate}, %c, %d : i1
  func.return %r, %e : !phi.vec<i1>, i1
}}"""
    arguments = np.array([False, False, True, True]), np.array([False, True, False, True])
    assert check(Sample("phi", 0, text, arguments), [Way(backend)]) == ("agrees", [])


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("name", FOUND)
def test_backends(name: str, backend: str) -> None:
    text, arguments = FOUND[name]
    outcome, findings = check(Sample("phi", 0, text, arguments), [Way(backend)], laws=True)
    assert (outcome, findings) == ("agrees", [])


def test_an_element_of_an_empty_vector_is_zero() -> None:
    assert compile(EMPTY, backend="naive")(np.zeros(0), 3) == 0.0


@function
def rows_of_new_arrays(m):
    """A row, computed first, of an array that each step makes anew."""
    n, columns = m.size(0), m.size(1)

    def step(k, state):
        a, _, x = state
        new = array(lambda i, j: where(i == k, a[1, j], x), size=(n, columns))
        return array(lambda i, j: where(i == j, x, a[i, j])), new, x * 0.5

    return fold((m, m, m[0, 0]), step, count=n)[1]


def test_rows_of_new_arrays() -> None:
    for shape in ((1, 1), (3, 2), (2, 5)):
        m = np.arange(1.0, 1.0 + shape[0] * shape[1]).reshape(shape)
        assert_call_agrees(rows_of_new_arrays, (m,), "native", {"float64": 0.0})


@function
def curvatures(x):
    """The derivative of a derivative: loops of both have a count that varies, over equal sizes."""

    def least(x):
        cubes = array(lambda i: x[i] ** 3.0)
        return array(lambda i: fold_min(lambda j: cubes[j], count=i), size=x.size())

    values, backwards = vjp(lambda x: jvp(least, (x,), (x,))[1], x)
    return backwards(values)


@pytest.mark.parametrize("backend", BACKENDS)
def test_sizes_in_bodies_of_derivatives(backend: str) -> None:
    for size in (0, 1, 4):
        x = np.array([3.0, 1.0, 2.0, 0.5])[:size]
        assert_call_agrees(curvatures, (x,), backend, {"float64": 1e-12})


@function
def array_before(a, m):
    """An array with one write in each step, beside the array of the step before."""
    n = a.size()

    def step(k, state):
        new = array(lambda i: where(i == k - 3, m[k], state[0][i]), size=n)
        return new, state[0]

    new, old = fold((a, array(lambda i: a[i] * 2.0)), step, count=m.size())
    return array(lambda i: new[i] - 2.0 * old[i])


@pytest.mark.parametrize("backend", BACKENDS)
def test_the_array_of_the_step_before(backend: str) -> None:
    for size, count in ((0, 2), (1, 0), (5, 7), (3, 9)):
        arguments = np.arange(1.0, 1.0 + size), 10.0 * np.arange(count)
        assert_call_agrees(array_before, arguments, backend, {"float64": 1e-12})


@function
def two_lags(x, y):
    """An element of two terms that earlier steps affect, and of two that none does."""

    def element(i, y):
        return (x[i] * x[i + 1] + y[i + 1] * 0.5) + (x[i + 2] + 0.2 * y[i] ** 2)

    def step(i, y):
        return array(lambda q: where(q == i + 2, element(i, y), y[q]))

    return fold(y, step, count=x.size())


@pytest.mark.parametrize("backend", BACKENDS)
def test_two_lags(backend: str) -> None:
    for size in (0, 1, 7):
        arguments = np.arange(float(size)), np.linspace(0.5, 1.0, size + 2)
        assert_call_agrees(two_lags, arguments, backend, {"float64": 1e-12})
