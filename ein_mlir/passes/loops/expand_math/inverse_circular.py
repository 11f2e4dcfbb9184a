"""Inverse circular functions, computed in f64."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import SSAValue

from ein_mlir.passes.loops.expand_math.circular import HALF_PI
from ein_mlir.passes.loops.expand_math.numbers import Formula, Number, Sum

PI = (2.0 * HALF_PI[0], 2.0 * HALF_PI[1])

CENTRES: Sequence[tuple[float, float, float, float]] = (
    (0.4375, 0.5, float.fromhex("0x1.dac670561bb4fp-2"), float.fromhex("0x1.a2b7f222f65e2p-56")),
    (0.6875, 1.0, HALF_PI[0] / 2.0, HALF_PI[1] / 2.0),
    (1.1875, 1.5, float.fromhex("0x1.f730bd281f69bp-1"), float.fromhex("0x1.007887af0cbbdp-56")),
)
"""The least ratio, the ratio at the centre, and its arctangent as a sum; 0 is the first centre."""
LAST = 2.4375
"""From this ratio on, infinity is the centre."""

_ATAN = (
    float.fromhex("-0x1.555555555550cp-2"),
    float.fromhex("0x1.999999998e9b9p-3"),
    float.fromhex("-0x1.2492491ffcd0fp-3"),
    float.fromhex("0x1.c71c6fde2a1f3p-4"),
    float.fromhex("-0x1.745cdbebab2a0p-4"),
    float.fromhex("0x1.3b0f24535e5b0p-4"),
    float.fromhex("-0x1.10d62559c3e0fp-4"),
    float.fromhex("0x1.dddf471d2aa2ap-5"),
    float.fromhex("-0x1.97a61e799715dp-5"),
    float.fromhex("0x1.2b2291d73169fp-5"),
    float.fromhex("-0x1.0a9096f737615p-6"),
)
"""``(atan(t) - t) / t ** 3``, in ``t ** 2``"""
_ASIN = (
    float.fromhex("0x1.5555555555380p-3"),
    float.fromhex("0x1.333333337054ep-4"),
    float.fromhex("0x1.6db6db414b92cp-5"),
    float.fromhex("0x1.f1c72c9a8526ap-6"),
    float.fromhex("0x1.6e89eb2143a99p-6"),
    float.fromhex("0x1.1c6c6ad339a97p-6"),
    float.fromhex("0x1.c6f33443dd065p-7"),
    float.fromhex("0x1.8f080b8a31593p-7"),
    float.fromhex("0x1.a97bee3bc2151p-8"),
    float.fromhex("0x1.418ad067eea82p-6"),
    float.fromhex("-0x1.0c4ec0114c536p-6"),
    float.fromhex("0x1.0646b9ca8ad55p-5"),
)
"""``(asin(t) - t) / t ** 3``, in ``t ** 2`` up to 1 / 4"""


def atan(f: Formula, x: Number) -> Number:
    """The angle of a ratio; that of a huge one is that of infinity."""
    return f.in_double(_atan, x)


def _atan(f: Formula, x: Number) -> Number:
    size = x.magnitude()
    size = f.select(size.is_("ogt", 2.0**60), 2.0**60, size)
    return _angle(f, size, f.number(1.0)).rounded().with_sign_of(x)


def atan2(f: Formula, y: Number, x: Number) -> Number:
    """The angle of a ratio, or the rest of a half turn, with the sign of ``y``."""
    return f.in_double(_atan2, y, x)


def _atan2(f: Formula, y: Number, x: Number) -> Number:
    angle = _angle(f, y.magnitude(), x.magnitude())
    opposite = f.select(x.bits.is_("slt", 0), _rest_of(f, PI, angle), angle.rounded())
    return opposite.with_sign_of(y)


def is_rare(f: Formula, y: Number, x: Number) -> SSAValue:
    """Whether quotients of two numbers may leave the range of normal numbers."""
    wide, (y, x) = f.widened(y.magnitude(), x.magnitude())
    larger = wide.select(x.is_("ogt", y), x, y)
    low, high = (wide.format.bits_of(2.0**exponent) for exponent in (-500, 500))
    beyond = (larger.bits - low).is_("ugt", high - low)
    tiny = (y.bits - 1).is_("ult", low - 1)
    return wide.either(wide.either(beyond, tiny), (x.bits - 1).is_("ult", low - 1))


def _angle(f: Formula, top: Number, bottom: Number) -> Sum:
    """The arctangent of ``top / bottom``, which are not negative.

    ``atan(q) = atan(c) + atan((q - c) / (1 + q * c))`` for the centre ``c`` next to ``q``.
    """
    x, y, high, low = top, bottom, f.number(0.0), f.number(0.0)
    for least, ratio, first, second in CENTRES:
        beyond = top.is_("oge", bottom * least)
        x = f.select(beyond, f.fma(bottom, -ratio, top), x)
        y = f.select(beyond, f.fma(top, ratio, bottom), y)
        high, low = f.select(beyond, first, high), f.select(beyond, second, low)
    beyond = top.is_("oge", bottom * LAST)
    x, y = f.select(beyond, -bottom, x), f.select(beyond, top, y)
    high, low = f.select(beyond, HALF_PI[0], high), f.select(beyond, HALF_PI[1], low)
    inverse = 1.0 / y
    t = x * inverse
    rest = f.fma(-t, y, x) * inverse
    z = t * t
    tail = f.fma(z * t, f.polynomial(z, _ATAN), rest) + low
    return Sum(high, tail).add(t).normal()


def _rest_of(f: Formula, whole: tuple[float, float], part: Sum) -> Number:
    """A constant, which is a sum, without a number that is not larger."""
    first, second = map(f.number, whole)
    high = first - part.high
    return high + (((first - high) - part.high) + (second - part.low))


def asin(f: Formula, x: Number) -> Number:
    """A polynomial up to 1 / 2; beyond, ``pi / 2`` without twice that of ``sqrt((1 - x) / 2)``."""
    return f.in_double(_asin, x)


def _asin(f: Formula, x: Number) -> Number:
    near, angle = _halves(f, x)
    cube = near * near * near
    small = f.fma(cube, f.polynomial(near * near, _ASIN), near)
    large = _rest_of(f, HALF_PI[:2], angle).with_sign_of(x)
    return f.select(x.magnitude().is_("olt", 0.5), small, large)


def acos(f: Formula, x: Number) -> Number:
    """``pi / 2 - asin(x)`` up to 1 / 2; beyond, twice the arcsine of ``sqrt((1 - x) / 2)``."""
    return f.in_double(_acos, x)


def _acos(f: Formula, x: Number) -> Number:
    near, angle = _halves(f, x)
    tail = near * near * near * f.polynomial(near * near, _ASIN)
    small = _rest_of(f, HALF_PI[:2], Sum(near, tail))
    large = f.select(x.is_("olt", 0.0), _rest_of(f, PI, angle), angle.rounded())
    return f.select(x.magnitude().is_("olt", 0.5), small, large)


def _halves(f: Formula, x: Number) -> tuple[Number, Sum]:
    """A number if it is below 1 / 2, and the arccosine of its magnitude for others."""
    w = (f.number(1.0) - x.magnitude()) * 0.5
    s = f.root(w)
    lost = f.fma(-s, s, w) / (s + s)
    rest = f.fma(s * w, f.polynomial(w, _ASIN), f.select(s.is_("oeq", 0.0), 0.0, lost))
    return f.select(x.magnitude().is_("olt", 0.5), x, 0.5), Sum(s + s, rest + rest)
