"""Selections of Ints and Bools as arithmetic.

``np.where`` and ``torch.where`` branch for each element. A branch that the processor cannot
predict, since the mask depends on data, takes as long as ten elements of an operation.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import arith
from xdsl.dialects.builtin import IntegerType, i1, i64
from xdsl.ir import Attribute, SSAValue

from ein_mlir.analysis.arithmetic import INTS
from ein_mlir.analysis.hints import isa
from ein_mlir.backends.forms import Operator
from ein_mlir.dialects import emitpy, yarr
from ein_mlir.dialects.emitpy import literal_data
from ein_mlir.rewriting.yarr_to_emitpy.builder import is_object, literal_int
from ein_mlir.rewriting.yarr_to_emitpy.literals import is_indicator
from ein_mlir.rewriting.yarr_to_emitpy.scalars import Scalars

_ORDERS = (">", ">=", "<", "<=")


def selection(
    scalars: Scalars, op: arith.SelectOp, operands: Sequence[SSAValue]
) -> SSAValue | None:
    """The elements of an array of Ints or Bools that a mask selects, without a branch for each.

    ``max(x, y)`` for ``where(x > y, x, y)``, ``c * x`` for ``where(c, x, 0)``, ``c * 2 - 1`` for 1
    and -1, and ``c & x | ~c & y`` for Bools. None for other selections.
    """
    condition, *values = operands
    element = op.result.type
    if not isa(element, IntegerType) or is_object(condition) or not yarr.rank_of(condition):
        return None
    if element == i1:
        return _of_bools(scalars, condition, values)
    extreme = _extreme(condition, values)
    if extreme is not None:
        return scalars.apply(scalars.tables.scalars[extreme], values, element)
    if is_indicator(values):
        return None
    return _of_ints(scalars, condition, values, element)


def tested_factor(operands: Sequence[SSAValue]) -> SSAValue | None:
    """The ``x`` of ``where(x != 0.0, x * y, 0.0)``: zero, also for an infinite ``y``.

    Then the product is zero already, but where the factor is infinite or undefined.
    """
    condition, product, other = operands
    test = condition.owner
    if literal_data(other) != 0.0 or not isinstance(test, emitpy.BinaryOp):
        return None
    if test.operator.data != "!=" or literal_data(test.rhs) != 0.0:
        return None
    pending = [product]
    while pending:
        value = pending.pop()
        if value is test.lhs:
            return None if value is product else value
        match value.owner:
            case emitpy.BinaryOp() as op if op.operator.data == "*":
                pending += op.operands
            case emitpy.BinaryOp() as op if op.operator.data == "/":
                pending.append(op.lhs)
            case emitpy.UnaryOp() as op if op.operator.data == "-":
                pending += op.operands
            case _:
                pass
    return None


def number_beside(product: SSAValue, factor: SSAValue) -> Sequence[SSAValue]:
    """The number that a factor is multiplied by. A finite one leaves zeros zeros."""
    op = product.owner
    if isinstance(op, emitpy.BinaryOp) and op.operator.data == "*" and factor in op.operands:
        other = op.rhs if op.lhs is factor else op.lhs
        if is_object(other) or not yarr.rank_of(other):
            return (other,)
    return ()


def _extreme(condition: SSAValue, values: Sequence[SSAValue]) -> str | None:
    """The operation that chooses between compared Ints: their maximum or minimum."""
    compare = condition.owner
    if not isinstance(compare, emitpy.BinaryOp) or compare.operator.data not in _ORDERS:
        return None
    is_greater = compare.operator.data in (">", ">=")
    if all(map(_are_same, (compare.lhs, compare.rhs), values)):
        return "arith.maxsi" if is_greater else "arith.minsi"
    if all(map(_are_same, (compare.rhs, compare.lhs), values)):
        return "arith.minsi" if is_greater else "arith.maxsi"
    return None


def _are_same(value: SSAValue, other: SSAValue) -> bool:
    number = literal_int(value)
    return value is other or (number is not None and number == literal_int(other))


def _of_bools(scalars: Scalars, condition: SSAValue, values: Sequence[SSAValue]) -> SSAValue | None:
    """``c & x | ~c & y``, ``~c | x`` for ``where(c, x, True)``, ``c & x`` for ``(c, x, False)``."""
    negation = scalars.build.unary("~", condition, condition.type)
    sides = (condition, values[0], negation), (negation, values[1], condition)
    match tuple(map(literal_data, values)):
        case [None, None]:
            parts = [scalars.apply(Operator("&"), side[:2], i1) for side in sides]
            return scalars.apply(Operator("|"), parts, i1)
        case [None, bool(is_true)]:
            mask, value, other = sides[0]
        case [bool(is_true), None]:
            mask, value, other = sides[1]
        case _:
            return None
    symbol, factor = ("|", other) if is_true else ("&", mask)
    return scalars.apply(Operator(symbol), (factor, value), i1)


def _of_ints(
    scalars: Scalars, condition: SSAValue, values: Sequence[SSAValue], element: Attribute
) -> SSAValue | None:
    """``c * x`` if one of the values is 0, ``c * (x - y) + y`` for literals."""
    numbers = [literal_int(value) for value in values]
    if numbers.count(0) == 1:
        is_selected = numbers[1] == 0
        factor = scalars.typed(values[0 if is_selected else 1], element)
        mask = condition if is_selected else scalars.build.unary("~", condition, condition.type)
        return scalars.apply(Operator("*"), (mask, factor), element)
    match numbers:
        case [int(high), int(low)] if element == i64 and INTS.low <= high - low <= INTS.high:
            return _one_of(scalars, condition, high, low)
        case _:
            return None


def _one_of(scalars: Scalars, condition: SSAValue, high: int, low: int) -> SSAValue:
    """``condition * (high - low) + low``"""
    difference, number = high - low, scalars.build.literal(abs(low))
    if difference == -1 and low > 0 and scalars.subtracts_masks:
        return scalars.apply(Operator("-"), (number, condition), i64)
    if difference != 1:
        operands = condition, scalars.build.literal(difference)
        condition = scalars.apply(Operator("*"), operands, i64)
    return scalars.apply(Operator("+" if low > 0 else "-"), (condition, number), i64)
