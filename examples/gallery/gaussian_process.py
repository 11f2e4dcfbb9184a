"""Regression by a Gaussian process, with a factorisation of Cholesky. Statistics."""

import numpy as np

from ein_mlir import array, fold, fold_sum, function, where


def kernel(s, t):
    return (-((s - t) ** 2) / 0.5).exp()


def cholesky(a):
    n = a.size(0)

    def column(j, root):
        pivot = (a[j, j] - fold_sum(lambda k: root[j, k] ** 2, count=j)).sqrt()

        def entry(i):
            rest = a[i, j] - fold_sum(lambda k: root[i, k] * root[j, k], count=j)
            return where(i == j, pivot, where(i > j, rest / pivot, 0.0))

        new = array(entry, size=n)
        return array(lambda i, q: where(q == j, new[i], root[i, q]))

    return fold(array(lambda i, q: 0.0 * a[i, q]), column, count=n)


def forwards(root, b):
    def step(i, y):
        value = (b[i] - fold_sum(lambda k: root[i, k] * y[k], count=i)) / root[i, i]
        return array(lambda q: where(q == i, value, y[q]))

    return fold(b, step, count=b.size())


def backwards(root, b):
    n = b.size()

    def step(s, x):
        i = n - 1 - s
        rest = fold_sum(lambda k: where(k > i, root[k, i] * x[k], 0.0))
        value = (b[i] - rest) / root[i, i]
        return array(lambda q: where(q == i, value, x[q]))

    return fold(b, step, count=n)


@function
def program(x, y, at, noise):
    gram = array(lambda i, j: kernel(x[i], x[j]) + where(i == j, noise, 0.0))
    root = cholesky(gram)
    weights = backwards(root, forwards(root, y))
    return array(lambda p: fold_sum(lambda i: kernel(at[p], x[i]) * weights[i]))


def by_hand(x, y, at, noise):
    def kernel(s, t):
        return np.exp(-((s[:, None] - t[None, :]) ** 2) / 0.5)

    root = np.linalg.cholesky(kernel(x, x) + noise * np.eye(len(x)))
    weights = np.linalg.solve(root.T, np.linalg.solve(root, y))
    return kernel(at, x) @ weights


SMALL = 8


def data(size=150):
    rng = np.random.default_rng(3)
    x = np.sort(rng.uniform(-3.0, 3.0, size))
    return x, np.sin(2.0 * x) + rng.normal(0.0, 0.2, size), np.linspace(-3.2, 3.2, 4 * size), 0.04


def draw(figure, arguments, result):
    axes = figure.subplots()
    axes.plot(arguments[0], arguments[1], ".", markersize=3)
    axes.plot(arguments[2], result)
