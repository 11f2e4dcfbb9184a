"""The Lorenz attractor. Dynamical systems: the classical method of Runge and Kutta."""

from dataclasses import dataclass

import numpy as np

from ein_mlir import array, fold, function, where


@dataclass
class Point:
    x: float
    y: float
    z: float

    def __add__(self, other):
        return Point(self.x + other.x, self.y + other.y, self.z + other.z)

    def __rmul__(self, scale):
        return Point(scale * self.x, scale * self.y, scale * self.z)


def slope(p):
    return Point(10.0 * (p.y - p.x), p.x * (28.0 - p.z) - p.y, p.x * p.y - (8.0 / 3.0) * p.z)


def runge_kutta(p, h):
    k1 = slope(p)
    k2 = slope(p + 0.5 * h * k1)
    k3 = slope(p + 0.5 * h * k2)
    k4 = slope(p + h * k3)
    return p + (h / 6.0) * (k1 + 2.0 * k2 + 2.0 * k3 + k4)


@function
def program(start, h, steps):
    def step(t, state):
        path, p = state
        written = array(
            lambda s, c: where(s == t, where(c == 0, p.x, where(c == 1, p.y, p.z)), path[s, c])
        )
        return written, runge_kutta(p, h)

    empty = array(lambda s, c: 0.0 * h, size=(steps, 3))
    return fold((empty, Point(start[0], start[1], start[2])), step, count=steps)[0]


def by_hand(start, h, steps):
    path = np.zeros((steps, 3))
    p = Point(*start)
    for t in range(steps):
        path[t] = p.x, p.y, p.z
        p = runge_kutta(p, h)
    return path


SMALL = 20


def data(size=5000):
    return np.array([1.0, 1.0, 1.0]), 0.01, size


def draw(figure, arguments, result):
    figure.subplots().plot(result[:, 0], result[:, 2], linewidth=0.4)
