"""Sums of terms by powers of the distance to an index: discounts, moving averages, decays."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ein_mlir import (
    Function,
    array,
    exp,
    fold_max,
    fold_min,
    fold_prod,
    fold_sum,
    function,
    max,
    tanh,
    value_and_grad,
    where,
)
from tests.agreement.comparison import assert_call_agrees
from tests.libraries import on
from tests.selection import combinations, sizes_on

TOLERANCE = {"float64": 1e-11, "float32": 3e-4}


@function
def returns(x, g):
    """Discounted sums from each step on."""
    return array(lambda t: fold_sum(lambda k: g**k * x[t + k], count=x.size() - t), size=x.size())


@function
def average(x, g):
    """The exponential moving average, of which the weights are a sum, too."""

    def at(t):
        weights = fold_sum(lambda k: g ** (t - k), count=t + 1)
        return fold_sum(lambda k: x[k] * g ** (t - k), count=t + 1) / weights

    return array(at, size=x.size())


@function
def chosen(x, g):
    """Choices and masks within the products; a condition of each step, and a batch."""
    n = x.size()

    def at(t):
        outside = fold_sum(lambda k: where(k <= t, g ** (t - k) * x[k], 0.0) * x[k] / 3.0, count=n)
        mask = fold_sum(lambda k: g ** (k - t) * where(k >= t, 1.0, 0.0) * x[k], count=n)
        both = where(x[t] > 0.0, g, 0.5)

        def term(k):
            return where((k < t) & (x[k] > 0.0), 0.5 * x[k], 0.0) * exp(-0.5 * (t - k).float())

        best = fold_max(lambda k: where(k <= t, (t - k).float() * -0.5, -float("inf")) + x[k])
        return outside, mask, fold_sum(lambda k: both * term(k) * x[k], count=n), best

    def pair(b, t):
        return fold_sum(lambda k: x[b] * where(k <= t, g ** (t - k), 0.0) * x[k], count=n)

    return array(at, size=n), array(pair, size=(n, n))


@function
def before(x, g):
    """The steps before each one alone, where a condition holds; a float as exponent."""

    def term(t, k):
        return where((k < t) & (x[k] > -0.5), g ** (t - k).float() * x[k] / 3.0, 0.0)

    return array(lambda t: fold_sum(lambda k: term(t, k)), size=x.size())


@function
def values(x, g):
    """Present values: the powers divide."""

    def term(t, k):
        return where(k >= t, (x[k] + 1.0) / (1.0 + g * g) ** (k - t + 2), 0.0)

    return array(lambda t: 1.0 + fold_sum(lambda k: term(t, k)), size=x.size())


@function
def decay(x, g):
    """Exponentials of distances."""

    def term(t, k):
        return where(k <= t, exp(-((t - k).float() * g) / 2.0) * x[k], 0.0)

    return array(lambda t: fold_sum(lambda k: term(t, k)), size=x.size())


@function
def half_lives(x, g):
    """Powers by a fraction of the distance, and by a sum between two positions."""

    def at(t):
        own = fold_sum(lambda k: x[k] * 0.5 ** ((t - k).float() / g), count=t + 1)

        def rest(k):
            return (g + 2.0) ** -fold_sum(lambda j: x[k + j] * x[k + j], count=t - k)

        return own, fold_sum(lambda k: x[k] * rest(k), count=t + 1)

    return array(at, size=x.size())


@function
def between(x, g):
    """Exponentials of differences between elements, also of neighbours that clip at the ends."""
    n = x.size()

    def at(t):
        before = fold_sum(lambda k: 0.5 * exp(-g * (x[t] - x[k])), count=t)
        after = fold_sum(lambda k: x[k] * where(k >= t, exp((x[k] - x[t]) / 2.0), 0.0), count=n)
        beside = fold_sum(lambda k: x[k] * exp(x[k + 1] - x[t - 1]), count=t + 1)
        return before, after, beside

    return array(at, size=n)


@function
def excitation(x, g):
    """The intensity of a process that excites itself, with a test of each step."""
    n = x.size()

    def term(t, k):
        return where((k < t) & (x[k] > -0.5), x[k] / exp(g * (x[t] - x[k])), 0.0)

    return array(lambda t: fold_sum(lambda k: term(t, k), count=n), size=n)


@function
def of_rows(x, g):
    """A factor of each row, and an offset of each column."""
    rows = array(lambda b, k: x[k] * (b + 1).float(), size=(3, x.size()))
    factors = array(lambda b: g / (b + 1).float(), size=3)

    def at(b, t):
        return fold_sum(lambda k: where(k >= t, factors[b] ** (k - t) * rows[b, k], 0.0))

    return array(at, size=(3, x.size()))


@function
def beyond(x, g):
    """Bounds that may be no steps stay sums of powers."""

    def term(t, k):
        return where(k < t + 2, g ** (t + 2 - k) * x[k], 0.0)

    return array(lambda t: fold_sum(lambda k: term(t, k)), size=x.size())


@function
def lagged(x, g):
    """Bounds out of range where there are no steps."""
    n = x.size()

    def at(t):
        before = fold_sum(lambda k: where(k <= t - 3, x[k] * g ** (t - 3 - k), 0.0), count=n)
        ahead = fold_sum(lambda k: where(k - t >= 2, x[k] * exp(-g * (k - t - 1).float()), 0.0))
        return before, ahead, fold_sum(lambda k: x[t + 2 + k] * g**k, count=max(n - t - 2, 0))

    return array(at, size=n)


@function
def lags_beside_powers(x, g):
    """The powers are computed in all steps."""
    n = x.size()

    def at(t):
        before = fold_sum(lambda k: where(k + 2 <= t, x[k], 0.0) * g ** (t - k - 2) * x[k])
        return before, fold_sum(lambda k: where(k - t >= 2, x[k], 0.0) * g ** (k - t - 2))

    return array(at, size=n)


@function
def lagged_products(x, g):
    n = x.size()

    def weight(t, k):
        return fold_prod(lambda j: 1.0 - g * x[k + 1 + j] / 9.0, count=t - k)

    return array(lambda t: fold_sum(lambda k: where(k < t - 1, x[k] * weight(t, k), 0.0)), size=n)


@function
def twice(x, g):
    """The square of a power is no power of the same number."""

    def term(t, k):
        power = g ** (t - k)
        return where(k <= t, power * power * x[k], 0.0)

    return array(lambda t: fold_sum(lambda k: term(t, k)), size=x.size())


@function
def polynomial(x, g):
    """The powers of each number by the counter, from the first and from the second one on."""

    def at(i):
        return fold_sum(lambda k: x[k] * (g + x[i]) ** k - x[i] ** (k + 1).float())

    return array(at, size=x.size())


@function
def smoothed(x, g):
    """Exponential smoothing where each step has a factor of its own."""

    def weight(t, k):
        return fold_prod(lambda j: 1.0 - g * x[k + 1 + j], count=t - k)

    return array(lambda t: fold_sum(lambda k: x[k] * weight(t, k), count=t + 1), size=x.size())


@function
def descending(x, g):
    """The same from the step on back to the term, and a divisor."""

    def weight(t, k):
        return fold_prod(lambda j: 2.0 + g / (1.0 + x[t - j] ** 2), count=t - k)

    return array(lambda t: fold_sum(lambda k: x[k] / weight(t, k), count=t + 1), size=x.size())


@function
def advantages(x, g):
    """Sums from each step on that end where an episode does."""

    def weight(t, k):
        return fold_prod(lambda j: where(x[t + j] > 1.0, 0.0, g), count=k)

    n = x.size()
    return array(lambda t: fold_sum(lambda k: x[t + k] * weight(t, k), count=n - t), size=n)


@function
def masked(x, g):
    """Both ends are tests; a power beside the product."""
    n = x.size()

    def weight(t, k):
        factors = fold_prod(lambda j: where((j >= t) & (j < k), 0.9 + x[j] / 9.0, 1.0), count=n)
        return factors * g ** (k - t)

    return array(lambda t: fold_sum(lambda k: where(k >= t, x[k] * weight(t, k), 0.0)), size=n)


@function
def discounted(x, g):
    """Exponentials of sums of rates, for each of a few factors of these."""
    n = x.size()

    def weight(b, t, k):
        return exp(-(fold_sum(lambda j: x[t + j], count=k) * g) / (b + 1).float())

    def at(b, t):
        return fold_sum(lambda k: x[t + k] * weight(b, t, k), count=n - t)

    return array(at, size=(2, n))


@function
def lives(x, g):
    """Products alone: the expectation of life."""
    n = x.size()

    def survival(t, k):
        return fold_prod(lambda j: 1.0 - g * x[t + j] ** 2 / 9.0, count=k + 1)

    return array(lambda t: fold_sum(lambda k: survival(t, k), count=n - t), size=n)


@function
def waits(x, g):
    """Waiting times: the largest sum of what arrives between, and the least one from a start."""
    n = x.size()

    def wait(t):
        return fold_max(lambda k: fold_sum(lambda j: x[k + j] - g, count=t - k), count=t + 1)

    def least(t):
        return fold_min(lambda k: g - fold_sum(lambda j: x[t + j], count=k), count=n - t)

    return array(lambda t: (wait(t), least(t)), size=n)


@function
def totals(x, g):
    """In the steps of loops: from each step on, and the best segment."""
    n = x.size()

    def returns(t):
        def weight(k):
            return fold_prod(lambda j: where(x[t + j] > 1.0, 0.0, g), count=k)

        return fold_sum(lambda k: x[t + k] * weight(k), count=n - t)

    def best(i):
        return fold_max(lambda k: fold_sum(lambda j: x[k + j], count=i - k + 1), count=i + 1)

    return fold_sum(lambda t: tanh(returns(t)), count=n), fold_max(best, count=n)


@function
def of_both(x, g):
    """A factor that varies with the term, too, is none of the steps between both."""

    def weight(t, k):
        return fold_prod(lambda j: g + where(x[k] > 0.0, x[k + 1 + j], 0.5), count=t - k)

    return array(lambda t: fold_sum(lambda k: weight(t, k), count=t + 1), size=x.size())


@function
def beside(x, g):
    """A product that ends elsewhere."""

    def weight(t, k):
        return fold_prod(lambda j: g + x[k + j], count=2 * (t - k))

    return array(lambda t: fold_sum(lambda k: weight(t, k), count=t + 1), size=x.size())


POWERS = (
    returns,
    average,
    chosen,
    before,
    values,
    decay,
    half_lives,
    between,
    excitation,
    of_rows,
    beyond,
    twice,
    polynomial,
)
LAGS = (lagged, lagged_products)
PRODUCTS = (smoothed, descending, advantages, masked, discounted, lives, waits, totals)
OTHERS = (of_both, beside)

PROGRAMS: dict[str, Function[..., Any]] = {
    each.__name__: each for each in (*POWERS, *LAGS, *PRODUCTS, *OTHERS)
}


@pytest.mark.parametrize(("name", "backend", "dtype"), combinations(PROGRAMS))
def test_values(name: str, backend: str, dtype: str) -> None:
    for n in sizes_on(backend, [20, 0, 1, 2], name):
        x = np.random.default_rng(n).normal(size=n).astype(dtype)
        for g in (0.9, -0.5, 1.0, 0.0):
            assert_call_agrees(PROGRAMS[name], (x, np.dtype(dtype).type(g)), backend, TOLERANCE)


def gradient_of(program: Any) -> Function[..., Any]:
    """That of the sum of the squares of what a program returns."""

    def squares(x, g):
        values = program(x, g)
        return fold_sum(lambda t: values[t] * values[t])

    return function(lambda x, g: value_and_grad(squares, (0, 1))(x, g))


@pytest.mark.parametrize("backend", on("numpy", "native", "jax"))
@pytest.mark.parametrize("name", ["returns", "average", "before", "smoothed", "excitation"])
def test_gradients(name: str, backend: str) -> None:
    """Also of the sums of terms that a recurrence stands for."""
    gradient = gradient_of(PROGRAMS[name])
    for n in sizes_on(backend, [5, 0, 1, 2], name):
        for g in (0.9, -0.5, 1.0, 0.0):
            x = np.random.default_rng(n).normal(size=n)
            assert_call_agrees(gradient, (x, g), backend, TOLERANCE)


@pytest.mark.parametrize("backend", on("numpy", "native", "jax"))
def test_gradient_of_products_at_one_element(backend: str) -> None:
    """A loop in the gradient has no steps, which would read elements of an empty array."""

    def total(x: Any, g: Any) -> Any:
        return fold_sum(lambda b, t: discounted(x, g)[b, t] * (1.0 + b.float()))

    gradient = value_and_grad(total, (0, 1))
    assert_call_agrees(function(gradient), (np.array([0.7]), 0.3), backend, TOLERANCE)


@pytest.mark.parametrize("backend", on("numpy", "native"))
@pytest.mark.parametrize("name", ["returns", "before"])
def test_gradients_beside_infinite_sums(name: str, backend: str) -> None:
    """Sums that nothing reads overflow: the derivatives of the others are finite."""

    def one(x, g):
        values = PROGRAMS[name](x, g)
        return where(x[1] > 0.0, values[1], values[x.size() - 1])

    gradient = function(lambda x, g: value_and_grad(one, (0, 1))(x, g))
    for second in (1.0, -1.0):
        x = np.array([1e300, second, 1e300, 2.0, -1.0, 3.0])
        assert_call_agrees(gradient, (x, 1e5), backend, TOLERANCE)
        assert_call_agrees(gradient, (x[::-1].copy(), 1e5), backend, TOLERANCE)


@pytest.mark.parametrize("backend", on("numpy", "native", "torch", "jax"))
@pytest.mark.parametrize("name", PROGRAMS)
def test_values_that_are_not_finite(name: str, backend: str) -> None:
    """A partial sum is infinite and later ones are not; factors that are infinite or NaN."""
    x = np.ones(20)
    x[:2], x[5] = 1.6e308, -1.0
    for g in (0.9, 1.5, np.inf, -np.inf, np.nan):
        assert_call_agrees(PROGRAMS[name], (x, g), backend, TOLERANCE)
    for value in (np.inf, np.nan):
        x = np.ones(20)
        x[12] = value
        assert_call_agrees(PROGRAMS[name], (x, 0.5), backend, TOLERANCE)


@pytest.mark.parametrize("backend", on("numpy", "native", "torch", "jax"))
def test_lags_beside_powers(backend: str) -> None:
    for n in (9, 2, 0):
        for g in (0.9, -2.0, 1e-3):
            x = np.random.default_rng(n).normal(size=n)
            assert_call_agrees(lags_beside_powers, (x, g), backend, TOLERANCE)


@pytest.mark.parametrize("backend", on("numpy", "torch", "jax"))
def test_values_that_underflow(backend: str) -> None:
    """A small product that grows again is no zero."""
    x = np.array([1e-200, -1e200, -1e200, 0.5, 0.25])
    assert_call_agrees(smoothed, (x, 1.0), backend, TOLERANCE)
    x = np.array([1e-200, 1.0 - 1e-200, -1e200, -1e200, 0.5])
    assert_call_agrees(smoothed, (x, 1.0), backend, TOLERANCE)


@pytest.mark.parametrize("backend", on("numpy", "torch", "jax"))
@pytest.mark.parametrize(
    "name",
    [
        "returns",
        "average",
        "chosen",
        "before",
        "values",
        "decay",
        "half_lives",
        "between",
        "excitation",
        *(x.__name__ for x in (*LAGS, *PRODUCTS)),
    ],
)
def test_sums_are_recurrences(name: str, backend: str) -> None:
    program = PROGRAMS[name]
    assert "a linear recurrence" in program.explain(np.ones(9), 0.5, backend=backend)


def test_native_loops_carry_powers() -> None:
    loops = polynomial.ir("loops", np.ones(9), 0.5, backend="native")
    assert "math.powf" not in loops
    assert "math.fpowi" not in loops


def test_other_sums_stay() -> None:
    for program in (beyond, twice, *OTHERS):
        assert "a linear recurrence" not in program.explain(np.ones(9), 0.5, backend="numpy")
