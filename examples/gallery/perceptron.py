"""Two spirals told apart by a network with one hidden layer, trained by our gradient. Learning."""

import numpy as np

from ein_mlir import array, exp, fold, fold_sum, function, grad, log1p, tanh


def scores(parameters, points):
    inner, bias, outer = parameters
    hidden = array(
        lambda i, h: tanh(bias[h] + fold_sum(lambda a: points[i, a] * inner[a, h])),
        (points.size(), bias.size()),
    )
    return array(lambda i: fold_sum(lambda h: hidden[i, h] * outer[h]))


@function
def program(parameters, points, labels, at, rate, steps):
    def loss(parameters):
        """The mean logistic loss; labels are 1 and -1."""
        score = scores(parameters, points)
        total = fold_sum(lambda i: log1p(exp(-labels[i] * score[i])))
        return total / labels.size().float()

    def step(_, parameters):
        inner, bias, outer = parameters
        to_inner, to_bias, to_outer = grad(loss)(parameters)
        return (
            array(lambda a, h: inner[a, h] - rate * to_inner[a, h]),
            array(lambda h: bias[h] - rate * to_bias[h]),
            array(lambda h: outer[h] - rate * to_outer[h]),
        )

    return scores(fold(parameters, step, count=steps), at)


def by_hand(parameters, points, labels, at, rate, steps):
    inner, bias, outer = parameters
    for _ in range(steps):
        hidden = np.tanh(points @ inner + bias)
        slope = -labels / (1 + np.exp(labels * (hidden @ outer))) / len(labels)
        back = np.outer(slope, outer) * (1 - hidden**2)
        inner, bias = inner - rate * points.T @ back, bias - rate * back.sum(axis=0)
        outer = outer - rate * hidden.T @ slope
    return np.tanh(at @ inner + bias) @ outer


SMALL = 9


def data(size=100, hidden=30):
    random = np.random.default_rng(0)
    angle = np.repeat(np.linspace(0.5, 2.6, size // 2 + 1), 2)
    labels = np.tile([1.0, -1.0], size // 2 + 1)
    points = labels[:, None] * np.stack([angle * np.cos(2 * angle), angle * np.sin(2 * angle)], 1)
    parameters = random.normal(size=(2, hidden)), random.normal(size=hidden), np.zeros(hidden)
    line = np.linspace(-2.7, 2.7, max(size // 2, 3))
    at = np.stack(np.meshgrid(line, line), 2).reshape(-1, 2)
    return parameters, points, labels, at, 2.0, 20 * size


def draw(figure, arguments, result):
    _, points, labels, at, _, _ = arguments
    axes = figure.subplots()
    side = int(len(at) ** 0.5)
    axes.contourf(at[:side, 0], at[:side, 0], np.reshape(result, (side, side)) > 0, alpha=0.4)
    axes.scatter(*points.T, c=labels, s=6, cmap="coolwarm")
