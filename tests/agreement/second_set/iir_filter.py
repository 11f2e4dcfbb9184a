"""A recursive filter of second order."""

from __future__ import annotations

import numpy as np

from ein_mlir import array, fold, function, where
from tests.agreement.cases.case import Case

B0, B1, B2 = 0.2, 0.3, 0.1
A1, A2 = -0.6, 0.2


@function
def iir_filter(x):
    def sample(i, state):
        y, z1, z2 = state
        out = B0 * x[i] + z1
        return (
            array(lambda k: where(k == i, out, y[k])),
            B1 * x[i] - A1 * out + z2,
            B2 * x[i] - A2 * out,
        )

    return fold((x, 0.0, 0.0), sample, count=x.size())[0]


def inputs(n, dtype, rng):
    return (rng.normal(size=n).astype(dtype),)


def oracle(x):
    y = np.zeros_like(x)
    for i in range(len(x)):
        y[i] = B0 * x[i]
        if i > 0:
            y[i] += B1 * x[i - 1] - A1 * y[i - 1]
        if i > 1:
            y[i] += B2 * x[i - 2] - A2 * y[i - 2]
    return y


def idiomatic(x):
    y = np.empty_like(x)
    z1 = z2 = 0.0
    for i in range(len(x)):
        y[i] = B0 * x[i] + z1
        z1 = B1 * x[i] - A1 * y[i] + z2
        z2 = B2 * x[i] - A2 * y[i]
    return y


def jax(x):
    from jax import lax

    def sample(state, value):
        z1, z2 = state
        out = B0 * value + z1
        return (B1 * value - A1 * out + z2, B2 * value - A2 * out), out

    zero = x.dtype.type(0)
    return lax.scan(sample, (zero, zero), x)[1]


def torch(x):
    import torch

    y = torch.empty_like(x)
    z1 = z2 = 0.0
    for i in range(len(x)):
        y[i] = B0 * x[i] + z1
        z1 = B1 * x[i] - A1 * y[i] + z2
        z2 = B2 * x[i] - A2 * y[i]
    return y


CASE = Case(
    name="iir-filter",
    about="A recursive filter of second order (scipy.signal.lfilter)",
    program=iir_filter,
    inputs=inputs,
    large=20_000,
    sweep=(200, 2_000, 20_000),
    oracle=oracle,
    idiomatic=idiomatic,
    jax=jax,
    torch=torch,
)
