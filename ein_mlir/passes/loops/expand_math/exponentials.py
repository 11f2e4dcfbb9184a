"""Exponential functions: ``e ** x = 2 ** n * e ** r`` with ``|r| <= log(2) / 2``."""

from __future__ import annotations

from collections.abc import Mapping

from ein_mlir.host.dataclass import dataclass
from ein_mlir.passes.loops.expand_math.numbers import (
    DOUBLE,
    SINGLE,
    Format,
    Formula,
    Number,
    Operand,
    Sum,
    quotient,
)


@dataclass(frozen=True)
class Constants:
    """The constants of a format."""

    least: float
    """``e ** x`` is 0 for smaller numbers."""
    most: float
    """``e ** x`` is infinite for larger numbers."""
    high: float
    """``log(2)`` without its last bits: multiples by an exponent are exact."""
    low: float
    """The rest of ``log(2)``."""
    polynomial: tuple[float, ...]
    """``(e ** r - 1 - r) / r ** 2``"""


CONSTANTS: Mapping[Format, Constants] = {
    DOUBLE: Constants(
        -745.25,
        710.0,
        float.fromhex("0x1.62e42fee00000p-1"),
        float.fromhex("0x1.a39ef35793c76p-33"),
        (
            float.fromhex("0x1.0000000000000p-1"),
            float.fromhex("0x1.5555555555557p-3"),
            float.fromhex("0x1.5555555555556p-5"),
            float.fromhex("0x1.11111111100cep-7"),
            float.fromhex("0x1.6c16c16c162ccp-10"),
            float.fromhex("0x1.a01a01abef415p-13"),
            float.fromhex("0x1.a01a01a6dcaffp-16"),
            float.fromhex("0x1.71de021a90822p-19"),
            float.fromhex("0x1.27e4db57442fbp-22"),
            float.fromhex("0x1.af4e196027428p-26"),
            float.fromhex("0x1.1f731ea5352cap-29"),
        ),
    ),
    SINGLE: Constants(
        -104.0,
        89.0,
        float.fromhex("0x1.62e4p-1"),
        float.fromhex("0x1.7f7d1cp-20"),
        (
            0.5,
            0.16666576845993977,
            0.04166655443768594,
            0.008363202971575855,
            0.0013926213466332444,
        ),
    ),
}
LOG2_E = 1.4426950408889634
LOG_2 = (float.fromhex("0x1.62e42fefa39efp-1"), float.fromhex("0x1.abc9e3b39803fp-56"))
"""``log(2)`` as a sum."""


@dataclass
class Reduced:
    """``x = n * log(2) + r + c``, with an integer ``n`` and a correction ``c``."""

    n: Number
    r: Number
    c: Number


def reduce(f: Formula, x: Number) -> Reduced:
    """The nearest multiple of ``log(2)``, and the rest; of NaN the rest is NaN."""
    constants = CONSTANTS[f.format]
    shifted = f.fma(x, LOG2_E, f.format.whole)
    number = shifted - f.format.whole
    exact = f.fma(number, -constants.high, x)
    r = f.fma(number, -constants.low, exact)
    c = f.fma(number, -constants.low, exact - r)
    return Reduced(f.integer_in(shifted), r, c)


def clamped(f: Formula, x: Number, least: float, most: float) -> Number:
    """A number within bounds; NaN stays."""
    x = f.select(x.is_("ogt", most), most, x)
    return f.select(x.is_("olt", least), least, x)


def exp(f: Formula, x: Number, low: Operand = 0.0, exponent: int = 0) -> Number:
    """``2 ** exponent * e ** (x + low)``, with a small correction ``low``.

    Where the result is 0, as in masked rows, it is that of another number: processors take a
    hundred times as long for a product that underflows.
    """
    constants = CONSTANTS[f.format]
    most = constants.most - exponent
    is_zero = x.is_("olt", constants.least)
    small = f.select(x.is_("ogt", most), most, x)
    parts = reduce(f, f.select(is_zero, 0.0, small))
    if isinstance(low, Number):
        total = parts.r + low
        part = total - parts.r
        lost = (parts.r - (total - part)) + (low - part)
        parts = Reduced(parts.n, total, parts.c + lost)
    if exponent:
        parts = Reduced(parts.n + exponent, parts.r, parts.c)
    return f.select(is_zero, 0.0, _expanded(f, parts))


def _expanded(f: Formula, parts: Reduced) -> Number:
    """The exponential: ``2 ** n`` may be out of range where that is not, and is two factors."""
    r = parts.r
    tail = f.fma(r * r, f.polynomial(r, CONSTANTS[f.format].polynomial), parts.c)
    value = (r + tail) + 1.0
    half = parts.n >> 1
    return value * f.power_of_two(half) * f.power_of_two(parts.n - half)


def exp2(f: Formula, x: Number) -> Number:
    """``2 ** n * e ** (r * log(2))`` for the integer ``n`` that is nearest."""
    return f.in_double(_exp2, x)


def _exp2(f: Formula, x: Number) -> Number:
    is_zero = x.is_("olt", -1075.5)
    small = f.select(is_zero, 0.0, f.select(x.is_("ogt", 1025.0), 1025.0, x))
    shifted = small + f.format.whole
    rest = small - (shifted - f.format.whole)
    r = f.product(rest, LOG_2[0])
    n = f.integer_in(shifted)
    parts = Reduced(n, r.high, f.fma(rest, LOG_2[1], r.low))
    return f.select(is_zero, 0.0, _expanded(f, parts))


def exp_within_range(f: Formula, x: Number, low: Number) -> Number:
    """``e ** (x + low)`` for a small correction, where it is a normal number; within 2 units."""
    parts = reduce(f, x)
    r, scale = parts.r + low, f.power_of_two(parts.n)
    return f.fma(scale, f.fma(r * r, f.polynomial(r, CONSTANTS[f.format].polynomial), r), scale)


def exp_minus_1(f: Formula, x: Number) -> Sum:
    """``e ** x - 1`` for ``x`` that is not far from 0."""
    constants = CONSTANTS[f.format]
    parts = reduce(f, x)
    scale = f.power_of_two(parts.n)
    r = parts.r
    tail = f.fma(r * r, f.polynomial(r, constants.polynomial), parts.c)
    whole, part = scale - 1.0, scale * r
    lost = scale - (whole + 1.0)
    high = whole + part
    other = high - whole
    error = (whole - (high - other)) + (part - other) + lost
    low = f.fma(scale, tail, error)
    return Sum(high, low).normal()


def tanh(f: Formula, x: Number) -> Number:
    """``(1 - e) / (1 + e)`` with ``e = e ** (-2 * |x|)``, and the sign of ``x``."""
    most = 20.0 if f.format is DOUBLE else 10.0
    size = x.magnitude()
    size = f.select(size.is_("ogt", most), most, size)
    top = exp_minus_1(f, size * -2.0)
    bottom = top.high + 2.0
    rest = (top.high - (bottom - 2.0)) + top.low
    return quotient(f, top, Sum(bottom, rest)).with_sign_of(x)


def expm1(f: Formula, x: Number) -> Number:
    """``e ** x - 1``; from 40 on it is ``e ** x``, and up to -40 it is -1."""
    near = clamped(f, x, -40.0, 40.0)
    total = f.select(x.is_("ogt", 40.0), exp(f, x), exp_minus_1(f, near).high)
    return f.select(x.is_("oeq", 0.0), x, total)


MANY = 22.0
"""From there on, ``e ** -x`` is less than half of the last place of ``e ** x``."""


def sinh(f: Formula, x: Number) -> Number:
    """``(e + e / (e + 1)) / 2`` with ``e = e ** |x| - 1``, and the sign of ``x``."""
    return f.in_double(_sinh, x)


def _sinh(f: Formula, x: Number) -> Number:
    size = x.magnitude()
    e = exp_minus_1(f, f.select(size.is_("olt", MANY), size, 0.0))
    other = quotient(f, e, _plus_1(f, e))
    total = e.high + other
    near = (total + (((e.high - total) + other) + e.low)) * 0.5
    far = exp(f, size, exponent=-1)
    return f.select(size.is_("olt", MANY), near, far).with_sign_of(x)


def cosh(f: Formula, x: Number) -> Number:
    """``(e + 1 / e) / 2`` with ``e = e ** |x|``"""
    return f.in_double(_cosh, x)


def _cosh(f: Formula, x: Number) -> Number:
    size = x.magnitude()
    e = exp_minus_1(f, f.select(size.is_("olt", MANY), size, 0.0))
    whole = _plus_1(f, e)
    near = (whole.high + (whole.low + 1.0 / whole.high)) * 0.5
    far = exp(f, size, exponent=-1)
    return f.select(size.is_("olt", MANY), near, far)


def _plus_1(f: Formula, x: Sum) -> Sum:
    """``x + 1``"""
    is_small = x.high.is_("olt", 1.0)
    larger, smaller = f.select(is_small, 1.0, x.high), f.select(is_small, x.high, 1.0)
    return Sum(larger, x.low).add(smaller)
