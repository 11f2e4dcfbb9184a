"""Sums of ones where a condition holds, and of zeros elsewhere."""

from __future__ import annotations

from xdsl.dialects import arith
from xdsl.dialects.builtin import i1
from xdsl.ir import Operation, SSAValue

from ein_mlir.dialects import yarr
from ein_mlir.dialects.algebra import is_sum
from ein_mlir.dialects.assembly import single_operation
from ein_mlir.dialects.yarr.constants import constant_value, literal_float, unrepeated


def counted_condition(op: Operation) -> SSAValue | None:
    """The Bools that a sum of ``where(c, 1, 0)`` counts, along one axis or all, if it is one.

    No other operation reads that array.
    """
    if not isinstance(op, yarr.ReduceOp) or not is_sum(op.combine):
        return None
    is_along_one = len(op.axes) == 1 or not yarr.rank_of(op.result)
    if not is_along_one or not op.array.has_one_use():
        return None
    numbers = op.array.owner
    if not isinstance(numbers, yarr.ElementwiseOp):
        return None
    single = single_operation(numbers.body)
    if single is None:
        return None
    operands = [numbers.arguments[numbers.body.block.args.index(o)] for o in single.operands]
    is_one = isinstance(single, arith.ExtUIOp | arith.UIToFPOp)
    if isinstance(single, arith.SelectOp):
        is_one = _is_number(operands[1], 1) and _is_number(operands[2], 0)
    condition = operands[0]
    is_whole = yarr.shape_of(condition) == yarr.shape_of(op.array)
    return condition if is_one and is_whole and yarr.element_of(condition) == i1 else None


def _is_number(value: SSAValue, number: int) -> bool:
    """Whether a value is a literal, repeated."""
    value = unrepeated(value)
    return number in (literal_float(value), constant_value(value))
