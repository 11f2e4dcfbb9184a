"""Prices of Asian options by simulated paths."""

from __future__ import annotations

import builtins

import numpy as np

from ein_mlir import array, exp, fold, fold_sum, function, max
from tests.agreement.cases.case import Case

PRICE, DRIFT, VOLATILITY, DISCOUNT = 100.0, 0.0002, 0.015, 0.97


@function
def asian_option(normals, strikes):
    """``normals`` has a row for each path; the price is for each strike."""
    paths, days = normals.shape

    def average(p):
        def day(t, state):
            price, total = state
            price = price * exp(DRIFT + VOLATILITY * normals[p, t])
            return price, total + price

        return fold((PRICE, 0.0), day)[1] / days.float()

    averages = array(average)

    def option(s):
        payoff = fold_sum(lambda p: max(averages[p] - strikes[s], 0.0))
        return DISCOUNT * payoff / paths.max(1).float()

    return array(option)


def inputs(n, dtype, rng):
    normals = rng.normal(size=(n, 50 if n > 5 else 4))
    return normals.astype(dtype), np.linspace(90, 110, 5).astype(dtype)


def oracle(normals, strikes):
    out = np.zeros_like(strikes)
    for path in normals:
        price, total = PRICE, 0.0
        for z in path:
            price *= np.exp(DRIFT + VOLATILITY * z)
            total += price
        for s, strike in enumerate(strikes):
            out[s] += builtins.max(total / len(path) - strike, 0)
    return (DISCOUNT * out / np.maximum(len(normals), 1)).astype(strikes.dtype)


def idiomatic(normals, strikes):
    prices = PRICE * np.exp(np.cumsum(DRIFT + VOLATILITY * normals, axis=1))
    payoff = np.maximum(prices.mean(axis=1)[:, None] - strikes, 0)
    return DISCOUNT * payoff.mean(axis=0)


def jax(normals, strikes):
    import jax.numpy as jnp

    prices = PRICE * jnp.exp(jnp.cumsum(DRIFT + VOLATILITY * normals, axis=1))
    payoff = jnp.maximum(prices.mean(axis=1)[:, None] - strikes, 0)
    return DISCOUNT * payoff.mean(axis=0)


def torch(normals, strikes):
    prices = PRICE * (DRIFT + VOLATILITY * normals).cumsum(dim=1).exp()
    payoff = (prices.mean(dim=1)[:, None] - strikes).clamp(min=0)
    return DISCOUNT * payoff.mean(dim=0)


CASE = Case(
    name="asian-option",
    about="Asian options by simulated paths (tutorials of finance)",
    program=asian_option,
    inputs=inputs,
    large=50_000,
    sweep=(500, 5_000, 50_000),
    oracle=oracle,
    idiomatic=idiomatic,
    jax=jax,
    torch=torch,
)
