"""Combinations of all prefixes and suffixes."""

# pyright: reportUnknownArgumentType=false, reportUnknownMemberType=false
# pyright: reportUnknownVariableType=false

from typing import Any

import jax.lax as lax
import jax.numpy as jnp


def accumulate(kind: str, array: Any, axis: int, suffixes: bool) -> Any:
    """The combinations of all prefixes along an axis, or suffixes, that are not empty."""
    if not array.shape[axis]:
        return array
    if array.dtype == jnp.bool_:
        return accumulate(kind, array.astype(jnp.uint8), axis, suffixes).astype(jnp.bool_)
    if kind.startswith("bitwise"):
        return lax.associative_scan(getattr(jnp, kind), array, suffixes, axis)
    functions = {"add": lax.cumsum, "mul": lax.cumprod, "min": lax.cummin, "max": lax.cummax}
    return functions[kind](array, axis, reverse=suffixes)


def scan(kind: str, identity: Any, array: Any, axis: int, suffixes: bool) -> Any:
    """The combinations of all prefixes along an axis, or suffixes, the empty one included."""
    shape = [1 if k == axis else n for k, n in enumerate(array.shape)]
    empty = jnp.full(shape, identity, array.dtype)
    if not array.shape[axis]:
        return empty  # XLA cannot take a part without elements of a join with such an array
    combined = accumulate(kind, array, axis, suffixes)
    return jnp.concatenate((combined, empty) if suffixes else (empty, combined), axis)


def weighted_scan(kind: str, identity: Any, array: Any, weights: Any, axis: int) -> Any:
    """``y[j] = max(y[j - 1] + w[j], x[j])`` along an axis; Bools say where ``y[j - 1]`` counts."""
    rows = jnp.moveaxis(array, axis, 0)
    weights = jnp.broadcast_to(jnp.moveaxis(weights, axis, 0), rows.shape)
    if not len(rows):
        return array
    functions = {"add": jnp.add, "mul": jnp.multiply, "min": jnp.minimum, "max": jnp.maximum}
    combine = functions[kind] if kind in functions else getattr(jnp, kind)
    weigh = {"min": jnp.add, "max": jnp.add, "add": jnp.multiply}.get(kind, jnp.bitwise_and)
    zero = jnp.asarray(identity, rows.dtype)

    def step(before: Any, each: Any) -> Any:
        own, weight = each
        is_mask = weight.dtype == jnp.bool_
        weighed = jnp.where(weight, before, zero) if is_mask else weigh(before, weight)
        new = combine(weighed, own)
        return new, new

    _, rest = lax.scan(step, rows[0], (rows[1:], weights[1:]))
    return jnp.moveaxis(jnp.concatenate((rows[:1], rest)), 0, axis)
