"""Formulas on scalars, written with the operators of Python."""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence

from xdsl.dialects import arith, math
from xdsl.dialects.builtin import (
    AnyFloat,
    FloatAttr,
    IntegerAttr,
    IntegerType,
    f32,
    f64,
    i32,
    i64,
)
from xdsl.ir import Operation, SSAValue

from ein_mlir.dialects.creation import made_like
from ein_mlir.host.dataclass import dataclass

_NO_FASTMATH = arith.FastMathFlagsAttr("none")


@dataclass(frozen=True)
class Format:
    """A floating-point type, and the integers of its width."""

    type: AnyFloat
    bits: IntegerType
    mantissa: int
    """The bits of the mantissa, without the first."""
    bias: int
    """The exponent of 1, as it is stored."""

    @property
    def whole(self) -> float:
        """Added to a small number, it rounds it to an integer, which is then in the low bits."""
        return 1.5 * 2.0**self.mantissa

    def bits_of(self, number: float) -> int:
        """The bits of a number."""
        real, integer = ("<d", "<q") if self.mantissa == 52 else ("<f", "<i")
        return int(struct.unpack(integer, struct.pack(real, number))[0])


DOUBLE = Format(f64, i64, 52, 1023)
SINGLE = Format(f32, i32, 23, 127)
FORMATS = {f64: DOUBLE, f32: SINGLE}
"""Type -> its format."""


class Formula:
    """The operations of a formula, in order."""

    def __init__(self, format: Format):
        self.format = format
        self.ops = list[Operation]()

    def add(self, op: Operation) -> SSAValue:
        """The result of a new operation."""
        self.ops.append(op)
        return op.results[0]

    def number(self, value: float) -> Number:
        """A constant."""
        return self._constant(FloatAttr(value, self.format.type))

    def integer(self, value: int) -> Number:
        """A constant of the integers of the same width."""
        return self._constant(IntegerAttr(value, self.format.bits))

    def _constant(self, value: FloatAttr | IntegerAttr) -> Number:
        """A constant; ``create`` infers no types, which takes most of the time of a constructor."""
        op = arith.ConstantOp.create(result_types=[value.type], properties={"value": value})
        return Number(self, self.add(op))

    def either(self, x: SSAValue, y: SSAValue) -> SSAValue:
        """Whether one of two conditions holds."""
        return self.add(made_like(arith.OrIOp, x, y))

    def select(self, condition: SSAValue, x: Operand, y: Operand) -> Number:
        """``condition ? x : y``"""
        then, other = self.known(x), self.known(y)
        return Number(self, self.add(made_like(arith.SelectOp, condition, then.value, other.value)))

    def fma(self, x: Operand, y: Operand, z: Operand) -> Number:
        """``x * y + z``, rounded once."""
        operands = [self.known(x).value, self.known(y).value, self.known(z).value]
        op = math.FmaOp.create(
            operands=operands,
            result_types=[operands[0].type],
            properties={"fastmath": _NO_FASTMATH},
        )
        return Number(self, self.add(op))

    def known(self, x: Operand) -> Number:
        """A number, or a constant."""
        return x if isinstance(x, Number) else self.number(x)

    def root(self, x: Number) -> Number:
        """The square root."""
        return Number(self, self.add(math.SqrtOp(x.value)))

    def product(self, x: Number, y: Operand) -> Sum:
        """``x * y`` without an error."""
        high = x * y
        return Sum(high, self.fma(x, y, -high))

    def in_double(self, formula: Callable[..., Number], *numbers: Number) -> Number:
        """The result of a formula, which numbers of f32 are widened for."""
        if self.format is DOUBLE:
            return formula(self, *numbers)
        wide, found = self.widened(*numbers)
        value = formula(wide, *found).value
        return Number(self, self.add(arith.TruncFOp(value, self.format.type)))

    def widened(self, *numbers: Number) -> tuple[Formula, Sequence[Number]]:
        """The same formula on numbers of f64."""
        if self.format is DOUBLE:
            return self, numbers
        wide = Formula(DOUBLE)
        wide.ops = self.ops
        return wide, [Number(wide, self.add(arith.ExtFOp(x.value, f64))) for x in numbers]

    def polynomial(self, x: Number, coefficients: Sequence[float]) -> Number:
        """``c0 + c1 * x + c2 * x * x + ..``, from the last coefficient to the first."""
        total = self.number(coefficients[-1])
        for coefficient in reversed(coefficients[:-1]):
            total = self.fma(total, x, coefficient)
        return total

    def from_bits(self, x: Number) -> Number:
        """The float with some bits."""
        return Number(self, self.add(arith.BitcastOp(x.value, self.format.type)))

    def integer_in(self, shifted: Number) -> Number:
        """The integer in the low bits of a number that `Format.whole` was added to."""
        return shifted.bits - self.integer(self.format.bits_of(self.format.whole))

    def power_of_two(self, n: Number) -> Number:
        """``2 ** n`` for an integer that is an exponent of a normal number."""
        return self.from_bits((n + self.format.bias) << self.format.mantissa)


class Number:
    """A value of a formula: a float, or an integer of the same width."""

    def __init__(self, formula: Formula, value: SSAValue):
        self.formula = formula
        self.value = value

    @property
    def is_integer(self) -> bool:
        """Whether it is an integer."""
        return isinstance(self.value.type, IntegerType)

    def _do(self, integer: type[Operation], other: Operand, real: type[Operation]) -> Number:
        formula = self.formula
        if self.is_integer:
            y = other if isinstance(other, Number) else formula.integer(int(other))
        else:
            y = formula.known(other)
        cls = integer if self.is_integer else real
        return Number(formula, formula.add(made_like(cls, self.value, y.value)))

    def __add__(self, other: Operand) -> Number:
        return self._do(arith.AddiOp, other, arith.AddfOp)

    def __sub__(self, other: Operand) -> Number:
        return self._do(arith.SubiOp, other, arith.SubfOp)

    def __mul__(self, other: Operand) -> Number:
        return self._do(arith.MuliOp, other, arith.MulfOp)

    def __truediv__(self, other: Operand) -> Number:
        return self._do(arith.DivSIOp, other, arith.DivfOp)

    def __rtruediv__(self, other: float) -> Number:
        return self.formula.number(other) / self

    def __neg__(self) -> Number:
        return Number(self.formula, self.formula.add(arith.NegfOp(self.value)))

    def __lshift__(self, bits: int) -> Number:
        return self._do(arith.ShLIOp, bits, arith.ShLIOp)

    def __rshift__(self, bits: int) -> Number:
        return self._do(arith.ShRSIOp, bits, arith.ShRSIOp)

    def __and__(self, bits: int) -> Number:
        return self._do(arith.AndIOp, bits, arith.AndIOp)

    def exclusive_or(self, other: Number) -> Number:
        """The bits in which two integers differ."""
        return self._do(arith.XOrIOp, other, arith.XOrIOp)

    @property
    def bits(self) -> Number:
        """Its bits as an integer."""
        cast = arith.BitcastOp(self.value, self.formula.format.bits)
        return Number(self.formula, self.formula.add(cast))

    @property
    def as_float(self) -> Number:
        """The float nearest to an integer."""
        cast = arith.SIToFPOp(self.value, self.formula.format.type)
        return Number(self.formula, self.formula.add(cast))

    def magnitude(self) -> Number:
        """Its absolute value."""
        return Number(self.formula, self.formula.add(math.AbsFOp(self.value)))

    def with_sign_of(self, other: Number) -> Number:
        """Its absolute value with the sign of another."""
        op = math.CopySignOp(self.value, other.value)
        return Number(self.formula, self.formula.add(op))

    def is_(self, predicate: str, other: Operand) -> SSAValue:
        """A comparison, such as ``olt`` of floats, ``eq`` of integers."""
        if self.is_integer:
            y = other if isinstance(other, Number) else self.formula.integer(int(other))
            return self.formula.add(arith.CmpiOp(self.value, y.value, predicate))
        y = self.formula.known(other)
        return self.formula.add(arith.CmpfOp(self.value, y.value, predicate))


Operand = Number | float


@dataclass(frozen=True)
class Sum:
    """A number as the unevaluated sum of a float and of the error of that."""

    high: Number
    low: Number

    def add(self, other: Operand) -> Sum:
        """The sum with a number that is not larger."""
        high = self.high + other
        return Sum(high, ((self.high - high) + other) + self.low)

    def normal(self) -> Sum:
        """The same sum, whose first part is the float that is nearest to it."""
        high = self.high + self.low
        return Sum(high, (self.high - high) + self.low)

    def rounded(self) -> Number:
        """The nearest float."""
        return self.high + self.low


def quotient(f: Formula, x: Sum, y: Sum) -> Number:
    """``x / y``"""
    inverse = 1.0 / y.high
    first = x.high * inverse
    rest = f.fma(-first, y.high, x.high) + f.fma(-first, y.low, x.low)
    return f.fma(rest, inverse, first)
