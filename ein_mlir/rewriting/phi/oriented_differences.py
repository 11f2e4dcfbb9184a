"""Differences in the steps of sums: the operand that depends on the step comes first.

Two sums over the pairs of an element, such as those of a gradient, compute ``x[k] - x[i]`` and
``x[i] - x[k]``. With the same difference they share its square, its root and so on.
"""

from __future__ import annotations

from collections.abc import Set

from xdsl.dialects import arith
from xdsl.dialects.builtin import FloatAttr
from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import Rewriter
from xdsl.traits import ConstantLike

from ein_mlir.analysis.scopes import dependents, operands_within
from ein_mlir.dialects import phi, sigma
from ein_mlir.dialects.algebra import EVEN, ODD

_ODD = (arith.NegfOp, sigma.SignOp, *ODD)
"""All operations with ``f(-x) == -f(x)``."""


def orient_differences(op: phi.FoldOp) -> None:
    """``fold { acc + f(x[i] - x[k]) }  -->  fold { acc - f(x[k] - x[i]) }`` for an odd ``f``.

    The sums start with 0.0, so that the sign of a zero has no effect. If the sign of a difference
    does not end in a sum, or in an even function, the fold stays as it is.
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
    for each in found:
        total, value = each.operands if each.lhs in carried else each.operands[::-1]
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
    op: phi.FoldOp, differences: list[arith.SubfOp], carried: Set[SSAValue]
) -> list[arith.AddfOp | arith.SubfOp] | None:
    """The sums that take the opposite of a value, if some differences have the opposite sign.

    None if that changes another value of the step.
    """
    opposite, found = set[SSAValue](), list[arith.AddfOp | arith.SubfOp]()
    for each in op.body.block.ops:
        if each in differences:
            opposite.add(each.results[0])
            continue
        flipped = [operand in opposite for operand in each.operands]
        if each.regions and not opposite.isdisjoint(operands_within(each)):
            return None
        if not any(flipped):
            continue
        if isinstance(each, arith.AddfOp | arith.SubfOp) and _is_total(each, flipped, carried):
            found.append(each)
            continue
        sign = _sign(each, flipped)
        if sign is None:
            return None
        if sign:
            opposite.add(each.results[0])
    return found


def _is_total(op: arith.AddfOp | arith.SubfOp, flipped: list[bool], carried: Set[SSAValue]) -> bool:
    """``acc + x`` or ``acc - x``, with the opposite of ``x``"""
    if flipped == [True, False]:
        return isinstance(op, arith.AddfOp) and op.rhs in carried
    return flipped == [False, True] and op.lhs in carried


def _sign(op: Operation, flipped: list[bool]) -> bool | None:
    """Whether a result has the opposite sign; None if it is another value."""
    if isinstance(op, arith.MulfOp):
        return sum(flipped) == 1
    if isinstance(op, arith.DivfOp):
        return None if flipped == [False, True] else not all(flipped)
    if isinstance(op, arith.AddfOp | arith.SubfOp):
        return True if all(flipped) else None
    if isinstance(op, arith.SelectOp):
        return True if flipped == [False, True, True] else None
    if isinstance(op, _ODD):
        return True
    return False if isinstance(op, EVEN) else None
