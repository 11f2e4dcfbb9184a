"""Random positions: nested affine, clipped, guarded, with runtime values, on arrays of any size.

For each form of a position (axis, slice, clipped slice, take, gather), the translated program
reads the same elements as the reference interpreter.
"""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from ein_mlir.compiler import compile
from ein_mlir.entry import parse
from ein_mlir.interpreters import run
from ein_mlir.interpreters.yarr import run_yarr
from ein_mlir.pipelines import run_pipeline
from tests.selection import examples

ATOMS = ("%i64", "%j64", "%n", "%p", "0", "1", "2", "-1", "3")
OPERATORS = ("addi", "subi", "muli", "minsi", "maxsi")

Expression = str | tuple[str, "Expression", "Expression"]

expressions: st.SearchStrategy[Expression] = st.recursive(
    st.sampled_from(ATOMS),
    lambda inner: st.tuples(st.sampled_from(OPERATORS), inner, inner),
    max_leaves=5,
)


class Writer:
    """Writes expressions as operations of ``arith``."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def write(self, expression: Expression) -> str:
        if isinstance(expression, str) and expression.startswith("%"):
            return expression
        name = f"%v{len(self.lines)}"
        if isinstance(expression, str):
            self.lines.append(f"{name} = arith.constant {expression} : i64")
            return name
        operator, lhs, rhs = expression
        left, right = self.write(lhs), self.write(rhs)
        name = f"%v{len(self.lines)}"
        self.lines.append(f"{name} = arith.{operator} {left}, {right} : i64")
        return name


Guard = tuple[str, Expression, Expression]
"""A predicate of ``arith.cmpi`` and its operands."""

guards: st.SearchStrategy[Guard] = st.tuples(
    st.sampled_from(("slt", "sge", "eq", "ult")), expressions, expressions
)


def program(
    first: Expression,
    second: Expression,
    sizes: tuple[str, str],
    guard: Guard = ("eq", "0", "0"),
) -> str:
    """``array (i < sizes[0], j < sizes[1]) { where(guard, a[first, second], 0.5) }``"""
    writer = Writer()
    p, q, lhs, rhs = map(writer.write, (first, second, *guard[1:]))
    body = "\n".join(writer.lines)
    return f"""
    func.func @f(%a: !phi.vec<!phi.vec<f64>>, %p: i64, %s: i64) -> !phi.vec<!phi.vec<f64>> {{
      %n = phi.size %a, 0 : !phi.vec<!phi.vec<f64>>
      %m = phi.size %a, 1 : !phi.vec<!phi.vec<f64>>
      %one = arith.constant 1 : i64
      %zero = arith.constant 0 : i64
      %less = arith.subi %n, %one : i64
      %fewer = arith.maxsi %less, %zero : i64
      %r = phi.array (%i < {sizes[0]}, %j < {sizes[1]}) -> !phi.vec<!phi.vec<f64>> {{
        %i64 = arith.index_cast %i : index to i64
        %j64 = arith.index_cast %j : index to i64
        {body}
        %x = phi.get %a[{p}, {q}] : !phi.vec<!phi.vec<f64>>[i64, i64]
        %holds = arith.cmpi {guard[0]}, {lhs}, {rhs} : i64
        %otherwise = arith.constant 0.5 : f64
        %y = arith.select %holds, %x, %otherwise : f64
        phi.yield %y : f64
      }}
      func.return %r : !phi.vec<!phi.vec<f64>>
    }}
    """


@settings(max_examples=examples(150))
@given(
    first=expressions,
    second=expressions,
    sizes=st.tuples(
        st.sampled_from(("%n", "%m", "%s", "%fewer")), st.sampled_from(("%n", "%m", "%s"))
    ),
    shape=st.tuples(st.integers(0, 4), st.integers(0, 3)),
    p=st.integers(-6, 6),
    s=st.integers(0, 5),
)
def test_positions(
    first: Expression,
    second: Expression,
    sizes: tuple[str, str],
    shape: tuple[int, int],
    p: int,
    s: int,
) -> None:
    text = program(first, second, sizes)
    a = np.arange(1.0, shape[0] * shape[1] + 1).reshape(shape)
    arguments = (a, np.int64(p), np.int64(s))
    expected = run(parse(text), "f", arguments)
    module = run_pipeline(parse(text), ("convert-phi-to-yarr", "canonicalize", "cse"))
    module.verify()
    np.testing.assert_array_equal(run_yarr(module, "f", arguments), expected)


@settings(max_examples=examples(100))
@given(
    first=expressions,
    second=expressions,
    guard=guards,
    shape=st.tuples(st.integers(0, 4), st.integers(0, 3)),
    p=st.integers(-6, 6),
    s=st.integers(0, 5),
)
def test_guarded_positions(
    first: Expression, second: Expression, guard: Guard, shape: tuple[int, int], p: int, s: int
) -> None:
    """NumPy reads the same elements through the whole pipeline, for all guards."""
    text = program(first, second, ("%n", "%s"), guard)
    a = np.arange(1.0, shape[0] * shape[1] + 1).reshape(shape)
    arguments = (a, np.int64(p), np.int64(s))
    expected = run(parse(text), "f", arguments)
    np.testing.assert_array_equal(compile(text, backend="numpy")(*arguments), expected)
