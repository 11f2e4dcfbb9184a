"""The most likely states of a hidden Markov model."""

from __future__ import annotations

import numpy as np

from ein_mlir import array, fold, fold_argmax, fold_max, function, where
from tests.agreement.cases.case import Case


@function
def viterbi(start, transition, emission, observed):
    """Arguments are logarithms of probabilities; a transition precedes each observation."""
    length, states = observed.size(), start.size()

    def forward(t, state):
        score, back = state
        best = array(
            lambda s: fold_max(lambda r: score[r] + transition[r, s]) + emission[s, observed[t]]
        )
        origin = array(lambda s: fold_argmax(lambda r: score[r] + transition[r, s]), size=states)
        return best, array(lambda u, s: where(u == t, origin[s], back[u, s]))

    nowhere = array(lambda t, s: 0, size=(length, states))
    score, back = fold((start, nowhere), forward, count=length)

    def backward(k, state):
        here, path = state
        t = length - 1 - k
        return back[t, here], array(lambda u: where(u == t, here, path[u]))

    last = fold_argmax(lambda s: score[s])
    return fold((last, array(lambda t: 0, size=length)), backward, count=length)[1]


def inputs(n, dtype, rng):
    states = 3 + n // 16
    start, transition, emission = (
        np.log(rng.dirichlet(np.ones(shape[-1]), size=shape[:-1])).astype(dtype)
        for shape in ((states,), (states, states), (states, 6))
    )
    return start, transition, emission, rng.integers(0, 6, size=n)


def oracle(start, transition, emission, observed):
    scores, origins = list(start), []
    for letter in observed:
        ways = [[scores[r] + x for r, x in enumerate(column)] for column in transition.T]
        origins.append([way.index(max(way)) for way in ways])
        scores = [max(way) + emission[s, letter] for s, way in enumerate(ways)]
    state, path = scores.index(max(scores)), []
    for origin in reversed(origins):
        path.insert(0, state)
        state = origin[state]
    return np.array(path, np.int64)


def idiomatic(start, transition, emission, observed):
    score = start
    back = np.zeros((len(observed), len(start)), np.int64)
    for t, letter in enumerate(observed):
        ways = score[:, None] + transition
        back[t] = ways.argmax(axis=0)
        score = ways.max(axis=0) + emission[:, letter]
    path = np.zeros(len(observed), np.int64)
    state = score.argmax()
    for t in reversed(range(len(observed))):
        path[t] = state
        state = back[t, state]
    return path


def jax(start, transition, emission, observed):
    from jax import lax

    def forward(score, letter):
        ways = score[:, None] + transition
        return ways.max(axis=0) + emission[:, letter], ways.argmax(axis=0)

    score, back = lax.scan(forward, start, observed)
    return lax.scan(lambda s, row: (row[s], s), score.argmax(), back, reverse=True)[1]


def torch(start, transition, emission, observed):
    import torch

    score, back = start, []
    for letter in observed:
        best = (score[:, None] + transition).max(dim=0)
        back.append(best.indices)
        score = best.values + emission[:, letter]
    path = torch.zeros_like(observed)
    state = score.argmax()
    for t in reversed(range(len(observed))):
        path[t] = state
        state = back[t][state]
    return path


CASE = Case(
    name="viterbi",
    about="The most likely states of a hidden Markov model (NPBench-like, tutorials)",
    program=viterbi,
    inputs=inputs,
    large=1_000,
    sweep=(125, 250, 500, 1_000),
    oracle=oracle,
    idiomatic=idiomatic,
    jax=jax,
    torch=torch,
)
