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
    found = reduced_elements(op) if isinstance(op, yarr.ReduceOp) and is_sum(op.combine) else None
    if found is None or not isinstance(op, yarr.ReduceOp):
        return None
    single, operands = found
    if len(op.axes) != 1 and yarr.rank_of(op.result):
        return None
    is_one = isinstance(single, arith.ExtUIOp | arith.UIToFPOp)
    if isinstance(single, arith.SelectOp):
        is_one = _is_number(operands[1], 1) and _is_number(operands[2], 0)
    condition = operands[0]
    is_whole = yarr.shape_of(condition) == yarr.shape_of(op.array)
    return condition if is_one and is_whole and yarr.element_of(condition) == i1 else None


def reduced_elements(op: yarr.ReduceOp) -> tuple[Operation, list[SSAValue]] | None:
    """The only operation on elements that makes an array for a reduction alone, and its arrays."""
    made = op.array.owner
    if not isinstance(made, yarr.ElementwiseOp) or not op.array.has_one_use():
        return None
    single, arguments = single_operation(made.body), made.body.block.args
    if single is None:
        return None
    return single, [made.arguments[arguments.index(operand)] for operand in single.operands]


def _is_number(value: SSAValue, number: int) -> bool:
    """Whether a value is a literal, repeated."""
    value = unrepeated(value)
    return number in (literal_float(value), constant_value(value))
