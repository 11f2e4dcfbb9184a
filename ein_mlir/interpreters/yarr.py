"""The reference semantics of yarr: each operation on NumPy arrays, slow and simple.

Passes on yarr are tested against it. It is strict about the obligations of a program: a position
marked as in bounds must be in bounds, sizes that are not statically 1 must agree, and every value
must have the static sizes and the element type of its type. A violation is an
``InterpretationError``; a failing assertion of the program is a ``ValueError``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import field
from typing import cast

import numpy as np
from xdsl.dialects import arith, func
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, ModuleOp, TensorType, TupleType
from xdsl.interpreter import (
    Interpreter,
    PythonValues,
    ReturnedValues,
    TerminatorValue,
    impl,
    impl_terminator,
    register_impls,
)
from xdsl.interpreters.func import FuncFunctions
from xdsl.ir import Attribute, Operation
from xdsl.traits import SymbolTable
from xdsl.utils.exceptions import InterpretationError

from ein_mlir.analysis.arithmetic import no_size
from ein_mlir.analysis.diagnostics import index_name
from ein_mlir.analysis.hints import isa
from ein_mlir.dialects import yarr
from ein_mlir.dialects.algebra import identity
from ein_mlir.errors import counted
from ein_mlir.host.dataclass import dataclass
from ein_mlir.interpreters.scalars import ScalarFunctions, combiner, constant, weigher
from ein_mlir.interpreters.values import search
from ein_mlir.interpreters.yarr_arrays import (
    Array,
    ArrayFunctions,
    broadcast,
    common_shape,
    dtype_of,
    part_of,
    require,
    require_size,
)


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
        raise TypeError(f"@{entry} takes {counted(len(types), 'argument')}, got {len(args)}")
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
        array = array.astype(dtype_of(type_))
    _check_type(array, type_)
    return array


def _to_python(value: object) -> object:
    if isinstance(value, tuple):
        return tuple(map(_to_python, cast(tuple[object, ...], value)))
    return cast(Array, value)[()]


def _check_type(value: object, type_: Attribute) -> None:
    """Raise unless an array or a record is of a type: dtype, rank and static sizes."""
    if isa(type_, TupleType):
        for field_, field_type in zip(cast(PythonValues, value), type_.types, strict=True):
            _check_type(field_, field_type)
    elif isa(type_, TensorType):
        assert isinstance(value, np.ndarray)
        array = cast(Array, value)
        if array.dtype != dtype_of(type_) or not yarr.compatible(array.shape, yarr.shape_of(type_)):
            raise InterpretationError(
                f"an array of {array.dtype} of shape {array.shape} is not a '{type_}'"
            )


class _TypesHold(Interpreter.Listener):
    """Checks every value against its type."""

    def did_interpret_op(self, op: Operation, results: PythonValues) -> None:
        for result, value in zip(op.results, results, strict=True):
            _check_type(value, result.type)


@register_impls
@dataclass
class YarrFunctions(ArrayFunctions):
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
            return (constant(op)(args),)
        values = np.array(op.value.get_values()).astype(dtype_of(op.result.type))
        return (values.reshape(op.value.get_shape()),)

    @impl(yarr.ElementwiseOp)
    def run_elementwise(
        self, interpreter: Interpreter, op: yarr.ElementwiseOp, args: PythonValues
    ) -> PythonValues:
        """The body at each position."""
        arrays = broadcast(op, op.arguments, args)
        shape = arrays[0].shape if arrays else ()
        result = np.empty(shape, dtype_of(op.result.type))
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
        neutral = identity(op.combine, yarr.element_of(op.array))
        assert neutral is not None
        result = np.full(shape, neutral.value.data, array.dtype)
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
        require(others.shape[leading + axis] == array.shape[axis], op, "the axis has two sizes")
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
        keys, sizes = rest[: len(op.keys)], [require_size(n, op) for n in rest[len(op.keys) :]]
        rank = op.positions
        shape = common_shape(
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
                require(known == size, op, f"axis '{letter}' has sizes {known} and {size}")
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
        sizes = [require_size(n, op) for n in numbers]
        groups = sizes.pop() if op.groups else 1
        require(array.shape[1] == filters.shape[1] * groups, op, "operands differ in channels")
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
            require(part.shape[3:] == tuple(sizes), op, "a window leaves the array")
            result += np.einsum("bgc...,goc->bgo...", part, weights[(..., *offset)])
        return (result.reshape(len(array), len(filters), *sizes),)

    @impl(yarr.FoldOp)
    def run_fold(
        self, interpreter: Interpreter, op: yarr.FoldOp, args: PythonValues
    ) -> PythonValues:
        """The accumulators after ``count`` steps."""
        count, *accumulators = args
        if (reason := no_size(int(count))) is not None:
            raise ValueError(f"size of index {index_name(op.counter).removeprefix('%')} {reason}")
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
            require(array.shape[axis] == extent, op, f"axis {axis} is not of size {extent}")
        results = [
            np.empty(
                [n if isinstance(n, int) else int(sizes[n]) for n in op.shape_of_result(number)],
                dtype_of(result.type),
            )
            for number, result in enumerate(op.res)
        ]
        for start in range(0, extent, self.block_size):
            part = slice(start, min(start + self.block_size, extent))
            bounds = np.array(start, np.int64), np.array(part.stop - start, np.int64)
            blocks = (part_of(a, d, part) for a, d in zip(arrays, op.array_axes, strict=True))
            values = interpreter.run_ssacfg_region(op.body, (*bounds, *blocks), op.name)
            for result, axis, value in zip(results, op.result_axes, values, strict=True):
                place = part_of(result, axis, part)
                require(place.shape == value.shape, op, f"a block has the shape {value.shape}")
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
