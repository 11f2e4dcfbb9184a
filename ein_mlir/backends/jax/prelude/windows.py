"""One axis read as several, and several as one."""

# pyright: reportUnknownArgumentType=false, reportUnknownMemberType=false
# pyright: reportUnknownVariableType=false

from typing import Any

import jax
import jax.lax as lax
import jax.numpy as jnp

from ein_mlir.backends.jax.prelude.indexing import fill_empty


def strided(array: Any, axis: int, start: Any, sizes: tuple[int, ...], steps: Any) -> Any:
    """``a[start + i*steps[0] + j*steps[1] + ..]``, with clipped positions.

    If the steps are known to be those of rows in a row of rows, the axis is split. Rows that begin
    before it, or end behind, are those of the axis with copies of its first and last elements.
    """
    is_known = all(not isinstance(n, jax.Array) and jnp.ndim(n) == 0 for n in (start, *steps))
    start, *steps = map(int, (start, *steps)) if is_known else (start, *steps)
    length = array.shape[axis]
    if is_known and 0 not in sizes and min(steps) > 0:
        reaches = [step * (int(size) - 1) for size, step in zip(sizes, steps, strict=True)]
        reach = sum(reaches)
        if abs(start) + reach < 2**63:  # else Ints wrap around
            start = min(max(start, -reach), length)
        spans = [sum(reaches[k:]) + 1 for k in range(1, len(steps) + 1)]
        rows = all(span <= step for span, step in zip(spans, steps, strict=True))
        before, behind = max(-start, 0), max(start + reach + 1 - length, 0)
        if rows and before + behind <= length:
            widths = [(before, behind) if k == axis else (0, 0) for k in range(array.ndim)]
            whole = jnp.pad(array, widths, mode="edge") if before + behind else array
            part = lax.slice_in_dim(whole, start + before, whole.shape[axis], axis=axis)
            return split_rows(part, axis, sizes, steps)
    positions = start if isinstance(start, int) else jnp.asarray(start)[(..., *[None] * len(sizes))]
    for k, (size, step) in enumerate(zip(sizes, steps, strict=True)):
        shape = [size if k == d else 1 for d in range(len(sizes))]
        positions = positions + jnp.arange(size).reshape(shape) * step
    return jnp.take(fill_empty(array, axis), positions, axis=axis, mode="clip")


def split_rows(array: Any, axis: int, sizes: tuple[int, ...], steps: list[int]) -> Any:
    """Rows that begin a step apart, rows of these, and so on; at last elements."""
    for size, step in zip(sizes, steps, strict=True):
        missing = size * step - array.shape[axis]
        if missing > 0:
            widths = [(0, missing if k == axis else 0) for k in range(array.ndim)]
            array = jnp.pad(array, widths)
        array = lax.slice_in_dim(array, 0, size * step, axis=axis)
        array = array.reshape((*array.shape[:axis], size, step, *array.shape[axis + 1 :]))
        axis += 1
    return lax.index_in_dim(array, 0, axis, keepdims=False)


def flatten(array: Any, axis: int) -> Any:
    """The axis and the next one as one."""
    first, second = array.shape[axis : axis + 2]
    return array.reshape((*array.shape[:axis], first * second, *array.shape[axis + 2 :]))


def first_or(array: Any, default: Any) -> Any:
    """The first element along the leading axis, or the default where there is none."""
    return array[0] if array.shape[0] else default
