"""Values of the reference interpreter, and their conversion from and to NumPy arrays.

A scalar is a NumPy scalar of the type's dtype, a vector a `Vector`, a record a Python tuple.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, TypeAlias, cast

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects.builtin import IndexType, TupleType, bf16, f16, f32, f64, i1, i8, i16, i32, i64
from xdsl.ir import Attribute
from xdsl.utils.exceptions import InterpretationError

from ein_mlir.analysis.hints import isa
from ein_mlir.dialects import phi
from ein_mlir.dialects.reductions import worst
from ein_mlir.host.arrays import joined
from ein_mlir.host.dataclass import dataclass
from ein_mlir.host.elements import HOST_DTYPES, numpy_dtype

Float: TypeAlias = np.float16 | np.float32 | np.float64
Scalar: TypeAlias = np.bool_ | np.int8 | np.int16 | np.int32 | np.int64 | Float
Value: TypeAlias = "Scalar | Vector | tuple[Value, ...]"


class _Dtypes(dict[Attribute, type[Scalar]]):
    """A table of dtypes, which needs ml_dtypes for bf16 alone."""

    def __missing__(self, key: Attribute) -> type[Scalar]:
        if key != bf16:
            raise InterpretationError(f"'{key}' is not a scalar of phi")
        if (dtype := numpy_dtype("bfloat16")).type is np.void:
            raise ValueError("the interpreter needs ml_dtypes for bf16: pip install ml_dtypes")
        return dtype.type


DTYPES: dict[Attribute, type[Scalar]] = _Dtypes(
    {
        i1: np.bool_,
        i8: np.int8,
        i16: np.int16,
        i32: np.int32,
        i64: np.int64,
        f16: np.float16,
        f32: np.float32,
        f64: np.float64,
        IndexType(): np.int64,
    }
)
"""The dtype of each scalar type, of yarr, too; an index is read as an i64."""


@dataclass(frozen=True)
class Vector:
    """A vector: its elements, and a sample element.

    The sample gives an empty vector the sizes of its inner axes. It is an element of zeros if there
    are no elements, and otherwise the first one.
    """

    elements: tuple[Value, ...]
    sample: Value

    @staticmethod
    def of(elements: Sequence[Value], make_sample: Callable[[], Value]) -> Vector:
        """A vector of elements; without any, `make_sample` gives their shape."""
        return Vector(tuple(elements), elements[0] if elements else zero_like(make_sample()))

    def __len__(self) -> int:
        return len(self.elements)

    def at(self, position: int) -> Value:
        """The element at a clipped position; zero if there are no elements."""
        elements = self.elements
        if 0 <= position < len(elements):
            return elements[position]
        return elements[0 if position < 0 else -1] if elements else self.sample

    def element(self, depth: int) -> Value:
        """The sample element under some axes."""
        sample = self.sample
        return cast(Vector, sample).element(depth - 1) if depth > 1 else sample

    def updated(self, positions: Sequence[int], value: Value) -> Vector:
        """The vector with another element at one position, if that is in bounds."""
        position, *inner = positions
        if not 0 <= position < len(self.elements):
            return self
        new = cast(Vector, self.elements[position]).updated(inner, value) if inner else value
        elements = (*self.elements[:position], new, *self.elements[position + 1 :])
        return Vector(elements, elements[0])


def search(elements: Iterable[Any], predicate: str, type_: Attribute) -> int:
    """The position found by a search for the best element: the meaning of ``argreduce``."""
    start = worst(predicate, type_)
    assert start is not None
    best, at = start.value.data, 0
    for k, element in enumerate(elements):
        if _IS_BETTER[predicate](element, best):
            best, at = element, k
    return at


def top_k(elements: Iterable[Any], count: int, predicate: str, type_: Attribute) -> list[int]:
    """The positions of successive searches among the remaining elements, as in ``top_k``."""
    left, found = list(elements), list[int]()
    lost = worst(predicate, type_)
    assert lost is not None
    for _ in range(count):
        found.append(search(left, predicate, type_))
        left[found[-1] : found[-1] + 1] = [lost.value.data] if left else []
    return found


def sorted_positions(elements: Sequence[Any]) -> list[int]:
    """The positions of numbers in increasing order: the meaning of ``argsort``."""
    numbers = [k for k, x in enumerate(elements) if x == x]
    others = [k for k, x in enumerate(elements) if x != x]
    return [*sorted(numbers, key=lambda k: elements[k]), *others]


def place_in_order(elements: Sequence[Any], value: Any, is_right: bool) -> int:
    """How many numbers are less than a value, or not greater; NaN is greater than all others."""

    def is_less(x: Any, y: Any) -> bool:
        return bool(x < y or (x == x and y != y))

    if is_right:
        return sum(not is_less(value, element) for element in elements)
    return sum(is_less(element, value) for element in elements)


_IS_BETTER: dict[str, Callable[[Any, Any], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


def zero_like(value: Value) -> Value:
    """The value of the same type and sizes with zero in place of every scalar."""
    if isinstance(value, Vector):
        sample = zero_like(value.sample)
        return Vector((sample,) * len(value), sample)
    if isinstance(value, tuple):
        return tuple(zero_like(field) for field in value)
    return type(value)(0)


def filled(value: Value, scalar: Scalar) -> Value:
    """The array of the same sizes with a scalar in place of every element; the scalar for one."""
    if isinstance(value, Vector):
        sample = filled(value.sample, scalar)
        return Vector((sample,) * len(value), sample)
    return scalar


def combined(combine: Callable[..., Any], lhs: Value, rhs: Value) -> Value:
    """The combinations of the elements of two arrays of equal sizes, or of two scalars."""
    if not isinstance(lhs, Vector):
        return combine(lhs, rhs)
    pairs = zip(lhs.elements, cast(Vector, rhs).elements, strict=True)
    elements = [combined(combine, *pair) for pair in pairs]
    return Vector.of(elements, lambda: lhs.sample)


def size(value: Value, axis: int) -> int:
    """The size of a vector along an axis, counted from the outermost."""
    for _ in range(axis):
        value = cast(Vector, value).sample
    return len(cast(Vector, value))


def differing_sizes(a: Value, b: Value, axis: int = 0) -> Iterator[tuple[int, int, int]]:
    """(axis, size in `a`, size in `b`) for each differing size of two values of one type."""
    if isinstance(a, Vector) and isinstance(b, Vector):
        if len(a) != len(b):
            yield axis, len(a), len(b)
        yield from differing_sizes(a.sample, b.sample, axis + 1)
    elif isinstance(a, tuple) and isinstance(b, tuple):
        for x, y in zip(a, b, strict=True):
            yield from differing_sizes(x, y, axis)


# Records of arrays ------------------------------------------------------------------------------


def in_columns(value: Value, type_: Attribute, rank: int) -> Value:
    """An array of records under `rank` axes, as a record of arrays if `type_` is one.

    >>> one = (np.int64(1), np.float64(2))
    >>> pairs = phi.tuple_of([phi.VecType(i64), phi.VecType(f64)])
    >>> [column.elements for column in in_columns(Vector((one,), one), pairs, 1)]
    [(np.int64(1),), (np.float64(2.0),)]
    """
    if not isa(type_, TupleType):
        return value
    return tuple(
        in_columns(_column(value, k, rank), field, rank) for k, field in enumerate(type_.types)
    )


def _column(value: Value, field: int, rank: int) -> Value:
    """A field of each record of an array of records under `rank` axes."""
    if rank == 0:
        return cast(tuple[Value, ...], value)[field]
    vector = cast(Vector, value)
    elements = tuple(_column(element, field, rank - 1) for element in vector.elements)
    return Vector(elements, _column(vector.sample, field, rank - 1))


def in_rows(value: Value) -> Vector:
    """The vector of records that a record of vectors represents; a vector unchanged."""
    sizes = sorted({len(vector) for vector in _vectors(value)})
    if len(sizes) != 1:
        raise ValueError(f"the fields of a record of vectors have different sizes {sizes}")
    return Vector(tuple(_row(value, k) for k in range(sizes[0])), _row(value, None))


def _vectors(value: Value) -> Iterator[Vector]:
    """The vectors of a (nested) record of vectors."""
    if isinstance(value, Vector):
        yield value
    elif isinstance(value, tuple):
        for column in value:
            yield from _vectors(column)


def _row(value: Value, position: int | None) -> Value:
    """A record of a record of vectors: the one at a position, or the sample."""
    if isinstance(value, Vector):
        return value.sample if position is None else value.elements[position]
    return tuple(_row(column, position) for column in cast(tuple[Value, ...], value))


# From Python ------------------------------------------------------------------------------------


def from_python(value: object, type_: Attribute, what: str) -> Value:
    """The value of a phi type for a NumPy array, a Python number or a tuple of these.

    Arrays have exactly the dtype and rank of the type; Python numbers and lists of them, which have
    no dtype, take it from the type if nothing is lost. An array of records is a record of arrays.
    `what` names the value in errors.

    >>> from_python([True, False], phi.vec_of(i1), "mask").elements
    (np.True_, np.False_)
    >>> from_python(np.float32(2), f64, "x")
    Traceback (most recent call last):
    TypeError: x: expected float64, got float32
    """
    rank, element = phi.rank_of(type_), phi.scalar_of(type_)
    if isa(element, TupleType):
        return _record_from_python(value, element, rank, what)
    if element not in phi.SCALAR_TYPES:
        raise TypeError(f"{what}: '{type_}' is not a phi type")
    dtype = np.dtype(DTYPES[element])
    return _vector(_checked(value, dtype, rank, what))


def _checked(value: object, dtype: np.dtype[Any], rank: int, what: str) -> NDArray[Any]:
    """A copy of an array, or of Python numbers, of a dtype and a rank."""
    array = np.asarray(value)
    if array.ndim != rank:
        raise TypeError(f"{what}: expected {_describe(rank, dtype)}, got rank {array.ndim}")
    if not _converts(value, array, dtype):
        raise TypeError(f"{what}: expected {_describe(rank, dtype)}, got {array.dtype}")
    return np.array(value, dtype)


_KINDS = {"b": "b", "i": "i", "u": "iu", "f": "if", "c": "ifc"}
"""Kind of a dtype -> the kinds of Python numbers, as arrays, that fit."""


def _converts(value: object, array: NDArray[np.generic], dtype: np.dtype[np.generic]) -> bool:
    """Whether a value converts to a dtype: it has that dtype, or is a Python number that fits."""
    if isinstance(value, np.generic | np.ndarray):
        return array.dtype.newbyteorder("=") == dtype
    return array.size == 0 or array.dtype.kind in _KINDS[dtype.kind]


def _describe(rank: int, dtype: np.dtype[np.generic]) -> str:
    return f"an array of rank {rank} of {dtype}" if rank else str(dtype)


def _vector(array: NDArray[np.generic]) -> Value:
    if array.ndim == 0:
        return cast(Scalar, array[()])
    elements = [_vector(element) for element in array]
    return Vector.of(elements, lambda: _vector(np.zeros(array.shape[1:], array.dtype)))


def _record_from_python(value: object, type_: TupleType, rank: int, what: str) -> Value:
    if not isinstance(value, Sequence) or len(cast(Sequence[object], value)) != len(type_.types):
        raise TypeError(f"{what}: expected a tuple of {len(type_.types)} fields")
    columns = [
        from_python(column, phi.vec_of(field, rank), f"{what}, field {k}")
        for k, (column, field) in enumerate(
            zip(cast(Sequence[object], value), type_.types, strict=True)
        )
    ]
    return _zip(columns, rank, what)


def _zip(columns: Sequence[Value], rank: int, what: str) -> Value:
    """The array of records, under `rank` axes, that a record of arrays represents."""
    if rank == 0:
        return tuple(columns)
    vectors = cast(Sequence[Vector], columns)
    sizes = sorted({len(vector) for vector in vectors})
    if len(sizes) != 1:
        raise TypeError(f"{what}: the fields have different sizes {sizes}")
    rows = zip(*(vector.elements for vector in vectors), strict=True)
    return Vector.of(
        [_zip(row, rank - 1, what) for row in rows],
        lambda: _zip([vector.sample for vector in vectors], rank - 1, what),
    )


# To Python --------------------------------------------------------------------------------------


def to_python(value: Value) -> object:
    """The NumPy scalar, array or tuple for a value.

    An array of records is a record of arrays; empty arrays keep all sizes and their dtype.
    """
    if isinstance(value, Vector):
        parts = [to_python(element) for element in value.elements or (value.sample,)]
        return _stack(parts, len(value))
    if isinstance(value, tuple):
        return tuple(to_python(field) for field in value)
    return value


# Types of the host --------------------------------------------------------------------------------


def from_host(value: object, seen: Attribute, type_: Attribute, what: str) -> Value:
    """The value of a phi type for one of the type that the host sees.

    Integers get or lose a sign, and complex numbers become records of their parts.
    """
    return from_python(_stored(value, phi.struct_of_arrays(seen), what), type_, what)


def _stored(value: Any, seen: Attribute, what: str) -> object:
    if isa(seen, TupleType):
        fields = cast("tuple[object, ...]", value) if isinstance(value, tuple) else ()
        if len(fields) != len(seen.types):
            return cast(object, value)
        names = [f"{what}, field {k}" for k in range(len(fields))]
        return tuple(map(_stored, fields, seen.types, names))
    element = phi.scalar_of(seen)
    if element in phi.SCALAR_TYPES:
        return value
    array: Any = _checked(value, numpy_dtype(HOST_DTYPES[str(element)]), phi.rank_of(seen), what)
    if phi.is_complex(element):
        return array.real, array.imag
    return array.view(DTYPES[phi.stored(element)])


def to_host(value: Value, seen: Attribute) -> object:
    """The NumPy scalar, array or tuple of a type that the host sees."""
    return _seen(to_python(value), phi.struct_of_arrays(seen))


def _seen(value: Any, seen: Attribute) -> object:
    if isa(seen, TupleType):
        return tuple(map(_seen, value, seen.types))
    dtype = HOST_DTYPES[str(phi.scalar_of(seen))]
    if phi.is_complex(seen):
        real, imag = value
        return joined(real, imag, dtype)
    return value.view(dtype)


def _stack(parts: Sequence[object], length: int) -> object:
    """The first `length` of equally shaped parts along a new outermost axis, field by field."""
    if isinstance(parts[0], tuple):
        rows = cast(Sequence[tuple[object, ...]], parts)
        return tuple(_stack(column, length) for column in zip(*rows, strict=True))
    return np.stack(cast(Sequence[NDArray[np.generic]], parts))[:length]
