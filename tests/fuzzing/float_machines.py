"""Random machines of Floats: as those of `machines`, with small whole numbers and odd ones.

Sums, differences and extremes of small whole numbers are exact; data have NaN, infinities and
zeros of both signs, and conditions compare them. Places are Ints, some of them from Floats.
"""

from __future__ import annotations

import random
from typing import Any

import numpy as np

from tests.fuzzing import machines

ODD = (np.nan, np.inf, -np.inf, -0.0)


class Writer(machines.Writer):
    """Writes statements whose numbers are Floats."""

    defaults = ("0.0", "9.0", "-INF", "INF")
    columns = ("0", "1", "k")
    start = "s.float(DTYPE) * 0 + 1, (s.float(DTYPE), v), w, m"
    one = "N(1.0)"

    def counter(self, name: str) -> tuple[str, ...]:
        return (f"({name}).float(DTYPE)",)

    def position(self, number: str) -> str:
        """A number of the state as a position, where it is small."""
        return f"(lambda y: where(abs(y) < 9, y, 0.0).int())({number})"

    def place(self) -> str:
        """A position: of a counter, of data, or of the state."""
        k = self.rng.choice(self.counters)
        of_state = self.any("a", "b - 1", f"v[{k}]", f"w[p[{k}]]")
        return self.any(
            k, k, k, f"{k} + 1", f"{k} - 1", f"p[{k}]", f"q[{k}]", f"2 * {k}", "v.size() - 1 - k",
            f"{k} // 2", f"{k} % 2", "s", "0",
            self.position(of_state),
        )  # fmt: skip

    def count(self) -> str:
        return super().count().replace("x[k]", "p[k]")

    def number(self, *others: str) -> str:
        return self.any(*others, self.element, self.element, "a", "b", *self.counter("k"),
                        *self.counter("s"), "N(2.0)", "N(0.0)")  # fmt: skip

    def value(self, *others: str) -> str:
        first = self.rng.choice(others) if others else self.number()
        other = self.number()
        return self.any(
            f"{first} + {other}", f"{first} - {other}", f"({first}).min({other})",
            f"({other}).max({first})", f"abs({first} - {other})", f"-({other})", other,
            f"{first} + 1", f"where({self.condition()}, {first}, {other})",
            f"{first} * (0.5 * {other})", f"{first} / 2",
        )  # fmt: skip


def write_machine(rng: random.Random) -> str:
    """The text of a function ``f`` of `machines.PARAMETERS`, with Floats in place of numbers."""
    return machines.write_machine(rng, Writer)


def make_arguments_of(rng: random.Random, dtype: str) -> tuple[Any, ...]:
    """Arguments of `machines.PARAMETERS`, with Floats or with Ints."""
    return make_arguments(rng) if dtype == "float64" else machines.make_arguments(rng)


def make_arguments(rng: random.Random) -> tuple[Any, ...]:
    """Arguments of `machines.PARAMETERS`, with Floats."""
    v, w, m, x, *others = machines.make_arguments(rng)
    odd = rng.choice((0, 0, 0.2))

    def floats(values: Any) -> Any:
        found = values.astype(float)
        for k in range(found.size):
            if rng.random() < odd:
                found.flat[k] = rng.choice(ODD)
        return found

    return floats(v), floats(w), floats(m), floats(x), *others
