"""``raise-convolutions``: loops over the offsets in windows become convolutions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from xdsl.context import Context
from xdsl.dialects import arith
from xdsl.dialects.builtin import (
    Float32Type,
    Float64Type,
    ModuleOp,
)
from xdsl.ir import Block, Operation, OpResult, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from ein_mlir.analysis.scopes import is_defined_in, is_within, slice_within
from ein_mlir.dialects import yarr
from ein_mlir.dialects.assembly import single_operation
from ein_mlir.dialects.yarr.constants import is_zero
from ein_mlir.dialects.yarr.known_sizes import is_size_of
from ein_mlir.rewriting.yarr.builders import elementwise

MOST_PLACES = 3
"""The maximal number of axes that the libraries convolve along."""

Name = str | SSAValue
"""The name of an axis: a letter of the contraction, or the counter that picks an element of it."""


# Recognition ----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Slice:
    """A slice of an axis, which has a letter."""

    letter: str
    start: SSAValue
    size: SSAValue
    step: int
    clips: bool
    """Whether positions may be out of bounds."""
    is_backwards: bool
    """Whether the start moves down with the counter: ``d - p``."""


@dataclass
class Operand:
    """An operand of a contraction in loops, traced to an array defined outside of them."""

    array: SSAValue
    axes: list[Name]
    windows: dict[SSAValue, Slice] = field(default_factory=dict[SSAValue, Slice])
    """The slice that starts at each counter, or at a distance from it."""

    def letters(self) -> set[str]:
        """The letters of its axes."""
        return {name for name in self.axes if isinstance(name, str)}


@dataclass(frozen=True)
class Convolution:
    """Nested loops that sum the contractions of filters with the shifts of an array."""

    folds: Sequence[yarr.FoldOp]
    images: Operand
    filters: Operand
    output: str

    def counters(self) -> list[SSAValue]:
        """The counters of the loops, outermost first."""
        return [fold.counter for fold in self.folds]

    def places(self) -> list[str]:
        """The letter of the axis that each loop shifts."""
        return [self.images.windows[counter].letter for counter in self.counters()]


def convolution_of(result: OpResult) -> Convolution | None:
    """The convolution that a result of a fold is equal to, if any."""
    folds, value, total = list[yarr.FoldOp](), result, None
    while isinstance(fold := value.op, yarr.FoldOp) and len(folds) < MOST_PLACES:
        init, summand = fold.inits[value.index], _summand(fold, value.index)
        if summand is None or (folds and init is not total and not _is_zero(init)):
            return None
        folds.append(fold)
        value, total = summand, fold.accumulators[value.index]
    if not isinstance(value.op, yarr.EinsumOp) or len(value.op.arrays) != 2:
        return None
    return _contraction(folds, value.op)


def _summand(fold: yarr.FoldOp, number: int) -> OpResult | None:
    """``e`` of a step ``acc + e`` on floats, if the accumulator has no other user.

    Or the result of an inner sum that starts from the accumulator.
    """
    terminator = fold.body.block.last_op
    assert isinstance(terminator, yarr.YieldOp)
    step, accumulator = terminator.values[number], fold.accumulators[number]
    total = step.owner
    if isinstance(step, OpResult) and isinstance(total, yarr.FoldOp):
        continues = total.inits[step.index] is accumulator and total.parent is fold.body.block
        return step if continues and accumulator.has_one_use() and step.has_one_use() else None
    if not isinstance(total, yarr.ElementwiseOp) or total.parent is not fold.body.block:
        return None
    others = [value for value in total.arguments if value is not accumulator]
    is_sum = isinstance(single_operation(total.body), arith.AddfOp)
    is_alone = accumulator.has_one_use() and len(others) == 1 and others[0].has_one_use()
    if not is_sum or not is_alone or others[0].type != accumulator.type:
        return None
    return others[0] if isinstance(others[0], OpResult) else None


def _is_zero(value: SSAValue) -> bool:
    """Whether all elements of an array are provably 0.0."""
    while isinstance(value.owner, yarr.RepeatOp | yarr.UnsqueezeOp):
        value = value.owner.array
    return is_zero(value)


def _contraction(folds: Sequence[yarr.FoldOp], op: yarr.EinsumOp) -> Convolution | None:
    """The convolution of loops around a contraction: one operand is shifted, one picked from."""
    inputs, output = yarr.split_subscripts(op.subscripts.data)
    counters: set[SSAValue] = {fold.counter for fold in folds}
    operands = [
        _followed(array, letters, counters, folds[0])
        for array, letters in zip(op.arrays, inputs, strict=True)
    ]
    if not isinstance(yarr.element_of(op.result), Float32Type | Float64Type):
        return None
    for images, filters in (operands, operands[::-1]):
        if images is not None and filters is not None and set(images.windows) == counters:
            found = Convolution(folds, images, filters, output)
            return found if _is_plain(found, counters) else None
    return None


def _followed(
    array: SSAValue, letters: str, counters: set[SSAValue], nest: yarr.FoldOp
) -> Operand | None:
    """An operand, traced through slices that start at counters and takes at counters."""
    found = Operand(array, list(letters))
    while True:
        op = found.array.owner
        match op:
            case yarr.SliceOp() if shift := _shift_of(op, counters, nest):
                counter, is_backwards = shift
                letter = found.axes[op.axis.value.data]
                if not isinstance(letter, str) or counter in found.windows:
                    return None
                step, clips = op.step.value.data, op.clip is not None
                found.windows[counter] = Slice(letter, op.start, op.size, step, clips, is_backwards)
            case yarr.TakeOp() if op.position in counters and op.in_bounds is not None:
                found.axes.insert(op.axis.value.data, op.position)
            case yarr.TransposeOp() if nest.is_ancestor(op):
                axes = dict(zip(op.axes, found.axes, strict=True))
                found.axes = [axes[axis] for axis in range(len(axes))]
            case _:
                break
        found.array = op.array
    return None if _fixed_within(nest, found.array) is None else found


def _shift_of(
    op: yarr.SliceOp, counters: set[SSAValue], nest: yarr.FoldOp
) -> tuple[SSAValue, bool] | None:
    """The counter that shifts a slice, whose steps are upwards, and whether it does so backwards.

    If positions may be out of bounds, or the start is at a distance from a counter, the slices are
    those of a longer one, which has the elements between steps as well: the step is 1.
    """
    step = op.step.value.data
    if op.start in counters:
        return (op.start, False) if step == 1 or (step > 1 and op.clip is None) else None
    return _counter_in(op.start, counters, nest) if step == 1 else None


def _counter_in(
    value: SSAValue, counters: set[SSAValue], nest: yarr.FoldOp
) -> tuple[SSAValue, bool] | None:
    """The counter that an Int is at a distance from, and whether it is subtracted."""
    if value in counters:
        return value, False
    sum_ = value.owner
    if not isinstance(sum_, yarr.ElementwiseOp) or len(sum_.arguments) != 2:
        return None
    kind = single_operation(sum_.body)
    found = [_counter_in(each, counters, nest) for each in sum_.arguments]
    fixed = [_fixed_within(nest, each) is not None for each in sum_.arguments]
    for side, (shift, is_fixed) in enumerate(zip(found, reversed(fixed), strict=True)):
        if shift is not None and is_fixed and isinstance(kind, arith.AddiOp | arith.SubiOp):
            counter, is_backwards = shift
            return counter, is_backwards != (side == 1 and isinstance(kind, arith.SubiOp))
    return None


def _fixed_within(nest: yarr.FoldOp, value: SSAValue) -> list[Operation] | None:
    """The constants and slices in loops that a value is computed by, in order.

    None if it depends on a counter or on other operations.
    """
    ops = slice_within(nest, [value])
    sources = [value, *(operand for op in ops for operand in op.operands)]
    is_fixed = all(isinstance(op, yarr.SliceOp | arith.ConstantOp) for op in ops)
    varies = any(isinstance(each.owner, Block) and is_within(each, nest) for each in sources)
    return ops if is_fixed and not varies else None


def _is_plain(found: Convolution, counters: set[SSAValue]) -> bool:
    """Whether each axis has one role: position, batch, input channel or output channel.

    Each axis of positions is shifted by one counter, which picks from one axis of the filters.
    """
    images, filters, places = found.images.letters(), found.filters.letters(), found.places()
    output = set(found.output)
    picked = [name for name in found.filters.axes if not isinstance(name, str)]
    outside = {value for counter in counters for value in _sizes(found, counter)}
    return (
        len(set(places)) == len(places)
        and not found.filters.windows
        and len(picked) == len(counters) == len(set(picked))
        and len(found.images.axes) == len(images) == len(set(found.images.axes))
        and len(filters) + len(picked) == len(found.filters.axes)
        and set(places) <= output
        and filters.isdisjoint(places)
        and not images & filters & output
        and images | filters == output | (images & filters)
        and len(images - filters - set(places)) <= 1
        and len(images & filters) <= 1
        and len(filters - images) <= 1
        and bool(filters)
        and all(map(_is_dynamic, (found.images.array, found.filters.array)))
        and not any(_is_inside(value, found) for value in outside)
    )


def _sizes(found: Convolution, counter: SSAValue) -> Sequence[SSAValue]:
    """The number of positions along the axis of a counter, and the count of its fold."""
    (fold,) = (fold for fold in found.folds if fold.counter is counter)
    return found.images.windows[counter].size, fold.count


def _is_dynamic(value: SSAValue) -> bool:
    """Whether all sizes of an array are dynamic, so that no type depends on them."""
    return all(size == yarr.DYNAMIC for size in yarr.shape_of(value))


def _is_inside(value: SSAValue, found: Convolution) -> bool:
    return any(is_defined_in(value, fold.body.block) for fold in found.folds)


# Rewriting ------------------------------------------------------------------------------------


class _Emitter:
    """Emits operations before the outermost loop."""

    def __init__(self, found: Convolution):
        self._found = found
        self._fold = found.folds[0]

    def emit(self, op: Operation) -> SSAValue:
        """Insert an operation; its result."""
        op.location = self._fold.location
        Rewriter.insert_op(op, InsertPoint.before(self._fold))
        return op.results[0]

    def _move_out(self, array: SSAValue) -> None:
        """Move the slices that compute an operand before the loops."""
        for op in _fixed_within(self._fold, array) or ():
            op.detach()
            Rewriter.insert_op(op, InsertPoint.before(self._fold))

    def convolution(self) -> SSAValue:
        """The convolution, with the axes of the accumulator."""
        found = self._found
        self._move_out(found.images.array)
        self._move_out(found.filters.array)
        images, filters = found.images, found.filters
        counters, places = found.counters(), found.places()
        shared = sorted(images.letters() & filters.letters())
        batch = sorted(images.letters() - filters.letters() - set(places))
        outputs = sorted(filters.letters() - images.letters())
        slices = [images.windows[counter] for counter in counters]
        array = self._arranged(self._extended(images), [*batch], [*shared], [*places])
        weights = self._arranged(self._cut(filters), [*outputs], [*shared], [*counters])
        sizes, strides = [each.size for each in slices], [each.step for each in slices]
        result = self.emit(yarr.CorrelateOp(array, weights, sizes, strides))
        names = [*batch, *outputs, *places]
        missing = [axis for axis, part in enumerate((batch, outputs)) if not part]
        if missing:
            result = self.emit(yarr.SqueezeOp(result, missing))
        order = [names.index(letter) for letter in found.output]
        return self._transposed(result, order)

    def _arranged(
        self, operand: Operand, first: list[Name], second: list[Name], rest: list[Name]
    ) -> SSAValue:
        """An operand with its axes in order; the first two roles get an axis if they have none."""
        order = [operand.axes.index(name) for name in (*first, *second, *rest)]
        array = self._transposed(operand.array, order)
        missing = [axis for axis, part in enumerate((first, second)) if not part]
        return self.emit(yarr.UnsqueezeOp(array, missing)) if missing else array

    def _transposed(self, array: SSAValue, order: list[int]) -> SSAValue:
        is_ordered = order == sorted(order)
        return array if is_ordered else self.emit(yarr.TransposeOp(array, order))

    def _extended(self, images: Operand) -> Operand:
        """The images, from the first to the last element of the windows that clip or are distant.

        ``a[d + p + i]`` for p < m and i < n is ``b[p + i]``, where b has the n + m - 1 elements of
        a from d on.
        """
        array = images.array
        for fold in self._found.folds:
            window = images.windows[fold.counter]
            if window.clips or window.start is not fold.counter:
                zero, one = (self.emit(yarr.size_constant(n)) for n in (0, 1))
                ends = self.emit(elementwise(arith.AddiOp, window.size, fold.count))
                last = self.emit(elementwise(arith.SubiOp, ends, one))
                size = self.emit(elementwise(arith.MaxSIOp, last, zero))
                first = self._last_step(fold) if window.is_backwards else zero
                start = self._first(window.start, fold.counter, first)
                axis = images.axes.index(window.letter)
                array = self.emit(yarr.SliceOp(array, axis, start, size, clip=True))
        return Operand(array, images.axes)

    def _first(self, start: SSAValue, counter: SSAValue, step: SSAValue) -> SSAValue:
        """The start of slices in one step of a loop."""
        if start is counter:
            return step
        if not is_within(start, self._found.folds[0]) or start.owner in (
            _fixed_within(self._fold, start) or ()
        ):
            self._move_out(start)
            return start
        assert isinstance(start.owner, yarr.ElementwiseOp)
        sum_ = single_operation(start.owner.body)
        assert sum_ is not None
        values = [self._first(value, counter, step) for value in start.owner.arguments]
        return self.emit(elementwise(type(sum_), *values))

    def _last_step(self, fold: yarr.FoldOp) -> SSAValue:
        return self.emit(elementwise(arith.SubiOp, fold.count, self.emit(yarr.size_constant(1))))

    def _cut(self, filters: Operand) -> Operand:
        """The filters, with one offset for each step of the loops."""
        array = filters.array
        for fold in self._found.folds:
            axis = filters.axes.index(fold.counter)
            if self._found.images.windows[fold.counter].is_backwards:
                last = self._last_step(fold)
                array = self.emit(yarr.SliceOp(array, axis, last, fold.count, step=-1))
            elif not is_size_of(fold.count, filters.array, axis):
                zero = self.emit(yarr.size_constant(0))
                array = self.emit(yarr.SliceOp(array, axis, zero, fold.count))
        return Operand(array, filters.axes)


def raise_convolution(old: OpResult) -> None:
    """Replace a result of a fold by the convolution that it is equal to, if any."""
    found = convolution_of(old)
    if found is None:
        return
    emitter, init = _Emitter(found), found.folds[0].inits[old.index]
    result = emitter.convolution()
    if not _is_zero(init):
        result = emitter.emit(elementwise(arith.AddfOp, init, result))
    result.name_hint = old.name_hint
    old.replace_all_uses_with(result)


def raise_convolutions(block: Block) -> None:
    """Raise the results of the folds of a block and of its inner bodies, outermost first.

    The raised results are left in their folds, unused.
    """
    for op in list(block.ops):
        if isinstance(op, yarr.FoldOp):
            for result in op.res:
                if result.uses:
                    raise_convolution(result)
        if not op.results or any(result.uses for result in op.results):
            for region in op.regions:
                for inner in region.blocks:
                    raise_convolutions(inner)


class RaiseConvolutionsPass(ModulePass):
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

    Slices may have steps, ``yarr.correlate .. by [2, 2]``. Other accumulators of a loop are kept.
    The loops may be nested in any order, the operands of the contraction may be in either order,
    and an array without batches, channels or several filters gets an axis of size 1 in their place.
    Windows that clip, or start at a distance from the counter, are those of a clipped slice with
    all of their elements. If they move down with the counter, the filters are reversed. Loops are
    kept for such shifts with steps, for weights of single elements, which need no contraction, and
    for integers, which the libraries do not convolve.
    """

    name = "raise-convolutions"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in op.ops:
            for region in function.regions:
                for block in region.blocks:
                    raise_convolutions(block)
