"""Random programs of several functions: helpers that call each other, states of several arrays.

Vectors and matrices have axes of two sizes, which may be equal; elements are Floats, Ints of
several widths, Bools and complex numbers, also in records. Statements are comprehensions,
reductions, steps of a state, loops with an early exit, orders, and derivatives of the helpers.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np

from tests.fuzzing.element_operations import BINARY, CONVERTED, LEAST, LITERALS, REDUCTIONS, UNARY

PARAMETERS = ("x", "y", "w", "m", "ids", "on", "b8", "i32", "z", "s", "p")


@dataclass(frozen=True)
class Value:
    """A value in scope: its elements are ``name[indices]field``."""

    name: str
    axes: str
    """The letter of each axis."""
    of: str
    """The type of an element: F, I, B, b (u8), i (i32) or C."""
    field: str = ""


GIVEN = (
    Value("x", "n", "F"), Value("y", "n", "F"), Value("w", "k", "F"), Value("m", "nk", "F"),
    Value("ids", "n", "I"), Value("on", "n", "B"), Value("b8", "k", "b"), Value("i32", "n", "i"),
    Value("z", "k", "C"), Value("s", "", "F"), Value("p", "", "I"),
)  # fmt: skip


SIGNATURES = (
    (("", "F"),), (("", "F"), ("", "F")), (("v", "F"),), (("v", "F"), ("", "F")),
    (("v", "F"), ("v", "F")), (("v", "I"), ("", "F")), (("", "C"),), (("", "I"),),
)  # fmt: skip
"""The parameters of helpers: their axes and types; ``v`` is the axis of a helper's vectors."""


@dataclass(frozen=True)
class Helper:
    """A function: the types of its parameters and result, as types of `Value`."""

    name: str
    parameters: tuple[tuple[str, str], ...]
    axes: str
    of: str


def _tuple(names: Sequence[str]) -> str:
    """A tuple of one or several parts."""
    return f"({', '.join(names)}{',' * (len(names) == 1)})"


class Writer:
    """Writes statements over values in scope."""

    def __init__(self, rng: random.Random):
        self.rng = rng
        self.values = list(GIVEN)
        self.helpers = list[Helper]()
        self.sizes = {"n": "x.size()", "k": "w.size()"}
        self.indices = list[tuple[str, str]]()
        """Indices in scope: their axes and names."""
        self.depth = 0
        self.count = 0

    def pick(self, options: Sequence[Any]) -> Any:
        return self.rng.choice(options)

    def fresh(self, prefix: str) -> str:
        self.count += 1
        return f"{prefix}{self.count}"

    @contextmanager
    def within(
        self, axes: str, names: Sequence[str] = (), values: Sequence[Value] = ()
    ) -> Iterator[None]:
        """A scope with indices of axes, and with more values."""
        old = list(self.indices), list(self.values), self.depth
        self.indices += zip(axes, names, strict=True)
        self.values += values
        self.depth += 1
        yield
        self.indices, self.values, self.depth = old

    # Expressions

    def index(self, axis: str) -> str:
        """A position along an axis."""
        own = [name for of, name in self.indices if of == axis]
        others = [name for _, name in self.indices]
        size = self.sizes[axis]
        if own and self.rng.random() < 0.7:
            return self.pick(own)
        name = self.pick(own or others or ["0"])
        return self.pick(
            [f"{name} + 1", f"{name} - 1", f"{size} - 1 - {name}", name, "-1", "0", f"{name} // 2",
             f"ids[{name}]", f"abs(ids[{name}]) % {size}", "p"]
        )  # fmt: skip

    def element(self, of: str) -> str:
        """An element of a value in scope."""
        found = [v for v in self.values if v.of == of]
        if self.indices:
            found += [v for v in found if set(v.axes) & {a for a, _ in self.indices}] * 2
        if not found:
            return self.number(of)
        value = self.pick(found)
        return self.at(value)

    def at(self, value: Value) -> str:
        if not value.axes:
            return value.name + value.field
        return f"{value.name}[{', '.join(map(self.index, value.axes))}]{value.field}"

    def number(self, of: str) -> str:
        """A number, perhaps of an index."""
        if of == "I" and self.indices and self.rng.random() < 0.5:
            return self.pick(self.indices)[1]
        return self.pick(LITERALS[of])

    def expression(self, of: str) -> str:
        """An expression of a type."""
        self.depth += 1
        try:
            if self.depth > 4:
                return self.element(of) if self.rng.random() < 0.8 else self.number(of)
            return self.pick(self.choices(of))(of)
        finally:
            self.depth -= 1

    def choices(self, of: str) -> list[Callable[[str], str]]:
        kinds = [self.element] * 4 + [self.unary, self.binary, self.binary, self.converted]
        kinds += [self.choice, self.reduction, self.reduction]
        if any(h.of == of and not h.axes for h in self.helpers):
            kinds += [self.call] * 3
        if of == "F":
            kinds += [self.derivative]
        return kinds

    def unary(self, of: str) -> str:
        return f"({self.pick(UNARY[of]).format(a=f'({self.element(of)})')})"

    def binary(self, of: str) -> str:
        a, b = self.element(of), self.expression(of)
        return f"({self.pick(BINARY[of]).format(a=f'({a})', b=f'({b})')})"

    def converted(self, of: str) -> str:
        other, text = self.pick(CONVERTED[of])
        return f"({text.format(a=self.expression(other))})"

    def choice(self, of: str) -> str:
        return f"where({self.expression('B')}, {self.expression(of)}, {self.element(of)})"

    def reduction(self, of: str, axes: str = "nk") -> str:
        kind, axis, name = self.pick(REDUCTIONS[of]), self.pick(axes), self.fresh("q")
        element = "F" if kind.startswith("arg") else of
        count = self.sizes[axis]
        if self.rng.random() < 0.2:
            count = self.pick(["2", "abs(p) % 4", f"{count} // 2", *(n for _, n in self.indices)])
        with self.within(axis, [name]):
            body = self.expression(element)
        if kind.startswith("arg"):
            return f"where({count} > 0, fold_{kind}(lambda {name}: {body}, count={count}), 0)"
        text = f"fold_{kind}(lambda {name}: {body}, count={count})"
        if kind in ("max", "min") and of in LEAST:
            low, high = LEAST[of]
            return f"{text}.clip({low}, {high})"
        return text

    def derivative(self, of: str) -> str:
        """The derivative of an expression by one number."""
        name = self.fresh("u")
        with self.within("", (), [Value(name, "", "F")] * 3):
            body = self.expression("F")
        point = self.element("F")
        return self.pick(
            [f"grad(lambda {name}: {body} * {name})({point})",
             f"jvp(lambda {name}: {body} + {name}, ({point},), ({self.element('F')},))[1]"]
        )  # fmt: skip

    # Helpers

    def argument(self, axes: str, of: str) -> str:
        """A value for a parameter, which has a number of axes."""
        if not axes:
            return self.expression(of)
        found = [v for v in self.values if v.of == of and len(v.axes) == len(axes) and not v.field]
        rows = [v for v in self.values if v.of == of and len(v.axes) == len(axes) + 1]
        rows = [v for v in rows if not v.field and v.axes[0] in {a for a, _ in self.indices}]
        if rows and (not found or self.rng.random() < 0.7):
            value = self.pick(rows)
            return f"{value.name}[{self.index(value.axes[0])}]"
        if found and self.rng.random() < 0.7:
            return self.pick(found).name
        return self.comprehension(self.pick("nk"), of)

    def call(self, of: str) -> str:
        helper = self.pick([h for h in self.helpers if h.of == of and not h.axes])
        arguments = [self.argument(*each) for each in helper.parameters]
        return f"{helper.name}({', '.join(arguments)})"

    def helper(self) -> list[str]:
        """The lines of a function of numbers and vectors."""
        name, parameters = self.fresh("h"), self.pick(SIGNATURES)
        names, of = [self.fresh("a") for _ in parameters], self.pick("FFFFIBC")
        axes = "v" if parameters[0] == ("v", "F") and self.rng.random() < 0.3 else ""
        own = [Value(n, a, o) for n, (a, o) in zip(names, parameters, strict=True)]
        with self.inside_helper([*own, *own, *GIVEN[-2:]], f"{names[0]}.size()"):
            if axes:
                result = self.comprehension(axes, of)
            elif parameters[0][0] and self.rng.random() < 0.7:
                result = self.reduction(of, "v")
            else:
                result = self.expression(of)
        self.helpers.append(Helper(name, parameters, axes, of))
        decorator = ["@function"] if self.rng.random() < 0.3 else []
        return [*decorator, f"def {name}({', '.join(names)}):", f"    return {result}"]

    @contextmanager
    def inside_helper(self, values: list[Value], size: str) -> Iterator[None]:
        """The scope of a function, with the size of its vectors."""
        old = self.values, self.depth
        self.values, self.depth, self.sizes["v"] = values, 0, size
        yield
        self.values, self.depth = old
        del self.sizes["v"]

    # Statements: lines, and the values that they define

    def comprehension(self, axes: str, of: str) -> str:
        names = [self.fresh("i") for _ in axes]
        with self.within(axes, names):
            body = self.expression(of)
        sizes = ", ".join(self.sizes[a] for a in axes)
        return f"array(lambda {', '.join(names)}: {body}, size=({sizes},))"

    def assigned(self) -> tuple[list[str], list[Value]]:
        name, of = self.fresh("r"), self.pick("FFFFIBbiC")
        axes = self.pick(["", "n", "n", "k", "nk", "kn", "nn"])
        text = self.comprehension(axes, of) if axes else self.expression(of)
        return [f"{name} = {text}"], [Value(name, axes, of)]

    def records(self) -> tuple[list[str], list[Value]]:
        """An array of records."""
        name, axis, i = self.fresh("r"), self.pick("nk"), self.fresh("i")
        with self.within(axis, [i]):
            first, second, third = (self.expression(of) for of in ("F", "I", "B"))
        record = f"{{'a': {first}, 'b': ({second}, {third})}}"
        line = f"{name} = array(lambda {i}: {record}, size={self.sizes[axis]})"
        fields = (("F", "['a']"), ("I", "['b'][0]"), ("B", "['b'][1]"))
        return [line], [Value(name, axis, of, field) for of, field in fields]

    def of_helper(self) -> tuple[list[str], list[Value]]:
        """The result of a helper with a vector, or a derivative of one."""
        name = self.fresh("r")
        vectors = [h for h in self.helpers if h.parameters[0] == ("v", "F")]
        if not vectors:
            return self.assigned()
        helper = self.pick(vectors)
        axis = self.pick("nk")
        given = [v.name for v in self.values if (v.axes, v.of, v.field) == (axis, "F", "")]
        others = [
            self.pick(given) if axes else self.argument(axes, of)
            for axes, of in helper.parameters[1:]
        ]
        arguments = ", ".join([self.pick(given), *others])
        if helper.axes:
            return [f"{name} = {helper.name}({arguments})"], [Value(name, axis, helper.of)]
        if helper.of != "F":
            return [f"{name} = {helper.name}({arguments})"], [Value(name, "", helper.of)]
        if self.rng.random() < 0.5:
            return [f"{name} = grad({helper.name})({arguments})"], [Value(name, axis, "F")]
        value = self.fresh("r")
        line = f"{value}, {name} = value_and_grad({helper.name})({arguments})"
        return [line], [Value(name, axis, "F"), Value(value, "", "F")]

    def ordered(self) -> tuple[list[str], list[Value]]:
        """Sorted elements, prefixes, or values combined at positions."""
        name, axis = self.fresh("r"), self.pick("nk")
        given = [v.name for v in self.values if (v.axes, v.of, v.field) == (axis, "F", "")]
        a, i = self.pick(given), self.fresh("i")
        with self.within(axis, [i]):
            value, place = self.expression("F"), self.expression("I")
        size = self.sizes[self.pick("nk")]
        text, of = self.pick([
            (f"sort({a})", "F"), (f"argsort({a})", "I"), (f"sort({a}, key=lambda u: -u)", "F"),
            (f"scan({a}, 0.0, lambda u, v: u + v)", "F"),
            (f"scan({a}, -INF, lambda u, v: max(u, v))", "F"),
            (f"accumulate(lambda {i}: ({place}, {value}), size={size}, "
             f"count={self.sizes[axis]})", ""),
        ])  # fmt: skip
        if not of:
            axis, of = ("n" if size == self.sizes["n"] else "k"), "F"
        return [f"{name} = {text}"], [Value(name, axis, of)]

    def loop(self) -> tuple[list[str], list[Value]]:
        """Steps of a state of arrays and numbers, perhaps with an early exit."""
        step, state, count = self.fresh("step"), self.fresh("c"), self.fresh("t")
        kept = [v for v in self.values if not v.field and v.of in "FIBbi"]
        fields = [self.pick(kept) for _ in range(self.pick((1, 2, 2, 3)))]
        is_while = self.rng.random() < 0.4
        names = [self.fresh("c") for _ in fields]
        inner = [Value(n, v.axes, v.of) for n, v in zip(names, fields, strict=True)]
        counter = Value(count, "", "I")
        with self.within("", (), [*inner * 2, counter]):
            lines = [f"{_tuple([*names, count] if is_while else names)} = {state}"]
            news = list[str]()
            for own in inner:
                new = self.stepped(own)
                if self.rng.random() < 0.6:
                    lines.append(f"{own.name} = {new}")
                    new = own.name
                news.append(new)
            condition = self.pick(["True", *[self.expression("B")] * 2])
            if condition == "True":
                condition = f"{count} >= 0"
        news += [f"{count} + 1"] * is_while
        lines.append(f"return {_tuple(news)}")
        init = _tuple([v.name for v in fields] + ["0"] * is_while)
        results = [Value(self.fresh("r"), v.axes, v.of) for v in fields]
        targets = _tuple([v.name for v in results] + ["_"] * is_while)
        limit = self.pick(["2", "3", "abs(p) % 5"])
        if not is_while:
            head = f"def {step}({count}, {state}):"
            call = f"fold({init}, {step}, count={self.pick([limit, self.sizes['n']])})"
            return [head, *(f"    {line}" for line in lines), f"{targets} = {call}"], results
        test = [
            f"def {step}_on({state}):", f"    {_tuple([*names, count])} = {state}",
            f"    return ({count} < {limit}) & ({condition})",
        ]  # fmt: skip
        head = f"def {step}({state}):"
        call = f"fold_while({init}, {step}_on, {step})"
        return [*test, head, *(f"    {each}" for each in lines), f"{targets} = {call}"], results

    def stepped(self, own: Value) -> str:
        """The next value of a field of a state: of the same type and size."""
        if not own.axes:
            return self.expression(own.of) if self.rng.random() < 0.8 else own.name
        names = [self.fresh("i") for _ in own.axes]
        with self.within(own.axes, names):
            before = f"{own.name}[{', '.join(names)}]"
            new = self.expression(own.of)
            place = self.pick(["p", "abs(p)", "0", names[-1]])
            test = self.pick([f"{names[0]} == {place}", self.expression("B")])
            kept = f"where({test}, {new}, {before})", f"where({test}, {before}, {new})"
            body = self.pick([new, *kept])
        sizes = ", ".join(f"{own.name}.size({a})" for a in range(len(own.axes)))
        return f"array(lambda {', '.join(names)}: {body}, size=({sizes},))"

    def program(self) -> str:
        lines = list[str]()
        for _ in range(self.pick((0, 1, 2, 3))):
            lines += self.helper()
        statements = [self.assigned, self.records, self.of_helper, self.loop, self.ordered]
        made = list[Value]()
        for _ in range(self.pick((1, 2, 3, 4))):
            new, values = self.rng.choices(statements, (2, 1, 2, 2, 1))[0]()
            lines += new
            self.values += values * 2
            made += values
        names = list(dict.fromkeys(v.name for v in made))
        results = names if self.rng.random() < 0.5 else names[-1:]
        lines.append(f"return {', '.join(results)}")
        return f"def f({', '.join(PARAMETERS)}):\n    " + "\n    ".join(lines) + "\n"


def write_program(rng: random.Random) -> str:
    """The text of a function ``f`` of `PARAMETERS`."""
    return Writer(rng).program()


FLOATS = (0.0, 1.0, -1.0, 2.0, 0.5, -2.0, 3.0, -0.5)


def make_arguments(rng: random.Random, dtype: str) -> tuple[Any, ...]:
    """Arguments of `PARAMETERS`: two sizes, which may be equal."""
    n, k = rng.choice(((3, 2), (4, 4), (2, 5), (1, 1), (5, 1), (0, 2), (3, 0), (0, 0), (7, 3)))

    def floats(*shape: int) -> Any:
        return np.array(rng.choices(FLOATS, k=int(np.prod(shape))), dtype).reshape(shape)

    def ints(low: int, high: int, size: int, of: str) -> Any:
        return np.array([rng.randrange(low, high) for _ in range(size)], of)

    z = (floats(k) + 1j * floats(k)).astype("complex64" if dtype == "float32" else "complex128")
    s = np.asarray(rng.choice((0.5, 0.0, -1.0)), dtype)[()]
    return (
        floats(n), floats(n), floats(k), floats(n, k), ints(-2, n + 2, n, "int64"),
        ints(0, 2, n, "bool"), ints(0, 256, k, "uint8"), ints(-9, 10, n, "int32"), z, s,
        rng.choice((0, 1, 2, -1, 3)),
    )  # fmt: skip
