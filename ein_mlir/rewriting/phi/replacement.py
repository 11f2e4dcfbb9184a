"""Putting operations into a program, and values in the place of others."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from ein_mlir.analysis.phi.free_indices import FreeIndices
from ein_mlir.analysis.phi.size_equivalence import SizeEquivalence


def insert_before(
    place: Operation, ops: Sequence[Operation], *known: FreeIndices | SizeEquivalence
) -> None:
    """Put operations before another, whose location they get; ``known`` is told of them."""
    for new in ops:
        new.location = place.location
    Rewriter.insert_op(ops, InsertPoint.before(place))
    for each in known:
        each.add(*ops)


def replace(op: Operation, value: SSAValue, *known: FreeIndices | SizeEquivalence) -> None:
    """Let a value, of which the same is ``known``, take the place of an operation, and its name."""
    (result,) = op.results
    value.name_hint = result.name_hint
    for each in known:
        each.inherit(value, result)
    result.replace_all_uses_with(value)
    op.detach()
    op.erase()


def erase_all(ops: Sequence[Operation]) -> None:
    """Erase operations that only those behind them use."""
    for op in reversed(ops):
        Rewriter.erase_op(op)
