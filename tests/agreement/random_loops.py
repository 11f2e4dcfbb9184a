"""Random folds over two vectors and a scalar: writes at strided, reversed, given, guarded places.

Steps read elements before and behind those that they write, combine them, and carry a scalar that
they write out. Positions are also negative, out of bounds, repeated, and close to the ends of Ints.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

import ein_mlir
from ein_mlir import Function, array, function, where

fold: Any = ein_mlir.fold
Value = Any
"""A staged value."""


@dataclass(frozen=True)
class Place:
    """The values in a step."""

    k: Value
    v: Value
    """The vector that is written."""
    acc: Value
    x: Value
    p: Value
    q: Value
    s: Value


POSITIONS: Mapping[str, Callable[[Place], Value]] = {
    "counter": lambda e: e.k,
    "doubled": lambda e: 2 * e.k,
    "doubled odd": lambda e: 2 * e.k + 1,
    "thirds": lambda e: 3 * e.k - 1,
    "behind": lambda e: e.k + 2,
    "backwards": lambda e: e.v.size() - 1 - e.k,
    "backwards doubled": lambda e: e.v.size() - 2 * e.k,
    "shifted": lambda e: e.k + e.s,
    "given": lambda e: e.p[e.k],
    "given before": lambda e: e.p[e.k] - 1,
    "halved": lambda e: e.k // 2,
    "remainder": lambda e: e.k % 3,
    "fixed": lambda e: e.s,
    "first": lambda e: 0,
}
READS: Mapping[str, Callable[[Place, Value], Value]] = {
    "own": lambda e, at: e.v[at],
    "before": lambda e, at: e.v[at - 1],
    "two before": lambda e, at: e.v[at - 2],
    "behind": lambda e, at: e.v[at + 1],
    "counter": lambda e, at: e.v[e.k],
    "doubled": lambda e, at: e.v[2 * e.k],
    "nothing": lambda e, at: e.x[e.k],
}
STEPS: Mapping[str, Callable[[Value, Value], Value]] = {
    "sum": lambda a, b: a + b,
    "difference": lambda a, b: a - b,
    "minimum": lambda a, b: a.min(b),
    "maximum": lambda a, b: b.max(a),
    "product": lambda a, b: a * b,
    "other": lambda a, b: b,
    "both": lambda a, b: (a + b).min(7),
    "doubled": lambda a, b: a * 2 - b,
}
GUARDS: Mapping[str, Callable[[Place], Value] | None] = {
    "always": None,
    "always too": None,
    "positive": lambda e: e.x[e.k] > 0,
    "late": lambda e: e.k > 1,
    "until": lambda e: e.k < e.s,
    "given": lambda e: e.p[e.k] >= e.q[e.k],
}
OTHERS: Mapping[str, Callable[[Place], Value]] = {
    "element": lambda e: e.x[e.k],
    "counter": lambda e: e.k,
    "carried": lambda e: e.acc,
    "constant": lambda e: e.k * 0 + 3,
}

Write = tuple[str, str, str, str, str]
"""The names of position, read, step, other value and guard."""

Scalar = tuple[str, str, str]
"""The names of step, other value and guard of the carried scalar."""


def pick(rng: np.random.Generator, *tables: Mapping[str, Any]) -> Any:
    """A name of each table."""
    return tuple(str(rng.choice(list(table))) for table in tables)


def random_write(rng: np.random.Generator) -> Write:
    """A random write."""
    return pick(rng, POSITIONS, READS, STEPS, OTHERS, GUARDS)


def random_scalar(rng: np.random.Generator) -> Scalar:
    """A random step of the carried scalar."""
    return pick(rng, STEPS, OTHERS, GUARDS)


def written(write: Write, place: Place) -> Value:
    """The vector after a write."""
    position, read, step, other, guard = write
    at = POSITIONS[position](place)
    new = STEPS[step](READS[read](place, at), OTHERS[other](place))
    updated = array(lambda i: where(i == at, new, place.v[i]), size=place.v.size())
    condition = GUARDS[guard]
    return updated if condition is None else where(condition(place), updated, place.v)


def program(steps: Sequence[Write], scalar: Scalar, out: bool) -> Function[..., Any]:
    """A fold that makes some writes in each step, carries a scalar, and may write that out."""
    step_of, other_of, guard_of = scalar

    def run(v, x, p, q, s):
        def step(k, state):
            acc, v = state
            place = Place(k, v, acc, x, p, q, s)
            other = OTHERS[other_of](place)
            condition, new = GUARDS[guard_of], STEPS[step_of](acc, other)
            if condition is not None:
                new = where(condition(place), new, acc)
            for write in steps:
                v = written(write, Place(k, v, acc, x, p, q, s))
            if out:
                v = array(lambda i: where(i == k, new, v[i]), size=v.size())
            return new, v

        return fold((s * 0 + 1, v), step, count=p.size())

    return function(run)
