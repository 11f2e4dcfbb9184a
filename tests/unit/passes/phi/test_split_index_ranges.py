"""Random choices by intervals of indices: cutting index ranges changes no value.

Conditions are comparisons of indices with constants, sizes and other Ints, in range or not, joined
by and, or and exclusive or; the branches read an array at shifted, mirrored and chosen positions.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from ein_mlir import array, function, where
from ein_mlir.analysis.dominance import check_dominance
from ein_mlir.compiler import compile
from ein_mlir.entry import parse
from ein_mlir.interpreters import run
from ein_mlir.pipelines import run_pipeline
from tests.agreement.comparison import assert_ulps
from tests.selection import examples

BOUNDS = ("-1", "0", "1", "2", "3", "n", "n-1", "n-2", "n+1", "m", "m-1", "k", "k+1", "s")
PREDICATES = ("slt", "sle", "sgt", "sge", "eq", "ne", "ult")
LOGICAL = ("andi", "ori", "xori")

Condition = tuple[str, str, str] | tuple[str, "Condition", "Condition"]
Position = (
    int
    | tuple[str, "Position"]
    | tuple[str, str, "Position"]
    | tuple[str, str, str, "Position", "Position"]
)
Expression = (
    tuple[str, Position, Position] | tuple[str, Condition, "Expression", "Expression"] | str
)

comparisons = st.tuples(
    st.sampled_from(PREDICATES), st.sampled_from(("i", "j", "-i", "i+1")), st.sampled_from(BOUNDS)
)
conditions: st.SearchStrategy[Condition] = st.recursive(
    comparisons, lambda inner: st.tuples(st.sampled_from(LOGICAL), inner, inner), max_leaves=3
)
shifts = st.integers(-2, 2)
positions: st.SearchStrategy[Position] = st.recursive(
    shifts,
    lambda inner: st.one_of(
        st.tuples(st.sampled_from(("abs", "twice")), inner),
        st.tuples(st.just("from"), st.sampled_from(BOUNDS), inner),
        st.tuples(
            st.just("chosen"), st.sampled_from(PREDICATES), st.sampled_from(BOUNDS), inner, inner
        ),
    ),
    max_leaves=4,
)
expressions: st.SearchStrategy[Expression] = st.recursive(
    st.one_of(
        st.tuples(st.just("read"), shifts, shifts),
        st.tuples(st.just("read"), positions, positions),
        st.just("index"),
    ),
    lambda inner: st.one_of(
        st.tuples(st.just("where"), conditions, inner, inner),
        st.tuples(st.just("add"), comparisons, inner, inner),
    ),
    max_leaves=4,
)


def guarded(p: int, q: int, tests: list[tuple[str, int]], others: list[Condition]) -> Expression:
    """``where(0 <= i + p & i + p < n & .., a[i + p, j + q], 0)`` with some of the tests."""
    found = [
        (predicate, f"{index}{shift:+d}", bound)
        for (index, size), shift in zip(("in", "jm"), (p, q), strict=True)
        for predicate, beyond in tests
        for bound in ["0" if predicate == "sge" else f"{size}{beyond:+d}"]
    ]
    condition: Condition = ("sge", "i", "0")
    for test in (*found, *others):
        condition = ("andi", condition, test)
    return ("where", condition, ("read", p, q), "zero")


ends = st.sampled_from(([("sge", 0), ("slt", 0)], [("slt", 0)], [("sge", 0), ("slt", -1)]))
guards = st.builds(
    guarded, shifts, shifts, ends, st.one_of(st.just([]), st.lists(comparisons, max_size=1))
)


def total(terms: list[Expression]) -> Expression:
    first, *rest = terms
    for term in rest:
        first = ("add", ("sge", "i", "0"), first, term)
    return first


stencils = st.lists(guards, min_size=2, max_size=4).map(total)


@dataclass
class Writer:
    """Writes the body of a comprehension over ``%i`` and ``%j``."""

    lines: list[str] = field(default_factory=list[str])

    def emit(self, text: str) -> str:
        name = f"%v{len(self.lines)}"
        self.lines.append(f"{name} = {text}")
        return name

    def shifted(self, base: str, shift: int) -> str:
        constant = self.emit(f"arith.constant {shift} : i64")
        return self.emit(f"arith.addi {base}, {constant} : i64")

    def integer(self, text: str) -> str:
        """``n-1``, ``-i``, ``3``"""
        if text.lstrip("-").isdigit():
            return self.emit(f"arith.constant {text} : i64")
        if text.startswith("-"):
            zero = self.emit("arith.constant 0 : i64")
            return self.emit(f"arith.subi {zero}, {self.integer(text[1:])} : i64")
        return self.shifted(f"%{text[0]}64", int(text[1:])) if text[1:] else f"%{text[0]}64"

    def position(self, base: str, position: Position) -> str:
        """``|i - 1|``, ``n-1 - (i + 2)``, ``i < m ? i : |i|``"""
        match position:
            case int():
                return self.shifted(base, position)
            case ("abs", inner):
                return self.emit(f"math.absi {self.position(base, inner)} : i64")
            case ("twice", inner):
                own = self.position(base, inner)
                return self.emit(f"arith.addi {own}, {own} : i64")
            case ("from", str(bound), inner):
                other = self.position(base, inner)
                return self.emit(f"arith.subi {self.integer(bound)}, {other} : i64")
            case ("chosen", predicate, str(bound), lhs, rhs):
                left, right = self.position(base, lhs), self.position(base, rhs)
                condition = f"arith.cmpi {predicate}, {left}, {self.integer(bound)} : i64"
                return self.emit(f"arith.select {self.emit(condition)}, {left}, {right} : i64")
            case _:
                raise AssertionError(position)

    def condition(self, condition: Condition) -> str:
        first, second, third = condition
        if isinstance(second, str):
            assert isinstance(third, str)
            operands = f"{self.integer(second)}, {self.integer(third)}"
            return self.emit(f"arith.cmpi {first}, {operands} : i64")
        assert not isinstance(third, str)
        return self.emit(f"arith.{first} {self.condition(second)}, {self.condition(third)} : i1")

    def expression(self, expression: Expression) -> str:
        if expression == "zero":
            return self.emit("arith.constant 0.0 : f64")
        if expression == "index":
            number = self.emit("arith.sitofp %i64 : i64 to f64")
            return self.emit(f"math.exp2 {number} : f64")
        match expression:
            case ("read", p, q):
                row = "%i" if p == 0 else self.position("%i64", p)
                column = "%j" if q == 0 else self.position("%j64", q)
                types = ", ".join("index" if at in ("%i", "%j") else "i64" for at in (row, column))
                return self.emit(f"phi.get %a[{row}, {column}] : !phi.vec<!phi.vec<f64>>[{types}]")
            case (str(kind), condition, lhs, rhs):
                left, right = self.expression(lhs), self.expression(rhs)
                if kind == "add":
                    return self.emit(f"arith.addf {left}, {right} : f64")
                chosen = self.condition(condition)
                return self.emit(f"arith.select {chosen}, {left}, {right} : f64")
            case _:
                raise AssertionError(expression)


def program(expression: Expression, sizes: tuple[str, str], nested: bool) -> str:
    """``array (i < sizes[0], j < sizes[1]) { expression }``, as one comprehension or as two."""
    writer = Writer()
    result = writer.expression(expression)
    casts = [f"%{index}64 = arith.index_cast %{index} : index to i64" for index in "ij"]
    body = "\n".join((*writer.lines, f"phi.yield {result} : f64"))
    if nested:
        inner = f"""
          {casts[0]}
          %row = phi.array (%j < %{sizes[1]}64) -> !phi.vec<f64> {{
            {casts[1]}
            {body}
          }}
          phi.yield %row : !phi.vec<f64>"""
        indices = f"%i < %{sizes[0]}64"
    else:
        inner = "\n".join((*casts, body))
        indices = f"%i < %{sizes[0]}64, %j < %{sizes[1]}64"
    return f"""
    func.func @f(%a: !phi.vec<!phi.vec<f64>>, %k64: i64, %s64: i64) -> !phi.vec<!phi.vec<f64>> {{
      %n64 = phi.size %a, 0 : !phi.vec<!phi.vec<f64>>
      %m64 = phi.size %a, 1 : !phi.vec<!phi.vec<f64>>
      %r = phi.array ({indices}) -> !phi.vec<!phi.vec<f64>> {{
        {inner}
      }}
      func.return %r : !phi.vec<!phi.vec<f64>>
    }}
    """


HOTSPOT: Expression = (
    "add",
    ("slt", "i", "n"),
    ("where", ("sgt", "i", "0"), ("read", -1, 0), ("read", 0, 0)),
    ("where", ("slt", "j", "m-1"), ("read", 0, 1), ("read", 0, 0)),
)


BORDERS: Expression = (
    "where",
    ("xori", ("sge", "i", "2"), ("slt", "j", "m-1")),
    ("read", -1, 0),
    ("read", 0, 1),
)
"""Both conditions are known in each part: their exclusive or is, too."""

MIRRORED: Expression = (
    "read",
    ("chosen", "slt", "n", ("abs", -1), ("from", "n-1", ("abs", -1))),
    ("from", "m-1", ("abs", ("from", "m-1", ("abs", -2)))),
)

CLAMPED: Expression = ("read", ("chosen", "slt", "0", -1, ("chosen", "sge", "n", 1, 0)), ("abs", 0))


@settings(max_examples=examples(100))
@given(
    expression=st.one_of(expressions, stencils),
    sizes=st.tuples(st.sampled_from("nms"), st.sampled_from("nms")),
    nested=st.booleans(),
    shape=st.tuples(st.integers(0, 5), st.integers(0, 4)),
    k=st.one_of(st.integers(-3, 7), st.sampled_from((-(2**63), 2**63 - 1))),
    s=st.integers(-1, 5),
)
@example(HOTSPOT, ("n", "m"), False, (1, 1), 0, 0)
@example(HOTSPOT, ("n", "m"), True, (2, 3), 0, 0)
@example(BORDERS, ("n", "m"), False, (4, 3), 0, 0)
@example(MIRRORED, ("n", "m"), False, (4, 3), 0, 0)
@example(MIRRORED, ("s", "m"), True, (1, 2), 0, 5)
@example(CLAMPED, ("n", "s"), False, (3, 4), 0, 5)
def test_random_conditions(
    expression: Expression,
    sizes: tuple[str, str],
    nested: bool,
    shape: tuple[int, int],
    k: int,
    s: int,
) -> None:
    text = program(expression, sizes, nested)
    a = np.arange(1.0, shape[0] * shape[1] + 1).reshape(shape)
    arguments = (a, np.int64(k), np.int64(s))
    try:
        expected = run(parse(text), "f", arguments)
    except ValueError:
        with pytest.raises(ValueError, match="is negative: -1"):
            compile(text)(*arguments)
        return
    for options in ("", "{padded=true}"):
        module = run_pipeline(parse(text), (f"split-index-ranges{options}",))
        module.verify()
        check_dominance(module)
        assert_ulps(run(module, "f", arguments), expected)
    assert_ulps(compile(text)(*arguments), expected)


@pytest.mark.parametrize("steps", [0, 1, 2, 5])
@pytest.mark.parametrize("size", [1, 2, 3])
def test_positions_clip_to_different_ends(size: int, steps: int) -> None:
    """``where(i > 0, a[i - 1], a[i + n])`` is not ``a[i - 1]``: that clips to the first."""

    @function
    def shifted(a: Any, m: Any) -> Any:
        n = a.shape[0]
        return array(lambda i: where(i > 0, a[i - 1], a[i + n]), size=m)

    a = np.arange(1.0, size + 1)
    expected = [a[min(i - 1, size - 1)] if i > 0 else a[-1] for i in range(steps)]
    module = run_pipeline(shifted.phi(a, steps), ("split-index-ranges",))
    np.testing.assert_array_equal(run(module, "shifted", (a, steps)), expected)
