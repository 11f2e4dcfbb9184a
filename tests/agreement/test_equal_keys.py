"""Folds over the steps whose key is equal to a value: the values of equal keys combine once."""

from __future__ import annotations

import re
from itertools import product
from typing import Any

import numpy as np
import pytest

from ein_mlir import (
    Bool,
    Float,
    Int,
    Vec,
    array,
    exp,
    fold,
    fold_all,
    fold_any,
    fold_argmax,
    fold_argmin,
    fold_max,
    fold_min,
    fold_sum,
    function,
    where,
)
from ein_mlir.frontend.function import Function
from tests.agreement.comparison import assert_agree, assert_call_agrees, given
from tests.libraries import needs, on
from tests.selection import combinations

LEAST, LARGEST = -(2**63), 2**63 - 1


@function
def deviations(key: Vec[Int], x: Vec[Float], limit: Vec[Int]) -> Vec[Float]:
    """Of each value from the mean of its group."""

    def mean(i: Int) -> Float:
        total = fold_sum(lambda k: where(key[k] == key[i], x[k], 0.0))
        return total / fold_sum(lambda k: where(key[k] == key[i], 1.0, 0.0))

    return array(lambda i: x[i] - mean(i))


@function
def joined(
    key: Vec[Int], x: Vec[Float], limit: Vec[Int]
) -> tuple[Vec[Float], Vec[Int], Vec[Bool], Vec[Float]]:
    """By keys of another array: extremes, a number, whether some are selected, a test besides."""
    number = lambda i: fold_sum(lambda k: where(limit[i] == key[k], 1, 0))  # noqa: E731
    return (
        array(lambda i: fold_max(lambda k: where(key[k] == limit[i], x[k], -99.0))),
        array(lambda i: number(i), size=limit.size()),
        array(lambda i: fold_any(lambda k: (key[k] == limit[i]) & (x[k] > 0.0))),
        array(
            lambda i: fold_min(
                lambda k: where((key[k] == limit[i]) & (x[k] > 0.0), x[k] * 2.0, 99.0)
            )
        ),
    )


@function
def columns(key: Vec[Int], x: Vec[Float], limit: Vec[Int]) -> Vec[Vec[Vec[Float]]]:
    """Sums that vary with another index of the result."""
    return array(
        lambda i, c, d: fold_sum(lambda k: where(key[k] == limit[i] + c, x[k] * d.float(), 0.0)),
        size=(limit.size(), 2, 3),
    )


@function
def ends(
    key: Vec[Int], x: Vec[Float], limit: Vec[Int]
) -> tuple[Vec[Float], Vec[Float], Vec[Int], Vec[Float]]:
    """Steps that one of several keys selects, as the edges at a node; another test or value."""

    def touches(k: Int, v: Int) -> Bool:
        return (key[k] == v) | (v == key[key.size() - 1 - k]) | (key[k] + 1 == v)

    weight = lambda k, v: where(key[k] == v, 2, 3)  # noqa: E731
    kept = lambda k, v: touches(k, v) & (x[k] > 0.0)  # noqa: E731
    same = lambda k, v: (x[k] == v) | (v == x[k] + 1.0)  # noqa: E731
    n = key.size()
    return (
        array(lambda i: fold_sum(lambda k: where(touches(k, limit[i]), x[k], 0.0), count=n)),
        array(lambda i: fold_max(lambda k: where(kept(k, limit[i]), x[k], -99.0), count=n)),
        array(
            lambda i: fold_sum(
                lambda k: where(touches(k, limit[i]), weight(k, limit[i]), 0), count=n
            )
        ),
        array(lambda i: fold_sum(lambda k: where(same(k, x[i]), x[k], 0.0))),
    )


@function
def of_floats(key: Vec[Int], x: Vec[Float], limit: Vec[Int]) -> Vec[Float]:
    """NaN is equal to nothing, and zero to minus zero."""
    return array(lambda i: fold_sum(lambda k: where(x[k] == x[i], key[k].float() + 1.0, 0.0)))


@function
def ranks(
    key: Vec[Int], x: Vec[Float], limit: Vec[Int]
) -> tuple[Vec[Int], Vec[Int], Vec[Bool], Vec[Int]]:
    """Numbers of steps with the same key and a smaller or larger value, which NaN is not."""
    other = lambda k: (k * 5 + 2) % 7  # noqa: E731
    return (
        array(lambda i: fold_sum(lambda k: where((key[k] == key[i]) & (x[k] > x[i]), 1, 0))),
        array(
            lambda i: fold_sum(
                lambda k: (
                    where((x[k] <= x[i]) & (key[i] == key[k]), other(k), 0)
                    + 1000 * where((x[k] == x[i]) & (key[k] >= key[i]), other(k), 0)
                )
            )
        ),
        array(lambda i: fold_any(lambda k: (other(k) == limit[i]) & ~(key[k] <= limit[i]))),
        array(
            lambda i: fold_sum(
                lambda k: where(
                    (key[k] == key[i]) & ((x[k] < x[i]) | ((x[k] == x[i]) & (k < i))), 1, 0
                )
            )
        ),
    )


@function
def ranges_of_groups(
    key: Vec[Int], x: Vec[Float], limit: Vec[Int]
) -> tuple[Vec[Float], Vec[Float], Vec[Float]]:
    """Values of steps with the same key and some comparisons, and with two equal keys."""
    other = lambda k: (k * 5 + 2) % 7  # noqa: E731
    return (
        array(
            lambda i: fold_sum(
                lambda k: where((key[k] == limit[i]) & (other(k) > limit[i]), x[k], 0.0)
            )
        ),
        array(
            lambda i: fold_max(
                lambda k: where(
                    (key[k] == key[i]) & (other(k) < other(i) + 2) & (other(k) > other(i) - 2),
                    k.float(),
                    -1.0,
                )
            )
        ),
        array(
            lambda i: fold_sum(
                lambda k: where((key[k] == key[i]) & (x[k] == x[i]) & (k <= i), x[k], 0.0)
            )
        ),
    )


@function
def of_rows(key: Vec[Int], x: Vec[Float], limit: Vec[Int]) -> Vec[Vec[Float]]:
    """Each row has keys of its own."""
    return array(
        lambda i, c: fold_sum(lambda k: where(key[k] * i == limit[c], x[k], 0.0)),
        size=(3, limit.size()),
    )


@function
def parts_of_groups(
    key: Vec[Int], x: Vec[Float], limit: Vec[Int]
) -> tuple[Vec[Float], Vec[Int], Vec[Float], Vec[Int], Vec[Int], Vec[Bool]]:
    """Sums, numbers, extremes and tests of the steps of a group before a step, or from it on."""
    x_of = lambda k: where(abs(x[k]) < 9.0, x[k], 0.5)  # noqa: E731
    return (
        array(lambda i: fold_sum(lambda k: where((key[k] == key[i]) & (k < i), x_of(k), 0.0))),
        array(
            lambda i: fold_sum(
                lambda k: where((key[k] == key[i]) & (k >= i), k + 3, 0), count=key.size()
            )
        ),
        array(
            lambda i: fold_max(
                lambda k: where((key[k] == key[i]) & (k > i), x_of(k), -float("inf"))
            )
        ),
        array(lambda i: fold_sum(lambda k: where((key[k] == key[i]) & (k <= i), 1, 0))),
        array(
            lambda i: fold_min(
                lambda k: where((key[k] == key[i]) & (k != i), key[k] * 2 + k, LARGEST)
            )
        ),
        array(lambda i: fold_any(lambda k: (key[k] == key[i]) & (k < i) & (x[k] > 0.0))),
    )


@function
def neighbours_in_groups(
    key: Vec[Int], x: Vec[Float], limit: Vec[Int]
) -> tuple[Vec[Int], Vec[Int], Vec[Int], Vec[Float], Vec[Float], Vec[Int]]:
    """The last step before another one, and the first one behind it, also by further tests."""
    n, at = key.size(), lambda k, own: where(own, x[k], -5.0)
    return (
        array(lambda i: fold_max(lambda k: where((key[k] == key[i]) & (k < i), k, -1))),
        array(lambda i: fold_min(lambda k: where((key[k] == key[i]) & (k > i), 2 * k + 1, 2 * n))),
        array(
            lambda i: fold_max(lambda k: where((key[k] == key[i]) & (k <= i) & (x[k] > 0.0), k, -1))
        ),
        array(
            lambda i: fold(-5.0, lambda k, last: where(key[k] == key[i], x[k], last), count=i),
            size=n,
        ),
        array(
            lambda i: at(fold_min(lambda k: where((key[k] == key[i]) & (k > i), k, n)), i < n - 1)
        ),
        array(
            lambda i: fold_max(lambda k: where((key[k] == key[i]) & (k > i), -k, -9)),
        ),
    )


@function
def parts_up_to_data(
    key: Vec[Int], x: Vec[Float], limit: Vec[Int]
) -> tuple[Vec[Float], Vec[Int], Vec[Int], Vec[Int]]:
    """Bounds and keys from another array: as of a time."""
    bound = lambda i: limit[i] % 7 + i // 2  # noqa: E731
    return (
        array(
            lambda i: fold_sum(
                lambda k: where((key[k] == limit[i]) & (k < bound(i)), k.float(), 0.0)
            )
        ),
        array(lambda i: fold_max(lambda k: where((key[k] == limit[i]) & (k < bound(i)), k, -1))),
        array(
            lambda i: fold_min(
                lambda k: where((key[k] == limit[i]) & (k >= bound(i)) & (x[k] == x[k]), k, LARGEST)
            )
        ),
        array(
            lambda i: fold_sum(lambda k: where((key[k] == limit[i]) & (k >= bound(i)), k * k, 0))
        ),
    )


@function
def parts_of_float_groups(
    key: Vec[Int], x: Vec[Float], limit: Vec[Int]
) -> tuple[Vec[Float], Vec[Int], Vec[Vec[Int]]]:
    """NaN is in no group; groups of rows."""
    return (
        array(lambda i: fold_sum(lambda k: where((x[k] == x[i]) & (k <= i), k.float() + 0.5, 0.0))),
        array(lambda i: fold_max(lambda k: where((x[k] == x[i]) & (k < i), k, -1))),
        array(
            lambda r, i: fold_max(lambda k: where((key[k] * r == key[i] * r) & (k < i), k, -1)),
            size=(3, key.size()),
        ),
    )


@function
def of_several_keys(
    key: Vec[Int], x: Vec[Float], limit: Vec[Int]
) -> tuple[Vec[Float], Vec[Bool], Vec[Float], Vec[Int]]:
    """Totals, earlier steps, keys that may be NaN, and keys of another array."""
    x_of = lambda k: where(abs(x[k]) < 9.0, x[k], 0.5)  # noqa: E731
    return (
        array(
            lambda i: fold_sum(
                lambda k: where(
                    (key[k] == key[i]) & (k % 3 == i % 3) & (k * k % 5 == i * i % 5), x_of(k), 0.0
                )
            )
        ),
        array(lambda i: fold_any(lambda k: (key[k] == key[i]) & (k % 3 == i % 3) & (k < i))),
        array(
            lambda i: fold_min(lambda k: where((x[k] == x[i]) & (key[i] == key[k]), x_of(k), 9.0))
        ),
        array(
            lambda i: fold_max(
                lambda k: where((key[k] == limit[i]) & (k % 2 == limit[i] % 2) & (k <= i), k, -1)
            )
        ),
    )


@function
def sums_of_functions(key: Vec[Int], x: Vec[Float], limit: Vec[Int]) -> Vec[Float]:
    """Sums by keys of some elements, as of those that tie in a ranking."""

    def tied(i: Int) -> Float:
        return fold_sum(lambda k: where((key[k] == key[i]) & (x[k] < 1.0), exp(-x[k]), 0.0))

    return array(lambda i: x[i] - tied(i), size=key.size())


@function
def in_rows(key: Vec[Int], x: Vec[Float], limit: Vec[Int]) -> Vec[Float]:
    """A sum over rows, each of which has keys of its own, as of the documents with a word."""

    def is_in(d: Int, c: Int) -> Bool:
        return fold_any(lambda k: key[k] * (d % 3) == limit[c], count=key.size())

    return array(
        lambda c: fold_sum(lambda d: where(is_in(d, c), 1.0, 0.5), count=x.size()),
        size=limit.size(),
    )


@function
def first_matches(key: Vec[Int], x: Vec[Float], limit: Vec[Int]) -> tuple[Vec[Int], ...]:
    """The first step with a key, as the best of two numbers, and the value that goes with it."""

    def record(c: Int, init: int, at: int) -> Int:
        def step(k: Int, s: tuple[Int, Int]) -> tuple[Int, Int]:
            element = where(key[k] == limit[c], 3, 1)
            better = element > s[0]
            return where(better, element, s[0]), where(better, k, s[1])

        return fold((init, -7), step, count=key.size())[at]

    def found(c: Int) -> Int:
        k = fold_argmax(lambda k: where(key[k] == limit[c], 1, 0))
        return where(key[k] == limit[c], k, -1)

    tests = (
        lambda c: fold_argmax(lambda k: (key[k] == limit[c]).int(), count=key.size()),
        lambda c: fold_argmin(lambda k: where(key[k] == limit[c], 1, 0)),
        lambda c: fold_argmin(lambda k: where(key[k] != limit[c], 0.5, -np.inf)),
        lambda c: fold_argmax(lambda k: where(key[k] == limit[c], np.nan, 1.0)),
        lambda c: fold_argmax(lambda k: where((key[k] == limit[c]) & (x[k] > 1.0), 2, 1)),
        lambda c: fold_argmax(lambda k: where((key[k] == limit[c]) & (k > c), 2, 1)),
        lambda c: fold_argmax(lambda k: where(key[k] == c - 2, 1, 0)),
        *(lambda c, i=i, k=k: record(c, i, k) for i in (0, 1, 2, 3, LEAST) for k in (0, 1)),
        found,
    )
    return tuple(array(each, size=limit.size()) for each in tests)


@function
def in_blocks(key: Vec[Int], x: Vec[Float], limit: Vec[Int]):
    """Of the blocks of a plane."""
    n = x.size()
    plane = array(lambda i, j: key[i] % 3 + j % 2, size=(n, 5))

    def block(i: Any, c: Any, b: Any) -> Any:
        return fold_sum(
            lambda y, z: where(plane[3 * i + y, 2 * c + z] == b, x[3 * i + y], 0.0), count=(3, 2)
        )

    return array(block, size=(n // 3, 2, 4))


@function
def of_pairs(key: Vec[Int], x: Vec[Float], limit: Vec[Int]) -> Vec[Float]:
    """Two sums over all pairs, by their distance."""
    n = x.size()

    def mean(b: Any) -> Any:
        def over_pairs(value: Any) -> Any:
            def term(i: Any, j: Any) -> Any:
                return where((i < j) & (abs(key[i] - key[j]) == b), value(i, j), 0.0)

            return fold_sum(term, count=(n, n))

        return over_pairs(lambda i, j: x[i] + 2.0 * x[j]) / (1.0 + over_pairs(lambda i, j: 1.0))

    return array(mean, size=7)


PROGRAMS: dict[str, Function[..., Any]] = {
    f.__name__: f
    for f in (
        deviations,
        joined,
        columns,
        ends,
        of_floats,
        of_rows,
        ranks,
        ranges_of_groups,
        first_matches,
        in_blocks,
        of_pairs,
    )
}
PARTS: dict[str, Function[..., Any]] = {
    f.__name__: f
    for f in (
        parts_of_groups,
        neighbours_in_groups,
        parts_up_to_data,
        parts_of_float_groups,
        of_several_keys,
        sums_of_functions,
        in_rows,
    )
}


KEYS = "near", "far", "at the ends", "at the least"


def arguments(size: int, keys: str, dtype: str) -> tuple[Any, ...]:
    rng = np.random.default_rng(size)
    values = rng.choice([0.0, -0.0, 1.5, -2.0, np.nan, np.inf], size).astype(dtype)
    near = rng.integers(-3, 4, size)
    choices = {
        "near": near,
        "far": near * 10**15,
        "at the ends": rng.choice([LEAST, LARGEST, 0], size),
        "at the least": LEAST + abs(near),
    }
    own = choices[keys]
    others = np.array([0, 1, -3, LEAST, LARGEST, 10**15])
    limits = np.concatenate([own[::2], np.resize(others, 17 if size else 0)])
    return own, values, limits


@pytest.mark.parametrize(("name", "backend", "dtype"), combinations(PROGRAMS))
def test_equal_keys(name: str, backend: str, dtype: str) -> None:
    for size, keys in product((20, 0) if backend == "jax" else (0, 1, 20, 41), KEYS):
        given = arguments(size, keys, dtype)
        tolerance = {"float64": 1e-12, "float32": 1e-4}
        assert_call_agrees(PROGRAMS[name], given, backend, tolerance)


@pytest.mark.parametrize(("name", "backend", "dtype"), combinations(PARTS))
def test_parts_of_groups(name: str, backend: str, dtype: str) -> None:
    for size in (21,) if backend == "jax" else (0, 1, 2, 21):
        given = arguments(size, "near", dtype)
        tolerance = {"float64": 1e-12, "float32": 1e-4}
        assert_call_agrees(PARTS[name], given, backend, tolerance)


def test_no_order_of_steps() -> None:
    """Neither is there a loop over the steps."""
    source = deviations.source(*arguments(20, "near", "float64"), backend="numpy")
    body = source.split("def deviations")[1]
    assert "for k" not in body
    assert "argsort" not in body
    assert "accumulate_at(np.add" in body


def test_sums_over_pairs_are_one_pass() -> None:
    """On native, too: an element for each pair, not for each key and pair."""
    notes = str(of_pairs.explain(*arguments(20, "near", "float64"), backend="native"))
    assert "the fold over i continues an accumulation" in notes


def test_blocks_of_a_plane_are_one_pass() -> None:
    source = in_blocks.source(*arguments(20, "near", "float64"), backend="numpy")
    assert "accumulate_at(np.add" in source.rpartition("\ndef ")[2]


def test_first_matches_are_no_loop() -> None:
    """The first step with a key is found at its place."""
    program = function(
        lambda key, y: array(lambda c: fold_argmax(lambda k: where(key[k] == y[c], 1, 0)))
    )
    source = program.source(np.arange(3), np.arange(2), backend="numpy")
    body = source.rpartition("\ndef ")[2]
    assert "accumulate_at(np.minimum" in body
    assert "argmax" not in body


@pytest.mark.parametrize("program", [ranks, ranges_of_groups], ids=lambda f: f.__name__)
def test_order_of_an_order(program: Function[..., Any]) -> None:
    """An equation and a comparison take no loop over the steps."""
    source = program.source(*arguments(20, "near", "float64"), backend="numpy")
    assert not re.search(r"in range\(size\w+\):", source), source


@pytest.mark.parametrize(
    "program", [parts_of_groups, neighbours_in_groups], ids=lambda f: f.__name__
)
def test_parts_of_groups_are_scans(program: Function[..., Any]) -> None:
    """Of groups in order, without a search of each key, and without a loop."""
    source = program.source(*arguments(20, "near", "float64"), backend="numpy")
    body = source.split(f"def {program.__name__}")[1]
    assert "argsort" in body
    assert "place_in_order" not in body
    assert not re.search(r"for k\w* in", body), body


@pytest.mark.parametrize("backend", ["numpy", "native", "torch"])
def test_members(backend: str) -> None:
    """Whether there is a key, of Ints near each other or not, and of floats with NaN."""

    def members(keys: Any, x: Any) -> Any:
        is_in = array(lambda i: fold_any(lambda j: keys[j] == x[i]))
        none = array(lambda i: fold_all(lambda j: keys[j] != x[i]))
        least = array(lambda i: fold_min(lambda j: where(keys[j] == x[i], 3, 2**63 - 1)))
        return is_in, none, least

    for step in (1, 15, 17, 10**12):
        keys, x = np.array([5, 0, 9, 5]) * step, np.arange(-1, 11) * step
        for count in (0, 1, 4):
            assert_call_agrees(function(members), (keys[:count], x), backend, {})
            floats = np.where(keys == 9 * step, np.nan, keys)[:count], np.append(x, np.nan)
            assert_call_agrees(function(members), floats, backend, {})


def test_rows_are_taken_in_blocks() -> None:
    """Each sorts its keys, for several rows at once."""
    source = in_rows.source(*arguments(20, "near", "float64"), backend="numpy")
    (block,) = re.findall(r"for block.*", source, re.DOTALL)
    assert re.search(r"= sort_elements\(.*, 1\)", block), source
    assert "accumulate_at(np.bitwise_or" not in block


def test_several_keys_are_one() -> None:
    """The numbers of groups, which no loop searches."""
    source = of_several_keys.source(*arguments(20, "near", "float64"), backend="numpy")
    assert not re.search(r"in range\(size\w+\):", source), source


@pytest.mark.parametrize("backend", on("native", "torch", "jax"))
@pytest.mark.parametrize(
    "program", [ranks, ranges_of_groups, *PARTS.values()], ids=lambda f: f.__name__
)
def test_many_steps(program: Function[..., Any], backend: str) -> None:
    """So many that they are sorted, as NumPy does, which agrees with the interpreter."""
    size = 1030 if backend == "jax" else 70
    key, x, _ = arguments(20, "near", "float64")
    many = [np.resize(each, size) for each in (key, x, key)]
    expected = program.eval(*many, backend="numpy")
    actual = program.eval(*(given(each, backend) for each in many), backend=backend)
    assert_agree(actual, expected, {"float64": 1e-12}, program.__name__)


@function
def contrasts(s: Vec[Vec[Float]], key: Vec[Int]) -> Float:
    """A sum over rows of a matrix, with the number of equal keys of each."""

    def row(i: Int) -> Float:
        number = fold_sum(lambda j: where((key[j] == key[i]) & (j != i), 1.0, 0.0))
        total = fold_sum(lambda j: where((key[j] == key[i]) & (j != i), s[i, j], 0.0))
        return total / (number + 1.0)

    return fold_sum(lambda i: row(i), count=s.size(0))


@function
def beside_other_keys(s: Vec[Vec[Float]], key: Vec[Int], others: Vec[Int]) -> Float:
    """The same with the keys of another vector, which may have any size."""

    def row(i: Int) -> Float:
        number = fold_sum(lambda j: where(others[j] == key[i], 1.0, 0.0))
        return fold_sum(lambda j: s[i, j]) / (number + 1.0)

    return fold_sum(lambda i: row(i), count=s.size(0))


@pytest.mark.parametrize("backend", on("numpy", "native", "torch", "jax"))
@pytest.mark.parametrize("size", [0, 1, 2, 9])
def test_counts_beside_a_matrix(size: int, backend: str) -> None:
    rng = np.random.default_rng(size)
    s, key = rng.normal(size=(size, size)), rng.integers(0, 3, size)
    assert_call_agrees(contrasts, (s, key), backend, {"float64": 1e-12})
    others = rng.integers(0, 3, size + 5)
    assert_call_agrees(beside_other_keys, (s, key, others), backend, {"float64": 1e-12})


@needs("jax")
def test_counts_are_no_larger_than_a_matrix_of_their_size() -> None:
    """So rows are no steps of a loop; those beside a vector of any size are."""
    s, key = np.zeros((9, 9)), np.zeros(9, int)
    found = contrasts.ir("yarr", s, key, backend="jax")
    assert "yarr.fold (%i <" not in found, found
    assert "yarr.fold (%i <" in beside_other_keys.ir("yarr", s, key, key, backend="jax")
