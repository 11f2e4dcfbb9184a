"""Prices of European options."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from ein_mlir import Float, Vec, array, erf, exp, function, log, sqrt
from tests.agreement.cases.case import Case, prange

RATE, VOLATILITY = 0.02, 0.3


@dataclass(frozen=True)
class Prices:
    """The prices of the two options on a stock."""

    call: Float
    put: Float


def normal_cdf(x: Float) -> Float:
    return 0.5 * (1.0 + erf(x / math.sqrt(2.0)))


def price(spot: Float, strike: Float, years: Float) -> Prices:
    deviation = VOLATILITY * sqrt(years)
    d1 = (log(spot / strike) + (RATE + 0.5 * VOLATILITY**2) * years) / deviation
    d2 = d1 - deviation
    discounted = strike * exp(-RATE * years)
    return Prices(
        call=spot * normal_cdf(d1) - discounted * normal_cdf(d2),
        put=discounted * normal_cdf(-d2) - spot * normal_cdf(-d1),
    )


@function
def black_scholes(spot: Vec[Float], strike: Vec[Float], years: Vec[Float]) -> Vec[Prices]:
    return array(lambda i: price(spot[i], strike[i], years[i]))


def inputs(n: int, dtype: DTypeLike, rng: np.random.Generator) -> tuple[Any, ...]:
    ranges = ((5.0, 30.0), (1.0, 100.0), (0.25, 10.0))
    return tuple(rng.uniform(*bounds, size=n).astype(dtype) for bounds in ranges)


def oracle(spot: NDArray[Any], strike: NDArray[Any], years: NDArray[Any]) -> Any:
    call, put = np.zeros_like(spot), np.zeros_like(spot)

    def cdf(x: float) -> float:
        return 0.5 * math.erfc(-x / math.sqrt(2.0))

    for i in range(len(spot)):
        s, k, t = float(spot[i]), float(strike[i]), float(years[i])
        d1 = (math.log(s / k) + (RATE + VOLATILITY**2 / 2) * t) / (VOLATILITY * math.sqrt(t))
        d2 = d1 - VOLATILITY * math.sqrt(t)
        call[i] = s * cdf(d1) - k * math.exp(-RATE * t) * cdf(d2)
        put[i] = k * math.exp(-RATE * t) * cdf(-d2) - s * cdf(-d1)
    return call, put


def idiomatic(spot: NDArray[Any], strike: NDArray[Any], years: NDArray[Any]) -> Any:
    from scipy.special import erf

    def cdf(x: NDArray[Any]) -> NDArray[Any]:
        return 0.5 * (1 + erf(x / math.sqrt(2)))

    deviation = VOLATILITY * np.sqrt(years)
    d1 = (np.log(spot / strike) + (RATE + 0.5 * VOLATILITY**2) * years) / deviation
    d2 = d1 - deviation
    discounted = strike * np.exp(-RATE * years)
    call = spot * cdf(d1) - discounted * cdf(d2)
    put = discounted * cdf(-d2) - spot * cdf(-d1)
    return call, put


def expert(spot: NDArray[Any], strike: NDArray[Any], years: NDArray[Any]) -> Any:
    """A block at a time, in place; the put by the parity of put and call."""
    from scipy.special import ndtr

    n, block = len(spot), 8192
    call, put = np.empty_like(spot), np.empty_like(spot)
    d1_block, d2_block = np.empty(block, spot.dtype), np.empty(block, spot.dtype)
    for start in range(0, n, block):
        part = slice(start, min(start + block, n))
        s, k, t, c, p = spot[part], strike[part], years[part], call[part], put[part]
        d1, d2 = d1_block[: len(s)], d2_block[: len(s)]
        np.sqrt(t, out=d2)
        d2 *= VOLATILITY
        np.divide(s, k, out=d1)
        np.log(d1, out=d1)
        np.multiply(t, RATE + 0.5 * VOLATILITY**2, out=p)
        d1 += p
        d1 /= d2
        np.subtract(d1, d2, out=d2)
        ndtr(d1, out=d1)
        ndtr(d2, out=d2)
        np.multiply(t, -RATE, out=p)
        np.exp(p, out=p)
        p *= k
        d1 *= s
        d2 *= p
        np.subtract(d1, d2, out=c)
        p -= s
        p += c
    return call, put


def numba(spot: NDArray[Any], strike: NDArray[Any], years: NDArray[Any]) -> Any:
    """The put by the parity of put and call."""
    call, put = np.empty_like(spot), np.empty_like(spot)
    for i in prange(len(spot)):
        s, t = spot[i], years[i]
        deviation = VOLATILITY * math.sqrt(t)
        d1 = (math.log(s / strike[i]) + (RATE + 0.5 * VOLATILITY**2) * t) / deviation
        d2 = d1 - deviation
        discounted = strike[i] * math.exp(-RATE * t)
        likely = 0.5 + 0.5 * math.erf(d1 * math.sqrt(0.5))
        certain = 0.5 + 0.5 * math.erf(d2 * math.sqrt(0.5))
        call[i] = s * likely - discounted * certain
        put[i] = call[i] - s + discounted
    return call, put


def jax(spot: Any, strike: Any, years: Any) -> Any:
    import jax.numpy as jnp
    from jax.scipy.special import erf

    def cdf(x: Any) -> Any:
        return 0.5 * (1 + erf(x / math.sqrt(2)))

    deviation = VOLATILITY * jnp.sqrt(years)
    d1 = (jnp.log(spot / strike) + (RATE + 0.5 * VOLATILITY**2) * years) / deviation
    d2 = d1 - deviation
    discounted = strike * jnp.exp(-RATE * years)
    call = spot * cdf(d1) - discounted * cdf(d2)
    return call, discounted * cdf(-d2) - spot * cdf(-d1)


def torch(spot: Any, strike: Any, years: Any) -> Any:
    def cdf(x: Any) -> Any:
        return 0.5 * (1 + (x / math.sqrt(2)).erf())

    deviation = VOLATILITY * years.sqrt()
    d1 = ((spot / strike).log() + (RATE + 0.5 * VOLATILITY**2) * years) / deviation
    d2 = d1 - deviation
    discounted = strike * (-RATE * years).exp()
    call = spot * cdf(d1) - discounted * cdf(d2)
    return call, discounted * cdf(-d2) - spot * cdf(-d1)


CASE = Case(
    name="black-scholes",
    about="Prices of European call and put options by the formula of Black and Scholes",
    program=black_scholes,
    inputs=inputs,
    large=1_000_000,
    sweep=(1_000, 10_000, 100_000, 1_000_000),
    oracle=oracle,
    idiomatic=idiomatic,
    expert=expert,
    jax=jax,
    torch=torch,
    numba=numba,
    memory_bound=True,
)
