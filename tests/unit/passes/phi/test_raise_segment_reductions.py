"""Segment reductions: their meaning for all keys, their recognition, and derivatives."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ein_mlir import (
    Function,
    array,
    fold,
    fold_any,
    fold_max,
    fold_min,
    fold_sum,
    function,
    log,
    where,
)
from tests.libraries import BACKENDS, needs, on
from tests.selection import examples

Selected = st.lists(
    st.tuples(
        st.integers(-3, 7) | st.sampled_from([-(2**63), 2**63 - 1]),
        st.floats(width=32) | st.sampled_from([float("nan"), float("inf"), -0.0]),
        st.booleans(),
    ),
    max_size=8,
)
"""Keys in and out of bounds, values that are not all finite, and a mask."""


@function
def segments(key, x, valid):
    """Every kind of reduction by one key."""
    return array(
        lambda c: (
            fold_sum(lambda i: where(valid[i] & (c == key[i]), x[i], 0.0)),
            fold_min(lambda i: where(key[i] == c, x[i], float("inf"))),
            fold_max(lambda i: where(key[i] != c, float("-inf"), x[i])),
            fold_any(lambda i: (key[i] == c) & valid[i]),
            fold_sum(lambda i: (key[i] == c).int()),
        ),
        size=4,
    )


@pytest.mark.parametrize("backend", BACKENDS)
@settings(max_examples=examples(25, is_drawn=True))
@given(rows=Selected)
def test_segments_of_any_keys(rows: list[tuple[int, float, bool]], backend: str) -> None:
    key = np.array([row[0] for row in rows], np.int64)
    x = np.array([row[1] for row in rows], np.float64)
    valid = np.array([row[2] for row in rows], np.bool_)
    expected = segments.eval(key, x, valid, backend="naive")
    for a, e in zip(segments.eval(key, x, valid, backend=backend), expected, strict=True):
        np.testing.assert_allclose(np.asarray(a), e)


KEY = np.array([0, 2, -1, 5, 2, 0])
X = np.array([1.5, 2.0, 3.0, 4.0, 5.0, 0.5])


def histogram(body: Any) -> Function:
    """A comprehension of four segments."""
    return function(lambda key, x: array(lambda c: body(key, x, c), size=4))


VARIANTS = {
    "key first": lambda key, x, c: fold_sum(lambda i: where(key[i] == c, x[i], 0.0)),
    "index first": lambda g, w, b: fold_sum(lambda t: where(b == g[t], w[t], 0.0)),
    "unequal": lambda key, x, c: fold_sum(lambda i: where(key[i] != c, 0.0, x[i])),
    "inverted": lambda key, x, c: fold_sum(lambda i: where(~(key[i] != c), x[i], 0.0)),
    "conjunction": lambda key, x, c: fold_sum(
        lambda i: where((x[i] > 1.0) & (key[i] == c), x[i], 0.0)
    ),
    "disjunction": lambda key, x, c: fold_sum(
        lambda i: where((x[i] > 1.0) | (c != key[i]), 0.0, x[i])
    ),
    "nested": lambda key, x, c: fold_sum(
        lambda i: where(x[i] > 1.0, where(c == key[i], x[i], 0.0), 0.0)
    ),
    "conditional step": lambda key, x, c: fold(
        0.0, lambda i, s: where(key[i] == c, x[i] + s, s), count=x.size(0)
    ),
    "step that is left out": lambda key, x, c: fold(
        1.0, lambda i, s: where(key[i] != c, s, s + x[i]), count=x.size(0)
    ),
    "computed": lambda key, x, c: fold_sum(
        lambda i: where((x[i] * 0.5).floor().int() == c, x[i] * x[i], 0.0)
    ),
    "count": lambda key, x, c: fold_sum(lambda i: where(c == key[i], 1, 0)),
    "counter as key": lambda key, x, c: fold_sum(lambda i: where(i == c, x[i] + key[i].float(), 0)),
    "counter as value": lambda key, x, c: fold_sum(lambda i: where(key[i] == c, i, 0)),
}


@pytest.mark.parametrize("variant", VARIANTS)
def test_selections_are_found_however_they_are_written(variant: str) -> None:
    program = histogram(VARIANTS[variant])
    is_one_step = variant == "counter as key"
    assert program.ir("yarr", KEY, X).count("yarr.accumulate") == (not is_one_step)
    assert "yarr.fold" not in program.ir("yarr", KEY, X)
    np.testing.assert_allclose(program(KEY, X), program.eval(KEY, X, backend="naive"))


@pytest.mark.parametrize("swapped", [False, True])
def test_axes_of_values_and_of_keys_in_any_order(swapped: bool) -> None:
    def total(key: Any, x: Any, c: Any, d: Any) -> Any:
        return fold_sum(lambda i: where(key[i, 1] == c, x[i, d], 0.0))

    @function
    def sums(key, x):
        if swapped:
            return array(lambda d, c: total(key, x, c, d), size=(None, 3))
        return array(lambda c, d: total(key, x, c, d), size=(3, None))

    key, x = np.stack([KEY, KEY], axis=1), np.stack([X, X * X, X + 1], axis=1)
    assert "yarr.fold" not in sums.ir("yarr", key, x)
    np.testing.assert_allclose(sums(key, x), sums.eval(key, x, backend="naive"))


def test_values_that_nobody_selects_do_no_harm() -> None:
    program = histogram(VARIANTS["key first"])
    x = np.where((KEY < 0) | (KEY > 3), np.nan, X)
    np.testing.assert_array_equal(program(KEY, x), [2.0, 0.0, 7.0, 0.0])


def test_sums_of_large_ints_are_exact() -> None:
    program = histogram(lambda key, x, c: fold_sum(lambda i: where(key[i] == c, x[i], 0)))
    x = np.array([2**62 + 1, 2**53 + 1, 7, 7, 2**53 + 1, -1])
    assert program(KEY, x).tolist() == [2**62, 0, 2**54 + 2, 0]


def test_more_keys_than_are_counted_at_a_time() -> None:
    rng = np.random.default_rng(0)
    key, x = rng.integers(-1, 5, size=2**18 + 5), rng.normal(size=2**18 + 5)

    def sums(key, x):
        counts = array(lambda c: fold_sum(lambda k: where(key[k] == c, 1, 0)), size=4)
        return counts, array(lambda c: fold_sum(lambda k: where(key[k] == c, x[k], 0.0)), size=4)

    counts, totals = function(sums)(key, x)
    np.testing.assert_array_equal(counts, [(key == c).sum() for c in range(4)])
    np.testing.assert_allclose(totals, [x[key == c].sum() for c in range(4)])


@pytest.mark.one_turn
@needs("torch")
def test_keys_of_a_batch_are_not_asked_for_their_values() -> None:
    import torch

    key, x = torch.tensor([[0, 1, 1], [2, 0, 7]]), torch.arange(6.0).reshape(2, 3)
    sums = function(
        lambda key, x: array(lambda c: fold_sum(lambda k: where(key[k] == c, x[k], 0.0)), size=3)
    )
    expected: Any = [sums(*row) for row in zip(key, x, strict=True)]
    torch.testing.assert_close(torch.func.vmap(sums)(key, x), torch.stack(expected))


def test_f32_sums_do_not_lose_precision() -> None:
    program = histogram(VARIANTS["key first"])
    x = np.full(10**6, 0.1, np.float32)
    result = program(np.zeros(10**6, np.int64), x)
    assert result.dtype == np.float32
    np.testing.assert_allclose(result[0], 10**6 * np.float64(x[0]), rtol=1e-7)


# Derivatives ----------------------------------------------------------------------------------


@function
def loss(key, x):
    """Sums, least elements and logarithms of segments, weighted."""

    def segment(c):
        total = fold_sum(lambda i: where(key[i] == c, x[i] * x[i], 0.0))
        least = fold_min(lambda i: where(key[i] == c, x[i], float("inf")))
        logarithm = fold_sum(lambda i: where(key[i] == c, log(x[i]), 0.0))
        return total * total + where(least < 9.0, least, 0.0) + logarithm

    segments = array(segment, size=4)
    return fold_sum(lambda c: segments[c] * (c + 1).float())


def expected_gradient() -> np.ndarray[Any, Any]:
    """The derivative of ``loss`` by each element of ``X``, by hand."""
    result = np.zeros_like(X)
    for c in range(4):
        (chosen,) = np.equal(KEY, c).nonzero()
        if chosen.size:
            x = X[chosen]
            gradient = 4 * x * (x**2).sum() + (x == x.min()) + 1 / x
            result[chosen] = gradient * (c + 1)
    return result


@pytest.mark.one_turn
@needs("torch")
def test_gradients_in_torch() -> None:
    import torch

    x = torch.tensor(X, requires_grad=True)
    assert "fold" not in loss.ir("yarr", KEY, X)
    loss(torch.tensor(KEY), x).backward()
    assert x.grad is not None
    np.testing.assert_allclose(x.grad, expected_gradient())
    batch = torch.stack([x.detach(), x.detach() + 1])
    each = torch.func.vmap(torch.func.grad(loss, argnums=1), in_dims=(None, 0))
    np.testing.assert_allclose(each(torch.tensor(KEY), batch)[0], expected_gradient())


@needs("jax")
def test_gradients_in_jax() -> None:
    import jax

    with jax.enable_x64(True):
        gradient = jax.grad(loss, argnums=1)(KEY, X)
    np.testing.assert_allclose(gradient, expected_gradient())


@pytest.mark.parametrize("backend", on("torch", "jax"))
def test_what_no_key_selects_has_no_part_in_a_gradient(backend: str) -> None:
    """The derivative of the logarithm is infinite at 0, where the key is out of bounds."""
    x = np.where(KEY < 0, 0.0, X)
    if backend == "torch":
        import torch

        argument = torch.tensor(x, requires_grad=True)
        loss(torch.tensor(KEY), argument).backward()
        gradient = np.asarray(argument.grad)
    else:
        import jax

        with jax.enable_x64(True):
            gradient = np.asarray(jax.grad(loss, argnums=1)(KEY, x))
    np.testing.assert_allclose(gradient, expected_gradient())
