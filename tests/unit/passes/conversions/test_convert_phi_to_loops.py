"""``convert-phi-to-loops``: programs compute the same as loops, which are checked at each step."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import product
from typing import Any, cast

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from xdsl.dialects import arith, math
from xdsl.dialects.builtin import (
    Float32Type,
    Float64Type,
    f32,
    f64,
    i1,
    i8,
    i16,
    i32,
    i64,
)
from xdsl.ir import Attribute, Operation
from xdsl.utils.test_value import create_ssa_value

from ein_mlir import compile
from ein_mlir.dialects import sigma
from ein_mlir.entry import parse
from ein_mlir.interpreters.scalars import RULES
from ein_mlir.interpreters.values import DTYPES
from tests.agreement.comparison import assert_agree, leaves
from tests.agreement.programs import PROGRAMS
from tests.agreement.test_operations import TESTED, inputs, program
from tests.fuzzing.phi import arguments, programs
from tests.selection import examples
from tests.unit.passes.conversions.loops_interpreter import loops_of

PASSES = ("inline-calls", "struct-of-arrays", "convert-phi-to-loops")


def run(text: str, externs: dict[str, Callable[..., Any]] | None = None) -> Callable[..., Any]:
    return loops_of(parse(text), PASSES, externs)


@pytest.mark.parametrize("op", TESTED, ids=lambda op: op.name)
def test_operation(op: type[Operation]) -> None:
    text = program(op.name)
    loops, reference = run(text), compile(text, backend="naive")
    for shape in ((3, 4), (1, 1), (0, 2), (2, 0), (0, 0)):
        arrays = inputs(*shape)
        assert_agree(loops(*arrays), reference(*arrays), {}, f"{op.name}, {shape}")


NAMES = (
    "edit_distance",
    "histogram",
    "matrices_written_one_by_one",
    "nested_fields",
    "old_values_survive",
    "reduce_of_records",
    "searches",
    "swaps_and_guards",
    "updates_of_matrices",
    "waves",
)


@pytest.mark.parametrize("name", NAMES)
def test_program(name: str) -> None:
    """Programs that update arrays, exchange them and change their sizes."""
    function = PROGRAMS[name].function
    traced = PROGRAMS[name].inputs(2, "float64", np.random.default_rng(2))
    loops = loops_of(function.phi(*traced), PASSES)
    for size in (0, 1, 3):
        values = PROGRAMS[name].inputs(size, "float64", np.random.default_rng(size))
        expected = leaves(function.eval(*values, backend="naive"))
        given = [tuple(leaves(v)) if len(leaves(v)) != 1 else leaves(v)[0] for v in values]
        assert_agree(leaves(loops(*given)), expected, {"float64": 1e-12}, f"size {size}")


def outcome(program: Callable[..., Any], values: Sequence[Any]) -> list[Any] | str:
    """The arrays of the results; a string if the program raises an error."""
    try:
        return list(map(np.asarray, leaves(program(*values))))
    except ValueError as error:
        return str(error)


@settings(max_examples=examples(100))
@given(programs(), st.integers(0, 3), st.integers(-1, 3))
def test_random_programs(text: str, size: int, n: int) -> None:
    """A program may miss the error of an unused value or of the body of an empty array."""
    values = arguments(size, n)
    expected = outcome(compile(text, "f", backend="naive"), values)
    actual = outcome(run(text), values)
    if isinstance(expected, str):
        return
    assert not isinstance(actual, str)
    for a, e in zip(actual, expected, strict=True):
        assert (a.shape, a.dtype) == (e.shape, e.dtype)
        np.testing.assert_array_equal(a, e)


# Errors -----------------------------------------------------------------------------------------

VEC = "!phi.vec<f64>"
MATRIX = f"!phi.vec<{VEC}>"
ERRORS = {
    "size": (
        f"""func.func @f(%n: i64, %x: f64) -> {VEC} {{
          %a = phi.array (%i < %n) -> {VEC} {{
            phi.yield %x : f64
          }}
          func.return %a : {VEC}
        }}""",
        (-3, 1.0),
        "size of index i is negative: -3",
    ),
    "count": (
        """func.func @f(%n: i64, %x: f64) -> f64 {
          %a = phi.fold (%k < %n, %acc = %x) -> f64 {
            phi.yield %acc : f64
          }
          func.return %a : f64
        }""",
        (-3, 1.0),
        "size of index k is negative: -3",
    ),
    "assertion": (
        """func.func @f(%m: i64, %n: i64) -> i64 {
          %r = phi.assert_eq %m, %n, "{braces} of a, {0}"
          func.return %r : i64
        }""",
        (3, 4),
        "{braces} of a, {0}: 3 != 4",
    ),
    "accumulation": (
        f"""func.func @f(%x: f64, %p: i64, %m: i64, %n: i64) -> {VEC} {{
          %r = phi.accumulate (%i < %m) into "add" (%n) -> {VEC} {{
            %at = phi.tuple (%p, %x) : tuple<i64, f64>
            phi.yield %at : tuple<i64, f64>
          }}
          func.return %r : {VEC}
        }}""",
        (1.0, 0, 2, -1),
        "size 0 of the accumulation is negative: -1",
    ),
    "concat": (
        f"""func.func @f(%a: {MATRIX}, %b: {MATRIX}) -> {MATRIX} {{
          %r = phi.concat %a, %b : {MATRIX}
          func.return %r : {MATRIX}
        }}""",
        (np.zeros((1, 2)), np.zeros((1, 3))),
        "concat: sizes along axis 1 differ: 2 != 3",
    ),
    "update": (
        f"""func.func @f(%a: {MATRIX}, %k: i64, %x: {VEC}) -> {MATRIX} {{
          %r = phi.update %a[%k], %x : ({MATRIX}, i64, {VEC}) -> {MATRIX}
          func.return %r : {MATRIX}
        }}""",
        (np.zeros((1, 2)), 0, np.zeros(3)),
        "update: sizes along axis 1 differ: 2 != 3",
    ),
    "choice": (
        f"""func.func @f(%c: i1, %a: {VEC}, %b: {VEC}) -> {VEC} {{
          %r = arith.select %c, %a, %b : {VEC}
          func.return %r : {VEC}
        }}""",
        (True, np.zeros(2), np.zeros(3)),
        "select: sizes along axis 0 differ: 2 != 3",
    ),
}


@pytest.mark.parametrize("name", ERRORS)
def test_errors(name: str) -> None:
    text, values, message = ERRORS[name]
    with pytest.raises(ValueError, match=r".") as error:
        run(text)(*values)
    assert str(error.value) == message


def test_a_promised_position_is_not_trusted_before_its_loop_runs() -> None:
    """The elements of an empty array have sizes, computed at an index that it does not have."""
    text = f"""func.func @f(%a: {MATRIX}, %ns: !phi.vec<i64>, %n: i64) -> {MATRIX} {{
      %zero = arith.constant 0 : i64
      %rows = phi.size %a, 0 : {MATRIX}
      %r = phi.array (%i < %rows) -> {MATRIX} {{
        %row = phi.get %a[%i] : {MATRIX}[index]
        %end = phi.fold (%k < %n, %x = %row) -> {VEC} {{
          %y = phi.concat %x, %x : {VEC}
          phi.yield %y : {VEC}
        }}
        phi.yield %end : {VEC}
      }}
      func.return %r : {MATRIX}
    }}"""
    loops, reference = run(text), compile(text, backend="naive")
    for rows, columns, n in ((0, 2, 2), (2, 2, 2), (2, 0, 1), (3, 1, 0)):
        values = (np.ones((rows, columns)), np.zeros(0, np.int64), n)
        assert_agree(loops(*values), reference(*values), {}, f"{rows} {columns} {n}")


def test_externs() -> None:
    """Functions of the host program are declared once for each signature."""
    text = f"""func.func @f(%a: {MATRIX}, %b: !phi.vec<i64>) -> ({MATRIX}, !phi.vec<i64>) {{
      %n = phi.size %a, 0 : {MATRIX}
      %r = phi.array (%i < %n) -> {MATRIX} {{
        %row = phi.get %a[%i] : {MATRIX}[index]
        %s = phi.extern @sort(%row) : ({VEC}) -> {VEC}
        phi.yield %s : {VEC}
      }}
      %t = phi.extern @sort(%b) : (!phi.vec<i64>) -> !phi.vec<i64>
      func.return %r, %t : {MATRIX}, !phi.vec<i64>
    }}"""
    loops = run(text, {"sort": np.sort, "sort.1": np.sort})
    a, b = np.array([[3.0, 1.0], [0.0, 2.0]]), np.array([3, 1, 2])
    assert_agree(loops(a, b), (np.sort(a), np.sort(b)), {})


# Scalar operators -------------------------------------------------------------------------------

NUMBERS: dict[Attribute, list[Any]] = {
    i1: [False, True],
    i8: [0, 1, -1, 2, 3, -7, 7, 8, 9, 2**7 - 1, -(2**7)],
    i16: [0, 1, -1, 2, 3, -7, 15, 16, 17, 2**15 - 1, -(2**15)],
    i32: [0, 1, -1, 2, 3, -7, 31, 32, 33, 2**31 - 1, -(2**31)],
    i64: [0, 1, -1, 2, 3, -7, 63, 64, 65, 2**31, 2**63 - 1, -(2**63)],
    f32: [0.0, -0.0, 1.0, -1.5, 2.5, 7.0, -0.5, np.inf, -np.inf, np.nan, 3e9, -1e20],
    f64: [0.0, -0.0, 1.0, -1.5, 2.5, 7.0, -0.5, np.inf, -np.inf, np.nan, 2.0**63, -(2.0**63)],
}
VALUES = {type_: create_ssa_value(type_) for type_ in NUMBERS}
INTEGERS, FLOATS = (i1, i8, i16, i32, i64), (f32, f64)


OTHERS = {
    arith.ConstantOp,
    arith.SelectOp,
    arith.CmpiOp,
    arith.CmpfOp,
    arith.IndexCastOp,
    math.FmaOp,
}
"""Operators with properties or operands of other types."""


def is_typed(op: type[Operation], types: Sequence[Attribute], result: Attribute) -> bool:
    """Whether an operator with no property takes these types."""
    if op in (math.IPowIOp, math.FPowIOp, sigma.SignOp, sigma.FloorModOp) and i1 in types:
        return False
    try:
        test = op.create(operands=[VALUES[t] for t in types], result_types=[result])
        test.verify_()  # with no text of an error
        test.verify()
    except Exception:
        return False
    return True


@pytest.mark.parametrize("op", [op for op in RULES if op not in OTHERS], ids=lambda op: op.name)
def test_scalar_operator(op: type[Operation]) -> None:
    operands = len(cast(Any, op).get_irdl_definition().operands)
    combinations = product(product(NUMBERS, repeat=operands), NUMBERS)
    typed = [(types, result) for types, result in combinations if is_typed(op, types, result)]
    assert typed
    for types, result in typed:
        assert_operator(op, types, result)


def assert_operator(op: type[Operation], types: Sequence[Attribute], result: Attribute) -> None:
    """Assert that loops compute what the rule of an operator says, for all numbers."""
    names = [f"%x{k}" for k in range(len(types))]
    values = [create_ssa_value(t) for t in types]
    signature = f"({', '.join(map(str, types))}) -> {result}"
    arguments_ = ", ".join(f"{n}: {t}" for n, t in zip(names, types, strict=True))
    text = f"""func.func @f({arguments_}) -> {result} {{
      %r = "{op.name}"({", ".join(names)}) : {signature}
      func.return %r : {result}
    }}"""
    loops = run(text)
    instance = op.create(operands=values, result_types=[result])
    for numbers in product(*(NUMBERS[t] for t in types)):
        args = [DTYPES[t](n) for t, n in zip(types, numbers, strict=True)]
        with np.errstate(all="ignore"):
            expected = RULES[op](instance)(tuple(args))
        actual = loops(*args)
        assert type(actual) is type(expected), signature
        assert same(actual, expected, result), f"{signature} {numbers}: {actual} != {expected}"


def same(actual: Any, expected: Any, type_: Attribute) -> bool:
    """Whether two scalars are equal; a zero has a sign."""
    if isinstance(type_, Float32Type | Float64Type):
        return bool(
            np.array_equal(actual, expected, equal_nan=True)
            and (np.isnan(expected) or np.signbit(actual) == np.signbit(expected))
        )
    return bool(actual == expected)
