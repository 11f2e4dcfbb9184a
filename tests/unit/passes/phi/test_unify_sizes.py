"""Sizes of long loops."""

from __future__ import annotations

import sys

from ein_mlir.dialects import phi
from ein_mlir.entry import parse
from ein_mlir.passes.phi.unify_sizes import UnifySizesPass
from tests.unit.passes.large_programs import applied


def test_assertions_of_a_loop_may_form_a_long_chain() -> None:
    """Each compares the one before it: there are more than Python has frames."""
    count = sys.getrecursionlimit() + 100
    chain = "\n".join(f'%n{k + 1} = phi.assert_eq %n{k}, %m, "sizes"' for k in range(count))
    array = """
          {} = phi.array (%i < {}) -> !phi.vec<f64> {{
            %e = phi.get %x[%i] : !phi.vec<f64>[index]
            phi.yield %e : f64
          }}"""
    module = parse(f"""
      func.func @f(%v: !phi.vec<f64>, %t: i64) -> !phi.vec<f64> {{
        %n0 = phi.size %v, 0 : !phi.vec<f64>
        %r = phi.fold (%k < %t, %x = %v) -> !phi.vec<f64> {{
          %m = phi.size %x, 0 : !phi.vec<f64>
          {chain}
          {array.format("%first", "%n1")}
          {array.format("%last", f"%n{count}")}
          phi.yield %last : !phi.vec<f64>
        }}
        func.return %r : !phi.vec<f64>
      }}""")
    applied(UnifySizesPass())(module)
    assert sum(isinstance(op, phi.AssertEqOp) for op in module.walk()) == count
