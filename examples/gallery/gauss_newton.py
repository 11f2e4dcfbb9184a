"""A damped oscillation fitted to measurements: Gauss-Newton steps by derivatives. Optimisation."""

import numpy as np

from ein_mlir import array, cos, exp, fold, fold_sum, function, jacobian


def model(p, t):
    return p[0] * exp(-p[1] * t) * cos(p[2] * t + p[3])


@function
def program(p, t, y, steps):
    def residuals(p):
        return array(lambda i: model(p, t[i]) - y[i])

    def solve(a, b):
        """Eliminate the columns of a positive matrix, one after another."""

        def eliminate(k, state):
            a, b = state
            factor = array(lambda i: (a[i, k] - (i == k).float()) / a[k, k], size=b.size())
            rows = array(lambda i, j: a[i, j] - factor[i] * a[k, j], size=(b.size(), b.size()))
            return rows, array(lambda i: b[i] - factor[i] * b[k], size=b.size())

        return fold((a, b), eliminate, count=b.size())[1]

    def step(_, p):
        r, j = residuals(p), jacobian(residuals)(p)
        normal = array(lambda a, b: fold_sum(lambda i: j[i, a] * j[i, b]))
        slope = array(lambda a: fold_sum(lambda i: j[i, a] * r[i]))
        change = solve(normal, slope)
        return array(lambda a: p[a] - change[a])

    return fold(p, step, count=steps)


def by_hand(p, t, y, steps):
    for _ in range(steps):
        wave = np.exp(-p[1] * t)
        c, s = np.cos(p[2] * t + p[3]), np.sin(p[2] * t + p[3])
        r = p[0] * wave * c - y
        j = np.stack([wave * c, -p[0] * t * wave * c, -p[0] * t * wave * s, -p[0] * wave * s], 1)
        p = p - np.linalg.solve(j.T @ j, j.T @ r)
    return p


SMALL = 20


def data(size=2000):
    t = np.linspace(0, 6, size)
    y = 2.0 * np.exp(-0.4 * t) * np.cos(3.0 * t + 0.5)
    noise = 0.1 * np.random.default_rng(0).normal(size=size)
    return np.array([1.5, 0.3, 2.8, 0.3]), t, y + noise, 8


def draw(figure, arguments, result):
    p, t, y, _ = arguments
    axes = figure.subplots()
    axes.plot(t, y, ".", markersize=1)
    for q in (p, result):
        axes.plot(t, q[0] * np.exp(-q[1] * t) * np.cos(q[2] * t + q[3]))
