"""Versions of machine code for arrays with short axes: points, colours, small matrices.

The size of a short axis, any but the first, becomes a constant of the program, so that loops along
it are unrolled. A version is compiled for a call with an array of `LEAST_ELEMENTS` elements or
more; calls with small arrays, or without short axes, share the program for all sizes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute

from ein_mlir.dialects import phi
from ein_mlir.dialects.creation import copy_of

SHORT = (2, 3, 4)
"""The sizes of axes for which there are versions."""

LEAST_ELEMENTS = 1024
"""The least number of elements of an array for which a version is compiled."""

Sizes: TypeAlias = tuple[tuple[int, ...], ...]


def matrices(types: Sequence[Attribute]) -> Sequence[int]:
    """The places of the arguments that may have short axes: none if an argument is a record."""
    if not all(phi.is_scalar_type(phi.scalar_of(type_)) for type_ in types):
        return ()
    return [place for place, type_ in enumerate(types) if phi.rank_of(type_) > 1]


def with_known_sizes(module: ModuleOp, name: str, sizes: Sequence[Sequence[int]]) -> ModuleOp:
    """The program with some sizes of the arguments of a function; 0 is one that is not known."""
    version = copy_of(module)
    for op in version.ops:
        if isinstance(op, FuncOp) and op.sym_name.data == name:
            phi.set_known_sizes(op, sizes)
    return version


class ByShortAxes:
    """A function that calls the version of a program for the short axes of its arguments.

    Of the versions that threads compile for the same sizes at once it keeps one.
    """

    def __init__(
        self,
        general: Callable[..., Any],
        places: Sequence[int],
        version: Callable[[Sequence[Sequence[int]]], Callable[..., Any]],
    ):
        self._general = general
        self._places = places
        self._version = version
        self._versions = dict[Sizes, Callable[..., Any]]()

    def __call__(self, *arguments: Any) -> Any:
        """The results for some arguments, as one value or a flat tuple."""
        shapes = tuple(_short_axes(arguments[place]) for place in self._places)
        if not any(shapes):
            return self._general(*arguments)
        version = self._versions.get(shapes)
        if version is None:
            known = dict(zip(self._places, shapes, strict=True))
            sizes = [known.get(place, ()) for place in range(len(arguments))]
            version = self._versions.setdefault(shapes, self._version(sizes))
        return version(*arguments)


def _short_axes(array: Any) -> tuple[int, ...]:
    """The sizes of a large array, 0 for those that are not short; none if it has no short axis."""
    if array.size < LEAST_ELEMENTS or min(array.shape[1:]) > SHORT[-1]:
        return ()
    sizes = (0, *(size if size in SHORT else 0 for size in array.shape[1:]))
    return sizes if any(sizes) else ()
