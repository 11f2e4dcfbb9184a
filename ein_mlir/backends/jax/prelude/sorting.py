"""Orders, positions in sorted arrays, and the first few elements in an order."""

# pyright: reportUnknownArgumentType=false, reportUnknownMemberType=false
# pyright: reportUnknownVariableType=false

import math
from typing import Any

import jax
import jax.lax as lax
import jax.numpy as jnp


def argsort(array: Any, axis: int) -> Any:
    """The positions of the elements along an axis in increasing order; it is stable."""
    if array.dtype == bool:
        return false_first(array, axis)
    return jnp.argsort(array, axis, stable=True)


def false_first(array: Any, axis: int) -> Any:
    """The positions of False, and then those of True: a count in place of XLA's slow sort."""
    number, size = count_true(array, axis), array.shape[axis]
    shape = [1 if k != axis else size for k in range(array.ndim)]
    positions = jnp.broadcast_to(lax.iota(int, size).reshape(shape), array.shape)
    of_true = size - jnp.sum(array, axis, keepdims=True) + number - 1
    places = jnp.where(array, of_true, positions - number)
    order = jnp.zeros_like(positions)
    return jnp.put_along_axis(order, places, positions, axis, inplace=False)


def count_true(array: Any, axis: int) -> Any:
    """The number of True up to each position: on a CPU by a loop, which XLA compiles faster."""

    def step(number: Any, element: Any) -> Any:
        number = number + element
        return number, number

    def loop(array: Any) -> Any:
        rows = jnp.moveaxis(array, axis, 0)
        _, numbers = lax.scan(step, jnp.zeros(rows.shape[1:], int), rows)
        return jnp.moveaxis(numbers, 0, axis)

    def default(array: Any) -> Any:
        return jnp.cumsum(array, axis, dtype=int)

    return lax.platform_dependent(array, cpu=loop, default=default)


def place_in_order(array: Any, values: Any, side: str) -> Any:
    """The places of values in vectors in increasing order, those along the last axis."""

    def place(order: Any, own: Any) -> Any:
        return jnp.searchsorted(order, own, side=side).astype(jnp.int64)

    for _ in array.shape[:-1]:
        place = jax.vmap(place)
    return place(array, values)


def first_positions(array: Any, axis: int, count: Any) -> Any:
    """At least the first ``count`` positions of ``argsort``, if there are as many."""
    rows = jnp.moveaxis(array, axis, -1)
    is_narrow = jnp.isdtype(array.dtype, "signed integer") and array.dtype.itemsize < 8
    is_float = array.dtype in (jnp.float32, jnp.float64)
    if count <= 0 or not rows.size or not (is_float or is_narrow) or not is_few(count, rows):
        return argsort(array, axis)
    keys = ordered_bits(rows) if is_float else rows.astype(int)
    lost = jnp.iinfo(keys.dtype).max
    found = next_positions(keys.reshape(-1, rows.shape[-1]), lost, min(int(count), rows.shape[-1]))
    return jnp.moveaxis(found.reshape(*rows.shape[:-1], -1), -1, axis)


def ordered_bits(array: Any) -> Any:
    """Ints in the order of floats, those of NaN the largest, and below the largest Int."""
    bits = array.dtype.itemsize * 8
    ints = lax.bitcast_convert_type(array, f"int{bits}")
    least, most = jnp.iinfo(ints.dtype).min, jnp.iinfo(ints.dtype).max
    ints = jnp.where(ints == least, 0, ints)  # -0.0 becomes 0.0: XLA leaves out the sum with 0.0
    ints = ints ^ ((ints >> (bits - 1)) & most)
    return jnp.where(jnp.isnan(array), most - 1, ints)


def is_few(count: Any, rows: Any) -> bool:
    """Whether so many searches take less time than sorting does."""
    size = rows.shape[-1]
    return count * (math.isqrt(size) // 4 + 300 // (rows.size // size) + 1) <= size


def sort_elements(array: Any, axis: int, few: int = 5) -> Any:
    """The elements along an axis in increasing order, NaN last; at most ``few`` are exchanged.

    XLA sorts slowly, also what is in order already, such as running sums: that is tested first.
    """
    rows = jnp.moveaxis(array, axis, 0)
    if 0 < len(rows) <= few:
        return jnp.stack(exchanged(list(rows)), axis)
    is_in_order = jnp.all(rows[1:] >= rows[:-1])
    return lax.cond(is_in_order, lambda: array, lambda: jnp.sort(array, axis))


def exchanged(rows: list[Any]) -> list[Any]:
    """Elements in increasing order, by exchanges of neighbours: equal ones stay in their order."""
    for last in range(len(rows) - 1, 0, -1):
        for k in range(last):
            a, b = rows[k : k + 2]
            is_behind = (b < a) | ((a != a) & (b == b))  # NaN is last
            rows[k : k + 2] = jnp.where(is_behind, b, a), jnp.where(is_behind, a, b)
    return rows


def top_k(array: Any, axis: int, count: int, is_largest: bool) -> Any:
    """The positions of the first elements along an axis in order, of the smallest or the largest.

    Of ties the first one comes first; NaN is passed over; where no element is left, it is 0.
    """
    rows, is_float = jnp.moveaxis(array, axis, -1), jnp.isdtype(array.dtype, "real floating")
    if is_largest:
        rows = -rows if is_float else ~rows
    shape, size = rows.shape[:-1], rows.shape[-1]
    rows = rows.reshape(math.prod(shape), size)
    lost = jnp.inf if is_float else jnp.iinfo(rows.dtype).max
    result = jnp.zeros((len(rows), count), int)
    if result.size and size:
        find = next_positions if is_few(count, rows) else sorted_positions
        result = find(jnp.where(rows < lost, rows, lost) if is_float else rows, lost, count)
    return jnp.moveaxis(result.reshape(*shape, count), -1, axis)


def sorted_positions(rows: Any, lost: Any, count: int) -> Any:
    """The positions of the smallest elements of rows that are less than ``lost``, by sorting."""
    positions = lax.broadcasted_iota(int, rows.shape, 1)
    keys, order = lax.sort((rows, positions), dimension=1, num_keys=1)
    order, missing = jnp.where(keys < lost, order, 0)[:, :count], count - rows.shape[1]
    return jnp.pad(order, ((0, 0), (0, missing))) if missing > 0 else order


def next_positions(rows: Any, lost: Any, count: int) -> Any:
    """The same by successive searches, each in the block with the smallest remaining element.

    Found elements are replaced by ``lost`` for the next searches.
    """
    (height, size), block = rows.shape, math.isqrt(rows.shape[1])
    blocks = jnp.pad(rows, ((0, 0), (0, -size % block)), constant_values=lost)
    blocks, row = blocks.reshape(height, -1, block), jnp.arange(height)

    def step(k: Any, carry: Any) -> Any:
        blocks, least, found = carry
        number = least.argmin(1)
        place = blocks[row, number].argmin(1)
        position = jnp.where(least[row, number] < lost, number * block + place, 0)
        blocks = blocks.at[row, number, place].set(lost)
        least = least.at[row, number].set(blocks[row, number].min(1))
        return blocks, least, found.at[:, k].set(position)

    init = (blocks, blocks.min(2), jnp.zeros((height, count), int))
    return lax.fori_loop(0, count, step, init)[2]
