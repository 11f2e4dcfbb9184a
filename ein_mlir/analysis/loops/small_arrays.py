"""Small arrays of known sizes, with the loops that carry them from step to step."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import field
from math import prod
from typing import TypeGuard

from xdsl.dialects import func, memref, scf
from xdsl.dialects.builtin import DYNAMIC_INDEX, MemRefType
from xdsl.ir import Block, BlockArgument, Operation, OpResult, SSAValue, Use

from ein_mlir.analysis.constants import known_int
from ein_mlir.analysis.hints import isa
from ein_mlir.host.dataclass import dataclass

MOST_ELEMENTS = 16
"""The maximal number of elements of a small array: about the registers of a processor."""

_ACCESSES = (memref.LoadOp, memref.StoreOp, memref.DeallocOp, memref.DimOp)


@dataclass(frozen=True)
class Slot:
    """The place of an array among the values that a loop carries."""

    loop: scf.ForOp | scf.WhileOp
    number: int

    @property
    def body(self) -> Block:
        """The block of a step."""
        return body_of(self.loop)

    @property
    def init(self) -> SSAValue:
        """The array before the first step."""
        return carried_by(self.loop)[self.number]

    @property
    def argument(self) -> SSAValue:
        """The array at the start of a step."""
        return self.body.args[_first(self.loop) + self.number]

    @property
    def result(self) -> SSAValue:
        """The array after the last step."""
        return self.loop.results[self.number]

    @property
    def following(self) -> SSAValue:
        """The array at the end of a step."""
        last = self.body.last_op
        assert last is not None
        return last.operands[self.number]

    def values(self) -> Sequence[SSAValue]:
        """The names of the array."""
        return self.init, self.argument, self.result, self.following


def body_of(loop: scf.ForOp | scf.WhileOp) -> Block:
    """The block of a step of a loop."""
    return (loop.body if isinstance(loop, scf.ForOp) else loop.after_region).block


def carried_by(loop: scf.ForOp | scf.WhileOp) -> Sequence[SSAValue]:
    """The values that a loop carries, before its first step."""
    return loop.iter_args if isinstance(loop, scf.ForOp) else loop.arguments


def _first(loop: scf.ForOp | scf.WhileOp) -> int:
    """The number of the first argument of a step that is carried."""
    return 1 if isinstance(loop, scf.ForOp) else 0


@dataclass
class SmallArrays:
    """Arrays of the same known sizes of which each may become another one in a loop."""

    shape: Sequence[int]
    allocations: list[memref.AllocOp] = field(default_factory=list[memref.AllocOp])
    slots: list[Slot] = field(default_factory=list[Slot])
    accesses: list[Operation] = field(default_factory=list[Operation])
    """The loads, stores, queries of sizes and releases."""
    returns: list[Use] = field(default_factory=list[Use])


def known_shape(op: memref.AllocOp) -> Sequence[int] | None:
    """The sizes of an array, if they are known and there are few elements."""
    type_ = op.memref.type
    assert isa(type_, MemRefType)
    rest = iter(op.dynamic_sizes)
    sizes = [known_int(next(rest)) if n == DYNAMIC_INDEX else n for n in type_.get_shape()]
    shape = [size for size in sizes if size is not None]
    return shape if len(shape) == len(sizes) and 0 < prod(shape) <= MOST_ELEMENTS else None


def small_arrays(op: memref.AllocOp) -> SmallArrays | None:
    """The small arrays that an allocation belongs to, if nothing else can reach their memory."""
    shape = known_shape(op)
    if shape is None:
        return None
    found, seen, pending = SmallArrays(shape), set[SSAValue](), list[SSAValue]([op.memref])
    while pending:
        value = pending.pop()
        if value in seen:
            continue
        seen.add(value)
        slots = _visit(value, found)
        if slots is None:
            return None
        for slot in slots:
            if slot not in found.slots:
                found.slots.append(slot)
                pending.extend(slot.values())
    return found if all(map(_is_last_use, found.slots)) else None


def _visit(value: SSAValue, found: SmallArrays) -> Sequence[Slot] | None:
    """Enter the uses of an array; the slots it has in loops, None if it is used otherwise."""
    slots = list[Slot]()
    origin = _origin(value)
    if isinstance(origin, Slot):
        slots.append(origin)
    elif origin is None or known_shape(origin) != found.shape:
        return None
    else:
        found.allocations.append(origin)
    for use in value.uses:
        user = use.operation
        slot = _slot_of_use(use)
        if slot is not None:
            slots.append(slot)
        elif isinstance(user, func.ReturnOp):
            found.returns.append(use)
        elif isinstance(user, _ACCESSES):
            found.accesses.append(user)
        else:
            return None
    return slots


def _origin(value: SSAValue) -> Slot | memref.AllocOp | None:
    """The slot whose argument or result an array is, or its allocation."""
    if isinstance(value, BlockArgument):
        loop = value.block.parent_op()
        if not _is_loop(loop) or value.block is not body_of(loop):
            return None
        number = value.index - _first(loop)
        return Slot(loop, number) if number >= 0 else None
    assert isinstance(value, OpResult)
    if _is_loop(value.op):
        return Slot(value.op, value.index)
    return value.op if isinstance(value.op, memref.AllocOp) else None


def _slot_of_use(use: Use) -> Slot | None:
    """The slot that a loop, or the end of its step, passes an array to."""
    user = use.operation
    if _is_loop(user):
        number = use.index - (len(user.operands) - len(user.results))
        return Slot(user, number) if number >= 0 else None
    loop = user.parent_op() if isinstance(user, scf.YieldOp) else None
    return Slot(loop, use.index) if _is_loop(loop) else None


def _is_loop(op: Operation | None) -> TypeGuard[scf.ForOp | scf.WhileOp]:
    """Whether an operation is a loop whose steps get all that it carries.

    A condition before each step passes it on, and reads no array itself.
    """
    if not isinstance(op, scf.WhileOp):
        return isinstance(op, scf.ForOp)
    before = op.before_region.block
    condition = before.last_op
    return (
        isinstance(condition, scf.ConditionOp)
        and condition.args == before.args
        and all(arg.has_one_use() for arg in before.args if isinstance(arg.type, MemRefType))
    )


def _is_last_use(slot: Slot) -> bool:
    """Whether an array is read and written only as its replacement, in a loop and after it."""
    return all(
        use.operation is slot.loop and _slot_of_use(use) == slot
        if place is slot.loop
        else isinstance(use.operation, memref.DeallocOp) or place.is_before_in_block(slot.loop)
        for use, place in _places(slot.init, slot.loop)
    )


def _places(value: SSAValue, loop: Operation) -> Iterator[tuple[Use, Operation]]:
    """The uses of a value with the operations of the block of a loop that they belong to."""
    block = loop.parent
    assert isinstance(block, Block)
    for use in value.uses:
        place = block.find_ancestor_op_in_block(use.operation)
        assert place is not None
        yield use, place
