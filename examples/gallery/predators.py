"""Predators and prey, and the change of their paths with births: a tangent. Physics."""

import numpy as np

from ein_mlir import array, fold, function, jvp, where


def slope(rate, x, y):
    return rate * x - x * y, x * y - y


@function
def program(rate, x, y, steps, h):
    def path(rate):
        def step(k, state):
            x, y, xs = state
            dx, dy = slope(rate, x, y)
            mx, my = slope(rate, x + 0.5 * h * dx, y + 0.5 * h * dy)
            x, y = x + h * mx, y + h * my
            return x, y, array(lambda i: where(i == k, x, xs[i]))

        nothing = array(lambda i: 0.0 * x, size=steps)
        return fold((x, y, nothing), step, count=steps)[2]

    return jvp(path, (rate,), (1.0,))


def by_hand(rate, x, y, steps, h):
    rate = rate + 1e-30j  # a derivative by a complex step
    xs = np.empty(steps, np.complex128)
    for k in range(steps):
        dx, dy = slope(rate, x, y)
        mx, my = slope(rate, x + 0.5 * h * dx, y + 0.5 * h * dy)
        x, y = x + h * mx, y + h * my
        xs[k] = x
    return xs.real, xs.imag / 1e-30


SMALL = 9


def data(size=2000):
    return 1.1, 0.5, 0.5, size, 0.01


def draw(figure, arguments, result):
    prey, tangent = result
    axes = figure.subplots()
    axes.plot(prey, label="prey")
    axes.plot(prey + 0.05 * np.asarray(tangent), label="with more births")
    axes.legend()
