"""Values of a Python program that are printed at their use, without a variable."""

from __future__ import annotations

from xdsl.dialects import func
from xdsl.ir import OpResult

from ein_mlir.dialects import emitpy

_CHEAP = (emitpy.AttrOp, emitpy.SliceOp, emitpy.SubscriptOp, emitpy.TupleOp)
"""Operations that need no variable for readability."""


def nests_in_use(result: OpResult) -> bool:
    """Whether the expression of a value is printed inside its use, if that is legal.

    It is used once, in the same block, and either is cheap or has no name of its own.
    """
    op = result.op
    if not result.has_one_use():
        return False
    (use,) = result.uses
    if use.operation.parent is not op.parent or isinstance(use.operation, emitpy.DelOp):
        return False
    is_view = isinstance(op, emitpy.CallLikeOp) and op.view is not None
    if result.name_hint is None or is_view or isinstance(op, _CHEAP):
        return True
    return isinstance(use.operation, emitpy.ForOp | emitpy.YieldOp | func.ReturnOp)
