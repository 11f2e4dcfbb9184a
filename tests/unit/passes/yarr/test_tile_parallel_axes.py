"""Tiling preserves the results of programs, for all block sizes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.parser import Parser

from ein_mlir import array, fold_sum, function, pipelines
from ein_mlir.analysis.dominance import check_dominance
from ein_mlir.dialects import yarr
from ein_mlir.interpreters.yarr import run_yarr
from ein_mlir.loading import load_source
from ein_mlir.targets.python.printer import python_source
from tests.selection import examples

KINDS = ("n", "m", "nm", "mn", "n1", "1m")
"""The shapes of values: two unknown sizes, and repeated axes."""

PAIRS = (
    *((kind, kind, kind) for kind in KINDS),
    ("n1", "1m", "nm"),
    ("nm", "n1", "nm"),
    ("1m", "nm", "nm"),
)
"""The shapes of two operands, and of their broadcast result."""

EXACT = ("arith.addf", "arith.subf", "arith.minimumf", "arith.maximumf")
"""Operations that are exact on small whole numbers, in any order."""


NUMPY = (
    "convert-yarr-to-numpy",
    "reuse-buffers",
    "write-into-results",
    "hoist-buffers",
    "emitpy-free-early",
)


def tensor(kind: str, element: str = "f64") -> str:
    return f"tensor<{''.join('1x' if size == '1' else '?x' for size in kind)}{element}>"


@dataclass
class Writer:
    """Writes operations of a block; ``values`` are the names of each shape that are in scope."""

    draw: st.DrawFn
    values: dict[str, list[str]]
    lines: list[str] = field(default_factory=list[str])
    count: list[int] = field(default_factory=lambda: [0])
    depth: int = 0

    def pick(self, options: Sequence[Any]) -> Any:
        return self.draw(st.sampled_from(options))

    def emit(self, kind: str, text: str) -> str:
        self.count[0] += 1
        name = f"%v{self.count[0]}"
        self.lines.append(f"{name} = {text}")
        self.values[kind].append(name)
        return name

    def value(self, kind: str) -> str:
        """Often the newest value, so that operations use each other."""
        known = self.values[kind]
        return self.pick((*known, known[-1], known[-1]))

    def unary(self) -> None:
        kind = self.pick(KINDS)
        name = self.pick(("math.absf", "arith.negf"))
        type_ = tensor(kind)
        self.emit(kind, f"yarr.elementwise {{ {name} }} {self.value(kind)} : ({type_}) -> {type_}")

    def binary(self) -> None:
        lhs, rhs, kind = self.pick(PAIRS)
        self.emit(
            kind,
            f"yarr.elementwise {{ {self.pick(EXACT)} }} {self.value(lhs)}, {self.value(rhs)} : "
            f"({tensor(lhs)}, {tensor(rhs)}) -> {tensor(kind)}",
        )

    def reduce(self) -> None:
        kind, axis = self.pick(("nm", "mn")), self.pick((0, 1))
        name = self.pick(("arith.addf", "arith.maximumf"))
        self.emit(
            kind[1 - axis],
            f"yarr.reduce {self.value(kind)}, [{axis}] by {{ {name} }} : "
            f"{tensor(kind)} -> {tensor('n')}",
        )

    def einsum(self) -> None:
        """Contractions that read a matrix once; small whole numbers are added up exactly."""
        subscripts, kinds, result = self.pick(
            (
                ("ij,ij->i", ("nm", "nm"), "n"),
                ("ij,j->i", ("mn", "n"), "m"),
                ("ij,i->ij", ("nm", "n"), "nm"),
                ("ji,ij->j", ("mn", "nm"), "m"),
            )
        )
        signs = [self.sign(kind) for kind in kinds]
        types = ", ".join(map(tensor, kinds))
        self.emit(
            result,
            f'yarr.einsum "{subscripts}" {", ".join(signs)} : ({types}) -> {tensor(result)}',
        )

    def sign(self, kind: str) -> str:
        """A value cut to 0 or 1."""
        type_, shape, rank = tensor(kind), tensor("1" * len(kind)), len(kind)
        low = self.emit(
            kind,
            f"yarr.elementwise {{ arith.minimumf }} {self.value(kind)}, %one{rank} : "
            f"({type_}, {shape}) -> {type_}",
        )
        return self.emit(
            kind,
            f"yarr.elementwise {{ arith.maximumf }} {low}, %zero{rank} : "
            f"({type_}, {shape}) -> {type_}",
        )

    def unsqueeze(self) -> None:
        kind, axis, result = self.pick((("n", 1, "n1"), ("m", 0, "1m")))
        self.emit(
            result,
            f"yarr.unsqueeze {self.value(kind)}, [{axis}] : {tensor(kind)} -> {tensor(result)}",
        )

    def transpose(self) -> None:
        kind = self.pick(("nm", "mn"))
        type_ = tensor(kind)
        self.emit(kind[::-1], f"yarr.transpose {self.value(kind)}, [1, 0] : {type_} -> {type_}")

    def take(self) -> None:
        kind, axis = self.pick((("n", 0), ("nm", 0), ("mn", 1)))
        type_ = tensor(kind)
        self.emit(
            kind,
            f"yarr.take {self.value(kind)}, {axis}, %p : ({type_}, tensor<?xi64>) -> {type_}",
        )

    def reverse(self) -> None:
        kind = self.pick(("nm", "mn"))
        axis = self.pick((0, 1))
        type_ = tensor(kind)
        self.emit(
            kind,
            f"yarr.slice {self.value(kind)}, {axis}, %last_{kind[axis]}, %{kind[axis]} step -1 : "
            f"{type_} -> {type_}",
        )

    def positions(self) -> None:
        self.count[0] += 1
        name = f"%i{self.count[0]}"
        self.lines.append(f"{name} = yarr.range %n : tensor<?xi64>")
        self.emit(
            "n", f"yarr.elementwise {{ arith.sitofp }} {name} : (tensor<?xi64>) -> tensor<?xf64>"
        )

    def repeat(self) -> None:
        first = self.emit("n1", "yarr.repeat %two, 0, %n : tensor<1x1xf64> -> tensor<?x1xf64>")
        self.emit("nm", f"yarr.repeat {first}, 1, %m : tensor<?x1xf64> -> tensor<?x?xf64>")

    def fold(self) -> None:
        kinds = [self.pick(KINDS) for _ in range(self.pick((1, 2)))]
        inits = [self.value(kind) for kind in kinds]
        self.count[0] += 1
        number = self.count[0]
        names = [f"%acc{number}_{k}" for k in range(len(kinds))]
        scope = {kind: list(values) for kind, values in self.values.items()}
        for kind, name in zip(kinds, names, strict=True):
            scope[kind].append(name)
        body = Writer(self.draw, scope, count=self.count, depth=self.depth + 1)
        body.write(4)
        column = f"%c{number}"
        body.lines.append(
            f"{column} = yarr.take {body.value('mn')}, 0, %k{number} : "
            "(tensor<?x?xf64>, tensor<i64>) -> tensor<?xf64>"
        )
        scope["n"].append(column)
        body.write(2)
        types = ", ".join(map(tensor, kinds))
        yielded = ", ".join(body.value(kind) for kind in kinds)
        bound = ", ".join(f"{name} = {init}" for name, init in zip(names, inits, strict=True))
        results = [f"%r{number}_{k}" for k in range(len(kinds))]
        self.lines += [
            f"{', '.join(results)} = yarr.fold (%k{number} < %m, {bound}) -> {types} {{",
            *(f"  {line}" for line in body.lines),
            f"  yarr.yield {yielded} : {types}",
            "}",
        ]
        for kind, result in zip(kinds, results, strict=True):
            self.values[kind].append(result)

    def write(self, most: int) -> None:
        """Write some operations."""
        rules: list[Callable[[], None]] = [
            *(self.unary, self.binary, self.binary, self.binary, self.reduce, self.unsqueeze),
            *(self.transpose, self.take, self.reverse, self.positions, self.repeat, self.einsum),
        ]
        if self.depth < 2:
            rules.append(self.fold)
        for _ in range(self.draw(st.integers(1, most))):
            self.pick(rules)()


@st.composite
def programs(draw: st.DrawFn) -> str:
    """The text of a function of a matrix and a vector of positions."""
    values = {"nm": ["%a"], "mn": ["%t"], "n": ["%u"], "m": ["%v"], "n1": ["%c"], "1m": ["%r"]}
    writer = Writer(draw, values)
    writer.write(14)
    results = [writer.value(kind) for kind in ("nm", "n", "m")]
    body = "\n".join(writer.lines)
    return f"""
func.func @f(%a: tensor<?x?xf64>, %p: tensor<?xi64>)
    -> (tensor<?x?xf64>, tensor<?xf64>, tensor<?xf64>) {{
  %n = yarr.size %a, 0 : tensor<?x?xf64>
  %m = yarr.size %a, 1 : tensor<?x?xf64>
  %one = arith.constant dense<1> : tensor<i64>
  %zero1 = arith.constant dense<0.0> : tensor<1xf64>
  %zero2 = arith.constant dense<0.0> : tensor<1x1xf64>
  %one1 = arith.constant dense<1.0> : tensor<1xf64>
  %one2 = arith.constant dense<1.0> : tensor<1x1xf64>
  %two = arith.constant dense<2.0> : tensor<1x1xf64>
  %last_n = yarr.elementwise {{ arith.subi }} %n, %one : (tensor<i64>, tensor<i64>) -> tensor<i64>
  %last_m = yarr.elementwise {{ arith.subi }} %m, %one : (tensor<i64>, tensor<i64>) -> tensor<i64>
  %t = yarr.transpose %a, [1, 0] : tensor<?x?xf64> -> tensor<?x?xf64>
  %u = yarr.reduce %a, [1] by {{ arith.addf }} : tensor<?x?xf64> -> tensor<?xf64>
  %v = yarr.reduce %a, [0] by {{ arith.addf }} : tensor<?x?xf64> -> tensor<?xf64>
  %c = yarr.unsqueeze %u, [1] : tensor<?xf64> -> tensor<?x1xf64>
  %r = yarr.unsqueeze %v, [0] : tensor<?xf64> -> tensor<1x?xf64>
  {body}
  func.return {", ".join(results)} : tensor<?x?xf64>, tensor<?xf64>, tensor<?xf64>
}}
"""


def parse(text: str) -> ModuleOp:
    ctx = Context()
    pipelines.register(ctx)
    return Parser(ctx, text).parse_module()


def tiled(text: str) -> ModuleOp:
    """A program with tiles, verified."""
    module = pipelines.run_pipeline(parse(text), ("tile-parallel-axes",))
    module.verify()
    check_dominance(module)
    return module


def assert_same(actual: Any, expected: Any) -> None:
    for a, e in zip(actual, expected, strict=True):
        assert a.dtype == e.dtype
        np.testing.assert_array_equal(a, e)


@settings(max_examples=examples(30))
@given(programs(), st.integers(0, 5), st.integers(0, 3), st.integers(1, 6))
def test_blocks_of_any_size(text: str, n: int, m: int, block_size: int) -> None:
    a = (np.arange(n * m) % 7 - 3.0).reshape(n, m)
    args = a, np.arange(n) * 2 - 1
    expected = run_yarr(parse(text), "f", args)
    module = tiled(text)
    assert_same(run_yarr(module, "f", args, block_size=block_size), expected)
    source = python_source(pipelines.run_pipeline(module, NUMPY))
    small = source.replace("cache_bytes = 2097152", f"cache_bytes = {16 * block_size}")
    assert_same(load_source(small, "f", {})(*args), expected)


STACK = """
func.func @f(%a: tensor<?x?x?xf64>, %b: tensor<?x?x?xf64>) -> tensor<?x?x?xf64> {
  %0 = yarr.einsum "bij,bjk->bik" %a, %b
    : (tensor<?x?x?xf64>, tensor<?x?x?xf64>) -> tensor<?x?x?xf64>
  %1 = yarr.elementwise { math.absf } %0 : (tensor<?x?x?xf64>) -> tensor<?x?x?xf64>
  %2 = yarr.reduce %1, [2] by { arith.maximumf } : tensor<?x?x?xf64> -> tensor<?x?xf64>
  %3 = yarr.unsqueeze %2, [2] : tensor<?x?xf64> -> tensor<?x?x1xf64>
  %4 = yarr.elementwise { arith.subf } %1, %3
    : (tensor<?x?x?xf64>, tensor<?x?x1xf64>) -> tensor<?x?x?xf64>
  %5 = yarr.elementwise { arith.addf } %4, %4
    : (tensor<?x?x?xf64>, tensor<?x?x?xf64>) -> tensor<?x?x?xf64>
  func.return %5 : tensor<?x?x?xf64>
}
"""


@settings(max_examples=examples(20))
@given(*(st.integers(0, 4) for _ in range(4)), st.integers(1, 40))
def test_tiles_in_tiles(b: int, i: int, j: int, k: int, block_size: int) -> None:
    args = np.arange(b * i * j).reshape(b, i, j) % 5.0, np.arange(b * j * k).reshape(b, j, k) % 3.0
    expected = run_yarr(parse(STACK), "f", args)
    module = tiled(STACK)
    (outer, inner) = (op for op in module.walk() if isinstance(op, yarr.TileOp))
    assert outer.is_ancestor(inner)
    assert_same(run_yarr(module, "f", args, block_size=block_size), expected)
    source = python_source(pipelines.run_pipeline(module, NUMPY))
    assert "out[start:stop] = " not in source  # the tile within writes to it
    small = source.replace("cache_bytes = 2097152", f"cache_bytes = {16 * block_size}")
    assert_same(load_source(small, "f", {})(*args), expected)


CHAIN = "%{} = yarr.elementwise {{ math.absf }} %{} : (tensor<?xf64>) -> tensor<?xf64>"


@pytest.mark.one_turn
def test_long_programs_are_tiled_in_linear_time() -> None:
    lines = [CHAIN.format(f"x{k + 1}", f"x{k}") for k in range(1100)]
    text = "func.func @f(%x0: tensor<?xf64>) -> tensor<?xf64> {\n" + "\n".join(lines)
    module = tiled(text + "\nfunc.return %x1100 : tensor<?xf64>\n}")
    (tile,) = (op for op in module.walk() if isinstance(op, yarr.TileOp))
    assert len(list(tile.body.block.ops)) == 1101


def test_many_shifts_along_both_axes_are_cut_along_the_outermost() -> None:
    def pixel(x: Any, i: Any, j: Any) -> Any:
        return fold_sum(
            lambda p: fold_sum(lambda q: (x[i + p - 2, j + q - 2] - x[i, j]).exp(), count=5),
            count=5,
        )

    blurred = function(lambda x: array(lambda i, j: pixel(x, i, j)))
    module = pipelines.run_pipeline(
        blurred.phi(np.ones((3, 3))), (*pipelines.PHI_TO_YARR, "tile-parallel-axes")
    )
    (tile,) = (op for op in module.walk() if isinstance(op, yarr.TileOp))
    assert tile.result_axes == (0,)


@pytest.mark.parametrize("pipeline", ["convert-yarr-to-torch", "convert-yarr-to-jax"])
@settings(max_examples=examples(20))
@given(programs())
def test_other_libraries_put_the_bodies_in_place(pipeline: str, text: str) -> None:
    module = pipelines.run_pipeline(tiled(text), (pipeline,))
    assert not any(op.name.startswith("yarr.") for op in module.walk())
