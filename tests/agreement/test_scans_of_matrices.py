"""Loops over arrays of steps that carry a matrix, whose elements are scans where they are few."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ein_mlir import array, fold, fold_sum, function, max, scan, vjp, where
from tests.agreement.comparison import assert_call_agrees
from tests.libraries import BACKENDS

TOLERANCE = {"float64": 1e-11, "float32": 1e-4}


@function
def causal(q: Any, k: Any, v: Any) -> Any:
    """Attention without a softmax: sums of outer products up to each step."""
    zero = array(lambda a, b: 0.0, size=(k.size(1), v.size(1)))
    outer = array(
        lambda t: array(lambda a, b: k[t, a] * v[t, b], size=(k.size(1), v.size(1))),
        size=k.size(0),
    )
    sums = scan(outer, zero, lambda x, y: array(lambda a, b: x[a, b] + y[a, b]))
    return array(
        lambda t, b: fold_sum(lambda a: q[t, a] * sums[t, a, b]), size=(q.size(0), v.size(1))
    )


@function
def trace_of_largest(q: Any, k: Any, v: Any) -> Any:
    """The largest products so far, and what they are in each step, with others beside them."""
    rows, columns = k.size(1), v.size(1)

    def step(t: Any, state: Any) -> Any:
        best, total, out = state
        best = array(lambda a, b: max(best[a, b], k[t, a] * v[t, b]), size=(rows, columns))
        total = total * 0.5 + fold_sum(lambda a, b: best[a, b] * q[t, a])
        return best, total, array(lambda s: where(s == t, total, out[s]), size=q.size(0))

    start = array(lambda a, b: -1.0, size=(rows, columns))
    return fold((start, 0.0, array(lambda s: 0.0, size=q.size(0))), step, count=q.size(0))


def arguments(steps: int, rows: int, columns: int) -> list[Any]:
    rng = np.random.default_rng([steps, rows, columns])
    return [rng.normal(size=(steps, n)) for n in (rows, rows, columns)]


SIZES = [(0, 2, 3), (1, 1, 1), (4, 0, 2), (4, 2, 0), (5, 2, 3), (40, 3, 2), (3, 20, 30)]


@pytest.mark.parametrize("sizes", SIZES)
@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("program", [causal, trace_of_largest], ids=lambda p: p.__name__)
def test_values(program: Any, backend: str, sizes: tuple[int, int, int]) -> None:
    assert_call_agrees(program, arguments(*sizes), backend, TOLERANCE)


@pytest.mark.parametrize("sizes", SIZES)
def test_recorded(sizes: tuple[int, int, int]) -> None:
    """The derivatives that PyTorch records are those of the compiler."""
    torch = pytest.importorskip("torch")
    arrays = arguments(*sizes)
    tensors = [torch.from_numpy(each.copy()).requires_grad_() for each in arrays]
    result: Any = causal(*tensors)
    expected, pullback = vjp(causal, *arrays)
    np.testing.assert_allclose(result.detach().numpy(), expected, 1e-10, 1e-10)
    weights = np.random.default_rng(0).normal(size=result.shape)
    if result.requires_grad:
        result.backward(torch.from_numpy(weights))
    for tensor, cotangent in zip(tensors, pullback(weights), strict=True):
        found = np.zeros(tensor.shape) if tensor.grad is None else tensor.grad.numpy()
        np.testing.assert_allclose(found, cotangent, 1e-10, 1e-10)
