"""Random Ein programs on complex numbers: comprehensions, reductions, folds, updates, derivatives.

Their parts are small whole numbers, so that sums and products are exact.
"""

from __future__ import annotations

import random
from typing import Any

import numpy as np

from tests.fuzzing.choices import Choices

PARAMETERS = ("z", "w", "c", "x", "p")
"""Two vectors and a matrix of complex numbers, a vector of Floats, and one of Ints."""


class Writer(Choices):
    """Writes expressions at an index ``i``; ``names`` are those of complex numbers in scope."""

    def __init__(self, rng: random.Random):
        super().__init__(rng)
        self.names: tuple[str, ...] = ()

    def place(self, index: str) -> str:
        return self.one_of(index, index, f"{index} + 1", f"n - 1 - {index}", f"p[{index}]")

    def leaf(self, index: str) -> str:
        place, other = self.place(index), self.place(index)
        elements = (f"z[{place}]", f"w[{place}]", f"c[{place}, {other}]")
        numbers = (f"Complex(x[{place}], x[{other}])", f"({self.real(index, 0)} + 2j)")
        return self.one_of(*elements, *elements, *numbers, *self.names * 2)

    def real(self, index: str, depth: int) -> str:
        """A Float."""
        if depth <= 0:
            return f"x[{self.place(index)}]"
        inner = self.number(index, depth - 1)
        forms = (f"{inner}.real", f"{inner}.imag", f"abs({inner})", f"x[{self.place(index)}]")
        return self.one_of(*forms)

    def test(self, index: str, depth: int) -> str:
        if self.is_likely(0.5):
            return f"({index} {self.one_of('<', '==', '>=')} p[0])"
        if self.is_likely(0.3):
            return f"({self.number(index, depth)} == {self.number(index, depth)})"
        return f"({self.real(index, depth)} > {self.real(index, depth)})"

    def number(self, index: str, depth: int) -> str:
        """A complex number."""
        if depth <= 0:
            return self.leaf(index)
        x = self.number(index, depth - 1)
        match self._random.randrange(9):
            case 0 | 1 | 2:
                return f"({x} {self.one_of('+', '-', '*')} {self.number(index, depth - 1)})"
            case 3:
                return f"({x} {self.one_of('*', '+', '-')} {self.real(index, depth - 1)})"
            case 4:
                return self.one_of(f"(-{x})", f"{x}.conj()", f"({x} ** 2)", f"({x} / 2)")
            case 5:
                other = self.number(index, depth - 1)
                return f"where({self.test(index, depth - 1)}, {x}, {other})"
            case 6:
                return f"({x} / (1.0 + {self.leaf(index)}))"
            case 7:
                kind = self.one_of("sum", "sum", "prod")
                return f"fold_{kind}(lambda k: {self.number('k', depth - 1)}, count=n.min(3))"
            case _:
                return self.leaf(index)

    def elements(self) -> str:
        return f"array(lambda i: {self.number('i', 3)}, size=n)"

    def reals(self) -> str:
        return f"array(lambda i: {self.real('i', 3)}, size=n)"

    def product(self) -> str:
        conjugate = self.one_of("", ".conj()")
        guard = self.one_of("{}", "where(k <= i, {}, 0j)", "where(p[k] == i, {}, 0j)")
        term = guard.format(f"c[i, k] * {self.one_of('z', 'w')}[k]{conjugate}")
        return f"array(lambda i: fold_sum(lambda k: {term}, count=n), size=n)"

    def folded(self) -> str:
        """A recurrence of a number, or updates of a vector."""
        if self.is_likely(0.5):
            self.names = ("s",)
            step = self.number("k", 2)
            self.names = ()
            return f"fold(1j + x[0], lambda k, s: {step}, count=n.min(2))"
        new = f"{self.number('k', 1)} + v[k]"
        step = f"array(lambda i: where(i == {self.place('k')}, {new}, v[i]), size=n)"
        return f"fold(z, lambda k, v: {step}, count=n)"

    def accumulated(self) -> str:
        return f"accumulate(lambda i: (p[i], {self.number('i', 1)}), size=3, count=n)"

    def derivative(self) -> str:
        """The derivative of a real sum."""
        body = f"fold_sum(lambda i: {self.real('i', 2)}, count=n)"
        return f"grad(lambda z: {body})(z)"

    def program(self) -> str:
        return self.one_of(
            *(self.elements, self.elements, self.reals, self.product, self.folded),
            *(self.accumulated, self.derivative),
        )()


def write_program(rng: random.Random) -> str:
    """The text of a function ``f`` of ``PARAMETERS``, whose axes have one size."""
    writer = Writer(rng)
    results = ", ".join(writer.program() for _ in range(rng.randint(1, 2)))
    return f"def f({', '.join(PARAMETERS)}):\n    n = x.size()\n    return {results}\n"


def make_arguments(rng: random.Random, dtype: str) -> tuple[Any, ...]:
    """Arguments of ``PARAMETERS``."""
    n = rng.choice((3, 5, 2, 1, 4, 0))

    def floats(*shape: int) -> Any:
        values = rng.choices((0.0, 1.0, -1.0, 2.0, -2.0, 3.0), k=int(np.prod(shape)))
        return np.reshape(values, shape)

    def numbers(*shape: int) -> Any:
        return (floats(*shape) + 1j * floats(*shape)).astype(dtype)

    real = {"complex64": "float32", "complex128": "float64"}[dtype]
    places = np.array(rng.choices((0, 1, 2, -1, n), k=n), np.int64)
    return numbers(n), numbers(n), numbers(n, n), floats(n).astype(real), places
