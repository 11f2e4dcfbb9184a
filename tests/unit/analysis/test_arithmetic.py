"""The laws of linear forms, ranges and proofs, on Ints at the ends of their range.

A random expression is evaluated in Python with wrapping; its form, its range and each proof about
it must agree with that for all atoms.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st
from xdsl.dialects import arith, test
from xdsl.dialects.builtin import IntegerAttr, ModuleOp, i32, i64
from xdsl.ir import Operation, SSAValue

from ein_mlir.analysis.arithmetic import (
    INTS,
    MOST,
    SIZES,
    Integers,
    LinearForm,
    Range,
    ints_of,
    value_of_form,
)
from ein_mlir.analysis.arithmetic.forms import wrapped
from ein_mlir.analysis.arithmetic.ranges import RANGES, floored_remainder
from ein_mlir.analysis.arithmetic.scalars import RangeOf, indices_below
from ein_mlir.dialects import phi, sigma
from ein_mlir.dialects.integers import ScalarLevel
from ein_mlir.dialects.phi.integers import PhiLevel, range_of
from ein_mlir.interpreters.scalars import SIGNED, floor_mod

EXTREMES = (-(2**63), -(2**63) + 1, -(2**62), -1, 0, 1, 2, 2**31, 2**62, 2**63 - 1)
INTEGERS = st.sampled_from(EXTREMES) | st.integers(-(2**63), 2**63 - 1) | st.integers(-9, 9)

ATOMS = test.TestOp(result_types=[i64] * 5).results
"""Two Ints, two sizes, and an index below the first size."""

SIZE, INDEX = ATOMS[2], ATOMS[4]

KNOWN: dict[SSAValue, Range] = dict(
    zip(ATOMS, (INTS, INTS, SIZES, Range(0, 7), indices_below(SIZES)), strict=True)
)


class AtomLevel(ScalarLevel):
    """Scalar operations on atoms of known ranges."""

    def constant(self, value: SSAValue) -> int | None:
        return PhiLevel().constant(value)

    def computation(self, value: SSAValue) -> tuple[type[Operation], Sequence[SSAValue]] | None:
        return PhiLevel().computation(value)

    def range(self, value: SSAValue, range_of: RangeOf) -> Range | None:
        return KNOWN.get(value)

    def limit(self, value: SSAValue) -> SSAValue | None:
        return SIZE if value is INDEX else None


def constant(number: int) -> SSAValue:
    return arith.ConstantOp(IntegerAttr(number, i64)).result


RULES = {
    **SIGNED,
    sigma.FloorModOp: floor_mod,
    arith.ShRSIOp: lambda x, distance: x >> (distance if 0 <= distance < 64 else 63),
}

OPERATORS = (
    *(arith.AddiOp, arith.SubiOp, arith.MuliOp, arith.MinSIOp, arith.MaxSIOp),
    *(arith.FloorDivSIOp, sigma.FloorModOp),
    *(arith.AndIOp, arith.OrIOp, arith.XOrIOp, arith.ShRSIOp),
)

values: st.SearchStrategy[SSAValue] = st.recursive(
    st.sampled_from(ATOMS) | st.builds(constant, INTEGERS),
    lambda inner: st.builds(
        lambda op, x, y: op(x, y).result, st.sampled_from(OPERATORS), inner, inner
    ),
    max_leaves=8,
)

environments = st.fixed_dictionaries(
    {
        atom: INTEGERS.map(
            lambda x, r=range_: x if r.low <= x <= r.high else r.low + x % (r.high + 1)
        )
        for atom, range_ in KNOWN.items()
    }
).map(lambda atoms: {**atoms, SIZE: max(atoms[SIZE], 1), INDEX: atoms[INDEX] % max(atoms[SIZE], 1)})


def evaluate(value: SSAValue, atoms: Mapping[SSAValue, int]) -> int:
    """The Int that a value is, by the rules of the reference interpreter."""
    if value in atoms:
        return atoms[value]
    op = value.owner
    assert isinstance(op, Operation)
    number = PhiLevel().constant(value)
    if number is not None:
        return number
    return wrapped(RULES[type(op)](*(evaluate(operand, atoms) for operand in op.operands)))


def integer_of(form: LinearForm, value_of: Mapping[SSAValue, int]) -> int:
    """The sum over the integers."""
    return sum(c * value_of[atom] for atom, c in form.coefficients.items()) + form.constant


@dataclass(frozen=True)
class Numbers:
    """Numbers of Python, which wrap."""

    def integer(self, number: int) -> int:
        assert wrapped(number) == number
        return number

    def combined(self, lhs: int, symbol: str, rhs: int) -> int:
        return wrapped({"+": lhs + rhs, "-": lhs - rhs, "*": lhs * rhs}[symbol])

    def negated(self, operand: int) -> int:
        return wrapped(-operand)


class Known(dict[SSAValue, int]):
    """The values of all subexpressions, computed when they are asked for."""

    def __init__(self, atoms: Mapping[SSAValue, int]):
        super().__init__(atoms)
        self.atoms = atoms

    def __missing__(self, value: SSAValue) -> int:
        return evaluate(value, self.atoms)


@given(values, environments)
def test_a_form_is_equal_to_its_value(value: SSAValue, atoms: dict[SSAValue, int]) -> None:
    form, known = Integers(AtomLevel()).form(value), Known(atoms)
    assert wrapped(integer_of(form, known)) == evaluate(value, atoms)
    assert value_of_form(form, Numbers(), known.__getitem__) == evaluate(value, atoms)


@given(values, environments)
def test_a_value_is_in_its_range(value: SSAValue, atoms: dict[SSAValue, int]) -> None:
    number = evaluate(value, atoms)
    found = Integers(AtomLevel()).range(value)
    assert found.low <= number <= found.high


@given(values, environments)
def test_an_exact_form_is_the_value_as_an_integer(
    value: SSAValue, atoms: dict[SSAValue, int]
) -> None:
    integers, known = Integers(AtomLevel()), Known(atoms)
    assert integer_of(integers.integer(value), known) == evaluate(value, atoms)
    form = integers.form(value)
    if integers.is_exact(form):
        assert integer_of(form, known) == evaluate(value, atoms)


@given(values, values, environments)
def test_proofs_hold(lhs: SSAValue, rhs: SSAValue, atoms: dict[SSAValue, int]) -> None:
    integers = Integers(AtomLevel())
    x, y = integers.integer(lhs), integers.integer(rhs)
    if integers.equal(x, y):
        assert evaluate(lhs, atoms) == evaluate(rhs, atoms)
    if integers.is_at_most(x, y):
        assert evaluate(lhs, atoms) <= evaluate(rhs, atoms)
    if integers.is_below(x, y):
        assert evaluate(lhs, atoms) < evaluate(rhs, atoms)


@given(values, values, environments)
def test_equal_forms_are_equal_ints(
    lhs: SSAValue, rhs: SSAValue, atoms: dict[SSAValue, int]
) -> None:
    integers = Integers(AtomLevel())
    x, y = integers.form(lhs), integers.form(rhs)
    difference = (x - y).known()
    if difference is not None:
        assert wrapped(evaluate(lhs, atoms) - evaluate(rhs, atoms)) == difference
    if x == y:
        assert hash(x) == hash(y)
        assert difference == 0


ranges = st.tuples(st.integers(-9, 9), st.integers(-9, 9)).map(lambda ends: Range(*sorted(ends)))


@pytest.mark.parametrize("operation", [*OPERATORS, arith.SelectOp])
@given(ranges, ranges)
def test_ranges_contain_all_results(operation: type[Operation], x: Range, y: Range) -> None:
    def numbers(range_: Range) -> range:
        return range(range_.low, range_.high + 1)

    if operation is arith.SelectOp:
        found = RANGES[operation](Range(0, 1), x, y)
        results = {*numbers(x), *numbers(y)}
    else:
        rule = floored_remainder if operation is sigma.FloorModOp else RANGES[operation]
        found = rule(x, y)
        results = {RULES[operation](a, b) for a in numbers(x) for b in numbers(y)}
    assert found.low <= min(results) <= max(results) <= found.high


def test_what_is_proved() -> None:
    """Proofs by ranges, extrema, quotients and the distance of equal integers."""
    s, _, n, m, _ = ATOMS
    integers = Integers(AtomLevel())
    of, number = integers.integer, LinearForm.number
    clipped = arith.MaxSIOp(arith.MinSIOp(s, n).result, constant(0)).result
    half = arith.FloorDivSIOp(n, constant(2)).result
    assert integers.is_at_most(of(clipped), of(n))
    assert integers.is_nonnegative(of(clipped))
    assert integers.is_at_most(of(half) * 2, of(n))
    assert integers.is_below(of(m), number(8))
    assert not integers.is_below(of(m), number(7))
    assert integers.is_exact(of(n) - of(clipped))
    assert integers.form(arith.SubiOp(arith.AddiOp(s, n).result, n).result) == LinearForm.of(s)


def test_a_size_with_an_index_is_positive() -> None:
    integers = Integers(AtomLevel())
    size, index = integers.integer(SIZE), integers.integer(INDEX)
    before = arith.MaxSIOp(arith.SubiOp(INDEX, constant(1)).result, constant(0)).result
    assert integers.is_below(integers.integer(before), size)
    assert integers.is_at_most(index, size - 1)
    assert not integers.is_nonnegative(size - 1), "an empty size has no index"
    behind = arith.MinSIOp(arith.AddiOp(INDEX, constant(1)).result, constant(0)).result
    assert integers.is_below(integers.integer(behind), size)
    other = arith.MaxSIOp(arith.SubiOp(INDEX, constant(1)).result, constant(1)).result
    assert not integers.is_below(integers.integer(other), size)


def test_an_extreme_that_ranges_decide_is_an_operand() -> None:
    integers = Integers(AtomLevel())
    after = arith.SubiOp(arith.AddiOp(INDEX, constant(2)).result, constant(1)).result
    known = LinearForm.of(INDEX) + 1
    assert integers.form(arith.MaxSIOp(after, constant(0)).result) == known
    assert integers.form(arith.MinSIOp(constant(-1), after).result).known() is None
    undecided = arith.MaxSIOp(after, constant(2)).result
    assert integers.form(undecided) == LinearForm.of(undecided)


def test_what_is_not_proved() -> None:
    """A sum with any Int may wrap: it is an integer of its own, about which nothing follows."""
    s, _, n, *_ = ATOMS
    integers = Integers(AtomLevel())
    after = arith.AddiOp(s, constant(1)).result
    assert not integers.is_exact(integers.form(after))
    assert integers.integer(after) == LinearForm.of(after)
    assert not integers.is_below(integers.integer(s), integers.integer(after))
    assert not integers.is_nonnegative(LinearForm.of(n) - LinearForm.of(s))
    assert (LinearForm.number(2**62) + 2**62).known() == -(2**63)


def test_a_size_that_is_a_sum_is_exact() -> None:
    """``s + 1`` is no-wrap if it is a size: else it would be negative."""
    s = ATOMS[0]
    after = arith.AddiOp(s, constant(1)).result
    assert Integers(AtomLevel()).integer(after, SIZES) == LinearForm.of(s) + 1


def test_integers_of_32_bits_have_no_forms() -> None:
    """A sum of 32 bits wraps at another number."""
    x, y = test.TestOp(result_types=[i32, i32]).results
    total = arith.AddiOp(x, y).result
    wide = arith.ExtSIOp(total, i64).result
    integers = Integers(PhiLevel())
    assert integers.form(total) == LinearForm.of(total)
    assert integers.form(wide) == LinearForm.of(wide)
    assert integers.range(wide) == ints_of(32)


def test_an_element_has_the_range_of_those_of_its_comprehension(
    program: Callable[[str], ModuleOp], value: Callable[[ModuleOp, str], SSAValue]
) -> None:
    """That of an empty array is zero, whatever its elements would be."""
    module = program("""
    func.func @f(%n: i64, %k: i64) -> (i64, !phi.vec<i64>) {
      %seven = arith.constant 7 : i64
      %a = phi.array (%i < %n) -> !phi.vec<i64> {
        phi.yield %seven : i64
      }
      %rows = phi.array (%i < %n) -> !phi.vec<!phi.vec<i64>> {
        phi.yield %a : !phi.vec<i64>
      }
      %x = phi.get %a[%k] : !phi.vec<i64>[i64]
      %y = phi.get %rows[%k, %k] : !phi.vec<!phi.vec<i64>>[i64, i64]
      %row = phi.get %rows[%k] : !phi.vec<!phi.vec<i64>>[i64]
      %z = arith.addi %x, %y : i64
      func.return %z, %row : i64, !phi.vec<i64>
    }
    """)
    assert range_of(value(module, "x")) == Range(0, 7)
    assert range_of(value(module, "y")) == INTS


def test_indices_are_below_sizes(
    program: Callable[[str], ModuleOp], value: Callable[[ModuleOp, str], SSAValue]
) -> None:
    module = program("""
    func.func @f(%s: i64, %a: !phi.vec<f64>) -> !phi.vec<i64> {
      %one = arith.constant 1 : i64
      %n = phi.size %a, 0 : !phi.vec<f64>
      %zero = arith.constant 0 : i64
      %most = arith.maxsi %s, %zero : i64
      %r = phi.array (%i < %s) -> !phi.vec<i64> {
        %k = arith.index_cast %i : index to i64
        %next = arith.addi %k, %one : i64
        phi.yield %next : i64
      }
      func.return %r : !phi.vec<i64>
    }
    """)
    assert range_of(value(module, "next")) == Range(1, MOST)
    assert range_of(value(module, "n")) == SIZES
    assert range_of(value(module, "most")) == Range(0, INTS.high)
    index = next(op for op in module.walk() if isinstance(op, phi.ArrayOp)).indices[0]
    integers = Integers(PhiLevel())
    assert integers.is_below(LinearForm.of(index), integers.integer(value(module, "s")))


def test_sizes_that_are_equal_modulo_all_ints_are_equal(
    program: Callable[[str], ModuleOp], value: Callable[[ModuleOp, str], SSAValue]
) -> None:
    module = program("""
    func.func @f(%r: i64, %a: !phi.vec<f64>) -> !phi.vec<i64> {
      %two = arith.constant 2 : i64
      %one = arith.constant 1 : i64
      %n = phi.size %a, 0 : !phi.vec<f64>
      %width = arith.muli %r, %two : i64
      %rest = arith.subi %n, %width : i64
      %taps = arith.addi %width, %one : i64
      %s = phi.array (%i < %rest, %k < %taps) -> !phi.vec<!phi.vec<i64>> {
        %p = arith.index_cast %i : index to i64
        %q = arith.index_cast %k : index to i64
        %sum = arith.addi %p, %q : i64
        phi.yield %sum : i64
      }
      %t = phi.get %s[%one] : !phi.vec<!phi.vec<i64>>[i64]
      func.return %t : !phi.vec<i64>
    }
    """)
    integers = Integers(PhiLevel())
    size, position = (integers.integer(value(module, name)) for name in ("n", "sum"))
    assert integers.is_below(position, size)
    assert not integers.is_below(position + 1, size)
    assert not integers.is_at_most(integers.integer(value(module, "width")), size)
