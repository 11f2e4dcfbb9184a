"""The Fourier transform of a power of two of samples, in stages."""

from __future__ import annotations

import cmath

import numpy as np

from ein_mlir import array, cos, fold, function, sin, where
from tests.agreement.cases.case import Case


@function
def fft(re, im, stages):
    """Stockham's algorithm: each stage joins pairs of transforms, and sorts them."""
    n = re.size()

    def stage(s, x):
        re, im = x
        m = 2**s

        def element(p):
            block, rest = p // (2 * m), p % (2 * m)
            half, k = rest // m, rest % m
            first = k + block * m
            second = first + n // 2
            angle = -np.pi * (2 * block * m).float() / n.float()
            c, s = cos(angle), sin(angle)
            u, v = re[first] - re[second], im[first] - im[second]
            return where(
                half == 0,
                (re[first] + re[second], im[first] + im[second]),
                (c * u - s * v, c * v + s * u),
            )

        pairs = array(element, size=n)
        return array(lambda p: pairs[p][0]), array(lambda p: pairs[p][1])

    return fold((re, im), stage, count=stages)


def inputs(n, dtype, rng):
    re, im = rng.normal(size=(2, 2**n)).astype(dtype)
    return re, im, n


def oracle(re, im, stages):
    n = len(re)
    x = [complex(a, b) for a, b in zip(re, im, strict=True)]
    out = [sum(x[k] * cmath.exp(-2j * cmath.pi * j * k / n) for k in range(n)) for j in range(n)]
    return np.array([y.real for y in out], re.dtype), np.array([y.imag for y in out], re.dtype)


def _stages(np, re, im, stages):
    """Views with an axis for blocks and one for the transforms of each."""
    x = re + 1j * im
    n = len(re)
    for s in range(stages):
        m = 2**s
        block = np.arange(n // (2 * m))
        turn = np.exp(-2j * np.pi * m * block / n).astype(x.dtype)[:, None]
        first, second = x.reshape(2, -1, m)
        x = np.stack([first + second, turn * (first - second)], axis=1).reshape(n)
    return x.real, x.imag


def idiomatic(re, im, stages):
    return tuple(part.copy() for part in _stages(np, re, im, stages))


def expert(re, im, stages):
    x = np.fft.fft(re + 1j * im)
    return x.real.copy(), x.imag.copy()


def jax(re, im, stages):
    import jax.numpy as jnp

    return _stages(jnp, re, im, stages)


def torch(re, im, stages):
    import torch

    x = torch.complex(re, im)
    n = len(re)
    for s in range(stages):
        m = 2**s
        angle = -2 * torch.pi * m * torch.arange(n // (2 * m)).to(re)[:, None] / n
        first, second = x.reshape(2, -1, m)
        turned = torch.polar(torch.ones_like(angle), angle) * (first - second)
        x = torch.stack([first + second, turned], dim=1).reshape(n)
    return x.real, x.imag


CASE = Case(
    name="fft",
    about="The Fourier transform in stages (Futhark and NumPy tutorials, NPBench stockham_fft)",
    program=fft,
    inputs=inputs,
    large=17,
    sweep=(8, 11, 14, 17),
    oracle=oracle,
    idiomatic=idiomatic,
    expert=expert,
    jax=jax,
    torch=torch,
    static=(2,),
)
