"""Unrolling: the limits on growth, which text cannot show."""

from __future__ import annotations

from ein_mlir.dialects import phi
from ein_mlir.entry import parse
from ein_mlir.passes.phi.unroll_folds import MOST_GROWTH, MOST_OPERATIONS
from ein_mlir.pipelines import run_pipeline

LOOP = """
  %r{number} = phi.fold (%k < %c, %acc = %x{number}) -> f64 {{
    %v = phi.get %a[%k] : !phi.vec<f64>[i64]
    {body}
    phi.yield %v : f64
  }}
"""


def loops_left(loops: int, operations: int) -> int:
    """The number of loops of 16 steps that remain, each with some operations in its body."""
    body = "\n".join(f"%u{k} = arith.addf %v, %acc : f64" for k in range(operations - 2))
    text = "".join(LOOP.format(number=number, body=body) for number in range(loops))
    starts = ", ".join(f"%x{number}: f64" for number in range(loops))
    results = ", ".join(f"%r{number}" for number in range(loops))
    types = ", ".join(["f64"] * loops)
    module = parse(
        f"func.func @f(%a: !phi.vec<f64>, {starts}) -> ({types}) {{"
        f"%c = arith.constant 16 : i64 {text} func.return {results} : {types} }}"
    )
    run_pipeline(module, ("unroll-folds",))
    return sum(isinstance(op, phi.FoldOp) for op in module.walk())


def test_large_bodies_stay_loops() -> None:
    most = MOST_OPERATIONS // 16
    assert loops_left(1, most) == 0
    assert loops_left(1, most + 1) == 1


def test_a_module_grows_only_so_far() -> None:
    each = MOST_OPERATIONS // 16 * 16
    assert loops_left(10, each // 16) == 10 - MOST_GROWTH // each
