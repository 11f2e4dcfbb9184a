"""A density estimated from points, with a Gaussian kernel. Statistics."""

import math

import numpy as np

from ein_mlir import array, fold_sum, function


@function
def program(points, x, y, width):
    scale = 1.0 / (2.0 * math.pi * width * width * points.size(0).float())

    def at(i, j):
        def kernel(p):
            square = (x[j] - points[p, 0]) ** 2 + (y[i] - points[p, 1]) ** 2
            return (-square / (2.0 * width * width)).exp()

        return scale * fold_sum(kernel)

    return array(at)


def by_hand(points, x, y, width):
    density = np.zeros((len(y), len(x)))
    for p in points:
        square = (x[None, :] - p[0]) ** 2 + (y[:, None] - p[1]) ** 2
        density += np.exp(-square / (2.0 * width * width))
    return density / (2.0 * np.pi * width * width * len(points))


SMALL = 7


def data(size=120):
    rng = np.random.default_rng(2)
    t = rng.uniform(0.0, 2.0 * np.pi, 5 * size)
    points = np.stack([np.cos(t), np.sin(2.0 * t)], 1) + rng.normal(0.0, 0.1, (5 * size, 2))
    return points, np.linspace(-1.5, 1.5, size), np.linspace(-1.5, 1.5, size), 0.1


def draw(figure, arguments, result):
    figure.subplots().contourf(arguments[1], arguments[2], result, levels=12, cmap="viridis")
