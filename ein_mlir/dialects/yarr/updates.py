"""Writes at positions, as functions from arrays to arrays: update and scatter."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import I64, DenseArrayBase, IntegerAttr, UnitAttr, i1, i64
from xdsl.ir import Operation, SSAValue
from xdsl.irdl import (
    AttrSizedOperandSegments,
    operand_def,
    opt_operand_def,
    opt_prop_def,
    prop_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.traits import Pure

from ein_mlir.dialects.creation import int_array, integer_attribute, ints_of
from ein_mlir.dialects.operation import Canonical, op_definition, subscripted
from ein_mlir.dialects.yarr.assembly import Signature
from ein_mlir.dialects.yarr.base import Size, YarrOp, verify_increasing
from ein_mlir.dialects.yarr.types import (
    DYNAMIC,
    SIZE,
    TENSOR,
    broadcast_shapes,
    compatible,
    element_of,
    rank_of,
    shape_of,
    tensor,
)


@op_definition
class UpdateOp(YarrOp):
    """The array with other elements at one position along some axes: ``r[:, p] = x``.

    There is a position for each of the axes, which increase. The value has the other axes of the
    array, in their order, and is repeated along those of static size 1. If a position is out of
    bounds nothing is updated: it is not clipped and does not count from the end. ``in_bounds``
    promises that all are in bounds. Nothing is updated either if a condition is false; then the
    promise is none.

    Example:
    ```mlir
    %r = yarr.update %a[%p] along [1], %x
      : (tensor<?x?xf64>, tensor<i64>, tensor<?xf64>) -> tensor<?x?xf64>
    %s = yarr.update %b[%q] along [0], %y if %c in_bounds
      : (tensor<?xf64>, tensor<i64>, tensor<f64>, tensor<i1>) -> tensor<?xf64>
    ```
    """

    name = "yarr.update"

    array = operand_def(TENSOR)
    axes_attr = prop_def(DenseArrayBase.constr(i64), prop_name="axes")
    positions = var_operand_def(SIZE)
    value = operand_def(TENSOR)
    condition = opt_operand_def(TENSOR)
    in_bounds = opt_prop_def(UnitAttr)
    result = result_def(TENSOR)

    irdl_options = (AttrSizedOperandSegments(as_property=True),)
    traits = traits_def(Pure())

    custom_directives = (Signature,)
    assembly_format = (
        "$array `[` $positions `]` `along` $axes `,` $value (`if` $condition^)? "
        "(`in_bounds` $in_bounds^)? attr-dict `:` custom<Signature>(type($array), "
        "type($positions), type($value), type($condition), type($result))"
    )

    def __init__(
        self,
        array: SSAValue | Operation,
        axes: Sequence[int],
        positions: Sequence[SSAValue | Operation],
        value: SSAValue | Operation,
        condition: SSAValue | Operation | None = None,
        *,
        in_bounds: bool = False,
    ):
        super().__init__(
            operands=[array, positions, value, condition],
            result_types=[SSAValue.get(array).type],
            properties={
                "axes": int_array(axes),
                "in_bounds": UnitAttr() if in_bounds else None,
            },
        )

    @property
    def axes(self) -> tuple[int, ...]:
        """The axes as integers."""
        return ints_of(self.axes_attr)

    def size_of_result(self, axis: int) -> Size:
        return self.array, axis

    def label(self, terms: Sequence[str]) -> str:
        condition = f" if {terms[-1]}" if self.condition is not None else ""
        array, *positions, value = terms[:-1] if condition else terms
        places = dict(zip(self.axes, positions, strict=True))
        indices = [places.get(axis, ":") for axis in range(max(places) + 1)]
        return f"{subscripted([array, *indices])} := {value}{condition}"

    def verify_(self) -> None:
        shape = shape_of(self.array)
        verify_increasing(self, self.axes, len(shape))
        if self.condition is not None and self.condition.type != tensor(i1, ()):
            raise self.fail(f"the condition must be a 'tensor<i1>', not a '{self.condition.type}'")
        if not self.axes or len(self.axes) != len(self.positions):
            raise self.fail(f"{len(self.positions)} positions do not fit axes {list(self.axes)}")
        self.verify_result(self.result, element_of(self.array), shape)
        rest = [size for axis, size in enumerate(shape) if axis not in self.axes]
        given = shape_of(self.value)
        repeated = (
            [r if g == 1 else g for g, r in zip(given, rest, strict=False)]
            if rank_of(self.value) == len(rest)
            else given
        )
        if element_of(self.value) != element_of(self.array) or not compatible(repeated, rest):
            expected = tensor(element_of(self.array), rest)
            raise self.fail(f"the value must be a '{expected}', not a '{self.value.type}'")


@op_definition
class UpdateSliceOp(YarrOp):
    """The array with other elements at every ``step``-th position: ``r[:, p : p + n*s : s] = x``.

    The operation promises that the ``count`` positions are in bounds, and that ``step`` is at least
    1. The value has the axes of the array, with ``count`` elements along that of the slice, and is
    repeated along those of static size 1.

    Example:
    ```mlir
    %r = yarr.update_slice %a[%start, %count by %step] along 1, %x
      : (tensor<?x?xf64>, tensor<i64>, tensor<i64>, tensor<i64>, tensor<?x?xf64>) -> tensor<?x?xf64>
    ```
    """

    name = "yarr.update_slice"

    array = operand_def(TENSOR)
    start = operand_def(SIZE)
    count = operand_def(SIZE)
    step = operand_def(SIZE)
    axis = prop_def(IntegerAttr.constr(I64))
    value = operand_def(TENSOR)
    result = result_def(TENSOR)

    traits = traits_def(Pure(), Canonical())

    assembly_format = (
        "$array `[` $start `,` $count `by` $step `]` `along` $axis `,` $value "
        "attr-dict `:` functional-type(operands, results)"
    )

    def __init__(
        self,
        array: SSAValue | Operation,
        start: SSAValue | Operation,
        count: SSAValue | Operation,
        step: SSAValue | Operation,
        axis: int,
        value: SSAValue | Operation,
    ):
        super().__init__(
            operands=[array, start, count, step, value],
            result_types=[SSAValue.get(array).type],
            properties={"axis": integer_attribute(axis, i64)},
        )

    def size_of_result(self, axis: int) -> Size:
        return self.array, axis

    def label(self, terms: Sequence[str]) -> str:
        array, start, count, step, value = terms
        indices = [":"] * self.axis.value.data + [f"{start} : {start} + {count}*{step} : {step}"]
        return f"{subscripted([array, *indices])} := {value}"

    def verify_(self) -> None:
        shape, axis = shape_of(self.array), self.axis.value.data
        self.verify_axis(axis, len(shape))
        given = shape_of(self.value)
        replaced = [DYNAMIC if k == axis else size for k, size in enumerate(shape)]
        repeated = (
            [r if g == 1 else g for g, r in zip(given, replaced, strict=True)]
            if len(given) == len(replaced)
            else given
        )
        if element_of(self.value) != element_of(self.array) or not compatible(repeated, replaced):
            expected = tensor(element_of(self.array), replaced)
            raise self.fail(f"the value must be a '{expected}', not a '{self.value.type}'")


@op_definition
class ScatterOp(YarrOp):
    """The array with other elements at many positions along its first axes: ``r[key] = x``.

    The leading axes of the values are positions, and keys, one for each of the first axes of the
    array, are arrays over these: ``result[keys[p], ...]`` is ``values[p, ...]``. Of equal keys the
    last one in row-major order counts. Values whose keys are out of bounds are ignored. Axes of
    static size 1 are repeated, in values and in keys.

    Example:
    ```mlir
    %r = yarr.scatter %a[%key], %x
      : (tensor<?x3xf64>, tensor<?xi64>, tensor<?x3xf64>) -> tensor<?x3xf64>
    ```
    """

    name = "yarr.scatter"

    array = operand_def(TENSOR)
    keys = var_operand_def(TENSOR)
    values = operand_def(TENSOR)
    result = result_def(TENSOR)

    traits = traits_def(Pure())

    assembly_format = (
        "$array `[` $keys `]` `,` $values attr-dict `:` functional-type(operands, results)"
    )

    def __init__(
        self,
        array: SSAValue | Operation,
        keys: Sequence[SSAValue | Operation],
        values: SSAValue | Operation,
    ):
        super().__init__(operands=[array, keys, values], result_types=[SSAValue.get(array).type])

    def size_of_result(self, axis: int) -> Size:
        return self.array, axis

    def label(self, terms: Sequence[str]) -> str:
        array, *keys, values = terms
        return f"{subscripted([array, *keys])} := {values}"

    def verify_(self) -> None:
        shape, element = shape_of(self.array), element_of(self.array)
        self.verify_result(self.result, element, shape)
        if not 0 < len(self.keys) <= len(shape):
            raise self.fail(f"{len(self.keys)} keys do not fit an array of rank {len(shape)}")
        if any(element_of(key) != i64 for key in self.keys):
            raise self.fail("keys must be Ints")
        positions = broadcast_shapes([shape_of(key) for key in self.keys])
        if positions is None:
            raise self.fail("keys must have the same positions")
        expected = [*positions, *shape[len(self.keys) :]]
        given = shape_of(self.values)
        repeated = (
            [e if g == 1 else g for g, e in zip(given, expected, strict=True)]
            if len(given) == len(expected)
            else given
        )
        if element_of(self.values) != element or not compatible(repeated, expected):
            type_ = tensor(element, expected)
            raise self.fail(f"the values must be a '{type_}', not a '{self.values.type}'")
