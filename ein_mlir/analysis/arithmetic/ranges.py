"""Ranges of integers, and the ranges of the results of scalar operators."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import product

from xdsl.dialects import arith, math
from xdsl.ir import Operation

from ein_mlir.host.dataclass import dataclass


@dataclass(frozen=True, slots=True)
class Range:
    """The integers from ``low`` to ``high``, both included.

    >>> Range(0, 3) - Range(1, 2)
    Range(low=-2, high=2)
    """

    low: int
    high: int

    def __add__(self, other: Range) -> Range:
        return Range(self.low + other.low, self.high + other.high)

    def __neg__(self) -> Range:
        return Range(-self.high, -self.low)

    def __sub__(self, other: Range) -> Range:
        return self + -other

    def __mul__(self, other: Range) -> Range:
        return self.corners(other, int.__mul__)

    def __or__(self, other: Range) -> Range:
        """The smallest range that contains both."""
        return Range(min(self.low, other.low), max(self.high, other.high))

    def __and__(self, other: Range) -> Range:
        """The integers in both; this range if there are none, as in code that never runs."""
        low, high = max(self.low, other.low), min(self.high, other.high)
        return Range(low, high) if low <= high else self

    def __contains__(self, other: Range) -> bool:
        return self.low <= other.low and other.high <= self.high

    def corners(self, other: Range, operation: Callable[[int, int], int]) -> Range:
        """The range of an operation whose extremes are at the bounds of its operands."""
        ends = [operation(a, b) for a, b in product(self.ends, other.ends)]
        return Range(min(ends), max(ends))

    @property
    def ends(self) -> tuple[int, int]:
        """Both bounds."""
        return self.low, self.high

    @property
    def magnitude(self) -> int:
        """The largest absolute value."""
        return max(abs(self.low), abs(self.high))

    @staticmethod
    def of(number: int) -> Range:
        """The range of a single number."""
        return Range(number, number)


def ints_of(width: int) -> Range:
    """The integers of a type with a number of bits; the true of an i1 is 1 here."""
    return Range(0, 1) if width == 1 else Range(-(2 ** (width - 1)), 2 ** (width - 1) - 1)


INTS = ints_of(64)
"""All Ints."""

MOST = 2**44
"""The largest size, or count of steps: a larger one is an error. No memory holds such an array, and
no run takes so many steps, so sums of sizes, counters and numbers are far from the largest Int.
"""

SIZES = Range(0, MOST)
"""The sizes and counts of programs that run without an error."""

FEW = Range(-64, 64)
"""What the steps of a loop that drifts may add to a number in all."""

DRIFT = Range(-(2**61), 2**61)
"""The numbers that a run reaches by steps that add few: 2^54 steps take years."""


def no_size(number: int) -> str | None:
    """The reason that a number is neither a size nor a count, if there is one."""
    if number < 0:
        return f"is negative: {number}"
    return f"is too large: {number}" if number > MOST else None


SUMS_OF_SIZES = Range(0, 16 * MOST)
"""The sums of a few sizes: Ints in this range need no check before they are sizes."""


def _unchanged(x: Range) -> Range:
    return x


def _either(_: Range, x: Range, y: Range) -> Range:
    return x | y


def _smaller(x: Range, y: Range) -> Range:
    return x.corners(y, min)


def _larger(x: Range, y: Range) -> Range:
    return x.corners(y, max)


def _absolute(x: Range) -> Range:
    low = 0 if x.low <= 0 <= x.high else min(abs(x.low), abs(x.high))
    return Range(low, x.magnitude)


def _count_of_bits(x: Range) -> Range:
    """A number of bits of x, which has 64 at most"""
    return Range(0, 64)


def _floored_quotient(x: Range, y: Range) -> Range:
    """``x // y``; 0 for a divisor of 0"""
    if y.low < 0:
        return Range(-x.magnitude, x.magnitude)
    found = x.corners(Range(max(y.low, 1), max(y.high, 1)), int.__floordiv__)
    return found if y.low > 0 else Range(min(found.low, 0), max(found.high, 0))


def floored_remainder(x: Range, y: Range) -> Range:
    """``x mod y`` has the sign of ``y``, and is less; ``x`` itself if ``0 <= x < y``"""
    if x.low >= 0 and x.high < y.low:
        return x
    return Range(min(0, y.low + 1), max(0, y.high - 1))


def _common_bits(x: Range, y: Range) -> Range:
    """``x & y`` has no bit that a non-negative operand lacks"""
    highest = [each.high for each in (x, y) if each.low >= 0]
    return Range(0, min(highest)) if highest else INTS


def _bits_of_both(x: Range, y: Range) -> Range:
    """``x | y`` and ``x ^ y`` of non-negative operands are below a power of 2"""
    if x.low < 0 or y.low < 0:
        return INTS
    return Range(0, 2 ** max(x.high, y.high).bit_length() - 1)


def _shifted_right(x: Range, y: Range) -> Range:
    """``x >> y`` with copies of the sign; a distance beyond the width leaves only these"""
    if y.low >= 0 and y.high < 64:
        return x.corners(y, int.__rshift__)
    return Range(min(x.low, 0), max(x.high, 0))


RANGES: Mapping[type[Operation], Callable[..., Range]] = {
    arith.AddiOp: Range.__add__,
    arith.SubiOp: Range.__sub__,
    arith.MuliOp: Range.__mul__,
    arith.MinSIOp: _smaller,
    arith.MaxSIOp: _larger,
    arith.FloorDivSIOp: _floored_quotient,
    arith.AndIOp: _common_bits,
    arith.OrIOp: _bits_of_both,
    arith.XOrIOp: _bits_of_both,
    arith.ShRSIOp: _shifted_right,
    arith.SelectOp: _either,
    arith.ExtSIOp: _unchanged,
    arith.ExtUIOp: _unchanged,
    arith.TruncIOp: _unchanged,
    arith.IndexCastOp: _unchanged,
    math.AbsIOp: _absolute,
    math.CountLeadingZerosOp: _count_of_bits,
}
"""The ranges of the results of signed operators over the integers, before they wrap.

An i1 has the range of its unsigned numbers; `Integers` handles its signed extension.
"""
