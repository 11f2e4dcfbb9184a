"""Versions of programs for arguments of equal sizes, such as square matrices.

A loop that carries a matrix, and takes one size for both of its axes, could change the sizes in its
first step. The version for matrices that it keeps is compiled for calls with these; other calls run
the program for all sizes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from xdsl.dialects.builtin import ModuleOp

from ein_mlir.analysis.phi.kept_sizes import axes_that_loops_equate
from ein_mlir.dialects import phi
from ein_mlir.dialects.creation import copy_of
from ein_mlir.entry import function_of

Groups = Sequence[Sequence[phi.Axis]]


def for_equal_axes(module: ModuleOp, name: str) -> ModuleOp:
    """The version of a program for arguments whose sizes loops keep; itself if it has none."""
    groups = axes_that_loops_equate(function_of(module, name))
    if groups:
        phi.set_equal_axes(function_of(module := copy_of(module), name), groups)
    return module


def for_all_sizes(module: ModuleOp, name: str) -> ModuleOp:
    """The program without assumptions on sizes."""
    phi.set_equal_axes(function_of(module := copy_of(module), name), ())
    return module


def are_equal(groups: Groups, arguments: Sequence[Any]) -> bool:
    """Whether the axes of arguments in each group have the same size."""
    return all(
        arguments[k].shape[axis] == arguments[first].shape[first_axis]
        for (first, first_axis), *others in groups
        for k, axis in others
    )
