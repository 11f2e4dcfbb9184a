"""Versions of machine code for arrays with short axes."""

from __future__ import annotations

from typing import Any
from unittest.mock import patch

import numpy as np
import pytest

import ein_mlir as ein
from ein_mlir import array, fold, fold_sum, function, where
from ein_mlir.dialects.creation import copy_of
from ein_mlir.entry import parse
from ein_mlir.pipelines import LOOPS, run_pipeline
from ein_mlir.short_axes import LEAST_ELEMENTS, short_axes, with_known_sizes

pytest.importorskip("llvmlite", reason="llvmlite is not installed")


def turned(points: Any, m: Any) -> Any:
    return array(lambda t, i: fold_sum(lambda k: m[i, k] * points[t, k]))


def products(a: Any, b: Any) -> Any:
    return array(lambda t, i, j: fold_sum(lambda k: a[t, i, k] * b[t, k, j]))


def nearest(points: Any, others: Any) -> Any:
    def distance(i: Any, j: Any) -> Any:
        return fold_sum(lambda c: (points[i, c] - others[j, c]) ** 2)

    return array(lambda i: ein.fold_argmin(lambda j: distance(i, j)))


def smoothed(points: Any, state: Any) -> Any:
    def step(t: Any, s: Any) -> Any:
        return array(lambda c: where(c == 0, s[0] * 0.5, s[c]) + points[t, c])

    return fold(array(lambda c: state[0, c]), step, count=points.size(0))


def _points(random: Any, *shape: int) -> Any:
    return random.normal(size=shape)


SHAPES = [(1, 1024), (2, 600), (3, 400), (5, 300), (8, 200), (9, 200), (3, 5), (2, 1), (3, 0)]
"""Sizes of rows, and numbers of rows: few, many, of sizes without a version."""


@pytest.mark.parametrize(("row", "count"), SHAPES)
@pytest.mark.parametrize("program", [turned, nearest, smoothed], ids=lambda p: p.__name__)
def test_points(program: Any, row: int, count: int) -> None:
    if program is nearest and count == 0:
        pytest.skip("a search among no elements")
    random = np.random.default_rng(0)
    arguments = _points(random, count, row), _points(random, row, row)
    compiled = function(program)
    want = compiled.numpy(*arguments)
    np.testing.assert_allclose(compiled.native(*arguments), want, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("shape", [(200, 3, 3), (300, 2, 2), (70, 4, 4), (40, 3, 9), (20, 8, 8)])
def test_stacks(shape: Any) -> None:
    random = np.random.default_rng(0)
    a, b = _points(random, *shape), _points(random, shape[0], shape[2], shape[1])
    got = function(products).native(a, b)
    np.testing.assert_allclose(got, a @ b, rtol=1e-12, atol=1e-12)


def test_versions_are_for_large_arrays_with_short_axes() -> None:
    compiled = function(lambda points, m: turned(points, m)[1:])
    matrix = np.eye(3)
    with patch("ein_mlir.native.with_known_sizes", wraps=with_known_sizes) as made:
        compiled.native(np.ones((5, 3)), matrix)
        compiled.native(np.ones((500, 9)), np.eye(9))
        made.assert_not_called()
        compiled.native(np.ones((LEAST_ELEMENTS, 3)), matrix)
        compiled.native(np.ones((LEAST_ELEMENTS + 1, 3)), matrix)
        made.assert_called_once()
        compiled.native(np.ones((LEAST_ELEMENTS, 2)), np.eye(2))
        assert made.call_count == 2
        compiled.native(np.ones((2, LEAST_ELEMENTS)), np.ones((2, LEAST_ELEMENTS)))
        assert made.call_count == 2


def shares(x: Any) -> Any:
    def row(i: Any, j: Any) -> Any:
        most = ein.fold_max(lambda k: x[i, k])
        return ein.exp(x[i, j] - most) / fold_sum(lambda k: ein.exp(x[i, k] - most))

    return array(row)


@pytest.mark.parametrize("row", [2, 4, 7, 8])
def test_functions_of_short_rows(row: int) -> None:
    """Sums of functions are unrolled: one that is large, infinite or NaN counts for its row."""
    x = _points(np.random.default_rng(row), 600, row)
    x[5, 0], x[6, row - 1], x[7, 1], x[8] = np.inf, -np.inf, np.nan, 800.0
    compiled = function(shares)
    np.testing.assert_allclose(compiled.native(x), compiled.numpy(x), rtol=1e-14)


@pytest.mark.parametrize("dtype", ["uint8", "uint16", "int8", "float32", "bool"])
def test_colours_have_versions(dtype: str) -> None:
    """An image of bytes has types of its own for the host, as other Ints without sign."""
    image = np.random.default_rng(0).integers(0, 100, (40, 50, 3)).astype(dtype)
    luma = function(
        lambda u: array(lambda i, j: 0.5 * u[i, j, 0].float() + 0.25 * u[i, j, 2].float())
    )
    with patch("ein_mlir.native.with_known_sizes", wraps=with_known_sizes) as made:
        found = luma.native(image)
        made.assert_called_once()
    want = 0.5 * image[..., 0].astype(float) + 0.25 * image[..., 2].astype(float)
    np.testing.assert_allclose(found, want, rtol=1e-12)


def test_errors_are_those_of_the_program() -> None:
    compiled = function(turned)
    for count in (5, 500):
        with pytest.raises(ValueError, match=r"counter k: .* 4 != 3"):
            compiled.native(np.ones((count, 3)), np.ones((3, 4)))


def test_strided_arguments() -> None:
    random = np.random.default_rng(0)
    points = _points(random, 800, 6)[:, ::2]
    got = function(turned).native(points, np.eye(3))
    np.testing.assert_array_equal(got, points)


TEXT = """
func.func @f(%a: !phi.vec<!phi.vec<f64>>) -> i64
    attributes {ein.known_sizes = [array<i64: SIZES>]} {
  %n = phi.size %a, 1 : !phi.vec<!phi.vec<f64>>
  func.return %n : i64
}
"""


def _compiled(sizes: str) -> Any:
    return ein.compile(parse(TEXT.replace("SIZES", sizes)), backend="native")


def test_known_sizes_are_checked() -> None:
    """A call with other sizes than those of a text runs the program for all sizes."""
    f = _compiled("0, 3")
    assert f(np.ones((2, 3))) == 3
    assert f(np.ones((2, 4))) == 4


@pytest.mark.parametrize("sizes", ["3", "0, -3", "0, 3, 3", "0, 0"])
def test_sizes_that_are_none_are_ignored(sizes: str) -> None:
    assert _compiled(sizes)(np.ones((2, 4))) == 4


def test_known_sizes_are_constants_of_loops() -> None:
    """Passes of phi do not see them: sums over short axes stay, for products of matrices."""
    module = parse(TEXT.replace("SIZES", "0, 3"))
    assert "phi.size" in str(run_pipeline(copy_of(module), ("simplify",)))
    assert "memref.dim" not in str(run_pipeline(module, LOOPS))


@function
def convolved(x: Any, k: Any) -> Any:
    """Sums of products over a short axis, a known one, and channels."""
    return array(
        lambda n, o, i, j: fold_sum(lambda c, p, q: x[n, c, i + p, j + q] * k[o, c, p, q]),
        size=(x.size(0), k.size(0), x.size(2) - k.size(2) + 1, x.size(3) - k.size(3) + 1),
    )


def test_small_matrices_beside_large_vectors_have_versions() -> None:
    small, vector = np.ones((4, 2)), np.ones(LEAST_ELEMENTS)
    assert short_axes((small, vector), (0,)) == ((4, 2), (0,))
    assert short_axes((small, vector[1:]), (0,)) == ()
    assert short_axes((np.ones((9, 2)), vector), (0,)) == ()
    assert short_axes((np.ones((1, 9)), vector), (0,)) == ()


def test_products_of_matrices_stay() -> None:
    x, k = np.ones((2, 8, 20, 20)), np.ones((20, 8, 3, 3))
    version = with_known_sizes(convolved.phi(x, k), "convolved", short_axes((x, k), (0, 1)))
    assert "array<i64: 0, 8, 3, 3>" in str(version)
    assert "linalg.generic" in str(run_pipeline(version, LOOPS))


def test_memory_is_that_of_the_version() -> None:
    points = np.ones((2000, 3))
    assert function(turned).memory(points, np.eye(3), backend="native").results == points.nbytes


def test_versions_are_few() -> None:
    """Calls with other sizes share the program for all sizes."""
    compiled = function(products)
    with patch("ein_mlir.short_axes.MOST_VERSIONS", 2):
        for n, m in ((2, 2), (2, 3), (3, 2), (3, 3), (4, 4), (3, 4)):
            a, b = np.ones((512, n, m)), np.ones((512, m, n))
            np.testing.assert_allclose(compiled.native(a, b), a @ b)
            np.testing.assert_allclose(compiled.native(a[:3], b[:3]), a[:3] @ b[:3])
    with patch("ein_mlir.native.with_known_sizes", wraps=with_known_sizes) as made:
        compiled.native(np.ones((512, 4, 2)), np.ones((512, 2, 4)))
        made.assert_called_once()
