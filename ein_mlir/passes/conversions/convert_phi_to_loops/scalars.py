"""Rules for scalar operators: those that upstream dialects define otherwise are expanded.

Upstream, these are undefined: a division by zero or of the least Int by -1, a shift beyond the
width, and the integer of a float that does not fit. ``docs/semantics.md`` defines them all.
"""

from __future__ import annotations

import struct
from collections.abc import Callable

from xdsl.dialects import arith, math, scf
from xdsl.dialects.builtin import (
    Float32Type,
    Float64Type,
    FloatAttr,
    IndexType,
    IntegerAttr,
    IntegerType,
    UnitAttr,
    f16,
    f32,
    f64,
    i32,
    i64,
)
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.utils.exceptions import PassFailedException

from ein_mlir.analysis.arithmetic import Range
from ein_mlir.analysis.constants import known_int
from ein_mlir.analysis.diagnostics import where_written
from ein_mlir.analysis.hints import isa
from ein_mlir.analysis.phi.divided_indices import wraps_around
from ein_mlir.backends.native.abi import UNPREDICTABLE
from ein_mlir.dialects import phi, sigma
from ein_mlir.dialects.creation import copy_of
from ein_mlir.dialects.phi.integers import range_of
from ein_mlir.dialects.remainder import RemFOp
from ein_mlir.passes.conversions.convert_phi_to_loops.conversion import Conversion
from ein_mlir.passes.conversions.convert_phi_to_loops.emission import INDEX
from ein_mlir.passes.conversions.convert_phi_to_loops.values import checked

LARGEST_POWER = 16
"""The largest exponent for which products, one after the other, are faster than the power."""


def constant(conversion: Conversion, op: arith.ConstantOp) -> None:
    """A literal."""
    value = op.value
    if not isinstance(value, IntegerAttr | FloatAttr) or not phi.is_scalar_type(op.result.type):
        raise PassFailedException(
            f"arith.constant: '{op.result.type}' is not a scalar of the phi dialect"
            + where_written(op)
        )
    conversion.bind(op.result, [conversion.constant(value)])


def index_cast(conversion: Conversion, op: arith.IndexCastOp) -> None:
    """An index as an Int."""
    conversion.bind(op.result, [conversion.cast(conversion.scalar(op.input), op.result.type)])


def scalar_operator(conversion: Conversion, op: Operation) -> None:
    """The same operator, or its expansion."""
    for value in (*op.operands, *op.results):
        if not phi.is_scalar_type(value.type):
            raise PassFailedException(
                f"{op.name}: operates on scalars, not on '{value.type}'; use phi.array to apply it "
                "to each element" + where_written(op)
            )
    operands = [conversion.scalar(operand) for operand in op.operands]
    expansion = EXPANSIONS.get(type(op))
    if expansion is None:
        mapper = dict(zip(op.operands, operands, strict=True))
        result = conversion.emit(copy_of(op, mapper), op).results[0]
    else:
        result = expansion(Expander(conversion, op), *operands)
        result.name_hint = result.name_hint or op.results[0].name_hint
    conversion.bind(op.results[0], [result])


class Expander:
    """Builds arithmetic at the current place."""

    def __init__(self, conversion: Conversion, op: Operation):
        self.conversion = conversion
        self.type = op.results[0].type
        self.op = op

    def number(self, value: float, type_: Attribute | None = None) -> SSAValue:
        """A literal, by default of the type of the result."""
        return self.conversion.number(value, type_ or self.type)

    def do(self, operation: Callable[..., Operation], *operands: SSAValue | Attribute) -> SSAValue:
        """The result of an operation."""
        return self.conversion.value_of(operation(*operands))

    def is_(self, lhs: SSAValue, predicate: str, rhs: SSAValue) -> SSAValue:
        """A comparison of integers or floats."""
        if isinstance(lhs.type, IntegerType | IndexType):
            return self.conversion.compare(lhs, rhs, predicate)
        return self.conversion.value_of(arith.CmpfOp(lhs, rhs, predicate))

    def choose(self, condition: SSAValue, value: SSAValue, otherwise: SSAValue) -> SSAValue:
        """One of two values."""
        return self.conversion.value_of(arith.SelectOp(condition, value, otherwise))

    @property
    def width(self) -> int:
        """The number of bits of the type of the result."""
        assert isa(self.type, IntegerType)
        return self.type.width.data


# Division of Ints -------------------------------------------------------------------------------


def _power_of_two(value: SSAValue) -> int | None:
    """``k`` for a literal ``2**k``."""
    number = known_int(value)
    if number is None or number <= 0 or number & (number - 1):
        return None
    return number.bit_length() - 1


def _guarded(
    build: Expander,
    x: SSAValue,
    y: SSAValue,
    divide: Callable[[SSAValue], SSAValue],
    by_minus_one: SSAValue | None,
) -> SSAValue:
    """``divide(y)``, and 0 for a ``y`` of 0; ``by_minus_one`` for -1, if it is given."""
    number = known_int(y)
    if number is not None and number != 0 and (number != -1 or by_minus_one is None):
        return divide(y)
    zero, one = build.number(0), build.number(1)
    is_zero = build.is_(y, "eq", zero)
    unsafe = is_zero
    if by_minus_one is not None:
        is_minus_one = build.is_(y, "eq", build.number(-1))
        unsafe = build.do(arith.OrIOp, is_zero, is_minus_one)
        quotient = divide(build.choose(unsafe, one, y))
        quotient = build.choose(is_minus_one, by_minus_one, quotient)
    else:
        quotient = divide(build.choose(unsafe, one, y))
    return build.choose(is_zero, zero, quotient)


def _negated(build: Expander, x: SSAValue) -> SSAValue:
    return build.do(arith.SubiOp, build.number(0), x)


def _differ_in_sign(build: Expander, x: SSAValue, y: SSAValue) -> SSAValue:
    return build.is_(build.do(arith.XOrIOp, x, y), "slt", build.number(0))


_EXACT = Range(-(2**50), 2**50)
"""Integers whose quotients, as floats, are rounded to the right side of each integer."""

_SHIFTED = 1.5 * 2**52
"""A float whose last bit counts ones: the sum with an integer has it in its last bits."""


def _is_exact_float(build: Expander, y: SSAValue) -> bool:
    """Whether a dividend is so small that its quotient may be computed with floats.

    A division of floats is vectorised, and several times as fast. One by a literal is a product.
    """
    x = build.op.operands[0]
    is_small = build.width == 32 or range_of(x) in _EXACT or x in build.conversion.small
    return known_int(y) is None and build.width > 1 and is_small


def _are_unsigned(build: Expander, y: SSAValue) -> bool:
    """Whether a dividend is not negative, and the divisor a positive literal."""
    divisor = known_int(y)
    return divisor is not None and divisor > 0 and range_of(build.op.operands[0]).low >= 0


def _quotient(build: Expander, x: SSAValue, y: SSAValue) -> SSAValue:
    """``x // y = floor(float(x) / float(y))`` for a small x, and a y other than 0.

    A quotient that is no integer is at least ``1 / y`` below the next, which is more than rounding
    adds to it. A y of more than 53 bits is rounded, but larger than twice x.
    """
    lhs, rhs = (build.do(arith.SIToFPOp, value, f64) for value in (x, y))
    below = build.do(math.FloorOp, build.do(arith.DivfOp, lhs, rhs))
    shifted = build.do(arith.AddfOp, below, build.number(_SHIFTED, f64))
    bits = build.do(arith.BitcastOp, shifted, i64)
    zero = struct.unpack("=q", struct.pack("=d", _SHIFTED))[0]
    quotient = build.do(arith.SubiOp, bits, build.number(zero, i64))
    return quotient if build.width == 64 else build.do(arith.TruncIOp, quotient, build.type)


def floordivsi(build: Expander, x: SSAValue, y: SSAValue) -> SSAValue:
    """``x // y``, rounded down; by 0 it is 0."""
    if build.width == 1:
        return build.do(arith.AndIOp, x, y)
    shift = _power_of_two(y)
    if shift is not None:
        return build.do(arith.ShRSIOp, x, build.number(shift))
    if _is_exact_float(build, y):
        by_minus_one = _negated(build, x) if build.width == 32 else None
        return _guarded(build, x, y, lambda d: _quotient(build, x, d), by_minus_one)
    if _are_unsigned(build, y):
        return build.do(arith.DivUIOp, x, y)

    def divide(divisor: SSAValue) -> SSAValue:
        quotient = build.do(arith.DivSIOp, x, divisor)
        rest = build.do(arith.SubiOp, x, build.do(arith.MuliOp, quotient, divisor))
        is_inexact = build.is_(rest, "ne", build.number(0))
        is_above = build.do(arith.AndIOp, is_inexact, _differ_in_sign(build, rest, divisor))
        below = build.do(arith.SubiOp, quotient, build.number(1))
        return build.choose(is_above, below, quotient)

    return _guarded(build, x, y, divide, _negated(build, x))


def ceildivsi(build: Expander, x: SSAValue, y: SSAValue) -> SSAValue:
    """``x / y``, rounded up; by 0 it is 0."""
    if build.width == 1:
        return build.do(arith.AndIOp, x, y)

    def divide(divisor: SSAValue) -> SSAValue:
        quotient = build.do(arith.DivSIOp, x, divisor)
        rest = build.do(arith.SubiOp, x, build.do(arith.MuliOp, quotient, divisor))
        is_exact = build.is_(rest, "eq", build.number(0))
        keeps = build.do(arith.OrIOp, is_exact, _differ_in_sign(build, rest, divisor))
        return build.choose(keeps, quotient, build.do(arith.AddiOp, quotient, build.number(1)))

    return _guarded(build, x, y, divide, _negated(build, x))


def floormod(build: Expander, x: SSAValue, y: SSAValue) -> SSAValue:
    """The remainder with the sign of the divisor; by 0 it is 0, of floats NaN.

    ``x mod n = x`` if ``0 <= x < n``: `split-loops` finds the range of an index where that is so.
    """
    if isinstance(build.type, Float32Type | Float64Type):
        return _float_floormod(build, x, y)
    shift = _power_of_two(y)
    if shift is not None:
        return build.do(arith.AndIOp, x, build.number(2**shift - 1))
    rest = _integer_floormod(build, x, y)
    if not isinstance(build.op, sigma.FloorModOp) or not wraps_around(build.op):
        return rest
    is_above = build.is_(x, "sge", build.number(0))
    is_below = build.is_(x, "slt", y)
    return build.choose(build.do(arith.AndIOp, is_above, is_below), x, rest)


def _integer_floormod(build: Expander, x: SSAValue, y: SSAValue) -> SSAValue:
    if _is_exact_float(build, y):
        by_minus_one = build.number(0) if build.width == 32 else None
        return _guarded(build, x, y, lambda d: _rest(build, x, d), by_minus_one)
    if _are_unsigned(build, y):
        return build.do(arith.RemUIOp, x, y)

    def divide(divisor: SSAValue) -> SSAValue:
        rest = build.do(arith.RemSIOp, x, divisor)
        is_off = build.do(
            arith.AndIOp,
            build.is_(rest, "ne", build.number(0)),
            _differ_in_sign(build, rest, divisor),
        )
        return build.choose(is_off, build.do(arith.AddiOp, rest, divisor), rest)

    return _guarded(build, x, y, divide, build.number(0))


def _rest(build: Expander, x: SSAValue, y: SSAValue) -> SSAValue:
    """``x mod y = x - (x // y) * y``, for a small x."""
    return build.do(arith.SubiOp, x, build.do(arith.MuliOp, _quotient(build, x, y), y))


def _float_floormod(build: Expander, x: SSAValue, y: SSAValue) -> SSAValue:
    zero = build.number(0.0)
    rest = build.do(RemFOp, x, y)
    is_off = build.do(arith.XOrIOp, build.is_(rest, "olt", zero), build.is_(y, "olt", zero))
    shifted = build.choose(is_off, build.do(arith.AddfOp, rest, y), rest)
    is_zero = build.is_(rest, "oeq", zero)
    return build.choose(is_zero, build.do(math.CopySignOp, zero, y), shifted)


def divsi(build: Expander, x: SSAValue, y: SSAValue) -> SSAValue:
    """``x / y``, rounded towards zero; by 0 it is 0."""
    if build.width == 1:
        return build.do(arith.AndIOp, x, y)
    return _guarded(build, x, y, lambda d: build.do(arith.DivSIOp, x, d), _negated(build, x))


def remsi(build: Expander, x: SSAValue, y: SSAValue) -> SSAValue:
    """The remainder of that."""
    if build.width == 1:
        return build.number(0)
    return _guarded(build, x, y, lambda d: build.do(arith.RemSIOp, x, d), build.number(0))


def divui(build: Expander, x: SSAValue, y: SSAValue) -> SSAValue:
    """Unsigned division, rounded down; by 0 it is 0."""
    return _guarded(build, x, y, lambda d: build.do(arith.DivUIOp, x, d), None)


def remui(build: Expander, x: SSAValue, y: SSAValue) -> SSAValue:
    """Unsigned remainder; by 0 it is 0."""
    return _guarded(build, x, y, lambda d: build.do(arith.RemUIOp, x, d), None)


def ceildivui(build: Expander, x: SSAValue, y: SSAValue) -> SSAValue:
    """Unsigned division, rounded up; by 0 it is 0."""

    def divide(divisor: SSAValue) -> SSAValue:
        quotient = build.do(arith.DivUIOp, x, divisor)
        rest = build.do(arith.RemUIOp, x, divisor)
        is_exact = build.is_(rest, "eq", build.number(0))
        return build.choose(is_exact, quotient, build.do(arith.AddiOp, quotient, build.number(1)))

    return _guarded(build, x, y, divide, None)


# Shifts, powers and signs -----------------------------------------------------------------------


def _shifted(
    operation: Callable[..., Operation],
) -> Callable[[Expander, SSAValue, SSAValue], SSAValue]:
    def expand(build: Expander, x: SSAValue, y: SSAValue) -> SSAValue:
        """A shift that leaves nothing if the distance is beyond the width."""
        width = build.width
        if width == 1:
            return build.do(arith.AndIOp, x, build.do(arith.XOrIOp, y, build.number(1)))
        distance = known_int(y)
        if distance is not None and 0 <= distance < width:
            return build.do(operation, x, y)
        fits = build.is_(y, "ult", build.number(width))
        result = build.do(operation, x, build.choose(fits, y, build.number(0)))
        return build.choose(fits, result, build.number(0))

    return expand


def shrsi(build: Expander, x: SSAValue, y: SSAValue) -> SSAValue:
    """A shift that leaves copies of the sign if the distance is beyond the width."""
    if build.width == 1:
        return x
    distance = known_int(y)
    if distance is None or not 0 <= distance < build.width:
        y = build.do(arith.MinUIOp, y, build.number(build.width - 1))
    return build.do(arith.ShRSIOp, x, y)


def sign(build: Expander, x: SSAValue) -> SSAValue:
    """-1, 0 or 1; NaN for NaN."""
    zero = build.number(0)
    is_float = isinstance(build.type, Float32Type | Float64Type)
    more, less, same = ("ogt", "olt", "oeq") if is_float else ("sgt", "slt", "eq")
    rest = build.choose(build.is_(x, same, zero), zero, x) if is_float else zero
    negative = build.choose(build.is_(x, less, zero), build.number(-1), rest)
    return build.choose(build.is_(x, more, zero), build.number(1), negative)


def ipowi(build: Expander, x: SSAValue, n: SSAValue) -> SSAValue:
    """``x ** n`` by squaring; for a negative ``n`` it is 1 over that, rounded towards zero."""
    if build.width == 1:
        return build.do(arith.OrIOp, x, build.is_(n, "eq", build.number(0)))
    zero, one = build.number(0), build.number(1)
    is_negative = build.is_(n, "slt", zero)
    exponent = build.choose(is_negative, zero, n)
    body = Block(arg_types=[INDEX, build.type, build.type, build.type])
    with build.conversion.emitting_into(body):
        _, power, base, left = body.args
        is_odd = build.is_(build.do(arith.AndIOp, left, one), "ne", zero)
        new = build.choose(is_odd, build.do(arith.MuliOp, power, base), power)
        square = build.do(arith.MuliOp, base, base)
        build.conversion.emit(scf.YieldOp(new, square, build.do(arith.ShRUIOp, left, one)))
    bits = build.do(arith.SubiOp, build.number(build.width), _leading_zeros(build, exponent))
    count = build.conversion.cast(bits, INDEX)
    index = build.conversion.index
    loop = scf.ForOp(index(0), count, index(1), [one, x, exponent], Region(body))
    power = build.conversion.emit(loop).res[0]
    return build.choose(is_negative, _reciprocal_power(build, x, n), power)


def _leading_zeros(build: Expander, x: SSAValue) -> SSAValue:
    return build.conversion.value_of(math.CountLeadingZerosOp(x))


def _reciprocal_power(build: Expander, x: SSAValue, n: SSAValue) -> SSAValue:
    """``1 / x ** -n``: 1 for 1, 1 or -1 for -1, and 0 for all others."""
    zero, one, minus_one = build.number(0), build.number(1), build.number(-1)
    is_odd = build.is_(build.do(arith.AndIOp, n, one), "ne", zero)
    of_minus_one = build.choose(is_odd, minus_one, one)
    rest = build.choose(build.is_(x, "eq", minus_one), of_minus_one, zero)
    return build.choose(build.is_(x, "eq", one), one, rest)


def fpowi(build: Expander, x: SSAValue, n: SSAValue) -> SSAValue:
    """``x ** n`` in double precision; the sign follows the parity of ``n``."""
    wide = x if x.type == f64 else build.conversion.value_of(arith.ExtFOp(x, f64))
    known = known_int(n)
    if known is not None and 0 < abs(known) <= LARGEST_POWER:
        result = _product_of_equals(build, wide, known)
    else:
        result = _power(build, wide, n)
    return result if x.type == f64 else build.conversion.value_of(arith.TruncFOp(result, x.type))


def _product_of_equals(build: Expander, x: SSAValue, n: int) -> SSAValue:
    """``x ** n`` for a literal ``n``, by squaring."""
    power = x
    for digit in f"{abs(n):b}"[1:]:
        power = build.do(arith.MulfOp, power, power)
        if digit == "1":
            power = build.do(arith.MulfOp, power, x)
    return power if n > 0 else build.do(arith.DivfOp, build.number(1.0, f64), power)


def _power(build: Expander, x: SSAValue, n: SSAValue) -> SSAValue:
    exponent = build.conversion.value_of(arith.SIToFPOp(n, f64))
    magnitude = build.do(math.PowFOp, build.do(math.AbsFOp, x), exponent)
    one = build.number(1, n.type)
    is_odd = build.is_(build.do(arith.AndIOp, n, one), "ne", build.number(0, n.type))
    sign_of_x = build.do(math.CopySignOp, build.number(1.0, f64), x)
    sign_ = build.choose(is_odd, sign_of_x, build.number(1.0, f64))
    return build.do(arith.MulfOp, magnitude, sign_)


# Conversion of floats ---------------------------------------------------------------------------


def _to_integer(
    operation: Callable[..., Operation], *, signed: bool
) -> Callable[[Expander, SSAValue], SSAValue]:
    def expand(build: Expander, x: SSAValue) -> SSAValue:
        """The integer part; the least integer if it does not fit, and for NaN.

        The test leaves out floats whose integer part is the least integer: that is chosen for them.
        """
        magnitude = build.do(math.AbsFOp, x) if signed else x
        limit = build.number(2.0 ** (build.width - signed), x.type)
        fits = build.is_(magnitude, "olt", limit)
        if not signed:
            fits = build.do(arith.AndIOp, build.is_(x, "oge", build.number(0.0, x.type)), fits)
        lowest = build.number(-(2 ** (build.width - 1)) if signed else 0)
        chosen = build.choose(fits, build.do(operation, x, build.type), lowest)
        assert isinstance(chosen.owner, arith.SelectOp)
        # A branch takes longer, if always taken.
        chosen.owner.attributes[UNPREDICTABLE] = UnitAttr()
        return chosen

    return expand


def truncf(build: Expander, x: SSAValue) -> SSAValue:
    """The nearest float of fewer bits.

    From f64 to f16 by way of an f32 whose last digit is odd if it is not exact: so the second
    rounding never starts from a false tie. Processors have no instruction for both at once.
    """
    if checked(build.type) != f16 or x.type != f64:
        return build.do(arith.TruncFOp, x, build.type)
    near = build.do(arith.TruncFOp, x, f32)
    back = build.do(arith.ExtFOp, near, f64)
    is_away = build.is_(build.do(math.AbsFOp, back), "ogt", build.do(math.AbsFOp, x))
    bits = build.do(arith.BitcastOp, near, i32)
    towards_zero = build.do(arith.SubiOp, bits, build.do(arith.ExtUIOp, is_away, i32))
    is_inexact = build.do(arith.ExtUIOp, build.is_(back, "une", x), i32)
    odd = build.do(arith.BitcastOp, build.do(arith.OrIOp, towards_zero, is_inexact), f32)
    return build.do(arith.TruncFOp, odd, build.type)


EXPANSIONS: dict[type[Operation], Callable[..., SSAValue]] = {
    arith.FloorDivSIOp: floordivsi,
    arith.CeilDivSIOp: ceildivsi,
    arith.CeilDivUIOp: ceildivui,
    arith.DivSIOp: divsi,
    arith.RemSIOp: remsi,
    arith.DivUIOp: divui,
    arith.RemUIOp: remui,
    arith.ShLIOp: _shifted(arith.ShLIOp),
    arith.ShRUIOp: _shifted(arith.ShRUIOp),
    arith.ShRSIOp: shrsi,
    arith.FPToSIOp: _to_integer(arith.FPToSIOp, signed=True),
    arith.FPToUIOp: _to_integer(arith.FPToUIOp, signed=False),
    arith.TruncFOp: truncf,
    math.IPowIOp: ipowi,
    math.FPowIOp: fpowi,
    sigma.FloorModOp: floormod,
    sigma.SignOp: sign,
}
"""The operators whose meaning differs upstream."""
