"""Operations that are not legal to speculate."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import takewhile

from xdsl.dialects import arith
from xdsl.ir import Operation, SSAValue

from ein_mlir.analysis.constants import known_int
from ein_mlir.analysis.predicates import relation_of
from ein_mlir.analysis.scopes import around, operations_in
from ein_mlir.dialects import phi
from ein_mlir.dialects.phi.integers import is_nonnegative

Sized = phi.AccumulateOp | phi.ArrayOp | phi.FoldOp | phi.TopKOp
"""Operations that raise an error only if a size or a count is negative."""


def may_fail(op: Operation) -> bool:
    """Whether an operation itself, apart from its body, may raise an error.

    Such an operation must not be hoisted out of a loop that may have no step.
    """
    return isinstance(op, phi.PhiOp) and op.may_fail()


def may_be_skipped(ops: Iterable[Operation]) -> bool:
    """Whether it does not matter if operations are evaluated: no error, and no call."""
    return not any(may_fail(op) or isinstance(op, phi.ExternOp) for op in ops)


def may_fail_first(op: Operation, place: Operation) -> bool:
    """Whether an operation may raise an error that the program does not raise before a place.

    A size or count that the operation at the place requires, one around it, or one before these,
    is not negative there. One that is 0 unless a fold at the place has steps fails in the first.
    """
    if not may_fail(op) or not isinstance(op, Sized):
        return may_fail(op)
    return not all(
        is_required(size, place) or _needs_steps(size, place) for size in negative_sizes(op)
    )


def _needs_steps(size: SSAValue, place: Operation) -> bool:
    """``where(n > 0, size, 0)`` for the count n of a fold"""
    choice = size.owner
    if not isinstance(choice, arith.SelectOp) or known_int(choice.rhs) != 0:
        return False
    test = relation_of(choice.cond)
    return (
        isinstance(place, phi.FoldOp)
        and test is not None
        and (test.predicate, test.lhs, known_int(test.rhs)) == ("sgt", place.count, 0)
    )


def is_required(size: SSAValue, place: Operation) -> bool:
    """Whether a place is reached, and its operation is run, only if a size is not negative."""
    return any(
        isinstance(use.operation, Sized)
        and use.operation.size_or_count(use.index) is not None
        and _is_at_or_before(use.operation, place)
        for use in size.uses
    )


def _is_at_or_before(op: Operation, place: Operation) -> bool:
    """Whether an operation is at a place, around it, or before one of these."""
    if op.parent is None or (ancestor := op.parent.find_ancestor_op_in_block(place)) is None:
        return False
    return op is ancestor or op.is_before_in_block(ancestor)


def runs_body(op: Operation | None) -> bool:
    """Whether the body of an operation is evaluated at least once.

    That of a comprehension is, even of an empty one: it determines the sizes of inner axes.
    """
    if isinstance(op, phi.FoldOp):
        count = known_int(op.count)
        return count is not None and count > 0
    return isinstance(op, phi.ComprehensionOp | phi.DerivativeOp)


def runs_with(op: Operation, place: Operation) -> bool:
    """Whether a comprehension evaluates an operation in its body at least once."""
    loops = takewhile(lambda each: each is not place, around(op.parent_op()))
    return isinstance(place, phi.ComprehensionOp) and all(map(runs_body, loops))


def any_may_fail(op: Operation) -> bool:
    """Whether an operation, or one in its body, may raise an error."""
    return any(map(may_fail, operations_in(op)))


def body_may_fail(op: Operation) -> bool:
    """Whether an operation in the body of another one may raise an error before that does."""
    ops = operations_in(op)[1:]
    return any(may_fail_first(each, op) for each in ops if isinstance(each, phi.PhiOp))


def negative_sizes(op: Sized) -> Sequence[SSAValue]:
    """The sizes and counts of an operation that may be negative."""
    return [size for size in op.sizes_and_counts() if not is_nonnegative(size)]
