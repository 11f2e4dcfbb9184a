"""Loops of which each step writes a row: on PyTorch the rows are joined after the loop."""

from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from ein_mlir import array, exp, fold, fold_sum, function, grad, where  # noqa: E402
from ein_mlir import max as larger  # noqa: E402
from tests.agreement.comparison import leaves  # noqa: E402


def _zeros(n: Any) -> Any:
    return array(lambda b: 0.0, size=n)


def _square(n: Any) -> Any:
    return array(lambda i, b: 0.0, size=(n, n))


def _with_row(rows: Any, p: Any, row: Any) -> Any:
    return array(lambda i, b: where(i == p, row[b], rows[i, b]), size=rows.shape)


def backwards(x: Any) -> Any:
    n = x.size(0)

    def step(k: Any, state: Any) -> Any:
        v = array(lambda b: exp(-state[0][b]) + x[k, b])
        return v, _with_row(state[1], n - 1 - k, v)

    return fold((_zeros(n), x), step, count=n)[1]


def columns(x: Any) -> Any:
    n = x.size(0)

    def step(k: Any, state: Any) -> Any:
        v, m = state
        return array(lambda b: v[b] / 2 + x[k, b]), array(
            lambda b, i: where(i == k, v[b] * x[k, b], m[b, i])
        )

    return fold((_zeros(n), _square(n)), step, count=n)[1]


def fewer_steps(x: Any) -> Any:
    n = x.size(0)

    def step(k: Any, state: Any) -> Any:
        return array(lambda b: state[0][b] / 2 + x[k, b]), _with_row(state[1], k + n // 2, state[0])

    return fold((_zeros(n), x), step, count=n - n // 2)[1]


def two_rows_back(x: Any) -> Any:
    n = x.size(0)

    def step(k: Any, rows: Any) -> Any:
        row = array(lambda b: larger(rows[k, b] * rows[k + 1, b] / 2, 0.1) + x[k, b])
        return _with_row(rows, k + 2, row)

    return fold(array(lambda i, b: 1.0, size=(n + 2, n)), step, count=n)


def rows_ahead(x: Any) -> Any:
    """Elements that no step has written, at the position of the step and after it."""
    n = x.size(0)

    def step(k: Any, rows: Any) -> Any:
        row = array(lambda b: rows[k, b] / 2 + rows[k + 1, b] * larger(rows[k + 2, b], 0.2))
        return _with_row(rows, k + 1, row)

    first = array(lambda i, b: where(i < n, x[i, b], 0.3), size=(n + 2, n))
    return fold(first, step, count=n)


def one_number_a_row(x: Any) -> Any:
    n = x.size(0)

    def step(k: Any, state: Any) -> Any:
        s, rows = state
        return exp(-s) + x[k, 0], array(lambda i, b: where(i == k, s, rows[i, b]))

    return fold((0.5, _square(n)), step, count=n)[1]


def no_step(x: Any) -> Any:
    def step(k: Any, state: Any) -> Any:
        v = array(lambda b: state[0][b] + x[k, b])
        return v, _with_row(state[1], k, v)

    return fold((_zeros(x.size(0)), x), step, count=0)[1]


PROGRAMS = [
    backwards,
    columns,
    fewer_steps,
    two_rows_back,
    rows_ahead,
    one_number_a_row,
    no_step,
]


@pytest.mark.parametrize("program", PROGRAMS)
def test_joined_rows_are_those_of_the_interpreter(program: Any):
    compiled = function(program)
    for size in (0, 1, 2, 7):
        x = np.random.default_rng(size).normal(size=(size, size))
        recorded = torch.from_numpy(x.copy()).requires_grad_()
        (expected,) = leaves(compiled.eval(x, backend="naive"))
        result = compiled.torch(recorded)
        np.testing.assert_allclose(result.detach().numpy(), expected, rtol=1e-12)
        assert program is no_step or "no_rows(" in compiled.source(recorded, backend="torch")
        batch = torch.func.vmap(compiled.torch)(torch.from_numpy(np.stack([x, 2 * x])))
        np.testing.assert_allclose(batch[0].numpy(), expected, rtol=1e-12)


@pytest.mark.parametrize("program", PROGRAMS)
def test_gradients_flow_through_joined_rows(program: Any):
    @function
    def weighted(a: Any) -> Any:
        y = program(a)
        return fold_sum(lambda i, j: (i * 3 + j + 1).float() * y[i, j], count=y.shape)

    gradient = grad(weighted)
    for size in (2, 7):
        x = np.random.default_rng(size).normal(size=(size, size))
        recorded = torch.from_numpy(x.copy()).requires_grad_()
        weighted.torch(recorded).backward()
        np.testing.assert_allclose(recorded.grad.numpy(), gradient(x), rtol=1e-9, atol=1e-12)


def test_a_result_without_steps_is_no_argument():
    x = torch.ones((2, 2), dtype=torch.float64)
    function(no_step).torch(x)[0, 0] = 5.0
    assert x[0, 0] == 1.0
