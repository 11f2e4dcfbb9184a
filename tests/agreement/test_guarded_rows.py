"""Steps over rows whose elements read guarded neighbours agree with the interpreter.

PyTorch computes such a row once, from arrays of the neighbours with their borders.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ein_mlir import array, fold, fold_sum, function, grad, min, where
from tests.agreement.comparison import assert_agree
from tests.libraries import in_64_bits, on


def cheapest(rows, cost):
    """The costs of paths through rows to neighbours of three columns."""
    n = cost.size()

    def step(t, d):
        left = lambda j: where(j > 0, d[j - 1], np.inf)  # noqa: E731
        right = lambda j: where(j < n - 1, d[j + 1], np.inf)  # noqa: E731
        return array(lambda j: rows[t, j] + min(left(j), d[j], right(j)))

    return fold(cost, step, count=rows.size(0))


def skipping(rows, cost):
    """Sums with the element before, and with the one before that where rows allow it."""

    def step(t, d):
        before = lambda j: where(j >= 1, d[j - 1] * 0.5, 0.0)  # noqa: E731
        second = lambda j: where((j >= 2) & (rows[t, j] > 0.0), d[j - 2], 0.25)  # noqa: E731
        return array(lambda j: d[j] * 0.5 + before(j) + rows[t, j] * second(j))

    return fold(cost, step, count=rows.size(0))


def chain(rows, cost):
    """Springs between the rows of a matrix: the ends have one."""
    n = rows.size(0)

    def step(_, x):
        low = lambda i, j: where(i == 0, 0.0, x[i - 1, j] - x[i, j])  # noqa: E731
        high = lambda i, j: where(i < n - 1, x[i + 1, j] - x[i, j], 0.0)  # noqa: E731
        return array(lambda i, j: x[i, j] + 0.1 * (low(i, j) + high(i, j)) - 0.01 * x[i, j])

    return fold(rows, step, count=3)


PROGRAMS = {program.__name__: program for program in (cheapest, skipping, chain)}
SHAPES = ((0, 3), (3, 0), (1, 1), (2, 1), (3, 2), (3, 3), (4, 7))


def arguments(n: int, m: int) -> tuple[Any, Any]:
    rng = np.random.default_rng(n + 10 * m)
    return rng.normal(size=(n, m)), rng.normal(size=m)


@pytest.mark.parametrize("backend", on("numpy", "torch", "jax", "native"))
@pytest.mark.parametrize("name", PROGRAMS)
def test_values(name: str, backend: str) -> None:
    program = function(PROGRAMS[name])
    for shape in SHAPES:
        values = arguments(*shape)
        with in_64_bits(backend):
            found = program.eval(*values, backend=backend)
        expected = program.eval(*values, backend="naive")
        assert_agree(found, expected, {"float64": 1e-12}, str(shape))


@pytest.mark.parametrize("name", PROGRAMS)
def test_gradients_of_torch(name: str) -> None:
    torch = pytest.importorskip("torch")
    rank = 2 if name == "chain" else 1

    def loss(rows: Any, cost: Any) -> Any:
        result: Any = PROGRAMS[name](rows, cost)
        if rank == 2:
            return fold_sum(lambda i, j: result[i, j] ** 2.0)
        return fold_sum(lambda i: result[i] ** 2.0)

    values = arguments(3, 4)
    rows, cost = (torch.tensor(value, requires_grad=True) for value in values)
    function(loss).torch(rows, cost).backward()
    expected = grad(loss).eval(*values, backend="naive")
    assert_agree(rows.grad.numpy(), expected, {"float64": 1e-12})


@pytest.mark.parametrize("name", PROGRAMS)
def test_row_of_torch_is_computed_once(name: str) -> None:
    """One array has the borders of both sides."""
    source = function(PROGRAMS[name]).source(*arguments(3, 4), backend="torch")
    loop = source[source.index("    for ", source.index(f"def {name}(")) :]
    assert loop.count("torch.cat(") == 1
