"""Choices by any of several positions, in the steps of a loop: each element is replaced once."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ein_mlir import array, fold, function, where
from tests.agreement.comparison import assert_call_agrees
from tests.libraries import on


def either(i: Any, j: Any, p: Any, q: Any) -> Any:
    """The element of an edge, or that of the same edge from the other end."""
    return ((i == p) & (j == q)) | ((i == q) & (j == p))


ELEMENTS = {
    "one": lambda m, i, j, p, q, y: where(either(i, j, p, q), 1, m[i, j]),
    "value": lambda m, i, j, p, q, y: where(either(i, j, p, q), y, m[i, j]),
    "read": lambda m, i, j, p, q, y: where(either(i, j, p, q), m[p, q] + 1, m[i, j]),
    "own": lambda m, i, j, p, q, y: where(either(i, j, p, q), m[i, j] + 1, m[i, j]),
    "transposed": lambda m, i, j, p, q, y: where(either(i, j, p, q), m[j, i] + i, m[i, j]),
    "sum": lambda m, i, j, p, q, y: m[i, j] + where(either(i, j, p, q), y, 0),
    "best": lambda m, i, j, p, q, y: where(either(i, j, p, q) & (m[i, j] < y), y, m[i, j]),
    "one best": lambda m, i, j, p, q, y: where(
        ((i == p) & (j == q) & (m[q, p] < y)) | ((i == q) & (j == p) & (m[p, q] < y)), y, m[i, j]
    ),
    "in some steps": lambda m, i, j, p, q, y: where(either(i, j, p, q) & (y > 3), y, m[i, j]),
    "rows": lambda m, i, j, p, q, y: where((i == p) | (i == q), m[i, j] * 2 + 1, m[i, j]),
    "row above": lambda m, i, j, p, q, y: where((i == p) | (i == q), m[i - 1, j] + 1, m[i, j]),
    "row and column": lambda m, i, j, p, q, y: where((i == p) | (j == q), m[i, j] * 2, m[i, j]),
    "ends": lambda m, i, j, p, q, y: where(
        ((i == p) & (j > q)) | ((j == q) & (i > p)), m[i, j] + y, m[i, j]
    ),
    "corners": lambda m, i, j, p, q, y: where(
        ((i == p) | (i == q)) & ((j == p) | (j == q)), m[i, j] + y, m[i, j]
    ),
    "neighbours": lambda m, i, j, p, q, y: where(
        (i == p) & ((j == q) | (j == q + 1)) & (m[i, j] > 2), m[i, j] - y, m[i, j]
    ),
    "others": lambda m, i, j, p, q, y: where(
        ((i != p) & (i != q)) | (j != 0), m[i, j], m[i, j] + y
    ),
    "three": lambda m, i, j, p, q, y: where(
        either(i, j, p, q) | ((i == y) & (j == y)), m[i, j] * 2 + i, m[i, j]
    ),
}


def program(name: str) -> Any:
    def run(w: Any, a: Any, b: Any, x: Any) -> Any:
        def step(e: Any, m: Any) -> Any:
            return array(lambda i, j: ELEMENTS[name](m, i, j, a[e], b[e], x[e]))

        return fold(w, step, count=a.size(0))

    return function(run)


PROGRAMS = {name: program(name) for name in ELEMENTS}


def arguments(size: int) -> list[Any]:
    rng = np.random.default_rng(size)
    positions = (rng.integers(-1, size + 1, 3 * size) for _ in range(2))
    return [rng.integers(0, 9, (size, size)), *positions, rng.integers(0, 9, 3 * size)]


@pytest.mark.parametrize("backend", on("numpy", "native", "torch", "jax"))
@pytest.mark.parametrize("name", PROGRAMS)
def test_each_element_is_replaced_once(name: str, backend: str) -> None:
    for size in (3,) if backend == "jax" else (0, 1, 2, 3, 7):
        assert_call_agrees(PROGRAMS[name], arguments(size), backend, {})


@pytest.mark.parametrize("name", ["one", "own", "sum", "best"])
def test_steps_write_elements(name: str) -> None:
    """No step compares all indices."""
    source = PROGRAMS[name].source(*arguments(3), backend="numpy").rpartition("\ndef ")[2]
    assert "[:, None]" not in source
