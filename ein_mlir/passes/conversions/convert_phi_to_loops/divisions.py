"""Division of Ints: by 0 it is 0, and quotients are rounded down."""

from __future__ import annotations

import struct
from collections.abc import Callable

from xdsl.dialects import arith, math
from xdsl.dialects.builtin import (
    Float32Type,
    Float64Type,
    f64,
    i64,
)
from xdsl.ir import SSAValue

from ein_mlir.analysis.arithmetic import Range
from ein_mlir.analysis.constants import known_int
from ein_mlir.analysis.phi.divided_indices import wraps_around
from ein_mlir.dialects import sigma
from ein_mlir.dialects.phi.integers import range_of
from ein_mlir.dialects.remainder import RemFOp
from ein_mlir.passes.conversions.convert_phi_to_loops.expander import (
    Expander,
    is_below,
    power_of_two,
    times,
)


def _exponent_of_divisor(build: Expander) -> SSAValue | None:
    """``k * n`` for a divisor ``(2 ** k) ** n`` that is provably one of the positive Ints."""
    power = build.op.operands[1].owner
    if not isinstance(power, arith.ShLIOp | math.IPowIOp):
        return None
    bits = 1 if isinstance(power, arith.ShLIOp) else power_of_two(power.lhs)
    is_power = isinstance(power, math.IPowIOp) or known_int(power.lhs) == 1
    if not is_power or not bits or not is_below(power.rhs, -(-(build.width - 1) // bits)):
        return None
    return times(build, build.conversion.scalar(power.rhs), bits)


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
    shift = power_of_two(y)
    if shift is not None:
        return build.do(arith.ShRSIOp, x, build.number(shift))
    if (exponent := _exponent_of_divisor(build)) is not None:
        return build.do(arith.ShRSIOp, x, exponent)
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
    shift = power_of_two(y)
    if shift is not None:
        return build.do(arith.AndIOp, x, build.number(2**shift - 1))
    if _exponent_of_divisor(build) is not None:
        return build.do(arith.AndIOp, x, build.do(arith.SubiOp, y, build.number(1)))
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
