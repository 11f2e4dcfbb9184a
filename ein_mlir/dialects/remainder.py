"""``arith.remf``, which xDSL lacks: programs that are lowered to MLIR's dialects use it."""

from __future__ import annotations

from typing import ClassVar

from xdsl.dialects.builtin import AnyFloat, AnyFloatConstr
from xdsl.ir import Operation, SSAValue
from xdsl.irdl import (
    IRDLOperation,
    VarConstraint,
    irdl_op_definition,
    operand_def,
    result_def,
    traits_def,
)
from xdsl.traits import Pure


@irdl_op_definition
class RemFOp(IRDLOperation):
    """The remainder of a division of floats that rounds towards zero, as ``fmod`` of C.

    Example:
    ```mlir
    %r = arith.remf %x, %y : f64
    ```
    """

    name = "arith.remf"

    T: ClassVar[VarConstraint[AnyFloat]] = VarConstraint("T", AnyFloatConstr)

    lhs = operand_def(T)
    rhs = operand_def(T)
    result = result_def(T)

    traits = traits_def(Pure())

    assembly_format = "$lhs `,` $rhs attr-dict `:` type($result)"

    def __init__(self, lhs: SSAValue | Operation, rhs: SSAValue | Operation):
        super().__init__(operands=[lhs, rhs], result_types=[SSAValue.get(lhs).type])
