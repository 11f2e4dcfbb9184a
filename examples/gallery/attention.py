"""Causal attention with several heads. Deep learning: the layer of a transformer."""

import numpy as np

from ein_mlir import array, fold_max, fold_sum, function, where


@function
def program(q, k, v):
    """Queries, keys and values, by head, position and channel."""
    scale = 1.0 / q.size(2).float().sqrt()

    def score(h, i, j):
        return where(j <= i, scale * fold_sum(lambda d: q[h, i, d] * k[h, j, d]), -float("inf"))

    heads, length = q.size(0), q.size(1)
    scores = array(score, size=(heads, length, length))
    most = array(lambda h, i: fold_max(lambda j: scores[h, i, j]))
    weights = array(lambda h, i, j: (scores[h, i, j] - most[h, i]).exp())
    total = array(lambda h, i: fold_sum(lambda j: weights[h, i, j]))
    return array(lambda h, i, d: fold_sum(lambda j: weights[h, i, j] * v[h, j, d]) / total[h, i])


def by_hand(q, k, v):
    scores = q @ k.transpose(0, 2, 1) / np.sqrt(q.shape[2])
    scores = np.where(np.tril(np.ones(scores.shape[1:], bool)), scores, -np.inf)
    weights = np.exp(scores - scores.max(2, keepdims=True))
    return weights @ v / weights.sum(2, keepdims=True)


SMALL = 6


def data(size=256):
    rng = np.random.default_rng(7)
    q, k, v = rng.normal(size=(3, 8, size, 32))
    return q, k, v


def draw(figure, arguments, result):
    figure.subplots().imshow(result[0].T, aspect="auto", cmap="coolwarm")
