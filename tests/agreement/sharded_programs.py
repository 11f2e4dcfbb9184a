"""Run programs on arrays that are sharded by rows over 8 devices of JAX; print what XLA made.

A process of its own: the devices are those of the CPU, which JAX divides when it starts. The
output is JSON: for each program the collectives, whether the result is sharded by rows, and whether
it is that of NumPy.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable
from typing import Any

os.environ["XLA_FLAGS"] = (
    f"--xla_force_host_platform_device_count=8 {os.environ.get('XLA_FLAGS', '')}"
)

import jax
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec

from ein_mlir import (
    array,
    fold,
    fold_argmin,
    fold_max,
    fold_sum,
    function,
    where,
)

COLLECTIVES = ("all-gather", "all-reduce", "all-to-all", "collective-permute", "reduce-scatter")
PROGRAMS: dict[str, tuple[Any, tuple[Any, ...]]] = {}
"""Name -> function, and its arguments; those in a list are sharded by rows."""

rng = np.random.default_rng(0)
ROWS = rng.normal(size=(64, 16))


def program(*arguments: Any) -> Callable[[Callable[..., Any]], None]:
    """Register a program with its arguments."""

    def register(f: Callable[..., Any]) -> None:
        PROGRAMS[f.__name__] = function(f), arguments

    return register


@program([ROWS])
def scaled(a):
    return array(lambda i, j: 2.0 * a[i, j] + 1.0)


@program([ROWS])
def softmax(a):
    most = array(lambda i: fold_max(lambda j: a[i, j]))
    each = array(lambda i, j: (a[i, j] - most[i]).exp())
    return array(lambda i, j: each[i, j] / fold_sum(lambda k: each[i, k]))


@program([ROWS], rng.normal(size=(32, 16)))
def distances(a, b):
    return array(lambda i, j: fold_sum(lambda k: abs(a[i, k] - b[j, k])))


@program([ROWS], rng.normal(size=(16, 8)))
def product(a, b):
    return array(lambda i, j: fold_sum(lambda k: a[i, k] * b[k, j]))


@program([ROWS], rng.normal(size=(16, 8)), rng.normal(size=(8, 4)))
def perceptron(a, w, v):
    hidden = array(lambda i, j: fold_sum(lambda k: a[i, k] * w[k, j]).max(0.0))
    return array(lambda i, j: fold_sum(lambda k: hidden[i, k] * v[k, j]))


@program([ROWS], rng.normal(size=(5, 16)))
def nearest(a, c):
    return array(lambda i: fold_argmin(lambda j: fold_sum(lambda k: (a[i, k] - c[j, k]) ** 2)))


@program(rng.normal(size=(10, 4)), [rng.integers(0, 10, 64)])
def lookup(table, ids):
    return array(lambda i, k: table[ids[i], k])


@program([ROWS])
def running_totals(a):
    return array(
        lambda i, j: fold_sum(lambda k: where(k <= j, a[i, k], 0.0)), size=(a.size(0), a.size(1))
    )


@program([ROWS])
def mean(a):
    return array(lambda j: fold_sum(lambda i: a[i, j]) / a.size(0).float())


@program([ROWS], rng.normal(size=16))
def loss(a, w):
    return fold_sum(lambda i: fold_sum(lambda k: a[i, k] * w[k]) ** 2)


@program([ROWS])
def laplacian(a):
    n, m = a.size(0), a.size(1)

    def at(i, j):
        return a[i.max(0).min(n - 1), j.max(0).min(m - 1)]

    return array(
        lambda i, j: at(i - 1, j) + at(i + 1, j) + at(i, j - 1) + at(i, j + 1) - 4.0 * a[i, j],
        size=(n, m),
    )


@program([ROWS])
def heat(a):
    n, m = a.size(0), a.size(1)

    def step(_, u):
        def at(i, j):
            inside = (i > 0) & (i < n - 1) & (j > 0) & (j < m - 1)
            around = u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1]
            return where(inside, around / 4.0, u[i, j])

        return array(at, size=(n, m))

    return fold(a, step, count=10)


def seen(f: Any, arguments: tuple[Any, ...]) -> dict[str, Any]:
    """What XLA compiles a program to, and whether its result is right."""
    mesh = Mesh(np.array(jax.devices()), ("device",))
    plain = [value[0] if isinstance(value, list) else value for value in arguments]
    sharded = [
        jax.device_put(value, NamedSharding(mesh, PartitionSpec(*["device"] * by_rows)))
        for value, by_rows in zip(plain, (isinstance(v, list) for v in arguments), strict=True)
    ]
    text = jax.jit(f).lower(*sharded).compile().as_text() or ""
    result = f(*sharded)
    return {
        "collectives": [name for name in COLLECTIVES if re.search(rf"\b{name}\(", text)],
        "by rows": result.sharding.spec == PartitionSpec("device"),
        "right": bool(np.allclose(np.asarray(result), f.numpy(*plain))),
    }


if __name__ == "__main__":
    jax.config.update("jax_enable_x64", True)
    print(json.dumps({name: seen(*given) for name, given in PROGRAMS.items()}))
