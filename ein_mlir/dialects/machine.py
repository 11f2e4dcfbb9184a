"""Operations of the ``llvm`` dialect that xDSL lacks."""

from __future__ import annotations

from typing import ClassVar

from xdsl.dialects.builtin import AnyFloatConstr, IntegerType
from xdsl.irdl import (
    IRDLOperation,
    VarConstraint,
    base,
    irdl_op_definition,
    operand_def,
    result_def,
    traits_def,
)
from xdsl.traits import Pure


@irdl_op_definition
class FreezeOp(IRDLOperation):
    """An integer as it is: LLVM does not look for laws across this.

    Example:
    ```mlir
    %y = "llvm.freeze"(%x) : (i64) -> i64
    ```
    """

    name = "llvm.freeze"

    T: ClassVar[VarConstraint[IntegerType]] = VarConstraint("T", base(IntegerType))

    val = operand_def(T)
    res = result_def(T)

    traits = traits_def(Pure())


class _ToInteger(IRDLOperation):
    """The integer part of a float that fits the type of the result."""

    arg = operand_def(AnyFloatConstr)
    res = result_def(IntegerType)

    traits = traits_def(Pure())


@irdl_op_definition
class FPToSIOp(_ToInteger):
    """The integer part of a float, with a sign.

    Example:
    ```mlir
    %n = "llvm.fptosi"(%x) : (f64) -> i64
    ```
    """

    name = "llvm.fptosi"


@irdl_op_definition
class FPToUIOp(_ToInteger):
    """The integer part of a float, without a sign.

    Example:
    ```mlir
    %n = "llvm.fptoui"(%x) : (f64) -> i64
    ```
    """

    name = "llvm.fptoui"
