"""Operations on numbers, element by element."""

# pyright: reportUnknownArgumentType=false, reportUnknownMemberType=false
# pyright: reportUnknownVariableType=false

import bisect
import math
from typing import Any

import numpy as np


def float_min(x: Any, y: Any) -> Any:
    """The smaller of two floats; NaN if either is."""
    return x if x < y or x != x else y


def float_max(x: Any, y: Any) -> Any:
    """The larger of two floats; NaN if either is."""
    return x if x > y or x != x else y


def quotient(x: float, y: float) -> float:
    """``x / y`` of two floats of Python, which raise an error where y is zero."""
    return x / y if y else float(np.float64(x) / y)


def float_sqrt(x: float) -> float:
    """The square root of a float of Python, which raises an error where x is negative."""
    return math.sqrt(x) if x >= 0 else math.nan


def float_exp(x: float) -> float:
    """``exp(x)`` of a float of Python, which raises an error where the result is infinite."""
    try:
        return math.exp(x)
    except OverflowError:
        return math.inf


def float_floor(x: float) -> float:
    """``floor(x)`` of a float of Python, as a float."""
    return x // 1.0 if math.isfinite(x) else x


def float_to_int(x: float) -> int:
    """``x.astype(np.int64)`` of a float of Python, which may be no Int."""
    return int(x) if -9e18 < x < 9e18 else int(np.float64(x).astype(np.int64))


def float_log(x: float) -> float:
    """``log(x)`` of a float of Python, which raises an error where x is not positive."""
    return math.log(x) if x > 0 else float(np.log(x))


def float_sin(x: float) -> float:
    """``sin(x)`` of a float of Python, which raises an error where x is infinite."""
    return math.sin(x) if math.isfinite(x) else math.nan


def float_cos(x: float) -> float:
    """``cos(x)`` of a float of Python, which raises an error where x is infinite."""
    return math.cos(x) if math.isfinite(x) else math.nan


def float_tanh(x: float) -> float:
    """``tanh(x)`` of a float of Python."""
    return math.tanh(x)


def float_power(x: float, y: float) -> float:
    """``x ** y`` of floats of Python, which raise an error where the result is none or infinite."""
    try:
        return math.pow(x, y)
    except (OverflowError, ValueError):
        return float(np.float64(x) ** y)


def wrapped(x: int) -> int:
    """An int of Python modulo 2^64, as an Int."""
    return (x + 2**63) % 2**64 - 2**63


def int_power(base: Any, exponent: Any) -> Any:
    """``base ** exponent`` on ints, truncated towards zero where the exponent is negative."""
    power = base ** np.maximum(exponent, 0)
    inverse = np.where(np.abs(base) == 1, np.where(exponent % 2 == 0, 1, base), 0)
    return np.where(exponent < 0, inverse, power).astype(power.dtype)[()]


def truncated_divide(x: Any, y: Any) -> Any:
    """``x / y`` on ints, rounded towards zero; 0 where y is 0."""
    quotient = x // y
    return quotient + ((x % y != 0) & ((x < 0) != (y < 0)))


def leading_zeros(x: Any) -> Any:
    """The number of zero bits above the highest one bit of integers."""
    bits = 8 * x.dtype.itemsize
    if not x.ndim:
        return x.dtype.type(0 if x < 0 else bits - int(x).bit_length())
    count, rest = np.where(x < 0, 0, bits).astype(x.dtype), np.maximum(x, 0)
    for width in (32, 16, 8, 4, 2, 1):
        high = rest >> min(width, bits - 1)
        count = np.where(high > 0, count - width, count)
        rest = np.where(high > 0, high, rest)
    return count - rest


def round_half_away(x: Any) -> Any:
    """The nearest whole number; of two, the one further from zero."""
    whole = np.trunc(x)
    return whole + np.copysign(np.abs(x - whole) >= 0.5, x).astype(whole.dtype)


def erf(x: Any) -> Any:
    """The error function."""
    try:
        from scipy.special import erf as vectorized  # pyright: ignore
    except ImportError:
        vectorized = np.vectorize(math.erf, otypes=[np.float64])
    return np.asarray(vectorized(x)).astype(x.dtype, copy=False)[()]


def place_by_halves(elements: Any, x: Any, low: int, high: int) -> int:
    """The place of a number between two positions, by comparisons with elements in the middle."""
    return bisect.bisect_left(elements, x, low, high) if low < high else low


def place_before_nan(elements: Any, x: float, low: int, high: int) -> int:
    """The same for floats, where NaN is behind all numbers."""
    if low >= high:
        return low
    if x == x:
        return bisect.bisect_left(elements, x, low, high)
    return bisect.bisect_left(elements, True, low, high, key=lambda each: each != each)
