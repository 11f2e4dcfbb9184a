"""Heat in a plate with fixed edges. Physics: finite differences of the heat equation."""

import numpy as np

from ein_mlir import array, fold, function, where


@function
def program(u, steps):
    rows, columns = u.size(0), u.size(1)

    def step(_, u):
        def at(i, j):
            inside = (i > 0) & (i < rows - 1) & (j > 0) & (j < columns - 1)
            around = u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1]
            return where(inside, u[i, j] + 0.24 * (around - 4.0 * u[i, j]), u[i, j])

        return array(at, size=(rows, columns))

    return fold(u, step, count=steps)


def by_hand(u, steps):
    u = u.copy()
    for _ in range(steps):
        around = u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:]
        u[1:-1, 1:-1] += 0.24 * (around - 4.0 * u[1:-1, 1:-1])
    return u


SMALL = 12


def data(size=400):
    u = np.zeros((size, size))
    u[0], u[:, 0] = 1.0, 0.5
    u[size // 3 : size // 2, size // 3 : size // 2] = 2.0
    return u, size


def draw(figure, arguments, result):
    figure.subplots().imshow(result, cmap="inferno")
