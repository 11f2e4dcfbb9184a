"""Scalar operators of the calculus (written sigma there) that ``arith`` and ``math`` lack.

Everything else that acts on scalars is an ``arith`` or ``math`` operation; see the tables in
``docs/semantics.md`` for what each of them means here.
"""

from __future__ import annotations

from typing import ClassVar

from xdsl.dialects.builtin import AnyFloat, IntegerType
from xdsl.ir import Dialect, Operation, SSAValue
from xdsl.irdl import (
    IRDLOperation,
    VarConstraint,
    irdl_op_definition,
    operand_def,
    result_def,
    traits_def,
)
from xdsl.irdl.constraints import AnyOf
from xdsl.traits import Pure

_NUMBER = AnyOf.get(IntegerType, AnyFloat)


@irdl_op_definition
class FloorModOp(IRDLOperation):
    """The remainder of a floored division: it has the sign of the divisor, as ``%`` in Python.

    ``x mod 0`` is 0 for integers and NaN for floats.

    Example:
    ```mlir
    %r = sigma.floormod %x, %y : i64
    ```
    """

    name = "sigma.floormod"

    T: ClassVar = VarConstraint("T", _NUMBER)

    lhs = operand_def(T)
    rhs = operand_def(T)
    result = result_def(T)

    traits = traits_def(Pure())

    assembly_format = "$lhs `,` $rhs attr-dict `:` type($result)"

    def __init__(self, lhs: SSAValue | Operation, rhs: SSAValue | Operation):
        super().__init__(operands=[lhs, rhs], result_types=[SSAValue.get(lhs).type])


@irdl_op_definition
class SignOp(IRDLOperation):
    """-1, 0 or 1 as the operand is negative, zero or positive; NaN for NaN.

    Example:
    ```mlir
    %s = sigma.sign %x : f64
    ```
    """

    name = "sigma.sign"

    T: ClassVar = VarConstraint("T", _NUMBER)

    operand = operand_def(T)
    result = result_def(T)

    traits = traits_def(Pure())

    assembly_format = "$operand attr-dict `:` type($result)"

    def __init__(self, operand: SSAValue | Operation):
        super().__init__(operands=[operand], result_types=[SSAValue.get(operand).type])


Sigma = Dialect("sigma", [FloorModOp, SignOp])
