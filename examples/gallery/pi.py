"""Pi from random points of a square: estimates by more and more of them. Statistics."""

import numpy as np

from ein_mlir import array, function, scan, where


@function
def program(x, y):
    hits = array(lambda k: where(x[k] * x[k] + y[k] * y[k] < 1.0, 1.0, 0.0))
    inside = scan(hits, 0.0, lambda a, b: a + b)
    return array(lambda k: 4.0 * inside[k] / (k + 1).float())


def by_hand(x, y):
    inside = np.cumsum(x * x + y * y < 1.0)
    return 4.0 * inside / np.arange(1, len(x) + 1)


SMALL = 9


def data(size=100000):
    return tuple(np.random.default_rng(0).uniform(size=(2, size)))


def draw(figure, arguments, result):
    axes = figure.subplots()
    axes.axhline(np.pi, color="gray")
    axes.semilogx(np.arange(1, len(result) + 1), result)
    axes.set_xlabel("points")
