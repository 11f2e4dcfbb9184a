"""Versions of programs for arguments of equal or known sizes, such as square matrices.

A loop that carries a matrix, and takes one size for both of its axes, could change the sizes in its
first step, and positions that the size of another array bounds could be out of bounds. The version
for arrays of which neither is true is compiled for calls with these. Other calls run a version for
the part of these sizes that they have.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Any, TypeAlias, cast

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

from ein_mlir.analysis.phi.bounding_sizes import axes_that_loops_equate, axes_that_steps_equate
from ein_mlir.dialects import phi
from ein_mlir.dialects.creation import copy_of
from ein_mlir.entry import function_of
from ein_mlir.host.arrays import ShapedArray

Groups = Sequence[Sequence[phi.Axis]]

Assumed: TypeAlias = tuple[tuple[tuple[phi.Axis, ...], ...], tuple[tuple[phi.Axis, int], ...]]
"""Groups of axes of equal sizes, and axes of known ones."""


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


def assuming(module: ModuleOp, name: str, assumed: Assumed) -> ModuleOp:
    """The version of a program for some sizes of arguments; for all sizes, if these are none."""
    groups, known = assumed
    module = copy_of(module)
    phi.set_equal_axes(function_of(module, name), groups)
    phi.fix_sizes(function_of(module, name), dict(known))
    return module


class Assumptions:
    """The sizes that a version of a program is for."""

    def __init__(self, entry: Operation):
        self._groups, self._known = phi.equal_axes(entry), phi.fixed_sizes(entry)
        self._leaves = [(each.index, path) for each, path, _ in phi.leaves_of_arguments(entry)]

    def __bool__(self) -> bool:
        """Whether there are any: other versions are for all sizes."""
        return bool(self._groups or self._known)

    def hold(self, arguments: Sequence[Any]) -> bool:
        """Whether the sizes of arguments in each group are the same, and others are known ones."""
        sizes = ([self._size(arguments, axis) for axis in group] for group in self._groups)
        return all(size == first for first, *others in sizes for size in others) and all(
            self._size(arguments, axis) == size for axis, size in self._known.items()
        )

    def held(self, arguments: Sequence[Any]) -> Assumed:
        """Those that hold for some arguments: the parts of groups whose sizes are the same."""
        parts = list[tuple[phi.Axis, ...]]()
        for group in self._groups:
            by_size = defaultdict[int, list[phi.Axis]](list)
            for axis in group:
                by_size[self._size(arguments, axis)].append(axis)
            parts += [tuple(part) for size, part in by_size.items() if size >= 0 and len(part) > 1]
        known = [pair for pair in self._known.items() if self._size(arguments, pair[0]) == pair[1]]
        return tuple(parts), tuple(known)

    def _size(self, arguments: Sequence[Any], axis: phi.Axis) -> int:
        """A size of a leaf, or an Int; -1, which is no size, for a placeholder of an Int."""
        leaf, number = axis
        argument, path = self._leaves[leaf]
        value = arguments[argument]
        for field in path:
            if isinstance(value, tuple):  # complex numbers are records in the program alone
                value = cast("tuple[Any, ...]", value)[field]
        if number is None:
            return -1 if isinstance(value, ShapedArray) else int(value)
        return value.shape[number]
