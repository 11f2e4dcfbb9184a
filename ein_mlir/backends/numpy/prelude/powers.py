"""Powers of arrays of floats, of which NumPy computes those of negative numbers slowly."""

# pyright: reportUnknownArgumentType=false, reportUnknownMemberType=false
# pyright: reportUnknownVariableType=false

from typing import Any

import numpy as np


def powers(x: Any, n: Any) -> Any:
    """``x ** n`` where no axis belongs to both: products, if the exponents are a few whole numbers.

    Short results, and powers of one number, take less time as they are.
    """
    size = x.size * n.size
    is_short = size <= 256 or (size <= 4096 and not np.signbit(x).any())
    if is_short or x.size == 1 or n.min() < 0 or (n.dtype.kind == "f" and (n % 1).any()):
        return (x**n).astype(x.dtype, copy=False)
    places = n.astype(np.int64, copy=False).ravel()
    least, most, steps = int(places.min()), int(places.max()), np.diff(places)
    step, wide = int(steps[0]) if steps.size else 1, x.astype(np.float64)
    if step and (steps == step).all():
        rows = rows_of_powers(wide, least, abs(step), n.size)[:: 1 if step > 0 else -1]
    elif most - least < 2 * n.size:
        rows = rows_of_powers(wide, least, 1, most - least + 1)[places - least]
    else:
        return (x**n).astype(x.dtype, copy=False)
    rank = n.ndim
    rows = rows.reshape(*n.shape, *x.shape)
    order = [axis if length != 1 else rank + axis for axis, length in enumerate(n.shape)]
    rest = [axis for axis in range(2 * rank) if axis not in order]
    result = rows.transpose(*order, *rest)[(..., *(0 for _ in rest))]
    return result.astype(x.dtype, copy=False)


def rows_of_powers(x: Any, least: int, step: int, count: int) -> Any:
    """``x ** (least + step * k)``, a row for each k: as many again are those times a power of x."""
    rows = np.empty((count, *x.shape))
    rows[0] = whole_power(x, least) if least else 1.0
    factor, done = whole_power(x, step), 1
    while done < count:
        more = min(done, count - done)
        np.multiply(rows[:more], factor, out=rows[done : done + more])
        factor, done = factor * factor, 2 * done
    return rows


def whole_power(x: Any, n: int) -> Any:
    """``x ** n`` for n >= 0, by squares."""
    result = x if n & 1 else np.ones_like(x)
    while n := n >> 1:
        x = x * x
        if n & 1:
            result = result * x
    return result


def signed_power(x: Any, n: Any) -> Any:
    """``x ** n`` for an array and Ints: the power of its magnitude, and a sign."""
    signs = np.signbit(x)
    if x.size <= 64 or not signs.any():
        return (x**n).astype(x.dtype, copy=False)
    if np.ndim(n) == 0 and 0 <= n <= 16:
        return whole_power(x.astype(np.float64), int(n)).astype(x.dtype, copy=False)
    result = np.abs(x) ** n
    np.negative(result, out=result, where=signs & (n % 2 == 1))
    return result.astype(x.dtype, copy=False)
