"""Arithmetic on Ints, for every level of IR: linear forms, ranges, and proofs with them.

An Int is a number modulo 2^64. Its *linear form* is a sum of multiples of atoms and a constant that
is equal to it modulo 2^64 (`forms`). Forms with equal coefficients are equal Ints, always. A form
is also an integer, the sum over the integers; it is *exact* if that integer provably is an Int,
since then it is the Int. Only integers are compared: `Integers.is_nonnegative` is a proof about the
integer, and `Integers.is_exact` a proof from the *ranges* of atoms (`ranges`) that nothing wraps.

`Integers` knows no dialect. A `Level` states what the values of a level of IR mean.
"""

from ein_mlir.analysis.arithmetic.forms import LinearForm, Operators, value_of_form
from ein_mlir.analysis.arithmetic.integers import Integers
from ein_mlir.analysis.arithmetic.ranges import (
    DRIFT,
    FEW,
    INTS,
    MOST,
    RANGES,
    SIZES,
    SUMS_OF_SIZES,
    Range,
    ints_of,
    no_size,
)
from ein_mlir.analysis.arithmetic.scalars import Level, ranges_of_sizes

__all__ = [
    "DRIFT",
    "FEW",
    "INTS",
    "MOST",
    "RANGES",
    "SIZES",
    "SUMS_OF_SIZES",
    "Integers",
    "Level",
    "LinearForm",
    "Operators",
    "Range",
    "ints_of",
    "no_size",
    "ranges_of_sizes",
    "value_of_form",
]
