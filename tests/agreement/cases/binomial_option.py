"""American options on a binomial tree."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from ein_mlir import Float, Int, Vec, array, exp, fold, function
from tests.agreement.cases.case import Case, prange

RATE, VOLATILITY, YEARS = 0.03, 0.25, 1.0


@function
def american_put(spot: Vec[Float], strike: Vec[Float], steps: Int) -> Vec[Float]:
    """The price of each put; it may be exercised at any of the steps."""
    period = YEARS / steps.max(1).float()
    up = VOLATILITY * period**0.5
    chance = (exp(RATE * period) - exp(-up)) / (exp(up) - exp(-up))
    discount = exp(-RATE * period)

    def payoff(o: Int, ups: Int, downs: Int) -> Float:
        price = spot[o] * exp(up * (ups - downs).float())
        return (strike[o] - price).max(0.0)

    def back(k: Int, value: Vec[Vec[Float]]) -> Vec[Vec[Float]]:
        def node(o: Int, ups: Int) -> Float:
            expected = chance * value[o, ups + 1] + (1.0 - chance) * value[o, ups]
            return payoff(o, ups, steps - 1 - k - ups).max(discount * expected)

        return array(node)

    leaves = array(lambda o, ups: payoff(o, ups, steps - ups), size=(spot.size(), steps + 1))
    root = fold(leaves, back, count=steps)
    return array(lambda o: root[o, 0])


def inputs(n: int, dtype: DTypeLike, rng: np.random.Generator) -> tuple[Any, ...]:
    options = min(n, 100)
    spot, strike = rng.uniform(80, 120, size=(2, options)).astype(dtype)
    return spot, strike, n


def factors(steps: int) -> tuple[float, float, float]:
    """The step of the logarithm of the price, the probability of a step up, and the discount."""
    period = YEARS / max(steps, 1)
    up = VOLATILITY * math.sqrt(period)
    chance = (math.exp(RATE * period) - math.exp(-up)) / (math.exp(up) - math.exp(-up))
    return up, chance, math.exp(-RATE * period)


def oracle(spot: NDArray[Any], strike: NDArray[Any], steps: int) -> NDArray[Any]:
    up, chance, discount = factors(steps)
    result = np.zeros_like(spot)

    def payoff(o: int, ups: int, downs: int) -> float:
        return max(strike[o] - spot[o] * math.exp(up * (ups - downs)), 0.0)

    for o in range(len(spot)):
        value = [payoff(o, ups, steps - ups) for ups in range(steps + 1)]
        for left in reversed(range(steps)):
            for ups in range(left + 1):
                expected = chance * value[ups + 1] + (1 - chance) * value[ups]
                value[ups] = max(discount * expected, payoff(o, ups, left - ups))
        result[o] = value[0]
    return result


def idiomatic(spot: NDArray[Any], strike: NDArray[Any], steps: int) -> NDArray[Any]:
    up, chance, discount = factors(steps)

    def payoff(left: int) -> NDArray[Any]:
        prices = spot[:, None] * np.exp(up * (2 * np.arange(left + 1) - left)).astype(spot.dtype)
        return np.maximum(strike[:, None] - prices, 0)

    value = payoff(steps)
    for left in reversed(range(steps)):
        value = discount * (chance * value[:, 1:] + (1 - chance) * value[:, :-1])
        value = np.maximum(value, payoff(left))
    return value[:, 0].copy()


def expert(spot: NDArray[Any], strike: NDArray[Any], steps: int) -> NDArray[Any]:
    """Prices are computed once: those after k steps are every other one of those after k + 1."""
    up, chance, discount = factors(steps)
    ratios = np.exp(up * np.arange(-steps, steps + 1)).astype(spot.dtype)
    gain = np.multiply.outer(ratios, -spot)
    gain += strike
    np.maximum(gain, 0, out=gain)
    tables = gain[::2].copy(), gain[1::2].copy()
    value, lower = gain[::2].copy(), np.empty_like(tables[0])
    for left in reversed(range(steps)):
        above, below = value[1 : left + 2], value[: left + 1]
        rest = np.multiply(below, discount * (1 - chance), out=lower[: left + 1])
        np.multiply(above, discount * chance, out=below)
        below += rest
        first, parity = divmod(steps - left, 2)
        np.maximum(below, tables[parity][first : first + left + 1], out=below)
    return value[0].copy()


def numba(spot: NDArray[Any], strike: NDArray[Any], steps: int) -> NDArray[Any]:
    """An option at a time, with the prices of its nodes computed once."""
    period = YEARS / max(steps, 1)
    up = VOLATILITY * math.sqrt(period)
    chance = (math.exp(RATE * period) - math.exp(-up)) / (math.exp(up) - math.exp(-up))
    high, low = math.exp(-RATE * period) * chance, math.exp(-RATE * period) * (1 - chance)
    even, odd = np.empty(steps + 1, spot.dtype), np.empty(steps + 1, spot.dtype)
    for k in range(steps + 1):
        even[k], odd[k] = math.exp(up * (2 * k - steps)), math.exp(up * (2 * k + 1 - steps))
    result = np.empty_like(spot)
    for o in prange(len(spot)):
        value = np.empty(steps + 1, spot.dtype)
        gains = np.empty((2, steps + 1), spot.dtype)
        for k in range(steps + 1):
            gains[0, k] = max(strike[o] - spot[o] * even[k], 0.0)
            gains[1, k] = max(strike[o] - spot[o] * odd[k], 0.0)
            value[k] = gains[0, k]
        for step in range(1, steps + 1):
            first, gain = step // 2, gains[step % 2]
            for k in range(steps - step + 1):
                value[k] = max(high * value[k + 1] + low * value[k], gain[first + k])
        result[o] = value[0]
    return result


def jax(spot: Any, strike: Any, steps: int) -> Any:
    import jax.numpy as jnp
    from jax import lax

    up, chance, discount = factors(steps)
    nodes = jnp.arange(steps + 1)

    def payoff(left: Any) -> Any:
        ratios = jnp.exp(up * (2 * nodes - left)).astype(spot.dtype)
        return jnp.maximum(strike[:, None] - spot[:, None] * ratios, 0)

    def back(k: Any, value: Any) -> Any:
        above = jnp.concatenate([value[:, 1:], value[:, -1:]], axis=1)
        expected = discount * (chance * above + (1 - chance) * value)
        return jnp.maximum(expected, payoff(steps - 1 - k))

    return lax.fori_loop(0, steps, back, payoff(steps))[:, 0]


def torch(spot: Any, strike: Any, steps: int) -> Any:
    import torch

    up, chance, discount = factors(steps)

    def payoff(left: int) -> Any:
        ratios = (
            up * (2 * torch.arange(left + 1, dtype=spot.dtype, device=spot.device) - left)
        ).exp()
        return (strike[:, None] - spot[:, None] * ratios).clamp(min=0)

    value = payoff(steps)
    for left in reversed(range(steps)):
        value = discount * (chance * value[:, 1:] + (1 - chance) * value[:, :-1])
        value = torch.maximum(value, payoff(left))
    return value[:, 0]


CASE = Case(
    name="binomial-option",
    about="Prices of American put options on a binomial tree, backwards in time",
    program=american_put,
    inputs=inputs,
    large=500,
    sweep=(60, 125, 250, 500),
    oracle=oracle,
    idiomatic=idiomatic,
    expert=expert,
    jax=jax,
    torch=torch,
    numba=numba,
    static=(2,),
    tolerance={"float64": 1e-9, "float32": 2e-3},
)
