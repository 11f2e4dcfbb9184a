"""Joined arrays whose size is known before their parts: each part is written to its place.

A concatenation that says its size is an array that is made first. Its parts, and the parts of parts
that are concatenated along other axes, are stored to slices of it as soon as they are computed, so
that nothing is copied once more::

    out = np.empty((n, m))
    out[:1] = a[:1]
    out[1:-1, :1] = a[1:-1, :1]
    ...
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from xdsl.dialects.builtin import TensorType
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.utils.hints import isa

from ein_mlir.dialects import emitpy, yarr
from ein_mlir.passes.canonicalization_patterns.yarr_sizes import Size, size_of
from ein_mlir.passes.convert_yarr_to_python.sizes import Linear
from ein_mlir.passes.convert_yarr_to_python.slicing import SlicingLowering

Path: TypeAlias = tuple[tuple[yarr.ConcatOp, int], ...]
"""The concatenations that lead to a part, outermost first, each with the number of its operand."""


@dataclass(eq=False)
class _Join:
    """An array that is put together in place."""

    concat: yarr.ConcatOp
    array: SSAValue | None = None
    """The array with the parts that are written, once it is made."""
    pending: dict[Path, SSAValue] = field(default_factory=dict[Path, SSAValue])
    """The parts that are not written."""


class JoiningLowering(SlicingLowering):
    """The rule for libraries whose arrays can be written to."""

    def __init__(self, source: Block):
        super().__init__(source)
        self._joins: dict[yarr.ConcatOp, _Join] = {}
        self._places: dict[SSAValue, list[tuple[_Join, Path]]] = {}

    @abstractmethod
    def empty(self, shape: SSAValue, type: TensorType[Attribute]) -> SSAValue:
        """A fresh array whose elements are still to be written."""

    def block(self, block: Block) -> None:
        """Plan the joined arrays of a block, then translate it."""
        for op in reversed(list(block.ops)):
            if isinstance(op, yarr.ConcatOp) and op not in self._joins and _has_sizes(op):
                self._plan(op)
        super().block(block)

    def _plan(self, concat: yarr.ConcatOp) -> None:
        join = self._joins[concat] = _Join(concat)
        for path, part in _parts(concat, ()):
            join.pending[path] = part
            self._places.setdefault(part, []).append((join, path))
            for inner, _ in path[1:]:
                self._joins[inner] = join

    def operation(self, op: Operation) -> None:
        """Translate an operation, and write what is part of a joined array to its place."""
        super().operation(op)
        for result in op.results:
            for join, path in self._places.get(result, ()):
                if path in join.pending and self._can_place(path) and self._is_made(join):
                    self._write(join, path)

    def concat(self, op: yarr.ConcatOp) -> None:
        """The array that the parts were written to; those that were there before it come last."""
        join = self._joins.get(op)
        if join is None:
            super().concat(op)
        elif join.concat is op:
            is_made = self._is_made(join)
            assert is_made
            assert join.array is not None
            for path in list(join.pending):
                self._write(join, path)
            self.bind(op.result, join.array)

    def _can_place(self, path: Path) -> bool:
        """Whether all sizes are translated that say where a part is."""
        return all(
            size in self._values
            for concat, number in path
            for size in (concat.size, *_sizes(concat)[: number + 1])
        )

    def _is_made(self, join: _Join) -> bool:
        """Make the array of a join, if it is not there and its sizes are known."""
        if join.array is None:
            concat, type_ = join.concat, join.concat.result.type
            assert isa(type_, TensorType)
            sizes = [self._size(concat, axis) for axis in range(yarr.rank_of(concat.result))]
            lengths = [size for size in sizes if size is not None]
            if len(lengths) < len(sizes):
                return False
            join.array = self.empty(self.shape(lengths), type_)
            join.array.name_hint = concat.result.name_hint or "out"
        return True

    def _size(self, concat: yarr.ConcatOp, axis: int) -> SSAValue | None:
        """The size of a joined array, as far as it is known before its parts."""
        if axis == concat.axis.value.data:
            assert concat.size is not None
            return self._values.get(concat.size)
        size = _size(concat.result, axis)
        if isinstance(size, int):
            return self.build.literal(size)
        if isinstance(size, SSAValue):
            return self._values.get(size)
        array, axis = size
        return self.size_of(self.value(array), axis) if array in self._values else None

    def _write(self, join: _Join, path: Path) -> None:
        """``out[1:-1, :1] = part``"""
        part, indices = join.pending.pop(path), self._indices(path)
        assert join.array is not None
        store = emitpy.StoreOp(join.array, indices, self._stored(part))
        store.result.name_hint = join.array.name_hint
        join.array = self.build.insert(store).result

    def claim_place(self, part: SSAValue) -> SSAValue | None:
        """``out[1:-1, :1]``, where the only place of a part is known, for the part to be computed
        there: it counts as written.
        """
        places = self._places.get(part, ())
        if len(places) != 1:
            return None
        ((join, path),) = places
        if path not in join.pending or not self._can_place(path) or not self._is_made(join):
            return None
        del join.pending[path]
        assert join.array is not None
        return self.build.subscript(join.array, self._indices(path), part.type)

    def _indices(self, path: Path) -> list[SSAValue]:
        """The slices of a joined array that a part is."""
        indices = list[SSAValue]()
        for concat, number in path:
            axis = concat.axis.value.data
            indices.extend(self.build.slice() for _ in range(len(indices), axis + 1))
            indices[axis] = self._place(concat, number)
        return indices

    def _stored(self, part: SSAValue) -> SSAValue:
        """What is stored as a part: a scalar that is repeated, as it is."""
        base = part
        while isinstance(base.owner, yarr.RepeatOp | yarr.UnsqueezeOp):
            base = base.owner.array
        value = self.value(base)
        return value if self.is_scalar(value) else self.array(part)

    # Places

    def _place(self, concat: yarr.ConcatOp, number: int) -> SSAValue:
        """The slice that an operand of a concatenation is."""
        assert concat.size is not None
        length = self.sizes.of(concat.size)
        sizes = _sizes(concat)
        is_last = number == len(sizes) - 1
        start = self._known_start(sizes, number, length)
        if start is None:
            offset = sum((self.sizes.of(size) for size in sizes[:number]), self.sizes.constant(0))
            stop = offset + self.sizes.of(sizes[number])
            bounds = self._bounds(offset, length if is_last else stop, length)
        elif is_last:
            bounds = self._bounds(start, length, length)
        else:
            bounds = self._interval(start, sizes[number], length)
        return self.build.slice(*(bound or self.build.literal(None) for bound in bounds))

    def _known_start(self, sizes: Sequence[SSAValue], number: int, length: Linear) -> Linear | None:
        """Where a part begins if it is not empty, as a form that is at least 0."""
        extents = self.sizes.extents(sizes[number])
        if number == 0:
            return self.sizes.constant(0)
        if len(extents) != 1:
            return None
        if number == len(sizes) - 1:
            start = length - extents[0]
            return start if self.sizes.is_nonnegative(start) else None
        start = self.sizes.constant(0)
        for size in sizes[:number]:
            known = self._size_beside(size, extents[0])
            if known is None:
                return None
            start += known
        return start if self.sizes.is_nonnegative(start) else None

    def _size_beside(self, size: SSAValue, extent: Linear) -> Linear | None:
        """A size, given that ``extent``, the size of another part, is at least 1."""

        def is_at_least(larger: Linear, smaller: Linear) -> bool:
            difference = larger - smaller
            known, beside = difference.known(), (difference - extent).known()
            return (known is not None and known >= 0) or (beside is not None and beside >= -1)

        candidates = [*self.sizes.extents(size)]
        zero = self.sizes.constant(0)
        for candidate in candidates:
            if is_at_least(candidate, zero) and all(
                is_at_least(other, candidate) for other in candidates
            ):
                return candidate
        return None


def _size(array: SSAValue, axis: int) -> Size:
    """The size of an array as what it is made of says it: a number, an Int, or that of an array."""
    size: Size = (array, axis)
    while isinstance(size, tuple):
        array, axis = size
        known = yarr.shape_of(array)[axis]
        if known != yarr.DYNAMIC:
            return known
        source = size_of(array.owner, axis) if isinstance(array.owner, Operation) else None
        if source is None:
            return size
        size = source
    return size


def _sizes(concat: yarr.ConcatOp) -> list[SSAValue]:
    """The Ints that are the sizes of the operands of a concatenation, where they are known."""
    sizes = (_size(array, concat.axis.value.data) for array in concat.arrays)
    return [size for size in sizes if isinstance(size, SSAValue)]


def _has_sizes(concat: yarr.ConcatOp) -> bool:
    return concat.size is not None and len(_sizes(concat)) == len(concat.arrays)


def _parts(concat: yarr.ConcatOp, path: Path) -> Iterator[tuple[Path, SSAValue]]:
    """The parts of a joined array, and of its parts that are joined along other axes."""
    axes = {outer.axis for outer, _ in path} | {concat.axis}
    for number, array in enumerate(concat.arrays):
        inner, place = array.owner, (*path, (concat, number))
        if (
            isinstance(inner, yarr.ConcatOp)
            and _has_sizes(inner)
            and inner.axis not in axes
            and array.has_one_use()
            and inner.parent is concat.parent
        ):
            yield from _parts(inner, place)
        else:
            yield place, array
