"""Sizes, and assertions about them."""

from __future__ import annotations

from xdsl.dialects.builtin import I64, IntegerAttr, StringAttr, i64
from xdsl.ir import Operation, SSAValue
from xdsl.irdl import (
    irdl_op_definition,
    operand_def,
    prop_def,
    result_def,
    traits_def,
)
from xdsl.traits import NoMemoryEffect, Pure

from ein_mlir.dialects.operation import Canonical, EinOp
from ein_mlir.dialects.phi.types import VecType, rank_of


@irdl_op_definition
class SizeOp(EinOp):
    """The size of an array along an axis, counted from the outermost, as an Int.

    Example:
    ```mlir
    %m = phi.size %a, 1 : !phi.vec<!phi.vec<f64>>
    ```
    """

    name = "phi.size"

    array = operand_def(VecType)
    axis = prop_def(IntegerAttr.constr(I64))
    result = result_def(I64)

    traits = traits_def(Pure(), Canonical())

    assembly_format = "$array `,` $axis attr-dict `:` type($array)"

    def __init__(self, array: SSAValue | Operation, axis: int = 0):
        super().__init__(
            operands=[array], result_types=[i64], properties={"axis": IntegerAttr(axis, i64)}
        )

    def verify_(self) -> None:
        rank, axis = rank_of(self.array.type), self.axis.value.data
        if not 0 <= axis < rank:
            raise self.fail(f"'{self.array.type}' has rank {rank}, and no axis {axis}")


@irdl_op_definition
class AssertEqOp(EinOp):
    """``assert a = b``: the Int that both operands are; an error where they differ.

    The message says what was compared; both numbers are added to it. Use the result where the
    assertion must hold: an assertion whose result is unused is dropped.

    Example:
    ```mlir
    %n = phi.assert_eq %n0, %n1, "index i: size of a along axis 0, size of b along axis 0"
    ```
    """

    name = "phi.assert_eq"

    lhs = operand_def(I64)
    rhs = operand_def(I64)
    message = prop_def(StringAttr)
    result = result_def(I64)

    traits = traits_def(NoMemoryEffect(), Canonical())

    assembly_format = "$lhs `,` $rhs `,` $message attr-dict"

    def __init__(self, lhs: SSAValue | Operation, rhs: SSAValue | Operation, message: str):
        super().__init__(
            operands=[lhs, rhs], result_types=[i64], properties={"message": StringAttr(message)}
        )
