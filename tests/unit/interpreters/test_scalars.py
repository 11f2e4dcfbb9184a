"""The rules of scalar operators, one by one, and that there is one for each operator."""

import math as pymath
import re
from collections.abc import Callable
from pathlib import Path
from typing import cast

import numpy as np
import pytest
from xdsl.dialects import arith, math
from xdsl.dialects.builtin import IntegerAttr, f32, f64, i1, i32, i64
from xdsl.ir import Attribute, Operation
from xdsl.utils.test_value import create_ssa_value

from ein_mlir.dialects import sigma
from ein_mlir.interpreters.scalars import RULES
from tests.agreement.comparison import assert_ulps

NAN, INF = float("nan"), float("inf")
LEAST, MOST = -(2**63), 2**63 - 1
DTYPES = {f32: np.float32, f64: np.float64, i1: np.bool_, i32: np.int32, i64: np.int64}


def apply(
    op_type: type[Operation],
    operands: tuple[object, ...],
    types: tuple[Attribute, ...],
    result: Attribute,
    predicate: int | None = None,
) -> object:
    """Apply one operator to numbers."""
    op = op_type.create(
        operands=[create_ssa_value(type_) for type_ in types],
        result_types=[result],
        properties={} if predicate is None else {"predicate": IntegerAttr(predicate, i64)},
    )
    with np.errstate(all="ignore"):
        args = tuple(DTYPES[type_](x) for x, type_ in zip(operands, types, strict=True))
        value = RULES[op_type](op)(args)
    assert type(value) is DTYPES[result]
    return value


def on(op_type: type[Operation], type_: Attribute, *operands: object) -> object:
    """Apply an operator whose operands and result have the same type."""
    return apply(op_type, operands, (type_,) * len(operands), type_)


def test_every_operator_has_a_rule_or_a_reason():
    """Operators with several results act on no phi value; all others have a rule."""
    several_results = {arith.AddUIExtendedOp, arith.MulUIExtendedOp, arith.MulSIExtendedOp}
    operators = {*arith.Arith.operations, *math.Math.operations, *sigma.Sigma.operations}
    assert set(RULES) == operators - several_results


def test_every_operator_is_documented():
    text = (Path(__file__).parents[3] / "docs" / "semantics.md").read_text()
    assert {op.name for op in RULES} - set(re.findall(r"`([a-z0-9]+\.[a-z0-9_]+)`", text)) == set()


@pytest.mark.parametrize(
    ("op", "x", "y", "expected"),
    [
        (arith.AddiOp, MOST, 1, LEAST),
        (arith.SubiOp, LEAST, 1, MOST),
        (arith.MuliOp, 2**62, 4, 0),
        (arith.FloorDivSIOp, -7, 2, -4),
        (arith.FloorDivSIOp, 7, 0, 0),
        (arith.FloorDivSIOp, LEAST, -1, LEAST),
        (arith.CeilDivSIOp, -7, 2, -3),
        (arith.CeilDivSIOp, 7, 2, 4),
        (arith.CeilDivSIOp, 7, 0, 0),
        (arith.DivSIOp, -7, 2, -3),
        (arith.DivSIOp, 7, -2, -3),
        (arith.DivSIOp, 7, 0, 0),
        (arith.DivSIOp, LEAST, -1, LEAST),
        (arith.RemSIOp, -7, 2, -1),
        (arith.RemSIOp, 7, -2, 1),
        (arith.RemSIOp, 7, 0, 0),
        (arith.RemSIOp, LEAST, -1, 0),
        (arith.DivUIOp, -1, 2, MOST),
        (arith.DivUIOp, 1, 0, 0),
        (arith.RemUIOp, -1, 10, 5),
        (arith.RemUIOp, 1, 0, 0),
        (arith.CeilDivUIOp, 7, 2, 4),
        (arith.CeilDivUIOp, 7, 0, 0),
        (arith.MinSIOp, -1, 1, -1),
        (arith.MaxSIOp, -1, 1, 1),
        (arith.MinUIOp, -1, 1, 1),
        (arith.MaxUIOp, -1, 1, -1),
        (arith.AndIOp, -2, 7, 6),
        (arith.OrIOp, -8, 7, -1),
        (arith.XOrIOp, -1, 7, -8),
        (arith.ShLIOp, 3, 62, LEAST + 2**62),
        (arith.ShLIOp, 3, 64, 0),
        (arith.ShLIOp, 3, -1, 0),
        (arith.ShRUIOp, -1, 63, 1),
        (arith.ShRUIOp, -1, 64, 0),
        (arith.ShRSIOp, -8, 1, -4),
        (arith.ShRSIOp, -8, 100, -1),
        (math.IPowIOp, 3, 4, 81),
        (math.IPowIOp, 0, 0, 1),
        (math.IPowIOp, 2, 64, 0),
        (math.IPowIOp, -3, 41, -(3**41) + 2 * 2**64),
        (math.IPowIOp, 1, -5, 1),
        (math.IPowIOp, -1, -5, -1),
        (math.IPowIOp, -1, -4, 1),
        (math.IPowIOp, 2, -1, 0),
        (math.IPowIOp, 0, -1, 0),
        (math.IPowIOp, -1, LEAST, 1),
        (sigma.FloorModOp, -7, 3, 2),
        (sigma.FloorModOp, 7, -3, -2),
        (sigma.FloorModOp, 7, 0, 0),
        (sigma.FloorModOp, LEAST, -1, 0),
    ],
)
def test_integers(op: type[Operation], x: int, y: int, expected: int):
    assert on(op, i64, x, y) == expected


@pytest.mark.parametrize(
    ("op", "x", "expected"),
    [
        (math.AbsIOp, -3, 3),
        (math.AbsIOp, -(2**31), -(2**31)),
        (math.CtPopOp, -1, 32),
        (math.CountLeadingZerosOp, 1, 31),
        (math.CountLeadingZerosOp, 0, 32),
        (math.CountTrailingZerosOp, 8, 3),
        (math.CountTrailingZerosOp, 0, 32),
        (sigma.SignOp, -5, -1),
        (sigma.SignOp, 0, 0),
    ],
)
def test_one_integer(op: type[Operation], x: int, expected: int):
    assert on(op, i32, x) == expected


def test_narrow_integers_wrap():
    assert on(arith.AddiOp, i32, 2**31 - 1, 1) == -(2**31)
    assert on(arith.FloorDivSIOp, i32, -(2**31), -1) == -(2**31)
    assert on(math.IPowIOp, i32, 3, 21) == 3**21 - 2 * 2**32
    assert not on(arith.AddiOp, i1, True, True)
    assert on(arith.XOrIOp, i1, True, False)


@pytest.mark.parametrize(
    ("op", "x", "y", "expected"),
    [
        (arith.AddfOp, 1.5, 2.0, 3.5),
        (arith.SubfOp, INF, INF, NAN),
        (arith.MulfOp, -2.0, 0.0, -0.0),
        (arith.DivfOp, 1.0, 0.0, INF),
        (arith.DivfOp, -1.0, 0.0, -INF),
        (arith.DivfOp, 0.0, 0.0, NAN),
        (arith.MinimumfOp, NAN, 1.0, NAN),
        (arith.MaximumfOp, 1.0, NAN, NAN),
        (arith.MinnumfOp, NAN, 1.0, 1.0),
        (arith.MaxnumfOp, 1.0, NAN, 1.0),
        (math.CopySignOp, 3.0, -0.0, -3.0),
        (sigma.FloorModOp, -7.5, 2.0, 0.5),
        (sigma.FloorModOp, 7.5, -2.0, -0.5),
        (sigma.FloorModOp, 1.0, 0.0, NAN),
        (sigma.FloorModOp, -1.0, INF, INF),
    ],
)
def test_floats(op: type[Operation], x: float, y: float, expected: float):
    assert_ulps(on(op, f64, x, y), expected, 0)


@pytest.mark.parametrize(
    ("op", "x", "y", "expected"),
    [
        (math.Atan2Op, 0.0, -1.0, pymath.pi),
        (math.PowFOp, NAN, 0.0, 1.0),
        (math.PowFOp, 2.0, -1.0, 0.5),
        (math.PowFOp, -8.0, 1 / 3, NAN),
        (math.PowFOp, 0.0, -1.0, INF),
    ],
)
def test_functions_of_two_floats(op: type[Operation], x: float, y: float, expected: float):
    assert_ulps(on(op, f64, x, y), expected)


@pytest.mark.parametrize(
    ("op", "x", "expected"),
    [
        (arith.NegfOp, 0.0, -0.0),
        (math.AbsFOp, -0.0, 0.0),
        (math.CeilOp, 0.5, 1.0),
        (math.FloorOp, -0.5, -1.0),
        (math.TruncOp, -1.5, -1.0),
        (math.RoundOp, 0.5, 1.0),
        (math.RoundOp, -2.5, -3.0),
        (math.RoundOp, 0.49999999999999994, 0.0),
        (math.RoundOp, -0.25, -0.0),
        (math.RoundOp, 2.0**52 + 1, 2.0**52 + 1),
        (math.RoundOp, INF, INF),
        (math.RoundOp, NAN, NAN),
        (math.RoundEvenOp, 0.5, 0.0),
        (math.RoundEvenOp, 2.5, 2.0),
        (math.RsqrtOp, 4.0, 0.5),
        (math.RsqrtOp, 0.0, INF),
        (math.SqrtOp, -1.0, NAN),
        (sigma.SignOp, NAN, NAN),
        (sigma.SignOp, -0.5, -1.0),
        (sigma.SignOp, INF, 1.0),
    ],
)
def test_one_float(op: type[Operation], x: float, expected: float):
    assert_ulps(on(op, f64, x), expected, 0)


@pytest.mark.parametrize(
    ("op", "x", "expected"),
    [
        (math.CbrtOp, -27.0, -3.0),
        (math.LogOp, 0.0, -INF),
        (math.Log2Op, 8.0, 3.0),
        (math.Log10Op, 1000.0, 3.0),
        (math.Exp2Op, 10.0, 1024.0),
        (math.ExpOp, 1000.0, INF),
        (math.ErfOp, 0.5, pymath.erf(0.5)),
        (math.TanhOp, 1000.0, 1.0),
    ],
)
def test_functions_of_one_float(op: type[Operation], x: float, expected: float):
    assert_ulps(on(op, f64, x), expected)


@pytest.mark.parametrize(
    ("op", "function"),
    [
        (math.SinOp, pymath.sin),
        (math.CosOp, pymath.cos),
        (math.TanOp, pymath.tan),
        (math.AsinOp, pymath.asin),
        (math.AcosOp, pymath.acos),
        (math.AtanOp, pymath.atan),
        (math.SinhOp, pymath.sinh),
        (math.CoshOp, pymath.cosh),
        (math.TanhOp, pymath.tanh),
        (math.AsinhOp, pymath.asinh),
        (math.AcoshOp, pymath.acosh),
        (math.AtanhOp, pymath.atanh),
        (math.ExpOp, pymath.exp),
        (math.ExpM1Op, pymath.expm1),
        (math.LogOp, pymath.log),
        (math.Log1pOp, pymath.log1p),
        (math.SqrtOp, pymath.sqrt),
        (math.ErfOp, pymath.erf),
    ],
)
@pytest.mark.parametrize(("type_", "tolerance"), [(f32, 1e-6), (f64, 1e-14)])
def test_functions(
    op: type[Operation], function: Callable[[float], float], type_: Attribute, tolerance: float
):
    x = 1.5 if op is math.AcoshOp else 0.75
    actual = cast(float, on(op, type_, x))
    assert abs(actual - function(x)) < tolerance


def test_single_precision_is_kept_throughout():
    assert on(arith.AddfOp, f32, 2.0**24, 1.0) == 2.0**24
    assert on(arith.MulfOp, f32, 1e30, 1e30) == INF


def test_multiply_add():
    assert on(math.FmaOp, f64, 2.0, 3.0, 4.0) == 10.0


def test_powers_of_floats_to_integers():
    def power(x: float, n: int) -> object:
        return apply(math.FPowIOp, (x, n), (f32, i64), f32)

    assert_ulps(power(NAN, 0), 1.0)
    assert_ulps(power(2.0, -1), 0.5)
    assert_ulps(power(-1.0, 2**24 + 1), -1.0)
    assert_ulps(power(-1.0, 2**24 + 2), 1.0)
    assert_ulps(power(0.0, -1), INF)
    assert_ulps(power(-0.0, -1), -INF)


@pytest.mark.parametrize(
    ("op", "x", "source", "target", "expected"),
    [
        (arith.FPToSIOp, -2.9, f64, i64, -2),
        (arith.FPToSIOp, NAN, f64, i64, LEAST),
        (arith.FPToSIOp, 1e30, f64, i32, -(2**31)),
        (arith.FPToUIOp, 2.0**63, f64, i64, LEAST),
        (arith.FPToUIOp, -1.0, f64, i64, 0),
        (arith.SIToFPOp, -3, i64, f64, -3.0),
        (arith.SIToFPOp, 2**24 + 1, i64, f32, 2.0**24),
        (arith.SIToFPOp, 2**62 + 2**38 + 1, i64, f32, 2.0**62 + 2.0**39),
        (arith.SIToFPOp, True, i1, f64, -1.0),
        (arith.UIToFPOp, True, i1, f64, 1.0),
        (arith.UIToFPOp, -1, i64, f64, 2.0**64),
        (arith.ExtFOp, 0.1, f32, f64, float(np.float32(0.1))),
        (arith.TruncFOp, 0.1, f64, f32, np.float32(0.1)),
        (arith.TruncFOp, 1e300, f64, f32, INF),
        (arith.TruncIOp, 2**32 + 5, i64, i32, 5),
        (arith.TruncIOp, 2, i64, i1, False),
        (arith.TruncIOp, 3, i64, i1, True),
        (arith.ExtSIOp, -1, i32, i64, -1),
        (arith.ExtSIOp, True, i1, i64, -1),
        (arith.ExtUIOp, -1, i32, i64, 2**32 - 1),
        (arith.ExtUIOp, True, i1, i64, 1),
        (arith.BitcastOp, 1.0, f64, i64, 0x3FF0000000000000),
        (arith.BitcastOp, 0x3F800000, i32, f32, 1.0),
    ],
)
def test_conversions(
    op: type[Operation], x: float, source: Attribute, target: Attribute, expected: float
):
    assert apply(op, (x,), (source,), target) == expected


def test_predicates_of_integers():
    names = ["eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge"]

    def holding(x: int, y: int) -> set[str]:
        return {n for k, n in enumerate(names) if apply(arith.CmpiOp, (x, y), (i64, i64), i1, k)}

    assert holding(1, 1) == {"eq", "sle", "sge", "ule", "uge"}
    assert holding(-1, 1) == {"ne", "slt", "sle", "ugt", "uge"}
    assert holding(1, -1) == {"ne", "sgt", "sge", "ult", "ule"}


def test_predicates_of_truth_values():
    """True is -1 to a signed predicate, and 1 to an unsigned one, as in LLVM."""
    assert apply(arith.CmpiOp, (True, False), (i1, i1), i1, 2)
    assert not apply(arith.CmpiOp, (True, False), (i1, i1), i1, 6)


def test_predicates_of_floats():
    names = [
        *("false", "oeq", "ogt", "oge", "olt", "ole", "one", "ord"),
        *("ueq", "ugt", "uge", "ult", "ule", "une", "uno", "true"),
    ]

    def holding(x: float, y: float) -> set[str]:
        return {n for k, n in enumerate(names) if apply(arith.CmpfOp, (x, y), (f64, f64), i1, k)}

    assert holding(1.0, 1.0) == {"oeq", "oge", "ole", "ord", "ueq", "uge", "ule", "true"}
    assert holding(1.0, 2.0) == {"olt", "ole", "one", "ord", "ult", "ule", "une", "true"}
    assert holding(2.0, 1.0) == {"ogt", "oge", "one", "ord", "ugt", "uge", "une", "true"}
    assert holding(NAN, 1.0) == {"ueq", "ugt", "uge", "ult", "ule", "une", "uno", "true"}
