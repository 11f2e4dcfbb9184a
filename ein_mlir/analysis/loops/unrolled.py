"""Loops that LLVM unrolls, so that it vectorises the loop around them."""

from __future__ import annotations

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import IndexType, IntegerType
from xdsl.ir import Operation

from ein_mlir.analysis.constants import known_int

MOST_OPERATIONS = 512
"""The most operations of all steps of a loop that is unrolled."""


def is_unrolled(op: Operation) -> bool:
    """Whether an operation is a loop of known steps that computes Ints, without memory.

    A block of results would gain nothing from it, as its steps load no neighbours, and LLVM finds
    instructions for such steps on bits. Floats wait for each other: a block has others meanwhile.
    """
    if not isinstance(op, scf.ForOp):
        return False
    bounds = [known_int(bound) for bound in (op.lb, op.ub, op.step)]
    known = [bound for bound in bounds if bound is not None]
    operations = list(op.body.block.ops)
    return (
        known == bounds
        and all(map(_is_arithmetic, operations[:-1]))
        and 1 < len(range(*known)) * len(operations) <= MOST_OPERATIONS
    )


def _is_arithmetic(op: Operation) -> bool:
    """Whether an operation is one instruction on Ints: quotients take many."""
    is_quotient = isinstance(op, arith.DivSIOp | arith.DivUIOp | arith.RemSIOp | arith.RemUIOp)
    are_ints = all(isinstance(each.type, IntegerType | IndexType) for each in op.results)
    return op.name.startswith("arith.") and are_ints and not is_quotient
