"""Sizes of emitpy arrays, in terms of values that are defined before a loop."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TypeAlias

from xdsl.dialects import func
from xdsl.dialects.builtin import DYNAMIC_INDEX, TensorType
from xdsl.ir import Block, Operation, SSAValue

from ein_mlir.analysis.hints import isa
from ein_mlir.analysis.scopes import is_within
from ein_mlir.dialects import emitpy

Size: TypeAlias = int | tuple[SSAValue, int]
"""A number, or the size of an array along an axis."""

NEW_ARRAYS = frozenset(("np.empty", "np.full", "np.ones", "np.zeros"))
RANGES = frozenset(("np.arange", "torch.arange"))
SIZES_OF_SEGMENTS = {"np.segment_count": 1, "np.accumulate_at": 4, "torch.accumulate_at": 4}
"""Helpers of segments, and the place of their number among operands: leading axes of a result."""
_STRIDED = frozenset(("np.strided", "torch.strided"))
SAME_SHAPE = frozenset(("astype", "copy", "cumsum"))


class PythonShapes:
    """The sizes of the arrays of a function, with one representative for sizes known to be equal.

    The operands of an elementwise operation have the same sizes, except those of static size 1:
    this is the meaning of types in the array calculus. An accumulator has the sizes of its initial
    value if each step keeps them. ``elementwise`` names the elementwise functions.
    """

    def __init__(self, function: func.FuncOp, elementwise: Collection[str]):
        self._elementwise = elementwise
        self._sizes: dict[SSAValue, tuple[Size, ...]] = {}
        self._invariant: dict[tuple[SSAValue, int], Size] = {}
        self._made_of: dict[SSAValue, Size] = {}
        self._block(function.body.block)

    def of(self, array: SSAValue) -> tuple[Size, ...]:
        """The sizes of an array."""
        return tuple(map(self._resolve, self._sizes.get(array) or self._own(array)))

    def _resolve(self, size: Size) -> Size:
        while isinstance(size, tuple) and size in self._invariant:
            size = self._invariant[size]
        return size

    def _own(self, array: SSAValue) -> tuple[Size, ...]:
        """The static sizes of the type; a dynamic size is represented by the array and its axis."""
        assert isa(array.type, TensorType)
        return tuple(
            (array, axis) if size == DYNAMIC_INDEX else size
            for axis, size in enumerate(array.type.get_shape())
        )

    def _block(self, block: Block) -> None:
        for op in block.ops:
            if isinstance(op, emitpy.ForOp):
                self._body(op)
                self._accumulators(op)
            elif len(op.results) == 1 and isa(op.results[0].type, TensorType):
                self._define(op, op.results[0])

    def _body(self, loop: emitpy.ForOp) -> None:
        """Record the sizes in a body, whose arrays represent no size after it."""
        outside = len(self._made_of)
        self._block(loop.body.block)
        while len(self._made_of) > outside:
            self._made_of.popitem()

    def _define(self, op: Operation, result: SSAValue) -> None:
        """Record the sizes of a result that follow from its operands and its type."""
        stated = self._stated(op, result)
        if stated is not None:
            pairs = zip(self._own(result), stated, strict=True)
            self._sizes[result] = tuple(
                size if isinstance(own, int) else self._resolve(size) for own, size in pairs
            )

    def _stated(self, op: Operation, result: SSAValue) -> Sequence[Size] | None:
        match op:
            case emitpy.AugmentOp() | emitpy.CallIntoOp() | emitpy.StoreOp():
                return self.of(op.target)
            case emitpy.BinaryOp() if op.operator.data != "@":
                return self._broadcast(op.operands, result)
            case emitpy.BinaryOp():
                return self._product(op)
            case emitpy.UnaryOp():
                return self._broadcast(op.operands, result)
            case emitpy.CallOp() if op.callee.data in self._elementwise:
                return self._broadcast(op.positional, result)
            case emitpy.CallOp() if op.callee.data == "np.ascontiguousarray":
                return self.of(op.positional[0])
            case emitpy.MethodOp() if op.method.data == "accumulate":
                return self.of(op.positional[0])
            case emitpy.MethodOp() if op.method.data == "clamp":
                has_arrays = any(isa(value.type, TensorType) for value in op.positional)
                return None if has_arrays else self.of(op.receiver)
            case emitpy.MethodOp() if op.method.data == "index_select":
                return self._selected(op.receiver, op.positional[1], op.positional[0])
            case emitpy.CallOp() if op.callee.data in NEW_ARRAYS:
                return self._new(op.positional[0], result)
            case emitpy.CallOp() if op.callee.data in RANGES and len(op.positional) == 1:
                return self._new(op.positional[0], result)
            case emitpy.CallOp() if op.callee.data == "np.take":
                return self._taken(op)
            case emitpy.MethodOp() if op.method.data in SAME_SHAPE:
                return self.of(op.receiver)
            case emitpy.AttrOp() if op.attribute.data == "T":
                return self.of(op.object)[::-1]
            case emitpy.SubscriptOp() if isa(op.object.type, TensorType):
                return self._subscript(op)
            case emitpy.HelperOp() if op.callee.data == "np.clipped_slice":
                return self._with_size(op, op.positional[3])
            case emitpy.HelperOp() if (place := SIZES_OF_SEGMENTS.get(op.callee.data)) is not None:
                sizes = self._new(op.positional[place], result)
                return sizes if sizes and len(sizes) == len(self._own(result)) else None
            case emitpy.HelperOp() if op.callee.data in _STRIDED:
                return self._strided(op, result)
            case emitpy.HelperOp() if op.callee.data == "np.fill_empty":
                return self._with_size(op, None)
            case _:
                return None

    def _broadcast(self, operands: Sequence[SSAValue], result: SSAValue) -> Sequence[Size] | None:
        rank = len(self._own(result))
        shapes = [
            self.of(operand)
            for operand in operands
            if isa(operand.type, TensorType) and operand.type.get_num_dims() == rank
        ]
        if not shapes:
            return None
        return [next((s for s in sizes if s != 1), 1) for sizes in zip(*shapes, strict=True)]

    def _product(self, op: emitpy.BinaryOp) -> Sequence[Size] | None:
        """The sizes of a product of two matrices, or of two stacks of equal rank."""
        lhs, rhs = self.of(op.lhs), self.of(op.rhs)
        return [*lhs[:-1], rhs[-1]] if len(lhs) == len(rhs) > 1 else None

    def _new(self, shape: SSAValue, result: SSAValue) -> Sequence[Size] | None:
        """The sizes of a new array. A size value is represented by the first array of that size."""
        if isinstance(shape.owner, emitpy.LiteralOp):
            return None
        if isinstance(shape.owner, emitpy.AttrOp):
            return self.of(shape.owner.object)
        numbers = shape.owner.fields if isinstance(shape.owner, emitpy.TupleOp) else (shape,)
        return [
            self._made_of.setdefault(number, (result, axis)) if size is None else size
            for axis, number in enumerate(numbers)
            for size in (self.number(number),)
        ]

    def _strided(self, op: emitpy.HelperOp, result: SSAValue) -> Sequence[Size] | None:
        """The sizes of an array, with several in place of that of an axis."""
        array, axis, _, sizes, _ = op.positional
        number, given = emitpy.literal_data(axis), sizes.owner
        if not isinstance(number, int) or not isinstance(given, emitpy.TupleOp):
            return None
        own = self._own(result)[number:]
        inner = [
            self._made_of.setdefault(value, other) if size is None else size
            for value, other in zip(given.fields, own, strict=False)
            for size in (self.number(value),)
        ]
        whole = self.of(array)
        return [*whole[:number], *inner, *whole[number + 1 :]]

    def number(self, value: SSAValue) -> Size | None:
        """The size that a number is equal to: ``a.shape[0]`` is that of ``a``; None for others."""
        op = value.owner
        if isinstance(op, emitpy.LiteralOp) and isinstance(op.data, int):
            return op.data
        if isinstance(op, emitpy.SubscriptOp) and isinstance(op.object.owner, emitpy.AttrOp):
            array, axis = op.object.owner.object, op.indices[0].owner
            if isinstance(axis, emitpy.LiteralOp) and isinstance(axis.data, int):
                return self.of(array)[axis.data]
        return self._made_of.get(value)

    def _subscript(self, op: emitpy.SubscriptOp) -> Sequence[Size] | None:
        """The sizes of whole axes and of new axes of size 1, without axes that an index removes."""
        rest, sizes = list(self.of(op.object)), list[Size]()
        for index in op.indices:
            owner = index.owner
            if isinstance(owner, emitpy.SliceOp):
                if owner.bounds:
                    return None
                sizes.append(rest.pop(0))
            elif isinstance(owner, emitpy.LiteralOp) and owner.data is None:
                sizes.append(1)
            elif isa(index.type, TensorType) and index.type.get_num_dims():
                return None
            else:
                rest.pop(0)
        return [*sizes, *rest]

    def _taken(self, op: emitpy.CallOp) -> Sequence[Size] | None:
        axis, (array, positions) = op.keyword_arguments.get("axis"), op.positional
        return None if axis is None else self._selected(array, positions, axis)

    def _selected(
        self, array: SSAValue, positions: SSAValue, axis: SSAValue
    ) -> Sequence[Size] | None:
        """The sizes of the array, with those of the positions in place of the axis."""
        number = emitpy.literal_data(axis)
        if not isinstance(number, int):
            return None
        sizes = self.of(array)
        return [*sizes[:number], *self.of(positions), *sizes[number + 1 :]]

    def _with_size(self, op: emitpy.HelperOp, size: SSAValue | None) -> Sequence[Size] | None:
        """The sizes of the first argument, except along the axis given by the second one."""
        array, axis = op.positional[:2]
        number = emitpy.literal_data(axis)
        if not isinstance(number, int):
            return None
        sizes = list(self.of(array))
        known = None if size is None else self.number(size)
        sizes[number] = (op.result, number) if known is None else known
        return sizes

    def _accumulators(self, loop: emitpy.ForOp) -> None:
        """Assume that steps keep all sizes; drop the assumptions that a step contradicts."""
        initial, after = dict[tuple[SSAValue, int], Size](), dict[tuple[SSAValue, int], Size]()
        places = zip(loop.accumulators, loop.inits, loop.yielded, loop.res, strict=True)
        results = dict[tuple[SSAValue, int], tuple[SSAValue, int]]()
        for accumulator, init, step, result in places:
            if isa(init.type, TensorType):
                for axis, size in enumerate(self.of(init)):
                    initial[accumulator, axis] = size
                    after[accumulator, axis] = self.of(step)[axis]
                    results[result, axis] = accumulator, axis
        kept = dict[tuple[SSAValue, int], Size]()
        while kept != initial:
            kept = dict(initial)
            initial = {
                key: size for key, size in kept.items() if _through(after[key], kept) == size
            }
        self._invariant |= kept
        self._invariant |= {key: kept[old] for key, old in results.items() if old in kept}


def _through(size: Size, known: dict[tuple[SSAValue, int], Size]) -> Size:
    return known.get(size, size) if isinstance(size, tuple) else size


def is_outside(size: Size, block: Block) -> bool:
    """Whether a size is known before a block runs: from an array that is defined outside of it."""
    return isinstance(size, int) or not is_within(size[0], block)
