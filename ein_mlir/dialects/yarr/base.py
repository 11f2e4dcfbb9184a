"""The base classes and shared checks of the operations of Yarr."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import TypeAlias

from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import AnyAttr, traits_def, var_operand_def
from xdsl.traits import IsTerminator, Pure
from xdsl.utils.exceptions import VerifyException

from ein_mlir.analysis.diagnostics import where_written
from ein_mlir.dialects.operation import EinOp, EndsBody, op_definition
from ein_mlir.dialects.yarr.types import compatible, element_of, rank_of, shape_of, show, tensor

Size: TypeAlias = int | SSAValue | tuple[SSAValue, int]
"""A number, an Int, or the size of an array along an axis."""


class YarrOp(EinOp):
    """An operation on whole arrays."""

    def size_of_result(self, axis: int) -> Size | None:
        """The size of its only result along an axis, given by its operands; None if unknown.

        A size operand may be negative: then the operation raises an error.
        """

    def verify_result(
        self,
        result: SSAValue,
        element: Attribute,
        shape: Sequence[int],
        what: str = "the result",
    ) -> None:
        """Check a result against the type that follows from the operands."""
        expected = tensor(element, shape)
        if element_of(result) != element or not compatible(shape_of(result), shape):
            raise self.fail(f"{what} must be a '{expected}', not a '{result.type}'")

    def verify_ones(self, result: SSAValue, shape: Sequence[int]) -> None:
        """Check that a result has the static size 1 exactly where it follows from the operands.

        An axis of static size 1 is repeated by its users: a dynamic size in its place would have no
        operand to come from.
        """
        for axis, (given, inferred) in enumerate(zip(shape_of(result), shape, strict=True)):
            if given != inferred and 1 in (given, inferred):
                raise self.fail(
                    f"axis {axis} of the result has size {show([inferred])}, as in the operands, "
                    f"but its type is '{result.type}'"
                )

    def verify_axis(self, axis: int, rank: int, what: str = "axis") -> None:
        """Check that an array of a rank has an axis."""
        if not 0 <= axis < rank:
            raise self.fail(f"{what} {axis} is not an axis of an array of rank {rank}")


def size_of_broadcast(arrays: Sequence[SSAValue], axis: int) -> Size | None:
    """``size(f(x, y), d) --> size(x, d)`` if ``x`` is not repeated along ``d``"""
    for array in arrays:
        if shape_of(array)[axis] != 1:
            return array, axis
    return 1 if arrays else None


def remaining(array: SSAValue, axes: Sequence[int], axis: int) -> int:
    """The axis of an array that becomes ``axis`` when other axes are removed."""
    return [d for d in range(rank_of(array)) if d not in axes][axis]


def verify_increasing(op: YarrOp, axes: Sequence[int], rank: int) -> None:
    """Check that axes of an array of a rank are given in increasing order."""
    if any(a >= b for a, b in pairwise(axes)):
        raise VerifyException(f"{op.name}: axes {list(axes)} must increase" + where_written(op))
    for axis in axes:
        op.verify_axis(axis, rank)


class BodyOp(YarrOp):
    """An operation whose body ends in ``yarr.yield``."""


BODIES = "elementwise operations, reductions, folds and tiles"


@op_definition
class YieldOp(YarrOp):
    """The terminator of an elementwise operation, a reduction, a fold or a tile.

    Example:
    ```mlir
    yarr.yield %x, %y : tensor<?xf64>, tensor<i64>
    ```
    """

    name = "yarr.yield"

    values = var_operand_def(AnyAttr())

    traits = traits_def(
        IsTerminator(),
        Pure(),
        EndsBody(BodyOp, BODIES),
    )

    assembly_format = "($values^ `:` type($values))? attr-dict"

    def __init__(self, *values: SSAValue | Operation):
        super().__init__(operands=[values])
