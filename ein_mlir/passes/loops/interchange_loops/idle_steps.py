"""Steps of loops that change nothing, by a condition that is the same for all results."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import arith, memref, scf
from xdsl.dialects.builtin import FloatAttr, IntegerAttr, i1
from xdsl.ir import Block, Operation, SSAValue
from xdsl.traits import ConstantLike


def idle_condition(op: scf.ForOp, vary: set[SSAValue]) -> tuple[SSAValue, bool] | None:
    """A condition that is the same for all results, and its value in steps that change nothing.

    ``acc + where(c, x, 0)`` and ``acc or (c and x)`` are ``acc`` if c is false.
    """
    block = op.body.block
    last = block.last_op
    assert last is not None
    if any(isinstance(each, memref.StoreOp) for each in block.ops):
        return None
    used = dict.fromkeys(v for each in block.ops for v in each.operands if v.type == i1)
    for condition in used:
        if condition not in vary and isinstance(condition.owner, Operation):
            for value in (False, True):
                known: dict[SSAValue, SSAValue | bool] = {condition: value}
                results = [_reduced(each, known, block) for each in last.operands]
                if all(new is old for new, old in zip(results, block.args[1:], strict=True)):
                    return condition, value
    return None


def _reduced(
    value: SSAValue, known: dict[SSAValue, SSAValue | bool], block: Block
) -> SSAValue | bool:
    """The value, or the truth value, that one is equal to if the values of some are known."""
    op = value.owner
    if value not in known and isinstance(op, Operation) and op.parent is block:
        operands = [_reduced(each, known, block) for each in op.operands]
        known[value] = _folded(op, operands)
    return known.get(value, value)


def _folded(op: Operation, operands: Sequence[SSAValue | bool]) -> SSAValue | bool:
    """The result of an operation on reduced operands."""
    match op, operands:
        case arith.SelectOp(), [bool() as condition, value, otherwise]:
            return value if condition else otherwise
        case arith.AndIOp(), [False, _] | [_, False]:
            return False
        case arith.AndIOp(), [True, other] | [other, True]:
            return other
        case arith.OrIOp(), [False, other] | [other, False]:
            return other
        case arith.OrIOp(), [True, _] | [_, True]:
            return True
        case arith.AddfOp() | arith.AddiOp(), [other, SSAValue() as zero] if is_zero(zero):
            return other
        case arith.AddfOp() | arith.AddiOp(), [SSAValue() as zero, other] if is_zero(zero):
            return other
        case _:
            return op.results[0] if op.results else False


def is_zero(value: SSAValue) -> bool:
    """Whether a value is the constant 0; the sign of a zero of a sum is unspecified."""
    number = ConstantLike.get_constant_value(value)
    if isinstance(number, FloatAttr):
        return number.value.data == 0
    return isinstance(number, IntegerAttr) and number.value.data == 0
