"""Powers of floats by whole numbers, as products, by the helpers of each library."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ein_mlir.backends.numpy.prelude import powers, signed_power
from tests.libraries import needs

SPECIAL = (-0.0, 0.0, np.inf, -np.inf, np.nan, -1.0, -2.5)


def numbers(count: int, dtype: Any) -> Any:
    """Random numbers, the first of which are special."""
    x = np.random.default_rng(count).normal(size=count).astype(dtype)
    x[: len(SPECIAL)] = SPECIAL[:count]
    return x


def assert_powers(found: Any, x: Any, n: Any) -> None:
    """Assert that powers are those of NumPy, in the type of the base."""
    with np.errstate(all="ignore"):
        want = (x.astype(np.float64) ** n).astype(x.dtype)
    assert found.dtype == x.dtype
    rtol, atol = (1e-6, 1e-37) if x.dtype == np.float32 else (1e-12, 0.0)
    np.testing.assert_allclose(found, want, rtol=rtol, atol=atol)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("count", [0, 1, 9, 3000])
@pytest.mark.parametrize(("first", "step"), [(0, 1), (5, 1), (-2, 1), (1, 2), (11, -1), (3, -1)])
class TestRanges:
    """Exponents ``first + step * k``, of which some may be negative."""

    def exponents(self, first: int, step: int) -> Any:
        return first + step * np.arange(12)

    def test_numpy(self, count: int, dtype: Any, first: int, step: int) -> None:
        x, n = numbers(count, dtype), self.exponents(first, step)
        for kind in (np.int64, np.float64):
            for base, exponents in ((x[None], n[:, None]), (x[:, None], n[None])):
                with np.errstate(all="ignore"):
                    found = powers(base, exponents.astype(kind))
                assert_powers(found, base, exponents)

    @needs("torch")
    def test_torch(self, count: int, dtype: Any, first: int, step: int) -> None:
        import torch

        from ein_mlir.backends.torch.prelude import powers

        x, n = numbers(count, dtype), self.exponents(first, step)
        for base, exponents in ((x[None], n[:, None]), (x[:, None], n[None])):
            given = torch.from_numpy(base), torch.from_numpy(exponents)
            assert_powers(powers(*given, first, step).numpy(), base, exponents)

    @needs("jax")
    def test_jax(self, count: int, dtype: Any, first: int, step: int) -> None:
        import jax

        from ein_mlir.backends.jax.prelude import powers

        x, n = numbers(count, dtype), self.exponents(first, step)
        with jax.enable_x64(True):
            for base, exponents in ((x[None], n[:, None]), (x[:, None], n[None])):
                given = jax.numpy.asarray(base), jax.numpy.asarray(exponents)
                assert_powers(np.asarray(powers(*given, first, step)), base, exponents)


@pytest.mark.parametrize(
    "sizes", [((5, 1, 90), (1, 13, 1)), ((1, 70, 1), (6, 1, 7)), ((0, 1), (1, 5))]
)
def test_exponents_of_any_order(sizes: Any) -> None:
    """Whole numbers that are no range, on several axes; fractions, and too many others."""
    rng = np.random.default_rng(1)
    shape, own = sizes
    x = numbers(int(np.prod(shape)), np.float64).reshape(shape)
    for n in (rng.integers(0, 7, own), rng.integers(0, 5000, own), rng.integers(-3, 3, own)):
        with np.errstate(all="ignore"):
            assert_powers(powers(x, n), x, n)
            assert_powers(powers(x, n + 0.5), x, n + 0.5)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("count", [0, 1, 9, 3000])
def test_signed(count: int, dtype: Any) -> None:
    """Signs of zeros, too."""
    x = numbers(count, dtype)
    for n in (0, 1, 5, 16, 17, -3, np.int64(7), np.arange(count) % 20 - 4):
        with np.errstate(all="ignore"):
            found, want = signed_power(x, n), x.astype(np.float64) ** n
        assert_powers(found, x, n)
        known = ~np.isnan(want)
        assert np.array_equal(np.signbit(found)[known], np.signbit(want)[known])
