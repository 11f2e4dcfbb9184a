"""Folds of each element whose steps have loops: the steps of all elements are comprehensions."""

from __future__ import annotations

from collections.abc import Iterator

from ein_mlir.analysis.phi.counted_loops import CountedLoop
from ein_mlir.analysis.phi.free_indices import leaf_types
from ein_mlir.analysis.scopes import around, captured, slice_within
from ein_mlir.dialects import phi


def folds_around(loop: CountedLoop) -> Iterator[phi.FoldOp]:
    """The folds between a loop and the operation around it that is none, innermost first."""
    for each in around(loop.op.parent_op()):
        if not isinstance(each, phi.FoldOp):
            return
        yield each


def may_iterate(fold: phi.FoldOp, array: phi.ArrayOp) -> bool:
    """Whether a fold is one of scalars, and what it needs of an element takes no loops."""
    needed = slice_within(array, [*fold.operands, *captured(fold)])
    is_scalar = all(map(phi.is_scalar_type, leaf_types(fold.init.type)))
    return is_scalar and fold.irregular is None and not any(op.regions for op in needed)
