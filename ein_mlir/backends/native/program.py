"""A compiled program as data: its text, and the words that its functions take and return."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from xdsl.dialects.builtin import DYNAMIC_INDEX, IndexType, MemRefType
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute

from ein_mlir.analysis.hints import isa

_DTYPES = {"i1": "?", "i32": "<i4", "i64": "<i8", "f32": "<f4", "f64": "<f8"}

_WORDS = {"?": "?7x", "<i4": "i4x", "<i8": "q", "<f4": "f4x", "<f8": "d"}
"""The format of a scalar in a word, for ``struct``."""


@dataclass(frozen=True)
class Leaf:
    """An argument or result: an array, or a scalar."""

    dtype: str
    rank: int
    """The rank of an array; a scalar has rank 0."""

    @property
    def format(self) -> str:
        """The words that represent it, as ``struct`` writes them."""
        return "Q" + "q" * self.rank if self.rank else _WORDS[self.dtype]

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
class Assembled:
    """A program with its text for LLVM."""

    program: Program
    text: str


@dataclass(frozen=True)
class Binary:
    """A program with its object file for the host."""

    program: Program
    code: bytes


def function_of(op: FuncOp) -> Function:
    """The words of a function of the loops."""
    type_ = op.function_type
    inputs = type_.inputs.data if op.is_declaration else type_.inputs.data[:-1]
    return Function(
        op.sym_name.data,
        tuple(map(leaf_of, inputs)),
        tuple(map(leaf_of, type_.outputs.data)),
    )


def leaf_of(type: Attribute) -> Leaf:
    """The leaf of a type of the loops."""
    if isa(type, MemRefType):
        assert all(size == DYNAMIC_INDEX for size in type.get_shape())
        return Leaf(_DTYPES[str(type.element_type)], len(type.get_shape()))
    return Leaf("<i8" if isinstance(type, IndexType) else _DTYPES[str(type)], 0)
