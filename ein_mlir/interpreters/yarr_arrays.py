"""The reference semantics of the operations of yarr that move elements, or put them in order."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias, cast

import numpy as np
from numpy.typing import NDArray
from xdsl.interpreter import Interpreter, InterpreterFunctions, PythonValues, impl, register_impls
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.utils.exceptions import InterpretationError

from ein_mlir.analysis.arithmetic import no_size
from ein_mlir.dialects import yarr
from ein_mlir.interpreters.values import DTYPES, place_in_order, sorted_positions, top_k

Array: TypeAlias = NDArray[Any]


def dtype_of(type_: Attribute) -> np.dtype[Any]:
    """The element type of the arrays of a type."""
    return np.dtype(DTYPES[yarr.element_of(type_)])


def require(condition: bool, op: Operation, message: str) -> None:
    """Raise InterpretationError if an obligation of a program does not hold."""
    if not condition:
        raise InterpretationError(f"{op.name}: {message}")


def require_size(size: Array, op: Operation) -> int:
    """A number that is the size of an array."""
    reason = no_size(int(size))
    require(reason is None, op, f"the size {reason}")
    return int(size)


def _positions(
    positions: Array, size: int, op: yarr.GatherOp | yarr.TakeOp, in_bounds: bool
) -> Array:
    """Positions clipped to an axis of a size, or checked to be in bounds."""
    require(size > 0 or positions.size == 0, op, "an empty axis is read")
    clipped = np.minimum(np.maximum(positions, 0), size - 1)
    require(not in_bounds or np.array_equal(clipped, positions), op, "out of bounds")
    return clipped


def part_of(array: Array, axis: int, part: slice) -> Array:
    """A view of the positions of an axis."""
    return array[(*(slice(None),) * axis, part)]


def _one_zero(array: Array, axis: int) -> Array:
    """Zeros in the shape of an array, with size 1 along an empty axis."""
    shape = [1 if d == axis else size for d, size in enumerate(array.shape)]
    return np.zeros(shape, array.dtype)


def common_shape(
    op: Operation, static: Sequence[Sequence[int]], actual: Sequence[Sequence[int]]
) -> tuple[int, ...]:
    """The broadcast shape, with repetition along axes of static size 1; other sizes must agree."""
    shape = list[int]()
    for axis in range(len(static[0]) if static else 0):
        sizes = {
            sizes[axis] for sizes, known in zip(actual, static, strict=True) if known[axis] != 1
        }
        require(len(sizes) <= 1, op, f"sizes along axis {axis} differ: {sorted(sizes)}")
        shape.append(sizes.pop() if sizes else 1)
    return tuple(shape)


def broadcast(op: Operation, operands: Sequence[SSAValue], args: PythonValues) -> tuple[Array, ...]:
    """Arrays repeated along axes of static size 1; their other sizes must agree."""
    shape = common_shape(op, list(map(yarr.shape_of, operands)), [a.shape for a in args])
    return tuple(np.broadcast_to(array, shape) for array in args)


@register_impls
class ArrayFunctions(InterpreterFunctions):
    """Runs these operations, each by a function of NumPy or by positions."""

    @impl(yarr.RangeOp)
    def run_range(
        self, interpreter: Interpreter, op: yarr.RangeOp, args: PythonValues
    ) -> PythonValues:
        """The Ints from 0 up to the size."""
        return (np.arange(require_size(args[0], op), dtype=np.int64),)

    @impl(yarr.SizeOp)
    def run_size(
        self, interpreter: Interpreter, op: yarr.SizeOp, args: PythonValues
    ) -> PythonValues:
        """The number of elements along the axis."""
        return (np.array(args[0].shape[op.axis.value.data], np.int64),)

    @impl(yarr.TransposeOp)
    def run_transpose(
        self, interpreter: Interpreter, op: yarr.TransposeOp, args: PythonValues
    ) -> PythonValues:
        """The axes in another order."""
        return (np.transpose(args[0], op.axes),)

    @impl(yarr.SqueezeOp)
    def run_squeeze(
        self, interpreter: Interpreter, op: yarr.SqueezeOp, args: PythonValues
    ) -> PythonValues:
        """The array without the axes, which must have size 1."""
        require(all(args[0].shape[axis] == 1 for axis in op.axes), op, "only size 1 can be removed")
        return (np.squeeze(args[0], op.axes),)

    @impl(yarr.UnsqueezeOp)
    def run_unsqueeze(
        self, interpreter: Interpreter, op: yarr.UnsqueezeOp, args: PythonValues
    ) -> PythonValues:
        """The array with the new axes."""
        return (np.expand_dims(args[0], op.axes),)

    @impl(yarr.RepeatOp)
    def run_repeat(
        self, interpreter: Interpreter, op: yarr.RepeatOp, args: PythonValues
    ) -> PythonValues:
        """The array with the axis, which must have size 1, repeated to the size."""
        array, size = args
        axis = op.axis.value.data
        require(array.shape[axis] == 1, op, "only size 1 can be repeated")
        return (np.repeat(array, require_size(size, op), axis),)

    @impl(yarr.GatherOp)
    def run_gather(
        self, interpreter: Interpreter, op: yarr.GatherOp, args: PythonValues
    ) -> PythonValues:
        """Each element at its clipped positions."""
        array, *positions = args
        clipped = [
            _positions(each, array.shape[axis], op, axis in op.in_bounds)
            for axis, each in enumerate(positions)
        ]
        spread = broadcast(op, op.positions, tuple(clipped))
        shape = spread[0].shape
        result = np.empty((*shape, *array.shape[len(positions) :]), array.dtype)
        for index in np.ndindex(shape):
            result[index] = array[tuple(p[index] for p in spread)]
        return (result,)

    @impl(yarr.TakeOp)
    def run_take(
        self, interpreter: Interpreter, op: yarr.TakeOp, args: PythonValues
    ) -> PythonValues:
        """The elements at the positions, whose axes replace the axis."""
        array, positions = args
        axis = op.axis.value.data
        clipped = _positions(positions, array.shape[axis], op, op.in_bounds is not None)
        return (np.asarray(np.take(array, clipped, axis)),)

    @impl(yarr.UpdateOp)
    def run_update(
        self, interpreter: Interpreter, op: yarr.UpdateOp, args: PythonValues
    ) -> PythonValues:
        """A copy of the array, with the value at the positions if all of them are in bounds.

        A condition must be true, too.
        """
        array, *positions, value = args if op.condition is None else args[:-1]
        updated = array.copy()
        if op.condition is not None and not args[-1]:
            return (updated,)
        place: list[int | slice] = [slice(None)] * array.ndim
        for axis, position in zip(op.axes, positions, strict=True):
            if not 0 <= position < array.shape[axis]:
                require(op.in_bounds is None, op, "out of bounds")
                return (updated,)
            place[axis] = int(position)
        updated[tuple(place)] = value
        return (updated,)

    @impl(yarr.UpdateSliceOp)
    def run_update_slice(
        self, interpreter: Interpreter, op: yarr.UpdateSliceOp, args: PythonValues
    ) -> PythonValues:
        """A copy of the array, with the values at their positions, which must be in bounds."""
        array, start, count, step, value = cast(tuple[Array, Array, Array, Array, Array], args)
        axis = op.axis.value.data
        positions: Array = int(start) + np.arange(int(count)) * int(step)
        inside = (positions >= 0) & (positions < array.shape[axis])
        require(bool(np.all(inside)) and (int(count) == 0 or int(step) >= 1), op, "out of bounds")
        updated = array.copy()
        updated[(*[slice(None)] * axis, positions)] = value
        return (updated,)

    @impl(yarr.ScatterOp)
    def run_scatter(
        self, interpreter: Interpreter, op: yarr.ScatterOp, args: PythonValues
    ) -> PythonValues:
        """A copy of the array, with one value after the other at its position, if in bounds."""
        array, *keys, values = cast(tuple[Array, ...], args)
        spread = broadcast(op, op.keys, tuple(keys))
        positions = spread[0].shape
        repeated = np.broadcast_to(values, (*positions, *array.shape[len(keys) :]))
        result = array.copy()
        for index in np.ndindex(positions):
            place = tuple(int(key[index]) for key in spread)
            if all(0 <= p < size for p, size in zip(place, array.shape, strict=False)):
                result[place] = repeated[index]
        return (result,)

    @impl(yarr.SliceOp)
    def run_slice(
        self, interpreter: Interpreter, op: yarr.SliceOp, args: PythonValues
    ) -> PythonValues:
        """The elements at ``start + k*step``, which must be in bounds unless they are clipped."""
        array, start, size = cast(tuple[Array, Array, Array], args)
        axis = op.axis.value.data
        positions: Array = int(start) + np.arange(require_size(size, op)) * op.step.value.data
        if op.clip is not None and array.shape[axis] == 0:
            array = _one_zero(array, axis)
        clipped = np.minimum(np.maximum(positions, 0), array.shape[axis] - 1)
        require(op.clip is not None or np.array_equal(clipped, positions), op, "out of bounds")
        return (np.take(array, clipped, axis),)

    @impl(yarr.StridedOp)
    def run_strided(
        self, interpreter: Interpreter, op: yarr.StridedOp, args: PythonValues
    ) -> PythonValues:
        """The elements at ``start + i*step0 + j*step1 + ..``, modulo 2^64 and clipped."""
        array, positions = args[0], np.asarray(args[1])
        axis, count = op.axis.value.data, len(op.sizes)
        for size, step in zip(args[2 : 2 + count], args[2 + count :], strict=True):
            positions = np.asarray(positions)[..., None] + np.arange(require_size(size, op)) * step
        if array.shape[axis] == 0:
            array = _one_zero(array, axis)
        clipped = np.minimum(np.maximum(positions, 0), array.shape[axis] - 1)
        return (np.take(array, clipped, axis),)

    @impl(yarr.FlattenOp)
    def run_flatten(
        self, interpreter: Interpreter, op: yarr.FlattenOp, args: PythonValues
    ) -> PythonValues:
        """The array with two axes joined."""
        (array,), axis = args, op.axis.value.data
        first, second = array.shape[axis : axis + 2]
        return (array.reshape(*array.shape[:axis], first * second, *array.shape[axis + 2 :]),)

    @impl(yarr.PadOp)
    def run_pad(self, interpreter: Interpreter, op: yarr.PadOp, args: PythonValues) -> PythonValues:
        """The elements at ``-low`` up to ``size + high``, clipped."""
        array, low, high = cast(tuple[Array, Array, Array], args)
        axis = op.axis.value.data
        size: int = array.shape[axis]
        positions: Array = np.arange(-require_size(low, op), size + require_size(high, op))
        require(size > 0 or positions.size == 0, op, "an empty axis has no ends to copy")
        return (np.take(array, np.minimum(np.maximum(positions, 0), size - 1), axis),)

    @impl(yarr.FillEmptyOp)
    def run_fill_empty(
        self, interpreter: Interpreter, op: yarr.FillEmptyOp, args: PythonValues
    ) -> PythonValues:
        """The array, or one zero along the axis if that is empty."""
        (array,) = args
        axis = op.axis.value.data
        return (array if array.shape[axis] > 0 else _one_zero(array, axis),)

    @impl(yarr.ConcatOp)
    def run_concat(
        self, interpreter: Interpreter, op: yarr.ConcatOp, args: PythonValues
    ) -> PythonValues:
        """The arrays end to end."""
        axis, arrays = op.axis.value.data, args[: len(op.arrays)]
        for array in arrays[1:]:
            for d, (m, n) in enumerate(zip(arrays[0].shape, array.shape, strict=True)):
                if d != axis and m != n:
                    raise ValueError(f"concat: sizes along axis {d} differ: {m} != {n}")
        result: Array = np.concatenate(arrays, axis)
        if op.size is not None:
            require(result.shape[axis] == args[-1], op, "the parts do not have the given size")
        return (result,)

    @impl(yarr.TopKOp)
    def run_top_k(
        self, interpreter: Interpreter, op: yarr.TopKOp, args: PythonValues
    ) -> PythonValues:
        """Searches along the axis at each position along the others."""
        array, count = cast(tuple[Array, Array], args)
        rows = np.moveaxis(array, op.axis.value.data, -1)
        result = np.empty((*rows.shape[:-1], require_size(count, op)), np.int64)
        for index in np.ndindex(rows.shape[:-1]):
            result[index] = top_k(
                rows[index], int(count), op.predicate.data, yarr.element_of(op.array)
            )
        return (np.moveaxis(result, -1, op.axis.value.data),)

    @impl(yarr.ArgsortOp)
    def run_argsort(
        self, interpreter: Interpreter, op: yarr.ArgsortOp, args: PythonValues
    ) -> PythonValues:
        """The order along the axis at each position along the others."""
        rows = np.moveaxis(cast(Array, args[0]), op.axis.value.data, -1)
        result = np.empty(rows.shape, np.int64)
        for index in np.ndindex(rows.shape[:-1]):
            result[index] = sorted_positions(list(rows[index]))
        return (np.moveaxis(result, -1, op.axis.value.data),)

    @impl(yarr.SortOp)
    def run_sort(
        self, interpreter: Interpreter, op: yarr.SortOp, args: PythonValues
    ) -> PythonValues:
        """The elements in order along the axis, at each position along the others."""
        rows = np.moveaxis(cast(Array, args[0]), op.axis.value.data, -1).copy()
        for index in np.ndindex(rows.shape[:-1]):
            rows[index] = rows[index][sorted_positions(list(rows[index]))]
        return (np.moveaxis(rows, -1, op.axis.value.data),)

    @impl(yarr.SearchsortedOp)
    def run_searchsorted(
        self, interpreter: Interpreter, op: yarr.SearchsortedOp, args: PythonValues
    ) -> PythonValues:
        """A count for each value, among the elements of its vector."""
        array, values = cast(tuple[Array, Array], args)
        result, leading = np.empty(values.shape, np.int64), array.ndim - 1
        for index in np.ndindex(values.shape):
            elements = list(array[index[:leading]])
            result[index] = place_in_order(elements, values[index], op.right is not None)
        return (result,)
