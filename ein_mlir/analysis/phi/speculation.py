"""Operations that are not legal to speculate."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import Operation, SSAValue

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


def may_fail_first(op: Operation, place: Operation) -> bool:
    """Whether an operation may raise an error that no comprehension around a place has raised.

    A size of such a comprehension is not negative there.
    """
    if not may_fail(op) or not isinstance(op, Sized):
        return may_fail(op)
    loops = (each for each in around(place.parent_op()) if isinstance(each, phi.ComprehensionOp))
    return not set(negative_sizes(op)) <= {size for loop in loops for size in loop.sizes}


def any_may_fail(op: Operation) -> bool:
    """Whether an operation, or one in its body, may raise an error."""
    return any(map(may_fail, operations_in(op)))


def body_may_fail(op: Operation) -> bool:
    """Whether an operation in the body of another one may raise an error."""
    return any(map(may_fail, operations_in(op)[1:]))


def negative_sizes(op: Sized) -> Sequence[SSAValue]:
    """The sizes and counts of an operation that may be negative."""
    sizes = [v for number, v in enumerate(op.operands) if op.size_or_count(number) is not None]
    return [size for size in sizes if not is_nonnegative(size)]
