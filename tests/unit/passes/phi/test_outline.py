"""Values are unchanged, names and source locations are kept, the time is linear."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from xdsl.context import Context
from xdsl.dialects import arith
from xdsl.dialects.builtin import FileLineColLoc, IntAttr, ModuleOp, StringAttr

from ein_mlir.analysis.diagnostics import where_written
from ein_mlir.analysis.dominance import check_dominance
from ein_mlir.dialects import phi
from ein_mlir.entry import parse
from ein_mlir.interpreters import run
from ein_mlir.passes.phi.outline import OutlinePass
from tests.fuzzing.phi import arguments, fingerprint, programs
from tests.selection import examples
from tests.unit.passes.large_programs import applied, assert_near_linear


def outcome(module: ModuleOp, size: int, n: int) -> object:
    """The results of a program, or the type of its error."""
    try:
        return fingerprint(run(module, "f", arguments(size, n)))
    except ValueError:
        return ValueError


@settings(max_examples=examples(150))
@given(programs(), st.integers(0, 3), st.integers(-1, 3))
def test_evaluation_is_unchanged(text: str, size: int, n: int):
    module = parse(text)
    expected = outcome(module, size, n)
    OutlinePass().apply(Context(), module)
    module.verify()
    check_dominance(module)
    assert outcome(module, size, n) == expected


@settings(max_examples=examples(50))
@given(programs())
def test_once_is_enough(text: str):
    module = parse(text)
    OutlinePass().apply(Context(), module)
    once = str(module)
    OutlinePass().apply(Context(), module)
    assert str(module) == once


def test_names_and_places_are_kept():
    module = parse("""
        func.func @f(%n: i64, %x: f64) -> !phi.vec<f64> {
          %a = phi.array (%i < %n) -> !phi.vec<f64> {
            %y = arith.addf %x, %x : f64
            phi.yield %y : f64
          }
          func.return %a : !phi.vec<f64>
        }""")
    (op,) = (op for op in module.walk() if isinstance(op, arith.AddfOp))
    op.location = FileLineColLoc(StringAttr("p.py"), IntAttr(3), IntAttr(1))
    OutlinePass().apply(Context(), module)
    (moved,) = (op for op in module.walk() if isinstance(op, arith.AddfOp))
    assert moved.result.name_hint == "y"
    assert where_written(moved) == " (at p.py:3:1)"
    assert moved.parent_op() is next(iter(module.ops))


def deep(depth: int) -> ModuleOp:
    """Comprehensions in comprehensions, each of which uses an index of each one around it."""
    lines = ["func.func @f(%n: i64) -> i64 {", "%s0 = arith.addi %n, %n : i64"]
    for k in range(1, depth + 1):
        lines.append(f"%a{k} = phi.array (%i{k} < %n) -> !phi.vec<i64> {{")
        lines.append(f"%c{k} = arith.index_cast %i{k} : index to i64")
        lines.append(f"%s{k} = arith.addi %s{k - 1}, %c{k} : i64")
    lines.append(f"phi.yield %s{depth} : i64 }}")
    for k in reversed(range(1, depth)):
        lines.append(f"%g{k} = phi.get %a{k + 1}[%n] : !phi.vec<i64>[i64]")
        lines.append(f"phi.yield %g{k} : i64 }}")
    lines.append("%g0 = phi.get %a1[%n] : !phi.vec<i64>[i64]")
    lines.append("func.return %g0 : i64 }")
    return parse("\n".join(lines))


def test_deep_nests():
    module = deep(50)
    before = str(module)
    OutlinePass().apply(Context(), module)
    assert str(module) == before, "nothing is invariant"


@pytest.mark.one_turn
def test_time_is_near_linear():
    assert_near_linear(applied(OutlinePass()))


@pytest.mark.parametrize("names", [("k", "acc"), ("l", "sum")])
def test_equal_bodies_of_any_depth_are_one(names: tuple[str, str]):
    counter, accumulator = names
    nest = """
      %{r} = phi.array (%i{r} < %n) -> !phi.vec<i64> {{
        %s{r} = phi.fold (%{k}{r} < %n, %{a}{r} = %n) -> i64 {{
          %c{r} = arith.index_cast %i{r} : index to i64
          %d{r} = arith.addi %c{r}, %{k}{r} : i64
          %e{r} = arith.addi %d{r}, %{a}{r} : i64
          phi.yield %e{r} : i64
        }}
        phi.yield %s{r} : i64
      }}"""
    first = nest.format(r="p", k="k", a="acc")
    second = nest.format(r="q", k=counter, a=accumulator)
    module = parse(f"""
      func.func @f(%n: i64) -> (!phi.vec<i64>, !phi.vec<i64>) {{
        {first}
        {second}
        func.return %p, %q : !phi.vec<i64>, !phi.vec<i64>
      }}""")
    OutlinePass().apply(Context(), module)
    assert len([op for op in module.walk() if isinstance(op, phi.ArrayOp)]) == 1
