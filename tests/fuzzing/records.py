"""Random loops over records: fields changed alone, swapped, kept if they are best, in arrays.

The state is a record ``r`` of two vectors and a record of numbers, an array ``t`` of records, and
the best record so far. Statements choose between whole records by conditions that read them.
Numbers are Ints, or Floats as in `float_machines`.
"""

from __future__ import annotations

import random

from tests.fuzzing import float_machines, machines

PARAMETERS = machines.PARAMETERS

STATE = "r, t, best"
PUT = "put = lambda record, **fields: {**record, **fields}"
RESULTS = (
    "r, t, best", "r['v'], best['w']", "t", "best", "r['n'], t", "r['w']",
    "array(lambda i: (t[i], r['v'][i]), size=t.size())", "where(r['n']['a'] > 1, r, best)",
    "t[-1], r['n']['b']", "array(lambda i: t[i][1]['c'] + r['w'][i], size=t.size())",
)  # fmt: skip


class Writer(machines.Writer):
    """Writes the statements of a step over records."""

    def place(self) -> str:
        k = self.rng.choice(self.counters)
        of_state = ("r['n']['a']", f"t[{k}][0]", f"t[{k}][1]['c']", f"r['v'][{k}]",
                    "best['n']['b']")  # fmt: skip
        return self.any(
            k, k, f"{k} + 1", f"{k} - 1", f"p[{k}]", f"q[{k}]", *map(self.position, of_state),
            "s", "0", f"{k} // 2", "r['v'].size() - 1 - k", "-1",
        )  # fmt: skip

    def element(self) -> str:
        return self.any(
            lambda: f"r['v'][{self.place()}]", lambda: f"r['w'][{self.place()}]", "x[k]",
            lambda: f"t[{self.place()}][0]", lambda: f"t[{self.place()}][1]['c']",
            lambda: f"best['v'][{self.place()}]",
        )  # fmt: skip

    def number(self, *others: str) -> str:
        own = ("r['n']['a']", "r['n']['b']", "best['n']['a']", *map(self._counted, COUNTED))
        return self.any(*others, self.element, self.element, *own)

    def _counted(self, number: str) -> str:
        """An Int as a number of the state."""
        return self.counter(number)[0]

    def first(self) -> tuple[str, ...]:
        """The record and the array of records before the first step."""
        s, p, q = map(self._counted, ("s", "p[i]", "q[i]"))
        return (
            f"r = {{'v': v, 'w': w, 'n': {{'a': {s}, 'b': {s} * 0 + 1}}}}",
            f"t = array(lambda i: ({p}, {{'c': {q}, 'on': p[i] > 0}}), size=p.size())",
        )

    def condition(self, *others: str) -> str:
        if self.rng.random() < 0.1:
            return f"t[{self.place()}][1]['on']"
        return super().condition(*others)

    def statements(self, count: int, *, may_nest: bool = True) -> list[str]:
        kinds = [self._number, self._numbers, self._vector, self._vector, self._swapped,
                 self._chosen, self._kept, self._put, self._put, self._exchanged, self._all_records,
                 self._found, self._summed]  # fmt: skip
        if may_nest:
            kinds += [self._nested, self._nested]
        return [line for _ in range(count) for line in self.rng.choice(kinds)()]

    def _maybe(self, new: str, old: str, *others: str) -> str:
        """A new value, which may be taken under a condition alone."""
        if self.rng.random() < 0.5:
            return new
        test = self.condition(*others)
        return f"where({test}, {new}, {old})"

    # The record

    def _number(self) -> list[str]:
        name = self.any("a", "b")
        own = f"r['n']['{name}']"
        new = f"put(r, n=put(r['n'], {name}={self.value(own)}))"
        return [f"r = {self._maybe(new, 'r', own)}"]

    def _numbers(self) -> list[str]:
        new = self.any(
            "{'a': r['n']['b'], 'b': r['n']['a']}", "best['n']",
            lambda: f"{{'a': {self.value()}, 'b': r['n']['a']}}",
            lambda: f"where({self.condition()}, best['n'], r['n'])",
        )  # fmt: skip
        return [f"r = {self._maybe(f'put(r, n={new})', 'r')}"]

    def _element_of(self, name: str) -> str:
        """A vector with an element changed, or all."""
        own, place = f"r['{name}'][i]", self.place()
        test = self.any(
            f"i == {place}", f"i == {place}", lambda: self.condition(own, *self.counter("i"))
        )
        if self.rng.random() < 0.3:
            test = f"({test}) & ({self.condition(own)})"
        element = f"where({test}, {self.value(own)}, {own})"
        return f"array(lambda i: {element}, size=r['{name}'].size())"

    def _vector(self) -> list[str]:
        name = self.any("v", "w")
        return [f"r = {self._maybe(f'put(r, {name}={self._element_of(name)})', 'r')}"]

    def _swapped(self) -> list[str]:
        new = self.any(
            "put(r, v=r['w'], w=r['v'])", "put(r, v=r['w'])", "put(r, w=best['v'])",
            lambda: f"put(r, v=r['w'], w={self._element_of('v')})",
        )  # fmt: skip
        return [f"r = {self._maybe(new, 'r')}"]

    def _chosen(self) -> list[str]:
        return [f"r = where({self.condition()}, r, best)"]

    def _kept(self) -> list[str]:
        """The best record so far."""
        by = self.any("['n']['a']", "['n']['b']", f"['v'][{self.place()}]")
        test = self.any(f"r{by} {self.any('<', '>=', '>')} best{by}", self.condition)
        return [f"best = where({test}, r, best)"]

    # The array of records

    def _record(self, at: str) -> str:
        """A record in place of that at a position."""
        old, other = f"t[{at}]", f"t[{self.place()}]"
        return self.any(
            other, other, f"({other}[0], {old}[1])", f"({old}[0], {other}[1])",
            lambda: f"({self.value(f'{old}[0]')}, {old}[1])",
            lambda: f"({old}[0], put({old}[1], c={self.value(f'{old}[1][{chr(39)}c{chr(39)}]')}))",
            lambda: f"({old}[0], put({old}[1], on={self.condition()}))",
            lambda: f"({self.value()}, {{'c': {self.value()}, 'on': {self.condition()}}})",
            lambda: f"where({self.condition(f'{old}[0]')}, {other}, {old})",
        )  # fmt: skip

    def _put(self) -> list[str]:
        place = self.place()
        test = f"(i == {place})"
        if self.rng.random() < 0.4:
            own = (f"t[i][{self.any('0', '0', '1')}]", f"t[{place}][0]")
            test += f" & ({self.condition(*(f'{o}' if o[-2] == '0' else o + CHOSEN for o in own))})"
        at = self.any("i", place)
        new = f"array(lambda i: where({test}, {self._record(at)}, t[i]), size=t.size())"
        return [f"t = {self._maybe(new, 't')}"]

    def _exchanged(self) -> list[str]:
        one, other = self.place(), self.place()
        new = f"where(i == {one}, t[{other}], where(i == {other}, t[{one}], t[i]))"
        new = f"array(lambda i: {new}, size=t.size())"
        return [f"t = {self._maybe(new, 't')}"]

    def _all_records(self) -> list[str]:
        key = self.any("e[0]", "e[1]['c']", "-e[0]", "e[0] % 2")
        return self.any(
            f"t = sort(t, key=lambda e: {key})",
            lambda: f"t = array(lambda i: {self._record('i')}, size=t.size())",
            lambda: "t = array(lambda i: t[i - 1], size=t.size())",
        ).split("\n")  # fmt: skip

    def _found(self) -> list[str]:
        """Numbers from the record that is best of all."""
        kind, by = self.any("argmin", "argmax"), self.any("t[e][0]", "t[e][1]['c']")
        if self.rng.random() < 0.4:
            by = f"where(t[e][1]['on'], {by}, {self.any('9', '0', 's')})"
        found = f"t[fold_{kind}(lambda e: {by}, count=t.size())]"
        return [f"r = put(r, n={{'a': {found}[0], 'b': {found}[1]['c']}})"]

    def _summed(self) -> list[str]:
        """Numbers from all records that meet a condition."""
        test = self.condition("t[e][0]", "t[e][1]['c']")
        term, kind = self.any("t[e][0]", "t[e][1]['c']", self.one), self.any("sum", "max", "min")
        new = f"fold_{kind}(lambda e: where({test}, {term}, 0), count={self.any('t.size()', 'k')})"
        return [f"r = put(r, n=put(r['n'], {self.any('a', 'b')}=({new}).min(9).max(-9)))"]

    # Loops

    def _nested(self) -> list[str]:
        self.counters.append("u")
        body = self.statements(self.rng.randint(1, 2), may_nest=False)
        self.counters.pop()
        names = self.any(STATE, STATE, "r, t", "r, best")
        lines = [f"{names} = state", *body, f"return {names}"]
        head = "def inner(u, state, k=k, r=r, t=t, best=best):"
        run = f"{names} = fold(({names}), inner, count={self.count()})"
        return [head, *(f"    {line}" for line in lines), "", run]

    def count(self) -> str:
        return self.any("2", "k", "k + 1", "p.size() - k", self.position("x[k]"), "t.size()")


class FloatWriter(Writer, float_machines.Writer):
    """Writes statements whose numbers are Floats."""


WRITERS: dict[str, type[Writer]] = {"int64": Writer, "float64": FloatWriter}
CHOSEN = "['c']"
COUNTED = ("k", "s", "k * 0 + 2")


def write_loop(rng: random.Random, dtype: str) -> str:
    """The text of a function ``f`` of `PARAMETERS`: a loop over records, and fields of them."""
    writer = WRITERS[dtype](rng)
    body = writer.statements(rng.randint(1, 4))
    if rng.random() < 0.75:
        lines = ["def step(k, state):", f"    {STATE} = state", *(f"    {line}" for line in body)]
        lines.append(f"    return {STATE}")
        loop = f"fold((r, t, r), step, count={rng.choice(('p.size()', 'p.size()', '3'))})"
    else:
        lines = ["def is_on(state):", f"    {STATE}, k = state", f"    return {writer.condition()}"]
        lines += ["", "def step(state):", f"    {STATE}, k = state"]
        lines += [*(f"    {line}" for line in body), f"    return {STATE}, k + 1"]
        loop = "fold_while((r, t, r, s * 0), is_on, step, limit=6)[:3]"
    lines = [*writer.first(), PUT, *lines, "", f"{STATE} = {loop}", f"return {rng.choice(RESULTS)}"]
    text = "\n    ".join(lines)
    return f"def f({', '.join(PARAMETERS)}):\n    {text}\n"


make_arguments = float_machines.make_arguments_of
