"""Accumulations at positions that are made of quotients and remainders of an index."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ein_mlir import (
    accumulate,
    array,
    cos,
    exp,
    fold,
    fold_max,
    fold_sum,
    function,
    grad,
    sin,
    sqrt,
    tanh,
    value_and_grad,
    where,
)
from tests.agreement.comparison import assert_call_agrees
from tests.libraries import on
from tests.selection import combinations, sizes_on

DIVISORS = [-(2**63), -8, -1, 0, 1, 2, 3, 4, 5, 8, 16, 2**61, 2**62, 2**63 - 1]


def halves(x: Any, m: Any, size: Any) -> Any:
    """Both halves of a block meet at the same elements."""

    def value(p: Any) -> Any:
        block, rest = p // (2 * m), p % (2 * m)
        half, k = rest // m, rest % m
        return k + block * m, where(half == 0, x[p], -x[p] * sin(block.float()))

    return accumulate(value, size=size, count=x.size())


def columns(x: Any, m: Any, size: Any) -> Any:
    """Rows of blocks that meet, with the greatest of what is beside them, and a count."""
    greatest = accumulate(lambda p: (p // m, x[p] + (p % m).float()), size, "max", x.size())
    count = accumulate(lambda p: (p // m, 1), size=size, count=x.size())
    sums = accumulate(lambda p: (p % m, x[p] * cos((p // m).float())), size=size, count=x.size())
    return array(lambda i: (greatest[i], count[i], sums[i]), size=size)


def rows(x: Any, m: Any, size: Any) -> Any:
    """Values that are arrays, at two positions."""
    return accumulate(
        lambda p: ((p % m, p // m), array(lambda j: x[p] * (j + p // m).float(), size=2)),
        size=(size, 3),
        count=x.size(),
    )


def products(x: Any, m: Any, size: Any) -> Any:
    """Matrices that are added by groups of columns, beside rows: on native sums over columns."""
    matrices = accumulate(
        lambda c: (c // m, array(lambda i, j: x[i] * (x[j] + x[c]), size=(2, 3))),
        size=size,
        count=x.size(),
    )
    rows = accumulate(
        lambda c: (c // m, array(lambda i: x[i] * c.float(), size=2)), size=size, count=x.size()
    )
    return array(lambda q: (matrices[q], rows[q]), size=size)


@function
def sums_of_groups(x: Any, m: Any, size: Any) -> Any:
    """The sums of the rows of each group."""
    return accumulate(lambda k: (k // m, fold_sum(lambda i: x[k, i])), size=size, count=x.size(0))


@pytest.mark.parametrize("backend", on("numpy", "native", "torch"))
@pytest.mark.parametrize("m", [-1, 0, 1, 2, 3, 7, 2**62])
def test_sums_of_groups_take_no_steps(m: int, backend: str) -> None:
    for shape, size in (((0, 2), 0), ((6, 3), 2), ((6, 1), 3), ((6, 0), 6), ((7, 2), 1)):
        x = np.cos(np.arange(np.prod(shape))).reshape(shape)
        assert_call_agrees(sums_of_groups, (x, m, size), backend, {"float64": 1e-12})
    assert "range(x.shape[1])" not in sums_of_groups.source(np.ones((6, 3)), 2, 3)


@pytest.mark.parametrize("backend", on("numpy", "native"))
@pytest.mark.parametrize("m", DIVISORS)
def test_values_at_digits_by_any_divisor(m: int, backend: str) -> None:
    for program in (halves, columns, rows, products):
        for count, size in ((0, 0), (1, 1), (8, 8), (12, 5), (24, 24), (40, 3)):
            x = np.cos(np.arange(float(count)))
            assert_call_agrees(function(program), (x, m, size), backend, {"float64": 1e-12})


def transformed(re: Any, im: Any, stages: Any) -> Any:
    """Stages of a Fourier transform, whose gradient is one."""
    n = re.size()

    def stage(s: Any, x: Any) -> Any:
        re, im = x
        m = 2**s

        def element(p: Any) -> Any:
            block, rest = p // (2 * m), p % (2 * m)
            half, k = rest // m, rest % m
            first, second = k + block * m, k + block * m + n // 2
            angle = -np.pi * (2 * block * m).float() / n.float()
            u, v = re[first] - re[second], im[first] - im[second]
            both = re[first] + re[second], im[first] + im[second]
            c, s = cos(angle), sin(angle)
            return where(half == 0, both, (c * u - s * v, c * v + s * u))

        pairs = array(element, size=n)
        return array(lambda p: pairs[p][0]), array(lambda p: pairs[p][1])

    re, im = fold((re, im), stage, count=stages)
    return fold_sum(lambda k: (re[k] ** 2.0 + im[k]) * (k + 1).float())


@pytest.mark.parametrize("backend", on("numpy", "native"))
@pytest.mark.parametrize("stages", [0, 1, 3, 5])
def test_gradients_of_stages(stages: int, backend: str) -> None:
    both = function(value_and_grad(transformed, argnums=(0, 1)))
    for size in (1, 2**stages, 12):
        re, im = np.random.default_rng(6).normal(size=(2, size))
        assert_call_agrees(both, (re, im, stages), backend, {"float64": 1e-9})


@function
def heads(g, v, size, width):
    """Sums over the parts of rows, of outer products."""

    def products(c: Any) -> Any:
        return c // width, array(lambda i, j: g[i, c] * v[j, c], size=(g.size(0), v.size(0)))

    return accumulate(products, size=size, count=g.size(1))


@function
def attention(e, v, p, width):
    """The gradient of a layer whose heads are parts of rows, and weights behind it."""

    def loss(e: Any, v: Any, p: Any) -> Any:
        n = v.size(0)
        most = array(lambda h, i: fold_max(lambda j: e[h, i, j], count=n), size=(e.size(0), n))

        def weight(h: Any, i: Any, j: Any) -> Any:
            return where(j <= i, exp(e[h, i, j] - most[h, i]), 0.0)

        weights = array(weight, size=(e.size(0), n, n))
        total = array(lambda h, i: fold_sum(lambda j: weights[h, i, j]))

        def output(i: Any, c: Any) -> Any:
            h = c // width
            return fold_sum(lambda j: weights[h, i, j] / total[h, i] * v[j, c], count=n)

        out = array(output, size=v.shape)
        return fold_sum(lambda i, d: tanh(fold_sum(lambda c: out[i, c] * p[c, d])))

    return grad(loss, argnums=(0, 1, 2))(e, v, p)


LAYERS = {"heads": heads, "attention": attention}
TOLERANCE = {"float64": 1e-11, "float32": 2e-4}


@pytest.mark.parametrize(("name", "backend", "dtype"), combinations(LAYERS))
def test_layers(name: str, backend: str, dtype: str) -> None:
    for n, count, width in sizes_on(backend, [(3, 2, 4), (1, 1, 1), (5, 3, 2), (0, 2, 2)]):
        rng = np.random.default_rng(n)
        e = rng.normal(size=(count, n, n)).astype(dtype)
        for size in (count * width, count * width - 1, count * width + 1):
            g, v = rng.normal(size=(2, n, size)).astype(dtype)
            p = rng.normal(size=(size, 2)).astype(dtype)
            args = (g, v, count, width) if name == "heads" else (e, v, p, width)
            assert_call_agrees(LAYERS[name], args, backend, TOLERANCE)


@pytest.mark.parametrize("backend", on("numpy", "torch"))
def test_sums_over_rows_are_products(backend: str) -> None:
    """One product of matrices where rows are whole; the other sums are for other sizes."""
    g = np.ones((3, 8))
    source = heads.source(g, g, 2, 4, backend=backend).split("def heads")[1]
    assert " @ " in source or "einsum(" in source
    values = function(lambda x, m: accumulate(lambda p: (p // m, x[p]), size=4, count=x.size()))
    whole = values.source(np.ones(8), 2, backend=backend).split("def ")[-1]
    assert ("reduce_rows(" if backend == "numpy" else ".sum(") in whole


@function
def marginal(x, m):
    """Sums along the first and the last of three axes that are read as one."""
    return accumulate(lambda q: (q // m % m, x[q]), size=m, count=m * m * m)


@pytest.mark.parametrize(("name", "backend", "dtype"), combinations({"marginal": marginal}))
def test_remainders_of_quotients(name: str, backend: str, dtype: str) -> None:
    for m in sizes_on(backend, [0, 1, 2, 5]):
        x = np.random.default_rng(m).normal(size=max(m**3, 1)).astype(dtype)
        assert_call_agrees(marginal, (x, m), backend, TOLERANCE)


@function
def codes(c, k):
    """Histograms of the cells of an image: two positions are quotients, one is read."""
    size = ((c.size(0) + k - 1) // k, (c.size(1) + k - 1) // k, 3)
    return accumulate(lambda i, j: ((i // k, j // k, c[i, j]), 1), size=size)


@function
def deposit(x, y, n):
    """Weights of particles at the corners of their cells of a grid."""

    def corner(p, a, b):
        u, v = x[p] * (n - 1).float(), y[p] * (n - 1).float()
        i, j = u.floor(), v.floor()
        right, below = where(a == 0, i + 1.0 - u, u - i), where(b == 0, j + 1.0 - v, v - j)
        return (i.int() + a, j.int() + b), right * below

    return accumulate(corner, size=(n, n), count=(x.size(), 2, 2))


@function
def rows_of_three(e, x):
    """Rows at positions that are read: the index of three values is a position itself."""
    return accumulate(lambda k, c: ((e[k], c), x[k, c]), size=(x.size(0), 3), count=(e.size(), 3))


@pytest.mark.parametrize(("name", "backend", "dtype"), combinations({"deposit": deposit}))
def test_few_values(name: str, backend: str, dtype: str) -> None:
    for n in sizes_on(backend, [0, 1, 2, 5]):
        rng = np.random.default_rng(n)
        x, y = rng.random((2, n)).astype(dtype)
        assert_call_agrees(deposit, (x, y, 3), backend, TOLERANCE)
        assert_call_agrees(codes, (rng.integers(-1, 4, (n, n + 2)), 2), backend, TOLERANCE)
        rows = rng.normal(size=(n, 3)).astype(dtype)
        assert_call_agrees(rows_of_three, (rng.integers(-1, n + 1, n), rows), backend, TOLERANCE)


@pytest.mark.parametrize("backend", on("numpy", "torch"))
def test_positions_that_are_read_are_not_divided(backend: str) -> None:
    """An index at which a position is read as well stays one: two would save nothing."""
    source = codes.source(np.zeros((6, 8), int), 2, backend=backend).split("def codes")[1]
    assert "reshape" not in source
    assert "strided" not in source


@function
def normalised(x, w, size):
    """A layer that normalises groups of channels."""
    n, c, p = x.shape

    def moments(i: Any, g: Any) -> Any:
        mean = fold_sum(lambda k, q: x[i, g * size + k, q], count=(size, p)) / (size * p).float()
        terms = lambda k, q: (x[i, g * size + k, q] - mean) ** 2.0  # noqa: E731
        return mean, fold_sum(terms, count=(size, p)) / (size * p).float()

    groups = array(moments, size=(n, c // size))

    def element(i: Any, k: Any, q: Any) -> Any:
        mean, variance = groups[i, k // size]
        return (x[i, k, q] - mean) / sqrt(variance + 0.1) * w[k]

    y = array(element)
    return fold_sum(lambda i, k, q: y[i, k, q] ** 2.0 * (q + k).float())


@pytest.mark.parametrize("backend", on("numpy", "torch", "native"))
@pytest.mark.parametrize("size", [None, 1, 3])
def test_gradients_of_normalised_groups(size: int | None, backend: str) -> None:
    """By a number that the program has, or an argument; also where groups are no whole rows."""
    rng = np.random.default_rng(8)
    program = normalised if size is not None else function(lambda x, w: normalised(x, w, 2))
    both = function(value_and_grad(program, argnums=(0, 1)))
    for n, c, p in ((0, 2, 1), (1, 1, 1), (2, 6, 3), (3, 4, 0), (2, 8, 2), (1, 5, 2)):
        x, w = rng.normal(size=(n, c, p)), rng.normal(size=c)
        arguments = (x, w) if size is None else (x, w, size)
        assert_call_agrees(both, arguments, backend, {"float64": 1e-9})


def test_gradients_of_normalised_groups_have_no_loops() -> None:
    x, w = np.ones((2, 4, 3)), np.ones(4)
    for backend in ("numpy", "torch"):
        both = function(value_and_grad(lambda x, w: normalised(x, w, 2), argnums=(0, 1)))
        source = both.source(x, w, backend=backend)
        assert "range(" not in source.partition("def value_and_grad")[2].replace("arange(", "")
