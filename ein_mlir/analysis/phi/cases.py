"""Conditions by which an index of few values decides an element: each value is a case."""

from __future__ import annotations

from itertools import islice

from xdsl.dialects import arith
from xdsl.ir import Block, Operation

from ein_mlir.analysis.constants import known_int
from ein_mlir.dialects import phi

MOST_CASES = 4
"""The largest number of cases, each with a copy of the body."""

MOST_OPERATIONS = 250
"""The most operations of a body with cases."""


def may_have_cases(op: phi.ArrayOp) -> bool:
    """Whether the body of a comprehension may be copied for cases.

    Not a loop, which would run in each case. Not if elements of one case are those of an
    accumulator: the others are updated in place.
    """
    body = list(islice(op.body.walk(), MOST_OPERATIONS + 1))
    return len(body) <= MOST_OPERATIONS and not any(
        isinstance(each, phi.FoldOp | phi.WhileOp | phi.ExternOp) or _keeps(each, op)
        for each in body
    )


def is_few(count: int | None) -> bool:
    """Whether a size is that of an index of cases."""
    return count is not None and 2 <= count <= MOST_CASES


def decides(op: Operation) -> bool:
    """Whether an Int is compared with a constant."""
    return any(
        isinstance(compare := use.operation, arith.CmpiOp)
        and known_int(compare.operands[1 - use.index]) is not None
        for use in op.results[0].uses
    )


def _keeps(op: Operation, array: phi.ArrayOp) -> bool:
    """Whether a selection keeps the element of an accumulator at the indices of a comprehension."""
    return isinstance(op, arith.SelectOp) and any(
        isinstance(read := side.owner, phi.GetOp)
        and isinstance(read.array.owner, Block)
        and isinstance(read.array.owner.parent_op(), phi.FoldOp | phi.WhileOp)
        and [phi.uncast(position) for position in read.positions] == [*array.indices]
        for side in (op.lhs, op.rhs)
    )
