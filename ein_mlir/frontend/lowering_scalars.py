"""Scalar operators as operations of arith, math and sigma: a table for each kind of operand."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, TypeAlias

from xdsl.dialects import arith, math
from xdsl.dialects.builtin import FloatAttr, IntegerAttr, f32, f64, i1, i32, i64
from xdsl.ir import Operation, SSAValue

from ein_mlir.dialects import sigma
from ein_mlir.frontend.expr import Op
from ein_mlir.frontend.types import BOOL, F32, F64, I32, I64, Limit, Number, ScalarType

Rule: TypeAlias = Callable[..., Operation]

_TYPES: dict[ScalarType, Any] = {BOOL: i1, I32: i32, I64: i64, F32: f32, F64: f64}


def build_constant(value: Number, type_: ScalarType) -> Operation:
    """``arith.constant`` of a number in a type; a `Limit` is an infinity or the extreme Int."""
    if isinstance(value, Limit):
        value = _limit(value, type_)
    if type_.kind == "float":
        return arith.ConstantOp(FloatAttr(float(value), _TYPES[type_]))
    if type_.kind == "bool":
        return arith.ConstantOp(IntegerAttr.from_bool(bool(value)))
    return arith.ConstantOp(IntegerAttr(int(value), _TYPES[type_]))


def _limit(limit: Limit, type_: ScalarType) -> int | float:
    if type_.kind == "float":
        return limit.sign * float("inf")
    largest = 2 ** (type_.bits - 1) - 1
    return largest if limit.sign > 0 else -largest - 1


def build_scalar(
    op: Op, from_: ScalarType, to: ScalarType, operands: Sequence[SSAValue]
) -> Sequence[Operation]:
    """The operations of a scalar operator; the last one defines its value.

    ``from_`` is the type of the (last) operand, ``to`` that of the result.
    """
    if op is Op.CONVERT:
        return [_convert(from_, to, operands[0])]
    several = _SEVERAL.get((op, from_.kind))
    if several is not None:
        return several(*operands)
    if op is Op.POW and to.kind == "float" and from_.kind == "int":
        return [math.FPowIOp(operands[0], operands[1])]
    return [_RULES[from_.kind][op](*operands)]


def _cmpf(predicate: str) -> Rule:
    return partial(_compare, arith.CmpfOp, predicate)


def _cmpi(predicate: str) -> Rule:
    return partial(_compare, arith.CmpiOp, predicate)


def _compare(op: Rule, predicate: str, lhs: SSAValue, rhs: SSAValue) -> Operation:
    return op(lhs, rhs, predicate)


_ON_FLOATS: dict[Op, Rule] = {
    Op.ADD: arith.AddfOp,
    Op.SUB: arith.SubfOp,
    Op.MUL: arith.MulfOp,
    Op.DIV: arith.DivfOp,
    Op.MOD: sigma.FloorModOp,
    Op.POW: math.PowFOp,
    Op.EQ: _cmpf("oeq"),
    Op.NE: _cmpf("une"),
    Op.LT: _cmpf("olt"),
    Op.LE: _cmpf("ole"),
    Op.GT: _cmpf("ogt"),
    Op.GE: _cmpf("oge"),
    Op.MIN: arith.MinimumfOp,
    Op.MAX: arith.MaximumfOp,
    Op.ATAN2: math.Atan2Op,
    Op.NEG: arith.NegfOp,
    Op.ABS: math.AbsFOp,
    Op.SIGN: sigma.SignOp,
    Op.FLOOR: math.FloorOp,
    Op.CEIL: math.CeilOp,
    Op.ROUND: math.RoundEvenOp,
    Op.SIN: math.SinOp,
    Op.COS: math.CosOp,
    Op.TAN: math.TanOp,
    Op.ASIN: math.AsinOp,
    Op.ACOS: math.AcosOp,
    Op.ATAN: math.AtanOp,
    Op.SINH: math.SinhOp,
    Op.COSH: math.CoshOp,
    Op.TANH: math.TanhOp,
    Op.EXP: math.ExpOp,
    Op.EXP2: math.Exp2Op,
    Op.EXPM1: math.ExpM1Op,
    Op.LOG: math.LogOp,
    Op.LOG2: math.Log2Op,
    Op.LOG10: math.Log10Op,
    Op.LOG1P: math.Log1pOp,
    Op.SQRT: math.SqrtOp,
    Op.RSQRT: math.RsqrtOp,
    Op.CBRT: math.CbrtOp,
    Op.ERF: math.ErfOp,
    Op.SELECT: arith.SelectOp,
}

_ON_INTS: dict[Op, Rule] = {
    Op.ADD: arith.AddiOp,
    Op.SUB: arith.SubiOp,
    Op.MUL: arith.MuliOp,
    Op.FLOORDIV: arith.FloorDivSIOp,
    Op.MOD: sigma.FloorModOp,
    Op.POW: math.IPowIOp,
    Op.AND: arith.AndIOp,
    Op.OR: arith.OrIOp,
    Op.XOR: arith.XOrIOp,
    Op.SHL: arith.ShLIOp,
    Op.SHR: arith.ShRSIOp,
    Op.EQ: _cmpi("eq"),
    Op.NE: _cmpi("ne"),
    Op.LT: _cmpi("slt"),
    Op.LE: _cmpi("sle"),
    Op.GT: _cmpi("sgt"),
    Op.GE: _cmpi("sge"),
    Op.MIN: arith.MinSIOp,
    Op.MAX: arith.MaxSIOp,
    Op.ABS: math.AbsIOp,
    Op.SIGN: sigma.SignOp,
    Op.SELECT: arith.SelectOp,
}

_ON_BOOLS: dict[Op, Rule] = {
    Op.AND: arith.AndIOp,
    Op.OR: arith.OrIOp,
    Op.XOR: arith.XOrIOp,
    Op.EQ: _cmpi("eq"),
    Op.NE: _cmpi("ne"),
    Op.SELECT: arith.SelectOp,
}

_RULES = {"float": _ON_FLOATS, "int": _ON_INTS, "bool": _ON_BOOLS}


def _floor_divide(lhs: SSAValue, rhs: SSAValue) -> Sequence[Operation]:
    """``x // y --> floor(x / y)``"""
    quotient = arith.DivfOp(lhs, rhs)
    return [quotient, math.FloorOp(quotient)]


def _negate(operand: SSAValue) -> Sequence[Operation]:
    """``-n --> 0 - n``"""
    zero = _int_like(operand, 0)
    return [zero, arith.SubiOp(zero, operand)]


def _invert(operand: SSAValue) -> Sequence[Operation]:
    """``~n --> n ^ -1``; ``~b --> b ^ true``"""
    ones = _int_like(operand, -1)
    return [ones, arith.XOrIOp(ones, operand)]


def _int_like(operand: SSAValue, value: int) -> Operation:
    type_: Any = operand.type
    return arith.ConstantOp(IntegerAttr(value, type_))


_SEVERAL: dict[tuple[Op, str], Callable[..., Sequence[Operation]]] = {
    (Op.FLOORDIV, "float"): _floor_divide,
    (Op.NEG, "int"): _negate,
    (Op.NOT, "int"): _invert,
    (Op.NOT, "bool"): _invert,
}
"""The operators that need more than one operation."""


def _convert(from_: ScalarType, to: ScalarType, operand: SSAValue) -> Operation:
    target = _TYPES[to]
    if from_.kind == to.kind:
        return _RESIZE[to.kind, to.bits > from_.bits](operand, target)
    return _CONVERT[from_.kind, to.kind](operand, target)


_RESIZE: dict[tuple[str, bool], Rule] = {
    ("float", True): arith.ExtFOp,
    ("float", False): arith.TruncFOp,
    ("int", True): arith.ExtSIOp,
    ("int", False): arith.TruncIOp,
}
"""(kind, to a wider type) -> the conversion."""

_CONVERT: dict[tuple[str, str], Rule] = {
    ("bool", "int"): arith.ExtUIOp,
    ("bool", "float"): arith.UIToFPOp,
    ("int", "float"): arith.SIToFPOp,
    ("float", "int"): arith.FPToSIOp,
}
"""(kind, to kind) -> the conversion."""
