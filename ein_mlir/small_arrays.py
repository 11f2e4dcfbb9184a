"""Versions of NumPy code for small arrays in loops: states, small matrices, counters.

A call of the library takes as long for three elements as for a hundred. A version for known sizes
computes the elements as numbers of Python (``scalarize-small-arrays``). It is compiled for a call
whose loops take `LEAST_STEPS` or more, instead of the program for all sizes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

from xdsl.dialects import arith, func
from xdsl.dialects.builtin import IntegerAttr, ModuleOp, i64
from xdsl.rewriter import InsertPoint, Rewriter

from ein_mlir.analysis.phi.small_arrays import MOST_ELEMENTS
from ein_mlir.analysis.phi.small_loops import SmallLoop, small_loops
from ein_mlir.dialects import phi
from ein_mlir.dialects.creation import copy_of
from ein_mlir.entry import function_of
from ein_mlir.host.extents import most_elements

LARGEST = 8
"""The largest size for which there is a version."""

LEAST_STEPS = 32
"""The least number of steps of a loop for which a version is compiled, if it is known."""

MOST_VERSIONS = 4
"""The versions of a program: calls with further sizes run that for all sizes."""

Known: TypeAlias = tuple[tuple[tuple[int, int | None], int], ...]
"""The axes of arguments, by their numbers, and Ints, with the sizes of a version."""


def small_sizes(function: func.FuncOp) -> SmallSizes | None:
    """The sizes for which a function has versions; None if it has none."""
    loops = small_loops(function)
    return SmallSizes(loops) if loops else None


class SmallSizes:
    """The sizes of arguments for which loops of a function compute small arrays."""

    def __init__(self, loops: Sequence[SmallLoop]):
        self._loops = [(loop, sorted(loop.axes, key=str)) for loop in loops]

    def of(self, arguments: Sequence[Any]) -> Known:
        """The sizes of the version for a call; none if it has no such loop."""
        known = dict[tuple[int, int | None], int]()
        for loop, axes in self._loops:
            sizes = [_size(arguments[number], axis) for number, axis in axes]
            if all(0 < size <= LARGEST for size in sizes) and _is_small(loop, arguments):
                known.update(zip(axes, sizes, strict=True))
        return tuple(known.items())


def _size(argument: Any, axis: int | None) -> int:
    return int(argument) if axis is None else argument.shape[axis]


def _is_small(loop: SmallLoop, arguments: Sequence[Any]) -> bool:
    """Whether a loop has many steps on arrays of few elements."""
    if most_elements(loop.shapes, arguments) > MOST_ELEMENTS:
        return False
    return loop.steps is None or most_elements(((loop.steps,),), arguments) >= LEAST_STEPS


def for_known_sizes(module: ModuleOp, name: str, known: Known) -> ModuleOp:
    """The version of a program for some sizes of its arguments; Ints are constants in it."""
    version = copy_of(module)
    function = function_of(version, name)
    leaves = enumerate(phi.leaves_of_arguments(function))
    numbers = {argument.index: leaf for leaf, (argument, path, _) in leaves if not path}
    sizes = {(numbers[number], axis): size for (number, axis), size in known}
    phi.fix_sizes(function, {**phi.fixed_sizes(function), **sizes})
    for (number, axis), size in known:
        if axis is None:
            constant = arith.ConstantOp(IntegerAttr(size, i64))
            Rewriter.insert_op(constant, InsertPoint.at_start(function.body.block))
            function.body.block.args[number].replace_all_uses_with(constant.result)
    return version
