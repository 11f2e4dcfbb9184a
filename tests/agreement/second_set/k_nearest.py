"""Classes of points by a vote of their nearest neighbours."""

from __future__ import annotations

import numpy as np

from ein_mlir import array, fold, fold_argmax, fold_argmin, fold_sum, function, where
from tests.agreement.cases.case import Case

INFINITY = float("inf")
NEIGHBOURS, CLASSES, FEATURES = 5, 4, 6


@function
def k_nearest(train, labels, queries):
    def classify(q):
        distance = array(lambda i: fold_sum(lambda f: (train[i, f] - queries[q, f]) ** 2))

        def take(t, state):
            left, votes = state
            best = fold_argmin(lambda i: left[i])
            return (
                array(lambda i: where(i == best, INFINITY, left[i])),
                array(lambda c: votes[c] + where(labels[best] == c, 1, 0)),
            )

        nobody = array(lambda c: 0, size=CLASSES)
        votes = fold((distance, nobody), take, count=train.size().min(NEIGHBOURS))[1]
        return fold_argmax(lambda c: votes[c])

    return array(classify, size=queries.size())


def inputs(n, dtype, rng):
    centres = 2 * rng.normal(size=(CLASSES, FEATURES))
    labels = rng.integers(0, CLASSES, size=n)
    train = centres[labels] + rng.normal(size=(n, FEATURES))
    queries = centres[rng.integers(0, CLASSES, size=3 + n // 4)]
    queries = queries + rng.normal(size=queries.shape)
    return train.astype(dtype), labels, queries.astype(dtype)


def oracle(train, labels, queries):
    out = np.zeros(len(queries), np.int64)
    for q, query in enumerate(queries):
        order = sorted(range(len(train)), key=lambda i: sum((train[i] - query) ** 2))
        votes = [labels[i] for i in order[:NEIGHBOURS]]
        out[q] = max(range(CLASSES), key=votes.count)
    return out


def idiomatic(train, labels, queries):
    distance = ((queries[:, None, :] - train[None, :, :]) ** 2).sum(axis=2)
    nearest = np.argsort(distance, axis=1)[:, :NEIGHBOURS]
    votes = (labels[nearest][:, :, None] == np.arange(CLASSES)).sum(axis=1)
    return votes.argmax(axis=1)


def jax(train, labels, queries):
    import jax.numpy as jnp
    from jax import lax

    distance = ((queries[:, None, :] - train[None, :, :]) ** 2).sum(axis=2)
    nearest = lax.top_k(-distance, min(NEIGHBOURS, len(train)))[1]
    return (labels[nearest][:, :, None] == jnp.arange(CLASSES)).sum(axis=1).argmax(axis=1)


def torch(train, labels, queries):
    import torch

    distance = ((queries[:, None, :] - train[None, :, :]) ** 2).sum(dim=2)
    nearest = distance.topk(min(NEIGHBOURS, len(train)), largest=False).indices
    classes = torch.arange(CLASSES, device=labels.device)
    votes = (labels[nearest][:, :, None] == classes).sum(dim=1)
    return votes.argmax(dim=1)


CASE = Case(
    name="k-nearest",
    about="Classes by a vote of the nearest neighbours (scikit-learn, Rodinia NN)",
    program=k_nearest,
    inputs=inputs,
    large=1_200,
    sweep=(150, 300, 600, 1_200),
    oracle=oracle,
    idiomatic=idiomatic,
    jax=jax,
    torch=torch,
)
