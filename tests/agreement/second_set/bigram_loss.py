"""The cross entropy of the next word under a model of pairs of words."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from ein_mlir import array, exp, fold_max, fold_sum, function, log
from tests.agreement.cases.case import Case


@function
def bigram_loss(words, embedding, output):
    """The mean over all words but the last, whose successors are to be predicted."""
    count = words.size() - 1
    logits = array(
        lambda i, w: fold_sum(lambda e: embedding[words[i], e] * output[e, w]),
        size=(count, output.size(1)),
    )

    def loss(i):
        top = fold_max(lambda w: logits[i, w])
        total = fold_sum(lambda w: exp(logits[i, w] - top))
        return top + log(total) - logits[i, words[i + 1]]

    return fold_sum(lambda i: loss(i), count=count) / count.max(1).float()


def inputs(n, dtype, rng):
    vocabulary, width = (1000, 32) if n > 5 else (6, 3)
    embedding = rng.normal(size=(vocabulary, width)).astype(dtype)
    output = rng.normal(size=(width, vocabulary)).astype(dtype)
    return rng.integers(0, vocabulary, size=n + 1), embedding, output


def oracle(words, embedding, output):
    total = embedding.dtype.type(0)
    for word, following in pairwise(words):
        logits = [sum(embedding[word] * column) for column in output.T]
        total += np.log(sum(np.exp(x) for x in logits)) - logits[following]
    return total / embedding.dtype.type(max(len(words) - 1, 1))


def idiomatic(words, embedding, output):
    logits = embedding[words[:-1]] @ output
    logits = logits - logits.max(axis=1, keepdims=True)
    chosen = logits[np.arange(len(logits)), words[1:]]
    return (np.log(np.exp(logits).sum(axis=1)) - chosen).mean()


def jax(words, embedding, output):
    import jax
    import jax.numpy as jnp

    scores = jax.nn.log_softmax(embedding[words[:-1]] @ output)
    return -jnp.take_along_axis(scores, words[1:, None], axis=1).mean()


def torch(words, embedding, output):
    from torch.nn.functional import cross_entropy

    return cross_entropy(embedding[words[:-1]] @ output, words[1:])


CASE = Case(
    name="bigram-loss",
    about="Embedding, logits and cross entropy of the next word (PyTorch and JAX tutorials)",
    program=bigram_loss,
    inputs=inputs,
    large=4_000,
    sweep=(500, 1_000, 2_000, 4_000),
    oracle=oracle,
    idiomatic=idiomatic,
    jax=jax,
    torch=torch,
)
