"""Edges of a picture by the operator of Sobel. Image processing."""

import numpy as np

from ein_mlir import array, fold_sum, function


@function
def program(picture, kernel):
    n, m = picture.size(0), picture.size(1)

    def at(i, j):
        return picture[i.max(0).min(n - 1), j.max(0).min(m - 1)]

    def strength(i, j):
        across = fold_sum(lambda u, v: kernel[u, v] * at(i + u - 1, j + v - 1))
        along = fold_sum(lambda u, v: kernel[v, u] * at(i + u - 1, j + v - 1))
        return (across**2 + along**2).sqrt()

    return array(strength, size=(n, m))


def by_hand(picture, kernel):
    n, m = picture.shape
    padded = np.pad(picture, 1, mode="edge")
    across, along = np.zeros((n, m)), np.zeros((n, m))
    for u in range(3):
        for v in range(3):
            window = padded[u : u + n, v : v + m]
            across += kernel[u, v] * window
            along += kernel[v, u] * window
    return np.sqrt(across**2 + along**2)


SMALL = 9


def data(size=500):
    y, x = np.mgrid[:size, :size] / size
    picture = np.sin(9.0 * x) * np.cos(7.0 * y) + ((x - 0.5) ** 2 + (y - 0.4) ** 2 < 0.05)
    return picture, np.array([[-1.0, 0.0, 1.0], [-2.0, 0.0, 2.0], [-1.0, 0.0, 1.0]])


def draw(figure, arguments, result):
    left, right = figure.subplots(1, 2)
    left.imshow(arguments[0], cmap="gray")
    right.imshow(result, cmap="gray")
