"""Sums of products, and products in order where another order is not safe."""

# pyright: reportUnknownArgumentType=false, reportUnknownMemberType=false
# pyright: reportUnknownVariableType=false

import math
from typing import Any

import numpy as np

from ein_mlir.backends.shared_prelude import named_factors, summed_in_blocks


def is_finite(array: Any) -> bool:
    """Whether all elements are finite. If their sum is, or that of their squares, they are."""
    if not array.ndim:
        return math.isfinite(array)
    if array.ndim == 1 and math.isfinite(array.dot(array)):  # a third of the time of a sum
        return True
    if array.ndim > 1 and array.flags.c_contiguous and math.isfinite(np.vdot(array, array)):
        return True
    return math.isfinite(array.sum()) or bool(np.isfinite(array).all())


def is_normal(array: Any) -> bool:
    """Whether no element is near or below the least normal number."""
    least = np.abs(array).min(initial=np.inf) if array.ndim else abs(array)
    return bool(least >= least_safe(array))


def is_zero_or_normal(array: Any, root: int) -> bool:
    """Whether all elements but zeros are above a root of the same bound."""
    sizes, least = np.abs(array), least_safe(array) ** (1 / root)
    if sizes.min(initial=np.inf) >= least:
        return True
    return bool(((sizes >= least) | (array == 0)).all())


def least_safe(array: Any) -> float:
    """A number that is small, and whose products with numbers that are not small are normal."""
    exponents = {2: -4, 4: -103, 8: -970}  # of tiny / eps; np.finfo takes longer
    return 2.0 ** exponents[array.dtype.itemsize]


def is_safe(finite: Any, normal: Any, products: Any) -> bool:
    """Whether products that a program does not compute had neither overflow nor underflow.

    Arrays with zeros are no proof. Then the factors are, if they are zero or not small. All
    products of zeros and finite factors are zero.
    """
    if not all(map(is_finite, finite)):
        return False
    if all(map(is_normal, normal)):
        return True
    factors = (np.asarray(factor) for _, factor in named_factors(products))
    arrays = [array for array in factors if array.dtype != np.bool_]
    if not all(array.any() for array in arrays):
        return all(map(is_finite, arrays))
    return all(is_zero_or_normal(array, len(arrays)) for array in arrays)


def in_order(array: Any, finite: Any, normal: Any, products: Any) -> Any:
    """A sum of products in another order, or in order if the tests of the other order fail."""
    if is_safe(finite, normal, products):
        return array
    found = nan_where(products)
    if found is not None and is_safe((np.where(found, 0, array),), normal, products):
        return np.where(found, np.nan, array).astype(array.dtype)[()]
    return summed_in_blocks(products, np.einsum, times, np.concatenate)


def nan_where(products: Any) -> Any:
    """Where a factor of a sum of products is NaN, which makes the sum NaN in any order.

    None if some factors are masks or divisors, which may hide it.
    """
    factors = named_factors(products)
    masks = [factor for _, factor in factors if np.asarray(factor).dtype == np.bool_]
    if masks or has_divisor(products):
        return None
    output, found = products[0], False
    for letters, factor in factors:
        is_nan = np.isnan(factor)
        if is_nan.any():
            kept = "".join(letter for letter in output if letter in letters)
            places = tuple(slice(None) if letter in letters else None for letter in output)
            found = found | np.einsum(f"{letters}->{kept}", is_nan)[places]
    return found


def has_divisor(products: Any) -> bool:
    """Whether a factor of nested products is a divisor."""
    letters, *parts = products
    if isinstance(parts[0], tuple):
        return any(map(has_divisor, parts))
    return letters[:1] == "/"


def times(product: Any, factor: Any) -> Any:
    """The product with one more factor; one of Bools is a mask, outside of which it is 0."""
    return np.where(factor, product, 0) if factor.dtype == np.bool_ else product * factor


def kept_steps(mask: Any, expected: bool, array: Any) -> Any:
    """The positions at which a mask has a value, if they are few and an array is large."""
    if array.size < 1 << 14:
        return None
    count = np.count_nonzero(mask)
    if 8 * (count if expected else mask.size - count) > mask.size:
        return None
    return np.flatnonzero(mask if expected else ~mask)


def at_steps(array: Any, kept: Any, axis: int) -> Any:
    """The array at some positions of an axis, if there are any."""
    return array if kept is None else array.take(kept, axis)


def inner_product(lhs: Any, rhs: Any) -> Any:
    """The sum of the products of all elements; of arrays with gaps, BLAS would need copies."""
    if lhs.flags.c_contiguous and rhs.flags.c_contiguous:
        return np.vdot(lhs, rhs)
    axes = range(lhs.ndim)
    return np.einsum(lhs, axes, rhs, axes, ())


def grouped_matmul(lhs: Any, rhs: Any, rows: int, summed: int, columns: int) -> Any:
    """A product of matrices whose rows, columns and summed axes are groups of axes.

    ``lhs`` ends in the axes of the rows and the summed axes, ``rhs`` in the summed axes and the
    axes of the columns; axes before them are shared, or those of one side. Operands are copied if
    their groups are not contiguous. The result owns its memory: NumPy then adds to it in place.
    """
    left, right = lhs.ndim - rows - summed, rhs.ndim - columns - summed
    down, inner = lhs.shape[left : left + rows], lhs.shape[left + rows :]
    across = rhs.shape[right + summed :]
    size = math.prod(inner)
    lhs = lhs.reshape(*lhs.shape[:left], math.prod(down), size)
    rhs = rhs.reshape(*rhs.shape[:right], size, math.prod(across))
    front = max(lhs.shape[:-2], rhs.shape[:-2], key=len)
    result = np.empty((*front, *down, *across), lhs.dtype)
    flat = result.reshape(*front, lhs.shape[-2], rhs.shape[-1])
    if lhs.dtype.kind == "f":
        np.matmul(lhs, rhs, out=flat)
    else:
        flat[...] = int_matmul(lhs, rhs)
    return result


def int_matmul(lhs: Any, rhs: Any) -> Any:
    """``lhs @ rhs`` of ints, as a product of floats if that is exact: that of ints is slow.

    It is if no sum of magnitudes is above 2^24 or 2^53. Small products are not worth the test.
    """
    products = lhs.size * rhs.shape[-1]
    if products < 2**14 or products < 2 * (lhs.size + rhs.size) or not rhs.size:
        return lhs @ rhs
    most = lhs.shape[-1] * magnitude(lhs) * magnitude(rhs)
    if most > 2**53:
        return lhs @ rhs
    dtype = np.float32 if most <= 2**24 else np.float64
    left = lhs.astype(dtype)
    right = left.T if is_transposed(lhs, rhs) else rhs.astype(dtype)
    product = left @ right
    return product.astype(np.int64).astype(lhs.dtype, copy=False)


def is_transposed(lhs: Any, rhs: Any) -> bool:
    """Whether matrices are views of the same elements, as those of ``a.T @ a``, which is faster."""
    one, other = (array.__array_interface__["data"] for array in (lhs, rhs))
    return one == other and (lhs.shape, lhs.strides) == (rhs.shape[::-1], rhs.strides[::-1])


def magnitude(ints: Any) -> int:
    """The largest absolute value, as an integer that does not wrap."""
    return max(int(ints.max()), -int(ints.min()))
