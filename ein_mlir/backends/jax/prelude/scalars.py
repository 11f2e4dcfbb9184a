"""Operations on numbers, element by element."""

# pyright: reportUnknownArgumentType=false, reportUnknownMemberType=false
# pyright: reportUnknownVariableType=false

from typing import Any

import jax
import jax.lax as lax
import jax.numpy as jnp

from ein_mlir.backends.jax.prelude.contractions import rounded


def floor_divide(x: Any, y: Any) -> Any:
    """``x // y`` on ints; 0 where y is 0."""
    return jnp.where(y == 0, 0, x // jnp.where(y == 0, 1, y))


def floor_remainder(x: Any, y: Any) -> Any:
    """``x % y`` on ints; 0 where y is 0."""
    return jnp.where(y == 0, 0, x % jnp.where(y == 0, 1, y))


def truncated_divide(x: Any, y: Any) -> Any:
    """``x / y`` on ints, rounded towards zero; 0 where y is 0."""
    quotient = floor_divide(x, y)
    return quotient + ((floor_remainder(x, y) != 0) & ((x < 0) != (y < 0)))


def truncated_remainder(x: Any, y: Any) -> Any:
    """The remainder of ``truncated_divide``, with the sign of x; 0 where y is 0."""
    return jnp.where(y == 0, 0, jnp.fmod(x, jnp.where(y == 0, 1, y)))


def square_and_multiply(_: Any, state: Any) -> Any:
    """One binary digit of an exponent: the power so far, the next square, the digits left."""
    power, square, digits = state
    return jnp.where(digits & 1 == 1, power * square, power), square * square, digits >> 1


def int_power(base: Any, exponent: Any) -> Any:
    """``base ** exponent`` on ints, truncated towards zero where the exponent is negative."""
    base, exponent = jnp.broadcast_arrays(base, exponent)
    state = jnp.ones_like(base), base, exponent
    digits = jnp.iinfo(exponent.dtype).bits - 1
    power, _, _ = lax.fori_loop(0, digits, square_and_multiply, state)
    inverse = jnp.where(jnp.abs(base) == 1, jnp.where(exponent % 2 == 0, 1, base), 0)
    return jnp.where(exponent < 0, inverse, power)


def powers(x: Any, n: Any, first: Any, step: int) -> Any:
    """``x ** n`` for ``n = first + step * k`` along an axis that x lacks, as products.

    These are of double precision: each binary digit of the exponents has a factor, which is the
    square of that before.
    """
    if not isinstance(first, int) or not n.size:
        return (x**n).astype(x.dtype)
    last = first + step * (n.size - 1)
    if step == 1 and first < 0 <= last:
        axis = max(range(n.ndim), key=n.shape.__getitem__)
        few, others = jnp.split(n, [-first], axis)
        return jnp.concatenate((x**few, powers(x, others, 0, 1)), axis).astype(x.dtype)
    if min(first, last) < 0:
        return (x**n).astype(x.dtype)
    n, factor = n.astype(jnp.int64), x.astype(jnp.float64)
    power = jnp.ones(jnp.broadcast_shapes(x.shape, n.shape))
    for digit in range(max(first, last).bit_length()):
        power = power * jnp.where(n >> digit & 1 == 1, factor, 1.0)
        factor = factor * factor
    return power.astype(x.dtype)


def root_power(x: Any, y: float) -> Any:
    """``x ** y`` for 1.5, -0.5 and -1.5: of these powers, XLA computes that of 0.5 by a root.

    The magnitude keeps the powers of infinities, and of -0.0.
    """

    @jax.custom_jvp
    def power(x: Any) -> Any:
        root = x**0.5
        if y > 0:
            return jnp.abs(x) * root
        inverse = 1.0 / rounded(root)
        return inverse if y == -0.5 else rounded(inverse) / jnp.abs(x)

    @power.defjvp
    def _(primals: Any, tangents: Any) -> Any:
        (x,), (tangent,) = primals, tangents
        slope = x**0.5 if y > 0 else root_power(x, y) / jnp.abs(x)
        return root_power(x, y), tangent * (y * slope)

    return power(x)


def to_int(x: Any, dtype: Any) -> Any:
    """The integer part of floats; the least integer where it does not fit, and for NaN."""
    least = jnp.iinfo(dtype).min
    return jnp.where((x >= least) & (x < -float(least)), x, least).astype(dtype)


def round_half_away(x: Any) -> Any:
    """The nearest whole number; of two, the one further from zero."""
    whole = jnp.trunc(x)
    return whole + jnp.copysign(jnp.abs(x - whole) >= 0.5, x).astype(whole.dtype)
