"""NaN where a shorter computation would lose that of a longer one."""

# pyright: reportUnknownArgumentType=false, reportUnknownMemberType=false
# pyright: reportUnknownVariableType=false

from typing import Any

import jax.lax as lax
import jax.numpy as jnp


def propagate_nan(array: Any, others: Any, axis: int, witness: Any) -> Any:
    """The array, but NaN where others are not finite at another position along an axis.

    Others are read only if the sum of a witness is not finite: otherwise all of them are finite.
    Few others, or as many as witnesses, are read at once: XLA takes long to compile the choice.
    """

    def tested() -> Any:
        finite = jnp.isfinite(others).all(tuple(range(others.ndim - array.ndim)))
        count = finite.shape[axis] - 1
        return jnp.where(finite.sum(axis, keepdims=True) - finite < count, jnp.nan, array)

    if others.size <= max(witness.size, 2**14):
        return tested()
    return lax.cond(jnp.isfinite(witness.sum()), lambda: array, tested)
