"""Int arithmetic on sizes and positions that simplifies its results."""

from __future__ import annotations

from ein_mlir.errors import EinTypeError
from ein_mlir.frontend.expr import Apply, Constant, Expr, Op
from ein_mlir.frontend.types import I64, misfit
from ein_mlir.host.locations import at


def int_constant(value: int) -> Constant:
    """An Int with a known value."""
    return Constant(value, I64)


def int_literal(number: int) -> int:
    """A literal that is an Int; EinTypeError if it does not fit."""
    if (reason := misfit(number, I64)) is not None:
        raise EinTypeError(f"the literal {reason}{at()}")
    return number


def known(expr: Expr) -> int | None:
    """The value of a constant Int; None for other expressions."""
    return expr.value if isinstance(expr, Constant) and isinstance(expr.value, int) else None


def _as_expr(value: Expr | int) -> Expr:
    return int_constant(value) if isinstance(value, int) else value


def add(lhs: Expr, rhs: Expr | int) -> Expr:
    """``lhs + rhs``; sums of constants are computed, ``x + 0`` is x, ``x + -1`` is ``x - 1``."""
    left = known(lhs)
    right = rhs if isinstance(rhs, int) else known(rhs)
    if right is None:
        rhs = _as_expr(rhs)
        return rhs if left == 0 else Apply(Op.ADD, (lhs, rhs), I64)
    if left is not None:
        return int_constant(left + right)
    if right == 0:
        return lhs
    op = Op.SUB if right < 0 else Op.ADD
    return Apply(op, (lhs, int_constant(abs(right))), I64)


def subtract(lhs: Expr, rhs: Expr) -> Expr:
    """``lhs - rhs``, or ``lhs + -rhs`` if rhs is a constant."""
    right = known(rhs)
    return add(lhs, -right) if right is not None else Apply(Op.SUB, (lhs, rhs), I64)


def multiply(lhs: Expr, rhs: int) -> Expr:
    """``lhs * rhs``."""
    return lhs if rhs == 1 else Apply(Op.MUL, (lhs, int_constant(rhs)), I64)


def divide_up(lhs: Expr, rhs: int) -> Expr:
    """``lhs / rhs`` rounded up, for a positive rhs."""
    if rhs == 1:
        return lhs
    if (left := known(lhs)) is not None:
        return int_constant(-(-left // rhs))
    return Apply(Op.FLOORDIV, (add(lhs, rhs - 1), int_constant(rhs)), I64)


def least(lhs: Expr, rhs: Expr) -> Expr:
    """``min(lhs, rhs)``."""
    return _extreme(Op.MIN, lhs, rhs)


def greatest(lhs: Expr, rhs: Expr) -> Expr:
    """``max(lhs, rhs)``."""
    return _extreme(Op.MAX, lhs, rhs)


def _extreme(op: Op, lhs: Expr, rhs: Expr) -> Expr:
    left, right = known(lhs), known(rhs)
    if left is not None and right is not None:
        return int_constant(min(left, right) if op is Op.MIN else max(left, right))
    return lhs if lhs is rhs else Apply(op, (lhs, rhs), I64)
