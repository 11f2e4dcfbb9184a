"""The memory that a program of yarr takes: its operations in order, with sizes for arrays.

A value of at most a few elements is computed if a size depends on it, by the reference interpreter
(``interpreters.yarr``), from arguments and sizes. An array has a shape; its elements do not exist.
The body of a loop is visited for its first and its last step.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import field
from math import prod
from typing import Any, TypeAlias

import numpy as np
from xdsl.dialects.builtin import DYNAMIC_INDEX, ModuleOp, TensorType, TupleType
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.utils.exceptions import InterpretationError

from ein_mlir.analysis.hints import isa
from ein_mlir.dialects import yarr
from ein_mlir.dialects.yarr.base import Size
from ein_mlir.dialects.yarr.integers import is_at_most_one
from ein_mlir.host.dataclass import dataclass
from ein_mlir.interpreters.sizes_only import SizesOnly, UnknownSizeError
from ein_mlir.interpreters.values import DTYPES
from ein_mlir.interpreters.yarr import YarrFunctions

Shape: TypeAlias = tuple[int, ...]

VIEWS = (
    yarr.FillEmptyOp,
    yarr.InOrderOp,
    yarr.ProjOp,
    yarr.PropagateNanOp,
    yarr.RepeatOp,
    yarr.SliceOp,
    yarr.SqueezeOp,
    yarr.StridedOp,
    yarr.TransposeOp,
    yarr.TupleOp,
    yarr.UnsqueezeOp,
)
"""Operations whose results share the memory of an operand: of some, if it is finite, not empty."""


LOOPS = (yarr.ExternOp, yarr.FoldOp, yarr.WhileOp)
"""Operations that are not run for a size."""

CACHE_BYTES = 2**21
"""The memory of the blocks of a tile, as the NumPy backend chooses them."""


def _leaves(type_: Attribute) -> Iterator[TensorType[Attribute]]:
    if isa(type_, TupleType):
        for field_ in type_.types:
            yield from _leaves(field_)
    else:
        assert isa(type_, TensorType)
        yield type_


@dataclass
class _Held:
    """The arrays that are live, and the most bytes of them so far."""

    last_uses: Mapping[SSAValue, Operation]
    owners: dict[SSAValue, SSAValue] = field(default_factory=dict[SSAValue, SSAValue])
    """A view -> the array whose memory it shares."""
    bytes: dict[SSAValue, int] = field(default_factory=dict[SSAValue, int])
    most: int = 0

    def peak(self, more: int = 0) -> None:
        """Record the live arrays, and some bytes more."""
        self.most = max(self.most, sum(self.bytes.values()) + more)


class ArrayMemory(SizesOnly):
    """A run of yarr, with the bytes of its arrays."""

    def __init__(self, module: ModuleOp):
        super().__init__(module)
        self._interpreter.register_implementations(YarrFunctions({}), override=True)

    def give(self, argument: SSAValue, value: Any) -> None:
        """The elements of an argument have the type of the parameter."""
        super().give(argument, value)
        if argument in self._values:
            dtype = DTYPES[yarr.element_of(argument.type)]
            self._values[argument] = self._values[argument].astype(dtype)

    # Sizes

    def shape(self, value: SSAValue) -> Any:
        """The shape of an array; a tuple of shapes for a record."""
        if value not in self._shapes:
            self._shapes[value] = self._shape(value)
        return self._shapes[value]

    def _shape(self, value: SSAValue) -> Any:
        op = value.owner
        match op:
            case yarr.TupleOp():
                return tuple(map(self.shape, op.fields))
            case yarr.ProjOp():
                return self.shape(op.record)[op.field.value.data]
            case yarr.TileOp():
                sizes = op.shape_of_result(tuple(op.results).index(value))
                return tuple(map(self._resolved, sizes))
            case yarr.YarrOp() if len(op.results) == 1:
                return tuple(self._size(op, value, axis) for axis in range(yarr.rank_of(value)))
            case _:
                return yarr.shape_of(value)

    def _size(self, op: yarr.YarrOp, value: SSAValue, axis: int) -> int:
        static = yarr.shape_of(value)[axis]
        if static != DYNAMIC_INDEX:
            return static
        size = op.size_of_result(axis)
        if size is not None:
            return self._resolved(size)
        return self._own_size(op, axis)

    def _own_size(self, op: yarr.YarrOp, axis: int) -> int:
        """A size that is no size of an operand."""
        match op:
            case yarr.ConcatOp():
                return sum(self.shape(array)[axis] for array in op.arrays)
            case yarr.FillEmptyOp():
                return max(1, self.shape(op.array)[axis])
            case yarr.FlattenOp():
                return prod(self.shape(op.array)[axis : axis + 2])
            case yarr.PadOp():
                sizes = map(self._resolved, (op.low, op.high))
                return sum(sizes, self.shape(op.array)[axis])
            case yarr.ScanOp():
                return self.shape(op.array)[axis] + 1
            case _:
                raise UnknownSizeError(f"those of '{op.name}'")

    def _resolved(self, size: Size) -> int:
        if isinstance(size, int):
            return size
        if isinstance(size, tuple):
            return self.shape(size[0])[size[1]]
        return max(0, int(self._value(size)))

    # Numbers

    def _value(self, value: SSAValue) -> Any:
        """The elements of a value that a size depends on."""
        if value not in self._values:
            self._values[value] = self._computed(value)
        return self._values[value]

    def _computed(self, value: SSAValue) -> Any:
        op = value.owner
        if isinstance(op, yarr.SizeOp):
            return np.array(self.shape(op.array)[op.axis.value.data], np.int64)
        if isinstance(op, Block) or isinstance(op, LOOPS):  # noqa: SIM101
            raise UnknownSizeError(value.name_hint or f"those of '{value.type}'")
        if isinstance(op, yarr.TileOp):
            return self._computed_at_once(op, tuple(op.results).index(value))
        operands = tuple(map(self._value, op.operands))
        try:
            with np.errstate(all="ignore"):
                results = self._interpreter.run_op(op, operands)
        except InterpretationError:  # a read of an empty array, whose value no step uses
            return np.zeros([1] * yarr.rank_of(value), DTYPES[yarr.element_of(value)])
        return results[op.results.index(value)] if len(op.results) > 1 else results[0]

    def _computed_at_once(self, op: yarr.TileOp, number: int) -> Any:
        """A result of a tile of one block: it does not depend on the cuts."""
        with self._body():
            self._bind_blocks(op)
            for block, array in zip(op.blocks, op.arrays, strict=True):
                self._values[block] = self._value(array)
            return self._value(op.yielded[number])

    def _bind_blocks(self, op: yarr.TileOp) -> None:
        """Let the only block be as long as the axis."""
        self._values[op.start] = np.array(0, np.int64)
        self._values[op.length] = np.array(self._resolved(op.extent), np.int64)
        for block, array in zip(op.blocks, op.arrays, strict=True):
            self._shapes[block] = self.shape(array)

    # Memory

    def block(self, block: Block) -> int:
        """The most bytes of arrays that the operations of a block make, and of those in bodies."""
        held = _Held(_last_uses(block))
        for op in block.ops:
            if op is not block.last_op:
                self._operation(op, held)
        return held.most

    def _operation(self, op: Operation, held: _Held) -> None:
        if isinstance(op, yarr.TileOp):
            self._make(op, held)
        held.peak(self._inside(op, held))
        dying = [owner for owner in held.bytes if held.last_uses.get(owner) is op]
        if isinstance(op, yarr.ElementwiseOp) and op.scalar_operation() is not None:
            _drop(dying, held)
        self._make(op, held)
        held.peak()
        _drop(dying, held)

    def _make(self, op: Operation, held: _Held) -> None:
        for result in op.results:
            if _is_view(op):
                held.owners[result] = held.owners.get(op.operands[0], op.operands[0])
            elif result in held.last_uses:
                held.bytes[result] = self._bytes(result)

    def _bytes(self, value: SSAValue) -> int:
        shapes = _flat(self.shape(value), value.type)
        types = _leaves(value.type)
        return sum(
            prod(shape) * np.dtype(DTYPES[yarr.element_of(type_)]).itemsize
            for shape, type_ in zip(shapes, types, strict=True)
            if shape
        )

    def _inside(self, op: Operation, held: _Held) -> int:
        """The most bytes that a body takes, with the initial values that it copies."""
        match op:
            case yarr.FoldOp() | yarr.WhileOp():
                copied = sum(self._bytes(init) for init in op.inits if init not in held.bytes)
                steps = self._steps(op)
                try:
                    return copied + max(self._step(op, step) for step in steps)
                except UnknownSizeError:
                    if None not in steps or not is_at_most_one(op.count):
                        raise
                    return copied  # a version for few elements, which data choose
            case yarr.TileOp():
                return self._tile(op)
            case _:
                return 0

    def _steps(self, op: yarr.FoldOp | yarr.WhileOp) -> Iterable[int | None]:
        """The first and the last step; None for a loop of an unknown number."""
        try:
            last = int(self._value(op.count)) - 1
        except UnknownSizeError:
            return (None,)
        return {0, max(0, last)}

    def _step(self, op: yarr.FoldOp | yarr.WhileOp, step: int | None) -> int:
        with self._body():
            for carried, init, result in zip(op.accumulators, op.inits, op.results, strict=True):
                self._shapes[carried] = self.shape(init)
                self._shapes.setdefault(result, self.shape(init))
            if step is not None:
                self._values[op.counter] = np.array(step, np.int64)
            most = self.block(op.body.block)
        for init, result in zip(op.inits, op.results, strict=True):
            self._shapes[result] = self.shape(init)
        return most

    def _tile(self, op: yarr.TileOp) -> int:
        """The bytes of a body on whole arrays, or those of the cache if it is smaller.

        Blocks of the results are written in place.
        """
        with self._body():
            self._bind_blocks(op)
            made = self.block(op.body.block) - sum(map(self._bytes, op.yielded))
            return max(0, min(made, CACHE_BYTES))


def _drop(owners: Iterable[SSAValue], held: _Held) -> None:
    for owner in owners:
        held.bytes.pop(owner, None)


def _last_uses(block: Block) -> dict[SSAValue, Operation]:
    """Value -> the last operation of a block that uses it, itself, in a body or by a view of it."""
    found = dict[SSAValue, Operation]()
    for op in block.ops:
        used = {operand for inner in op.walk() for operand in inner.operands}
        found.update(dict.fromkeys(used, op))
    for op in reversed(list(block.ops)):
        if _is_view(op) and op.results[0] in found:
            last = found[op.results[0]]
            for operand in op.operands[: len(op.operands) if isinstance(op, yarr.TupleOp) else 1]:
                if operand not in found or _is_before(found[operand], last):
                    found[operand] = last
    return found


def _is_view(op: Operation) -> bool:
    """Whether the result of an operation shares the memory of its operands."""
    if isinstance(op, yarr.TakeOp):
        return yarr.rank_of(op.position) == 0
    return isinstance(op, VIEWS) and bool(op.operands)


def _is_before(a: Operation, b: Operation) -> bool:
    return a is not b and a.is_before_in_block(b)


def _flat(shape: Any, type_: Attribute) -> Iterator[Shape]:
    if isa(type_, TupleType):
        for each, field_ in zip(shape, type_.types, strict=True):
            yield from _flat(each, field_)
    else:
        yield shape
