"""Equal code: operations that compute the same from the values that they capture have equal keys.

A key has the operations in order, each with its class, its properties and the numbers of its
operands. Values are numbered where they are defined. A captured constant is its attribute, any
other captured value its place and its type. So one function of LLVM serves all loops of a key.
"""

# pyright: reportPrivateUsage=false

from __future__ import annotations

from collections.abc import Hashable, Sequence

from xdsl.dialects import arith
from xdsl.ir import Operation, SSAValue


def key_of(op: Operation, captured: Sequence[SSAValue]) -> Hashable:
    """The key of an operation with all in its bodies, given the values that it captures."""
    numbers: dict[SSAValue, Hashable] = {
        value: (place, value.type) for place, value in enumerate(captured)
    }
    parts = list[Hashable]()
    _add(op, numbers, parts)
    return tuple(parts)


def _add(op: Operation, numbers: dict[SSAValue, Hashable], parts: list[Hashable]) -> None:
    """Add the parts of the key of an operation; the values that it defines get numbers."""
    parts.append(type(op))
    for operand in op._operands:
        number = numbers.get(operand)
        parts.append(_constant(operand) if number is None else number)
    parts.extend(op.properties.items())
    parts.extend(op.attributes.items())
    _define(op.results, numbers, parts)
    for region in op.regions:
        for block in region.blocks:
            _define(block.args, numbers, parts)
            for inner in block.ops:
                _add(inner, numbers, parts)
            parts.append(None)


def _define(
    values: Sequence[SSAValue], numbers: dict[SSAValue, Hashable], parts: list[Hashable]
) -> None:
    for value in values:
        numbers[value] = len(numbers)
        parts.append(value.type)


def _constant(value: SSAValue) -> Hashable:
    assert isinstance(value.owner, arith.ConstantOp)
    return value.owner.value
