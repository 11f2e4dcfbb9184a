"""Clusters of points by the algorithm of Lloyd. Machine learning."""

import numpy as np

from ein_mlir import array, fold, fold_argmin, fold_sum, function, where


@function
def program(points, centres, steps):
    k = centres.size(0)

    def nearest(c):
        return array(
            lambda i: fold_argmin(lambda j: fold_sum(lambda d: (points[i, d] - c[j, d]) ** 2))
        )

    def step(_, c):
        label = nearest(c)
        size = array(lambda j: fold_sum(lambda i: where(label[i] == j, 1.0, 0.0)), size=k)
        total = array(
            lambda j, d: fold_sum(lambda i: where(label[i] == j, points[i, d], 0.0)),
            size=(k, points.size(1)),
        )
        return array(lambda j, d: where(size[j] > 0.0, total[j, d] / size[j], c[j, d]))

    return nearest(fold(centres, step, count=steps))


def by_hand(points, centres, steps):
    def nearest(c):
        return ((points[:, None] - c[None]) ** 2).sum(2).argmin(1)

    c = centres
    for _ in range(steps):
        label = nearest(c)
        size = np.bincount(label, minlength=len(c)).astype(float)
        total = np.stack([np.bincount(label, p, len(c)) for p in points.T], 1)
        c = np.where(size[:, None] > 0.0, total / np.maximum(size, 1.0)[:, None], c)
    return nearest(c)


SMALL = 40


def data(size=20000):
    rng = np.random.default_rng(1)
    centres = rng.uniform(-4.0, 4.0, (8, 2))
    points = centres[rng.integers(8, size=size)] + rng.normal(0.0, 0.6, (size, 2))
    return points, points[:8].copy(), 10


def draw(figure, arguments, result):
    points = arguments[0]
    figure.subplots().scatter(points[:, 0], points[:, 1], c=result, s=1, cmap="tab10")
