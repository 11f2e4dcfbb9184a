"""Joined arrays whose size is known before their parts: each part is written to its place.

A concatenation that states its size is allocated first. Its parts, and the parts of parts that are
concatenated along other axes, are stored to slices of it as soon as they are computed, which saves
a copy::

    out = np.empty((n, m))
    out[:1] = a[:1]
    out[1:-1, :1] = a[1:-1, :1]
    ...

If more than two parts are zeros, ``out`` is ``np.zeros((n, m))``, and these are not stored.

A step of a loop may keep parts of an accumulator in place and replace the others. The operations of
these are last, and read the accumulator only at the elements that they write::

    t = a[k + 1 :, k, None] * a[k, k + 1 :]
    out = a.copy()
    out[k + 1 :, k + 1 :] = out[k + 1 :, k + 1 :] - t

``reuse-buffers`` removes the copy of an accumulator that the loop owns.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Collection, Sequence
from dataclasses import field

from xdsl.dialects.builtin import TensorType
from xdsl.ir import Attribute, Block, Operation, SSAValue

from ein_mlir.analysis.arithmetic import LinearForm
from ein_mlir.analysis.emitpy.shared_memory import Memory
from ein_mlir.analysis.hints import isa
from ein_mlir.analysis.scopes import around, operands_within
from ein_mlir.dialects import emitpy, yarr
from ein_mlir.dialects.yarr.constants import is_of_zero_bits
from ein_mlir.host.dataclass import dataclass
from ein_mlir.rewriting.yarr_to_emitpy.parts import (
    Path,
    has_sizes,
    inputs,
    is_smaller,
    maker_of,
    parts_of,
    replaced_accumulator,
    replacing_operations,
    sizes_of,
)
from ein_mlir.rewriting.yarr_to_emitpy.places import PlaceRules


@dataclass(eq=False)
class _Join:
    """An array whose parts are computed in place."""

    concat: yarr.ConcatOp
    array: SSAValue | None = None
    """The array with the parts written so far, once it is allocated."""
    pending: dict[Path, SSAValue] = field(default_factory=dict[Path, SSAValue])
    """The parts not yet written."""
    replaced: SSAValue | None = None
    """The accumulator that the array may start from, until that is decided."""


@dataclass(frozen=True)
class _Replacement:
    """A part that replaces elements of an accumulator."""

    join: _Join
    path: Path
    maker: Operation | None = None
    """The operation that computes the part in its place; None if it is computed before."""
    read: frozenset[SSAValue] = frozenset()
    """The operands of the maker that are slices of the accumulator in that place."""
    copied: Sequence[SSAValue] = ()
    """The operands of the maker that share memory with the accumulator elsewhere."""


def _zeros_of(join: _Join) -> list[Path]:
    """The parts that are zeros, if there are more than the ends of a vector.

    Then the array starts as zeros. A loop reuses the memory of its arrays instead.
    """
    zeros = [path for path, part in join.pending.items() if is_of_zero_bits(part)]
    is_in_loop = any(isinstance(op, yarr.FoldOp | yarr.WhileOp) for op in around(join.concat))
    return zeros if len(zeros) > 2 and not is_in_loop else []


class JoiningLowering(PlaceRules):
    """The rule for libraries with mutable arrays."""

    def __init__(self, source: Block):
        super().__init__(source)
        self._joins: dict[yarr.ConcatOp, _Join] = {}
        self._places: dict[SSAValue, list[tuple[_Join, Path]]] = {}
        self._replacements: dict[Operation, _Replacement] = {}
        self._memory = Memory()

    @abstractmethod
    def empty(
        self, shape: SSAValue, type: TensorType[Attribute], *, zeros: bool = False
    ) -> SSAValue:
        """A fresh array with uninitialised elements, or zeros."""

    def block(self, block: Block) -> None:
        """Plan the joined arrays of a block, then translate it."""
        for op in reversed(list(block.ops)):
            if (
                not isinstance(op, yarr.ConcatOp)
                or op in self._joins
                or not has_sizes(op, self.sizes)
            ):
                continue
            if not self.is_stored_in_parts(op):
                self._plan(op)
        super().block(block)

    def is_stored_in_parts(self, concat: yarr.ConcatOp) -> bool:
        """Whether the user of a joined array stores its parts, and needs no array of them."""
        return False

    def _plan(self, concat: yarr.ConcatOp) -> None:
        join = self._joins[concat] = _Join(
            concat, replaced=replaced_accumulator(concat, self.sizes)
        )
        for path, part in parts_of(concat, self.sizes):
            join.pending[path] = part
            self._places.setdefault(part, []).append((join, path))
            for inner, _ in path[1:]:
                self._joins[inner] = join

    def operation(self, op: Operation) -> None:
        """Translate an operation, and write parts of joined arrays to their places."""
        places = [place for result in op.results for place in self._places.get(result, ())]
        for join, path in places:
            if join.replaced is not None and maker_of(join.pending[path]) is op:
                self._decide(join, op)
        replacement = self._replacements.get(op)
        if replacement is None or isinstance(op, yarr.TileOp):
            super().operation(op)
        else:
            self._replace(op, replacement)
        for join, path in places:
            if (
                join.replaced is None
                and self._can_place(path)
                and self._is_made(join)
                and path in join.pending
            ):
                self._write(join, path)

    def concat(self, op: yarr.ConcatOp) -> None:
        """Bind the array of the parts; the parts computed before the array are written last."""
        join = self._joins.get(op)
        if join is None:
            super().concat(op)
        elif join.concat is op:
            self._decide(join, op)
            is_made = self._is_made(join)
            assert is_made
            assert join.array is not None
            for path in list(join.pending):
                self._write(join, path)
            self.bind(op.result, join.array)

    def is_joined(self, op: Operation) -> bool:
        """Whether the parts of a concatenation are written to their places."""
        return op in self._joins

    def _can_place(self, path: Path) -> bool:
        """Whether all sizes that determine the place of a part are translated."""
        return all(
            isinstance(size, int) or size in self.values
            for concat, number in path
            for size in (concat.size, *sizes_of(concat, self.sizes)[: number + 1])
        )

    def _is_made(self, join: _Join) -> bool:
        """Allocate the array of a join once its sizes are known; whether it is allocated."""
        if join.array is None:
            concat, type_ = join.concat, join.concat.result.type
            assert isa(type_, TensorType)
            sizes = [self.size_of_join(concat, axis) for axis in range(yarr.rank_of(concat.result))]
            lengths = [size for size in sizes if size is not None]
            if len(lengths) < len(sizes):
                return False
            zeros = _zeros_of(join)
            join.array = self.empty(self.shape(lengths), type_, zeros=bool(zeros))
            for path in zeros:
                del join.pending[path]
            join.array.name_hint = concat.result.name_hint or "out"
        return True

    def _write(self, join: _Join, path: Path) -> None:
        """``out[1:-1, :1] = part``"""
        part, indices = join.pending.pop(path), self._indices(path)
        assert join.array is not None
        store = emitpy.StoreOp(join.array, indices, self.stored(part))
        store.result.name_hint = join.array.name_hint
        join.array = self.build.insert(store).result

    def claim_place(self, part: SSAValue) -> SSAValue | None:
        """``out[1:-1, :1]``, if the only place of a part is known; the part counts as written."""
        places = self._places.get(part, ())
        if len(places) != 1:
            return None
        ((join, path),) = places
        if not self._can_place(path) or not self._is_made(join) or path not in join.pending:
            return None
        del join.pending[path]
        return self._place_of(join, path, part.type)

    def _indices(self, path: Path) -> list[SSAValue]:
        """The slices of a joined array that are the place of a part."""
        indices = list[SSAValue]()
        for concat, number in path:
            axis = concat.axis.value.data
            indices.extend(self.build.slice() for _ in range(len(indices), axis + 1))
            indices[axis] = self.place_in(concat, number)
        return indices

    # Replaced parts

    def fold(self, op: yarr.FoldOp) -> None:
        self.record_sizes(op)
        super().fold(op)

    def while_(self, op: yarr.WhileOp) -> None:
        self.record_sizes(op)
        super().while_(op)

    def _decide(self, join: _Join, op: Operation) -> None:
        """Start a join from the accumulator that it may have parts of, if that saves copies.

        The operations of its other parts, if they can read the accumulator only in the place of the
        part, are not translated yet. The first of these is ``op``.
        """
        accumulator, join.replaced = join.replaced, None
        if (
            accumulator is None
            or not self.fits(join.pending, accumulator)
            or self._is_read_from(op, join, accumulator)
        ):
            return
        new = {p: v for p, v in join.pending.items() if not self.is_there(v, p, accumulator)}
        replacements = [self._replacement(join, p, v, accumulator) for p, v in new.items()]
        if len(new) == len(join.pending) or None in replacements:
            return
        for replacement in replacements:
            if replacement is not None and replacement.maker is not None:
                self._replacements[replacement.maker] = replacement
                for value in replacement.copied:
                    self.values[value] = self.copy(self.value(value))
        join.pending = new
        join.array = self.copy(self.value(accumulator))
        join.array.name_hint = join.concat.result.name_hint or accumulator.name_hint

    def _is_read_from(self, op: Operation, join: _Join, accumulator: SSAValue) -> bool:
        """Whether an operation, or a later one, outside of a join reads an accumulator."""
        own = set(replacing_operations(join.concat, self.sizes))
        following: Operation | None = op
        while following is not None:
            if following not in own and any(
                value in self.values and self._shares(value, accumulator)
                for value in operands_within(following)
            ):
                return True
            following = following.next_op
        return False

    def _replacement(
        self, join: _Join, path: Path, part: SSAValue, accumulator: SSAValue
    ) -> _Replacement | None:
        """The replacement of a part of an accumulator; None if it would need a copy.

        That is the case if its operation reads as much of the accumulator as it writes, elsewhere.
        """
        maker = None if part in self.values else maker_of(part)
        if maker is None:
            return None if self._shares(part, accumulator) else _Replacement(join, path)
        beside, others = inputs(maker)
        read = {v for v in beside if v.type == part.type and self.is_there(v, path, accumulator)}
        shared = {v for v in (*beside, *others) if self._shares(v, accumulator)}
        if not read.isdisjoint(others) or any(not is_smaller(v, part) for v in shared - read):
            return None
        copied = [v for v in dict.fromkeys((*beside, *others)) if v in shared - read]
        return _Replacement(join, path, maker, frozenset(read), copied)

    def _shares(self, value: SSAValue, accumulator: SSAValue) -> bool:
        """Whether a value may alias an accumulator."""
        return self.value(accumulator) in self._memory.roots(self.value(value))

    def _replace(self, op: Operation, replacement: _Replacement) -> None:
        """Translate an elementwise operation that reads the place that it writes to."""
        before = {value: self.values[value] for value in replacement.read}
        for value in replacement.read:
            self.values[value] = self._place_of(replacement.join, replacement.path, value.type)
        super().operation(op)
        self.values.update(before)

    def replaced_by(self, op: Operation) -> Collection[SSAValue]:
        """The operands of an operation that its result replaces, in the same place."""
        replacement = self._replacements.get(op)
        return () if replacement is None else replacement.read

    def _place_of(self, join: _Join, path: Path, type: Attribute) -> SSAValue:
        """``out[1:-1, :1]``"""
        assert join.array is not None
        return self.build.subscript(join.array, self._indices(path), type)

    # Places

    def place_in(self, concat: yarr.ConcatOp, number: int) -> SSAValue:
        """The slice of a joined array that is the place of an operand."""
        assert concat.size is not None
        length = self.sizes.of(concat.size)
        sizes = sizes_of(concat, self.sizes)
        is_last = number == len(sizes) - 1
        start = self.known_start(sizes, number, length)
        if start is None:
            offset = sum((self.sizes.of(size) for size in sizes[:number]), LinearForm())
            stop = offset + self.sizes.of(sizes[number])
            bounds = self._bounds(offset, length if is_last else stop, length)
        elif is_last:
            bounds = self._bounds(start, length, length)
        else:
            bounds = self._interval(start, sizes[number], length)
        return self.build.slice(*(bound or self.build.literal(None) for bound in bounds))
