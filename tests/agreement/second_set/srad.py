"""Speckle-reducing anisotropic diffusion of an image: a stencil in two stages."""

from __future__ import annotations

import numpy as np

from ein_mlir import array, fold, fold_sum, function
from tests.agreement.cases.case import Case

RATE = 0.5


@function
def srad(start, steps):
    """The image at the edges is continued by its last cells."""
    count = start.size(0) * start.size(1)

    def step(t, image):
        total = fold_sum(lambda i: fold_sum(lambda j: image[i, j]))
        squares = fold_sum(lambda i: fold_sum(lambda j: image[i, j] ** 2))
        mean = total / count.float()
        q0 = (squares / count.float() - mean * mean) / (mean * mean)

        def diffusion(i, j):
            here = image[i, j]
            north, south = image[i - 1, j] - here, image[i + 1, j] - here
            west, east = image[i, j - 1] - here, image[i, j + 1] - here
            gradient = (north**2 + south**2 + west**2 + east**2) / here**2
            laplacian = (north + south + west + east) / here
            q = (0.5 * gradient - laplacian**2 / 16.0) / (1.0 + 0.25 * laplacian) ** 2
            return (1.0 / (1.0 + (q - q0) / (q0 * (1.0 + q0)))).clip(0.0, 1.0)

        c = array(diffusion)

        def cell(i, j):
            here = image[i, j]
            flux = (
                c[i, j] * (image[i - 1, j] - here)
                + c[i + 1, j] * (image[i + 1, j] - here)
                + c[i, j] * (image[i, j - 1] - here)
                + c[i, j + 1] * (image[i, j + 1] - here)
            )
            return here + 0.25 * RATE * flux

        return array(cell)

    return fold(start, step, count=steps)


def inputs(n, dtype, rng):
    return np.exp(rng.uniform(size=(n, n + 2))).astype(dtype), 4 if n > 5 else 2


def oracle(start, steps):
    image = start.copy()
    n, m = image.shape
    for _ in range(steps):
        cells = [image[i, j] for i in range(n) for j in range(m)]
        if not cells:
            return image
        mean = sum(cells) / len(cells)
        q0 = (sum(x**2 for x in cells) / len(cells) - mean**2) / mean**2
        c = np.empty_like(image)
        flows = {}
        for i in range(n):
            for j in range(m):
                here = image[i, j]
                north, south = image[max(i - 1, 0), j] - here, image[min(i + 1, n - 1), j] - here
                west, east = image[i, max(j - 1, 0)] - here, image[i, min(j + 1, m - 1)] - here
                flows[i, j] = north, south, west, east
                g = sum(x**2 for x in flows[i, j]) / here**2
                laplacian = sum(flows[i, j]) / here
                q = (g / 2 - laplacian**2 / 16) / (1 + laplacian / 4) ** 2
                c[i, j] = min(max(1 / (1 + (q - q0) / (q0 * (1 + q0))), 0), 1)
        for (i, j), (north, south, west, east) in flows.items():
            below, right = c[min(i + 1, n - 1), j], c[i, min(j + 1, m - 1)]
            image[i, j] += RATE / 4 * (c[i, j] * (north + west) + below * south + right * east)
    return image


def _step(image, pad, clip):
    p = pad(image)
    mean = image.mean()
    q0 = ((image**2).mean() - mean**2) / mean**2
    north, south = p[:-2, 1:-1] - image, p[2:, 1:-1] - image
    west, east = p[1:-1, :-2] - image, p[1:-1, 2:] - image
    gradient = (north**2 + south**2 + west**2 + east**2) / image**2
    laplacian = (north + south + west + east) / image
    q = (0.5 * gradient - laplacian**2 / 16) / (1 + 0.25 * laplacian) ** 2
    c = clip(1 / (1 + (q - q0) / (q0 * (1 + q0))))
    after = pad(c)
    below, right = after[2:, 1:-1], after[1:-1, 2:]
    return image + 0.25 * RATE * (c * north + below * south + c * west + right * east)


def idiomatic(start, steps):
    image = start
    for _ in range(steps):
        image = _step(image, lambda x: np.pad(x, 1, mode="edge"), lambda x: np.clip(x, 0, 1))
    return image


def jax(start, steps):
    import jax.numpy as jnp
    from jax import lax

    def step(t, image):
        return _step(image, lambda x: jnp.pad(x, 1, mode="edge"), lambda x: jnp.clip(x, 0, 1))

    return lax.fori_loop(0, steps, step, start)


def torch(start, steps):
    from torch.nn.functional import pad

    image = start
    for _ in range(steps):
        image = _step(
            image,
            lambda x: pad(x[None], (1, 1, 1, 1), mode="replicate")[0],
            lambda x: x.clip(0, 1),
        )
    return image


CASE = Case(
    name="srad",
    about="Anisotropic diffusion of an image, a stencil in two stages (Rodinia)",
    program=srad,
    inputs=inputs,
    large=500,
    sweep=(60, 125, 250, 500),
    oracle=oracle,
    idiomatic=idiomatic,
    jax=jax,
    torch=torch,
    small=(0, 2, 5),
)
