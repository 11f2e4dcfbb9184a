"""Loops over several arrays: guarded steps, and arrays that others read behind their writes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from ein_mlir import array, fold, fold_sum, function, where
from tests.agreement.comparison import assert_call_agrees
from tests.libraries import BACKENDS
from tests.selection import combinations, sizes_on

TOLERANCE = {"float64": 1e-12, "float32": 1e-5}


def put(a: Any, k: Any, x: Any, is_written: Any = True) -> Any:
    """The array with another element at a position, if there is one."""
    return array(lambda p: where(is_written & (p == k), x, a[p]))


def guarded(i: Any, x: Any, a: Any, b: Any) -> Any:
    """Prefix sums in steps that a comparison guards, in one array and in the other."""
    return put(a, i, a[i - 1] + x[i], i > 0), put(b, i, b[i - 1] + x[i], i > 0)


def within(i: Any, x: Any, a: Any, b: Any) -> Any:
    """Steps between two bounds, one of them in the second array only."""
    return put(a, i, b[i - 1] * 2, (i > 2) & (i < 5)), put(b, i, x[i] * 3, i > 2)


def behind(i: Any, x: Any, a: Any, b: Any) -> Any:
    return put(a, i, b[i - 1] * 2), put(b, i, b[i - 1] + x[i], i > 0)


def by_two(i: Any, x: Any, a: Any, b: Any) -> Any:
    """Reads that clip in the first steps, and in the last ones of shorter arrays."""
    return put(a, i, b[i - 2] * 2), put(b, i, b[i - 1] + x[i])


def new(i: Any, x: Any, a: Any, b: Any) -> Any:
    after = put(b, i, x[i] * 3)
    return put(a, i, after[i] + b.size().float()), after


def ahead(i: Any, x: Any, a: Any, b: Any) -> Any:
    """Elements that later steps write: not final."""
    return put(a, i, b[i + 1] * 2), put(b, i, x[i] * 3)


def backwards(i: Any, x: Any, a: Any, b: Any) -> Any:
    k = x.size() - 1 - i
    return put(a, k, b[k + 1] * 2), put(b, k, b[k + 1] + x[k], k < x.size() - 1)


def fixed(i: Any, x: Any, a: Any, b: Any) -> Any:
    """An element of the first step: final in all others."""
    return put(a, i, b[0] * 2), put(b, i, x[i] * 3)


def twice(i: Any, x: Any, a: Any, b: Any) -> Any:
    """Elements that two steps write."""
    return put(a, i, b[i - 1] * 2), put(put(b, i, x[i] * 3), i - 1, x[i] * 2)


def strided(i: Any, x: Any, a: Any, b: Any) -> Any:
    return put(a, 2 * i, b[2 * i - 1] * 2), put(b, 2 * i, x[i] * 3)


def summed(i: Any, x: Any, a: Any, b: Any) -> Any:
    """Sums of elements that are final, also where reads clip."""
    total = fold_sum(lambda j: b[j - 1] * x[j], count=i)
    return put(a, i, total), put(b, i, b[i - 1] + x[i], i > 0)


def summed_ahead(i: Any, x: Any, a: Any, b: Any) -> Any:
    """Sums of elements, of which the next step writes the last one."""
    return put(a, i, fold_sum(lambda j: b[j] * x[j], count=i + 2)), put(b, i, x[i] * 3)


STEPS = [guarded, within, behind, by_two, new, ahead, backwards, fixed, twice, strided]
STEPS += [summed, summed_ahead]


def looped(step: Callable[..., Any]) -> Any:
    return function(lambda x, a, b: fold((a, b), lambda i, s: step(i, x, *s), count=x.size()))


PROGRAMS = {step.__name__: looped(step) for step in STEPS}
SIZES = ((0, 0, 0), (1, 1, 1), (2, 2, 2), (1, 3, 1), (4, 6, 3), (7, 7, 7))


def arguments(size: tuple[int, int, int], dtype: str) -> list[Any]:
    rng = np.random.default_rng(sum(size))
    return [rng.random(n).astype(dtype) for n in size]


@pytest.mark.parametrize(("name", "backend", "dtype"), combinations(PROGRAMS))
def test_backends(name: str, backend: str, dtype: str) -> None:
    for size in sizes_on(backend, SIZES, name):
        program, values = PROGRAMS[name], arguments(size, dtype)
        assert_call_agrees(program, values, backend, tolerance=TOLERANCE)


@pytest.mark.parametrize("name", ["guarded", "within", "behind", "summed"])
def test_no_loop_is_left(name: str) -> None:
    source = PROGRAMS[name].source(*arguments((7, 7, 7), "float64"), backend="numpy")
    assert "for " not in source.rpartition("\ndef ")[2]


@function
def same(x: Any, a: Any) -> Any:
    """Two arrays that are one from the first step on."""

    def step(i: Any, s: Any) -> Any:
        both = put(s[0], 1, x[i])
        return both, both

    return fold((a, array(lambda p: a[p] * 2.0)), step, count=x.size())


@pytest.mark.parametrize("backend", BACKENDS)
def test_one_array_in_two_fields(backend: str) -> None:
    for size in sizes_on(backend, (0, 1, 2, 5)):
        x = np.arange(size) + 1.5
        assert_call_agrees(same, (x, np.arange(3.0)), backend, tolerance=TOLERANCE)
