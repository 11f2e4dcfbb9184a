"""Which operations must not run where the program would not have run them."""

from __future__ import annotations

from xdsl.ir import Operation

from ein_mlir.dialects import phi


def may_fail(op: Operation) -> bool:
    """Whether an operation, apart from what is in its body, may raise an error when it is run.

    Such an operation must not leave a loop that may run zero times.
    """
    return isinstance(op, phi.PhiOp) and op.may_fail()
