"""Which values of emitpy may share memory: what must be copied, and when memory is free again."""

from __future__ import annotations

from collections.abc import Iterable

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
        if value not in self._roots:
            self._roots[value] = self._compute(value)
        return self._roots[value]

    def is_fresh(self, value: SSAValue) -> bool:
        """Whether the value is a whole array that its operation has made."""
        return self.roots(value) == Roots((value,)) and not self.is_overlapping(value)

    def is_overlapping(self, value: SSAValue) -> bool:
        """Whether elements of the value may share memory with each other."""
        return any(root in self._overlapping for root in self.roots(value))

    def _compute(self, value: SSAValue) -> Roots:
        if isinstance(value, BlockArgument):
            return Roots((value,)) if _has_memory(value.type) else Roots()
        assert isinstance(value, OpResult)
        op = value.op
        match op:
            case emitpy.ForOp():
                self._loop(op)
                return self._roots[value]
            case emitpy.ConditionalOp():
                return self._union((op.if_true, op.if_false))
            case emitpy.TupleOp():
                return self._union(op.fields)
            case emitpy.UnpackOp():
                return self._union((op.record,)) if _has_memory(value.type) else Roots()
            case emitpy.AttrOp():
                return self._union((op.object,)) if _has_memory(value.type) else Roots()
            case emitpy.SubscriptOp():
                return self._subscript(op)
            case emitpy.AugmentOp() | emitpy.CallIntoOp() | emitpy.StoreOp():
                return self._union((op.target,))
            case emitpy.MethodOp() if op.view is not None:
                return self._union((op.receiver, *op.arguments))
            case emitpy.CallLikeOp() if op.view is not None:
                roots = self._union(op.arguments)
                if op.read_only is not None:
                    self._overlapping.add(value)
                    return roots | {value}
                return roots
            case _:
                return Roots((value,)) if _has_memory(value.type) else Roots()

    def _subscript(self, op: emitpy.SubscriptOp) -> Roots:
        """An array index copies, an int that leaves no axis makes a scalar, others make views."""
        if any(isa(i.type, TensorType) and i.type.get_num_dims() for i in op.indices):
            return Roots((op.result,))
        if isa(op.result.type, TensorType) and not isa(op.object.type, TupleType):
            is_view = op.result.type.get_num_dims() or self._scalars_are_views
            return self._union((op.object,)) if is_view else Roots()
        return self._union((op.object,)) if _has_memory(op.result.type) else Roots()

    def _loop(self, op: emitpy.ForOp) -> None:
        """What each accumulator can be: follow initial values and steps until nothing is new."""
        terminator = op.body.block.last_op
        assert isinstance(terminator, emitpy.YieldOp)
        accumulators = list(op.accumulators)
        steps: dict[SSAValue, Roots] = {
            accumulator: self.roots(init) | self.roots(step)
            for accumulator, init, step in zip(
                accumulators, op.inits, terminator.values, strict=True
            )
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

    def _union(self, values: Iterable[SSAValue]) -> Roots:
        return Roots().union(*(self.roots(value) for value in values))


def _has_memory(type_: Attribute) -> bool:
    return isa(type_, TensorType) or isa(type_, TupleType)
