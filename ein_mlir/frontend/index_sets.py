"""Index sets: named sizes, whose indices are types of their own.

An index set is a class that derives from `Index`, an enumeration, or a product ``Prod[N, M]`` of
two index sets. It is a name for type checkers and for messages. At run time its indices are Ints,
and arrays along it are vectors, so that it costs nothing.
"""

from __future__ import annotations

import typing
from collections.abc import Mapping, Sequence
from contextvars import ContextVar
from enum import Enum
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeAlias, TypeVar, cast, overload

from ein_mlir.errors import EinTypeError, EinValueError
from ein_mlir.frontend.complex_numbers import Complex
from ein_mlir.frontend.expr import Argument, AssertEqual, Expr, Role, Variable
from ein_mlir.frontend.integers import int_constant
from ein_mlir.frontend.size_inference import explicit_size, known_size, size_of
from ein_mlir.frontend.values import Bool, Float, Int, Vec, int_expr, written
from ein_mlir.host.arrays import as_int
from ein_mlir.host.dataclass import dataclass
from ein_mlir.host.locations import at

N = TypeVar("N")
M = TypeVar("M")
K = TypeVar("K")
T = TypeVar("T")
U = TypeVar("U")


class Index:
    """A named index set: a class that derives from it.

    ``class City(Index)`` has the size of the arrays along it, ``class Channel(Index, size=3)`` one
    of its own. Annotations name the axes of arrays, and `array` and folds take the index set of an
    index as its size:

    >>> import numpy as np
    >>> from ein_mlir import Along, Float, Index, array, fold_sum, function
    >>> class City(Index): ...
    >>> class Day(Index): ...
    >>> @function
    ... def total(rain: Along[City, Along[Day, Float]]) -> Along[City, Float]:
    ...     return array(lambda c: fold_sum(lambda d: rain[c, d], Day), City)
    >>> total(np.ones((2, 7)))
    array([7., 7.])

    Indices are compared, and are positions of arrays along their set. ``c.int()`` is the number of
    an index, and ``City.at(n)`` the index of a number.
    """

    extent: ClassVar[int | None] = None
    """The number of its indices, if it has one of its own."""

    def __init_subclass__(cls, size: int | None = None) -> None:
        super().__init_subclass__()
        if size is not None and as_int(size) is None:
            raise EinTypeError(f"the size of {cls.__name__} is an int, not {size!r}{at()}")
        if size is not None and size < 0:
            raise EinValueError(f"the size of {cls.__name__} is negative: {size}{at()}")
        cls.extent = size

    @classmethod
    def at(cls: type[N], number: Int | int) -> N:
        """The index of a number; it clips, as all positions."""
        found = int_expr(number, f"index of {name_of(cls)}")
        return cast(N, Int(int_constant(found) if isinstance(found, int) else found))

    @classmethod
    def of(cls: type[N], size: Int | int) -> Sized[N]:
        """The index set with a size."""
        return Sized(cls, size)

    if TYPE_CHECKING:

        def __eq__(self, other: object) -> Bool: ...  # pyright: ignore[reportIncompatibleMethodOverride]
        def __ne__(self, other: object) -> Bool: ...  # pyright: ignore[reportIncompatibleMethodOverride]
        def __lt__(self, other: object) -> Bool: ...
        def __le__(self, other: object) -> Bool: ...
        def __gt__(self, other: object) -> Bool: ...
        def __ge__(self, other: object) -> Bool: ...
        def int(self) -> Int:
            """The number of an index."""
            ...

        def float(self) -> Float:
            """The number of an index, as a Float."""
            ...


class Prod(Index, Generic[N, M]):
    """The pairs of the indices of two sets, as the index set of one axis: the second varies faster.

    A fold over ``Prod[Row, Column]`` is one over both, and a comprehension an array of rows, end to
    end: so a pair is not split by a division.

    >>> from ein_mlir import Index, Prod, array, wrap
    >>> class Row(Index): ...
    >>> class Column(Index): ...
    >>> image = wrap([[1.0, 2.0], [3.0, 4.0]])
    >>> flat = array(lambda p: 10.0 * image[p.first, p.second], Prod[Row, Column])
    >>> flat.eval(backend="naive")
    array([10., 20., 30., 40.])
    """

    first: N
    second: M


class Along(Vec[T], Generic[N, T]):
    """A vector whose positions are the indices of a set: ``Along[City, Float]``."""

    __slots__ = ()

    if TYPE_CHECKING:

        @overload
        def __getitem__(self, position: N) -> T: ...
        @overload
        def __getitem__(self, position: slice) -> Vec[T]: ...
        @overload
        def __getitem__(self: Along[N, Along[M, U]], position: tuple[N, M]) -> U: ...
        @overload
        def __getitem__(self: Along[N, Along[M, Along[K, U]]], position: tuple[N, M, K]) -> U: ...
        def __getitem__(self, position: Any) -> Any: ...  # pyright: ignore[reportIncompatibleMethodOverride]


@dataclass(frozen=True)
class Sized(Generic[N]):
    """An index set with a size: ``City.of(n)``."""

    index_set: type[N]
    size: Int | int


Over: TypeAlias = "type[N] | Sized[N]"
"""An index set as the size of a comprehension, or the count of a fold."""


class Pair(Int):
    """An index of a product, as a pair; its number is computed where it is used."""

    __slots__ = ("first", "second")

    def __init__(self, first: Int, second: Int):
        self.first = first
        self.second = second

    @property
    def expr(self) -> Expr:
        """``first * m + second``, for a second index set of size m."""
        return (self.first * Int(_size_of_index(self.second)) + self.second).expr


def pair(first: N, second: M) -> Prod[N, M]:
    """The index of a product of two indices, as a position of an array along the product."""
    for index in (first, second):
        if not isinstance(index, Int):
            raise EinTypeError(f"pair: expected two indices, not {written(index)}{at()}")
    return cast(Prod[N, M], Pair(cast(Int, first), cast(Int, second)))


def _size_of_index(index: Int) -> Expr:
    """The size of the set of an index, as far as it is known in the body where it is bound."""
    variable = index.expr
    size = known_size(variable) if isinstance(variable, Variable) else None
    if size is None:
        raise EinTypeError(
            f"the number of a pair needs the size of its second index set: index an array with "
            f"the second index before, or give the size, as in City.of(n){at()}"
        )
    return size


# Index sets of variables ----------------------------------------------------------------------


def is_index_set(value: object) -> bool:
    """Whether a value is an index set.

    >>> is_index_set(Prod[Index, Index]), is_index_set(int)
    (True, False)
    """
    if is_product(value):
        return True
    return isinstance(value, type) and issubclass(value, Index | Enum)


def is_product(index_set: object) -> bool:
    """Whether an index set is a `Prod`."""
    return typing.get_origin(index_set) is Prod


def parts_of_product(given: object) -> Sequence[Any]:
    """The two index sets of a product; empty for everything else."""
    return typing.get_args(given) if is_product(given) else ()


def name_of(index_set: Any) -> str:
    """The name of an index set in messages.

    >>> name_of(Prod[Index, Index])
    'Prod[Index, Index]'
    """
    parts = parts_of_product(index_set)
    return f"Prod[{', '.join(map(name_of, parts))}]" if parts else index_set.__name__


def _extent(index_set: Any) -> int | None:
    """The size that an index set has of its own."""
    return len(index_set) if issubclass(index_set, Enum) else index_set.extent


def bind(variable: Variable, given: object) -> None:
    """Begin the inference of the size of an index or counter, unless a number gives it.

    An index set names it; its size, if it has one, is asserted to be that of the arrays along it.
    If the body reads no array along it, the size is that of the arguments along the set.
    """
    size = cast(Any, given)
    if isinstance(given, Sized):
        variable.index_set, size = cast("Sized[Any]", given).index_set, given.size
    elif is_index_set(given):
        variable.index_set, size = given, None
    if variable.index_set is None:
        variable.seen = [] if given is None else None
        return
    if is_product(variable.index_set):
        what = "count of a sum" if variable.role is Role.COUNTER else "only size of array()"
        raise EinTypeError(f"{name_of(variable.index_set)}: a product is a {what}{at()}")
    variable.set_name, variable.seen = name_of(variable.index_set), []
    variable.set_size = SIZES.get().get(variable.index_set)
    size = _extent(variable.index_set) if size is None else size
    if size is not None:
        what = f"size of {variable.set_name}"
        variable.own_size = explicit_size(int_expr(size, what), variable, what)


# Index sets of annotations --------------------------------------------------------------------


def element_annotation(annotation: Any) -> Any:
    """The annotation of the elements of an annotated vector; None for other annotations.

    >>> element_annotation(Vec[float]) is Float, element_annotation(int)
    (True, None)
    """
    origin, arguments = typing.get_origin(annotation), typing.get_args(annotation)
    if origin is not Vec and origin is not Along:
        return None
    return _OF_PYTHON.get(arguments[-1], arguments[-1])


_OF_PYTHON: dict[Any, Any] = {bool: Bool, int: Int, float: Float, complex: Complex}
"""Python's numbers in the annotation of a vector -> the staged ones that its elements are."""


def axes_of(annotation: Any) -> Sequence[Any]:
    """The index set of each axis of an annotated array; None for an axis without one."""
    axes = list[Any]()
    while (element := element_annotation(annotation)) is not None:
        index_set = typing.get_args(annotation)[0]
        is_along = typing.get_origin(annotation) is Along and is_index_set(index_set)
        axes.append(index_set if is_along else None)
        annotation = element
    return axes


SIZES: ContextVar[Mapping[Any, Expr]] = ContextVar("SIZES", default=MappingProxyType({}))
"""The sizes of the index sets of the arguments of the function that is traced."""


def note_sizes(arrays: Sequence[tuple[Expr, str | None, Sequence[Any]]]) -> Mapping[Any, Expr]:
    """The size of each index set: all axes of arrays along it have one size, which is asserted.

    An array is given with its name and the index set of each axis.
    """
    places = dict[Any, list[tuple[Expr, str | None, int]]]()
    for array, name, axes in arrays:
        for axis, index_set in enumerate(axes):
            if index_set is not None and not is_product(index_set):
                places.setdefault(index_set, []).append((array, name, axis))
    sizes = {index_set: _common_size(index_set, found) for index_set, found in places.items()}
    for index_set, found in places.items():
        for array, _, axis in found:
            if isinstance(array, Argument):
                array.sizes[axis] = sizes[index_set]
    return {**SIZES.get(), **sizes}


def _common_size(index_set: Any, places: Sequence[tuple[Expr, str | None, int]]) -> Expr:
    """The size of an index set: its own, or that of the first axis; equal to all others."""
    sizes = [
        (size_of(array, axis), f"size of {name} along axis {axis}") for array, name, axis in places
    ]
    if (extent := _extent(index_set)) is not None:
        sizes.insert(0, (int_constant(extent), "its own size"))
    (common, first), *others = sizes
    for size, what in others:
        common = AssertEqual(common, size, f"{name_of(index_set)}: {first} and {what}")
    return common
