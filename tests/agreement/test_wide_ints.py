"""Programs with Ints at the ends of their range agree with the reference interpreter.

Sums with such an Int wrap modulo 2^64. They are positions, guards, counts and slices here, in
comprehensions, folds that update elements, sums and prefixes. They are programs that failed once;
`tests/fuzzing/wide_ints.py` writes random ones.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

from ein_mlir import Function, array, fold_sum, function
from ein_mlir.errors import EinError
from tests.agreement.comparison import leaves
from tests.fuzzing.samples import function_of
from tests.fuzzing.wide_ints import EXTREMES, arguments, text_of
from tests.libraries import in_64_bits, on


def outcome(f: Function[..., Any], values: Sequence[Any], backend: str) -> list[Any] | str:
    """The arrays of the results, or the message of an error."""
    try:
        with in_64_bits(backend), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return list(map(np.asarray, leaves(f.eval(*values, backend=backend))))
    except ValueError as error:
        return str(error)


def assert_agrees(text: str, calls: Sequence[tuple[Any, ...]], backend: str) -> None:
    """Assert that a program has the outcome of the interpreter for some arguments."""
    f = function_of(text_of(text))
    for values in calls:
        try:
            expected = outcome(f, values, "naive")
        except EinError:
            return  # a literal that does not fit, or an Int where the program needs none
        actual, what = outcome(f, values, backend), f"{text}, for {values[2:]}"
        assert isinstance(actual, str) == isinstance(expected, str), f"{what}: {actual}"
        if not isinstance(expected, str):
            for found, reference in zip(actual, expected, strict=True):
                np.testing.assert_array_equal(found, reference, what)


KNOWN = {
    "guard": "array(lambda i: where(i - s >= 0, a[i], -1), size=n)",
    "later": "fold(a, lambda k, v: array(lambda j: where(j == s + k, v[s + k + 1] + 1, v[j])), "
    "count=m)",
    "clipped": "fold(a, lambda k, v: array(lambda j: where(j == s.min(0) + k, 1, v[j])), count=m)",
    "far": "fold(a, lambda k, v: array(lambda j: where(j == k, v[k + 2**62 + 2**62] + 1, v[j])), "
    "count=m)",
    "farthest": "fold(a, lambda k, v: array(lambda j: where(j == k, "
    "v[k + 2**62 + (2**62 - 1)] + 1, v[j])), count=m)",
    "shift": "array(lambda i: where((i + s >= 0) & (i + s < n), a[i + s], 0), size=n)",
    "window": "array(lambda i: where((i >= s) & (i < s + 2), a[i], t), size=n)",
    "strided": "array(lambda i: a[2 * i + s] + a[s - i], size=n)",
    "rotated": "array(lambda i: a[(i + s) % n], size=n)",
    "rotated back": "array(lambda i: a[(t + i - s) % n] - a[(i - s - t) % n], size=n)",
    "rotated axes": "array(lambda i, j: b[(j + t) % n, (i - s) % n], size=(n, n))",
    "rotated steps": "fold(a, lambda k, v: array(lambda i: 3 * v[i] + v[(i + k - s) % n]), "
    "count=m)",
    "keys": "array(lambda i: fold_sum(lambda k: where(a[k] + s == i, 1, 0)), size=n)",
    "columns": "array(lambda i, j: where(j - s > 0, b[i, j - s], b[i, j]), size=(n, n))",
    "prefix": "array(lambda i: fold_sum(lambda k: where(k <= i + s, a[k], 0)), size=n)",
    "counts of bits": "fold(a, lambda k, v: fold(v, lambda q, y: array(lambda i: y[i] + a[i]), "
    "count=((s + k) << (t + k)) % 5 + ((s - k) >> t) % 5 + ((s & k) | (k ^ t)) % 5), count=m)",
    "narrow": "array(lambda i: where(i.int('i32') - s.int('i32') >= 0, a[(i - s).int('i32')], 0))",
}
"""Programs in which an analysis took sums modulo 2^64 for integers, and their relatives."""


@pytest.mark.parametrize("backend", on("numpy", "torch", "jax"))
@pytest.mark.parametrize("name", KNOWN)
def test_known_programs(name: str, backend: str) -> None:
    assert_agrees(KNOWN[name], [arguments(5, s, 2**62) for s in EXTREMES], backend)


@pytest.mark.parametrize("backend", on("numpy", "torch", "jax", "native"))
@pytest.mark.parametrize("name", [name for name in KNOWN if "rotated" in name])
def test_rotations(name: str, backend: str) -> None:
    assert_agrees(KNOWN[name], [arguments(n, s, 7) for n in (0, 1, 2) for s in EXTREMES], backend)


SIZES: dict[str, Callable[[Any], Any]] = {
    "size": lambda s: array(lambda i: i, size=s),
    "count": lambda s: fold_sum(lambda k: k + 1, count=s),
    "blocks": lambda s: array(lambda i: fold_sum(lambda k: (i + k).float().sin(), count=s), size=3),
    "clipped": lambda s: array(lambda i: 0.0, size=s.max(0)),
    "sum": lambda s: array(lambda i: i, size=s + 1),
    "literal": lambda s: array(lambda i: s, size=2**60),
    "empty": lambda s: array(lambda i, j: i, size=(0, s)),
}


@pytest.mark.parametrize("backend", on("naive", "numpy", "torch", "jax"))
@pytest.mark.parametrize("name", SIZES)
def test_sizes_that_are_too_large(name: str, backend: str) -> None:
    """No memory holds such an array: that is an error before any work."""
    f = function(SIZES[name])
    for s in (2**63 - 2, 2**62, 2**49):
        with pytest.raises(ValueError, match=r"^(size of index|count of) \w is too large: \d+"):
            f.eval(s, backend=backend)
