"""Reading at positions: gather, take, slice, strided."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import (
    I64,
    DenseArrayBase,
    IntegerAttr,
    UnitAttr,
    i64,
)
from xdsl.ir import (
    Operation,
    SSAValue,
)
from xdsl.irdl import (
    AttrSizedOperandSegments,
    operand_def,
    opt_prop_def,
    prop_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.traits import (
    Pure,
)
from xdsl.utils.exceptions import VerifyException

from ein_mlir.analysis.diagnostics import where_written
from ein_mlir.dialects.creation import int_array, integer_attribute, ints_of
from ein_mlir.dialects.operation import Canonical, op_definition, subscripted
from ein_mlir.dialects.yarr.base import Size, YarrOp, size_of_broadcast, verify_increasing
from ein_mlir.dialects.yarr.types import (
    DYNAMIC,
    SIZE,
    TENSOR,
    broadcast_shapes,
    element_of,
    rank_of,
    shape_of,
    show,
    tensor,
    without_axis,
)


def _verify_positions(op: YarrOp, positions: Sequence[SSAValue]) -> None:
    ranks = {rank_of(position) for position in positions}
    if len(ranks) > 1:
        raise VerifyException(
            f"{op.name}: positions must have one rank, got {sorted(ranks)}" + where_written(op)
        )
    for position in positions:
        if element_of(position) != i64:
            raise VerifyException(
                f"{op.name}: positions must be i64, got '{position.type}'" + where_written(op)
            )


@op_definition
class GatherOp(YarrOp):
    """Elements at positions along the leading axes: ``r[b, t] = a[p(b), q(b), t]``.

    The position arrays have one rank and broadcast against each other; each indexes one leading
    axis of the array. Positions are clipped, except those along the axes for which ``in_bounds``
    promises that all are in bounds. An indexed axis must not be empty if there is a position to
    read (see ``yarr.fill_empty``).

    Example:
    ```mlir
    %r = yarr.gather %a[%p, %q] in_bounds [0]
      : (tensor<?x?x3xf64>, tensor<?x1xi64>, tensor<1x?xi64>) -> tensor<?x?x3xf64>
    ```
    """

    name = "yarr.gather"

    array = operand_def(TENSOR)
    positions = var_operand_def(TENSOR)
    in_bounds_attr = opt_prop_def(DenseArrayBase.constr(i64), prop_name="in_bounds")
    result = result_def(TENSOR)

    traits = traits_def(Pure(), Canonical())

    assembly_format = (
        "$array `[` $positions `]` (`in_bounds` $in_bounds^)? attr-dict `:` "
        "functional-type(operands, results)"
    )

    def __init__(
        self,
        array: SSAValue | Operation,
        positions: Sequence[SSAValue | Operation],
        *,
        in_bounds: Sequence[int] = (),
    ):
        array = SSAValue.get(array)
        values = [SSAValue.get(position) for position in positions]
        shape = broadcast_shapes([shape_of(position) for position in values])
        if shape is None:
            raise ValueError("the positions of yarr.gather do not broadcast")
        super().__init__(
            operands=[array, values],
            result_types=[tensor(element_of(array), (*shape, *shape_of(array)[len(values) :]))],
            properties={"in_bounds": int_array(in_bounds) if in_bounds else None},
        )

    @property
    def in_bounds(self) -> tuple[int, ...]:
        """The axes along which all positions are in bounds."""
        return () if self.in_bounds_attr is None else ints_of(self.in_bounds_attr)

    def size_of_result(self, axis: int) -> Size | None:
        """``size(x[p, q], d) --> size(p, d)`` on axes of the positions, else of the array"""
        rank = rank_of(self.positions[0])
        if axis < rank:
            return size_of_broadcast(self.positions, axis)
        return self.array, axis - rank + len(self.positions)

    def label(self, terms: Sequence[str]) -> str:
        return subscripted(terms)

    def verify_(self) -> None:
        rank, count = rank_of(self.array), len(self.positions)
        if not 1 <= count <= rank:
            raise self.fail(f"{count} positions do not fit an array of rank {rank}")
        _verify_positions(self, self.positions)
        if self.in_bounds_attr is not None:
            verify_increasing(self, self.in_bounds, count)
        shape = broadcast_shapes([shape_of(position) for position in self.positions])
        if shape is None:
            shapes = ", ".join(show(shape_of(position)) for position in self.positions)
            raise self.fail(f"positions of shapes {shapes} do not broadcast")
        self.verify_result(
            self.result, element_of(self.array), (*shape, *shape_of(self.array)[count:])
        )


@op_definition
class TakeOp(YarrOp):
    """Elements at positions along one axis, which the axes of the positions replace.

    Positions are clipped, unless ``in_bounds`` promises that all are in bounds. A scalar position
    removes the axis.

    Example:
    ```mlir
    %r = yarr.take %a, 1, %p : (tensor<?x?xf64>, tensor<?xi64>) -> tensor<?x?xf64>
    ```
    """

    name = "yarr.take"

    array = operand_def(TENSOR)
    axis = prop_def(IntegerAttr.constr(I64))
    position = operand_def(TENSOR)
    in_bounds = opt_prop_def(UnitAttr)
    result = result_def(TENSOR)

    traits = traits_def(Pure(), Canonical())

    assembly_format = (
        "$array `,` $axis `,` $position (`in_bounds` $in_bounds^)? attr-dict `:` "
        "functional-type(operands, results)"
    )

    def __init__(
        self,
        array: SSAValue | Operation,
        axis: int,
        position: SSAValue | Operation,
        *,
        in_bounds: bool = False,
    ):
        array, position = SSAValue.get(array), SSAValue.get(position)
        shape = shape_of(array)
        super().__init__(
            operands=[array, position],
            result_types=[
                tensor(element_of(array), (*shape[:axis], *shape_of(position), *shape[axis + 1 :]))
            ],
            properties={
                "axis": integer_attribute(axis, i64),
                "in_bounds": UnitAttr() if in_bounds else None,
            },
        )

    def size_of_result(self, axis: int) -> Size:
        """``size(take(x, a, p), d) --> size(p, d - a)`` on the axes of the position"""
        taken, rank = self.axis.value.data, rank_of(self.position)
        if axis < taken:
            return self.array, axis
        is_of_position = axis < taken + rank
        return (self.position, axis - taken) if is_of_position else (self.array, axis - rank + 1)

    def verify_(self) -> None:
        shape, axis = shape_of(self.array), self.axis.value.data
        self.verify_axis(axis, len(shape))
        _verify_positions(self, (self.position,))
        self.verify_result(
            self.result,
            element_of(self.array),
            (*shape[:axis], *shape_of(self.position), *shape[axis + 1 :]),
        )


@op_definition
class SliceOp(YarrOp):
    """``size`` elements of an axis from ``start``, ``step`` apart: ``r[k] = a[start + k*step]``.

    The step is a non-zero constant and may be negative. All positions must be in bounds. With
    ``clip`` other positions are clipped, and elements of an empty axis are zero.

    Example:
    ```mlir
    %r = yarr.slice %a, 0, %start, %size step 2 : tensor<?xf64> -> tensor<?xf64>
    %s = yarr.slice %a, 0, %start, %size step 1 clip : tensor<?xf64> -> tensor<?xf64>
    ```
    """

    name = "yarr.slice"

    array = operand_def(TENSOR)
    axis = prop_def(IntegerAttr.constr(I64))
    start = operand_def(SIZE)
    size = operand_def(SIZE)
    step = prop_def(IntegerAttr.constr(I64))
    clip = opt_prop_def(UnitAttr)
    result = result_def(TENSOR)

    traits = traits_def(Pure(), Canonical())

    assembly_format = (
        "$array `,` $axis `,` $start `,` $size `step` $step (`clip` $clip^)? attr-dict `:` "
        "type($array) `->` type($result)"
    )

    def __init__(
        self,
        array: SSAValue | Operation,
        axis: int,
        start: SSAValue | Operation,
        size: SSAValue | Operation,
        step: int = 1,
        *,
        clip: bool = False,
    ):
        array = SSAValue.get(array)
        shape = without_axis(axis, shape_of(array))
        super().__init__(
            operands=[array, start, size],
            result_types=[tensor(element_of(array), shape)],
            properties={
                "axis": integer_attribute(axis, i64),
                "step": integer_attribute(step, i64),
                "clip": UnitAttr() if clip else None,
            },
        )

    def size_of_result(self, axis: int) -> Size:
        return self.size if axis == self.axis.value.data else (self.array, axis)

    def verify_(self) -> None:
        shape, axis = shape_of(self.array), self.axis.value.data
        self.verify_axis(axis, len(shape))
        if self.step.value.data == 0:
            raise self.fail("the step must not be 0")
        self.verify_result(self.result, element_of(self.array), without_axis(axis, shape))


@op_definition
class StridedOp(YarrOp):
    """Elements of an axis at positions affine in several indices, an axis of the result for each.

    ``r[i, j] = a[start + i*step0 + j*step1]`` for ``i`` and ``j`` below the sizes: the rows of an
    axis that holds rows one after another, or its windows. Positions are Ints modulo 2^64, and are
    clipped; elements of an empty axis are zero. If all positions are in bounds at run time, the
    result is a view.

    Example:
    ```mlir
    %r = yarr.strided %a, 0, %start, sizes(%n, %m), steps(%m, %one)
      : tensor<?xf64> -> tensor<?x?xf64>
    ```
    """

    name = "yarr.strided"

    array = operand_def(TENSOR)
    axis = prop_def(IntegerAttr.constr(I64))
    start = operand_def(SIZE)
    sizes = var_operand_def(SIZE)
    steps = var_operand_def(SIZE)
    result = result_def(TENSOR)

    irdl_options = (AttrSizedOperandSegments(as_property=True),)
    traits = traits_def(Pure(), Canonical())

    assembly_format = (
        "$array `,` $axis `,` $start `,` `sizes` `(` $sizes `)` `,` `steps` `(` $steps `)` "
        "attr-dict `:` type($array) `->` type($result)"
    )

    def __init__(
        self,
        array: SSAValue | Operation,
        axis: int,
        start: SSAValue | Operation,
        sizes: Sequence[SSAValue | Operation],
        steps: Sequence[SSAValue | Operation],
    ):
        array = SSAValue.get(array)
        super().__init__(
            operands=[array, start, sizes, steps],
            result_types=[tensor(element_of(array), self._shape(array, axis, len(sizes)))],
            properties={"axis": integer_attribute(axis, i64)},
        )

    @staticmethod
    def _shape(array: SSAValue, axis: int, count: int) -> tuple[int, ...]:
        """The shape of the array with axes of dynamic sizes in place of one."""
        shape = shape_of(array)
        return (*shape[:axis], *[DYNAMIC] * count, *shape[axis + 1 :])

    def size_of_result(self, axis: int) -> Size:
        first, count = self.axis.value.data, len(self.sizes)
        if axis < first:
            return self.array, axis
        return self.sizes[axis - first] if axis < first + count else (self.array, axis - count + 1)

    def verify_(self) -> None:
        axis = self.axis.value.data
        self.verify_axis(axis, rank_of(self.array))
        if not self.sizes or len(self.sizes) != len(self.steps):
            raise self.fail(
                f"each size needs a step: there are {len(self.sizes)} sizes and "
                f"{len(self.steps)} steps"
            )
        self.verify_result(
            self.result, element_of(self.array), self._shape(self.array, axis, len(self.sizes))
        )
