"""Logarithms: ``log(2 ** k * m) = k * log(2) + log(m)`` with ``m`` near 1."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from ein_mlir.host.dataclass import dataclass
from ein_mlir.passes.loops.expand_math.numbers import DOUBLE, SINGLE, Format, Formula, Number, Sum

INFINITY, NAN = float("inf"), float("nan")


@dataclass(frozen=True)
class Constants:
    """The constants of a format."""

    smallest: float
    """The smallest normal number."""
    root: int
    """The bits of ``sqrt(1 / 2)``."""
    high: float
    """``log(2)`` without its last bits."""
    low: float
    polynomial: tuple[float, ...]
    """``(log((1 + s) / (1 - s)) - 2 * s) / s ** 3``, in ``s ** 2``"""


CONSTANTS: Mapping[Format, Constants] = {
    DOUBLE: Constants(
        2.0**-1022,
        0x3FE6A09E00000000,
        float.fromhex("0x1.62e42fee00000p-1"),
        float.fromhex("0x1.a39ef35793c76p-33"),
        (
            float.fromhex("0x1.5555555555558p-1"),
            float.fromhex("0x1.99999999952e2p-2"),
            float.fromhex("0x1.2492492df148dp-2"),
            float.fromhex("0x1.c71c62e5800a1p-3"),
            float.fromhex("0x1.7462b4ab2ef6bp-3"),
            float.fromhex("0x1.39fe606542ddep-3"),
            float.fromhex("0x1.2b584aae78a57p-3"),
        ),
    ),
    SINGLE: Constants(
        2.0**-126,
        0x3F3504F3,
        float.fromhex("0x1.62e300p-1"),
        float.fromhex("0x1.2fefa2p-17"),
        (
            0.6666666655449709,
            0.40000121839806124,
            0.28550820815960665,
            0.23330467216303835,
        ),
    ),
}


def split(f: Formula, x: Number) -> tuple[Number, Number]:
    """``k`` as a float, and ``m - 1``, for ``x = 2 ** k * m`` with ``sqrt(1/2) <= m < sqrt(2)``."""
    constants, format_ = CONSTANTS[f.format], f.format
    tiny = x.is_("olt", constants.smallest)
    lift = format_.mantissa + 2
    scaled = f.select(tiny, x * 2.0**lift, x)
    bits = scaled.bits
    k = (bits - constants.root) >> format_.mantissa
    m = f.from_bits(bits - (k << format_.mantissa))
    exponent = k.as_float
    return f.select(tiny, exponent - float(lift), exponent), m - 1.0


def log(f: Formula, x: Number) -> Number:
    """``log(1 + g) = g - g * g / 2 + s * (g * g / 2 + R)`` with ``s = g / (2 + g)``."""
    k, g = split(f, x)
    return special(f, x, _of_parts(f, k, g))


def _of_parts(f: Formula, k: Number, g: Number, rest: Number | None = None) -> Number:
    """``log(2 ** k * (1 + g)) + rest``, for a small rest."""
    constants = CONSTANTS[f.format]
    s = g / (g + 2.0)
    z = s * s
    tail = f.polynomial(z, constants.polynomial) * z
    half = g * g * 0.5
    small = f.fma(s, half + tail, k * constants.low)
    small = small if rest is None else small + rest
    return f.fma(k, constants.high, g - (half - small))


def special(f: Formula, x: Number, value: Number) -> Number:
    """The logarithms of 0, of infinity, of negative numbers and of NaN."""
    value = f.select(x.is_("oeq", INFINITY), INFINITY, value)
    value = f.select(x.is_("oeq", 0.0), -INFINITY, value)
    return f.select(x.is_("uge", 0.0), f.select(x.is_("uno", x), x, value), NAN)


def log1p(f: Formula, x: Number) -> Number:
    """``log(1 + x)``: the rounding of the sum is added to the logarithm, unless ``x`` is small."""
    return f.in_double(_log1p, x)


def _log1p(f: Formula, x: Number) -> Number:
    total = x + 1.0
    lost = f.select(x.is_("olt", 1.0), x - (total - 1.0), f.number(1.0) - (total - x)) / total
    k, g = split(f, total)
    is_near = (x - 0.0625).magnitude().is_("olt", 0.34375)
    k, g = f.select(is_near, 0.0, k), f.select(is_near, x, g)
    value = _of_parts(f, k, g, f.select(is_near, 0.0, lost))
    return f.select(x.is_("oeq", 0.0), x, special(f, total, value))


@dataclass(frozen=True)
class Base:
    """The constants of a base."""

    inverse: tuple[float, float]
    """``1 / log(base)`` as a sum."""
    two: tuple[float, float]
    """The logarithm of 2 as a sum: multiples of the first part by an exponent are exact."""


TWO = Base(
    (float.fromhex("0x1.71547652b82fep+0"), float.fromhex("0x1.777d0ffda0d24p-56")), (1.0, 0.0)
)
TEN = Base(
    (float.fromhex("0x1.bcb7b1526e50ep-2"), float.fromhex("0x1.95355baaafad3p-57")),
    (float.fromhex("0x1.3441350800000p-2"), float.fromhex("0x1.f79fef311f12bp-34")),
)


def log2(f: Formula, x: Number) -> Number:
    """The logarithm to the base 2; of a power of 2 an integer."""
    return f.in_double(partial(_log_to, base=TWO), x)


def log10(f: Formula, x: Number) -> Number:
    """The logarithm to the base 10."""
    return f.in_double(partial(_log_to, base=TEN), x)


def _log_to(f: Formula, x: Number, base: Base) -> Number:
    """``k * log(2) + log(m)``, both divided by the logarithm of the base."""
    constants = CONSTANTS[f.format]
    k, g = split(f, x)
    s = g / (g + 2.0)
    z = s * s
    square = f.product(g, g)
    half = Sum(square.high * 0.5, square.low * 0.5)
    high = g - half.high
    tail = f.polynomial(z, constants.polynomial) * z
    low = ((g - high) - half.high) + f.fma(s, half.high + tail, -half.low)
    part = f.product(high, base.inverse[0])
    rest = f.fma(high, base.inverse[1], f.fma(low, base.inverse[0], part.low))
    first = k * base.two[0]
    total = first + part.high
    lost = (first - total) + part.high
    return special(f, x, total + (lost + f.fma(k, base.two[1], rest)))
