"""Which values of emitpy may share memory: what must be copied, and when memory is free again."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import TensorType, TupleType
from xdsl.ir import Attribute, BlockArgument, OpResult, SSAValue
from xdsl.utils.hints import isa

from ein_mlir.dialects import emitpy

Roots = frozenset[SSAValue]


class Memory:
    """For each value, the roots that its memory may be part of: arguments and fresh arrays.

    A loop's accumulator is a root of its own while in its loop; behind the loop it is what the
    initial and the yielded values are. ``scalars_are_views`` says that a scalar read from an array
    is a view of it, as in PyTorch.
    """

    def __init__(self, scalars_are_views: bool = False) -> None:
        self._scalars_are_views = scalars_are_views
        self._roots: dict[SSAValue, Roots] = {}
        self._overlapping: set[SSAValue] = set()

    def roots(self, value: SSAValue) -> Roots:
        """The roots of a value; none for a scalar that nobody can change."""
        pending = [value]
        while pending:
            current = pending[-1]
            sources = () if current in self._roots else self._sources(current) or ()
            if missing := [source for source in sources if source not in self._roots]:
                pending.extend(missing)
                continue
            if current not in self._roots:
                self._roots[current] = self._compute(current)
            pending.pop()
        return self._roots[value]

    def is_fresh(self, value: SSAValue) -> bool:
        """Whether the value is a whole array that its operation has made."""
        return self.roots(value) == Roots((value,)) and not self.is_overlapping(value)

    def is_overlapping(self, value: SSAValue) -> bool:
        """Whether elements of the value may share memory with each other."""
        return any(root in self._overlapping for root in self.roots(value))

    def _sources(self, value: SSAValue) -> Sequence[SSAValue] | None:
        """The values whose memory a value may be part of; None for memory of its own."""
        if isinstance(value, BlockArgument):
            return None
        assert isinstance(value, OpResult)
        match value.op:
            case emitpy.ForOp() as op:
                return (*op.inits, *_yielded(op))
            case emitpy.ConditionalOp() as op:
                return op.if_true, op.if_false
            case emitpy.TupleOp() as op:
                return op.fields
            case emitpy.UnpackOp() as op:
                return (op.record,) if _has_memory(value.type) else ()
            case emitpy.AttrOp() as op:
                return (op.object,) if _has_memory(value.type) else ()
            case emitpy.SubscriptOp() as op:
                return self._subscripted(op)
            case emitpy.AugmentOp() | emitpy.CallIntoOp() | emitpy.StoreOp() as op:
                return (op.target,)
            case emitpy.MethodOp() as op if op.view is not None:
                return op.receiver, *op.arguments
            case emitpy.CallLikeOp() as op if op.view is not None:
                return op.arguments
            case _:
                return None

    def _subscripted(self, op: emitpy.SubscriptOp) -> Sequence[SSAValue] | None:
        """An array index copies, an int that leaves no axis makes a scalar, others make views."""
        if any(isa(i.type, TensorType) and i.type.get_num_dims() for i in op.indices):
            return None
        if isa(op.result.type, TensorType) and not isa(op.object.type, TupleType):
            is_view = op.result.type.get_num_dims() or self._scalars_are_views
            return (op.object,) if is_view else ()
        return (op.object,) if _has_memory(op.result.type) else ()

    def _compute(self, value: SSAValue) -> Roots:
        """The roots of a value, where those of its sources are known."""
        sources, op = self._sources(value), value.owner
        if sources is None:
            return Roots((value,)) if _has_memory(value.type) else Roots()
        if isinstance(op, emitpy.ForOp):
            self._loop(op)
            return self._roots[value]
        roots = Roots().union(*(self._roots[source] for source in sources))
        if isinstance(op, emitpy.CallLikeOp) and op.read_only is not None:
            self._overlapping.add(value)
            return roots | {value}
        return roots

    def _loop(self, op: emitpy.ForOp) -> None:
        """What each accumulator can be: follow initial values and steps until nothing is new."""
        accumulators = list(op.accumulators)
        steps: dict[SSAValue, Roots] = {
            accumulator: self._roots[init] | self._roots[step]
            for accumulator, init, step in zip(accumulators, op.inits, _yielded(op), strict=True)
        }
        for accumulator, result in zip(accumulators, op.res, strict=True):
            found, work = set[SSAValue](), list[SSAValue]([accumulator])
            seen = set[SSAValue](work)
            while work:
                for root in steps[work.pop()]:
                    if root not in steps:
                        found.add(root)
                    elif root not in seen:
                        seen.add(root)
                        work.append(root)
            self._roots[result] = Roots(found)


def _yielded(op: emitpy.ForOp) -> Sequence[SSAValue]:
    terminator = op.body.block.last_op
    assert isinstance(terminator, emitpy.YieldOp)
    return terminator.values


def _has_memory(type_: Attribute) -> bool:
    return isa(type_, TensorType) or isa(type_, TupleType)
