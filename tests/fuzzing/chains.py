"""Random chains of arrays: sorts, searches, selections, scans, accumulations, and comprehensions.

Each array is computed from those before it, also at computed positions: strided, divided, wrapped,
given, negative and out of bounds. Data have ties, and sums of them are exact.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import numpy as np

PARAMETERS = ("x", "y", "p", "q", "s")
"""Two vectors of Floats, two of Ints, and an Int."""


class _Writer:
    """Writes definitions of arrays of numbers, of a kind each."""

    def __init__(self, rng: random.Random):
        self._rng = rng
        self._floats, self._ints = ["x", "y"], ["p", "q"]
        self._kind, self._count = "floats", 0

    def _any(self, *choices: str | Callable[[], str]) -> str:
        chosen = self._rng.choice(choices)
        return chosen if isinstance(chosen, str) else chosen()

    def _vector(self) -> str:
        """A vector of numbers of the kind of the array that is defined, more likely a late one."""
        names = self._names()
        return self._rng.choice((names[-1], *names))

    def _names(self) -> list[str]:
        return self._ints if self._kind == "ints" else self._floats

    def _number(self, name: str) -> str:
        """An Int as a number of the kind."""
        return name if self._kind == "ints" else f"({name}).float(DTYPE)"

    def _constant(self) -> str:
        return self._number(f"N({self._any('0', '1', '2')})")

    def _keys(self) -> str:
        return self._rng.choice((self._ints[-1], *self._ints))

    def _size(self) -> str:
        """A size for data that need not have it."""
        size = f"{self._vector()}.size()"
        return self._any(
            size, size, size, f"2 * {size}", f"{size} // 2", f"{size} + 1", "max(s, 0)", "N(3)",
            f"max({size} - 1, 0)", f"min({size}, {self._vector()}.size())",
        )  # fmt: skip

    def _place(self, index: str) -> str:
        """A position that is a function of an index."""
        size = f"{self._vector()}.size()"
        return self._any(
            index, index, f"{index} + 1", f"{index} - 1", f"{index} * 2", f"{index} // 2",
            f"{size} - 1 - {index}", f"({index} * 2 + 1) % {size}", f"({index} - 1) % {size}",
            f"{index} + s", f"{self._keys()}[{index}]", f"{index} - {self._keys()}[{index}]",
            f"{self._keys()}[{self._keys()}[{index}]]", f"{index} % 2", f"{index} % s", "s", "0",
            f"{index} + {self._keys()}[0]", f"{size} // 2 + {index}", f"{index} ^ 1",
        )  # fmt: skip

    def _element(self, index: str) -> str:
        return f"{self._vector()}[{self._place(index)}]"

    def _test(self, index: str, *others: str) -> str:
        value, other = self._element(index), self._element(index)
        other = self._any(other, other, self._constant(), *map(self._number, others))
        return self._any(
            *(f"({value} {self._any('<', '<=', '==', '!=', '>')} {other})" for _ in range(2)),
            f"({index} {self._any('<', '>=', '==')} {self._any('s', '1', f'to_int({value})')})",
            f"({self._place(index)} < {self._vector()}.size() - 1)", f"({index} % 2 == 0)",
        )  # fmt: skip

    def _value(self, *indices: str) -> str:
        """A number at some indices."""
        one, other = (self._element(self._rng.choice(indices)) for _ in range(2))
        index = self._rng.choice(indices)
        simple = self._any(self._constant(), self._number(index))
        return self._any(
            one, one, f"{one} + {other}", f"{one} - {other}", f"({one}).min({other})", f"-{one}",
            f"({other}).max({one})", f"where({self._test(index)}, {one}, {other})",
            f"where({self._test(index)}, {one}, {simple})",
            f"{one} * {self._number(index)}", f"{one} + {self._number(index)}",
        )  # fmt: skip

    # Arrays

    def _ordered(self) -> str:
        v, size = self._vector(), self._any("3", "s", "max(s, 1)", "2")
        return self._any(
            f"sort({v})", f"sort({v}, key=lambda t: -t)", f"argsort({v})", f"unique({v})",
            f"argsort(argsort({v}))", f"top_k({v}, {size})[{self._any('0', '1')}]",
            f"filter({v}, lambda t: {self._any('t > 0', 't != t * 0', 't == t', 't < 1')})",
            f"sort({v}, key=lambda t: {self._any('t * t', 't > 0', 'to_int(t) % 2')})",
        )  # fmt: skip

    def _searched(self) -> str:
        v, w = self._vector(), self._vector()
        v, side = self._any(v, f"sort({v})", f"unique({v})"), self._any("left", "right")
        if v in (*self._floats, *self._ints):
            v = f"sort({v})"
        found = f"searchsorted(t, {w}[i], side='{side}')"
        return f"(lambda t: array(lambda i: {found}, size={w}.size()))({v})"

    def _joined(self) -> str:
        one, other = self._vector(), self._vector()
        return self._any(
            f"concat({one}, {other})", f"concat({one}[1:], {other}[:2])", f"{one}[::-1]",
            f"{one}[1:]", f"{one}[:-1]", f"{one}[::2]", f"concat({one}[:1], {one})", f"{one}[-2:]",
        )  # fmt: skip

    def _scanned(self) -> str:
        one, value = self._vector(), self._value("i")
        size = f"{one}.size()"
        return self._any(
            f"scan({one}, {one}[0] * 0, lambda t, u: t + u)",
            f"array(lambda i: fold_{self._any('sum', 'max', 'min')}(lambda j: {self._value('j')}, "
            f"count={self._any('i', 'i + 1', f'{size} - i', f'{self._keys()}[i]')}), size={size})",
            f"fold(array(lambda i: {value}, size={size}), lambda k, t: array(lambda i: where(i == k"
            f", t[i] {self._any('+', '-')} t[k - 1], t[i])), count={size})",
        )  # fmt: skip

    def _accumulated(self) -> str:
        by = self._any("sum", "min", "max", "sum")
        return (
            f"accumulate(lambda i: ({self._place('i')}, {self._value('i')}), size={self._size()}, "
            f"by='{by}', count={self._size()})"
        )

    def _comprehension(self) -> str:
        return f"array(lambda i: {self._value('i')}, size={self._size()})"

    def _reduced(self) -> str:
        kind = self._any("sum", "max", "min", "argmin", "argmax", "any", "all")
        body = f"where({self._test('j', 'i')}, {self._value('i', 'j')}, {self._constant()})"
        body = self._test("j", "i") if kind in ("any", "all") else body
        count = self._any(self._size(), self._size(), "i", f"{self._keys()}[i]")
        fold = f"fold_{kind}(lambda j: {body}, count={count})"
        fold = f"where({fold}, 1, 0)" if kind in ("any", "all") else fold
        return f"array(lambda i: {fold}, size={self._size()})"

    def _record(self) -> str:
        """An array of a field of records that another place selects."""
        body = f"({self._value('i')}, {self._value('i')})"
        pairs = f"array(lambda i: {body}, size={self._size()})"
        read = f"(t[{self._place('i')}][0], t[{self._place('i')}][1])"
        first, second = self._any("0", "1"), self._any("0", "1")
        chosen = f"where({self._test('i')}, {read}, t[i])[{first}]"
        field = self._any(chosen, f"{read}[{second}]")
        return f"(lambda t: array(lambda i: {field}, size={self._size()}))({pairs})"

    def _inner(self) -> str:
        """An array of what an inner function gives at two places."""
        body = f"{self._element('t')} {self._any('+', '-')} {self._element('t')}"
        call = f"g({self._place('i')}) {self._any('+', '-')} g({self._place('i')})"
        return f"(lambda g: array(lambda i: {call}, size={self._size()}))(lambda t: {body})"

    def definition(self) -> str:
        """A line that defines a vector, whose numbers may be bounded."""
        makers = (
            self._ordered, self._ordered, self._searched, self._joined, self._scanned,
            self._accumulated, self._comprehension, self._comprehension, self._reduced,
            self._record, self._inner,
        )  # fmt: skip
        self._kind = self._rng.choice(("ints", "floats"))
        text = self._rng.choice(makers)()
        kind = "ints" if any(word in text[:25] for word in INTS) else self._kind
        if kind != self._kind or self._rng.random() < 0.3:
            kind = self._rng.choice(("ints", "floats"))
            text = f"{kind}({text})"
        self._count += 1
        self._kind = kind
        self._names().append(f"{kind[0]}{self._count}")
        return f"{self._names()[-1]} = {text}"

    def result(self) -> str:
        """The last array, or the last of both kinds."""
        if self._rng.random() < 0.5:
            return self._names()[-1]
        return f"{self._floats[-1]}, {self._ints[-1]}"


INTS = ("argsort", "argmin", "argmax", "searchsorted", "[1]")
"""Of calls whose results are Ints."""

HELPERS = """\
    ints = lambda v: array(lambda i: to_int(v[i]))
    floats = lambda v: array(lambda i: v[i].float(DTYPE))
    to_int = lambda t: where(abs(t) < 9, t, t * 0).int()
"""


def write_chain(rng: random.Random) -> str:
    """The text of a function ``f`` of `PARAMETERS`: arrays, each of some before it."""
    writer = _Writer(rng)
    lines = [writer.definition() for _ in range(rng.randint(3, 6))]
    text = "\n    ".join([*lines, f"return {writer.result()}"])
    return f"def f({', '.join(PARAMETERS)}):\n{HELPERS}    {text}\n"


def make_arguments(rng: random.Random) -> tuple[Any, ...]:
    """Arguments of `PARAMETERS`."""
    sizes = rng.choice(((0, 0), (1, 2), (5, 3), (4, 4), (6, 6), (2, 7), (3, 0), (40, 19)))
    odd = rng.choice((0, 0, 0.2))

    def floats(size: int) -> Any:
        special = (np.nan, np.inf, -np.inf, -0.0)
        chosen = (
            rng.choice(special) if rng.random() < odd else rng.randrange(-2, 4) for _ in range(size)
        )
        return np.array([*chosen], np.float64)

    def ints(size: int) -> Any:
        return np.array([rng.randrange(-2, size + 2) for _ in range(size)], np.int64)

    one, other = sizes
    return floats(one), floats(other), ints(one), ints(other), rng.choice((0, 1, 2, -1, 3))
