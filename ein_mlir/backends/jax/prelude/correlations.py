"""Sums of products with windows."""

# pyright: reportUnknownArgumentType=false, reportUnknownMemberType=false
# pyright: reportUnknownVariableType=false

from typing import Any

import jax.lax as lax
import jax.numpy as jnp


def correlate(
    array: Any, filters: Any, sizes: Any, strides: Any = (), dilations: Any = (), groups: int = 1
) -> Any:
    """Sums of products of filters with the windows of arrays, at ``sizes`` places."""
    strides, dilations = (each or (1,) * len(sizes) for each in (strides, dilations))
    shape, offsets = (array.shape[0], filters.shape[0], *sizes), filters.shape[2:]
    if 0 in shape or 0 in filters.shape:
        return jnp.zeros(shape, array.dtype)
    windows = zip(sizes, offsets, strides, dilations, strict=True)
    used = (slice((n - 1) * s + (m - 1) * d + 1) for n, m, s, d in windows)
    array = array[(slice(None), slice(None), *used)]
    return lax.conv_general_dilated(array, filters, strides, "VALID", None, dilations, None, groups)
