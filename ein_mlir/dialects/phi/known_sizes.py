"""Facts about the sizes of arguments, in a version of a program for which they hold.

The attribute ``ein.known_sizes`` of a function has the sizes of each argument, 0 where one is not
known ::

    func.func @turned(%points: !phi.vec<!phi.vec<f64>>, %angle: f64) -> !phi.vec<!phi.vec<f64>>
        attributes {ein.known_sizes = [array<i64: 0, 3>, array<i64>]} { .. }

The attribute ``ein.equal_axes`` has a number for each axis, the same one for axes of equal sizes,
or 0: that of a function of a square matrix and any vector is ``[array<i64: 1, 1>, array<i64: 0>]``.
An Int has a number, too: it may be equal to sizes. A record has a row for each of its leaves, the
arrays and numbers that are its fields, as a function of loops has an argument for each.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TypeAlias

from xdsl.dialects import func
from xdsl.dialects.builtin import (
    ArrayAttr,
    DenseArrayBase,
    IntegerType,
    MemRefType,
    TupleType,
    i64,
)
from xdsl.ir import Attribute, BlockArgument, Operation, SSAValue

from ein_mlir.analysis.hints import isa
from ein_mlir.dialects.phi.interface import Path
from ein_mlir.dialects.phi.types import is_scalar_type, rank_of, scalar_of, struct_of_arrays

KNOWN_SIZES = "ein.known_sizes"
"""The attribute of a function with the known sizes of its arguments."""

EQUAL_AXES = "ein.equal_axes"
"""The attribute of a function with the axes of its arguments that have equal sizes."""

Axis: TypeAlias = tuple[int, int | None]
"""The number of a leaf of the arguments, and an axis of it; None for an Int itself."""


def leaves_of_arguments(function: Operation) -> Sequence[tuple[BlockArgument, Path, Attribute]]:
    """The leaves of the arguments of a function: the argument, the path to a field, its type."""
    arguments = function.regions[0].block.args
    return [(each, *leaf) for each in arguments for leaf in leaves_at(struct_of_arrays(each.type))]


def leaves_at(type_: Attribute, path: Path = ()) -> Iterator[tuple[Path, Attribute]]:
    """The path to each field of a (nested) record, and its type, in order; those of other types."""
    if isa(type_, TupleType):
        for k, field in enumerate(type_.types):
            yield from leaves_at(field, (*path, k))
    else:
        yield path, type_


def set_known_sizes(function: func.FuncOp, sizes: Sequence[Sequence[int]]) -> None:
    """State the sizes of the leaves of arguments of a function, 0 where one is not known."""
    function.attributes[KNOWN_SIZES] = _rows(sizes)


def fixed_sizes(function: Operation) -> Mapping[Axis, int]:
    """The sizes of axes of the arguments of a function that are known."""
    if KNOWN_SIZES not in function.attributes:
        return {}
    return {
        (number, None if type_ == i64 else axis): size
        for number, (*_, type_) in enumerate(leaves_of_arguments(function))
        for axis, size in enumerate(_numbers(function, KNOWN_SIZES, number, type_))
        if size
    }


def with_fixed(function: func.FuncOp, sizes: Sequence[Sequence[int]]) -> Sequence[Sequence[int]]:
    """Sizes of the arguments of a function, with those that are known in place of 0."""
    fixed = fixed_sizes(function)
    return [
        [size or fixed.get((k, axis), 0) for axis, size in enumerate(row)]
        for k, row in enumerate(sizes)
    ]


def fix_sizes(function: func.FuncOp, sizes: Mapping[Axis, int]) -> None:
    """State the sizes of some axes of the arguments of a function."""
    rows = [
        [sizes.get((k, axis), 0) for axis in ([None] if type_ == i64 else range(rank_of(type_)))]
        for k, (*_, type_) in enumerate(leaves_of_arguments(function))
    ]
    set_known_sizes(function, rows)


def _rows(numbers: Iterable[Sequence[int]]) -> Attribute:
    return ArrayAttr([DenseArrayBase.from_list(i64, each) for each in numbers])


def known_sizes(value: SSAValue) -> Sequence[int]:
    """The sizes of an argument, 0 where one is not known; none if it has no such sizes."""
    function = value.block.parent_op() if isinstance(value, BlockArgument) else None
    if not isinstance(function, func.FuncOp) or KNOWN_SIZES not in function.attributes:
        return ()
    for number, (argument, path, type_) in enumerate(leaves_of_arguments(function)):
        if argument is value and not path:
            return _numbers(function, KNOWN_SIZES, number, type_)
    return ()


def _numbers(function: Operation, name: str, leaf: int, type_: Attribute) -> Sequence[int]:
    """A number for each axis of a leaf, by an attribute; none if it is not of that form."""
    rows = function.attributes.get(name)
    if not isa(rows, ArrayAttr[DenseArrayBase[IntegerType]]) or leaf >= len(rows):
        return ()
    known = rows.data[leaf].get_values()
    is_memory = isa(type_, MemRefType)
    if not is_memory and not is_scalar_type(scalar_of(type_)):
        return ()
    rank = type_.get_num_dims() if is_memory else rank_of(type_) or type_ == i64
    return known if len(known) == rank and all(number >= 0 for number in known) else ()


def set_equal_axes(function: func.FuncOp, groups: Iterable[Iterable[Axis]]) -> None:
    """State which axes of the arguments of a function have equal sizes: in each group, if any."""
    leaves = leaves_of_arguments(function)
    rows = [[0] * (rank_of(type_) or type_ == i64) for *_, type_ in leaves]
    for number, group in enumerate(groups, 1):
        for leaf, axis in group:
            rows[leaf][axis or 0] = number
    function.attributes[EQUAL_AXES] = _rows(rows)


def equal_axes(function: Operation) -> Sequence[Sequence[Axis]]:
    """The groups of axes of the arguments of a function that have equal sizes."""
    if EQUAL_AXES not in function.attributes:
        return ()
    groups = defaultdict[int, list[Axis]](list)
    for leaf, (*_, type_) in enumerate(leaves_of_arguments(function)):
        for axis, number in enumerate(_numbers(function, EQUAL_AXES, leaf, type_)):
            if number:
                groups[number].append((leaf, None if type_ == i64 else axis))
    return [group for group in groups.values() if len(group) > 1]
