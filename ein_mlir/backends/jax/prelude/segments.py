"""Elements combined by segment."""

# pyright: reportUnknownArgumentType=false, reportUnknownMemberType=false
# pyright: reportUnknownVariableType=false

import math
from typing import Any

import jax
import jax.numpy as jnp

from ein_mlir.backends.jax.prelude.scans import weighted_scan
from ein_mlir.backends.jax.prelude.updates import dropped


def aligned_values(values: Any, keys: Any, sizes: Any) -> Any:
    """The places of keys, those out of bounds dropped, the value at each, and the sizes of one."""
    places = [dropped(key, size) for key, size in zip(keys, sizes, strict=True)]
    places = jnp.broadcast_arrays(*places)
    rest = values.shape[places[0].ndim :]
    return places, jnp.broadcast_to(values, (*places[0].shape, *rest)), rest


def accumulate_at(kind: str, start: Any, values: Any, keys: Any, sizes: Any) -> Any:
    """A start, and the values of each segment; those with keys out of bounds are dropped."""
    places, values, rest = aligned_values(values, keys, sizes)
    result = jnp.full((*sizes, *rest), start, values.dtype)
    combine = getattr(result.at[tuple(places)], kind)
    return combine(values, mode="drop", wrap_negative_indices=False)


def accumulate_bits_at(name: str, identity: Any, values: Any, keys: Any, sizes: Any) -> Any:
    """The bits of the values of each segment combined, in the order of the segments."""
    places, values, rest = aligned_values(values, keys, sizes)
    numbers, is_inside = 0, True
    for place, size in zip(places, sizes, strict=True):
        numbers, is_inside = numbers * size + place, is_inside & (place >= 0) & (place < size)
    count = math.prod(sizes)
    numbers = jnp.where(is_inside, numbers, count).ravel()
    order = jnp.argsort(numbers)
    ordered = jnp.concatenate((jnp.full(1, -1), numbers[order]))
    values = jnp.reshape(values, (len(order), *rest))[order]
    values = jnp.concatenate((jnp.full((1, *rest), identity, values.dtype), values))
    goes_on = jnp.reshape(ordered == jnp.roll(ordered, 1), (-1, *(1 for _ in rest)))
    combined = weighted_scan(name, identity, values, goes_on, 0)
    own = jnp.arange(count)
    ends = jnp.searchsorted(ordered, own, side="right") - 1
    ends = jnp.where(ordered[ends] == own, ends, 0)
    return jnp.reshape(combined[ends], (*sizes, *rest))


def multiply_at(kind: str, start: Any, values: Any, keys: Any, sizes: Any) -> Any:
    """``accumulate_at`` of products: JAX has no derivative of it, but that of products in order."""

    @jax.custom_jvp
    def products(start: Any, values: Any, *keys: Any) -> Any:
        return accumulate_at(kind, start, values, keys, sizes)

    @products.defjvp
    def _(primals: Any, tangents: Any) -> Any:
        keys = primals[2:]

        def in_order(start: Any, values: Any) -> Any:
            return start * accumulate_bits_at(kind, 1, values, keys, sizes)

        return jax.jvp(in_order, primals[:2], tangents[:2])

    return products(jnp.asarray(start, values.dtype), values, *keys)


def scattered(array: Any, keys: Any, values: Any) -> Any:
    """The array with values at positions by keys, of equal ones the last; others are dropped.

    JAX does not say which of several values at a position stays.
    """
    keys, rest = jnp.broadcast_arrays(*keys), array.shape[len(keys) :]
    sizes, count = array.shape[: len(keys)], keys[0].size
    if not count:
        return array
    steps = jnp.reshape(jnp.arange(count), keys[0].shape)
    last = accumulate_at("max", -1, steps, keys, sizes)
    values = jnp.reshape(jnp.broadcast_to(values, (*keys[0].shape, *rest)), (count, *rest))
    chosen = jnp.reshape(last >= 0, (*sizes, *(1 for _ in rest)))
    return jnp.where(chosen, values[jnp.maximum(last, 0)], array)
