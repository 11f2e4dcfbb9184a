"""Sizes of arguments that are known, in a version of a program for some of them.

The attribute ``ein.known_sizes`` of a function has the sizes of each argument, 0 where one is not
known ::

    func.func @turned(%points: !phi.vec<!phi.vec<f64>>, %angle: f64) -> !phi.vec<!phi.vec<f64>>
        attributes {ein.known_sizes = [array<i64: 0, 3>, array<i64>]} { .. }
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import func
from xdsl.dialects.builtin import ArrayAttr, DenseArrayBase, IntegerType, MemRefType, i64
from xdsl.ir import BlockArgument, SSAValue

from ein_mlir.analysis.hints import isa
from ein_mlir.dialects.phi.types import is_scalar_type, rank_of, scalar_of

KNOWN_SIZES = "ein.known_sizes"
"""The attribute of a function with the known sizes of its arguments."""


def set_known_sizes(function: func.FuncOp, sizes: Sequence[Sequence[int]]) -> None:
    """State the sizes of the arguments of a function, 0 where one is not known."""
    rows = [DenseArrayBase.from_list(i64, each) for each in sizes]
    function.attributes[KNOWN_SIZES] = ArrayAttr(rows)


def known_sizes(value: SSAValue) -> Sequence[int]:
    """The sizes of an argument, 0 where one is not known; none if it has no such sizes."""
    function = value.block.parent_op() if isinstance(value, BlockArgument) else None
    if not isinstance(function, func.FuncOp) or not isinstance(value, BlockArgument):
        return ()
    sizes = function.attributes.get(KNOWN_SIZES)
    if not isa(sizes, ArrayAttr[DenseArrayBase[IntegerType]]) or value.index >= len(sizes):
        return ()
    known, type_ = sizes.data[value.index].get_values(), value.type
    is_memory = isa(type_, MemRefType)
    if not is_memory and not is_scalar_type(scalar_of(type_)):
        return ()
    rank = type_.get_num_dims() if is_memory else rank_of(type_)
    return known if len(known) == rank and all(size >= 0 for size in known) else ()
