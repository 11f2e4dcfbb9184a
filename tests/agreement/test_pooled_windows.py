"""Extremes of windows of fixed sizes, with derivatives that PyTorch records."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ein_mlir import Float, Vec, array, fold_max, fold_min, fold_sum, function, grad, hessian, vjp
from tests.agreement.comparison import assert_call_agrees
from tests.libraries import BACKENDS


@function
def pooled(x: Vec[Vec[Vec[Vec[Float]]]]) -> Vec[Vec[Vec[Vec[Float]]]]:
    """Largest elements of squares, two apart."""
    rows, columns = x.size(2), x.size(3)
    return array(
        lambda n, c, i, j: fold_max(lambda p, q: x[n, c, 2 * i + p, 2 * j + q], count=(3, 3)),
        size=(None, None, ((rows - 1) // 2).max(0), ((columns - 1) // 2).max(0)),
    )


@function
def eroded(x: Vec[Vec[Float]]) -> Vec[Vec[Float]]:
    """Least elements of rows that a distance separates, and of neighbours."""
    return array(
        lambda i, j: fold_min(lambda p, q: x[i + 2 * p + 1, j + q], count=(3, 2)),
        size=((x.size(0) - 5).max(0), (x.size(1) - 1).max(0)),
    )


@function
def middle_axis(x: Vec[Vec[Vec[Float]]]) -> Vec[Vec[Vec[Float]]]:
    """Largest elements along an axis between others, and at least zero."""
    return array(
        lambda c, i, j: fold_max(lambda p: x[c, 3 * i + p, j], count=4).max(0.0),
        size=(None, ((x.size(1) - 1) // 3).max(0), None),
    )


@function
def of_vectors(x: Vec[Float]) -> Vec[Float]:
    """Spreads of windows of a vector."""
    return array(
        lambda i: fold_max(lambda p: x[i + p], count=3) - fold_min(lambda p: x[i + p], count=3),
        size=(x.size() - 2).max(0),
    )


PROGRAMS = {pooled: 4, eroded: 2, middle_axis: 3, of_vectors: 1}


@pytest.mark.parametrize("size", [0, 1, 2, 3, 5, 8])
@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_values(program, backend, size):
    shape = (2, 3, size + 1, size)[-PROGRAMS[program] :]
    x = np.random.default_rng(size).permutation(np.arange(float(np.prod(shape)))).reshape(shape)
    if x.size > 3:
        x.flat[3] = np.nan
        x.flat[1] = -np.inf
    assert_call_agrees(program, [x], backend, {"float64": 1e-12})


@pytest.mark.parametrize("size", [0, 1, 5, 9])
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_recorded(program, size):
    """The values and the derivatives that PyTorch records are those of the compiler."""
    torch = pytest.importorskip("torch")
    shape = (2, 3, size + 1, size)[-PROGRAMS[program] :]
    rng = np.random.default_rng(size)
    x = rng.permutation(np.arange(float(np.prod(shape)))).reshape(shape) - 4.0
    tensor = torch.from_numpy(x).requires_grad_()
    result = program(tensor)
    weights = rng.normal(size=result.shape)
    expected, pullback = vjp(program, x)
    np.testing.assert_array_equal(result.detach().numpy(), expected)
    result.backward(torch.from_numpy(weights))
    np.testing.assert_allclose(tensor.grad.numpy(), pullback(weights)[0], rtol=1e-12)


def test_transformations():
    """Batches, forward mode and second derivatives."""
    torch = pytest.importorskip("torch")
    x = torch.randn(3, 11, dtype=torch.float64)

    def squares(v: Any) -> Any:
        spreads: Any = of_vectors(v)
        return (spreads**2).sum()

    batched = torch.func.vmap(torch.func.grad(squares))(x)
    for row, gradient in zip(x, batched, strict=True):
        expected = grad(sum_of_squares)(row.numpy())
        np.testing.assert_allclose(gradient.numpy(), expected)
    expected = hessian(sum_of_squares)(x[0].numpy())
    np.testing.assert_allclose(
        torch.func.jacrev(torch.func.grad(squares))(x[0]).numpy(), expected, atol=1e-12
    )


def sum_of_squares(x: Vec[Float]) -> Float:
    """The sum of the squares of spreads."""
    spreads = of_vectors(x)
    return fold_sum(lambda i: spreads[i] * spreads[i])
