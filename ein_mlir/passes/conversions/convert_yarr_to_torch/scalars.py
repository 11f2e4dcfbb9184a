"""Scalars of PyTorch, and Python numbers."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import arith
from xdsl.dialects import math as math_dialect
from xdsl.dialects.builtin import IntegerType, TensorType, f32, f64, i1, i8, i16, i32, i64
from xdsl.ir import Attribute, Operation, SSAValue

from ein_mlir.analysis.hints import isa
from ein_mlir.backends.forms import (
    FLOAT_COMPARISONS,
    Call,
    Form,
    Helper,
    Operator,
    ScalarTables,
    Unary,
)
from ein_mlir.backends.torch import tables
from ein_mlir.dialects import emitpy, sigma, yarr
from ein_mlir.dialects.emitpy import OBJECT
from ein_mlir.rewriting.yarr_to_emitpy.builder import PythonBuilder, is_object, literal_int
from ein_mlir.rewriting.yarr_to_emitpy.literals import is_indicator
from ein_mlir.rewriting.yarr_to_emitpy.scalars import INT_BITS, Scalars
from ein_mlir.rewriting.yarr_to_emitpy.selections import selection

FLOAT_BITS = 53
"""The precision of an f64 in bits: it holds ints of so many bits exactly."""


class TorchScalars(Scalars):
    """Scalar operations: scalars are tensors without axes, and no operation reads their values.

    Python itself computes with sizes, counters, and Ints that sizes depend on: with ints, wrapped
    if they could overflow 64 bits, and with the f64 converted from them. All of that is exact, and
    a call of PyTorch is faster on a Python number than on a tensor.
    """

    subtracts_masks = False
    has_derivatives = True
    """Whether gradients may be recorded: that of ``relu`` takes a third of that of ``clamp``."""

    def __init__(self, build: PythonBuilder, tables: ScalarTables):
        super().__init__(build, tables)
        self.device: SSAValue | None = None
        self._floats = set[SSAValue]()
        self._nonzero = set[SSAValue]()
        self._rules |= {
            arith.CeilDivSIOp: self._tabled,
            arith.DivfOp: self._divide,
            arith.ShRUIOp: self._shift_right,
            math_dialect.RsqrtOp: self._tabled,
            sigma.FloorModOp: self._floor_mod,
        }

    # New tensors

    def placed(self, element: Attribute) -> dict[str, SSAValue]:
        """``dtype=torch.float64, device=device``: the keywords for a new tensor."""
        keywords = {"dtype": self.dtype(element)}
        return keywords if self.device is None else {**keywords, "device": self.device}

    def typed(self, value: SSAValue, element: Attribute) -> SSAValue:
        """``torch.tensor(2.0, dtype=torch.float64, device=device)`` for a weak ``2.0``."""
        if not is_object(value):
            return value
        type_ = yarr.tensor(element, ())
        return self.build.call("torch.tensor", value, type=type_, keywords=self.placed(element))

    def is_default(self, element: Attribute) -> bool:
        """Whether PyTorch gives a Python number this element type by default: no float type."""
        return element in (i1, i64)

    # Python's numbers

    def known_int(self, value: SSAValue) -> SSAValue:
        """``int(n)``: the value of a tensor, or of a number, as a Python number of 64 bits.

        ``int(torch.where(c, x, y)) --> x if c else y`` for numbers ``x`` and ``y``.
        """
        op = value.owner
        if isinstance(op, emitpy.CallOp) and op.callee.data == "torch.where":
            condition, if_true, if_false = op.arguments
            if is_object(if_true) and is_object(if_false):
                chosen = self.build.conditional(condition, if_true, if_false, OBJECT)
                return self._with_bits(chosen, max(self.bits(if_true), self.bits(if_false)))
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
            case Operator("<<" | ">>"):
                name = "shift_left" if form.symbol == "<<" else "shift_right"
                wrapped = self.build.helper(f"torch.{name}_ints", *operands, type=OBJECT)
            case Operator("&" | "|" | "^"):
                wrapped = self.build.binary(operands[0], form.symbol, operands[1])
            case _:
                return None
        return self._with_bits(wrapped, INT_BITS + 1)

    def _python_floats(self, form: Form, operands: Sequence[SSAValue]) -> SSAValue | None:
        """The Python operation, if it follows IEEE 754 and raises no error."""
        match form:
            case Operator("+" | "-" | "*"):
                result = self.build.binary(operands[0], form.symbol, operands[1])
            case Operator("/") if self._is_nonzero(operands[1]):
                result = self.build.binary(operands[0], "/", operands[1])
            case Operator("/"):
                result = self.build.helper("torch.divide_floats", *operands, type=OBJECT)
            case Unary("-"):
                result = self.build.unary("-", operands[0])
            case _:
                return None
        return self._float_number(result)

    def _float_number(self, value: SSAValue) -> SSAValue:
        self._floats.add(value)
        return value

    def _is_nonzero(self, value: SSAValue) -> bool:
        """Whether a weak number is provably not 0."""
        if isinstance(value.owner, emitpy.LiteralOp):
            return value.owner.data not in (0, 0.0)
        return value in self._nonzero

    # Operations

    def _tabled(self, op: Operation, operands: Sequence[SSAValue]) -> SSAValue:
        return self.apply(self.tables.scalars[op.name], operands, op.results[0].type)

    def call(
        self, function: str, operands: Sequence[SSAValue], type: TensorType[Attribute]
    ) -> SSAValue:
        """``torch.clamp(x, min=2.0)`` and ``torch.relu(x)`` for weak bounds, else a call."""
        bound = tables.BOUNDS.get(function)
        numbers = [v for v in operands if is_object(v)]
        if bound and len(numbers) == 1 and self._is_plain(numbers[0]):
            (tensor,) = (v for v in operands if not is_object(v))
            if (
                self.has_derivatives
                and bound == "min"
                and repr(emitpy.literal_data(numbers[0])) == "0.0"
            ):
                return self.build.call("torch.relu", tensor, type=type)
            return self.build.method(tensor, "clamp", type=type, keywords={bound: numbers[0]})
        return self.build.call(function, *self.all_typed(operands, type.element_type), type=type)

    def _is_plain(self, value: SSAValue) -> bool:
        """Whether a weak number is provably not NaN, which is no bound."""
        is_name = isinstance(value.owner, emitpy.NameOp | emitpy.UnaryOp)
        return not is_name and value not in self._floats

    def _divide(self, op: arith.DivfOp, operands: Sequence[SSAValue]) -> SSAValue:
        """PyTorch divides a number by a tensor as ``y.reciprocal() * x``, which rounds twice."""
        lhs, rhs = operands
        is_one = isinstance(lhs.owner, emitpy.LiteralOp) and lhs.owner.data == 1.0
        is_python = op.result.type == f64 and all(map(is_object, operands))
        if not is_python and (is_object(rhs) or not is_one):
            lhs = self.typed(lhs, op.result.type)
        return self.apply(Operator("/"), (lhs, rhs), op.result.type)

    def _shift_right(self, op: arith.ShRUIOp, operands: Sequence[SSAValue]) -> SSAValue:
        """``x >> 4 & 15`` for a known distance, by which the highest bits become zeros."""
        element, distance = op.result.type, literal_int(operands[1])
        assert isa(element, IntegerType)
        if distance is None or not 0 < distance < element.width.data or is_object(operands[0]):
            return self._tabled(op, operands)
        shifted = self.apply(Operator(">>"), operands, element)
        mask = self.build.literal((1 << (element.width.data - distance)) - 1)
        return self.apply(Operator("&"), (shifted, mask), element)

    def _floor_mod(self, op: sigma.FloorModOp, operands: Sequence[SSAValue]) -> SSAValue:
        element = op.result.type
        x, y = operands
        if element not in (i8, i16, i32, i64):
            return self.apply(Operator("%"), operands, element)
        if self.is_size(y):
            return self.apply(Operator("%"), (x, self.at_least_one(y)), element)
        return self.apply(tables.INT_FLOORMOD, operands, element)

    def _select(self, op: arith.SelectOp, operands: Sequence[SSAValue]) -> SSAValue:
        """``torch.where(c, x, y)``; ``x if c else y`` for a condition on sizes and counters."""
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
            chosen = self.chosen_array(condition, values, type_)
            if chosen is not None:
                return chosen
            condition = self.typed(condition, i1)
        if (selected := selection(self, op, operands)) is not None:
            return selected
        if is_indicator(values):
            return self._as_type(condition, element)
        if is_weak and not self.is_default(element):
            values[0] = self.typed(values[0], element)
        return self.build.call("torch.where", condition, *values, type=type_)

    def _int_power(self, op: math_dialect.IPowIOp, operands: Sequence[SSAValue]) -> SSAValue:
        """``x ** n``; PyTorch accepts a negative exponent only in a tensor."""
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
        """``x < 2.0``, also on Python numbers."""
        form = FLOAT_COMPARISONS.get(arith.CMPF_COMPARISON_OPERATIONS[op.predicate.value.data])
        if isinstance(form, Operator) and op.lhs.type == f64 and all(map(is_object, operands)):
            return self.build.binary(operands[0], form.symbol, operands[1])
        return super()._compare_floats(op, operands)

    # Casts

    def _cast_signed(self, op: Operation, operands: Sequence[SSAValue]) -> SSAValue:
        """``float(n)`` for a Python number that is converted to f64."""
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
        """A narrow int is masked to its bits in 64 bits; a helper converts one of 64 bits."""
        source, element = op.operands[0].type, op.results[0].type
        (value,) = operands
        if is_object(value) and source == i1:
            return super()._cast_unsigned(op, operands)
        value = self.typed(value, source)
        type_ = yarr.tensor(element, yarr.shape_of(value))
        if source == i64:
            dtype = self.dtype(element)
            return self.build.helper("torch.unsigned_to_float", value, dtype, type=type_)
        if source == i8:
            return self._as_type(self.unsigned(value), element)
        if isa(source, IntegerType) and source != i1:
            ones = self.build.literal(2**source.width.data - 1)
            wide = self._as_type(value, i64)
            value = self.build.binary(wide, "&", ones, wide.type)
        return value if value.type == type_ else self._as_type(value, element)

    def _cast_to_unsigned(self, op: arith.FPToUIOp, operands: Sequence[SSAValue]) -> SSAValue:
        value = self.typed(operands[0], op.input.type)
        type_ = yarr.tensor(i64, yarr.shape_of(value))
        bits = self.build.helper("torch.float_to_unsigned", value, type=type_)
        return bits if op.result.type == i64 else self._as_type(bits, op.result.type)


class OverwritingScalars(TorchScalars):
    """The same where no gradient is recorded, and values are known."""

    has_derivatives = False

    def _select(self, op: arith.SelectOp, operands: Sequence[SSAValue]) -> SSAValue:
        """``x if c else y`` for arrays and one condition."""
        condition, *values = operands
        type_ = self.result_type(operands, op.result.type)
        chosen = None
        if type_.get_num_dims() and not is_object(condition) and not yarr.rank_of(condition):
            chosen = self.chosen_array(condition, values, type_)
        return super()._select(op, operands) if chosen is None else chosen
