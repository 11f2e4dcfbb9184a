"""Random folds over two vectors and a scalar: writes at strided, reversed, given, guarded places.

Steps read elements before and after those that they write, combine them, and carry a scalar that
they write out. Positions are also negative, out of bounds, repeated, and close to the ends of Ints.
"""

from __future__ import annotations

import random
from typing import Any

import numpy as np

PARAMETERS = ("v", "x", "p", "q", "s")
"""Two vectors of numbers, two vectors of Ints, and an Int."""

POSITIONS = (
    "k", "2 * k", "2 * k + 1", "3 * k - 1", "k + 2", "v.size() - 1 - k", "v.size() - 2 * k",
    "k + s", "p[k]", "p[k] - 1", "k // 2", "k % 3", "s", "0",
)  # fmt: skip
READS = ("v[{at}]", "v[{at} - 1]", "v[{at} - 2]", "v[{at} + 1]", "v[k]", "v[2 * k]", "x[k]")
STEPS = (
    "{a} + {b}", "{a} - {b}", "({a}).min({b})", "({b}).max({a})", "{a} * {b}", "{b}",
    "({a} + {b}).min(7)", "{a} * 2 - {b}", "{a} ^ {b}", "{a} | {b}", "({a} & {b}) ^ 5",
    "{a} * {b} - k", "({a} + {b}) % 5", "({b} + {a} - 1) % s",
)  # fmt: skip
GUARDS = (
    "", "", "", "x[k] > 0", "k > 1", "k < s", "p[k] >= q[k]",
    "v[{at}] < 3", "v[{at}] % 2 == k % 2", "v[{at} - 1] <= x[k]", "v[k] > acc", "acc < 4",
)  # fmt: skip
OTHERS = ("x[k]", "k", "acc", "k * 0 + 3", "k * 0 + 1", "v[q[k]]")
INTS = (0, 1, -1, 2, 3, -2, 4, 5, 2**63 - 1, -(2**63), 2**62)


def _guarded(rng: random.Random, new: str, old: str, at: str = "k") -> str:
    guard = rng.choice(GUARDS).format(at=f"({at})")
    return f"where({guard}, {new}, {old})" if guard else new


def _written(rng: random.Random) -> str:
    """The vector after a write, under guards of all elements, of one, or of none."""
    at = rng.choice(POSITIONS)
    read = rng.choice(READS).format(at=f"({at})")
    new = rng.choice(STEPS).format(a=read, b=rng.choice(OTHERS))
    own = rng.choice(GUARDS).format(at=f"({at})")
    condition = f"(i == {at}) & ({own})" if own else f"i == {at}"
    updated = f"array(lambda i: where({condition}, {new}, v[i]), size=v.size())"
    return _guarded(rng, updated, "v", at)


def write_loop(rng: random.Random) -> str:
    """The text of a function ``f`` of `PARAMETERS`: a fold of a scalar and a vector."""
    scalar = rng.choice(STEPS).format(a="acc", b=rng.choice(OTHERS))
    lines = [f"v = {_written(rng)}" for _ in range(rng.randint(1, 2))]
    lines.append(f"new = {_guarded(rng, scalar, 'acc')}")
    if rng.random() < 0.5:
        lines.append("v = array(lambda i: where(i == k, new, v[i]), size=v.size())")
    body = "\n        ".join(["acc, v = state", *lines, "return new, v"])
    return (
        f"def f({', '.join(PARAMETERS)}):\n    def step(k, state):\n        {body}\n\n"
        "    return fold((s * 0 + 1, v), step, count=p.size())\n"
    )


def make_arguments(rng: random.Random) -> tuple[Any, ...]:
    """Arguments of `PARAMETERS`."""
    size, count = rng.choice(((0, 0), (1, 2), (5, 3), (4, 6), (7, 3), (2, 2), (33, 3)))

    def ints(low: int, high: int, size: int) -> Any:
        return np.array([rng.randrange(low, high) for _ in range(size)], np.int64)

    numbers = ints(-4, 5, size), ints(-4, 5, max(count, 1))
    places = (ints(-2, size + 3, count) for _ in range(2))
    return *numbers, *places, rng.choice(INTS)
