"""Arrays in a number: PyTorch pads them in one call, where each axis is read as zero outside."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ein_mlir import array, concat, fold, fold_max, fold_sum, function, vjp, where
from tests.agreement.comparison import assert_call_agrees
from tests.libraries import BACKENDS

TOLERANCE = {"float64": 1e-11, "float32": 1e-4}


def padded(x: Any, i: Any, j: Any, number: float) -> Any:
    is_inside = (i >= 0) & (i < x.size(0)) & (j >= 0) & (j < x.size(1))
    return where(is_inside, x[i, j], number)


@function
def blurred(x: Any) -> Any:
    """Sums of neighbours, zero outside."""
    return array(
        lambda i, j: fold_sum(lambda p, q: padded(x, i + p - 1, j + q - 2, 0.0), count=(3, 5)),
        size=(x.size(0), x.size(1)),
    )


@function
def dilated(x: Any) -> Any:
    """Largest neighbours, at every other position; nothing is outside."""
    return array(
        lambda i, j: fold_max(
            lambda p, q: padded(x, 2 * i + p - 1, j + q - 1, -np.inf), count=(3, 3)
        ),
        size=((x.size(0) + 1) // 2, x.size(1)),
    )


@function
def framed(x: Any) -> Any:
    """A row of ones, and behind it two of another number."""
    ones = array(lambda i, j: 1.0, size=(1, x.size(1)))
    same = concat(ones, x, array(lambda i, j: 1.0, size=(2, x.size(1))))
    other = concat(ones, x, array(lambda i, j: 2.0, size=(2, x.size(1))))
    return same, other


@function
def heated(x: Any) -> Any:
    """Steps that keep the border zero."""
    rows, columns = x.size(0), x.size(1)

    def step(_: Any, a: Any) -> Any:
        def element(i: Any, j: Any) -> Any:
            is_border = (i == 0) | (j == 0) | (i == rows - 1) | (j == columns - 1)
            around = a[i - 1, j] + a[i + 1, j] + a[i, j - 1] + a[i, j + 1]
            return where(is_border, 0.0, a[i, j] + 0.1 * (around - 4.0 * a[i, j]))

        return array(element, size=(rows, columns))

    return fold(x, step, count=3)


PROGRAMS = [blurred, dilated, framed, heated]
SHAPES = [(0, 3), (1, 1), (2, 1), (3, 4), (6, 5)]


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.__name__)
def test_values(program: Any, backend: str, shape: tuple[int, int]) -> None:
    rng = np.random.default_rng(shape)
    for dtype in (np.float64, np.float32):
        assert_call_agrees(program, [rng.normal(size=shape).astype(dtype)], backend, TOLERANCE)


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.__name__)
def test_large(program: Any) -> None:
    """Large arrays are written once, with the number in its places."""
    torch = pytest.importorskip("torch")
    x = np.random.default_rng(0).normal(size=(300, 270))
    expected = program(x)
    found = program(torch.from_numpy(x))
    pairs = zip(found, expected, strict=True) if program is framed else [(found, expected)]
    for tensor, values in pairs:
        np.testing.assert_allclose(tensor.numpy(), values, 1e-12, 1e-12)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("program", [blurred, heated], ids=lambda p: p.__name__)
def test_recorded(program: Any, shape: tuple[int, int]) -> None:
    """The derivatives that PyTorch records are those of the compiler."""
    torch = pytest.importorskip("torch")
    rng = np.random.default_rng(shape)
    x = rng.normal(size=shape)
    tensor = torch.from_numpy(x.copy()).requires_grad_()
    result = program(tensor)
    expected, pullback = vjp(program, x)
    np.testing.assert_allclose(result.detach().numpy(), expected, 1e-12, 1e-12)
    weights = rng.normal(size=shape)
    (gradient,) = torch.autograd.grad(result, tensor, torch.from_numpy(weights))
    np.testing.assert_allclose(gradient.numpy(), pullback(weights)[0], 1e-12, 1e-12)
