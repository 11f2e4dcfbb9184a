"""The places of the parts of joined arrays, and the parts that another array has there."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from xdsl.dialects.builtin import TensorType
from xdsl.ir import SSAValue

from ein_mlir.analysis.arithmetic import LinearForm
from ein_mlir.analysis.hints import isa
from ein_mlir.dialects import yarr
from ein_mlir.rewriting.yarr_to_emitpy.parts import Path, size_source, sizes_of, sliced
from ein_mlir.rewriting.yarr_to_emitpy.rules import LibraryLowering


class PlaceRules(LibraryLowering):
    """Facts about the places of parts, for lowerings that write parts to their places."""

    # Sizes

    def size_of_join(self, concat: yarr.ConcatOp, axis: int) -> SSAValue | None:
        """The size of a joined array, if it is known before its parts."""
        if axis == concat.axis.value.data:
            assert concat.size is not None
            return self.values.get(concat.size)
        size = size_source(concat.result, axis, self.sizes)
        if isinstance(size, int):
            return self.build.literal(size)
        if isinstance(size, SSAValue):
            return self.values.get(size)
        array, axis = size
        return self.size_of(self.value(array), axis) if array in self.values else None

    def record_sizes(self, op: yarr.FoldOp | yarr.WhileOp) -> None:
        """Record the sizes of accumulators that the steps of a loop preserve."""
        terminator = op.body.block.last_op
        assert isinstance(terminator, yarr.YieldOp)
        steps = zip(op.accumulators, op.inits, terminator.values, op.res, strict=True)
        for accumulator, init, value, result in steps:
            for axis, size in enumerate(_shape(init)):
                form = self.length(init, axis) if size == yarr.DYNAMIC else None
                if form is not None and self._stays(value, axis, accumulator, form):
                    self.sizes.define_size_of(accumulator, axis, form)
                    self.sizes.define_size_of(result, axis, form)

    def _stays(self, value: SSAValue, axis: int, accumulator: SSAValue, form: LinearForm) -> bool:
        """Whether the next value of an accumulator has the size of the accumulator."""
        size = size_source(value, axis, self.sizes)
        if isinstance(size, SSAValue):
            return self._is_size(size, form, (accumulator, axis))
        return size == (accumulator, axis) or (
            not isinstance(size, int) and self.length(*size) == form
        )

    def _is_size(
        self, size: SSAValue, form: LinearForm, own: tuple[SSAValue, int] | None = None
    ) -> bool:
        """Whether a size has a form, or is asserted to be equal to it.

        ``own`` is an array with an axis whose size has this form.
        """
        pending, seen = [size], set[SSAValue]()
        while pending:
            size = pending.pop()
            if self.sizes.of(size) == form or _reads(size, own):
                return True
            if isinstance(size.owner, yarr.AssertEqOp) and size not in seen:
                pending += size.owner.operands
            seen.add(size)
        return False

    def fits(self, paths: Iterable[Path], whole: SSAValue) -> bool:
        """Whether the joined array of some parts has the sizes of another; if so, record them."""
        for concat in {concat for path in paths for concat, _ in path}:
            form = self.length(whole, concat.axis.value.data)
            if form is None or concat.size is None or not self._is_size(concat.size, form):
                return False
            self.sizes.define(concat.size, form)
        return True

    # Places

    def is_there(self, part: SSAValue, path: Path, whole: SSAValue) -> bool:
        """Whether a part is the slice of an array in its place."""
        array, starts = sliced(part)
        places = {concat.axis.value.data: (concat, number) for concat, number in path}
        return (
            array is whole
            and starts.keys() == places.keys()
            and all(
                sum(map(self.sizes.of, starts[axis]), LinearForm()) in self.starts_of(*places[axis])
                for axis in starts
            )
        )

    def is_kept(self, part: SSAValue, concat: yarr.ConcatOp, number: int) -> bool:
        """Whether a part of the value of an update is what its place contains."""
        update = concat.result.get_user_of_unique_use()
        array, starts = sliced(part)
        axis = concat.axis.value.data
        return (
            isinstance(update, yarr.UpdateOp)
            and starts.keys() == {axis}
            and _is_row(array, update)
            and sum(map(self.sizes.of, starts[axis]), LinearForm())
            in self.starts_of(concat, number)
        )

    def starts_of(self, concat: yarr.ConcatOp, number: int) -> list[LinearForm]:
        """Forms of the start of an operand in a concatenation, if it is not empty."""
        assert concat.size is not None
        sizes = sizes_of(concat, self.sizes)
        offset = sum(map(self.sizes.of, sizes[:number]), LinearForm())
        known = self.known_start(sizes, number, self.sizes.of(concat.size))
        return [offset] if known is None else [known, offset]

    def known_start(
        self, sizes: Sequence[SSAValue | int], number: int, length: LinearForm
    ) -> LinearForm | None:
        """The start of a part if it is not empty, as a non-negative form that is no-wrap."""
        extents = self.sizes.extents(sizes[number])
        if number == 0:
            return LinearForm()
        if number == len(sizes) - 1:
            start = length - extents[0]
            return start if len(extents) == 1 and self._is_position(start) else None
        start = LinearForm()
        for size in sizes[:number]:
            known = self._size_beside(size, extents)
            if known is None:
                return None
            start += known
        return start if self._is_position(start) else None

    def _is_position(self, form: LinearForm) -> bool:
        """Whether a form is a non-negative Int for all values of its atoms."""
        return self.sizes.is_exact(form) and self.sizes.is_nonnegative(form)

    def _size_beside(
        self, size: SSAValue | int, extents: Sequence[LinearForm]
    ) -> LinearForm | None:
        """The form of a size, given that the ``extents`` of another part are at least 1."""

        def is_at_least(larger: LinearForm, smaller: LinearForm) -> bool:
            difference = larger - smaller
            beside = ((difference - extent).known() for extent in extents)
            return self.sizes.is_nonnegative(difference) or any(
                rest is not None and rest >= -1 for rest in beside
            )

        candidates = [*self.sizes.extents(size)]
        zero = LinearForm()
        for candidate in candidates:
            if is_at_least(candidate, zero) and all(
                is_at_least(other, candidate) for other in candidates
            ):
                return candidate
        return None


def _reads(value: SSAValue, size: tuple[SSAValue, int] | None) -> bool:
    """Whether a value is the size of an array along an axis."""
    op = value.owner
    return isinstance(op, yarr.SizeOp) and (op.array, op.axis.value.data) == size


def _is_row(array: SSAValue, update: yarr.UpdateOp) -> bool:
    """Whether an array has the elements that an update at one position replaces."""
    row = array.owner
    if not isinstance(row, yarr.TakeOp) or len(update.positions) > 1:
        return False
    axis, position = row.axis.value.data, update.positions[0]
    whole = row.array
    while isinstance(filled := whole.owner, yarr.FillEmptyOp) and filled.axis.value.data == axis:
        whole = filled.array
    return whole is update.array and row.position is position and axis in update.axes


def _shape(value: SSAValue) -> Sequence[int]:
    """The static shape of an array; nothing for a record."""
    return yarr.shape_of(value) if isa(value.type, TensorType) else ()
