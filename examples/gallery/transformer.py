"""A transformer of one layer learns to reverse its input, by our gradient. Deep learning."""

from typing import NamedTuple

import numpy as np

from ein_mlir import Float, Vec, array, exp, fold, fold_max, fold_sum, function, grad, log, tanh


class Weights(NamedTuple):
    """Tokens and positions, queries, keys and values, and the two layers behind."""

    token: Vec[Vec[Float]]
    place: Vec[Vec[Float]]
    query: Vec[Vec[Float]]
    key: Vec[Vec[Float]]
    value: Vec[Vec[Float]]
    inner: Vec[Vec[Float]]
    outer: Vec[Vec[Float]]


def product(a, b):
    return array(lambda i, j: fold_sum(lambda k: a[i, k] * b[k, j]))


def softmax(x):
    most = fold_max(lambda j: x[j])
    weights = array(lambda j: exp(x[j] - most))
    total = fold_sum(lambda j: weights[j])
    return array(lambda j: weights[j] / total)


def attention(w, x):
    """How much each position of a text reads of each other."""
    query, key = product(x, w.query), product(x, w.key)
    scale = w.token.size(1).float().sqrt()

    def weight(i, j):
        return fold_sum(lambda d: query[i, d] * key[j, d]) / scale

    return array(lambda i: softmax(array(lambda j: weight(i, j))))


def embedded(w, text):
    return array(lambda i, d: w.token[text[i], d] + w.place[i, d])


def scores(w, text):
    """For each position the score of each token."""
    x = embedded(w, text)
    read = product(attention(w, x), product(x, w.value))
    h = array(lambda i, d: x[i, d] + read[i, d])
    more = product(h, w.inner)
    more = product(array(lambda i, k: tanh(more[i, k])), w.outer)
    return array(lambda i, t: fold_sum(lambda d: (h[i, d] + more[i, d]) * w.token[t, d]))


@function
def program(w: Weights, texts: Vec[Vec[int]], rate: Float, steps: int):
    n = texts.size(1)

    def loss(w):
        """The mean cross entropy of the tokens of the reversed texts."""

        def of_text(b):
            found = scores(w, texts[b])

            def of_token(i):
                most = fold_max(lambda t: found[i, t])
                total = fold_sum(lambda t: exp(found[i, t] - most))
                return most + log(total) - found[i, texts[b, n - 1 - i]]

            return fold_sum(of_token, count=n)

        return fold_sum(of_text) / (texts.size(0) * n).float()

    def moved(own, by):
        return array(lambda i, j: own[i, j] - rate * by[i, j])

    def step(_, w):
        slope = grad(loss)(w)
        return Weights(*(moved(own, by) for own, by in zip(w, slope, strict=True)))

    w = fold(w, step, count=steps)
    found = array(lambda b: attention(w, embedded(w, texts[b])))
    return array(lambda i, j: fold_sum(lambda b: found[b, i, j]) / texts.size(0).float())


def normalised(x):
    weights = np.exp(x - x.max(axis=-1, keepdims=True))
    return weights / weights.sum(axis=-1, keepdims=True)


def by_hand(w, texts, rate, steps):
    for _ in range(steps):
        w = Weights(*(own - rate * slope for own, slope in zip(w, slopes(w, texts), strict=True)))
    x = w.token[texts] + w.place
    return normalised(x @ w.query @ (x @ w.key).swapaxes(1, 2) / len(w.query) ** 0.5).mean(axis=0)


def slopes(w, texts):
    x, scale = w.token[texts] + w.place, len(w.query) ** -0.5
    q, k, v = x @ w.query, x @ w.key, x @ w.value
    a = normalised(q @ k.swapaxes(1, 2) * scale)
    h = x + a @ v
    m = np.tanh(h @ w.inner)
    z = h + m @ w.outer
    p = normalised(z @ w.token.T)
    target = texts[:, ::-1, None]
    np.put_along_axis(p, target, np.take_along_axis(p, target, 2) - 1, 2)
    p /= texts.size
    dz = p @ w.token
    dm = dz @ w.outer.T * (1 - m * m)
    dh = dz + dm @ w.inner.T
    da, dv = dh @ v.swapaxes(1, 2), a.swapaxes(1, 2) @ dh
    ds = a * (da - (da * a).sum(axis=2, keepdims=True)) * scale
    dq, dk = ds @ k, ds.swapaxes(1, 2) @ q
    dx = dh + dq @ w.query.T + dk @ w.key.T + dv @ w.value.T
    token = np.einsum("bit,bid->td", p, z)
    np.add.at(token, texts, dx)
    pairs = ((x, dq), (x, dk), (x, dv), (h, dm), (m, dz))
    return token, dx.sum(axis=0), *(np.einsum("bij,bik->jk", *pair) for pair in pairs)


SMALL = 3


def data(size=8):
    random = np.random.default_rng(0)
    tokens, width = size + 2, 2 * size
    shapes = ((tokens, width), (size, width), *[(width, width)] * 5)
    weights = Weights(*(random.normal(size=shape) * shape[1] ** -0.5 for shape in shapes))
    return weights, random.integers(0, tokens, (8 * size, size)), 1.0, 50 * size


def draw(figure, arguments, result):
    axes = figure.subplots()
    axes.matshow(result, cmap="viridis")
    axes.set_xlabel("position that is read")
    axes.set_ylabel("position that is written")
