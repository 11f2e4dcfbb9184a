"""The names of terms."""

from xdsl.dialects import func

from ein_mlir.entry import parse
from ein_mlir.passes.phi.print_size_equivalence import size_classes


def test_names_of_terms():
    module = parse("""
        func.func @f(%t: tuple<i64, tuple<!phi.vec<f64>>>) -> i64 {
          %0 = phi.proj %t, 1 : tuple<i64, tuple<!phi.vec<f64>>> -> tuple<!phi.vec<f64>>
          %a = phi.proj %0, 0 : tuple<!phi.vec<f64>> -> !phi.vec<f64>
          %n = phi.size %a, 0 : !phi.vec<f64>
          %k = phi.proj %t, 0 : tuple<i64, tuple<!phi.vec<f64>>> -> i64
          func.return %k : i64
        }""")
    (function,) = (op for op in module.ops if isinstance(op, func.FuncOp))
    assert size_classes(function) == [
        "%t.0 = %k",
        "|%t.1.0|0 = |an unnamed value.0|0 = |%a|0 = %n",
    ]
