"""Selections by arithmetic on bits are those by branches, to the last bit."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest

from ein_mlir.backends.numpy.prelude.selections import choose, choose_into, is_regular, multiple

SPECIAL = (np.nan, np.inf, -np.inf, -0.0, 0.0, 5e-324, -1.5)
DTYPES = (np.float64, np.float32, np.float16)
SHAPES = ((0,), (7,), (5000,), (50, 90), (90, 0), (1, 4000), (4000, 1))


def masks(shape: tuple[int, ...]) -> list[Any]:
    """A mask that no processor predicts, one that changes once, all and none."""
    irregular = np.random.default_rng(0).random(shape) < 0.5
    half = np.arange(irregular.size).reshape(shape) < irregular.size // 2
    return [irregular, half, np.ones(shape, bool), np.zeros(shape, bool)]


def floats(shape: tuple[int, ...], dtype: Any, seed: int) -> Any:
    """Numbers of all kinds."""
    return np.random.default_rng(seed).choice(SPECIAL, shape).astype(dtype)


def same_bits(found: Any, expected: Any) -> None:
    assert found.dtype == expected.dtype
    np.testing.assert_array_equal(
        found.view(f"i{found.itemsize}"), expected.view(f"i{found.itemsize}")
    )


@pytest.mark.parametrize(("shape", "dtype"), tuple(product(SHAPES, DTYPES)))
def test_numpy(shape: tuple[int, ...], dtype: Any) -> None:
    x, y = floats(shape, dtype, 1), floats(shape, dtype, 2)
    for mask in masks(shape):
        for other in (y, 0.0, -0.0, 2.5, y[:1], dtype(3.0)):
            same_bits(choose(mask, x, other), np.where(mask, x, other))
            same_bits(choose(mask, other, x), np.where(mask, other, x))
            found, expected = x.copy(), x.copy()
            choose_into(found, other, where=mask)
            np.copyto(expected, other, where=mask)
            same_bits(found, expected)
        same_bits(choose(mask, dtype(1.5), -2.5), np.where(mask, dtype(1.5), dtype(-2.5)))


def test_strides() -> None:
    x = floats((120, 140), np.float64, 1)
    mask = masks((140, 120))[0].T
    same_bits(choose(mask[::2], x[::2], x[1::2]), np.where(mask[::2], x[::2], x[1::2]))
    part, expected = x.copy(), x.copy()
    choose_into(part[:, ::-1], x, where=mask)
    np.copyto(expected[:, ::-1], x, where=mask)
    same_bits(part, expected)


def test_which_masks_are_regular() -> None:
    irregular, half, *constant = masks((60, 60))
    assert not is_regular(irregular)
    assert all(map(is_regular, (half, *constant, np.tri(60, dtype=bool))))


@pytest.mark.parametrize(("shape", "dtype"), tuple(product(SHAPES, DTYPES)))
def test_torch(shape: tuple[int, ...], dtype: Any) -> None:
    torch = pytest.importorskip("torch")
    from ein_mlir.backends.torch.prelude.selections import choose as choose_tensors

    x, y = (torch.tensor(floats(shape, dtype, seed)) for seed in (1, 2))
    for mask in map(torch.tensor, masks(shape)):
        for other in (y, 0.0, -0.0, 2.5, y[:1]):
            for sides in ((x, other), (other, x)):
                found, expected = choose_tensors(mask, *sides), torch.where(mask, *sides)
                same_bits(found.numpy(), expected.numpy())


@np.errstate(all="ignore")
def test_multiples() -> None:
    """A multiple of 0 is 0, also if the factor is infinite, a NaN, or a number that is either."""
    x = np.array([0.0, 2.0, 0.0, -1.0, 0.0])
    for factor in (
        np.array([1.0, 3.0, -2.0, 0.0, 5.0]),
        np.array([np.inf, 3.0, np.nan, np.inf, 1.0]),
    ):
        expected = np.where(x != 0.0, x * factor, 0.0)
        np.testing.assert_array_equal(multiple(x * factor, x), expected)
    for number in (np.float64(2.0), np.float64(np.inf), np.float64(np.nan)):
        expected = np.where(x != 0.0, x * number, 0.0)
        np.testing.assert_array_equal(multiple(x * number, x, number), expected)
