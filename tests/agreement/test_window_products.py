"""Sums of products of weights and windows agree with the interpreter, also where values are not
finite.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from ein_mlir import Float, Int, Vec, array, fold_all, fold_max, fold_sum, function, where
from ein_mlir.frontend.function import Function
from tests.agreement.comparison import assert_agree, given, leaves
from tests.libraries import INSTALLED, on
from tests.selection import in_turn, sizes_on

TOLERANCE = {"float64": 1e-12, "float32": 1e-4}


@function
def lags(x: Vec[Float], m: Int):
    """The mask of a product."""
    n = x.size()
    return array(
        lambda d: fold_sum(lambda i: where(i + d < n, x[i] * x[i + d], 0.0), count=n), size=m
    )


@function
def remaining(x: Vec[Float], m: Int):
    """A mask that compares the counter, of centred values."""
    n = x.size()
    mean = fold_sum(lambda i: x[i]) / n.float()

    def lag(d: Any):
        return fold_sum(lambda i: where(i < n - d, (x[i] - mean) * (x[i + d] - mean), 0.0), count=n)

    return array(lag, size=m)


@function
def overlaps(x: Vec[Float], m: Int):
    """A count that varies, of centred values."""
    n = x.size()
    mean = fold_sum(lambda i: x[i]) / n.float()

    def lag(d: Any):
        return fold_sum(lambda i: (x[i] - mean) * (x[i + d] - mean), count=n - d)

    return array(lag, size=m)


@function
def full(x: Vec[Float], h: Vec[Float]):
    """A convolution beyond both ends."""
    n, m = x.size(), h.size()

    def at(k: Any):
        def term(j: Any):
            p = k - j
            return where((p >= 0) & (p < n), h[j] * x[p], 0.0)

        return fold_sum(term, count=m)

    return array(at, size=n + m - 1)


@function
def shifted(x: Vec[Int], h: Vec[Int]):
    """Ints, whose products need no test."""
    n, m = x.size(), h.size()

    def at(k: Any):
        def term(j: Any):
            p = k + j - 2
            return where((p >= 0) & (p < n), x[p] * h[j], 0)

        return fold_sum(term, count=m)

    return array(at, size=n)


@function
def valid(x: Vec[Float], h: Vec[Float]):
    """No mask; weights in the order of the window, and against it."""
    k = h.size()
    size = x.size() - k + 1
    along = array(lambda i: fold_sum(lambda j: h[j] * x[i + j]), size=size)
    against = array(lambda i: fold_sum(lambda j: x[i + k - 1 - j] * h[j]), size=size)
    return along, against


@function
def clipped(x: Vec[Float], h: Vec[Float]):
    """Positions out of bounds clip."""
    return array(lambda i: fold_sum(lambda j: h[j] * x[i + j - 1]), size=x.size())


@function
def channels(x: Vec[Vec[Float]], m: Int):
    """Weights and windows of several channels."""
    n, d = x.size(0), x.size(1)
    mean = array(lambda c: fold_sum(lambda i: x[i, c]) / n.float())

    def at(lag: Any, c: Any):
        def term(i: Any):
            return where(i + lag < n, (x[i, c] - mean[c]) * (x[i + lag, c] - mean[c]), 0.0)

        return fold_sum(term, count=n)

    return array(at, size=(m, d))


@function
def matches(t: Vec[Int], p: Vec[Int]):
    """The number of windows may be negative."""

    def hit(i: Any):
        return fold_all(lambda j: t[i + j] == p[j])

    return fold_sum(lambda i: where(hit(i), 1, 0), count=t.size() - p.size() + 1)


@function
def upsampled(x: Vec[Float], h: Vec[Float], down: Int):
    """Two zeros after each element, a filter, and every second or third element of the result."""
    size = (3 * (x.size() - 1) + h.size()).max(0)

    def at(i: Any):
        def term(k: Any):
            t = i - k
            return where((t % 3 == 0) & (t >= 0) & (t // 3 < x.size()), h[k] * x[t // 3], 0.0)

        return fold_sum(term)

    y = array(at, size=size)
    return array(lambda i: y[i * down], size=size // 2)


@function
def transposed(x: Vec[Vec[Vec[Float]]], w: Vec[Vec[Vec[Float]]], s: Int):
    """A transposed convolution, from two channels to one."""
    channels, rows, columns = x.shape
    _, height, width = w.shape

    def at(y: Any, z: Any):
        def term(c: Any, p: Any, q: Any):
            u, v = (y - p) // s, (z - q) // s
            hits = ((y - p) % s == 0) & ((z - q) % s == 0)
            inside = (u >= 0) & (u < rows) & (v >= 0) & (v < columns)
            return where(hits & inside, x[c, u, v] * w[c, p, q], 0.0)

        return fold_sum(term, count=(channels, height, width))

    size = ((rows - 1) * s + height).max(0), ((columns - 1) * s + width).max(0)
    return array(at, size=size)


@function
def scattered(x: Vec[Float], h: Vec[Float]):
    """Sums over all elements, of which few have a part in each: with steps of 1, 2 and 3."""
    n, k = x.size(), h.size()

    def term(i: Any, s: int, t: Any):
        p = t - s * i
        return where((p >= 0) & (p < k), x[i] * h[p], 0.0)

    def largest(i: Any, t: Any):
        return where((t >= 3 * i) & (t < 3 * i + 4), x[i] - (t - 3 * i).float(), -np.inf)

    return (
        array(lambda t: fold_sum(lambda i: term(i, 1, t)), size=n + k - 1),
        array(lambda t: fold_sum(lambda i: term(i, 2, t + 1), count=n), size=2 * n),
        array(lambda t: fold_max(lambda i: largest(i, t), count=n), size=3 * n),
    )


@function
def scattered_planes(x: Vec[Vec[Vec[Float]]], w: Vec[Vec[Vec[Float]]]):
    """The same in two directions, of two channels."""
    channels, rows, columns = x.shape
    _, height, width = w.shape

    def at(y: Any, z: Any):
        def term(c: Any, i: Any, j: Any):
            p, q = y - 2 * i, z - 2 * j
            inside = (p >= 0) & (p < height) & (q >= 0) & (q < width)
            return where(inside, x[c, i, j] * w[c, p, q], 0.0)

        return fold_sum(term, count=(channels, rows, columns))

    return array(at, size=(2 * rows + 1, 2 * columns))


@function
def dilated(x: Vec[Float], h: Vec[Float], s: Int):
    """The guard in the factor, of half positions, and a shift that may be any Int."""

    def at(i: Any):
        def half(t: Any):
            return where((t % 2 == 1) & (t < 2 * x.size()) & (t > 0), x[t // 2], 0.0)

        return fold_sum(lambda k: half(i + k) * h[k]) + fold_sum(lambda k: half(i - k + s) * h[k])

    return array(at, size=x.size() + 3)


@function
def neighbours(x: Vec[Vec[Vec[Float]]], y: Vec[Vec[Vec[Float]]]):
    """Products with the values around an element, in rows and columns, or in rows alone."""
    rows, columns, channels = x.shape

    def score(i: Any, j: Any, p: Any, q: Any):
        return fold_sum(lambda e: x[i, j, e] * y[i + p - 1, j + q - 1, e], count=channels)

    def along(i: Any, j: Any, p: Any):
        return fold_sum(lambda e: x[i, j, e] * y[i + 2 * p, 1, e], count=channels)

    return array(score, size=(rows, columns, 3, 3)), array(along, size=(rows, columns, 2))


def numbers(n: int, dtype: str = "float64") -> Any:
    return np.sin(np.arange(n) * 2.0 + n).astype(dtype)


def planes(n: int, m: int) -> Any:
    """Two channels of an image, and their filters."""
    return numbers(2 * n * (n + 1)).reshape(2, n, n + 1), numbers(2 * m * 2).reshape(2, m, 2)


def ints(n: int) -> Any:
    return np.arange(n) * 7 % 5 - 2


CASES: dict[str, tuple[Function, Callable[[int, int], tuple[Any, ...]]]] = {
    "lags": (lags, lambda n, m: (numbers(n), m)),
    "remaining": (remaining, lambda n, m: (numbers(n), m)),
    "overlaps": (overlaps, lambda n, m: (numbers(n), m)),
    "full": (full, lambda n, m: (numbers(n), numbers(m))),
    "full f32": (full, lambda n, m: (numbers(n, "float32"), numbers(m, "float32"))),
    "shifted": (shifted, lambda n, m: (ints(n), ints(m))),
    "valid": (valid, lambda n, m: (numbers(n), numbers(m))),
    "clipped": (clipped, lambda n, m: (numbers(n), numbers(m))),
    "channels": (channels, lambda n, m: (numbers(2 * n).reshape(n, 2), m)),
    "upsampled": (upsampled, lambda n, m: (numbers(n), numbers(m), 2)),
    "dilated": (dilated, lambda n, m: (numbers(n), numbers(m), n - m)),
    "dilated by any": (dilated, lambda n, m: (numbers(n), numbers(m), -(2**63) + n)),
    "neighbours": (neighbours, lambda n, m: planes(n, m + 1)),
    "transposed": (transposed, lambda n, m: (*planes(n, m), 2)),
    "transposed by one": (transposed, lambda n, m: (*planes(n, m), 1)),
    "transposed by none": (transposed, lambda n, m: (*planes(n, m), 0)),
    "scattered": (scattered, lambda n, m: (numbers(n), numbers(m))),
    "scattered planes": (scattered_planes, planes),
    "matches": (matches, lambda n, m: (ints(n), ints(m))),
}
SIZES = [(0, 1), (1, 1), (1, 0), (5, 3), (3, 5), (9, 2)]


def outcome(call: Callable[[], Any]) -> Any:
    """The arrays of a call, or its error."""
    try:
        return [np.asarray(each) for each in leaves(call())]
    except ValueError as error:
        return str(error)


@pytest.mark.parametrize("backend", on("numpy", "torch", "jax", "native"))
@pytest.mark.parametrize("name", CASES)
def test_sizes(name: str, backend: str):
    program, inputs = CASES[name]
    for sizes in sizes_on(backend, SIZES, name):
        arguments = inputs(*sizes)
        expected = outcome(lambda given=arguments: program.eval(*given, backend="naive"))
        arrays = [given(each, backend) for each in arguments]
        found = outcome(lambda given=arrays: program.eval(*given, backend=backend))
        if isinstance(expected, str):
            assert isinstance(found, str)
        else:
            assert not isinstance(found, str), found
            assert_agree(found, expected, TOLERANCE)


@pytest.mark.parametrize(
    ("name", "backend", "special"),
    in_turn(
        ["lags", "remaining", "overlaps", "full", "upsampled", "scattered"],
        INSTALLED,
        [float("inf"), float("-inf"), float("nan")],
    ),
)
def test_values_that_are_not_finite(name: str, backend: str, special: float):
    """A product that a mask excludes is no NaN."""
    program, inputs = CASES[name]
    for place in (0, 2, 4):
        for argument in range(2 if name in ("full", "upsampled", "scattered") else 1):
            arguments = inputs(5, 3)
            arguments[argument][min(place, len(arguments[argument]) - 1)] = special
            expected = program.eval(*arguments, backend="naive")
            found = program.eval(*(given(each, backend) for each in arguments), backend=backend)
            assert_agree(leaves(found), leaves(expected), TOLERANCE)


@pytest.mark.parametrize("backend", on("numpy", "torch", "native"))
@pytest.mark.parametrize("size", [-1, -(2**63), 2**62])
def test_sizes_that_are_none(size: int, backend: str):
    x = given(numbers(5), backend)
    with pytest.raises(ValueError, match="size of index d"):
        lags.eval(x, size, backend=backend)


def test_numpy_correlates():
    """No array of windows or of products."""
    for each in (lags, remaining, overlaps):
        assert "window_product(" in each.source()
    for sign in (1, -1):
        found = valid.source()
        assert f", {sign})" in found
    assert "window_product" not in channels.source()


@pytest.mark.one_turn
@pytest.mark.parametrize("backend", on("numpy", "torch"))
def test_products_with_neighbours_are_contractions(backend: str):
    code = neighbours.source(*planes(4, 3), backend=backend).rpartition("\ndef ")[2]
    assert "range(size" not in code
    assert '"ijm,ikjlm->ijkl"' in code or '"ikjlm,ijm->ijkl"' in code


@pytest.mark.one_turn
def test_filters_of_elements_with_zeros_in_between():
    """The positions are of a padded array, and the sums contractions of its slices."""
    for program, arguments in (
        (upsampled, (numbers(9), numbers(4), 2)),
        (transposed, (*planes(4, 3), 2)),
    ):
        assert "windows of x are padded" in program.explain(*arguments)
    for program, arguments in (
        (scattered, (numbers(9), numbers(4))),
        (scattered_planes, planes(4, 3)),
    ):
        assert "runs in a sliding range" in program.explain(*arguments)
        assert "windows of x are padded" in program.explain(*arguments)
    assert "those over c become innermost" in transposed.explain(*planes(4, 3), 2)
