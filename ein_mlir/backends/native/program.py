"""A compiled program as data: its text, and the words that its functions take and return."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from xdsl.dialects.builtin import DYNAMIC_INDEX, FunctionType, IndexType, MemRefType
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute

from ein_mlir.analysis.hints import isa
from ein_mlir.dialects import phi
from ein_mlir.host.dataclass import dataclass
from ein_mlir.host.elements import BY_HOST

_FORMATS = {
    "b": {1: "?"},
    "i": {1: "b", 2: "h", 4: "i", 8: "q"},
    "u": {1: "B", 2: "H", 4: "I"},
    "f": {2: "e", 4: "f", 8: "d"},
}
"""Kind and bytes of a dtype -> the format of a number, for ``struct``."""

_DTYPES = {name: type_.dtype for name, type_ in BY_HOST.items()}


@dataclass(frozen=True)
class Leaf:
    """An argument or result: an array, or a scalar."""

    dtype: str
    rank: int
    """The rank of an array; a scalar has rank 0."""

    @property
    def format(self) -> str:
        """The words that represent it, as ``struct`` writes them."""
        dtype = self.numpy
        if self.rank:
            return "Q" + "q" * self.rank
        return f"{_FORMATS[dtype.kind][dtype.itemsize]}{8 - dtype.itemsize}x"

    @property
    def numpy(self) -> np.dtype[Any]:
        """The dtype in NumPy."""
        return np.dtype(self.dtype)


@dataclass(frozen=True)
class Function:
    """A function of a program; its last argument, the operands of assertions, is not among them."""

    name: str
    arguments: tuple[Leaf, ...]
    results: tuple[Leaf, ...]


@dataclass(frozen=True)
class Program:
    """The functions of a compiled module."""

    functions: tuple[Function, ...]
    externs: tuple[Function, ...] = ()
    messages: tuple[str, ...] = ()
    """The messages of the assertions: code 1 is the first."""

    def function(self, name: str) -> Function:
        """A function by its name."""
        return next(f for f in self.functions if f.name == name)


@dataclass(frozen=True)
class LatePart:
    """Functions that are compiled when a call first has the sizes that need them."""

    symbols: Sequence[str]
    """The functions that others call; their numbers go on from those of the part before."""
    texts: Sequence[str]


@dataclass(frozen=True)
class Assembled:
    """A program with its parts, each a text for LLVM that is compiled independently."""

    program: Program
    texts: Sequence[str]
    late: Sequence[LatePart] = ()


@dataclass(frozen=True)
class Binary:
    """A program with the object files of its parts for the host."""

    program: Program
    objects: Sequence[bytes]
    late: Sequence[LatePart] = ()


def function_of(op: FuncOp) -> Function:
    """The words of a function of the loops; the host sees its own types in them."""
    type_, seen = op.function_type, op.attributes.get(phi.HOST_TYPE)
    inputs = type_.inputs.data if op.is_declaration else type_.inputs.data[:-1]
    arguments, results = tuple(map(leaf_of, inputs)), tuple(map(leaf_of, type_.outputs.data))
    if isinstance(seen, FunctionType):
        arguments, results = _seen(arguments, seen.inputs), _seen(results, seen.outputs)
    return Function(op.sym_name.data, arguments, results)


def _seen(leaves: Sequence[Leaf], types: Iterable[Attribute]) -> tuple[Leaf, ...]:
    """Leaves with the elements that the host sees; those that passes have added are last."""
    elements = [str(phi.scalar_of(leaf)) for type_ in types for leaf in phi.leaves(type_)]
    known = [Leaf(_DTYPES[name], leaf.rank) for name, leaf in zip(elements, leaves, strict=False)]
    return (*known, *leaves[len(known) :])


def leaf_of(type: Attribute) -> Leaf:
    """The leaf of a type of the loops."""
    if isa(type, MemRefType):
        assert all(size == DYNAMIC_INDEX for size in type.get_shape())
        return Leaf(_DTYPES[str(type.element_type)], len(type.get_shape()))
    return Leaf("int64" if isinstance(type, IndexType) else _DTYPES[str(type)], 0)
