"""Differences in the steps of sums: the operand that depends on the step comes first.

Two sums over the pairs of an element, such as those of a gradient, compute ``x[k] - x[i]`` and
``x[i] - x[k]``. With the same difference they share its square, its root and so on.
"""

from __future__ import annotations

from collections.abc import Sequence, Set
from enum import Enum, auto
from typing import TypeAlias

from xdsl.dialects import arith, math
from xdsl.dialects.builtin import FloatAttr
from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import Rewriter
from xdsl.traits import ConstantLike

from ein_mlir.analysis.scopes import dependents, operands_within
from ein_mlir.dialects import phi, sigma
from ein_mlir.dialects.algebra import EVEN, ODD

_ODD = (arith.NegfOp, sigma.SignOp, *ODD)
"""All operations with ``f(-x) == -f(x)``."""

Sum: TypeAlias = tuple[arith.AddfOp | arith.SubfOp, SSAValue, SSAValue]
"""``acc + x`` or ``acc - x``, with its ``acc`` and ``x``."""


class Change(Enum):
    """The effect on a value of exchanging the operands of differences."""

    NONE = auto()
    ZEROS = auto()
    """A zero may have another sign: a difference of equal values is 0.0 in both orders."""
    OPPOSITE = auto()
    """The opposite value, except for the sign of a zero."""


def orient_differences(op: phi.FoldOp) -> None:
    """``fold { acc + f(x[i] - x[k]) }  -->  fold { acc - f(x[k] - x[i]) }`` for an odd ``f``.

    The sums start with 0.0, so that the sign of a zero has no effect on them. If the sign of a
    difference does not end in a sum, or in an even function, the fold stays as it is; nor if that
    of a zero has an effect, as in ``1 / (d * e)``.
    """
    block = op.body.block
    varying = dependents(block, op.counter)
    differences = [
        each
        for each in block.ops
        if isinstance(each, arith.SubfOp) and each.rhs in varying and each.lhs not in varying
    ]
    carried = _sums_from_zero(op)
    found = _effects(op, differences, carried) if differences and carried else None
    if found is None:
        return
    for each in differences:
        each.operands = (each.rhs, each.lhs)
    for each, total, value in found:
        opposite = arith.SubfOp if isinstance(each, arith.AddfOp) else arith.AddfOp
        Rewriter.replace_op(each, opposite(total, value, each.fastmath))


def _sums_from_zero(op: phi.FoldOp) -> Set[SSAValue]:
    """The leaves of an accumulator, if all of them start with 0.0."""
    owner = op.init.owner
    leaves = owner.fields if isinstance(owner, phi.TupleOp) else [op.init]
    if not all(map(_is_zero, leaves)):
        return set[SSAValue]()
    fields = {use.operation for use in op.accumulator.uses}
    return {op.accumulator, *(each.result for each in fields if isinstance(each, phi.ProjOp))}


def _is_zero(value: SSAValue) -> bool:
    literal = ConstantLike.get_constant_value(value)
    return isinstance(literal, FloatAttr) and str(literal.value.data) == "0.0"


def _effects(
    op: phi.FoldOp, differences: Sequence[arith.SubfOp], carried: Set[SSAValue]
) -> Sequence[Sum] | None:
    """The sums that take the opposite of a value, if some differences have the opposite sign.

    None if that changes another value of the step.
    """
    changes, found = dict[SSAValue, Change](), list[Sum]()
    for each in op.body.block.ops:
        if each in differences:
            changes[each.results[0]] = Change.OPPOSITE
            continue
        if changes.keys().isdisjoint(operands_within(each)):
            continue
        if (total := _sum(each, carried)) is not None:
            if changes[total[-1]] is Change.OPPOSITE:
                found.append(total)
            continue
        change = _change(each, [changes.get(value, Change.NONE) for value in each.operands])
        if change is None:
            return None
        if change is not Change.NONE:
            changes[each.results[0]] = change
    return found


def _sum(op: Operation, carried: Set[SSAValue]) -> Sum | None:
    if isinstance(op, arith.AddfOp | arith.SubfOp) and op.lhs in carried:
        return op, op.lhs, op.rhs
    return (op, op.rhs, op.lhs) if isinstance(op, arith.AddfOp) and op.rhs in carried else None


def _change(op: Operation, operands: Sequence[Change]) -> Change | None:
    """The change of a result by those of operands, one of which changes; None if it is another."""
    are_opposite = [each is Change.OPPOSITE for each in operands]
    result = Change.OPPOSITE if any(are_opposite) else Change.ZEROS
    match op:
        case arith.MulfOp() if op.lhs is op.rhs:
            return Change.NONE
        case arith.MulfOp():
            return Change.ZEROS if all(are_opposite) else result
        case arith.DivfOp():
            return result if operands[1] is Change.NONE else None
        case arith.AddfOp() | arith.SubfOp():
            return result if all(are_opposite) or not any(are_opposite) else None
        case arith.SelectOp():
            return result if are_opposite[1] == are_opposite[2] else None
        case math.ExpOp() | arith.CmpfOp():
            return None if any(are_opposite) else Change.NONE
        case _ if isinstance(op, _ODD):
            return result
        case _:
            return Change.NONE if isinstance(op, EVEN) else None
