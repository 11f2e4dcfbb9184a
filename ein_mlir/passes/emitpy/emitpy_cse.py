"""``emitpy-cse``: common subexpressions of the emitted Python are computed once."""

# pyright: reportPrivateUsage=false

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterator, Sequence
from functools import cache

from xdsl.dialects import func
from xdsl.dialects.builtin import TensorType
from xdsl.ir import Block, Operation, SSAValue
from xdsl.rewriter import Rewriter
from xdsl.traits import IsTerminator

from ein_mlir.analysis.effects import is_dead, is_pure
from ein_mlir.analysis.emitpy.shared_memory import Memory, memory_of
from ein_mlir.analysis.hints import isa
from ein_mlir.analysis.manager import AnalysisManager
from ein_mlir.analysis.scopes import classes_among, operations_in
from ein_mlir.dialects import emitpy
from ein_mlir.rewriting.emitpy.calls import WRITES
from ein_mlir.rewriting.passes import FunctionPass

_ATOMS = (emitpy.LiteralOp, emitpy.NameOp, emitpy.SliceOp, emitpy.TupleOp)
"""Expressions that are repeated where they are used."""


def share_values(function: func.FuncOp, memory: Memory) -> None:
    """Replace equal values in a function by the first of them."""
    _Values(function, memory).share(function.body.block)


class _Values:
    """Value numbering: equal values have the number of the first of them.

    A value that is overwritten, carried by a loop or returned is a fresh array, and equal to no
    other.
    """

    def __init__(self, function: func.FuncOp, memory: Memory):
        self._memory = memory
        self._numbers = dict[SSAValue, SSAValue]()
        self._known = defaultdict[Hashable, list[Operation]](list)
        self._owned = {
            root
            for op in _owners(operations_in(function))
            for value in _owning(op)
            for root in self._memory.roots(value)
        }

    def share(self, block: Block) -> None:
        """Share the equal values of a block, its inner blocks and the blocks around it."""
        scope = list[list[Operation]]()
        for op in list(block.ops):
            if op.regions:
                for inner in (each for region in op.regions for each in region.blocks):
                    self.share(inner)
            if not _has_equals(op):
                continue
            known = self._known[self._key(op)]
            first = None
            for each in reversed(known):
                if _are_equal(op, each):
                    first = each
                    break
            if first is None or not self._may_be_shared(first):
                known.append(op)
                scope.append(known)
                continue
            if not self._may_be_shared(op):
                continue
            self._numbers.update(zip(op.results, first.results, strict=True))
            if not _is_written_out(op):
                Rewriter.replace_op(op, (), first.results)
        for known in reversed(scope):
            known.pop()
        for op in reversed(list(block.ops)):
            if is_dead(op):
                Rewriter.erase_op(op)

    def _may_be_shared(self, op: Operation) -> bool:
        return all(self._owned.isdisjoint(self._memory.roots(result)) for result in op.results)

    def _key(self, op: Operation) -> Hashable:
        """The same for equal values, and seldom for others."""
        operands = op._operands
        if type(op) is emitpy.RaiseIfOp:
            operands = (op.condition,)
        if operands:
            return type(op), *[self._numbers.get(operand, operand) for operand in operands]
        return type(op), *op.properties.values()


def _has_equals(op: Operation) -> bool:
    """Whether operations of the kind with equal operands have equal values."""
    if not op.results:
        return isinstance(op, emitpy.RaiseIfOp)
    return not op.regions and is_pure(op)


def _are_equal(op: Operation, other: Operation) -> bool:
    """Whether two operations with one key have equal values.

    That of a check is its condition: a second one passes.
    """
    return type(op) is emitpy.RaiseIfOp or (
        op.properties == other.properties
        and op.attributes == other.attributes
        and op.result_types == other.result_types
    )


def _is_written_out(op: Operation) -> bool:
    """Whether an expression is repeated at its uses: ``a.shape``; ``n + 1`` outside of loops."""
    if isinstance(op, emitpy.AttrOp):
        return not isa(op.result.type, TensorType)
    if isinstance(op, emitpy.BinaryOp) and not isinstance(op.parent_op(), emitpy.ForOp):
        return not any(isa(operand.type, TensorType) for operand in op.operands)
    return isinstance(op, _ATOMS)


def _owners(ops: Sequence[Operation]) -> list[Operation]:
    """The operations that may overwrite, yield or return values."""
    classes = classes_among(ops, *WRITES, emitpy.ForOp)
    return [op for op in ops if type(op) in classes or _is_terminator(type(op))]


def _owning(op: Operation) -> Iterator[SSAValue]:
    """The values that an operation overwrites, yields or returns."""
    if isinstance(op, WRITES):
        yield op.target
    elif isinstance(op, emitpy.ForOp):
        yield from op.inits
    else:
        yield from op.operands


@cache
def _is_terminator(cls: type[Operation]) -> bool:
    return cls.has_trait(IsTerminator)


class EmitpyCsePass(FunctionPass):
    """Computes common subexpressions once, as ``cse`` does, except for values that are overwritten.

    Before::

        x = a[np.clip(i, 0, n - 1)]
        y = b[np.clip(i, 0, n - 1)]

    After::

        t = np.clip(i, 0, n - 1)
        x = a[t]
        y = b[t]

    in IR. ``cse`` shares the values of the program; this pass shares the values that only the
    library calls need: clipped positions, sizes of arrays. Arrays that are overwritten, returned or
    carried by a loop are not shared, equal or not. A second check of a condition is removed. Sums
    of numbers are repeated outside of loops, where that costs nothing.
    """

    name = "emitpy-cse"

    def run(self, function: func.FuncOp, analyses: AnalysisManager) -> None:
        share_values(function, analyses.get(memory_of, function))
