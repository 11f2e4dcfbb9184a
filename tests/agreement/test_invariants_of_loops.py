"""Arrays that no step of a loop changes, of operands whose sizes only the steps compare."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import ein_mlir as ein
from ein_mlir import Bool, Float, Int, Vec, array, exp, fold, fold_max, fold_sum, function, where
from tests.agreement.comparison import assert_call_agrees
from tests.libraries import INSTALLED

Vector = Vec[Float]
Matrix = Vec[Vec[Float]]


@function
def masked(a: Matrix, on: Vec[Vec[Bool]], x: Vector, steps: Int) -> Vector:
    """A product with a matrix that a mask of the same sizes selects from."""
    return fold(
        x,
        lambda _, v: array(lambda i: 0.1 * fold_sum(lambda j: where(on[i, j], a[i, j] * v[j], 0))),
        count=steps,
    )


@function
def off_diagonal(a: Matrix, x: Vector, steps: Int) -> Vector:
    """Jacobi's iteration: the mask is a comparison of the indices."""
    return fold(
        x,
        lambda _, v: array(
            lambda i: (
                (x[i] - fold_sum(lambda j: where(i == j, 0.0, a[i, j] * v[j]))) / (4.0 + a[i, i])
            )
        ),
        count=steps,
    )


@function
def weighted(a: Matrix, w: Matrix, x: Vector, steps: Int) -> Vector:
    """A matrix that is computed from two."""
    return fold(
        x,
        lambda _, v: array(
            lambda i: x[i] + 0.1 * fold_sum(lambda j: (a[i, j] * w[i, j] + 1) * v[j])
        ),
        count=steps,
    )


@function
def nested(a: Matrix, w: Matrix, x: Vector, steps: Int) -> Vector:
    """The same in a loop in a loop."""
    return fold(
        x,
        lambda k, u: fold(
            u,
            lambda _, v: array(
                lambda i: 0.1 * fold_sum(lambda j: (a[i, j] - w[i, j]) * v[j]) + 0.5
            ),
            count=k,
        ),
        count=steps,
    )


TOLERANCE = {"float64": 1e-12}
RNG = np.random.default_rng(0)


def square(n: int) -> Any:
    return RNG.normal(size=(n, n))


@pytest.mark.parametrize("steps", [0, 1, 3])
@pytest.mark.parametrize("n", [0, 1, 5])
@pytest.mark.parametrize("backend", INSTALLED)
def test_agreement(n: int, steps: int, backend: str) -> None:
    x = RNG.normal(size=n)
    assert_call_agrees(masked, (square(n), square(n) > 0, x, steps), backend, TOLERANCE)
    assert_call_agrees(off_diagonal, (square(n), x, steps), backend, TOLERANCE)
    assert_call_agrees(weighted, (square(n), square(n), x, steps), backend, TOLERANCE)
    assert_call_agrees(nested, (square(n), square(n), x, steps), backend, TOLERANCE)


@pytest.mark.parametrize("program", [masked, weighted, nested])
@pytest.mark.parametrize("backend", INSTALLED)
def test_sizes_are_compared_by_the_first_step(program: Any, backend: str) -> None:
    """No step, no error; and the error is that of the sizes, not one of the library."""
    other = square(3)[:, :2]
    other = other > 0 if program is masked else other
    x = RNG.normal(size=3)
    found = program.eval(square(3), other, x, 0, backend=backend)
    np.testing.assert_array_equal(np.asarray(found), x)
    with pytest.raises(ValueError, match=r"size of .* along axis 1"):
        program.eval(square(3), other, x, 2, backend=backend)


@pytest.mark.parametrize("columns", [3, 2])
def test_the_matrix_is_computed_once(columns: int) -> None:
    """Before the loop; if it has a step that compares unequal sizes, after the comparison."""
    a, w, x = square(3), square(3)[:, :columns], RNG.normal(size=3)
    source = weighted.source(a, w, x, 2)
    before, _, step = source.partition("for _ in range")
    assert ("if t0 > 0:" in before) == (columns < 3)
    assert "multiply(a, w" in before or "a * w" in before
    assert "w" not in step.replace("raise", "")


@function
def all_but_two(x: Matrix) -> Float:
    """A loop of which each step takes a slice that has a size only if there is a step."""
    n = x.size(0)

    def step(t: Int, s: Float) -> Float:
        e = array(lambda j: exp(x[t, j]) * x[j, 0], size=n - 2)
        return s * 0.5 + fold_max(lambda j: where(e[j] < s, e[j], s - e[j]))

    return fold(1.0, step, count=where(n > 2, n, 0))


@pytest.mark.parametrize("is_recorded", [False, True])
@pytest.mark.parametrize("n", [0, 1, 2, 3, 7])
def test_no_slice_of_a_negative_size_is_taken_without_a_step(n: int, is_recorded: bool) -> None:
    torch = pytest.importorskip("torch")
    x = np.random.default_rng(n).normal(size=(n, 3))
    tensor = torch.from_numpy(x).requires_grad_(is_recorded)
    assert all_but_two.torch(tensor).item() == pytest.approx(all_but_two.eval(x, backend="naive"))


def simulated(a: Vector, start: Float) -> Vector:
    n = a.size(0)
    init = array(lambda i: start * i.float(), size=n)
    return fold(init, lambda _, u: array(lambda i: (a[i] * u[(i + 1) % n] - u[i]).sin()), count=3)


@function
def columns(a: Vector, x: Vector) -> tuple[Matrix, Matrix]:
    """Loops that vary with the last index alone, whose arrays are too large for all elements."""
    first = array(lambda i, j: simulated(a, x[j])[i] + a[i], size=(4, None))
    return first, array(
        lambda i, j: fold_sum(lambda k: (i * k).float() * simulated(a, x[j])[k]), size=(4, None)
    )


@pytest.mark.parametrize(("n", "m"), [(0, 2), (1, 1), (5, 3), (3, 0)])
@pytest.mark.parametrize("backend", INSTALLED)
def test_loops_that_vary_with_the_last_index(n: int, m: int, backend: str) -> None:
    assert_call_agrees(columns, (RNG.normal(size=n), RNG.normal(size=m)), backend, TOLERANCE)


def decay(k: Vector, u: Vector) -> Vector:
    n = u.size(0)
    return fold(u, lambda _, v: array(lambda i: v[i] - 0.1 * k[i] * v[(i + 1) % n].exp()), count=3)


@function
def loss(k: Vector, u: Vector, steps: Int) -> Float:
    """A loop that compares sizes, in a sum that it does not vary with."""
    return fold_sum(lambda i: decay(k, u)[i] ** 2.0, count=steps)


@pytest.mark.parametrize("backend", INSTALLED)
def test_derivatives_of_loops_that_leave_a_sum(backend: str) -> None:
    """Without a step of the sum their sizes are not compared; with one they are."""
    slope = ein.grad(loss)
    for n, steps in (1, 1), (4, 4), (3, 0):
        arguments = RNG.normal(size=n), RNG.normal(size=n), steps
        assert_call_agrees(slope, arguments, backend, TOLERANCE)
    other = RNG.normal(size=3), RNG.normal(size=2)
    assert slope.eval(*other, 0, backend=backend).tolist() == [0.0, 0.0, 0.0]
    with pytest.raises(ValueError, match=r"size of .* along axis 0"):
        slope.eval(*other, 2, backend=backend)
