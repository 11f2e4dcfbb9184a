"""Sine, cosine and tangent: of the distance to the nearest multiple of ``pi / 2``."""

from __future__ import annotations

from functools import partial

from xdsl.ir import SSAValue

from ein_mlir.passes.loops.expand_math.numbers import Formula, Number, Sum, quotient

TWO_OVER_PI = 0.6366197723675814
HALF_PI = (
    float.fromhex("0x1.921fb54442d18p+0"),
    float.fromhex("0x1.1a62633145c07p-54"),
    float.fromhex("-0x1.f1976b7ed8fbcp-110"),
)
"""``pi / 2`` as a sum."""

LIMIT = 2.0**32
"""The distance is exact enough up to here; beyond it is a matter for the C library."""

_SINE = (
    -1.66666666666666324348e-01,
    8.33333333332248946124e-03,
    -1.98412698298579493134e-04,
    2.75573137070700676789e-06,
    -2.50507602534068634195e-08,
    1.58969099521155010221e-10,
)
"""``(sin(r) - r) / r ** 3``, in ``r ** 2``"""
_COSINE = (
    4.16666666666666019037e-02,
    -1.38888888888741095749e-03,
    2.48015872894767294178e-05,
    -2.75573143513906633035e-07,
    2.08757232129817482790e-09,
    -1.13596475577881948265e-11,
)
"""``(cos(r) - 1 + r ** 2 / 2) / r ** 4``, in ``r ** 2``"""


def is_rare(f: Formula, x: Number) -> SSAValue:
    """Whether a number is too large for the formulas, infinite or NaN: by its bits."""
    limit = f.format.bits_of(LIMIT)
    return x.magnitude().bits.is_("sgt", limit)


def sin(f: Formula, x: Number) -> Number:
    """The sine of the distance, or its cosine, by the number of the quarter; of -0.0 itself."""
    return f.select(x.is_("oeq", 0.0), x, f.in_double(partial(_sine, quarters=0), x))


def cos(f: Formula, x: Number) -> Number:
    """The sine a quarter further on."""
    return f.in_double(partial(_sine, quarters=1), x)


def tan(f: Formula, x: Number) -> Number:
    """The quotient of sine and cosine, with their errors; of -0.0 itself."""
    return f.select(x.is_("oeq", 0.0), x, f.in_double(_tangent, x))


def _tangent(f: Formula, x: Number) -> Number:
    n, r, c = _distance(f, x)
    z = r * r
    sine = Sum(r, _sine_tail(f, r, c, z)).normal()
    cosine = Sum(*_cosine_parts(f, r, c, z)).normal()
    odd = (n & 1).is_("ne", 0)
    top = Sum(f.select(odd, -cosine.high, sine.high), f.select(odd, -cosine.low, sine.low))
    bottom = Sum(f.select(odd, sine.high, cosine.high), f.select(odd, sine.low, cosine.low))
    return quotient(f, top, bottom)


def _sine(f: Formula, x: Number, quarters: int) -> Number:
    n, r, c = _distance(f, x)
    n = n + quarters
    z = r * r
    sine = r + _sine_tail(f, r, c, z)
    near, rest = _cosine_parts(f, r, c, z)
    cosine = near + rest
    odd = (n & 1).is_("ne", 0)
    value = f.select(odd, cosine, sine)
    return f.from_bits(value.bits.exclusive_or((n & 2) << 62))


def _distance(f: Formula, x: Number) -> tuple[Number, Number, Number]:
    """``x = n * pi / 2 + r + c`` with ``|r|`` up to ``pi / 4``, and a correction ``c``.

    The first difference is exact: both sides are multiples of the last place of ``pi / 2``.
    """
    shifted = f.fma(x, TWO_OVER_PI, f.format.whole)
    number = shifted - f.format.whole
    first = f.fma(number, -HALF_PI[0], x)
    product = number * HALF_PI[1]
    error = f.fma(number, HALF_PI[1], -product)
    r = first - product
    other = r - first
    lost = (first - (r - other)) - (product + other)
    c = f.fma(number, -HALF_PI[2], lost - error)
    return f.integer_in(shifted), r, c


def _sine_tail(f: Formula, r: Number, c: Number, z: Number) -> Number:
    """``c + r ** 3 * P - c * r ** 2 / 2``, the sine without ``r``"""
    return f.fma(z * r, f.polynomial(z, _SINE), f.fma(c * -0.5, z, c))


def _cosine_parts(f: Formula, r: Number, c: Number, z: Number) -> tuple[Number, Number]:
    """``1 - z / 2``, and ``z ** 2 * P - r * c`` with the rounding error of the first one."""
    half = z * 0.5
    near = f.number(1.0) - half
    lost = (f.number(1.0) - near) - half
    return near, lost + f.fma(z * z, f.polynomial(z, _COSINE), -(r * c))
