"""Sums of products with windows."""

# pyright: reportUnknownArgumentType=false, reportUnknownMemberType=false
# pyright: reportUnknownVariableType=false

import math
from typing import Any

import jax.lax as lax
import jax.numpy as jnp
import numpy as np


def correlate(
    array: Any, filters: Any, sizes: Any, strides: Any = (), dilations: Any = (), groups: int = 1
) -> Any:
    """Sums of products of filters with the windows of arrays, at ``sizes`` places."""
    strides, dilations = (each or (1,) * len(sizes) for each in (strides, dilations))
    shape, offsets = (array.shape[0], filters.shape[0], *sizes), filters.shape[2:]
    if 0 in shape or 0 in filters.shape:
        return jnp.zeros(shape, array.dtype)
    if filters.shape[:2] == (1, 1) and math.prod(offsets) > 32 >= math.prod(offsets[1:]) > 1:
        return weighted_slices(array, filters[0, 0], sizes, strides, dilations)
    windows = zip(sizes, offsets, strides, dilations, strict=True)
    used = (slice((n - 1) * s + (m - 1) * d + 1) for n, m, s, d in windows)
    array = array[(slice(None), slice(None), *used)]
    return lax.conv_general_dilated(array, filters, strides, "VALID", None, dilations, None, groups)


def weighted_slices(array: Any, weights: Any, sizes: Any, strides: Any, dilations: Any) -> Any:
    """The same of one channel and one large filter, row by row: XLA convolves them slowly."""
    first, *spans = ((n - 1) * s + 1 for n, s in zip(sizes, strides, strict=True))

    def step(k: Any, total: Any) -> Any:
        part = lax.dynamic_slice_in_dim(array, k * dilations[0], first, 2)
        part, row = part[:, :, :: strides[0]], lax.dynamic_index_in_dim(weights, k, 0, False)
        for offset in np.ndindex(row.shape):
            windows = zip(offset, dilations[1:], spans, strides[1:], strict=True)
            used = (slice(p * d, p * d + n, s) for p, d, n, s in windows)
            total = total + part[(..., *used)] * row[offset]
        return total

    start = jnp.zeros((array.shape[0], 1, *sizes), array.dtype)
    return lax.fori_loop(0, weights.shape[0], step, start)
