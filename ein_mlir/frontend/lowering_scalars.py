"""Scalar operators as operations of arith, math and sigma: a table for each kind of operand."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, TypeAlias, cast

from xdsl.dialects import arith, math
from xdsl.dialects.builtin import FloatAttr, IntegerAttr, f32, i1, i64
from xdsl.ir import Operation, SSAValue

from ein_mlir.dialects import phi, sigma
from ein_mlir.dialects.creation import integer_attribute, made, made_like
from ein_mlir.frontend.expr import Op
from ein_mlir.frontend.types import Limit, Number
from ein_mlir.host.elements import ScalarType

Rule: TypeAlias = Callable[..., Operation]
Table: TypeAlias = Mapping[Op, Rule | type[Operation]]
"""The operator of each kind: the class of an operation like its last operand, or a rule."""


def _type(scalar: ScalarType) -> Any:
    return phi.HOST_TYPES[scalar.storage]


def build_constant(value: Number, type_: ScalarType) -> Operation:
    """``arith.constant`` of a number in a type; a `Limit` is an infinity or the extreme Int."""
    if isinstance(value, Limit):
        value = _limit(value, type_)
    if type_.kind == "float":
        return _constant(FloatAttr(float(value), _type(type_)))
    if type_.kind == "bool":
        return _constant(integer_attribute(int(bool(value)), i1))
    return _constant(IntegerAttr(int(value), _type(type_)))


def _constant(value: FloatAttr | IntegerAttr) -> Operation:
    return made(arith.ConstantOp, (), (value.type,), {"value": value})


def _limit(limit: Limit, type_: ScalarType) -> int | float:
    if type_.kind == "float":
        return limit.sign * float("inf")
    return type_.most if limit.sign > 0 else type_.least


def build_scalar(
    op: Op, from_: ScalarType, to: ScalarType, operands: Sequence[SSAValue]
) -> Sequence[Operation]:
    """The operations of a scalar operator; the last one defines its value.

    ``from_`` is the type of the (last) operand, ``to`` that of the result.
    """
    if op is Op.CONVERT:
        return _conversions(from_, to, operands[0])
    if op is Op.POW and to.kind == "float" and from_.kind == "int":
        return _float_power(from_, *operands)
    several = _SEVERAL.get((op, _family(from_)))
    if several is not None:
        return several(*operands)
    rule = _RULES[_family(from_)][op]
    if isinstance(rule, type):
        return [made_like(cast(type[Operation], rule), *operands)]
    return [rule(*operands)]


def _family(type_: ScalarType) -> str:
    """The key of a type in the tables of this module."""
    return type_.kind if type_.is_signed else "unsigned"


def _float_power(type_: ScalarType, base: SSAValue, exponent: SSAValue) -> Sequence[Operation]:
    """``x ** n``; an exponent without sign gets more bits first."""
    if type_.is_signed:
        return [math.FPowIOp(base, exponent)]
    wide = arith.ExtUIOp(exponent, i64)
    return [wide, math.FPowIOp(base, wide.result)]


def _cmpf(predicate: str) -> Rule:
    number = arith.CMPF_COMPARISON_OPERATIONS.index(predicate)
    return partial(_compare, arith.CmpfOp, integer_attribute(number, i64))


def _cmpi(predicate: str) -> Rule:
    number = arith.CMPI_COMPARISON_OPERATIONS.index(predicate)
    return partial(_compare, arith.CmpiOp, integer_attribute(number, i64))


def _compare(
    cls: type[Operation], predicate: IntegerAttr, lhs: SSAValue, rhs: SSAValue
) -> Operation:
    return made(cls, (lhs, rhs), (i1,), {"predicate": predicate})


_ON_FLOATS: Table = {
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

_ON_INTS: Table = {
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

_ON_UNSIGNED: Table = {
    **_ON_INTS,
    Op.FLOORDIV: arith.DivUIOp,
    Op.MOD: arith.RemUIOp,
    Op.SHR: arith.ShRUIOp,
    Op.LT: _cmpi("ult"),
    Op.LE: _cmpi("ule"),
    Op.GT: _cmpi("ugt"),
    Op.GE: _cmpi("uge"),
    Op.MIN: arith.MinUIOp,
    Op.MAX: arith.MaxUIOp,
}

_ON_BOOLS: Table = {
    Op.AND: arith.AndIOp,
    Op.OR: arith.OrIOp,
    Op.XOR: arith.XOrIOp,
    Op.EQ: _cmpi("eq"),
    Op.NE: _cmpi("ne"),
    Op.SELECT: arith.SelectOp,
}

_RULES: Mapping[str, Table] = {
    "float": _ON_FLOATS,
    "int": _ON_INTS,
    "unsigned": _ON_UNSIGNED,
    "bool": _ON_BOOLS,
}


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


def _sign(operand: SSAValue) -> Sequence[Operation]:
    """``min(n, 1)`` for a number without sign."""
    one = _int_like(operand, 1)
    return [one, arith.MinUIOp(operand, one)]


def _power(base: SSAValue, exponent: SSAValue) -> Sequence[Operation]:
    """``x ** n`` modulo two to the width, computed in 64 bits, in which no exponent is negative."""
    operands = [arith.ExtUIOp(operand, i64) for operand in (base, exponent)]
    power = math.IPowIOp(*(operand.result for operand in operands))
    return [*operands, power, arith.TruncIOp(power, base.type)]  # pyright: ignore[reportArgumentType]


def _int_like(operand: SSAValue, value: int) -> Operation:
    type_: Any = operand.type
    return _constant(IntegerAttr(value, type_))


_SEVERAL: dict[tuple[Op, str], Callable[..., Sequence[Operation]]] = {
    (Op.FLOORDIV, "float"): _floor_divide,
    **{(Op.NEG, family): _negate for family in ("int", "unsigned")},
    **{(Op.NOT, family): _invert for family in ("int", "unsigned")},
    (Op.POW, "unsigned"): _power,
    (Op.SIGN, "unsigned"): _sign,
    (Op.NOT, "bool"): _invert,
}
"""The operators that need more than one operation."""


def _conversions(from_: ScalarType, to: ScalarType, operand: SSAValue) -> Sequence[Operation]:
    """A conversion; of the floats of 16 bits neither is wider, so it goes through an f32."""
    if from_.kind != to.kind or from_.bits != to.bits:
        return [_convert(from_, to, operand)]
    wide = arith.ExtFOp(operand, f32)
    return [wide, arith.TruncFOp(wide, _type(to))]


def _convert(from_: ScalarType, to: ScalarType, operand: SSAValue) -> Operation:
    key = _family(from_), _family(to)
    if from_.kind == to.kind:
        rules = _NARROW if to.bits < from_.bits else _WIDEN
        return rules[key[0]](operand, _type(to))
    return _CONVERT[key](operand, _type(to))


_WIDEN: dict[str, Rule] = {
    "float": arith.ExtFOp,
    "int": arith.ExtSIOp,
    "unsigned": arith.ExtUIOp,
}
"""The conversion to a wider type of the same kind."""

_NARROW: dict[str, Rule] = {
    "float": arith.TruncFOp,
    "int": arith.TruncIOp,
    "unsigned": arith.TruncIOp,
}
"""The conversion to a narrower type of the same kind."""

_CONVERT: dict[tuple[str, str], Rule] = {
    ("bool", "int"): arith.ExtUIOp,
    ("bool", "unsigned"): arith.ExtUIOp,
    ("bool", "float"): arith.UIToFPOp,
    ("int", "float"): arith.SIToFPOp,
    ("unsigned", "float"): arith.UIToFPOp,
    ("float", "int"): arith.FPToSIOp,
    ("float", "unsigned"): arith.FPToUIOp,
}
"""The conversion to a type of another kind."""
