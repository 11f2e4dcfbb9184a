"""The rules for libraries whose arrays are sliced, repeated and joined as NumPy's are."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence

from xdsl.dialects.builtin import TensorType
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.utils.hints import isa

from ein_mlir.dialects import emitpy, yarr
from ein_mlir.dialects.emitpy import OBJECT
from ein_mlir.dialects.yarr.known_sizes import size_of
from ein_mlir.rewriting.yarr_to_emitpy.builder import literal_int
from ein_mlir.rewriting.yarr_to_emitpy.lowering import PythonLowering
from ein_mlir.rewriting.yarr_to_emitpy.sizes import Linear


class SlicingLowering(PythonLowering):
    """Repeats, slices, and reductions of neighbours by slices."""

    # What each library does in its own way

    @abstractmethod
    def concatenate(self, arrays: SSAValue, axis: int, type: TensorType[Attribute]) -> SSAValue:
        """The arrays of a tuple end to end."""

    def reversed(self, array: SSAValue, axis: int, type: TensorType[Attribute]) -> SSAValue:
        """``a[:, ::-1]``"""
        none, back = self.build.literal(None), self.build.literal(-1)
        return self.build.at(array, axis, self.build.slice(none, none, back), type)

    def shape(self, lengths: Sequence[SSAValue]) -> SSAValue:
        """A shape, as the library's functions take it: one length may stand for itself."""
        return lengths[0] if len(lengths) == 1 else self.build.tuple(lengths)

    # Repeats

    def repeat(self, op: yarr.RepeatOp) -> None:
        """``np.broadcast_to(a, (n, a.shape[1]))``, ``np.full((n, m), x)``: repeats along several
        axes are one call.
        """
        sizes = dict[int, SSAValue]()
        base = op.result
        while isinstance(base.owner, yarr.RepeatOp):
            sizes.setdefault(base.owner.axis.value.data, self.value(base.owner.size))
            base = base.owner.array
        value = self.value(base)
        if self.is_scalar(value):
            lengths = [
                sizes[axis] if axis in sizes else self.build.literal(1)
                for axis in range(yarr.rank_of(base))
            ]
            self.bind(op.result, self.full(self.shape(lengths), value, _type(op.result)))
            return
        lengths = [
            sizes[axis] if axis in sizes else self.size_of(value, axis)
            for axis in range(yarr.rank_of(base))
        ]
        shape = self.shape(lengths)
        self.bind(op.result, self.broadcast_to(value, shape, _type(op.result)))

    # Positions and slices

    def clipped(self, index: SSAValue, array: SSAValue, axis: int) -> SSAValue:
        """A scalar position, brought into bounds: ``min(max(p, 0), a.shape[1] - 1)``."""
        known = literal_int(index)
        if known is not None and known <= 0:
            return self.build.literal(0)
        if known is None and index not in self.counters:
            index = self.build.call("max", index, self.build.literal(0))
        return self.build.call("min", index, self.last(array, axis))

    def last(self, array: SSAValue, axis: int) -> SSAValue:
        """The last position along an axis, as a weak int."""
        size = yarr.shape_of(array)[axis]
        if size != yarr.DYNAMIC:
            return self.build.literal(size - 1)
        return self.build.binary(self.build.size(array, axis), "-", self.build.literal(1))

    def slice(self, op: yarr.SliceOp) -> None:
        """``a[start:stop:step]``; a negative step reads the elements upwards, then reverses."""
        if op.clip is not None:
            self._clipped_slice(op)
            return
        axis, stride = op.axis.value.data, abs(op.step.value.data)
        is_reversed = op.step.value.data < 0
        start, size = self.sizes.of(op.start), self.sizes.of(op.size)
        low = start - (size - 1) * stride if is_reversed else start
        array, length = self.array(op.array), self._length(op.array, axis)
        if stride == 1 and not is_reversed:
            bounds = self._interval(low, op.size, length)
        else:
            bounds = self._bounds(low, low + size * stride, length)
        whole = all(bound is None for bound in bounds) and stride == 1
        if not whole:
            part = [bound or self.build.literal(None) for bound in bounds]
            if stride != 1:
                part.append(self.build.literal(stride))
            array = self._sliced(array, axis, self.build.slice(*part), op.result.type)
        if is_reversed:
            array = self.reversed(array, axis, _type(op.result))
        self.bind(op.result, array)

    def _sliced(self, array: SSAValue, axis: int, part: SSAValue, type: Attribute) -> SSAValue:
        """``a[:, part]``; slices of one array along several axes are one subscript."""
        whole = array.owner
        if isinstance(whole, emitpy.SubscriptOp) and whole.object.type != OBJECT:
            indices = list(whole.indices)
            indices.extend(self.build.slice() for _ in range(len(indices), axis + 1))
            slices = [index.owner for index in indices if isinstance(index.owner, emitpy.SliceOp)]
            if len(slices) == len(indices) and not slices[axis].bounds:
                indices[axis] = part
                return self.build.subscript(whole.object, indices, type)
        return self.build.at(array, axis, part, type)

    def _clipped_slice(self, op: yarr.SliceOp) -> None:
        """A helper: a view where all positions are in bounds, else a copy with repeated edges."""
        axis, step = (self.build.literal(n.value.data) for n in (op.axis, op.step))
        array, start, size = self.array(op.array), self.start_of(op), self.value(op.size)
        name, type_ = f"{self.tables.prefix}.clipped_slice", op.result.type
        sliced = self.build.helper(name, array, axis, start, size, step, type=type_, view=True)
        self.bind(op.result, sliced)

    def start_of(self, op: yarr.SliceOp) -> SSAValue:
        """The first position of a slice whose positions clip."""
        return self.value(op.start)

    def _length(self, array: SSAValue, axis: int) -> Linear | None:
        """The size of an array where it is known, if need be from what the array is made of."""
        while True:
            size = yarr.shape_of(array)[axis]
            if size != yarr.DYNAMIC:
                return self.sizes.constant(size)
            if (known := self.sizes.size(array, axis)) is not None:
                return known
            source = size_of(array.owner, axis) if isinstance(array.owner, Operation) else None
            match source:
                case SSAValue():
                    return self.sizes.of(source)
                case (inner, axis):
                    array = inner
                case _:
                    return None

    def _interval(
        self, low: Linear, size: SSAValue | int, length: Linear | None
    ) -> tuple[SSAValue | None, SSAValue | None]:
        """The bounds of a slice with step 1; Python drops what is beyond the end of the axis.

        So ``low : low + max(length - k, 0)`` is ``low : low - k``, whatever the length is.
        """
        if length is not None and self.sizes.is_nonnegative(low):
            stops = [low + extent for extent in self.sizes.extents(size)]
            rests = [length - stop for stop in stops]
            within = [rest for rest in rests if rest.terms or rest.constant > 0]
            if not within:
                return self._bounds(low, length, length)
            if len(within) == 1:
                first, _ = self._bounds(low, length, length)
                stop, rest = length - within[0], within[0].known()
                if rest is not None:
                    return first, self.build.literal(-rest)
                if self.sizes.is_nonnegative(stop):
                    return first, self.sizes.emit(stop, self.build, self.value)
        return self._bounds(low, low + self.sizes.of(size), length)

    def _bounds(
        self, low: Linear, stop: Linear, length: Linear | None
    ) -> tuple[SSAValue | None, SSAValue | None]:
        """The bounds of a slice upwards; None for the ends of the axis, -1 for one before it."""
        first = None if low.known() == 0 else self.sizes.emit(low, self.build, self.value)
        if length is None:
            return first, self.sizes.emit(stop, self.build, self.value)
        rest = (length - stop).known()
        if rest == 0:
            return first, None
        if rest is not None and rest > 0 and (low.known() or 0) >= 0 and not low.terms:
            return first, self.build.literal(-rest)
        return first, self.sizes.emit(stop, self.build, self.value)

    # Joining

    def concat(self, op: yarr.ConcatOp) -> None:
        """``np.concatenate((a, b), axis=1)``"""
        arrays = self.build.tuple([self.array(array) for array in op.arrays])
        self.bind(op.result, self.concatenate(arrays, op.axis.value.data, _type(op.result)))

    # Reductions

    def tree_reduce(self, op: yarr.TreeReduceOp) -> None:
        """Neighbours are combined until one element is left, which takes log2(n) steps; the last
        of an odd number waits for the next step.
        """
        arrays = [self.array(array) for array in op.arrays]
        types = [
            yarr.tensor(yarr.element_of(a), (yarr.DYNAMIC, *yarr.shape_of(a)[1:])) for a in arrays
        ]
        last = self.build.binary(self.build.size(arrays[0], 0), "-", self.build.literal(1))
        positive = self.build.call("max", last, self.build.literal(0))
        steps = self.build.method(positive, "bit_length")
        body = Block(arg_types=[OBJECT, *types])
        with self.build.emitting_into(body):
            self._combine_pairs(op, body.args[1:])
        self.build.source = op
        loop = self.build.insert(emitpy.ForOp(steps, arrays, Region(body)))
        first_or = f"{self.tables.prefix}.first_or"
        for result, combined, identity in zip(op.res, loop.res, op.identities, strict=True):
            default = self.array(identity)
            combined.name_hint = result.name_hint
            first = self.build.helper(first_or, combined, default, type=result.type, view=True)
            self.bind(result, first)

    def _combine_pairs(self, op: yarr.TreeReduceOp, arrays: Sequence[SSAValue]) -> None:
        """One step: elements at even positions, those after them, and what is left over."""
        none, two = self.build.literal(None), self.build.literal(2)
        even = self.build.slice(none, self.build.literal(-1), two)
        odd = self.build.slice(self.build.literal(1), none, two)
        left = [self.build.subscript(array, [even], array.type) for array in arrays]
        right = [self.build.subscript(array, [odd], array.type) for array in arrays]
        block = op.body.block
        for argument, value in zip(block.args, (*left, *right), strict=True):
            self.bind(argument, value)
        self.block(block)
        terminator = block.last_op
        assert isinstance(terminator, yarr.YieldOp)
        self.build.source = op
        combined = list[SSAValue]()
        for array, value in zip(arrays, terminator.values, strict=True):
            size = self.build.size(array, 0)
            odd_one = self.build.binary(size, "%", two)
            rest = self.build.slice(self.build.binary(size, "-", odd_one), none)
            parts = (self.array(value), self.build.subscript(array, [rest], array.type))
            combined.append(self.concatenate(self.build.tuple(parts), 0, _type(array)))
        self.build.insert(emitpy.YieldOp(*combined))


def _type(value: SSAValue) -> TensorType[Attribute]:
    assert isa(value.type, TensorType)
    return value.type
