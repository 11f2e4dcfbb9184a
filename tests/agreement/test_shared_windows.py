"""Elements of windows that are computed once: reflected borders, centred values."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from ein_mlir import (
    Float,
    Int,
    Vec,
    array,
    exp,
    fold,
    fold_max,
    fold_sum,
    function,
    sin,
    value_and_grad,
    where,
)
from ein_mlir.frontend.function import Function
from tests.agreement.comparison import assert_call_agrees
from tests.selection import combinations, sizes_on


def reflected(p: Any, n: Any) -> Any:
    q = where(p < 0, -p, p)
    return where(q >= n, 2 * (n - 1) - q, q)


@function
def smoothed(x: Vec[Float], w: Vec[Float]):
    """A reflected border."""
    n = x.size()
    return array(lambda i: fold_sum(lambda k: x[reflected(i + k - 2, n)] * w[k]), size=n)


@function
def blurred(a: Vec[Vec[Float]], w: Vec[Vec[Float]]):
    """A border that is repeated along one axis and reflected along the other."""
    n, m = a.shape
    return array(
        lambda i, j: fold_sum(
            lambda p, q: a[where(i + p < 1, 0, i + p - 1), reflected(j - q + 1, m)] * w[p, q]
        ),
        size=(n, m),
    )


@function
def autocovariance(x: Vec[Float], lags: Int):
    """Centred values."""
    n = x.size()
    mean = fold_sum(lambda i: x[i]) / n.float()
    return array(
        lambda k: fold_sum(lambda i: (x[i] - mean) * (x[i + k] - mean), count=n - k), size=lags
    )


@function
def differences(x: Vec[Float], c: Float):
    """A difference, a maximum, and a value that is used by itself, too."""
    n = x.size()

    def of(i: Any):
        e = array(lambda k: exp(-c * x[i - k + 1]), size=3)
        return fold_max(lambda k: e[k]) + fold_sum(lambda k: exp(-c * x[i - k + 1]) * e[k])

    return array(of, size=n)


@function
def toeplitz(x: Vec[Float], w: Vec[Float], s: Int):
    """Choices between two windows by their difference, a multiple of it, and one that may wrap."""
    n = x.size()

    def products(is_before: Callable[[Any, Any], Any]):
        def of(i: Any):
            return fold_sum(lambda k: where(is_before(i, k), x[i - k], w[k - i + 1]) * x[k])

        return array(of, size=n + 2)

    return (
        products(lambda i, k: i >= k),
        products(lambda i, k: 3 * k + 1 > 3 * i),
        products(lambda i, k: i + s + s >= k),
    )


@function
def separable(a: Vec[Vec[Float]], w: Vec[Float]):
    """Windows along each axis: with a stride, and backwards. They leave the bounds at both ends."""
    n, m = a.shape
    rows = array(lambda i, j: fold_sum(lambda k: a[i, 2 * j + k - 1] * w[k]), size=(n, m // 2 + 1))
    return array(lambda i, j: fold_sum(lambda k: abs(w[k] - rows[i - k, j])), size=(n, m // 2 + 1))


@function
def settled(x: Vec[Float], c: Float):
    """A window of the state before each step."""
    n = x.size()

    def step(t: Any, u: Any):
        return array(
            lambda i: fold_sum(lambda k: sin(c * u[i + k - 2]) * u[i + k - 2], count=5), size=n
        )

    return fold(x, step, count=3)


@function
def settled_rows(x: Vec[Float]):
    """A window of a state in each row, with a factor of the row."""
    n = x.size()

    def row(j: Any):
        def step(t: Any, u: Any):
            return array(lambda i: fold_sum(lambda k: sin(x[j] * u[i + k]), count=3), size=n)

        return fold(x, step, count=2)

    return array(lambda j, i: row(j)[i], size=(n, n))


def correlated(a: Any, b: Any) -> Any:
    """The covariances of two images in windows."""
    n, m = a.shape

    def box(f: Any) -> Any:
        return array(
            lambda i, j: fold_sum(lambda p, q: f(i + p, j + q), count=(2, 3)), size=(n - 1, m - 2)
        )

    x, y = box(lambda i, j: a[i, j]), box(lambda i, j: b[i, j])
    xy = box(lambda i, j: a[i, j] * b[i, j])
    return fold_sum(lambda i, j: (xy[i, j] - x[i, j] * y[i, j] / 6.0) ** 2.0)


def transposed(x: Any, w: Any, s: Any) -> Any:
    """The squares of a transposed convolution, by the taps that reach each element."""
    n, m = x.shape
    height, width = w.shape

    def element(i: Any, j: Any) -> Any:
        def tap(p: Any, q: Any) -> Any:
            u, v = (i - p) // s, (j - q) // s
            is_inside = (u >= 0) & (u < n) & (v >= 0) & (v < m)
            is_whole = ((i - p) % s == 0) & ((j - q) % s == 0)
            return where(is_whole & is_inside, x[u, v] * w[p, q], 0.0)

        return fold_sum(tap, count=(height, width)) ** 2.0

    return fold_sum(element, count=((n - 1) * s + height, (m - 1) * s + width))


def inputs(name: str, size: int, dtype: str) -> tuple[Any, ...]:
    rng = np.random.default_rng(size)
    x, w = rng.standard_normal(size).astype(dtype), rng.standard_normal(5).astype(dtype)
    image = rng.standard_normal((size, size + 1)).astype(dtype)
    return {
        "smoothed": (x, w),
        "blurred": (image, rng.standard_normal((3, 2)).astype(dtype)),
        "separable": (image, w),
        "autocovariance": (x, min(size, 3)),
        "toeplitz": (x, w, 2**62),
        "differences": (x, np.dtype(dtype).type(0.5)),
        "settled": (x, np.dtype(dtype).type(0.5)),
        "settled_rows": (x,),
        "slopes": (image, image[::-1].copy()),
        "transposed": (image, rng.standard_normal((3, 2)).astype(dtype), size % 3 + 1),
    }[name]


TOLERANCE = {"float64": 1e-12, "float32": 1e-4}
PROGRAMS: dict[str, Function[..., Any]] = {
    **{f.__name__: f for f in (smoothed, blurred, separable, autocovariance, differences)},
    **{f.__name__: f for f in (toeplitz, settled, settled_rows)},
    "slopes": function(value_and_grad(correlated, (0, 1))),
    "transposed": function(value_and_grad(transposed, (0, 1))),
}


@pytest.mark.parametrize(("name", "backend", "dtype"), combinations(PROGRAMS))
def test_values(name: str, backend: str, dtype: str) -> None:
    for size in sizes_on(backend, (1, 2, 7, 20), name):
        arguments = inputs(name, size, dtype)
        assert_call_agrees(PROGRAMS[name], arguments, backend, TOLERANCE)


def test_no_size_and_no_elements() -> None:
    empty = np.zeros(0)
    for program in (smoothed, differences):
        arguments = inputs(program.__name__, 0, "float64")
        assert program.eval(*arguments, backend="numpy").shape == empty.shape


def test_a_reflected_border_is_one_correlation() -> None:
    assert "window_product" in smoothed.source()


def test_a_toeplitz_matrix_is_one_correlation() -> None:
    assert toeplitz.source().count("window_product(") == 3


def test_functions_of_a_state_are_computed_once_in_each_step() -> None:
    assert settled.source().count("np.sin(") == 1


@pytest.mark.parametrize("backend", ["numpy", "torch"])
def test_gradients_of_transposed_convolutions_are_convolutions(backend: str) -> None:
    program = PROGRAMS["transposed"]
    source = program.source(*inputs("transposed", 5, "float64"), backend=backend)
    assert source.count("correlate(") >= 3


def test_the_cotangent_of_a_window_is_summed_before_its_product() -> None:
    image = np.ones((5, 5))
    source = function(value_and_grad(correlated)).source(image, image)
    assert "np.inf" not in source
