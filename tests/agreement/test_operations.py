"""Each operation of phi, on each row of a matrix: backends agree with the reference interpreter."""

from __future__ import annotations

import numpy as np
import pytest
from xdsl.ir import Operation
from xdsl.traits import IsTerminator

from ein_mlir import compile
from ein_mlir.dialects.phi import DerivativeOp, ExternOp, Phi
from tests.agreement.comparison import assert_agree, given
from tests.libraries import BACKENDS
from tests.selection import sizes_on

OPERATIONS = {
    "phi.argreduce": ('phi.argreduce %v by "<" : !phi.vec<f64>', "i64"),
    "phi.argsort": ("phi.argsort %v : !phi.vec<f64>", "!phi.vec<i64>"),
    "phi.searchsorted": (
        """phi.array (%j < %n) -> !phi.vec<i64> {
          %in_order = phi.sort %v : !phi.vec<f64>
          %place = phi.searchsorted %in_order, %x right : !phi.vec<f64>, f64
          phi.yield %place : i64
        }""",
        "!phi.vec<i64>",
    ),
    "phi.accumulate": (
        """phi.accumulate (%q < %n) into "add" (%n) -> !phi.vec<f64> {
          %at = phi.get %p[%q] : !phi.vec<i64>[index]
          %y = phi.get %v[%q] : !phi.vec<f64>[index]
          %z = arith.mulf %x, %y : f64
          %pair = phi.tuple (%at, %z) : tuple<i64, f64>
          phi.yield %pair : tuple<i64, f64>
        }""",
        "!phi.vec<f64>",
    ),
    "phi.array": (
        """phi.array (%j < %n) -> !phi.vec<f64> {
          %y = phi.get %v[%j] : !phi.vec<f64>[index]
          phi.yield %y : f64
        }""",
        "!phi.vec<f64>",
    ),
    "phi.assert_eq": ('phi.assert_eq %n, %n, "the size of a row"', "i64"),
    "phi.concat": ("phi.concat %v, %w : !phi.vec<f64>", "!phi.vec<f64>"),
    "phi.fold": (
        """phi.fold (%j < %n, %acc = %x) -> f64 {
          %y = phi.get %v[%j] : !phi.vec<f64>[i64]
          %next = arith.subf %y, %acc : f64
          phi.yield %next : f64
        }""",
        "f64",
    ),
    "phi.get": ("phi.get %v[%k] : !phi.vec<f64>[i64]", "f64"),
    "phi.proj": ("phi.proj %t, 0 : tuple<!phi.vec<f64>, f64> -> !phi.vec<f64>", "!phi.vec<f64>"),
    "phi.propagate_nan": (
        "phi.propagate_nan %v from %w : !phi.vec<f64> from !phi.vec<f64>",
        "!phi.vec<f64>",
    ),
    "phi.reduce": ("phi.reduce %v identity %x by { arith.maximumf } -> f64", "f64"),
    "phi.scan": ('phi.scan "add" %v : !phi.vec<f64>', "!phi.vec<f64>"),
    "phi.sort": ("phi.sort %v : !phi.vec<f64>", "!phi.vec<f64>"),
    "phi.size": ("phi.size %v, 0 : !phi.vec<f64>", "i64"),
    "phi.top_k": ('phi.top_k %v, %n by ">" : !phi.vec<f64>', "!phi.vec<i64>"),
    "phi.tuple": ("phi.tuple (%v, %x) : tuple<!phi.vec<f64>, f64>", "tuple<!phi.vec<f64>, f64>"),
    "phi.update": (
        "phi.update %v[%k], %x : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>",
        "!phi.vec<f64>",
    ),
    "phi.update_slice": ("phi.update_slice %v[%zero by %one], %w : !phi.vec<f64>", "!phi.vec<f64>"),
    "phi.weighted_scan": (
        'phi.weighted_scan "max" %v by %x : !phi.vec<f64> by f64',
        "!phi.vec<f64>",
    ),
    "phi.while": (
        """phi.while (%j < %n, %acc = %on) -> tuple<i1, f64> {
          %y = phi.get %v[%j] : !phi.vec<f64>[i64]
          %next = arith.addf %y, %x : f64
          %more = arith.cmpf ogt, %next, %x : f64
          %after = phi.tuple (%more, %next) : tuple<i1, f64>
          phi.yield %after : tuple<i1, f64>
        }""",
        "tuple<i1, f64>",
    ),
}
"""An example of each operation, and the type of its result.

In it ``%v`` is a row of a matrix, ``%x`` and ``%k`` are a number and an Int for the row,
``%t`` is a record of the row and the number, ``%on`` is one of true and the number, ``%w`` and
``%p`` are vectors of as many numbers and Ints as a row has, ``%n`` is the size of a row, and
``%zero`` and ``%one`` are Ints.
"""


def program(name: str) -> str:
    example, type_ = OPERATIONS[name]
    return f"""
    func.func @f(%m: !phi.vec<!phi.vec<f64>>, %xs: !phi.vec<f64>, %ks: !phi.vec<i64>,
        %w: !phi.vec<f64>, %p: !phi.vec<i64>) -> !phi.vec<{type_}> {{
      %rows = phi.size %m, 0 : !phi.vec<!phi.vec<f64>>
      %n = phi.size %m, 1 : !phi.vec<!phi.vec<f64>>
      %zero = arith.constant 0 : i64
      %one = arith.constant 1 : i64
      %all = phi.array (%i < %rows) -> !phi.vec<{type_}> {{
        %v = phi.get %m[%i] : !phi.vec<!phi.vec<f64>>[index]
        %x = phi.get %xs[%i] : !phi.vec<f64>[index]
        %k = phi.get %ks[%i] : !phi.vec<i64>[index]
        %t = phi.tuple (%v, %x) : tuple<!phi.vec<f64>, f64>
        %true = arith.constant true
        %on = phi.tuple (%true, %x) : tuple<i1, f64>
        %result = {example}
        phi.yield %result : {type_}
      }}
      func.return %all : !phi.vec<{type_}>
    }}"""


def inputs(rows: int, columns: int) -> list[np.ndarray]:
    random = np.random.default_rng(0)
    return [
        random.normal(size=(rows, columns)),
        random.normal(size=rows),
        random.integers(-1, columns + 1, rows),
        random.normal(size=columns),
        random.integers(-1, columns + 1, columns),
    ]


TESTED = [
    op
    for op in Phi.operations
    if op is not ExternOp and not op.has_trait(IsTerminator) and not issubclass(op, DerivativeOp)
]
"""``test_extrinsics`` has functions for ``phi.extern``, and ``test_derivatives`` derivatives."""


@pytest.mark.every_turn
@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("op", TESTED, ids=lambda op: op.name)
def test_operation(op: type[Operation], backend: str) -> None:
    text = program(op.name)
    compiled, reference = compile(text, backend=backend), compile(text, backend="naive")
    for shape in sizes_on(backend, ((2, 0), (0, 2), (1, 1), (3, 4)), op.name):
        arrays = inputs(*shape)
        actual = compiled(*(given(array, backend) for array in arrays))
        what = f"{op.name}, {shape}"
        assert_agree(actual, reference(*arrays), {"float64": 1e-12}, what, dtypes=False)
