"""The primes below a number."""

from __future__ import annotations

import numpy as np

from ein_mlir import array, fold, function, where
from tests.agreement.cases.case import Case


@function
def sieve(n, root):
    """``root`` is the square root of ``n``, rounded up."""

    def strike(k, prime):
        p = k + 2

        def number(q):
            multiple = (q >= p * p) & (q % p == 0)
            return where(prime[p] & multiple, False, prime[q])

        return array(number)

    return fold(array(lambda q: q >= 2, size=n), strike, count=root)


def inputs(n, dtype, rng):
    return n, int(np.ceil(np.sqrt(n)))


def oracle(n, root):
    return np.array([q >= 2 and all(q % p for p in range(2, q)) for q in range(n)], bool)


def idiomatic(n, root):
    prime = np.ones(n, bool)
    prime[:2] = False
    for p in range(2, root + 2):
        if p < n and prime[p]:
            prime[p * p :: p] = False
    return prime


def jax(n, root):
    import jax.numpy as jnp
    from jax import lax

    q = jnp.arange(n)

    def strike(p, prime):
        return prime & ~(prime[p] & (q >= p * p) & (q % p == 0))

    return lax.fori_loop(2, root + 2, strike, q >= 2)


def torch(n, root):
    import torch

    prime = torch.ones(n, dtype=torch.bool)
    prime[:2] = False
    for p in range(2, root + 2):
        if p < n and prime[p]:
            prime[p * p :: p] = False
    return prime


CASE = Case(
    name="sieve",
    about="The sieve of Eratosthenes (Project-Euler-like, Futhark by Example)",
    program=sieve,
    inputs=inputs,
    large=1_000_000,
    sweep=(1_000, 10_000, 100_000, 1_000_000),
    oracle=oracle,
    idiomatic=idiomatic,
    jax=jax,
    torch=torch,
    static=(0, 1),
)
