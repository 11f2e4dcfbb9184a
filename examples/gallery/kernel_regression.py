"""A curve through noisy points: ridge regression with a kernel, by conjugate gradients. Fits."""

import numpy as np

from ein_mlir import array, fold, fold_sum, function


def kernel(x, y):
    return (-50.0 * (x - y) * (x - y)).exp()


@function
def program(x, y, noise, at, steps):
    def times(v):
        return array(lambda i: noise * v[i] + fold_sum(lambda j: kernel(x[i], x[j]) * v[j]))

    def dot(u, v):
        return fold_sum(lambda i: u[i] * v[i])

    def step(_, state):
        w, r, p, square = state
        product = times(p)
        length = square / (dot(p, product) + 1e-300)
        w = array(lambda i: w[i] + length * p[i])
        r = array(lambda i: r[i] - length * product[i])
        after = dot(r, r)
        return w, r, array(lambda i: r[i] + after / (square + 1e-300) * p[i]), after

    zeros = array(lambda i: 0.0 * y[i])
    weights = fold((zeros, y, y, dot(y, y)), step, count=steps)[0]
    return array(lambda k: fold_sum(lambda j: kernel(at[k], x[j]) * weights[j]))


def by_hand(x, y, noise, at, steps):
    def kernel(x, y):
        return np.exp(-50.0 * (x[:, None] - y[None, :]) ** 2)

    weights = np.linalg.solve(kernel(x, x) + noise * np.eye(len(x)), y)
    return kernel(at, x) @ weights


SMALL = 9


def data(size=200):
    random = np.random.default_rng(0)
    x = np.sort(random.uniform(size=size))
    y = np.sin(8 * x) + 0.2 * random.normal(size=size)
    return x, y, 0.1, np.linspace(0, 1, 2 * size), 60


def draw(figure, arguments, result):
    x, y, _, at, _ = arguments
    axes = figure.subplots()
    axes.plot(x, y, ".", at, result)
