"""Sorting agrees with the reference interpreter, and with NumPy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import ein_mlir as ein
from ein_mlir import (
    EinTypeError,
    EinValueError,
    argsort,
    array,
    fold,
    fold_sum,
    function,
    searchsorted,
    sort,
    top_k,
    where,
)
from tests.agreement.comparison import assert_call_agrees, given
from tests.libraries import BACKENDS, in_64_bits, needs
from tests.selection import in_turn, sizes_on

SIZES = (0, 1, 2, 3, 17)
TOLERANCE = {"float64": 0.0, "float32": 0.0}
DTYPES = ("float64", "float32", "int64", "int32", "bool")


def vector(size: int, dtype: str) -> Any:
    """A vector with ties, and of floats with zeros of both signs, infinities and NaN."""
    random = np.random.default_rng(size)
    if dtype.startswith("float"):
        special = [0.0, -0.0, np.nan, np.inf, -np.inf, 1.5]
        return random.choice([*special, 2.0, -3.0], size).astype(dtype)
    return random.integers(0, 2 if dtype == "bool" else 5, size).astype(dtype)


PROGRAMS = {
    "argsort": function(lambda v: argsort(v)),
    "sort": function(lambda v: sort(v)),
    "rows": function(
        lambda v: array(lambda i: argsort(array(lambda j: v[j * (i + 2) % 5], size=6)), size=3)
    ),
    "inverse": function(lambda v: argsort(argsort(v))),
    "literals": function(lambda v: argsort(array(lambda i: ein.where(v[i] == v[0], -1.0, 2.0)))),
    "left": function(lambda v: _searched(v, "left")),
    "right": function(lambda v: _searched(v, "right")),
}


SELECTIONS: dict[str, tuple[Any, Any]] = {
    "filter": (function(lambda v: ein.filter(v, lambda x: x > 0)), lambda v: v[v > 0]),
    "unique": (function(lambda v: ein.unique(v)), np.unique),
    "top_k": (
        function(lambda v: ein.top_k(v, 3)[1]),
        lambda v: np.argsort(-v if v.dtype.kind == "f" else -1 - v, kind="stable")[:3],
    ),
    "top records": (
        function(lambda v: ein.top_k(array(lambda i: (v[i], i)), 2, key=lambda x: x[0])[0]),
        None,
    ),
    "filtered rows": (
        function(
            lambda v: ein.filter(
                array(lambda i, j: v[i] + v[j]), lambda row: ein.fold_any(lambda j: row[j] > 0)
            )
        ),
        None,
    ),
    "of a size": (function(lambda v: ein.filter(v, lambda x: x > 0, size=4)), None),
}


def _searched(v: Any, side: Any) -> Any:
    in_order = sort(v)
    return array(lambda i: searchsorted(in_order, v[i], side))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("name", PROGRAMS)
def test_backends(name: str, backend: str, dtype: str) -> None:
    if dtype == "bool" and name in ("left", "right"):
        pytest.skip("Bools have no order")
    for size in sizes_on(backend, SIZES, name):
        assert_call_agrees(PROGRAMS[name], (vector(size, dtype),), backend, TOLERANCE)


@pytest.mark.parametrize("dtype", ["float64", "int64"])
@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("name", SELECTIONS)
def test_selections(name: str, backend: str, dtype: str) -> None:
    program, expected = SELECTIONS[name]
    for size in sizes_on(backend, SIZES, name):
        v = vector(size, dtype)
        assert_call_agrees(program, (v,), backend, TOLERANCE)
        if expected is not None:
            np.testing.assert_array_equal(program.eval(v, backend="naive"), expected(v))


@needs("jax")
def test_sizes_of_selections_in_jit() -> None:
    import jax

    with in_64_bits("jax"):
        v = jax.numpy.array([-1.0, 2.0, 3.0])
        found = jax.jit(SELECTIONS["of a size"][0])(v)
        np.testing.assert_array_equal(found, [2.0, 3.0, 3.0, 3.0])
        with pytest.raises(EinValueError, match="JAX compiles for known sizes"):
            jax.jit(SELECTIONS["filter"][0])(v)


@pytest.mark.parametrize(
    ("program", "message"),
    [
        (lambda v: ein.filter(v, lambda x: x + 1), "filter: keep returns a Bool, not Float"),
        (lambda v: ein.top_k(v[0], 2), "top_k: expected a vector, not Float"),
        (lambda v: ein.unique(v[0]), "unique: expected a vector, not Float"),
        (
            lambda v: ein.top_k(array(lambda i: (v[i], v[i])), 2),
            r"top_k: the keys are numbers or Bools, not tuple\[Float, Float\]",
        ),
    ],
)
def test_messages_of_selections(program: Callable[..., Any], message: str) -> None:
    with pytest.raises(EinTypeError, match=message):
        function(program)(np.ones(3))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("size", SIZES)
def test_interpreter_and_numpy(size: int, dtype: str) -> None:
    v = vector(size, dtype)
    order = PROGRAMS["argsort"].eval(v, backend="naive")
    np.testing.assert_array_equal(order, np.argsort(v, kind="stable"))
    np.testing.assert_array_equal(PROGRAMS["sort"].eval(v, backend="naive"), np.sort(v))
    if dtype != "bool":
        for side in ("left", "right"):
            expected = np.searchsorted(np.sort(v), v, side)
            np.testing.assert_array_equal(PROGRAMS[side].eval(v, backend="naive"), expected)


@pytest.mark.parametrize(("size", "dtype"), in_turn([1, 2, 3, 5, 8, 16, 17], DTYPES))
def test_few_elements_of_a_known_number(size: int, dtype: str) -> None:
    """Machine code exchanges pairs that do not depend on the elements, of at most 16."""
    rows = np.stack([np.roll(vector(size, dtype), number) for number in range(9)])

    def few(i: Any) -> Any:
        return array(lambda j: v[i, j], size=size)

    v = ein.wrap(rows)
    ordered = ein.evaluate(
        (array(lambda i: sort(few(i)), size=9), array(lambda i: argsort(few(i)), size=9)),
        backend="native",
    )
    np.testing.assert_array_equal(ordered[0], np.sort(rows, axis=1))
    np.testing.assert_array_equal(ordered[1], np.argsort(rows, axis=1, kind="stable"))


@pytest.mark.parametrize("backend", BACKENDS)
def test_zeros_of_both_signs_are_equal(backend: str) -> None:
    """The first of them is the first in order, also for a search of few elements."""

    @function
    def firsts(v: Any) -> Any:
        return top_k(v, 1)[1], top_k(array(lambda i: -v[i]), 1)[1], argsort(v)

    zeros, others = np.array([0.0, -0.0, 0.0, -0.0]), np.ones(400)
    for first in (zeros, -zeros):
        for rest in (others, -others):
            assert_call_agrees(firsts, (np.concatenate((first, rest)),), backend, {})


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_large_vector(backend: str) -> None:
    """Longer than any block, and no power of two."""
    v = np.random.default_rng(0).integers(0, 500, 3001)
    with in_64_bits(backend):
        np.testing.assert_array_equal(
            PROGRAMS["argsort"].eval(v, backend=backend), np.argsort(v, kind="stable")
        )


@pytest.mark.parametrize("backend", BACKENDS)
def test_records_by_a_key(backend: str) -> None:
    @function
    def by_age(age: Any, height: Any) -> Any:
        people = array(lambda i: {"age": age[i], "height": height[i]})
        return sort(people, key=lambda person: -person["age"])

    age, height = np.array([20, 50, 20, 30]), np.array([1.5, 1.6, 1.7, 1.8])
    with in_64_bits(backend):
        assert_call_agrees(by_age, (age, height), backend, TOLERANCE)
        found = by_age.eval(age, height, backend=backend)
    np.testing.assert_array_equal(found["height"], [1.6, 1.8, 1.5, 1.7])


@needs("torch", "jax")
@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("dtype", DTYPES[:4])
def test_the_largest_first(dtype: str, backend: str) -> None:
    """Negation is exact, also that of the least Int."""
    whole = function(lambda v: sort(v, key=lambda x: -x))
    rows = function(lambda m: array(lambda i: sort(m[i], key=lambda x: -x)[1], size=3))
    for size in sizes_on(backend, SIZES):
        v = vector(size, dtype)
        if not dtype.startswith("float"):
            v[:1] = np.iinfo(dtype).min
        assert_call_agrees(whole, (v,), backend, TOLERANCE)
        assert_call_agrees(rows, (np.stack([v, v[::-1], v]),), backend, TOLERANCE)


def test_derivatives() -> None:
    import jax
    import torch

    weighted: Any = function(lambda v: array(lambda i: sort(v)[i] * v[i]))
    values = np.array([3.0, 1.0, 2.0])
    tensor = torch.tensor(values, requires_grad=True)
    weighted(tensor).sum().backward()
    with in_64_bits("jax"):
        gradient = jax.grad(lambda v: weighted(v).sum())(given(values, "jax"))
        expected = jax.grad(lambda v: (jax.numpy.sort(v) * v).sum())(given(values, "jax"))
        np.testing.assert_allclose(gradient, expected)
        assert tensor.grad is not None
        np.testing.assert_allclose(tensor.grad, expected)


def test_messages() -> None:
    with pytest.raises(EinTypeError, match=r"argsort: the keys are numbers or Bools, not Vec"):
        function(lambda a: argsort(a)).eval(np.ones((2, 2)))
    with pytest.raises(EinTypeError, match="argsort"):
        function(lambda a: argsort(a)).eval(2.0)
    with pytest.raises(EinValueError, match="the side is 'left' or 'right', not 'up'"):
        function(lambda a: searchsorted(a, 1.0, "up")).eval(np.ones(2))  # pyright: ignore


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("rare", [0.0, 0.02, 0.9])
@pytest.mark.parametrize("dtype", ["float64", "int64"])
def test_the_first_of_many(backend: str, rare: float, dtype: str) -> None:
    """A few positions in order, also where they are those of elements that are no numbers."""
    random = np.random.default_rng(0)
    rows = random.integers(-9, 9, (60, 40)).astype(dtype)
    is_float = dtype.startswith("float")
    for value in (np.nan, -np.inf, np.inf) if is_float else (2**63 - 1, -(2**63)):
        rows[random.random(rows.shape) < rare] = value
    program = function(lambda v: array(lambda i: ein.top_k(v[i], 3)[1], size=v.size()))
    with in_64_bits(backend):
        found = program.eval(given(rows, backend), backend=backend)
    expected = np.argsort(-rows if is_float else ~rows, axis=1, kind="stable")[:, :3]
    np.testing.assert_array_equal(np.asarray(found), expected)


@function
def first_elements(v: Any, k: Any) -> Any:
    """The elements at the start of a sorted vector, at indices and at positions of all kinds."""
    order, in_order = argsort(v), sort(v)
    return (
        array(lambda i: order[i], size=k),
        array(lambda i: v[order[i + 0]], size=3),
        order[k] + order[-1] + order[2],
        array(lambda i: in_order[i], size=k.max(1)),
        sort(array(lambda i: v[i] + 1.0))[k],
        sort(array(lambda i: v[i] * 2.0))[1],
        array(lambda i: argsort(array(lambda j: v[j] * (i - 1).float(v[0])))[k], size=3),
    )


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("rare", [0.0, 0.5, 0.99])
def test_the_first_elements(backend: str, rare: float) -> None:
    """Also where they are zeros of both signs, ties, infinities and NaN, in long vectors."""
    for size, k in sizes_on(backend, ((0, 0), (1, 3), (70, 4), (70, 0), (33000, 100))):
        v = np.random.default_rng(size).normal(size=size)
        v[np.random.default_rng(1).random(size) < rare] = np.nan
        v[::3] = np.resize([0.0, -0.0, np.inf, -np.inf, 1.5, -2.0], len(v[::3]))
        with np.errstate(all="ignore"):
            assert_call_agrees(first_elements, (v, k), backend, TOLERANCE)


@function
def read_in_loops(v, k):
    """Read by counters, by the least and the greatest of positions, and by choices."""
    order, ranked = argsort(v), sort(v)
    return (
        fold_sum(lambda t: v[order[t]] * t.float(), count=4),
        fold_sum(lambda t: ranked[ein.min(t, k)], count=3),
        array(lambda i: ranked[ein.max(i - 2, 1)], size=4),
        array(lambda i: order[where(v[i] > 0.0, i, 2 - i).clip(-1, 3)], size=5),
        fold(0.0, lambda t, acc: acc + ranked[where(acc > 1.0, k, t)], count=k),
    )


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("size", [0, 1, 2, 7, 400])
def test_first_elements_that_loops_read(backend: str, size: int) -> None:
    v = np.random.default_rng(size).normal(size=size)
    v[: size // 20] = np.nan
    for k in (0, 1, 3, 2 * size):
        assert_call_agrees(read_in_loops, [v, k], backend, {"float64": 1e-12})


@function
def quartiles(v: Any) -> Any:
    """By interpolation between elements, the last one of a row that is sorted, too."""
    in_order, size = sort(v), v.size()

    def quantile(part: float) -> Any:
        position = part * (size - 1).float()
        low = position.int()
        rest = (position - low.float()).float(v[0])
        return in_order[low] * (1 - rest) + in_order[low + 1] * rest

    rows = array(lambda i: sort(array(lambda j: v[j] * (i - 1).float(v[0])))[-1], size=3)
    return quantile(0.25), quantile(0.5), quantile(0.75), rows


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("size", [0, 1, 2, 17, 400])
def test_quartiles(size: int, dtype: str) -> None:
    v = vector(size, dtype)
    with np.errstate(all="ignore"):
        assert_call_agrees(quartiles, (v,), "numpy", {"float64": 1e-12, "float32": 1e-5})
    assert "sort_at(v, 0, " in quartiles.source(v)
