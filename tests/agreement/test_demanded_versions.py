"""``keep-demanded``: the versions of functions have the values of the calls that they replace."""

from __future__ import annotations

from typing import Any, cast

import numpy as np
import pytest
from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp

from ein_mlir.entry import parse
from ein_mlir.interpreters.reference import run
from ein_mlir.pipelines import run_pipeline

PROGRAM = """
func.func private @split(%a: !phi.vec<f64>, %t: tuple<!phi.vec<i64>, i64>)
    -> (tuple<!phi.vec<f64>, !phi.vec<i64>>, i64) {
  %b = phi.proj %t, 0 : tuple<!phi.vec<i64>, i64> -> !phi.vec<i64>
  %n = phi.proj %t, 1 : tuple<!phi.vec<i64>, i64> -> i64
  %x = phi.array (%i < %n) -> !phi.vec<f64> {
    %v = phi.get %a[%i] : !phi.vec<f64>[index]
    phi.yield %v : f64
  }
  %y = phi.concat %b, %b : !phi.vec<i64>
  %r = phi.tuple (%x, %y) : tuple<!phi.vec<f64>, !phi.vec<i64>>
  %m = phi.size %y, 0 : !phi.vec<i64>
  func.return %r, %m : tuple<!phi.vec<f64>, !phi.vec<i64>>, i64
}
func.func @f(%a: !phi.vec<f64>, %b: !phi.vec<i64>, %n: i64) -> (!phi.vec<f64>, i64, i64) {
  %t = phi.tuple (%b, %n) : tuple<!phi.vec<i64>, i64>
  %r, %m = func.call @split(%a, %t)
    : (!phi.vec<f64>, tuple<!phi.vec<i64>, i64>) -> (tuple<!phi.vec<f64>, !phi.vec<i64>>, i64)
  %x = phi.proj %r, 0 : tuple<!phi.vec<f64>, !phi.vec<i64>> -> !phi.vec<f64>
  %y = phi.proj %r, 1 : tuple<!phi.vec<f64>, !phi.vec<i64>> -> !phi.vec<i64>
  %c = phi.fold (%k < %n, %z = %y) -> !phi.vec<i64> {
    %u = phi.tuple (%z, %k) : tuple<!phi.vec<i64>, i64>
    %s, %l = func.call @split(%x, %u)
      : (!phi.vec<f64>, tuple<!phi.vec<i64>, i64>) -> (tuple<!phi.vec<f64>, !phi.vec<i64>>, i64)
    %w = phi.proj %s, 1 : tuple<!phi.vec<f64>, !phi.vec<i64>> -> !phi.vec<i64>
    phi.yield %w : !phi.vec<i64>
  }
  %d = phi.size %c, 0 : !phi.vec<i64>
  func.return %x, %d, %m : !phi.vec<f64>, i64, i64
}
"""


def values_of(module: ModuleOp, *arguments: Any) -> tuple[Any, ...]:
    return cast("tuple[Any, ...]", run(module, "f", arguments))


@pytest.mark.parametrize("size", [0, 1, 3])
def test_values(size: int) -> None:
    module = parse(PROGRAM)
    arguments = (np.arange(size, dtype=float), np.arange(size), size)
    x, d, m = values_of(module, *arguments)
    versions = run_pipeline(module.clone(), ("keep-demanded",))
    found = values_of(versions, *arguments)
    np.testing.assert_array_equal(found[0], x)
    assert found[1:] == (d, m)
    assert d == size * 2 ** (size + 1)
    assert m == 2 * size


def test_a_version_for_each_demand() -> None:
    versions = run_pipeline(parse(PROGRAM), ("keep-demanded",))
    functions = [op for op in versions.ops if isinstance(op, func.FuncOp)]
    assert [op.sym_name.data for op in functions] == ["split_ese", "split_nsn", "f"]
    assert len(functions[1].args) == 1
