"""The triangle of Sierpinski: a point that jumps half the way to random corners. Fractals."""

import numpy as np

from ein_mlir import accumulate, array, fold, function, where

CORNERS = np.array([[0.0, 0.0], [1.0, 0.0], [0.5, 1.0]])


@function
def program(jumps, corners, size):
    def step(k, state):
        x, y, path = state
        corner = corners[jumps[k]]
        x, y = 0.5 * (x + corner[0]), 0.5 * (y + corner[1])
        return x, y, array(lambda i: (where(i == k, x, path[i][0]), where(i == k, y, path[i][1])))

    nowhere = array(lambda i: (0.0, 0.0), size=jumps.size())
    path = fold((0.0, 0.0, nowhere), step)[2]
    scale = size.float()
    return accumulate(
        lambda k: (((path[k][1] * scale).int(), (path[k][0] * scale).int()), 1), (size, size)
    )


def by_hand(jumps, corners, size):
    counts = np.zeros((size, size), np.int64)
    point = np.zeros(2)
    for jump in jumps:
        point = 0.5 * (point + corners[jump])
        counts[int(point[1] * size), int(point[0] * size)] += 1
    return counts


SMALL = 9


def data(size=150):
    return np.random.default_rng(0).integers(0, 3, 200 * size), CORNERS, size


def draw(figure, arguments, result):
    figure.subplots().imshow(result > 0, cmap="Greys", origin="lower")
