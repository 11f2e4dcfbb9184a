"""Distances from the middle of a labyrinth. Graphs: relaxation on a grid."""

import numpy as np

from ein_mlir import array, fold, function, where


@function
def program(free, steps):
    n, m = free.size(0), free.size(1)
    far = 10**6

    def step(_, d):
        def at(i, j):
            inside = (i >= 0) & (i < n) & (j >= 0) & (j < m)
            return where(inside, d[i, j], far)

        def relaxed(i, j):
            around = at(i - 1, j).min(at(i + 1, j)).min(at(i, j - 1)).min(at(i, j + 1))
            return where(free[i, j], d[i, j].min(around + 1), far)

        return array(relaxed, size=(n, m))

    start = array(lambda i, j: where((i == n // 2) & (j == m // 2), 0, far), size=(n, m))
    return fold(start, step, count=steps)


def by_hand(free, steps):
    far = 10**6
    d = np.full(free.shape, far)
    d[free.shape[0] // 2, free.shape[1] // 2] = 0
    for _ in range(steps):
        p = np.pad(d, 1, constant_values=far)
        around = np.minimum(
            np.minimum(p[:-2, 1:-1], p[2:, 1:-1]), np.minimum(p[1:-1, :-2], p[1:-1, 2:])
        )
        d = np.where(free, np.minimum(d, around + 1), far)
    return d


SMALL = 8


def data(size=200):
    rng = np.random.default_rng(5)
    free = rng.random((size, size)) > 0.3
    free[size // 2, size // 2 - 3 : size // 2 + 4] = True
    return free, 4 * size


def draw(figure, arguments, result):
    shown = np.where(result < 10**6, result, np.nan)
    figure.subplots().imshow(shown, cmap="viridis")
