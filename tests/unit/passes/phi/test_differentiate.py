"""The time is linear in the length of a computation."""

from __future__ import annotations

from xdsl.dialects.builtin import ModuleOp

from ein_mlir.entry import parse
from ein_mlir.passes.phi.differentiate import DifferentiatePass
from tests.unit.passes.large_programs import applied, assert_near_linear


def steps_of_two_numbers(operations: int) -> ModuleOp:
    """About a quarter of as many operations: steps of ``x, y = x + x * y, y - x * y``."""
    step = """
        %p{k} = arith.mulf %x{k}, %y{k} : f64
        %x{l} = arith.addf %x{k}, %p{k} : f64
        %y{l} = arith.subf %y{k}, %p{k} : f64"""
    count = operations // 12
    steps = "".join(step.format(k=k, l=k + 1) for k in range(count))
    return parse(f"""
      func.func @f(%a: !phi.vec<f64>, %one: f64) -> tuple<f64, !phi.vec<f64>> {{
        %i = arith.constant 0 : i64
        %j = arith.constant 1 : i64
        %r = phi.vjp (%v = %a by %one) : !phi.vec<f64> by f64 -> tuple<f64, !phi.vec<f64>> {{
        %x0 = phi.get %v[%i] : !phi.vec<f64>[i64]
        %y0 = phi.get %v[%j] : !phi.vec<f64>[i64]{steps}
        %s = arith.addf %x{count}, %y{count} : f64
        phi.yield %s : f64
        }}
        func.return %r : tuple<f64, !phi.vec<f64>>
      }}""")


def test_gradients_of_long_computations():
    assert_near_linear(applied(DifferentiatePass()), program=steps_of_two_numbers)
