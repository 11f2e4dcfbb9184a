"""Steps of loops that change nothing, by a condition."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from xdsl.dialects import arith, memref, scf
from xdsl.dialects.builtin import FloatAttr, IntegerAttr, i1
from xdsl.ir import Block, Operation, SSAValue
from xdsl.traits import ConstantLike

from ein_mlir.analysis.scopes import is_within
from ein_mlir.dialects.algebra import identity


def idle_conditions(
    op: scf.ForOp, is_wanted: Callable[[SSAValue], bool]
) -> Iterator[tuple[SSAValue, bool]]:
    """The wanted conditions that steps of a loop read, and their values in those that do nothing.

    ``acc + where(c, x, 0)``, ``acc or (c and x)``, and ``acc + (c and x).int()`` of a count, are
    ``acc`` if c is false.
    """
    block = op.body.block
    if any(isinstance(each, memref.StoreOp) for each in block.ops):
        return
    for condition in filter(is_wanted, _conditions(block)):
        for value in (False, True):
            if all(new is old for old, new in _carried(block, condition, value)):
                yield condition, value


def settling_conditions(op: scf.ForOp) -> Iterator[tuple[SSAValue, bool]]:
    """The conditions in steps of a loop, and their values in those that need none before them.

    What such a step carries on is known outside of the loop: ``where(c, acc + x, y)`` is y if c is
    false. Others do need the step before.
    """

    def is_known(value: SSAValue | bool) -> bool:
        if isinstance(value, bool) or not is_within(value, op):
            return True
        return isinstance(value.owner, arith.ConstantOp)

    block = op.body.block
    for condition in _conditions(block):
        for value in (False, True):
            known = [is_known(new) for _, new in _carried(block, condition, value)]
            others = [is_known(new) for _, new in _carried(block, condition, not value)]
            if all(known) and not all(others):
                yield condition, value


def _conditions(block: Block) -> list[SSAValue]:
    """The Bools that operations of a body read."""
    used = dict.fromkeys(v for each in block.ops for v in each.operands if v.type == i1)
    return [each for each in used if not isinstance(each.owner, arith.ConstantOp)]


def _carried(
    block: Block, condition: SSAValue, value: bool
) -> Iterator[tuple[SSAValue, SSAValue | bool]]:
    """What a step carries, and its next value if a condition has some value."""
    known: dict[SSAValue, SSAValue | bool] = {condition: value}
    for op in block.ops:
        if len(op.results) == 1 and not known.keys().isdisjoint(op.operands):
            known.setdefault(op.results[0], _folded(op, [known.get(v, v) for v in op.operands]))
    last = block.last_op
    assert last is not None
    for old, new in zip(block.args[1:], last.operands, strict=True):
        yield old, known.get(new, new)


def _folded(op: Operation, operands: Sequence[SSAValue | bool]) -> SSAValue | bool:
    """The result of an operation on reduced operands; False is the number 0, too."""
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
        case arith.ExtUIOp() | arith.SIToFPOp() | arith.UIToFPOp(), [False]:
            return False
        case arith.AddfOp() | arith.AddiOp(), [False, other] | [other, False]:
            return other
        case arith.AddfOp() | arith.AddiOp(), [other, SSAValue() as zero] if is_zero(zero):
            return other
        case arith.AddfOp() | arith.AddiOp(), [SSAValue() as zero, other] if is_zero(zero):
            return other
        case _, [other, SSAValue() as value] if _is_identity(op, value):
            return other
        case _, [SSAValue() as value, other] if _is_identity(op, value):
            return other
        case _:
            return op.results[0]


def _is_identity(op: Operation, value: SSAValue) -> bool:
    """Whether an operation combines a constant with each other value to that one."""
    number = ConstantLike.get_constant_value(value)
    return number is not None and number == identity(op.name, value.type)


def is_zero(value: SSAValue) -> bool:
    """Whether a value is the constant 0; the sign of a zero of a sum is unspecified."""
    number = ConstantLike.get_constant_value(value)
    if isinstance(number, FloatAttr):
        return number.value.data == 0
    return isinstance(number, IntegerAttr) and number.value.data == 0
