"""Helper functions that emitted JAX programs carry with them, since JAX has no such function.

They are ordinary functions, and tested as such. The printer copies the source of those that a
program needs into it, so they use only each other and the imports of this module.
"""

# pyright: reportUnknownArgumentType=false, reportUnknownMemberType=false
# pyright: reportUnknownVariableType=false

import math
from typing import Any

import jax
import jax.core as core
import jax.lax as lax
import jax.numpy as jnp


def fold(
    count: Any,
    step: Any,
    init: Any,
    few: int = 0,
    many: int = 0,
    together: int = 1,
    large: int = 0,
) -> Any:
    """``step`` applied to each number below ``count`` in turn, and to the accumulators.

    A loop without steps is not traced. A loop of ``few`` steps is unrolled, and one of at most
    ``many`` if an accumulator has 512 elements. If an accumulator changes its shape in the first
    step, the other steps are a loop; if it does so later, they are unrolled. Several steps are one
    of a loop, four at most if no accumulator has a ``large`` number of elements. The remaining
    steps have a loop of their own: in one loop, JAX would join the values that it keeps of both for
    a derivative, by a copy.
    """

    def loop(first: int, init: Any) -> Any:
        whole = count - (count - first) % together
        result = lax.fori_loop(first, whole, step, init, unroll=together)
        rest = whole < count
        return lax.fori_loop(whole, count, step, result, unroll=True) if rest else result

    size = max(map(jnp.size, init if isinstance(init, tuple) else (init,)))
    if 0 < count <= max(few, many if size >= 512 else 0):
        together = int(count)
    elif size < large:
        together = min(together, 4)
    for k in range(count):
        try:
            if k < 2:
                return loop(k, init)
        except TypeError:
            pass
        init = step(jnp.asarray(k), init)
    return init


def fold_below(count: Any, most: int, step: Any, init: Any) -> Any:
    """``step`` applied to each number below a traced count of at most ``most``.

    JAX differentiates no loop of a traced count in reverse. The derivative is that of a loop of
    ``most`` steps, which do nothing from the count on.
    """
    leaves, tree = jax.tree.flatten(init)
    if not any(jnp.issubdtype(jnp.result_type(leaf), jnp.floating) for leaf in leaves):
        return lax.fori_loop(0, count, step, init)
    traced = jax.make_jaxpr(step)(jnp.zeros_like(count), init)

    def next_of(k: Any, carry: Any, captured: Any) -> Any:
        values = core.eval_jaxpr(traced.jaxpr, captured, k, *jax.tree.leaves(carry))
        return jax.tree.unflatten(tree, values)

    def bounded(count: Any, init: Any, captured: Any) -> Any:
        def next_or_same(k: Any, carry: Any) -> Any:
            return lax.cond(k < count, lambda: next_of(k, carry, captured), lambda: carry)

        return lax.fori_loop(0, most, next_or_same, init)

    @jax.custom_jvp
    def loop(count: Any, init: Any, captured: Any) -> Any:
        def step_of(k: Any, carry: Any) -> Any:
            return next_of(k, carry, captured)

        return lax.fori_loop(0, count, step_of, init)

    @loop.defjvp
    def _(primals: Any, tangents: Any) -> Any:
        return jax.jvp(bounded, primals, tangents)

    return loop(count, init, traced.consts)


def fold_while(limit: Any, step: Any, init: Any) -> Any:
    """``step`` applied to each number below ``limit``, while the first accumulator is true.

    JAX differentiates no such loop in reverse. With a limit that is known, the derivative is that
    of a loop of so many steps, which do nothing from the end on.
    """
    leaves, tree = jax.tree.flatten(init)
    most = min((1 << 44) - 1, jnp.iinfo(jnp.asarray(0).dtype).max)
    is_limited = isinstance(limit, jax.Array) or limit <= most

    def loop(init: Any, step: Any) -> Any:
        def goes_on(state: Any) -> Any:
            more = jax.tree.leaves(state[1])[0]
            return more & (state[0] < limit) if is_limited else more

        def next_of(state: Any) -> Any:
            return state[0] + 1, step(*state)

        return lax.while_loop(goes_on, next_of, (jnp.asarray(0), init))[1]

    is_float = any(jnp.issubdtype(jnp.result_type(leaf), jnp.floating) for leaf in leaves)
    if isinstance(limit, jax.Array) or not is_limited or not is_float:
        return loop(init, step)
    traced = jax.make_jaxpr(step)(jnp.asarray(0), init)

    def with_values(captured: Any) -> Any:
        def next_of(k: Any, carry: Any) -> Any:
            values = core.eval_jaxpr(traced.jaxpr, captured, k, *jax.tree.leaves(carry))
            return jax.tree.unflatten(tree, values)

        return next_of

    def bounded(init: Any, captured: Any) -> Any:
        def next_or_same(k: Any, carry: Any) -> Any:
            more = jax.tree.leaves(carry)[0]
            return lax.cond(more, lambda: with_values(captured)(k, carry), lambda: carry)

        return lax.fori_loop(0, limit, next_or_same, init)

    @jax.custom_jvp
    def steps(init: Any, captured: Any) -> Any:
        return loop(init, with_values(captured))

    @steps.defjvp
    def _(primals: Any, tangents: Any) -> Any:
        return jax.jvp(bounded, primals, tangents)

    return steps(init, traced.consts)


def fill_empty(array: Any, axis: int) -> Any:
    """The array, or where the axis is empty, one zero along it."""
    if array.shape[axis]:
        return array
    shape = list(array.shape)
    shape[axis] = 1
    return jnp.zeros(shape, array.dtype)


def clipped_slice(array: Any, axis: int, start: Any, size: Any, step: int) -> Any:
    """``size`` elements of an axis from ``start``, ``step`` apart; positions clip into bounds."""
    array, every = fill_empty(array, axis), (slice(None),) * axis
    start = int(start)
    if abs(start) >= 2**62:
        return clipped_take(array, axis, (start + 2**63) % 2**64 - 2**63, size, step)
    if step < 0:
        upwards = clipped_slice(array, axis, start + (size - 1) * step, size, -step)
        return upwards[(*every, slice(None, None, -1))]
    length = array.shape[axis]
    if size == 0 or (start >= 0 and start + (size - 1) * step < length):
        return array[(*every, slice(start, start + size * step, step))]
    if step > 1:
        return clipped_take(array, axis, start, size, step)
    below = min(max(-start, 0), size)
    above = min(max(start + size - length, 0), size)
    first, last = array[(*every, slice(0, 1))], array[(*every, slice(-1, None))]
    inside = array[(*every, slice(start + below, max(start + size - above, 0)))]
    parts = (jnp.repeat(first, below, axis), inside, jnp.repeat(last, above, axis))
    return jnp.concatenate(parts, axis)


def clipped_take(array: Any, axis: int, start: Any, size: Any, step: int) -> Any:
    """``clipped_slice`` for a start that is not known when the program is traced."""
    positions = start + step * jnp.arange(size)
    return jnp.take(fill_empty(array, axis), positions, axis=axis, mode="clip")


def clipped_window(vector: Any, start: Any, size: Any) -> Any:
    """``clipped_take`` of neighbours from a vector; ``start`` is far from the ends of its type.

    XLA gathers element by element. So a window is a slice of a vector with its ends repeated: of a
    slice in bounds if that is short, and of the whole vector if not, which is done before a loop.
    """
    vector = fill_empty(vector, 0)
    length = vector.shape[0]
    if 0 < size <= length // 8:
        inside = jnp.clip(start, 0, length - size)
        vector, start = lax.dynamic_slice(vector, (inside,), (size,)), start - inside
    place = size + jnp.clip(start, -size, vector.shape[0])
    return lax.dynamic_slice(jnp.pad(vector, size, "edge"), (place,), (size,))


def update(array: Any, axes: tuple[int, ...], positions: tuple[Any, ...], value: Any) -> Any:
    """The array with a value at positions along axes; out of bounds nothing is updated."""
    if not array.size:
        return array
    index: list[Any] = [slice(None)] * array.ndim
    for axis, position in zip(axes, positions, strict=True):
        index[axis] = dropped(position, array.shape[axis])
    return array.at[tuple(index)].set(value, mode="drop")


def dropped(position: Any, size: Any) -> Any:
    """The position, or if it is out of bounds the first one that ``mode="drop"`` drops.

    JAX counts negative positions from the end, and takes large ones modulo 2^32.
    """
    return jnp.where((position < 0) | (position > size), size, position)


def update_slice(array: Any, axis: int, start: Any, count: int, step: Any, value: Any) -> Any:
    """The array with a value at every ``step``-th of ``count`` positions from a start on."""
    index = (*[slice(None)] * axis, start + step * jnp.arange(count))
    return array.at[index].set(value)


def update_inside(array: Any, axes: tuple[int, ...], positions: tuple[Any, ...], value: Any) -> Any:
    """``update`` at positions that are in bounds."""
    starts = dict(zip(axes, positions, strict=True))
    sizes = [1 if axis in axes else size for axis, size in enumerate(array.shape)]
    part = jnp.broadcast_to(jnp.expand_dims(value, axes), sizes)
    return lax.dynamic_update_slice(array, part, [starts.get(k, 0) for k in range(array.ndim)])


def with_part(base: Any, part: Any, starts: tuple[Any, ...]) -> Any:
    """The base, with a part from known positions on.

    XLA makes a selection one pass over memory with the computation of the part, but no update.
    """
    inside: Any = None
    widths: list[Any] = []
    for axis, start in enumerate(map(int, starts)):
        size, behind = part.shape[axis], base.shape[axis] - part.shape[axis] - start
        widths.append((start, behind, 0))
        if start or behind:
            positions = lax.broadcasted_iota(int, base.shape, axis)
            here = (positions >= start) & (positions < start + size)
            inside = here if inside is None else inside & here
    if inside is None:
        return part
    return jnp.where(inside, lax.pad(part, jnp.zeros((), part.dtype), widths), base)


def strided(array: Any, axis: int, start: Any, sizes: tuple[int, ...], steps: Any) -> Any:
    """``a[start + i*steps[0] + j*steps[1] + ..]``, with clipped positions.

    If the steps are known to be those of rows in a row of rows, the axis is split.
    """
    is_known = all(not isinstance(n, jax.Array) and jnp.ndim(n) == 0 for n in (start, *steps))
    start, *steps = map(int, (start, *steps)) if is_known else (start, *steps)
    length = array.shape[axis]
    if is_known and 0 not in sizes and min(steps) > 0:
        reaches = [step * (size - 1) for size, step in zip(sizes, steps, strict=True)]
        spans = [sum(reaches[k:]) + 1 for k in range(1, len(steps) + 1)]
        rows = all(span <= step for span, step in zip(spans, steps, strict=True))
        if start >= 0 and start + sum(reaches) < length and rows:
            return split_rows(lax.slice_in_dim(array, start, length, axis=axis), axis, sizes, steps)
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


def first_best(array: Any, axis: int, extreme: Any, better: Any, worst: Any) -> Any:
    """The position of the first element along an axis that is the extreme one, NaN the worst.

    XLA computes the least of positions faster than jnp.argmax.
    """
    size = array.shape[axis]
    if size == 0:
        return jnp.zeros(array.shape[:axis] + array.shape[axis + 1 :], int)
    if jnp.isdtype(array.dtype, "real floating"):
        array = better(array, worst)
    positions = lax.broadcasted_iota("int32" if size < 2**31 else int, array.shape, axis)
    found = jnp.where(array == extreme(array, axis, keepdims=True), positions, size)
    return found.min(axis).astype(int)


def argmin(array: Any, axis: int) -> Any:
    """The first of the smallest elements along an axis: its position. NaN is passed over."""
    return first_best(array, axis, jnp.min, jnp.fmin, jnp.inf)


def argmax(array: Any, axis: int) -> Any:
    """The first of the largest elements along an axis: its position. NaN is passed over."""
    return first_best(array, axis, jnp.max, jnp.fmax, -jnp.inf)


def last_best(array: Any, axis: int, extreme: Any) -> Any:
    """The position of the last element along an axis that is the extreme one; 0 for NaN alone."""
    if array.shape[axis] == 0:
        return jnp.zeros(array.shape[:axis] + array.shape[axis + 1 :], int)
    later = tuple(range(1, array.ndim - axis))
    positions = jnp.expand_dims(jnp.arange(array.shape[axis]), later)
    return jnp.where(array == extreme(array, axis, keepdims=True), positions, 0).max(axis)


def last_argmin(array: Any, axis: int) -> Any:
    """The last of the smallest elements along an axis: its position. NaN is passed over."""
    return last_best(array, axis, jnp.nanmin)


def last_argmax(array: Any, axis: int) -> Any:
    """The last of the largest elements along an axis: its position. NaN is passed over."""
    return last_best(array, axis, jnp.nanmax)


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
    ints = lax.bitcast_convert_type(array + 0.0, f"int{bits}")  # -0.0 becomes 0.0
    ints = ints ^ ((ints >> (bits - 1)) & jnp.iinfo(ints.dtype).max)
    return jnp.where(jnp.isnan(array), jnp.iinfo(ints.dtype).max - 1, ints)


def is_few(count: Any, rows: Any) -> bool:
    """Whether so many searches take less time than sorting does."""
    size = rows.shape[-1]
    return count * (math.isqrt(size) // 4 + 300 // (rows.size // size) + 1) <= size


def sort_elements(array: Any, axis: int) -> Any:
    """The elements along an axis in increasing order, NaN last."""
    return jnp.sort(array, axis)


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
        result = find(jnp.fmin(rows, lost) if is_float else rows, lost, count)
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
    are zero or not small.
    """

    def is_large() -> Any:
        factors = [factor for _, factor in named_factors(products) if factor.dtype != jnp.bool_]
        tests = [is_normal(factor, len(factors)) for factor in factors]
        return jnp.stack(tests).all()

    is_safe = jnp.stack([jnp.isfinite(each).all() for each in finite]).all()
    if normal:
        is_proved = jnp.stack(list(map(is_normal, normal))).all()
        is_safe &= lax.cond(is_proved, lambda: is_proved, is_large)
    return lax.cond(is_safe, lambda: array, lambda: summed_products(products))


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


def named_factors(products: Any) -> Any:
    """The factors of nested products, each with the names of its axes; of divisors 1 / x."""
    letters, *parts = products
    if not isinstance(parts[0], tuple):
        return [(letters[1:], 1 / parts[0]) if letters[:1] == "/" else (letters, parts[0])]
    return [factor for part in parts for factor in named_factors(part)]


def summed_products(products: Any) -> Any:
    """Products of factors from left to right, summed along the axes that the result lacks."""
    letters, *parts = products
    if not isinstance(parts[0], tuple):
        return parts[0]
    axes = [part[0].removeprefix("/") for part in parts]
    names = "".join(dict.fromkeys(letters + "".join(axes)))
    values = map(summed_products, parts)
    product, *arrays = (spread(x, own, names) for x, own in zip(values, axes, strict=True))
    for part, array in zip(parts[1:], arrays, strict=True):
        product = product / array if part[0][:1] == "/" else times(product, array)
    return product.sum(tuple(range(len(letters), len(names))))


def times(product: Any, factor: Any) -> Any:
    """The product with one more factor; one of Bools is a mask, outside of which it is 0."""
    return jnp.where(factor, product, 0) if factor.dtype == jnp.bool_ else product * factor


def spread(array: Any, letters: str, names: str) -> Any:
    """An array with named axes in an order; those that it lacks have size 1."""
    own = "".join(name for name in names if name in letters)
    array = jnp.einsum(f"{letters}->{own}", array)  # transposes, takes diagonals
    return array[tuple(slice(None) if name in own else None for name in names)]


def rounded(x: Any) -> Any:
    """The value itself. XLA computes with the rounded value, and does not regroup across it."""
    info = jnp.finfo(x.dtype)
    return lax.reduce_precision(x, info.nexp, info.nmant)


def accumulate(kind: str, array: Any, axis: int, suffixes: bool) -> Any:
    """The combinations of all prefixes along an axis, or suffixes, that are not empty."""
    if not array.shape[axis]:
        return array
    if array.dtype == jnp.bool_:
        return accumulate(kind, array.astype(jnp.uint8), axis, suffixes).astype(jnp.bool_)
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
    zero = jnp.asarray(identity, rows.dtype)

    def step(before: Any, each: Any) -> Any:
        own, weight = each
        is_mask = weight.dtype == jnp.bool_
        weighed = jnp.where(weight, before, zero) if is_mask else before + weight
        new = functions[kind](weighed, own)
        return new, new

    _, rest = lax.scan(step, rows[0], (rows[1:], weights[1:]))
    return jnp.moveaxis(jnp.concatenate((rows[:1], rest)), 0, axis)


def accumulate_at(kind: str, identity: Any, values: Any, keys: Any, sizes: Any) -> Any:
    """The values of each segment combined; those with keys out of bounds are dropped."""
    places = [dropped(key, size) for key, size in zip(keys, sizes, strict=True)]
    places = jnp.broadcast_arrays(*places)
    rest = values.shape[places[0].ndim :]
    values = jnp.broadcast_to(values, (*places[0].shape, *rest))
    result = jnp.full((*sizes, *rest), identity, values.dtype)
    return getattr(result.at[tuple(places)], kind)(values, mode="drop")


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


def floor_divide(x: Any, y: Any) -> Any:
    """``x // y`` on ints; 0 where y is 0."""
    return jnp.where(y == 0, 0, x // jnp.where(y == 0, 1, y))


def floor_remainder(x: Any, y: Any) -> Any:
    """``x % y`` on ints; 0 where y is 0."""
    return jnp.where(y == 0, 0, x % jnp.where(y == 0, 1, y))


def truncated_divide(x: Any, y: Any) -> Any:
    """``x / y`` on ints, rounded towards zero; 0 where y is 0."""
    quotient = floor_divide(x, y)
    return quotient + ((floor_remainder(x, y) != 0) & ((x < 0) != (y < 0)))


def truncated_remainder(x: Any, y: Any) -> Any:
    """The remainder of ``truncated_divide``, with the sign of x; 0 where y is 0."""
    return jnp.where(y == 0, 0, jnp.fmod(x, jnp.where(y == 0, 1, y)))


def square_and_multiply(_: Any, state: Any) -> Any:
    """One binary digit of an exponent: the power so far, the next square, the digits left."""
    power, square, digits = state
    return jnp.where(digits & 1 == 1, power * square, power), square * square, digits >> 1


def int_power(base: Any, exponent: Any) -> Any:
    """``base ** exponent`` on ints, truncated towards zero where the exponent is negative."""
    base, exponent = jnp.broadcast_arrays(base, exponent)
    state = jnp.ones_like(base), base, exponent
    digits = jnp.iinfo(exponent.dtype).bits - 1
    power, _, _ = lax.fori_loop(0, digits, square_and_multiply, state)
    inverse = jnp.where(jnp.abs(base) == 1, jnp.where(exponent % 2 == 0, 1, base), 0)
    return jnp.where(exponent < 0, inverse, power)


def to_int(x: Any, dtype: Any) -> Any:
    """The integer part of floats; the least integer where it does not fit, and for NaN."""
    least = jnp.iinfo(dtype).min
    return jnp.where((x >= least) & (x < -float(least)), x, least).astype(dtype)


def round_half_away(x: Any) -> Any:
    """The nearest whole number; of two, the one further from zero."""
    whole = jnp.trunc(x)
    return whole + jnp.copysign(jnp.abs(x - whole) >= 0.5, x).astype(whole.dtype)
