"""Alias analysis of emitpy: it decides about copies and the release of memory."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import func
from xdsl.ir import BlockArgument, SSAValue

from ein_mlir.analysis.manager import AnalysisManager
from ein_mlir.analysis.scopes import is_within
from ein_mlir.dialects import emitpy
from ein_mlir.dialects.emitpy.base import has_memory

Roots = frozenset[SSAValue]
_NO_ROOTS = Roots()


class Memory:
    """For each value, the roots that its memory may be part of: arguments and fresh arrays.

    An accumulator is its own root inside its loop; the result of the loop has the roots of the
    initial and the yielded value. With ``scalars_are_views`` a scalar read from an array is a view
    of it, as in PyTorch.
    """

    def __init__(self, scalars_are_views: bool = False) -> None:
        self._scalars_are_views = scalars_are_views
        self._roots: dict[SSAValue, Roots] = {}
        self._overlapping: set[SSAValue] = set()

    def roots(self, value: SSAValue) -> Roots:
        """The roots of a value; none for an immutable scalar."""
        found = self._roots.get(value)
        return self._find(value) if found is None else found

    def _find(self, value: SSAValue) -> Roots:
        """The roots of a value, computed after those of the values that it may alias."""
        aliased = self._aliased(value)
        if not aliased:
            roots = self._roots[value] = self._compute(value, aliased)
            return roots
        pending: list[tuple[SSAValue, Sequence[SSAValue] | None]] = [(value, aliased)]
        while pending:
            current, aliased = pending[-1]
            missing = [source for source in aliased or () if source not in self._roots]
            if missing:
                pending.extend((source, self._aliased(source)) for source in missing)
                continue
            pending.pop()
            if current not in self._roots:
                self._roots[current] = self._compute(current, aliased)
        return self._roots[value]

    def is_fresh(self, value: SSAValue) -> bool:
        """Whether the value is a whole array that its operation has allocated."""
        roots = self.roots(value)
        return len(roots) == 1 and value in roots and value not in self._overlapping

    def is_overlapping(self, value: SSAValue) -> bool:
        """Whether elements of the value may share memory with each other."""
        return any(root in self._overlapping for root in self.roots(value))

    def _aliased(self, value: SSAValue) -> Sequence[SSAValue] | None:
        """The values whose memory a value may be part of; None for memory of its own."""
        op = value.owner
        if not isinstance(op, emitpy.EmitPyOp):
            return None
        return op.aliased(value, self._scalars_are_views)

    def _compute(self, value: SSAValue, aliased: Sequence[SSAValue] | None) -> Roots:
        """The roots of a value, given those of the values that it may alias."""
        if aliased is None:
            return Roots((value,)) if has_memory(value.type) else _NO_ROOTS
        op = value.owner
        if isinstance(op, emitpy.ForOp):
            self._loop(op)
            return self._roots[value]
        roots = _NO_ROOTS.union(*[self._roots[source] for source in aliased])
        if isinstance(op, emitpy.CallLikeOp) and op.read_only is not None:
            self._overlapping.add(value)
            return roots | {value}
        return roots

    def _loop(self, op: emitpy.ForOp) -> None:
        """Compute the roots of each result: the fixpoint over initial values and steps."""
        accumulators = list(op.accumulators)
        steps: dict[SSAValue, Roots] = {
            accumulator: self._roots[init] | self._roots[step]
            for accumulator, init, step in zip(accumulators, op.inits, op.yielded, strict=True)
        }
        for accumulator, result in zip(accumulators, op.res, strict=True):
            found, work = set[SSAValue](), list[SSAValue]([accumulator])
            seen = set[SSAValue](work)
            while work:
                roots = steps[work.pop()]
                found |= roots.difference(steps)
                inner = roots.intersection(steps).difference(seen)
                seen |= inner
                work.extend(inner)
            self._roots[result] = Roots(found)


def memory_of(function: func.FuncOp, analyses: AnalysisManager) -> Memory:
    """An analysis: the memory of the values of a function, if reading a scalar copies it."""
    return Memory()


def memory_with_scalars_of(function: func.FuncOp, analyses: AnalysisManager) -> Memory:
    """An analysis: the memory of the values of a function, if reading a scalar makes a view."""
    return Memory(scalars_are_views=True)


def base_of(value: SSAValue) -> SSAValue:
    """The array that in-place updates have turned into a value, also in the steps of a loop."""
    while True:
        match value.owner:
            case emitpy.AugmentOp() | emitpy.CallIntoOp() | emitpy.StoreOp() as op:
                value = op.target
            case emitpy.ForOp() as loop:
                number = loop.results.index(value)
                if base_of(loop.yielded[number]) is not loop.accumulators[number]:
                    return value
                value = loop.inits[number]
            case _:
                return value


def array_before(loop: emitpy.ForOp, value: SSAValue) -> SSAValue:
    """The array before a loop that a value in it is: an accumulator that steps update in place.

    A value that is no such array is itself.
    """
    while is_within(value, loop):
        base = base_of(value)
        around = base.block.parent_op() if isinstance(base, BlockArgument) else None
        if not isinstance(base, BlockArgument) or not isinstance(around, emitpy.ForOp):
            return value
        if base is around.counter or base_of(around.yielded[base.index - 1]) is not base:
            return value
        value = around.inits[base.index - 1]
    return value
