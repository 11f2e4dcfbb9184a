"""``llvm.fcmp`` of vectors, which xDSL lacks: functions of several numbers at a time use it."""

from __future__ import annotations

from typing import ClassVar

from xdsl.dialects.builtin import (
    I1,
    AnyFloat,
    AnyFloatConstr,
    IntegerAttr,
    VectorType,
    i64,
)
from xdsl.irdl import (
    IRDLOperation,
    VarConstraint,
    irdl_op_definition,
    operand_def,
    prop_def,
    result_def,
    traits_def,
)
from xdsl.traits import Pure


@irdl_op_definition
class LanesFCmpOp(IRDLOperation):
    """A comparison of floats in each lane, with the predicates of ``arith.cmpf``.

    Example:
    ```mlir
    %c = "llvm.fcmp"(%x, %y) {predicate = 1 : i64} : (vector<4xf64>, vector<4xf64>) -> vector<4xi1>
    ```
    """

    name = "llvm.fcmp"

    T: ClassVar[VarConstraint[VectorType[AnyFloat]]] = VarConstraint(
        "T", VectorType.constr(AnyFloatConstr)
    )

    lhs = operand_def(T)
    rhs = operand_def(T)
    res = result_def(VectorType[I1])
    predicate = prop_def(IntegerAttr[i64])

    traits = traits_def(Pure())
