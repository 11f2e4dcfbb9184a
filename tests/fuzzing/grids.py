"""Random steps of grids: neighbours, borders, wrap-around, flags; some until nothing changes.

A step computes matrices from each other's neighbourhoods, and scalars of a few statements. Grids
are of Ints or of Floats that are small whole numbers, with NaN, infinities and -0 among them.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from typing import Any

import numpy as np

PARAMETERS = ("m", "o", "p", "q", "s")
"""Two grids of equal sizes, vectors of positions of rows and of columns, and an Int."""

ROWS = (
    "i", "i", "i", "i - 1", "i + 1", "i - 1", "i + 1", "(i + 1) % h", "(i - 1) % h", "h - 1 - i",
    "(i + s) % h", "p[i]", "max(i - 1, 0)", "min(i + 1, h - 1)", "0", "i + k", "i - 2", "i // 2",
    "where(i == 0, h - 1, i - 1)", "where(i + 1 < h, i + 1, 0)", "2 * i", "k", "i - i % 2",
)  # fmt: skip
TESTS = (
    "i > 0", "i + 1 < h", "(i > 0) & (j < w - 1)", "(i + j) % 2 == k % 2", "i == j", "i == k",
    "j >= s", "j == q[k]", "(i == p[k]) & (j == q[k])", "(i > 0) & (i < h - 1) & (j > 0) & "
    "(j < w - 1)", "i % 2 == 0", "j <= i", "k < s", "i != p[j]",
)  # fmt: skip


class _Writer:
    """Writes the statements of a step."""

    def __init__(self, rng: random.Random):
        self._rng = rng

    def _any(self, *choices: str | Callable[[], str]) -> str:
        chosen = self._rng.choice(choices)
        return chosen if isinstance(chosen, str) else chosen()

    def _column(self) -> str:
        names = {"h": "w", "i": "j", "p": "q"}
        return re.sub(r"\b[hip]\b", lambda found: names[found[0]], self._any(*ROWS))

    def _read(self, *grids: str) -> str:
        grid = self._any(*grids, "m", "m", "o", "g")
        if self._rng.random() < 0.3:
            return f"{grid}[i, j]"
        if self._rng.random() < 0.1:
            return f"{grid}[j, i]"
        if self._rng.random() < 0.4:
            return self._any(f"{grid}[{self._any(*ROWS)}, j]", f"{grid}[i, {self._column()}]")
        return f"{grid}[{self._any(*ROWS)}, {self._column()}]"

    def _test(self) -> str:
        if self._rng.random() < 0.5:
            return self._any(*TESTS)
        compared = f"{self._read()} {self._any('<', '<=', '==', '!=', '>')} {self._value()}"
        if self._rng.random() < 0.2:
            return f"({compared}) {self._any('&', '|')} ({self._any(*TESTS)})"
        return compared

    def _value(self) -> str:
        return self._any(self._read, self._read, self._read, "c", "c * 0", "number(k)")

    def _window(self) -> str:
        """A reduction of the elements around one."""
        kind, size = self._any("sum", "max", "min"), self._any("3", "3", "2")
        i, j = "i + d - 1", "j + e - 1"
        if self._rng.random() < 0.3:
            i, j = f"({i}) % h", f"({j}) % w"
        guards = (
            "(i + d > 0) & (i + d <= h)", "(d != 1) | (e != 1)", "(j + e >= 1) & (j + e < w + 1)",
            "(i + d > 0) & (i + d <= h) & (j + e >= 1) & (j + e < w + 1)", "d + e != 2",
            "(d + e) % 2 == 1", f"m[{i}, {j}] > m[i, j]",
        )  # fmt: skip
        term = self._any(f"m[{i}, {j}]", f"m[{i}, {j}]", f"m[{i}, {j}] - o[d, e]")
        if self._rng.random() < 0.7:
            term = f"where({self._any(*guards)}, {term}, {self._any('c * 0', 'c', 'm[i, j]')})"
        return f"fold_{kind}(lambda d, e: {term}, count=({size}, {size}))"

    def _new(self) -> str:
        """The new element of a grid."""
        one, other = self._value(), self._value()
        return self._any(
            f"{one} + {other}", f"{one} - {other}", f"({one}).min({other})",
            f"({one}).max({other})", one, self._window, self._window, f"abs({one} - {other})",
            f"where({self._test()}, {one}, {other})", f"({one} + {other}).min({self._value()})",
            f"{one} + {self._read()} - {other}", f"({one}).min({other}).max({self._read()})",
        )  # fmt: skip

    def _grid(self) -> list[str]:
        name = self._any("m", "m", "g")
        new = self._new()
        if self._rng.random() < 0.6:
            new = f"where({self._test()}, {new}, {self._any(f'{name}[i, j]', self._value)})"
        return [f"{name} = array(lambda i, j: {new}, size=(h, w))"]

    def _scalar(self) -> list[str]:
        kind = self._any("sum", "max", "min")
        term = self._any(self._read, lambda: f"where({self._test()}, {self._read()}, c * 0)")
        return [f"c = fold_{kind}(lambda i, j: {term}, count=(h, w)).max(-9).min(9)"]

    def _rows(self) -> list[str]:
        """A grid swept row by row by an inner loop."""
        name, new = self._any("m", "g"), self._value()
        at = f"(i == {self._any('t', 't + 1', 'h - 1 - t')}) & ({self._test()})"
        element = f"where({at}, {new} {self._any('+', '-')} {name}[i - 1, j], {name}[i, j])"
        return [
            f"{name} = fold({name}, lambda t, {name}: array(lambda i, j: {element}, size=(h, w)), "
            "count=h)"
        ]

    def step(self) -> list[str]:
        kinds = (self._grid, self._grid, self._grid, self._scalar, self._rows)
        return [line for _ in range(self._rng.randint(1, 3)) for line in self._rng.choice(kinds)()]


def write_grid(rng: random.Random, dtype: str) -> str:
    """The text of a function ``f`` of `PARAMETERS`: a fold of grids, or a while loop."""
    writer, lines = _Writer(rng), ["h, w = m.size(0), m.size(1)", "c = o[0, 0]"]
    lines.append(f"number = lambda k: k{'.float(DTYPE)' if dtype == 'float64' else ''}")
    body = writer.step()
    if rng.random() < 0.5:
        lines += ["def step(k, state):", "    m, g, c = state", *(f"    {line}" for line in body)]
        loop = f"fold((m, o, c), step, count={rng.choice(('2', 'h', 'max(s, 0)', 'w - 1'))})"
        lines += ["    return m, g, c", ""]
    else:
        changed = "fold_any(lambda i, j: m[i, j] != old[i, j], count=(h, w))"
        if rng.random() < 0.3:
            changed = f"({changed}) & (c < 5)"
        lines += ["def step(state):", "    m, g, c, on, k = state", "    old = m"]
        lines += [*(f"    {line}" for line in body), f"    return m, g, c, {changed}, k + 1", ""]
        loop = "fold_while((m, o, c, h > 0, s * 0), lambda state: state[3], step, limit=5)"
    result = rng.choice(("r", "r[0]", "r[0], r[1]", "r[2]", "r[1]"))
    text = "\n    ".join([*lines, f"r = {loop}", f"return {result}"])
    return f"def f({', '.join(PARAMETERS)}):\n    {text}\n"


def make_arguments(rng: random.Random, dtype: str) -> tuple[Any, ...]:
    """Arguments of `PARAMETERS`, with grids of a type."""
    height, width = rng.choice(
        ((3, 4), (4, 4), (1, 3), (2, 2), (5, 1), (0, 2), (3, 3), (6, 5), (3, 17))
    )
    odd = rng.choice((0, 0, 0.1)) if dtype == "float64" else 0

    def grid() -> Any:
        special = (np.nan, np.inf, -np.inf, -0.0)
        chosen = (
            rng.choice(special) if rng.random() < odd else rng.randrange(-2, 4)
            for _ in range(height * width)
        )  # fmt: skip
        return np.array([*chosen], dtype).reshape(height, width)

    def places(size: int) -> Any:
        return np.array([rng.randrange(-2, size + 2) for _ in range(6)], np.int64)

    return grid(), grid(), places(height), places(width), rng.choice((0, 1, 2, -1, 3))
