"""The Mandelbrot set: steps until points of the plane leave a circle. Fractals."""

import numpy as np

from ein_mlir import Complex, array, fold_while, function


@function
def program(x, y, limit):
    def steps(c):
        def step(state):
            z, count = state
            return z * z + c, count + 1

        def inside(state):
            z, count = state
            return (z.real * z.real + z.imag * z.imag <= 4.0) & (count < limit)

        return fold_while((Complex(0.0, 0.0), 0), inside, step)[1]

    return array(lambda i, j: steps(Complex(x[j], y[i])))


def by_hand(x, y, limit):
    c = x[None, :] + 1j * y[:, None]
    z, counts = np.zeros_like(c), np.zeros(c.shape, np.int64)
    for _ in range(limit):
        inside = z.real**2 + z.imag**2 <= 4.0
        z = np.where(inside, z * z + c, z)
        counts += inside
    return counts


SMALL = 9


def data(size=300):
    return np.linspace(-2.1, 0.6, size), np.linspace(-1.1, 1.1, size), 80


def draw(figure, arguments, result):
    figure.subplots().imshow(result, cmap="magma")
