"""Sums of rows that are added at places: frames that overlap, by several forms of their bounds."""

from __future__ import annotations

import numpy as np
import pytest

from ein_mlir import (
    Float,
    Int,
    Vec,
    accumulate,
    array,
    fold_max,
    fold_sum,
    function,
    grad,
    max,
    min,
    where,
)
from tests.agreement.comparison import assert_call_agrees
from tests.libraries import BACKENDS


@function
def overlap_add(f: Vec[Vec[Float]], hop: Int, size: Int) -> Vec[Float]:
    w = f.size(1)

    def sample(t: Int) -> Float:
        def frame(i: Int) -> Float:
            j = t - i * hop
            return where((j >= 0) & (j < w), f[i, min(max(j, 0), w - 1)], 0.0)

        return fold_sum(frame, count=f.size(0))

    return array(sample, size=size)


@function
def between(f: Vec[Vec[Float]], hop: Int, size: Int) -> Vec[Float]:
    def sample(t: Int) -> Float:
        def frame(i: Int) -> Float:
            start = i * hop
            inside = (t >= start) & (t < start + f.size(1)) & (f[i, 0] > -0.5)
            return where(inside, f[i, t - start] * (t + 1).float(), 0.0)

        return fold_sum(frame, count=f.size(0))

    return array(sample, size=size)


@function
def by_offsets(f: Vec[Vec[Float]], hop: Int, size: Int) -> Vec[Vec[Float]]:
    """Rows at the places of an array, and their greatest elements, in each of two rounds."""

    def greatest(r: Int, t: Int) -> Float:
        def frame(i: Int) -> Float:
            j = t - (i * i + r) * hop
            return where((j >= 0) & (j < f.size(1)), f[i, j], -1.0)

        return fold_max(frame, count=f.size(0))

    return array(greatest, size=(2, size))


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize(
    "program", [overlap_add, between, by_offsets], ids=["offsets", "places", "extremes"]
)
@pytest.mark.parametrize(
    ("shape", "hop", "size"),
    [((5, 4), 3, 16), ((5, 4), -1, 16), ((1, 1), 1, 1), ((3, 2), 2**62, 7), ((2, 3), -(2**62), 5)],
)
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_rows_are_added_at_their_places(backend, program, shape, hop, size, dtype):
    rng = np.random.default_rng(0)
    f = rng.normal(size=shape).astype(dtype)
    tolerance = {"float64": 1e-12, "float32": 1e-5}
    assert_call_agrees(program, (f, hop, size), backend, tolerance)


@function
def transposed(x: Vec[Float], w: Vec[Float], stride: Int) -> Vec[Float]:
    """A transposed convolution: short rows that are no array."""
    size, taps = x.size(), w.size()

    def sample(t: Int) -> Float:
        def term(i: Int) -> Float:
            inside = (t >= stride * i) & (t < stride * i + taps)
            return where(inside, x[i] * w[t - stride * i], 0.0)

        return fold_sum(term)

    return array(sample, size=max(size - 1, 0) * 9 + taps)


@function
def stamped(image: Vec[Vec[Float]], at: Vec[Vec[Int]], w: Vec[Vec[Float]]) -> Vec[Vec[Float]]:
    """Copies of a small image at places in a large one, some of them out of it."""

    def pixel(i: Int, j: Int) -> Float:
        def stamp(k: Int) -> Float:
            p, q = i - at[k, 0], j - at[k, 1]
            inside = (p >= 0) & (p < w.size(0)) & (q >= 0) & (q < w.size(1))
            return where(inside, w[p, q] * (k + 1).float(), 0.0)

        return image[i, j] + fold_sum(stamp, count=at.size(0))

    return array(pixel)


def squares(x: Vec[Float], w: Vec[Float], stride: Int) -> Float:
    y = transposed(x, w, stride)
    return fold_sum(lambda t: y[t] ** 2)


def squared_stamps(image: Vec[Vec[Float]], at: Vec[Vec[Int]], w: Vec[Vec[Float]]) -> Float:
    y = stamped(image, at, w)
    return fold_sum(lambda i, j: y[i, j] ** 2)


def framed_squares(f: Vec[Vec[Float]], hop: Int, size: Int) -> Float:
    y = between(f, hop, size)
    return fold_sum(lambda t: y[t] ** 2)


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize(
    ("size", "taps", "stride"), [(30, 5, 9), (30, 5, -2), (1, 1, 1), (0, 3, 2)]
)
def test_rows_that_are_no_array(backend, size, taps, stride):
    """Few taps are added at the places of all steps, many in each step."""
    rng = np.random.default_rng(0)
    arguments = rng.normal(size=size), rng.normal(size=taps), stride
    for program in (transposed, grad(squares, argnums=(0, 1))):
        assert_call_agrees(program, arguments, backend, {"float64": 1e-12})


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("width", [2, 5])
def test_stamps(backend, width):
    rng = np.random.default_rng(0)
    at = np.array([[3, 4], [-1, 16], [15, -1], [3, 5], [2**62, 0], [0, -(2**62)]])
    arguments = rng.normal(size=(16, 17)), at, rng.normal(size=(width, 2))
    for program in (stamped, grad(squared_stamps, argnums=(0, 2))):
        assert_call_agrees(program, arguments, backend, {"float64": 1e-12})


@pytest.mark.parametrize("backend", BACKENDS)
def test_the_gradient_of_rows_at_places(backend):
    f = np.random.default_rng(0).normal(size=(5, 4))
    program = grad(framed_squares, argnums=(0,))
    assert_call_agrees(program, (f, 3, 16), backend, {"float64": 1e-12})
    if backend == "numpy":
        body = program.source(f, 3, 16).rpartition("\ndef ")[2]
        assert "strided(" in body, body


@function
def folded(f: Vec[Vec[Vec[Vec[Vec[Float]]]]], hop: Int, h: Int, w: Int) -> Vec[Vec[Vec[Float]]]:
    """Patches of channels that overlap, put back: blocks that two folds move."""
    rows, columns, channels, p, q = f.shape

    def pixel(c: Int, i: Int, j: Int) -> Float:
        def patch(u: Int, v: Int) -> Float:
            y, x = hop * u, hop * v
            inside = (y <= i) & (i < y + p) & (x <= j) & (j < x + q)
            return where(inside, f[u, v, c, i - y, j - x], 0.0)

        return fold_sum(patch, count=(rows, columns))

    return array(pixel, size=(channels, h, w))


def squared_patches(f: Vec[Vec[Vec[Vec[Vec[Float]]]]], hop: Int, h: Int, w: Int) -> Float:
    y = folded(f, hop, h, w)
    return fold_sum(lambda c, i, j: y[c, i, j] ** 2)


def windowed_squares(f: Vec[Vec[Float]], w: Vec[Float], hop: Int) -> Float:
    """Frames that overlap, divided by the sum of their windows."""
    frames, length = f.shape
    size = max(frames - 1, 0) * max(hop, 0) + length
    sums = accumulate(lambda a, t: (a * hop + t, f[a, t] * w[t]), size=size)
    weights = accumulate(lambda a, t: (a * hop + t, w[t] ** 2), size=size, count=(frames, length))
    return fold_sum(lambda o: (sums[o] / max(weights[o], 1e-3)) ** 2)


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize(("shape", "hop"), [((3, 4, 2, 3, 2), 2), ((1, 1, 1, 1, 1), -1)])
def test_blocks_that_two_folds_move(backend, shape, hop):
    arguments = np.random.default_rng(0).normal(size=shape), hop, 7, 8
    for program in (folded, grad(squared_patches)):
        assert_call_agrees(program, arguments, backend, {"float64": 1e-12})


@pytest.mark.parametrize("backend", BACKENDS)
def test_the_gradient_of_windows_stays_in_frames(backend):
    """A frame has one place for each of its samples, and not one for each sample of the sum."""
    rng = np.random.default_rng(0)
    program, f, w = (
        grad(windowed_squares, argnums=(0, 1)),
        rng.normal(size=(5, 4)),
        rng.normal(size=4),
    )
    for hop in (2, -3):
        assert_call_agrees(program, (f, w, hop), backend, {"float64": 1e-12})
    if backend == "numpy":
        body = program.source(f, w, 2).rpartition("\ndef ")[2]
        assert body.count("accumulate_at(") == 2, body
