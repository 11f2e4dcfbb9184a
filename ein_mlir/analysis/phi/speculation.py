"""Operations that are not legal to speculate."""

from __future__ import annotations

from xdsl.ir import Operation

from ein_mlir.dialects import phi


def may_fail(op: Operation) -> bool:
    """Whether an operation itself, apart from its body, may raise an error.

    Such an operation must not be hoisted out of a loop that may have no step.
    """
    return isinstance(op, phi.PhiOp) and op.may_fail()
