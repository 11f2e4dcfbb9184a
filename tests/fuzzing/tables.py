"""Random loops of loops over a matrix: dynamic programs, eliminations, sweeps, swaps of rows.

An outer loop takes rows, an inner one the columns of all, of a triangle, of data, or until a test
fails; a step writes an element, a row or a column from neighbours, and a few numbers beside them.
Tables are of Ints or of Floats that are small whole numbers, with NaN and infinities among them.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import numpy as np

PARAMETERS = ("m", "x", "y", "p", "q", "s")
"""A table, a number and a place for each row and for each column, and an Int."""

COUNTS = (
    "w", "w", "i", "i + 1", "h - i", "max(w - i, 0)", "max(w - 1, 0)", "max(p[i], 0)", "3",
    "i // 2", "max(a, 0).min(5)", "max(h - 1 - i, 0)", "max(s, 0)", "where(x[i] > 0, w, 1)",
)  # fmt: skip
OUTER = ("h", "h", "max(h - 1, 0)", "h + 1", "max(s, 0)", "3", "min(h, w)")


class _Writer:
    """Writes statements; ``i`` and ``j`` are the counters, ``a`` an Int, ``c`` and ``d`` numbers.

    ``e`` and ``g`` are the indices of a comprehension over the table.
    """

    def __init__(self, rng: random.Random):
        self.rng = rng
        self._in_columns = False

    def any(self, *choices: str | Callable[[], str]) -> str:
        chosen = self.rng.choice(choices)
        return chosen if isinstance(chosen, str) else chosen()

    def _row(self) -> str:
        own = ("i + j", "i - j", "j", "h - 1 - j", "j + 1") if self._in_columns else ()
        return self.any("i", "i", "i - 1", "i + 1", "p[i]", "h - 1 - i", "a", "0", "i - 2", *own)

    def _column(self) -> str:
        own = ("j", "j", "j", "j - 1", "j - 1", "j + 1", "q[j]", "w - 1 - j", "i + j", "j - x[i]"
               ".int()", "j + i + 1", "i - j") if self._in_columns else ("i", "i", "q[i]", "0", "i"
               " + 1", "w - 1", "a")  # fmt: skip
        return self.any(*own, "i", "0", "a")

    def _read(self) -> str:
        own = ("x[i]", "y[j]") if self._in_columns else ("x[i]", "y[i]")
        return self.any(*own, *[lambda: f"m[{self._row()}, {self._column()}]"] * 5)

    def _number(self) -> str:
        counter = self.any("i", "j") if self._in_columns else "i"
        return self.any(self._read, self._read, self._read, "c", "d", f"number({counter})",
                        "number(a)", "c * 0", "x[i]")  # fmt: skip

    def _test(self) -> str:
        compared = f"{self._number()} {self.any('<', '<=', '==', '!=', '>')} {self._number()}"
        if self.rng.random() < 0.3:
            names = ("i", "j", "j", "a") if self._in_columns else ("i", "a", "i")
            compared = f"{self.any(*names)} {self.any('<', '>', '==', '!=', '>=')} " + self.any(
                *names, "s", "0", "w - 1", "p[i]"
            )
        if self.rng.random() < 0.2:
            return f"({compared}) {self.any('&', '|')} ({self._test()})"
        return f"({compared})"

    def _value(self, *own: str) -> str:
        one, other = self.any(*own, self._number), self._number()
        return self.any(
            f"{one} + {other}", f"{one} - {other}", f"({one}).min({other})", one, other,
            f"({one}).max({other})", f"{one} + 1", f"where({self._test()}, {one}, {other})",
            f"({one}).min({other} + {self._number()})", f"({other} + 1).min({one}).min(c)",
            f"({one}).max({self._number()} + {other})", f"{one} - {other} * {self._number()}",
        )  # fmt: skip

    def _table(self, test: str, new: str) -> str:
        return f"m = array(lambda e, g: where({test}, {new}, m[e, g]), size=(h, w))"

    def _cell(self) -> list[str]:
        row, column = self.any("i", "i", self._row), self._column()
        test = f"(e == {row}) & (g == {column})"
        if self.rng.random() < 0.4:
            test += f" & {self._test()}"
        return [self._table(test, self._value(f"m[{row}, {column}]", "m[e, g]"))]

    def _line(self) -> list[str]:
        """A row or a column, or a part of it, computed from others; all rows below one."""
        row, column = self._row(), self._column()
        at = self.any(
            f"e == {row}",
            f"e == {row}",
            f"g == {column}",
            f"e > {row}",
            f"(e > {row}) & (g >= {column})",
            f"(e == {row}) & (g < {column})",
        )
        other = self.any(f"m[{self._row()}, g]", f"m[e, {self._column()}]", "m[e, g - 1]",
                         f"m[e, {self._column()}] * m[{self._row()}, g]", "y[g]", "x[e]",
                         "m[e - 1, g]", f"m[{self._row()}, g + 1]")  # fmt: skip
        new = self.any(f"m[e, g] + {other}", f"m[e, g] - {other}", other, f"(m[e, g]).min({other})",
                       f"where({other} < m[e, g], {other}, {self._number()})",
                       f"({other}).max(m[e, g] + {self._number()})")  # fmt: skip
        return [self._table(at, new)]

    def _swapped(self) -> list[str]:
        """Two rows or two columns swapped, some where a test holds; or a row moved."""
        one, other = self._row(), self._row()
        if self.rng.random() < 0.3:
            one, other = self._column(), self._column()
            new = f"where(g == {one}, m[e, {other}], where(g == {other}, m[e, {one}], m[e, g]))"
        else:
            new = f"where(e == {one}, m[{other}, g], where(e == {other}, m[{one}, g], m[e, g]))"
        return [self._table(self.any(self._test, "e >= 0"), new)]

    def _found(self) -> list[str]:
        """A pivot or a first column."""
        kind, column = self.any("argmax", "argmin"), self._column()
        term = self.any(
            f"where(t < i, -9, abs(m[t, {column}]).min(9))",
            f"m[t, {column}]",
            "x[t]",
            f"where(t >= i, m[t, {column}], number(N(9)))",
        )
        row, count = self._row(), self.any("w", "w", "i", "i + 1")
        test = self.any(f"m[{row}, t] > {self._number()}", f"m[{row}, t] != m[{self._row()}, t]")
        return [self.any(
            f"a = fold_{kind}(lambda t: {term}, count=h)",
            f"a = fold_min(lambda t: where({test}, t, w), count={count}).min(w)",
            f"a = fold_while(0, lambda t: (t < w) & ({test}), lambda t: t + 1, limit=6)",
            f"c = fold_{self.any('max', 'min', 'sum')}(lambda t: m[{row}, t], count={count})"
            ".min(9).max(-9)",
        )]  # fmt: skip

    def _scalar(self) -> list[str]:
        if self.rng.random() < 0.3:
            new = self.any("i", "a + 1", "a - 1", *(["j"] if self._in_columns else []), "p[i]")
            return [f"a = where({self._test()}, {new}, a)"]
        name = self.any("c", "c", "d")
        new = f"({self._value(name)}).min(99).max(-99)"
        return [f"{name} = {self.any(new, f'where({self._test()}, {new}, {name})')}"]

    def _columns(self) -> list[str]:
        """The inner loop."""
        self._in_columns = True
        kinds = (self._cell, self._cell, self._cell, self._scalar, self._line, self._swapped)
        body = [x for _ in range(self.rng.randint(1, 3)) for x in self.rng.choice(kinds)()]
        if self.rng.random() < 0.75:
            lines = ["def inner(j, state, i=i):", "    m, a, c, d = state", *indented(body),
                     "    return m, a, c, d", ""]  # fmt: skip
            run = f"fold((m, a, c, d), inner, count={self.any(*COUNTS)})"
        else:
            lines = ["def is_on(state, i=i):", "    m, a, c, d, j = state",
                     f"    return {self._test()}", "", "def inner(state, i=i):",
                     "    m, a, c, d, j = state", *indented(body), "    return m, a, c, d, j + 1",
                     ""]  # fmt: skip
            start = self.any("i * 0", "i", "i + 1", "p[i]")
            run = f"fold_while((m, a, c, d, {start}), is_on, inner, limit=6)[:4]"
        self._in_columns = False
        return [*lines, f"m, a, c, d = {run}"]

    def body(self) -> list[str]:
        around = (self._found, self._scalar, self._line, self._swapped, self._cell)
        lines = [x for _ in range(self.rng.randint(0, 2)) for x in self.rng.choice(around)()]
        lines += self._columns()
        return [*lines, *(self.rng.choice(around)() if self.rng.random() < 0.3 else [])]

    def loop(self) -> list[str]:
        """The lines that define the outer loop, and its result ``r``."""
        body = self.body()
        start = f"m, {self.any('s', 's * 0')}, {self.any('m[0, 0]', 'x[0] * 0')}, x[0] * 0"
        if self.rng.random() < 0.8:
            step = ["def step(i, state):", "    m, a, c, d = state", *indented(body),
                    "    return m, a, c, d", ""]  # fmt: skip
            return [*step, f"r = fold(({start}), step, count={self.any(*OUTER)})"]
        test = self._test()
        return ["def is_going(state):", "    m, a, c, d, i = state", f"    return {test}", "",
                "def step(state):", "    m, a, c, d, i = state", *indented(body),
                "    return m, a, c, d, i + 1", "",
                f"r = fold_while(({start}, s * 0), is_going, step, limit=5)"]  # fmt: skip


def indented(lines: list[str]) -> list[str]:
    return [f"    {line}" for line in lines]


def write_table(rng: random.Random, dtype: str) -> str:
    """The text of a function ``f`` of `PARAMETERS`: a loop of loops, and parts of its state."""
    lines = ["h, w = m.size(0), m.size(1)"]
    lines.append(f"number = lambda k: (k){'.float(DTYPE)' if dtype == 'float64' else ''}")
    lines += _Writer(rng).loop()
    result = rng.choice(("r", "r[0]", "r[0]", "r[0], r[2]", "r[1], r[3]", "r[0][-1]", "r[0][0, 1]"))
    text = "\n    ".join([*lines, f"return {result}"])
    if dtype == "int64":
        text = text.replace(".int()", "")
    else:
        text = text.replace("x[i].int()", "where(abs(x[i]) < 9, x[i], 0.0).int()")
    return f"def f({', '.join(PARAMETERS)}):\n    {text}\n"


def make_arguments(rng: random.Random, dtype: str) -> tuple[Any, ...]:
    """Arguments of `PARAMETERS`, with numbers of a type."""
    sizes = ((3, 4), (4, 4), (1, 3), (2, 2), (5, 1), (0, 2), (2, 0), (3, 3), (6, 5), (4, 7), (8, 9))
    height, width = rng.choice(sizes)
    odd = rng.choice((0, 0, 0.1)) if dtype == "float64" else 0

    def numbers(*shape: int) -> Any:
        special = (np.nan, np.inf, -np.inf, -0.0)
        count = int(np.prod(shape))
        chosen = (
            rng.choice(special) if rng.random() < odd else rng.randrange(-2, 4)
            for _ in range(count)
        )  # fmt: skip
        return np.array([*chosen], dtype).reshape(shape)

    def places(size: int, most: int) -> Any:
        return np.array([rng.randrange(-2, most + 2) for _ in range(size)], np.int64)

    return (numbers(height, width), numbers(height), numbers(width), places(height, height),
            places(width, width), rng.choice((0, 1, 2, -1, 3)))  # fmt: skip
