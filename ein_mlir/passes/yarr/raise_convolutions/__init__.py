"""``raise-convolutions``: loops over the offsets in windows become convolutions."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

from xdsl.dialects import arith, func
from xdsl.ir import Block, Operation, OpResult, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from ein_mlir.analysis.manager import AnalysisManager
from ein_mlir.analysis.scopes import is_within
from ein_mlir.dialects import yarr
from ein_mlir.dialects.assembly import single_operation
from ein_mlir.dialects.yarr.constants import is_zero
from ein_mlir.dialects.yarr.known_sizes import is_size_of
from ein_mlir.host.dataclass import dataclass
from ein_mlir.passes.yarr.raise_convolutions.computed_filters import compute_filters
from ein_mlir.passes.yarr.raise_convolutions.recognition import (
    Convolution,
    Name,
    Operand,
    Slice,
    View,
    Wanted,
    convolution_of,
    fixed_within,
)
from ein_mlir.rewriting.passes import FunctionPass
from ein_mlir.rewriting.yarr.builders import elementwise


class _Emitter:
    """Emits operations before the outermost loop."""

    def __init__(self, found: Convolution):
        self._found = found
        self._fold = found.folds[0]
        self._images, self._filters = found.images, found.filters

    def emit(self, op: Operation) -> SSAValue:
        """Insert an operation; its result."""
        op.location = self._fold.location
        Rewriter.insert_op(op, InsertPoint.before(self._fold))
        return op.results[0]

    def _move_out(self, array: SSAValue) -> None:
        """Move the slices that compute an operand before the loops."""
        for op in fixed_within(self._fold, array) or ():
            op.detach()
            Rewriter.insert_op(op, InsertPoint.before(self._fold))

    def convolution(self) -> SSAValue:
        """The convolution, with the axes of the accumulator."""
        found = self._found
        self._images, self._filters = map(self._viewed, (found.images, found.filters))
        batch, groups, outputs, channels = found.roles()
        places, slices = found.places(), found.slices()
        array = self._arranged(self._extended(self._images), [batch, [*groups, *channels]], places)
        weights = self._arranged(
            self._cut(self._filters), [[*groups, *outputs], channels], found.counters()
        )
        result = self.emit(
            yarr.CorrelateOp(
                array,
                weights,
                [each.size for each in slices],
                [abs(each.step) for each in slices],
                [abs(each.factor) for each in slices],
                self._product(groups) if groups else None,
            )
        )
        result = self._split(self._split(result, 1, [*groups, *outputs]), 0, batch)
        names = [*batch, *groups, *outputs, *places]
        result = self._transposed(result, [names.index(letter) for letter in found.output])
        for window in slices:
            if window.step < 0:
                last, axis = self._less_one(window.size), found.output.index(window.letter)
                result = self.emit(yarr.SliceOp(result, axis, last, window.size, step=-1))
        return result

    def _viewed(self, operand: Operand) -> Operand:
        """An operand before the loops, with all of its axes."""
        self._move_out(operand.array)
        array, names = operand.array, list(operand.axes)
        for view, parts in reversed(operand.views):
            for value in view.operands[1:]:
                self._move_out(value)
            place = names.index(view)
            array = self.emit(_moved(view, array, place))
            names[place : place + 1] = parts
        return Operand(array, names, operand.windows, operand.clipped)

    def _arranged(
        self, operand: Operand, roles: Sequence[Sequence[Name]], rest: Sequence[Name]
    ) -> SSAValue:
        """An operand with one axis for each role, then the others."""
        names = [*(name for role in roles for name in role), *rest]
        array = self._transposed(operand.array, [operand.axes.index(name) for name in names])
        for axis, role in enumerate(roles):
            for _ in role[1:]:
                array = self.emit(yarr.FlattenOp(array, axis))
            array = array if role else self.emit(yarr.UnsqueezeOp(array, [axis]))
        return array

    def _split(self, array: SSAValue, axis: int, letters: Sequence[str]) -> SSAValue:
        """An axis as those of some letters, or as none."""
        if not letters:
            return self.emit(yarr.SqueezeOp(array, [axis]))
        if len(letters) == 1:
            return array
        sizes = [self._product([letter]) for letter in letters]
        steps = [self._product(letters[number + 1 :]) for number in range(len(letters))]
        zero = self.emit(yarr.size_constant(0))
        return self.emit(yarr.StridedOp(array, axis, zero, sizes, steps))

    def _product(self, letters: Sequence[str]) -> SSAValue:
        """The product of the sizes of axes."""
        sizes = list(map(self._size, letters)) or [self.emit(yarr.size_constant(1))]
        return reduce(lambda x, y: self.emit(elementwise(arith.MuliOp, x, y)), sizes)

    def _size(self, letter: str) -> SSAValue:
        operand = self._images if letter in self._images.axes else self._filters
        return self.emit(yarr.SizeOp(operand.array, operand.axes.index(letter)))

    def _transposed(self, array: SSAValue, order: list[int]) -> SSAValue:
        is_ordered = order == sorted(order)
        return array if is_ordered else self.emit(yarr.TransposeOp(array, order))

    def _extended(self, images: Operand) -> Operand:
        """The images, from the first to the last element of the windows that clip or are distant.

        ``a[d + f*p + i]`` for p < m and i < n is ``b[f*p + i]``, where b has the n + f*(m - 1)
        elements of a from d on.
        """
        array = images.array
        for fold in self._found.folds:
            window = images.windows[fold.counter]
            if window.clips or window.start is not fold.counter or window.step < 0:
                zero, last = self.emit(yarr.size_constant(0)), self._last_step(fold)
                reach = self._multiple(last, abs(window.factor))
                ends = self.emit(elementwise(arith.AddiOp, self._length(window), reach))
                size = self.emit(elementwise(arith.MaxSIOp, ends, zero))
                first = last if window.is_backwards else zero
                start = self._first(window.start, fold.counter, first)
                if window.step < 0:
                    reach = self._multiple(self._less_one(window.size), -window.step)
                    start = self.emit(elementwise(arith.SubiOp, start, reach))
                axis = images.axes.index(window.letter)
                array = self.emit(yarr.SliceOp(array, axis, start, size, clip=True))
        return Operand(array, images.axes)

    def _multiple(self, value: SSAValue, factor: int) -> SSAValue:
        if factor == 1:
            return value
        return self.emit(elementwise(arith.MuliOp, value, self.emit(yarr.size_constant(factor))))

    def _length(self, window: Slice) -> SSAValue:
        """The number of elements from the first to the last one of a slice, with those between."""
        if abs(window.step) == 1:
            return window.size
        one, others = self.emit(yarr.size_constant(1)), self._less_one(window.size)
        return self.emit(elementwise(arith.AddiOp, self._multiple(others, abs(window.step)), one))

    def _first(self, start: SSAValue, counter: SSAValue, step: SSAValue) -> SSAValue:
        """The start of slices in one step of a loop."""
        if start is counter:
            return step
        if not is_within(start, self._found.folds[0]) or start.owner in (
            fixed_within(self._fold, start) or ()
        ):
            self._move_out(start)
            return start
        assert isinstance(start.owner, yarr.ElementwiseOp)
        sum_ = single_operation(start.owner.body)
        assert sum_ is not None
        values = [self._first(value, counter, step) for value in start.owner.arguments]
        return self.emit(elementwise(type(sum_), *values))

    def _last_step(self, fold: yarr.FoldOp) -> SSAValue:
        return self._less_one(fold.count)

    def _less_one(self, size: SSAValue) -> SSAValue:
        return self.emit(elementwise(arith.SubiOp, size, self.emit(yarr.size_constant(1))))

    def _cut(self, filters: Operand) -> Operand:
        """The filters, with one offset for each step of the loops."""
        array = filters.array
        for fold in self._found.folds:
            axis = filters.axes.index(fold.counter)
            if self._found.images.windows[fold.counter].is_backwards:
                last = self._last_step(fold)
                clips = fold.counter in filters.clipped
                array = self.emit(yarr.SliceOp(array, axis, last, fold.count, step=-1, clip=clips))
            elif not is_size_of(fold.count, filters.array, axis):
                zero, clips = self.emit(yarr.size_constant(0)), fold.counter in filters.clipped
                array = self.emit(yarr.SliceOp(array, axis, zero, fold.count, clip=clips))
        return Operand(array, filters.axes)


def _moved(view: View, array: SSAValue, axis: int) -> Operation:
    """A view of an axis of another array."""
    if isinstance(view, yarr.StridedOp):
        return yarr.StridedOp(array, axis, view.start, list(view.sizes), list(view.steps))
    clips = view.clip is not None
    return yarr.SliceOp(array, axis, view.start, view.size, step=view.step.value.data, clip=clips)


def raise_convolution(old: OpResult, wanted: Wanted) -> None:
    """Replace a result of a fold by the convolution that it is equal to, if any."""
    found = convolution_of(old, wanted)
    if found is None and compute_filters(old):
        found = convolution_of(old, wanted)
    if found is None:
        return
    emitter, init = _Emitter(found), found.folds[0].inits[old.index]
    result = emitter.convolution()
    if not is_zero(init):
        result = emitter.emit(elementwise(arith.AddfOp, init, result))
    result.name_hint = old.name_hint
    old.replace_all_uses_with(result)


def raise_convolutions(block: Block, wanted: Wanted) -> None:
    """Raise the results of the folds of a block and of its inner bodies, outermost first.

    The raised results are left in their folds, unused.
    """
    for op in list(block.ops):
        if isinstance(op, yarr.FoldOp):
            for result in op.res:
                if result.uses:
                    raise_convolution(result, wanted)
        if not op.results or any(result.uses for result in op.results):
            for region in op.regions:
                for inner in region.blocks:
                    raise_convolutions(inner, wanted)


@dataclass(frozen=True)
class RaiseConvolutionsPass(FunctionPass):
    """Turns loops over the offsets in windows, with a contraction in them, into convolutions.

    Before::

        %r = yarr.fold (%p < %h, %acc = %zeros) -> tensor<?x?x?x?xf64> {
          %s = yarr.fold (%q < %w, %acc_1 = %zeros) -> tensor<?x?x?x?xf64> {
            %0 = yarr.slice %images, 2, %p, %n step 1 : ...
            %1 = yarr.slice %0, 3, %q, %m step 1 : ...
            %2 = yarr.take %filters, 2, %p in_bounds : ...
            %3 = yarr.take %2, 2, %q in_bounds : ...
            %4 = yarr.einsum "bcij,oc->boij" %1, %3 : ...
            %5 = yarr.elementwise { arith.addf } %acc_1, %4 : ...
            yarr.yield %5 : tensor<?x?x?x?xf64>
          }
          %6 = yarr.elementwise { arith.addf } %acc, %s : ...
          yarr.yield %6 : tensor<?x?x?x?xf64>
        }

    After::

        %r = yarr.correlate %images, %filters into %n, %m : ...

    Slices may have steps, ``yarr.correlate .. by [2, 2]``, and offsets distances: the slices from
    ``4 * %p`` on are ``dilated [4]``. Other accumulators of a loop are kept.
    The loops may be nested in any order, the operands of the contraction may be in either order,
    and an array without batches, channels or several filters gets an axis of size 1 in their place.
    With the option ``grouped``, axes that both operands and the result have are groups, and several
    axes of one role are joined; with ``joined`` they are joined, but there are no groups;
    otherwise these are loops of contractions.
    Windows that clip, or start at a distance from the counter, are those of a clipped slice with
    all of their elements. If they move down with the counter, the filters are reversed; if down
    with their own index, the result is. Loops are kept for integers, which the libraries do not
    convolve, and for weights of single elements, which need no contraction. With the option
    ``elements``, these are convolutions, too: for libraries that see which of windows and weights
    are fewer. Filters that the steps compute, such as differences of weights and their mean, are
    computed before the loops.
    """

    name = "raise-convolutions"
    looks_for = (yarr.FoldOp,)

    grouped: bool = False
    """Whether there may be groups, or several axes of one role."""
    joined: bool = False
    """Whether there may be several axes of one role, but no groups."""

    elements: bool = False
    """Whether the weights of an offset may be single elements."""

    def run(self, function: func.FuncOp, analyses: AnalysisManager) -> None:
        block = function.body.block
        raise_convolutions(block, Wanted(self.grouped, self.joined, self.elements))
