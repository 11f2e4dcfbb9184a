"""Blocks of sums: their total, and their memory."""

from __future__ import annotations

import tracemalloc
from functools import partial
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ein_mlir import (
    Float,
    Function,
    Int,
    Vec,
    array,
    clear_cache,
    compile,
    exp,
    fold,
    fold_argmax,
    fold_argmin,
    fold_max,
    fold_min,
    fold_sum,
    function,
    log,
    max,
    where,
)
from ein_mlir.passes.phi import block_reductions
from ein_mlir.passes.phi.block_reductions import equal_blocks
from tests.agreement.comparison import leaves
from tests.libraries import BACKENDS, needs
from tests.selection import examples, sizes_on


def kernel() -> Function[Any, Any]:
    """A sum of products and a largest term, in one fold; compiled anew."""

    @function
    def kernel(x: Vec[Float], y: Vec[Float]) -> Vec[tuple[Float, Float]]:
        def step(i: Any, j: Any, total: Any) -> Any:
            near = exp(-abs(x[i] - y[j]))
            return total[0] + near * y[j], max(total[1], near - y[j])

        return array(lambda i: fold((1.0, -1.0), lambda j, total: step(i, j, total)))

    return kernel


def energy() -> Function[Any, Any]:
    """A double sum; compiled anew."""

    @function
    def energy(x: Vec[Float]) -> Float:
        return fold_sum(lambda i: fold_sum(lambda j: exp(-abs(x[i] - x[j]))))

    return energy


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=examples(25))
@given(steps=st.integers(0, 13), elements=st.integers(0, 20), fewest=st.integers(1, 4))
def test_blocks_add_up(
    monkeypatch: pytest.MonkeyPatch, steps: int, elements: int, fewest: int
) -> None:
    """For all block sizes, also if the last block has fewer steps."""
    monkeypatch.setattr(block_reductions, "BLOCK_ELEMENTS", elements)
    monkeypatch.setattr(block_reductions, "FEWEST_STEPS", fewest)
    rng = np.random.default_rng(steps)
    x, y = rng.normal(size=3), rng.normal(size=steps)
    near = np.exp(-np.abs(x[:, None] - y))
    total, largest = kernel()(x, y)
    np.testing.assert_allclose(total, 1 + near @ y)
    np.testing.assert_allclose(largest, (near - y).max(axis=1, initial=-1.0))
    np.testing.assert_allclose(energy()(y), np.exp(-np.abs(y[:, None] - y)).sum())


def lagged() -> Function[Any, Any]:
    """Sums with two axes in each step, and of diagonals: blocks, or loops; compiled anew."""

    @function
    def lagged(x: Vec[Vec[Float]], m: Int) -> tuple[Vec[Vec[Float]], Vec[Vec[Float]], Vec[Float]]:
        n, channels = x.size(0), x.size(1)

        def moment(lag: Any, c: Any) -> Any:
            return fold_sum(lambda i: where(i + lag < n, x[i, c] * x[i + lag, c], 0.0), count=n)

        def diagonal(j: Any) -> Any:
            return fold_max(lambda k: where(j >= k, x[k, j - k], -1.0), count=n)

        def spread(c: Any, d: Any) -> Any:
            return fold_sum(lambda i: abs(x[i, c] - x[i, d]))

        return array(moment, size=(m, channels)), array(spread), array(diagonal, size=m)

    return lagged


@pytest.mark.one_turn
@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("elements", [0, 2**14])
def test_sizes_choose_blocks_or_a_loop(
    monkeypatch: pytest.MonkeyPatch, backend: str, elements: int
) -> None:
    """With room for no element in a block, the loop takes all steps."""
    clear_cache()
    monkeypatch.setattr(block_reductions, "BLOCK_ELEMENTS", elements)
    program = lagged()
    for shape in sizes_on(backend, [(0, 2), (1, 1), (4, 0), (5, 3)], f"{elements}"):
        x = np.random.default_rng(7).normal(size=shape)
        for lags in sizes_on(backend, (0, 1, 7)):
            expected = program.eval(x, lags, backend="naive")
            for result, each in zip(program.eval(x, lags, backend=backend), expected, strict=True):
                np.testing.assert_allclose(np.asarray(result), each, rtol=1e-12, atol=1e-12)


def bags() -> Function[Any, Any]:
    """Sums of the rows of a table at positions, of which some are masked; compiled anew."""

    @function
    def bags(words: Vec[Vec[Int]], table: Vec[Vec[Float]]) -> tuple[Vec[Vec[Float]], ...]:
        def bag(i: Any, d: Any) -> Any:
            return fold_sum(lambda t: where(words[i, t] != 0, table[words[i, t], d], 0.0))

        def longest(i: Any, d: Any) -> Any:
            return fold_max(lambda t: abs(table[words[i, t] + t, d]))

        return array(bag), array(longest)

    return bags


@pytest.mark.one_turn
@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("elements", [0, 12, 2**14])
def test_rows_are_looked_up_in_blocks(
    monkeypatch: pytest.MonkeyPatch, backend: str, elements: int
) -> None:
    """Or one after another; positions clip, and NaN and infinities outside of masks do no harm."""
    clear_cache()
    monkeypatch.setattr(block_reductions, "BLOCK_ELEMENTS", elements)
    program = bags()
    for rows, steps in sizes_on(backend, [(0, 2), (1, 1), (2, 0), (3, 7)], f"{elements}"):
        words = np.random.default_rng(7).integers(-2, 5, (rows, steps))
        table = np.array([[np.nan, np.inf], [1.0, -2.0], [-np.inf, 3.0], [0.5, np.nan]])
        expected = program.eval(words, table, backend="naive")
        for result, each in zip(program.eval(words, table, backend=backend), expected, strict=True):
            np.testing.assert_allclose(np.asarray(result), each, rtol=1e-12, atol=1e-12)


@function
def grouped(x: Vec[Vec[Float]], p: Vec[Vec[Int]]) -> tuple[Vec[Float], Vec[Float], Vec[Vec[Float]]]:
    """Sums and extremes of groups of four rows, and products of rows at positions."""
    groups = (x.size(0) + 1) // 4

    def total(k: Any) -> Any:
        return fold_sum(lambda c, j: x[4 * k + c, j], count=(4, x.size(1)))

    def largest(k: Any) -> Any:
        return fold_max(lambda c, j: abs(x[4 * k + c, j]), count=(4, x.size(1)))

    def product(i: Any, k: Any) -> Any:
        return fold_sum(lambda j: x[i, j] * x[p[i, k], j])

    return (
        array(total, size=groups),
        array(largest, size=groups),
        array(product, size=(p.size(0), p.size(1))),
    )


@pytest.mark.parametrize("backend", BACKENDS)
def test_groups_of_rows(backend: str) -> None:
    """The last group may leave the bounds: positions clip."""
    for rows, columns in sizes_on(backend, [(0, 2), (1, 1), (2, 0), (7, 3), (12, 5)], "groups"):
        rng = np.random.default_rng(rows)
        x, p = rng.normal(size=(rows, columns)), rng.integers(-2, 9, (rows, 3))
        expected = grouped.eval(x, p, backend="naive")
        for result, each in zip(grouped.eval(x, p, backend=backend), expected, strict=True):
            np.testing.assert_allclose(np.asarray(result), each, rtol=1e-12, atol=1e-12)


def encoded() -> Function[Any, Any]:
    """A sum over samples of squares of layers, whose sums are blocks or loops; compiled anew."""

    @function
    def encoded(x: Vec[Vec[Vec[Float]]], w: Vec[Vec[Float]], y: Vec[Float]) -> Float:
        def output(i: Any) -> Any:
            def unit(k: Any) -> Any:
                return max(fold_sum(lambda a, b: x[i, a, b] * w[2 * a + b, k]), 0.0)

            units = array(unit, size=w.size(1))
            return fold_sum(lambda k: units[k] * (k.float() + 1.0))

        return fold_sum(lambda i: (output(i) - y[i]) ** 2.0, count=y.size())

    return encoded


@pytest.mark.one_turn
@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("elements", [0, 9])
def test_blocks_of_samples_around_sums_in_blocks(
    monkeypatch: pytest.MonkeyPatch, backend: str, elements: int
) -> None:
    clear_cache()
    monkeypatch.setattr(block_reductions, "BLOCK_ELEMENTS", elements)
    program = encoded()
    for shape in sizes_on(backend, [(0, 2, 2), (1, 0, 3), (2, 3, 1), (7, 3, 2)], f"{elements}"):
        rng = np.random.default_rng(8)
        x, w = rng.normal(size=shape), rng.normal(size=(2 * shape[1] + shape[2], 5))
        y = rng.normal(size=shape[0])
        expected = program.eval(x, w, y, backend="naive")
        np.testing.assert_allclose(program.eval(x, w, y, backend=backend), expected, rtol=1e-10)


@pytest.mark.parametrize("backend", ["numpy", "torch"])
def test_no_sample_is_a_step(backend: str) -> None:
    clear_cache()
    code = encoded().source(np.ones((7, 3, 2)), np.ones((8, 5)), np.ones(7), backend=backend)
    assert "for i in range" not in code.rpartition("\ndef ")[2]


def nearest() -> Function[Any, Any]:
    """Searches among pairs: alone, with a value of the found step, and beside an extreme."""

    @function
    def nearest(x: Vec[Float], y: Vec[Float], names: Vec[Int]) -> tuple[Any, ...]:
        def gap(i: Any, k: Any) -> Any:
            return abs(x[i] - y[k])

        def named(i: Any, k: Any, best: Any) -> Any:
            near = exp(-gap(i, k))
            better = (near > best[0]) & (names[k] != 1)
            new = near, names[k] + k, fold_sum(lambda j: x[j] * y[k])
            return tuple(where(better, a, b) for a, b in zip(new, best, strict=True))

        return (
            array(lambda i: fold_argmin(lambda k: gap(i, k), count=y.size())),
            array(lambda i: fold_argmax(lambda k: exp(gap(i, k)), count=y.size())),
            array(lambda i: fold_max(lambda k: exp(gap(i, k)), count=y.size())),
            array(lambda i: fold((0.1, -1, 0.0), partial(named, i), count=y.size())),
        )

    return nearest


@pytest.mark.one_turn
@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize(("elements", "fewest"), [(4, 1), (20, 3), (2**15, 16)])
def test_the_best_of_all_blocks_is_found(
    monkeypatch: pytest.MonkeyPatch, backend: str, elements: int, fewest: int
) -> None:
    """The first of ties, passing over NaN, and the initial values where nothing is better."""
    clear_cache()
    monkeypatch.setattr(block_reductions, "BLOCK_ELEMENTS", elements)
    monkeypatch.setattr(block_reductions, "FEWEST_STEPS", 1)
    monkeypatch.setattr(block_reductions, "PROFITABLE_SEARCH", fewest)
    program, rng = nearest(), np.random.default_rng(elements)
    for rows, steps in sizes_on(backend, [(0, 3), (1, 1), (3, 0), (2, 7), (4, 11)], f"{elements}"):
        x, y = rng.integers(0, 4, rows) / 4, rng.integers(0, 4, steps) / 4
        y[rng.random(steps) < 0.2] = np.nan
        arguments = x, y, rng.integers(0, 3, steps)
        expected = program.eval(*arguments, backend="naive")
        for result, each in zip(
            leaves(program.eval(*arguments, backend=backend)), leaves(expected), strict=True
        ):
            np.testing.assert_allclose(np.asarray(result), each, rtol=1e-12)


def matched() -> Function[Any, Any]:
    """The nearest of points, and sums of distances to the nearest; compiled anew."""

    @function
    def matched(p: Vec[Vec[Float]], q: Vec[Vec[Float]]) -> tuple[Vec[Int], Float]:
        def distance(i: Any, j: Any) -> Any:
            return fold_sum(lambda c: (p[i, c] - q[j, c]) ** 2.0)

        nearest = array(lambda i: fold_argmin(lambda j: distance(i, j), count=q.size()))
        rows = fold_sum(lambda i: distance(i, nearest[i]))
        columns = fold_sum(lambda j: fold_min(lambda i: distance(i, j), count=p.size()))
        return nearest, rows + columns

    return matched


@pytest.mark.one_turn
@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("elements", [0, 40])
def test_the_nearest_points_are_found_in_blocks(
    monkeypatch: pytest.MonkeyPatch, backend: str, elements: int
) -> None:
    """Distances are sums over coordinates, which are too few for calls."""
    clear_cache()
    monkeypatch.setattr(block_reductions, "BLOCK_ELEMENTS", elements)
    monkeypatch.setattr(block_reductions, "PROFITABLE_SEARCH", 4)
    program = matched()
    for rows, columns in sizes_on(backend, [(0, 2), (1, 1), (3, 0), (7, 5)], f"{elements}"):
        rng = np.random.default_rng(9)
        p, q = rng.integers(0, 3, (rows, 2)) / 4, rng.integers(0, 3, (columns, 2)) / 4
        expected = program.eval(p, q, backend="naive")
        for result, each in zip(program.eval(p, q, backend=backend), expected, strict=True):
            np.testing.assert_allclose(np.asarray(result), each, rtol=1e-12)


@pytest.mark.one_turn
@needs("torch")
def test_blocks_have_derivatives() -> None:
    import torch

    x = torch.tensor(np.random.default_rng(7).normal(size=(5, 2)), requires_grad=True)
    program = lagged()
    assert torch.autograd.gradcheck(lambda x: program.torch(x, 3)[0], [x])


@function
def matrices_of_rows(x: Vec[Vec[Float]], kind: Vec[Int], w: Vec[Vec[Vec[Float]]]) -> Any:
    return array(lambda i, j: fold_sum(lambda k: x[i, k] * w[kind[i], k, j]))


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("sizes", [(0, 2, 3), (1, 0, 1), (2, 3, 0), (7, 3, 2), (1500, 10, 9)])
def test_a_matrix_is_looked_up_for_each_row(backend: str, sizes: tuple[int, int, int]) -> None:
    """In one block, or in a loop where that is too large; positions clip."""
    (rows, steps, columns), rng = sizes, np.random.default_rng(4)
    x, w = rng.normal(size=(rows, steps)), rng.normal(size=(4, steps, columns))
    kind = rng.integers(-1, 6, rows)
    expected = np.einsum("ik,ikj->ij", x, w[kind.clip(0, 3)])
    result = matrices_of_rows.eval(x, kind, w, backend=backend)
    np.testing.assert_allclose(np.asarray(result), expected, rtol=1e-12, atol=1e-13)


@pytest.mark.one_turn
@needs("torch")
@pytest.mark.parametrize("rows", [7, 1500])
def test_looked_up_matrices_have_derivatives(rows: int) -> None:
    import torch

    rng = np.random.default_rng(5)
    x, kind = rng.normal(size=(rows, 10)), rng.integers(0, 4, rows)
    w = torch.tensor(rng.normal(size=(4, 10, 9)), requires_grad=True)
    matrices_of_rows.torch(torch.tensor(x), torch.tensor(kind), w).sum().backward()
    of_each = [x[kind == each].sum(0) for each in range(4)]
    assert w.grad is not None
    np.testing.assert_allclose(w.grad[..., 0], of_each, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("position", [0, 9, 19])
def test_nan_is_found_in_any_block(monkeypatch: pytest.MonkeyPatch, position: int) -> None:
    monkeypatch.setattr(block_reductions, "BLOCK_ELEMENTS", 8)
    monkeypatch.setattr(block_reductions, "FEWEST_STEPS", 1)
    y = np.zeros(20)
    y[position] = np.nan
    assert all(np.isnan(part).all() for part in kernel()(np.zeros(2), y))


def test_temporaries_are_those_of_a_block() -> None:
    """Not those of all steps, which are a hundred times as many."""
    x = np.linspace(0, 1, 3000)
    program = energy()
    program(x[:2])
    tracemalloc.start()
    program(x)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 8 * x.nbytes * block_reductions.FEWEST_STEPS


@needs("torch")
def test_a_program_has_the_same_blocks_in_each_compilation() -> None:
    """Of several largest arrays the first counts, not the one that a set happens to have first."""
    z, kept, sources = np.ones((4, 4)), list[Any](), set[str]()

    def loss(z: Any, i: Any) -> Any:
        def likeness(j: Any) -> Any:
            return fold_sum(lambda c: z[i, c] * z[j, c])

        top = fold(-9.0, lambda j, best: max(best, likeness(j)), count=z.size())
        return top + fold_sum(lambda j: exp(likeness(j) - top), count=z.size())

    def losses(z: Any) -> Any:
        return fold_sum(lambda i: loss(z, i), count=z.size())

    for places in range(8):
        clear_cache()
        kept.append([object() for _ in range(37 * places)])
        kept.append(function(losses).phi(z))
        sources.add(compile(kept[-1], backend="torch").source)
    assert len(sources) == 1


def losses() -> Function[Any, Any]:
    """Combinations of rows of products; compiled anew."""

    @function
    def losses(x: Any, w: Any, y: Any) -> Any:
        n = x.size(0)

        def loss(i: Any) -> Any:
            z = array(lambda c: fold_sum(lambda k: x[i, k] * w[k, c]))
            return log(fold_sum(lambda c: exp(z[c]))) - z[y[i]]

        def score(i: Any, c: Any) -> Any:
            return exp(fold_sum(lambda k: x[i, k] * w[k, c])) * y[i].float()

        least = fold_min(lambda i: fold_max(lambda c: score(i, c)), count=n)
        by_class = array(
            lambda a: fold_sum(lambda i: fold_sum(lambda c: score(i, c) * w[a, c]) ** 2, count=n)
        )
        return fold_sum(loss, count=n), least, by_class

    return losses


@needs("jax")
@pytest.mark.one_turn
@pytest.mark.parametrize("fitting", [0, 1, 3, 7, 100])
def test_equal_blocks_add_up(monkeypatch: pytest.MonkeyPatch, fitting: int) -> None:
    """Blocks and the steps behind them are all steps, in derivatives and batches, too."""
    import jax

    monkeypatch.setattr(equal_blocks, "steps_of_size", lambda build, *_: build.integer(fitting))
    clear_cache()
    f = losses()
    w = np.random.default_rng(0).normal(size=(2, 3))
    for n in (0, 1, 2, 7):
        rng = np.random.default_rng(n)
        x, y = rng.normal(size=(n, 2)), rng.integers(0, 3, n)
        if n == 7:
            x[3] = np.nan
        for dtype, rtol in ((np.float64, 1e-12), (np.float32, 1e-4))[: 1 + n // 7]:
            values = x.astype(dtype), w.astype(dtype), y
            results, expected = f.jax(*values), f.eval(*values, backend="naive")
            for result, each in zip(results, expected, strict=True):
                np.testing.assert_allclose(result, each, rtol=rtol)
    with jax.enable_x64(True):
        x, y = np.random.default_rng(1).normal(size=(4, 7, 2)), np.arange(7) % 3
        total = jax.vmap(lambda x: f.jax(x, w, y)[0])(x)
        np.testing.assert_allclose(total, [f.jax(each, w, y)[0] for each in x], rtol=1e-12)
        slope = jax.grad(lambda w: f.jax(x[0], w, y)[0] + f.jax(x[0], w, y)[2].sum())(w)
        near = [
            sum(np.sum(r) for r in f.eval(x[0], w + d, y, backend="naive")[::2])
            for each in np.eye(6).reshape(6, 2, 3) * 1e-6
            for d in (each, -each)
        ]
        expected = np.subtract(near[::2], near[1::2]) / 2e-6
        np.testing.assert_allclose(slope.ravel(), expected, rtol=1e-6)
    clear_cache()
