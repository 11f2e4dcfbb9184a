"""Operations whose derivative is infinite or undefined somewhere."""

from __future__ import annotations

from collections.abc import Mapping

from xdsl.dialects import arith, math
from xdsl.dialects.builtin import Float32Type, Float64Type
from xdsl.ir import Operation, OpResult, SSAValue

from ein_mlir.analysis.constants import known_float
from ein_mlir.dialects import sigma

SINGULAR: Mapping[type[Operation], int] = {
    **dict.fromkeys(
        (
            math.AcosOp,
            math.AcoshOp,
            math.AsinOp,
            math.AtanhOp,
            math.CbrtOp,
            math.CoshOp,
            math.ExpOp,
            math.Exp2Op,
            math.ExpM1Op,
            math.FPowIOp,
            math.LogOp,
            math.Log10Op,
            math.Log1pOp,
            math.Log2Op,
            math.PowFOp,
            math.RsqrtOp,
            math.SinhOp,
            math.SqrtOp,
        ),
        0,
    ),
    arith.DivfOp: 1,
    math.Atan2Op: 1,
    sigma.FloorModOp: 1,
}
"""The operand at which the derivative of an operation may be infinite or NaN."""


def is_singular(op: Operation) -> bool:
    """Whether an operation is singular in an operand that is no literal but zero.

    A function of Ints and literals alone has no derivative: ``log (sitofp n)`` is not singular.
    """
    if type(op) not in SINGULAR:
        return False
    operand = op.operands[SINGULAR[type(op)]]
    return _is_float(operand) and not known_float(operand) and _has_derivative(op)


def _has_derivative(op: Operation) -> bool:
    """Whether the result depends on a float that scalar operators do not make of Ints."""
    seen = {op}
    work = [op]
    while work:
        for operand in filter(_is_float, work.pop().operands):
            if not isinstance(operand, OpResult) or not is_scalar_operator(operand.op):
                return True
            if operand.op not in seen:
                seen.add(operand.op)
                work.append(operand.op)
    return False


def is_scalar_operator(op: Operation) -> bool:
    """Whether an operation is arithmetic on scalars."""
    return op.name.startswith(("arith.", "math.", "sigma.")) and not op.regions


def _is_float(value: SSAValue) -> bool:
    return isinstance(value.type, Float32Type | Float64Type)
