"""Sums with one exceptional term: exact for values that are not finite, free for finite ones."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from ein_mlir import array, fold, function, sqrt, where
from ein_mlir.host.arrays import library_of
from ein_mlir.pipelines import run_pipeline
from ein_mlir.targets.python.printer import python_source
from tests.libraries import BACKENDS, needs, on
from tests.selection import examples

ZERO: Any = 0.0
Matrix = NDArray[np.floating[Any]]


def total(term: Any, count: Any) -> Any:
    return fold(ZERO, lambda j, acc: acc + term(j), count=count)


@function
def rows(w):
    """Each element, with a part of its row that is zero."""
    m = w.size(1)
    return array(
        lambda i, v: total(lambda j: w[i, j] * where(v == j, 1.0, 0.0), m), size=(w.size(0), m)
    )


@function
def columns(w):
    """Along the outer axis."""
    m = w.size(0)
    return array(
        lambda i, v: total(lambda j: where(j != v, 0.0, 1.0) * w[j, i], m), size=(w.size(1), m)
    )


@function
def contracted(w, s):
    """A product with a vector, as a derivative is by the chain rule."""
    m = w.size(1)
    return array(
        lambda v: total(
            lambda i: s[i] * total(lambda j: w[i, j] * where(v == j, 1.0, 0.0), m), w.size(0)
        ),
        size=m,
    )


@function
def summed(w):
    """Sums of columns."""
    m = w.size(1)
    return array(
        lambda v: total(
            lambda i: total(lambda j: where(v == j, w[i, j], 0.0 * w[i, j]), m), w.size(0)
        ),
        size=m,
    )


@function
def chained(w, s):
    """A zero with several factors, one of which is the same for a row."""
    m = w.size(1)
    return array(
        lambda i, v: total(lambda j: w[i, j] * (s[i] * where(v == j, 2.0, -0.0)), m),
        size=(w.size(0), m),
    )


@function
def added(w, s):
    """Sums, differences and choices of zeros, after an initial value."""
    m = w.size(1)

    def term(i, v, j):
        unit = where(v == j, 1.0, 0.0)
        return unit * w[i, j] - where(w[i, 0] > 0.0, unit * s[i], w[i, m - 1] * unit)

    return array(
        lambda i, v: fold(s[i], lambda j, acc: acc + term(i, v, j), count=m), size=(w.size(0), m)
    )


PROGRAMS = {
    program.__name__: (program, has_vector)
    for program, has_vector in (
        (rows, False),
        (columns, False),
        (contracted, True),
        (summed, False),
        (chained, True),
        (added, True),
    )
}


def check(name: str, w: Matrix, s: Matrix, backend: str) -> None:
    program, has_vector = PROGRAMS[name]
    arguments = (w, s) if has_vector else (w,)
    expected = np.asarray(program.eval(*arguments, backend="naive"))
    result = np.asarray(program.eval(*arguments, backend=backend))
    assert result.dtype == expected.dtype
    np.testing.assert_allclose(result, expected, rtol=1e-5)


@pytest.mark.one_turn
@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_places_that_are_not_finite(name: str, backend: str, dtype: str) -> None:
    """None, one, and two, in one row and in several."""
    finite = np.arange(1, 7, dtype=dtype).reshape(2, 3)
    s = np.array([2, -3], dtype)
    for first, second in itertools.combinations(range(7), 2):
        w = finite.copy()
        w.ravel()[first] = np.inf
        w.ravel()[second : second + 1] = np.nan if second % 2 else -np.inf
        check(name, w, s, backend)
    for value in (np.inf, np.nan):
        check(name, finite, np.array([value, 1], dtype), backend)


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.parametrize("shape", [(0, 0), (0, 2), (2, 0), (1, 1), (3, 1), (1, 3)])
def test_empty_axes_and_single_elements(name: str, shape: tuple[int, int], backend: str) -> None:
    w = np.full(shape, 2.0)
    for value in (1.0, np.nan, np.inf):
        if w.size:
            w.ravel()[0] = value
        check(name, w, np.full(shape[0], 3.0), backend)


Elements = st.floats(-9, 9, width=32) | st.sampled_from(
    [float("nan"), float("inf"), float("-inf"), 0.0, 1e18]
)


@pytest.mark.parametrize("backend", BACKENDS)
@settings(max_examples=examples(15, is_drawn=True))
@given(data=st.data(), dtype=st.sampled_from(["float64", "float32"]))
def test_any_values(backend: str, data: st.DataObject, dtype: str) -> None:
    n, m = data.draw(st.integers(0, 4)), data.draw(st.integers(0, 4))
    w = np.array(data.draw(st.lists(Elements, min_size=n * m, max_size=n * m)), dtype)
    s = np.array(data.draw(st.lists(Elements, min_size=n, max_size=n)), dtype)
    for name in PROGRAMS:
        check(name, w.reshape(n, m), s, backend)


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("factor", [0.0, 1.0])
def test_large_products_tell_what_is_not_finite(backend: str, dtype: str, factor: float) -> None:
    """No library passes over a factor of 0."""
    w, s = np.ones((130, 70), dtype), np.ones(130, dtype)
    w[99, 33], s[99] = np.inf, factor
    result = np.asarray(contracted.eval(w, s, backend=backend))
    expected = np.full(70, np.nan)
    expected[33] = factor * np.float64(np.inf) if factor else np.nan
    np.testing.assert_array_equal(result, expected)


W, S = np.arange(1.0, 7.0).reshape(2, 3), np.array([0.5, 2.0])


@pytest.mark.parametrize("name", PROGRAMS)
def test_no_sum_is_computed(name: str) -> None:
    program, has_vector = PROGRAMS[name]
    emitted = program.ir("yarr", *((W, S) if has_vector else (W,)))
    assert "yarr.propagate_nan" in emitted
    assert "yarr.scan" not in emitted
    assert "yarr.fold" not in emitted


@pytest.mark.parametrize("name", ["contracted", "summed"])
def test_sums_of_others_come_first(name: str) -> None:
    """The test reads a vector, and computes no array."""
    program, has_vector = PROGRAMS[name]
    arguments = (W, S) if has_vector else (W,)
    assert "(tensor<?xf64>" not in program.ir("yarr", *arguments).split("propagate_nan")[1]
    assert "tensor<?xf64> from tensor<?x?xf64>" in program.ir("yarr", *arguments)


WAYS: dict[str, Any] = {
    "mask": lambda x, j, v: x * where(v == j, 1.0, 0.0),
    "commuted": lambda x, j, v: where(j == v, 1.0, 0.0) * x,
    "elsewhere": lambda x, j, v: where(j != v, 0.0, 1.0) * x,
    "conversion": lambda x, j, v: x * (v == j).float(),
    "conversion of an Int": lambda x, j, v: x * (v == j).int().float(),
    "choice of Ints": lambda x, j, v: where(j != v, 0, 1).float() * x,
    "factor before": lambda x, j, v: (2.0 * where(v == j, 1.0, 0.0)) * x,
    "factor behind": lambda x, j, v: x * where(v == j, 1.0, 0.0) * 2.0,
    "negation": lambda x, j, v: -where(v == j, 1.0, 0.0) * x,
    "choice of products": lambda x, j, v: where(v == j, x, x * 0.0),
}


@pytest.mark.parametrize("way", WAYS)
def test_factors_are_contracted_however_they_are_written(way: str) -> None:
    term = WAYS[way]
    program = function(
        lambda w, s: array(
            lambda v: total(
                lambda i: s[i] * total(lambda j: term(w[i, j], j, v), w.size(1)), w.size(0)
            ),
            size=w.size(1),
        )
    )
    assert "tensor<?xf64> from tensor<?x?xf64>" in program.ir("yarr", W, S)
    for value in (1.0, np.inf):
        w = W.copy()
        w[1, 0] = value
        np.testing.assert_allclose(program(w, S), program.eval(w, S, backend="naive"))


@pytest.mark.parametrize("backend", on("numpy", "torch"))
@pytest.mark.parametrize("name", PROGRAMS)
def test_sums_of_zeros_are_positive(name: str, backend: str) -> None:
    program, has_vector = PROGRAMS[name]
    w, s = np.full((2, 3), -0.0), np.array([1.0, -0.0])
    arguments = (w, s) if has_vector else (w,)
    expected = np.asarray(program.eval(*arguments, backend="naive"))
    result = np.asarray(program.eval(*arguments, backend=backend))
    np.testing.assert_array_equal(np.signbit(result), np.signbit(expected))


POSITIONS: dict[str, Any] = {
    "index": lambda j, v: v == j,
    "counter with an offset": lambda j, v: j + 1 == v,
    "difference": lambda j, v: v - j == -2,
    "elsewhere": lambda j, v: ~(3 - v != 1 + j),
}


@pytest.mark.parametrize("position", POSITIONS)
def test_other_terms_stay_running_sums(position: str) -> None:
    """Also at a step that follows from an equation, in bounds or not."""
    is_own = POSITIONS[position]
    program = function(
        lambda w: array(
            lambda v: total(lambda j: w[j] * where(is_own(j, v), 1.0, 0.5), w.size(0)),
            size=w.size(0),
        )
    )
    assert program.ir("yarr", S).count("yarr.scan") == 2
    for n in (0, 1, 2, 5):
        w = np.arange(1.0, n + 1)
        np.testing.assert_allclose(program(w), program.eval(w, backend="naive"))


def test_integers_are_finite() -> None:
    program = function(
        lambda k: array(
            lambda v: total(lambda j: k[j].float() * where(v == j, 1.0, 0.0), k.size(0)),
            size=k.size(0),
        )
    )
    k = np.array([3, -1, 4])
    assert "propagate_nan" not in program.ir("yarr", k)
    np.testing.assert_array_equal(program(k), k)


def test_a_result_is_no_argument() -> None:
    """If all elements are finite the result of the test is its operand, which is copied."""
    w = W.copy()
    result = rows(w)
    assert not np.shares_memory(result, w)


@needs("torch")
def test_a_result_is_no_argument_of_torch() -> None:
    import torch

    tensor = torch.tensor(W)
    assert rows.torch(tensor).data_ptr() != tensor.data_ptr()


def weighted(w: Any, s: Any) -> Any:
    return (contracted.torch if library_of(w) == "torch" else contracted.jax)(w, s)


@pytest.mark.one_turn
@needs("torch")
def test_derivatives_in_torch() -> None:
    import torch

    w: Any = torch.tensor(W, requires_grad=True)
    s: Any = torch.tensor(S, requires_grad=True)
    (weighted(w, s) * torch.tensor([1.0, 2.0, 3.0])).sum().backward()
    np.testing.assert_allclose(w.grad, np.outer(S, [1, 2, 3]))
    np.testing.assert_allclose(s.grad, W @ [1, 2, 3])
    jacobian: Any = torch.func.vmap(torch.func.jacrev(weighted, 1), (0, None))
    found = jacobian(torch.tensor(np.stack([W, W + 1])), torch.tensor(S))
    np.testing.assert_allclose(found, np.stack([W.T, W.T + 1]))


@needs("jax")
def test_derivatives_in_jax() -> None:
    import jax

    with jax.enable_x64(True):
        jacobian = jax.jit(jax.vmap(jax.jacobian(weighted, 1), (0, None)))
        np.testing.assert_allclose(jacobian(np.stack([W, W + 1]), S), np.stack([W.T, W.T + 1]))
        gradient = jax.grad(lambda w: (weighted(w, S) * np.array([1.0, 2.0, 3.0])).sum())(W)
        np.testing.assert_allclose(gradient, np.outer(S, [1, 2, 3]))


@needs("torch", "jax")
def test_batches_are_tested_one_by_one() -> None:
    """NaN in one member of a batch does not affect another."""
    import jax
    import torch

    bad = W.copy()
    bad[0, 1] = np.inf
    batch = np.stack([W, bad])
    expected = np.stack([contracted.eval(w, S, backend="naive") for w in batch])
    with jax.enable_x64(True):
        np.testing.assert_allclose(jax.vmap(weighted, (0, None))(batch, S), expected)
    found = torch.func.vmap(weighted, (0, None))(torch.tensor(batch), torch.tensor(S))
    np.testing.assert_allclose(found, expected)


@pytest.mark.parametrize("library", ["torch", "jax"])
def test_singular_terms_stay_whole(library: str) -> None:
    """Terms that may be infinite are differentiated only if the program differentiates them."""
    program = function(
        lambda w: array(
            lambda v: total(lambda j: sqrt(w[j]) * where(v == j, 1.0, 0.0), w.size(0)),
            size=w.size(0),
        )
    )
    for pipeline, splits in (("numpy", True), (library, False)):
        module = run_pipeline(program.phi(S).clone(), pipeline)
        assert ("propagate_nan" in python_source(module)) == splits
