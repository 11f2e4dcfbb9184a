"""A wave that passes two slits. Physics: leapfrog steps of the wave equation."""

import numpy as np

from ein_mlir import array, fold, function, where


@function
def program(open_, steps):
    n, m = open_.size(0), open_.size(1)

    def step(t, state):
        old, now = state

        def at(i, j):
            inside = (i > 0) & (i < n - 1) & (j > 0) & (j < m - 1) & open_[i, j]
            around = now[i - 1, j] + now[i + 1, j] + now[i, j - 1] + now[i, j + 1]
            value = 2.0 * now[i, j] - old[i, j] + 0.25 * (around - 4.0 * now[i, j])
            return where(j == 1, (0.3 * t.float()).sin(), where(inside, value, 0.0))

        return now, array(at, size=(n, m))

    zero = array(lambda i, j: 0.0, size=(n, m))
    return fold((zero, zero), step, count=steps)[1]


def by_hand(open_, steps):
    old, now = np.zeros(open_.shape), np.zeros(open_.shape)
    for t in range(steps):
        new = np.zeros(open_.shape)
        around = now[:-2, 1:-1] + now[2:, 1:-1] + now[1:-1, :-2] + now[1:-1, 2:]
        value = 2.0 * now[1:-1, 1:-1] - old[1:-1, 1:-1] + 0.25 * (around - 4.0 * now[1:-1, 1:-1])
        new[1:-1, 1:-1] = np.where(open_[1:-1, 1:-1], value, 0.0)
        new[:, 1] = np.sin(0.3 * t)
        old, now = now, new
    return now


SMALL = 15


def data(size=240):
    open_ = np.ones((size, size), bool)
    wall, width = size // 3, max(1, size // 40)
    open_[:, wall] = False
    for slit in (size // 2 - size // 10, size // 2 + size // 10):
        open_[slit - width : slit + width, wall] = True
    return open_, 2 * size


def draw(figure, arguments, result):
    figure.subplots().imshow(result, cmap="RdBu", vmin=-1, vmax=1)
