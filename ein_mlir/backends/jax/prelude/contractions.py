"""Sums of products, and products in order where another order is not safe."""

# pyright: reportUnknownArgumentType=false, reportUnknownMemberType=false
# pyright: reportUnknownVariableType=false

import math
from typing import Any

import jax
import jax.lax as lax
import jax.numpy as jnp

from ein_mlir.backends.shared_prelude import named_factors, summed_products


def is_normal(array: Any, root: int = 1) -> Any:
    """Whether no element is near or below the least normal number, or its root."""
    info = jnp.finfo(array.dtype)
    magnitudes = jnp.abs(array)
    if root > 1:
        magnitudes = jnp.where(array == 0, jnp.inf, magnitudes)
    return magnitudes.min(initial=jnp.inf) >= (info.tiny / info.eps) ** (1 / root)


def in_order(array: Any, finite: Any, normal: Any, products: Any) -> Any:
    """A sum of products in another order, or in order if the tests of the other order fail.

    Arrays with zeros are no proof that no product had an underflow. Then the factors are, if they
    are zero or not small. Derivatives compute the products in order again: JAX would save arrays
    of zeros for them where the other order is safe. Few products are computed in order at once: XLA
    takes long to compile the tests.
    """

    def sums_in_order() -> Any:
        return summed_products(products, jnp.einsum, times, masked_factors)

    sizes = {
        letter: size
        for letters, factor in named_factors(products)
        for letter, size in zip(letters, factor.shape, strict=True)
    }
    if math.prod(sizes.values()) <= 2**14:
        return sums_in_order()

    def is_large() -> Any:
        factors = [factor for _, factor in named_factors(products) if factor.dtype != jnp.bool_]
        tests = [is_normal(factor, len(factors)) for factor in factors]
        return jnp.stack(tests).all()

    is_safe = jnp.stack([jnp.isfinite(each).all() for each in finite]).all()
    if normal:
        is_proved = jnp.stack(list(map(is_normal, normal))).all()
        is_safe &= lax.cond(is_proved, lambda: is_proved, is_large)
    return lax.cond(is_safe, lambda: array, jax.checkpoint(sums_in_order))


def sum_rows(array: Any, count: int) -> Any:
    """The sum along the first ``count`` axes.

    On a CPU, XLA adds long rows up one column after the other, in 10 to 50 times the time of a
    product with ones.
    """

    def default(array: Any) -> Any:
        return array.sum(axis=tuple(range(count)))

    size = math.prod(array.shape[count:])
    if size < 2**13 or array.size < 2 * size or array.size > 2**24:
        return default(array)

    def product(array: Any) -> Any:
        ones = jnp.ones(array.shape[:count], array.dtype)
        return jnp.tensordot(ones, array, count, precision="highest")

    return lax.platform_dependent(array, cpu=product, default=default)


def int_matmul(lhs: Any, rhs: Any) -> Any:
    """``lhs @ rhs`` of ints, as a product of floats if that is exact: that of ints is slow.

    It is if no sum of magnitudes reaches 2^53. Small products are not worth the test.
    """
    products = lhs.size * rhs.shape[-1]
    is_small = products < 2**15 or products < 16 * (lhs.size + rhs.size) or not rhs.size
    if is_small or not jax.config.read("jax_enable_x64"):
        return lhs @ rhs
    left, right = lhs.astype(jnp.float64), rhs.astype(jnp.float64)
    most = lhs.shape[-1] * jnp.abs(left).max() * jnp.abs(right).max()
    return lax.cond(
        most < 2**53,
        lambda: jnp.matmul(left, right, precision="highest").astype(jnp.int64).astype(lhs.dtype),
        lambda: lhs @ rhs,
    )


def masked_einsum(subscripts: str, masks: Any, arrays: Any) -> Any:
    """The sums of products of arrays, with zeros where their common mask is false.

    The largest array is read as it is, without a copy, unless it is small. A finite result has no
    product of a zero and an element that is infinite or NaN. The derivative is that of the products
    of zeros.
    """
    largest = max(range(len(arrays)), key=lambda k: arrays[k].size)

    def product(parts: Any) -> Any:
        return jnp.einsum(subscripts, *parts, precision="highest")

    def cleared(masks: Any, arrays: Any) -> Any:
        return product([jnp.where(m, x, 0) for m, x in zip(masks, arrays, strict=True)])

    @jax.custom_jvp
    def guarded(masks: Any, arrays: Any) -> Any:
        parts = [jnp.where(m, x, 0) for m, x in zip(masks, arrays, strict=True)]
        parts[largest] = arrays[largest]
        result = product(parts)
        is_finite = jnp.isfinite(result).all()
        return lax.cond(is_finite, lambda: result, lambda: cleared(masks, arrays))

    @guarded.defjvp
    def _(primals: Any, tangents: Any) -> Any:
        return jax.jvp(cleared, primals, tangents)

    return (cleared if arrays[largest].size < 2**12 else guarded)(masks, arrays)


def times(product: Any, factor: Any) -> Any:
    """The product with one more factor; one of Bools is a mask, outside of which it is 0."""
    return jnp.where(factor, product, 0) if factor.dtype == jnp.bool_ else product * factor


def masked_factors(factors: Any) -> Any:
    """The factors, 1 where a mask behind them is false: their derivatives are 0 there, not 0 times
    infinity.
    """
    for k, mask in enumerate(factors):
        if mask.dtype == jnp.bool_:
            before = [f if f.dtype == jnp.bool_ else jnp.where(mask, f, 1) for f in factors[:k]]
            factors = [*before, *factors[k:]]
    return factors


def rounded(x: Any) -> Any:
    """The value itself. XLA computes with the rounded value, and does not regroup across it."""
    info = jnp.finfo(x.dtype)
    return lax.reduce_precision(x, info.nexp, info.nmant)
