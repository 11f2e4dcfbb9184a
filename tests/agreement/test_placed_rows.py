"""Sums of rows that are added at places: frames that overlap, by several forms of their bounds."""

from __future__ import annotations

import numpy as np
import pytest

from ein_mlir import Float, Int, Vec, array, fold_max, fold_sum, function, max, min, where
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
