"""Extremes of the parts of an array that a mask selects, one part at a time, on every backend."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from ein_mlir import array, fold, fold_max, fold_min, fold_sum, function, where
from ein_mlir.entry import parse
from ein_mlir.pipelines import TORCH_UNGUARDED, run_pipeline
from ein_mlir.targets.python.printer import python_source
from tests.agreement.comparison import assert_agree, assert_call_agrees
from tests.libraries import BACKENDS, needs
from tests.selection import sizes_on


def erosion(x, m):
    return array(
        lambda i, j: fold_min(
            lambda a: fold_min(lambda b: where(m[a, b], x[i + a - 1, j + b - 1], np.inf))
        ),
        size=(x.size(0), x.size(1)),
    )


def dilation(x, m):
    """Where the mask selects, or does not; infinities of the other sign are no identity."""
    return array(
        lambda i: (
            fold_max(lambda a: where(m[a, 0], x[i, a + 1], -np.inf)),
            fold_max(lambda a: where(m[a, 0], -np.inf, x[i, a + 1])),
            fold_min(lambda a: where(m[a, 0], x[i, a + 1], -np.inf)),
        ),
        size=x.size(0),
    )


PROGRAMS: list[Callable[..., Any]] = [erosion, dilation]


def given(n: int, k: int) -> tuple[Any, Any]:
    rng = np.random.default_rng(n + k)
    x = rng.normal(size=(n, n))
    x[rng.random((n, n)) < 0.1] = np.nan
    return x, rng.random((k, k)) < 0.6


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("program", PROGRAMS)
def test_extremes_of_selected_parts(program: Callable[..., Any], backend: str) -> None:
    run = function(program)
    for n, k in sizes_on(backend, ((0, 2), (1, 1), (5, 3), (4, 7), (3, 0))):
        expected = run.eval(*given(n, k), backend="naive")
        assert_agree(run.eval(*given(n, k), backend=backend), expected, {"float64": 0.0})


@needs("torch")
def test_derivatives_and_vmap_of_pytorch() -> None:
    import torch

    run = function(erosion)
    x, m = map(torch.from_numpy, given(5, 3))
    x = torch.arange(25.0).reshape(5, 5).double() % 7.3

    def eroded(x: Any) -> Any:
        return run(x, m)

    assert torch.autograd.gradcheck(eroded, (x.requires_grad_(),))
    both = torch.func.vmap(run, (None, 0))(x.detach(), torch.stack([m, ~m]))
    torch.testing.assert_close(both[1], run(x.detach(), ~m))


def test_pytorch_leaves_out_what_changes_nothing() -> None:
    def opening(x: Any, m: Any) -> Any:
        k = m.size(0)
        return array(
            lambda i, j: fold_min(
                lambda a: fold_min(lambda b: where(m[a, b], x[i + a, j + b], np.inf), count=k),
                count=k,
            ),
            size=(x.size(0), x.size(1)),
        )

    module = parse(str(function(opening).phi(*given(5, 3))))
    run_pipeline(module, TORCH_UNGUARDED)
    source = python_source(module)
    assert "torch.minimum(" in source
    assert "torch.full_like(" not in source


@pytest.mark.parametrize("backend", BACKENDS)
def test_clamps_as_choices(backend: str) -> None:
    """Choices between an Int and a number that it is compared with are extremes."""

    def filtered(k: Any, u: Any) -> Any:
        def term(t: Any, j: Any) -> Any:
            return where(j <= t, k[j] * u[where(t - j < 0, 0, t - j)], 0.0)

        n = u.size()
        return array(lambda t: fold_sum(lambda j: term(t, j), count=n), size=n)

    def waits(a: Any) -> Any:
        def step(k: Any, state: Any) -> Any:
            wait, out = state
            later = wait + a[k]
            later = where(later < 0, 0, later)
            return later, array(lambda j: where(j == k, later, out[j]), size=a.size())

        return fold((0, array(lambda j: 0, size=a.size())), step, count=a.size())[1]

    for n in sizes_on(backend, (0, 1, 2, 7)):
        rng = np.random.default_rng(n)
        pairs = rng.normal(size=n), rng.normal(size=n)
        assert_call_agrees(function(filtered), pairs, backend, {"float64": 1e-12})
        assert_call_agrees(function(waits), (rng.integers(-4, 5, n),), backend, {})
