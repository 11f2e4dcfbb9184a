"""Programs with Ints at the ends of their range agree with the reference interpreter.

Sums with such an Int wrap modulo 2^64. They are positions, guards, counts and slices here, in
comprehensions, folds that update elements, sums and prefixes. The programs are random, from fixed
seeds; `KNOWN` are the ones that failed once.
"""

from __future__ import annotations

import random
import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

from ein_mlir import Function, array, fold, fold_sum, function, where
from ein_mlir.errors import EinError
from tests.agreement.comparison import leaves
from tests.libraries import in_64_bits, on

EXTREMES = (-(2**63), -(2**63) + 1, -(2**62), -1, 0, 1, 2, 2**31, 2**62, 2**63 - 1)


class Writer:
    """Writes a random program of a vector ``a``, a matrix ``b``, Ints ``s``, ``t``, a count ``m``.

    ``n`` is the size of ``a``.
    """

    def __init__(self, seed: int):
        self._random = random.Random(seed)

    def one_of(self, *choices: Any) -> Any:
        return self._random.choice(choices)

    def is_likely(self, probability: float) -> bool:
        return self._random.random() < probability

    def invariant(self) -> str:
        """An Int that varies with no index."""
        if self.is_likely(0.7):
            return self.one_of("s", "s", "s", "t", "n")
        clipped = ("s.min(0)", "s.max(0)", "s.min(n)", "s.max(0).min(n)", "s.max(-2).min(2)")
        return self.one_of(*clipped, "s.max(t)", "(s // 2)", "(s + 1)", "(s - 1)", "(s % n)")

    def linear(self, index: str) -> str:
        """A linear form in an index."""
        x = self.invariant()
        sums = (f"({index} + {x})", f"({index} - {x})", f"({x} - {index})")
        result = self.one_of(
            *sums, *sums, x, index, f"(2 * {index} + {x})", f"({index} + {x} + {x})"
        )
        if self.is_likely(0.5):
            distance = self.one_of(1, 1, 2, 3, 2**62, "n", "(n - 1)")
            result = f"({result} {self.one_of('+', '-')} {distance})"
        return result

    def integer(self, index: str, depth: int = 2) -> str:
        """An Int that may vary with an index."""
        if depth == 0:
            return self.one_of(index, index, "s", "t", "n")
        if self.is_likely(0.6):
            return self.linear(index)
        x, y = (self.integer(index, depth - 1) for _ in range(2))
        factor, divisor = self.one_of(2, -1, 3, -2, 2**31, 2**62), self.one_of(1, 2, 3)
        return self.one_of(
            f"({x} + {y})",
            f"({x} - {y})",
            f"({x} * {factor})",
            f"({x}).min({y})",
            f"({x}).max({y})",
            f"({x}).max(0)",
            f"({x}).min(n)",
            f"({x} // {divisor})",
            f"({x} % {self.one_of('n', divisor)})",
            f"(0 - {x})",
        )

    def condition(self, index: str) -> str:
        """A comparison, or two."""
        y = self.integer(index, 1) if self.is_likely(0.5) else self.one_of(0, 1, 2)
        predicate = self.one_of("<", "<=", ">", ">=", "==", "!=", "<", ">=")
        result = f"({self.integer(index)} {predicate} {y})"
        if self.is_likely(0.25):
            result = f"({result} {self.one_of('&', '|')} {self.condition(index)})"
        return result

    def updates(self) -> str:
        """A fold that updates elements."""
        place = self.integer("k", 1)
        far = ("+ 2**62", "- 2**62", "+ 2**62 + 2**62", "+ 2**62 + (2**62 - 1)")
        shift = self.one_of("- 1", "+ 1", "- 2", "+ 2", *far)
        element = self.one_of(
            *("7", "k", "v[j] + 1", f"v[{self.integer('k')}] + 1", f"v[{place} {shift}] + a[k]"),
            f"(v[{place} - 1] + a[k]).{self.one_of('min', 'max')}(a[k + 1])",
        )
        test = f"j == {place}"
        if self.is_likely(0.3):
            test = f"({test}) & {self.condition('k')}"
        elif self.is_likely(0.2):
            test = f"j {self.one_of('>=', '<', '>')} {place}"
        step = f"array(lambda j: where({test}, {element}, v[j]))"
        return f"fold(a, lambda k, v: {step}, count=m)"

    def program(self) -> str:
        """The text of a program."""
        integer, condition = self.integer, self.condition
        rows = f"b[{integer('i', 1)}, {integer('j', 1)}]"
        step = self.one_of(2, 3, -1, -2, 2**31, 2**33, 2**62)
        prefix, order = integer("i"), self.one_of("<", "<=", ">", ">=")
        return self.one_of(
            f"array(lambda i: a[{integer('i')}], size=n)",
            f"array(lambda i: where({condition('i')}, a[{integer('i', 1)}], -1), size=n)",
            *(self.updates() for _ in range(4)),
            f"fold_sum(lambda k: where({condition('k')}, a[k], 0), count=n)",
            f"array(lambda i: fold_sum(lambda k: where(k {order} {prefix}, a[k], 0)), size=n)",
            f"array(lambda i, j: where({condition('i')}, {rows}, a[i]), size=(n, n))",
            f"array(lambda i: a[i] + {integer('i', 1)}, size=({integer('n')}).max(0).min(n + 2))",
            f"array(lambda i: a[({integer('i')}) % n] + a[(i + {self.invariant()}) % n], size=n)",
            f"array(lambda i: a[{step} * i + {self.invariant()}], size=n)",
            f"fold(0, lambda k, x: (x + {integer('k', 1)}).min({self.invariant()}), count=m)",
        )


def program_of(text: str) -> Function[..., Any]:
    """The function of a text of `Writer`."""
    names: dict[str, Any] = {"array": array, "fold": fold, "fold_sum": fold_sum, "where": where}
    exec(f"def f(a, b, s, t, m):\n  n = a.size()\n  return {text}\n", names)
    f: Callable[..., Any] = names["f"]
    return function(f)


def arguments(size: int, s: int, t: int) -> tuple[Any, ...]:
    a, b = np.arange(size) * 3 + 1, np.arange(size * size).reshape(size, size)
    return a, b, s, t, size


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
    f = program_of(text)
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


def compare(seed: int, backend: str, calls: int = len(EXTREMES)) -> None:
    """A random program, for several of the extreme Ints."""
    choices = random.Random(seed)
    given = choices.sample(EXTREMES, calls)
    sizes = [choices.choice((3, 3, 3, 5, 1, 0)) for _ in given]
    several = [arguments(n, s, choices.choice(EXTREMES)) for n, s in zip(sizes, given, strict=True)]
    assert_agrees(Writer(seed).program(), several, backend)


@pytest.mark.parametrize("seed", range(60))
def test_random_programs(seed: int) -> None:
    compare(seed, "numpy")


@pytest.mark.parametrize("backend", on("torch", "jax"))
@pytest.mark.parametrize("seed", range(60, 70))
def test_random_programs_on_other_backends(seed: int, backend: str) -> None:
    compare(seed, backend, calls=3)


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
    "columns": "array(lambda i, j: where(j - s > 0, b[i, j - s], b[i, j]), size=(n, n))",
    "prefix": "array(lambda i: fold_sum(lambda k: where(k <= i + s, a[k], 0)), size=n)",
    "narrow": "array(lambda i: where(i.int('i32') - s.int('i32') >= 0, a[(i - s).int('i32')], 0))",
}
"""Programs in which an analysis took sums modulo 2^64 for integers, and their relatives."""


@pytest.mark.parametrize("backend", on("numpy", "torch", "jax"))
@pytest.mark.parametrize("name", KNOWN)
def test_known_programs(name: str, backend: str) -> None:
    assert_agrees(KNOWN[name], [arguments(5, s, 2**62) for s in EXTREMES], backend)


SIZES: dict[str, Callable[[Any], Any]] = {
    "size": lambda s: array(lambda i: i, size=s),
    "count": lambda s: fold_sum(lambda k: k + 1, count=s),
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
