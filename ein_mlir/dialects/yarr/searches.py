"""Searches: the positions of the smallest or largest elements."""

from __future__ import annotations

from xdsl.dialects.builtin import I64, IntegerAttr, StringAttr, UnitAttr, i64
from xdsl.ir import Operation, SSAValue
from xdsl.irdl import operand_def, opt_prop_def, prop_def, result_def, traits_def
from xdsl.traits import Pure

from ein_mlir.dialects.creation import integer_attribute
from ein_mlir.dialects.operation import Canonical, op_definition
from ein_mlir.dialects.reductions import unsearchable, unselectable
from ein_mlir.dialects.yarr.base import Size, YarrOp
from ein_mlir.dialects.yarr.types import (
    DYNAMIC,
    SIZE,
    TENSOR,
    element_of,
    rank_of,
    shape_of,
    tensor,
)


@op_definition
class ArgreduceOp(YarrOp):
    """The position along an axis found by a search for the smallest or largest element.

    The search starts at position 0 with infinity, or the largest Int, as the best element so far.
    It moves to each element in turn for which ``element PREDICATE best`` holds: ``"<"`` finds the
    first of the smallest elements, ``"<="`` the last of them, ``">"`` and ``">="`` the largest. NaN
    is skipped. The axis is removed; the position in an empty axis is 0.

    Example:
    ```mlir
    %k = yarr.argreduce %a, 1 by "<" : tensor<?x?xf64> -> tensor<?xi64>
    ```
    """

    name = "yarr.argreduce"

    array = operand_def(TENSOR)
    axis = prop_def(IntegerAttr.constr(I64))
    predicate = prop_def(StringAttr)
    result = result_def(TENSOR)

    traits = traits_def(Pure())

    assembly_format = (
        "$array `,` $axis `by` $predicate attr-dict `:` type($array) `->` type($result)"
    )

    def __init__(self, array: SSAValue | Operation, axis: int, predicate: str):
        array = SSAValue.get(array)
        shape = [size for d, size in enumerate(shape_of(array)) if d != axis]
        super().__init__(
            operands=[array],
            result_types=[tensor(i64, shape)],
            properties={"axis": integer_attribute(axis, i64), "predicate": StringAttr(predicate)},
        )

    def size_of_result(self, axis: int) -> Size:
        return self.array, axis + (axis >= self.axis.value.data)

    def verify_(self) -> None:
        shape, axis = shape_of(self.array), self.axis.value.data
        problem = unsearchable(element_of(self.array), self.predicate.data)
        if problem is not None:
            raise self.fail(problem)
        self.verify_axis(axis, len(shape))
        self.verify_result(self.result, i64, [s for d, s in enumerate(shape) if d != axis])


@op_definition
class ArgsortOp(YarrOp):
    """The positions of the elements along an axis in increasing order, as in ``phi.argsort``.

    Example:
    ```mlir
    %p = yarr.argsort %a, 1 : tensor<?x3xf64> -> tensor<?x3xi64>
    ```
    """

    name = "yarr.argsort"

    array = operand_def(TENSOR)
    axis = prop_def(IntegerAttr.constr(I64))
    result = result_def(TENSOR)

    traits = traits_def(Pure())

    assembly_format = "$array `,` $axis attr-dict `:` type($array) `->` type($result)"

    def __init__(self, array: SSAValue | Operation, axis: int):
        array = SSAValue.get(array)
        super().__init__(
            operands=[array],
            result_types=[tensor(i64, shape_of(array))],
            properties={"axis": integer_attribute(axis, i64)},
        )

    def size_of_result(self, axis: int) -> Size:
        return self.array, axis

    def verify_(self) -> None:
        self.verify_axis(self.axis.value.data, rank_of(self.array))
        self.verify_result(self.result, i64, shape_of(self.array))


@op_definition
class SortOp(YarrOp):
    """The elements along an axis in increasing order, as in ``phi.sort``.

    Example:
    ```mlir
    %s = yarr.sort %a, 1 : tensor<?x3xf64> -> tensor<?x3xf64>
    ```
    """

    name = "yarr.sort"

    array = operand_def(TENSOR)
    axis = prop_def(IntegerAttr.constr(I64))
    result = result_def(TENSOR)

    traits = traits_def(Pure(), Canonical())

    assembly_format = "$array `,` $axis attr-dict `:` type($array) `->` type($result)"

    def __init__(self, array: SSAValue | Operation, axis: int):
        array = SSAValue.get(array)
        super().__init__(
            operands=[array],
            result_types=[tensor(element_of(array), shape_of(array))],
            properties={"axis": integer_attribute(axis, i64)},
        )

    def size_of_result(self, axis: int) -> Size:
        return self.array, axis

    def verify_(self) -> None:
        self.verify_axis(self.axis.value.data, rank_of(self.array))
        self.verify_result(self.result, element_of(self.array), shape_of(self.array))


@op_definition
class SearchsortedOp(YarrOp):
    """The places of values in vectors in increasing order, as in ``phi.searchsorted``.

    The vectors are those along the last axis of the first array. Its other axes are the first ones
    of the values and of the result.

    Example:
    ```mlir
    %p = yarr.searchsorted %a, %x : tensor<?xf64>, tensor<?x3xf64> -> tensor<?x3xi64>
    %q = yarr.searchsorted %b, %x right : tensor<?x4xf64>, tensor<?x3xf64> -> tensor<?x3xi64>
    ```
    """

    name = "yarr.searchsorted"

    array = operand_def(TENSOR)
    values = operand_def(TENSOR)
    right = opt_prop_def(UnitAttr)
    result = result_def(TENSOR)

    traits = traits_def(Pure())

    assembly_format = (
        "$array `,` $values (`right` $right^)? attr-dict"
        " `:` type($array) `,` type($values) `->` type($result)"
    )

    def __init__(
        self, array: SSAValue | Operation, values: SSAValue | Operation, *, right: bool = False
    ):
        values = SSAValue.get(values)
        super().__init__(
            operands=[array, values],
            result_types=[tensor(i64, shape_of(values))],
            properties={"right": UnitAttr() if right else None},
        )

    def size_of_result(self, axis: int) -> Size:
        return self.values, axis

    def verify_(self) -> None:
        leading = rank_of(self.array) - 1
        if not 0 <= leading <= rank_of(self.values):
            raise self.fail(
                f"an array of rank {leading + 1} has no vectors for values of rank "
                f"{rank_of(self.values)}"
            )
        if element_of(self.array) != element_of(self.values):
            raise self.fail(f"a '{element_of(self.values)}' is no element of a '{self.array.type}'")
        self.verify_result(self.result, i64, shape_of(self.values))


@op_definition
class TopKOp(YarrOp):
    """The positions along an axis of the first elements in order: of the smallest, or the largest.

    Each position is the result of a search by the predicate, as in ``yarr.argreduce``, among the
    remaining elements; if none remains, it is 0. The count is the size of the axis in the result;
    it must be non-negative.

    Example:
    ```mlir
    %p = yarr.top_k %a, 1, %k by "<" : tensor<?x?xf64> -> tensor<?x?xi64>
    ```
    """

    name = "yarr.top_k"

    array = operand_def(TENSOR)
    axis = prop_def(IntegerAttr.constr(I64))
    count = operand_def(SIZE)
    predicate = prop_def(StringAttr)
    result = result_def(TENSOR)

    traits = traits_def(Pure())

    assembly_format = (
        "$array `,` $axis `,` $count `by` $predicate attr-dict `:` type($array) `->` type($result)"
    )

    def __init__(
        self,
        array: SSAValue | Operation,
        axis: int,
        count: SSAValue | Operation,
        predicate: str,
    ):
        array = SSAValue.get(array)
        super().__init__(
            operands=[array, count],
            result_types=[tensor(i64, _selected_shape(array, axis))],
            properties={"axis": integer_attribute(axis, i64), "predicate": StringAttr(predicate)},
        )

    def size_of_result(self, axis: int) -> Size:
        return self.count if axis == self.axis.value.data else (self.array, axis)

    def verify_(self) -> None:
        axis = self.axis.value.data
        problem = unselectable(element_of(self.array), self.predicate.data)
        if problem is not None:
            raise self.fail(problem)
        self.verify_axis(axis, rank_of(self.array))
        self.verify_result(self.result, i64, _selected_shape(self.array, axis))


def _selected_shape(array: SSAValue, axis: int) -> list[int]:
    return [DYNAMIC if d == axis else size for d, size in enumerate(shape_of(array))]
