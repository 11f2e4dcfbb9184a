"""Updates that take the place of comprehensions: their construction."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from xdsl.dialects.builtin import IntegerAttr
from xdsl.ir import BlockArgument, SSAValue

from ein_mlir.analysis.arithmetic import SUMS_OF_SIZES, LinearForm
from ein_mlir.analysis.phi.free_indices import FreeIndices
from ein_mlir.analysis.phi.index_forms import IndexForms
from ein_mlir.analysis.phi.index_ranges import Comparison
from ein_mlir.analysis.phi.memory_cost import slice_of
from ein_mlir.analysis.phi.selections import Test
from ein_mlir.analysis.phi.variables import is_carried
from ein_mlir.analysis.scopes import operands_within
from ein_mlir.dialects import phi
from ein_mlir.host.dataclass import dataclass
from ein_mlir.passes.phi.raise_updates.recognition import Slice, Update
from ein_mlir.rewriting.phi.insertion import Builder


@dataclass
class _Place:
    """A place where operations are built, and the values of a comprehension at it."""

    build: Builder
    values: dict[SSAValue, SSAValue]


@dataclass(frozen=True)
class _Extent:
    """The start, the step and the number of positions of a slice."""

    start: SSAValue
    step: SSAValue
    count: SSAValue


def updated(
    op: phi.ArrayOp, update: Update, array: SSAValue, forms: IndexForms, *, is_first: bool
) -> SSAValue:
    """The array after an update, before its comprehension.

    ``fold (k < (t ? 1 : 0), v = a) { v[p] := x }``, where a condition t decides whether a slice of
    an accumulator, or all of it, is written: other steps do nothing.
    """
    place = _Place(Builder.before(op), {})
    has_slices = any(isinstance(each, Slice) for each in update.places.values())
    is_step = (has_slices and is_carried(array)) or not update.places
    if not update.conditions or not is_step:
        return _Construction(op, update, place, forms, is_first=is_first).updated(array)
    build, rest = place.build, replace(update, conditions=[])
    taken = build.hold(build.copied_tests(op.body.block, update.conditions, {}))

    def step(inner: Builder, _: SSAValue, carried: SSAValue) -> SSAValue:
        carried.name_hint = array.name_hint
        here = _Place(inner, {array: carried})
        return _Construction(op, rest, here, forms, is_first=is_first).updated(carried)

    return build.fold_over(build.steps_if(Test(taken, True)), array, step)


class _Construction:
    """Builds an update before its comprehension."""

    def __init__(
        self, op: phi.ArrayOp, update: Update, before: _Place, forms: IndexForms, *, is_first: bool
    ):
        """``is_first`` if no other update is before it: then its old value is that of the body."""
        self.op = op
        self.update = update
        self.is_first = is_first
        self.before = before
        self._forms = forms
        self._positions = dict[BlockArgument, SSAValue]()
        self._extents = dict[BlockArgument, _Extent]()
        self._is_conditional = False
        self._place([i for i in update.places if not self._varies(i)], self.before)

    def _varies(self, index: BlockArgument) -> bool:
        """Whether the position of a compared index depends on another index."""
        place = self.update.places[index]
        return isinstance(place, LinearForm) and any(
            atom in self.op.indices for atom in place.coefficients
        )

    def _place(self, indices: Sequence[BlockArgument], place: _Place) -> None:
        """Compute the places of compared indices: nothing is written where conditions fail."""
        taken = None
        if any(isinstance(self.update.places[index], Slice) for index in indices):
            taken = self._hold(self.update.conditions, place) if self.update.conditions else None
        for index in indices:
            position = self.update.places[index]
            if isinstance(position, Slice):
                self._extents[index] = self._extent(place.build, index, position, taken)
                continue
            value = place.build.linear_value(position, lambda atom: self._value(place, atom))
            place.values[index] = self._positions[index] = value
        if indices and taken is None:
            self._apply_conditions(indices[0], place)

    def _apply_conditions(self, index: BlockArgument, place: _Place) -> None:
        """``p if c else -1`` for the position of an index: an update at -1 has no effect.

        It is that of the first index at whose place all positions that c varies with are known.
        """
        conditions = [test.condition for test in self.update.conditions]
        needed = slice_of(self.op.body.block, conditions)
        read = self.update.places.keys() & {x for op in needed for x in operands_within(op)}
        if conditions and not self._is_conditional and read <= self._positions.keys():
            taken = self._hold(self.update.conditions, place)
            self._positions[index] = place.build.select(taken, self._positions[index], -1)
            self._is_conditional = True

    def _value(self, place: _Place, value: SSAValue) -> SSAValue:
        """A value of the comprehension at a place."""
        return place.build.copied(self.op.body.block, [value], place.values)[0]

    def _hold(self, tests: Sequence[Test], place: _Place) -> SSAValue:
        """Whether all tests hold at a place."""
        copies = place.build.copied_tests(self.op.body.block, tests, place.values)
        return place.build.hold(copies)

    # Slices

    def _extent(
        self, build: Builder, index: BlockArgument, found: Slice, taken: SSAValue | None
    ) -> _Extent:
        """The positions of a slice, which are in bounds::

            low, high = max(0, lowers), max(min(n, uppers), low)
            start = low + (residue - offset - low) mod step
            count = (max(high - start, 0) - 1) // step + 1

        With all bounds clipped to the axis, only ``start`` may wrap, for a large step: ``count`` is
        computed from the distances, and is 0 then. The step is then at most the size of the axis.
        """
        size, zero = self.op.sizes[index.index], build.integer(0)
        if found.window is not None:
            return self._window(build, found, found.window, size)
        low, high = zero, size
        for lower in found.lowers:
            low = self._larger(build, low, _threshold(build, lower, size))
        low = self._smaller(build, low, size) if found.lowers else low
        for upper in found.uppers:
            high = self._smaller(build, high, _threshold(build, upper, size))
        high = self._larger(build, high, low) if found.uppers else high
        left = build.sub(high, low) if found.lowers else high
        if (phase := found.phase) is None:
            start, step, count = low, build.integer(1), build.max(left, zero)
        else:
            first = self._forms.integer(phase.residue) - phase.offset - LinearForm.of(low)
            skipped, step = build.floormod(build.linear_value(first), phase.step), phase.step
            start = build.add(low, skipped)
            last = build.sub(build.max(build.sub(left, skipped), zero), one := build.integer(1))
            count = build.add(build.floordiv(last, step), one)
        if taken is not None:
            count = build.select(taken, count, 0)
        if self._forms.range(step) not in SUMS_OF_SIZES:
            step = build.min(step, build.max(size, 1))
        return _Extent(start, step, count)

    def _window(self, build: Builder, found: Slice, length: LinearForm, size: SSAValue) -> _Extent:
        """``min(length, n)`` positions inside of the axis, from a bound on if they fit."""
        count = self._smaller(build, build.linear_value(length), size)
        count = self._larger(build, count, build.integer(0))
        start = build.min(_threshold(build, found.lowers[0], size), build.sub(size, count))
        return _Extent(build.max(start, 0), build.integer(1), count)

    def _smaller(self, build: Builder, value: SSAValue, other: SSAValue) -> SSAValue:
        """The minimum of two positions, which are compared unless it is known."""
        return self._known_order(value, other) or build.min(value, other)

    def _larger(self, build: Builder, value: SSAValue, other: SSAValue) -> SSAValue:
        """The maximum, likewise."""
        least = self._known_order(value, other)
        if least is None:
            return build.max(value, other)
        return other if least is value else value

    def _known_order(self, value: SSAValue, other: SSAValue) -> SSAValue | None:
        """The smaller one of two positions, if that is proved."""
        one, two = map(self._forms.integer, (value, other))
        if self._forms.is_at_most(one, two):
            return value
        return other if self._forms.is_at_most(two, one) else None

    # Arrays

    def updated(self, array: SSAValue) -> SSAValue:
        """The array after the update."""
        return self._rows(self.before, array, list(self.op.indices))

    def _rows(self, place: _Place, array: SSAValue, indices: Sequence[BlockArgument]) -> SSAValue:
        """The array, whose axes the indices run over, after the update."""
        count = self._leading(indices)
        leading, rest = indices[:count], indices[count:]
        found = self.update.places.get(leading[0])
        if isinstance(found, LinearForm):
            self._place([index for index in leading if self._varies(index)], place)
            positions = [self._positions[index] for index in leading]
            new = self._new(place, array, positions, rest)
            return place.build.update(array, positions, new)
        if found is None:
            return self._comprehension(
                place, leading, lambda inner, own: self._new(inner, array, own, rest)
            )
        extent = self._extents[leading[0]]

        def row(inner: _Place, own: Sequence[SSAValue]) -> SSAValue:
            build = inner.build
            at = build.add(extent.start, build.mul(extent.step, build.as_int(own[0])))
            at.name_hint = leading[0].name_hint
            inner.values[leading[0]] = at
            return self._new(inner, array, [at], rest)

        rows = self._comprehension(place, leading, row, [extent.count])
        return place.build.emit(phi.UpdateSliceOp(array, extent.start, extent.step, rows))

    def _new(
        self,
        place: _Place,
        array: SSAValue,
        positions: Sequence[SSAValue],
        rest: Sequence[BlockArgument],
    ) -> SSAValue:
        """The new element of the array at some positions."""
        if any(index in self.update.places for index in rest):
            row = place.build.get(array, positions)
            return self._rows(place, row, rest)
        if rest:
            return self._comprehension(
                place, rest, lambda inner, own: self._element(inner, array, [*positions, *own])
            )
        return self._element(place, array, positions)

    def _element(self, place: _Place, array: SSAValue, positions: Sequence[SSAValue]) -> SSAValue:
        """The new element, or the old one, as the conditions select."""
        update, block = self.update, self.op.body.block
        for test in update.tests:
            place.values[test.condition] = place.build.truth(test.expected)
        if isinstance(update.value, IntegerAttr):
            value = place.build.constant(update.value)
        else:
            needed = {x for op in slice_of(block, [update.value]) for x in op.operands}
            if update.old in needed and not self.is_first:
                at = [place.values[index] for index in self.op.indices[-len(positions) :]]
                place.values[update.old] = self._read(place, array, at)
            value = self._value(place, update.value)
        if not update.choices:
            return value
        taken = self._hold(update.choices, place)
        old = place.values.get(update.old)
        if old is None:
            old = self._read(place, array, positions)
        return place.build.select(taken, value, old)

    def _read(self, place: _Place, array: SSAValue, positions: Sequence[SSAValue]) -> SSAValue:
        """An element of an array: of a row, that of the array of rows."""
        if isinstance(row := array.owner, phi.GetOp):
            array, positions = row.array, [*row.positions, *positions]
        return place.build.get(array, positions)

    def _leading(self, indices: Sequence[BlockArgument]) -> int:
        """The number of leading indices with positions, or without places; one with a slice."""
        kinds = [type(self.update.places.get(index)) for index in indices]
        if kinds[0] is Slice:
            return 1
        return next((k for k, kind in enumerate(kinds) if kind is not kinds[0]), len(kinds))

    def _comprehension(
        self,
        place: _Place,
        indices: Sequence[BlockArgument],
        element: Callable[[_Place, Sequence[SSAValue]], SSAValue],
        sizes: Sequence[SSAValue] | None = None,
    ) -> SSAValue:
        """A comprehension over some of the indices, or over the positions of slices of them."""

        def at(build: Builder, own: Sequence[SSAValue]) -> SSAValue:
            known = dict(zip(indices, own, strict=True))
            return element(_Place(build, {**place.values, **known}), own)

        if sizes is None:
            sizes = [self.op.sizes[index.index] for index in indices]
        return place.build.comprehension(sizes, at, indices)


def _threshold(build: Builder, bound: Comparison, size: SSAValue) -> SSAValue:
    """The first index behind those that a bound separates; it may be the end of the axis."""
    value = build.linear_value(bound.threshold)
    return build.add(build.min(value, size), 1) if bound.predicate in ("<=", ">") else value


def comprehension_of(op: phi.ArrayOp, element: SSAValue, free: FreeIndices) -> SSAValue:
    """A comprehension of another element of the body of ``op``, before it."""
    result = Builder.before(op, free.add).elements_of(op, element)
    result.name_hint = op.result.name_hint
    return result


def rows_of(op: phi.ArrayOp, row: SSAValue, free: FreeIndices) -> SSAValue:
    """``array (i, j) { row[j] }  -->  array (i) { row }``"""
    leading = len(op.indices) - phi.rank_of(row.type)

    def element(inner: Builder, own: Sequence[SSAValue]) -> SSAValue:
        known = dict[SSAValue, SSAValue](zip(op.indices, own, strict=False))
        return inner.copied(op.body.block, [row], known)[0]

    build = Builder.before(op, free.add)
    return build.comprehension(op.sizes[:leading], element, op.indices[:leading])


def of_fields(op: phi.ArrayOp, element: SSAValue, free: FreeIndices) -> SSAValue:
    """``array { (x, (y, z)) }  -->  (array { x }, (array { y }, array { z }))``"""
    if isinstance(record := element.owner, phi.TupleOp):
        fields = [of_fields(op, field, free) for field in record.fields]
        return Builder.before(op).tuple(fields)
    return comprehension_of(op, element, free)
