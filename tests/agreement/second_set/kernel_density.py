"""The density of samples, by Gaussian kernels."""

from __future__ import annotations

import numpy as np

from ein_mlir import array, exp, fold_sum, function
from tests.agreement.cases.case import Case

BANDWIDTH = 0.3
ROOT = float(np.sqrt(2 * np.pi))


@function
def kernel_density(points, samples):
    count = samples.size().max(1)

    def density(i):
        total = fold_sum(lambda k: exp(-0.5 * ((points[i] - samples[k]) / BANDWIDTH) ** 2))
        return total / (count.float() * BANDWIDTH * ROOT)

    return array(density)


def inputs(n, dtype, rng):
    return np.linspace(-3, 3, n + 2).astype(dtype), rng.normal(size=n).astype(dtype)


def oracle(points, samples):
    out = np.zeros_like(points)
    for i, point in enumerate(points):
        for sample in samples:
            out[i] += np.exp(-(((point - sample) / BANDWIDTH) ** 2) / 2)
    return out / (max(len(samples), 1) * BANDWIDTH * ROOT)


def idiomatic(points, samples):
    z = (points[:, None] - samples) / BANDWIDTH
    return np.exp(-0.5 * z**2).sum(axis=1) / (max(len(samples), 1) * BANDWIDTH * ROOT)


def jax(points, samples):
    import jax.numpy as jnp

    z = (points[:, None] - samples) / BANDWIDTH
    return jnp.exp(-0.5 * z**2).sum(axis=1) / (max(len(samples), 1) * BANDWIDTH * ROOT)


def torch(points, samples):
    z = (points[:, None] - samples) / BANDWIDTH
    return (-0.5 * z**2).exp().sum(dim=1) / (max(len(samples), 1) * BANDWIDTH * ROOT)


CASE = Case(
    name="kernel-density",
    about="A density by Gaussian kernels (scipy.stats.gaussian_kde)",
    program=kernel_density,
    inputs=inputs,
    large=1_500,
    sweep=(200, 400, 750, 1_500),
    oracle=oracle,
    idiomatic=idiomatic,
    jax=jax,
    torch=torch,
)
