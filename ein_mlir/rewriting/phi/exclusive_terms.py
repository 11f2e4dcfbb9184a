"""Sums of choices of which at most one is not zero."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

from xdsl.dialects import arith
from xdsl.ir import Operation, SSAValue

from ein_mlir.analysis.constants import known_float
from ein_mlir.analysis.predicates import implied

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
        if not _is_zero(y):
            x, y = y, x
        if not _is_zero(y) or (not _is_zero(x) and x is not (self._value or x)):
            return None
        if not _is_zero(x):
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


def _is_zero(value: SSAValue) -> bool:
    return known_float(value) == 0


def _emit(decision: _Decision, new: list[Operation]) -> SSAValue:
    """Add the choices of a decision, the last one last."""
    if isinstance(decision, SSAValue):
        return decision
    condition, *sides = decision
    chosen, other = (_emit(side, new) for side in sides)
    new.append(arith.SelectOp(condition, chosen, other))
    return new[-1].results[0]
