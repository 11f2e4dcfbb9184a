"""Prices of a basket by simulation: the spread of paths. Finance: correlated random walks."""

import numpy as np

from ein_mlir import array, fold, fold_sum, function, where


@function
def program(noise, factor, drift, start):
    """``noise`` by step, path and asset; ``factor`` the root of the covariance."""
    steps, paths, assets = noise.size(0), noise.size(1), noise.size(2)

    def step(t, state):
        means, log_price = state

        def shock(p, c):
            return fold_sum(lambda d: factor[c, d] * noise[t, p, d])

        moved = array(lambda p, c: log_price[p, c] + drift[c] + shock(p, c))
        value = array(lambda p: fold_sum(lambda c: start[c] * moved[p, c].exp()))
        return array(lambda s, p: where(s == t, value[p], means[s, p])), moved

    empty = array(lambda s, p: 0.0, size=(steps, paths))
    zero = array(lambda p, c: 0.0, size=(paths, assets))
    return fold((empty, zero), step, count=steps)[0]


def by_hand(noise, factor, drift, start):
    values = np.zeros(noise.shape[:2])
    log_price = np.zeros(noise.shape[1:])
    for t, shock in enumerate(noise):
        log_price = log_price + drift + shock @ factor.T
        values[t] = np.exp(log_price) @ start
    return values


SMALL = 7


def data(size=5000):
    rng = np.random.default_rng(8)
    noise = rng.normal(size=(100, size, 4))
    factor = 0.02 * np.linalg.cholesky(np.full((4, 4), 0.3) + 0.7 * np.eye(4))
    return noise, factor, np.full(4, 0.0005), np.full(4, 25.0)


def draw(figure, arguments, result):
    axes = figure.subplots()
    for share in (5, 25, 50, 75, 95):
        axes.plot(np.percentile(result, share, axis=1), label=f"{share} %")
    axes.legend()
