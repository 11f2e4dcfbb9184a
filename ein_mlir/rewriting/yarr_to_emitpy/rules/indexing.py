"""Elements at positions, and slices."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from string import ascii_letters

from xdsl.ir import Attribute, Block, Operation, SSAValue

from ein_mlir.analysis.arithmetic import LinearForm
from ein_mlir.analysis.yarr.rotations import rotation
from ein_mlir.dialects import emitpy, yarr
from ein_mlir.dialects.emitpy import OBJECT
from ein_mlir.dialects.yarr.known_sizes import size_of
from ein_mlir.rewriting.yarr_to_emitpy.builder import literal_int
from ein_mlir.rewriting.yarr_to_emitpy.lowering import PythonLowering, tensor_type
from ein_mlir.rewriting.yarr_to_emitpy.sizes import PythonInts


class IndexingRules(PythonLowering):
    """Rules for positions and slices, with bounds simplified by the facts about sizes."""

    def __init__(self, source: Block):
        super().__init__(source)
        self.rules |= {
            yarr.GatherOp: self.gather,
            yarr.TakeOp: self.take,
            yarr.SliceOp: self.slice,
            yarr.StridedOp: self.strided,
        }

    @abstractmethod
    def gather(self, op: yarr.GatherOp) -> None:
        """Elements at positions along leading axes."""

    def grid(self, op: yarr.GatherOp) -> SSAValue | None:
        """``take_grid(a, p, q)`` for ``a[p[:, None], q[None, :]]``, which is read by element."""
        order = axes_of_grid([yarr.shape_of(position) for position in op.positions])
        if order is None:
            return None
        letters = ascii_letters[: yarr.rank_of(op.array)]
        transposed = "".join(letters[axis] for axis in order) + letters[len(order) :]
        shape = list(yarr.shape_of(op.result))
        shape[: len(order)] = [shape[order.index(axis)] for axis in range(len(order))]
        type_ = yarr.tensor(yarr.element_of(op.array), shape)
        if (rotated := self._rotated(op.array, dict(enumerate(op.positions)), type_)) is not None:
            return self.reordered(rotated, letters, transposed)
        array = self.reordered(self.array(op.array), letters, transposed)
        positions = [self.array(op.positions[axis]) for axis in order]
        return self.build.helper(self.name("take_grid"), array, *positions, type=op.result.type)

    @abstractmethod
    def take(self, op: yarr.TakeOp) -> None:
        """Elements at positions along one axis."""

    def rotated_axis(self, op: yarr.TakeOp) -> SSAValue | None:
        """``rotated(a, (1, n, n, s, -t))``, copied in two parts, if positions are a rotation."""
        if yarr.rank_of(op.position) != 1:
            return None
        return self._rotated(op.array, {op.axis.value.data: op.position}, op.result.type)

    def _rotated(
        self, array: SSAValue, positions: Mapping[int, SSAValue], type: Attribute
    ) -> SSAValue | None:
        """An array rotated along axes, if all their positions are rotations."""
        found = {axis: self._rotation(axis, each) for axis, each in positions.items()}
        arguments = [rotation for rotation in found.values() if rotation is not None]
        if len(arguments) < len(found):
            return None
        while isinstance(op := array.owner, yarr.FillEmptyOp) and op.axis.value.data in found:
            array = op.array
        return self.build.helper(self.name("rotated"), self.array(array), *arguments, type=type)

    def _rotation(self, axis: int, positions: SSAValue) -> SSAValue | None:
        """The axis, the size, the modulus and the shifts of positions that are a rotation."""
        found = rotation(positions)
        if found is None:
            return None
        forward = list(map(self.value, (found.size, found.modulus, *found.added)))
        back = list(map(self.value, found.subtracted))
        if not self.may_rotate([*forward, *back]):
            return None
        return self.build.tuple([self.build.literal(axis), *forward, *map(self._negated, back)])

    def may_rotate(self, numbers: Sequence[SSAValue]) -> bool:
        """Whether the numbers of a rotation are known where the program is run."""
        return True

    def _negated(self, number: SSAValue) -> SSAValue:
        known = literal_int(number)
        if known is not None:
            return self.build.literal(-known)
        return self.build.unary("-", number, number.type)

    def clipped(self, position: SSAValue, array: SSAValue, axis: int) -> SSAValue:
        """A scalar position, clipped: ``min(max(p, 0), a.shape[1] - 1)``."""
        index = self.value(position)
        known = literal_int(index)
        if known is not None and known <= 0:
            return self.build.literal(0)
        if known is None and not self.sizes.is_nonnegative(self.sizes.integer(position)):
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
        array, length = self.array(op.array), self.length(op.array, axis)
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
            array = self.reversed(array, axis, tensor_type(op.result))
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
        """A helper: a view if all positions are in bounds, else a copy with repeated edges."""
        axis, step = (self.build.literal(n.value.data) for n in (op.axis, op.step))
        array, start, size = self.array(op.array), self.integer(op.start), self.value(op.size)
        name, type_ = self.name("clipped_slice"), op.result.type
        sliced = self.build.helper(name, array, axis, start, size, step, type=type_, view=True)
        self.bind(op.result, sliced)

    def integer(self, value: SSAValue) -> SSAValue:
        """A position or a distance of positions, as an argument of a helper."""
        return self.value(value)

    def strided(self, op: yarr.StridedOp) -> None:
        """A helper: a view if all positions are in bounds, else a copy.

        A slice of the elements that an update replaces, which are in bounds.
        """
        if (update := _update_of(op)) is not None:
            array, axis = self.array(op.array), op.axis.value.data
            part = self.build.at(array, axis, self.replaced(update), op.result.type)
            self.bind(op.result, part)
            return
        array, axis = self.array(op.array), self.build.literal(op.axis.value.data)
        start, sizes = self.integer(op.start), self.build.tuple(list(map(self.value, op.sizes)))
        steps = self.build.tuple(list(map(self.integer, op.steps)))
        name, type_ = self.name("strided"), op.result.type
        strided = self.build.helper(
            name, array, axis, start, sizes, steps, type=type_, read_only=True
        )
        self.bind(op.result, strided)

    def replaced(self, op: yarr.UpdateSliceOp) -> SSAValue:
        """``p : p + n*s : s``: the elements that an update replaces."""
        start, count, step = map(self.value, (op.start, op.count, op.step))
        extent = self.build.binary(count, "*", step)
        return self.build.slice(start, self.build.binary(start, "+", extent), step)

    def length(self, array: SSAValue, axis: int) -> LinearForm | None:
        """The size of an array, if known, also from the operands of its operation."""
        while True:
            size = yarr.shape_of(array)[axis]
            if size != yarr.DYNAMIC:
                return LinearForm.number(size)
            if (known := self.sizes.size(array, axis)) is not None:
                return known
            source = (
                size_of(array.owner, axis, self.sizes)
                if isinstance(array.owner, Operation)
                else None
            )
            match source:
                case SSAValue():
                    return self.sizes.of(source)
                case (inner, axis):
                    array = inner
                case _:
                    return None

    def python_int(self, form: LinearForm) -> SSAValue:
        """The value of a form, by arithmetic of Python."""
        return PythonInts(self.build).value(form, self.value)

    def _interval(
        self, low: LinearForm, size: SSAValue | int, length: LinearForm | None
    ) -> tuple[SSAValue | None, SSAValue | None]:
        """The bounds of a slice with step 1; Python clips the upper bound at the end of the axis.

        So ``low : low + max(length - k, 0)`` is ``low : low - k``, for every length.
        """
        if length is not None and self.sizes.is_nonnegative(low):
            stops = [low + extent for extent in self.sizes.extents(size)]
            rests = [length - stop for stop in stops]
            within = [rest for rest in rests if rest.coefficients or rest.constant > 0]
            if not within:
                return self._bounds(low, length, length)
            if len(within) == 1:
                first, _ = self._bounds(low, length, length)
                stop, rest = length - within[0], within[0].known()
                if rest is not None:
                    return first, self.build.literal(-rest)
                if self.sizes.is_nonnegative(stop) and self.sizes.is_exact(stop):
                    return first, self.python_int(stop)
        return self._bounds(low, low + self.sizes.of(size), length)

    def _bounds(
        self, low: LinearForm, stop: LinearForm, length: LinearForm | None
    ) -> tuple[SSAValue | None, SSAValue | None]:
        """The bounds of a slice upwards; None for the ends of the axis, -1 for one before it."""
        first = None if low.known() == 0 else self.python_int(low)
        if length is None:
            return first, self.python_int(stop)
        rest = (length - stop).known()
        if rest == 0:
            return first, None
        if rest is not None and rest > 0 and (low.known() or 0) >= 0 and not low.coefficients:
            return first, self.build.literal(-rest)
        return first, self.python_int(stop)


def _update_of(op: yarr.StridedOp) -> yarr.UpdateSliceOp | None:
    """The update of the elements that an operation reads."""
    for use in op.array.uses:
        each = use.operation
        if (
            isinstance(each, yarr.UpdateSliceOp)
            and each.array is op.array
            and each.axis == op.axis
            and [*op.steps] == [each.step]
            and op.start is each.start
            and [*op.sizes] == [each.count]
        ):
            return each
    return None


def axes_of_grid(shapes: Sequence[Sequence[int]]) -> list[int] | None:
    """The array of positions that varies along each axis of them, if those are different ones.

    >>> axes_of_grid([(-1, 1), (1, -1)]), axes_of_grid([(1, -1), (-1, 1)])
    ([0, 1], [1, 0])
    >>> axes_of_grid([(-1, 1), (-1, -1)]), axes_of_grid([(-1,)])
    (None, None)
    """
    count = len(shapes)
    if count < 2 or any(len(shape) != count for shape in shapes):
        return None
    own = [[d for d, size in enumerate(shape) if size != 1] for shape in shapes]
    if sorted(own) != [[d] for d in range(count)]:
        return None
    return [own.index([d]) for d in range(count)]
