"""Index sets: the same programs as without, on every backend, and messages with their names."""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from typing import Any

import numpy as np
import pytest

from ein_mlir import (
    Along,
    EinTypeError,
    EinValueError,
    Float,
    Index,
    Int,
    Prod,
    SizeInferenceError,
    accumulate,
    array,
    fold,
    fold_argmax,
    fold_sum,
    function,
    pair,
    reduce_max,
    where,
)

ALL = ["naive", "numpy", "torch", "jax", "native"]


class City(Index): ...


class Day(Index): ...


class Channel(Index, size=3): ...


class Season(Enum):
    WET = "w"
    DRY = "d"


Rain = Along[City, Along[Day, Float]]


@function
def totals(rain: Rain, weight: Along[Day, Float]) -> Along[City, Float]:
    return array(lambda c: fold_sum(lambda d: rain[c, d] * weight[d], Day), City)


@function
def without(rain: Any, weight: Any) -> Any:
    return array(lambda c: fold_sum(lambda d: rain[c, d] * weight[d]))


@pytest.mark.parametrize("backend", ALL)
@pytest.mark.parametrize("size", [0, 1, 4])
def test_names_change_no_result(size: int, backend: str) -> None:
    rain, weight = np.arange(3.0 * size).reshape(3, size), np.arange(size) - 1.5
    found = np.asarray(totals.eval(rain, weight, backend=backend))
    np.testing.assert_allclose(found, rain @ weight)


def test_names_cost_nothing() -> None:
    """The emitted code is that of the program without, up to its assertion about sizes."""
    rain, weight = np.ones((3, 4)), np.ones(4)
    named, plain = (f.source(rain, weight).splitlines()[-1] for f in (totals, without))
    assert named == plain


@pytest.mark.parametrize("backend", ALL)
def test_products(backend: str) -> None:
    @function
    def f(rain: Rain, flat: Along[Prod[City, Day], Float]) -> Any:
        return (
            array(lambda p: 2.0 * rain[p.first, p.second], Prod[City, Day]),
            fold_sum(lambda p: rain[p.first, p.second] * flat[p], Prod[City, Day]),
            fold(0.0, lambda p, x: 0.5 * x + rain[p.first, p.second], Prod[City, Day]),
            array(lambda c, d: rain[c, d] - flat[pair(c, d)], (City, Day)),
            reduce_max(lambda p: rain[p.first, p.second], Prod[City, Day]),
        )

    for shape in ((2, 3), (1, 1), (0, 3), (3, 0)):
        rain = np.random.default_rng(0).normal(size=shape)
        flat = rain.ravel() + 1
        last = 0.0
        for x in rain.ravel():
            last = 0.5 * last + x
        found = f.eval(rain, flat, backend=backend)
        expected = 2 * rain.ravel(), rain.ravel() @ flat, last, rain * 0 - 1
        for one, other in zip(found, (*expected, rain.max(initial=-np.inf)), strict=True):
            np.testing.assert_allclose(np.asarray(one), other, atol=1e-14)


def test_a_pair_is_not_taken_apart_by_a_division() -> None:
    f = function(lambda a: array(lambda p: a[p.second, p.first], Prod[City, Day]))
    for backend in ("numpy", "jax", "torch"):
        body = f.phi(np.ones((2, 3))) and f.eval(np.arange(6.0).reshape(2, 3), backend=backend)
        np.testing.assert_array_equal(np.asarray(body), np.arange(6.0).reshape(2, 3).T.ravel())
    assert "//" not in f.source(np.ones((2, 3)))


@pytest.mark.parametrize("backend", ALL)
def test_enumerations(backend: str) -> None:
    @function
    def f(rain: Along[Season, Along[City, Float]]) -> Any:
        means = array(lambda s: fold_sum(lambda c: rain[s, c], City), Season)
        wettest = fold_argmax(lambda s: means[s], Season)
        return means, wettest, array(lambda s: where(s == Season.DRY, 0.0, means[s]), Season)

    rain = np.array([[1.0, 2.0], [5.0, 4.0]])
    means, wettest, wet = f.eval(rain, backend=backend)
    np.testing.assert_allclose(np.asarray(means), [3, 9])
    assert int(wettest) == 1
    np.testing.assert_allclose(np.asarray(wet), [3, 0])


@pytest.mark.parametrize("backend", ALL)
def test_sizes_of_their_own(backend: str) -> None:
    @function
    def f(n: Int, x: Along[Channel, Float]) -> Any:
        numbers = array(lambda c: c.int() * 2, City.of(n))
        return (
            numbers,
            array(lambda k: x[k], Channel),
            accumulate(lambda k: (k.int() % 2, x[k]), 2, count=Channel),
        )

    numbers, same, sums = f.eval(4, np.array([1.0, 2.0, 4.0]), backend=backend)
    np.testing.assert_array_equal(np.asarray(numbers), [0, 2, 4, 6])
    np.testing.assert_array_equal(np.asarray(same), [1, 2, 4])
    np.testing.assert_array_equal(np.asarray(sums), [5, 2])


@pytest.mark.parametrize("backend", ALL)
def test_sizes_differ(backend: str) -> None:
    with pytest.raises(
        ValueError, match="Day: size of rain along axis 1 and size of weight along "
    ):
        totals.eval(np.ones((3, 4)), np.ones(5), backend=backend)


def sums(rain: Rain) -> Any:
    return array(lambda d: fold_sum(lambda c: rain[d, c], City), Day)  # pyright: ignore[reportCallIssue, reportArgumentType]


def colours(image: Along[Channel, Float]) -> Any:
    return array(lambda k: image[k], Channel)


MISTAKES: list[tuple[Callable[..., Any], type[Exception], str]] = [
    (sums, EinTypeError, "rain is along City on axis 0, and d is an index of Day"),
    (colours, ValueError, "Channel: its own size and size of image along axis 0: 3 != 4"),
    (lambda x: array(lambda c: c, City), SizeInferenceError, r"size of City: .* City.of\(n\)"),
    (lambda x: array(lambda c: c, Channel.of(-1)), EinValueError, "size of Channel is negative"),
    (lambda x: array(lambda c: x[pair(c, c)], City), EinTypeError, "needs the size of its second"),
    (lambda x: x[pair(0, 1)], EinTypeError, "pair: expected two indices, not 0"),
    (lambda x: array(lambda p: x[0], Prod[City, City]), SizeInferenceError, "size of City"),
    (lambda x: array(lambda i, j: x[0], Prod[City, City]), EinTypeError, "need 2 sizes, not 1"),  # pyright: ignore[reportCallIssue, reportArgumentType]
    (lambda x: x[City.at(0.5)], EinTypeError, "index of City: expected an int"),  # pyright: ignore[reportArgumentType]
]


@pytest.mark.parametrize(("f", "error", "message"), MISTAKES)
def test_messages_use_the_names(f: Any, error: type[Exception], message: str) -> None:
    shape = (4, 4) if f is sums else (4,)
    with pytest.raises(error, match=message):
        function(f).eval(np.ones(shape), backend="naive")


def test_negative_sizes_of_sets_are_refused() -> None:
    with pytest.raises(EinValueError, match="the size of Few is negative: -1"):
        type("Few", (Index,), {}, size=-1)


@function
def weighted(rain: Rain) -> tuple[Along[City, Float], Along[Day, Float]]:
    weights = array(lambda d: rain[City.at(0), Day.at(0)], Day)
    sums = array(lambda c: fold_sum(lambda d: rain[c, d] * weights[d], Day), City)
    return sums, later(rain[City.at(0)][1:])


@function
def later(rain: Along[Day, Float]) -> Along[Day, Float]:
    """In a function of its own, the set has the size of its own argument."""
    return array(lambda d: rain[Day.at(0)], Day)


@pytest.mark.parametrize("backend", ALL)
@pytest.mark.parametrize("days", [4, 1])
def test_arguments_give_the_size(backend: str, days: int) -> None:
    sums, ones = weighted.eval(np.ones((3, days)), backend=backend)
    assert sums.tolist() == [days] * 3
    assert ones.tolist() == [1] * (days - 1)
