"""Random comprehensions with reductions in them, as they are written by hand, and derivatives.

Terms are guarded by the order of indices, by keys and by values; rows are windows, prefixes and
gathers; reductions are in each other and in the positions and guards of others. Many passes look
for one of these shapes: what this tests is how they combine.
"""

from __future__ import annotations

import random
from typing import Any

import numpy as np

from tests.fuzzing.choices import Choices

PARAMETERS = ("v", "w", "m", "key", "p", "c", "a", "s")
"""Two vectors and a matrix of Floats; keys, positions and counts; a Float and an Int."""
FLOATS = "v, w, m, a"
"""The parameters that a derivative is taken by."""
DERIVATIVES = (
    f"return jvp(g, ({FLOATS}), (w, v, m, a))",
    f"values, backwards = vjp(g, {FLOATS})\n    return values, backwards(values)",
    f"values, backwards = vjp(g, {FLOATS})\n    return backwards(values)",
)
INDICES = "ijklq"
"""The names of indices, the outermost first."""
ORDERS = (
    "{j} <= {i}", "{j} < {i}", "{i} < {j}", "{j} != {i}", "{j} % 2 == 0", "{i} - {j} < 3",
    "abs({i} - {j}) <= 1", "{i} == {j}", "({j} >= {i}) & ({j} < {i} + 3)", "{i} + {j} < n",
    "({i} + {j}) % 2 == 1", "{j} >= {i} - s", "{i} - {j} > 0", "{j} // 2 == {i} // 2",
)  # fmt: skip
KEYS = (
    "key[{j}] == key[{i}]", "key[{j}] == {i}", "p[{i}] == {j}", "key[{j}] != key[{i}]",
    "key[{j}] < key[{i}]", "{j} < c[{i}]", "p[{j}] == {i}", "key[{j}] == s", "p[{i}] <= {j}",
)  # fmt: skip
VALUES = (
    "v[{j}] < v[{i}]", "v[{j}] <= w[{i}]", "v[{j}] > 0", "m[{i}, {j}] > 0", "v[{j}] >= a",
    "v[{i}] == v[{j}]", "abs(v[{i}] - v[{j}]) < 1", "w[{j}] > v[{i}]", "m[{j}, {i}] <= v[{j}]",
)  # fmt: skip
POSITIONS = (
    "{j}", "{j}", "{j}", "{j}", "{j} + 1", "{j} - 1", "{j} - {i}", "{j} + {i}", "n - 1 - {j}",
    "p[{j}]", "key[{j}]", "{j} // 2", "2 * {j}", "{j} % 3", "max({j} - 1, 0)",
    "min({j} + 1, n - 1)", "({j} + 1) % n", "p[{j}] + {i}", "{j} + {i} - 1", "c[{j}]", "0", "-1",
)  # fmt: skip
COUNTS = (
    "n", "n", "n", "n", "{i} + 1", "{i}", "n - {i}", "c[{i}]", "3", "max(key[{i}], 0)", "2",
    "n // 2", "min({i} + 2, n)", "p.size()",
)  # fmt: skip


class _Writer(Choices):
    """Writes scalars of some indices; ``vectors`` and ``matrices`` are those in scope."""

    def __init__(self, rng: random.Random):
        super().__init__(rng)
        self.vectors, self.matrices = ["v", "w", "v"], ["m"]

    def _filled(self, text: str, indices: str) -> str:
        """A text with two indices, different ones if there are; ``j`` is the last more often."""
        other = self.one_of(*indices, indices[-1], indices[-1])
        return text.format(i=self.one_of(*(indices.replace(other, "") or indices)), j=other)

    def _position(self, indices: str, depth: int) -> str:
        if depth > 0 and self.is_likely(0.05):
            return self._extreme_position(indices, depth - 1)
        return self._filled(self.one_of(*POSITIONS), indices)

    def _element(self, indices: str, depth: int) -> str:
        if self.is_likely(0.35):
            row, column = (self._position(indices, depth) for _ in "ij")
            return f"{self.one_of(*self.matrices)}[{row}, {column}]"
        return f"{self.one_of(*self.vectors)}[{self._position(indices, depth)}]"

    def _leaf(self, indices: str, depth: int) -> str:
        if self.is_likely(0.8):
            return self._element(indices, depth)
        return self.one_of("a", f"{indices[-1]}.float(DTYPE)", "N(1.0)", "N(0.5)", "a")

    def guard(self, indices: str, depth: int) -> str:
        """A condition on indices: one, two, or whether any or all steps have one."""
        if self.is_likely(0.2):
            parts = (self.guard(indices, 0) for _ in "ij")
            return self.one_of(" & ", " & ", " | ").join(f"({part})" for part in parts)
        if depth > 0 and len(indices) < len(INDICES) and self.is_likely(0.1):
            return self._reduction(self.one_of("any", "all"), indices, depth, self.guard)
        if depth > 0 and self.is_likely(0.1):
            parts = (self.scalar(indices, depth - 1) for _ in "ij")
            return self.one_of(" < ", " <= ", " == ").join(f"({part})" for part in parts)
        return self._filled(self.one_of(*self.one_of(ORDERS, KEYS, VALUES)), indices)

    def scalar(self, indices: str, depth: int) -> str:
        """A Float of some indices."""
        if depth <= 0:
            return self._leaf(indices, 0)
        kinds = [self._leaf, self._operation, self._operation, self._choice]
        if len(indices) < len(INDICES):
            kinds += [self._folded] * 4
        return self.one_of(*kinds)(indices, depth - 1)

    def _operation(self, indices: str, depth: int) -> str:
        one, other = (self.scalar(indices, depth) for _ in "ij")
        return self.one_of(
            f"({one} + {other})", f"({one} - {other})", f"{one} * ({other})",
            f"min({one}, {other})", f"max({one}, {other})", f"({one}).tanh()", f"({one}).sin()",
            f"abs({one} - {other})",
            f"({one} - {other}) ** 2.0", f"({one}) / (1.0 + abs({other}))",
            f"(-(({one} - {other}) ** 2.0)).exp()",
        )  # fmt: skip

    def _choice(self, indices: str, depth: int) -> str:
        one = self.scalar(indices, depth)
        other = self.one_of("N(0.0)", "N(0.0)", "N(1.0)", self.scalar(indices, depth - 1))
        return f"where({self.guard(indices, depth)}, {one}, {other})"

    def _reduction(self, kind: str, indices: str, depth: int, term: Any) -> str:
        new = INDICES[len(indices)]
        count = self._filled(self.one_of(*COUNTS), indices)
        return f"fold_{kind}(lambda {new}: {term(indices + new, depth - 1)}, count={count})"

    def _extreme_position(self, indices: str, depth: int) -> str:
        if len(indices) == len(INDICES):
            return "0"
        kind = self.one_of("argmin", "argmax")
        return self._reduction(kind, indices, depth, self.scalar)

    def _folded(self, indices: str, depth: int) -> str:
        """A reduction, most often of guarded terms, or a loop."""
        kind = self.one_of("sum", "sum", "sum", "sum", "min", "max", "prod", "fold", "count")
        if kind == "count":
            counted = self._reduction("sum", indices, depth, self._counted)
            return f"({counted}).float(DTYPE)"
        if kind == "fold":
            new = INDICES[len(indices)]
            count = self._filled(self.one_of(*COUNTS), indices)
            term = self.scalar(indices + new, depth - 1)
            step = self.one_of("acc * a + {t}", "max(acc, {t})", "(acc + {t}).tanh()", "acc + {t}",
                               "where({g}, {t}, acc)", "where({g}, acc + {t}, acc)")  # fmt: skip
            step = step.format(t=term, g=self.guard(indices + new, 0))
            return f"fold(a * 0.0, lambda {new}, acc: {step}, count={count})"
        return self._reduction(kind, indices, depth, self._term(kind))

    def _counted(self, indices: str, depth: int) -> str:
        return f"where({self.guard(indices, depth)}, 1, 0)"

    def _term(self, kind: str) -> Any:
        default = {"sum": "N(0.0)", "prod": "N(1.0)", "min": "N(INF)", "max": "N(-INF)"}[kind]

        def written(indices: str, depth: int) -> str:
            term = self.scalar(indices, depth)
            if kind == "prod":
                term = f"({term}).tanh()"
            if self.is_likely(0.3):
                return term
            if kind != "sum" and self.is_likely(0.5):
                return f"where({self.guard(indices, depth)}, {term}, N({self.one_of('0', '9')}.0))"
            return f"where({self.guard(indices, depth)}, {term}, {default})"

        return written

    def statements(self) -> list[str]:
        """Some arrays, each of those before it, and the result."""
        lines = ["n = v.size()"]
        for k in range(self.one_of(0, 0, 1, 1, 2)):
            if self.is_likely(0.7):
                lines.append(f"u{k} = array(lambda i: {self.scalar('i', 2)}, size=n)")
                self.vectors += [f"u{k}"] * 4
            else:
                lines.append(f"u{k} = array(lambda i, j: {self.scalar('ij', 2)}, size=(n, n))")
                self.matrices += [f"u{k}"] * 3
        result = self.one_of(
            f"array(lambda i: {self.scalar('i', 4)}, size=n)",
            f"array(lambda i: {self.scalar('i', 3)}, size=n)",
            f"array(lambda i, j: {self.scalar('ij', 3)}, size=(n, n))",
            f"fold_sum(lambda i: {self.scalar('i', 4)}, count=n)",
            f"fold_{self.one_of('max', 'min')}(lambda i, j: {self.scalar('ij', 2)}, count=(n, n))",
            self._accumulated(),
        )
        return [*lines, f"return {result}"]

    def _accumulated(self) -> str:
        place = self.one_of("key[i]", "p[i]", "i // 2", "i % 3", "c[i] - 1")
        kind = self.one_of("sum", "sum", "max", "min")
        value = self.scalar("i", 2)
        return f"accumulate(lambda i: ({place}, {value}), size=n, count=n, by='{kind}')"


def write_comprehension(rng: random.Random) -> str:
    """The text of a function ``f`` of `PARAMETERS`: comprehensions, or a derivative of them."""
    writer = _Writer(rng)
    body = "\n        ".join(writer.statements())
    result = rng.choice((f"return g({FLOATS})", rng.choice(DERIVATIVES)))
    return (
        f"def f({', '.join(PARAMETERS)}):\n    def g({FLOATS}):\n        {body}\n\n    {result}\n"
    )


SIZES = (6, 5, 4, 3, 7, 2, 1, 0, 17)
ODD_FLOATS = (np.nan, np.inf, -np.inf, -0.0)


def make_arguments(rng: random.Random, dtype: str) -> tuple[Any, ...]:
    """Arguments of `PARAMETERS`: Floats of all kinds, or whole ones, so that many are equal."""
    n = rng.choice(SIZES)
    kind = rng.choice(("normal", "normal", "whole", "odd"))

    def number() -> float:
        if kind == "odd" and rng.random() < 0.1:
            return rng.choice(ODD_FLOATS)
        return rng.gauss(0, 1) if kind == "normal" else float(rng.randrange(-2, 3))

    def floats(*shape: int) -> Any:
        values = [number() for _ in range(int(np.prod(shape)))]
        return np.array(values, dtype).reshape(shape)

    def ints(low: int, high: int) -> Any:
        return np.array([rng.randrange(low, high) for _ in range(n)], np.int64)

    counts = np.sort(ints(0, n + 1)) if rng.random() < 0.3 else ints(0, n + 1)
    keys, places = ints(-1, max(n, 1)) if rng.random() < 0.5 else ints(0, 3), ints(-2, n + 2)
    return (floats(n), floats(n), floats(n, n), keys, places, counts, floats(1)[0],
            rng.choice((0, 1, 2, 3, -1)))  # fmt: skip
