"""Loops whose steps compute arrays of few elements, which are numbers on NumPy."""

from __future__ import annotations

import re
from typing import Any, cast

import numpy as np
import pytest

from ein_mlir import (
    Function,
    array,
    concat,
    fold,
    fold_any,
    fold_argmax,
    fold_argmin,
    fold_max,
    fold_prod,
    fold_sum,
    fold_while,
    function,
    grad,
    where,
)
from tests.agreement.comparison import assert_agree, interpreted

SPECIAL = np.array([0.5, -0.0, np.nan, 2.0, np.inf, 0.0, -1.5, 1e308])


@function
def turned(x: Any, v: Any, p: Any) -> Any:
    """A matrix of literal size, products, and an error where the vector has another size."""

    def step(k: Any, s: Any) -> Any:
        m, y = s
        z = array(lambda i: fold_sum(lambda j: m[i, j] * y[j], count=2), size=2)
        turn = array(lambda i, j: where(i == j, x[k], m[j, i] - y[1 - i]), size=(2, 2))
        return turn, array(lambda i: y[i] + z[i])

    start = array(lambda i, j: where(i < j, 0.5, 1.0), size=(2, 2))
    return fold((start, v), step, count=x.size())


@function
def shortened(x: Any, v: Any, p: Any) -> Any:
    """An initial value of any size, of which steps compute two elements."""
    return fold(
        v, lambda k, y: array(lambda i: y[1 - i] * 0.5 + x[k] - y[i], size=2), count=x.size()
    )


@function
def positions(x: Any, v: Any, p: Any) -> Any:
    """Positions that vary, also out of bounds, in an array that a step computes."""

    def step(k: Any, s: Any) -> Any:
        q, total = s
        w = array(lambda i: q[i] * 3 + p[k] - i, size=4)
        return array(lambda i: where(i == p[k], w[p[k] + 1], w[3 - i]), size=4), total + w[p[k]]

    return fold((array(lambda i: i, size=4), 0), step, count=p.size())


@function
def slots(x: Any, v: Any, p: Any) -> Any:
    """Searches in arrays of eight elements, one of which is updated."""

    def step(k: Any, s: Any) -> Any:
        slot, age, hits = s
        hit = fold_any(lambda i: slot[i] == p[k], count=8)
        at = where(
            hit,
            fold_argmax(lambda i: (slot[i] == p[k]).int(), count=8),
            fold_argmin(lambda i: age[i], count=8),
        )
        slot = array(lambda i: where(i == at, p[k], slot[i]))
        return slot, array(lambda i: where(i == at, k, age[i])), hits + where(hit, 1, 0)

    return fold((array(lambda i: -1, size=8), array(lambda i: -1, size=8), 0), step, count=p.size())


@function
def searches(x: Any, v: Any, p: Any) -> Any:
    """Extremes and searches with NaN and ties; products and counts."""

    def step(k: Any, s: Any) -> Any:
        a, at, _ = s
        b = array(lambda i: where(i == 1, x[k], a[i] * 0.5), size=3)
        low, high = fold_argmin(lambda i: b[i], count=3), fold_argmax(lambda i: b[i], count=3)
        biggest = fold_max(lambda i: b[i], count=3)
        few = fold_sum(lambda i: where(b[i] < 1.0, 1, 0), count=3)
        c = array(lambda i: where(i == low, fold_prod(lambda j: b[j] + 0.5, count=3), b[i]), size=3)
        return c, at * 3 + low - high + few, biggest

    return fold((array(lambda i: 1.0, size=3), 0, 0.0), step, count=x.size())


@function
def trajectory(x: Any, v: Any, p: Any) -> Any:
    """Rows of a table that steps fill with the small arrays that they carry."""

    def step(k: Any, s: Any) -> Any:
        y, out = s
        y = array(lambda i: y[(i + 1) % 3] * 0.5 + x[k] * i.float(), size=3)
        return y, array(lambda r, i: where(r == k, y[i], out[r, i]), size=(x.size(), 3))

    table = array(lambda r, i: 0.0, size=(x.size(), 3))
    return fold((array(lambda i: 1.0, size=3), table), step, count=x.size())


@function
def nested(x: Any, v: Any, p: Any) -> Any:
    """A loop in a loop, both of which carry small arrays, and whose sizes are asserted."""

    def inner(j: Any, w: Any) -> Any:
        return array(lambda i: w[i] - w[1 - i] + v[i] * p[j].float())

    def step(k: Any, y: Any) -> Any:
        w: Any = fold(y, inner, count=p.size())
        return array(lambda i: where(i == 0, w[1], w[0] * x[k]), size=2)

    return fold(array(lambda i: 1.0, size=2), step, count=x.size())


@function
def until(x: Any, v: Any, p: Any) -> Any:
    """A loop that ends by a condition, which may have no step."""
    start: Any = v[0] > 0.0, array(lambda i: v[i])

    def step(s: Any) -> Any:
        y = array(lambda i: s[1][i] * 0.5 + x[0], size=2)
        return fold_sum(lambda i: y[i], count=2) > 0.25, y

    return fold_while(start, lambda s: cast(Any, s)[0], step, limit=12)


@function
def words(x: Any, v: Any, p: Any) -> Any:
    """Ints that wrap, and bits."""

    def step(k: Any, s: Any) -> Any:
        t = s[0] ^ (s[0] << 23)
        new = t ^ (t >> 7) ^ s[1] ^ (s[1] >> 9) ^ p[k]
        return array(lambda i: where(i == 1, new * 2862933555777941757, s[i + 1]), size=2)

    return fold(array(lambda i: 88172645463325252 + i, size=2), step, count=p.size())


@function
def joined(x: Any, v: Any, p: Any) -> Any:
    """Arrays end to end, and sums of those before."""

    def step(k: Any, s: Any) -> Any:
        a, b = s
        c = concat(array(lambda i: a[i] + x[k], size=2), array(lambda i: b[i] * 0.5, size=2))
        sums = array(lambda i: fold_sum(lambda j: where(j <= i, c[j], 0.0), count=4), size=4)
        return array(lambda i: sums[i], size=2), array(lambda i: sums[i + 2] - c[i], size=2)

    return fold((array(lambda i: 0.0, size=2), array(lambda i: 1.0, size=2)), step, count=x.size())


@function
def tallies(x: Any, v: Any, p: Any) -> Any:
    """Numbers of equal elements among a few, and the least one that is not there."""

    def step(k: Any, g: Any) -> Any:
        seen = array(lambda c: fold_any(lambda m: (k > m) & (g[k - m - 1] == c), count=3), size=4)
        free = fold_sum(
            lambda c: where(fold_any(lambda u: ~seen[u] & (u <= c), count=4), 0, 1), count=4
        )
        return array(lambda i: where(i == k, free + p[i], g[i]))

    return fold(array(lambda i: 0, size=p.size()), step, count=p.size())


@function
def total_of_steps(x: Any, v: Any, p: Any) -> Any:
    """A number is the only result that is used of a loop that asserts the size of an argument."""

    def step(k: Any, s: Any) -> Any:
        y, total = s
        y = array(lambda i: y[i] * 0.5 + v[i] + where(i == 1, x[k], 0.0), size=2)
        return y, total + y[0]

    return fold((array(lambda i: v[i]), 0.0), step, count=x.size())[1]


@function
def table_of_rows(x: Any, v: Any, p: Any) -> Any:
    """Steps read rows of an argument, whose size they assert."""
    table = array(lambda k, i: x[k] + v[i])

    def step(k: Any, y: Any) -> Any:
        z = array(lambda i: table[k, i] - y[i])
        return array(lambda i: z[i] + fold_sum(lambda j: z[j] * y[j]))

    return fold(array(lambda i: i.float(), size=2), step, count=x.size())


@function
def sensitivities(x: Any, v: Any, p: Any) -> Any:
    """A gradient, whose steps go backwards, and add to elements."""

    def loss(g: Any) -> Any:
        def step(k: Any, s: Any) -> Any:
            y, total = s
            z = array(lambda i: where(i == 0, y[0] + 0.1 * y[1], y[1]), size=2)
            r = p[k].float() - z[0]
            return array(lambda i: z[i] + where(i == 0, g[0], g[1]) * r, size=2), total + r * r

        return fold((array(lambda i: 0.0, size=2), 0.0), step, count=p.size())[1]

    return grad(loss)(array(lambda i: where(i == 0, 0.5, 0.1), size=2))


PROGRAMS: dict[str, Function[..., Any]] = {
    "turned": turned,
    "shortened": shortened,
    "positions": positions,
    "slots": slots,
    "searches": searches,
    "trajectory": trajectory,
    "nested": nested,
    "until": until,
    "words": words,
    "joined": joined,
    "tallies": tallies,
    "total_of_steps": total_of_steps,
    "table_of_rows": table_of_rows,
    "sensitivities": sensitivities,
}


def _arguments(count: int, size: int) -> tuple[Any, ...]:
    generator = np.random.default_rng(count)
    x = np.where(
        generator.random(count) < 0.3,
        generator.choice(SPECIAL, count),
        generator.normal(size=count),
    )
    return x, generator.normal(size=size), generator.integers(-2, 6, count)


@pytest.mark.parametrize("name", PROGRAMS)
def test_values(name: str) -> None:
    for count, size in ((0, 2), (0, 3), (0, 0), (1, 2), (2, 3), (2, 1), (7, 2), (40, 2)):
        arguments = _arguments(count, size)
        program = PROGRAMS[name]
        what = f"{count} steps, {size} elements"
        try:
            with np.errstate(all="ignore"):
                expected = interpreted(program, arguments)
        except ValueError as error:
            message = str(error)
            with pytest.raises(ValueError, match=re.escape(message)):
                program.eval(*arguments, backend="numpy")
        else:
            found = program.eval(*arguments, backend="numpy")
            assert_agree(found, expected, {"float64": 1e-9}, what)


@pytest.mark.parametrize("name", PROGRAMS)
def test_numbers(name: str) -> None:
    """The loops call nothing of NumPy on arrays."""
    source = PROGRAMS[name].source(*_arguments(3, 2), backend="numpy")
    loop = source[source.index("    for ") :]
    assert not any(call in loop for call in ("for start in", "np.where", "np.empty")), source


@function
def moments(x: Any, a: Any) -> Any:
    """Means and variances by exponential weights, and the last differences: steps over vectors."""
    size = x.size(1)

    def step(t: Any, state: Any) -> Any:
        m, v, _ = state
        d = array(lambda j: x[t, j] - m[j])
        after = array(lambda j: (1 - a) * (v[j] + a * d[j] * d[j]))
        last = array(lambda j: d[size - 1 - j] * 2.0, size=size)
        return array(lambda j: m[j] + a * d[j]), after, last

    zero = array(lambda j: 0.0, size=size)
    return fold((zero, zero, zero), step, count=x.size(0))


@pytest.mark.parametrize("block", [1, 100, 2097152])
def test_single_blocks(block: int) -> None:
    """A loop over blocks in a loop has a version for arrays that are one block, or none."""
    source = moments.source(np.ones((3, 2)), 0.5, backend="numpy")
    assert "np.array(" in source
    assert "cache_bytes = 2097152" in source
    names = dict[str, Any]()
    exec(source.replace("cache_bytes = 2097152", f"cache_bytes = {block}"), names)
    for shape in ((3, 0), (0, 2), (1, 1), (4, 5)):
        x = np.random.default_rng(shape[1]).normal(size=shape)
        expected = moments.eval(x, 0.25, backend="naive")
        assert_agree(names["moments"](x, 0.25), expected, {"float64": 1e-12}, str(shape))
