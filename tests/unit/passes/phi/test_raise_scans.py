"""Scans: their meaning for all bounds, their recognition, and derivatives."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ein_mlir import array, fold, fold_max, fold_min, fold_prod, fold_sum, function, log, where
from tests.libraries import BACKENDS, on
from tests.selection import examples

Values = st.lists(
    st.floats(-9, 9, width=32) | st.sampled_from([float("nan"), float("inf")]), max_size=7
)
Bounds = st.lists(st.integers(-3, 9) | st.sampled_from([-(2**63), 2**63 - 1]), max_size=5)


@function
def combinations(x, p):
    """Each kind, with each comparison, with bounds that are read."""
    return array(
        lambda i: (
            fold_sum(lambda k: where(k < p[i], x[k], 0.0)),
            fold_prod(lambda k: where(p[i] >= k, x[k], 1.0)),
            fold_min(lambda k: where(k > p[i], x[k], float("inf"))),
            fold_max(lambda k: where(p[i] <= k, x[k], float("-inf"))),
        )
    )


@pytest.mark.parametrize("backend", BACKENDS)
@settings(max_examples=examples(25, is_drawn=True))
@given(values=Values, bounds=Bounds)
def test_any_values_and_bounds(values: list[float], bounds: list[int], backend: str) -> None:
    x, p = np.array(values, np.float64), np.array(bounds, np.int64)
    expected = combinations.eval(x, p, backend="naive")
    for a, e in zip(combinations.eval(x, p, backend=backend), expected, strict=True):
        np.testing.assert_allclose(np.asarray(a), e)


X = np.array([1.5, 2.0, 3.0, 0.5, 5.0])

VARIANTS: dict[str, Any] = {
    "inclusive": lambda x, i: fold_sum(lambda k: where(k <= i, x[k], 0.0)),
    "index first": lambda y, r: fold_sum(lambda t: where(r >= t, y[t], 0.0)),
    "exclusive": lambda x, i: fold_sum(lambda k: where(k < i, x[k], 0.0)),
    "one further": lambda x, i: fold_sum(lambda k: where(i + 1 >= k, x[k], 0.0)),
    "one less": lambda x, i: fold_sum(lambda k: where(k < i - 1, x[k], 0.0)),
    "suffix": lambda x, i: fold_sum(lambda k: where(k >= i, x[k], 0.0)),
    "counter as value": lambda x, i: fold_sum(lambda k: where(k <= i, k, 0), count=x.size(0)),
    "inverted": lambda x, i: fold_sum(lambda k: where(~(k > i), x[k], 0.0)),
    "other branch": lambda x, i: fold_sum(lambda k: where(i < k, 0.0, x[k])),
    "conditional step": lambda x, i: fold(
        1.0, lambda k, s: where(k > i, s, x[k] * s), count=x.size(0)
    ),
    "conjunction": lambda x, i: fold_max(
        lambda k: where((x[k] < 4.0) & (k <= i), x[k], float("-inf"))
    ),
    "reversed position": lambda x, i: fold_sum(lambda k: where(k <= x.size(0) - i, x[k], 0.0)),
}


@pytest.mark.parametrize("variant", VARIANTS)
def test_prefixes_are_found_however_they_are_written(variant: str) -> None:
    body = VARIANTS[variant]
    program = function(lambda x: array(lambda i: body(x, i), size=x.size(0)))
    assert program.ir("yarr", X).count("yarr.scan") == 1
    assert "yarr.fold" not in program.ir("yarr", X)
    np.testing.assert_allclose(program(X), program.eval(X, backend="naive"))


def test_an_element_has_no_part_in_those_before_it() -> None:
    program = function(
        lambda x: array(lambda i: fold_sum(lambda k: where(k <= i, x[k], 0.0)), size=x.size(0))
    )
    np.testing.assert_array_equal(
        program(np.array([1.0, 2.0, np.nan, 4.0])), [1, 3, np.nan, np.nan]
    )
    result: Any = program(X.astype(np.float32))
    assert result.dtype == np.float32


# Derivatives ----------------------------------------------------------------------------------


@function
def loss(x, p):
    """Prefix sums, products and maxima, and logarithms under a condition."""

    def at(i):
        total = fold_sum(lambda k: where(k <= p[i], x[k], 0.0))
        product = fold_prod(lambda k: where(k < p[i], x[k], 1.0))
        largest = fold_max(lambda k: where(k <= p[i], x[k], 0.25 - 0.25 * x[0]))
        logarithms = fold_sum(lambda k: where(k <= p[i], log(x[k]), 0.0))
        return total * product + largest + logarithms

    return fold_sum(lambda i: at(i))


def differences(x: Any, p: Any) -> Any:
    """The derivative of ``loss`` by central differences of the reference interpreter."""
    steps = 1e-6 * np.eye(len(x))
    return np.array(
        [
            (loss.eval(x + h, p, backend="naive") - loss.eval(x - h, p, backend="naive")) / 2e-6
            for h in steps
        ]
    )


@pytest.mark.parametrize("backend", on("torch", "jax"))
def test_gradients(backend: str) -> None:
    """The last element is 0, where the logarithm has no derivative, but no bound reaches it."""
    p = np.array([1, 3, 0, -2, 2])
    x = np.append(X[:-1], 0.0)
    if backend == "torch":
        import torch

        argument = torch.tensor(x, requires_grad=True)
        loss(argument, torch.tensor(p)).backward()
        gradient = np.asarray(argument.grad)
    else:
        import jax

        with jax.enable_x64(True):
            gradient = np.asarray(jax.grad(loss)(x, p))
    expected = np.append(differences(np.append(X[:-1], 1.0), p)[:-1], 0.0)
    np.testing.assert_allclose(gradient, expected, rtol=1e-5, atol=1e-5)
