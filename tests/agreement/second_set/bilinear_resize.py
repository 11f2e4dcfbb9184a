"""An image in another size, by bilinear interpolation."""

from __future__ import annotations

import numpy as np

from ein_mlir import array, floor, function
from tests.agreement.cases.case import Case


@function
def bilinear_resize(image, height, width):
    rows, columns, channels = image.shape

    def pixel(i, j, c):
        y = (i.float() + 0.5) * rows.float() / height.float() - 0.5
        x = (j.float() + 0.5) * columns.float() / width.float() - 0.5
        top, left = floor(y), floor(x)
        p, q = top.int(), left.int()
        above = image[p, q, c] + (x - left) * (image[p, q + 1, c] - image[p, q, c])
        below = image[p + 1, q, c] + (x - left) * (image[p + 1, q + 1, c] - image[p + 1, q, c])
        return above + (y - top) * (below - above)

    return array(pixel, size=(height, width, channels))


def inputs(n, dtype, rng):
    return rng.uniform(size=(n, n + 1, 3)).astype(dtype), 2 * n, 3 * n // 2


def oracle(image, height, width):
    rows, columns, channels = image.shape
    out = np.zeros((height, width, channels), image.dtype)
    for i in range(height):
        for j in range(width):
            y, x = (i + 0.5) * rows / height - 0.5, (j + 0.5) * columns / width - 0.5
            p, q = int(np.floor(y)), int(np.floor(x))
            u, v = y - p, x - q
            for r, s, weight in (
                (p, q, (1 - u) * (1 - v)),
                (p, q + 1, (1 - u) * v),
                (p + 1, q, u * (1 - v)),
                (p + 1, q + 1, u * v),
            ):
                here = image[min(max(r, 0), rows - 1), min(max(s, 0), columns - 1)]
                out[i, j] += (weight * here).astype(image.dtype)
    return out


def _axis(old, new):
    """Of each new position, both neighbours and the weight of the second."""
    x = (np.arange(new) + 0.5) * old / new - 0.5
    first = np.floor(x).astype(np.int64)
    last = max(old - 1, 0)
    return np.clip(first, 0, last), np.clip(first + 1, 0, last), x - first


def _resize(image, height, width, asarray):
    rows, columns, _ = image.shape
    p, below, y = map(asarray, _axis(rows, height))
    q, right, x = map(asarray, _axis(columns, width))
    x, y = x[:, None], y[:, None, None]
    upper = image[p][:, q] + x * (image[p][:, right] - image[p][:, q])
    lower = image[below][:, q] + x * (image[below][:, right] - image[below][:, q])
    return upper + y * (lower - upper)


def idiomatic(image, height, width):
    def weights(x):
        return x.astype(image.dtype) if x.dtype.kind == "f" else x

    return _resize(image, height, width, weights)


def jax(image, height, width):
    import jax.numpy as jnp

    def weights(x):
        return jnp.asarray(x, image.dtype if x.dtype.kind == "f" else None)

    return _resize(image, height, width, weights)


def torch(image, height, width):
    from torch.nn.functional import interpolate

    channels = image.permute(2, 0, 1)[None]
    out = interpolate(channels, size=(height, width), mode="bilinear", align_corners=False)
    return out[0].permute(1, 2, 0)


CASE = Case(
    name="bilinear-resize",
    about="An image in another size by bilinear interpolation (tutorials of image processing)",
    program=bilinear_resize,
    inputs=inputs,
    large=300,
    sweep=(40, 75, 150, 300),
    oracle=oracle,
    idiomatic=idiomatic,
    jax=jax,
    torch=torch,
    static=(1, 2),
)
