"""Accumulations at sums of two indices: windows of an array that overlap are added up."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from xdsl.ir import SSAValue

from ein_mlir.analysis.yarr.shifted_keys import Overlap, Part, Shift, shifted_keys
from ein_mlir.dialects import yarr
from ein_mlir.rewriting.yarr_to_emitpy.rules.reductions import AccumulatingRules


class ShiftedRules(AccumulatingRules):
    """Helpers that take slices, or functions of the library, in place of positions one by one."""

    def accumulate_at(self, op: yarr.AccumulateOp) -> None:
        """A helper for keys ``i + j``, and for sums of products at these another."""
        shifts = shifted_keys(op)
        if shifts is None or not self.adds_shifted(op, shifts):
            super().accumulate_at(op)
        elif (overlap := self.overlap(op, shifts)) is not None:
            self._add_products(op, shifts, overlap)
        else:
            self.accumulate_shifted(op, shifts)

    def adds_shifted(self, op: yarr.AccumulateOp, shifts: Sequence[Shift]) -> bool:
        """Whether there is a helper for values at sums of indices."""
        return True

    def overlap(self, op: yarr.AccumulateOp, shifts: Sequence[Shift]) -> Overlap | None:
        """The contraction of which the library adds up overlapping results, if it does."""
        return None

    def combination(self, op: yarr.AccumulateOp) -> Sequence[SSAValue]:
        """The arguments of the helper that say how values are combined."""
        return self.combining_function(op)

    def accumulate_shifted(self, op: yarr.AccumulateOp, shifts: Sequence[Shift]) -> None:
        """``shifted_values(.., values, (2, 1), (0,), (n,), (False,))``"""
        first, second = zip(*(shift.axes for shift in shifts), strict=True)
        axes = [*first, *second, *range(2 * len(shifts), yarr.rank_of(op.array))]
        values = self._ordered(self._repeated(op.array, shifts), axes, factors_of(shifts))
        arguments = *self.combination(op), values, *self._shifted_places(op, shifts, [axes])
        helper = self.name("shifted_values")
        self.bind(op.result, self.build.helper(helper, *arguments, type=op.result.type))

    def _add_products(self, op: yarr.AccumulateOp, shifts: Sequence[Shift], found: Overlap) -> None:
        """``overlapped_products(x, (1, 1), w, (1, 1), (2, 1), ..)``"""
        factors, arguments = factors_of(shifts), list[SSAValue]()
        kinds = (found.batch, found.channels), (found.channels, found.outputs)
        sides = zip(found.arrays, found.letters, kinds, found.places, found.axes, strict=True)
        for array, letters, own, places, axes in sides:
            value = self.reordered(self.array(array), letters, "".join((*own, places)))
            for place, axis in enumerate(axes, len(letters) - len(axes)):
                if factors[axis] < 0:
                    value = self._backwards(value, place)
            arguments += [value, self.build.literal(tuple(map(len, own)))]
        arguments += self._shifted_places(op, shifts, found.axes)
        rows, sizes = found.batch + found.outputs, found.places[0]
        shape, order = yarr.shape_of(op.result), sizes + found.rows
        type_ = yarr.tensor(
            yarr.element_of(op.result), [shape[order.index(x)] for x in rows + sizes]
        )
        total = self.build.helper(self.name("overlapped_products"), *arguments, type=type_)
        self.bind(op.result, self.reordered(total, rows + sizes, order))

    def shifted_arguments(
        self, op: yarr.AccumulateOp, shifts: Sequence[Shift], parts: Sequence[Part]
    ) -> list[SSAValue]:
        """Arrays along axes of the values, backwards if factors are negative, and their places."""
        factors = factors_of(shifts)
        arrays = [self._along(array, axes, factors) for array, axes in parts]
        return [*arrays, *self._shifted_places(op, shifts, [axes for _, axes in parts])]

    def _shifted_places(
        self, op: yarr.AccumulateOp, shifts: Sequence[Shift], parts: Sequence[Sequence[int]]
    ) -> list[SSAValue]:
        """The steps of arrays, the positions of their first elements, the sizes of the result,
        and whether it has the values of positions out of bounds at its ends.

        The parts are the axes of arrays, by those of the values.
        """
        factors = factors_of(shifts)
        steps = tuple(abs(factors[axis]) for axes in parts for axis in axes if axis in factors)
        starts = list(map(self._shifted_start, shifts))
        sizes = [self.value(size) for size in op.sizes]
        places = [self.build.literal(steps), self.build.tuple(starts), self.build.tuple(sizes)]
        if any(shift.clips for shift in shifts):
            clips = [self.build.literal(shift.clips) for shift in shifts]
            places.append(self.build.tuple(clips))
        return places

    def _repeated(self, values: SSAValue, shifts: Sequence[Shift]) -> SSAValue:
        """Values with an element for each index: ``np.broadcast_to(a, (n, 3))``."""
        sizes, shape = dict[int, SSAValue](), list(yarr.shape_of(values))
        array = self.array(values)
        for shift in shifts:
            for axis, size in shift.sizes.items():
                if shape[axis] == 1:
                    sizes[axis], shape[axis] = self.value(size), yarr.DYNAMIC
        if not sizes:
            return array
        lengths = [sizes.get(k) or self.build.size(array, k) for k in range(len(shape))]
        type_ = yarr.tensor(yarr.element_of(values), shape)
        return self.broadcast_to(array, self.build.tuple(lengths), type_)

    def _along(self, array: SSAValue, axes: Sequence[int], factors: Mapping[int, int]) -> SSAValue:
        """An array along some of its axes, in this order, backwards if factors are negative."""
        shape, kept = yarr.shape_of(array), sorted(axes)
        others = [axis for axis in range(len(shape)) if axis not in axes]
        part = array.owner
        if isinstance(part, yarr.UnsqueezeOp) and list(part.axes) == others:
            found = self.array(part.array)
        elif others:
            forward, zero = self.build.slice(), self.build.literal(0)
            indices = [forward if axis in axes else zero for axis in range(len(shape))]
            type_ = yarr.tensor(yarr.element_of(array), [shape[axis] for axis in kept])
            found = self.build.subscript(self.array(array), indices, type_)
        else:
            found = self.array(array)
        return self._ordered(found, axes, factors)

    def _ordered(
        self, array: SSAValue, axes: Sequence[int], factors: Mapping[int, int]
    ) -> SSAValue:
        """An array that has some axes of the values, in another order."""
        kept = sorted(axes)
        for place, axis in enumerate(kept):
            if factors.get(axis, 1) < 0:
                array = self._backwards(array, place)
        letters, order = ("".join(chr(ord("a") + k) for k in each) for each in (kept, axes))
        return self.reordered(array, letters, order)

    def _backwards(self, array: SSAValue, axis: int) -> SSAValue:
        type_ = yarr.tensor(yarr.element_of(array), yarr.shape_of(array))
        return self.reversed(array, axis, type_)

    def _shifted_start(self, shift: Shift) -> SSAValue:
        """The position of the first elements of arrays along axes that may be reversed."""
        numbers = [(factor, self.value(number)) for factor, number in shift.starts]
        for axis, factor in shift.indices.items():
            if factor < 0:
                size = self.value(shift.sizes[axis])
                numbers.append((factor, self.build.binary(size, "-", self.build.literal(1))))
        total = self.build.literal(0)
        for factor, number in numbers:
            if abs(factor) != 1:
                number = self.build.binary(self.build.literal(abs(factor)), "*", number)
            total = self.build.binary(total, "+" if factor > 0 else "-", number)
        return total


def factors_of(shifts: Sequence[Shift]) -> dict[int, int]:
    """The factors of all indices, by the axes of the values."""
    return {axis: factor for shift in shifts for axis, factor in shift.indices.items()}
