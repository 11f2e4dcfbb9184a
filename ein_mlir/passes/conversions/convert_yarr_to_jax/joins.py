"""Joined arrays: an array or a number, with some parts in place."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from xdsl.dialects import arith, func
from xdsl.ir import Block, Operation, SSAValue

from ein_mlir.analysis.scopes import reached, sources
from ein_mlir.dialects import yarr
from ein_mlir.host.dataclass import dataclass
from ein_mlir.passes.conversions.convert_yarr_to_jax.static import StaticRules
from ein_mlir.rewriting.yarr_to_emitpy.lowering import tensor_type
from ein_mlir.rewriting.yarr_to_emitpy.parts import Path, has_sizes, parts_of, sizes_of, sliced
from ein_mlir.rewriting.yarr_to_emitpy.places import PlaceRules

MOST_PARTS = 2
"""The most parts that are put in place: each is a selection at every element."""

MOST_OVERWRITTEN = 4
"""The most parts of an accumulator that are overwritten, one after the other."""


@dataclass(frozen=True)
class _Base:
    """An array, or a scalar everywhere, and the parts that differ from it."""

    value: SSAValue
    rest: Sequence[tuple[Path, SSAValue]]
    fits: bool = True
    """Whether an array is known to have the sizes; else the parts are all elements."""


class JaxJoins(PlaceRules, StaticRules):
    """Parts in place are one pass over memory, with their computation; joined parts are copied."""

    places_parts = True
    """Whether parts around an inner one are written one after the other."""

    def __init__(self, source: Block):
        super().__init__(source)
        self._inner = set[yarr.ConcatOp]()
        """The concatenations that are parts of others: they are translated with these."""

    def block(self, block: Block) -> None:
        for op in reversed(list(block.ops)):
            if (
                isinstance(op, yarr.ConcatOp)
                and op not in self._inner
                and has_sizes(op, self.sizes)
            ):
                paths = (path for path, _ in parts_of(op, self.sizes))
                self._inner.update(inner for path in paths for inner, _ in path[1:])
        super().block(block)

    def concat(self, op: yarr.ConcatOp) -> None:
        """``with_part(a, part, (1, 1))``, ``joined(shape, parts, places)``, or a concatenation."""
        if op in self._inner:
            return
        overwritten = self._overwritten(op) if has_sizes(op, self.sizes) else None
        base = overwritten or (self._base(op) if has_sizes(op, self.sizes) else None)
        if base is None:
            self._join(op)
        else:
            self._put(op, base, "jnp.with_part" if overwritten is None else "jnp.overwritten")
        if base is None or base.rest:
            self._store(op.result, op.axis.value.data)

    def pad(self, op: yarr.PadOp) -> None:
        """``lax.optimization_barrier(jnp.pad(a, (1, 1), mode="edge"))``"""
        super().pad(op)
        self._store(op.result, op.axis.value.data)

    def _store(self, joined: SSAValue, axis: int) -> None:
        """Have XLA store an array of parts, unless it is the last of a step or of the program.

        Else XLA joins anew what each reader takes of it, and computes that with the reader: each
        element would seek its part, which keeps the arithmetic from vector instructions.
        """
        if self.places_parts and any(_is_computed_with(use.operation, axis) for use in joined.uses):
            arguments = self.array(joined)
            stored = self.build.call("lax.optimization_barrier", arguments, type=joined.type)
            self.bind(joined, stored)

    def _put(self, op: yarr.ConcatOp, base: _Base, name: str) -> None:
        """The base with the other parts in place."""
        if isinstance(base.value.owner, arith.ConstantOp) and len(base.rest) == 1:
            [(path, part)] = base.rest
            if len(path) > 1:
                self._surround(op, base.value, path, part)
                return
        placed = self._base_array(op, base)
        for path, part in base.rest:
            arguments = placed, self.array(part), self._first_position(op, path)
            placed = self.build.helper(name, *arguments, type=op.result.type)
        self.bind(op.result, placed)

    def _surround(self, op: yarr.ConcatOp, number: SSAValue, path: Path, part: SSAValue) -> None:
        """``surrounded(0.0, (n, m), part, (1, 1))``, along several axes."""
        shape = self.shape([size for size in self._sizes(op) if size is not None])
        arguments = shape, self.array(part), self._first_position(op, path)
        result = self.build.helper(
            "jnp.surrounded", self.value(number), *arguments, type=op.result.type
        )
        self.bind(op.result, result)

    def _join(self, op: yarr.ConcatOp) -> None:
        """Parts around an inner one, each in its place; else a concatenation."""
        shape = self._placed_shape(op) if has_sizes(op, self.sizes) else None
        if shape is None:
            self._concatenation(op)
            return
        paths, parts = zip(*parts_of(op, self.sizes), strict=True)
        arrays = self.build.tuple([self.array(part) for part in parts])
        places = self.build.tuple([self._first_position(op, path) for path in paths])
        joined = self.build.helper("jnp.joined", shape, arrays, places, type=op.result.type)
        self.bind(op.result, joined)

    def _placed_shape(self, op: yarr.ConcatOp) -> SSAValue | None:
        """The shape of a joined array whose parts are to be written one after the other."""
        sizes = [size for size in self._sizes(op) if size is not None]
        is_surrounded = any(self._is_long(path) for path, _ in parts_of(op, self.sizes))
        is_known = len(sizes) == yarr.rank_of(op.result)
        return self.shape(sizes) if self.places_parts and is_surrounded and is_known else None

    def _is_long(self, path: Path) -> bool:
        """Whether a part is joined along several axes, and may be long along each."""
        sizes = (sizes_of(concat, self.sizes)[number] for concat, number in path)
        return len(path) > 1 and not any(isinstance(size, int) for size in sizes)

    def _first_position(self, op: yarr.ConcatOp, path: Path) -> SSAValue:
        starts, axes = self._starts(path), range(yarr.rank_of(op.result))
        return self.build.tuple([starts.get(k, self.build.literal(0)) for k in axes])

    def _concatenation(self, op: yarr.ConcatOp) -> None:
        """The concatenation of parts, which may be concatenations."""
        for part in op.arrays:
            if isinstance(part.owner, yarr.ConcatOp) and part.owner in self._inner:
                self._concatenation(part.owner)
        super().concat(op)

    def _overwritten(self, op: yarr.ConcatOp) -> _Base | None:
        """The accumulator that a joined array is the next value of, and the parts that change.

        No part reads it in the place of another one: XLA overwrites it. One part may read it in its
        own place, and is the first.
        """
        base, parts = _continued(op), list(parts_of(op, self.sizes))
        if base is None:
            return None
        fits = self.fits((path for path, _ in parts), base)
        if not fits and None in self._sizes(op):
            return None
        rest = [each for each in parts if not (fits and self.is_there(each[1], each[0], base))]
        reading = [each for each in rest if _reads(each[1], base)]
        is_in_place = all(
            self.is_there(read, path, base) for path, part in reading for read in _reads(part, base)
        )
        if len(rest) > MOST_OVERWRITTEN or len(reading) > 1 or not is_in_place:
            return None
        return _Base(base, sorted(rest, key=lambda each: each not in reading), fits=fits)

    def _base(self, op: yarr.ConcatOp) -> _Base | None:
        """The base that most parts of a joined array are equal to, if few others remain."""
        parts = list(parts_of(op, self.sizes))
        bases = list[_Base]()
        for value in dict.fromkeys(map(_source, (part for _, part in parts))):
            is_array = value.type == op.result.type
            if is_array and not self.fits((path for path, _ in parts), value):
                continue
            rest = [
                (path, part)
                for path, part in parts
                if not (self.is_there(part, path, value) if is_array else _source(part) is value)
            ]
            is_base = is_array or yarr.rank_of(value) == 0
            if is_base and len(rest) <= min(MOST_PARTS, len(parts) - 1):
                bases.append(_Base(value, rest))
        return min(bases, key=lambda base: len(base.rest), default=None)

    def _base_array(self, op: yarr.ConcatOp, base: _Base) -> SSAValue:
        is_array = base.value.type == op.result.type
        if is_array and base.fits:
            return self.array(base.value)
        sizes = [size for size in self._sizes(op) if size is not None]
        if is_array:
            shape = self.build.tuple(sizes)
            arguments = self.array(base.value), shape
            return self.build.helper("jnp.memory_of", *arguments, type=op.result.type)
        return self.full(self.shape(sizes), self.value(base.value), tensor_type(op.result))

    def _sizes(self, op: yarr.ConcatOp) -> list[SSAValue | None]:
        return [self.size_of_join(op, axis) for axis in range(yarr.rank_of(op.result))]

    def _starts(self, path: Path) -> Mapping[int, SSAValue]:
        """The first position of a part along each axis: the sum of the sizes of those before it."""
        starts = dict[int, SSAValue]()
        for concat, number in path:
            start = self.build.literal(0)
            for k, size in enumerate(sizes_of(concat, self.sizes)[:number]):
                term = self.build.literal(size) if isinstance(size, int) else self.value(size)
                start = self.build.binary(start, "+", term) if k else term
            starts[concat.axis.value.data] = start
        return starts


def _continued(op: yarr.ConcatOp) -> SSAValue | None:
    """The accumulator of which a joined array is the next value, and that no step yields again."""
    loop, block = op.parent_op(), op.parent
    if not isinstance(loop, yarr.FoldOp) or block is None or block.last_op is None:
        return None
    following = list(block.last_op.operands)
    if following.count(op.result) != 1:
        return None
    base = loop.accumulators[following.index(op.result)]
    return base if base.type == op.result.type and base not in following else None


def _reads(part: SSAValue, base: SSAValue) -> set[SSAValue]:
    """The base, and slices of it, that XLA reads where it computes a part."""

    def fused(value: SSAValue) -> Sequence[SSAValue]:
        is_last = sliced(value)[0] is base or not isinstance(value.owner, _FUSED)
        return () if is_last else sources(value)

    return {value for value in reached([part], fused) if sliced(value)[0] is base}


_FUSED = (
    yarr.ElementwiseOp,
    yarr.RepeatOp,
    yarr.SliceOp,
    yarr.TransposeOp,
    yarr.UnsqueezeOp,
)
"""Operations that XLA computes together with those that read their results."""


_KEEPING = (yarr.ConcatOp, yarr.PadOp, yarr.TupleOp, yarr.YieldOp, func.ReturnOp)
"""Readers of a joined array that XLA does not compute together with it, or that are stored."""


def _is_computed_with(reader: Operation, axis: int) -> bool:
    """Whether XLA computes a reader of a joined array with it, and the part is not known."""
    if isinstance(reader, yarr.TakeOp) and not yarr.rank_of(reader.position):
        return reader.axis.value.data != axis
    return not isinstance(reader, _KEEPING)


def _source(part: SSAValue) -> SSAValue:
    """The array that a part is a slice of, or the scalar that it repeats."""
    array, starts = sliced(part)
    if starts:
        return array
    while isinstance(part.owner, yarr.RepeatOp | yarr.UnsqueezeOp):
        part = part.owner.operands[0]
    return part
