"""Drawings: labels, escaping, the form of the DOT text, and the output in a notebook."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import types
import xml.etree.ElementTree as ElementTree
from functools import cache
from importlib.util import find_spec
from pathlib import Path

import pytest
from xdsl.context import Context
from xdsl.dialects import arith, func
from xdsl.dialects.builtin import IntegerAttr, ModuleOp, i64
from xdsl.ir import Block, Operation, Region
from xdsl.parser import Parser
from xdsl.universe import XDSL_UNIVERSE

from ein_mlir.dialects.phi import FoldOp, Phi, YieldOp
from ein_mlir.dialects.yarr import Yarr
from ein_mlir.drawing import Drawing, GraphvizNotFoundError, dot, draw, png, svg
from ein_mlir.drawing.graph import quoted
from ein_mlir.entry import parse
from ein_mlir.universe import TARGETS

ROOT = Path(__file__).parents[2]

PHI = """
func.func @all(%a: !phi.vec<!phi.vec<f64>>, %v: !phi.vec<f64>, %r: tuple<f64, i64>, %n: i64,
    %p: !phi.vec<i64>) {
  %zero = arith.constant 0.0 : f64
  %m = phi.size %a, 1 : !phi.vec<!phi.vec<f64>>
  %e = phi.assert_eq %n, %m, "index i: size of a, size of \\22b\\22"
  %d = phi.array (%i < %n, %j < %e) -> !phi.vec<!phi.vec<f64>> {
    %s = phi.fold (%k < %m, %acc = %zero) -> f64 {
      %x = phi.get %a[%i, %k] : !phi.vec<!phi.vec<f64>>[index, i64]
      %next = arith.addf %acc, %x : f64
      phi.yield %next : f64
    }
    phi.yield %s : f64
  }
  %c = phi.concat %v, %v : !phi.vec<f64>
  %w = phi.extern @sort(%c) : (!phi.vec<f64>) -> !phi.vec<f64>
  %true = arith.constant true
  %on = phi.tuple (%true, %n) : tuple<i1, i64>
  %while = phi.while (%k < %m, %acc = %on) -> tuple<i1, i64> {
    phi.yield %acc : tuple<i1, i64>
  }
  %l = phi.reduce %w identity %zero by (%x, %y) -> f64 {
    phi.yield %y : f64
  }
  %h = phi.argreduce %w by "<=" : !phi.vec<f64>
  %top = phi.top_k %w, %n by ">" : !phi.vec<f64>
  %order = phi.argsort %w : !phi.vec<f64>
  %sorted = phi.sort %w : !phi.vec<f64>
  %place = phi.searchsorted %sorted, %x : !phi.vec<f64>, f64
  %o = phi.scan "add" %v : !phi.vec<f64>
  %weighted = phi.weighted_scan "max" %v by %v : !phi.vec<f64> by !phi.vec<f64>
  %nan = phi.propagate_nan %v from %o : !phi.vec<f64> from !phi.vec<f64>
  %pairs = phi.size %p, 0 : !phi.vec<i64>
  %b = phi.accumulate (%i < %pairs) into "add" (%n) -> !phi.vec<f64> {
    %p0 = phi.get %p[%i] : !phi.vec<i64>[index]
    %value = phi.get %v[%i] : !phi.vec<f64>[index]
    %at = phi.tuple (%p0, %value) : tuple<i64, f64>
    phi.yield %at : tuple<i64, f64>
  }
  %f = phi.proj %r, 0 : tuple<f64, i64> -> f64
  %t = phi.tuple (%f, %n) : tuple<f64, i64>
  %u = phi.update %v[%n], %f : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>
  %us = phi.update_slice %v[%n by %m], %w : !phi.vec<f64>
  %jvp = phi.jvp (%x = %f by %f) : f64 -> tuple<f64, f64> {
    phi.yield %x : f64
  }
  %vjp = phi.vjp (%x = %f by %f) : f64 -> tuple<f64, f64> {
    phi.yield %x : f64
  }
  %linear = phi.transpose (%dx = %f) by %f -> tuple<f64> : f64 {
    phi.yield %dx : f64
  }
  func.return
}
"""

YARR = """
func.func @all(%a: tensor<?x3xf64>, %b: tensor<1x?xf64>, %v: tensor<3xf64>, %p: tensor<?xi64>,
    %n: tensor<i64>, %s: tensor<f64>, %q: tensor<?xf64>) {
  %1 = yarr.assert_eq %n, %n, "sizes"
  %2 = yarr.assert_size %n, "size of index i"
  %3 = yarr.concat %a, %a axis 0 : (tensor<?x3xf64>, tensor<?x3xf64>) -> tensor<?x3xf64>
  %batch = yarr.unsqueeze %a, [0] : tensor<?x3xf64> -> tensor<1x?x3xf64>
  %windows = yarr.correlate %batch, %batch into %n
    : tensor<1x?x3xf64>, tensor<1x?x3xf64> -> tensor<1x1x?xf64>
  %4 = yarr.einsum "ij,j->i" %a, %v : (tensor<?x3xf64>, tensor<3xf64>) -> tensor<?xf64>
  %5 = yarr.elementwise { arith.subf } %v, %v : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xf64>
  %6 = yarr.extern @sort(%a) batch 1 : (tensor<?x3xf64>) -> tensor<?x3xf64>
  %7 = yarr.fill_empty %a, 0 : tensor<?x3xf64> -> tensor<?x3xf64>
  %8 = yarr.fold (%k < %n, %acc = %v) -> tensor<3xf64> {
    yarr.yield %acc : tensor<3xf64>
  }
  %on = arith.constant dense<true> : tensor<i1>
  %while = yarr.while (%k < %n, %more = %on) -> tensor<i1> {
    yarr.yield %more : tensor<i1>
  }
  %9 = yarr.gather %v[%p] : (tensor<3xf64>, tensor<?xi64>) -> tensor<?xf64>
  %10 = yarr.pad %v, 0, %n, %n : tensor<3xf64> -> tensor<?xf64>
  %11 = yarr.range %n : tensor<?xi64>
  %12 = yarr.reduce %a, [1] by { arith.addf } : tensor<?x3xf64> -> tensor<?xf64>
  %order = yarr.argsort %a, 1 : tensor<?x3xf64> -> tensor<?x3xi64>
  %sorted = yarr.sort %a, 1 : tensor<?x3xf64> -> tensor<?x3xf64>
  %places = yarr.searchsorted %v, %v : tensor<3xf64>, tensor<3xf64> -> tensor<3xi64>
  %o = yarr.scan "min" %v, 0 suffixes : tensor<3xf64> -> tensor<4xf64>
  %top = yarr.top_k %a, 1, %n by "<" : tensor<?x3xf64> -> tensor<?x?xi64>
  %weighted = yarr.weighted_scan "max" %v by %v, 0 : tensor<3xf64> by tensor<3xf64>
  %nan = yarr.propagate_nan %v from %a, 0 : tensor<3xf64> from tensor<?x3xf64>
  %ord = yarr.in_order "ik,k->k" %v of %a, %v if finite %v
    : tensor<3xf64> of tensor<?x3xf64>, tensor<3xf64> if finite tensor<3xf64>
  %g = yarr.accumulate "max" %a by %p into %n
    : tensor<?x3xf64> by tensor<?xi64> -> tensor<?x3xf64>
  %13 = yarr.repeat %b, 0, %n : tensor<1x?xf64> -> tensor<?x?xf64>
  %14 = yarr.size %a, 0 : tensor<?x3xf64>
  %15 = yarr.slice %a, 0, %n, %n step -2 clip : tensor<?x3xf64> -> tensor<?x3xf64>
  %16 = yarr.squeeze %b, [0] : tensor<1x?xf64> -> tensor<?xf64>
  %flat = yarr.flatten %a, 0 : tensor<?x3xf64> -> tensor<?xf64>
  %rows = yarr.strided %q, 0, %n, sizes(%n, %n), steps(%n, %n) : tensor<?xf64> -> tensor<?x?xf64>
  %17 = yarr.take %a, 1, %p : (tensor<?x3xf64>, tensor<?xi64>) -> tensor<?x?xf64>
  %18 = yarr.transpose %a, [1, 0] : tensor<?x3xf64> -> tensor<3x?xf64>
  %19 = yarr.tree_reduce %v identity %s : tensor<3xf64> identity tensor<f64> -> tensor<f64> {
  ^bb0(%x: tensor<?xf64>, %y: tensor<?xf64>):
    yarr.yield %y : tensor<?xf64>
  }
  %r = yarr.argreduce %a, 1 by ">" : tensor<?x3xf64> -> tensor<?xi64>
  %z = yarr.tile (%start, %length of %n, %x = %q along 0)
    : (tensor<?xf64>) -> (tensor<?xf64> along 0) {
    yarr.yield %x : tensor<?xf64>
  }
  %t = yarr.tuple %v, %n : (tensor<3xf64>, tensor<i64>) -> tuple<tensor<3xf64>, tensor<i64>>
  %20 = yarr.proj %t, 1 : tuple<tensor<3xf64>, tensor<i64>> -> tensor<i64>
  %21 = yarr.unsqueeze %v, [0, 2] : tensor<3xf64> -> tensor<1x3x1xf64>
  %22 = yarr.update %a[%n] along [1], %q
    : (tensor<?x3xf64>, tensor<i64>, tensor<?xf64>) -> tensor<?x3xf64>
  %scattered = yarr.scatter %a[%p], %a
    : (tensor<?x3xf64>, tensor<?xi64>, tensor<?x3xf64>) -> tensor<?x3xf64>
  %slices = yarr.update_slice %a[%n, %n by %n] along 0, %a
    : (tensor<?x3xf64>, tensor<i64>, tensor<i64>, tensor<i64>, tensor<?x3xf64>) -> tensor<?x3xf64>
  func.return
}
"""

LABELS = {
    "phi.accumulate": "accumulate add (i < pairs)",
    "phi.argreduce": "argreduce <=",
    "phi.argsort": "argsort",
    "phi.sort": "sort",
    "phi.searchsorted": "searchsorted(sorted, x)",
    "phi.array": "array (i < n, j < e)",
    "phi.assert_eq": 'assert n == m\nindex i: size of a, size of "b"',
    "phi.concat": "concat(v, v)",
    "phi.extern": "@sort",
    "phi.fold": "fold (k < m, acc = 0.0)",
    "phi.get": "a[i, k]",
    "phi.jvp": "jvp (x) of f, f",
    "phi.proj": "r.0",
    "phi.propagate_nan": "propagate_nan(v, o)",
    "phi.reduce": "reduce (x, y) of w, 0.0",
    "phi.scan": "scan add",
    "phi.size": "size axis 1",
    "phi.top_k": "top_k > (w, n)",
    "phi.tuple": "(f, n)",
    "phi.transpose": "transpose (dx) of f, f",
    "phi.update": "v[n] := f",
    "phi.update_slice": "v[n::m] := w",
    "phi.vjp": "vjp (x) of f, f",
    "phi.weighted_scan": "weighted_scan max (v, v)",
    "phi.while": "while (k < m, acc = on)",
    "phi.yield": "yield",
    "yarr.argreduce": "argreduce axis 1 >",
    "yarr.argsort": "argsort axis 1",
    "yarr.sort": "sort axis 1",
    "yarr.searchsorted": "searchsorted(v, v)",
    "yarr.assert_eq": "assert n == n\nsizes",
    "yarr.assert_size": "assert n is a size\nsize of index i",
    "yarr.concat": "concat axis 0 (a, a)",
    "yarr.correlate": "correlate(batch, batch, n)",
    "yarr.einsum": "einsum ij,j->i (a, v)",
    "yarr.elementwise": "v - v",
    "yarr.extern": "@sort batch 1",
    "yarr.fill_empty": "fill_empty axis 0",
    "yarr.flatten": "flatten axis 0",
    "yarr.fold": "fold (k < n, acc = v)",
    "yarr.gather": "v[p]",
    "yarr.in_order": "in_order ik,k->k (v, a, v, v)",
    "yarr.pad": "pad axis 0 (v, n, n)",
    "yarr.proj": "t.1",
    "yarr.propagate_nan": "propagate_nan axis 0 (v, a)",
    "yarr.range": "range",
    "yarr.reduce": "reduce + [1]",
    "yarr.repeat": "repeat axis 0 (b, n)",
    "yarr.scan": "scan axis 0 min suffixes",
    "yarr.accumulate": "accumulate max (a, p, n)",
    "yarr.size": "size axis 0",
    "yarr.slice": "slice axis 0 clip step -2 (a, n, n)",
    "yarr.squeeze": "squeeze [0]",
    "yarr.strided": "strided axis 0 (q, n, n, n, n, n)",
    "yarr.take": "take axis 1 (a, p)",
    "yarr.top_k": "top_k axis 1 < (a, n)",
    "yarr.transpose": "transpose [1, 0]",
    "yarr.tree_reduce": "tree_reduce (x, y) of v, s",
    "yarr.tuple": "(v, n)",
    "yarr.unsqueeze": "unsqueeze [0, 2]",
    "yarr.tile": "tile [0] [0] (start, length, x) of n, q",
    "yarr.update": "a[:, n] := q",
    "yarr.scatter": "a[p] := a",
    "yarr.update_slice": "a[n : n + n*n : n] := a",
    "yarr.weighted_scan": "weighted_scan axis 0 max (v, v)",
    "yarr.while": "while (k < n, more = true)",
    "yarr.yield": "yield",
}
"""The label of each operation of phi and yarr in the programs above."""

EMITPY = """
func.func @f(%a: tensor<?x?xf64>) -> tensor<?x1xf64> {
  %axis = emitpy.literal 1 : i64
  %s = emitpy.method %a "sum"(axis = %axis) : (tensor<?x?xf64>, !emitpy.object) -> tensor<?xf64>
  %all = emitpy.slice
  %none = emitpy.literal unit
  %c = emitpy.subscript %s[%all, %none]
    : (tensor<?xf64>, !emitpy.object, !emitpy.object) -> tensor<?x1xf64>
  func.return %c : tensor<?x1xf64>
}
"""


# A reader of the part of DOT that is written ---------------------------------------------------

STRING = r'"(?:[^"\\]|\\.)*"'
ATTRIBUTE = rf"\w+=(?:{STRING}|[\w.]+)"
STATEMENTS = {
    "default": rf"(graph|node|edge) \[({ATTRIBUTE}(?:, {ATTRIBUTE})*)\];",
    "box": r"subgraph (\w+) \{()",
    "style": rf"()({ATTRIBUTE}(?:; {ATTRIBUTE})*);",
    "end": r"()\}()",
    "node": rf"(\w+) \[({ATTRIBUTE}(?:, {ATTRIBUTE})*)\];",
    "edge": rf"(\w+ -> \w+)(?: \[({ATTRIBUTE}(?:, {ATTRIBUTE})*)\])?;",
}


def statements(text: str) -> list[tuple[str, str, dict[str, str]]]:
    """Kind, subject and attributes of each line; a line that is not DOT is an error."""
    first, *lines, last = text.splitlines()
    assert (first, last) == ("digraph program {", "}")
    return [statement(line.strip()) for line in lines]


def statement(line: str) -> tuple[str, str, dict[str, str]]:
    for kind, pattern in STATEMENTS.items():
        if match := re.fullmatch(pattern, line):
            attributes = re.findall(rf"(\w+)=({STRING}|[\w.]+)", match[2] or "")
            return kind, match[1], {name: value.strip('"') for name, value in attributes}
    raise AssertionError(f"no DOT: {line}")


@cache
def drawn(text: str) -> tuple[ModuleOp, list[str]]:
    """A program, and the labels of its drawing."""
    program = parse(text)
    return program, labels(dot(program))


def labels(text: str) -> list[str]:
    """The labels of boxes and nodes, as they are shown: names and types are the last line."""
    shown = (read["label"] for kind, _, read in statements(text) if kind in ("style", "node"))
    return [unescaped(label) for label in shown]


def unescaped(label: str) -> str:
    text = re.sub(r"\\(.)", lambda m: "\n" if m[1] in "nl" else m[1], label)
    return text.replace("&amp;", "&")


def check_structure(text: str) -> None:
    """Bodies are closed, names are unique, and edges join nodes."""
    read, depth = statements(text), 0
    for kind, _, _ in read:
        depth += {"box": 1, "end": -1}.get(kind, 0)
        assert depth >= 0
    assert depth == 0
    names = [subject for kind, subject, _ in read if kind in ("node", "box")]
    assert len(set(names)) == len(names)
    for kind, subject, attributes in read:
        if kind == "edge":
            ends = (attributes[end] for end in ("lhead", "ltail") if end in attributes)
            assert {*subject.split(" -> "), *ends} <= set(names)


# Labels ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("op_type", [*Phi.operations, *Yarr.operations], ids=lambda op: op.name)
def test_every_operation_has_a_label(op_type: type[Operation]):
    program, found = drawn(PHI if op_type.name.startswith("phi.") else YARR)
    assert any(isinstance(op, op_type) for op in program.walk())
    expected = LABELS[op_type.name]
    assert any(re.match(re.escape(expected) + r"(\n|$)", shown) for shown in found)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("%r = arith.addi %x, %y : i64", "+"),
        ("%r = arith.subi %x, %y : i64", "x - y"),
        ("%r = arith.muli %x, %two : i64", "x * 2"),
        ("%r = math.absi %x : i64", "abs"),
        ("%r = arith.maxsi %x, %two : i64", "max(x, 2)"),
        ("%r = sigma.floormod %x, %two : i64", "x % 2"),
        ("%r = arith.cmpi slt, %x, %y : i64", "x < y"),
        ("%r = arith.cmpi ult, %x, %y : i64", "ult(x, y)"),
        ("%r = arith.cmpf oge, %z, %half : f64", "z >= 0.5"),
        ("%r = arith.select %yes, %x, %y : i64", "where(true, x, y)"),
        ("%r = math.sqrt %z : f64", "sqrt"),
        ("%r = math.sqrt %half : f64", "sqrt 0.5"),
        ("%r = math.atan2 %z, %half : f64", "atan2(z, 0.5)"),
        ("%r = func.call @f(%x) : (i64) -> i64", "@f"),
        ("%r = arith.constant dense<[1, 2]> : tensor<2xi64>", "constant dense<[1, 2]>"),
        ("%0 = arith.addi %x, %y : i64 %r = arith.subi %0, %x : i64", "· - x"),
    ],
)
def test_scalar_operations(text: str, expected: str):
    program = parse(
        f"""func.func private @f(i64) -> i64
        func.func @g(%x: i64, %y: i64, %z: f64) {{
          %two = arith.constant 2 : i64
          %half = arith.constant 0.5 : f64
          %yes = arith.constant true
          {text}
          func.return
        }}"""
    )
    (shown,) = [shown for shown in labels(dot(program)) if "\nr : " in shown]
    assert shown.partition("\n")[0] == expected


def test_python_expressions():
    shown = labels(dot(parse(EMITPY)))
    assert shown[2:-1] == ["sum(a, 1)\ns : tensor<?xf64>", "s[:, None]\nc : tensor<?x1xf64>"]


# The graph -------------------------------------------------------------------------------------


def edges(text: str) -> list[str]:
    """The edges, with labels of one line for the nodes that they join."""
    read = statements(text)
    names = {
        subject: unescaped(attributes["label"]).partition("\n")[0]
        for kind, subject, attributes in read
        if kind == "node"
    }
    pairs = (subject.split(" -> ") for kind, subject, _ in read if kind == "edge")
    return [f"{names[tail]} -> {names[head]}" for tail, head in pairs]


@pytest.mark.parametrize("text", [PHI, YARR, EMITPY])
def test_structure(text: str):
    program = parse(text)
    check_structure(dot(program))
    for op in program.walk():
        check_structure(dot(op))


def test_the_same_program_gives_the_same_text():
    assert dot(parse(PHI)) == dot(parse(PHI)) == dot(parse(str(parse(PHI))))
    (function,) = parse(PHI).ops
    assert dot(function) == dot(parse(PHI))


def test_edges_follow_the_operands_in_order():
    assert [edge for edge in edges(dot(parse(PHI))) if edge.endswith("> a[i, k]")] == [
        "a : vec<vec<f64>> -> a[i, k]",
        "i : index -> a[i, k]",
        "k : i64 -> a[i, k]",
    ]


def test_operands_that_no_label_tells_apart_are_numbered():
    text = "%0 = math.absi %x : i64 %1 = math.absi %x : i64 %r = {} %0, %1 : i64 func.return"
    function = f"func.func @f(%x: i64) {{{{ {text} }}}}"
    ordered = dot(parse(function.format("arith.subi")))
    assert re.findall("headlabel=.", ordered) == ["headlabel=1", "headlabel=2"]
    assert "headlabel" not in dot(parse(function.format("arith.addi")))


def test_values_from_outside_are_drawn():
    fold = next(op for op in parse(PHI).walk() if isinstance(op, FoldOp))
    nodes = [read for kind, _, read in statements(dot(fold)) if kind == "node"]
    dashed = [read["label"] for read in nodes if read.get("style") == "dashed"]
    assert dashed == ["m : i64", "a : vec<vec<f64>>", "i : index"]


def test_names_are_shown_as_they_are():
    name = r'weird "\N" \l{a|b} <b>&amp; &lt;'
    function = func.FuncOp(name, ((), ()), Region(Block([func.ReturnOp()])))
    text = dot(ModuleOp([function]))
    check_structure(text)
    assert f"{name}()" in labels(text)[0]


def test_quoting():
    assert quoted("a\0\tb\x1b") == '"a??b?"'
    assert quoted("back\\") == r'"back\\"'
    assert quoted("ends\\\nhere") == r'"ends\\\nhere"'


def test_operations_of_other_dialects():
    """A box that ends in many places, or nowhere, has a node for its operands and results."""
    text = """
      func.func @f(%c: i1, %x: i64) -> i64 {
        %r = scf.if %c -> (i64) {
          scf.yield %x : i64
        } else {
          scf.yield %x : i64
        }
        func.return %r : i64
      }
    """
    ctx = Context()
    for name in ("builtin", "func", "scf"):
        ctx.register_dialect(name, XDSL_UNIVERSE.all_dialects[name])
    drawn = dot(Parser(ctx, text).parse_module())
    check_structure(drawn)
    assert {"c : i1 -> if", "if -> return"} <= set(edges(drawn))


def nested(depth: int) -> ModuleOp:
    """Folds in one another."""
    one = arith.ConstantOp(IntegerAttr(1, i64))
    op: Operation = arith.AddiOp(one, one)
    for _ in range(depth):
        op = FoldOp(one, one, Region(Block([op, YieldOp(op)], arg_types=(i64, i64))))
    return ModuleOp([one, op])


def test_deep_nesting():
    assert dot(nested(1500)).count("subgraph") == 1500


# Pictures --------------------------------------------------------------------------------------

needs_graphviz = pytest.mark.skipif(
    find_spec("graphviz") is None or shutil.which("dot") is None, reason="Graphviz is not installed"
)


class ExecutableNotFound(RuntimeError):
    """The exception of the package without the program."""


def install_fake(monkeypatch: pytest.MonkeyPatch, *, program: bool) -> None:
    """A package `graphviz` whose pictures say which text they show."""

    class Source:
        def __init__(self, text: str):
            self.text = text

        def pipe(self, format_: str) -> bytes:
            if not program:
                raise ExecutableNotFound
            return f"<{format_}>{self.text}".encode()

    fake = types.SimpleNamespace(Source=Source, ExecutableNotFound=ExecutableNotFound)
    monkeypatch.setitem(sys.modules, "graphviz", fake)


def test_pictures(monkeypatch: pytest.MonkeyPatch):
    install_fake(monkeypatch, program=True)
    program = parse(PHI)
    assert svg(program) == f"<svg>{dot(program)}"
    assert png(program) == f"<png>{dot(program)}".encode()


def test_notebooks_show_the_picture(monkeypatch: pytest.MonkeyPatch):
    install_fake(monkeypatch, program=True)
    drawing = draw(parse(PHI))
    assert drawing._repr_svg_() == drawing.svg()
    assert drawing._repr_html_() is None


def test_without_the_package(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(sys.modules, "graphviz", None)
    with pytest.raises(GraphvizNotFoundError, match=re.escape("pip install 'ein-mlir[viz]'")):
        svg(parse(PHI))


def test_without_the_program(monkeypatch: pytest.MonkeyPatch):
    install_fake(monkeypatch, program=False)
    with pytest.raises(GraphvizNotFoundError, match="apt-get install graphviz"):
        png(parse(PHI))


def test_notebooks_fall_back_to_the_text(monkeypatch: pytest.MonkeyPatch):
    install_fake(monkeypatch, program=False)
    drawing = Drawing('digraph { a [label="<&>"]; }')
    assert drawing._repr_svg_() is None
    assert drawing._repr_html_() == "<pre>digraph { a [label=&quot;&lt;&amp;&gt;&quot;]; }</pre>"
    assert str(drawing) == drawing.dot


@needs_graphviz
@pytest.mark.parametrize("text", [PHI, YARR, EMITPY])
def test_graphviz_reads_the_text(text: str):
    run = subprocess.run(
        ["dot", "-Tcanon"], input=dot(parse(text)), capture_output=True, text=True, check=True
    )
    assert run.stderr == ""


@needs_graphviz
def test_graphviz_shows_names_as_they_are():
    name = r'weird "\N" \l{a|b} <b>&amp; &lt;'
    function = func.FuncOp(name, ((), ()), Region(Block([func.ReturnOp()])))
    picture = ElementTree.fromstring(svg(function))
    assert f"{name}()" in list(picture.itertext())
    assert png(function).startswith(b"\x89PNG")


def test_picture_in_the_documents_is_up_to_date():
    """Its text only: the layout depends on the version of Graphviz."""
    program = parse((ROOT / "examples/pairwise_l1.mlir").read_text())
    picture = ElementTree.parse(ROOT / "docs/pairwise_l1.svg").getroot()
    texts = {text.replace("\N{NO-BREAK SPACE}", " ") for text in picture.itertext()}
    assert {line for label in labels(dot(program)) for line in label.split("\n")} - {""} <= texts


# The target ------------------------------------------------------------------------------------


def test_target_name_is_free():
    assert "dot" in TARGETS
    assert "dot" not in XDSL_UNIVERSE.all_targets
