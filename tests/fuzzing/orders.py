"""Random machines whose steps sort, rank, accumulate and search.

As in `machines`, with statements that order a vector of the state, select by an order, combine at
positions, and look for a first, last or best element; some by a loop that stops. Positions come
from orders and searches before the loop and in it. Numbers are Ints, or Floats as in
`float_machines`.
"""

from __future__ import annotations

import random

from tests.fuzzing import float_machines, machines

PARAMETERS = machines.PARAMETERS

KEYS = ("-t", "t % 3", "abs(t)", "t * t", "where(t > a, t, -t)", "t > b")
PLACES = (
    "p = argsort(q)", "q = argsort(argsort(p))",
    "p = array(lambda i: searchsorted(sort(w), x[p[i]]))",
    "q = array(lambda i: fold_argmin(lambda t: abs(v[t] - x[q[i]])))",
    "p = array(lambda i: fold_sum(lambda t: where(q[t] < q[i], 1, 0)))", "q = sort(p)",
    "q = fold(q, lambda k, q: array(lambda i: where(i == k, (q[k - 1] + p[k]) % 5, q[i])))",
    "p = array(lambda i: fold_while(i, lambda j: (j < 5) & (x[j] > 0), lambda j: j + 1))",
    "x = accumulate(lambda i: (q[i], x[p[i]]), size=x.size())", "x = sort(x, key=lambda t: -t)",
)  # fmt: skip
"""Positions and numbers that another loop or order computes."""


class Writer(machines.Writer):
    """Writes statements that order and search."""

    keys = (*KEYS, "t ^ 1")

    def statements(self, count: int, *, may_nest: bool = True) -> list[str]:
        own = [self._ordered, self._ordered, self._selected, self._accumulated, self._accumulated,
               self._ranked, self._found, self._found, self._searched, self._best]  # fmt: skip
        if may_nest:
            own += [self._inserted, self._nested]
        lines = [line for _ in range(count) for line in self.rng.choice(own)()]
        return lines + super().statements(self.rng.randint(0, 1), may_nest=may_nest)

    def _key(self) -> str:
        return f"lambda t: {self.any(*self.keys)}"

    def _counted(self, number: str) -> str:
        """An Int as a number of the state."""
        return self.counter(number)[0]

    def _ordered(self) -> list[str]:
        name, other = self.any("v", "w"), self.any("v", "w", "x")
        return [self.any(
            f"{name} = sort({name})", f"{name} = sort({name}, key={self._key()})",
            f"{name} = {name}[::-1]",
            f"{name} = (lambda o: array(lambda i: {name}[o[i]], size={machines.SIZES[name]}))"
            f"(argsort({other}))",
        )]  # fmt: skip

    def _selected(self) -> list[str]:
        """Numbers of an ordered vector."""
        name, array = self.any("a", "b"), self.any("v", "w", "x")
        at = self.any("0", "1", "-1", self.place())
        selected = self.any(
            f"sort({array})[{at}]",
            self._counted(f"argsort({array}, key={self._key()})[{at}]"),
            f"top_k({array}, 2)[0][{at}]",
            self._counted(f"top_k({array}, 2, key={self._key()})[1][{at}]"),
            self._counted(f"argsort(argsort({array}))[{at}]"),
            f"sort({array}, key={self._key()})[{at}]",
        )
        return [f"{name} = {selected}"]

    def _accumulated(self) -> list[str]:
        """Values combined at places: counts, sums by group, extremes by group."""
        name, array = self.any("v", "w"), self.any("v", "w", "x")
        own, a = self.position(f"{array}[i]"), self.position("a")
        place = self.any(own, "p[i]", "q[i]", "i // 2", f"{own} % 3", f"i + {a}", a)
        chosen = f"where({self.condition(f'{array}[i]')}, {self.one}, 0)"
        value = self.any(self.one, f"{array}[i]", chosen, self._counted("i"))
        by = self.any("sum", "sum", "max", "min")
        if self.rng.random() < 0.3:
            place = f"where({self.any('i <= k', self.condition(f'{array}[i]'))}, {place}, -1)"
        combined = (f"accumulate(lambda i: ({place}, {value}), size={machines.SIZES[name]}, "
                    f"by='{by}', count={array}.size())")  # fmt: skip
        new = self.any("c[i]", f"{name}[i] + c[i]", f"where({self.condition('c[i]')}, c[i], "
                       f"{name}[i])", f"({name}[i]).min(c[i])")  # fmt: skip
        line = self._array(name, new).removeprefix(f"{name} = ")
        return [f"{name} = (lambda c: {line})({combined})"]

    def _ranked(self) -> list[str]:
        """The number of elements before each one."""
        name, array = self.any("v", "w"), self.any("v", "w", "x")
        test = self.any(
            f"{array}[t] < {array}[i]",
            f"({array}[t] == {array}[i]) & (t < i)",
            f"({array}[t] > {array}[i]) & (t > i)",
            f"{array}[t] <= {name}[i]",
        )
        rank = f"fold_sum(lambda t: where({test}, 1, 0), count={array}.size())"
        return [self._array(name, self._counted(rank))]

    def _found(self) -> list[str]:
        """The first or last position that meets a condition, or the best of those."""
        name, array = self.any("a", "b"), self.any("v", "w", "x")
        test = self.condition(f"{array}[t]", self._counted("t"))
        size = f"{array}.size()"
        count = self.any(size, size, "k", "k + 1")
        key = f"{array}[t] * 8 + {self._counted('t')}"
        place = self.any(
            f"fold_min(lambda t: where({test}, t, {size}), count={count}).min({size})",
            f"fold_max(lambda t: where({test}, t, -1), count={count}).max(-1)",
            f"fold_argmax(lambda t: where({test}, {array}[t], -9), count={size})",
            f"fold_argmin(lambda t: where({test}, {key}, 99), count={size})",
            f"fold_argmax(lambda t: ({test}).int(), count={size})",
        )
        chosen = f"where(fold_any(lambda t: {test}, count={count}), {self.number()}, {name})"
        return [f"{name} = {self.any(*[self._counted(place)] * 5, chosen)}"]

    def _searched(self) -> list[str]:
        """A position in a sorted vector, or the first one from which a loop does not go on."""
        name, array = self.any("a", "b"), self.any("v", "w", "x")
        start = self.any("0", "k", self.position("a"), "p[k]")
        limit = self.any(f"{array}.size()", "4")
        test = f"({array}[t] {self.any('<', '!=', '>=')} {self.number()}) & (t < {array}.size())"
        step = self.any("t + 1", "t + 1", f"{self.position(f'{array}[t]')}.max(t + 1)", "t * 2 + 1")
        side = self.any("left", "right")
        place = self.any(
            f"searchsorted(sort({array}), {self.number()}, side='{side}')",
            f"fold_while({start}, lambda t: {test}, lambda t: {step}, limit={limit})",
        )
        return [f"{name} = {self._counted(place)}"]

    def _best(self) -> list[str]:
        """The best element is taken out, or put at the front."""
        name = self.any("v", "w")
        best = f"fold_{self.any('argmin', 'argmax')}(lambda t: {name}[t], count={name}.size())"
        new = self.any(
            f"where(i == o, {self.any('-9', '9', '0')}, {name}[i])",
            f"where(i == o, {name}[k], where(i == k, {name}[o], {name}[i]))",
            f"where(i < o, {name}[i], {name}[i + 1])",
        )  # fmt: skip
        line = self._array(name, new).removeprefix(f"{name} = ")
        return [f"b, {name} = (lambda o: ({name}[o], {line}))({best})"]

    def _inserted(self) -> list[str]:
        """A number inserted in order: behind its place, elements move."""
        name, value = self.any("v", "w"), self.any("x[k]", "a", self.number())
        place = f"fold_sum(lambda t: where({name}[t] < ({value}), 1, 0), count={name}.size())"
        new = f"where(i < o, {name}[i], where(i == o, {value}, {name}[i - 1]))"
        line = self._array(name, new).removeprefix(f"{name} = ")
        return [f"{name} = (lambda o: {line})({place})"]


class FloatWriter(Writer, float_machines.Writer):
    """Writes statements whose numbers are Floats."""

    keys = KEYS


WRITERS: dict[str, type[Writer]] = {"int64": Writer, "float64": FloatWriter}


def write_machine(rng: random.Random, dtype: str) -> str:
    """The text of a function ``f`` of `PARAMETERS`: a machine that orders and searches."""
    text = machines.write_machine(rng, WRITERS[dtype])
    if rng.random() < 0.6:
        return text
    head, body = text.split("\n", 1)
    return f"{head}\n    {rng.choice(PLACES)}\n{body}"


make_arguments = float_machines.make_arguments_of
