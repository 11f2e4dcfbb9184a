"""The reference semantics of yarr: each operation on NumPy arrays, slow and simple.

Passes on yarr are tested against it. It is strict about the obligations of a program: a position
marked as in bounds must be in bounds, sizes that are not statically 1 must agree, and every value
must have the static sizes and the element type of its type. A violation is an
``InterpretationError``; a failing assertion of the program is a ``ValueError``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias, cast

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects import arith, func
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, ModuleOp, TensorType, TupleType
from xdsl.interpreter import (
    Interpreter,
    InterpreterFunctions,
    PythonValues,
    ReturnedValues,
    TerminatorValue,
    impl,
    impl_terminator,
    register_impls,
)
from xdsl.interpreters.func import FuncFunctions
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.traits import SymbolTable
from xdsl.utils.exceptions import InterpretationError

from ein_mlir.analysis.arithmetic import no_size
from ein_mlir.analysis.diagnostics import index_name
from ein_mlir.analysis.hints import isa
from ein_mlir.dialects import yarr
from ein_mlir.interpreters.scalars import ScalarFunctions, combiner, constant, weigher
from ein_mlir.interpreters.values import DTYPES, place_in_order, search, sorted_positions, top_k

Array: TypeAlias = NDArray[Any]


def run_yarr(
    module: ModuleOp,
    entry: str,
    args: Sequence[object],
    externs: Mapping[str, Callable[..., object]] | None = None,
    block_size: int = 2,
) -> object:
    """Call the function ``entry`` of a module on NumPy arrays, Python numbers and tuples of them.

    A scalar result is a NumPy scalar, a record a tuple, several results are a tuple of them.
    ``externs`` holds the functions that ``yarr.extern`` may call. ``yarr.tile`` works on
    ``block_size`` positions at a time.

    >>> from xdsl.context import Context
    >>> from xdsl.dialects.builtin import Builtin
    >>> from xdsl.parser import Parser
    >>> context = Context()
    >>> for dialect in (arith.Arith, Builtin, func.Func, yarr.Yarr):
    ...     context.load_dialect(dialect)
    >>> module = Parser(context, '''
    ...     func.func @squares(%n : tensor<i64>) -> tensor<?xi64> {
    ...       %i = yarr.range %n : tensor<?xi64>
    ...       %y = yarr.elementwise { arith.muli } %i, %i
    ...          : (tensor<?xi64>, tensor<?xi64>) -> tensor<?xi64>
    ...       func.return %y : tensor<?xi64>
    ...     }
    ... ''').parse_module()
    >>> run_yarr(module, "squares", [5])
    array([ 0,  1,  4,  9, 16])
    """
    function = SymbolTable.lookup_symbol(module, entry)
    if not isinstance(function, func.FuncOp):
        raise ValueError(f"no function '@{entry}' in the module")
    types = function.function_type.inputs.data
    if len(args) != len(types):
        raise TypeError(f"@{entry} takes {len(types)} arguments, got {len(args)}")
    interpreter = Interpreter(module, listeners=(_TypesHold(),))
    interpreter.register_implementations(FuncFunctions())
    interpreter.register_implementations(ScalarFunctions())
    interpreter.register_implementations(YarrFunctions(externs or {}, block_size), override=True)
    with np.errstate(all="ignore"):
        values = tuple(_from_python(arg, type_) for arg, type_ in zip(args, types, strict=True))
        results = tuple(map(_to_python, interpreter.call_op(function, values)))
    return results[0] if len(results) == 1 else results


def _from_python(value: object, type_: Attribute) -> object:
    if isa(type_, TupleType):
        fields = cast(Sequence[object], value)
        return tuple(_from_python(x, t) for x, t in zip(fields, type_.types, strict=True))
    array = np.asarray(value)
    if not isinstance(value, np.ndarray | np.generic):
        array = array.astype(_dtype(type_))
    _check_type(array, type_)
    return array


def _to_python(value: object) -> object:
    if isinstance(value, tuple):
        return tuple(map(_to_python, cast(tuple[object, ...], value)))
    return cast(Array, value)[()]


def _dtype(type_: Attribute) -> np.dtype[Any]:
    return np.dtype(DTYPES[yarr.element_of(type_)])


def _check_type(value: object, type_: Attribute) -> None:
    """Raise unless an array or a record is of a type: dtype, rank and static sizes."""
    if isa(type_, TupleType):
        for field_, field_type in zip(cast(PythonValues, value), type_.types, strict=True):
            _check_type(field_, field_type)
    elif isa(type_, TensorType):
        assert isinstance(value, np.ndarray)
        array = cast(Array, value)
        if array.dtype != _dtype(type_) or not yarr.compatible(array.shape, yarr.shape_of(type_)):
            raise InterpretationError(
                f"an array of {array.dtype} of shape {array.shape} is not a '{type_}'"
            )


class _TypesHold(Interpreter.Listener):
    """Checks every value against its type."""

    def did_interpret_op(self, op: Operation, results: PythonValues) -> None:
        for result, value in zip(op.results, results, strict=True):
            _check_type(value, result.type)


def _require(condition: bool, op: Operation, message: str) -> None:
    if not condition:
        raise InterpretationError(f"{op.name}: {message}")


def _require_size(size: Array, op: Operation) -> int:
    reason = no_size(int(size))
    _require(reason is None, op, f"the size {reason}")
    return int(size)


def _positions(
    positions: Array, size: int, op: yarr.GatherOp | yarr.TakeOp, in_bounds: bool
) -> Array:
    """Positions clipped to an axis of a size, or checked to be in bounds."""
    _require(size > 0 or positions.size == 0, op, "an empty axis is read")
    clipped = np.minimum(np.maximum(positions, 0), size - 1)
    _require(not in_bounds or np.array_equal(clipped, positions), op, "out of bounds")
    return clipped


def _part(array: Array, axis: int, part: slice) -> Array:
    """A view of the positions of an axis."""
    return array[(*(slice(None),) * axis, part)]


def _one_zero(array: Array, axis: int) -> Array:
    """Zeros in the shape of an array, with size 1 along an empty axis."""
    shape = [1 if d == axis else size for d, size in enumerate(array.shape)]
    return np.zeros(shape, array.dtype)


def _common_shape(
    op: Operation, static: Sequence[Sequence[int]], actual: Sequence[Sequence[int]]
) -> tuple[int, ...]:
    """The broadcast shape, with repetition along axes of static size 1; other sizes must agree."""
    shape = list[int]()
    for axis in range(len(static[0]) if static else 0):
        sizes = {
            sizes[axis] for sizes, known in zip(actual, static, strict=True) if known[axis] != 1
        }
        _require(len(sizes) <= 1, op, f"sizes along axis {axis} differ: {sorted(sizes)}")
        shape.append(sizes.pop() if sizes else 1)
    return tuple(shape)


def _broadcast(
    op: Operation, operands: Sequence[SSAValue], args: PythonValues
) -> tuple[Array, ...]:
    """Arrays repeated along axes of static size 1; their other sizes must agree."""
    shape = _common_shape(op, list(map(yarr.shape_of, operands)), [a.shape for a in args])
    return tuple(np.broadcast_to(array, shape) for array in args)


_IDENTITIES: dict[str, Callable[[np.dtype[Any]], object]] = {
    "arith.addf": lambda dtype: 0,
    "arith.addi": lambda dtype: 0,
    "arith.mulf": lambda dtype: 1,
    "arith.muli": lambda dtype: 1,
    "arith.minimumf": lambda dtype: np.inf,
    "arith.maximumf": lambda dtype: -np.inf,
    "arith.minsi": lambda dtype: np.iinfo(dtype).max,
    "arith.maxsi": lambda dtype: np.iinfo(dtype).min,
    "arith.andi": lambda dtype: True,
    "arith.ori": lambda dtype: False,
}
"""The identity of each of ``dialects.reductions.REDUCTIONS``."""


@register_impls
@dataclass
class YarrFunctions(InterpreterFunctions):
    """Runs the operations of yarr; ``yarr.extern`` calls the functions of ``externs``.

    ``yarr.tile`` works on ``block_size`` positions of its axis at a time.
    """

    externs: Mapping[str, Callable[..., object]] = field(
        default_factory=dict[str, Callable[..., object]]
    )
    block_size: int = 2

    @impl(arith.ConstantOp)
    def run_constant(
        self, interpreter: Interpreter, op: arith.ConstantOp, args: PythonValues
    ) -> PythonValues:
        """A constant array, or a scalar within a body."""
        if not isa(op.value, DenseIntOrFPElementsAttr):
            return (constant(op, args),)
        values = np.array(op.value.get_values()).astype(_dtype(op.result.type))
        return (values.reshape(op.value.get_shape()),)

    @impl(yarr.RangeOp)
    def run_range(
        self, interpreter: Interpreter, op: yarr.RangeOp, args: PythonValues
    ) -> PythonValues:
        """The Ints from 0 up to the size."""
        return (np.arange(_require_size(args[0], op), dtype=np.int64),)

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
        _require(
            all(args[0].shape[axis] == 1 for axis in op.axes), op, "only size 1 can be removed"
        )
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
        _require(array.shape[axis] == 1, op, "only size 1 can be repeated")
        return (np.repeat(array, _require_size(size, op), axis),)

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
        broadcast = _broadcast(op, op.positions, tuple(clipped))
        shape = broadcast[0].shape
        result = np.empty((*shape, *array.shape[len(positions) :]), array.dtype)
        for index in np.ndindex(shape):
            result[index] = array[tuple(p[index] for p in broadcast)]
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
        """A copy of the array, with the value at the positions if all of them are in bounds."""
        array, *positions, value = args
        updated = array.copy()
        place: list[int | slice] = [slice(None)] * array.ndim
        for axis, position in zip(op.axes, positions, strict=True):
            if not 0 <= position < array.shape[axis]:
                _require(op.in_bounds is None, op, "out of bounds")
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
        _require(bool(np.all(inside)) and (int(count) == 0 or int(step) >= 1), op, "out of bounds")
        updated = array.copy()
        updated[(*[slice(None)] * axis, positions)] = value
        return (updated,)

    @impl(yarr.SliceOp)
    def run_slice(
        self, interpreter: Interpreter, op: yarr.SliceOp, args: PythonValues
    ) -> PythonValues:
        """The elements at ``start + k*step``, which must be in bounds unless they are clipped."""
        array, start, size = cast(tuple[Array, Array, Array], args)
        axis = op.axis.value.data
        positions: Array = int(start) + np.arange(_require_size(size, op)) * op.step.value.data
        if op.clip is not None and array.shape[axis] == 0:
            array = _one_zero(array, axis)
        clipped = np.minimum(np.maximum(positions, 0), array.shape[axis] - 1)
        _require(op.clip is not None or np.array_equal(clipped, positions), op, "out of bounds")
        return (np.take(array, clipped, axis),)

    @impl(yarr.StridedOp)
    def run_strided(
        self, interpreter: Interpreter, op: yarr.StridedOp, args: PythonValues
    ) -> PythonValues:
        """The elements at ``start + i*step0 + j*step1 + ..``, modulo 2^64 and clipped."""
        array, positions = args[0], np.asarray(args[1])
        axis, count = op.axis.value.data, len(op.sizes)
        for size, step in zip(args[2 : 2 + count], args[2 + count :], strict=True):
            positions = np.asarray(positions)[..., None] + np.arange(_require_size(size, op)) * step
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
        positions: Array = np.arange(-_require_size(low, op), size + _require_size(high, op))
        _require(size > 0 or positions.size == 0, op, "an empty axis has no ends to copy")
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
            _require(result.shape[axis] == args[-1], op, "the parts do not have the given size")
        return (result,)

    @impl(yarr.ElementwiseOp)
    def run_elementwise(
        self, interpreter: Interpreter, op: yarr.ElementwiseOp, args: PythonValues
    ) -> PythonValues:
        """The body at each position."""
        arrays = _broadcast(op, op.arguments, args)
        shape = arrays[0].shape if arrays else ()
        result = np.empty(shape, _dtype(op.result.type))
        for index in np.ndindex(shape):
            scalars = tuple(array[index] for array in arrays)
            (result[index],) = interpreter.run_ssacfg_region(op.body, scalars, op.name)
        return (result,)

    @impl(yarr.ReduceOp)
    def run_reduce(
        self, interpreter: Interpreter, op: yarr.ReduceOp, args: PythonValues
    ) -> PythonValues:
        """The elements along the axes combined from left to right, or the identity without any."""
        (array,) = args
        kept = [d for d in range(array.ndim) if d not in op.axes]
        shape = tuple(array.shape[d] for d in kept)
        rows = np.transpose(array, (*kept, *op.axes)).reshape(*shape, -1) if array.size else array
        result = np.full(shape, _IDENTITIES[op.combine](array.dtype), array.dtype)
        for index in np.ndindex(shape) if array.size else ():
            accumulator, *rest = rows[index]
            for element in rest:
                (accumulator,) = interpreter.run_ssacfg_region(
                    op.body, (accumulator, element), op.name
                )
            result[index] = accumulator
        return (result,)

    @impl(yarr.ArgreduceOp)
    def run_argreduce(
        self, interpreter: Interpreter, op: yarr.ArgreduceOp, args: PythonValues
    ) -> PythonValues:
        """A search along the axis at each position along the others."""
        rows = np.moveaxis(args[0], op.axis.value.data, -1)
        result = np.empty(rows.shape[:-1], np.int64)
        for index in np.ndindex(result.shape):
            result[index] = search(rows[index], op.predicate.data, yarr.element_of(op.array))
        return (result,)

    @impl(yarr.TopKOp)
    def run_top_k(
        self, interpreter: Interpreter, op: yarr.TopKOp, args: PythonValues
    ) -> PythonValues:
        """Searches along the axis at each position along the others."""
        array, count = cast(tuple[Array, Array], args)
        rows = np.moveaxis(array, op.axis.value.data, -1)
        result = np.empty((*rows.shape[:-1], _require_size(count, op)), np.int64)
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

    @impl(yarr.ScanOp)
    def run_scan(
        self, interpreter: Interpreter, op: yarr.ScanOp, args: PythonValues
    ) -> PythonValues:
        """The sequence of partial results, starting with the identity."""
        rows = np.moveaxis(cast(Array, args[0]), op.axis.value.data, 0)
        combine, initial = combiner(op.kind.data, yarr.element_of(op.array))
        combinations = [np.full(rows.shape[1:], initial)]
        for row in rows[:: -1 if op.suffixes else 1]:
            combinations.append(np.asarray(combine(combinations[-1], row)))
        result = np.stack(combinations)[1 if op.inclusive else 0 :]
        return (np.moveaxis(result[:: -1 if op.suffixes else 1], 0, op.axis.value.data),)

    @impl(yarr.WeightedScanOp)
    def run_weighted_scan(
        self, interpreter: Interpreter, op: yarr.WeightedScanOp, args: PythonValues
    ) -> PythonValues:
        """The sequence of partial results, starting with the first element."""
        array, weights = cast(tuple[Array, Array], args)
        rows, weights = (
            np.moveaxis(each, op.axis.value.data, 0)
            for each in (array, np.broadcast_to(weights, array.shape))
        )
        kind, element = op.kind.data, yarr.element_of(op.array)
        combine, _ = combiner(kind, element)
        weigh = weigher(kind, element, yarr.element_of(op.weights))
        result = rows.copy()
        for j in range(1, len(rows)):
            result[j] = combine(weigh(result[j - 1], weights[j]), rows[j])
        return (np.moveaxis(result, 0, op.axis.value.data),)

    @impl(yarr.PropagateNanOp)
    def run_propagate_nan(
        self, interpreter: Interpreter, op: yarr.PropagateNanOp, args: PythonValues
    ) -> PythonValues:
        """Each element, or NaN if ``others`` is not finite at another position of the axis."""
        array, others = cast(tuple[Array, Array], args)
        axis, leading = op.axis.value.data, others.ndim - array.ndim
        _require(others.shape[leading + axis] == array.shape[axis], op, "the axis has two sizes")
        others = np.broadcast_to(others, (*others.shape[:leading], *array.shape))
        result = array.copy()
        for index in np.ndindex(array.shape):
            before, after = index[:axis], index[axis + 1 :]
            rows = others[(slice(None),) * leading + (*before, slice(None), *after)]
            if not np.isfinite(np.delete(rows, index[axis], -1)).all():
                result[index] = np.nan
        return (result,)

    @impl(yarr.AccumulateOp)
    def run_accumulate(
        self, interpreter: Interpreter, op: yarr.AccumulateOp, args: PythonValues
    ) -> PythonValues:
        """Each value in order combined into its segment, starting from identities."""
        array, *rest = cast(tuple[Array, ...], args)
        keys, sizes = rest[: len(op.keys)], [_require_size(n, op) for n in rest[len(op.keys) :]]
        rank = op.positions
        shape = _common_shape(
            op,
            [yarr.shape_of(op.array)[:rank], *map(yarr.shape_of, op.keys)],
            [array.shape[:rank], *(key.shape for key in keys)],
        )
        values = np.broadcast_to(array, (*shape, *array.shape[rank:]))
        combine, initial = combiner(op.kind.data, yarr.element_of(op.array))
        result = np.full((*sizes, *array.shape[rank:]), initial)
        for position in np.ndindex(shape):
            place = tuple(int(np.broadcast_to(key, shape)[position]) for key in keys)
            if all(0 <= p < n for p, n in zip(place, sizes, strict=True)):
                result[place] = combine(result[place], values[position])
        return (result,)

    @impl(yarr.TreeReduceOp)
    def run_tree_reduce(
        self, interpreter: Interpreter, op: yarr.TreeReduceOp, args: PythonValues
    ) -> PythonValues:
        """Neighbours combined, all pairs at once, until one element remains."""
        arrays, identities = args[: len(op.arrays)], args[len(op.arrays) :]
        (size,) = {len(array) for array in arrays}
        if size == 0:
            return tuple(identities)
        while size > 1:
            pairs = size // 2 * 2
            lefts = [array[0:pairs:2] for array in arrays]
            rights = [array[1:pairs:2] for array in arrays]
            combined = interpreter.run_ssacfg_region(op.body, (*lefts, *rights), op.name)
            arrays = [
                np.concatenate((new, old[pairs:]))
                for new, old in zip(combined, arrays, strict=True)
            ]
            size = len(arrays[0])
        return tuple(array[0, ...] for array in arrays)

    @impl(yarr.EinsumOp)
    def run_einsum(
        self, interpreter: Interpreter, op: yarr.EinsumOp, args: PythonValues
    ) -> PythonValues:
        """The sum over the letters that the result lacks; a letter has one size."""
        inputs, _ = yarr.split_subscripts(op.subscripts.data)
        sizes = dict[str, int]()
        for letters, array in zip(inputs, args, strict=True):
            for letter, size in zip(letters, array.shape, strict=True):
                known = sizes.setdefault(letter, size)
                _require(known == size, op, f"axis '{letter}' has sizes {known} and {size}")
        return (np.asarray(np.einsum(op.subscripts.data, *args)),)

    @impl(yarr.InOrderOp)
    def run_in_order(
        self, interpreter: Interpreter, op: yarr.InOrderOp, args: PythonValues
    ) -> PythonValues:
        """The sum of the products in order, whatever the other order gave."""
        products = yarr.ordered_products(op.subscripts.data)
        factors = iter(args[1 : 1 + len(op.factors)])
        return (np.asarray(_in_order(products, factors)),)

    @impl(yarr.CorrelateOp)
    def run_correlate(
        self, interpreter: Interpreter, op: yarr.CorrelateOp, args: PythonValues
    ) -> PythonValues:
        """The sum of one contraction for each offset in the filters."""
        array, filters, *numbers = cast(tuple[Array, ...], args)
        sizes = [_require_size(n, op) for n in numbers]
        groups = sizes.pop() if op.groups else 1
        _require(array.shape[1] == filters.shape[1] * groups, op, "operands differ in channels")
        parts = array.reshape(len(array), groups, *filters.shape[1:2], *array.shape[2:])
        weights = filters.reshape(groups, len(filters) // max(groups, 1), *filters.shape[1:])
        result = np.zeros((len(array), *weights.shape[:2], *sizes), array.dtype)
        numbers = (sizes, op.strides_of_places(), op.dilations_of_places())
        for offset in np.ndindex(filters.shape[2:]):
            inside = tuple(
                slice(p * distance, p * distance + n * step, step)
                for p, n, step, distance in zip(offset, *numbers, strict=True)
            )
            part = parts[(..., *inside)]
            _require(part.shape[3:] == tuple(sizes), op, "a window leaves the array")
            result += np.einsum("bgc...,goc->bgo...", part, weights[(..., *offset)])
        return (result.reshape(len(array), len(filters), *sizes),)

    @impl(yarr.FoldOp)
    def run_fold(
        self, interpreter: Interpreter, op: yarr.FoldOp, args: PythonValues
    ) -> PythonValues:
        """The accumulators after ``count`` steps."""
        count, *accumulators = args
        if (reason := no_size(int(count))) is not None:
            raise ValueError(f"count of {index_name(op.counter).removeprefix('%')} {reason}")
        for k in range(int(count)):
            counter = np.array(k, np.int64)
            accumulators = interpreter.run_ssacfg_region(op.body, (counter, *accumulators), op.name)
        return tuple(accumulators)

    @impl(yarr.WhileOp)
    def run_while(
        self, interpreter: Interpreter, op: yarr.WhileOp, args: PythonValues
    ) -> PythonValues:
        """The accumulators after as many steps as the first one is true before, up to the limit."""
        count, *accumulators = args
        if (reason := no_size(int(count))) is not None:
            raise ValueError(f"limit of {index_name(op.counter).removeprefix('%')} {reason}")
        k = 0
        while k < int(count) and accumulators[0]:
            counter = np.array(k, np.int64)
            after = interpreter.run_ssacfg_region(op.body, (counter, *accumulators), op.name)
            for old, new in zip(accumulators, after, strict=True):
                _require(old.shape == new.shape, op, "an accumulator changes its sizes")
            accumulators, k = list(after), k + 1
        return tuple(accumulators)

    @impl(yarr.TileOp)
    def run_tile(
        self, interpreter: Interpreter, op: yarr.TileOp, args: PythonValues
    ) -> PythonValues:
        """The concatenated results of blocks of ``block_size`` positions; the last may be short."""
        extent, arrays = int(args[0]), cast(Sequence[Array], args[1 : 1 + len(op.arrays)])
        sizes = dict(zip(op.sizes, args[1 + len(op.arrays) :], strict=True)) | {op.extent: args[0]}
        for array, axis in zip(arrays, op.array_axes, strict=True):
            _require(array.shape[axis] == extent, op, f"axis {axis} is not of size {extent}")
        results = [
            np.empty(
                [n if isinstance(n, int) else int(sizes[n]) for n in op.shape_of_result(number)],
                _dtype(result.type),
            )
            for number, result in enumerate(op.res)
        ]
        for start in range(0, extent, self.block_size):
            part = slice(start, min(start + self.block_size, extent))
            bounds = np.array(start, np.int64), np.array(part.stop - start, np.int64)
            blocks = (_part(a, d, part) for a, d in zip(arrays, op.array_axes, strict=True))
            values = interpreter.run_ssacfg_region(op.body, (*bounds, *blocks), op.name)
            for result, axis, value in zip(results, op.result_axes, values, strict=True):
                place = _part(result, axis, part)
                _require(place.shape == value.shape, op, f"a block has the shape {value.shape}")
                place[...] = value
        return tuple(results)

    @impl(yarr.TupleOp)
    def run_tuple(
        self, interpreter: Interpreter, op: yarr.TupleOp, args: PythonValues
    ) -> PythonValues:
        """The record of the operands."""
        return (args,)

    @impl(yarr.ProjOp)
    def run_proj(
        self, interpreter: Interpreter, op: yarr.ProjOp, args: PythonValues
    ) -> PythonValues:
        """The field."""
        return (args[0][op.field.value.data],)

    @impl(yarr.AssertEqOp)
    def run_assert_eq(
        self, interpreter: Interpreter, op: yarr.AssertEqOp, args: PythonValues
    ) -> PythonValues:
        """The Int that both operands are equal to; otherwise an error."""
        lhs, rhs = args
        if lhs != rhs:
            raise ValueError(f"{op.message.data}: {lhs} != {rhs}")
        return (lhs,)

    @impl(yarr.AssertSizeOp)
    def run_assert_size(
        self, interpreter: Interpreter, op: yarr.AssertSizeOp, args: PythonValues
    ) -> PythonValues:
        """The operand, which must be a size."""
        (size,) = args
        if (reason := no_size(int(size))) is not None:
            raise ValueError(f"{op.message.data} {reason}")
        return (size,)

    @impl(yarr.ExternOp)
    def run_extern(
        self, interpreter: Interpreter, op: yarr.ExternOp, args: PythonValues
    ) -> PythonValues:
        """The results of one call of the registered function, which broadcasts over batch axes."""
        name = op.callee.root_reference.data
        if name not in self.externs:
            known = ", ".join(f"@{extern}" for extern in self.externs) or "none"
            raise ValueError(f"no extern function '@{name}' is registered; there are: {known}")
        result = self.externs[name](*map(_to_python, args))
        return (_from_python(result, op.result.type),)

    @impl_terminator(yarr.YieldOp)
    def run_yield(
        self, interpreter: Interpreter, op: yarr.YieldOp, args: PythonValues
    ) -> tuple[TerminatorValue, PythonValues]:
        """The values of the body."""
        return ReturnedValues(args), ()


def _product(subscripts: str, product: Array, factor: Array) -> Array:
    """The products of elements, or where a factor is false, 0."""
    if factor.dtype != np.bool_:
        return np.asarray(np.einsum(subscripts, product, factor))
    ones: Array = np.ones(factor.shape, product.dtype)
    every: Array = np.ones(product.shape, np.bool_)
    spread = np.asarray(np.einsum(subscripts, product, ones))
    mask = np.asarray(np.einsum(subscripts, every, factor))
    return np.asarray(np.where(mask, spread, spread.dtype.type(0)))


def _quotient(subscripts: str, product: Array, divisor: Array) -> Array:
    """The quotients of elements."""
    (names, other), output = yarr.split_subscripts(subscripts)
    ones: Array = np.ones(product.shape, product.dtype)
    dividend = _product(subscripts, product, np.ones(divisor.shape, product.dtype))
    return np.asarray(dividend / _product(f"{names},{other}->{output}", ones, divisor))


def _in_order(products: yarr.Products, factors: Iterator[Array]) -> Array:
    """A sum of products whose factors are multiplied from left to right."""
    letters, parts = products
    if parts is None:
        return next(factors)
    arrays = [(part[0], _in_order(part, factors)) for part in parts]
    every = "".join(dict.fromkeys("".join(names for names, _ in arrays)))
    names, product = arrays[0]
    for text, array in arrays[1:]:
        other = text.removeprefix(yarr.DIVIDES)
        both = "".join(letter for letter in every if letter in names + other)
        combine = _product if other == text else _quotient
        product = combine(f"{names},{other}->{both}", product, array)
        names = both
    return np.asarray(np.einsum(f"{names}->{letters}", product))
