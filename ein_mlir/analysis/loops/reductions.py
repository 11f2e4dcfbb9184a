"""Loops that combine terms in any order."""

from __future__ import annotations

from xdsl.dialects import arith, scf
from xdsl.ir import Operation, SSAValue

from ein_mlir.dialects.fastmath import permits

_ANY_ORDER = frozenset((arith.AddiOp, arith.MaximumfOp, arith.MinimumfOp, arith.MuliOp))
"""Combinations of terms that LLVM regroups; sums of floats have a flag."""


def is_reduction(loop: scf.ForOp) -> bool:
    """Whether all that a loop carries are terms combined in any order, ``x + f(k)``, if anything.

    LLVM vectorises such a loop.
    """
    last = loop.body.block.last_op
    assert last is not None
    return all(map(_is_combined, loop.body.block.args[1:], last.operands))


def _is_combined(carried: SSAValue, value: SSAValue) -> bool:
    combine = value.owner
    return (
        isinstance(combine, Operation)
        and len(combine.operands) == 2
        and carried in combine.operands
        and carried.has_one_use()
        and (permits(combine, "reassoc") or type(combine) in _ANY_ORDER)
    )
