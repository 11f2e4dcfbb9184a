"""Equalisation of the histogram of a picture. Image processing."""

import numpy as np

from ein_mlir import array, fold_sum, function, where


@function
def program(picture, levels):
    counts = array(lambda c: fold_sum(lambda i, j: where(picture[i, j] == c, 1, 0)), size=levels)
    below = array(lambda c: fold_sum(lambda k: where(k <= c, counts[k], 0)), size=levels)
    pixels = picture.size(0) * picture.size(1)
    return array(lambda i, j: below[picture[i, j]] * (levels - 1) // pixels)


def by_hand(picture, levels):
    counts = np.bincount(picture.ravel(), minlength=levels)
    table = np.cumsum(counts) * (levels - 1) // picture.size
    return table[picture]


SMALL = 8


def data(size=1000):
    y, x = np.mgrid[:size, :size] / size
    noise = np.random.default_rng(0).normal(0.0, 4.0, (size, size))
    picture = 90.0 + 30.0 * np.sin(12.0 * x * y) + 10.0 * y + noise
    return np.clip(picture, 0, 255).astype(np.int64), 256


def draw(figure, arguments, result):
    left, right = figure.subplots(1, 2)
    left.imshow(arguments[0], cmap="gray", vmin=0, vmax=255)
    right.imshow(result, cmap="gray", vmin=0, vmax=255)
