"""Powers and cube roots, computed in f64."""

from __future__ import annotations

from xdsl.ir import SSAValue

from ein_mlir.passes.loops.expand_math import exponentials, logarithms
from ein_mlir.passes.loops.expand_math.numbers import Formula, Number, Sum

_LOG = (
    float.fromhex("0x1.9999999999996p-2"),
    float.fromhex("0x1.2492492493049p-2"),
    float.fromhex("0x1.c71c71c57dfd9p-3"),
    float.fromhex("0x1.745d18337b97fp-3"),
    float.fromhex("0x1.3b136266e63f3p-3"),
    float.fromhex("0x1.1120c187560dbp-3"),
    float.fromhex("0x1.de318d7be9db6p-4"),
    float.fromhex("0x1.eb20db3a0f6d6p-4"),
)
"""``(log((1 + s) / (1 - s)) - 2 * s - 2 / 3 * s ** 3) / s ** 5``, in ``s ** 2``"""
BITS_OF_EXPONENT = 6
"""The bits of the exponents for which a power is a product, by squaring."""

TWO_THIRDS = (2.0 / 3.0, float.fromhex("0x1.5555555555555p-55"))

_ROOT = (
    float.fromhex("0x1.0000000dfa370p+0"),
    float.fromhex("0x1.555552cc4d9c9p-2"),
    float.fromhex("-0x1.c71d9615e645cp-4"),
    float.fromhex("0x1.f9b77b815787ep-5"),
    float.fromhex("-0x1.50ab9341f4c60p-5"),
    float.fromhex("0x1.eb861b1d83dd4p-6"),
    float.fromhex("-0x1.8e326b3aacce3p-6"),
    float.fromhex("0x1.64217416935a0p-6"),
    float.fromhex("-0x1.a966bb6deeea3p-7"),
)
"""``(1 + g) ** (1 / 3)`` within ``2 ** -28``"""


def is_rare(f: Formula, x: Number, y: Number) -> SSAValue:
    """Whether a base is not a positive normal number, or a power may be out of range.

    ``abs(log2(1 + g)) <= 1.75 * abs(g)`` for the remainder of a base.
    """
    wide, (x, y) = f.widened(x, y)
    low, high = map(wide.format.bits_of, (2.0**-1022, logarithms.INFINITY))
    beyond = (x.bits - low).is_("uge", high - low)
    k, g = logarithms.split(wide, x)
    most = wide.fma(g.magnitude(), 1.75, k.magnitude())
    return wide.either(beyond, (most * y).magnitude().is_("uge", 1000.0))


def pow(f: Formula, x: Number, y: Number) -> Number:
    """``e ** (y * log(x))`` with a logarithm of twice the precision."""
    return f.in_double(_pow, x, y)


def is_no_small_int(f: Formula, x: Number, y: Number) -> SSAValue:
    """Whether an exponent, which is an integer, is not one from 0 to 63."""
    wide, (_, y) = f.widened(x, y)
    return y.bits.is_("ugt", wide.format.bits_of(2.0**BITS_OF_EXPONENT - 1))


def whole(f: Formula, x: Number, y: Number) -> Number:
    """``x ** y`` for a small integer, by squaring."""
    return f.in_double(_whole, x, y)


def _whole(f: Formula, x: Number, y: Number) -> Number:
    n = f.integer_in(y + f.format.whole)
    power, square = f.select((n & 1).is_("ne", 0), x, 1.0), x
    for bit in range(1, BITS_OF_EXPONENT):
        square = square * square
        power = f.select((n & (1 << bit)).is_("ne", 0), power * square, power)
    return power


def is_beyond(f: Formula, x: Number, _: Number) -> SSAValue:
    """Whether a base is not a positive number whose powers of 1.5 and -1.5 are normal ones."""
    low, high = (f.format.bits_of(2.0 ** (sign * (f.format.bias // 2))) for sign in (-1, 1))
    return (x.bits - low).is_("uge", high - low)


def three_halves(f: Formula, x: Number, _: Number) -> Number:
    """``x * sqrt(x)`` with the error of the root."""
    power = _three_halves(f, x)
    return power.high + power.low


def inverse_three_halves(f: Formula, x: Number, _: Number) -> Number:
    """``1 / (x * sqrt(x))``, and a step of Newton's."""
    power = _three_halves(f, x)
    inverse = 1.0 / power.high
    error = f.fma(-inverse, power.low, f.fma(-inverse, power.high, 1.0))
    return f.fma(inverse, error, inverse)


def _three_halves(f: Formula, x: Number) -> Sum:
    root = f.root(x)
    power = f.product(x, root)
    return Sum(power.high, f.fma(root * 0.5, f.fma(-root, root, x), power.low))


def _pow(f: Formula, x: Number, y: Number) -> Number:
    log = _log(f, x)
    power = f.product(log.high, y)
    return exponentials.exp(f, power.high, f.fma(log.low, y, power.low))


def _log(f: Formula, x: Number) -> Sum:
    """``log(2 ** k * (1 + g)) = k * log(2) + 2 * s + s ** 3 * P`` with ``s = g / (2 + g)``."""
    constants = logarithms.CONSTANTS[f.format]
    k, g = logarithms.split(f, x)
    bottom = g + 2.0
    lost = g - (bottom - 2.0)
    inverse = 1.0 / bottom
    s = g * inverse
    rest = f.fma(-s, lost, f.fma(-s, bottom, g)) * inverse
    z = f.product(s, s)
    z = Sum(z.high, f.fma(s + s, rest, z.low))
    tail = f.fma(z.high, f.polynomial(z.high, _LOG), TWO_THIRDS[1])
    factor = Sum(f.number(TWO_THIRDS[0]), f.number(0.0)).add(tail)
    part = f.product(z.high, factor.high)
    part = Sum(part.high, f.fma(z.high, factor.low, f.fma(z.low, factor.high, part.low)))
    cube = f.product(part.high, s)
    low = f.fma(part.low, s, f.fma(part.high, rest, cube.low))
    sum_ = Sum(s + s, (rest + rest) + low).add(cube.high).normal()
    whole = k * constants.high
    total = whole + sum_.high
    larger = whole.magnitude().is_("ogt", sum_.high.magnitude())
    error = f.select(larger, (whole - total) + sum_.high, (sum_.high - total) + whole)
    return Sum(total, f.fma(k, constants.low, error + sum_.low)).normal()


def cbrt(f: Formula, x: Number) -> Number:
    """``2 ** q * (m * 2 ** r) ** (1 / 3)`` with ``r < 3``: a polynomial, and a step of Newton's."""
    return f.in_double(_cbrt, x)


def _cbrt(f: Formula, x: Number) -> Number:
    size = x.magnitude()
    k, g = logarithms.split(f, size)
    shifted = (k - 1.0) * (1.0 / 3.0) + f.format.whole
    remainder = f.fma(shifted - f.format.whole, -3.0, k)
    is_one, is_two = remainder.is_("oeq", 1.0), remainder.is_("oeq", 2.0)
    scale = f.select(is_one, 2.0, f.select(is_two, 4.0, 1.0))
    start = f.select(is_one, 2.0 ** (1 / 3), f.select(is_two, 4.0 ** (1 / 3), 1.0))
    a, y = (g + 1.0) * scale, f.polynomial(g, _ROOT) * start
    square = f.product(y, y)
    error = f.fma(square.low, y, f.fma(square.high, y, -a))
    root = y - error / (square.high * 3.0)
    q = f.integer_in(shifted)
    value = (root * f.power_of_two(q)).with_sign_of(x)
    finite = (size.bits - 1).is_("ult", f.format.bits_of(logarithms.INFINITY) - 1)
    return f.select(finite, value, x)
