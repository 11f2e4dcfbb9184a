"""``convert-yarr-to-torch``: whole-array operations become calls of PyTorch."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.context import Context
from xdsl.dialects import arith, func
from xdsl.dialects import math as math_dialect
from xdsl.dialects.builtin import (
    ArrayAttr,
    ModuleOp,
    TensorType,
    TupleType,
    f32,
    f64,
    i1,
    i8,
    i32,
    i64,
)
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.passes import ModulePass

from ein_mlir.analysis.hints import isa
from ein_mlir.analysis.yarr.static_values import StaticValues, path_attribute
from ein_mlir.backends.forms import Call, Form, Helper, Operator, Unary
from ein_mlir.backends.torch import tables
from ein_mlir.dialects import emitpy, sigma, yarr
from ein_mlir.dialects.emitpy import OBJECT
from ein_mlir.passes.conversions.convert_yarr_to_numpy import Combination, NumpyLowering, filling
from ein_mlir.rewriting.yarr_to_emitpy.builder import PythonBuilder, is_object, literal_int
from ein_mlir.rewriting.yarr_to_emitpy.lowering import convert_module
from ein_mlir.rewriting.yarr_to_emitpy.scalars import (
    INT_BITS,
    Scalars,
    ScalarTables,
    is_indicator,
)
from ein_mlir.rewriting.yarr_to_emitpy.tiling import inline_tiles

FLOAT_BITS = 53
"""How many bits of an int an f64 holds."""


class TorchScalars(Scalars):
    """Scalar operations: scalars are tensors without axes, and nothing asks for their values.

    Python itself computes with sizes, counters, and Ints that sizes depend on: with ints that wrap
    where they could leave 64 bits, and with the f64 made of them. All of that is exact, and a call
    of PyTorch takes a Python number sooner than a tensor.
    """

    def __init__(self, build: PythonBuilder, tables: ScalarTables):
        super().__init__(build, tables)
        self.device: SSAValue | None = None
        self._floats = set[SSAValue]()
        self._nonzero = set[SSAValue]()
        self._rules |= {
            arith.CeilDivSIOp: self._tabled,
            arith.DivfOp: self._divide,
            math_dialect.RsqrtOp: self._tabled,
            sigma.FloorModOp: self._floor_mod,
        }

    # New tensors

    def placed(self, element: Attribute) -> dict[str, SSAValue]:
        """``dtype=torch.float64, device=device``: the keywords of what makes a tensor."""
        keywords = {"dtype": self.dtype(element)}
        return keywords if self.device is None else {**keywords, "device": self.device}

    def typed(self, value: SSAValue, element: Attribute) -> SSAValue:
        """``torch.tensor(2.0, dtype=torch.float64, device=device)`` for a weak ``2.0``."""
        if not is_object(value):
            return value
        type_ = yarr.tensor(element, ())
        return self.build.call("torch.tensor", value, type=type_, keywords=self.placed(element))

    def is_default(self, element: Attribute) -> bool:
        """Whether PyTorch makes this element type of a Python number by itself: no float."""
        return element in (i1, i64)

    # Python's numbers

    def known_int(self, value: SSAValue) -> SSAValue:
        """``int(n)``: the value of a tensor, or of a number, as a Python number of 64 bits."""
        return self._with_bits(self.build.call("int", value), INT_BITS + 1)

    def _python_arithmetic(
        self, form: Form, operands: Sequence[SSAValue], element: Attribute
    ) -> SSAValue | None:
        if element == f64:
            return self._python_floats(form, operands)
        python = super()._python_arithmetic(form, operands, element)
        if python is not None:
            if form == Call("torch.maximum") and any((literal_int(v) or 0) > 0 for v in operands):
                self._nonzero.add(python)
            return python
        if element != i64:
            return None
        match form:
            case Operator("+" | "-" | "*"):
                exact = self.build.binary(operands[0], form.symbol, operands[1])
                wrapped = self.build.helper("torch.wrapped", exact, type=OBJECT)
            case Unary("-"):
                exact = self.build.unary("-", operands[0])
                wrapped = self.build.helper("torch.wrapped", exact, type=OBJECT)
            case Helper("torch.floor_divide" | "torch.floor_modulo"):
                wrapped = self.build.helper(f"{form.function}_ints", *operands, type=OBJECT)
            case _:
                return None
        return self._with_bits(wrapped, INT_BITS + 1)

    def _python_floats(self, form: Form, operands: Sequence[SSAValue]) -> SSAValue | None:
        """Operations of which Python's own are those of IEEE 754 and raise no error."""
        match form:
            case Operator("+" | "-" | "*"):
                result = self.build.binary(operands[0], form.symbol, operands[1])
            case Operator("/") if self._is_nonzero(operands[1]):
                result = self.build.binary(operands[0], "/", operands[1])
            case Unary("-"):
                result = self.build.unary("-", operands[0])
            case _:
                return None
        return self._float_number(result)

    def _float_number(self, value: SSAValue) -> SSAValue:
        self._floats.add(value)
        return value

    def _is_nonzero(self, value: SSAValue) -> bool:
        """Whether a weak number is known not to be 0."""
        if isinstance(value.owner, emitpy.LiteralOp):
            return value.owner.data not in (0, 0.0)
        return value in self._nonzero

    # Operations

    def _tabled(self, op: Operation, operands: Sequence[SSAValue]) -> SSAValue:
        return self.apply(self.tables.scalars[op.name], operands, op.results[0].type)

    def call(
        self, function: str, operands: Sequence[SSAValue], type: TensorType[Attribute]
    ) -> SSAValue:
        """``torch.clamp(x, min=0.0)`` for a bound that is a number, else a call on tensors."""
        bound = tables.BOUNDS.get(function)
        numbers = [v for v in operands if is_object(v)]
        if bound and len(numbers) == 1 and self._is_plain(numbers[0]):
            (tensor,) = (v for v in operands if not is_object(v))
            return self.build.method(tensor, "clamp", type=type, keywords={bound: numbers[0]})
        return self.build.call(function, *self.all_typed(operands, type.element_type), type=type)

    def _is_plain(self, value: SSAValue) -> bool:
        """Whether a weak number is known to be no NaN, which is no bound."""
        is_name = isinstance(value.owner, emitpy.NameOp | emitpy.UnaryOp)
        return not is_name and value not in self._floats

    def _divide(self, op: arith.DivfOp, operands: Sequence[SSAValue]) -> SSAValue:
        """PyTorch divides a number by a tensor as ``y.reciprocal() * x``, which rounds twice."""
        lhs, rhs = operands
        is_one = isinstance(lhs.owner, emitpy.LiteralOp) and lhs.owner.data == 1.0
        is_python = op.result.type == f64 and is_object(lhs) and self._is_nonzero(rhs)
        if not is_python and (is_object(rhs) or not is_one):
            lhs = self.typed(lhs, op.result.type)
        return self.apply(Operator("/"), (lhs, rhs), op.result.type)

    def _floor_mod(self, op: sigma.FloorModOp, operands: Sequence[SSAValue]) -> SSAValue:
        element = op.result.type
        x, y = operands
        if element not in (i8, i32, i64):
            return self.apply(Operator("%"), operands, element)
        if self.is_size(y):
            return self.apply(Operator("%"), (x, self.at_least_one(y)), element)
        return self.apply(tables.INT_FLOORMOD, operands, element)

    def _select(self, op: arith.SelectOp, operands: Sequence[SSAValue]) -> SSAValue:
        """``torch.where(c, x, y)``, ``x if c else y`` where sizes decide."""
        condition, *values = operands
        element = op.result.type
        type_ = self.result_type(operands, element)
        is_weak = all(map(is_object, values))
        if is_object(condition):
            if is_weak and element in (i64, f64):
                chosen = self.build.conditional(condition, values[0], values[1], OBJECT)
                if element == i64:
                    return self._with_bits(chosen, max(map(self.bits, values)))
                return self._float_number(chosen)
            if not type_.get_num_dims():
                values = [self.typed(v, element) for v in values]
                return self.build.conditional(condition, values[0], values[1], type_)
            condition = self.typed(condition, i1)
        if is_indicator(values):
            return self._as_type(condition, element)
        if is_weak and not self.is_default(element):
            values[0] = self.typed(values[0], element)
        return self.build.call("torch.where", condition, *values, type=type_)

    def _int_power(self, op: math_dialect.IPowIOp, operands: Sequence[SSAValue]) -> SSAValue:
        """``x ** n``; PyTorch takes a negative exponent only in a tensor."""
        element = op.result.type
        base, exponent = operands
        known = literal_int(exponent)
        if known is None or known < 0:
            exponent = self.typed(exponent, element)
        operands = self.typed(base, element), exponent
        type_ = self.result_type(operands, element)
        return self.build.binary(operands[0], "**", operands[1], type_)

    def _float_power(self, op: math_dialect.FPowIOp, operands: Sequence[SSAValue]) -> SSAValue:
        """``x ** n``; f64 holds larger exponents than f32."""
        element = op.result.type
        base, exponent = self.typed(operands[0], element), operands[1]
        type_ = self.result_type((base, exponent), element)
        if is_object(exponent) or element == f64:
            return self.build.binary(base, "**", exponent, type_)
        power = self.build.binary(self._as_type(base, f64), "**", exponent, type_)
        return self._as_type(power, element)

    def _compare_floats(self, op: arith.CmpfOp, operands: Sequence[SSAValue]) -> SSAValue | None:
        """``x < 2.0``, also of Python's numbers."""
        form = tables.FLOAT_COMPARISONS.get(
            arith.CMPF_COMPARISON_OPERATIONS[op.predicate.value.data]
        )
        if isinstance(form, Operator) and op.lhs.type == f64 and all(map(is_object, operands)):
            return self.build.binary(operands[0], form.symbol, operands[1])
        return super()._compare_floats(op, operands)

    # Casts

    def _cast_signed(self, op: Operation, operands: Sequence[SSAValue]) -> SSAValue:
        """``float(n)`` for a number that becomes an f64."""
        source, element = op.operands[0].type, op.results[0].type
        if not is_object(operands[0]) or source != i64:
            return super()._cast_signed(op, operands)
        if element == f64:
            number = self._float_number(self.build.call("float", operands[0]))
            if self._is_nonzero(operands[0]):
                self._nonzero.add(number)
            return number
        if element == f32 and self.bits(operands[0]) > FLOAT_BITS:
            return self._as_type(self.typed(operands[0], i64), f32)  # which rounds once
        return super()._cast_signed(op, operands)

    def _as_type(self, value: SSAValue, element: Attribute) -> SSAValue:
        """``x.to(torch.float32)``"""
        type_ = yarr.tensor(element, yarr.shape_of(value))
        return self.build.method(value, "to", self.dtype(element), type=type_)

    def _cast_unsigned(self, op: Operation, operands: Sequence[SSAValue]) -> SSAValue:
        """An int of few bits is read as unsigned in 64, one of 64 bits by a helper."""
        source, element = op.operands[0].type, op.results[0].type
        (value,) = operands
        if is_object(value) and source == i1:
            return super()._cast_unsigned(op, operands)
        value = self.typed(value, source)
        type_ = yarr.tensor(element, yarr.shape_of(value))
        if source == i64:
            dtype = self.dtype(element)
            return self.build.helper("torch.unsigned_to_float", value, dtype, type=type_)
        if source in (i8, i32):
            ones = self.build.literal(2 ** (8 if source == i8 else 32) - 1)
            wide = self._as_type(value, i64)
            value = self.build.binary(wide, "&", ones, wide.type)
        return value if value.type == type_ else self._as_type(value, element)

    def _cast_to_unsigned(self, op: arith.FPToUIOp, operands: Sequence[SSAValue]) -> SSAValue:
        value = self.typed(operands[0], op.input.type)
        type_ = yarr.tensor(i64, yarr.shape_of(value))
        bits = self.build.helper("torch.float_to_unsigned", value, type=type_)
        return bits if op.result.type == i64 else self._as_type(bits, op.result.type)


class TorchLowering(NumpyLowering):
    """What PyTorch does in its own way.

    A function's tensors are made on the device of its arguments, of the first that has axes if
    there is one. No operation works in place, and none reads the value of a float: gradients flow
    through all of them, and ``torch.func`` can transform them. An Int that a size depends on (see
    ``static_values``) is read as soon as it is known, and is a Python number from there on.
    """

    pass_name = "convert-yarr-to-torch"
    tables = ScalarTables(
        prefix="torch",
        dtypes=tables.DTYPES,
        unsigned_dtypes={},
        scalars=tables.SCALARS,
        comparisons=tables.COMPARISONS,
        float_comparisons=tables.FLOAT_COMPARISONS,
    )
    scalars: TorchScalars
    scalar_rules = TorchScalars
    groups_axes = False
    decorators = ()
    scalars_are_views = True

    def __init__(self, source: Block):
        super().__init__(source)
        self._static = StaticValues(source)
        self._numbers = static_numbers(self._static, source)

    def prologue(self, arguments: Sequence[SSAValue]) -> None:
        """``device = a.device``, where something is made on it; a number may have none."""
        numbers = [arguments[number] for number in self._numbers]
        tensors = [
            tensor
            for argument in arguments
            if argument not in numbers
            for tensor in self._tensors(argument)
        ]
        tensors.sort(key=lambda tensor: not yarr.rank_of(tensor))
        if tensors:
            self.scalars.device = self.build.attribute(tensors[0], "device")
        elif numbers:
            self.scalars.device = self.build.helper("torch.device_of", numbers[0], type=OBJECT)
        if self.scalars.device is not None:
            self.scalars.device.name_hint = "device"

    def bind(self, value: SSAValue, meaning: SSAValue) -> None:
        """Record the translation of a value: of an Int that a size depends on, its number."""
        if value in self._static and _is_int(value) and not is_object(meaning):
            meaning = self.scalars.known_int(meaning)
        super().bind(value, meaning)

    def _tensors(self, value: SSAValue) -> list[SSAValue]:
        """The tensors in an argument."""
        if not isa(value.type, TupleType):
            return [value]
        fields = [
            self.build.subscript(value, [self.build.literal(k)], field)
            for k, field in enumerate(value.type.types)
        ]
        return [tensor for field in fields for tensor in self._tensors(field)]

    # New tensors

    def full(self, shape: SSAValue, value: SSAValue, type: TensorType[Attribute]) -> SSAValue:
        """``torch.zeros((n, m), ...)``, ``torch.full((n, m), x, ...)``; a tensor is repeated."""
        if isinstance(shape.owner, emitpy.LiteralOp):
            shape = self.build.literal(type.get_shape())
        if not is_object(value):
            return self.broadcast_to(value, shape, type)
        keywords = self.scalars.placed(type.element_type)
        function = filling(value)
        if function is None:
            return self.build.call("torch.full", shape, value, type=type, keywords=keywords)
        return self.build.call(self.name(function), shape, type=type, keywords=keywords)

    def shape(self, lengths: Sequence[SSAValue]) -> SSAValue:
        """A tuple, always."""
        return self.build.tuple(lengths)

    def constant_array(self, numbers: Sequence[SSAValue], type: TensorType[Attribute]) -> SSAValue:
        """``torch.tensor((1, 2, 3), dtype=torch.int64, device=device)``"""
        flat = yarr.tensor(type.element_type, [len(numbers)])
        keywords = self.scalars.placed(type.element_type)
        array = self.build.call(
            "torch.tensor", self.build.tuple(numbers), type=flat, keywords=keywords
        )
        if type.get_num_dims() == 1:
            return array
        shape = self.build.literal(type.get_shape())
        return self.build.method(array, "reshape", shape, type=type, view=True)

    def range(self, op: yarr.RangeOp) -> None:
        """``torch.arange(n, device=device)``"""
        device = self.scalars.device
        keywords = {} if device is None else {"device": device}
        size = self.value(op.size)
        numbers = self.build.call("torch.arange", size, type=op.result.type, keywords=keywords)
        self.bind(op.result, numbers)

    def copy(self, value: SSAValue) -> SSAValue:
        """``a.clone()``"""
        return self.build.method(value, "clone", type=value.type)

    # Shapes

    def transpose(self, op: yarr.TransposeOp) -> None:
        """``a.T``, ``a.permute(0, 2, 1)``"""
        array, type_ = self.value(op.array), op.result.type
        if self.is_scalar(array) or op.axes == tuple(range(len(op.axes))):
            self.bind(op.result, array)
        elif op.axes == (1, 0):
            self.bind(op.result, self.build.attribute(array, "T", type_))
        else:
            axes = [self.build.literal(axis) for axis in op.axes]
            permuted = self.build.method(array, "permute", *axes, type=type_, view=True)
            self.bind(op.result, permuted)

    # Indexing

    def take(self, op: yarr.TakeOp) -> None:
        """``a[:, k]``, ``a.index_select(1, p.clamp(0, a.shape[1] - 1))``

        A tensor without axes would be read as a number: it gets one, ``a[p[None]][0]``.
        """
        array, axis, type_ = self.array(op.array), op.axis.value.data, op.result.type
        is_in_bounds = op.in_bounds is not None
        index = self._index(op.position, array, axis, is_in_bounds)
        if yarr.rank_of(op.position) == 1:
            self.bind(op.result, self._selected(array, axis, index, type_))
            return
        if yarr.rank_of(op.position) or is_object(index):
            self.bind(op.result, self.build.at(array, axis, index, type_))
            return
        row = self.build.at(array, axis, self._with_axis(index), array.type)
        self.bind(op.result, self.build.at(row, axis, self.build.literal(0), type_))

    def _selected(self, array: SSAValue, axis: int, index: SSAValue, type: Attribute) -> SSAValue:
        """``a.index_select(1, p)``, a multiple as fast as ``a[:, p]``."""
        dim = self.build.literal(axis)
        return self.build.method(array, "index_select", dim, index, type=type)

    def _index(
        self, position: SSAValue, array: SSAValue, axis: int, is_in_bounds: bool
    ) -> SSAValue:
        """A position as an index, in bounds."""
        index = self.array(position) if yarr.rank_of(position) else self.value(position)
        if is_in_bounds:
            return index
        if is_object(index):
            return self.clipped(index, array, axis)
        zero, last = self.build.literal(0), self.last(array, axis)
        return self.build.method(index, "clamp", zero, last, type=index.type)

    def gather(self, op: yarr.GatherOp) -> None:
        """``a[p.clamp(0, a.shape[0] - 1), q]``"""
        array, type_ = self.array(op.array), op.result.type
        is_in_bounds = op.in_bounds is not None
        indices = [
            self._index(position, array, axis, is_in_bounds)
            for axis, position in enumerate(op.positions)
        ]
        if len(indices) == 1 and yarr.rank_of(op.positions[0]) == 1:
            self.bind(op.result, self._selected(array, 0, indices[0], type_))
            return
        has_axes = any(yarr.rank_of(position) for position in op.positions)
        if all(map(is_object, indices)) or has_axes:
            indices = [self._with_axis(index) for index in indices]
            self.bind(op.result, self.build.subscript(array, indices, type_))
            return
        row_type = yarr.tensor(yarr.element_of(array), (1, *yarr.shape_of(op.result)))
        rows = self.build.subscript(array, list(map(self._with_axis, indices)), row_type)
        self.bind(op.result, self.build.subscript(rows, [self.build.literal(0)], type_))

    def _with_axis(self, index: SSAValue) -> SSAValue:
        """``p[None]`` for a tensor without axes."""
        if is_object(index) or yarr.rank_of(index):
            return index
        type_ = yarr.tensor(yarr.element_of(index), (1,))
        return self.build.subscript(index, [self.build.literal(None)], type_)

    def reversed(self, array: SSAValue, axis: int, type: TensorType[Attribute]) -> SSAValue:
        """``a.flip(1)``"""
        return self.build.method(array, "flip", self.build.literal(axis), type=type)

    def update(self, op: yarr.UpdateOp) -> None:
        """A helper: nothing is changed in place, and positions may be tensors."""
        axes = self.build.literal(op.axes)
        positions = self.build.tuple(list(map(self.value, op.positions)))
        array, value = self.array(op.array), self.array(op.value)
        updated = self.build.helper(
            "torch.update", array, axes, positions, value, type=op.result.type
        )
        self.bind(op.result, updated)

    # Joining and extending

    def concatenate(self, arrays: SSAValue, axis: int, type: TensorType[Attribute]) -> SSAValue:
        """``torch.cat((a, b), dim=1)``"""
        keywords = {"dim": self.build.literal(axis)} if axis else {}
        return self.build.call("torch.cat", arrays, type=type, keywords=keywords)

    def concat(self, op: yarr.ConcatOp) -> None:
        """``torch.cat((a, b), dim=1)``; a helper where parts are joined along other axes first."""
        if _is_part(op):
            return  # of the concatenation that uses it
        if any(
            isinstance(array.owner, yarr.ConcatOp) and _is_part(array.owner) for array in op.arrays
        ):
            tree, type_ = self._tree(op), op.result.type
            self.bind(op.result, self.build.helper("torch.joined", tree, type=type_))
            return
        super().concat(op)

    def _tree(self, op: yarr.ConcatOp) -> SSAValue:
        """``(0, a, (1, b, c))``"""
        parts = [
            self._tree(array.owner)
            if isinstance(array.owner, yarr.ConcatOp) and _is_part(array.owner)
            else self.array(array)
            for array in op.arrays
        ]
        return self.build.tuple([self.build.literal(op.axis.value.data), *parts])

    def pad(self, op: yarr.PadOp) -> None:
        """A helper: PyTorch has no such function for all types and ranks."""
        self.pad_by_helper(op)

    # Reductions

    def reduce(self, op: yarr.ReduceOp) -> None:
        """``a.sum(dim=1)``; a helper for the minimum and the maximum, which may be of nothing."""
        element, axes, type_ = yarr.element_of(op.array), op.axes, op.result.type
        method = tables.REDUCTIONS[op.combine]
        if (element == i1) != (method in ("all", "any")):
            raise self.no_lowering(op, f" by '{op.combine}' on '{element}'")
        array = self.array(op.array)
        if method in ("amin", "amax"):
            dims = self.build.literal(tuple(axes))
            self.bind(op.result, self.build.helper(f"torch.{method}", array, dims, type=type_))
        elif method == "prod" and 1 < len(axes) < yarr.rank_of(op.array):
            for axis in sorted(axes, reverse=True):
                array = self._reduced(array, method, [axis])
            self.bind(op.result, array)
        else:
            self.bind(op.result, self._reduced(array, method, axes))

    def _reduced(self, array: SSAValue, method: str, axes: Sequence[int]) -> SSAValue:
        """A method of tensors; PyTorch would add up ints of 32 bits in 64."""
        element, shape = yarr.element_of(array), yarr.shape_of(array)
        keywords = dict[str, SSAValue]()
        if len(axes) < len(shape):
            keywords["dim"] = self.build.axes(axes)
        if element in (i8, i32):
            keywords["dtype"] = self.scalars.dtype(element)
        rest = [size for axis, size in enumerate(shape) if axis not in axes]
        type_ = yarr.tensor(element, rest)
        return self.build.method(array, method, type=type_, keywords=keywords)

    def is_count(self, op: yarr.SegmentReduceOp) -> bool:
        """Counts are sums of ones."""
        return False

    def accumulate(self, op: yarr.ScanOp, array: SSAValue) -> SSAValue:
        """``a.cumsum(1)``; a helper where that gives no plain tensor."""
        axis = self.build.literal(op.axis.value.data)
        kind, _ = self.combining_function(op)
        element = yarr.element_of(array)
        if op.kind.data in ("add", "mul") and element != i32:
            method = "cumsum" if op.kind.data == "add" else "cumprod"
            return self.build.method(array, method, axis, type=op.result.type)
        return self.build.helper("torch.accumulate", kind, array, axis, type=op.result.type)

    def combining_function(self, op: Combination) -> Sequence[SSAValue]:
        """The name that PyTorch has for a kind; Bools are combined as bits."""
        names = {
            "add": "sum",
            "mul": "prod",
            **dict.fromkeys(("min", "and"), "amin"),
            **dict.fromkeys(("max", "or"), "amax"),
        }
        return self.build.literal(names[op.kind.data]), self.neutral(op)

    def einsum(self, op: yarr.EinsumOp) -> None:
        """As for NumPy, and ``a @ b`` for a stack of matrices times one matrix.

        A helper on ints, for which not all devices have products of matrices.
        """
        if yarr.element_of(op.result) not in (i8, i32, i64):
            if is_stack_times_matrix(*yarr.split_subscripts(op.subscripts.data)):
                lhs, rhs = (self.array(array) for array in op.arrays)
                self.bind(op.result, self.matrix_multiply(lhs, rhs, op.result.type))
                return None
            return super().einsum(op)
        arrays = self.build.tuple([self.array(array) for array in op.arrays])
        subscripts = self.build.literal(op.subscripts.data)
        product = self.build.helper(
            "torch.int_einsum", subscripts, arrays, type=op.result.type, view=True
        )
        self.bind(op.result, product)

    def einsum_keywords(self, op: yarr.EinsumOp) -> dict[str, SSAValue]:
        """PyTorch chooses the order of products by itself."""
        return {}


def is_stack_times_matrix(inputs: Sequence[str], output: str) -> bool:
    """Whether a contraction multiplies matrices with leading axes by one matrix.

    >>> is_stack_times_matrix(["bij", "jk"], "bik"), is_stack_times_matrix(["bij", "kj"], "bik")
    (True, False)
    """
    if (
        len(inputs) != 2
        or len(inputs[1]) != 2
        or len({*inputs[0], *inputs[1]}) != len(inputs[0]) + 1
    ):
        return False
    (summed, column), stack = inputs[1], inputs[0]
    return summed == stack[-1] and len({*stack}) == len(stack) > 2 and output == stack[:-1] + column


class ConvertYarrToTorchPass(ModulePass):
    """Translates yarr to emitpy that calls PyTorch.

    Before::

        func.func @next(%a: tensor<?xf64>) -> tensor<?xf64> {
          %n = yarr.size %a, 0 : tensor<?xf64>
          %i = yarr.range %n : tensor<?xi64>
          %x = yarr.elementwise { arith.sitofp } %i : (tensor<?xi64>) -> tensor<?xf64>
          %b = yarr.elementwise { arith.addf } %a, %x
            : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
          func.return %b : tensor<?xf64>
        }

    After, as ``-t python`` prints it::

        def next_(a):
            b = a + torch.arange(a.shape[0], device=a.device).to(torch.float64)
            return b

    An Int that a size depends on may be given as a Python number, ``a`` above as a tensor only: the
    attribute ``emitpy.static_arguments`` of a function has the numbers of such arguments.
    """

    name = "convert-yarr-to-torch"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in op.ops:
            if isinstance(function, func.FuncOp) and not function.is_declaration:
                inline_tiles(function)
                _note_static_arguments(function)
        convert_module(op, TorchLowering)


def _is_part(op: yarr.ConcatOp) -> bool:
    """Whether joined arrays are only a part of what is joined along another axis."""
    use = op.result.first_use
    if use is None or not op.result.has_one_use():
        return False
    whole = use.operation
    return isinstance(whole, yarr.ConcatOp) and whole.parent is op.parent and whole.axis != op.axis


def _is_int(value: SSAValue) -> bool:
    return value.type == yarr.tensor(i64, ())


def static_numbers(static: StaticValues, source: Block) -> list[int]:
    """The arguments that are Ints which sizes depend on, by their numbers."""
    return [
        number for number, value in enumerate(source.args) if value in static and _is_int(value)
    ]


def _note_static_arguments(function: func.FuncOp) -> None:
    source = function.body.block
    numbers = static_numbers(StaticValues(source), source)
    if numbers:
        paths = [path_attribute((number,)) for number in numbers]
        function.attributes[emitpy.STATIC_ARGUMENTS] = ArrayAttr(paths)
