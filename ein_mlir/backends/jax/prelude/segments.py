"""Elements combined by segment."""

# pyright: reportUnknownArgumentType=false, reportUnknownMemberType=false
# pyright: reportUnknownVariableType=false

from typing import Any

import jax.numpy as jnp

from ein_mlir.backends.jax.prelude.updates import dropped


def accumulate_at(kind: str, identity: Any, values: Any, keys: Any, sizes: Any) -> Any:
    """The values of each segment combined; those with keys out of bounds are dropped."""
    places = [dropped(key, size) for key, size in zip(keys, sizes, strict=True)]
    places = jnp.broadcast_arrays(*places)
    rest = values.shape[places[0].ndim :]
    values = jnp.broadcast_to(values, (*places[0].shape, *rest))
    result = jnp.full((*sizes, *rest), identity, values.dtype)
    combine = getattr(result.at[tuple(places)], kind)
    return combine(values, mode="drop", wrap_negative_indices=False)
