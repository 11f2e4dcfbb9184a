"""Sums of products of one image and one filter, of which either is the larger one."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pytest

from ein_mlir import Float, Vec, array, fold, fold_sum, function, where
from ein_mlir.backends.numpy.prelude import correlations
from tests.agreement.comparison import assert_call_agrees
from tests.libraries import needs
from tests.selection import combinations, sizes_on

TOLERANCE = {"float64": 1e-12, "float32": 1e-4}


@function
def correlated(x: Vec[Vec[Float]], w: Vec[Vec[Float]]):
    """The filter at all places."""
    (n, m), (h, k) = x.shape, w.shape
    return array(
        lambda i, j: fold_sum(lambda p, q: x[i + p, j + q] * w[p, q], count=(h, k)),
        size=(n - h + 1, m - k + 1),
    )


@function
def strided(x: Vec[Vec[Float]], w: Vec[Vec[Float]]):
    """Places that are two apart, and offsets that are two and one apart."""
    (n, m), (h, k) = x.shape, w.shape
    return array(
        lambda i, j: fold_sum(lambda p, q: w[p, q] * x[2 * i + 2 * p, 2 * j + q], count=(h, k)),
        size=((n - 2 * h + 2) // 2, (m - k + 1) // 2),
    )


@function
def several(x: Vec[Vec[Float]], w: Vec[Vec[Float]]):
    """Two filters of three channels at all places of two images, which have terms added."""
    (n, m), (h, k) = x.shape, w.shape
    images = array(lambda b, c, i, j: x[i, j] * (c + 1).float() - b.float(), size=(2, 3, n, m))
    filters = array(lambda o, c, p, q: w[p, q] + (o * c).float(), size=(2, 3, h, k))
    return array(
        lambda b, o, i, j: fold_sum(
            lambda c, p, q: images[b, c, i + p, j + q] * filters[o, c, p, q], count=(3, h, k)
        ),
        size=(2, 2, n - h + 1, m - k + 1),
    )


@function
def bank(x: Vec[Vec[Float]], w: Vec[Vec[Float]]):
    """Filters of images without channels: at all places, around each, and of the rows alone."""
    (n, m), (h, k) = x.shape, w.shape
    images = array(lambda b, i, j: x[i, j] - b.float(), size=(2, n, m))
    filters = array(lambda o, p, q: w[p, q] * (o + 1).float(), size=(3, h, k))
    inside = array(
        lambda b, o, i, j: fold_sum(
            lambda p, q: images[b, i + p, j + q] * filters[o, p, q], count=(h, k)
        ),
        size=(2, 3, n - h + 1, m - k + 1),
    )
    around = array(
        lambda i, j, o: fold_sum(lambda p, q: filters[o, p, q] * x[i - p + 1, j + q - 1]),
        size=(n, m, 3),
    )
    rows = array(lambda i, o, j: fold_sum(lambda q: x[i, 2 * j + q] * w[o, q]), size=(n, h, 2))
    scaled = array(lambda b, i, j: images[b, i, j] * (i + 1).float())
    batches = array(
        lambda b, i, o, j: fold_sum(lambda q: scaled[b, i, j + q] * w[o, q]),
        size=(2, n, h, m - k + 1),
    )
    return inside, around, rows, batches


@function
def fixed(x: Vec[Vec[Float]], w: Vec[Vec[Float]]):
    """Numbers of offsets and channels that no array has: the filters may be smaller or larger."""
    (n, m), (h, k) = x.shape, w.shape
    images = array(lambda i, j, c: x[i, j] * (c + 1).float(), size=(n, m, 3))
    filters = array(lambda p, q, c, o: w[p, q] + (o * c).float(), size=(h, k, 3, 4))
    return array(
        lambda i, j, o: fold_sum(
            lambda p, q, c: images[2 * i + p, j + q, c] * filters[p, q, c, o], count=(2, 3, 2)
        ),
        size=(n // 2, m, 4),
    )


@function
def integers(x: Vec[Vec[Float]], w: Vec[Vec[Float]]):
    """Libraries do not convolve Ints."""
    k = w.size(1)
    return array(
        lambda i, o, j: fold_sum(lambda q: (x[i, j + q] * 9.0).int() * (w[o, q] * 9.0).int()),
        size=(None, None, x.size(1) - k + 1),
    )


@function
def gated(x: Vec[Vec[Float]], w: Vec[Vec[Float]]):
    """Two filters of the same padded elements."""
    n, m = x.shape
    h, k = w.shape

    def padded(i: Any, j: Any) -> Any:
        return where((i < n) & (j >= 0), x[i.min(n - 1), j.max(0)], 0.0)

    def filtered(weight: Any) -> Any:
        return array(
            lambda o, i, j: fold_sum(
                lambda p, q: weight(o, p, q) * padded(i + p, j - 2 * q), count=(h, k)
            ),
            size=(2, n, m),
        )

    f = filtered(lambda o, p, q: w[p, q] + o.float())
    g = filtered(lambda o, p, q: w[p, q] * o.float())
    return array(lambda o, i, j: f[o, i, j].tanh() * g[o, i, j])


PROGRAMS = {
    "several": several,
    "gated": gated,
    "correlated": correlated,
    "strided": strided,
    "bank": bank,
    "integers": integers,
    "fixed": fixed,
}


def arguments(filters: int, dtype: str) -> tuple[Any, ...]:
    """A filter with some rows and columns, and an image with room for few places or for many."""
    random = np.random.default_rng(filters)
    places = {0: 3, 1: 1, 2: 6, 7: 2}[filters]
    images = random.normal(size=(2 * filters + places, 2 * filters + places + 1))
    return images.astype(dtype), random.normal(size=(filters, filters + 1)).astype(dtype)


@pytest.mark.parametrize(("name", "backend", "dtype"), combinations(PROGRAMS))
def test_backends(name: str, backend: str, dtype: str) -> None:
    for filters in sizes_on(backend, (0, 1, 2, 7), name):
        assert_call_agrees(PROGRAMS[name], arguments(filters, dtype), backend, TOLERANCE)


@pytest.mark.parametrize("cache_bytes", [1, 500, 2000, 2**20])
def test_blocks_of_few_places(cache_bytes: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """The blocks have rows of some offsets, or all rows of some channels."""

    def block_length(position_bytes: int, least: int = 1) -> int:
        return max(least, cache_bytes // position_bytes)

    monkeypatch.setattr(correlations, "block_length", block_length)
    random = np.random.default_rng(0)
    images, filters = random.normal(size=(2, 5, 10, 9)), random.normal(size=(3, 5, 4, 7))
    windows = np.lib.stride_tricks.sliding_window_view(images, (4, 7), (2, 3))
    expected = np.einsum("bcijpq,ocpq->boij", windows[:, :, :5:2], filters)
    found = correlations.correlate(images, filters, (3, 3), (2, 1), (1, 1))
    np.testing.assert_allclose(found, expected, rtol=1e-12)


@pytest.mark.parametrize("backend", ["numpy", "torch", "jax"])
def test_no_offset_is_a_step(backend: str) -> None:
    """The programs have no loop: the call takes places, or offsets, one by one."""
    for program in (correlated, fixed):
        code = program.source(*arguments(2, "float64"), backend=backend).rpartition("\ndef ")[2]
        assert "correlate(" in code
        assert "for " not in code


@needs("torch")
@pytest.mark.parametrize("filters", [2, 7])
def test_derivatives_of_torch(filters: int) -> None:
    import torch

    x, w = (torch.tensor(a, requires_grad=True) for a in arguments(filters, "float64"))
    assert torch.autograd.gradcheck(correlated.torch, (x, w))


@needs("torch")
@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize(("strides", "dilations"), [((1, 1), (1, 1)), ((2, 1), (1, 3))])
def test_filters_of_torch_larger_than_the_result(dtype: str, strides: Any, dilations: Any) -> None:
    import torch

    from ein_mlir.backends.torch.prelude.correlations import correlate

    random, shape, sizes = np.random.default_rng(0), (4, 3), (2, 3)
    axes = list(zip(shape, sizes, strides, dilations, strict=True))
    places = (d * (n - 1) + s * (m - 1) + 1 for n, m, s, d in axes)
    images = random.normal(size=(2, 5, *places)).astype(dtype)
    filters = random.normal(size=(3, 5, *shape)).astype(dtype)
    rows, columns = (np.add.outer(s * np.arange(m), d * np.arange(n)) for n, m, s, d in axes)
    windows = images[:, :, rows[:, None, :, None], columns[None, :, None, :]]
    expected = np.einsum("bcijpq,ocpq->boij", windows, filters)
    x, w = (torch.tensor(a, requires_grad=True) for a in (images, filters))
    call = partial(correlate, sizes=sizes, strides=strides, dilations=dilations)
    found = call(x, w)
    np.testing.assert_allclose(found.detach(), expected, rtol=1e-4 if dtype == "float32" else 1e-11)
    if dtype == "float64":
        assert torch.autograd.gradcheck(call, (x, w))
        batched = torch.func.vmap(call)(torch.stack((x, -x)), torch.stack((w, w)))
        torch.testing.assert_close(batched, torch.stack((found, -found)))


@needs("jax")
@pytest.mark.parametrize("filters", [2, 7])
def test_derivatives_of_jax(filters: int) -> None:
    import jax
    from jax.test_util import check_grads

    with jax.enable_x64(True):
        call = tuple(map(jax.numpy.asarray, arguments(filters, "float64")))
        check_grads(correlated.jax, call, order=1, rtol=1e-5, atol=1e-5)


@needs("jax")
def test_filters_without_channels_are_one_call_of_jax() -> None:
    code = bank.source(*arguments(2, "float64"), backend="jax").rpartition("\ndef ")[2]
    assert code.count("correlate(") == 4
    assert "fold(" not in code


def added(x: Vec[Float], w: Vec[Float]):
    """Each step adds the multiple of a vector from its position on."""
    n, m = x.size(), w.size()

    def step(i: Any, total: Any):
        return array(
            lambda k: total[k] + where((k >= i) & (k - i < m), x[i] * w[k - i], 0.0), size=n + m - 1
        )

    return fold(array(lambda k: 0.0, size=n + m - 1), step, count=n)


def added_backwards(x: Vec[Float], w: Vec[Float]):
    """Each step leaves the elements before its position as they are; the weights move."""
    n, m = x.size(), w.size()

    def step(j: Any, total: Any):
        def element(k: Any):
            return where(j <= k, total[k] + w[j] * x[k - j], total[k])

        return array(element, size=n)

    return fold(array(lambda k: x[k]), step, count=m)


SUMS = {"added": function(added), "added_backwards": function(added_backwards)}


@pytest.mark.parametrize(("name", "backend", "dtype"), combinations(SUMS))
def test_sums_of_shifted_vectors(name: str, backend: str, dtype: str) -> None:
    for size in sizes_on(backend, (1, 2, 7), name):
        vectors = np.random.default_rng(size).normal(size=2 * size + 1).astype(dtype)
        for weights in (1, size):
            call = vectors[weights:], vectors[:weights]
            assert_call_agrees(SUMS[name], call, backend, TOLERANCE)


def test_shifted_vectors_are_correlated() -> None:
    vectors = np.ones(5), np.ones(3)
    for program in SUMS.values():
        code = program.source(*vectors, backend="numpy").rpartition("\ndef ")[2]
        assert "window_product(" in code
