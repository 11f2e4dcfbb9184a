"""Extremes with an array or, where a condition fails, with one that leaves them as they are."""

from __future__ import annotations

import math

from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.rewriter import Rewriter

from ein_mlir.dialects import emitpy
from ein_mlir.dialects.algebra import identity
from ein_mlir.dialects.emitpy import OBJECT
from ein_mlir.rewriting.yarr_to_emitpy.rules.elementwise import ElementwiseRules


class NeutralChoices(ElementwiseRules):
    """``if c: x = torch.minimum(x, y)`` in place of an array of infinities where c fails."""

    def scalar(self, op: Operation) -> None:
        """``min(x, y if c else full_like(y, inf))`` is ``min(x, y) if c else x``."""
        for number, operand in enumerate(op.operands if len(op.operands) == 2 else ()):
            chosen, other = self.value(operand), self.value(op.operands[1 - number])
            choice = chosen.owner
            if (
                isinstance(choice, emitpy.ConditionalOp)
                and chosen.type == other.type
                and chosen is not other
                and chosen.first_use is None
                and operand.has_one_use()
                and _is_neutral(choice.if_false, op)
            ):
                self._combine_if(choice, other, op, is_first=number == 0)
                return
        super().scalar(op)

    def _combine_if(
        self, choice: emitpy.ConditionalOp, other: SSAValue, op: Operation, *, is_first: bool
    ) -> None:
        """A loop of one step, or of none, in place of a choice."""
        self.build.source = op
        condition, kept = choice.condition, choice.if_true
        Rewriter.erase_op(choice)
        one, none = self.build.literal(1), self.build.literal(0)
        times = self.build.conditional(condition, one, none, OBJECT)
        body = Block(arg_types=[OBJECT, other.type])
        with self.build.emitting_into(body):
            sides = (kept, body.args[1]) if is_first else (body.args[1], kept)
            combined = self.scalars.translate(op, sides)
            if combined is None:
                raise self.no_lowering(op)
            self.build.insert(emitpy.YieldOp(combined))
        self.build.source = op
        loop = self.build.insert(emitpy.ForOp(times, [other], Region(body)))
        self.bind(op.results[0], loop.res[0])


def _is_neutral(array: SSAValue, op: Operation) -> bool:
    """Whether an array is full of the identity of an extreme of floats: an infinity."""
    full = array.owner
    if not isinstance(full, emitpy.CallOp) or full.callee.data != "torch.full_like":
        return False
    number, infinity = full.positional[1].owner, math.inf
    if isinstance(number, emitpy.UnaryOp) and number.operator.data == "-":
        number, infinity = number.operand.owner, -math.inf
    neutral = identity(op.name, op.results[0].type)
    is_infinite = isinstance(number, emitpy.NameOp) and number.target.data == "torch.inf"
    return is_infinite and neutral is not None and neutral.value.data == infinity
