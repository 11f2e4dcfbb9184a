"""Harmless operands for operations whose results are not used."""

from __future__ import annotations

from collections.abc import Mapping

from xdsl.dialects import arith, math
from xdsl.dialects.builtin import AnyFloat, FloatAttr
from xdsl.ir import Operation, SSAValue

from ein_mlir.analysis.hints import isa
from ein_mlir.analysis.phi.selections import is_constant
from ein_mlir.analysis.phi.singularities import SINGULAR
from ein_mlir.rewriting.phi.insertion import Builder

SAFE: Mapping[type[Operation], float] = {math.AcoshOp: 2.0}
"""Operands at which the derivative is finite, for operations whose derivative at 0.5 is not."""


def guard_operand(op: Operation, condition: SSAValue, *, used_if_true: bool) -> None:
    """``log x  -->  log (select c, x, 0.5)``, unless it is so already"""
    index = SINGULAR[type(op)]
    operand = op.operands[index]
    assert isa(operand.type, AnyFloat)
    literal = FloatAttr(SAFE.get(type(op), 0.5), operand.type)
    if _is_guarded(operand, condition, literal, 2 if used_if_true else 1):
        return
    build = Builder.before(op)
    safe = build.constant(literal)
    values = (operand, safe) if used_if_true else (safe, operand)
    op.operands[index] = build.select(condition, *values)


def _is_guarded(operand: SSAValue, condition: SSAValue, literal: FloatAttr, branch: int) -> bool:
    """Whether an operand is the literal in a branch of a condition, and of others around it."""
    while isinstance(select := operand.owner, arith.SelectOp):
        guarded = [k for k in (1, 2) if is_constant(select.operands[k], literal)]
        if len(guarded) != 1:
            return False
        if select.cond is condition and guarded == [branch]:
            return True
        operand = select.operands[3 - guarded[0]]
    return False
