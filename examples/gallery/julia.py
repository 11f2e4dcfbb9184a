"""A Julia set: how long points of the plane stay near zero. Fractals."""

from dataclasses import dataclass

import numpy as np

from ein_mlir import array, fold, function, where


@dataclass
class Complex:
    re: float
    im: float

    def __add__(self, other):
        return Complex(self.re + other.re, self.im + other.im)

    def __mul__(self, other):
        return Complex(
            self.re * other.re - self.im * other.im, self.re * other.im + self.im * other.re
        )

    def square(self):
        return self.re * self.re + self.im * self.im


@function
def program(x, y, steps):
    c = Complex(-0.79, 0.15)

    def at(i, j):
        def step(_, state):
            z, count = state
            near = z.square() <= 4.0
            moved = z * z + c
            z = Complex(where(near, moved.re, z.re), where(near, moved.im, z.im))
            return z, count + where(near, 1, 0)

        return fold((Complex(x[j], y[i]), 0), step, count=steps)[1]

    return array(at, size=(y.size(), x.size()))


def by_hand(x, y, steps):
    z = x[None, :] + 1j * y[:, None]
    counts = np.zeros(z.shape, np.int64)
    for _ in range(steps):
        near = z.real**2 + z.imag**2 <= 4.0
        z = np.where(near, z * z + (-0.79 + 0.15j), z)
        counts += near
    return counts


SMALL = 9


def data(size=300):
    return np.linspace(-1.6, 1.6, size), np.linspace(-1.0, 1.0, size), 80


def draw(figure, arguments, result):
    figure.subplots().imshow(result, cmap="twilight_shifted")
