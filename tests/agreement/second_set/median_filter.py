"""The median of the nine pixels around each pixel, by a network of minima and maxima."""

from __future__ import annotations

import numpy as np

from ein_mlir import array, function, max, min
from tests.agreement.cases.case import Case

NETWORK = (
    (1, 2), (4, 5), (7, 8), (0, 1), (3, 4), (6, 7), (1, 2), (4, 5), (7, 8), (0, 3),
    (5, 8), (4, 7), (3, 6), (1, 4), (2, 5), (4, 7), (4, 2), (6, 4), (4, 2),
)  # fmt: skip
"""Pairs of places to sort; the median is then in the middle."""


@function
def median_filter(image):
    """The image at the edges is continued by its last pixels."""

    def pixel(i, j):
        p = [image[i + a, j + b] for a in (-1, 0, 1) for b in (-1, 0, 1)]
        for a, b in NETWORK:
            p[a], p[b] = min(p[a], p[b]), max(p[a], p[b])
        return p[4]

    return array(pixel, size=image.shape)


def inputs(n, dtype, rng):
    return (rng.uniform(size=(n, n + 2)).astype(dtype),)


def oracle(image):
    out = np.empty_like(image)
    n, m = image.shape
    for i in range(n):
        for j in range(m):
            rows = [np.clip(i + a, 0, n - 1) for a in (-1, 0, 1)]
            columns = [np.clip(j + b, 0, m - 1) for b in (-1, 0, 1)]
            out[i, j] = sorted(image[p, q] for p in rows for q in columns)[4]
    return out


def idiomatic(image):
    padded = np.pad(image, 1, mode="edge")
    windows = np.lib.stride_tricks.sliding_window_view(padded, (3, 3))
    return np.median(windows, axis=(2, 3))


def _by_network(padded, low, high):
    n, m = (size - 2 for size in padded.shape)
    p = [padded[a : a + n, b : b + m] for a in range(3) for b in range(3)]
    for a, b in NETWORK:
        p[a], p[b] = low(p[a], p[b]), high(p[a], p[b])
    return p[4]


def expert(image):
    return _by_network(np.pad(image, 1, mode="edge"), np.minimum, np.maximum)


def jax(image):
    import jax.numpy as jnp

    padded = jnp.pad(image, 1, mode="edge")
    return _by_network(padded, jnp.minimum, jnp.maximum)


def torch(image):
    import torch
    from torch.nn.functional import pad

    padded = pad(image[None], (1, 1, 1, 1), mode="replicate")[0]
    return _by_network(padded, torch.minimum, torch.maximum)


CASE = Case(
    name="median-filter",
    about="The median of nine pixels by a sorting network (scipy.ndimage)",
    program=median_filter,
    inputs=inputs,
    large=600,
    sweep=(75, 150, 300, 600),
    oracle=oracle,
    idiomatic=idiomatic,
    expert=expert,
    jax=jax,
    torch=torch,
)
