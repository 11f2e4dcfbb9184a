"""Versions of programs for arguments of equal or known sizes, such as square matrices.

A loop that carries a matrix, and takes one size for both of its axes, could change the sizes in its
first step, and positions that the size of another array bounds could be out of bounds. The version
for arrays of which neither is true is compiled for calls with these; other calls run the program
for all sizes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, TypeAlias, cast

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

from ein_mlir.analysis.phi.bounding_sizes import axes_that_loops_equate, axes_that_steps_equate
from ein_mlir.dialects import phi
from ein_mlir.dialects.creation import copy_of
from ein_mlir.entry import function_of
from ein_mlir.host.arrays import ShapedArray

Groups = Sequence[Sequence[phi.Axis]]

_Place: TypeAlias = tuple[int, phi.Path, int | None]
"""The number of an argument, the path to a field of it, and an axis; None for an Int itself."""


def for_equal_axes(module: ModuleOp, name: str, *, ints: bool = True) -> ModuleOp:
    """The version of a program for arguments whose sizes loops keep; itself if it has none.

    Numbers of a library may have no value at a call: ``ints`` is whether they count as sizes.
    """
    found, fixed = axes_that_loops_equate(function_of(module, name))
    wanted = [[(k, axis) for k, axis in group if ints or axis is not None] for group in found]
    groups = [group for group in wanted if len(group) > 1]
    if groups or fixed:
        module = copy_of(module)
        phi.set_equal_axes(function_of(module, name), groups)
        phi.fix_sizes(function_of(module, name), fixed)
    if bounding := axes_that_steps_equate(function_of(module, name)):
        module = module if groups or fixed else copy_of(module)
        phi.set_equal_axes(function_of(module, name), _merged(groups, bounding))
    return module


def _merged(groups: Groups, wider: Groups) -> Groups:
    """Both groups; an axis of a group in a wider one brings all of its group."""
    added = [[axis for group in groups if {*group} & {*each} for axis in group] for each in wider]
    kept = [group for group in groups if not any({*group} & {*each} for each in wider)]
    return [*kept, *([*dict.fromkeys([*a, *b])] for a, b in zip(wider, added, strict=True))]


def for_all_sizes(module: ModuleOp, name: str) -> ModuleOp:
    """The program without assumptions on sizes."""
    module = copy_of(module)
    phi.set_equal_axes(function_of(module, name), ())
    phi.fix_sizes(function_of(module, name), {})
    return module


def accepted(entry: Operation) -> Callable[[Sequence[Any]], bool] | None:
    """Whether arguments have the sizes that a program is for; None if all have."""
    equal, known = phi.equal_axes(entry), phi.fixed_sizes(entry)
    if not equal and not known:
        return None
    leaves = [(argument.index, path) for argument, path, _ in phi.leaves_of_arguments(entry)]
    groups = [[(*leaves[k], axis) for k, axis in group] for group in equal]
    fixed = [((*leaves[k], axis), size) for (k, axis), size in known.items()]
    return partial(_are_equal, groups, fixed)


def _are_equal(
    groups: Sequence[Sequence[_Place]],
    fixed: Sequence[tuple[_Place, int]],
    arguments: Sequence[Any],
) -> bool:
    """Whether the sizes of arguments in each group are the same, and others are known ones."""
    sizes = ([_size(arguments, place) for place in group] for group in groups)
    return all(size == first for first, *others in sizes for size in others) and all(
        _size(arguments, place) == size for place, size in fixed
    )


def _size(arguments: Sequence[Any], place: _Place) -> int:
    """A size of a leaf, or an Int; -1, which is no size, for a placeholder of an Int."""
    number, path, axis = place
    value = arguments[number]
    for field in path:
        if isinstance(value, tuple):  # complex numbers are records in the program alone
            value = cast("tuple[Any, ...]", value)[field]
    if axis is None:
        return -1 if isinstance(value, ShapedArray) else int(value)
    return value.shape[axis]
