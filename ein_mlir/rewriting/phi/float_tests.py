"""Tests of floats: whether they are finite, or so small that a product may have underflowed."""

from __future__ import annotations

from collections.abc import Mapping

from xdsl.dialects import math
from xdsl.dialects.builtin import f32, f64
from xdsl.ir import Attribute, SSAValue

from ein_mlir.host.dataclass import dataclass
from ein_mlir.rewriting.phi.insertion import Inserter


@dataclass(frozen=True)
class Limits:
    """The largest number of a type of floats, and the least that is far from underflow."""

    largest: float
    small: float


LIMITS: Mapping[Attribute, Limits] = {
    f64: Limits((2 - 2**-52) * 2.0**1023, 2.0**-970),
    f32: Limits((2 - 2**-23) * 2.0**127, 2.0**-103),
}
"""The limits of each type; ``small`` is the least normal number over the rounding unit."""


def is_infinite(build: Inserter, x: SSAValue) -> SSAValue:
    """Whether a number is infinite or NaN."""
    return _compared(build, x, "ugt", _limits(x).largest)


def is_finite(build: Inserter, x: SSAValue) -> SSAValue:
    """Whether a number is neither infinite nor NaN."""
    return _compared(build, x, "ole", _limits(x).largest)


def is_large(build: Inserter, x: SSAValue) -> SSAValue:
    """Whether the least number of its type times this one may not be small, or it is NaN."""
    return _compared(build, x, "ugt", 1 / _limits(x).small)


def has_finite_square(build: Inserter, x: SSAValue) -> SSAValue:
    """Whether a number is finite, and its square is."""
    return _compared(build, x, "ole", _limits(x).largest ** 0.5)


def is_small(build: Inserter, x: SSAValue) -> SSAValue:
    """Whether a number is zero, or near or below the least normal number."""
    return _compared(build, x, "ult", _limits(x).small)


def is_small_factor(build: Inserter, x: SSAValue, factors: int) -> SSAValue:
    """Whether a product of so many factors like this one, which is not zero, may be small."""
    small = _compared(build, x, "ult", _limits(x).small ** (1 / factors))
    return build.and_(build.compare(x, "!=", 0.0), small)


def is_large_divisor(build: Inserter, x: SSAValue, factors: int) -> SSAValue:
    """Whether a product of so many factors like the reciprocal of this number may be small."""
    return _compared(build, x, "ugt", _limits(x).small ** (-1 / factors))


def _compared(build: Inserter, x: SSAValue, predicate: str, limit: float) -> SSAValue:
    """A comparison of the magnitude of a number; an unordered one is true of NaN."""
    return build.compare(build.emit(math.AbsFOp(x)), predicate, limit)


def _limits(x: SSAValue) -> Limits:
    return LIMITS[x.type]
