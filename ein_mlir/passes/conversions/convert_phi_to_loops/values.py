"""The translation of a value of phi: a scalar, or an array in a buffer, for each of its fields."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import field, replace
from functools import lru_cache
from typing import TypeAlias

from xdsl.dialects.builtin import DYNAMIC_INDEX, MemRefType, TupleType, bf16
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.utils.exceptions import PassFailedException

from ein_mlir.analysis.hints import isa
from ein_mlir.analysis.phi.free_indices import leaf_types
from ein_mlir.dialects import phi
from ein_mlir.host.dataclass import dataclass


@dataclass(eq=False)
class Buffer:
    """The memory of an array, row-major and without gaps."""

    memref: SSAValue
    sizes: tuple[SSAValue, ...]
    """The sizes along its axes, of type ``index``."""
    home: Operation | Block
    """The operation after which it is available, or the block whose argument it is."""
    filled: SSAValue | None = field(default=None)
    """The same memory, or one zero for each axis that is empty: it is safe to read."""
    outer: Buffer | None = None
    """For an array that a loop carries or ends with, its first value's, if of the same sizes."""
    zeros: SSAValue | None = field(default=None)
    """The zeros to read in its place if it has no elements; if it has some, there are none."""
    is_undefined: bool = False
    """Whether its elements are of no use, so that a copy of it needs none of them."""


@dataclass(frozen=True, eq=False)
class Array:
    """An array: the part of a buffer at some leading positions.

    ``own`` arrays share no memory with a value that is still used: they may be overwritten.
    """

    buffer: Buffer
    prefix: tuple[SSAValue, ...] = ()
    own: bool = False
    reads_filled: bool = False
    """Whether the prefix is a position in the filled buffer only."""

    @property
    def sizes(self) -> Sequence[SSAValue]:
        """The sizes along its axes."""
        return self.buffer.sizes[len(self.prefix) :]

    @property
    def is_whole(self) -> bool:
        """Whether it is all of its buffer."""
        return not self.prefix

    def is_same(self, other: Array) -> bool:
        """Whether it is plainly the same part of the same buffer."""
        places = zip(self.prefix, other.prefix, strict=False)
        return (
            self.buffer is other.buffer
            and len(self.prefix) == len(other.prefix)
            and all(phi.uncast(one) is phi.uncast(two) for one, two in places)
        )

    @property
    def element(self) -> Attribute:
        """The type of its scalars."""
        return element_of(self.buffer.memref)

    def at(self, positions: Sequence[SSAValue]) -> Array:
        """The part at further positions in bounds."""
        return Array(self.buffer, (*self.prefix, *positions), self.own, self.reads_filled)

    def borrowed(self, *, reads_filled: bool = False) -> Array:
        """The array as a part of a value that may still be used."""
        return replace(self, own=False, reads_filled=self.reads_filled or reads_filled)


Leaf: TypeAlias = "SSAValue | Array"
Value: TypeAlias = tuple[Leaf, ...]
"""The fields of a record, of records in it, and so on, in order; one for other values.

An array of records has the fields of the record of arrays.
"""


def memref_type(type_: Attribute) -> MemRefType[Attribute]:
    """The buffer of a vector type: ``!phi.vec<!phi.vec<f64>>`` is a ``memref<?x?xf64>``."""
    return buffer_type(phi.scalar_of(type_), phi.rank_of(type_))


@lru_cache(256)
def buffer_type(element: Attribute, rank: int) -> MemRefType[Attribute]:
    """The type of a buffer of a rank."""
    return MemRefType(checked(element), [DYNAMIC_INDEX] * rank)


def element_of(memref: SSAValue) -> Attribute:
    """The type of the elements of a buffer."""
    assert isa(memref.type, MemRefType[Attribute])
    return memref.type.element_type


def loop_types(type_: Attribute) -> list[Attribute]:
    """The types that represent a type of phi: scalars and buffers."""
    return [
        memref_type(leaf) if isinstance(leaf, phi.VecType) else checked(leaf)
        for leaf in leaf_types(type_)
    ]


def checked(scalar: Attribute) -> Attribute:
    """A scalar type that machine code has."""
    if scalar == bf16:
        raise PassFailedException(
            "convert-phi-to-loops: machine code has no bf16: convert to f32, or compile for "
            "PyTorch or JAX"
        )
    return scalar


def paths(type_: Attribute, path: phi.Path = ()) -> Iterator[phi.Path]:
    """The path to each leaf of a type; an array of records is one step for all of its leaves."""
    if isa(type_, TupleType):
        for number, each in enumerate(type_.types):
            yield from paths(each, (*path, number))
    else:
        for _ in leaf_types(type_):
            yield path
