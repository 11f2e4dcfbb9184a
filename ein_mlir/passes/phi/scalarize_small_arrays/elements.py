"""Values of a loop whose small arrays are numbers: numbers, arrays that stay, lists and records."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from math import prod
from typing import TypeAlias

from xdsl.ir import SSAValue

from ein_mlir.host.dataclass import dataclass


class NotSmallError(Exception):
    """A step computes an array that has many elements, or has an operation without a rule."""


@dataclass(frozen=True)
class Elements:
    """The elements of a small array in the order of positions, the last axis first to change."""

    shape: tuple[int, ...]
    values: tuple[SSAValue, ...]
    is_assumed: bool = False
    """Whether an array may have other sizes before the first step, as an initial value.

    Its elements are those at the positions below these sizes, which clip. Only they are known.
    """
    start: tuple[SSAValue, int] | None = None
    """The initial value of a carried array, and its first axis of these elements.

    It has the same sizes if all assertions hold.
    """

    def row(self, position: int) -> SSAValue | Elements:
        """The element, or row, at a position of the first axis, which clips."""
        if not self.values or (self.is_assumed and not 0 <= position < self.shape[0]):
            raise NotSmallError
        length = prod(self.shape[1:])
        start = min(max(position, 0), self.shape[0] - 1) * length
        values = self.values[start : start + length]
        row = part(self.shape[1:], values)
        if isinstance(row, SSAValue):
            return row
        start = None if self.start is None else (self.start[0], self.start[1] + 1)
        return replace(row, is_assumed=self.is_assumed, start=start)

    def rows(self) -> list[SSAValue | Elements]:
        """The elements, or rows, of the first axis, all of which are known."""
        if self.is_assumed:
            raise NotSmallError
        return [self.row(position) for position in range(self.shape[0])]


Value: TypeAlias = "SSAValue | Elements | tuple[Value, ...]"
"""A number or an array that stays; a small array; a record."""


def part(shape: tuple[int, ...], values: tuple[SSAValue, ...]) -> SSAValue | Elements:
    """A small array, or a number if it has no axis."""
    return Elements(shape, values) if shape else values[0]


def leaves(value: Value) -> Iterator[SSAValue]:
    """The parts of a value in order."""
    if isinstance(value, SSAValue):
        yield value
    else:
        for each in value.values if isinstance(value, Elements) else value:
            yield from leaves(each)


def like(value: Value, parts: Iterator[SSAValue]) -> Value:
    """A value of the same structure that has other parts."""
    if isinstance(value, SSAValue):
        return next(parts)
    if isinstance(value, Elements):
        return replace(value, values=tuple(next(parts) for _ in value.values))
    return tuple(like(field, parts) for field in value)


def is_like(value: Value, other: Value) -> bool:
    """Whether another value has parts of the same types and sizes in the same structure."""
    if isinstance(value, SSAValue):
        return isinstance(other, SSAValue) and value.type == other.type
    if isinstance(value, Elements):
        own = [each.type for each in value.values]
        return (
            isinstance(other, Elements)
            and not other.is_assumed
            and value.shape == other.shape
            and own == [each.type for each in other.values]
        )
    return isinstance(other, tuple) and len(value) == len(other) and all(map(is_like, value, other))


def joined(shape: tuple[int, ...], elements: Sequence[Value]) -> Value:
    """The array of some elements, or the record of arrays for records."""
    first = elements[0]
    if isinstance(first, tuple):
        fields = [[row[k] for row in elements if isinstance(row, tuple)] for k in range(len(first))]
        return tuple(joined(shape, field) for field in fields)
    if not all(is_like(first, each) for each in elements):
        raise NotSmallError
    inner = first.shape if isinstance(first, Elements) else ()
    return Elements((*shape, *inner), tuple(leaf for each in elements for leaf in leaves(each)))
