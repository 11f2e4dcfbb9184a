"""Updates that take the place of comprehensions: their construction."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from xdsl.ir import BlockArgument, SSAValue

from ein_mlir.analysis.phi.free_indices import FreeIndices
from ein_mlir.analysis.phi.memory_cost import slice_of
from ein_mlir.analysis.phi.selections import Test
from ein_mlir.dialects import phi
from ein_mlir.passes.phi.raise_updates.recognition import Update
from ein_mlir.rewriting.phi.builders import (
    comprehension,
    copied,
    copied_tests,
    elements_of,
    hold,
    linear_value,
)
from ein_mlir.rewriting.phi.insertion import Builder


@dataclass
class _Place:
    """A place where operations are built, and the values of a comprehension at it."""

    build: Builder
    values: dict[SSAValue, SSAValue]


class Construction:
    """Builds an update before its comprehension."""

    def __init__(self, op: phi.ArrayOp, update: Update, *, is_first: bool):
        """``is_first`` if no other update is before it: then its old value is that of the body."""
        self.op = op
        self.update = update
        self.is_first = is_first
        self.before = _Place(Builder.before(op), {})
        self.places = dict[BlockArgument, SSAValue]()
        self._place([i for i in update.positions if not self._varies(i)], self.before)

    def _varies(self, index: BlockArgument) -> bool:
        """Whether the position of a compared index depends on another index."""
        return any(atom in self.op.indices for atom in self.update.positions[index].coefficients)

    def _place(self, indices: Sequence[BlockArgument], place: _Place) -> None:
        """Compute the positions of compared indices; the first one is -1 where conditions fail."""
        for index in indices:
            position = self.update.positions[index]
            value = linear_value(place.build, position, lambda atom: self._value(place, atom))
            place.values[index] = self.places[index] = value
            if self.update.conditions and index is next(iter(self.update.positions)):
                self.places[index] = self._under_conditions(place, value)

    def _under_conditions(self, place: _Place, position: SSAValue) -> SSAValue:
        """``p if c else -1``: an update at -1 has no effect."""
        build, taken = place.build, self._hold(self.update.conditions, place)
        return build.select(taken, position, -1)

    def _value(self, place: _Place, value: SSAValue) -> SSAValue:
        """A value of the comprehension at a place."""
        return copied(place.build, self.op.body.block, [value], place.values)[0]

    def _hold(self, tests: Sequence[Test], place: _Place) -> SSAValue:
        """Whether all tests hold at a place."""
        copies = copied_tests(place.build, self.op.body.block, tests, place.values)
        return hold(place.build, copies)

    def updated(self, array: SSAValue) -> SSAValue:
        """The array after the update."""
        return self._rows(self.before, array, list(self.op.indices))

    def _rows(self, place: _Place, array: SSAValue, indices: Sequence[BlockArgument]) -> SSAValue:
        """The array, whose axes the indices run over, after the update."""
        count = self._leading(indices)
        leading, rest = indices[:count], indices[count:]
        if leading[0] in self.update.positions:
            self._place([index for index in leading if self._varies(index)], place)
            positions = [self.places[index] for index in leading]
            new = self._new(place, array, positions, rest)
            return place.build.emit(phi.UpdateOp(array, positions, new))
        return self._comprehension(
            place, leading, lambda inner, own: self._new(inner, array, own, rest)
        )

    def _new(
        self,
        place: _Place,
        array: SSAValue,
        positions: Sequence[SSAValue],
        rest: Sequence[BlockArgument],
    ) -> SSAValue:
        """The new element of the array at some positions."""
        if any(index in self.update.positions for index in rest):
            row = place.build.get(array, positions)
            return self._rows(place, row, rest)
        if rest:
            return self._comprehension(
                place, rest, lambda inner, own: self._element(inner, array, [*positions, *own])
            )
        return self._element(place, array, positions)

    def _element(self, place: _Place, array: SSAValue, positions: Sequence[SSAValue]) -> SSAValue:
        """The new element, or the old one, as the conditions select."""
        for test in self.update.tests:
            place.values[test.condition] = place.build.truth(test.expected)
        update, block = self.update, self.op.body.block
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
        """The number of leading indices that are all compared, or all not compared."""
        is_compared = [index in self.update.positions for index in indices]
        return next(
            (k for k, value in enumerate(is_compared) if value != is_compared[0]), len(indices)
        )

    def _comprehension(
        self,
        place: _Place,
        indices: Sequence[BlockArgument],
        element: Callable[[_Place, Sequence[SSAValue]], SSAValue],
    ) -> SSAValue:
        """A comprehension over some of the indices."""

        def at(build: Builder, own: Sequence[SSAValue]) -> SSAValue:
            known = dict(zip(indices, own, strict=True))
            return element(_Place(build, {**place.values, **known}), own)

        sizes = [self.op.sizes[index.index] for index in indices]
        return comprehension(place.build, sizes, at, indices)


def comprehension_of(op: phi.ArrayOp, element: SSAValue, free: FreeIndices) -> SSAValue:
    """A comprehension of another element of the body of ``op``, before it."""
    result = elements_of(Builder.before(op, free.add), op, element)
    result.name_hint = op.result.name_hint
    return result


def of_fields(op: phi.ArrayOp, record: phi.TupleOp, free: FreeIndices) -> SSAValue:
    """``array { (x, y) }  -->  (array { x }, array { y })``"""
    fields = [comprehension_of(op, field, free) for field in record.fields]
    return Builder.before(op).tuple(fields)
