"""The indices, counters and accumulators that values vary with."""

from __future__ import annotations

from xdsl.dialects import func
from xdsl.ir import SSAValue

from ein_mlir import compiler
from ein_mlir.analysis.phi.variables import variables_of
from ein_mlir.analysis.scopes import operations_in

NEST = """
  func.func @f(%a: !phi.vec<f64>, %n: i64) -> !phi.vec<f64> {
    %zero = arith.constant 0.0 : f64
    %r = phi.array (%i < %n) -> !phi.vec<f64> {
      %x = phi.get %a[%i] : !phi.vec<f64>[index]
      %s = phi.fold (%k < %n, %acc = %zero) -> f64 {
        %y = phi.get %a[%k] : !phi.vec<f64>[i64]
        %p = arith.mulf %x, %y : f64
        %next = arith.addf %acc, %p : f64
        phi.yield %next : f64
      }
      %t = phi.fold (%l < %n, %own = %zero) -> f64 {
        %z = phi.get %a[%l] : !phi.vec<f64>[i64]
        %sum = arith.addf %own, %z : f64
        phi.yield %sum : f64
      }
      %e = arith.addf %s, %t : f64
      phi.yield %e : f64
    }
    func.return %r : !phi.vec<f64>
  }
"""


def test_a_loop_varies_with_what_its_body_reads_from_outside() -> None:
    module = compiler.parse(NEST)
    function = next(op for op in module.ops if isinstance(op, func.FuncOp))
    found = variables_of(function)

    def names(value: SSAValue) -> set[str | None]:
        return {variable.name_hint for variable in found[value]}

    by_name = {
        result.name_hint: names(result) for op in operations_in(function) for result in op.results
    }
    assert by_name["x"] == {"i"}
    assert by_name["p"] == {"i", "k"}
    assert by_name["next"] == {"i", "k", "acc"}
    assert by_name["s"] == {"i"}
    assert by_name["z"] == {"l"}
    assert by_name["t"] == set()
    assert by_name["r"] == set()
