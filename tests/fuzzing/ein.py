"""Random Ein functions that contain the forms recognised by passes.

These are: choices on conditions of indices, clipped positions, sums of segments, prefixes,
searches, selections of the best, updates of arrays and of their regions in folds, scatters, folds
of records that swap their fields, folds in folds, counts that vary with a counter, recurrences,
windows, steps of grids, contractions, arrays of records. The bounds, keys and positions in them are
also negative, out of bounds and out of order.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

PARAMETERS = ("a", "b", "m", "keys", "x", "p", "n")
"""Two vectors and a matrix of Floats, a vector of Ints, a Float, and two Ints."""

FUNCTIONS = (
    *("-({})", "abs({})", "({} / 2)") * 4,
    *("exp(min({}, 3.0))", "tanh({})", "sqrt(abs({}))", "floor({} / 2)", "sign({})"),
    *("({} % 3.0)", "({}) ** 2", "log1p(abs({}))", "sin({})", "1.0 / ({})", "round({} / 2)"),
    "(lambda y: where(abs(y) < 99, y, 0.0).int().float(DTYPE))({})",
)
"""Floats from a Float."""


@dataclass(frozen=True)
class Writer:
    """Writes expressions; the fields are the names that are in scope, by their type."""

    rng: random.Random
    ints: tuple[str, ...] = ("p",)
    floats: tuple[str, ...] = ("x",)
    vectors: tuple[str, ...] = ("a", "b")
    matrices: tuple[str, ...] = ("m",)
    sizes: tuple[str, ...] = ("n",)
    """The Ints without free indices."""
    depth: int = 3
    loops: int = 3
    """The greatest depth of nested binders."""
    count: list[int] = field(default_factory=lambda: [0])

    def pick(self, options: Sequence[Any]) -> Any:
        return self.rng.choice(options)

    def fresh(self, prefix: str) -> str:
        self.count[0] += 1
        return f"{prefix}{self.count[0]}"

    @property
    def inner(self) -> Writer:
        """Writes operands, which are nested less deeply."""
        return replace(self, depth=self.depth - 1)

    def within(self, *ints: str, floats: Sequence[str] = (), vectors: Sequence[str] = ()) -> Writer:
        """Writes the body of a binder of some names."""
        return replace(
            self,
            ints=(*self.ints, *ints, *ints),
            floats=(*self.floats, *floats, *floats),
            vectors=(*self.vectors, *vectors, *vectors),
            depth=2,
            loops=self.loops - 1,
        )

    # Sizes, Ints and Bools

    def size(self) -> str:
        """An Int without free indices; seldom negative."""
        options = [
            "a.size()", "a.size()", "a.size()", "b.size()", "m.size(0)", "m.size(1)", "keys.size()",
            "max(n, 0)", "max(p, 0).min(4)", "a.size() + 1", "max(a.size() - 1, 0)",
            "a.size().min(b.size())", "N(2)", "N(1)", "N(0)", "N(3)", "n",
        ]  # fmt: skip
        return self.pick(options)

    def int(self) -> str:
        names = [*self.ints] * 3
        leaves = [*names, *self.sizes, "N(0)", "N(1)", "N(2)", "N(-1)", "a.size()", "b.size()"]
        if self.depth <= 0:
            return self.pick(leaves)
        inner = self.inner
        match self.pick(range(14)):
            case 0:
                return f"({inner.int()} + {inner.int()})"
            case 1:
                return f"({inner.int()} - {inner.int()})"
            case 2:
                return f"keys[{inner.position()}]"
            case 3:
                operation = self.pick(["min", "max"])
                return f"{operation}({inner.int()}, {inner.int()})"
            case 4:
                return f"({inner.int()} {self.pick(['//', '%'])} {self.pick([2, 3, -2])})"
            case 5:
                return f"({inner.int()} * {self.pick([2, -1, 3])})"
            case 6:
                return f"where({inner.bool()}, {inner.int()}, {inner.int()})"
            case 7 if self.loops > 0:
                return self.search()
            case 8 if self.loops > 0:
                return self.int_fold()
            case _:
                return self.pick(leaves)

    def position(self) -> str:
        """An index or a shifted index, in most cases."""
        if not self.ints or self.pick([0, 1, 2]) == 0:
            return self.inner.int()
        name = self.pick(self.ints)
        shift = self.pick(["", "", " + 1", " - 1", " + 2", " - 3", " + p", " - p", " + n", " * 2"])
        return name + shift

    def condition(self) -> str:
        """A comparison of an index, as recognised by passes."""
        name = self.pick(self.ints)
        operator = self.pick(["<", "<=", ">", ">=", "==", "!="])
        bound = self.pick(
            ["N(0)", "N(1)", "N(2)", "N(-1)", "p", "n", "p + 1", "a.size() - 1", "a.size()",
             "a.size() - 2", *self.ints, f"keys[{self.pick(self.ints)}]"]
        )  # fmt: skip
        if self.pick([True, False, False]):
            return f"({bound} {operator} {name})"
        return f"({name} {operator} {bound})"

    def bool(self) -> str:
        inner = self.inner
        match self.pick(range(12)):
            case 0 if self.depth > 0:
                return f"({inner.float()} {self.pick(['<', '<=', '>'])} {inner.float()})"
            case 1 if self.depth > 0:
                return f"({inner.bool()} & {inner.bool()})"
            case 2 if self.depth > 0:
                return f"({inner.bool()} | {inner.bool()})"
            case 3 if self.depth > 0:
                return f"~{inner.bool()}"
            case 4 if self.depth > 0 and self.loops > 0:
                k = self.fresh("k")
                body = self.within(k).bool()
                return f"fold_{self.pick(['any', 'all'])}(lambda {k}: {body}, count={self.size()})"
            case _:
                return self.condition()

    # Floats

    def float(self) -> str:
        leaves = [*self.floats, "x", "N(0.0)", "N(1.0)", "N(2.0)", f"a[{self.position()}]"]
        if self.depth <= 0:
            return self.pick(leaves)
        inner = self.inner
        match self.pick(range(16)):
            case 0:
                return f"({inner.float()} {self.pick('+-*')} {inner.float()})"
            case 1 | 2:
                return f"{self.pick(self.vectors)}[{inner.position()}]"
            case 3:
                matrix = self.pick(self.matrices)
                return f"{matrix}[{inner.position()}, {inner.position()}]"
            case 4 | 5:
                return f"where({inner.bool()}, {inner.float()}, {inner.float()})"
            case 6:
                return f"{self.pick(['min', 'max'])}({inner.float()}, {inner.float()})"
            case 7:
                return self.pick(FUNCTIONS).format(inner.float())
            case 8:
                return f"{inner.int()}.float(DTYPE)"
            case 9 | 10 | 11 if self.loops > 0:
                return self.reduction()
            case 12 if self.loops > 0:
                return self.float_fold()
            case 13 if self.loops > 0:
                i = self.fresh("i")
                body = self.within(i).float()
                return f"array(lambda {i}: {body}, size={self.size()})[{self.position()}]"
            case _:
                return self.pick(leaves)

    def reduction(self) -> str:
        """A fold by an operation that libraries reduce by, perhaps of a segment."""
        k = self.fresh("k")
        inner = self.within(k)
        value = f"{inner.float()}" if self.pick([0, 1]) else f"a[{inner.position()}]"
        name, neutral = self.pick(
            [("sum", "N(0.0)"), ("sum", "N(0.0)"), ("sum", "N(0.0)"), ("min", "N(INF)"),
             ("max", "N(-INF)"), ("prod", "N(1.0)")]
        )  # fmt: skip
        if self.pick([True, True, False]):
            value = f"where({inner.bool()}, {value}, {neutral})"
        kind = self.pick(["fold", "fold", "fold", "reduce"])
        return f"{kind}_{name}(lambda {k}: {value}, count={self.size()})"

    def search(self) -> str:
        k = self.fresh("k")
        value = f"{self.within(k).float()}"
        kind, which = self.pick(["fold", "reduce"]), self.pick(["min", "max"])
        return f"{kind}_arg{which}(lambda {k}: {value}, count={self.size()})"

    def int_fold(self) -> str:
        k, s = self.fresh("k"), self.fresh("s")
        inner = self.within(k, s)
        count = self.size()
        match self.pick(range(3)):
            case 0:
                inner = self.within(k)
                return f"fold_sum(lambda {k}: where({inner.bool()}, N(1), N(0)), count={count})"
            case 1:
                step = f"where({inner.bool()}, {s} + {inner.int()}, {s})"
            case _:
                step = inner.int()
        return f"fold({self.pick([0, 1, -2])}, lambda {k}, {s}: {step}, count={count})"

    def float_fold(self) -> str:
        """A fold of a Float, or of a record of which a field is taken."""
        k, s = self.fresh("k"), self.fresh("s")
        count = self.size()
        match self.pick(range(4)):
            case 0:
                inner = self.within(k, floats=[s])
                step = f"where({inner.bool()}, {s} + {inner.float()}, {s})"
                init = self.pick(["0.0", "x", "1.0"])
            case 1:
                inner = self.within(k, floats=[s])
                step, init = f"{inner.float()} + {self.pick([s, 'x', 'N(0.0)'])}", "x"
            case 2:
                u, v = f"{s}[0]", f"{s}[1]"
                inner = self.within(k, floats=[u, v])
                step = f"({inner.float()}, {self.pick([u, inner.float() + ''])})"
                return (
                    f"fold((x, x + 1), lambda {k}, {s}: {step}, count={count})[{self.pick('01')}]"
                )
            case _:
                u, v = f"{s}[0]", f"{s}[1]"
                inner = self.within(k)
                element = self.pick([f"a[{inner.position()}]", f"{inner.float()}"])
                compare = self.pick(["<", "<=", ">", ">="])
                better = self.pick([f"{element} {compare} {u}", f"({u} {compare} {element})"])
                guard = self.pick(["", f" & {inner.bool()}"])
                other = self.pick([f"{inner.float()}", f"b[{inner.position()}]"])
                init = self.pick(["(INF, x)", "(-INF, x)", "(x, x + 1)", "(x * 0, x)"])
                step = f"where(({better}){guard}, ({element}, {other}), {s})"
                return f"fold({init}, lambda {k}, {s}: {step}, count={count})[{self.pick('01')}]"
        return f"fold({init}, lambda {k}, {s}: {step}, count={count})"

    # Vectors

    def vector(self) -> str:
        i = self.fresh("i")
        if self.loops > 0 and self.pick([True, False, False, False, False]):
            return self.scatter()
        match self.pick(range(13)):
            case 0 | 1 | 2:
                return f"array(lambda {i}: {self.within(i).float()}, size={self.size()})"
            case 3:
                inner = self.within(i)
                choice = f"where({inner.bool()}, {inner.float()}, {inner.float()})"
                return f"array(lambda {i}: {choice}, size={self.size()})"
            case 4:
                return self.segments(i)
            case 5:
                return self.prefix(i)
            case 6 | 7:
                return self.vector_fold()
            case 8:
                return f"concat({self.pick(self.vectors)}, {self.pick(self.vectors)})"
            case 9:
                return self.recurrence(self.pick(self.vectors))
            case 11 if self.loops > 0:
                return self.selection()
            case 10:
                ints = self.recurrence("keys")
                return f"(lambda w: array(lambda {i}: w[{i}].float(DTYPE)))({ints})"
            case _:
                return self.updated(self.pick(self.vectors), self)

    def segments(self, c: str) -> str:
        k = self.fresh("k")
        inner = self.within(c, k)
        key = self.pick([f"keys[{k}]", f"keys[{k}] + p", f"{k} % 2", f"{k} - 1", f"{k}"])
        test = self.pick([f"({key} == {c})", f"({c} == {key})"])
        if self.pick([True, False]):
            test = f"{test} & {self.within(k).bool()}"
        value = self.pick(
            [f"a[{k}]", "x", "N(1.0)", f"{self.within(k).float()}", f"{inner.float()}"]
        )
        match self.pick(range(3)):
            case 0:
                total = f"fold_sum(lambda {k}: where({test}, {value}, N(0.0)), count={self.size()})"
            case 1:
                s = self.fresh("s")
                total = (
                    f"fold(x, lambda {k}, {s}: where({test}, {s} + {value}, {s}), "
                    f"count={self.size()})"
                )
            case _:
                name, neutral = self.pick(
                    [("min", "N(INF)"), ("max", "N(-INF)"), ("prod", "N(1.0)")]
                )
                total = (
                    f"fold_{name}(lambda {k}: where({test}, {value}, {neutral}), "
                    f"count={self.size()})"
                )
        return f"array(lambda {c}: {total}, size={self.size()})"

    def prefix(self, i: str) -> str:
        k = self.fresh("k")
        test = self.pick(
            [f"{k} <= {i}", f"{k} < {i}", f"{k} >= {i}", f"{k} > {i}", f"{i} - {k} >= 0",
             f"({k} <= {i}) & ({k} > {i} - 3)", f"{k} < {i} + 1", f"{k} <= {i} + 1"]
        )  # fmt: skip
        value = self.pick([f"a[{k}]", f"a[{k}] * b[{k}]", f"a[{k} + 1]", self.within(k).float()])
        name, neutral = self.pick(
            [
                ("sum", "N(0.0)"),
                ("sum", "N(0.0)"),
                ("min", "N(INF)"),
                ("max", "N(-INF)"),
                ("prod", "N(1.0)"),
            ]
        )
        body = f"fold_{name}(lambda {k}: where({test}, {value}, {neutral}), count={self.size()})"
        return f"array(lambda {i}: {body}, size={self.size()})"

    def updated(self, vector: str, writer: Writer) -> str:
        i = writer.fresh("i")
        place = writer.inner.position()
        test = writer.pick([f"{i} == {place}", f"{place} == {i}", f"{i} - 1 == {place}"])
        if writer.pick([True, False, False]):
            test = f"({test}) & {writer.within().bool()}"
        new = writer.within(*writer.pick([(), (), (i,)])).float()
        size = writer.pick([f"{vector}.size()"] * 3 + [writer.size()])
        return f"array(lambda {i}: where({test}, {new}, {vector}[{i}]), size={size})"

    def recurrence(self, vector: str) -> str:
        """A fold that computes each element of a vector from the previous or the next one."""
        k, s, i = self.fresh("k"), self.fresh("s"), self.fresh("i")
        inner = self.within(i)
        element = inner.int() if vector == "keys" else inner.float()
        cost = self.pick(["0", "1", "2", f"{vector}[{k}]", f"{vector}[{k} + 1]"])
        at, before = self.pick(
            [(f"{k} + 1", k), (f"{s}.size() - 2 - {k}", f"{s}.size() - 1 - {k}")]
        )
        limit = f"array(lambda {i}: {element}, size={vector}.size())[{self.pick([at, k])}]"
        link = self.pick(
            ["min({x} + {c}, {e})", "max({e}, {x} - {c})", "min({e}, {c} + {x})", "{x} + {e}",
             "max({x}, {e})", "min(max({x}, {e}), {c})", "{x} * 2 - {e}"]
        )  # fmt: skip
        new = link.format(x=f"{s}[{before}]", c=cost, e=limit)
        count = self.pick([f"max({vector}.size() - 1, 0)"] * 3 + [self.size()])
        step = f"array(lambda {i}: where({i} == {at}, {new}, {s}[{i}]), size={s}.size())"
        return f"fold({vector}, lambda {k}, {s}: {step}, count={count})"

    def selection(self) -> str:
        """A fold that takes the best remaining element of a vector in each step."""
        k, s, i, r = (self.fresh(prefix) for prefix in "ksir")
        left, vector, count = f"{s}[0]", self.pick(self.vectors), self.size()
        which, lost = self.pick([("min", "INF"), ("max", "-INF"), ("min", "N(1e3)")])
        element, taken, init = f"{left}[{i}]", lost, vector
        if self.pick([True, False]):
            element = f"where({left}[{i}], {lost}, {vector}[{i}])"
            taken, init = (
                "True",
                f"array(lambda {i}: {self.within(i).bool()}, size={vector}.size())",
            )
        best = f"fold_arg{which}(lambda {i}: {element})"
        value = self.pick([f"{best}.float(DTYPE)", f"{vector}[{best}]", f"{best}.float(DTYPE) + x"])
        if init == vector:
            value = self.pick([value, f"{left}[{best}]"])
        found = f"array(lambda {r}: where({r} == {k}, {value}, {s}[1][{r}]))"
        rest = f"array(lambda {i}: where({i} == {best}, {taken}, {left}[{i}]))"
        start = f"({init}, array(lambda {r}: x, size={self.pick([count, self.size()])}))"
        return f"fold({start}, lambda {k}, {s}: ({rest}, {found}), count={count})[1]"

    def vector_fold(self) -> str:
        """A fold of one vector, or of two."""
        k, s = self.fresh("k"), self.fresh("s")
        count = self.size()
        if self.pick([True, False]):
            inner = self.within(k, vectors=[s])
            return (
                f"fold({self.pick(self.vectors)}, lambda {k}, {s}: {inner.step(s)}, count={count})"
            )
        u, v = f"{s}[0]", f"{s}[1]"
        inner = self.within(k, vectors=[u, v])
        new = inner.step(u)
        step = self.pick([f"({v}, {new})", f"({new}, {u})", f"({new}, {v})", f"({new}, {new})",
                          f"({new}, {inner.step(v)})", f"({v}, {u})"])  # fmt: skip
        init = self.pick(["(a, a)", "(a, array(lambda i: a[i] * 2))"])
        if self.pick([True, False]):
            return f"fold({init}, lambda {k}, {s}: {step}, count={count})[{self.pick('01')}]"
        name = self.fresh("w")
        i = self.fresh("i")
        return (
            f"(lambda {name}: array(lambda {i}: {name}[0][{i}] - {name}[1][{i}] * 2))"
            f"(fold({init}, lambda {k}, {s}: {step}, count={count}))"
        )

    def step(self, vector: str) -> str:
        """The next value of a vector, of the same size."""
        i = self.fresh("i")
        if self.pick([True, False]):
            return self.updated(vector, self).rsplit("size=", 1)[0] + f"size={vector}.size())"
        inner = self.within(i)
        body = self.pick([
            f"{vector}[{i}] + 1", f"{vector}[{i} - 1] + {vector}[{i} + 1]",
            f"where({inner.bool()}, {vector}[{i} - 1] + x, {vector}[{i}])",
            f"{inner.float()}", f"{vector}[{vector}.size() - 1 - {i}]",
            f"where({inner.condition()}, {inner.float()}, {vector}[{i}])",
        ])  # fmt: skip
        return f"array(lambda {i}: {body}, size={vector}.size())"

    def other_vector(self, kind: str) -> str:
        """A vector of Ints, of Bools, or of records, of which a field is taken."""
        i = self.fresh("i")
        inner, size = self.within(i), self.size()
        if kind == "ints":
            return f"array(lambda {i}: {inner.int()}, size={size})"
        if kind == "bools":
            return f"array(lambda {i}: {inner.bool()}, size={size})"
        records = f"array(lambda {i}: ({inner.float()}, {inner.int()}), size={size})"
        j, r = self.fresh("j"), self.fresh("w")
        field = self.pick([f"{r}[{self.within(j).position()}][0]", f"{r}[{j}][1]", f"{r}[{j}]"])
        return f"(lambda {r}: array(lambda {j}: {field}, size={self.size()}))({records})"

    def irregular(self) -> str:
        """Loops in a loop over an accumulator, whose counts vary with the counter."""
        k, s, j = self.fresh("k"), self.fresh("s"), self.fresh("j")
        inner = self.within(k, j, floats=[s])
        size = self.pick(["a", "b"]) + ".size()"
        count = self.pick(
            [k, f"{k} + 1", f"max({size} - {k}, 0)", f"max({size} - 1 - {k}, 0)",
             f"min(max(keys[{k}], 0), 3)", f"{k} % 3", f"({k} + 1) // 2"]
        )  # fmt: skip
        value = self.pick([f"a[{j}]", f"a[{j} + {k}] * b[{j}]", f"a[{k} - {j}]", inner.float()])
        kind = self.pick(["sum", "sum", "min", "max", "prod"])
        total = f"fold_{kind}(lambda {j}: {value}, count={count})"
        if kind in ("min", "max"):
            total = f"{total}.min(9.0).max(-9.0)"
        step = self.pick([f"min({s} + {total}, 99.0)", f"max({total}, {s})", f"{total} - {s}"])
        return f"fold(x, lambda {k}, {s}: {step}, count={size})"

    def scatter(self) -> str:
        """A fold that writes elements at positions from the counter or from data."""
        k, s, i = self.fresh("k"), self.fresh("s"), self.fresh("i")
        vector = self.pick(self.vectors)
        at = self.pick(
            [k, f"2 * {k}", f"2 * {k} + 1", f"3 * {k} - 1", f"{vector}.size() - 1 - {k}",
             f"keys[{k}]", f"keys[{k}] - 1", f"{k} // 2", f"{k} % 3", f"{k} + p"]
        )  # fmt: skip
        old = self.pick([f"{s}[{at}]", f"{s}[{at}]", f"{s}[({at}) - 1]", f"{s}[({at}) + 1]"])
        other = self.pick([f"a[{k}]", f"b[{k}]", "x", self.within(k).float()])
        new = self.pick(
            [f"{old} + {other}", f"min({old}, {other})", f"{other}", f"{old} - {other}",
             f"max({old}, {other})", f"{old} * 2 - {other}"]
        )  # fmt: skip
        step = f"array(lambda {i}: where({i} == {at}, {new}, {s}[{i}]), size={s}.size())"
        if self.pick([True, False, False]):
            step = f"where({self.within(k).bool()}, {step}, {s})"
        return f"fold({vector}, lambda {k}, {s}: {step}, count={self.size()})"

    def contraction(self, i: str, j: str) -> str:
        """Sums of products over one or two counters, in any order of axes."""
        k, q = self.fresh("k"), self.fresh("q")
        left = self.pick([f"m[{i}, {k}]", f"m[{k}, {i}]", f"a[{i}] * m[{k}, {i}]", f"a[{k} + {i}]"])
        right = self.pick([f"m[{k}, {j}]", f"m[{j}, {k}]", f"b[{k}]", f"b[{k} - {j}]"])
        third = self.pick(["", "", f" * a[{k}]", " * x", f" * b[{j}]", f" / a[{i}]"])
        value = f"{left} * {right}{third}"
        if self.pick([True, False, False]):
            value = f"where({self.within(i, j, k).condition()}, {value}, 0.0)"
        total = f"fold_sum(lambda {k}: {value}, count={self.pick(['m.size(0)', self.size()])})"
        if self.pick([True, False, False, False]):
            value = f"{value} * m[{q}, {j}]"
            total = f"fold_sum(lambda {k}: fold_sum(lambda {q}: {value}, count=m.size(0)), count=2)"
        return f"array(lambda {i}, {j}: {total}, size=({self.size()}, {self.size()}))"

    def matrix_update(self, i: str, j: str) -> str:
        """A matrix with a row, a column, an element or a part replaced, once or in a fold."""
        k, s = self.fresh("k"), self.fresh("s")
        inner = self.within(i, j, k)
        at = self.pick(["p", k, f"{k} + 1", f"2 * {k}", f"keys[{k}]", f"m.size() - 1 - {k}"])
        test = self.pick(
            [f"{i} == {at}", f"{j} == {at}", f"({i} == {at}) & ({j} == {k})",
             f"({i} == {at}) & ({j} >= {k})", f"{i} % 2 == 1", f"{j} >= {at}"]
        )  # fmt: skip
        new = self.pick(
            [f"{s}[{i}, {j}] + a[{k}]", f"{s}[{at}, {j}] * 2", f"{s}[{i} - 1, {j}] + x",
             f"{s}[{i}, {at}] - {s}[{k}, {j}]", "x", inner.float()]
        )  # fmt: skip
        step = f"array(lambda {i}, {j}: where({test}, {new}, {s}[{i}, {j}]))"
        return f"fold({self.pick(self.matrices)}, lambda {k}, {s}: {step}, count={self.size()})"

    def matrix(self) -> str:
        i, j = self.fresh("i"), self.fresh("j")
        inner = self.within(i, j)
        match self.pick(range(11)):
            case 7 | 8:
                return self.contraction(i, j)
            case 9 | 10:
                return self.matrix_update(i, j)
            case 0:
                return self.windows(i, j)
            case 1:
                return self.matrix_fold(i, j)
            case 2:
                return self.rows_of_exponentials(i, j)
            case 3:
                return f"array(lambda {i}, {j}: {self.pick(self.matrices)}[{j}, {i}])"
            case _:
                pass
        body = inner.float()
        if self.pick([True, False]):
            body = f"where({inner.bool()}, {body}, m[{i}, {inner.position()}])"
        return f"array(lambda {i}, {j}: {body}, size=({self.size()}, {self.size()}))"

    def windows(self, i: str, j: str) -> str:
        """Folds over the elements around each element, of Floats or of counts."""
        p, q = self.fresh("p"), self.fresh("q")
        sign, middle = self.pick("+-"), self.pick([0, 1])
        matrix = self.pick(self.matrices)
        place = f"{i} {sign} {p} - {middle}, {j} {self.pick('+-')} {q} + {middle}"
        value = self.pick(
            [f"{matrix}[{place}]", f"where({matrix}[{place}] > x, N(1), N(0))",
             f"where(({p} == 1) & ({q} == 1), N(0), where({matrix}[{place}] > x, N(1), N(0)))"]
        )  # fmt: skip
        kind, inner_kind = self.pick(
            [("sum", "sum"), ("sum", "sum"), ("max", "max"), ("max", "sum")]
        )
        inner = f"fold_{inner_kind}(lambda {q}: {value}, count={self.pick([2, 3, 'n'])})"
        total = f"fold_{kind}(lambda {p}: {inner}, count={self.pick([2, 3, 'n'])})"
        if value.startswith("where"):
            total = f"where({total} > 1, x, {matrix}[{i}, {j}])"
        return f"array(lambda {i}, {j}: {total}, size=(m.size(0), m.size(1)))"

    def matrix_fold(self, i: str, j: str) -> str:
        """Steps of a grid, which may keep its edges."""
        k, s = self.fresh("k"), self.fresh("s")
        sizes = self.pick([("m.size(0)", "m.size(1)"), (f"{s}.size(0)", f"{s}.size(1)")])
        edge = self.pick(
            [f"{i} == 0", f"({i} == 0) | ({j} == {sizes[1]} - 1)",
             f"({i} == {sizes[0]} - 1) | ({j} == 0)", self.within(i, j, k).bool(),
             f"({i} <= {k}) | ({j} <= {k})", f"({i} < {k}) & ({j} != {k})", f"{i} != {k}",
             f"({j} >= {k}) | ({k} < {i})", f"{j} <= {k}", f"{j} <= {k} + p"]
        )  # fmt: skip
        shifts = self.pick(
            [f"{s}[{i} - 1, {j}] + {s}[{i}, {j} + 1]", f"{s}[{i} + 1, {j}] - {s}[{i}, {j} - 1]",
             f"min({s}[{i}, {j}], {s}[{i}, {k}] + {s}[{k}, {j}])", f"{s}[{i}, {j}] * 2 - x",
             f"{s}[{i}, {j}] - {s}[{i}, {k}] * {s}[{k}, {j}]", f"{s}[{k}, {j}] + {s}[{k}, {k}]"]
        )  # fmt: skip
        step = f"array(lambda {i}, {j}: where({edge}, {s}[{i}, {j}], {shifts}))"
        return f"fold({self.pick(self.matrices)}, lambda {k}, {s}: {step}, count={self.size()})"

    def rows_of_exponentials(self, i: str, j: str) -> str:
        """Each row relative to its largest element, perhaps as parts of their sum."""
        k, matrix = self.fresh("k"), self.pick(self.matrices)
        most = f"fold_max(lambda {k}: {matrix}[{i}, {k}])"
        power = f"({matrix}[{i}, {j}] - {most}).exp()"
        total = f"fold_sum(lambda {k}: ({matrix}[{i}, {k}] - {most.replace(k, k + '_')}).exp())"
        return f"array(lambda {i}, {j}: {self.pick([power, f'{power} / {total}'])})"


RESULTS = (
    *("vector", "vector", "vector", "vector", "ints", "bools", "matrix", "matrix"),
    *("float", "int", "records"),
)
"""The kinds of statements of a function."""


def _statement(writer: Writer, kind: str, name: str) -> tuple[str, Writer]:
    """A statement, and a writer in whose scope its name is."""
    match kind:
        case "vector":
            return writer.vector(), replace(writer, vectors=(*writer.vectors, name))
        case "matrix":
            return writer.matrix(), replace(writer, matrices=(*writer.matrices, name))
        case "float":
            text = writer.pick([writer.float, writer.float, writer.irregular])()
            return text, replace(writer, floats=(*writer.floats, name))
        case "int":
            return writer.int(), replace(writer, ints=(*writer.ints, name))
        case _:
            return writer.other_vector(kind), writer


def write_function(rng: random.Random) -> str:
    """The text of a function ``f`` of ``PARAMETERS`` that returns the values of its statements."""
    writer = Writer(rng)
    lines = list[str]()
    results = list[str]()
    for _ in range(rng.randint(1, 3)):
        name = writer.fresh("r")
        results.append(name)
        text, writer = _statement(writer, rng.choice(RESULTS), name)
        lines.append(f"{name} = {text}")
    if rng.random() < 0.5:
        results = results[-1:]
    body = "\n    ".join([*lines, f"return {', '.join(results)}"])
    return f"def f({', '.join(PARAMETERS)}):\n    {body}\n"


DERIVATIVES = {
    "jvp": "return jvp(g, (a, b, m, x), (a, b, m, x))",
    "vjp": "values, backwards = vjp(g, a, b, m, x)\n    return values, backwards(values)",
}
"""Results of a function and its derivatives, which are linear in the arguments or the results."""


def write_derivative(rng: random.Random) -> str:
    """The text of a function ``f`` of ``PARAMETERS``: a random function and a derivative of it."""
    head, body = write_function(rng).split("\n", 1)
    inner = body.replace("\n    ", "\n        ")
    result = rng.choice((*DERIVATIVES.values(), DERIVATIVES["vjp"]))
    return f"{head}\n    def g(a, b, m, x):\n    {inner}    {result}\n"


FLOATS = (0.0, 1.0, -1.0, 2.0, 3.0, -2.0, 5.0, 1.0, 2.0, -3.0)
ODD_FLOATS = (np.nan, np.inf, -np.inf, -0.0)
INTS = (0, 1, 2, 3, -1, 4, -2, 7)
ODD_INTS = (2**63 - 1, -(2**63), 2**62)


def make_arguments(rng: random.Random, dtype: DTypeLike = "float64") -> tuple[Any, ...]:
    """Values for ``PARAMETERS``; the Floats are small and whole, so that sums are exact."""
    size = rng.choice((3, 2, 1, 0, 4, 5, 7))
    others = [rng.choice((size, size, 0, 1, 2, 3)) for _ in range(4)]
    floats = [*FLOATS, *rng.choice(((), (), ODD_FLOATS))]

    def vector(*shape: int) -> NDArray[Any]:
        count = int(np.prod(shape))
        return np.array(rng.choices(floats, k=count), dtype).reshape(shape)

    keys = np.array(rng.choices(INTS, k=others[3]), np.int64)
    x = np.asarray(rng.choice((2.0, 0.0, -1.0)), dtype)[()]
    p, n = rng.choice((*INTS, *INTS, *ODD_INTS)), rng.choice((0, 1, 2, 3, -1))
    return vector(size), vector(others[0]), vector(others[1], others[2]), keys, x, p, n
