"""Choices of numbers: sums of which one is zero, and operations that share an operand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeAlias

from xdsl.dialects import arith
from xdsl.dialects.builtin import IntegerAttr, i1
from xdsl.ir import Block, Operation, SSAValue

from ein_mlir.analysis.constants import known_float, known_int
from ein_mlir.analysis.phi.equality import computes_same
from ein_mlir.analysis.phi.selections import is_zero
from ein_mlir.analysis.phi.variables import variables_around
from ein_mlir.analysis.predicates import NEGATED, implied, predicate_of
from ein_mlir.dialects import phi
from ein_mlir.dialects.creation import same_operation

MOST_TESTS = 32
"""The most conditions that are tested in a sum, each as often as others leave it open."""

_Decision: TypeAlias = SSAValue | tuple[SSAValue, "_Decision", "_Decision"]
"""A value, or a condition with what is chosen if it holds, and otherwise."""


def sum_of_exclusive(op: arith.AddfOp) -> SSAValue | list[Operation] | None:
    """``select(c, x, 0) + select(c, 0, x) --> x``, where other conditions may choose, too

    So whatever holds, one of the terms is zero, and the other one x or zero. It may be another
    zero for ``-0.0``. Sums of different values stay: each may be a product with a form of its own.
    """
    if not all(isinstance(term.owner, arith.SelectOp) for term in op.operands):
        return None
    decision = _Terms().total(op.lhs, op.rhs, {})
    if decision is None or isinstance(decision, SSAValue):
        return decision
    new = list[Operation]()
    _emit(decision, new)
    return new


class _Terms:
    """Decides on the sum of two terms, all of whose values but zero are one value."""

    def __init__(self) -> None:
        self._tests = 0
        self._value: SSAValue | None = None

    def total(self, x: SSAValue, y: SSAValue, known: Mapping[SSAValue, bool]) -> _Decision | None:
        """The sum where some conditions are known; None if there is none."""
        x, y = _known(x, known), _known(y, known)
        for op in (x.owner, y.owner):
            if isinstance(op, arith.SelectOp):
                return self._tested(op.cond, x, y, known)
        if not is_zero(y):
            x, y = y, x
        if not is_zero(y) or (not is_zero(x) and x is not (self._value or x)):
            return None
        if not is_zero(x):
            self._value = x
        return x

    def _tested(
        self, condition: SSAValue, x: SSAValue, y: SSAValue, known: Mapping[SSAValue, bool]
    ) -> _Decision | None:
        self._tests += 1
        if self._tests > MOST_TESTS:
            return None
        chosen = self.total(x, y, {**known, condition: True})
        other = None if chosen is None else self.total(x, y, {**known, condition: False})
        if chosen is None or other is None:
            return None
        return chosen if chosen == other else (condition, chosen, other)


def _known(value: SSAValue, known: Mapping[SSAValue, bool]) -> SSAValue:
    """What a value is where some conditions are known."""
    while isinstance(op := value.owner, arith.SelectOp):
        found = (implied(op.cond, test, expected=holds) for test, holds in known.items())
        truth = next((each for each in found if each is not None), None)
        if truth is None:
            break
        value = op.lhs if truth else op.rhs
    return value


def _emit(decision: _Decision, new: list[Operation]) -> SSAValue:
    """Add the choices of a decision, the last one last."""
    if isinstance(decision, SSAValue):
        return decision
    condition, *sides = decision
    chosen, other = (_emit(side, new) for side in sides)
    new.append(arith.SelectOp(condition, chosen, other))
    return new[-1].results[0]


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
