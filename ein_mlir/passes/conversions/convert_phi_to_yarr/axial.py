"""The Axial: an array whose leading dimensions run over named indices (dissertation, 3.5).

An Axial ``<[i, j], E>`` represents a phi value that varies with the indices ``i`` and ``j``: the
leading dimensions of the yarr value ``E`` run over them, its other dimensions are the value's own.
Axes are kept in the order in which their comprehensions nest, outermost first, so that closing a
comprehension finds its index last among the axes and needs no transposition.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TypeAlias

from xdsl.dialects.builtin import TupleType
from xdsl.ir import Attribute, SSAValue

from ein_mlir.analysis.hints import isa
from ein_mlir.dialects import yarr
from ein_mlir.host.dataclass import dataclass


@dataclass(frozen=True, eq=False)
class Index:
    """A comprehension index: its place in the order of nesting, and its size as a yarr value."""

    order: int
    size: SSAValue
    name: str | None
    range: SSAValue
    """The Ints from 0 up to the size: the index itself, as an array over its axis."""


@dataclass(frozen=True)
class Axial:
    """``axes`` and a yarr ``value`` whose leading dimensions run over them."""

    axes: tuple[Index, ...]
    value: SSAValue

    @property
    def own_rank(self) -> int:
        """The rank of the phi value: the dimensions that are no axes."""
        return yarr.rank_of(self.value) - len(self.axes)


Value: TypeAlias = "Axial | tuple[Value, ...]"
"""The translation of a phi value: an Axial, or for a record the tuple of its fields' values."""


def leaves(value: Value) -> list[Axial]:
    """The Axials of a (nested) record in order."""
    if isinstance(value, Axial):
        return [value]
    return [leaf for field in value for leaf in leaves(field)]


def map_leaves(function: Callable[[Axial], Axial], value: Value) -> Value:
    """Apply a function to each Axial of a (nested) record."""
    if isinstance(value, Axial):
        return function(value)
    return tuple(map_leaves(function, field) for field in value)


def union(axes: Sequence[Sequence[Index]]) -> tuple[Index, ...]:
    """The indices of several lists, each once, in the order of nesting."""
    found = {index for group in axes for index in group}
    return tuple(sorted(found, key=lambda index: index.order))


def bundle(
    type_: Attribute, axes: Sequence[tuple[Index, ...]], values: Sequence[SSAValue]
) -> Value:
    """The arrays of the fields of a (nested) record of a phi type, with the axes of each."""
    return _rebuild(type_, (Axial(a, v) for a, v in zip(axes, values, strict=True)))


def _rebuild(type_: Attribute, axials: Iterator[Axial]) -> Value:
    """Axials in order as the fields of a (nested) record of a phi type."""
    if isa(type_, TupleType):
        return tuple(_rebuild(field, axials) for field in type_.types)
    return next(axials)
