"""The error function: a polynomial near 0, and ``1 - e ** q(x)`` beyond."""

from __future__ import annotations

from collections.abc import Mapping

from ein_mlir.host.dataclass import dataclass
from ein_mlir.passes.loops.expand_math import exponentials
from ein_mlir.passes.loops.expand_math.numbers import DOUBLE, SINGLE, Format, Formula, Number


@dataclass(frozen=True)
class Constants:
    """The constants of a format."""

    most: float
    """``erf(x)`` is 1 from there on."""
    near: tuple[float, ...]
    """``erf(x) / x - 1`` up to 1, in ``x ** 2``"""
    far: tuple[float, ...]
    """``log(1 - erf(x))`` from 1 on: the absolute error of ``1 - erf(x)`` counts."""


CONSTANTS: Mapping[Format, Constants] = {
    DOUBLE: Constants(
        5.95,
        (
            float.fromhex("0x1.06eba8214db69p-3"),
            float.fromhex("-0x1.812746b0379bdp-2"),
            float.fromhex("0x1.ce2f21a03fb65p-4"),
            float.fromhex("-0x1.b82ce31183571p-6"),
            float.fromhex("0x1.565bcce428c83p-8"),
            float.fromhex("-0x1.c02dac2bfa9eep-11"),
            float.fromhex("0x1.f9a23ed3f917ap-14"),
            float.fromhex("-0x1.f4c0c89d22ff4p-17"),
            float.fromhex("0x1.b904302a7a40fp-20"),
            float.fromhex("-0x1.57e99adce589cp-23"),
            float.fromhex("0x1.aad4c9562ea39p-27"),
            float.fromhex("-0x1.35dd1ed5a7700p-32"),
            float.fromhex("-0x1.6eb54b8018271p-34"),
        ),
        (
            float.fromhex("-0x1.13932a4823489p-21"),
            float.fromhex("-0x1.20dd1e2dac0bep+0"),
            float.fromhex("-0x1.45f635bd50c3cp-1"),
            float.fromhex("-0x1.a4ab261ba6af3p-4"),
            float.fromhex("0x1.3719905f885afp-6"),
            float.fromhex("0x1.b1a4fbf702bb0p-12"),
            float.fromhex("-0x1.f70b9f2bfe211p-10"),
            float.fromhex("0x1.954e5485f8ae3p-11"),
            float.fromhex("-0x1.1e65c4dafc106p-13"),
            float.fromhex("-0x1.47768bde0c63dp-16"),
            float.fromhex("0x1.7a022ac71a5b9p-16"),
            float.fromhex("-0x1.1fd6449cc15c1p-17"),
            float.fromhex("0x1.1bd32dd4e1949p-19"),
            float.fromhex("-0x1.8cca43ae2c230p-22"),
            float.fromhex("0x1.8a88799aea7d7p-25"),
            float.fromhex("-0x1.0b4c0bac3b695p-28"),
            float.fromhex("0x1.bc3c825817309p-33"),
            float.fromhex("-0x1.5650c0064811dp-38"),
        ),
    ),
    SINGLE: Constants(
        4.0,
        (
            0.12837916612625122,
            -0.3761262595653534,
            0.1128358542919159,
            -0.026853814721107483,
            0.005188330542296171,
            -0.0008010202436707914,
            7.853849820094183e-05,
        ),
        (
            -0.00035375976585783064,
            -1.127039909362793,
            -0.6382259726524353,
            -0.10303710401058197,
            0.021805187687277794,
            -0.0029395739547908306,
            0.0001855705340858549,
        ),
    ),
}


def erf(f: Formula, x: Number) -> Number:
    """``x + x * p(x ** 2)`` up to 1, then ``1 - e ** q(|x|)`` with the sign of ``x``."""
    constants = CONSTANTS[f.format]
    near = f.fma(x, f.polynomial(x * x, constants.near), x)
    size = x.magnitude()
    size = f.select(size.is_("ogt", constants.most), constants.most, size)
    far = (f.number(1.0) - _rest(f, size, constants.far)).with_sign_of(x)
    return f.select(size.is_("ult", 1.0), near, far)


def _rest(f: Formula, x: Number, coefficients: tuple[float, ...]) -> Number:
    """``e ** q(x)``, where the sum of the first terms of ``q`` has a correction."""
    constant, linear, *others = coefficients
    terms = x * f.polynomial(x, others)
    slope = terms + linear
    lost = terms - (slope - linear)
    high = slope * x
    low = f.fma(lost, x, f.fma(slope, x, -high)) + constant
    return exponentials.exp_within_range(f, high, low)
