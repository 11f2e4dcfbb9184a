"""Random Ein programs with Ints at the ends of their range, whose sums wrap modulo 2^64.

Such Ints are positions, guards, counts and slices here, in comprehensions, folds that update
elements, sums and prefixes.
"""

from __future__ import annotations

import random
from typing import Any

import numpy as np

from tests.fuzzing.choices import Choices

PARAMETERS = ("a", "b", "s", "t", "m")
"""A vector and a matrix of Ints, and three Ints: the last one is the size of the vector."""

EXTREMES = (-(2**63), -(2**63) + 1, -(2**62), -1, 0, 1, 2, 2**31, 2**62, 2**63 - 1)


class Writer(Choices):
    """Writes a random program of a vector ``a``, a matrix ``b``, Ints ``s``, ``t``, a count ``m``.

    ``n`` is the size of ``a``.
    """

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


def text_of(expression: str) -> str:
    """A function ``f`` of ``PARAMETERS`` with an expression as its result."""
    return f"def f({', '.join(PARAMETERS)}):\n    n = a.size()\n    return {expression}\n"


def write_wide(rng: random.Random) -> str:
    """The text of a function ``f`` of ``PARAMETERS``."""
    return text_of(Writer(rng).program())


def arguments(size: int, s: int, t: int) -> tuple[Any, ...]:
    """Arguments of ``PARAMETERS``."""
    a, b = np.arange(size) * 3 + 1, np.arange(size * size).reshape(size, size)
    return a, b, s, t, size


def make_arguments(rng: random.Random) -> tuple[Any, ...]:
    """Arguments of a random small size, with random extreme Ints."""
    return arguments(rng.choice((3, 3, 3, 5, 1, 0)), rng.choice(EXTREMES), rng.choice(EXTREMES))
