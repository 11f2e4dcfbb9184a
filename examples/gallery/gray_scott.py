"""Gray-Scott reaction and diffusion on a torus. Chemistry: patterns of two substances."""

import numpy as np

from ein_mlir import array, fold, function


@function
def program(u, v, steps):
    n, m = u.size(0), u.size(1)

    def laplacian(w, i, j):
        return (
            w[(i - 1) % n, j]
            + w[(i + 1) % n, j]
            + w[i, (j - 1) % m]
            + w[i, (j + 1) % m]
            - 4.0 * w[i, j]
        )

    def step(_, state):
        u, v = state
        reaction = array(lambda i, j: u[i, j] * v[i, j] ** 2)
        next_u = array(
            lambda i, j: (
                u[i, j] + 0.16 * laplacian(u, i, j) - reaction[i, j] + 0.06 * (1.0 - u[i, j])
            )
        )
        next_v = array(
            lambda i, j: v[i, j] + 0.08 * laplacian(v, i, j) + reaction[i, j] - 0.122 * v[i, j]
        )
        return next_u, next_v

    return fold((u, v), step, count=steps)[1]


def by_hand(u, v, steps):
    def laplacian(w):
        return np.roll(w, 1, 0) + np.roll(w, -1, 0) + np.roll(w, 1, 1) + np.roll(w, -1, 1) - 4.0 * w

    for _ in range(steps):
        reaction = u * v**2
        u, v = (
            u + 0.16 * laplacian(u) - reaction + 0.06 * (1.0 - u),
            v + 0.08 * laplacian(v) + reaction - 0.122 * v,
        )
    return v


SMALL = 14


def data(size=128):
    rng = np.random.default_rng(0)
    u = np.ones((size, size))
    v = np.zeros((size, size))
    middle = slice(size // 2 - size // 10, size // 2 + size // 10 + 1)
    u[middle, middle], v[middle, middle] = 0.5, 0.25
    v += 0.02 * rng.random((size, size))
    return u, v, 30 * size


def draw(figure, arguments, result):
    figure.subplots().imshow(result, cmap="magma")
