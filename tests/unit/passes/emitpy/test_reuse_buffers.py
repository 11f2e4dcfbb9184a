"""Reusing buffers changes neither the results of a program nor its inputs."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from xdsl.context import Context
from xdsl.parser import Parser

from ein_mlir import pipelines
from ein_mlir.dialects import emitpy
from ein_mlir.loading import load_source
from ein_mlir.targets.python.printer import python_source

VECTOR, MATRIX = "tensor<?xi64>", "tensor<?x?xi64>"
ROW, COLUMN = "tensor<1x?xi64>", "tensor<?x1xi64>"
SCALAR, OBJECT = "tensor<i64>", "!emitpy.object"
ARGUMENTS = {"%a": VECTOR, "%b": VECTOR, "%m": MATRIX, "%n": OBJECT}
PIPELINES = (
    ("reuse-buffers",),
    ("reuse-buffers", "emitpy-free-early"),
    (
        "emitpy-cse",
        "shorten-lifetimes",
        "hoist-invariants",
        "sink-selections",
        "reuse-buffers",
        "write-into-results",
        "hoist-buffers",
        "emitpy-free-early",
    ),
)
RANDOM = np.random.default_rng(0)
INPUTS = (
    RANDOM.integers(-5, 6, size=3),
    RANDOM.integers(-5, 6, size=3),
    RANDOM.integers(-5, 6, size=(3, 3)),
)


@dataclass
class Writer:
    """Writes random operations of emitpy; ``values`` are the names in scope by type."""

    draw: st.DrawFn
    values: dict[str, list[str]]
    lines: list[str] = field(default_factory=list[str])
    count: list[int] = field(default_factory=lambda: [0])
    depth: int = 0

    def pick(self, type_: str) -> str:
        """A value in scope or, more often, a new one."""
        known = self.values[type_]
        return known[-1 - self.draw(st.integers(0, min(len(known), 6) - 1))]

    def fresh(self) -> str:
        """A name, in half of the cases one that is printed."""
        self.count[0] += 1
        return f"%v{self.count[0]}" if self.draw(st.booleans()) else f"%{self.count[0]}"

    def emit(self, text: str, type_: str) -> str:
        name = self.fresh()
        self.lines.append(f"{name} = {text}")
        self.values.setdefault(type_, []).append(name)
        return name

    def statement(self) -> None:
        kinds = [self.binary, self.binary, self.ufunc, self.ufunc, self.view, self.scalar]
        kinds += [self.outer, self.choice, self.fresh_array, self.selection, self.selection]
        if self.depth < 2:
            kinds += [self.loop, self.loop]
        self.draw(st.sampled_from(kinds))()

    def array_type(self) -> str:
        return self.draw(st.sampled_from((VECTOR, VECTOR, MATRIX)))

    def binary(self) -> None:
        type_ = self.array_type()
        others = [type_, type_, OBJECT, *([VECTOR] if type_ == MATRIX else [])]
        others += [SCALAR] if SCALAR in self.values else []
        sides = [type_, self.draw(st.sampled_from(others))]
        if self.draw(st.booleans()):
            sides.reverse()
        operator = self.draw(st.sampled_from("+-*&"))
        lhs, rhs = map(self.pick, sides)
        self.emit(
            f'emitpy.binary {lhs} "{operator}" {rhs} : ({", ".join(sides)}) -> {type_}', type_
        )

    def ufunc(self) -> None:
        type_ = self.array_type()
        if self.draw(st.booleans()):
            self.emit(f'emitpy.call "np.abs"({self.pick(type_)}) : ({type_}) -> {type_}', type_)
        else:
            operands = f"{self.pick(type_)}, {self.pick(type_)}"
            types = f"({type_}, {type_}) -> {type_}"
            self.emit(f'emitpy.call "np.maximum"({operands}) : {types}', type_)

    def fresh_array(self) -> None:
        type_ = self.array_type()
        self.emit(f'emitpy.method {self.pick(type_)} "copy"() : ({type_}) -> {type_}', type_)

    def view(self) -> None:
        kind = self.draw(st.integers(0, 3))
        matrix, vector = self.pick(MATRIX), self.pick(VECTOR)
        if kind == 0:
            self.emit(f'emitpy.attr {matrix} "T" : {MATRIX} -> {MATRIX}', MATRIX)
        elif kind == 1:
            types = f"({MATRIX}, {OBJECT}) -> {VECTOR}"
            self.emit(f"emitpy.subscript {matrix}[%one] : {types}", VECTOR)
        elif kind == 2:
            types = f"({VECTOR}, {OBJECT}) -> {VECTOR}"
            self.emit(f"emitpy.subscript {vector}[%back] : {types}", VECTOR)
        else:
            call = f'emitpy.call "np.broadcast_to"({vector}, %shape) view read_only'
            self.emit(f"{call} : ({VECTOR}, {OBJECT}) -> {MATRIX}", MATRIX)

    def outer(self) -> None:
        vector, other = self.pick(VECTOR), self.pick(VECTOR)
        types = f"({VECTOR}, {OBJECT}, {OBJECT})"
        column = self.emit(f"emitpy.subscript {vector}[%all, %none] : {types} -> {COLUMN}", COLUMN)
        row = self.emit(f"emitpy.subscript {other}[%none, %all] : {types} -> {ROW}", ROW)
        types = f"({COLUMN}, {ROW}) -> {MATRIX}"
        self.emit(f'emitpy.binary {column} "-" {row} : {types}', MATRIX)

    def scalar(self) -> None:
        type_ = self.array_type()
        if self.draw(st.booleans()):
            self.emit(f'emitpy.method {self.pick(type_)} "sum"() : ({type_}) -> {SCALAR}', SCALAR)
        else:
            types = f"({VECTOR}, {OBJECT}) -> {SCALAR}"
            self.emit(f"emitpy.subscript {self.pick(VECTOR)}[%one] : {types}", SCALAR)

    def choice(self) -> None:
        type_ = self.array_type()
        if SCALAR not in self.values:
            return
        operands = f"{self.pick(SCALAR)}, {self.pick(type_)}, {self.pick(type_)}"
        types = f"({SCALAR}, {type_}, {type_}) -> {type_}"
        self.emit(f"emitpy.conditional {operands} : {types}", type_)

    def selection(self) -> None:
        type_ = self.array_type()
        mask, other = type_.replace("i64", "i1"), self.draw(st.sampled_from((type_, OBJECT)))
        types = f"({type_}, {type_}) -> {mask}"
        condition = self.fresh()
        self.lines.append(
            f'{condition} = emitpy.binary {self.pick(type_)} "<" {self.pick(type_)} : {types}'
        )
        sides = [(self.pick(type_), type_), (self.pick(other), other)]
        if self.draw(st.booleans()):
            sides.reverse()
        (x, x_type), (y, y_type) = sides
        types = f"({mask}, {x_type}, {y_type}) -> {type_}"
        self.emit(f'emitpy.call "np.where"({condition}, {x}, {y}) : {types}', type_)

    def loop(self) -> None:
        types = self.draw(st.lists(st.sampled_from((VECTOR, MATRIX)), min_size=1, max_size=3))
        inits = [self.pick(type_) for type_ in types]
        accumulators, results = ([self.fresh() for _ in types] for _ in range(2))
        inner = Writer(
            self.draw, {t: list(v) for t, v in self.values.items()}, count=self.count,
            depth=self.depth + 1,
        )  # fmt: skip
        for accumulator, type_ in zip(accumulators, types, strict=True):
            inner.values[type_].append(accumulator)
        for _ in range(self.draw(st.integers(1, 5))):
            inner.statement()
        yields = [inner.pick(type_) for type_ in types]
        counter = self.fresh()
        bound = ", ".join(f"{a} = {i}" for a, i in zip(accumulators, inits, strict=True))
        listed = ", ".join(types)
        self.lines += [
            f"{', '.join(results)} = emitpy.for ({counter} < %n, {bound}) "
            f": {OBJECT} -> {listed} {{",
            *inner.lines,
            f"emitpy.yield {', '.join(yields)} : {listed}",
            "}",
        ]
        for result, type_ in zip(results, types, strict=True):
            self.values[type_].append(result)


@st.composite
def programs(draw: st.DrawFn) -> str:
    """A function of two vectors, a square matrix and a count."""
    writer = Writer(draw, {})
    for name, type_ in ARGUMENTS.items():
        writer.values.setdefault(type_, []).append(name)
    for _ in range(draw(st.integers(1, 12))):
        writer.statement()
    types = draw(st.lists(st.sampled_from((VECTOR, MATRIX)), min_size=1, max_size=3))
    results = [writer.pick(type_) for type_ in types]
    arguments = ", ".join(f"{name}: {type_}" for name, type_ in ARGUMENTS.items())
    body = "\n".join(writer.lines)
    listed = ", ".join(types)
    return f"""
      func.func @f({arguments}) -> ({listed}) {{
        %one = emitpy.literal 1 : i64
        %minus = emitpy.literal -1 : i64
        %none = emitpy.literal unit
        %shape = emitpy.literal array<i64: 3, 3>
        %all = emitpy.slice
        %back = emitpy.slice(%none, %none, %minus : {OBJECT}, {OBJECT}, {OBJECT})
        {body}
        func.return {", ".join(results)} : {listed}
      }}"""


def source(program: str, *passes: str) -> str:
    """The Python of a program after some passes."""
    ctx = Context()
    pipelines.register(ctx)
    module = Parser(ctx, program).parse_module()
    pipelines.run_pipeline(module, passes, ctx)
    module.verify()
    return python_source(module)


def run(text: str, count: int) -> tuple[list[Any], list[Any]]:
    """The results of a program, and its inputs afterwards."""
    inputs = [value.copy() for value in INPUTS]
    results = load_source(text, "f", {})(*inputs, count)
    return [np.copy(r) for r in (results if isinstance(results, tuple) else [results])], inputs


@pytest.mark.one_turn
@given(programs(), st.integers(0, 3))
def test_random_programs(program: str, count: int) -> None:
    plain = source(program)
    expected, _ = run(plain, count)
    for passes in PIPELINES:
        reusing = source(program, *passes)
        actual, inputs = run(reusing, count)
        for a, e in zip(actual, expected, strict=True):
            np.testing.assert_array_equal(a, e, f"{plain}\n{reusing}")
        for value, original in zip(inputs, INPUTS, strict=True):
            np.testing.assert_array_equal(value, original, f"an input changed\n{reusing}")


@pytest.mark.one_turn
def test_long_chains_take_linear_time() -> None:
    """Planning a chain of 2,000 operations takes less than a few seconds."""
    lines = [
        f'%x{k + 1} = emitpy.binary %x{k} "+" %a : ({VECTOR}, {VECTOR}) -> {VECTOR}'
        for k in range(2000)
    ]
    program = f"""
      func.func @f(%a: {VECTOR}) -> {VECTOR} {{
        %x0 = emitpy.method %a "copy"() : ({VECTOR}) -> {VECTOR}
        {" ".join(lines)}
        func.return %x2000 : {VECTOR}
      }}"""
    text = source(program, "reuse-buffers")
    assert text.count("x0 += a") == 2000


def test_overwriting_is_no_pure_operation() -> None:
    """Passes that erase or merge pure operations leave these alone."""
    from xdsl.traits import is_side_effect_free

    from ein_mlir.passes.emitpy.reuse_buffers import ReuseBuffersPass

    ctx = Context()
    pipelines.register(ctx)
    program = f"""
      func.func @f(%a: {VECTOR}) -> {VECTOR} {{
        %x = emitpy.method %a "copy"() : ({VECTOR}) -> {VECTOR}
        %y = emitpy.call "np.abs"(%x) : ({VECTOR}) -> {VECTOR}
        %z = emitpy.binary %y "+" %a : ({VECTOR}, {VECTOR}) -> {VECTOR}
        func.return %z : {VECTOR}
      }}"""
    module = Parser(ctx, program).parse_module()
    ReuseBuffersPass().apply(ctx, module)
    overwriting = [
        op for op in module.walk() if isinstance(op, emitpy.AugmentOp | emitpy.CallIntoOp)
    ]
    assert len(overwriting) == 2
    assert not any(map(is_side_effect_free, overwriting))
