"""Random machines: folds and searches over several scalars, vectors and a matrix, by statements.

A statement changes a carried value by others: an element at a place of data under a condition of
the state, all elements, a scalar by a reduction of an array, or several by an inner loop. Places
are also negative, out of bounds and repeated; numbers are Ints, so that results are exact.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import numpy as np

PARAMETERS = ("v", "w", "m", "x", "p", "q", "s")
"""Two vectors and a matrix of the state, a vector of numbers, two of places, and an Int."""

STATE = "a, (b, v), w, m"
SIZES = {"v": "v.size()", "w": "w.size()", "rows": "m.size(0)", "columns": "m.size(1)"}

SIZES_OF_ARGUMENTS = (
    *((0, 0), (1, 2), (5, 3), (4, 6), (6, 4), (2, 3)) * 4, (17, 4), (33, 3), (3, 17),
)  # fmt: skip
"""The sizes of the state, and of data; a few are above those of vectors and blocks."""


class Writer:
    """Writes the statements of a step, in which some counters are known."""

    defaults: tuple[str, ...] = ("0", "9")
    """What terms are that a reduction leaves out."""
    columns: tuple[str, ...] = ("0", "1", "k", "a")
    start = "s * 0 + 1, (s, v), w, m"
    """The state before the first step."""
    one = "1"

    def __init__(self, rng: random.Random):
        self.rng = rng
        self.counters = ["k"]

    def any(self, *choices: str | Callable[[], str]) -> str:
        chosen = self.rng.choice(choices)
        return chosen if isinstance(chosen, str) else chosen()

    def counter(self, name: str) -> tuple[str, ...]:
        """A counter as a number of the state."""
        return (name,)

    def position(self, number: str) -> str:
        """A number of the state as a position."""
        return number

    def place(self) -> str:
        """A position: of a counter, of data, or of the state."""
        k = self.rng.choice(self.counters)
        return self.any(
            k, k, f"{k} + 1", f"{k} - 1", f"p[{k}]", f"q[{k}]", f"2 * {k}", "v.size() - 1 - k",
            "a", "a % 3", f"v[{k}]", f"w[p[{k}]]", f"{k} // 2", f"{k} % 2", "s", "0", "b - 1",
        )  # fmt: skip

    def element(self) -> str:
        """An element of the state or of a parameter."""
        return self.any(
            lambda: f"v[{self.place()}]", lambda: f"w[{self.place()}]", "x[k]",
            lambda: f"m[{self.place()}, {self.any(*self.columns)}]",
        )  # fmt: skip

    def number(self, *others: str) -> str:
        return self.any(*others, self.element, self.element, "a", "b", "k", "s", "k * 0 + 2")

    def value(self, *others: str) -> str:
        """A value of an operation of two numbers, the first of ``others`` if there are any."""
        first = self.rng.choice(others) if others else self.number()
        other = self.number()
        return self.any(
            f"{first} + {other}", f"{first} - {other}", f"({first}).min({other})",
            f"({other}).max({first})", f"{first} ^ ({other})", f"({first} + {other}) % 5", other,
            f"{first} + 1", f"where({self.condition()}, {first}, {other})", f"{first} * ({other})",
        )  # fmt: skip

    def condition(self, *others: str) -> str:
        """A comparison, or two."""
        lhs, rhs = self.number(*others, *others), self.number()
        one = f"({lhs}) {self.any('<', '<=', '==', '!=', '>')} ({rhs})"
        if self.rng.random() < 0.25:
            return f"({one}) {self.any('&', '|')} ({self.condition(*others)})"
        return one

    def statements(self, count: int, *, may_nest: bool = True) -> list[str]:
        kinds = [self._element, self._element, self._element_of_matrix, self._scalar, self._scalar,
                 self._reduced, self._all]  # fmt: skip
        if may_nest:
            kinds += [self._nested, self._guarded]
        return [line for _ in range(count) for line in self.rng.choice(kinds)()]

    def _scalar(self) -> list[str]:
        name = self.any("a", "b")
        return [f"{name} = where({self.condition(name)}, {self.value(name)}, {name})"]

    def _element(self) -> list[str]:
        name, place = self.any("v", "w"), self.place()
        own = (f"{name}[i]", f"{name}[{place}]")
        test = f"(i == {place})"
        if self.rng.random() < 0.6:
            test += f" & ({self.condition(*own)})"
        return [self._array(name, f"where({test}, {self.value(*own)}, {name}[i])")]

    def _all(self) -> list[str]:
        name = self.any("v", "w")
        own = (f"{name}[i]", f"{name}[i - 1]", *self.counter("i"), "x[i]")
        return [self._array(name, f"where({self.condition(*own)}, {self.value(*own)}, {name}[i])")]

    def _array(self, name: str, element: str) -> str:
        return f"{name} = array(lambda i: {element}, size={SIZES[name]})"

    def _element_of_matrix(self) -> list[str]:
        row, column = self.place(), self.any("j", *self.columns)
        own = ("m[i, j]", f"m[{row}, j]")
        test = f"(i == {row}) & (j == {column})"
        if self.rng.random() < 0.5:
            test += f" & ({self.condition(*own)})"
        element = f"where({test}, {self.value(*own)}, m[i, j])"
        return [f"m = array(lambda i, j: {element}, size=(m.size(0), m.size(1)))"]

    def _reduced(self) -> list[str]:
        name, array = self.any("a", "b"), self.any("v", "w")
        kind = self.any("sum", "max", "min", "argmin", "argmax")
        test = self.condition(f"{array}[t]", *self.counter("t"))
        term = f"where({test}, {array}[t], {self.any(*self.defaults)})"
        count = self.any(SIZES[array], SIZES[array], "k", "k + 1", "p.size()")
        reduced = f"fold_{kind}(lambda t: {term}, count={count})"
        if kind.startswith("arg"):
            reduced = self.counter(reduced)[0]
        return [f"{name} = {reduced}.max(-9).min(9)"]

    def _guarded(self) -> list[str]:
        name = self.any(*"abvw")
        (line,) = self._scalar() if name in "ab" else self._element()
        name, changed = line.split(" = ", 1)
        return [f"{name} = where({self.condition()}, {changed}, {name})"]

    def _nested(self) -> list[str]:
        return [*self._inner(), f"{STATE} = fold(({STATE}), inner, count={self.count()})"]

    def _inner(self, state: str = STATE) -> list[str]:
        """The step of an inner loop over some of the state."""
        self.counters.append("t")
        body = self.statements(self.rng.randint(1, 2), may_nest=False)
        self.counters.pop()
        lines = [f"{state} = state", *body, f"return {state}"]
        head = "def inner(t, state, k=k, a=a, w=w, m=m):"
        return [head, *(f"    {line}" for line in lines), ""]

    def count(self) -> str:
        """The number of steps of an inner loop."""
        return self.any("2", "k", "k + 1", "p.size() - k", "x[k]", "p.size()")

    def step(self, *others: str) -> list[str]:
        """The statements of a step; the last may be an inner loop over a record in the state."""
        lines, pair = self.statements(self.rng.randint(1, 3)), "(b, v)"
        if self.rng.random() < 0.2:
            lines += self._inner("b, v")
            pair = f"fold((b, v), inner, count={self.count()})"
        elif self.rng.random() < 0.1:
            lines += ["before = b, v", *self._scalar(), *self._element()]
            pair = f"where({self.condition()}, before, (b, v))"
        return [*lines, f"return {', '.join(['a', pair, 'w', 'm', *others])}"]


def write_machine(rng: random.Random, kind: type[Writer] = Writer) -> str:
    """The text of a function ``f`` of `PARAMETERS`: a machine, and the parts of its state read."""
    writer = kind(rng)
    start = writer.start
    if rng.random() < 0.75:
        lines = ["def step(k, state):", f"    {STATE} = state", *writer.step()]
        count = rng.choice(("p.size()", "p.size()", "3"))
        loop = f"fold(({start}), step, count={count})"
    else:
        names = f"{STATE}, k = state"
        test = ["def is_on(state):", f"    {names}", f"    return {writer.condition()}", ""]
        lines = [*test, "def step(state):", f"    {names}", *writer.step("k + 1")]
        loop = f"fold_while(({start}, s * 0), is_on, step, limit=6)"
    first = next(k for k, line in enumerate(lines) if line.startswith("def step")) + 2
    body = [*lines[:first], *(f"    {line}" for line in lines[first:])]
    result = rng.choice(("r", "r", "r[0], r[1][1]", "r[1][1]", "r[2], r[3]", "r[1]"))
    text = "\n    ".join([*body, "", f"r = {loop}", f"return {result}"])
    return f"def f({', '.join(PARAMETERS)}):\n    {text}\n"


def make_arguments(rng: random.Random) -> tuple[Any, ...]:
    """Arguments of `PARAMETERS`."""
    size, count = rng.choice(SIZES_OF_ARGUMENTS)

    def ints(low: int, high: int, *shape: int) -> Any:
        return np.array(
            [rng.randrange(low, high) for _ in range(int(np.prod(shape)))], np.int64
        ).reshape(shape)

    vectors = ints(-3, 4, size), ints(0, 3, size), ints(-2, 3, size, 2), ints(-2, 4, max(count, 1))
    places = ints(-2, size + 2, count), ints(0, max(size, 1), count)
    return *vectors, *places, rng.choice((0, 1, 2, -1, 3))
