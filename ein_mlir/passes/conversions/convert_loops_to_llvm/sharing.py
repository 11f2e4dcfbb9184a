"""Equal code: operations that compute the same from the values that they capture have equal keys.

A key has the operations in order, each with its class, its properties and the numbers of its
operands. Values are numbered where they are defined. A captured constant is its attribute, any
other captured value its place and its type. So one function of LLVM serves all loops of a key.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence

from xdsl.dialects import arith
from xdsl.ir import Operation, SSAValue


def key_of(op: Operation, captured: Sequence[SSAValue]) -> Hashable:
    """The key of an operation with all in its bodies, given the values that it captures."""
    numbers: dict[SSAValue, Hashable] = {
        value: (place, value.type) for place, value in enumerate(captured)
    }
    return tuple(_parts(op, numbers))


def _parts(op: Operation, numbers: dict[SSAValue, Hashable]) -> Iterator[Hashable]:
    """The parts of the key of an operation; the values that it defines get numbers."""
    yield type(op)
    yield tuple(_number(operand, numbers) for operand in op.operands)
    yield tuple(op.properties.items())
    yield tuple(op.attributes.items())
    for result in op.results:
        numbers[result] = len(numbers)
        yield result.type
    for region in op.regions:
        for block in region.blocks:
            for argument in block.args:
                numbers[argument] = len(numbers)
                yield argument.type
            for inner in block.ops:
                yield from _parts(inner, numbers)
            yield None


def _number(value: SSAValue, numbers: dict[SSAValue, Hashable]) -> Hashable:
    if value not in numbers and isinstance(value.owner, arith.ConstantOp):
        return value.owner.value
    return numbers[value]
