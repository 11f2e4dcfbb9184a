"""``eliminate-common-subexpressions``: equal operations without effects become the first of them.

It does what xDSL's ``cse`` does in one walk: an operation is found by a key that equal operations
share, and a region sees the keys around it without a copy of them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable

from xdsl.dialects import func
from xdsl.ir import Block, Operation, Region
from xdsl.rewriter import Rewriter

from ein_mlir.analysis.effects import is_dead, is_pure
from ein_mlir.analysis.manager import AnalysisManager
from ein_mlir.rewriting.passes import FunctionPass


def eliminate_common_subexpressions(function: func.FuncOp) -> None:
    """Let the users of equal operations use the first."""
    _Scope().visit(function.body.block)


class _Scope:
    """The operations that dominate the present one, by key."""

    def __init__(self) -> None:
        self._known = defaultdict[Hashable, list[Operation]](list)

    def visit(self, block: Block) -> None:
        """Share the operations of a block, and of the regions in it, with each other."""
        own = list[Hashable]()
        for op in list(block.ops):
            for region in op.regions:
                if _has_several(region):
                    self.visit(region.block)
            if is_dead(op):
                Rewriter.erase_op(op)
            elif op.results and is_pure(op):
                key = _key(op)
                if not self._replace(op, self._known[key]):
                    self._known[key].append(op)
                    own.append(key)
        for key in reversed(own):
            self._known[key].pop()

    def _replace(self, op: Operation, known: Iterable[Operation]) -> bool:
        """Replace an operation by one that is equal; False where there is none."""
        for first in known:
            if _are_equal(op, first):
                for result, same in zip(op.results, first.results, strict=True):
                    result.replace_all_uses_with(same)
                Rewriter.erase_op(op)
                return True
        return False


def _has_several(region: Region) -> bool:
    """Whether a region has more operations than one and its terminator."""
    block = region.blocks.first
    if block is None or block is not region.blocks.last:
        return False
    first, last = block.first_op, block.last_op
    return first is not None and last is not None and first.next_op not in (None, last)


def _key(op: Operation) -> Hashable:
    """The same for equal operations, and seldom for others."""
    if op.operands:
        return type(op), *map(id, op.operands)
    return type(op), frozenset(op.properties.items())


def _are_equal(op: Operation, other: Operation) -> bool:
    """Whether two operations with one key compute the same."""
    return (
        op.name == other.name
        and op.properties == other.properties
        and op.attributes == other.attributes
        and op.result_types == other.result_types
        and len(op.regions) == len(other.regions)
        and all(map(Region.is_structurally_equivalent, op.regions, other.regions))
    )


class EliminateCommonSubexpressionsPass(FunctionPass):
    """Replaces operations without effects by equal ones that dominate them.

    Before::

        %0 = yarr.take %a, 0, %i : (tensor<?xf64>, tensor<i64>) -> tensor<f64>
        %1 = yarr.take %a, 0, %i : (tensor<?xf64>, tensor<i64>) -> tensor<f64>
        %2 = yarr.elementwise { arith.addf } %0, %1 : (tensor<f64>, tensor<f64>) -> tensor<f64>

    After::

        %0 = yarr.take %a, 0, %i : (tensor<?xf64>, tensor<i64>) -> tensor<f64>
        %2 = yarr.elementwise { arith.addf } %0, %0 : (tensor<f64>, tensor<f64>) -> tensor<f64>

    Operations with regions are equal if the operations in their regions are. Dead operations go.
    """

    name = "eliminate-common-subexpressions"

    def run(self, function: func.FuncOp, analyses: AnalysisManager) -> None:
        eliminate_common_subexpressions(function)
