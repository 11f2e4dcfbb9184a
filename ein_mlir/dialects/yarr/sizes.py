"""Ranges, sizes, and checks of sizes."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import (
    I64,
    IntegerAttr,
    StringAttr,
    i64,
)
from xdsl.ir import (
    Operation,
    SSAValue,
)
from xdsl.irdl import (
    operand_def,
    prop_def,
    result_def,
    traits_def,
)
from xdsl.traits import (
    Pure,
)

from ein_mlir.dialects.creation import integer_attribute
from ein_mlir.dialects.operation import Canonical, op_definition, shortened
from ein_mlir.dialects.yarr.base import Size, YarrOp
from ein_mlir.dialects.yarr.types import DYNAMIC, SIZE, SIZE_TYPE, TENSOR, rank_of, tensor


@op_definition
class RangeOp(YarrOp):
    """The Ints from 0 up to a size: ``[0, 1, ..., n-1]``.

    Example:
    ```mlir
    %r = yarr.range %n : tensor<?xi64>
    ```
    """

    name = "yarr.range"

    size = operand_def(SIZE)
    result = result_def(TENSOR)

    traits = traits_def(Pure(), Canonical())

    assembly_format = "$size attr-dict `:` type($result)"

    def __init__(self, size: SSAValue | Operation, static_size: int = DYNAMIC):
        super().__init__(operands=[size], result_types=[tensor(i64, [static_size])])

    def size_of_result(self, axis: int) -> Size:
        return self.size

    def verify_(self) -> None:
        self.verify_result(self.result, i64, (DYNAMIC,))


@op_definition
class SizeOp(YarrOp):
    """The size of an array along an axis.

    Example:
    ```mlir
    %n = yarr.size %a, 0 : tensor<?x?xf64>
    ```
    """

    name = "yarr.size"

    array = operand_def(TENSOR)
    axis = prop_def(IntegerAttr.constr(I64))
    result = result_def(SIZE)

    traits = traits_def(Pure(), Canonical())

    assembly_format = "$array `,` $axis attr-dict `:` type($array)"

    def __init__(self, array: SSAValue | Operation, axis: int):
        super().__init__(
            operands=[array],
            result_types=[SIZE_TYPE],
            properties={"axis": integer_attribute(axis, i64)},
        )

    def verify_(self) -> None:
        self.verify_axis(self.axis.value.data, rank_of(self.array))


@op_definition
class AssertEqOp(YarrOp):
    """The size that both operands are equal to; otherwise an error with the message and numbers.

    An assertion is never removed, even if its result is unused.

    Example:
    ```mlir
    %n = yarr.assert_eq %n0, %n1, "index i: size of a along axis 0, size of b along axis 0"
    ```
    """

    name = "yarr.assert_eq"

    lhs = operand_def(SIZE)
    rhs = operand_def(SIZE)
    message = prop_def(StringAttr)
    result = result_def(SIZE)

    traits = traits_def(Canonical())

    assembly_format = "$lhs `,` $rhs `,` $message attr-dict"

    def __init__(self, lhs: SSAValue | Operation, rhs: SSAValue | Operation, message: str):
        super().__init__(
            operands=[lhs, rhs],
            result_types=[SIZE_TYPE],
            properties={"message": StringAttr(message)},
        )

    def label(self, terms: Sequence[str]) -> str:
        return f"assert {' == '.join(terms)}\n{shortened(self.message.data)}"


@op_definition
class AssertSizeOp(YarrOp):
    """The operand, which must be a size; otherwise an error with the message and number.

    A size is at least 0 and at most ``ein_mlir.analysis.arithmetic.MOST``.

    An assertion is never removed, even if its result is unused.

    Example:
    ```mlir
    %m = yarr.assert_size %n, "size of index i"
    ```
    """

    name = "yarr.assert_size"

    size = operand_def(SIZE)
    message = prop_def(StringAttr)
    result = result_def(SIZE)

    traits = traits_def(Canonical())

    assembly_format = "$size `,` $message attr-dict"

    def __init__(self, size: SSAValue | Operation, message: str):
        super().__init__(
            operands=[size],
            result_types=[SIZE_TYPE],
            properties={"message": StringAttr(message)},
        )

    def label(self, terms: Sequence[str]) -> str:
        return f"assert {terms[0]} is a size\n{shortened(self.message.data)}"
