"""The page rank of a random graph. Graphs: power iteration over a list of edges."""

import numpy as np

from ein_mlir import array, fold, fold_sum, function, where


@function
def program(source, target, n, steps):
    out = array(lambda v: fold_sum(lambda e: where(source[e] == v, 1.0, 0.0)), size=n)

    def step(_, rank):
        share = array(lambda v: where(out[v] > 0.0, rank[v] / out[v], 0.0))
        lost = fold_sum(lambda v: where(out[v] > 0.0, 0.0, rank[v])) / n.float()

        def arriving(v):
            return fold_sum(lambda e: where(target[e] == v, share[source[e]], 0.0))

        return array(lambda v: 0.15 / n.float() + 0.85 * (lost + arriving(v)), size=n)

    return fold(array(lambda v: 1.0 / n.float(), size=n), step, count=steps)


def by_hand(source, target, n, steps):
    out = np.bincount(source, minlength=n).astype(float)
    rank = np.full(n, 1.0 / n)
    for _ in range(steps):
        share = np.divide(rank, out, out=np.zeros(n), where=out > 0.0)
        lost = rank[out == 0.0].sum() / n
        rank = 0.15 / n + 0.85 * (lost + np.bincount(target, share[source], n))
    return rank


SMALL = 30


def data(size=20000):
    rng = np.random.default_rng(6)
    popular = (size * rng.random(8 * size) ** 3).astype(np.int64)
    return rng.integers(size, size=8 * size), popular, size, 20


def draw(figure, arguments, result):
    axes = figure.subplots()
    axes.loglog(np.sort(result)[::-1])
    axes.set_xlabel("page")
    axes.set_ylabel("rank")
