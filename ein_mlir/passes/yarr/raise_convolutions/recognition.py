"""Convolutions among loops of contractions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field
from string import ascii_letters
from typing import NamedTuple

from xdsl.dialects import arith
from xdsl.dialects.builtin import (
    Float32Type,
    Float64Type,
)
from xdsl.ir import Block, Operation, OpResult, SSAValue

from ein_mlir.analysis.scopes import is_defined_in, is_within, slice_within
from ein_mlir.dialects import yarr
from ein_mlir.dialects.assembly import single_operation
from ein_mlir.dialects.yarr.constants import constant_value, is_zero
from ein_mlir.host.dataclass import dataclass

MOST_PLACES = 3
"""The maximal number of axes that the libraries convolve along."""

MOST_DISTANCE = 2**16
"""The maximal distance of two offsets in a window: no position wraps."""

View = yarr.StridedOp | yarr.SliceOp
"""An operation of a step that splits an axis, or takes a part of it, which is the same in all."""

Name = str | SSAValue | View
"""The name of an axis: a letter of the contraction, the counter that picks an element of it, or the
operation that has it in another form.
"""

_FIXED = (arith.ConstantOp, yarr.SizeOp, yarr.SliceOp, yarr.FillEmptyOp)
"""Operations in loops that may move out of them."""


@dataclass(frozen=True)
class Slice:
    """A slice of an axis, which has a letter."""

    letter: str
    start: SSAValue
    size: SSAValue
    step: int
    """The distance of its elements: -1 in ``a[d - i]``."""
    clips: bool
    """Whether positions may be out of bounds."""
    factor: int
    """The distance by which the start moves with the counter: -2 in ``d - 2*p``."""

    @property
    def is_backwards(self) -> bool:
        """Whether the start moves down with the counter."""
        return self.factor < 0


@dataclass
class Operand:
    """An operand of a contraction in loops, traced to an array defined outside of them."""

    array: SSAValue
    axes: list[Name]
    windows: dict[SSAValue, Slice] = field(default_factory=dict[SSAValue, Slice])
    """The slice that starts at each counter, or at a distance from it."""
    clipped: set[SSAValue] = field(default_factory=set[SSAValue])
    """The counters that may pick an element out of bounds."""
    views: list[tuple[View, list[Name]]] = field(default_factory=list[tuple[View, list[Name]]])
    """The operations that split or cut axes, the last one first, and the axes that they make."""

    def all_axes(self) -> list[Name]:
        """The axes when all are split and cut."""
        names = list(self.axes)
        for view, parts in reversed(self.views):
            place = names.index(view)
            names[place : place + 1] = parts
        return names

    def letters(self) -> set[str]:
        """The letters of its axes."""
        return {name for name in self.all_axes() if isinstance(name, str)}


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

    def slices(self) -> list[Slice]:
        """The slice that each loop shifts."""
        return [self.images.windows[counter] for counter in self.counters()]

    def places(self) -> list[str]:
        """The letter of the axis that each loop shifts."""
        return [each.letter for each in self.slices()]

    def roles(self) -> tuple[list[str], list[str], list[str], list[str]]:
        """The letters of batches, groups, outputs and channels."""
        images, filters = self.images.letters(), self.filters.letters()
        batch = images - filters - set(self.places())
        groups = images & filters & set(self.output)
        parts = (batch, groups, filters - images, (images & filters) - groups)
        return tuple(map(sorted, parts))  # pyright: ignore[reportReturnType]

    def needs_contraction(self) -> bool:
        """Whether the weights of an offset are arrays."""
        return any(self.roles()[1:])


class Wanted(NamedTuple):
    """The convolutions that a library has."""

    grouped: bool = False
    """There may be groups, and several axes of one role."""
    joined: bool = False
    """There may be several axes of one role."""
    elements: bool = False
    """Weights of an offset may be single elements."""

    def has(self, found: Convolution) -> bool:
        """Whether a convolution is among them."""
        batch, groups, outputs, channels = found.roles()
        is_single = max(map(len, (batch, outputs, channels))) <= 1
        has_roles = self.grouped or (not groups and (self.joined or is_single))
        return has_roles and (self.elements or found.needs_contraction())


@dataclass(frozen=True)
class Nest:
    """Nested loops that sum contractions of two arrays."""

    folds: Sequence[yarr.FoldOp]
    result: SSAValue
    arrays: Sequence[SSAValue]
    subscripts: str


def contraction_in_loops(result: OpResult) -> Nest | None:
    """The loops and the contraction that a result of a fold is the sum of, if any."""
    folds, value, total = list[yarr.FoldOp](), result, None
    while isinstance(fold := value.op, yarr.FoldOp) and len(folds) < MOST_PLACES:
        init, summand = fold.inits[value.index], _summand(fold, value.index)
        if summand is None or (folds and init is not total and not is_zero(init)):
            return None
        folds.append(fold)
        value, total = summand, fold.accumulators[value.index]
    product = _product_of(value.op)
    return None if product is None or not folds else Nest(folds, value, *product)


def convolution_of(result: OpResult, wanted: Wanted) -> Convolution | None:
    """The convolution that a result of a fold is equal to, if any."""
    nest = contraction_in_loops(result)
    return None if nest is None else _convolution(nest, wanted)


def is_shifted(array: SSAValue, letters: str, folds: Sequence[yarr.FoldOp]) -> bool:
    """Whether an operand of a contraction is sliced from each counter of the loops on."""
    counters: set[SSAValue] = {fold.counter for fold in folds}
    found = _followed(array, letters, counters, folds[0])
    return found is not None and set(found.windows) == counters


def _product_of(op: Operation) -> tuple[Sequence[SSAValue], str] | None:
    """Two factors, and the subscripts of their contraction; a product of elements is one."""
    if isinstance(op, yarr.EinsumOp):
        return (op.arrays, op.subscripts.data) if len(op.arrays) == 2 else None
    if not isinstance(op, yarr.ElementwiseOp) or not op.is_binary(arith.MulfOp):
        return None
    output = ascii_letters[: yarr.rank_of(op.result)]
    factors, inputs = list[SSAValue](), list[str]()
    for factor in op.arguments:
        missing = list[int]()
        if isinstance(factor.owner, yarr.UnsqueezeOp):
            missing, factor = [*factor.owner.axes], factor.owner.array
        factors.append(factor)
        letters = output if yarr.rank_of(factor) else ""
        inputs.append("".join(x for axis, x in enumerate(letters) if axis not in missing))
    return factors, f"{','.join(inputs)}->{output}"


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


def _convolution(nest: Nest, wanted: Wanted) -> Convolution | None:
    """The convolution of loops around a contraction: one operand is shifted, one picked from."""
    folds, (inputs, output) = nest.folds, yarr.split_subscripts(nest.subscripts)
    counters: set[SSAValue] = {fold.counter for fold in folds}
    operands = [
        _followed(array, letters, counters, folds[0])
        for array, letters in zip(nest.arrays, inputs, strict=True)
    ]
    if not isinstance(yarr.element_of(nest.result), Float32Type | Float64Type):
        return None
    for images, filters in (operands, operands[::-1]):
        if images is not None and filters is not None and set(images.windows) == counters:
            found = Convolution(folds, images, filters, output)
            return found if wanted.has(found) and _is_plain(found, counters) else None
    return None


def _followed(
    array: SSAValue, letters: str, counters: set[SSAValue], nest: yarr.FoldOp
) -> Operand | None:
    """An operand, traced through slices that start at counters and takes at counters."""
    found = Operand(array, list(letters))
    while True:
        op = found.array.owner
        match op:
            case yarr.SliceOp() if op.step.value.data and (
                shift := _counter_in(op.start, counters, nest)
            ):
                counter, factor = shift
                letter = found.axes[op.axis.value.data]
                if not isinstance(letter, str) or counter in found.windows:
                    return None
                step, clips = op.step.value.data, op.clip is not None
                found.windows[counter] = Slice(letter, op.start, op.size, step, clips, factor)
            case yarr.TakeOp() if op.position in counters:
                found.axes.insert(op.axis.value.data, op.position)
                if op.in_bounds is None:
                    found.clipped.add(op.position)
            case yarr.FillEmptyOp() if found.axes[op.axis.value.data] in found.clipped:
                pass
            case yarr.TransposeOp() if nest.is_ancestor(op):
                axes = dict(zip(op.axes, found.axes, strict=True))
                found.axes = [axes[axis] for axis in range(len(axes))]
            case yarr.StridedOp() | yarr.SliceOp() if nest.is_ancestor(op) and _is_fixed(
                nest, *op.operands[1:]
            ):
                first = op.axis.value.data
                parts = slice(first, first + yarr.rank_of(op.result) - yarr.rank_of(op.array) + 1)
                found.views.append((op, found.axes[parts]))
                found.axes[parts] = [op]
            case _:
                break
        found.array = op.array
    return found if _is_fixed(nest, found.array) else None


def _counter_in(
    value: SSAValue, counters: set[SSAValue], nest: yarr.FoldOp
) -> tuple[SSAValue, int] | None:
    """The counter that an Int is a multiple of, at a distance, and its factor."""
    if value in counters:
        return value, 1
    op = value.owner
    if not isinstance(op, yarr.ElementwiseOp) or len(op.arguments) != 2:
        return None
    kind = single_operation(op.body)
    found = [_counter_in(each, counters, nest) for each in op.arguments]
    for side, shift in enumerate(found):
        other = op.arguments[1 - side]
        if shift is not None and _is_fixed(nest, other):
            counter, factor = shift
            factor *= _factor_of(kind, side, other)
            return (counter, factor) if 0 < abs(factor) <= MOST_DISTANCE else None
    return None


def _factor_of(kind: Operation | None, side: int, other: SSAValue) -> int:
    """The factor of a side in a sum, a difference or a multiple; 0 for others."""
    match kind:
        case arith.AddiOp():
            return 1
        case arith.SubiOp():
            return -1 if side else 1
        case arith.MuliOp():
            return constant_value(other) or 0
        case _:
            return 0


def fixed_within(nest: yarr.FoldOp, value: SSAValue) -> list[Operation] | None:
    """The constants, Ints, slices and clipped elements in loops that compute a value, in order.

    None if it depends on a counter or on other operations.
    """
    ops = slice_within(nest, [value])
    sources = [value, *(operand for op in ops for operand in op.operands)]
    is_fixed = all(isinstance(op, _FIXED) or _is_int(op) or _is_clipped(op) for op in ops)
    varies = any(isinstance(each.owner, Block) and is_within(each, nest) for each in sources)
    return ops if is_fixed and not varies else None


def _is_fixed(nest: yarr.FoldOp, *values: SSAValue) -> bool:
    return all(fixed_within(nest, value) is not None for value in values)


def _is_int(op: Operation) -> bool:
    return isinstance(op, yarr.ElementwiseOp) and op.result.type == yarr.SIZE_TYPE


def _is_clipped(op: Operation) -> bool:
    """Whether an operation reads an element that there is also where a loop has no steps."""
    return isinstance(op, yarr.TakeOp) and op.in_bounds is None


def _is_plain(found: Convolution, counters: set[SSAValue]) -> bool:
    """Whether each axis has one role: position, batch, group, input channel or output channel.

    Each axis of positions is shifted by one counter, which picks from one axis of the filters.
    """
    images, filters, places = found.images.letters(), found.filters.letters(), found.places()
    output, channels = set(found.output), found.roles()[-1]
    axes, weights = found.images.all_axes(), found.filters.all_axes()
    picked = [name for name in weights if not isinstance(name, str)]
    outside = {value for counter in counters for value in _sizes(found, counter)}
    return (
        len(set(places)) == len(places)
        and not found.filters.windows
        and not found.images.clipped
        and len(picked) == len(counters) == len(set(picked))
        and len(axes) == len(images) == len(set(axes))
        and len(filters) + len(picked) == len(weights)
        and set(places) <= output
        and filters.isdisjoint(places)
        and images | filters == output | set(channels)
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
