"""Sums of products with windows of an array, one for each index, on every backend."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from ein_mlir import Function, array, exp, fold_max, fold_sum, function, where
from tests.agreement.comparison import assert_agree
from tests.libraries import BACKENDS, needs
from tests.selection import sizes_on


def scores(q, x, w):
    """Windows ahead, behind and at distances, beyond both ends."""
    n = q.size(0)

    def at(p):
        return lambda i, j: fold_sum(lambda c: q[i, c] * x[p(i, j), c])

    return (
        array(at(lambda i, j: i + j - w), size=(n, 2 * w + 1)),
        array(at(lambda i, j: i - j), size=(n, w)),
        array(at(lambda i, j: 3 * j + i - 2), size=(n, w)),
    )


def averages(q, x, w):
    """The sum is over the places in a window; those beyond the start count for nothing."""

    def row(i, c):
        def score(o):
            s = fold_sum(lambda e: q[i, e] * x[i - o, e])
            return where(i >= o, s, -np.inf)

        m = fold_max(score, count=w)
        z = fold_sum(lambda o: exp(score(o) - m), count=w)
        terms = fold_sum(lambda o: exp(score(o) - m) * where(i >= o, x[i - o, c], 0.0), count=w)
        return terms / z

    return array(row, size=(q.size(0), q.size(1)))


def heads(q, x, w):
    """Two axes of indices, of which one has no windows; and windows along the last axis."""
    n, d = q.shape
    s = array(
        lambda h, i, j: fold_sum(lambda c: q[i, c] * x[i + j, c] + 0.0 * x[h, c]), size=(2, n, w)
    )
    t = array(lambda h, i, j: q[h % n, i % d] + j.float(), size=(2, n, w))
    y = array(lambda h, i, c: x[i, c] + h.float(), size=(2, n, d))
    out = array(lambda h, i, c: fold_sum(lambda j: t[h, i, j] * y[h, i + j - 1, c], count=w))
    rows = array(lambda i, c: x[c, i], size=(x.size(1), x.size(0)))
    last = array(lambda i, j: fold_sum(lambda c: q[i, c] * rows[c, i + j - 1]), size=(n, w))
    return s, out, last


def ints(q, x, w):
    """Products of Ints, which are no contractions of a library."""
    return array(
        lambda i, j: fold_sum(lambda c: q[i, c].int() * x[i + j, c].int()), size=(q.size(0), w)
    )


PROGRAMS: list[Callable[..., Any]] = [scores, averages, heads, ints]


def given(n: int, d: int) -> tuple[Any, Any]:
    rng = np.random.default_rng(n + d)
    return rng.normal(size=(n, d)), rng.normal(size=(n, d))


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("program", PROGRAMS)
def test_products_of_windows(program: Callable[..., Any], backend: str) -> None:
    run = function(program)
    for n, d, w in sizes_on(backend, ((0, 2, 2), (1, 1, 1), (5, 3, 2), (4, 2, 9), (3, 0, 0))):
        if w == 0 and program is averages:
            continue
        expected = run.eval(*given(n, d), w, backend="naive")
        assert_agree(run.eval(*given(n, d), w, backend=backend), expected, {"float64": 1e-12})


@needs("torch")
@pytest.mark.parametrize("program", [scores, averages, heads])
def test_derivatives_and_vmap_of_pytorch(program: Callable[..., Any]) -> None:
    import torch

    run: Function[..., Any] = function(program)
    q, x = map(torch.from_numpy, given(4, 2))

    def leaves(q: Any, x: Any) -> tuple[Any, ...]:
        found = run(q, x, 3)
        return found if isinstance(found, tuple) else (found,)

    assert torch.autograd.gradcheck(leaves, (q.requires_grad_(), x.requires_grad_()))
    q, x = q.detach(), x.detach()
    both = torch.func.vmap(leaves, (0, None))(torch.stack([q, 2 * q]), x)
    for k, each in enumerate((q, 2 * q)):
        for found, expected in zip(both, leaves(each, x), strict=True):
            torch.testing.assert_close(found[k], expected)


@needs("torch")
def test_large_stacks_in_parts() -> None:
    import torch

    n, d, w = 600, 32, 40
    rng = np.random.default_rng(0)
    q, x = rng.normal(size=(3, n, d)), rng.normal(size=(3, n, d))

    @function
    def scores_of_heads(q, x):
        return array(
            lambda h, i, j: fold_sum(lambda c: q[h, i, c] * x[h, i + j, c]), size=(3, n, w)
        )

    places = np.minimum(np.arange(n)[:, None] + np.arange(w), n - 1)
    expected = np.einsum("hic,hijc->hij", q, x[:, places])
    found = scores_of_heads(torch.from_numpy(q), torch.from_numpy(x))
    np.testing.assert_allclose(found.numpy(), expected, rtol=1e-9, atol=1e-9)
