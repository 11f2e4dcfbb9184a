"""The table of scores of the alignments of two sequences."""

from __future__ import annotations

import builtins

import numpy as np

from ein_mlir import array, fold, function, max, where
from tests.agreement.cases.case import Case


@function
def needleman_wunsch(a, b, similarity, penalty):
    def row(p, table):
        def cell(q, table):
            best = max(
                table[p, q] + similarity[a[p], b[q]],
                table[p, q + 1] - penalty,
                table[p + 1, q] - penalty,
            )
            return array(lambda i, j: where((i == p + 1) & (j == q + 1), best, table[i, j]))

        return fold(table, cell, count=b.size())

    edges = array(
        lambda i, j: where(i == 0, -j * penalty, where(j == 0, -i * penalty, 0)),
        size=(a.size() + 1, b.size() + 1),
    )
    return fold(edges, row, count=a.size())


def inputs(n, dtype, rng):
    similarity = rng.integers(-3, 4, size=(4, 4))
    similarity += similarity.T + 6 * np.eye(4, dtype=np.int64)
    return rng.integers(0, 4, size=n), rng.integers(0, 4, size=n + n // 4), similarity, 5


def oracle(a, b, similarity, penalty):
    table = np.zeros((len(a) + 1, len(b) + 1), np.int64)
    for i in range(len(a) + 1):
        for j in range(len(b) + 1):
            ways = [-penalty * (i + j)] if i == 0 or j == 0 else []
            if i and j:
                ways.append(table[i - 1, j - 1] + similarity[a[i - 1], b[j - 1]])
                ways.append(table[i - 1, j] - penalty)
                ways.append(table[i, j - 1] - penalty)
            table[i, j] = np.max(ways)
    return table


def idiomatic(a, b, similarity, penalty):
    table = np.zeros((len(a) + 1, len(b) + 1), np.int64)
    table[:, 0] = -penalty * np.arange(len(a) + 1)
    table[0, :] = -penalty * np.arange(len(b) + 1)
    for i in range(1, len(a) + 1):
        for j in range(1, len(b) + 1):
            diagonal = table[i - 1, j - 1] + similarity[a[i - 1], b[j - 1]]
            gap = builtins.max(table[i - 1, j], table[i, j - 1]) - penalty
            table[i, j] = builtins.max(diagonal, gap)
    return table


def expert(a, b, similarity, penalty):
    """A row at a time: the gaps before a cell are a running maximum."""
    offsets = penalty * np.arange(len(b) + 1)
    table = np.empty((len(a) + 1, len(b) + 1), np.int64)
    table[0] = -offsets
    scores = similarity[:, b]
    for i, letter in enumerate(a):
        above, row = table[i], table[i + 1]
        row[0] = above[0] - penalty
        np.maximum(above[:-1] + scores[letter], above[1:] - penalty, out=row[1:])
        row += offsets
        np.maximum.accumulate(row, out=row)
        row -= offsets
    return table


def jax(a, b, similarity, penalty):
    import jax.numpy as jnp
    from jax import lax

    offsets = penalty * jnp.arange(len(b) + 1)

    def step(above, letter):
        best = jnp.maximum(above[:-1] + similarity[letter, b], above[1:] - penalty)
        row = jnp.concatenate([above[:1] - penalty, best])
        row = lax.cummax(row + offsets) - offsets
        return row, row

    rows = lax.scan(step, -offsets, a)[1]
    return jnp.concatenate([-offsets[None], rows])


def torch(a, b, similarity, penalty):
    import torch

    offsets = penalty * torch.arange(len(b) + 1, device=b.device)
    rows = [-offsets]
    for letter in a:
        above = rows[-1]
        best = torch.maximum(above[:-1] + similarity[letter, b], above[1:] - penalty)
        row = torch.cat([above[:1] - penalty, best])
        rows.append((row + offsets).cummax(dim=0).values - offsets)
    return torch.stack(rows)


CASE = Case(
    name="needleman-wunsch",
    about="Scores of the alignments of two sequences (Rodinia)",
    program=needleman_wunsch,
    inputs=inputs,
    large=200,
    sweep=(25, 50, 100, 200),
    oracle=oracle,
    idiomatic=idiomatic,
    expert=expert,
    jax=jax,
    torch=torch,
)
