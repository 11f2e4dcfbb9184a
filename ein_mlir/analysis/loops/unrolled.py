"""Loops that LLVM unrolls, so that it vectorises the loop around them."""

from __future__ import annotations

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import IndexType, IntegerType
from xdsl.ir import Operation

from ein_mlir.analysis.constants import known_int

MOST_OPERATIONS = 512
"""The most operations of all steps of a loop that is unrolled."""

FEW_STEPS, MOST_OTHERS = 16, 128
"""The most steps of a loop with floats, loads or stores, and their most operations."""


def has_few_steps(op: scf.ForOp) -> bool:
    """Whether a loop has few known steps."""
    steps = known_range(op)
    return steps is not None and len(steps) <= FEW_STEPS


def known_range(op: scf.ForOp) -> range | None:
    """The counters of the steps of a loop, if they are known."""
    bounds = [known_int(bound) for bound in (op.lb, op.ub, op.step)]
    known = [bound for bound in bounds if bound is not None]
    return range(*known) if known == bounds else None


def is_unrolled(op: Operation) -> bool:
    """Whether an operation is a loop of few known steps.

    A block of results would gain little from it: its steps are one after another in the loop over
    the results, which is vectorised. LLVM finds instructions for many steps on bits.
    """
    if not isinstance(op, scf.ForOp) or any(each.regions for each in op.body.block.ops):
        return False
    steps, operations = known_range(op), list(op.body.block.ops)
    is_on_bits = all(map(_is_arithmetic, operations[:-1]))
    if steps is None or not (is_on_bits or has_few_steps(op)):
        return False
    return 1 < len(steps) * len(operations) <= (MOST_OPERATIONS if is_on_bits else MOST_OTHERS)


def _is_arithmetic(op: Operation) -> bool:
    """Whether an operation is one instruction on Ints: quotients take many."""
    is_quotient = isinstance(op, arith.DivSIOp | arith.DivUIOp | arith.RemSIOp | arith.RemUIOp)
    are_ints = all(isinstance(each.type, IntegerType | IndexType) for each in op.results)
    return op.name.startswith("arith.") and are_ints and not is_quotient
