"""A small network for series: strided convolution, pooling, a dense layer, log-softmax."""

from __future__ import annotations

import builtins

import numpy as np

from ein_mlir import array, exp, fold_max, fold_sum, function, log, max
from tests.agreement.cases.case import Case


@function
def conv_network(x, kernel, bias, dense):
    batch, taps = x.size(0), kernel.size(2)
    length = (x.size(2) - taps) // 2 + 1

    def convolved(b, o, t):
        total = fold_sum(
            lambda c: fold_sum(lambda k: kernel[o, c, k] * x[b, c, 2 * t + k], count=taps)
        )
        return max(bias[o] + total, 0.0)

    hidden = array(convolved, size=(batch, bias.size(), length))
    pooled = array(
        lambda b, o, t: max(hidden[b, o, 2 * t], hidden[b, o, 2 * t + 1]),
        size=(batch, bias.size(), length // 2),
    )
    logits = array(
        lambda b, c: fold_sum(lambda o: fold_sum(lambda t: pooled[b, o, t] * dense[c, o, t]))
    )

    def normalised(b):
        top = fold_max(lambda c: logits[b, c])
        total = fold_sum(lambda c: exp(logits[b, c] - top))
        return array(lambda c: logits[b, c] - top - log(total))

    return array(normalised, size=batch)


def inputs(n, dtype, rng):
    channels, filters, taps, classes, length = (4, 16, 5, 10, 128) if n > 5 else (2, 3, 5, 3, 13)
    pooled = ((length - taps) // 2 + 1) // 2
    shapes = (n, channels, length), (filters, channels, taps), filters, (classes, filters, pooled)
    return tuple(0.5 * rng.normal(size=shape).astype(dtype) for shape in shapes)


def oracle(x, kernel, bias, dense):
    filters, _, taps = kernel.shape
    length = (x.shape[2] - taps) // 2 + 1
    out = np.zeros((len(x), len(dense)), x.dtype)
    for b in range(len(x)):
        hidden = np.zeros((filters, length), x.dtype)
        for o in range(filters):
            for t in range(length):
                window = x[b, :, 2 * t : 2 * t + taps]
                hidden[o, t] = builtins.max(bias[o] + (kernel[o] * window).sum(), 0)
        for c in range(len(dense)):
            for o in range(filters):
                for t in range(length // 2):
                    out[b, c] += dense[c, o, t] * hidden[o, 2 * t : 2 * t + 2].max()
        out[b] -= np.log(np.exp(out[b]).sum())
    return out


def idiomatic(x, kernel, bias, dense):
    windows = np.lib.stride_tricks.sliding_window_view(x, kernel.shape[2], axis=2)[:, :, ::2]
    hidden = np.einsum("bctk,ock->bot", windows, kernel, optimize=True)
    hidden = np.maximum(hidden + bias[:, None], 0)
    even = hidden[:, :, : hidden.shape[2] // 2 * 2]
    pooled = np.maximum(even[:, :, ::2], even[:, :, 1::2])
    logits = pooled.reshape(len(x), dense[0].size) @ dense.reshape(len(dense), -1).T
    logits = logits - logits.max(axis=1, keepdims=True)
    return logits - np.log(np.exp(logits).sum(axis=1, keepdims=True))


def jax(x, kernel, bias, dense):
    import jax
    import jax.numpy as jnp
    from jax import lax

    hidden = lax.conv(x, kernel, (2,), "VALID") + bias[:, None]
    hidden = jnp.maximum(hidden, 0)
    low = x.dtype.type(-np.inf)
    pooled = lax.reduce_window(hidden, low, lax.max, (1, 1, 2), (1, 1, 2), "VALID")
    logits = pooled.reshape(len(x), dense[0].size) @ dense.reshape(len(dense), -1).T
    return jax.nn.log_softmax(logits)


def torch(x, kernel, bias, dense):
    from torch.nn.functional import conv1d, max_pool1d, relu

    pooled = max_pool1d(relu(conv1d(x, kernel, bias, stride=2)), 2)
    return (pooled.flatten(1) @ dense.flatten(1).T).log_softmax(dim=1)


CASE = Case(
    name="conv-network",
    about="Strided convolution, pooling, a dense layer and log-softmax (PyTorch tutorials)",
    program=conv_network,
    inputs=inputs,
    large=500,
    sweep=(60, 125, 250, 500),
    oracle=oracle,
    idiomatic=idiomatic,
    jax=jax,
    torch=torch,
)
