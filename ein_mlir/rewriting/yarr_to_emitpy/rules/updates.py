"""Arrays with some elements replaced."""

from __future__ import annotations

from collections.abc import Mapping
from functools import reduce

from xdsl.ir import Block, SSAValue

from ein_mlir.dialects import emitpy, yarr
from ein_mlir.rewriting.yarr_to_emitpy.lowering import PythonLowering
from ein_mlir.rewriting.yarr_to_emitpy.rules.indexing import IndexingRules


class UpdateRules(PythonLowering):
    """The rules for libraries with immutable arrays."""

    def __init__(self, source: Block):
        super().__init__(source)
        self.rules |= {
            yarr.UpdateOp: self.update,
            yarr.UpdateSliceOp: self.update_slice,
            yarr.ScatterOp: self.scatter,
        }

    def update(self, op: yarr.UpdateOp) -> None:
        """A helper, which returns a new array."""
        axes = self.build.literal(op.axes)
        positions = self.build.tuple(self.places_of(op))
        array, value = self.array(op.array), self.array(op.value)
        updated = self.build.helper(
            self.name("update"), array, axes, positions, value, type=op.result.type
        )
        self.bind(op.result, updated)

    def places_of(self, op: yarr.UpdateOp) -> list[SSAValue]:
        """The positions of an update; -1 for the first one if its condition is false."""
        positions = list(map(self.value, op.positions))
        if op.condition is not None:
            positions[0] = self.scalars.place_if(self.value(op.condition), positions[0])
        return positions

    def update_slice(self, op: yarr.UpdateSliceOp) -> None:
        """A helper, which returns a new array."""
        axis = self.build.literal(op.axis.value.data)
        slice_ = map(self.value, (op.start, op.count, op.step))
        array, value = self.array(op.array), self.array(op.value)
        updated = self.build.helper(
            self.name("update_slice"), array, axis, *slice_, value, type=op.result.type
        )
        self.bind(op.result, updated)

    def scatter(self, op: yarr.ScatterOp) -> None:
        """A helper, which returns a new array."""
        keys = self.build.tuple(list(map(self.array, op.keys)))
        array, values = self.array(op.array), self.array(op.values)
        scattered = self.build.helper(
            self.name("scattered"), array, keys, values, type=op.result.type
        )
        self.bind(op.result, scattered)

    def stored(self, part: SSAValue) -> SSAValue:
        """The value to store: the operand of a repeat, since a store broadcasts."""
        while isinstance(part.owner, yarr.RepeatOp):
            part = part.owner.array
        base = part
        while isinstance(base.owner, yarr.RepeatOp | yarr.UnsqueezeOp):
            base = base.owner.array
        value = self.value(base)
        return value if self.is_scalar(value) else self.array(part)


class StoredUpdates(IndexingRules, UpdateRules):
    """The rules for libraries whose arrays a program may overwrite: copies with stored elements."""

    def update(self, op: yarr.UpdateOp) -> None:
        """``b = a.copy()``, then ``b[:, p] = x``, if ``p`` is in bounds."""
        array = self.array(op.array)
        positions = dict(zip(op.axes, map(self.value, op.positions), strict=True))
        tests = [] if op.condition is None else [self.value(op.condition)]
        tests += [] if op.in_bounds else self._in_bounds(positions, array)
        condition = reduce(lambda a, b: self.build.binary(a, "and", b), tests) if tests else None
        slices, value = self.changed_part(op)
        known = {**positions, **slices}
        indices = [
            known[axis] if axis in known else self.build.slice() for axis in range(max(known) + 1)
        ]
        store = emitpy.StoreOp(self.copy(array), indices, value, condition)
        self.bind(op.result, self.build.insert(store).result)

    def changed_part(self, op: yarr.UpdateOp) -> tuple[Mapping[int, SSAValue], SSAValue]:
        """The value that an update stores, and the slices of other axes that it replaces."""
        return {}, self.stored(op.value)

    def new_part(self, part: SSAValue) -> SSAValue:
        """The value that an update of a slice stores."""
        return self.stored(part)

    def update_slice(self, op: yarr.UpdateSliceOp) -> None:
        """``b = a.copy()``, then ``b[:, p : p + n*s : s] = x``"""
        replaced = self.replaced(op)
        indices = [*(self.build.slice() for _ in range(op.axis.value.data)), replaced]
        store = emitpy.StoreOp(self.copy(self.array(op.array)), indices, self.new_part(op.value))
        self.bind(op.result, self.build.insert(store).result)

    def _in_bounds(self, positions: dict[int, SSAValue], array: SSAValue) -> list[SSAValue]:
        """``0 <= p`` and ``p < a.shape[1]``, for the position along each of some axes."""
        zero = self.build.literal(0)
        checks = [
            self.build.binary(zero, "<=", position)
            for position in dict.fromkeys(positions.values())
            if position not in self.counters
        ]
        return checks + [
            self.build.binary(position, "<", self.size_of(array, axis))
            for axis, position in positions.items()
        ]
