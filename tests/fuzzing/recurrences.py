"""Random recurrences as they are written by hand: arrays by their earlier elements.

A step writes an element, a row, a diagonal or all elements from elements at lags before or after,
with guards at the borders; beside them it carries numbers and a position. Loops run in loops, and
programs read their results at the end, at any place. A program is of values or of derivatives.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import numpy as np

from tests.fuzzing.choices import Choices
from tests.fuzzing.tables import indented

PARAMETERS = ("x", "w", "M", "p", "a", "b", "s")
"""A vector, three weights, a matrix, a vector of places, two Floats and an Int."""
FLOATS = "x, w, M, a, b"
"""The parameters that a derivative is taken by."""
DERIVATIVES = (
    f"return jvp(g, ({FLOATS}), (array(lambda q: x[-1 - q], size=x.size()), w, M, b, a))",
    f"values, backwards = vjp(g, {FLOATS})\n    return values, backwards(values)",
    f"values, backwards = vjp(g, {FLOATS})\n    return backwards(values)",
)
BASES = ("i", "i", "i", "i + 1", "i + 2", "n - 1 - i", "n - 2 - i", "2 * i", "n - i")
COUNTS = ("n", "n", "n", "n", "n + 2", "max(n - 1, 0)", "n // 2", "3", "max(s, 0)")
INNER_COUNTS = ("n", "n", "i", "i + 1", "n - i", "2", "3", "max(p[i], 0)", "min(i + 1, 3)")
STARTS = ("0.0 * x[q]", "x[q] * b", "x[q]", "w[0] + 0.0 * x[q]", "x[-1 - q]")
TABLES = ("M[t, q]", "x[t] * b", "0.0 * M[t, q]", "x[t] + x[q]", "where(t == q, x[t], 0.0)")
RESULTS = (
    "y", "y", "y, T", "T", "y, z", "c, y", "y, z, c, e.float(DTYPE)", "c", "z", "y[-1]",
    "T[-1, -1]", "array(lambda q: y[n - 1 - q] * x[q], size=n)",
    "fold_sum(lambda q: y[q] * x[q], count=n)", "fold_max(lambda q: y[q], count=n)",
    "array(lambda q: T[q, q], size=n)", "y[n // 2], c",
    "array(lambda t: fold_sum(lambda q: T[t, q] * y[q], count=n), size=n)", "T[n // 2], z",
    "array(lambda q: where(q > 0, y[q] - y[q - 1], z[q]), size=n)", "array(lambda q: y[p[q]] + c)",
)  # fmt: skip


class _Writer(Choices):
    """Writes statements; ``base`` is a counter or a position near it."""

    def __init__(self, rng: random.Random):
        super().__init__(rng)
        self.vectors = rng.choice((["y"], ["y"], ["y", "z"], ["y", "z"], ["y", "z", "x"]))
        self.base = "i"
        self.place = ""
        """The place in a row or table where there is one: ``q``, ``j``."""

    def _near(self, base: str) -> str:
        shift = self.one_of(-3, -2, -1, -1, -1, 0, 0, 1, 2)
        if shift == 0:
            return base
        return f"{base} + {shift}" if shift > 0 else f"{base} - {-shift}"

    def _guarded(self, read: str, at: str) -> str:
        other = self.one_of("0.0", "0.5", "1.0", "b", "x[0]")
        test = self.one_of(f"{at} >= 0", f"({at} >= 0) & ({at} < n)", "i > 0", f"{at} < n")
        return self.one_of(read, read, f"where({test}, {read}, {other})")

    def _read(self, base: str) -> str:
        at = self._near(base)
        if self.is_likely(0.1):
            at = self.one_of(f"p[{base}]", f"max({at}, 0)", f"min({at}, n - 1)", "e", "0", "-1")
        return self._guarded(f"{self.one_of(*self.vectors, 'y', 'x')}[{at}]", at)

    def _cell(self) -> str:
        """An element of the table, near those of the step."""
        column = self.place or self.one_of("i", "0")
        row, column = (self.one_of(k, f"{k} - 1", f"{k} + 1") for k in ("i", column))
        row = self.one_of(row, row, "max(i - 1, 0)", "n - 1 - i", "p[i]")
        return self._guarded(f"T[{row}, {column}]", self.one_of(row, column))

    def _atom(self) -> str:
        read = self._read(self.one_of(self.base, self.base, self.place or "i"))
        if self.is_likely(0.3 if self.place else 0.1):
            read = self._cell()
        return self.one_of(
            read, read, read, f"a * {read}", f"({read}).sin()", f"({read}).tanh()", "c", "x[i] * b",
            self._summed(), f"{self._read(self.base)} * {read}", f"{read} * w[i]",
            f"x[{self.one_of('i', 'n - i')}] * {read}", f"M[i, {self.place or '0'}]",
            "x[i] * x[i + 1]",
        )  # fmt: skip

    def _summed(self) -> str:
        """A reduction over a few elements before, or over all."""
        kind, array = self.one_of("sum", "sum", "min", "max"), self.one_of(*self.vectors, "x", "w")
        term = self.one_of(f"{array}[{self.base} - k] * w[k]", f"{array}[k] * M[i, k]",
                           f"{array}[i + k]", f"where(k < i, {array}[k], 0.0) * M[k, i]",
                           f"T[i, k] * {array}[k]", f"{array}[k] * a")  # fmt: skip
        return f"fold_{kind}(lambda k: {term}, count={self.one_of('2', '3', 'i + 1', 'n')})"

    def expression(self, depth: int) -> str:
        if depth == 0 or self.is_likely(0.15):
            return self._atom()
        one, other = self.expression(depth - 1), self.expression(depth - 1)
        return self.one_of(
            f"({one} + {other})", f"({one} + {other})", f"({one} - {other})",
            f"min({one}, {other})", f"max({one}, {other})",
            f"where({self._test()}, {one}, {other})",
        )  # fmt: skip

    def _test(self) -> str:
        return self.one_of("x[i] > 0.0", "c < b", f"{self._read(self.base)} > 0.0", "i % 2 == 0",
                           "p[i] > i", f"{self._atom()} < {self._atom()}", "e < 2")  # fmt: skip

    def _scaled(self, old: str) -> str:
        new = f"{self.one_of('0.3', '0.5')} * {self.expression(self.one_of(1, 1, 2, 2, 3))}"
        return self.one_of(new, new, new, f"{old} + {new}", f"max({old}, {new})", f"{old} * a")

    def _element(self) -> list[str]:
        name = self.one_of("y", "y", "z")
        at = self.one_of(self.base, self.base, self.base, "p[i]", "e")
        test = self.one_of(f"q == {at}", f"q == {at}", f"(q == {at}) & ({self._test()})")
        new = f"where({test}, {self._scaled(f'{name}[q]')}, {name}[q])"
        return [f"{name} = array(lambda q: {new}, size=n)"]

    def _number(self) -> list[str]:
        if self.is_likely(0.2):
            test = self.one_of(f"{self._read(self.base)} < c", self._test())
            return [
                f"e = where({test}, {self.one_of('i', 'e + 1')}, e)",
                f"c = {self._scaled('c')}",
            ]
        return [f"c = {self._scaled('c')}"]

    def _all(self) -> list[str]:
        """All elements, or those on one side of the step."""
        name = self.one_of("y", "z")
        self.place, new = "q", ""
        new = self._scaled(f"{name}[q]")
        self.place = ""
        test = self.one_of("q < i", "q > i", "q >= 0", "q >= i", f"abs(q - {self.base}) < 2")
        return [f"{name} = array(lambda q: where({test}, {new}, {name}[q]), size=n)"]

    def _line(self) -> list[str]:
        """A row or a column of the table, often one that stores a vector."""
        self.place = "q"
        stored = self.one_of("y[q]", "z[q]", "y[q] * a")
        new, test = self.one_of(stored, stored, self._scaled("T[t, q]")), f"t == {self.base}"
        if self.is_likely(0.3):
            new, test = new.replace("q]", "t]"), f"q == {self.base}"
        self.place = ""
        return [f"T = array(lambda t, q: where({test}, {new}, T[t, q]), size=(n, n))"]

    def _accumulated(self) -> list[str]:
        name, place = self.one_of("y", "z"), self.one_of("p[q]", "p[q] + i", "q + i", "i - q")
        value = self.one_of("x[q]", "y[q] * a", "z[q] * x[i]", "M[i, q]")
        added = f"accumulate(lambda q: ({place}, {value}), size=n, count=n)"
        return [f"u = {added}", f"{name} = array(lambda q: 0.5 * {name}[q] + u[q], size=n)"]

    def _columns(self) -> list[str]:
        """A loop over the cells of a row, of a diagonal, or over the elements of a vector."""
        self.place = "j"
        count = self.one_of(*INNER_COUNTS)
        kind = self.one_of("row", "row", "diagonal", "vector", "number")
        if kind == "number":
            inner, state = [f"c = {self._scaled('c')}"], "c"
        elif kind == "vector":
            inner, state = self._element(), "y, z"
            inner = [line.replace("q == i", self.one_of("q == j", "q == i + j")) for line in inner]
        else:
            row, column = ("i", self.one_of("j", "n - 1 - j")) if kind == "row" else ("j", "i + j")
            new = f"where((t == {row}) & (q == {column}), {self._scaled('T[t, q]')}, T[t, q])"
            inner, state = [f"T = array(lambda t, q: {new}, size=(n, n))"], "T"
        self.place = ""
        body = [f"{state} = state", *inner, f"return {state}"]
        return [
            "def inner(j, state, y=y, z=z, T=T, c=c, e=e):",
            *indented(body),
            "",
            f"{state} = fold({f'({state})' if ',' in state else state}, inner, count={count})",
        ]

    def step(self) -> list[str]:
        """The statements of a step."""
        kinds: list[Callable[[], list[str]]] = [
            self._element, self._element, self._element, self._number, self._line, self._all,
            self._columns, self._columns, self._accumulated,
        ]  # fmt: skip
        count = self.one_of(1, 1, 1, 2, 2, 3)
        return [line for _ in range(count) for line in self.one_of(*kinds)()]

    def loop(self, k: int) -> list[str]:
        """The lines of a loop, which change the state."""
        self.base = self.one_of(*BASES)
        state = "y, z, T, c, e"
        if self.is_likely(0.85):
            count = self.one_of(*COUNTS)
            return [f"def step{k}(i, state):", f"    {state} = state", *indented(self.step()),
                    f"    return {state}", "",
                    f"{state} = fold(({state}), step{k}, count={count})"]  # fmt: skip
        test = self.one_of("abs(c) < 2.0", "i < n", f"abs({self._read('i')}) < 1.0", self._test())
        return [f"def is_on{k}(state):", f"    {state}, i = state", f"    return {test}", "",
                f"def step{k}(state):", f"    {state}, i = state", *indented(self.step()),
                f"    return {state}, i + 1", "",
                f"*r, i = fold_while(({state}, s * 0), is_on{k}, step{k}, limit=5)",
                f"{state} = r"]  # fmt: skip

    def program(self) -> list[str]:
        lines = ["n = x.size()", f"y = array(lambda q: {self.one_of(*STARTS)}, size=n)",
                 f"z = array(lambda q: {self.one_of(*STARTS)}, size=n)",
                 f"T = array(lambda t, q: {self.one_of(*TABLES)}, size=(n, n))",
                 f"c, e = {self.one_of('b', 'x[0]', 'a * 0.0')}, s * 0"]  # fmt: skip
        for k in range(self.one_of(1, 1, 1, 2)):
            lines += self.loop(k)
        written = {line.strip()[0] for line in lines[5:] if line.strip()[1:].startswith(" =")}
        results = [result for result in RESULTS if any(name in result for name in written)]
        return [*lines, f"return {self.one_of(*results)}"]


def write_recurrence(rng: random.Random) -> str:
    """The text of a function ``f`` of `PARAMETERS`: a recurrence, or a derivative of one."""
    body = "\n        ".join(_Writer(rng).program())
    result = rng.choice((f"return g({FLOATS})", rng.choice(DERIVATIVES)))
    return (
        f"def f({', '.join(PARAMETERS)}):\n    def g({FLOATS}):\n        {body}\n\n    {result}\n"
    )


SIZES = (6, 5, 4, 3, 7, 2, 1, 0, 12)


def make_arguments(rng: random.Random, dtype: str) -> tuple[Any, ...]:
    """Arguments of `PARAMETERS`: Floats of all kinds, or whole ones, so that many are equal."""
    n = rng.choice(SIZES)
    is_whole = rng.random() < 0.3

    def floats(*shape: int) -> Any:
        values = [
            float(rng.randrange(-2, 3)) if is_whole else rng.gauss(0, 1)
            for _ in range(int(np.prod(shape)))
        ]
        return np.array(values, dtype).reshape(shape)

    places = np.array([rng.randrange(-1, n + 1) for _ in range(n)], np.int64)
    return (floats(n), floats(3), floats(n, n), places, *floats(2), rng.choice((0, 1, 2, 3)))
