"""Convolutions: their recognition, their meaning, and gradients."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest

from ein_mlir import array, fold, fold_max, fold_sum, function, max, min, where
from tests.libraries import INSTALLED, needs

RNG = np.random.default_rng(0)
A, W = RNG.normal(size=(2, 3, 6, 7)), RNG.normal(size=(4, 3, 3, 2))


def over(a: Any, w: Any, element: Any) -> Any:
    """An element for each image, output and place."""
    rows, columns = a.size(2) - w.size(2) + 1, a.size(3) - w.size(3) + 1
    return array(element, size=(a.size(0), w.size(0), rows, columns))


def taps(w: Any, tap: Any) -> Any:
    return fold_sum(
        lambda c: fold_sum(
            lambda p: fold_sum(lambda q: tap(c, p, q), count=w.size(3)), count=w.size(2)
        )
    )


CONVOLUTIONS: dict[str, Any] = {
    "channels outside": lambda a, w: over(
        a, w, lambda b, o, i, j: taps(w, lambda c, p, q: a[b, c, i + p, j + q] * w[o, c, p, q])
    ),
    "factors and terms the other way round": lambda x, y: over(
        x, y, lambda n, m, r, s: taps(y, lambda k, u, v: y[m, k, u, v] * x[n, k, u + r, v + s])
    ),
    "channels inside": lambda a, w: over(
        a,
        w,
        lambda b, o, i, j: fold_sum(
            lambda q: fold_sum(
                lambda p: fold_sum(lambda c: a[b, c, i + p, j + q] * w[o, c, p, q]),
                count=w.size(2),
            ),
            count=w.size(3),
        ),
    ),
    "outputs last": lambda a, w: array(
        lambda i, j, b, o: taps(w, lambda c, p, q: a[b, c, i + p, j + q] * w[o, c, p, q]),
        size=(
            a.size(2) - w.size(2) + 1,
            a.size(3) - w.size(3) + 1,
            a.size(0),
            w.size(0),
        ),
    ),
    "from a start": lambda a, w: over(
        a,
        w,
        lambda b, o, i, j: fold(
            0.5,
            lambda p, s: (
                fold_sum(
                    lambda q: fold_sum(lambda c: w[o, c, p, q] * a[b, c, p + i, q + j]),
                    count=w.size(3),
                )
                + s
            ),
            count=w.size(2),
        ),
    ),
    "filters that steps compute": lambda a, w: over(
        a,
        w,
        lambda b, o, i, j: taps(
            w,
            lambda c, p, q: (
                a[b, c, i + p, j + q] * max(w[o, c, p, q] * w[0, 1, p, q] - w[o, 0, 0, 0], 0.25)
            ),
        ),
    ),
}

CLIPPING: dict[str, Any] = {
    "a number of rows": lambda a, w: array(
        lambda b, o, i, j: taps(w, lambda c, p, q: a[b, c, i + p, j + q] * w[o, c, p, q]),
        size=(a.size(0), w.size(0), a.size(2) - 2, a.size(3) - 1),
    ),
    "the radius of the filter": lambda a, w: array(
        lambda b, o, i, j: taps(
            w,
            lambda c, p, q: a[b, c, i + p - w.size(2) // 2, q - w.size(3) // 2 + j] * w[o, c, p, q],
        ),
        size=(a.size(0), w.size(0), a.size(2), a.size(3)),
    ),
    "a number as radius, positions clipped": lambda a, w: array(
        lambda b, o, i, j: taps(
            w,
            lambda c, p, q: (
                a[b, c, min(max(i + p - 1, 0), a.size(2) - 1), j + (q + 1)] * w[o, c, p, q]
            ),
        ),
        size=(a.size(0), w.size(0), a.size(2), a.size(3)),
    ),
    "steps": lambda a, w: array(
        lambda b, o, i, j: taps(w, lambda c, p, q: a[b, c, 2 * i + p - 1, j + q] * w[o, c, p, q]),
        size=(a.size(0), w.size(0), 4, max(a.size(3) - w.size(3) + 1, 0)),
    ),
    "distances, and steps": lambda a, w: array(
        lambda b, o, i, j: taps(
            w, lambda c, p, q: a[b, c, 2 * i + 3 * p, j - 2 * q + 1] * w[o, c, p, q]
        ),
        size=(a.size(0), w.size(0), 3, 4),
    ),
    "a fixed number of taps": lambda a, w: array(
        lambda b, o, i, j: fold_sum(
            lambda c, p, q: a[b, c, i + p, j + q] * w[o, c, p, q], count=(a.size(1), 20, 17)
        ),
        size=(1, w.size(0), 2, 2),
    ),
    "filters that steps compute of clipped ones": lambda a, w: array(
        lambda b, o, i, j: fold_sum(
            lambda c, p, q: a[b, c, i + p, j + q] * (w[o, c, p, q] - w[0, c, p, q]),
            count=(a.size(1), 20, 17),
        ),
        size=(1, w.size(0), 2, 2),
    ),
    "one axis clips": lambda a, w: array(
        lambda b, o, i, j: taps(w, lambda c, p, q: a[b, c, i + p, j + q] * w[o, c, p, q]),
        size=(a.size(0), w.size(0), max(a.size(2) - w.size(2) + 1, 0), 3),
    ),
}

LOOPS: dict[str, Any] = {
    "maxima": lambda a, w: array(
        lambda b, o, i: fold_max(
            lambda p: fold_sum(lambda c: a[b, c, i + p, 0] * w[o, c, p, 0]), count=w.size(2)
        ),
        size=(a.size(0), w.size(0), a.size(2) - w.size(2) + 1),
    ),
    "a filter for each image": lambda a, w: array(
        lambda b, i: fold_sum(
            lambda p: fold_sum(lambda c: a[b, c, i + p, 0] * w[b, c, p, 0]), count=w.size(2)
        ),
        size=(2, a.size(2) - w.size(2) + 1),
    ),
}


@pytest.mark.one_turn
@pytest.mark.parametrize("variant", CONVOLUTIONS)
def test_convolutions_are_found_however_they_are_written(variant: str) -> None:
    program: Any = function(CONVOLUTIONS[variant])
    assert program.ir("yarr", A, W).count("yarr.correlate") == 1
    assert "yarr.fold" not in program.ir("yarr", A, W)
    expected = program.eval(A, W, backend="naive")
    for backend in INSTALLED:
        np.testing.assert_allclose(np.asarray(program.eval(A, W, backend=backend)), expected)


@cache
def clipping(variant: str) -> Any:
    """The program of a variant, which is compiled once for all sizes."""
    program: Any = function(CLIPPING[variant])
    ir = program.ir("yarr", A, W)
    assert ir.count("yarr.correlate") == 1
    assert "yarr.fold" not in ir
    return program


@pytest.mark.one_turn
@pytest.mark.parametrize("variant", CLIPPING)
def test_windows_that_clip_are_those_of_a_longer_array(variant: str) -> None:
    program = clipping(variant)
    for image, taps in [((6, 7), (3, 2)), ((2, 1), (5, 3)), ((3, 2), (1, 1)), ((2, 2), (0, 2))]:
        a, w = RNG.normal(size=(2, 2, *image)), RNG.normal(size=(2, 2, *taps))
        expected = program.eval(a, w, backend="naive")
        for backend in INSTALLED:
            np.testing.assert_allclose(np.asarray(program.eval(a, w, backend=backend)), expected)


@pytest.mark.parametrize("variant", LOOPS)
def test_others_stay_loops(variant: str) -> None:
    program: Any = function(LOOPS[variant])
    assert "yarr.correlate" not in program.ir("yarr", A, W)
    np.testing.assert_allclose(program(A, W), program.eval(A, W, backend="naive"))


GROUPED: dict[str, Any] = {
    "a filter for each channel": lambda a, w: array(
        lambda b, c, i, j: fold_sum(lambda p, q: a[b, c, i + p, j + q] * w[c, p, q]),
        size=(a.size(0), a.size(1), 3, 4),
    ),
    "of a fixed number of taps, masked": lambda a, w: array(
        lambda b, c, i, j: fold_sum(
            lambda p, q: where(i + p >= 1, a[b, c, i + p - 1, j + q] * w[c, p, q], 0.0),
            count=(2, 3),
        ),
        size=(a.size(0), a.size(1), 3, 4),
    ),
    "channels after groups": lambda a, w: array(
        lambda b, o, i, j: fold_sum(
            lambda c, p: a[b, o // 2 * w.size(1) + c, i + p, j] * w[o, c, p]
        ),
        size=(a.size(0), w.size(0), max(a.size(2) - w.size(2) + 1, 0), a.size(3)),
    ),
    "several axes of images": lambda a, w: array(
        lambda b, c, o, i, j: fold_sum(lambda p, q: a[b, c, i + p, j + q] * w[o, p, q]),
        size=(a.size(0), a.size(1), w.size(0), 3, 4),
    ),
    "two axes of images, outputs last": lambda a, w: array(
        lambda b, c, i, o: fold_sum(lambda j, p: a[b, c, i + p, j] * w[o, j, p]),
        size=(a.size(0), a.size(1), 3, w.size(0)),
    ),
}


@needs("torch")
@pytest.mark.parametrize("program", GROUPED)
def test_groups_and_joined_axes(program: str) -> None:
    compiled: Any = function(GROUPED[program])
    assert "yarr.correlate" in compiled.ir("yarr", A, W[:, :, :, 0], backend="torch")
    for sizes in ((2, 4, 5, 4), (1, 2, 3, 4), (0, 2, 2, 4), (2, 1, 1, 4)):
        a, w = RNG.normal(size=sizes), RNG.normal(size=(sizes[1], 4, 3))
        expected = compiled.eval(a, w, backend="naive")
        np.testing.assert_allclose(compiled.eval(a, w, backend="torch"), expected)
        w[:, 0] = np.inf
        expected = compiled.eval(a, w, backend="naive")
        np.testing.assert_allclose(compiled.eval(a, w, backend="torch"), expected)


@pytest.mark.parametrize(
    ("images", "filters"),
    [
        ((0, 3, 4, 4), (4, 3, 2, 2)),
        ((2, 0, 4, 4), (4, 0, 2, 2)),
        ((2, 3, 4, 4), (0, 3, 2, 2)),
        ((2, 3, 4, 4), (4, 3, 0, 2)),
        ((2, 3, 4, 1), (4, 3, 4, 2)),
    ],
)
def test_nothing_to_add_up(images: tuple[int, ...], filters: tuple[int, ...]) -> None:
    program: Any = function(CONVOLUTIONS["channels inside"])
    arguments = np.ones(images), np.ones(filters)
    expected = np.asarray(program.eval(*arguments, backend="naive"))
    for backend in INSTALLED:
        found = np.asarray(program.eval(*arguments, backend=backend))
        np.testing.assert_array_equal(found, expected)
        assert found.shape == expected.shape


def test_infinities_and_nan_stay_where_they_are() -> None:
    a = A.copy()
    a[0, 1, 2, 3], a[1, 0, 0, 0] = np.inf, np.nan
    program: Any = function(CONVOLUTIONS["channels outside"])
    expected = program.eval(a, W, backend="naive")
    for backend in INSTALLED:
        np.testing.assert_allclose(np.asarray(program.eval(a, W, backend=backend)), expected)


@needs("torch", "jax")
def test_gradients() -> None:
    """By the filters, of the sum of squares: the libraries agree with differences."""
    import jax
    import torch

    program: Any = function(CONVOLUTIONS["channels outside"])

    def loss(w: Any) -> Any:
        return (program(A, w) ** 2).sum()

    expected = np.zeros_like(W)
    for place in np.ndindex(W.shape):
        step = np.zeros_like(W)
        step[place] = 1e-5
        expected[place] = (loss(W + step) - loss(W - step)) / 2e-5
    w = torch.tensor(W, requires_grad=True)
    (program(torch.tensor(A), w) ** 2).sum().backward()
    assert w.grad is not None
    np.testing.assert_allclose(w.grad.numpy(), expected, rtol=1e-6)
    with jax.enable_x64(True):
        gradient = jax.grad(lambda w: (program(jax.numpy.asarray(A), w) ** 2).sum())
        np.testing.assert_allclose(gradient(jax.numpy.asarray(W)), expected, rtol=1e-6)
