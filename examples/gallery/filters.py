"""A bank of low-pass filters of second order. Signals: recursive filters."""

import numpy as np

from ein_mlir import array, fold, function, where


@function
def program(signal, b, a):
    """``b`` and ``a`` have a row of three coefficients for each filter."""
    filters = b.size(0)

    def step(t, state):
        out, s1, s2 = state
        y = array(lambda f: b[f, 0] * signal[t] + s1[f], size=filters)
        next1 = array(lambda f: b[f, 1] * signal[t] - a[f, 1] * y[f] + s2[f], size=filters)
        next2 = array(lambda f: b[f, 2] * signal[t] - a[f, 2] * y[f], size=filters)
        return array(lambda q, f: where(q == t, y[f], out[q, f])), next1, next2

    zero = array(lambda f: 0.0, size=filters)
    empty = array(lambda q, f: 0.0, size=(signal.size(), filters))
    return fold((empty, zero, zero), step, count=signal.size())[0]


def by_hand(signal, b, a):
    out = np.zeros((len(signal), len(b)))
    s1, s2 = np.zeros(len(b)), np.zeros(len(b))
    for t, x in enumerate(signal):
        y = b[:, 0] * x + s1
        s1 = b[:, 1] * x - a[:, 1] * y + s2
        s2 = b[:, 2] * x - a[:, 2] * y
        out[t] = y
    return out


SMALL = 30


def data(size=4000):
    rng = np.random.default_rng(4)
    signal = np.sign(np.sin(np.arange(size) / 60.0)) + rng.normal(0.0, 0.3, size)
    cut = np.tan(np.pi * np.array([0.005, 0.02, 0.08]))
    norm = 1.0 / (1.0 + np.sqrt(2.0) * cut + cut**2)
    b = np.stack([cut**2 * norm, 2.0 * cut**2 * norm, cut**2 * norm], 1)
    a = np.stack(
        [np.ones(3), 2.0 * (cut**2 - 1.0) * norm, (1.0 - np.sqrt(2.0) * cut + cut**2) * norm], 1
    )
    return signal, b, a


def draw(figure, arguments, result):
    axes = figure.subplots()
    axes.plot(arguments[0][:600], color="0.8")
    axes.plot(result[:600])
