"""Operations on numbers, element by element."""

# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false

import math
from typing import Any

import torch

# Numbers


def device_of(number: Any) -> Any:
    """The device of a number; None for one of Python."""
    return getattr(number, "device", None)


def affine_range(start: int, step: int, size: int, dtype: Any, device: Any) -> Any:
    """``start + step * k`` for each ``k`` below ``size``, in 64 bits, converted to a type."""
    stop = start + step * size
    if not torch.compiler.is_compiling() and max(abs(start), abs(stop)) < 2**53:
        return torch.arange(start, stop, step, dtype=dtype, device=device)
    positions = torch.arange(size, device=device)
    return (wrapped(start) + wrapped(step) * positions).to(dtype)


def wrapped(x: int) -> int:
    """A Python number wrapped to the 64 bits of an int."""
    return (x + 2**63) % 2**64 - 2**63


def floor_divide_ints(x: int, y: int) -> int:
    """``x // y`` on numbers of Python; 0 where y is 0."""
    return wrapped(x // y) if y else 0


def floor_modulo_ints(x: int, y: int) -> int:
    """``x % y`` on numbers of Python; 0 where y is 0."""
    return x % y if y else 0


def shift_left_ints(x: int, distance: int) -> int:
    """``x << distance`` on numbers of Python; 0 for a distance beyond their bits."""
    return wrapped(x << distance) if 0 <= distance < 64 else 0


def shift_right_ints(x: int, distance: int) -> int:
    """``x >> distance`` on numbers of Python; copies of the sign for one beyond their bits."""
    return x >> (distance if 0 <= distance < 64 else 63)


def divide_floats(x: float, y: float) -> float:
    """``x / y`` on numbers of Python; an infinity or NaN where y is 0."""
    if y:
        return x / y
    return x * math.copysign(math.inf, y)


# Integers


def floor_divide(x: Any, y: Any) -> Any:
    """``x // y`` on ints; 0 where y is 0."""
    is_special = (y == 0) | (y == -1)
    return torch.where(is_special, x * y, x // torch.where(is_special, 1, y))


def floor_modulo(x: Any, y: Any) -> Any:
    """``x % y`` on ints; 0 where y is 0."""
    is_special = (y == 0) | (y == -1)
    return torch.where(is_special, 0, x % torch.where(is_special, 1, y))


def ceil_divide(x: Any, y: Any) -> Any:
    """``x / y`` on ints, rounded up; 0 where y is 0."""
    return floor_divide(x, y) + (floor_modulo(x, y) != 0)


def truncated_divide(x: Any, y: Any) -> Any:
    """``x / y`` on ints, rounded towards zero; 0 where y is 0."""
    return floor_divide(x, y) + ((floor_modulo(x, y) != 0) & ((x < 0) != (y < 0)))


def truncated_modulo(x: Any, y: Any) -> Any:
    """The remainder of the division rounded towards zero; 0 where y is 0."""
    return torch.where(y == 0, 0, x - truncated_divide(x, y) * y)


def unsigned_less(x: Any, y: Any) -> Any:
    """``x < y`` on the bits of ints, read as unsigned ones."""
    lowest = torch.iinfo(x.dtype).min
    return (x ^ lowest) < (y ^ lowest)


def unsigned_less_equal(x: Any, y: Any) -> Any:
    """``x <= y`` on the bits of ints, read as unsigned ones."""
    return ~unsigned_less(y, x)


def unsigned_greater(x: Any, y: Any) -> Any:
    """``x > y`` on the bits of ints, read as unsigned ones."""
    return unsigned_less(y, x)


def unsigned_greater_equal(x: Any, y: Any) -> Any:
    """``x >= y`` on the bits of ints, read as unsigned ones."""
    return ~unsigned_less(x, y)


def unsigned_minimum(x: Any, y: Any) -> Any:
    """The smaller of the bits of ints, read as unsigned ones."""
    return torch.where(unsigned_less(x, y), x, y)


def unsigned_maximum(x: Any, y: Any) -> Any:
    """The larger of the bits of ints, read as unsigned ones."""
    return torch.where(unsigned_less(x, y), y, x)


def unsigned_shift_right(x: Any, distance: Any) -> Any:
    """``x >> distance`` with zeros from the left."""
    bits = torch.iinfo(x.dtype).bits
    rest = x >> distance & ~(torch.full_like(x, -1) << (bits - distance))
    return torch.where(distance == 0, x, torch.where((distance > 0) & (distance < bits), rest, 0))


def unsigned_divide(x: Any, y: Any) -> Any:
    """``x // y`` on the bits of ints, read as unsigned ones; 0 where y is 0.

    Half of x is non-negative; twice its quotient is the quotient or one less. If y has its highest
    bit set, the quotient is 0 or 1.
    """
    one = torch.ones_like(x)
    quotient = floor_divide(unsigned_shift_right(x, one), y) * 2
    quotient = quotient + unsigned_greater_equal(x - quotient * y, y)
    quotient = torch.where(y < 0, unsigned_greater_equal(x, y).to(x.dtype), quotient)
    return torch.where(y == 0, 0, quotient)


def unsigned_modulo(x: Any, y: Any) -> Any:
    """The remainder of `unsigned_divide`; 0 where y is 0."""
    return torch.where(y == 0, 0, x - unsigned_divide(x, y) * y)


def unsigned_to_float(x: Any, dtype: Any) -> Any:
    """The float nearest to the bits of ints, read as unsigned ones.

    Half of a number with the highest bit is rounded correctly if it keeps the bit shifted out.
    """
    half = unsigned_shift_right(x, torch.ones_like(x)) | (x & 1)
    return torch.where(x < 0, half.to(dtype) * 2, x.to(dtype))


def float_to_unsigned(x: Any) -> Any:
    """The integer part as the bits of an unsigned int of 64 bits."""
    high = x >= 2.0**63
    lower = torch.where(high, x - 2.0**63, x).to(torch.int64)
    return torch.where(high, lower ^ torch.iinfo(torch.int64).min, lower)


# Floats


def cbrt(x: Any) -> Any:
    """The cube root."""
    return torch.copysign(torch.abs(x) ** (1 / 3), x)


def sign_of(x: Any) -> Any:
    """-1, 0 or 1; NaN for NaN, which a maximum keeps: a choice takes twice as long."""
    sign = torch.sign(x)
    return torch.maximum(sign, torch.clamp(x, max=-2.0)) if x.is_floating_point() else sign


def leading_zeros(x: Any) -> Any:
    """The number of zero bits above the highest one bit of integers."""
    bits = 8 * x.element_size()
    count, rest = torch.where(x < 0, 0, bits).to(x.dtype), torch.clamp(x, min=0)
    for width in (32, 16, 8, 4, 2, 1):
        high = rest >> min(width, bits - 1)
        count = torch.where(high > 0, count - width, count)
        rest = torch.where(high > 0, high, rest)
    return count - rest


def round_half_away(x: Any) -> Any:
    """The nearest whole number; of two, the one further from zero."""
    whole = torch.trunc(x)
    return whole + torch.copysign((torch.abs(x - whole) >= 0.5).to(x.dtype), x)
