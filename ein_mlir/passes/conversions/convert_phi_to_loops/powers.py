"""Shifts and powers: beyond the width, a shift leaves nothing."""

from __future__ import annotations

from collections.abc import Callable

from xdsl.dialects import arith, math, scf
from xdsl.dialects.builtin import UnitAttr, f64
from xdsl.ir import Block, Operation, Region, SSAValue

from ein_mlir.analysis.constants import known_int
from ein_mlir.backends.native.abi import WHOLE
from ein_mlir.passes.conversions.convert_phi_to_loops.emission import INDEX
from ein_mlir.passes.conversions.convert_phi_to_loops.expander import (
    Expander,
    is_below,
    power_of_two,
    times,
)

LARGEST_POWER = 16
"""The largest exponent for which products, one after the other, are faster than the power."""


def shifted(
    operation: Callable[..., Operation],
) -> Callable[[Expander, SSAValue, SSAValue], SSAValue]:
    """The rule of a shift that leaves nothing if the distance is beyond the width."""

    def expand(build: Expander, x: SSAValue, y: SSAValue) -> SSAValue:
        width = build.width
        if width == 1:
            return build.do(arith.AndIOp, x, build.do(arith.XOrIOp, y, build.number(1)))
        if is_below(build.op.operands[1], width):
            return build.do(operation, x, y)
        fits = build.is_(y, "ult", build.number(width))
        result = build.do(operation, x, build.choose(fits, y, build.number(0)))
        return build.choose(fits, result, build.number(0))

    return expand


def shrsi(build: Expander, x: SSAValue, y: SSAValue) -> SSAValue:
    """A shift that leaves copies of the sign if the distance is beyond the width."""
    if build.width == 1:
        return x
    if not is_below(build.op.operands[1], build.width):
        y = build.do(arith.MinUIOp, y, build.number(build.width - 1))
    return build.do(arith.ShRSIOp, x, y)


def ipowi(build: Expander, x: SSAValue, n: SSAValue) -> SSAValue:
    """``x ** n`` by squaring; for a negative ``n`` it is 1 over that, rounded towards zero."""
    if build.width == 1:
        return build.do(arith.OrIOp, x, build.is_(n, "eq", build.number(0)))
    zero, one = build.number(0), build.number(1)
    if bits_of_base := power_of_two(x):
        return _shifted_one(build, n, bits_of_base)
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


def _shifted_one(build: Expander, n: SSAValue, bits: int) -> SSAValue:
    """``(2 ** k) ** n = 1 << k * n``: 0 for a negative ``n``, and beyond the width."""
    zero, one = build.number(0), build.number(1)
    limit = -(-build.width // bits)
    if is_below(build.op.operands[1], limit):
        return build.do(arith.ShLIOp, one, times(build, n, bits))
    fits = build.is_(n, "ult", build.number(limit))
    shifted = build.do(arith.ShLIOp, one, times(build, build.choose(fits, n, zero), bits))
    return build.choose(fits, shifted, zero)


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
    if known == 0:
        return build.number(1.0)
    if known is not None and abs(known) <= LARGEST_POWER:
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


def powf(build: Expander, x: SSAValue, y: SSAValue) -> SSAValue:
    """``x ** y``, which is marked if y is an Int."""
    power = build.do(math.PowFOp, x, y)
    if isinstance(build.op.operands[1].owner, arith.SIToFPOp):
        _mark_as_whole(power)
    return power


def _mark_as_whole(power: SSAValue) -> None:
    assert isinstance(power.owner, Operation)
    power.owner.attributes[WHOLE] = UnitAttr()


def _power(build: Expander, x: SSAValue, n: SSAValue) -> SSAValue:
    exponent = build.conversion.value_of(arith.SIToFPOp(n, f64))
    magnitude = build.do(math.PowFOp, build.do(math.AbsFOp, x), exponent)
    _mark_as_whole(magnitude)
    one = build.number(1, n.type)
    is_odd = build.is_(build.do(arith.AndIOp, n, one), "ne", build.number(0, n.type))
    sign_of_x = build.do(math.CopySignOp, build.number(1.0, f64), x)
    sign_ = build.choose(is_odd, sign_of_x, build.number(1.0, f64))
    return build.do(arith.MulfOp, magnitude, sign_)
