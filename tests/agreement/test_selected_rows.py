"""Reductions along the rows of an array that a mask selects."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch

from ein_mlir import (
    Function,
    array,
    fold_all,
    fold_any,
    fold_max,
    fold_min,
    fold_sum,
    function,
    where,
)
from tests.agreement.comparison import given
from tests.libraries import BACKENDS


@function
def any_of_rows(a: Any, m: Any) -> Any:
    return array(lambda j: fold_any(lambda i: m[i] & (a[i, j] > 3.0)))


@function
def all_of_rows(a: Any, m: Any) -> Any:
    return array(lambda j: fold_all(lambda i: (a[i, j] > 3.0) | m[i]))


@function
def largest(a: Any, m: Any) -> Any:
    return array(lambda j: fold_max(lambda i: where(m[i], a[i, j], -np.inf)))


@function
def smallest(a: Any, m: Any) -> Any:
    return array(lambda j: fold_min(lambda i: where(m[i], np.inf, a[i, j])))


@function
def middle(a: Any, m: Any) -> Any:
    """The reduced axis is between others."""
    return array(lambda i, j: fold_sum(lambda k: where(m[k], a[i, k] * a[k, j], 0.0)))


def without(a: Any, m: Any, value: float) -> Any:
    return np.where(m[:, None], a, value)


PROGRAMS: list[tuple[Function[..., Any], Callable[[Any, Any], Any]]] = [
    (any_of_rows, lambda a, m: (m[:, None] & (a > 3)).any(axis=0)),
    (all_of_rows, lambda a, m: (m[:, None] | (a > 3)).all(axis=0)),
    (largest, lambda a, m: without(a, m, -np.inf).max(axis=0, initial=-np.inf)),
    (smallest, lambda a, m: without(a, ~m, np.inf).min(axis=0, initial=np.inf)),
    (middle, lambda a, m: (np.where(m, a, 0)) @ a),
]


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("selected", ["none", "some", "all"])
@pytest.mark.parametrize("size", [0, 1, 2, 7])
@pytest.mark.parametrize(("program", "expected"), PROGRAMS)
def test_selected_rows(
    program: Function[..., Any],
    expected: Callable[[Any, Any], Any],
    size: int,
    selected: str,
    backend: str,
) -> None:
    a = np.random.default_rng(0).integers(0, 9, (size, size)).astype(np.float64)
    m = {"none": np.arange(size) < 0, "some": np.arange(size) % 2 == 0, "all": np.arange(size) >= 0}
    found = program.eval(given(a, backend), given(m[selected], backend), backend=backend)
    np.testing.assert_array_equal(np.asarray(found), expected(a, m[selected]), strict=True)


def test_batches_of_masks() -> None:
    """Under ``vmap``, the number of selected rows is not known."""
    a = torch.arange(12.0, dtype=torch.float64).reshape(3, 4)
    masks = torch.tensor([[True, False, True], [False, False, False]])
    found = torch.func.vmap(largest.torch, in_dims=(None, 0))(a, masks)
    for mask, row in zip(masks, found, strict=True):
        assert torch.equal(largest.torch(a, mask), row)
    leaf = a.clone().requires_grad_()
    largest.torch(leaf, masks[0]).sum().backward()
    assert leaf.grad is not None
    assert torch.equal(leaf.grad, torch.tensor([[0.0], [0.0], [1.0]]).double().expand(3, 4))
