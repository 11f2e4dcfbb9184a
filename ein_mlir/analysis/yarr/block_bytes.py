"""The memory of the blocks of a tile per position of its axis."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import prod
from typing import TypeAlias

from xdsl.dialects import arith
from xdsl.dialects.builtin import TensorType
from xdsl.ir import BlockArgument, Operation, OpResult, SSAValue

from ein_mlir.analysis.hints import isa
from ein_mlir.analysis.scopes import is_within, nested
from ein_mlir.analysis.yarr.parallel_axes import (
    is_cheap,
    origin_of_size,
    size_source,
    static_size,
)
from ein_mlir.dialects import yarr
from ein_mlir.dialects.assembly import single_operation
from ein_mlir.host.elements import BY_HOST

Length: TypeAlias = SSAValue | tuple[SSAValue, int]
"""A size, or an axis of an array that is defined outside of the tile."""


def bytes_per_position(tile: yarr.TileOp) -> list[tuple[int, tuple[Length, ...]]]:
    """Products of a number and lengths; their sum estimates the bytes of one position.

    Blocks whose axes are a proper subset of another block's are smaller, and do not count.
    """
    blocks: dict[SSAValue, tuple[Length, ...]] = {}
    elements = dict[SSAValue, int]()
    lengths_in = _Lengths(tile)
    for value in _block_values(tile):
        shape = [lengths_in.of(value, axis) for axis in range(yarr.rank_of(value))]
        if tile.length in shape:
            lengths = (size for size in shape if not isinstance(size, int))
            blocks[value] = tuple(length for length in lengths if length is not tile.length)
            elements[value] = prod(size for size in shape if isinstance(size, int))
    counted = dict[tuple[Length, ...], int]()
    for value in _held(tile, blocks):
        size = elements[value] * _bytes(value)
        counted[blocks[value]] = counted.get(blocks[value], 0) + size
    return [
        (factor, lengths)
        for lengths, factor in counted.items()
        if not any(set(lengths) < set(other) for other in counted)
    ]


def _block_values(tile: yarr.TileOp) -> Iterator[SSAValue]:
    """The blocks of arrays, and the arrays computed in the body and its loops."""
    yield from tile.blocks
    for op in nested(tile.body.block):
        yield from (result for result in op.results if isa(result.type, TensorType))


def _held(tile: yarr.TileOp, blocks: Mapping[SSAValue, tuple[Length, ...]]) -> Iterator[SSAValue]:
    """The blocks in the cache at the same time: operands, results, a temporary of each shape.

    So are the factors of a sum that is computed in order after a test.
    """
    arrays = zip(tile.arrays, tile.blocks, strict=True)
    yield from {_base(array): block for array, block in arrays if block in blocks}.values()
    sums = (op for op in nested(tile.body.block) if isinstance(op, yarr.InOrderOp))
    factors = (_base(factor) for op in sums for factor in op.factors)
    kept = (value for value in factors if isinstance(value, OpResult))
    yielded = list(dict.fromkeys((*tile.yielded, *kept)))
    yield from (value for value in yielded if value in blocks)
    made = {
        frozenset(lengths): value
        for value, lengths in blocks.items()
        if isinstance(value, OpResult)
        and value is value.op.results[0]
        and value not in yielded
        and not is_cheap(value.op)
    }
    yield from made.values()


def _base(value: SSAValue) -> SSAValue:
    """The array that a value is a view of."""
    while isinstance(value.owner, Operation) and is_cheap(value.owner) and value.owner.operands:
        value = value.owner.operands[0]
    return value


class _Lengths:
    """The sizes of the values in the body of a tile, with a cache of their sources."""

    def __init__(self, tile: yarr.TileOp):
        self._tile = tile
        self._known = dict[tuple[SSAValue, int], Length | int]()

    def of(self, value: SSAValue, axis: int) -> Length | int:
        """The size of a value along an axis; ``tile.length`` along the axis of the tile.

        A size that the body computes counts as its bound in the body, or as 1 without one.
        """
        place, passed = (value, axis), list[tuple[SSAValue, int]]()
        while (length := self._known.get(place)) is None:
            passed.append(place)
            if (length := self._given(*place)) is not None:
                break
            source = size_source(*place)
            if isinstance(source, SSAValue):
                source = self._array_of(self._bound(source))
            if isinstance(source, SSAValue):
                length = source if self._is_outside(source) else 1
                break
            place = source
        if isinstance(length, tuple):
            length = origin_of_size(*length)
        self._known.update(dict.fromkeys(passed, length))
        return length

    def _given(self, value: SSAValue, axis: int) -> Length | int | None:
        """A size without a source: a number, or the size of a block or of an outer array."""
        known, tile = static_size(value, axis), self._tile
        if known != yarr.DYNAMIC:
            return known
        if isinstance(value, BlockArgument) and value.block is tile.body.block:
            number = value.index - 2
            is_cut = tile.array_axes[number] == axis
            return tile.length if is_cut else (tile.arrays[number], axis)
        return (value, axis) if self._is_outside(value) else None

    def _is_outside(self, value: SSAValue) -> bool:
        return value is self._tile.length or not is_within(value, self._tile)

    def _bound(self, size: SSAValue) -> SSAValue:
        """``n`` of ``max(min(n, x), 0)`` for an outer value n; the size itself otherwise."""
        bound = size
        while not self._is_outside(bound) and isinstance(bound.owner, yarr.ElementwiseOp):
            single = single_operation(bound.owner.body)
            known = [operand for operand in bound.owner.operands if self._is_outside(operand)]
            if isinstance(single, arith.MinSIOp) and known:
                return known[0]
            others = [operand for operand in bound.owner.operands if operand not in known]
            if not isinstance(single, arith.MaxSIOp) or len(others) != 1:
                break
            (bound,) = others
        return size

    def _array_of(self, size: SSAValue) -> SSAValue | tuple[SSAValue, int]:
        """The array and axis of a size; a block of an inner tile may be as long as its axis."""
        tile = size.owner.parent_op() if isinstance(size, BlockArgument) else None
        if isinstance(tile, yarr.TileOp) and tile is not self._tile:
            size = tile.extent
        owner = size.owner
        return (owner.array, owner.axis.value.data) if isinstance(owner, yarr.SizeOp) else size


def _bytes(value: SSAValue) -> int:
    return max(BY_HOST[str(yarr.element_of(value))].bits // 8, 1)
