"""Versions of machine code for arrays with short axes: columns, points, colours, small matrices.

The size of a short axis, any but the first, becomes a constant of the program, so that loops along
it are unrolled. A version is compiled for a call with an array of `LEAST_ELEMENTS` elements or more
that has one, and for the sizes of small arrays next to it, such as a rotation of all points; or for
a small array that has one next to any as large. Other calls share the program for all sizes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from typing import Any, TypeAlias

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute

from ein_mlir.dialects import phi
from ein_mlir.dialects.creation import copy_of

SHORT = frozenset(range(1, 9))
"""The sizes of axes for which there are versions."""

LEAST_ELEMENTS = 1024
"""The least number of elements of an array for which a version is compiled."""

MOST_OF_SMALL = 16
"""The most elements of an array whose first axis may be short, too."""

MOST_VERSIONS = 8
"""The versions of a program, that for all sizes among them: calls with further sizes take that."""

Sizes: TypeAlias = tuple[tuple[int, ...], ...]


def matrices(types: Sequence[Attribute]) -> Sequence[int]:
    """The places of the arguments that may have short axes: none if an argument is a record.

    The types are those that the host sees, such as arrays of bytes.
    """
    if not all(phi.is_scalar_type(phi.scalar_of(phi.stored(type_))) for type_ in types):
        return ()
    return [place for place, type_ in enumerate(types) if phi.rank_of(type_) > 1]


def with_known_sizes(module: ModuleOp, name: str, sizes: Sizes) -> ModuleOp:
    """The program with some sizes of the arguments of a function, if there are any."""
    if not sizes:
        return module
    version = copy_of(module)
    for op in version.ops:
        if isinstance(op, FuncOp) and op.sym_name.data == name:
            phi.set_known_sizes(op, phi.with_fixed(op, sizes))
    return version


class ByShortAxes:
    """A function that calls the version of a program for the short axes of its arguments.

    Each version, and the program for all sizes, is compiled when it is first called. Of the
    versions that threads compile for the same sizes at once it keeps one.
    """

    def __init__(self, places: Sequence[int], version: Callable[[Sizes], Callable[..., Any]]):
        self._places = places
        self._version = version
        self._versions = dict[Sizes, Callable[..., Any]]()

    def __call__(self, *arguments: Any) -> Any:
        """The results for some arguments, as one value or a flat tuple."""
        sizes = short_axes(arguments, self._places)
        version = self._versions.get(sizes)
        if version is None:
            if sizes and len(self._versions) >= MOST_VERSIONS:
                sizes = ()
            version = self._versions.setdefault(sizes, self._version(sizes))
        return version(*arguments)


def short_axes(arguments: Sequence[Any], places: Sequence[int]) -> Sizes:
    """The sizes of the arguments of a version, with 0 for those that are not constants of it.

    None if none of the arrays in some places has a short axis after the first, and is large or next
    to a large one.
    """
    if max([getattr(value, "size", 0) for value in arguments]) < LEAST_ELEMENTS:
        return ()
    shapes = [arguments[place].shape for place in places]
    short = [shape for shape in shapes if not SHORT.isdisjoint(shape[1:])]
    is_large = any(prod(shape) >= LEAST_ELEMENTS for shape in short) or (
        any(prod(shape) <= MOST_OF_SMALL for shape in short)
        and any(prod(getattr(value, "shape", ())) >= LEAST_ELEMENTS for value in arguments)
    )
    return tuple(map(_short_axes, arguments)) if is_large else ()


def _short_axes(value: Any) -> tuple[int, ...]:
    """The sizes of an array, 0 for those that are not short, or that of the first axis of a large
    one; none of a number.
    """
    shape = getattr(value, "shape", ())
    known = [size if size in SHORT else 0 for size in shape]
    return tuple(known) if not known or prod(shape) <= MOST_OF_SMALL else (0, *known[1:])
