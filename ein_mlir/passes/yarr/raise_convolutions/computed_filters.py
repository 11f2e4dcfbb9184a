"""Filters that the steps of loops compute from elements of arrays."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import Operation, OpResult, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from ein_mlir.dialects import yarr
from ein_mlir.dialects.yarr.known_sizes import is_size_of
from ein_mlir.host.dataclass import dataclass
from ein_mlir.passes.yarr.raise_convolutions.recognition import (
    contraction_in_loops,
    fixed_within,
    is_shifted,
)

_COMPUTED = (yarr.ElementwiseOp, yarr.SqueezeOp, yarr.UnsqueezeOp, yarr.TransposeOp)


def compute_filters(result: OpResult) -> bool:
    """Compute the filters of a contraction in loops before the loops; whether there are such.

    Before::

        %0 = yarr.take %weights, 2, %p in_bounds : ...
        %1 = yarr.elementwise { arith.subf } %0, %means : ...
        %2 = yarr.einsum "oc,cij->oij" %1, %shifted : ...

    After, with all differences before the loops::

        %1 = yarr.take %all, 2, %p in_bounds : ...
        %2 = yarr.einsum "oc,cij->oij" %1, %shifted : ...
    """
    nest = contraction_in_loops(result)
    if nest is None:
        return False
    inputs, _ = yarr.split_subscripts(nest.subscripts)
    for images, letters, filters in zip(nest.arrays, inputs, nest.arrays[::-1], strict=True):
        op, block = filters.owner, nest.folds[-1].body.block
        if not isinstance(op, _COMPUTED) or op.parent is not block:
            continue
        if is_shifted(images, letters, nest.folds):
            return _Filters(nest.folds).replace(filters, op)
    return False


@dataclass(frozen=True)
class _AllSteps:
    """The arrays of all steps in one, whose last axes are those of some counters, in order."""

    array: SSAValue
    counters: Sequence[int] = ()


class _Filters:
    """Computes arrays in loops for all steps, before the outermost loop."""

    def __init__(self, folds: Sequence[yarr.FoldOp]):
        self._folds = folds
        self._counters: list[SSAValue] = [fold.counter for fold in folds]

    def replace(self, value: SSAValue, op: Operation) -> bool:
        """Replace what each step computes by elements of an array, if that varies with all."""
        found, rank = self._all(value), yarr.rank_of(value)
        if found is None or len(found.counters) < len(self._counters):
            return False
        array = found.array
        for counter in self._counters:
            take = yarr.TakeOp(array, rank, counter, in_bounds=True)
            Rewriter.insert_op(take, InsertPoint.before(op))
            array = take.result
        value.replace_all_uses_with(array)
        return True

    def _all(self, value: SSAValue) -> _AllSteps | None:
        """An array for all steps; None if it is not computed from elements at the counters."""
        if self._move_out(value):
            return _AllSteps(value)
        match value.owner:
            case yarr.ElementwiseOp() as op:
                return self._elementwise(op)
            case yarr.TakeOp() as op if op.position in self._counters:
                return self._taken(op, self._counters.index(op.position))
            case yarr.UnsqueezeOp() | yarr.SqueezeOp() | yarr.TransposeOp() as op:
                found = self._all(op.array)
                return None if found is None else self._view(op, found)
            case _:
                return None

    def _elementwise(self, op: yarr.ElementwiseOp) -> _AllSteps | None:
        """The operation on all steps, if its result is no larger than an operand."""
        found = [each for value in op.arguments if (each := self._all(value)) is not None]
        if len(found) < len(op.arguments):
            return None
        counters = sorted({number for each in found for number in each.counters})
        first = yarr.rank_of(op.result)
        arrays = [
            self._emit(yarr.UnsqueezeOp(each.array, missing))
            if (missing := [first + k for k, n in enumerate(counters) if n not in each.counters])
            else each.array
            for each in found
        ]
        result = self._emit(yarr.ElementwiseOp(arrays, op.body.clone()))
        ones = _axes_of_size_1(result)
        is_large = all(_axes_of_size_1(array) != ones for array in arrays)
        return None if is_large else _AllSteps(result, counters)

    def _taken(self, op: yarr.TakeOp, number: int) -> _AllSteps | None:
        """The axis that a counter picks from becomes that of the counter."""
        array, axis, count = op.array, op.axis.value.data, self._folds[number].count
        while isinstance(fill := array.owner, yarr.FillEmptyOp) and fill.axis == op.axis:
            array = fill.array
        found = self._all(array)
        if found is None or number in found.counters:
            return None
        part, rank = found.array, yarr.rank_of(op.result)
        if not is_size_of(count, part, axis):
            zero, clips = self._emit(yarr.size_constant(0)), op.in_bounds is None
            part = self._emit(yarr.SliceOp(part, axis, zero, count, clip=clips))
        counters = sorted([*found.counters, number])
        order = [k for k in range(yarr.rank_of(part)) if k != axis]
        order.insert(rank + counters.index(number), axis)
        return _AllSteps(self._emit(yarr.TransposeOp(part, order)), counters)

    def _view(
        self, op: yarr.UnsqueezeOp | yarr.SqueezeOp | yarr.TransposeOp, found: _AllSteps
    ) -> _AllSteps:
        """The axes of counters stay the last ones."""
        axes = list(op.axes)
        if isinstance(op, yarr.TransposeOp):
            axes.extend(range(len(axes), len(axes) + len(found.counters)))
        return _AllSteps(self._emit(type(op)(found.array, axes)), found.counters)

    def _move_out(self, value: SSAValue) -> bool:
        """Whether a value is the same in all steps; what computes it is then before the loops."""
        ops = fixed_within(self._folds[0], value)
        for op in ops or ():
            op.detach()
            Rewriter.insert_op(op, InsertPoint.before(self._folds[0]))
        return ops is not None

    def _emit(self, op: Operation) -> SSAValue:
        op.location = self._folds[0].location
        Rewriter.insert_op(op, InsertPoint.before(self._folds[0]))
        return op.results[0]


def _axes_of_size_1(array: SSAValue) -> list[int]:
    return [axis for axis, size in enumerate(yarr.shape_of(array)) if size == 1]
