"""Accumulations on all backends: positions that meet, or are out of bounds, and sizes of 0."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from ein_mlir import (
    Float,
    Function,
    Int,
    Vec,
    accumulate,
    array,
    compile,
    evaluate,
    fold,
    fold_max,
    fold_sum,
    fold_while,
    function,
    max,
    where,
    wrap,
)
from tests.agreement.comparison import assert_agree, assert_call_agrees
from tests.libraries import BACKENDS, needs
from tests.selection import combinations, examples, sizes_on

SIZES = (0, 1, 2, 7, 20)
TOLERANCE = {"float64": 1e-9, "float32": 1e-4}


@function
def histogram(p, x, n):
    return accumulate(lambda i: (p[i], x[i]), size=n)


@function
def counts(p, n):
    return accumulate(lambda i: (p[i] + 1, 1), size=n)


@function
def products(p, x, n):
    return accumulate(lambda i: (p[i], x[i] + 0.5), size=n, by="prod")


@function
def integer_products(p, n):
    return accumulate(lambda i: (p[i], 2 * p[i] + 1), size=n, by="prod")


@function
def smallest(p, x, n):
    return accumulate(lambda i: (p[i], x[i]), size=n, by="min")


@function
def largest_key(p, r, n):
    return accumulate(lambda i: (p[i] % 3, r[i]), size=n, by="max")


@function
def whether_some(p, x, n):
    return accumulate(lambda i: (p[i], x[i] > 0.0), size=n, by="any")


@function
def whether_all(p, x, n):
    return accumulate(lambda i: (p[i], x[i] > -1.0), size=n, by="all")


@function
def two_positions(p, r, x, n):
    return accumulate(lambda i: ((p[i], r[i]), x[i]), size=(n, 4))


@function
def same_position_twice(p, x, n):
    return accumulate(lambda i: ((p[i], p[i]), x[i]), size=(n, n))


@function
def no_position(x):
    return accumulate(lambda i: ((), x[i]), size=(), by="max")


@function
def fixed_position(m, n):
    return accumulate(lambda i, j: (1, m[i, j]), size=n)


@function
def transposed(m):
    return accumulate(lambda i, j: ((j, i), m[i, j]), size=(m.size(1), m.size(0)))


@function
def sums_of_columns(m):
    return accumulate(lambda i, j: (j, m[i, j]), size=m.size(1))


@function
def product_of_matrices(m, n):
    return accumulate(lambda i, k, j: ((i, j), m[i, k] * m[k, j]), size=(m.size(0), m.size(1)))


@function
def added_to_columns(x, m):
    """Continues from an array, over an index before and one after the position."""
    sums = accumulate(
        lambda i, j, k: (j, m[i, j] * m[i, k]), size=m.size(1), count=(m.size(0),) * 3
    )
    return array(lambda j: x[j] + sums[j])


@function
def too_few_columns(m, n):
    return accumulate(lambda i, j: (j, m[i, j]), size=(n - 1).max(0))


@function
def diagonals(m, n):
    return accumulate(lambda i, j: (i - j + n - 1, m[i, j]), size=(2 * n - 1).max(0))


@function
def embedding(p, m, n):
    return accumulate(lambda i, j: ((p[i], j), m[i, j]), size=(n, m.size(1)))


@function
def rows(p, m, n):
    return accumulate(lambda i: (p[i], m[i]), size=n)


@function
def computed_rows(p, x, n):
    return accumulate(lambda i: (p[i], array(lambda j: x[i] * x[j])), size=n, by="min")


@function
def selected(p, x, n):
    """Values that conditions on one index, on the other and on both select."""
    sums = accumulate(
        lambda i, j: (p[j], where((x[i] > 0.0) & (x[j] < x[i]), x[i] * x[j].exp(), 0.0)), size=n
    )
    extremes = accumulate(
        lambda i, j: ((p[i], p[j]), where(x[i] > 0.0, x[j] - x[i], float("-inf"))),
        size=(n, n),
        by="max",
    )
    return sums, extremes, accumulate(lambda i, j: (p[j], where(x[i] > 0.0, 1, 0)), size=n)


@function
def records(p, x, n):
    return accumulate(lambda i: (p[i], (x[i], {"twice": 2 * p[i], "row": x})), size=n)


@function
def keys_of_rows(q, m, n):
    """Positions that vary with an index around the accumulation, and values that do not."""
    return array(lambda i: accumulate(lambda j: (q[i, j], m[j, 0]), size=n))


@function
def values_of_rows(p, m, n):
    return array(lambda i: accumulate(lambda j: (p[j], m[i, j]), size=n))


@function
def inside_a_fold(p, x, n):
    start = array(lambda i: 0.0 * x[0], size=n)
    return fold(
        start, lambda k, v: accumulate(lambda i: (p[i], 0.5 * v[i] + x[i]), size=n), count=3
    )


@function
def read_again(p, x, n):
    total = accumulate(lambda i: (p[i], x[i]), size=n)
    return array(lambda i: x[i] / (1.0 + total[p[i]] ** 2))


@function
def sums_in_the_body(p, m, n):
    return accumulate(lambda i: (p[i], fold_sum(lambda k: m[i, k] * m[k, i])), size=n)


@function
def accumulated_in_the_body(p, x, n):
    inner = accumulate(lambda i: (p[i], x[i]), size=n)
    return accumulate(
        lambda i: (p[i], fold_max(lambda k: inner[k] * x[i], count=n)),
        size=n,
    )


@function
def nested(p, x, n):
    return accumulate(
        lambda i: (
            p[i],
            fold_sum(lambda c: accumulate(lambda k: (p[k], x[k] * x[i]), size=n)[c], count=n),
        ),
        size=n,
    )


@function
def siblings(p, x, n):
    """Several statistics of a group: sums, extremes, and the positions of other groups."""
    count = accumulate(lambda i: (p[i], 1), size=n)
    total = accumulate(lambda i: (p[i], x[i]), size=n)
    least = accumulate(lambda i: (p[i] + 1, x[i] * x[i]), size=n, by="min")
    cells = accumulate(lambda i: ((p[i], p[i] - 1), x[i]), size=(n, n))
    return count, total, least, cells


@function
def siblings_that_read(p, x, n):
    """The second pass over the groups reads the first one."""
    count = accumulate(lambda i: (p[i], x[i] * x[i] + 1.0), size=n)
    total = accumulate(lambda i: (p[i], x[i]), size=n)
    mean = array(lambda c: total[c] / max(count[c], 1.0))
    spread = accumulate(lambda i: (p[i], (x[i] - mean[p[i]]) ** 2), size=n)
    least = accumulate(lambda i: (p[i], mean[p[i]]), size=n, by="min")
    return mean, spread, least


@function
def statistics_of_columns(p, y, n):
    """The mean and the variance of each column in each group."""
    count = array(lambda c: fold_sum(lambda i: where(p[i] == c, 1.0, 0.0)), size=n)
    mean = array(
        lambda c, j: fold_sum(lambda i: where(p[i] == c, y[i, j], 0.0)) / max(count[c], 1.0),
        size=(n, y.size(1)),
    )
    spread = array(
        lambda j, c: fold_sum(lambda i: where(p[i] == c, (y[i, j] - mean[c, j]) ** 2, 0.0)),
        size=(y.size(1), n),
    )
    return mean, spread


@function
def guarded(p, x, n):
    """No position: -1."""
    return accumulate(lambda i: (where(x[i] > 0.0, p[i], -1), x[i].abs().sqrt()), size=n)


def added_at(y: Any, p: Any, x: Any, first: Any, count: Any) -> Any:
    """The array ``y`` with ``count`` values added at positions, one after another."""
    return fold(
        y,
        lambda e, y: array(lambda c: where(c == p[first + e], y[c] + x[first + e], y[c])),
        count=count,
    )


@function
def ragged_steps(p, x, n):
    """Each step adds values of its own number to the array of the loop."""
    zeros = array(lambda c: x[0] * 0.0, size=n)
    return fold(zeros, lambda i, y: added_at(y, p, x, i, i % 3), count=p.size())


@function
def steps_that_read(p, x, n):
    """The values are elements of the array that they are added to, or of the one before."""

    def step(i, state):
        y, before = state
        new = accumulate(lambda e: (p[e], y[e] * 0.5), size=n, count=p.size())
        old = accumulate(lambda e: (p[e], before[e] * 0.5), size=n, count=p.size())
        return array(lambda c: y[c] + new[c]), array(lambda c: y[c] + old[c])

    start = array(lambda c: x[c], size=n)
    return fold((start, start), step, count=3)


@function
def rows_of_steps(p, m, n):
    """Rows are added to a matrix that is read afterwards as well."""
    start = array(lambda i, j: m[i, j] * 2.0)

    def step(i, y):
        rows = accumulate(lambda e: (p[e], array(lambda j: m[e, j])), size=m.size())
        return array(lambda i, j: rows[i, j] + y[i, j])

    return fold(start, step, count=n), start


@function
def largest_of_steps(p, x, n):
    """By another operation; the loop compares one element before each step."""

    def step(y):
        low = accumulate(lambda e: (p[e], x[e] + y[0]), size=n, by="max", count=p.size())
        return array(lambda c: max(low[c], y[c]))

    return fold_while(array(lambda c: 0.0 * x[0], size=n), lambda y: y[1] < 3.0, step, limit=4)


PROGRAMS: dict[str, Function[..., Any]] = {
    program.__name__: program
    for program in (
        histogram, counts, products, integer_products, smallest, largest_key, whether_some,
        whether_all, two_positions, same_position_twice, no_position, fixed_position, transposed,
        sums_of_columns, product_of_matrices, added_to_columns, too_few_columns, diagonals,
        embedding, rows, computed_rows, records, keys_of_rows, values_of_rows, inside_a_fold,
        read_again, sums_in_the_body, accumulated_in_the_body, nested, guarded, siblings,
        siblings_that_read, selected,
        statistics_of_columns, ragged_steps, steps_that_read, rows_of_steps, largest_of_steps,
    )
}  # fmt: skip


def make(name: str, size: int, dtype: str, rng: np.random.Generator) -> Any:
    """An argument of a program: positions are also negative and too large."""
    match name:
        case "n":
            return size
        case "p" | "r":
            return rng.integers(-2, size + 2, size)
        case "q":
            return rng.integers(-2, size + 2, (size, size))
        case "x":
            return rng.normal(size=size).astype(dtype)
        case _:
            return rng.normal(size=(size, size)).astype(dtype)


def arguments_of(program: Function[..., Any], size: int, dtype: str) -> list[Any]:
    rng, code = np.random.default_rng(size), program.__wrapped__.__code__
    return [make(name, size, dtype, rng) for name in code.co_varnames[: code.co_argcount]]


@pytest.mark.parametrize(("name", "backend", "dtype"), combinations(PROGRAMS))
def test_backends(name: str, backend: str, dtype: str) -> None:
    with warnings.catch_warnings():
        if backend == "numpy":
            warnings.simplefilter("error")
        for size in sizes_on(backend, SIZES, name):
            arguments = arguments_of(PROGRAMS[name], size, dtype)
            assert_call_agrees(PROGRAMS[name], arguments, backend, TOLERANCE)


KEYS = st.lists(st.tuples(st.integers(-3, 8), st.integers(-3, 8)), max_size=30)


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("by", ["sum", "min", "max", "prod"])
@settings(max_examples=examples(20, is_drawn=True), deadline=None)
@given(keys=KEYS, sizes=st.tuples(st.integers(0, 6), st.integers(0, 6)))
def test_random_positions(
    by: Any, backend: str, keys: list[tuple[int, int]], sizes: tuple[int, int]
) -> None:
    """Ints are exact on every backend, whatever the positions."""
    if backend == "jax" and len(keys) % 10:
        return  # one compilation for each size
    pairs = np.array(keys, np.int64).reshape(-1, 2)
    p, q, x = wrap(pairs[:, 0]), wrap(pairs[:, 1]), wrap(pairs[:, 0] * 7 - pairs[:, 1])
    result = accumulate(lambda i: ((p[i], q[i]), x[i]), size=sizes, by=by)
    assert_agree(result.eval(backend), result.eval("naive"), {}, f"{keys} {sizes}")


def expected(keys: NDArray[Any], x: NDArray[Any], size: int) -> NDArray[Any]:
    inside = (keys >= 0) & (keys < size)
    return np.bincount(keys[inside], x[inside], minlength=size)


LONG = """
func.func @f(%keys: !phi.vec<i64>, %x: !phi.vec<!phi.vec<f64>>, %n: i64)
    -> tuple<!phi.vec<!phi.vec<f64>>, f64> {
  %l = phi.size %x, 0 : !phi.vec<!phi.vec<f64>>
  %m = phi.size %x, 1 : !phi.vec<!phi.vec<f64>>
  %r = phi.accumulate (%i < %l, %j < %m) into INTO
      -> tuple<!phi.vec<!phi.vec<f64>>, f64> {
    %p = phi.get %keys[%i] : !phi.vec<i64>[index]
    %q = arith.index_cast %j : index to i64
    %y = phi.get %x[%i, %j] : !phi.vec<!phi.vec<f64>>[index, index]
    %at = phi.tuple (%p, %q, %y) : tuple<i64, i64, f64>
    %all = phi.tuple (%y) : tuple<f64>
    %both = phi.tuple (%at, %all) : tuple<tuple<i64, i64, f64>, tuple<f64>>
    phi.yield %both : tuple<tuple<i64, i64, f64>, tuple<f64>>
  }
  func.return %r : tuple<!phi.vec<!phi.vec<f64>>, f64>
}
"""


@needs("native")
@pytest.mark.parametrize("bins", [0, 5, 3000])
def test_threads(bins: int) -> None:
    """Any number of threads gives the same bits: the parts of a long accumulation are fixed."""
    rng = np.random.default_rng(bins)
    keys, x = rng.integers(-2, bins + 2, 40000), rng.normal(size=(40000, 3))
    program = LONG.replace("INTO", '"add" (%n, %m), "max" ()')
    found = [
        compile(program, backend="native", threads=threads)(keys, x, bins)
        for threads in (1, 2, 3, 7)
    ]
    for column in range(3):
        np.testing.assert_allclose(
            found[0][0][:, column], expected(keys, x[:, column], bins), rtol=1e-9, atol=1e-9
        )
    assert found[0][1] == x.max()
    for other in found[1:]:
        assert_agree(other, found[0], {})


@needs("native")
def test_work_before_the_loop() -> None:
    """A body with loops is computed on threads before the loop, which is in order."""
    rng = np.random.default_rng(0)
    keys, m = rng.integers(-1, 60, 80), rng.normal(size=(80, 80))
    results = [sums_in_the_body.native(keys, m, 60), sums_in_the_body(keys, m, 60)]
    np.testing.assert_allclose(*results, rtol=1e-9)


@needs("torch")
def test_gradient_on_torch() -> None:
    import torch

    keys = torch.tensor([0, 2, 0, 5, -1])
    x = torch.arange(5.0, dtype=torch.float64, requires_grad=True)
    (histogram.torch(keys, x, 3) ** 2).sum().backward()
    assert x.grad is not None
    np.testing.assert_allclose(x.grad, [4.0, 2.0, 4.0, 0.0, 0.0])


@needs("jax")
def test_gradient_on_jax() -> None:
    import jax

    with jax.enable_x64(True):
        keys = jax.numpy.array([0, 2, 0, 5, -1])
        gradient = jax.grad(lambda x: (histogram.jax(keys, x, 3) ** 2).sum())
        found = gradient(jax.numpy.arange(5.0))
    np.testing.assert_allclose(found, [4.0, 2.0, 4.0, 0.0, 0.0])


def test_several_at_once() -> None:
    keys, x = wrap(np.array([1, 1, 0])), wrap(np.array([1.0, 2.0, 4.0]))
    sums = accumulate(lambda i: (keys[i], x[i]), size=2)
    most = accumulate(lambda i: (keys[i], x[i]), size=2, by="max")
    first, second = evaluate((sums, most))
    np.testing.assert_array_equal(first, [4.0, 3.0])
    np.testing.assert_array_equal(second, [4.0, 2.0])


@function
def transposed_convolution(x: Vec[Float], w: Vec[Float], step: Int) -> Vec[Float]:
    """Keys along two axes, from a sum over both."""
    size = ((x.size() - 1) * step + w.size()).max(0)
    return array(
        lambda y: fold_sum(
            lambda i, p: where(i * step + p == y, x[i] * w[p], 0.0), count=(x.size(), w.size())
        ),
        size=size,
    )


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize(("sizes", "step"), [((0, 0), 1), ((1, 1), 3), ((5, 3), 2), ((4, 2), -1)])
def test_transposed_convolution(sizes: tuple[int, int], step: int, backend: str) -> None:
    rng = np.random.default_rng(2)
    x, w = rng.normal(size=sizes[0]), rng.normal(size=sizes[1])
    if backend == "jax":
        traced = function(lambda x, w: transposed_convolution(x, w, step))
        assert_call_agrees(traced, (x, w), backend, {"float64": 1e-12, "float32": 1e-5})
    else:
        values = x, w, step
        assert_call_agrees(
            transposed_convolution, values, backend, {"float64": 1e-12, "float32": 1e-5}
        )


@function
def vertex_sums(x: Any, corners: Any, size: Int) -> Any:
    """Rows are added at the keys of each, along two axes and three."""
    cells = array(lambda t, k, s: corners[t, (k + s) % 2], size=(corners.size(0), 2, 2))

    def at(key: Any, p: Any, value: Any) -> Any:
        return where(key == p, value, 0.0)

    width = x.size(1)
    return (
        array(
            lambda p, a: fold_sum(lambda t: fold_sum(lambda k: at(corners[t, k], p, x[t, a]))),
            size=(size, width),
        ),
        array(
            lambda p, a: fold_sum(
                lambda t: fold_sum(
                    lambda k: fold_sum(lambda s: at(cells[t, k, s], p, x[t, a])), count=2
                )
            ),
            size=(size, width),
        ),
        array(
            lambda p, a, b: fold_max(
                lambda t: fold_max(
                    lambda k: where(corners[t, k] == p, x[t, a] - x[t, b], -float("inf"))
                )
            ),
            size=(size, width, width),
        ),
    )


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize(("count", "size"), [(0, 2), (1, 1), (2, 3), (7, 5)])
def test_rows_at_the_keys_of_each(count: int, size: int, backend: str) -> None:
    rng = np.random.default_rng(3)
    corners, x = rng.integers(-1, 6, size=(count, 2)), rng.normal(size=(count, 3))
    if backend == "jax":
        traced = function(lambda x, corners: vertex_sums(x, corners, size))
        assert_call_agrees(traced, (x, corners), backend, {"float64": 1e-12, "float32": 1e-5})
    else:
        values = x, corners, size
        assert_call_agrees(vertex_sums, values, backend, {"float64": 1e-12, "float32": 1e-5})


def test_rows_at_the_keys_of_each_are_no_loop() -> None:
    source = vertex_sums.source(np.ones((4, 3)), np.ones((4, 2), np.int64), 5)
    assert " t in range" not in source
    assert "block" not in source


def nested_updates(update):
    """``h[p[i] + j]`` is updated for all j in the steps of a loop over i."""

    @function
    def program(h, p, m):
        def cell(i, j, h):
            at = p[i] + j
            return array(lambda q: where(q == at, update(h, at, m[i, j]), h[q]))

        def row(i, h):
            return fold(h, lambda j, h: cell(i, j, h), count=m.size(1))

        return fold(h, row, count=m.size(0))

    return program


NESTED_UPDATES = {
    "sums": nested_updates(lambda h, at, x: h[at] + x),
    "maxima": nested_updates(lambda h, at, x: max(h[at], x)),
    "two reads": nested_updates(lambda h, at, x: h[at] + where(h[at] > 0, x, 2 * x)),
    "multiples": nested_updates(lambda h, at, x: 0.5 * h[at] + x),
    "the element behind": nested_updates(lambda h, at, x: h[at] + h[at + 1] + x),
    "the element alone behind": nested_updates(lambda h, at, x: h[at + 1] + x),
}


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("name", NESTED_UPDATES)
def test_nested_updates(name: str, backend: str) -> None:
    rng = np.random.default_rng(4)
    for size in sizes_on(backend, (0, 1, 2, 7), name):
        h, m = rng.normal(size=size), rng.normal(size=(size, size + 1))
        p = rng.integers(-2, size + 1, size=size)
        assert_call_agrees(NESTED_UPDATES[name], (h, p, m), backend, TOLERANCE)
