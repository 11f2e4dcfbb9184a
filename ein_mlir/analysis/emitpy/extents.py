"""Bounds of the numbers of elements that a function of PyTorch computes, by its arguments.

A slice has no more elements than its array, a reduction as many as the axes that it keeps. Steps of
a loop are taken to keep the sizes of accumulators. A bound serves to choose between versions of a
program: nothing but its time depends on it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeAlias

from xdsl.dialects import func
from xdsl.dialects.builtin import DYNAMIC_INDEX, TensorType
from xdsl.ir import Block, BlockArgument, Operation, SSAValue

from ein_mlir.analysis.emitpy.shared_memory import Memory
from ein_mlir.analysis.hints import isa
from ein_mlir.dialects import emitpy
from ein_mlir.dialects.emitpy.base import rank_of
from ein_mlir.host.extents import FUNCTIONS, Bounds, Number

Extents: TypeAlias = tuple[Number | None, ...]
"""The bound of the size along each axis, if it is known."""

_NEW = {"arange", "zeros", "ones", "empty", "full", "broadcast_to"}
_REDUCTIONS = frozenset(
    ("amax", "amin", "argmax", "argmin", "sum", "prod", "any", "all", "any_of", "all_of")
) | {"log_sum_exp"}
_SELECTIONS = ("elements_at", "elements_along")
_JOINED = {"update", "update_slice", "cat", "joined", "surrounded", "no_rows", "with_rows"}
"""Functions whose results another version stores in place."""
_SLOW = {"exp", "log", "sin", "cos", "tan", "tanh", "erf", "sigmoid", "pow", "atan2", "softmax"}
SLOW_FUNCTION = 8
"""The number of sums that a function costs that NumPy computes slower than PyTorch."""
_SAME = frozenset(("wrapped", "int", "abs"))


def bounds_of_computed(function: func.FuncOp) -> tuple[Bounds, Bounds] | None:
    """The bounds of arrays that loops compute, and of others; None if one is not known."""
    extents, memory = _Extents(function), Memory()
    inside, outside = dict[tuple[Number, ...], None](), dict[tuple[Number, ...], None]()
    for op, is_in_loop in _operations(function.body.block, False):
        for result in op.results:
            if not rank_of(result.type) or isinstance(op, emitpy.ForOp):
                continue
            if not memory.is_fresh(result) or _is_joined(op):
                continue
            sizes = extents.of(result)
            known = tuple(size for size in sizes if size is not None)
            if len(known) < len(sizes):
                return None
            known = (*known, SLOW_FUNCTION) if _is_slow(op) else known
            (inside if is_in_loop else outside)[known] = None
    return tuple(inside), tuple(outside)


def _operations(block: Block, is_in_loop: bool) -> Iterator[tuple[Operation, bool]]:
    for op in block.ops:
        yield op, is_in_loop
        for region in op.regions:
            for inner in region.blocks:
                yield from _operations(inner, is_in_loop or isinstance(op, emitpy.ForOp))


class _Extents:
    """The extents of the arrays of a function, and the numbers of Python that it computes."""

    def __init__(self, function: func.FuncOp):
        self._places = dict[SSAValue, int]()
        self._places.update((value, k) for k, value in enumerate(function.body.block.args))
        self._known = dict[SSAValue, Extents]()

    def of(self, array: SSAValue) -> Extents:
        """The extents of an array: those that its type states, and of its operands."""
        if array not in self._known:
            own = self._own(array)
            self._known[array] = own  # of an accumulator, while its steps are looked at
            if None in own:
                found = self._stated(array)
                if len(found) == len(own):
                    pairs = zip(own, found, strict=True)
                    self._known[array] = tuple(x if y is None else y for y, x in pairs)
        return self._known[array]

    def _own(self, array: SSAValue) -> Extents:
        if not isa(array.type, TensorType):
            return ()
        shape = array.type.get_shape()
        if (place := self._place(array)) is not None:
            argument, *path = place
            return tuple(
                ("size", argument, axis, *path) if size == DYNAMIC_INDEX else size
                for axis, size in enumerate(shape)
            )
        return tuple(None if size == DYNAMIC_INDEX else size for size in shape)

    def _place(self, value: SSAValue) -> tuple[int, ...] | None:
        """The number of an argument, and of a field of it, and so on."""
        if value in self._places:
            return (self._places[value],)
        op = value.owner
        if not isinstance(op, emitpy.SubscriptOp) or isa(op.object.type, TensorType):
            return None
        record, fields = self._place(op.object), [emitpy.literal_data(x) for x in op.indices]
        numbers = [field for field in fields if isinstance(field, int)]
        return (*record, *numbers) if record is not None and numbers == fields else None

    def _stated(self, array: SSAValue) -> Extents:
        op = array.owner
        if isinstance(array, BlockArgument):
            loop = array.block.parent_op()
            if isinstance(loop, emitpy.ForOp) and array in loop.accumulators:
                return self.of(loop.inits[loop.accumulators.index(array)])
            return ()
        match op:
            case emitpy.ForOp():
                return self.of(op.inits[op.res.index(array)])
            case emitpy.AugmentOp() | emitpy.CallIntoOp() | emitpy.StoreOp():
                return self.of(op.target)
            case emitpy.SubscriptOp():
                return self._subscript(op)
            case emitpy.AttrOp():
                return self.of(op.object)[::-1] if op.attribute.data == "T" else ()
            case emitpy.BinaryOp() if op.operator.data == "@":
                lhs, rhs = self.of(op.lhs), self.of(op.rhs)
                return (*lhs[:-1], *rhs[: max(len(rhs) - 2, 0)], *rhs[1:][-1:])
            case emitpy.CallLikeOp():
                return self._call(op, rank_of(array.type))
            case Operation():
                return self._broadcast(op.operands, rank_of(array.type))
            case _:
                return ()

    def _broadcast(self, operands: Sequence[SSAValue], rank: int) -> Extents:
        """Of each axis, the extent of an operand of which it is not 1."""
        shapes = [self.of(each) for each in operands if rank_of(each.type) == rank]
        return tuple(
            next((size for size in sizes if size != 1), 1) for sizes in zip(*shapes, strict=True)
        )

    def _subscript(self, op: emitpy.SubscriptOp) -> Extents:
        rest, sizes = list(self.of(op.object)), list[Number | None]()
        positions: SSAValue | None = None
        for index in op.indices:
            owner = index.owner
            if isinstance(owner, emitpy.LiteralOp) and owner.data is None:
                sizes.append(1)
            elif not rest:
                return ()
            elif isinstance(owner, emitpy.SliceOp):
                sizes.append(rest.pop(0))
            else:
                rest.pop(0)
                if rank_of(index.type):
                    sizes.extend(self.of(index) if positions is None else ())
                    positions = index
        return (*sizes, *rest)

    def _call(self, op: emitpy.CallLikeOp, rank: int) -> Extents:
        name = _name(op)
        if name in _NEW:
            return self._new(op.operands, rank)
        if name == "affine_range":
            return (self.number(op.operands[2]),)
        arrays = [value for value in leaves_of(op.operands) if rank_of(value.type)]
        if name in _REDUCTIONS and arrays:
            return self._reduced(op, arrays[0], rank)
        if name in ("index_select", "clipped_slice") and arrays:
            return self._along(op, name)
        if name in _SELECTIONS:
            return self._selected(op, name)
        if name in ("einsum", "sum_of_products"):
            return self._einsum(op.operands[0], arrays)
        return self._broadcast(arrays, rank)

    def _new(self, operands: Sequence[SSAValue], rank: int) -> Extents:
        """The numbers of a shape."""
        for value in operands:
            numbers = value.owner.fields if isinstance(value.owner, emitpy.TupleOp) else (value,)
            found = tuple(map(self.number, numbers))
            if len(found) == rank and None not in found and not rank_of(value.type):
                return found
        return ()

    def _reduced(self, op: emitpy.CallLikeOp, array: SSAValue, rank: int) -> Extents:
        """The extents without those of literal axes."""
        sizes = self.of(array)
        if len(sizes) == rank:
            return sizes
        for value in op.operands:
            data = emitpy.literal_data(value)
            axes = (data,) if isinstance(data, int) else data
            if isinstance(axes, tuple) and len(sizes) - len(axes) == rank:
                return tuple(size for d, size in enumerate(sizes) if d not in axes)
        return ()

    def _along(self, op: emitpy.CallLikeOp, name: str) -> Extents:
        """The extents of the array, but another one along an axis."""
        array, axis, by, *more = op.operands
        data, sizes = emitpy.literal_data(axis), list(self.of(array))
        if not isinstance(data, int) or not 0 <= data < len(sizes):
            return ()
        if name == "index_select":
            sizes[data] = self.of(by)[0]
        elif (size := self.number(more[0])) is not None:
            sizes[data] = size
        return tuple(sizes)

    def _selected(self, op: emitpy.CallLikeOp, name: str) -> Extents:
        """The extents of positions in place of those of the axes that they select along."""
        array, first, *positions = op.operands
        data, sizes = emitpy.literal_data(first), self.of(array)
        if not isinstance(data, int):
            return ()
        rank = max(rank_of(each.type) for each in positions)
        kept = sizes[:data] if name == "elements_at" else ()
        return (*kept, *self._broadcast(positions, rank), *sizes[data + len(positions) :])

    def _einsum(self, text: SSAValue, arrays: Sequence[SSAValue]) -> Extents:
        data = emitpy.literal_data(text)
        if not isinstance(data, str):
            return ()
        inputs, _, output = data.partition("->")
        sizes = dict[str, Number | None]()
        for letters, array in zip(inputs.split(","), arrays, strict=False):
            sizes |= dict(zip(letters, self.of(array), strict=False))
        return tuple(sizes.get(letter) for letter in output)

    def number(self, value: SSAValue) -> Number | None:
        """A bound of a number of Python, by the arguments."""
        op = value.owner
        if value in self._places:
            return "int", self._places[value]
        data = emitpy.literal_data(value)
        if isinstance(data, int):
            return data
        match op:
            case emitpy.SubscriptOp() if isinstance(op.object.owner, emitpy.AttrOp):
                axis, sizes = emitpy.literal_data(op.indices[0]), self.of(op.object.owner.object)
                return sizes[axis] if isinstance(axis, int) and axis < len(sizes) else None
            case emitpy.CallLikeOp() if _name(op) in _SAME:
                return self.number(op.operands[0])
            case emitpy.CallLikeOp() if _name(op) in ("max", "min") and len(op.operands) == 2:
                return self._function(_name(op), op.operands)
            case emitpy.CallLikeOp() if _name(op) == "floor_divide_ints":
                return self.number(op.operands[0])
            case emitpy.ConditionalOp():
                return self._function("max", (op.if_true, op.if_false))
            case emitpy.BinaryOp() if op.operator.data in FUNCTIONS:
                return self._function(op.operator.data, op.operands)
            case _:
                return None

    def _function(self, name: str, operands: Sequence[SSAValue]) -> Number | None:
        x, y = map(self.number, operands)
        if x is not None and y is not None:
            return name, x, y
        if name == "min":
            return x if y is None else y
        return x if name == "-" and _is_size(operands[1]) else None


def _is_size(value: SSAValue) -> bool:
    """Whether a number is a maximum with 0."""
    op = value.owner
    if not isinstance(op, emitpy.CallOp) or _name(op) != "max":
        return False
    return any(emitpy.literal_data(each) == 0 for each in op.operands)


def _is_joined(op: Operation) -> bool:
    return isinstance(op, emitpy.CallLikeOp) and _name(op) in _JOINED


def _is_slow(op: Operation) -> bool:
    return isinstance(op, emitpy.CallLikeOp) and _name(op) in _SLOW


def leaves_of(values: Sequence[SSAValue]) -> Iterator[SSAValue]:
    """The values, and those in nested tuples."""
    for value in values:
        if isinstance(value.owner, emitpy.TupleOp):
            yield from leaves_of(value.owner.fields)
        else:
            yield value


def _name(op: emitpy.CallLikeOp) -> str:
    """The last part of the name of a function or method."""
    match op:
        case emitpy.CallOp() | emitpy.HelperOp():
            return op.callee.data.rpartition(".")[2]
        case emitpy.MethodOp():
            return op.method.data
        case _:
            return ""
