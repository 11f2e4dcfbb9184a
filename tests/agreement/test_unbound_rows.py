"""Loops that read rows of arrays, with derivatives that PyTorch records."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ein_mlir import Float, Vec, array, fold, fold_sum, function, tanh, vjp


@function
def recurrent(x: Vec[Vec[Float]], w: Vec[Vec[Float]]):
    """The last state of a recurrent layer."""

    def step(t, h):
        return array(lambda j: tanh(x[t, j] + fold_sum(lambda k: w[j, k] * h[k])))

    return fold(array(lambda j: 0.0, size=w.size(0)), step, count=x.size(0))


@function
def advantages(x: Vec[Vec[Float]], w: Vec[Vec[Float]]):
    """Discounted sums from the end of each row, with the value after each."""
    steps = x.size(1)

    def row(b):
        def step(k, state):
            result, last = state
            i = steps - 1 - k
            last = x[b, i] * w[0, i + 1] - w[0, i] + 0.9 * last * tanh(last)
            return array(lambda j: (j == i).where(last, result[j])), last

        return fold((array(lambda j: 0.0, size=steps), 0.0), step, count=steps)[0]

    return array(row, size=x.size(0))


@function
def repeated(x: Vec[Vec[Float]], w: Vec[Vec[Float]]):
    """Columns that an inner loop reads in each step of an outer one."""

    def sweep(_, h):
        return fold(h, lambda k, g: array(lambda i: tanh(g[i] * 0.5 + x[i, k])), count=x.size(1))

    return fold(array(lambda i: w[0, 0], size=x.size(0)), sweep, count=3)


@pytest.mark.parametrize("size", [0, 1, 2, 6])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("program", [recurrent, advantages, repeated], ids=lambda p: p.__name__)
def test_recorded(program: Any, dtype: Any, size: int) -> None:
    """The values and the derivatives that PyTorch records are those of the compiler."""
    torch = pytest.importorskip("torch")
    rng = np.random.default_rng(size)
    arrays = [rng.normal(size=(size, 3)), rng.normal(size=(3, 3))]
    if program is not recurrent:
        arrays = [rng.normal(size=(3, size)), rng.normal(size=(3, size + 1))]
    arrays = [each.astype(dtype) for each in arrays]
    tensors = [torch.from_numpy(each.copy()).requires_grad_() for each in arrays]
    result = program(*tensors)
    expected, pullback = vjp(program, *arrays)
    tolerance = 1e-10 if dtype is np.float64 else 1e-4
    np.testing.assert_allclose(result.detach().numpy(), expected, tolerance, tolerance)
    weights = rng.normal(size=result.shape).astype(dtype)
    if result.requires_grad and result.numel():
        result.backward(torch.from_numpy(weights))
    for tensor, cotangent in zip(tensors, pullback(weights), strict=True):
        found = np.zeros(tensor.shape) if tensor.grad is None else tensor.grad.numpy()
        np.testing.assert_allclose(found, cotangent, tolerance, tolerance)


def test_batches() -> None:
    """A loop under ``torch.func.vmap`` and ``torch.func.grad``."""
    torch = pytest.importorskip("torch")
    x, w = torch.randn(2, 5, 3, dtype=torch.float64), torch.randn(3, 3, dtype=torch.float64)

    def total(a: Any) -> Any:
        result: Any = recurrent(a, w)
        return result.sum()

    batched = torch.func.vmap(torch.func.grad(total))(x)
    for one, found in zip(x, batched, strict=True):
        leaf = one.clone().requires_grad_()
        result: Any = recurrent(leaf, w)
        torch.testing.assert_close(torch.autograd.grad(result.sum(), leaf)[0], found)
