"""Two nested folds over a table, computed by diagonals, agree with the interpreter."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pytest

from ein_mlir import (
    Float,
    Int,
    Vec,
    array,
    compile,
    exp,
    fold,
    fold_any,
    fold_max,
    fold_min,
    fold_sum,
    function,
    grad,
    log,
    max,
    min,
    where,
)
from ein_mlir.frontend.function import Function
from ein_mlir.pipelines import NUMPY, run_pipeline
from tests.agreement.comparison import assert_agree, given, interpreted, leaves
from tests.libraries import on
from tests.selection import sizes_on

BEFORE = NUMPY[: NUMPY.index("skew-folds")]
SHAPES = [(0, 3), (3, 0), (1, 1), (1, 5), (5, 1), (2, 2), (4, 3), (3, 7), (13, 3)]
Matrix = Vec[Vec[Float]]


def written(table: Any, p: Any, q: Any, value: Any) -> Any:
    return array(lambda i, j: where((i == p) & (j == q), value, table[i, j]))


def nested(start: Any, cell: Callable[..., Any], n: Any, m: Any) -> Any:
    return fold(start, lambda i, t: fold(t, lambda j, t: cell(i, j, t), count=m), count=n)


@function
def alignment(x: Vec[Int], y: Vec[Int]):
    """Ints; the neighbours above, before and between."""

    def cell(i: Any, j: Any, t: Any):
        same = t[i, j] + where(x[i] % 3 == y[j] % 3, 2, -1)
        return written(t, i + 1, j + 1, max(same, max(t[i, j + 1], t[i + 1, j]) - 1))

    n, m = x.size(), y.size()
    return nested(array(lambda i, j: -i - j, size=(n + 1, m + 1)), cell, n, m)


@function
def warping(x: Vec[Float], y: Vec[Float]):
    """Only the last element is used."""

    def cell(i: Any, j: Any, t: Any):
        least = min(min(t[i, j + 1], t[i + 1, j]), t[i, j])
        return written(t, i + 1, j + 1, abs(x[i] - y[j]) + least)

    n, m = x.size(), y.size()
    start = array(lambda i, j: where(i + j == 0, 0.0, 1e9), size=(n + 1, m + 1))
    return nested(start, cell, n, m)[n, m]


@function
def guarded(c: Matrix):
    """Reads out of bounds whose values are unused."""

    def cell(i: Any, j: Any, t: Any):
        above = where(i > 0, t[i - 1, j], 0.5)
        before = where(j > 0, t[i, j - 1], 0.25)
        return written(t, i, j, c[i, j] + 0.5 * (above - before))

    n, m = c.size(0), c.size(1)
    return nested(array(lambda i, j: 0.0, size=(n, m)), cell, n, m)


@function
def sweep(c: Matrix):
    """Elements of earlier and of later steps, in all directions: the diagonals have slope 2."""

    def cell(i: Any, j: Any, t: Any):
        rows = [t[i + k, j] + t[i + k, j + 1] + t[i + k, j + 2] for k in range(3)]
        return written(t, i + 1, j + 1, (rows[0] + rows[1] + rows[2]) / 9.0)

    n, m = c.size(0) - 2, c.size(1) - 2
    return nested(c, cell, max(n, 0), max(m, 0))


@function
def before_only(c: Matrix):
    """Elements of the same row two steps before: the diagonals are the columns."""

    def cell(i: Any, j: Any, t: Any):
        return written(t, i, j + 2, t[i, j] * 0.5 + t[i, j + 2] + max(t[i, j], 0.0).sin())

    n, m = c.size(0), c.size(1)
    return nested(c, cell, n, max(m - 2, 0))


@function
def rows(x: Vec[Float], y: Vec[Float]):
    """The outer fold carries a row, the inner one also the element of the step before."""
    m = y.size()

    def row(i: Any, above: Any):
        def cell(j: Any, pair: Any):
            left, here = pair
            value = abs(x[i] - y[j]) + min(min(above[j + 1], left), above[j])
            return value, array(lambda q: where(q == j + 1, value, here[q]))

        return fold((x[i], array(lambda q: x[i] + 1.0, size=m + 1)), cell, count=m)[1]

    return fold(array(lambda q: where(q == 0, 0.0, 1e9), size=m + 1), row, count=x.size())


@function
def paths(x: Vec[Int], y: Vec[Int]):
    """The element before the first has no place in the row."""

    def row(i: Any, above: Any):
        def cell(j: Any, pair: Any):
            left, here = pair
            value = where((x[i] + y[j]) % 4 == 0, 0, (left + above[j]) % 1009)
            return value, array(lambda q: where(q == j, value, here[q]))

        start = (i % 2, array(lambda q: 0, size=y.size()))
        return fold(start, cell, count=y.size())[1]

    return fold(array(lambda q: where(q == 0, 1, 0), size=y.size()), row, count=x.size())


@function
def in_place(x: Vec[Float], y: Vec[Float]):
    """Rows that start as the row before, and keep its ends."""

    def row(i: Any, above: Any):
        def cell(j: Any, here: Any):
            value = 0.2 * (here[j] + 2.0 * here[j + 1] + here[j + 2]) + x[i]
            return array(lambda q: where(q == j + 1, value, here[q]))

        return fold(above, cell, count=max(y.size() - 2, 0))

    return fold(y, row, count=x.size())


@function
def palindromes(s: Vec[Int]):
    """Each step writes the intervals of one length."""
    n = s.size()

    def longer(k: Any, t: Any):
        def at(i: Any, j: Any):
            inner = where(k == 0, 0, t[i + 1, j - 1]) + 2
            return where(s[i] == s[j], inner, max(t[i + 1, j], t[i, j - 1]))

        return array(lambda i, j: where(j == i + k + 1, at(i, j), t[i, j]))

    start = array(lambda i, j: where(i == j, 1, -i - j), size=(n, n))
    return fold(start, longer, count=max(n - 1, 0))


@function
def cheapest(c: Vec[Float]):
    """Each interval is split at the best place; the elements are an array before the choice."""
    n = c.size()

    def longer(k: Any, t: Any):
        def best(i: Any):
            def cost(q: Any):
                return t[i, i + q] + t[i + q + 1, i + k + 1] + c[i] * c[i + q]

            return fold_min(cost, count=k + 1)

        new = array(best, size=n)
        return array(lambda i, j: where(j == i + k + 1, new[i], t[i, j]))

    return fold(array(lambda i, j: c[i] + c[j], size=(n, n)), longer, count=max(n - 1, 0))[0, n - 1]


@function
def search_tree(c: Vec[Float]):
    """The element of an interval varies with its first place alone; a read needs a test."""
    n = c.size()

    def longer(d: Any, t: Any):
        def best(i: Any):
            def cost(k: Any):
                right = where(k < d, t[i + k + 1, i + d], 0.0)
                return where(k > 0, t[i, i + k - 1], 0.0) + right

            return fold_min(cost, count=d + 1) + c[i]

        return array(lambda i, j: where((j == i + d) & (i + d < n), best(i), t[i, j]))

    return fold(array(lambda i, j: 0.0, size=(n, n)), longer, count=n)


@function
def subsequence(c: Vec[Float]):
    """The longest palindrome: an element of each diagonal from three neighbours, in place."""
    n = c.size()

    def longer(k: Any, t: Any):
        def length(i: Any):
            j = i + k + 1
            both = where(k > 0, t[i + 1, j - 1], 0.0) + 2.0
            return where(c[i] * c[j] > 0.0, both, max(t[i + 1, j], t[i, j - 1]))

        return array(lambda i, j: where(j == i + k + 1, length(i), t[i, j]))

    start = array(lambda i, j: where(i == j, 1.0, 0.0), size=(n, n))
    return fold(start, longer, count=max(n - 1, 0))[0, n - 1]


@function
def wide(c: Matrix):
    """More columns than rows, and steps beyond the last column."""

    def longer(k: Any, t: Any):
        return array(lambda i, j: where(j == i + k, t[i, j] * 2.0 + c[i, k].sin(), t[i, j]))

    return fold(c, longer, count=c.size(1) + 3)


def ints(n: int, m: int) -> tuple[Any, ...]:
    return np.arange(n) * 7 % 5, np.arange(m) * 5 % 11


def floats(n: int, m: int) -> tuple[Any, ...]:
    return np.sin(np.arange(n) * 2.0), np.cos(np.arange(m) * 3.0)


def matrix(n: int, m: int) -> tuple[Any, ...]:
    return (np.sin(np.arange(n * m) * 2.0).reshape(n, m),)


@function
def edited(x: Vec[Int], y: Vec[Int]):
    """The first row and the first column are cases of their own."""
    n, m = x.size() + 1, y.size() + 1

    def cell(i: Any, j: Any, t: Any):
        cost = where(x[max(i - 1, 0)] == y[max(j - 1, 0)], 0, 1)
        least = min(t[i - 1, j - 1] + cost, min(t[i - 1, j], t[i, j - 1]) + 1)
        return written(t, i, j, where(i == 0, j, where(j == 0, 2 * i, least)))

    return nested(array(lambda i, j: 7, size=(n, m)), cell, n, m)


@function
def inner_border(c: Matrix):
    """The table is larger than the part that is written, and its border has one test."""

    def cell(i: Any, j: Any, t: Any):
        inside = t[i, j + 1] - t[i + 1, j] * 0.5 + c[i, j]
        return written(
            t, i + 1, j + 1, where((i > 0) & (j >= 1), inside, c[i, j] * 3.0 + j.float())
        )

    n, m = c.size(0), c.size(1)
    start = array(lambda i, j: (i - 2 * j).float(), size=(n + 3, m + 2))
    return nested(start, cell, n, m)


@function
def first_column(c: Matrix):
    def cell(i: Any, j: Any, t: Any):
        other = t[max(i - 1, 0), max(j - 1, 0)] + t[i, max(j - 1, 0)]
        return written(t, i, j, where(j == 0, c[i, j], where(i == 0, c[i, j] + 1.0, other)))

    return nested(array(lambda i, j: c[i, j] * 0.0), cell, c.size(0), c.size(1))


@function
def later_border(c: Matrix):
    """An element is read before the border is written there: it has its initial value."""

    def cell(i: Any, j: Any, t: Any):
        inside = t[i - 1, j] + t[min(i + 1, c.size(0) - 1), max(j - 1, 0)]
        return written(t, i, j, where((i == 0) | (j == 0), 5.0, inside))

    return nested(c, cell, c.size(0), c.size(1))


@function
def soft(x: Vec[Float], y: Vec[Float]):
    """Derivatives are infinite beside the table; the inner fold carries a row, then a number."""
    m = y.size()

    def row(i: Any, before: Any):
        def cell(j: Any, state: Any):
            current, left = state
            above, between = before[j + 1], before[j]
            least = min(min(above, between), left)
            total = exp(least - above) + exp(least - between) + exp(least - left)
            value = (x[i] - y[j]) ** 2.0 + least - log(total)
            return array(lambda q: where(q == j + 1, value, current[q])), value

        return fold((array(lambda q: 1e3, size=m + 1), 1e3), cell, count=m)[0]

    first = array(lambda q: where(q == 0, 0.0, 1e3), size=m + 1)
    return fold(first, row, count=x.size())[m]


PROGRAMS: dict[str, tuple[Function, Callable[[int, int], tuple[Any, ...]]]] = {
    "alignment": (alignment, ints),
    "warping": (warping, floats),
    "guarded": (guarded, matrix),
    "sweep": (sweep, matrix),
    "before only": (before_only, matrix),
    "rows": (rows, floats),
    "soft": (soft, floats),
    "paths": (paths, ints),
    "in place": (in_place, floats),
    "palindromes": (palindromes, lambda n, m: ints(n, m)[:1]),
    "cheapest": (cheapest, lambda n, m: floats(n, m)[:1]),
    "search tree": (search_tree, lambda n, m: floats(n, m)[:1]),
    "subsequence": (subsequence, lambda n, m: floats(n, m)[:1]),
    "wide": (wide, matrix),
    "edited": (edited, ints),
    "inner border": (inner_border, matrix),
    "first column": (first_column, matrix),
}


def skewed(program: Function, *types: Any) -> Any:
    """The program with diagonals at all sizes."""
    module = program.phi(*types)
    notes = list[str]()
    run_pipeline(module, BEFORE)
    run_pipeline(module, ("skew-folds{least=1}",), note=lambda _, text: notes.append(text))
    assert any("diagonals" in note for note in notes)
    return module


@cache
def skewed_in_f64(name: str) -> Any:
    return skewed(PROGRAMS[name][0])


@pytest.mark.parametrize("backend", on("numpy", "torch", "jax", "native"))
@pytest.mark.parametrize("name", PROGRAMS)
def test_diagonals(name: str, backend: str):
    program, inputs = PROGRAMS[name]
    compiled = compile(skewed_in_f64(name), backend=backend)
    for shape in sizes_on(backend, SHAPES, name):
        arguments = inputs(*shape)
        expected = leaves(interpreted(program, arguments))
        found = leaves(compiled(*(given(each, backend) for each in arguments)))
        assert_agree(found, expected, {"float64": 1e-12})


@pytest.mark.parametrize("backend", on("numpy", "torch"))
@pytest.mark.parametrize("name", ["warping", "guarded", "rows", "cheapest", "inner border"])
def test_single_precision(name: str, backend: str):
    program, inputs = PROGRAMS[name]
    arguments = [np.asarray(each, np.float32) for each in inputs(5, 4)]
    compiled = compile(skewed(program, *arguments), backend=backend)
    expected = leaves(program.eval(*arguments, backend="naive"))
    found = leaves(compiled(*(given(each, backend) for each in arguments)))
    assert_agree(found, expected, {"float32": 1e-5})


@pytest.mark.filterwarnings("ignore::ein_mlir.EinPerformanceWarning")
@pytest.mark.parametrize("backend", on("numpy", "native", "torch", "jax"))
@pytest.mark.parametrize("shape", [(3, 4), (1, 2), (5, 5)])
def test_a_border_that_is_read_before(backend: str, shape: tuple[int, int]):
    arguments = matrix(*shape)
    found = later_border.eval(*(given(a, backend) for a in arguments), backend=backend)
    assert_agree([found], leaves(interpreted(later_border, arguments)), {"float64": 1e-12})


@pytest.mark.filterwarnings("ignore::ein_mlir.EinPerformanceWarning")
@pytest.mark.parametrize("backend", on("numpy", "torch"))
@pytest.mark.parametrize("name", ["rows", "paths", "in place", "edited", "first column"])
def test_by_size(name: str, backend: str):
    """Diagonals take the place of the nest at run time."""
    program, inputs = PROGRAMS[name]
    for shape in [(63, 64), (64, 63), (64, 65), (257, 64)]:
        arguments = inputs(*shape)
        found = leaves(program.eval(*(given(a, backend) for a in arguments), backend=backend))
        expected = leaves(program.eval(*arguments, backend="native"))
        assert_agree(found, expected, {"float64": 1e-12})


@function
def rows_with_gaps(x: Vec[Int], y: Vec[Int], gap: Int):
    """Each row is two scans: the cost of a step to the right is the same in all steps."""

    def row(i: Any, above: Any):
        def cell(j: Any, pair: Any):
            left, here = pair
            value = max(left - gap, above[j] + x[i] * y[j])
            return value, array(lambda q: where(q == j, value, here[q]))

        return fold((i, array(lambda q: 0, size=y.size())), cell, count=y.size())[1]

    return fold(array(lambda q: q, size=y.size()), row, count=x.size())


@pytest.mark.filterwarnings("ignore::ein_mlir.EinPerformanceWarning")
@pytest.mark.parametrize("backend", on("numpy", "torch"))
def test_rows_of_ints_with_one_cost_are_scans(backend: str):
    """Also beyond the sizes of diagonals, and by steps where sums may wrap."""
    assert "maximum.accumulate" in rows_with_gaps.source(backend="numpy")
    assert "by diagonals" not in rows_with_gaps.explain(backend=backend)
    for shape, gap in [((65, 64), 2), ((5, 3), -1), ((3, 4), 2**61), ((1, 1), 1), ((2, 0), 1)]:
        arguments = (*ints(*shape), gap)
        found = rows_with_gaps.eval(*(given(a, backend) for a in arguments), backend=backend)
        assert_agree([found], leaves(rows_with_gaps.eval(*arguments, backend="native")), {})
    several = function(lambda x, y: array(lambda k: rows_with_gaps(x, y, k), size=3))
    found = several.eval(*(given(a, backend) for a in ints(3, 4)), backend=backend)
    assert_agree([found], leaves(several.eval(*ints(3, 4), backend="native")), {})


@pytest.mark.parametrize("backend", on("torch"))
@pytest.mark.parametrize(
    "name", ["guarded", "sweep", "rows", "in place", "cheapest", "wide", "soft"]
)
def test_gradients(name: str, backend: str):
    """The library differentiates diagonals as it does the nest."""
    import torch

    program, inputs = PROGRAMS[name]
    gradients = list[Any]()
    for module in (program.phi(), skewed(program)):
        compiled = compile(module, backend=backend)
        arguments = [given(each, backend).requires_grad_() for each in inputs(5, 4)]
        total = torch.stack([each.sin().sum() for each in leaves(compiled(*arguments))]).sum()
        gradients.append(torch.autograd.grad(total, arguments))
    assert_agree(
        [each.numpy() for each in gradients[1]],
        [each.numpy() for each in gradients[0]],
        {"float64": 1e-12},
    )


@function
def chain(p: Vec[Int]):
    """Intervals of a table with a row less than the vector that is read at each of them."""
    n = p.size() - 1

    def step(k: Int, t: Any):
        def cheapest(i: Int, j: Int):
            middle = fold_min(lambda m: t[i, i + m] + t[i + m + 1, j] + p[i] * p[j], count=k + 1)
            return where(j - i == k + 1, middle, t[i, j])

        return array(cheapest)

    return fold(array(lambda i, j: 0, size=(n, n)), step, count=n - 1)


@pytest.mark.parametrize("backend", on("numpy", "torch", "jax", "native"))
def test_sizes_that_do_not_fit(backend: str):
    vector = given(np.arange(6), backend)
    with pytest.raises(ValueError, match="index i: size of t along axis 0 and size of p along"):
        chain.eval(vector, backend=backend)


@function
def gaps(x: Vec[Int], y: Vec[Int]):
    """Two tables by diagonals from the right to the left; one is read where the other one is."""
    n, m = x.size(), y.size()

    def step(k: Any, tables: Any):
        best, gap = tables

        def on(i: Any, j: Any):
            return (i + j == k + 2) & (i > 0) & (j > 0)

        wider = array(
            lambda i, j: where(on(i, j), max(gap[i - 1, j] - 1, best[i - 1, j] - 3), gap[i, j])
        )

        def score(i: Any, j: Any):
            same = best[i - 1, j - 1] + where(x[i - 1] % 3 == y[j - 1] % 3, 2, -1)
            return where(on(i, j), max(max(same, wider[i, j]), best[i, j - 1] - 2), best[i, j])

        return array(score), wider

    start = array(lambda i, j: -i - j, size=(n + 1, m + 1))
    return fold((start, start), step, count=n + m - 1 + where(n + m == 0, 1, 0))


@function
def parsed(x: Vec[Int], y: Vec[Int]):
    """Rows of a table at each interval: the best by each symbol, by rules that are data."""
    n, s = x.size(), 3

    def longer(k: Any, t: Any):
        def best(i: Any, a: Any):
            def by_rule(q: Any, r: Any):
                value = t[i, i + q, y[r] % 3] + t[i + q + 1, i + k + 1, (y[r] + r) % 3] - r
                return where(y[r] % 2 == a, value, -100)

            return fold_max(by_rule, count=(k + 1, y.size()))

        return array(
            lambda i, j, a: where((j == i + k + 1) & (j < n), best(i, a), t[i, j, a]),
            size=(n, n, s),
        )

    start = array(lambda i, j, a: where(i == j, x[i] * a, -9), size=(n, n, s))
    return fold(start, longer, count=max(n - 1, 0))


@function
def recognised(x: Vec[Int], y: Vec[Int]):
    """The same by lengths, of Bools; rows of the table that would end beyond it stay."""
    n, s = x.size(), 3

    def longer(k: Any, t: Any):
        d = k + 1

        def has(i: Any, a: Any):
            return fold_any(
                lambda q, r: (y[r] % 3 == a) & t[q, i, y[r] % 2] & t[d - q - 1, i + q + 1, 1],
                count=(d, y.size()),
            )

        return array(
            lambda p, i, a: where((p == d) & (i + d < n), has(i, a), t[p, i, a]), size=(n, n, s)
        )

    start = array(lambda p, i, a: (p == 0) & (x[i] % 3 == a), size=(n, n, s))
    return fold(start, longer, count=max(n - 1, 0))


@function
def inside(x: Vec[Float], y: Vec[Float]):
    """The total of all trees over a text, by dense rules: a differentiated table of rows."""
    n, s = x.size(), y.size()

    def longer(k: Any, t: Any):
        def total(i: Any, a: Any):
            return fold_sum(
                lambda q, b, c: t[i, i + q, b] * t[i + q + 1, i + k + 1, c] * y[a] * y[b - c],
                count=(k + 1, s, s),
            )

        return array(
            lambda i, j, a: where((j == i + k + 1) & (j < n), total(i, a), t[i, j, a]),
            size=(n, n, s),
        )

    start = array(lambda i, j, a: where(i == j, x[i] * y[a], 0.0), size=(n, n, s))
    return fold(start, longer, count=n - 1)[0, n - 1, 0]


@function
def least(x: Vec[Float], y: Vec[Float]):
    """Few elements of the cotangent of the table change in a step."""
    n, m = x.size(), y.size()

    def step(k: Any, t: Any):
        def cost(i: Any, j: Any):
            before = min(min(t[i - 1, j - 1], t[i - 1, j]), t[i, j - 1])
            return (x[i - 1] - y[j - 1]) ** 2 + before

        return array(lambda i, j: where((i + j == k + 2) & (i > 0) & (j > 0), cost(i, j), t[i, j]))

    start = array(lambda i, j: where(i + j == 0, 0.0, 1e3), size=(n + 1, m + 1))
    return fold(start, step, count=n + m - 1)[n, m]


@pytest.mark.parametrize("backend", on("native"))
@pytest.mark.parametrize("program", [inside, least], ids=lambda f: f.__name__)
def test_gradients_of_tables(program: Function, backend: str):
    gradient = function(grad(program, argnums=(0, 1)))
    for shape in [(1, 1), (2, 1), (4, 2), (5, 6)]:
        arguments = floats(*shape)
        found = gradient.eval(*arguments, backend=backend)
        expected = gradient.eval(*arguments, backend="naive")
        assert_agree(leaves(found), leaves(expected), {"float64": 1e-12})


@function
def beyond(x: Vec[Int], y: Vec[Int]):
    """What is read of a table where the step writes nothing is needed elsewhere."""
    n, m = x.size(), y.size()

    def step(k: Any, state: Any):
        t, u = state

        def above(i: Any):
            return where(i > 0, t[i - 1, i + k + 1], 0)

        new = array(lambda i, j: where(j == i + k + 1, above(i) + x[i], t[i, j]))
        return new, array(lambda i: 2 * u[i] + above(i))

    start = array(lambda i, j: 3 * i - j, size=(n, m)), array(lambda i: x[i])
    return fold(start, step, count=m)


@pytest.mark.parametrize("backend", on("native"))
@pytest.mark.parametrize("program", [gaps, parsed, recognised, beyond], ids=lambda f: f.__name__)
def test_in_place(program: Function, backend: str):
    """Each step computes the elements of its diagonal alone, in one table if it may."""
    for shape in [(1, 1), (1, 4), (5, 1), (2, 2), (4, 3), (3, 7), (7, 6)]:
        arguments = ints(*shape)
        found = leaves(program.eval(*arguments, backend=backend))
        assert_agree(found, leaves(interpreted(program, arguments)), {})
    loops = program.ir("loops", *ints(3, 3), backend=backend)
    copies = any("scf.for" in line and "x?xi" in line for line in loops.splitlines())
    assert copies == (program is beyond)
