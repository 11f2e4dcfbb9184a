"""Derivatives agree with those of PyTorch and JAX, and with central differences."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import fields, is_dataclass
from functools import cache
from typing import Any

import numpy as np
import pytest

from ein_mlir import (
    CompilationError,
    EinTypeError,
    EinValueError,
    Function,
    accumulate,
    array,
    concat,
    cos,
    exp,
    fold,
    fold_argmin,
    fold_max,
    fold_min,
    fold_prod,
    fold_sum,
    fold_while,
    function,
    grad,
    hessian,
    jacobian,
    jvp,
    log,
    max,
    min,
    reduce_prod,
    scan,
    sin,
    sqrt,
    tanh,
    value_and_grad,
    vjp,
    where,
)
from tests.agreement.cases import CASES
from tests.agreement.comparison import leaves
from tests.agreement.programs import PROGRAMS
from tests.libraries import BACKENDS, INSTALLED, in_64_bits, needs
from tests.selection import in_turn, sizes_on, some

SIZES = (5, 2, 1, 0)
INFINITY = float("inf")
ALL = {
    **{name: (each.function, each.inputs) for name, each in PROGRAMS.items()},
    **{case.name: (case.program, case.inputs) for case in CASES.values()},
}
STATED = {
    "least_beside_a_fold": "a number is an f32 on PyTorch",
}
"""Programs whose gradients are not compared, and why."""


def is_float(value: Any) -> bool:
    return np.asarray(value).dtype.kind == "f"


def mapped(value: Any, f: Callable[[Any], Any]) -> Any:
    """A record with a function of each leaf."""
    if isinstance(value, dict):
        return {name: mapped(field, f) for name, field in value.items()}
    if is_dataclass(value) and not isinstance(value, type):
        return type(value)(
            **{each.name: mapped(getattr(value, each.name), f) for each in fields(value)}
        )
    if isinstance(value, tuple):
        found = [mapped(field, f) for field in value]
        return type(value)(*found) if hasattr(value, "_fields") else tuple(found)
    return f(value)


def arguments_of(name: str, size: int) -> tuple[Any, ...]:
    return ALL[name][1](size, np.float64, np.random.default_rng(size))


def cotangent_of(result: Any) -> Any:
    rng = np.random.default_rng(1)
    return mapped(
        result,
        lambda leaf: np.asarray(rng.normal(size=np.shape(leaf)))[()] if is_float(leaf) else leaf,
    )


def by_torch(f: Function[..., Any], arguments: Any, cotangent: Any) -> list[Any]:
    """The cotangents of the Floats among the arguments, by PyTorch."""
    import torch

    def tensor(leaf: Any) -> Any:
        if is_float(leaf):
            return torch.tensor(leaf, requires_grad=True)
        return torch.tensor(leaf) if isinstance(leaf, np.ndarray) else leaf

    given = mapped(arguments, tensor)
    result = f.eval(*given, backend="torch")
    terms = [
        (found * torch.as_tensor(weight)).sum()
        for found, weight in zip(leaves(result), leaves(cotangent), strict=True)
        if torch.is_tensor(found) and found.requires_grad
    ]
    inputs = [leaf for leaf in leaves(given) if torch.is_tensor(leaf) and leaf.requires_grad]
    if not terms:
        return [np.zeros(leaf.shape) for leaf in inputs]
    found = torch.autograd.grad(sum(terms[1:], terms[0]), inputs, allow_unused=True)
    return [
        np.zeros(leaf.shape) if each is None else each.numpy()
        for leaf, each in zip(inputs, found, strict=True)
    ]


def of_floats(values: Any, like: Any) -> list[Any]:
    return [each for each, leaf in zip(leaves(values), leaves(like), strict=True) if is_float(leaf)]


def assert_close(actual: Any, expected: Any, tolerance: float = 1e-8) -> None:
    assert len(actual) == len(expected)
    for found, reference in zip(actual, expected, strict=True):
        np.testing.assert_allclose(np.asarray(found), reference, rtol=tolerance, atol=tolerance)


@needs("torch")
@pytest.mark.parametrize("name", some(sorted(ALL), 5))
def test_cotangents_agree_with_pytorch(name: str) -> None:
    """Of every program with Floats, at all sizes."""
    f = ALL[name][0]
    arguments = arguments_of(name, 5)
    if not any(map(is_float, leaves(arguments))):
        pytest.skip("no argument is a Float")
    if name in STATED:
        pytest.skip(STATED[name])
    if not any(map(is_float, leaves(f.eval(*arguments, backend="numpy")))):
        pytest.skip("no result is a Float")
    for size in SIZES:
        arguments = arguments_of(name, size)
        cotangent = cotangent_of(f.eval(*arguments, backend="numpy"))
        found = vjp(function(f, backend="numpy"), *arguments)[1](cotangent)
        assert_close(of_floats(found, arguments), by_torch(f, arguments, cotangent))


# Small functions ------------------------------------------------------------------------------


def contraction(a, b):
    return fold_sum(lambda i, j: (fold_sum(lambda k: a[i, k] * b[k, j])) ** 2.0)


def gather(a, b):
    return fold_sum(
        lambda i, j: a[(3 * i + j) % 4 - 1, j] * sin(b[j, i]), count=(a.size(0), a.size(1))
    )


def recurrence(a, b):
    return fold_sum(
        lambda j: fold(1.0, lambda k, acc: acc * cos(a[k, j]) + b[j, k], count=a.size(0)),
        count=a.size(1),
    )


def carried_row(a, b):
    def step(k, row):
        return array(lambda j: tanh(fold_sum(lambda i: row[i] * b[i, 0]) * b[j, 0] + a[0, j]))

    row = fold(array(lambda j: a[0, j]), step, count=3)
    return fold_sum(lambda j: row[j] * row[j])


def extreme(a, b):
    return fold_max(lambda i, j: a[i, j] * b[j, i]).max(-9.0)


def products(a, b):
    return fold_prod(lambda i, j: a[i, j]) + fold_sum(lambda i: reduce_prod(lambda j: b[i, j]))


def guarded(a, b):
    return fold_sum(
        lambda i, j: where(a[i, j] > 0.5, sqrt(a[i, j] - 0.5), 0.0) + log(1.0 + b[j, i] ** 2.0)
    )


def joined(a, b):
    both = concat(array(lambda i: a[i, 0]), array(lambda i: b[0, i]))
    return fold_sum(lambda k: both[k] * both[(k + 1) % both.size()], count=both.size())


def grown(x: Any) -> Any:
    return 2.0 * x + exp(-x)


def iterated(a, b) -> Any:
    return (
        fold_sum(lambda i, j: a[i, j])
        * fold_while(1.0 + a[0, 0] ** 2.0, lambda x: x < 20.0, grown, limit=50)
        + b[0, 0]
    )


def stencil(a, b):
    inner = array(
        lambda i, j: (
            where(i > 0, a[i - 1, j], 0.0) + a[i, j] * where(j + 1 < a.size(1), a[i, j + 1], 1.0)
        )
    )
    return fold_sum(lambda i, j: inner[i, j] ** 2.0 * b[j, i])


def windows(a, b):
    """Sums over positions beyond the ends, and within them; squares, so that factors matter."""
    n, m = a.shape
    inner = array(
        lambda i, j: fold_sum(lambda p, q: a[i + p, j + q] * b[p, q], count=(2, 2)) ** 2.0,
        size=((n - 1).max(0), (m - 1).max(0)),
    )
    ends = array(lambda i, j: fold_sum(lambda p: a[i + p - 2, j] * b[j, p], count=5), size=(n, m))
    return fold_sum(lambda i, j: inner[i, j]) + fold_sum(lambda i, j: ends[i, j] ** 2.0)


def oblong(a, b):
    """Windows as large as another array: the number of positions beyond the ends is no constant."""
    n, m = a.shape
    size = b.size(1)
    ahead = array(
        lambda i, j: fold_sum(lambda p, q: a[i + p, j + q] * b[p, q], count=(m, size)),
        size=((n - 1).max(0), m),
    )
    around = array(
        lambda i, j: fold_sum(lambda q: a[i - q + size // 2, j] * b[j, q], count=size), size=(n, m)
    )
    return fold_sum(lambda i, j: ahead[i, j] ** 2.0) + fold_sum(lambda i, j: around[i, j] ** 2.0)


def turned(a, b):
    """Positions in the opposite order, and on diagonals."""
    n, m = a.shape
    back = fold_sum(lambda i, j: a[n - 1 - i, m - 1 - j] ** 2.0 * a[i, j], count=(n, m))
    return back + fold_sum(lambda i, j: a[i + j, i] * b[j, i] ** 2.0, count=(n, m))


def loops_in_steps(a, b):
    """Folds in the steps of a fold, which both directions need."""
    n, m = a.shape

    def step(t, row):
        mixed = array(lambda j: tanh(fold_sum(lambda i: a[i, j] * row[i])), size=m)
        return array(lambda i: fold_max(lambda j: mixed[j] * b[j, i], count=m) + mixed[i], size=n)

    row = fold(array(lambda i: sin(a[i, 0])), step, count=3)
    return fold_sum(lambda i: row[i] ** 2.0)


def inner_points(a, b):
    """Shifts that selections keep within the ends, and others of the same array that clip."""
    n, m = a.shape

    def step(t, x):
        def point(i, j):
            inside = (i > 0) & (i < n - 1) & ~(j <= 1) & (m - 1 > j)
            around = x[i - 1, j] * x[i + 1, j] + x[i, j - 2] - x[i, j + 1]
            return where(inside, tanh(around), x[i, j - 1] * b[j, i] + x[i + 2, j])

        return array(point, size=(n, m))

    x = fold(a, step, count=2)
    return fold_sum(lambda i, j: x[i, j] ** 2.0)


def shifted(a, b):
    """Positions beyond one end of an axis, by one and more, forwards and backwards."""
    n, m = a.shape

    def step(t, x):
        def point(i, j):
            near = x[i - 1, j] * b[j, i] + x[i + 1, j] + x[i, j - 1] - x[i, j + 1]
            return tanh(near + x[i + 3, j] * x[i, j - 2] - x[1 - i, j])

        return array(point, size=(n, m))

    x = fold(a, step, count=3)
    return fold_sum(lambda i, j: x[i, j] ** 2.0)


def decided(a, b):
    """Steps whose derivatives depend on comparisons of the accumulators alone, or on more."""
    n, m = a.shape

    def step(k, state):
        x, y, z, u = state
        best = array(lambda i, j: min(x[i, j], x[i, k] + x[k, j] * 0.5), size=(n, m))
        row = array(lambda j: where((y[j] > 0.5) & (x[k, j] < 1.0), 0.5 * y[j], y[j] + b[j, k]))
        other = where(z < u, z + a[k, 0], u * z)
        return best, row, other, where(z > 0.3, 0.7 * u, u + y[0])

    start = a, array(lambda j: b[j, 0], size=m), 0.2, a[0, 0]
    x, y, z, u = fold(start, step, count=n)
    return fold_sum(lambda i, j: x[i, j] ** 2.0 * y[j]) + z * u


def exchanged(a, b):
    """Accumulators that exchange their places, and are compared."""

    def step(k, state):
        x, y = state
        return y, array(lambda i, j: where(x[i, j] > y[i, j - 1], 0.9 * y[i, j], x[i, j] + b[j, i]))

    x, y = fold((a, array(lambda i, j: a[i, j] * 1.5)), step, count=3)
    return fold_sum(lambda i, j: x[i, j] * y[i, j])


def single_elements(a, b):
    """Elements and rows at fixed positions, in a loop and beyond the ends, next to all others."""
    n, m = a.shape

    def step(k, x):
        return array(lambda i, j: x[i, j] * x[0, k] + x[i, 1] * x[-1, j] - b[k, i], size=(n, m))

    x = fold(a, step, count=2)
    return fold_sum(lambda i, j: x[i, j] * x[5, 0] + a[0, 0] * a[n, 1], count=(n, m)) + x[0, 0]


def filled(a, b):
    """Arrays whose elements are all one value of a function."""
    n, m = a.shape
    rows = array(lambda i: sin(a[0, 0]), size=n)
    columns = array(lambda j: tanh(fold_sum(lambda i: b[0, i])), size=m)
    steps = fold(0.1, lambda k, s: s * 0.5 - rows[k] * columns[k + 1], count=n)
    return steps + fold_sum(lambda i, j: rows[i] * a[i, j] + columns[j])


def unit_vectors(a, b):
    """Sums over the elements of unit vectors, in the steps of a loop."""
    n, m = a.shape

    def unit(j):
        return array(lambda v: where(v == j, 1.0, 0.0), size=m)

    def slope(i):
        return array(lambda v: fold_sum(lambda j: tanh(a[i, j]) * unit(j)[v] * b[j, i]), size=m)

    return fold_sum(lambda i, v: slope(i)[v] ** 2.0, count=(n, m))


def nearest_first(a, b):
    """Rows by searches whose positions alone are used; the places found are marked."""
    n = a.size(0)

    def find(k, state):
        left, found = state
        best = fold_argmin(lambda i: left[i], count=n)
        taken = array(lambda i: where(i == best, 9.0, left[i]), size=n)
        return taken, array(lambda r: where(r == k, left[best] * b[0, best], found[r]), size=2)

    start = array(lambda i: a[i, 0] ** 2.0, size=n), array(lambda r: 0.0 * b[0, 0], size=2)
    found = fold(start, find, count=n.min(2))[1]
    return fold_sum(lambda r: found[r])


def cells(a, b):
    """Cells of a table of alignments: steps write elements of a row that they carry."""
    x, y, m = a[0], b[:, 0], b.size(0)

    def row(i, above):
        def cell(j, now):
            left, out = now
            new = (x[i] - y[j]) ** 2.0 + tanh(left) * above[j] + 0.5 * above[j + 1]
            return new, array(lambda q: where(q == j + 1, new, out[q]))

        return fold((0.5, array(lambda q: 0.0 * above[q])), cell, count=m)[1]

    return fold(array(lambda q: 1.0 + q.float(), size=m + 1), row, count=x.size(0))[m]


def smooth_cells(a, b):
    """The derivative reads an element of the row that a step carries."""
    m = b.size(0)

    def row(i, above):
        def cell(j, out):
            new = a[0, i] * b[j, 0] - log(exp(-above[j]) + exp(-above[j + 1]) + exp(-out[j]))
            return array(lambda q: where(q == j + 1, new, out[q]))

        return fold(array(lambda q: 1.0, size=m + 1), cell, count=m)

    return fold(array(lambda q: q.float(), size=m + 1), row, count=a.size(1))[m]


def chained_elements(a, b):
    """A step reads an element at a position that an element of another vector decides."""

    def step(k, state):
        x, y = state
        p = (3.0 * x[k]).floor().int()
        return (
            array(lambda i: where(i == k + 1, tanh(x[k]) * y[p], x[i])),
            array(lambda i: where(i == p + 1, sin(y[p]) * x[k], y[i])),
        )

    x, y = fold((a[0], b[:, 0]), step, count=a.size(1))
    return fold_sum(lambda i: x[i] * y[i])


def paths(a, b):
    """A sum over loops that carry several numbers, and read at computed positions."""
    x, y = a[0], b[:, 0]

    def path(k):
        def step(t, state):
            p, q = state
            return p + 0.3 * x[(2.0 * q).floor().int() + t] * q, q - 0.2 * sin(p)

        p, q = fold((y[k], y[k] + 0.4), step, count=20)
        return p * q

    return fold_sum(path)


def samples(a, b):
    """The cross entropy of predictions, whose steps have arrays and a gathered element."""

    def of_sample(i):
        z = array(lambda k: fold_sum(lambda j: a[i, j] * b[j, k]))
        most = fold_max(lambda k: z[k])
        return most + log(fold_sum(lambda k: exp(z[k] - most))) - z[(2 * i) % 3]

    return fold_sum(of_sample)


def carried_samples(a, b):
    """Steps that need the accumulator, and sums that do not depend on it, one of them ragged."""

    def step(i, total):
        whole = fold_sum(lambda k: sin(a[i, k] * b[k, i]))
        first = fold_sum(lambda k: cos(a[i, k] + whole), count=i % 3)
        return total * cos(whole) + sin(total + first)

    return fold(0.5, step, count=a.size(0))


def padded(a, b):
    """Windows that end at the borders, with a kernel of any size."""
    n, m = a.shape

    def at(i, j):
        return where((i >= 0) & (i < n) & (j >= 0) & (j < m), a[i, j], 0.0)

    smooth = array(
        lambda i, j: fold_sum(lambda p, q: b[p, q] * at(i + p - 1, j + q - 1)), size=(n, m)
    )
    return fold_sum(lambda i, j: smooth[i, j] ** 2.0)


def periodic(a, b):
    """Neighbours on a ring, one of them at a distance that another loop gives."""
    n, m = a.shape
    y = array(lambda i, j: a[(i + 1) % n, (j - 1) % m] * a[i, j] - a[i, (3 - j) % m] ** 2.0)
    z = fold_sum(lambda i, j: a[(i + j) % n, j] ** 2.0 * b[j, i])
    return z + fold_sum(lambda i, j: y[i, j] ** 2.0 * b[j, i])


def running(a, b):
    """Sums and products of prefixes, each element written once."""

    def row(i):
        x = array(lambda j: a[i, j] * b[j, i])
        sums = scan(x, 0.0, lambda p, q: p + q)
        largest = scan(sums, -float("inf"), max)
        return fold_sum(lambda j: largest[j] * sin(sums[j]))

    return fold_sum(row, count=a.size(0))


def sums_of_sums(a, b):
    """A loop carries sums, of numbers and of rows, and sums of functions of them."""
    n = a.size(0)

    def step(k, record):
        total, late, early, row = record
        after = total + a[k, 1] * b[0, k]
        next_row = array(lambda j: row[j] + a[k, j])
        found = early + total * a[k, 2] + next_row[3] * b[1, k]
        return after, late + sin(after), found, next_row

    zeros = array(lambda j: 0.0, size=a.size(1))
    total, late, early, row = fold((0.3, 0.0, 0.0, zeros), step, count=n)
    return total * late + early * fold_sum(lambda j: row[j] ** 2.0)


def small_steps(a, b):
    """Loops of each element over parameters that all elements share."""
    count = a.size(1)

    def cell(i, j):
        return fold(0.1, lambda k, x: sin(x * a[j % a.size(0), k] + b[k, 0] * j.float()), count)

    y = array(cell, size=(a.size(0), 3))
    return fold_sum(lambda i, j: y[i, j] ** 2.0 * a[i, 0])


def clipped(a, b):
    """Loops over the sizes of another array, shorter or longer, and positions that are clipped."""
    n, m = a.shape

    def steps(i, j):
        right, down = a[i, (j + 1).min(m - 1)] - a[i, j], a[(i + 1).min(n - 1), j] - a[i, j]
        left = a[i, (j - 1).max(0)] * a[i, j]
        return (1.0 + right * right + down * down) ** 0.5 + left

    whole = fold_sum(lambda i, j: steps(i, j) + sin(b[i, j]) * a[i, j], count=(n, m))
    return whole + fold_sum(lambda j, i: sin(a[i, j] * b[0, i]), count=(n + 2, m + 1))


def pairs(a, b):
    """Contributions from both sides of a pair."""

    def pair(i, j):
        d = array(lambda k: a[i, k] - a[j, k])
        return fold_sum(lambda k: abs(d[k]) + sin(d[k]) * tanh(d[k])) * (1.0 + b[0, i] * b[0, j])

    apart = array(pair, size=(a.size(), a.size()))
    return fold_sum(lambda i, j: apart[i, j] * (1.0 + apart[j, i]))


def kernels(a, b):
    """Functions of pairs, whose cotangents both of their points read."""

    def kernel(i, j):
        apart = fold_sum(lambda k: (a[i, k] - a[j, k]) ** 2.0)
        return b[0, i] * b[0, j] * where(i != j, exp(-apart) / (1.0 + apart), 0.0)

    whole = fold_sum(lambda i, j: kernel(i, j), count=(a.size(0), a.size(0)))
    ranks = array(lambda i: fold_sum(lambda j: 1.0 / (1.0 + exp(b[1, i] - b[1, j]))))
    return whole + fold_sum(lambda i: (ranks[i] - a[i, 0]) ** 2.0)


def nearest_pairs(a, b):
    """A sum over comparisons with values that loops in its steps compute."""

    def margin(i):
        apart = fold_min(lambda j: fold_sum(lambda k: (a[i, k] - b[k, j]) ** 2.0))
        return max(fold_sum(lambda k: a[i, k] ** 2.0) - apart + 0.5, 0.0)

    return fold_sum(lambda i: margin(i), count=a.size(0))


def factored(a, b):
    """The columns of a triangular matrix, and the solution of its equations: each written once."""
    n = a.size(0)
    gram = array(lambda i, j: fold_sum(lambda k: a[i, k] * a[j, k]) + where(i == j, 2.0, 0.0))

    def column(j, c):
        def left(i):
            return gram[i, j] - fold_sum(lambda p: c[i, p] * c[j, p], count=j)

        def element(i):
            return where(i > j, left(i) / sqrt(left(j)), where(i == j, sqrt(left(j)), 0.0))

        return array(lambda i, q: where(q == j, element(i), c[i, q]), size=(n, n))

    c = fold(array(lambda i, j: 0.0 * gram[i, j]), column, count=n)

    def solved(i, x):
        value = (b[0, i] - fold_sum(lambda p: c[i, p] * x[p], count=i)) / c[i, i]
        return array(lambda q: where(q == i, value, x[q]))

    x = fold(array(lambda i: b[1, i]), solved, count=n)
    return fold_sum(lambda i: x[i] * sin(x[i]) + log(c[i, i]))


def overwritten(a, b):
    """A step reads elements of an array that steps before it have written, and others."""
    n = a.size(0)

    def step(t, x):
        def value(j):
            return sin(x[(t * 3 + 1) % n, j]) * b[j, t] + x[t - 1, j] * x[n - 1, j]

        return array(lambda i, j: where(i == t, value(j) + x[i, j], x[i, j]))

    def shifted(t, y):
        value = y[t] * y[t] + tanh(y[2 * t] * y[(n - t).max(0)])
        return array(lambda i: where(i == t + 1, value, y[i]))

    x = fold(a, step, count=n)
    y = fold(array(lambda i: x[i, 0], size=n), shifted, count=n + 1)
    return fold_sum(lambda i, j: x[i, j] ** 2.0, count=a.shape) + fold_sum(lambda i: y[i] * b[0, i])


def segment_extremes(a, b, n=3):
    """Extremes of the segments of keys, of which some are empty."""

    def key(i):
        return (i * i) % 5

    def largest(v):
        found = fold_max(
            lambda i: where(key(i) == v, a[i, 0] * a[i, 1], -INFINITY), count=a.size(0)
        )
        return max(found, -2.0)

    def least(v):
        found = fold_min(lambda j: where(v != key(j) + 1, INFINITY, b[1, j] + a[v, 2]))
        return min(found, 2.0)

    most, low = array(largest, size=n), array(least, size=n)
    return fold_sum(lambda v: most[v] * sin(low[v]) + low[v] ** 2.0)


def selected_sums(a, b):
    """Sums for each column and over all elements have branches and rectifiers in common."""

    def part(i, j):
        distance = a[i, j] * a[i, j] - b[j, 0] * b[j, 0]
        root = sqrt(where(distance > 0.0, distance, 1.0))
        light = max((a[i, j] - root) / (1.5 + b[j, 0]) * b[0, 0], 0.0) / (2.0 + b[j, 0])
        return where(distance > 0.0, light * exp(-root) + root * b[0, 1], 0.0)

    return fold_sum(part, count=(a.size(0), min(a.size(1), b.size(0))))


def strided_groups(a, b):
    """Each column has weights of its own, which are as short as the array, or shorter."""

    def filtered(c, i):
        return fold_sum(lambda p: a[2 * i + p, c] * b[c, p], count=a.size(0).min(3))

    rows = (a.size(0) + 1) // 2
    found = array(lambda c, i: tanh(filtered(c, i)), size=(min(a.size(1), b.size(0)), rows))
    return fold_sum(lambda c, i: found[c, i] * found[c, i], count=found.shape)


def variances(a, b):
    """Variances and covariances by two passes; weights, and means of other values, matter."""
    n = a.size(0)
    mean = array(lambda j: fold_sum(lambda i: a[i, j]) / n.float())
    variance = array(lambda j: fold_sum(lambda i: (a[i, j] - mean[j]) ** 2.0, count=n) / n.float())

    def row(i):
        middle = fold_sum(lambda j: a[i, j]) / a.size(1).float()
        other = fold_sum(lambda j: a[i, j] * b[j, 0]) / a.size(1).float()
        spread = fold_sum(lambda j: (a[i, j] - middle) * (a[i, j] * b[j, 0] - other))
        weighted = fold_sum(lambda j: b[j, 1] * (a[i, j] - middle) ** 2.0)
        return spread * weighted + fold_sum(lambda j: (a[i, j] - other) ** 2.0)

    normal = fold_sum(lambda i, j: sin((a[i, j] - mean[j]) / sqrt(variance[j] + 0.5)))
    return normal + fold_sum(row, count=n)


SMALL = (
    selected_sums,
    variances,
    strided_groups,
    segment_extremes,
    factored,
    overwritten,
    padded,
    pairs,
    kernels,
    nearest_pairs,
    clipped,
    periodic,
    running,
    sums_of_sums,
    small_steps,
    samples,
    carried_samples,
    cells,
    smooth_cells,
    chained_elements,
    contraction,
    gather,
    recurrence,
    carried_row,
    extreme,
    products,
    guarded,
    joined,
    iterated,
    stencil,
    windows,
    oblong,
    turned,
    loops_in_steps,
    inner_points,
    shifted,
    decided,
    exchanged,
    single_elements,
    filled,
    unit_vectors,
    nearest_first,
    paths,
)


def small_arguments(n: int, m: int = 4) -> tuple[Any, ...]:
    rng = np.random.default_rng(n)
    return rng.uniform(-1.0, 1.0, size=(n, m)), rng.uniform(-1.0, 1.0, size=(m, n))


def along(n: int) -> tuple[Any, Any]:
    """Arguments and a direction of the same shapes."""
    arguments = small_arguments(n)
    given = zip(arguments, small_arguments(9, 9), strict=True)
    return arguments, tuple(d[: len(x), : x.shape[1]] for x, d in given)


def sizes_of_gradients(f: Any, backend: str) -> Sequence[int]:
    return (2, 0) if backend == "naive" else sizes_on(backend, SIZES[::-1], f.__name__)


def named(value: Any) -> str:
    """The name of a parameter in that of a test."""
    return value if isinstance(value, str) else value.__name__


@cache
def on_numpy(f: Any) -> Any:
    """The program on NumPy, traced once."""
    return function(f, backend="numpy")


def difference(
    f: Callable[..., float], arguments: Any, direction: Any, step: float = 1e-6
) -> float:
    ahead = [x + step * d for x, d in zip(arguments, direction, strict=True)]
    behind = [x - step * d for x, d in zip(arguments, direction, strict=True)]
    return (f(*ahead) - f(*behind)) / (2 * step)


def dot(xs: Any, ys: Any) -> float:
    return float(sum(np.sum(np.asarray(x) * y) for x, y in zip(xs, ys, strict=True)))


@pytest.mark.parametrize("f", SMALL, ids=lambda f: f.__name__)
@pytest.mark.parametrize("backend", ["naive", *BACKENDS])
def test_gradients_are_those_of_central_differences(f: Any, backend: str) -> None:
    of_numpy = on_numpy(f)
    gradient_of = value_and_grad(function(f, backend=backend), (0, 1))
    for n in sizes_of_gradients(f, backend):
        arguments, direction = along(n)
        value, gradient = gradient_of(*arguments)
        np.testing.assert_allclose(np.asarray(value), of_numpy(*arguments), rtol=1e-10)
        slope = difference(of_numpy, arguments, direction)
        np.testing.assert_allclose(dot(gradient, direction), slope, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize(("f", "backend"), in_turn(SMALL, ["naive", *INSTALLED]), ids=named)
def test_tangents_are_central_differences(f: Any, backend: str) -> None:
    """Each backend runs derivatives forwards of some programs."""
    program: Any = function(f, backend=backend)
    for n in sizes_of_gradients(f, backend):
        arguments, direction = along(n)
        tangent = jvp(program, arguments, direction)[1]
        slope = difference(on_numpy(f), arguments, direction)
        np.testing.assert_allclose(np.asarray(tangent), slope, rtol=1e-5, atol=1e-6)


def forwards_over_backwards(f: Any, arguments: Any, direction: Any) -> Any:
    return jvp(grad(on_numpy(f), (0, 1)), arguments, direction)[1]


def backwards_over_forwards(f: Any, arguments: Any, direction: Any) -> Any:
    def slope(a: Any, b: Any, c: Any, d: Any) -> Any:
        return jvp(f, (a, b), (c, d))[1]

    return grad(function(slope, backend="numpy"), (0, 1))(*arguments, *direction)


@pytest.mark.parametrize(
    ("f", "way"), in_turn(SMALL, [forwards_over_backwards, backwards_over_forwards]), ids=named
)
def test_second_derivatives_are_central_differences_of_gradients(f: Any, way: Any) -> None:
    """A derivative forwards of the gradient, or the gradient of a derivative forwards."""
    gradient = grad(on_numpy(f), (0, 1))
    for n in (4, 1):
        arguments = small_arguments(n)
        direction = tuple(np.cos(x) for x in arguments)
        ahead = gradient(*(x + 1e-6 * d for x, d in zip(arguments, direction, strict=True)))
        behind = gradient(*(x - 1e-6 * d for x, d in zip(arguments, direction, strict=True)))
        expected = [(x - y) / 2e-6 for x, y in zip(ahead, behind, strict=True)]
        assert_close(way(f, arguments, direction), expected, 1e-4)


# Branches -------------------------------------------------------------------------------------


@pytest.mark.parametrize("backend", BACKENDS)
def test_branches_not_taken_do_no_harm(backend: str) -> None:
    """Also where they have no derivative, and also for second derivatives."""
    root = function(lambda x: where(x > 0.0, sqrt(x), 0.0), backend=backend)
    assert float(grad(root)(0.0)) == 0.0
    assert float(grad(grad(root))(0.0)) == 0.0
    assert float(grad(grad(root))(4.0)) == -1 / 32
    power = function(lambda x, y: x**y, backend=backend)
    assert [float(grad(power)(0.0, y)) for y in (0.0, 1.0, 2.0)] == [0.0, 1.0, 0.0]
    assert [float(grad(grad(power))(0.0, y)) for y in (0.0, 1.0, 2.0)] == [0.0, 0.0, 2.0]


def _apart(p, k, j):
    return sqrt((p[k, 0] - p[j, 0]) ** 2.0 + (p[k, 1] - p[j, 1]) ** 2.0)


def _unit(p, k, j):
    apart = _apart(p, k, j)
    return where(apart > 0.0, (p[k, 0] - p[j, 0]) / apart, 0.0) * where(
        apart > 0.0, apart**1.5, 0.0
    )


def _logarithms(a):
    found = array(lambda i: log(a[i, 0] * i.float()))
    return fold_sum(lambda i: where(i > 0, found[i] * a[i, 1], 0.0))


def _roots(x):
    """The factors of its derivative are infinite at zero, in each step."""
    return fold(x, lambda k, y: sqrt(y) * (k.float() + 1.0), count=3)


def _unread(a):
    """A selection drops a field whose steps have infinite factors."""

    def step(k, record):
        root, total = record
        return sqrt(root), total + a[k, 0] * a[k, 1]

    def row(i):
        root, total = fold((a[i, 0] * i.float(), 0.0), step, count=a.size(0))
        return where(root > 0.0, root * total, total)

    return fold_sum(row, count=a.size(0))


def _dropped(a):
    """The steps from the second on start with a number, so that none before has a part."""

    def step(k, row):
        return array(lambda j: where(k == 1, a[k, j] ** 2.0, sqrt(row[j] * k.float())))

    row = fold(array(lambda j: a[0, j] * 0.0), step, count=a.size(0))
    return fold_sum(lambda j: where(a.size(0) > 1, row[j], a[0, j]))


NOT_TAKEN = {
    "literal zero": lambda a: fold_sum(
        lambda i: where(a[i, 0] > 99.0, a[i, 0] / 0.0, a[i, 1] ** 2.0)
    ),
    "infinity": lambda a: fold_sum(lambda i: where(a[i, 0] > 99.0, a[i, 1] * INFINITY, a[i, 0])),
    "distance": lambda a: fold_sum(
        lambda i, j: where(_apart(a, i, j) > 0.0, 1.0 / _apart(a, i, j), 0.0),
        count=(a.size(0), a.size(0)),
    ),
    "unit": lambda a: fold_sum(lambda i, j: _unit(a, i, j) * a[j, 1], count=(a.size(0), a.size(0))),
    "array": _logarithms,
    "loop": lambda a: fold_sum(lambda i: where(i > 0, _roots(a[i, 0] * i.float()), a[i, 1])),
    "field": _unread,
    "steps before": _dropped,
    "quotients": lambda a: fold_sum(
        lambda i: min(a[i, 0] / i.float() / (i.float() * 2.0), 0.01 * a[i, 1]) * a[i, 1]
    ),
    "extreme": lambda a: fold_sum(lambda i: max(sqrt(a[i, 0] * i.float()), 0.5) * a[i, 1]),
}
"""Functions of the rows of an array, with branches whose derivatives are infinite or NaN."""


@pytest.mark.parametrize("name", NOT_TAKEN)
@pytest.mark.parametrize("backend", some(BACKENDS))
def test_no_branch_that_is_not_taken_has_a_part(name: str, backend: str) -> None:
    """Also where a comparison, another branch, or an array uses its values."""
    f = function(NOT_TAKEN[name], backend=backend)
    at: Any = function(NOT_TAKEN[name], backend="numpy")
    for size in sizes_on(backend, (1, 2, 5)):
        x = np.sort(np.random.default_rng(size).uniform(1.0, 9.0, (size, 2)), axis=0)
        steps = 1e-6 * np.eye(2 * size).reshape(-1, size, 2)
        expected = [(float(at(x + h)) - float(at(x - h))) / 2e-6 for h in steps]
        np.testing.assert_allclose(np.asarray(grad(f)(x)).ravel(), expected, rtol=1e-4, atol=1e-4)


def test_products_with_zeros() -> None:
    """The derivative in a zero is the product of the others."""
    product = function(lambda a: fold_prod(lambda i: a[i]), backend="numpy")
    assert grad(product)(np.array([2.0, 0.0, 3.0])).tolist() == [0.0, 6.0, 0.0]
    assert grad(product)(np.array([0.0, 0.0, 3.0])).tolist() == [0.0, 0.0, 0.0]


def test_equal_extremes() -> None:
    """The first of equal elements has the derivative; two equal operands have half of it each."""
    most = function(lambda a: fold_max(lambda i: a[i]), backend="numpy")
    assert grad(most)(np.array([1.0, 3.0, 3.0])).tolist() == [0.0, 1.0, 0.0]
    assert grad(most)(np.array([])).tolist() == []
    larger = function(lambda x, y: x.max(y), backend="numpy")
    assert grad(larger, (0, 1))(1.0, 1.0) == (0.5, 0.5)


# Records, matrices, errors --------------------------------------------------------------------


def test_records_field_by_field() -> None:
    f = function(lambda p, x: p["w"] * x ** p["n"], backend="numpy")
    found = grad(f)({"w": 3.0, "n": 2}, 5.0)
    assert found == {"w": 25.0, "n": 0}
    assert grad(f, 1)({"w": 3.0, "n": 2}, 5.0) == 30.0


def test_matrices_of_derivatives() -> None:
    x = np.array([1.0, 2.0])
    outer = function(
        lambda a: {"s": fold_sum(lambda i: a[i] ** 2.0), "m": array(lambda i, j: a[i] * a[j])}
    )
    found = jacobian(outer)(x)
    assert found["s"].tolist() == [2.0, 4.0]
    expected = np.einsum("ik,j->ijk", np.eye(2), x) + np.einsum("jk,i->ijk", np.eye(2), x)
    np.testing.assert_array_equal(found["m"], expected)
    cube = function(lambda a: fold_sum(lambda i: a[i] ** 3.0))
    np.testing.assert_allclose(hessian(cube)(x), np.diag(6 * x))
    assert hessian(cube)(np.empty(0)).shape == (0, 0)


@pytest.mark.parametrize("backend", BACKENDS)
def test_jacobians_of_few_results(backend: str) -> None:
    """A result with fewer elements than the argument has a derivative backwards for each."""

    def arm(p):
        angle = scan(p["angles"], 0.0, lambda x, y: x + y)

        def coordinate(d: Any) -> Any:
            return fold_sum(
                lambda i: p["length"] * where(d == 0, angle[i].cos(), angle[i].sin()),
                count=angle.size(),
            )

        return {"end": array(coordinate, size=2), "sum": fold_sum(lambda i: angle[i] ** 2.0)}

    for n in sizes_on(backend, (0, 1, 4)):
        theta = np.linspace(0.3, 1.2, n)
        with in_64_bits(backend):
            both = jacobian(function(arm, backend=backend))({"angles": theta, "length": 0.5})
            end, total = ({k: np.asarray(v) for k, v in each.items()} for each in both.values())
        angle = np.cumsum(theta)
        steps = np.stack([-np.sin(angle), np.cos(angle)])
        after = np.tri(n)
        np.testing.assert_allclose(end["angles"], 0.5 * steps @ after, rtol=1e-6)
        ends = np.stack([np.cos(angle), np.sin(angle)]).sum(1)
        np.testing.assert_allclose(end["length"], ends, rtol=1e-6)
        np.testing.assert_allclose(total["angles"], 2 * angle @ after, rtol=1e-6)
        assert total["length"] == 0


def test_direction_of_jacobians() -> None:
    """Backwards unless the argument may have as few elements, or a loop has a condition."""

    def is_reverse(f: Any) -> bool:
        return "phi.vjp" in str(jacobian(function(f)).phi(np.ones(3)))

    assert is_reverse(lambda a: fold_sum(lambda i: a[i] ** 2.0))
    assert is_reverse(lambda a: array(lambda d: a[d] * a[0], size=2))
    assert not is_reverse(lambda a: array(lambda i: a[i] * a[0]))
    assert not is_reverse(lambda a: fold_while(a[0], lambda x: x > 1.0, lambda x: x * a[1]))
    fixed = function(lambda x: array(lambda i: x * i.float(), size=3))
    assert "phi.jvp" in str(jacobian(fixed).phi(1.0))


@pytest.mark.parametrize("backend", BACKENDS)
def test_columns_of_jacobians_are_selected(backend: str) -> None:
    """A product with a unit vector is the element that it selects: no product of matrices."""

    def layer(a, x):
        return array(lambda i: fold_sum(lambda j: -a[i, j] * x[j] / 2.0).tanh())

    def energy(a, x):
        return 0.5 * fold_sum(lambda i, j: x[i] * a[i, j] * x[j])

    def of_matrices(x):
        return array(lambda i: fold_sum(lambda j, k: x[i, j] * x[j, k], count=(2, 2)), size=2)

    for n in sizes_on(backend, (0, 1, 4)):
        rng = np.random.default_rng(n)
        a, x = rng.normal(size=(n, n)), rng.normal(size=n)
        slopes = jacobian(function(layer, backend=backend), 1)
        curvature = hessian(function(energy, backend=backend), 1)
        with in_64_bits(backend):
            both = np.asarray(slopes(a, x)), np.asarray(curvature(a, x))
        expected = (1 - np.tanh(-a @ x / 2)[:, None] ** 2) * -a / 2
        np.testing.assert_allclose(both[0], expected, rtol=1e-6)
        np.testing.assert_allclose(both[1], (a + a.T) / 2, rtol=1e-6)
        if backend == "numpy":
            assert slopes.source(a, x).split("def jacobian")[1].count(" @ ") == 1
            assert " @ " not in curvature.source(a, x).split("def hessian")[1]
    m = np.random.default_rng(0).normal(size=(2, 2))
    with in_64_bits(backend):
        found = np.asarray(jacobian(function(of_matrices, backend=backend))(m))
    rows = m.sum(1)
    expected = np.einsum("ip,q->ipq", np.eye(2), rows) + m[:, :, None]
    np.testing.assert_allclose(found, expected, rtol=1e-6)


@pytest.mark.parametrize("backend", BACKENDS)
def test_hessian_beside_gradient(backend: str) -> None:
    """Both have the functions of the elements, but the Hessian with an axis of size 1."""

    def logistic(w):
        rows = array(lambda i: w[0] * i.float() + w[1], size=3)
        return fold_sum(lambda i: (1.0 + rows[i].exp()).log()) + fold_sum(lambda k: w[k] ** 2.0)

    def scaled_step(w):
        g, h = grad(logistic)(w), hessian(logistic)(w)
        return logistic(array(lambda i: w[i] - g[i] / h[i, i]))

    w = np.array([0.5, -0.25])
    i = np.arange(3.0)
    a = np.stack([i, np.ones(3)], 1)
    p = 1 / (1 + np.exp(-(a @ w)))
    g, h = a.T @ p + 2 * w, (a * (p * (1 - p))[:, None]).T @ a + 2 * np.eye(2)
    v = w - g / np.diag(h)
    expected = np.log(1 + np.exp(a @ v)).sum() + v @ v
    found = function(scaled_step, backend=backend)
    np.testing.assert_allclose(np.asarray(value_and_grad(found)(w)[0]), expected, rtol=1e-6)


@pytest.mark.parametrize("backend", BACKENDS)
def test_training_in_a_loop(backend: str) -> None:
    """A gradient is part of a program: here of each step of a fold."""

    def loss(w, x, y):
        return fold_sum(lambda i: (fold_sum(lambda j: w[j] * x[i, j]) - y[i]) ** 2.0)

    def train(w, x, y):
        def step(k, w):
            slope = grad(loss)(w, x, y)
            return array(lambda j: w[j] - 0.01 * slope[j])

        return fold(w, step, count=200)

    x = np.random.default_rng(0).normal(size=(20, 3))
    wanted = np.array([1.0, -2.0, 0.5])
    found = function(train, backend=backend)(np.zeros(3), x, x @ wanted)
    np.testing.assert_allclose(np.asarray(found), wanted, rtol=1e-5)


def test_a_value_is_computed_once() -> None:
    """That of ``vjp`` is the one that the derivative computes; also if the direction needs it."""

    def carried(x: Any) -> Any:
        return fold(x, lambda k, y: array(lambda i: y[i] * y[i - 1]), count=40)

    def both(x: Any, y: Any) -> Any:
        value, backwards = vjp(carried, x)
        return value, backwards(y)[0]

    def of_value(x: Any) -> Any:
        value, backwards = vjp(carried, x)
        return value, backwards(array(lambda i: 2.0 * value[i]))[0]

    x = np.array([1.0, 1.01, -0.98])
    program = function(both, backend="numpy")
    value, gradient = program(x, np.ones(3))
    np.testing.assert_allclose(value, function(carried)(x))
    np.testing.assert_allclose(gradient, grad(lambda a: fold_sum(lambda i: carried(a)[i]))(x))
    assert program.source(x, x).count("in range(40)") == 2
    squares = grad(lambda a: fold_sum(lambda i: carried(a)[i] ** 2.0))(x)
    found = function(of_value, backend="numpy")(x)
    np.testing.assert_allclose(found[0], value)
    np.testing.assert_allclose(found[1], squares)


@pytest.mark.parametrize("backend", INSTALLED)
def test_extremes_at_positions(backend: str) -> None:
    """Equal ones share the derivative; positions beyond the ends have none."""

    def most(p: Any, x: Any) -> Any:
        return accumulate(lambda i: (p[i], x[i]), size=3, by="max")

    def rows(p: Any, x: Any) -> Any:
        return accumulate(lambda i: (p[i], array(lambda j: x[i] * x[j])), size=2, by="min")

    p, x = np.array([0, 1, 0, 5, -1, 0]), np.array([1.0, 2.0, 3.0, 9.0, 9.0, 3.0])
    pulled = vjp(function(most, backend=backend), p, x)[1](np.array([1.0, 2.0, 3.0]))[1]
    assert np.asarray(pulled).tolist() == [0.0, 2.0, 0.5, 0.0, 0.0, 0.5]
    pushed = jvp(function(most, backend=backend), (p, x), (p, np.arange(6.0)))[1]
    assert np.asarray(pushed).tolist() == [3.5, 1.0, 0.0]

    y = np.array([0.5, 2.0, -3.0, 1.0, 4.0, 0.25])

    def weighted(p: Any, x: Any) -> Any:
        least = rows(p, x)
        return fold_sum(lambda a: fold_sum(lambda b: least[a, b] * (a + 2 * b).float()))

    found = np.asarray(grad(function(weighted, backend=backend), 1)(p, y))
    at = function(weighted, backend="numpy")
    steps = 1e-6 * np.eye(6)
    expected = [(float(at(p, y + h)) - float(at(p, y - h))) / 2e-6 for h in steps]
    np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-6)


def products_of_keys(x: Any, p: Any) -> Any:
    """A function of products at positions, of numbers and of rows."""
    found = accumulate(lambda i: (p[i], x[i] * x[i] - 1.0), size=3, by="prod")
    rows = accumulate(lambda i: (p[i], array(lambda j: x[i] - x[j])), size=3, by="prod")
    return fold_sum(lambda k: sin(found[k]) * (k + 1).float()) + fold_sum(
        lambda k: fold_sum(lambda j: rows[k, j])
    )


def products_by_folds(x: Any, p: Any) -> Any:
    """The same, as products over all elements."""

    def product(k: Any, factor: Any) -> Any:
        return fold_prod(lambda i: where(p[i] == k, factor(x[i]), 1.0))

    total = fold_sum(lambda k: sin(product(k, lambda y: y * y - 1.0)) * (k + 1).float(), count=3)
    return total + fold_sum(
        lambda k: fold_sum(lambda j: product(k, lambda y: y - x[j]), count=x.size(0)), count=3
    )


@pytest.mark.parametrize("derivative", [grad, hessian])
@pytest.mark.parametrize("backend", INSTALLED)
def test_products_at_positions(backend: str, derivative: Any) -> None:
    """Also second derivatives, with one, two and three zeros at a position."""
    found = derivative(function(products_of_keys, backend=backend))
    expected = derivative(function(products_by_folds, backend="numpy"))
    for x, p in (
        (np.array([2.0, 3.0, 1.0, 0.5, 4.0]), np.array([0, 0, 1, 1, -1])),
        (np.array([1.0, 1.0, 2.0, 3.0, 0.3]), np.array([0, 0, 0, 2, 7])),
        (np.array([1.0, 1.0, 1.0, 3.0, 0.3]), np.array([0, 0, 0, -1, 2])),
        (np.zeros(0), np.zeros(0, np.int64)),
    ):
        np.testing.assert_allclose(found(x, p), expected(x, p), rtol=1e-9, atol=1e-12)


def test_products_at_positions_by_jax() -> None:
    """``jax.grad`` and ``jax.hessian`` of the same, also where nothing or zeros are multiplied."""
    jax = pytest.importorskip("jax")
    found, expected = function(products_of_keys), function(products_by_folds, backend="numpy")
    for x, p in (
        (np.array([2.0, 3.0, 1.0, 0.5, 4.0]), np.array([0, 0, 1, 1, -1])),
        (np.array([1.0, 1.0, 2.0, 3.0, 0.3]), np.array([0, 0, 0, 2, 7])),
        (np.zeros(0), np.zeros(0, np.int64)),
    ):
        with jax.enable_x64(True):
            slope, curvature = jax.grad(found.jax)(x, p), jax.jit(jax.hessian(found.jax))(x, p)
        np.testing.assert_allclose(slope, grad(expected)(x, p), rtol=1e-9, atol=1e-12)
        np.testing.assert_allclose(curvature, hessian(expected)(x, p), rtol=1e-9, atol=1e-12)


def test_the_shift_of_a_window_that_a_selection_chooses() -> None:
    """The step ``i`` that reads an element depends on ``c``, which equals an element at ``i``."""

    def shifted(x: Any, key: Any) -> Any:
        return array(
            lambda c: (
                fold_sum(lambda i: where(key[i] == c, x[i - c], 0.0)),
                fold_prod(lambda i: where(key[i] == c, x[i], 1.0)),
            ),
            size=3,
        )

    program = function(shifted, backend="numpy")

    def both(x: Any, key: Any, cotangent: Any) -> Any:
        value, backwards = vjp(program, x, key)
        return value, backwards(cotangent)[0]

    x, key = np.arange(4.0) + 1.0, np.array([0, 1, 2, 1])
    value, gradient = function(both, backend="numpy")(x, key, (np.ones(3), np.ones(3)))
    for found, wanted in zip(value, program(x, key), strict=True):
        np.testing.assert_allclose(found, wanted)
    assert gradient.tolist() == [4.0, 4.0, 2.0, 2.0]


@pytest.mark.parametrize("f", [cells, smooth_cells, factored])
def test_saved_values_grow_with_the_steps(f: Any) -> None:
    """A step saves the elements that its derivative reads, not the row that it carries.

    None of an array that is written once.
    """
    program = function(grad(f, (0, 1)), backend="native")

    def temporaries(n: int) -> int:
        return program.memory(np.ones((n, n)), np.ones((n, n))).temporaries

    assert temporaries(200) < 5 * temporaries(100)


def test_steps_save_what_they_decide() -> None:
    """The derivative of a minimum needs Bools of each step, and no numbers."""

    def shortest(a: Any) -> Any:
        def step(k: Any, x: Any) -> Any:
            return array(lambda i, j: min(x[i, j], x[i, k] + x[k, j]))

        x: Any = fold(a, step, count=a.size(0))
        return fold_sum(lambda i, j: x[i, j])

    program = function(grad(shortest), backend="native")
    assert program.memory(np.ones((100, 100))).temporaries < 5 * 100**3


@pytest.mark.one_turn
def test_searches_in_segments_take_a_pass() -> None:
    """The derivative of the extremes of segments needs no array of segments by elements."""
    program = function(grad(segment_extremes, (0, 1)), backend="native")

    def temporaries(n: int) -> int:
        return program.memory(np.ones((n, 4)), np.ones((4, n)), n).temporaries

    assert temporaries(4000) < 3 * temporaries(2000)


def test_loops_of_steps_run_once() -> None:
    """The derivative of a sum over loops takes a loop forwards and one backwards."""
    program = function(value_and_grad(paths, (0, 1)), backend="numpy")
    assert program.source(np.ones((3, 4)), np.ones((4, 3))).count("in range(20)") == 2


def test_values_of_samples_take_no_loop() -> None:
    """Values of steps that depend on no other step are arrays."""
    gradient = function(value_and_grad(samples, (0, 1)), backend="numpy")
    assert "for i in" not in gradient.source(np.ones((5, 4)), np.ones((4, 5)))


def test_errors_name_the_argument() -> None:
    square = function(lambda x: x * x)
    with pytest.raises(EinTypeError, match="grad: argument 0 is Int, and only Floats have"):
        grad(square)(3)
    with pytest.raises(EinTypeError, match=r"the result is a Float, not Vec\[Float\]; jacobian"):
        grad(function(lambda a: array(lambda i: a[i])))(np.ones(3))
    with pytest.raises(EinValueError, match="argnums is 1, and the function has 1 argument"):
        grad(square, 1)(3.0)
    with pytest.raises(EinTypeError, match="jvp: the direction has the type of the value"):
        jvp(square, (3.0,), (np.ones(2),))
    with pytest.raises(EinTypeError, match="jvp: 1 argument, but 2 tangents"):
        jvp(square, (3.0,), (1.0, 2.0))


@pytest.mark.parametrize("backend", BACKENDS)
def test_directions_have_the_sizes_of_their_values(backend: str) -> None:
    square = function(lambda a: array(lambda i: a[i] * a[i]), backend=backend)
    x, longer = np.ones(3), np.ones(4)
    with pytest.raises(ValueError, match=r"tangent: size of the value along axis 0.*: 3 != 4"):
        jvp(square, (x,), (longer,))
    for given in (np.ones(2), longer):
        with pytest.raises(ValueError, match=r"cotangent: size of the value along axis 0"):
            vjp(square, x)[1](given)


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("cotangent", [(3, 6), (2, 5)])
def test_cotangents_of_a_product_have_its_sizes(cotangent: tuple[int, int], backend: str) -> None:
    def product(a: Any, b: Any) -> Any:
        return array(lambda i, j: fold_sum(lambda k: a[i, k] * b[k, j]))

    _, pullback = vjp(function(product, backend=backend), np.ones((3, 4)), np.ones((4, 5)))
    with pytest.raises(ValueError, match=r"cotangent: size of the value along axis"):
        pullback(np.ones(cotangent))


def test_operations_without_derivatives_are_named() -> None:
    def doubled(k: Any, x: Any) -> Any:
        return fold_while(x, lambda y: y < 4.0 * k.float(), lambda y: 2.0 * y)

    def steps(x: Any) -> Any:
        return fold(x, doubled, 2)

    ragged = function(lambda a: array(lambda i: steps(a[i])))
    with pytest.raises(CompilationError, match="its number of steps depends on an index, and"):
        vjp(ragged, np.ones(3))[1](np.ones(3))
    assert jvp(ragged, (np.ones(2),), (np.ones(2),))[1].tolist() == [4.0, 4.0]


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("is_counted", [False, True])
def test_a_loop_reads_elements_at_a_carried_position(backend: str, is_counted: bool) -> None:
    """The position is saved for the reverse loop, not the tangent that is read there."""

    def product(x: Any) -> Any:
        def step(state: Any) -> Any:
            value, at = state
            return value * x[at], at + 1

        if is_counted:
            return fold((1.0, 0), lambda _, state: step(state), count=x.size())[0]
        return fold_while((1.0, 0), lambda state: state[1] < x.size(), step, limit=9)[0]

    for n in sizes_on(backend, (0, 1, 2, 9)):
        x = np.linspace(0.5, 1.5, n)
        expected = np.prod(x) / x
        assert np.allclose(grad(product).eval(x, backend=backend), expected)
