"""Typing of scalar operators: from operands as the user gave them to a typed expression.

Every operator acts on operands of one type. A Python literal takes the type of its partner if it
fits; other operands must be converted, and the error suggests a conversion.
"""

from __future__ import annotations

from typing import Any, NoReturn

import numpy as np

from ein_mlir.errors import EinTypeError, shortened
from ein_mlir.frontend.dtypes import scalar_of_dtype
from ein_mlir.frontend.expr import Apply, Constant, Expr, Op
from ein_mlir.frontend.types import (
    BOOL,
    F64,
    I64,
    Limit,
    Number,
    Type,
    WeakType,
    conversion,
    describe,
    describe_pair,
    kind_of,
    misfit,
    require_kind,
    resolve,
    settled,
    unify,
)
from ein_mlir.host.elements import SCALARS, Kind, ScalarType
from ein_mlir.host.locations import at

Operand = Expr | bool | int | float
"""An expression, or a Python literal that adapts to the other operand."""

MOST_FACTORS = 16
"""The most factors of a product that a literal power is."""

_COMPARISONS = frozenset({Op.EQ, Op.NE, Op.LT, Op.LE, Op.GT, Op.GE})
_ON_BOOLS = frozenset({Op.EQ, Op.NE, Op.AND, Op.OR, Op.XOR, Op.NOT, Op.SELECT})
_ON_INTS_ONLY = frozenset({Op.AND, Op.OR, Op.XOR, Op.NOT, Op.SHL, Op.SHR})
_ROUNDINGS = frozenset({Op.FLOOR, Op.CEIL, Op.ROUND})
_ON_NUMBERS = _ROUNDINGS | {Op.NEG, Op.ABS, Op.SIGN}


def binary(op: Op, lhs: Operand, rhs: Operand) -> Expr:
    """An operator on two operands of one type; a comparison gives a Bool."""
    left, right = match(op, lhs, rhs)
    _check_kind(op, left.type, f"{_written(lhs)} {op} {_written(rhs)}")
    return Apply(op, (left, right), BOOL if op in _COMPARISONS else left.type)


def unary(op: Op, operand: Expr) -> Expr:
    """An operator on one operand: one of ``_ON_NUMBERS``, ``~``, or a function of Floats."""
    written = f"{op} {_written(operand)}" if op in (Op.NOT, Op.NEG) else f"{op}(x)"
    if op in _ON_NUMBERS or op is Op.NOT:
        _check_kind(op, operand.type, written)
        if _is_unchanged(op, resolve(operand.type)):
            return operand
    elif not require_kind(operand.type, "float"):
        _reject_kind(written, operand.type, "a Float", ".float()")
    return Apply(op, (operand,), operand.type)


def _is_unchanged(op: Op, type_: Type) -> bool:
    """Whether an operator is the identity: rounding an Int, ``abs`` of one without sign."""
    if not isinstance(type_, ScalarType) or type_.kind != "int":
        return False
    return op in _ROUNDINGS or (op is Op.ABS and not type_.is_signed)


def divide(lhs: Operand, rhs: Operand) -> Expr:
    """True division, as in Python: of Ints it is a Float."""
    left, right = match(Op.DIV, lhs, rhs)
    _check_kind(Op.DIV, left.type, f"{_written(lhs)} / {_written(rhs)}")
    if isinstance(resolve(left.type), WeakType):
        require_kind(left.type, "float")
    if kind_of(left.type) == "int":
        left, right = match(Op.DIV, as_float(left), as_float(right))
    return Apply(Op.DIV, (left, right), left.type)


def power(base: Operand, exponent: Operand) -> Expr:
    """``base ** exponent``: a Float also has Int powers, as ``x ** 3.0``; a square is a product."""
    written = f"{_written(base)} ** {_written(exponent)}"
    if _kind(base) == "float" and isinstance(exponent, float) and _is_small_whole(exponent):
        exponent = int(exponent)
    for operand in (base, exponent):
        _check_kind(Op.POW, _type_of(operand), written)
    if _kind(exponent) == "int" and _kind(base) == "float":
        # A weak exponent is an int by default: decide that now.
        base, exponent = _alone(base), _alone(exponent)
        require_kind(exponent.type, "int")
    else:
        base, exponent = match(Op.POW, base, exponent)
    if isinstance(exponent, Constant) and exponent.value == 2:
        return Apply(Op.MUL, (base, base), base.type)
    return Apply(Op.POW, (base, exponent), base.type)


def _is_small_whole(number: float) -> bool:
    """Whether a power is a product of few factors."""
    return number.is_integer() and abs(number) <= MOST_FACTORS


def select(condition: Operand, lhs: Operand, rhs: Operand) -> Expr:
    """``where`` on scalars."""
    left, right = match(Op.SELECT, lhs, rhs)
    return Apply(Op.SELECT, (as_condition(condition), left, right), left.type)


def as_condition(condition: Operand) -> Expr:
    """The condition of a ``where``."""
    condition = _alone(condition)
    if kind_of(condition.type) is None:
        raise EinTypeError(
            f"where: the condition is a scalar, not {describe(condition.type)}: write it for each "
            f"element, as in array(lambda i: where(c[i], a[i], b[i])){at()}"
        )
    if kind_of(condition.type) != "bool":
        raise EinTypeError(
            f"where: the condition must be a Bool, not {describe(condition.type)}; "
            f"compare it, for example `x != 0`{at()}"
        )
    return condition


def convert(operand: Expr, type_: ScalarType) -> Expr:
    """A scalar converted to a type; the operand itself if it has the type."""
    if (
        isinstance(operand, Constant)
        and isinstance(operand.value, int)
        and operand.type is I64
        and type_.kind == "float"
        and misfit(operand.value, type_) is None
    ):
        return Constant(float(operand.value), type_)
    return operand if resolve(operand.type) is type_ else Apply(Op.CONVERT, (operand,), type_)


def as_float(operand: Expr) -> Expr:
    """An Int or a Bool as a Float with the width of its partners."""
    if (
        isinstance(operand, Constant)
        and isinstance(operand.value, int)
        and misfit(operand.value, F64) is None
    ):
        return weak_constant(float(operand.value))
    return Apply(Op.CONVERT, (operand,), WeakType(0.0))


# Literals -------------------------------------------------------------------------------------


def literal(number: Number, type_: Type) -> Constant:
    """A Python literal as a constant of the type of its partner; EinTypeError if it is a misfit."""
    type_ = resolve(type_)
    if isinstance(number, bool):
        if type_ is not BOOL:
            _reject_literal(number, type_)
    elif isinstance(type_, WeakType):
        type_.numbers.append(number)
        if isinstance(number, float):
            type_.kind = "float"
    elif not _takes(type_, number):
        _reject_literal(number, type_)
    elif isinstance(type_, ScalarType) and (reason := misfit(number, type_)) is not None:
        raise EinTypeError(f"the literal {reason}{at()}")
    return Constant(number, type_)


def _takes(type_: Type, number: int | float | Limit) -> bool:
    """Whether a number is of the kind of a scalar type."""
    kind = kind_of(type_)
    return kind == "float" or (kind == "int" and not isinstance(number, float))


def constant(number: Number) -> Constant:
    """A number without a partner: a Bool, an Int (i64) or a Float (f64)."""
    if isinstance(number, bool):
        return Constant(number, BOOL)
    return literal(number, F64 if isinstance(number, float) else I64)


def weak_constant(number: Number) -> Constant:
    """A number whose type is decided by its future partners."""
    return constant(number) if isinstance(number, bool) else Constant(number, WeakType(number))


def numpy_constant(number: np.generic[Any]) -> Constant:
    """A NumPy scalar, which keeps its type."""
    type_ = scalar_of_dtype(number.dtype)
    if type_ is None:
        raise EinTypeError(f"NumPy scalars of dtype {number.dtype} have no type in Ein{at()}")
    return Constant(number.item(), type_)


def _reject_literal(number: Number, type_: Type) -> NoReturn:
    kind = kind_of(type_)
    if isinstance(number, bool) or kind == "bool":
        hint = "Bool and numbers do not mix; write `.int()` on the Bool"
    elif kind == "int":
        hint = "write `.float()` on the Int, or an int literal, as in `i // 2` for a position"
    else:
        hint = "it is not a scalar"
    shown = shortened(number)
    raise EinTypeError(f"the literal {shown} does not go with {describe(type_)}: {hint}{at()}")


# Agreement ------------------------------------------------------------------------------------


def match(op: Op, lhs: Operand, rhs: Operand) -> tuple[Expr, Expr]:
    """Both operands as expressions of one type."""
    if not isinstance(lhs, Expr):
        if isinstance(rhs, Expr):
            return _literal_for(op, lhs, rhs, reflected=True), rhs
        lhs, rhs = _two_literals(lhs, rhs)
    if not isinstance(rhs, Expr):
        return lhs, _literal_for(op, rhs, lhs, reflected=False)
    for operand in (lhs, rhs):
        if kind_of(operand.type) is None:
            raise EinTypeError(
                f"`{op}` acts on scalars, not on {describe(operand.type)}: write it for each "
                f"element, as in array(lambda i: {_applied(op, 'a[i]', 'x')}){at()}"
            )
    mismatch = unify(lhs.type, rhs.type)
    if mismatch is not None:
        left, right = describe_pair(lhs.type, rhs.type)
        reason = mismatch.reason or "operands must have one type"
        raise EinTypeError(f"{_applied(op, left, right)}: {reason}{_advice(lhs, rhs)}{at()}")
    return lhs, rhs


def _literal_for(op: Op, number: Number, partner: Expr, reflected: bool) -> Expr:
    try:
        return literal(number, partner.type)
    except EinTypeError as error:
        sides = (shortened(number), describe(partner.type))
        written = _applied(op, *(sides if reflected else reversed(sides)))
        raise EinTypeError(f"{written}: {error}") from None


def _two_literals(lhs: Number, rhs: Number) -> tuple[Expr, Expr]:
    """Two literals: if one is a float, both are Floats with the width of their partners."""
    if isinstance(lhs, float) and not isinstance(rhs, bool):
        left = weak_constant(lhs)
        return left, literal(rhs, left.type)
    if isinstance(rhs, float) and not isinstance(lhs, bool):
        right = weak_constant(rhs)
        return literal(lhs, right.type), right
    return constant(lhs), constant(rhs)


def _advice(left: Expr, right: Expr) -> str:
    """``; write `x.float()` ...``: a conversion of the lower of two scalar types to the higher.

    A NumPy number becomes a literal.
    """
    lhs, rhs = settled(left.type), settled(right.type)
    if not isinstance(lhs, ScalarType) or not isinstance(rhs, ScalarType):
        return ""
    left_is_lower = SCALARS.index(lhs) < SCALARS.index(rhs)
    lower, higher = (lhs, rhs) if left_is_lower else (rhs, lhs)
    numbers = (left, right) if lhs.kind == rhs.kind else (left if left_is_lower else right,)
    if any(isinstance(number, Constant) for number in numbers):
        return f"; write `{higher.kind}(c)` for the NumPy number c: a literal has any width"
    if lhs.kind == rhs.kind == "int" and not (_holds(lhs, rhs) or _holds(rhs, lhs)):
        return "; write `x.int()` for both operands x"
    from ein_mlir.frontend.constructs import operand_of

    convert = conversion(lower, higher)
    if (text := operand_of(is_left=left_is_lower)) is not None:
        return f"; write `{text}{convert}`"
    return f"; write `x{convert}` for the {'left' if left_is_lower else 'right'} operand x"


def _holds(wide: ScalarType, narrow: ScalarType) -> bool:
    """Whether an integer type has all numbers of another one."""
    return wide.least <= narrow.least and narrow.most <= wide.most


def _applied(op: Op, left: str, right: str) -> str:
    """The notation of an operator applied to named operands."""
    if op is Op.SELECT:
        return f"where(condition, {left}, {right})"
    return f"{op}({left}, {right})" if op.value.isalnum() else f"{left} {op} {right}"


def _check_kind(op: Op, type_: Type, written: str) -> None:
    """Raise EinTypeError if the operator does not act on the kind of its operands."""
    kind = kind_of(type_)
    if kind == "bool" and op not in _ON_BOOLS:
        _reject_kind(written, type_, "a number", ".int()")
    if op in _ON_INTS_ONLY and kind != "bool" and not require_kind(type_, "int"):
        from ein_mlir.frontend.constructs import comparisons_in_parentheses

        if (text := comparisons_in_parentheses()) is not None:
            raise EinTypeError(
                f"{written}: `&` and `|` bind more tightly than comparisons: write {text}{at()}"
            )
        _reject_kind(written, type_, "a Bool or an Int", ".int()")
    if op is Op.ATAN2 and not require_kind(type_, "float"):
        _reject_kind(written, type_, "a Float", ".float()")
    if kind is None:
        raise EinTypeError(f"{written}: operators act on scalars, not on {describe(type_)}{at()}")


def _reject_kind(written: str, type_: Type, expected: str, hint: str) -> NoReturn:
    raise EinTypeError(
        f"{written}: expected {expected}, not {describe(type_)}; write `x{hint}`{at()}"
    )


def _written(operand: Operand) -> str:
    return describe(operand.type) if isinstance(operand, Expr) else shortened(operand)


def _type_of(operand: Operand) -> Type:
    return operand.type if isinstance(operand, Expr) else constant(operand).type


def _kind(operand: Operand) -> Kind | None:
    return kind_of(_type_of(operand))


def _alone(operand: Operand) -> Expr:
    return operand if isinstance(operand, Expr) else constant(operand)
