"""Loops that XLA runs."""

# pyright: reportUnknownArgumentType=false, reportUnknownMemberType=false
# pyright: reportUnknownVariableType=false

from typing import Any

import jax
import jax.core as core
import jax.lax as lax
import jax.numpy as jnp

from ein_mlir.backends.jax.prelude.updates import update_inside, with_block


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
    of a loop. If no accumulator has a ``large`` number of elements, these are four at most, and one
    of few steps: more take no less time, and several times as long to compile. The remaining steps
    have a loop of their own: in one loop, JAX would join the values that it keeps of both for a
    derivative, by a copy.
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
        together = min(together, 4 if count >= 16 else 1)
    for k in range(count):
        try:
            if k < 2:
                return loop(k, init)
        except TypeError:
            pass
        init = step(jnp.asarray(k), init)
    return init


def fold_rows(count: Any, step: Any, init: Any, rows: Any) -> Any:
    """``fold`` of a step that gives one row of some accumulators, which no step reads.

    Each of ``rows`` has the number of an accumulator, its axis, the first position, and the
    distance to the next. The rows are stacked: if a loop carries an array, its derivative carries
    the cotangent, and XLA copies that in each step.
    """
    if count == 0:
        return init
    written = [row[0] for row in rows]
    kept = [k for k in range(len(init)) if k not in written]

    def with_kept(values: Any) -> Any:
        return tuple({**dict(enumerate(init)), **dict(zip(kept, values, strict=True))}.values())

    def kept_and_rows(carry: Any, k: Any) -> Any:
        values = step(k, with_kept(carry))
        return [values[j] for j in kept], [values[j] for j in written]

    def updated(k: Any, carry: Any) -> Any:
        values = list(step(k, carry))
        for number, axis, start, stride in rows:
            place = (start + stride * k,)
            values[number] = update_inside(carry[number], (axis,), place, values[number])
        return tuple(values)

    # A scan from the end stacks rows that go backwards in the order of their positions.
    backwards = all(stride < 0 for *_, stride in rows)
    steps = jnp.arange(count)[::-1] if backwards else jnp.arange(count)
    try:
        last, stacks = lax.scan(kept_and_rows, [init[j] for j in kept], steps, reverse=backwards)
    except TypeError:
        return fold(count, updated, init)
    results = list(with_kept(last))
    for (number, axis, start, stride), stack in zip(rows, stacks, strict=True):
        first = start + 1 - count if stride < 0 else start
        stack = jnp.flip(stack, 0) if (stride < 0) > backwards else stack
        results[number] = with_rows(init[number], stack, axis, first)
    return tuple(results)


def with_rows(array: Any, stack: Any, axis: int, start: Any) -> Any:
    """The array with the rows of a stack from a position on."""
    rows, count = jnp.moveaxis(stack, 0, axis), stack.shape[0]
    if count == array.shape[axis]:
        return jnp.broadcast_to(rows, array.shape)
    return with_block(array, rows, {axis: count}, {axis: start})


def fold_below(count: Any, most: int, step: Any, init: Any) -> Any:
    """``step`` applied to each number below a traced count of at most ``most``.

    JAX differentiates no loop of a traced count in reverse. The derivative is that of a loop of
    ``most`` steps, which do nothing from the count on. Without steps none is traced: it may read an
    element of an array that has none.
    """
    if not most:
        return init
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
