"""``share-padding``: clipped shifts of an array are views of one padded copy."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field
from typing import NamedTuple, TypeAlias

from xdsl.dialects import arith, func
from xdsl.ir import Block, BlockArgument, Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from ein_mlir.analysis.manager import AnalysisManager
from ein_mlir.dialects import yarr
from ein_mlir.dialects.yarr.constants import constant_value
from ein_mlir.dialects.yarr.known_sizes import Size, size_of
from ein_mlir.host.dataclass import dataclass
from ein_mlir.rewriting.passes import FunctionPass


class Part(NamedTuple):
    """The elements of an axis in a shifted copy."""

    start: int
    excess: int
    """The number of elements of the copy less that of the array."""
    size: SSAValue


Shift: TypeAlias = Mapping[int, Part]
"""The elements of each axis along which a copy is shifted."""


WIDEST = 64
"""The longest shift for which padding is profitable: a small array is padded by as much."""


SizeKey: TypeAlias = "SSAValue | int | tuple[SSAValue, int]"


class _Sizes:
    """The Ints, numbers and sizes of arrays that each size in a function is equal to."""

    def __init__(self) -> None:
        self._kept: dict[tuple[SSAValue, int], frozenset[SizeKey]] = {}
        self._accumulators = 0
        """The number of accumulators whose keys are being found: others may lack those of them."""
        self._asserted = list[frozenset[SizeKey]]()

    def require(self, op: yarr.AssertEqOp) -> None:
        """Let two sizes be equal from now on."""
        keys = self.of(op.lhs) | self.of(op.rhs)
        equal = [each for each in self._asserted if not each.isdisjoint(keys)]
        self._asserted = [each for each in self._asserted if each not in equal]
        self._asserted.append(keys.union(*equal))

    def are_equal(self, size: SSAValue, array: SSAValue, axis: int) -> bool:
        """Whether an Int is the size of an array along an axis."""
        one, other = self.of(size), self.of_axis(array, axis)
        return not one.isdisjoint(other) or any(
            not (each.isdisjoint(one) or each.isdisjoint(other)) for each in self._asserted
        )

    def of(self, size: SSAValue) -> frozenset[SizeKey]:
        """The keys that an Int is equal to."""
        match size.owner:
            case yarr.SizeOp() as op:
                return self.of_axis(op.array, op.axis.value.data)
            case yarr.AssertEqOp() as op:
                return self.of(op.lhs) | self.of(op.rhs)
            case _:
                return frozenset((size,))

    def of_axis(self, array: SSAValue, axis: int) -> frozenset[SizeKey]:
        """The keys that the size of an array along an axis is equal to."""
        own, equal = (array, axis), list[tuple[SSAValue, int]]()
        while own not in self._kept and isinstance(other := _size_of(*own), tuple):
            equal.append(own)
            own = other
        if own not in self._kept:
            self._kept[own] = frozenset((own,))
            self._kept[own] = self._find(*own)
        if not self._accumulators:
            self._kept.update(dict.fromkeys(equal, self._kept[own]))
        return self._kept[own]

    def _find(self, array: SSAValue, axis: int) -> frozenset[SizeKey]:
        """The keys of a size that is not that of another array."""
        match _size_of(array, axis):
            case SSAValue() as value:
                return self.of(value)
            case int(number):
                return frozenset((number,))
            case _:
                self._accumulators += 1
                initial = self._of_initial(array, axis)
                self._accumulators -= 1
                return initial | {(array, axis)}

    def _of_initial(self, accumulator: SSAValue, axis: int) -> frozenset[SizeKey]:
        """The keys that an initial size of an accumulator is equal to, if steps keep the size."""
        fold = accumulator.block.parent_op() if isinstance(accumulator, BlockArgument) else None
        if not isinstance(fold, yarr.FoldOp) or accumulator not in fold.accumulators:
            return frozenset()
        number = fold.accumulators.index(accumulator)
        terminator = fold.body.block.last_op
        assert isinstance(terminator, yarr.YieldOp)
        initial = self.of_axis(fold.inits[number], axis)
        next_ = self.of_axis(terminator.values[number], axis)
        is_kept = (accumulator, axis) in next_ or not next_.isdisjoint(initial)
        return initial if is_kept else frozenset()


def _size_of(array: SSAValue, axis: int) -> Size | None:
    """The size along an axis of an array that is the result of an operation; else None."""
    return size_of(array.owner, axis) if isinstance(array.owner, Operation) else None


@dataclass
class _Shifts:
    """The shifted copies of an array in a block."""

    sizes: _Sizes
    copies: dict[yarr.SliceOp, Shift] = field(default_factory=dict[yarr.SliceOp, Shift])

    def add(self, op: yarr.SliceOp, shift: Shift) -> None:
        """Record a copy, and the copies of it that are shifted along other axes."""
        self.copies[op] = shift
        for use in op.result.uses:
            inner = use.operation
            if isinstance(inner, yarr.SliceOp) and inner.parent is op.parent:
                further = _shift(inner, self.sizes)
                if further is not None and inner.axis.value.data not in shift:
                    self.add(inner, {**shift, **further})

    def read(self) -> list[Shift]:
        """The shifts of copies that have users other than further copies, each once."""
        found = list[Shift]()
        for op, shift in self.copies.items():
            is_read = any(use.operation not in self.copies for use in op.result.uses)
            if is_read and shift not in found:
                found.append(shift)
        return found


def _shift(op: yarr.SliceOp, sizes: _Sizes) -> Shift | None:
    """The axis of a clipped shift, and its elements; None for other slices."""
    start = constant_value(op.start)
    axis = op.axis.value.data
    if op.clip is None or op.step.value.data != 1 or start is None or abs(start) > WIDEST:
        return None
    size, excess = _without_constant(op.size)
    if not 0 <= excess <= WIDEST or not sizes.are_equal(size, op.array, axis):
        return None
    return {axis: Part(start, excess, op.size)}


def _without_constant(size: SSAValue) -> tuple[SSAValue, int]:
    """``n + 4  -->  n, 4``; other Ints with 0."""
    op = size.owner
    if isinstance(op, yarr.ElementwiseOp) and op.is_binary(arith.AddiOp):
        for other, number in (op.arguments, op.arguments[::-1]):
            if (known := constant_value(number)) is not None:
                return other, known
    return size, 0


def share_padding(block: Block) -> None:
    """Share padded copies among the shifted copies in a block, and in its inner bodies."""
    _share_in(block, _Sizes())


def _share_in(block: Block, sizes: _Sizes) -> None:
    shifts, seen = dict[SSAValue, _Shifts](), set[Operation]()
    for op in block.ops:
        for region in op.regions:
            _share_in(region.block, sizes)
        if isinstance(op, yarr.AssertEqOp) and isinstance(block.parent_op(), func.FuncOp):
            sizes.require(op)
        shift = _shift(op, sizes) if isinstance(op, yarr.SliceOp) else None
        if isinstance(op, yarr.SliceOp) and shift is not None and op not in seen:
            found = shifts.setdefault(op.array, _Shifts(sizes))
            found.add(op, shift)
            seen.update(found.copies)
    for array, found in shifts.items():
        if len(found.read()) > 1:
            _share(array, found.copies)


def _share(array: SSAValue, copies: Mapping[yarr.SliceOp, Shift]) -> None:
    """Pad an array by the widest of its shifts, and replace the shifted copies."""
    axes = sorted({axis for shift in copies.values() for axis in shift})
    parts = {axis: [shift[axis] for shift in copies.values() if axis in shift] for axis in axes}
    widths = {axis: _width(parts[axis]) for axis in axes}
    place = InsertPoint.before(next(iter(copies)))
    padded = _insert(_padded(array, widths), place)
    sizes = {axis: _insert([yarr.SizeOp(array, axis)], place) for axis in axes}
    for op, shift in copies.items():
        views, view = list[Operation](), padded
        for axis in axes:
            part = shift.get(axis, Part(0, 0, sizes[axis]))
            size = part.size if part.excess else sizes[axis]
            start = yarr.size_constant(widths[axis][0] + part.start)
            views += (start, slice_ := yarr.SliceOp(view, axis, start, size))
            view = slice_.result
        view = _insert(views, InsertPoint.before(op))
        view = Rewriter.replace_value_with_new_type(view, op.result.type)
        view.name_hint = op.result.name_hint
        op.result.replace_all_uses_with(view)
    for op in reversed(list(copies)):
        Rewriter.erase_op(op)


def _width(parts: Sequence[Part]) -> tuple[int, int]:
    """The padding that copies need before the start and after the end."""
    ends = (part.start + part.excess for part in parts)
    return max(0, *(-part.start for part in parts)), max(0, *ends)


def _padded(array: SSAValue, widths: Mapping[int, tuple[int, int]]) -> Iterator[Operation]:
    """The operations that pad each axis; an empty one gets an element, which no copy reads."""
    for axis in widths:
        yield (filled := yarr.FillEmptyOp(array, axis))
        array = filled.result
    for axis, width in widths.items():
        low, high = map(yarr.size_constant, width)
        yield from (low, high)
        yield (padded := yarr.PadOp(array, axis, low, high))
        array = padded.result


def _insert(ops: Sequence[Operation] | Iterator[Operation], place: InsertPoint) -> SSAValue:
    """Insert operations; the result of the last one."""
    ops = list(ops)
    Rewriter.insert_op(ops, place)
    return ops[-1].results[0]


class SharePaddingPass(FunctionPass):
    """Makes one padded copy for several clipped slices of an array that are shifts of it.

    Before, with ``%n`` the size of ``%a``, and ``%-1`` and ``%1`` constants::

        %x = yarr.slice %a, 0, %-1, %n step 1 clip : tensor<?xf64> -> tensor<?xf64>
        %y = yarr.slice %a, 0, %1, %n step 1 clip : tensor<?xf64> -> tensor<?xf64>

    After, with constants ``%0``, ``%1`` and ``%2``::

        %0 = yarr.fill_empty %a, 0 : tensor<?xf64> -> tensor<?xf64>
        %p = yarr.pad %0, 0, %1, %1 : tensor<?xf64> -> tensor<?xf64>
        %x = yarr.slice %p, 0, %0, %n step 1 : tensor<?xf64> -> tensor<?xf64>
        %y = yarr.slice %p, 0, %2, %n step 1 : tensor<?xf64> -> tensor<?xf64>

    Shifts along several axes, in sequence, are padded along all of them, and a slice may have a few
    elements more than the array. Slices with a dynamic start, a start far out of bounds or another
    size clip on their own, and so does a single slice.
    """

    name = "share-padding"
    looks_for = (yarr.SliceOp,)

    def run(self, function: func.FuncOp, analyses: AnalysisManager) -> None:
        share_padding(function.body.block)
