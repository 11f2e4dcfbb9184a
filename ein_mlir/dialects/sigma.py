"""Scalar operators of the calculus (written sigma there) that ``arith`` and ``math`` lack.

All other scalar operations are from ``arith`` or ``math``; the tables in ``docs/semantics.md``
define their meaning here.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from xdsl.dialects import arith, math
from xdsl.dialects.arith import ArithConstantMaterializationInterface
from xdsl.dialects.builtin import FloatAttr, IntegerAttr, bf16, f16, f32, f64, i8, i16, i32, i64
from xdsl.interfaces import HasFolderInterface
from xdsl.ir import Attribute, Dialect, Operation, SSAValue
from xdsl.irdl import (
    IRDLOperation,
    MessageConstraint,
    VarConstraint,
    eq,
    operand_def,
    result_def,
    traits_def,
)
from xdsl.traits import ConstantLike, Pure

from ein_mlir.analysis.hints import isa
from ein_mlir.dialects.operation import access_directly, op_definition

for _each in (*arith.Arith.operations, *math.Math.operations):
    if issubclass(_each, IRDLOperation):
        access_directly(_each)

_NUMBER = MessageConstraint(
    eq(i8) | eq(i16) | eq(i32) | eq(i64) | eq(bf16) | eq(f16) | eq(f32) | eq(f64),
    "sigma acts on numbers: i8, i16, i32, i64, bf16, f16, f32, f64",
)


@op_definition
class FloorModOp(IRDLOperation, HasFolderInterface):
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

    def fold(self) -> Sequence[SSAValue | Attribute] | None:
        lhs = ConstantLike.get_constant_value(self.lhs)
        rhs = ConstantLike.get_constant_value(self.rhs)
        if not (isa(lhs, IntegerAttr) and isa(rhs, IntegerAttr)):
            return None
        divisor = rhs.value.data
        return (IntegerAttr(lhs.value.data % divisor if divisor else 0, lhs.type),)


@op_definition
class SignOp(IRDLOperation, HasFolderInterface):
    """The sign: -1, 0 or 1 for a negative, zero or positive operand; NaN for NaN.

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

    def fold(self) -> Sequence[SSAValue | Attribute] | None:
        operand = ConstantLike.get_constant_value(self.operand)
        if isa(operand, IntegerAttr):
            number = operand.value.data
            return (IntegerAttr((number > 0) - (number < 0), operand.type),)
        if isa(operand, FloatAttr) and (number := operand.value.data) == number:
            return (FloatAttr(float((number > 0) - (number < 0)), operand.type),)
        return None


Sigma = Dialect("sigma", [FloorModOp, SignOp], [], [ArithConstantMaterializationInterface()])
