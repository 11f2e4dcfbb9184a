"""Removal of dead code from a block, where a pass has left some."""

from __future__ import annotations

from xdsl.ir import Block
from xdsl.rewriter import Rewriter

from ein_mlir.analysis.effects import is_dead


def erase_unused(block: Block) -> None:
    """Erase operations without effects whose results are unused, last to first."""
    for op in reversed(list(block.ops)):
        for region in op.regions:
            for inner in region.blocks:
                erase_unused(inner)
        if op.results and is_dead(op):
            Rewriter.erase_op(op)
