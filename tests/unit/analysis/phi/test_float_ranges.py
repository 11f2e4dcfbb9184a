"""Ranges of Floats by the operations that compute them."""

import math
from collections.abc import Callable

import pytest
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import SSAValue

from ein_mlir.analysis.phi.float_ranges import FloatRanges

INFINITY = math.inf
SAVED = """
  %zero = arith.constant 0.0 : f64
  %first = phi.array (%q < {size}) -> !phi.vec<f64> {{ phi.yield %zero : f64 }}
  %init = phi.tuple (%x, %first) : tuple<f64, !phi.vec<f64>>
  %f = phi.fold (%i < %n, %s = %init) -> tuple<f64, !phi.vec<f64>> {{
    %u = phi.proj %s, 0 : tuple<f64, !phi.vec<f64>> -> f64
    %saved = phi.proj %s, 1 : tuple<f64, !phi.vec<f64>> -> !phi.vec<f64>
    %e = math.cosh %u : f64
    %w = phi.update %saved[{position}], %e : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>
    %t = phi.tuple (%e, %w) : tuple<f64, !phi.vec<f64>>
    phi.yield %t : tuple<f64, !phi.vec<f64>>
  }}
  %all = phi.proj %f, 1 : tuple<f64, !phi.vec<f64>> -> !phi.vec<f64>
  %r = phi.get %all[%k] : !phi.vec<f64>[i64]
"""
"""A loop that saves a number of each step."""


@pytest.mark.parametrize(
    ("operations", "expected"),
    [
        ("%r = arith.mulf %x, %x : f64", (0.0, INFINITY)),
        ("%r = arith.mulf %x, %y : f64", (-INFINITY, INFINITY)),
        ("%s = arith.mulf %x, %x : f64  %r = arith.addf %s, %one : f64", (1.0, INFINITY)),
        ("%s = math.tanh %x : f64  %r = arith.subf %one, %s : f64", (-(2**-7), 2.0)),
        (
            "%s = math.cosh %x : f64  %t = math.sqrt %s : f64  %r = arith.negf %t : f64",
            (-INFINITY, -1.0),
        ),
        ("%s = arith.maximumf %x, %y : f64  %r = arith.subf %x, %s : f64", (-INFINITY, 0.0)),
        ("%s = arith.maximumf %x, %y : f64  %r = arith.subf %s, %y : f64", (0.0, INFINITY)),
        ("%s = arith.minimumf %x, %y : f64  %r = arith.subf %s, %x : f64", (-INFINITY, 0.0)),
        ("%s = arith.minimumf %x, %y : f64  %r = arith.subf %y, %s : f64", (0.0, INFINITY)),
        ("%s = math.sin %x : f64  %r = math.exp %s : f64", (math.exp(-1), math.exp(1))),
        ("%s = math.exp %x : f64  %r = arith.divf %one, %s : f64", (0.0, INFINITY)),
        ("%s = math.cosh %x : f64  %r = arith.divf %one, %s : f64", (0.0, 1.0)),
        ("%r = arith.select %c, %x, %one : f64", (-INFINITY, INFINITY)),
        ("%s = math.absf %x : f64  %r = arith.select %c, %s, %one : f64", (0.0, INFINITY)),
        ("%s = arith.maxsi %n, %k : i64  %r = arith.sitofp %s : i64 to f64", (3.0, INFINITY)),
        ("%r = arith.sitofp %n : i64 to f64", (-INFINITY, INFINITY)),
        ("%s = phi.size %a, 0 : !phi.vec<f64>  %r = arith.sitofp %s : i64 to f64", (0.0, INFINITY)),
        (
            "%f = phi.fold (%i < %n, %acc = %one) -> f64 {"
            "  %e = phi.get %a[%i] : !phi.vec<f64>[i64]  %s = arith.mulf %e, %e : f64"
            "  %next = arith.addf %acc, %s : f64  phi.yield %next : f64 }"
            "%v = phi.array (%i < %n) -> !phi.vec<f64> { phi.yield %f : f64 }"
            "%r = phi.get %v[%n] : !phi.vec<f64>[i64]",
            (1.0, INFINITY),
        ),
        (
            "%s = math.absf %x : f64  %t = math.absf %y : f64  %r = arith.mulf %s, %t : f64",
            (0.0, INFINITY),
        ),
        (SAVED.format(size="%n", position="%i"), (1.0, INFINITY)),
        (SAVED.format(size="%k", position="%i"), (0.0, INFINITY)),
        (SAVED.format(size="%n", position="%k"), (0.0, INFINITY)),
        ("%i = arith.constant 0x7FF0000000000000 : f64  %r = arith.mulf %i, %x : f64", None),
    ],
)
def test_ranges(
    program: Callable[[str], ModuleOp],
    value: Callable[[ModuleOp, str], SSAValue],
    operations: str,
    expected: tuple[float, float] | None,
) -> None:
    module = program(
        "func.func @f(%x: f64, %y: f64, %c: i1, %n: i64, %a: !phi.vec<f64>) -> f64 {"
        f"%one = arith.constant 1.0 : f64  %k = arith.constant 3 : i64  {operations}"
        "  func.return %r : f64 }"
    )
    assert FloatRanges().of(value(module, "r")) == (expected or (-INFINITY, INFINITY))
