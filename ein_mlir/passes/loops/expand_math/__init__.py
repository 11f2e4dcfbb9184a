"""``expand-math``: functions of ``math`` become arithmetic, which vectorises.

- `exponentials`, `logarithms`: the formulas; their errors are in docs/native-math.md
- `numbers`: formulas with the operators of Python
"""

from __future__ import annotations

from collections.abc import Callable

from xdsl.dialects import func, math
from xdsl.ir import Operation

from ein_mlir.analysis.manager import AnalysisManager
from ein_mlir.passes.loops.expand_math import exponentials, logarithms
from ein_mlir.passes.loops.expand_math.numbers import FORMATS, Formula, Number
from ein_mlir.rewriting.passes import FunctionPass

FORMULAS: dict[type[Operation], Callable[[Formula, Number], Number]] = {
    math.ExpOp: exponentials.exp,
    math.ExpM1Op: exponentials.expm1,
    math.LogOp: logarithms.log,
    math.TanhOp: exponentials.tanh,
}
"""Class of an operation -> its formula; the other functions stay calls of the C library."""


class ExpandMathPass(FunctionPass):
    """Functions become arithmetic without branches, within 1 unit in the last place.

    Before::

        %y = math.tanh %x : f64

    After::

        %0 = math.absf %x : f64
        ...
        %8 = math.fma %1, %6, %7 : f64
        ...
        %y = math.copysign %40, %x : f64

    A call of the C library is not vectorised, and takes longer than the operations. Results of f32
    are within 2 units. Infinities, NaN, -0.0 and subnormal numbers have their results.
    """

    name = "expand-math"
    looks_for = tuple(FORMULAS)

    def run(self, function: func.FuncOp, analyses: AnalysisManager) -> None:
        for op in list(function.walk()):
            if type(op) in FORMULAS and op.results[0].type in FORMATS:
                expand(op)


def expand(op: Operation) -> None:
    """Replace an operation by its formula."""
    result = op.results[0]
    formula = Formula(FORMATS[result.type])  # pyright: ignore[reportArgumentType]
    value = FORMULAS[type(op)](formula, Number(formula, op.operands[0])).value
    block = op.parent
    assert block is not None
    block.insert_ops_before(formula.ops, op)
    value.name_hint = result.name_hint
    result.replace_all_uses_with(value)
    op.detach()
    op.erase()
