"""``expand-math``: functions of ``math`` become arithmetic, which vectorises.

- `exponentials`, `logarithms`, `circular`, `error_function`: the formulas; docs/backends.md has
  their errors
- `numbers`: formulas with the operators of Python
"""

from __future__ import annotations

from collections.abc import Callable

from xdsl.dialects import func, math, scf
from xdsl.dialects.builtin import ModuleOp, UnitAttr
from xdsl.ir import Block, Operation, Region
from xdsl.rewriter import Rewriter

from ein_mlir.analysis.manager import AnalysisManager
from ein_mlir.backends.native import abi
from ein_mlir.passes.loops.expand_math import (
    circular,
    error_function,
    exponentials,
    logarithms,
)
from ein_mlir.passes.loops.expand_math.numbers import FORMATS, Formula, Number
from ein_mlir.rewriting.passes import FunctionPass

FORMULAS: dict[type[Operation], Callable[[Formula, Number], Number]] = {
    math.ErfOp: error_function.erf,
    math.ExpOp: exponentials.exp,
    math.ExpM1Op: exponentials.expm1,
    math.LogOp: logarithms.log,
    math.TanhOp: exponentials.tanh,
}
"""Class of an operation -> its formula; functions without one stay calls of the C library."""

PARTIAL: dict[type[Operation], Callable[[Formula, Number], Number]] = {
    math.CosOp: circular.cos,
    math.SinOp: circular.sin,
}
"""Class of an operation -> its formula, which is not for all numbers: not for those where
`circular.is_rare` holds.
"""


class ExpandMathPass(FunctionPass):
    """Functions become arithmetic without branches, within 1 unit in the last place.

    Before::

        %y = math.tanh %x : f64
        %z = math.sin %x : f64

    After::

        %0 = math.absf %x : f64
        ...
        %8 = math.fma %1, %6, %7 : f64
        ...
        %y = math.copysign %40, %x : f64
        %z = func.call @math.sin.f64(%x) : (f64) -> f64

    A call of the C library is not vectorised, and takes longer than the operations. Results of f32
    are within 2 units. Infinities, NaN, -0.0 and subnormal numbers have their results.

    The formulas of sine and cosine are not for huge numbers, which are left to the C library. This
    branch is in a function of its own, which `convert-loops-to-llvm` also makes for several numbers
    at a time: there it is taken if any of them is huge.
    """

    name = "expand-math"
    looks_for = (*FORMULAS, *PARTIAL)

    def run(self, function: func.FuncOp, analyses: AnalysisManager) -> None:
        if abi.PURE not in function.attributes:
            for op in list(function.walk()):
                if op.results and op.results[0].type in FORMATS:
                    if type(op) in FORMULAS:
                        expand(op)
                    elif type(op) in PARTIAL:
                        call_function(op, function)


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


def call_function(op: Operation, function: func.FuncOp) -> None:
    """Replace an operation by a call of the function of its formula, which is added if needed."""
    module = function.parent_op()
    assert isinstance(module, ModuleOp)
    name = f"{op.name}.{op.results[0].type}"
    known = {each.sym_name.data for each in module.ops if isinstance(each, func.FuncOp)}
    if name not in known:
        module.body.block.add_op(function_of(op, name))
    call = func.CallOp(name, op.operands, [op.results[0].type])
    call.results[0].name_hint = op.results[0].name_hint
    Rewriter.replace_op(op, call)


def function_of(op: Operation, name: str) -> func.FuncOp:
    """The function of a formula: ``is_rare(x) ? library(x) : formula(x)``"""
    type_ = op.results[0].type
    block = Block(arg_types=[type_])
    argument = block.args[0]
    condition = Formula(FORMATS[type_])  # pyright: ignore[reportArgumentType]
    rare = circular.is_rare(condition, Number(condition, argument))
    formula = Formula(condition.format)
    value = PARTIAL[type(op)](formula, Number(formula, argument)).value
    library = type(op).create(operands=[argument], result_types=[type_])
    branch = scf.IfOp(
        rare,
        [type_],
        Region([Block([library, scf.YieldOp(library.results[0])])]),
        Region([Block([*formula.ops, scf.YieldOp(value)])]),
    )
    block.add_ops([*condition.ops, branch, func.ReturnOp(branch.output[0])])
    function = func.FuncOp(name, ([type_], [type_]), Region([block]), visibility="private")
    function.attributes[abi.PURE] = UnitAttr()
    return function
