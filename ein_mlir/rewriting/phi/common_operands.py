"""Choices between results of one operation that share an operand, as a choice of the other one."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import arith
from xdsl.dialects.builtin import IntegerAttr, i1
from xdsl.ir import Block, Operation, SSAValue

from ein_mlir.analysis.constants import known_float, known_int
from ein_mlir.analysis.phi.equality import computes_same
from ein_mlir.analysis.phi.variables import variables_around
from ein_mlir.analysis.predicates import NEGATED, predicate_of
from ein_mlir.dialects import phi
from ein_mlir.rewriting.phi.builders import same_operation

_COMMUTATIVE = (arith.AddfOp, arith.MulfOp, arith.MuliOp)
_ARITHMETIC = (*_COMMUTATIVE, arith.SubfOp, arith.DivfOp)


def common_operand(op: arith.SelectOp) -> list[Operation] | None:
    """``select(c, x * y, z * y) --> select(c, x, z) * y``, and the same for other operations

    So the factor y does not depend on the condition. Sums of Ints stay, since they are positions,
    and so does an operation that would be computed for more indices and steps than before.
    """
    return _with_chosen_operand(op.cond, op.lhs, op.rhs)


def common_operand_of_terms(op: arith.SelectOp) -> list[Operation] | None:
    """``select(c, x * y, select(d, z * y, 0)) --> select(c | d, select(c, x, z) * y, 0)``

    In a fold alone: the term of a sum is a product under one condition. The same applies if the
    inner choice is the first branch.
    """
    if not isinstance(op.parent_op(), phi.FoldOp):
        return None
    if (inner := _choice_of_term(op.rhs)) is not None:
        is_negated, values = False, (op.lhs, inner.lhs)
    elif (inner := _choice_of_term(op.lhs)) is not None:
        is_negated, values = True, (inner.lhs, op.rhs)
    else:
        return None
    product = _with_chosen_operand(op.cond, *values)
    if product is None:
        return None
    applies = _negation(op.cond) if is_negated else []
    either = arith.OrIOp(applies[-1].results[0] if applies else op.cond, inner.cond)
    return [*applies, *product, either, arith.SelectOp(either, product[-1], inner.rhs)]


def _choice_of_term(value: SSAValue) -> arith.SelectOp | None:
    """A choice between a value and a number, without other users."""
    op = value.owner
    if not isinstance(op, arith.SelectOp) or not value.has_one_use():
        return None
    is_number = known_float(op.rhs) is not None or known_int(op.rhs) is not None
    return op if is_number else None


def _with_chosen_operand(condition: SSAValue, x: SSAValue, y: SSAValue) -> list[Operation] | None:
    """``f(select(c, a, b), e)`` for the choice between ``f(a, e)`` and ``f(b, e)``"""
    first, second = x.owner, y.owner
    if isinstance(first, Block) or not isinstance(second, type(first)):
        return None
    if not isinstance(first, _ARITHMETIC) and not first.name.startswith("math."):
        return None
    is_alone = x.has_one_use() and y.has_one_use() and first.parent is second.parent
    if first is second or not is_alone or first.properties != second.properties:
        return None
    if not _is_as_often(first, condition, x, y):
        return None
    for operands in _orders(second):
        pairs = zip(first.operands, operands, strict=True)
        differing = [number for number, (a, b) in enumerate(pairs) if not computes_same(a, b)]
        if len(differing) == 1:
            (number,) = differing
            chosen = arith.SelectOp(condition, first.operands[number], operands[number])
            new = list[SSAValue](first.operands)
            new[number] = chosen.result
            return [chosen, same_operation(first, *new)]
    return None


def _is_as_often(place: Operation, condition: SSAValue, x: SSAValue, y: SSAValue) -> bool:
    """Whether the operation on a choice is computed as often as one of the two: for all indices."""
    of_choice = variables_around(place, [condition, x, y])
    return any(variables_around(place, [value]) == of_choice for value in (x, y))


def _orders(op: Operation) -> list[Sequence[SSAValue]]:
    """The orders of the operands of an operation for which the result is the same."""
    is_commutative = isinstance(op, _COMMUTATIVE)
    return [op.operands, op.operands[::-1]] if is_commutative else [op.operands]


def _negation(condition: SSAValue) -> list[Operation]:
    compare = condition.owner
    if isinstance(compare, arith.CmpiOp):
        return [arith.CmpiOp(compare.lhs, compare.rhs, NEGATED[predicate_of(compare)])]
    true = arith.ConstantOp(IntegerAttr(1, i1))
    return [true, arith.XOrIOp(condition, true)]
