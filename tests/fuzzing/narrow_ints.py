"""Random Ein programs on Ints of 8, 16 and 32 bits, with and without a sign.

Their arithmetic wraps, and conversions extend or cut them: in comprehensions, reductions, updates,
accumulations, sorts, and as positions.
"""

from __future__ import annotations

import random
from typing import Any

import numpy as np

from tests.fuzzing.choices import Choices

TYPES = ("u8", "i8", "u16", "i16", "u32", "i32")
PARAMETERS = (*TYPES, "wide")
"""A vector of each type, of the name of the type, and one of Ints."""

OPERATORS = ("+", "-", "*", "//", "%", "&", "|", "^", "<<", ">>")
PREDICATES = ("<", "<=", ">", ">=", "==", "!=")


class Writer(Choices):
    """Writes expressions of a type at an index."""

    def type(self) -> str:
        return self.one_of(*TYPES, "i64")

    def leaf(self, type_: str, index: str) -> str:
        """An element, at a position that may itself be narrow."""
        vector = "wide" if type_ == "i64" else type_
        place = self.one_of(index, index, index, f"{index} + 1", f"{index} - 1")
        if self.is_likely(0.1):
            place = f"{self.one_of('u8', 'i8', 'i16')}[{index}]"
        return f"{vector}[{place}]"

    def number(self, type_: str, index: str, depth: int = 3) -> str:
        """A number of a type."""
        if depth == 0:
            return self.leaf(type_, index)
        match self._random.randrange(12):
            case 0 | 1 | 2 | 3:
                x, y = (self.number(type_, index, depth - 1) for _ in range(2))
                return f"({x} {self.one_of(*OPERATORS)} {y})"
            case 4:
                x, y = (self.number(type_, index, depth - 1) for _ in range(2))
                return f"{self.one_of('min', 'max')}({x}, {y})"
            case 5 | 6:
                return self.converted(type_, index, depth)
            case 7:
                x, y = (self.number(type_, index, depth - 1) for _ in range(2))
                return f"where({self.condition(index, depth - 1)}, {x}, {y})"
            case 8:
                literal = self.one_of(0, 1, 2, 3, 7)
                x = self.number(type_, index, depth - 1)
                return f"({x} {self.one_of(*OPERATORS)} {literal})"
            case 9:
                x = self.number(type_, index, depth - 1)
                return self.one_of(f"(-({x}))", f"(~({x}))", f"abs({x})")
            case _:
                return self.leaf(type_, index)

    def converted(self, type_: str, index: str, depth: int) -> str:
        """A number of another type, as one of a type."""
        x = self.number(self.type(), index, depth - 1)
        if self.is_likely(0.25):
            x = f"min(max(({x}).float(), 0.0), 100.0)"
        elif self.is_likely(0.2):
            x = self.condition(index, depth - 1)
        return f"({x}).int({type_!r})"

    def condition(self, index: str, depth: int) -> str:
        type_ = self.type()
        x, y = (self.number(type_, index, depth) for _ in range(2))
        return f"({x} {self.one_of(*PREDICATES)} {y})"

    def elements(self) -> str:
        return f"array(lambda i: {self.number(self.type(), 'i')}, size=n)"

    def floats(self) -> str:
        """Floats of narrow Ints."""
        dtype = self.one_of("", "'f32'")
        return f"array(lambda i: ({self.number(self.type(), 'i')}).float({dtype}) * 0.5, size=n)"

    def reduced(self) -> str:
        value = self.number(self.type(), "k", 2)
        kind = self.one_of("sum", "prod", "min", "max", "argmin", "argmax")
        return f"fold_{kind}(lambda k: {value}, count={self.one_of('n', 'max(n, 1)')})"

    def prefixes(self) -> str:
        type_ = self.type()
        zero = f"(0 * {self.leaf(type_, 'i')})"
        value = f"where(k <= i, {self.number(type_, 'k', 2)}, {zero})"
        return f"array(lambda i: fold_sum(lambda k: {value}, count=n), size=n)"

    def folded(self) -> str:
        """A fold that wraps, or that updates elements."""
        type_ = self.type()
        vector = "wide" if type_ == "i64" else type_
        value = self.number(type_, "k", 2)
        if self.is_likely(0.5):
            step = f"(acc {self.one_of('+', '*', '^', '-')} {value})"
            return f"fold({vector}[0], lambda k, acc: {step}, count=n)"
        place = self.one_of("k", f"{self.one_of('u8', 'i16')}[k].int()")
        step = f"array(lambda j: where(j == {place}, {value} + v[j], v[j]), size=n)"
        return f"fold({vector}, lambda k, v: {step}, count=n)"

    def accumulated(self) -> str:
        """Sums and products of any numbers, extremes of numbers with a sign."""
        type_, place = self.type(), self.number("u8", "i", 1)
        value = self.number(type_, "i", 2)
        kind = self.one_of("sum", "prod", *(("min", "max") if type_.startswith("i") else ()))
        return f"accumulate(lambda i: ({place} % 4, {value}), size=3, by={kind!r}, count=n)"

    def sorted(self) -> str:
        array = f"array(lambda i: {self.number(self.type(), 'i', 1)}, size=n)"
        return f"{self.one_of('sort', 'argsort')}({array})"

    def program(self) -> str:
        return self.one_of(
            *(self.elements, self.elements, self.elements, self.floats, self.reduced),
            *(self.prefixes, self.folded, self.accumulated, self.sorted),
        )()


def write_narrow(rng: random.Random) -> str:
    """The text of a function ``f`` of ``PARAMETERS``, whose vectors have one size."""
    writer = Writer(rng)
    results = ", ".join(writer.program() for _ in range(rng.randint(1, 2)))
    return f"def f({', '.join(PARAMETERS)}):\n    n = wide.size()\n    return {results}\n"


def make_arguments(rng: random.Random) -> tuple[Any, ...]:
    """Arguments of one size: small numbers, and the ends of each type."""
    size = rng.choice((3, 5, 7, 1, 0, 16))

    def vector(type_: str) -> Any:
        dtype = np.dtype({"u": "uint", "i": "int"}[type_[0]] + type_[1:])
        ends = np.iinfo(dtype)
        numbers = (0, 1, 2, 3, 5, int(ends.max), int(ends.max) - 1, int(ends.min))
        return np.array(rng.choices(numbers, k=size), dtype)

    return (*map(vector, TYPES), np.array(rng.choices((0, 1, 2, 3, -1, -4), k=size), np.int64))
