"""Elements that are computed in the loop of a scan."""

from __future__ import annotations

import numpy as np
import pytest

from ein_mlir.compiler import compile
from ein_mlir.entry import parse
from ein_mlir.pipelines import run_pipeline
from tests.agreement.comparison import assert_agree
from tests.unit.passes.conversions.loops_interpreter import loops_of

PASSES = ("convert-phi-to-loops",)


PROGRAM = """
func.func @f(%x: !phi.vec<f64>, %key: !phi.vec<i64>) -> (!phi.vec<f64>, !phi.vec<f64>) {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1.0 : f64
  %n = phi.size %x, 0 : !phi.vec<f64>
  %a = phi.array (%i < %n) -> !phi.vec<f64> {
    %e = phi.get %x[%i] : !phi.vec<f64>[index]
    %d = arith.addf %e, %one : f64
    phi.yield %d : f64
  }
  READER
  func.return %s, %u : !phi.vec<f64>, !phi.vec<f64>
}
"""

UPDATE = "%u = phi.update %a[%zero], %one : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>"

SCAN = """
  %b = phi.array (%i < %n) -> !phi.vec<f64> {
    %e = phi.get %a[%i] : !phi.vec<f64>[index]
    %d = arith.mulf %e, %e : f64
    phi.yield %d : f64
  }
  BETWEEN
  %s = phi.scan "add" %b suffixes : !phi.vec<f64>
  AFTER
"""


@pytest.mark.parametrize("is_between", [True, False])
def test_elements_of_scans(is_between: bool) -> None:
    """They are stored if an operand is overwritten before the loop that reads them."""
    between, after = (UPDATE, "") if is_between else ("", UPDATE)
    text = PROGRAM.replace("READER", SCAN.replace("BETWEEN", between).replace("AFTER", after))
    loops, naive = loops_of(parse(text), PASSES), compile(text, backend="naive")
    for n in (0, 1, 2, 9):
        x, key = np.random.default_rng(n).normal(size=n), np.arange(n) // 2 - 1
        assert_agree(loops(x, key), naive(x, key), {"float64": 1e-12}, f"{n}")
    source = str(run_pipeline(parse(text), PASSES))
    assert ("%b = memref.alloc(" in source) is is_between


IN_PLACE = """
func.func @f(%x: !phi.vec<f64>) -> (!phi.vec<f64>, f64) {
  %zero = arith.constant 0.0 : f64
  %one = arith.constant 1 : i64
  %n = phi.size %x, 0 : !phi.vec<f64>
  %start = phi.tuple (%x, %zero) : tuple<!phi.vec<f64>, f64>
  %f = phi.fold (%t < %n, %acc = %start) -> tuple<!phi.vec<f64>, f64> {
    %v = phi.proj %acc, 0 : tuple<!phi.vec<f64>, f64> -> !phi.vec<f64>
    %b = phi.array (%i < %n) -> !phi.vec<f64> {
      %e = phi.get %v[%i] : !phi.vec<f64>[index]
      phi.yield %e : f64
    }
    %w = phi.array (%i < %n) -> !phi.vec<f64> {
      %e = phi.get %v[%i] : !phi.vec<f64>[index]
      %d = arith.addf %e, %e : f64
      phi.yield %d : f64
    }
    %s = phi.scan "add" %b : !phi.vec<f64>
    %y = phi.get %s[%t] : !phi.vec<f64>[i64]
    %r = phi.tuple (%w, %y) : tuple<!phi.vec<f64>, f64>
    phi.yield %r : tuple<!phi.vec<f64>, f64>
  }
  %u = phi.proj %f, 0 : tuple<!phi.vec<f64>, f64> -> !phi.vec<f64>
  %z = phi.proj %f, 1 : tuple<!phi.vec<f64>, f64> -> f64
  func.return %u, %z : !phi.vec<f64>, f64
}
"""


def test_accumulators_that_are_overwritten() -> None:
    """The next value of an accumulator is computed in its memory before the scan."""
    loops, naive = loops_of(parse(IN_PLACE), PASSES), compile(IN_PLACE, backend="naive")
    for n in (0, 1, 2, 5):
        x = np.random.default_rng(n).normal(size=n)
        assert_agree(loops(x), naive(x), {"float64": 1e-12}, f"{n}")
