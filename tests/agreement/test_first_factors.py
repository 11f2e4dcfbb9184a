"""Products that begin with a value: the first factor, in loops of machine code without an array."""

from __future__ import annotations

import numpy as np
import pytest

from ein_mlir import Float, Int, Vec, array, exp, fold, fold_sum, function, max, value_and_grad
from tests.agreement.comparison import assert_call_agrees
from tests.libraries import BACKENDS
from tests.selection import sizes_on

Vector = Vec[Float]
Matrix = Vec[Vec[Float]]


@function
def row_products(s: Vector, a: Matrix) -> Vector:
    """A product of each row."""
    return array(lambda i: fold(s[i], lambda k, x: x * a[i, k]))


@function
def call_prices(s: Float, p: Vector, z: Matrix) -> Float:
    """Paths whose steps are columns, each a product of functions."""

    def path(i: Int) -> Float:
        return fold(s, lambda t, x: x * exp(p[0] + p[1] * z[t, i]), count=z.size(0))

    return fold_sum(lambda i: max(path(i) - 1.0, 0.0), count=z.size(1))


SIZES = [(0, 0), (0, 3), (1, 0), (1, 1), (3, 2), (5, 9)]


@pytest.mark.parametrize("backend", BACKENDS)
def test_products_with_a_first_factor_agree(backend: str) -> None:
    random, slopes = np.random.default_rng(3), function(value_and_grad(call_prices, argnums=(0, 1)))
    for n, m in sizes_on(backend, SIZES):
        s, a = random.normal(size=n), random.normal(size=(n, m))
        assert_call_agrees(row_products, (s, a), backend, {"float64": 1e-9})
        for program in (call_prices, slopes):
            args = 1.1, np.array([0.01, 0.2]), a
            assert_call_agrees(program, args, backend, {"float64": 1e-9})


def test_loops_of_machine_code_join_no_array() -> None:
    loops = row_products.ir("loops", np.ones(3), np.ones((3, 2)), backend="native")
    assert str(loops).count("memref.alloc(") == 1
