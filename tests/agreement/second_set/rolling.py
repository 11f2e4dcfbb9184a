"""Means and maxima of the windows around each sample."""

from __future__ import annotations

import numpy as np

from ein_mlir import array, fold_max, fold_sum, function
from tests.agreement.cases.case import Case

REACH = 10
WIDTH = 2 * REACH + 1


@function
def rolling(x):
    """The first and last samples continue the series."""
    mean = array(lambda i: fold_sum(lambda k: x[i + k - REACH], count=WIDTH) / WIDTH, size=x.size())
    high = array(lambda i: fold_max(lambda k: x[i + k - REACH], count=WIDTH), size=x.size())
    return mean, high


def inputs(n, dtype, rng):
    return (rng.normal(size=n).astype(dtype),)


def oracle(x):
    n = len(x)
    windows = [[x[min(max(i + k, 0), n - 1)] for k in range(-REACH, REACH + 1)] for i in range(n)]
    mean = np.array([sum(w) / WIDTH for w in windows], x.dtype)
    return mean, np.array([max(w) for w in windows], x.dtype)


def idiomatic(x):
    padded = np.pad(x, REACH, mode="edge")
    windows = np.lib.stride_tricks.sliding_window_view(padded, WIDTH)
    return windows.mean(axis=1), windows.max(axis=1)


def expert(x):
    """A window is made of shifted series."""
    n = len(x)
    padded = np.pad(x, REACH, mode="edge")
    total, high = padded[:n].copy(), padded[:n].copy()
    for k in range(1, WIDTH):
        total += padded[k : k + n]
        np.maximum(high, padded[k : k + n], out=high)
    return total / WIDTH, high


def jax(x):
    import jax.numpy as jnp
    from jax import lax

    padded = jnp.pad(x, REACH, mode="edge")
    total = lax.reduce_window(padded, x.dtype.type(0), lax.add, (WIDTH,), (1,), "valid")
    high = lax.reduce_window(padded, x.dtype.type(-np.inf), lax.max, (WIDTH,), (1,), "valid")
    return total / WIDTH, high


def torch(x):
    from torch.nn.functional import pad

    windows = pad(x[None], (REACH, REACH), mode="replicate")[0].unfold(0, WIDTH, 1)
    return windows.mean(dim=1), windows.amax(dim=1)


CASE = Case(
    name="rolling",
    about="Means and maxima of moving windows (pandas, Futhark by Example)",
    program=rolling,
    inputs=inputs,
    large=500_000,
    sweep=(5_000, 50_000, 500_000),
    oracle=oracle,
    idiomatic=idiomatic,
    expert=expert,
    jax=jax,
    torch=torch,
)
