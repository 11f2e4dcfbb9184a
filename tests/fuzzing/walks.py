"""Random walks: at each index a loop over a few numbers and a record, of its own length.

A walk moves a position by data, sums what it meets, keeps the best, stops where a condition holds,
and may start another walk in a step. The lengths are of an index, of data, or until a test fails.
"""

from __future__ import annotations

import random
from collections.abc import Callable

from tests.fuzzing import chains

PARAMETERS = chains.PARAMETERS


class _Writer:
    """Writes the parts of a walk; ``a`` and ``b`` are Ints, ``c`` and ``d`` Floats."""

    def __init__(self, rng: random.Random):
        self._rng = rng
        self._counters = ["i", "k"]

    def _any(self, *choices: str | Callable[[], str]) -> str:
        chosen = self._rng.choice(choices)
        return chosen if isinstance(chosen, str) else chosen()

    def _place(self) -> str:
        k = self._any(*self._counters, "k")
        return self._any(
            k, k, "a", "a", "b", f"{k} + 1", f"{k} - 1", "i + k", "i - k", "k * 2", "p[a]", "a + 1",
            f"q[{k}]", "a % q.size()", "s", "i - q[k]", "(a + b) // 2", "p[i] + k", "a ^ 1",
        )  # fmt: skip

    def _int(self) -> str:
        return self._any(
            lambda: f"p[{self._place()}]", lambda: f"q[{self._place()}]", "a", "b", "k", "i", "s",
            "N(1)", "N(0)", "a + 1", "b - 1", "a - b", "p.size()",
        )  # fmt: skip

    def _float(self) -> str:
        return self._any(
            lambda: f"x[{self._place()}]", lambda: f"y[{self._place()}]", "c", "d", "N(0.0)",
            lambda: f"x[{self._place()}]", "N(1.0)", "a.float(DTYPE)",
        )  # fmt: skip

    def _test(self) -> str:
        number = self._any("int", "float", "int")
        one, other = (self._int() if number == "int" else self._float() for _ in range(2))
        test = f"({one} {self._any('<', '<=', '==', '!=', '>')} {other})"
        if self._rng.random() < 0.25:
            return f"({test} {self._any('&', '|')} {self._test()})"
        return test

    def _new(self, name: str) -> str:
        """A new value of a number."""
        make = self._int if name in "ab" else self._float
        one, other = self._any(name, make), make()
        new = self._any(
            f"{one} + {other}", f"{one} - {other}", f"({one}).min({other})", other, other,
            f"({other}).max({one})", f"where({self._test()}, {one}, {other})", f"{name} + 1",
            lambda: self._reduced(name), f"{one} // 2" if name in "ab" else f"{one} / 2",
        )  # fmt: skip
        return f"where({self._test()}, {new}, {name})" if self._rng.random() < 0.5 else new

    def _reduced(self, name: str) -> str:
        """A reduction in a step, which may depend on the state."""
        self._counters.append("t")
        make = self._int if name in "ab" else self._float
        kind = self._any("sum", "max", "min", *(("argmin", "argmax") if name in "ab" else ()))
        term = f"where({self._test().replace('k', 't')}, {make().replace('k', 't')}, {name} * 0)"
        self._counters.pop()
        count = self._any("p.size()", "x.size()", "k", "max(a, 0).min(5)", "3", "i", "k + 1")
        return f"fold_{kind}(lambda t: {term}, count={count})"

    def _statement(self) -> list[str]:
        kind = self._rng.randrange(10)
        if kind == 0:
            return ["a, b = b, a"]
        if kind == 1:
            return [f"a, c = where({self._test()}, ({self._new('a')}, {self._new('c')}), (a, c))"]
        if kind == 2:
            body = f"({self._new('b')}, {self._new('d')})".replace("k", "t")
            count = self._any("k", "q[i]", "2", "a.min(4)")
            return [f"b, d = fold((b, d), lambda t, u, a=a: (lambda b, d: {body})(*u), "
                    f"count={count})"]  # fmt: skip
        name = self._any(*"aabccd")
        return [f"{name} = {self._new(name)}"]

    def step(self, names: str) -> list[str]:
        lines = [
            "a, (b, c), d = state" if names == "k, state" else "a, (b, c), d, k = state",
            *(line for _ in range(self._rng.randint(1, 4)) for line in self._statement()),
            "a, b = small(a), small(b)",
            "return a, (b, c), d" if names == "k, state" else "return a, (b, c), d, k + 1",
        ]
        return [f"def step({names}):", *(f"    {line}" for line in lines)]

    def loop(self) -> list[str]:
        """The lines that define the step of a loop and its result ``r``."""
        start = f"({self._any('i', 's', 'p[i]', 'i * 0')}, (i * 0 + 1, {self._start()}), x[0] * 0"
        if self._rng.random() < 0.5:
            count = self._any("p.size()", "q[i]", "i", "3", "i + 1", "p.size() - i", "x.size()")
            return [*self.step("k, state"), f"r = fold({start}), step, count={count})"]
        return [
            "def is_on(state):", "    a, (b, c), d, k = state", f"    return {self._test()}", "",
            *self.step("state"),
            f"r = fold_while({start}, i * 0), is_on, step, limit={self._any('5', 'x.size()')})",
        ]  # fmt: skip

    def _start(self) -> str:
        return self._any("x[i]", "y[i] * 0", "x[p[i]]", "-INF + x[0] * 0", "x[0] * 0")


def write_walk(rng: random.Random) -> str:
    """The text of a function ``f`` of `PARAMETERS`: a walk at each index."""
    writer = _Writer(rng)
    result = rng.choice(("r[0], r[1][0], r[1][1]", "r[1][0]", "r[1][1]", "r[2]", "r[0]"))
    lines = ["def walk(i):", *(f"    {line}" for line in writer.loop()), f"    return {result}", ""]
    size = rng.choice(("p.size()", "q.size()", "x.size() + 1", "3"))
    small = "small = lambda t: where((t > -50) & (t < 50), t, t % 50)"
    text = "\n    ".join([small, *lines, f"return array(walk, size={size})"])
    return f"def f({', '.join(PARAMETERS)}):\n    {text}\n"


make_arguments = chains.make_arguments
