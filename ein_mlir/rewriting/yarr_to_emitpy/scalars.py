"""Scalar operations, by tables: the bodies of elementwise operations become expressions.

A scalar is a weak Python number (``!emitpy.object``) if it is a literal, a size, a counter, or
computed from such; otherwise it is of the library's type. A weak number takes the element type of
its partner, as Python numbers do in NumPy, PyTorch and JAX, so literals stay bare. Python's own
arithmetic is used only if it agrees with the calculus: no overflow can occur, and no operation
raises.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import reduce
from typing import Any, ClassVar, cast

from xdsl.dialects import arith
from xdsl.dialects import math as math_dialect
from xdsl.dialects.builtin import (
    DenseIntOrFPElementsAttr,
    FloatAttr,
    IntegerAttr,
    IntegerType,
    TensorType,
    TupleType,
    f32,
    i1,
    i64,
)
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.utils.exceptions import PassFailedException

from ein_mlir.analysis.hints import isa
from ein_mlir.backends.forms import (
    FLOAT_COMPARISONS,
    Call,
    Division,
    Form,
    Helper,
    Operator,
    ScalarTables,
    Unary,
    Unsigned,
)
from ein_mlir.dialects import emitpy, yarr
from ein_mlir.dialects.emitpy import OBJECT
from ein_mlir.rewriting.yarr_to_emitpy.builder import (
    PythonBuilder,
    is_literal,
    is_object,
    literal_int,
)
from ein_mlir.rewriting.yarr_to_emitpy.float_powers import have_own_axes, range_of
from ein_mlir.rewriting.yarr_to_emitpy.literals import is_indicator, shortest_f32
from ein_mlir.rewriting.yarr_to_emitpy.powers_of_two import by_bits

SIZE_BITS = 31
"""The assumed number of bits of a size or a counter: products of two do not overflow."""

INT_BITS = 63


class Scalars:
    """Translates scalar operations, on scalars and on arrays of them."""

    reads_arrays: ClassVar = False
    """Whether helpers may look at the elements of an array."""
    subtracts_masks: ClassVar = True
    """Whether ``1 - mask`` is an array of Ints."""
    numbers_by_bits: ClassVar = False
    """Whether divisions of single Ints by powers of two are shifts, as those of arrays."""

    def __init__(self, build: PythonBuilder, tables: ScalarTables):
        self.build = build
        self.tables = tables
        self._bits: dict[SSAValue, int] = {}
        self._positive = set[SSAValue]()
        self._rules: dict[type[Operation], Callable[[Any, Sequence[SSAValue]], SSAValue | None]] = {
            arith.CmpfOp: self._compare_floats,
            arith.CmpiOp: self._compare_ints,
            arith.SelectOp: self._select,
            arith.BitcastOp: self._bitcast,
            arith.CeilDivSIOp: self._ceil_divide,
            arith.XOrIOp: self._exclusive_or,
            math_dialect.RsqrtOp: self._rsqrt,
            math_dialect.FmaOp: self._fma,
            math_dialect.FPowIOp: self._float_power,
            math_dialect.IPowIOp: self._int_power,
            math_dialect.CountLeadingZerosOp: self._leading_zeros,
            arith.ExtFOp: self._cast,
            arith.TruncFOp: self._cast,
            arith.TruncIOp: self._truncate_int,
            arith.ExtSIOp: self._cast_signed,
            arith.SIToFPOp: self._cast_signed,
            arith.ExtUIOp: self._cast_unsigned,
            arith.UIToFPOp: self._cast_unsigned,
            arith.FPToSIOp: self._cast,
            arith.FPToUIOp: self._cast_to_unsigned,
        }

    def translate(self, op: Operation, operands: Sequence[SSAValue]) -> SSAValue | None:
        """The value of a scalar operation on translated operands; None if there is no lowering."""
        if isinstance(op, math_dialect.FPowIOp | math_dialect.PowFOp) and have_own_axes(*operands):
            power = self.powers(operands, op.result.type)
            if power is not None:
                return power
        rule = self._rules.get(type(op))
        if rule is not None:
            return rule(op, operands)
        form = self.tables.scalars.get(op.name)
        return None if form is None else self.apply(form, operands, op.results[0].type)

    # Values

    def constant(self, value: Attribute) -> SSAValue:
        """A scalar constant, as a weak number."""
        assert isa(value, IntegerAttr | FloatAttr)
        return self._number(value.value.data, value.type)

    def _number(self, number: float, element: Attribute) -> SSAValue:
        if isinstance(number, float):
            return self._float(shortest_f32(number) if element == f32 else number)
        return self.build.literal(bool(number) if element == i1 else number)

    def _float(self, number: float) -> SSAValue:
        if math.isfinite(number):
            return self.build.literal(number)
        name = self.build.name(f"{self.tables.prefix}.{'nan' if math.isnan(number) else 'inf'}")
        return self.build.unary("-", name) if number < 0 else name

    def dense(self, value: DenseIntOrFPElementsAttr) -> list[SSAValue]:
        """The elements of a constant array, as weak numbers."""
        element = value.get_element_type()
        numbers = cast("Sequence[float]", value.get_values())
        return [self._number(number, element) for number in numbers]

    def dtype(self, element: Attribute) -> SSAValue:
        """``np.float32``."""
        return self.build.name(self._name_of_dtype(element))

    def _name_of_dtype(self, element: Attribute) -> str:
        name = str(element)
        if name not in self.tables.dtypes:
            raise PassFailedException(
                f"{self.tables.prefix} has no {name}: convert to f32, or compile for PyTorch or JAX"
            )
        return self.tables.dtypes[name]

    def typed(self, value: SSAValue, element: Attribute) -> SSAValue:
        """A value of the library's own type: ``np.float64(2.0)`` for a weak ``2.0``."""
        if not is_object(value):
            return value
        dtype = self._name_of_dtype(element)
        return self.build.call(dtype, value, type=yarr.tensor(element, ()))

    def is_default(self, element: Attribute) -> bool:
        """Whether the library gives a Python number this element type by default."""
        return str(element) in ("i1", "i64", "f64")

    def bits(self, value: SSAValue) -> int:
        """The number of bits that a weak int may need."""
        number = literal_int(value)
        return self._bits.get(value, SIZE_BITS) if number is None else abs(number).bit_length()

    def is_size(self, value: SSAValue) -> bool:
        """Whether a weak int is itself a size or a counter, which is non-negative."""
        number = literal_int(value)
        return is_object(value) and (value not in self._bits if number is None else number >= 0)

    def at_least_one(self, size: SSAValue) -> SSAValue:
        """``max(n, 1)``: every number modulo 1 is 0, as it is to be modulo 0."""
        one, number = self.build.literal(1), literal_int(size)
        if size in self._positive or number:
            return size
        if number == 0:
            return one
        positive = self._with_bits(self.build.call("max", size, one), SIZE_BITS)
        self._positive.add(positive)
        return positive

    def result_type(
        self, operands: Sequence[SSAValue], element: Attribute
    ) -> TensorType[Attribute]:
        """The type of an elementwise result on operands."""
        shapes = [yarr.shape_of(v) for v in operands if not is_object(v) and yarr.rank_of(v)]
        return yarr.tensor(element, (yarr.broadcast_shapes(shapes) or ()) if shapes else ())

    # Forms

    def apply(self, form: Form, operands: Sequence[SSAValue], element: Attribute) -> SSAValue:
        """Emit a form of the tables; for arrays of Ints, shifts and masks for powers of two."""
        if isinstance(form, Division):
            form = form.by(literal_int(operands[1]))
        is_typed = isa(element, IntegerType) and element != i1 and not is_object(operands[0])
        has_bits = is_typed and (self.numbers_by_bits or yarr.rank_of(operands[0]) > 0)
        if has_bits and isinstance(form, Operator):
            form, operands = by_bits(self.build, form.symbol, operands) or (form, operands)
        if all(map(is_object, operands)):
            python = self._python_arithmetic(form, operands, element)
            if python is not None:
                return python
            operands = self._type_one(operands, element)
        type_ = self.result_type(operands, element)
        match form:
            case Operator(symbol):
                return self.build.binary(operands[0], symbol, operands[1], type_)
            case Unary(symbol):
                return self.build.unary(symbol, operands[0], type_)
            case Call(function):
                return self.call(function, operands, type_)
            case Helper(function):
                typed = self.all_typed(operands, element)
                return self.build.helper(function, *typed, type=type_)
            case Unsigned(inner):
                return self._unsigned(inner, operands, element)

    def call(
        self, function: str, operands: Sequence[SSAValue], type: TensorType[Attribute]
    ) -> SSAValue:
        """A call of the library, whose functions may accept weak numbers next to its own values."""
        return self.build.call(function, *operands, type=type)

    def all_typed(self, operands: Sequence[SSAValue], element: Attribute) -> list[SSAValue]:
        """Give weak operands the type of the others, or an element type if all are weak."""
        partners = (yarr.element_of(v) for v in operands if not is_object(v))
        element = next(partners, element)
        return [self.typed(v, element) for v in operands]

    def _type_one(self, operands: Sequence[SSAValue], element: Attribute) -> list[SSAValue]:
        """Give one weak operand, preferably not a literal, the type that the others then take."""
        chosen = next((k for k, v in enumerate(operands) if not is_literal(v)), 0)
        return [self.typed(v, element) if k == chosen else v for k, v in enumerate(operands)]

    def _python_arithmetic(
        self, form: Form, operands: Sequence[SSAValue], element: Attribute
    ) -> SSAValue | None:
        """Arithmetic of Python itself on sizes and counters, if it agrees with the calculus."""
        if element == i1 and isinstance(form, Operator) and form.symbol in ("&", "|", "^"):
            return self.build.binary(operands[0], form.symbol, operands[1])
        if element != i64:
            return None
        bits = [self.bits(v) for v in operands]
        match form:
            case Operator("+" | "-") if max(bits) + 1 <= INT_BITS:
                needed = max(bits) + 1
            case Operator("*") if sum(bits) <= INT_BITS:
                needed = sum(bits)
            case Operator("//" | "%") if (literal_int(operands[1]) or 0) > 0:
                needed = max(bits)
            case Operator("%") if operands[1] in self._positive or self.is_size(operands[1]):
                operands = operands[0], self.at_least_one(operands[1])
                needed = max(bits)
            case Call(function) if function.partition(".")[2] in ("minimum", "maximum"):
                name = function.partition(".")[2].removesuffix("imum")
                return self._with_bits(self.build.call(name, *operands), max(bits))
            case _:
                return None
        return self._with_bits(self.build.binary(operands[0], form.symbol, operands[1]), needed)

    def _with_bits(self, value: SSAValue, bits: int) -> SSAValue:
        self._bits[value] = bits
        return value

    def _unsigned(
        self, form: Operator | Call, operands: Sequence[SSAValue], element: Attribute
    ) -> SSAValue:
        """Read the bits of the operands as unsigned, and those of the result as signed again."""
        signed = next(yarr.element_of(v) for v in operands if not is_object(v))
        views = [self.unsigned(self.typed(v, signed)) for v in operands]
        if element == i1:
            return self.apply(form, views, element)
        return self.view(self.apply(form, views, yarr.unsigned_type(element)), element)

    def unsigned(self, value: SSAValue) -> SSAValue:
        """``x.view(np.uint8)``: the bits of integers, read as unsigned."""
        return self.view(value, yarr.unsigned_type(yarr.element_of(value)))

    def view(self, value: SSAValue, element: Attribute) -> SSAValue:
        """The bits of an array of integers as those of another type; a view of a view is one."""
        if yarr.element_of(value) == element or element == i1:
            return value
        owner = value.owner
        if isinstance(owner, emitpy.MethodOp) and owner.method.data == "view":
            return self.view(owner.receiver, element)
        type_ = yarr.tensor(element, yarr.shape_of(value))
        return self.build.method(value, "view", self.dtype(element), type=type_, view=True)

    # Arguments and results

    def converted(self, value: SSAValue, type_: Attribute) -> SSAValue:
        """An argument or result between the types of the host and of IR.

        Integers of the same bits are read with or without a sign, complex numbers are two floats.
        """
        if value.type == type_ or is_object(value):
            return value
        if not isa(type_, TupleType):
            if isa(value.type, TupleType):
                return self._joined(value, type_)
            return self.view(value, yarr.element_of(type_))
        if isa(value.type, TensorType):
            parts = zip(("real", "imag"), type_.types, strict=True)
            fields = [self.build.attribute(value, name, part) for name, part in parts]
            return self.build.tuple(fields, type_)
        fields = [
            self.converted(self._field(value, number), field)
            for number, field in enumerate(type_.types)
        ]
        return self.build.tuple(fields, type_)

    def _joined(self, record: SSAValue, type_: Attribute) -> SSAValue:
        """The complex numbers of two parts."""
        parts = [self._field(record, number) for number in range(2)]
        form = self.tables.make_complex
        call = self.build.call if isinstance(form, Call) else self.build.helper
        return call(form.function, *parts, type=type_)

    def _field(self, record: SSAValue, number: int) -> SSAValue:
        assert isa(record.type, TupleType)
        if isinstance(record.owner, emitpy.TupleOp):
            return record.owner.fields[number]
        index = self.build.literal(number)
        return self.build.subscript(record, [index], record.type.types.data[number])

    # Comparisons and selection

    def _compare_ints(self, op: arith.CmpiOp, operands: Sequence[SSAValue]) -> SSAValue:
        """A comparison; true is -1 with a sign, and more than false to the libraries."""
        predicate = arith.CMPI_COMPARISON_OPERATIONS[op.predicate.value.data]
        if op.lhs.type == i1 and predicate not in ("eq", "ne"):
            operands = operands if predicate[0] == "u" else operands[::-1]
            predicate = f"s{predicate[1:]}"
        return self._compare(self.tables.comparisons[predicate], operands, op.lhs.type)

    def _compare(self, form: Form, operands: Sequence[SSAValue], element: Attribute) -> SSAValue:
        if all(map(is_object, operands)):
            if isinstance(form, Operator) and element in (i1, i64):
                return self.build.binary(operands[0], form.symbol, operands[1])
            operands = self._type_one(operands, element)
        return self.apply(form, operands, i1)

    def _compare_floats(self, op: arith.CmpfOp, operands: Sequence[SSAValue]) -> SSAValue | None:
        predicate = arith.CMPF_COMPARISON_OPERATIONS[op.predicate.value.data]
        element = op.lhs.type
        forms = FLOAT_COMPARISONS
        if all(map(is_object, operands)):
            operands = self._type_one(operands, element)
        if predicate in forms:
            return self._compare(forms[predicate], operands, element)
        if predicate in ("false", "true"):
            return self.build.literal(predicate == "true")
        ordered = {"ueq": "one", "ugt": "ole", "uge": "olt", "ult": "oge", "ule": "ogt"}
        if predicate in ordered and ordered[predicate] in forms:
            return self._not(self._compare(forms[ordered[predicate]], operands, element))
        if predicate in ("one", "ueq"):
            less, more = (self._compare(forms[p], operands, element) for p in ("olt", "ogt"))
            different = self.apply(Operator("|"), (less, more), i1)
            return different if predicate == "one" else self._not(different)
        if predicate in ("ord", "uno"):
            name, joined = ("oeq", "&") if predicate == "ord" else ("une", "|")
            tests = [self._compare(forms[name], (v, v), element) for v in dict.fromkeys(operands)]
            return reduce(lambda x, y: self.apply(Operator(joined), (x, y), i1), tests)
        return None

    def _not(self, value: SSAValue) -> SSAValue:
        if is_object(value):
            return self.build.unary("not", value)
        return self.build.unary("~", value, value.type)

    def _exclusive_or(self, op: arith.XOrIOp, operands: Sequence[SSAValue]) -> SSAValue:
        """``x ^ true`` is ``not x``."""
        element = op.result.type
        for value, other in (operands, operands[::-1]):
            if element == i1 and is_literal(other) and not is_literal(value):
                assert isinstance(other.owner, emitpy.LiteralOp)
                return self._not(value) if other.owner.data else value
        return self.apply(Operator("^"), operands, element)

    def place_if(self, condition: SSAValue, position: SSAValue) -> SSAValue:
        """A position, or -1 if a condition is false."""
        choice = arith.SelectOp.create(result_types=[i64])
        return self._select(choice, (condition, position, self.build.literal(-1)))

    def _select(self, op: arith.SelectOp, operands: Sequence[SSAValue]) -> SSAValue:
        """``np.where(c, x, y)`` on arrays, ``x if c else y`` for one condition.

        For 1 and 0, ``c.astype(np.int64)``.
        """
        condition, *values = operands
        element = op.result.type
        is_weak = all(map(is_object, values))
        type_ = self.result_type(operands, element)
        if not type_.get_num_dims():
            if is_weak and element == i64:
                bits = max(map(self.bits, values))
                chosen = self.build.conditional(condition, values[0], values[1], OBJECT)
                return self._with_bits(chosen, bits)
            values = [self.typed(v, element) for v in values]
            return self.build.conditional(condition, values[0], values[1], type_)
        if is_object(condition) or not yarr.rank_of(condition):
            chosen = self.chosen_array(condition, values, type_)
            if chosen is not None:
                return chosen
        if is_indicator(values):
            return self._as_type(condition, element)
        if is_weak and not self.is_default(element):
            values[0] = self.typed(values[0], element)
        return self.build.call(f"{self.tables.prefix}.where", condition, *values, type=type_)

    def chosen_array(
        self, condition: SSAValue, values: Sequence[SSAValue], type: TensorType[Attribute]
    ) -> SSAValue | None:
        """``x if c else y`` for arrays of one shape; a number becomes an array like the other one.

        None if a value would be broadcast. No element is copied, and the printer evaluates a branch
        that it writes into the expression only if it is taken.
        """
        like = next((value for value in values if value.type == type), None)
        if like is None:
            return None
        branches = [self._filled_like(like, v) if is_object(v) else v for v in values]
        if any(branch.type != type for branch in branches):
            return None
        return self.build.conditional(condition, branches[0], branches[1], type)

    def _filled_like(self, array: SSAValue, number: SSAValue) -> SSAValue:
        full = f"{self.tables.prefix}.full_like"
        return self.build.call(full, array, number, type=array.type)

    # Arithmetic that is more than one operator

    def _rsqrt(self, op: math_dialect.RsqrtOp, operands: Sequence[SSAValue]) -> SSAValue:
        root = self.apply(self.tables.scalars["math.sqrt"], operands, op.result.type)
        return self.apply(Operator("/"), (self.build.literal(1.0), root), op.result.type)

    def _fma(self, op: math_dialect.FmaOp, operands: Sequence[SSAValue]) -> SSAValue:
        product = self.apply(Operator("*"), operands[:2], op.result.type)
        return self.apply(Operator("+"), (product, operands[2]), op.result.type)

    def _ceil_divide(self, op: arith.CeilDivSIOp, operands: Sequence[SSAValue]) -> SSAValue:
        """``x // y + (x % y != 0)``"""
        element = op.result.type
        lhs = self.typed(operands[0], element)
        floor = self.apply(Operator("//"), (lhs, operands[1]), element)
        rest = self.apply(Operator("%"), (lhs, operands[1]), element)
        is_more = self.apply(Operator("!="), (rest, self.build.literal(0)), i1)
        return self.apply(Operator("+"), (floor, is_more), element)

    def _int_power(self, op: math_dialect.IPowIOp, operands: Sequence[SSAValue]) -> SSAValue:
        """Libraries refuse negative exponents."""
        base, exponent = operands
        element = op.result.type
        known = literal_int(exponent)
        if known is not None and known >= 0:
            base = self.typed(base, element)
            return self.build.binary(base, "**", exponent, self.result_type([base], element))
        return self.apply(Helper(f"{self.tables.prefix}.int_power"), operands, element)

    def _leading_zeros(
        self, op: math_dialect.CountLeadingZerosOp, operands: Sequence[SSAValue]
    ) -> SSAValue:
        """``64 - n.bit_length()`` for a size."""
        (number,) = operands
        if not self.is_size(number):
            return self.apply(self.tables.scalars[op.name], operands, op.result.type)
        bits = self.build.method(number, "bit_length")
        return self._with_bits(self.build.binary(self.build.literal(64), "-", bits), 7)

    def _float_power(self, op: math_dialect.FPowIOp, operands: Sequence[SSAValue]) -> SSAValue:
        """An exponent of the library's own int type would make a float32 base a float64."""
        base, exponent = self.typed(operands[0], op.result.type), operands[1]
        element = op.result.type
        power = self.build.binary(base, "**", exponent, self.result_type((base, exponent), element))
        if is_object(exponent) or self.is_default(element):
            return power
        return self._as_type(power, element)

    def powers(self, operands: Sequence[SSAValue], element: Attribute) -> SSAValue | None:
        """The powers of each number by ``first + step * k``, as products."""
        base, exponent = operands
        given = () if self.reads_arrays else range_of(self.build, exponent)
        if given is None:
            return None
        base, type_ = self.typed(base, element), self.result_type((base, exponent), element)
        helper = f"{self.tables.prefix}.powers"
        return self.build.helper(helper, base, exponent, *given, type=type_)

    # Casts

    def _as_type(self, value: SSAValue, element: Attribute) -> SSAValue:
        type_ = yarr.tensor(element, yarr.shape_of(value))
        return self.build.method(value, "astype", self.dtype(element), type=type_)

    def _cast(self, op: Operation, operands: Sequence[SSAValue]) -> SSAValue:
        source, element = op.operands[0].type, op.results[0].type
        return self._as_type(self.typed(operands[0], source), element)

    def _truncate_int(self, op: arith.TruncIOp, operands: Sequence[SSAValue]) -> SSAValue:
        if op.result.type != i1:
            return self._cast(op, operands)
        value = self.typed(operands[0], op.input.type)
        lowest = self.build.binary(value, "&", self.build.literal(1), value.type)
        return self._as_type(lowest, i1)

    def _cast_signed(self, op: Operation, operands: Sequence[SSAValue]) -> SSAValue:
        """A size needs no ``astype``; the one bit of an i1 is its sign."""
        source, element = op.operands[0].type, op.results[0].type
        if is_object(operands[0]) and source == i64:
            return self.typed(operands[0], element)
        value = self._cast(op, operands)
        return self.build.unary("-", value, value.type) if source == i1 else value

    def _cast_unsigned(self, op: Operation, operands: Sequence[SSAValue]) -> SSAValue:
        (value,) = operands
        source, element = op.operands[0].type, op.results[0].type
        if is_object(value) and source == i1:
            if element == i64:
                return self._with_bits(self.build.call("int", value), 1)
            return self.typed(value, element)
        value = self.typed(value, source)
        return self._as_type(self.unsigned(value), element)

    def _cast_to_unsigned(self, op: arith.FPToUIOp, operands: Sequence[SSAValue]) -> SSAValue:
        element = op.result.type
        value = self.typed(operands[0], op.input.type)
        return self.view(self._as_type(value, yarr.unsigned_type(element)), element)

    def _bitcast(self, op: arith.BitcastOp, operands: Sequence[SSAValue]) -> SSAValue:
        value = self.typed(operands[0], op.input.type)
        element = op.result.type
        type_ = yarr.tensor(element, yarr.shape_of(value))
        return self.build.method(value, "view", self.dtype(element), type=type_, view=True)
