"""New operations of any dialect, copies of them, and their end, in a fraction of the time of xDSL.

The types of an operation that a pass makes are known, and the verifier checks it later: nothing is
inferred, converted or checked here.
"""

# pyright: reportPrivateUsage=false

from __future__ import annotations

import struct
from collections.abc import Iterable, Mapping, Sequence
from functools import cache, lru_cache
from typing import TypeVar

from xdsl.dialects.builtin import (
    UNKNOWN_LOC,
    DenseArrayBase,
    IndexType,
    IntegerAttr,
    IntegerType,
    i64,
)
from xdsl.ir import Attribute, Block, Operation, OpResult, Region, SSAValue, SSAValues, Use
from xdsl.irdl import IRDLOperation, OptionalDef

from ein_mlir.analysis.scopes import operations_within

OperationT = TypeVar("OperationT", bound=Operation)


@lru_cache(1024)
def integer_attribute(value: int, type: IntegerType | IndexType) -> IntegerAttr:
    """An attribute for an integer, made once."""
    return IntegerAttr(value, type)


def int_array(numbers: Iterable[int]) -> DenseArrayBase[IntegerType]:
    """An attribute for some Ints, such as axes; made once."""
    return _int_array(tuple(numbers))


@lru_cache(1024)
def _int_array(numbers: tuple[int, ...]) -> DenseArrayBase[IntegerType]:
    return DenseArrayBase.from_list(i64, numbers)


def ints_of(array: DenseArrayBase[IntegerType]) -> tuple[int, ...]:
    """The numbers of an attribute with the element type i64."""
    return _ints_in(array.data.data)


@lru_cache(1024)
def _ints_in(data: bytes) -> tuple[int, ...]:
    return struct.unpack(f"<{len(data) // 8}q", data)


def made(
    cls: type[OperationT],
    operands: Iterable[SSAValue] = (),
    types: Iterable[Attribute] = (),
    properties: Mapping[str, Attribute] | None = None,
    regions: Sequence[Region] = (),
) -> OperationT:
    """A new operation without successors; properties with a default may be left out."""
    op = cls.__new__(cls)
    fill(op, operands, types, properties or {}, regions)
    return op


def made_like(cls: type[OperationT], *operands: SSAValue) -> OperationT:
    """A new operation whose result has the type of its last operand: arithmetic, or a choice."""
    return made(cls, operands, (operands[-1].type,))


def made_jump(
    cls: type[OperationT],
    operands: Iterable[SSAValue],
    targets: tuple[Block, ...],
    properties: Mapping[str, Attribute] | None = None,
) -> OperationT:
    """A new operation that continues in one of some blocks."""
    op = made(cls, operands, (), properties)
    uses = tuple([Use(op, number) for number in range(len(targets))])
    for target, use in zip(targets, uses, strict=True):
        target.add_use(use)
    op._successors, op._successor_uses = targets, uses
    return op


def fill(
    op: Operation,
    operands: Iterable[SSAValue],
    types: Iterable[Attribute],
    properties: Mapping[str, Attribute],
    regions: Sequence[Region] = (),
) -> None:
    """Initialise a new operation."""
    values = SSAValues(operands)
    uses = list[Use]()
    for number, value in enumerate(values):
        use = Use(op, number)
        if (first := value.first_use) is not None:
            use._next_use = first
            first._prev_use = use
        value.first_use = use
        uses.append(use)
    op._operands, op._operand_uses = values, tuple(uses)
    op.results = SSAValues([OpResult(type_, op, number) for number, type_ in enumerate(types)])
    op.properties = {**_defaults(type(op)), **properties}
    op.attributes = {}
    op.location = UNKNOWN_LOC
    for region in regions:
        op.add_region(region)


def append(op: Operation, block: Block) -> None:
    """Add a new operation, whose regions do not contain the block, to the end of a block."""
    last = block._last_op
    op.parent, op._prev_op, block._last_op = block, last, op
    if last is None:
        block._first_op = op
    else:
        last._next_op = op


@cache
def _defaults(cls: type[Operation]) -> Mapping[str, Attribute]:
    """The properties of a class of operations that have a default value."""
    if not issubclass(cls, IRDLOperation):
        return {}
    properties = cls.get_irdl_definition().properties
    return {
        name: definition.default_value
        for name, definition in properties.items()
        if not isinstance(definition, OptionalDef) and definition.default_value is not None
    }


def copy_of(op: OperationT, values: dict[SSAValue, SSAValue] | None = None) -> OperationT:
    """A copy of an operation on other operands, to which the copies of its results are added.

    Operations in its regions use values that are defined before them.
    """
    known = {} if values is None else values
    return copy_with(op, [copy_of_region(region, known) for region in op.regions], known)


def copy_with(
    op: OperationT, regions: Sequence[Region], values: dict[SSAValue, SSAValue]
) -> OperationT:
    """The same with other regions."""
    operands = [values.get(operand, operand) for operand in op._operands]
    copy = made(type(op), operands, [result.type for result in op.results], op.properties, regions)
    copy.attributes.update(op.attributes)
    copy.location = op.location
    for old, new in zip(op.results, copy.results, strict=True):
        new._name = old._name
        values[old] = new
    return copy


def copy_of_region(region: Region, values: dict[SSAValue, SSAValue]) -> Region:
    """A copy of a region on other values, to which the copies of its own values are added."""
    block = region.first_block
    if block is None or block.next_block is not None:
        region.clone_into(others := Region(), 0, values)
        return others
    copy = Block(arg_types=[argument.type for argument in block.args])
    for old, new in zip(block.args, copy.args, strict=True):
        new._name = old._name
        values[old] = new
    op = block._first_op
    while op is not None:
        append(copy_of(op, values), copy)
        op = op._next_op
    return Region(copy)


def discard(region: Region, block: Block) -> None:
    """Remove a body that was replaced from a region, and free its operations.

    Nothing outside uses their values. An operation, its results, its neighbours and its block refer
    to each other, as do the uses of a value; Python would find these cycles later, in longer than
    it takes to cut them here.
    """
    region.detach_block(block)
    for op in operations_within(block):
        for inner in op.regions:
            for body in list(inner.blocks):
                vars(body).clear()
            vars(inner).clear()
        for use in op._operand_uses:
            use._prev_use = None
        vars(op).clear()
    vars(block).clear()


def same_operation(op: Operation, *operands: SSAValue) -> Operation:
    """The same scalar operation on other operands."""
    return op.create(
        operands=operands,
        result_types=[result.type for result in op.results],
        properties=dict(op.properties),
    )
