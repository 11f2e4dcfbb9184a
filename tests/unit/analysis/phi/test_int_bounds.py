"""The magnitudes of the Ints of a program."""

from collections.abc import Callable

import pytest
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import SSAValue

from ein_mlir.analysis.arithmetic import MOST
from ein_mlir.analysis.phi.int_bounds import IntBounds

Parse = Callable[[str], ModuleOp]
Find = Callable[[ModuleOp, str], SSAValue]


def fold(step: str, yielded: str = "%r", start: str = "%five") -> str:
    """A function with a loop around a step that computes ``%r`` from ``%x`` and the counter."""
    return f"""
    func.func @f(%n: i64, %b: i1, %a: !phi.vec<i64>) {{
      %one = arith.constant 1 : i64
      %five = arith.constant 5 : i64
      %large = arith.constant 4611686018427387904 : i64
      %s = phi.fold (%k < %n, %x = {start}) -> i64 {{
        {step}
        phi.yield {yielded} : i64
      }}
      func.return
    }}
    """


@pytest.mark.parametrize(
    ("step", "expected"),
    [
        ("%r = arith.addi %x, %one : i64", 5 + MOST),
        ("%r = arith.subi %x, %one : i64", 5 + MOST),
        ("%r = arith.minsi %x, %k : i64", MOST),
        ("%y = arith.addi %x, %one : i64 \n %r = arith.minsi %y, %one : i64", 5),
        ("%r = arith.select %b, %x, %one : i64", 5),
        ("%m = sigma.floormod %n, %five : i64 \n %r = arith.maxsi %m, %x : i64", 5),
        ("%e = arith.extui %b : i1 to i64 \n %r = arith.muli %e, %five : i64", 5),
        ("%y = phi.array (%i < %n) -> !phi.vec<i64> { \n phi.yield %x : i64 \n } \n "
         "%r = phi.get %y[%k] : !phi.vec<i64>[i64]", 5),
        ("%y = phi.get %a[%k] : !phi.vec<i64>[i64] \n %r = arith.minsi %y, %x : i64", None),
        ("%r = arith.addi %x, %x : i64", None),
        ("%r = arith.subi %one, %x : i64", 5 + MOST),
        ("%r = arith.muli %x, %five : i64", None),
        ("%r = arith.addi %x, %large : i64", None),
        ("%y = arith.muli %k, %k : i64 \n %r = arith.addi %x, %y : i64", None),
    ],
)  # fmt: skip
def test_accumulators(step: str, expected: int | None, program: Parse, value: Find) -> None:
    module = program(fold(step))
    bounds = IntBounds(module)
    assert bounds.magnitude(value(module, "s")) == expected
    if expected is not None:
        assert bounds.magnitude(value(module, "r")) is not None


def test_loops_in_loops(program: Parse, value: Find) -> None:
    """Each step of the outer loop adds the sum of all steps of an inner one: they have no bound."""
    inner = """
        %r = phi.fold (%l < %n, %y = %x) -> i64 {
          %z = arith.{op} %y, %one : i64
          phi.yield %z : i64
        }
    """
    module = program(fold(inner.replace("{op}", "minsi")))
    assert IntBounds(module).magnitude(value(module, "s")) == 5
    module = program(fold(inner.replace("{op}", "addi")))
    bounds = IntBounds(module)
    assert all(bounds.magnitude(value(module, name)) is None for name in "srz")


def test_what_a_step_computes_from_an_unbounded_accumulator_is_unknown(
    program: Parse, value: Find
) -> None:
    """``max(x, 0) + 1`` wraps around, and is less than 1 then."""
    step = """
        %zero = arith.constant 0 : i64
        %y = arith.maxsi %x, %zero : i64
        %z = arith.addi %y, %one : i64
        %r = arith.muli %z, %five : i64
    """
    module = program(fold(step))
    bounds = IntBounds(module)
    assert all(bounds.magnitude(value(module, name)) is None for name in "syzr")


def test_premises(program: Parse, value: Find) -> None:
    """Ints from outside of loops, and counts of steps, are small under premises."""
    module = program(
        fold("%y = phi.get %a[%k] : !phi.vec<i64>[i64] \n %r = arith.maxsi %y, %x : i64")
    )
    assert IntBounds(module).magnitude(value(module, "s")) is None
    bounds = IntBounds(module, ordinary=True)
    found = bounds.magnitude(value(module, "s"))
    premises = bounds.premises(value(module, "s"), counts=[value(module, "n")])
    assert {each.value for each in premises} == {value(module, "n"), value(module, "a")}
    (largest,) = {each.largest for each in premises}
    assert found == largest


def test_premises_are_about_values_outside_of_loops(program: Parse, value: Find) -> None:
    module = program(fold("%f = arith.sitofp %k : i64 to f64 \n %r = arith.fptosi %f : f64 to i64"))
    assert IntBounds(module, ordinary=True).magnitude(value(module, "r")) is None
