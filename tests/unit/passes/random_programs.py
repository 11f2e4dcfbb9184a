"""Random programs of phi, for passes that must preserve the results of a program.

Programs are well typed and regular, but may fail: sizes can be negative and assertions wrong, in
loops that run and in loops that do not.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from hypothesis import strategies as st

FLOAT, INT, PAIR = "f64", "i64", "tuple<f64, i64>"
ELEMENTS = (FLOAT, INT, PAIR)
ARGUMENTS = {"v": f"!phi.vec<{FLOAT}>", "p": f"!phi.vec<{PAIR}>", "x": FLOAT, "n": INT}


def vec(element: str) -> str:
    return f"!phi.vec<{element}>"


@dataclass
class Writer:
    """Writes statements; ``values`` and ``sizes`` are the names that are in scope."""

    draw: st.DrawFn
    values: dict[str, list[str]]
    sizes: list[str]
    """The Ints without free indices."""
    lines: list[str] = field(default_factory=list[str])
    count: list[int] = field(default_factory=lambda: [0])
    depth: int = 0

    def fresh(self) -> str:
        self.count[0] += 1
        return f"%v{self.count[0]}"

    def pick(self, options: Sequence[Any]) -> Any:
        return self.draw(st.sampled_from(options))

    def emit(self, text: str, type_: str) -> str:
        name = self.fresh()
        self.lines.append(f"{name} = {text}")
        self.values.setdefault(type_, []).append(name)
        return name

    def constant(self, value: str, type_: str) -> str:
        return self.emit(f"arith.constant {value} : {type_}", type_)

    def value(self, type_: str) -> str:
        """A value of a type that is in scope, or else a new one."""
        if known := self.values.get(type_):
            return self.pick(known)
        if type_ == PAIR:
            return self.emit(f"phi.tuple ({self.value(FLOAT)}, {self.value(INT)}) : {PAIR}", PAIR)
        if type_ == FLOAT:
            return self.constant(self.pick(["0.0", "-0.0", "1.5"]), FLOAT)
        if type_ == INT:
            return self.size()
        return self.array(type_)

    def size(self) -> str:
        if self.sizes and self.draw(st.booleans()):
            return self.pick(self.sizes)
        self.sizes.append(self.constant(self.pick(["0", "1", "2", "-1"]), INT))
        return self.sizes[-1]

    def vector(self) -> tuple[str, str]:
        """A vector and the type of its elements."""
        element = self.pick(ELEMENTS)
        return self.value(vec(element)), element

    def body(self, result: str, variables: Sequence[tuple[str, str]], prefix: str = "") -> str:
        """A block that binds variables and yields a value of a type."""
        inner = Writer(
            self.draw,
            {type_: list(names) for type_, names in self.values.items()},
            list(self.sizes),
            [prefix] if prefix else [],
            self.count,
            self.depth + 1,
        )
        for name, type_ in variables:
            inner.values.setdefault(type_, []).append(name)
        inner.statements()
        value = inner.value(result)
        lines = [*inner.lines, f"phi.yield {value} : {result}"]
        return "{\n" + "\n".join(lines) + "\n}"

    # Statements

    def array(self, type_: str) -> str:
        size, index, position = self.size(), self.fresh(), self.fresh()
        element = type_.removeprefix("!phi.vec<")[:-1]
        cast = f"{position} = arith.index_cast {index} : index to i64"
        body = self.body(element, [(position, INT)], cast)
        return self.emit(f"phi.array ({index} < {size}) -> {type_} {body}", type_)

    def any_array(self) -> None:
        self.array(vec(self.pick(ELEMENTS)))

    def fold(self) -> None:
        type_ = self.pick([FLOAT, PAIR, vec(FLOAT), vec(PAIR)])
        count, init = self.size(), self.value(type_)
        counter, accumulator = self.fresh(), self.fresh()
        body = self.body(type_, [(counter, INT), (accumulator, type_)])
        self.emit(
            f"phi.fold ({counter} < {count}, {accumulator} = {init}) -> {type_} {body}", type_
        )

    def reduce(self) -> None:
        vector, type_ = self.vector()
        identity, x, y = self.value(type_), self.fresh(), self.fresh()
        body = self.body(type_, [(x, type_), (y, type_)])
        self.emit(f"phi.reduce {vector} identity {identity} by ({x}, {y}) -> {type_} {body}", type_)

    def get(self) -> None:
        vector, type_ = self.vector()
        position = self.value(INT)
        self.emit(f"phi.get {vector}[{position}] : {vec(type_)}[i64]", type_)

    def length(self) -> None:
        vector, type_ = self.vector()
        self.sizes.append(self.emit(f"phi.size {vector}, 0 : {vec(type_)}", INT))

    def assertion(self) -> None:
        lhs, rhs = self.size(), self.size()
        self.sizes.append(self.emit(f'phi.assert_eq {lhs}, {rhs}, "m"', INT))

    def concat(self) -> None:
        (lhs, type_) = self.vector()
        rhs = self.value(vec(type_))
        self.emit(f"phi.concat {lhs}, {rhs} : {vec(type_)}", vec(type_))

    def select(self) -> None:
        type_ = self.pick([FLOAT, PAIR])
        condition = self.emit(f"arith.cmpi slt, {self.value(INT)}, {self.value(INT)} : i64", "i1")
        self.emit(
            f"arith.select {condition}, {self.value(type_)}, {self.value(type_)} : {type_}", type_
        )

    def scalar(self) -> None:
        type_, operators = self.pick(
            [(FLOAT, ["addf", "mulf", "maximumf"]), (INT, ["addi", "subi"])]
        )
        operator = self.pick(operators)
        self.emit(f"arith.{operator} {self.value(type_)}, {self.value(type_)} : {type_}", type_)

    def project(self) -> None:
        field, type_ = self.pick([(0, FLOAT), (1, INT)])
        self.emit(f"phi.proj {self.value(PAIR)}, {field} : {PAIR} -> {type_}", type_)

    def pair(self) -> None:
        self.emit(f"phi.tuple ({self.value(FLOAT)}, {self.value(INT)}) : {PAIR}", PAIR)

    def statements(self) -> None:
        simple: list[Callable[[], None]] = [
            self.scalar, self.get, self.project, self.pair, self.select, self.length,
            self.assertion, self.concat,
        ]  # fmt: skip
        loops: list[Callable[[], None]] = [self.any_array, self.fold, self.reduce]
        for _ in range(self.draw(st.integers(0, 3))):
            self.pick(simple + loops if self.depth < 2 else simple)()


@st.composite
def programs(draw: st.DrawFn) -> str:
    """A function ``@f`` of ``ARGUMENTS`` that returns all values defined outside of bodies."""
    values: dict[str, list[str]] = {}
    for name, type_ in ARGUMENTS.items():
        values.setdefault(type_, []).append(f"%{name}")
    writer = Writer(draw, values, ["%n"])
    writer.statements()
    writer.statements()
    results = [(name, type_) for type_, names in writer.values.items() for name in names]
    header = ", ".join(f"%{name}: {type_}" for name, type_ in ARGUMENTS.items())
    types = ", ".join(type_ for _, type_ in results)
    names = ", ".join(name for name, _ in results)
    lines = [
        f"func.func @f({header}) -> ({types}) {{",
        *writer.lines,
        f"func.return {names} : {types}",
        "}",
    ]
    return "\n".join(lines)


def arguments(size: int, n: int) -> list[object]:
    """Arguments of ``@f``: vectors of a size, and numbers."""
    floats = np.linspace(-1.0, 2.0, size)
    return [floats, (floats * 2, np.arange(size)), 0.5, n]


def fingerprint(value: object) -> object:
    """A key that is equal for equal results: dtypes, shapes, and every bit."""
    if isinstance(value, tuple):
        return tuple(map(fingerprint, value))
    array = np.asarray(value)
    return array.dtype, array.shape, array.tobytes()
