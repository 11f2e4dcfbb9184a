"""Sums along rows and along columns of one matrix, and products that several sums need."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ein_mlir import Float, Vec, array, fold_max, fold_sum, function, grad, tanh
from tests.agreement.comparison import assert_call_agrees
from tests.selection import combinations, sizes_on


@function
def both(a: Vec[Vec[Float]], x: Vec[Float]):
    """Products of a matrix and of its transpose with a vector, as two arrays and in one."""
    rows = array(lambda i: fold_sum(lambda k: x[k] * a[i, k]))
    columns = array(lambda j: fold_sum(lambda k: x[k] * a[k, j]))
    differences = array(lambda i: rows[i] - fold_max(lambda k: a[k, i] - x[k]))
    return rows, columns, differences


@function
def quadratic_form(a: Vec[Vec[Float]], x: Vec[Float]):
    """The gradient of a quadratic form of a matrix that is not symmetric."""
    return grad(lambda x: fold_sum(lambda i, j: x[i] * a[i, j] * x[j]))(x)


@function
def layer(a: Vec[Vec[Float]], x: Vec[Float]):
    """The gradients of a layer in its weights and its biases read the same cotangent."""

    def loss(weights: Any, biases: Any) -> Any:
        def hidden(i: Any, j: Any) -> Any:
            return tanh(fold_sum(lambda k: a[i, k] * weights[k, j]) + biases[j])

        def output(i: Any) -> Any:
            return fold_sum(lambda j: hidden(i, j) * x[j], count=x.size()) - x[i]

        return fold_sum(lambda i: output(i) * output(i), count=a.size(0))

    return grad(loss, argnums=(0, 1))(a, x)


PROGRAMS = {"both": both, "quadratic_form": quadratic_form, "layer": layer}
TOLERANCE = {"float64": 1e-11, "float32": 2e-3}


@pytest.mark.parametrize(("name", "backend", "dtype"), combinations(PROGRAMS))
def test_agreement(name: str, backend: str, dtype: str) -> None:
    for n in sizes_on(backend, [0, 1, 5, 70]):
        rng = np.random.default_rng(n)
        a, x = rng.normal(size=(n, n)) / (n + 1), rng.normal(size=n)
        assert_call_agrees(PROGRAMS[name], (a.astype(dtype), x.astype(dtype)), backend, TOLERANCE)


@pytest.mark.parametrize("backend", ["numpy", "torch"])
def test_the_cotangent_of_a_layer_is_an_array(backend: str) -> None:
    """The gradient of the biases is a plain sum of it, without a test of a product in order."""
    assert "in_order(" not in layer.source(backend=backend).split("def layer")[1]
