"""Operations that move, insert, repeat and join axes."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import (
    I64,
    DenseArrayBase,
    IntegerAttr,
    i64,
)
from xdsl.ir import (
    Operation,
    SSAValue,
)
from xdsl.irdl import (
    AttrSizedOperandSegments,
    operand_def,
    opt_operand_def,
    prop_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.traits import (
    Pure,
)

from ein_mlir.dialects.creation import int_array, integer_attribute, ints_of
from ein_mlir.dialects.operation import Canonical, op_definition
from ein_mlir.dialects.yarr.base import Size, YarrOp, remaining, verify_increasing
from ein_mlir.dialects.yarr.types import (
    DYNAMIC,
    SIZE,
    TENSOR,
    compatible,
    element_of,
    filled_shape,
    insert_ones,
    rank_of,
    shape_of,
    tensor,
    without_axis,
)


@op_definition
class TransposeOp(YarrOp):
    """Axes in another order: axis ``d`` of the result is axis ``permutation[d]`` of the operand.

    Example:
    ```mlir
    %t = yarr.transpose %a, [1, 0] : tensor<?x3xf64> -> tensor<3x?xf64>
    ```
    """

    name = "yarr.transpose"

    array = operand_def(TENSOR)
    permutation = prop_def(DenseArrayBase.constr(i64))
    result = result_def(TENSOR)

    traits = traits_def(Pure(), Canonical())

    assembly_format = "$array `,` $permutation attr-dict `:` type($array) `->` type($result)"

    def __init__(self, array: SSAValue | Operation, permutation: Sequence[int]):
        array = SSAValue.get(array)
        shape = shape_of(array)
        super().__init__(
            operands=[array],
            result_types=[tensor(element_of(array), [shape[axis] for axis in permutation])],
            properties={"permutation": int_array(permutation)},
        )

    @property
    def axes(self) -> tuple[int, ...]:
        """The permutation as integers."""
        return ints_of(self.permutation)

    def size_of_result(self, axis: int) -> Size:
        return self.array, self.axes[axis]

    def verify_(self) -> None:
        shape = shape_of(self.array)
        if sorted(self.axes) != list(range(len(shape))):
            raise self.fail(
                f"{list(self.axes)} is not a permutation of the {len(shape)} axes of "
                f"'{self.array.type}'"
            )
        self.verify_result(self.result, element_of(self.array), [shape[axis] for axis in self.axes])


@op_definition
class SqueezeOp(YarrOp):
    """Axes of size 1 removed. Axes are those of the operand, in increasing order.

    Example:
    ```mlir
    %s = yarr.squeeze %a, [0] : tensor<1x?xf64> -> tensor<?xf64>
    ```
    """

    name = "yarr.squeeze"

    array = operand_def(TENSOR)
    axes_attr = prop_def(DenseArrayBase.constr(i64), prop_name="axes")
    result = result_def(TENSOR)

    traits = traits_def(Pure(), Canonical())

    assembly_format = "$array `,` $axes attr-dict `:` type($array) `->` type($result)"

    def __init__(self, array: SSAValue | Operation, axes: Sequence[int]):
        array = SSAValue.get(array)
        shape = [size for d, size in enumerate(shape_of(array)) if d not in axes]
        super().__init__(
            operands=[array],
            result_types=[tensor(element_of(array), shape)],
            properties={"axes": int_array(axes)},
        )

    @property
    def axes(self) -> tuple[int, ...]:
        """The removed axes of the operand."""
        return ints_of(self.axes_attr)

    def size_of_result(self, axis: int) -> Size:
        return self.array, remaining(self.array, self.axes, axis)

    def verify_(self) -> None:
        shape = shape_of(self.array)
        verify_increasing(self, self.axes, len(shape))
        for axis in self.axes:
            if shape[axis] not in (1, DYNAMIC):
                raise self.fail(f"axis {axis} has size {shape[axis]}, only size 1 can be removed")
        self.verify_result(
            self.result,
            element_of(self.array),
            [size for d, size in enumerate(shape) if d not in self.axes],
        )


@op_definition
class UnsqueezeOp(YarrOp):
    """Axes of size 1 added. Axes are those of the result, in increasing order.

    Example:
    ```mlir
    %u = yarr.unsqueeze %a, [0] : tensor<?xf64> -> tensor<1x?xf64>
    ```
    """

    name = "yarr.unsqueeze"

    array = operand_def(TENSOR)
    axes_attr = prop_def(DenseArrayBase.constr(i64), prop_name="axes")
    result = result_def(TENSOR)

    traits = traits_def(Pure(), Canonical())

    assembly_format = "$array `,` $axes attr-dict `:` type($array) `->` type($result)"

    def __init__(self, array: SSAValue | Operation, axes: Sequence[int]):
        array = SSAValue.get(array)
        super().__init__(
            operands=[array],
            result_types=[tensor(element_of(array), insert_ones(shape_of(array), axes))],
            properties={"axes": int_array(axes)},
        )

    @property
    def axes(self) -> tuple[int, ...]:
        """The new axes of the result."""
        return ints_of(self.axes_attr)

    def size_of_result(self, axis: int) -> Size:
        added = sum(d < axis for d in self.axes)
        return 1 if axis in self.axes else (self.array, axis - added)

    def verify_(self) -> None:
        rank = rank_of(self.array) + len(self.axes)
        verify_increasing(self, self.axes, rank)
        shape = insert_ones(shape_of(self.array), self.axes)
        self.verify_result(self.result, element_of(self.array), shape)
        given = shape_of(self.result)
        own = [given[d] if d in self.axes else size for d, size in enumerate(shape)]
        self.verify_ones(self.result, own)


@op_definition
class RepeatOp(YarrOp):
    """An axis of size 1 repeated to a size; a negative size is an error.

    Example:
    ```mlir
    %r = yarr.repeat %a, 0, %n : tensor<1x3xf64> -> tensor<?x3xf64>
    ```
    """

    name = "yarr.repeat"

    array = operand_def(TENSOR)
    axis = prop_def(IntegerAttr.constr(I64))
    size = operand_def(SIZE)
    result = result_def(TENSOR)

    traits = traits_def(Pure(), Canonical())

    assembly_format = "$array `,` $axis `,` $size attr-dict `:` type($array) `->` type($result)"

    def __init__(self, array: SSAValue | Operation, axis: int, size: SSAValue | Operation):
        array = SSAValue.get(array)
        shape = without_axis(axis, shape_of(array))
        super().__init__(
            operands=[array, size],
            result_types=[tensor(element_of(array), shape)],
            properties={"axis": integer_attribute(axis, i64)},
        )

    def size_of_result(self, axis: int) -> Size:
        return self.size if axis == self.axis.value.data else (self.array, axis)

    def verify_(self) -> None:
        shape, axis = shape_of(self.array), self.axis.value.data
        self.verify_axis(axis, len(shape))
        if shape[axis] not in (1, DYNAMIC):
            raise self.fail(f"axis {axis} has size {shape[axis]}, only size 1 can be repeated")
        self.verify_result(self.result, element_of(self.array), without_axis(axis, shape))


@op_definition
class PadOp(YarrOp):
    """An axis extended at both ends by copies of its first and last element.

    The axis must not be empty if there is a copy.

    Example:
    ```mlir
    %r = yarr.pad %a, 0, %low, %high : tensor<?xf64> -> tensor<?xf64>
    ```
    """

    name = "yarr.pad"

    array = operand_def(TENSOR)
    axis = prop_def(IntegerAttr.constr(I64))
    low = operand_def(SIZE)
    high = operand_def(SIZE)
    result = result_def(TENSOR)

    traits = traits_def(Pure(), Canonical())

    assembly_format = (
        "$array `,` $axis `,` $low `,` $high attr-dict `:` type($array) `->` type($result)"
    )

    def __init__(
        self,
        array: SSAValue | Operation,
        axis: int,
        low: SSAValue | Operation,
        high: SSAValue | Operation,
    ):
        array = SSAValue.get(array)
        shape = without_axis(axis, shape_of(array))
        super().__init__(
            operands=[array, low, high],
            result_types=[tensor(element_of(array), shape)],
            properties={"axis": integer_attribute(axis, i64)},
        )

    def size_of_result(self, axis: int) -> Size | None:
        return (self.array, axis) if axis != self.axis.value.data else None

    def verify_(self) -> None:
        shape, axis = shape_of(self.array), self.axis.value.data
        self.verify_axis(axis, len(shape))
        self.verify_result(self.result, element_of(self.array), without_axis(axis, shape))


@op_definition
class FillEmptyOp(YarrOp):
    """The array itself, or one zero along an axis if that axis is empty.

    This makes reads of an empty axis total: they give zero.

    Example:
    ```mlir
    %r = yarr.fill_empty %a, 0 : tensor<?x3xf64> -> tensor<?x3xf64>
    ```
    """

    name = "yarr.fill_empty"

    array = operand_def(TENSOR)
    axis = prop_def(IntegerAttr.constr(I64))
    result = result_def(TENSOR)

    traits = traits_def(Pure(), Canonical())

    assembly_format = "$array `,` $axis attr-dict `:` type($array) `->` type($result)"

    def __init__(self, array: SSAValue | Operation, axis: int):
        array = SSAValue.get(array)
        super().__init__(
            operands=[array],
            result_types=[tensor(element_of(array), filled_shape(axis, shape_of(array)))],
            properties={"axis": integer_attribute(axis, i64)},
        )

    def size_of_result(self, axis: int) -> Size | None:
        return (self.array, axis) if axis != self.axis.value.data else None

    def verify_(self) -> None:
        shape, axis = shape_of(self.array), self.axis.value.data
        self.verify_axis(axis, len(shape))
        self.verify_result(self.result, element_of(self.array), filled_shape(axis, shape))


@op_definition
class ConcatOp(YarrOp):
    """Arrays end to end along an axis; their other sizes must agree.

    ``of %n`` promises that the result has the size ``%n`` along the axis.

    Example:
    ```mlir
    %r = yarr.concat %a, %b axis 0 : (tensor<?xf64>, tensor<3xf64>) -> tensor<?xf64>
    %s = yarr.concat %low, %high axis 0 of %n : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
    ```
    """

    name = "yarr.concat"

    arrays = var_operand_def(TENSOR)
    size = opt_operand_def(SIZE)
    axis = prop_def(IntegerAttr.constr(I64))
    result = result_def(TENSOR)

    traits = traits_def(Pure(), Canonical())

    assembly_format = (
        "$arrays `axis` $axis (`of` $size^)? attr-dict `:` functional-type($arrays, $result)"
    )
    irdl_options = (AttrSizedOperandSegments(as_property=True),)

    def __init__(
        self,
        arrays: Sequence[SSAValue | Operation],
        axis: int,
        size: SSAValue | Operation | None = None,
    ):
        values = [SSAValue.get(array) for array in arrays]
        shape = without_axis(axis, shape_of(values[0]))
        super().__init__(
            operands=[values, size],
            result_types=[tensor(element_of(values[0]), shape)],
            properties={"axis": integer_attribute(axis, i64)},
        )

    def size_of_result(self, axis: int) -> Size | None:
        is_along = axis == self.axis.value.data
        if is_along and self.size is not None:
            return self.size
        return None if is_along and len(self.arrays) > 1 else (self.arrays[0], axis)

    def verify_(self) -> None:
        if not self.arrays:
            raise self.fail("at least one array is needed")
        axis, first = self.axis.value.data, self.arrays[0]
        self.verify_axis(axis, rank_of(first))
        common = without_axis(axis, shape_of(first))
        for array in self.arrays[1:]:
            shape = shape_of(array)
            if (
                element_of(array) != element_of(first)
                or len(shape) != rank_of(first)
                or not compatible(without_axis(axis, shape), common)
            ):
                raise self.fail(
                    f"'{array.type}' does not continue '{first.type}' along axis {axis}"
                )
            common = [
                new if old == DYNAMIC else old
                for old, new in zip(common, without_axis(axis, shape), strict=True)
            ]
        self.verify_result(self.result, element_of(first), common)


@op_definition
class FlattenOp(YarrOp):
    """Two adjacent axes as one: ``r[i*m + j] = a[i, j]``, where ``m`` is the size of the second.

    The axes are ``axis`` and the next one.

    Example:
    ```mlir
    %r = yarr.flatten %a, 0 : tensor<?x?x3xf64> -> tensor<?x3xf64>
    ```
    """

    name = "yarr.flatten"

    array = operand_def(TENSOR)
    axis = prop_def(IntegerAttr.constr(I64))
    result = result_def(TENSOR)

    traits = traits_def(Pure(), Canonical())

    assembly_format = "$array `,` $axis attr-dict `:` type($array) `->` type($result)"

    def __init__(self, array: SSAValue | Operation, axis: int):
        array = SSAValue.get(array)
        super().__init__(
            operands=[array],
            result_types=[tensor(element_of(array), self._shape(array, axis))],
            properties={"axis": integer_attribute(axis, i64)},
        )

    @staticmethod
    def _shape(array: SSAValue, axis: int) -> tuple[int, ...]:
        """The shape with one axis in place of two: their product, if both are known."""
        shape = shape_of(array)
        first, second = shape[axis : axis + 2]
        joined = DYNAMIC if DYNAMIC in (first, second) else first * second
        return (*shape[:axis], joined, *shape[axis + 2 :])

    def size_of_result(self, axis: int) -> Size | None:
        first = self.axis.value.data
        if axis == first:
            return None
        return self.array, axis if axis < first else axis + 1

    def verify_(self) -> None:
        axis, rank = self.axis.value.data, rank_of(self.array)
        if not 0 <= axis < rank - 1:
            raise self.fail(f"axis {axis} and the next one are not axes of an array of rank {rank}")
        self.verify_result(self.result, element_of(self.array), self._shape(self.array, axis))
