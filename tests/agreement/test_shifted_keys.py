"""Accumulations at sums of two indices, which NumPy computes by slices and convolutions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import ein_mlir
from ein_mlir import accumulate, array, fold, fold_sum, function, grad, where
from tests.agreement.comparison import assert_agree
from tests.libraries import in_64_bits, on

Program = Callable[..., Any]


def nested(a, b):
    """Products that nested loops scatter."""
    n, m = a.size(), b.size()

    def row(i, out):
        def column(j, o):
            return array(lambda k: where(k == i + j, o[k] + a[i] * b[j], o[k]))

        return fold(out, column, count=m)

    return fold(array(lambda k: 0.0, size=n + m), row, count=n)


def correlated(a, b):
    """A difference of indices, with a start."""
    n, m = a.size(), b.size()
    return accumulate(lambda i, j: (i - j + m - 1, a[i] * b[j]), size=n + m)


def cut_off(a, b):
    """Positions out of bounds at both ends."""
    n = a.size()
    return accumulate(lambda i, j: (3 - i - j, a[i] * b[j]), size=2), accumulate(
        lambda i, j: (i + 2 * j - n, a[i] * b[j]), size=n
    )


def spread(a, b):
    """Positions some apart."""
    n, m = a.size(), b.size()
    return accumulate(lambda i, j: (2 * i + j, b[j] * a[i]), size=2 * n + m)


def extremes(a, b):
    """The largest sums, and the least values of a table, by diagonal."""
    n, m = a.size(), b.size()
    largest = accumulate(lambda i, j: (i + j, a[i] + b[j]), size=n + m, by="max")
    table = array(lambda i, j: a[i] - b[j] * a[i], size=(n, m))
    least = accumulate(lambda i, j: (j - i + n, table[i, j]), size=n + m, by="min")
    return largest, least, accumulate(lambda i, j: (j + i, table[i, j]), size=n + m)


def stamps(a, b):
    """Products of two axes each, of which one position is a difference."""
    n, m = a.size(), b.size()
    table = array(lambda i, j: a[i] + b[j], size=(n, m))

    def stamp(i, j, k, h):
        return (i + k, 2 * j - h), table[i, j] * table[k, h]

    return accumulate(stamp, size=(2 * n, 2 * m))


def repeated(a, b):
    """Values that do not vary with one of the indices."""
    n, m = a.size(), b.size()
    return accumulate(lambda i, j: (i + j, where(b[j] > 0.5, a[i], a[i])), size=n + m)


def integers(a, b):
    """Products of Ints wrap."""
    n, m = a.size(), b.size()
    large = lambda x: where(x > 0.5, 2**62 + 3, 5)  # noqa: E731
    return accumulate(lambda i, j: (i + j, large(a[i]) * large(b[j])), size=n + m)


def transposed(a, b):
    """A transposed convolution with a stride and padding: a sum of products over channels."""
    n, m = a.size(), b.size()
    images = array(lambda k, c, i: abs(a[i] - (k + c).float()), size=(2, 3, n))
    filters = array(lambda c, o, j: abs(b[j] - (c + o).float()), size=(3, 2, m))

    def term(k, o, c, i, j):
        return (k, o, 2 * i + 3 * j - 2), images[k, c, i] * filters[c, o, j]

    return accumulate(term, size=(2, 2, 2 * n + 1))


def transposed_planes(a, b):
    """The same of planes, with a channel that is kept, and with one that is summed."""
    n, m = a.size(), b.size()
    planes = array(lambda c, i, k: abs(a[i] - a[k] + c.float()), size=(2, n, n))
    stamps = array(lambda c, j, h: abs(b[j] + b[h] - c.float()), size=(2, m, m))

    def kept(c, i, j, k, h):
        return (c, 2 * i + 1 - j, k + h), planes[c, i, k] * stamps[c, j, h]

    def summed(c, i, j, k, h):
        return (2 * i + 1 - j, k + h), planes[c, i, k] * stamps[c, j, h]

    return accumulate(summed, size=(n + 2, n + m)), accumulate(kept, size=(2, n + 2, n + m))


def rows(a, b):
    """Rows of values without products, and their extremes."""
    n, m = a.size(), b.size()
    table = array(lambda i, j, k: a[i] - b[j] * k.float(), size=(n, m, 3))
    sums = accumulate(lambda i, j: (4 * i + j - 1, table[i, j]), size=4 * n + m)
    return sums, accumulate(lambda i, j: (j - i, table[i, j]), size=m, by="max")


def clipped(a, b):
    """Positions that clip, as those of the derivatives of windows do."""
    n, m = a.size(), b.size()

    def at(p, size):
        return ein_mlir.max(ein_mlir.min(p, size - 1), 0)

    values = accumulate(lambda i, j: (at(i + 2 * j - 3, n), where(a[i] > b[j], a[i], b[j])), size=n)
    least = accumulate(lambda i, j: (at(i - j, 2), a[i] + b[j]), size=2, by="min")
    weights = array(lambda j, o: b[j] * o.float(), size=(m, 2))
    sums = accumulate(lambda i, j, o: ((at(i - j, n), o), a[i] * weights[j, o]), size=(n, 2))
    return values, least, sums


def gradient(a, b):
    """The gradient of a convolution with a stride and clipped ends."""
    n = a.size()

    def loss(x):
        return fold_sum(lambda i: fold_sum(lambda j: x[2 * i + j - 1] * b[j]) ** 2.0, count=n)

    return grad(loss)(a)


def pooled(a, b):
    """The gradient of means of blocks: each element is one place, and values are repeated."""
    n, m = a.size(), b.size()

    def loss(x):
        mean = array(
            lambda i, j: fold_sum(lambda k, q: x[3 * i + k, q + 2 * j], count=(3, 2)), size=(n, m)
        )
        return fold_sum(lambda i, j: mean[i, j] ** 2.0)

    return grad(loss)(
        array(lambda i, j: a[i // 3] + b[j // 2] * i.float(), size=(3 * n, 2 * m + 1))
    )


PROGRAMS: tuple[Program, ...] = (
    nested,
    correlated,
    cut_off,
    spread,
    extremes,
    stamps,
    repeated,
    integers,
    transposed,
    transposed_planes,
    rows,
    clipped,
    gradient,
    pooled,
)
SIZES = ((0, 0), (0, 2), (3, 0), (1, 1), (2, 1), (1, 4), (3, 3), (7, 4), (4, 9))


@pytest.mark.parametrize("backend", on("numpy", "torch", "jax", "native"))
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_agreement(program: Program, backend: str) -> None:
    rng, compiled = np.random.default_rng(0), function(program)
    sizes = SIZES if backend == "numpy" else SIZES[::3]
    for n, m in sizes:
        for dtype in (np.float64, np.float32) if backend == "numpy" else (np.float64,):
            arguments = rng.uniform(size=n).astype(dtype), rng.uniform(size=m).astype(dtype)
            with in_64_bits(backend):
                found = compiled.eval(*arguments, backend=backend)
            expected = compiled.eval(*arguments, backend="naive")
            assert_agree(found, expected, {"float64": 1e-9, "float32": 1e-4}, f"{n} {m}")


def test_infinities() -> None:
    """Only elements of the same pair are multiplied: there is no product of zero and infinity."""
    a, b = np.array([np.inf, 1.0, 0.0]), np.array([2.0, np.nan])
    np.testing.assert_array_equal(function(nested)(a, b), [np.inf, np.nan, np.nan, np.nan, 0.0])


@pytest.mark.parametrize("program", [nested, correlated, spread, stamps])
def test_products_are_convolutions(program: Program) -> None:
    assert "shifted_products(" in function(program).source(np.ones(3), np.ones(2))


@pytest.mark.parametrize("backend", ["numpy", "torch"])
@pytest.mark.parametrize("program", [repeated, pooled])
def test_repeated_values_are_shifted(program: Program, backend: str) -> None:
    source = function(program).source(np.ones(3), np.ones(2), backend=backend)
    assert "shifted_values(" in source
    assert "segment_numbers(" not in source


@pytest.mark.parametrize(
    ("program", "helper"),
    [
        (transposed, "overlapped_products("),
        (transposed_planes, "overlapped_products("),
        (rows, "shifted_values("),
        (clipped, "shifted_values("),
    ],
)
def test_overlaps_on_pytorch(program: Program, helper: str) -> None:
    source = function(program).source(np.ones(3), np.ones(2), backend="torch")
    assert helper in source


@pytest.mark.parametrize("program", [transposed, transposed_planes, rows])
def test_derivatives_are_recorded(program: Program) -> None:
    torch = pytest.importorskip("torch")
    a, b = np.array([0.5, -1.25, 2.0]), np.array([1.0, 3.5])
    x = torch.tensor(a, requires_grad=True)
    _first(function(program)(x, torch.tensor(b))).square().sum().backward()
    expected = function(grad(lambda y, z: _sum_of_squares(_first(program(y, z)))))
    np.testing.assert_allclose(x.grad.numpy(), expected.eval(a, b, backend="naive"))


def _first(result):
    return result[0] if isinstance(result, tuple) else result


def _sum_of_squares(a):
    if a.rank == 1:
        return fold_sum(lambda i: a[i] ** 2.0)
    return fold_sum(lambda i: _sum_of_squares(a[i]), count=a.size())


@pytest.mark.parametrize(("n", "m"), [(3, 4), (40, 7), (7, 40), (600, 500)])
@pytest.mark.parametrize("kind", ["sum", "max", "any"])
def test_diagonals_of_small_and_large_arrays(kind: Any, n: int, m: int) -> None:
    """Columns of small arrays are rows that begin one after the other; those of large ones loop."""
    a = np.random.default_rng(0).normal(size=(n, m))
    values = a > 1.5 if kind == "any" else a

    def diagonals(x):
        return accumulate(lambda i, j: (2 * i + j, x[i, j]), size=2 * n + m, by=kind)

    identity = {"sum": 0.0, "max": -np.inf, "any": False}[kind]
    expected = np.full(2 * n + m, identity, values.dtype)
    combine = {"sum": np.add, "max": np.maximum, "any": np.logical_or}[kind]
    combine.at(expected, np.add.outer(2 * np.arange(n), np.arange(m)), values)
    found = function(diagonals)
    np.testing.assert_allclose(found(values), expected, rtol=1e-9, atol=1e-12)
    assert "shifted_values(" in found.source(values)
