"""Logarithms: ``log(2 ** k * m) = k * log(2) + log(m)`` with ``m`` near 1."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ein_mlir.passes.loops.expand_math.numbers import DOUBLE, SINGLE, Format, Formula, Number

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
    constants = CONSTANTS[f.format]
    k, g = split(f, x)
    s = g / (g + 2.0)
    z = s * s
    tail = f.polynomial(z, constants.polynomial) * z
    half = g * g * 0.5
    small = f.fma(s, half + tail, k * constants.low)
    value = f.fma(k, constants.high, g - (half - small))
    return special(f, x, value)


def special(f: Formula, x: Number, value: Number) -> Number:
    """The logarithms of 0, of infinity, of negative numbers and of NaN."""
    value = f.select(x.is_("oeq", INFINITY), INFINITY, value)
    value = f.select(x.is_("oeq", 0.0), -INFINITY, value)
    return f.select(x.is_("uge", 0.0), f.select(x.is_("uno", x), x, value), NAN)
