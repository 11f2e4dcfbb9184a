"""`wrap`: values of the host program as inputs of a staged program."""

from __future__ import annotations

from typing import Any, TypeVar, cast, overload

import numpy as np

from ein_mlir.errors import EinTypeError, EinValueError
from ein_mlir.frontend.annotations import check_annotation, type_of_argument
from ein_mlir.frontend.dtypes import type_of_array
from ein_mlir.frontend.expr import Input
from ein_mlir.frontend.records import parts_of, rebuild_staged
from ein_mlir.frontend.structure import flatten
from ein_mlir.frontend.types import RecordType, Type, VectorType, describe, resolve
from ein_mlir.frontend.values import Value, decode, encode, written
from ein_mlir.host.arrays import (
    HostArray,
    from_dlpack,
    is_array,
    is_foreign,
    is_numpy_scalar,
    library_of,
)
from ein_mlir.host.locations import at

T = TypeVar("T")


@overload
def wrap(value: Any, name: str | None = None, *, like: type[T]) -> T: ...
@overload
def wrap(value: Any, name: str | None = None, *, like: Any = None) -> Any: ...
def wrap(value: Any, name: str | None = None, *, like: Any = None) -> Any:
    """An input of a program: an array, a list or number, or a record of such.

    Arrays are NumPy arrays, PyTorch tensors or JAX arrays; those of other libraries are imported
    through DLPack, as NumPy arrays if the CPU can read them.

    ``name`` is its name in messages and IR. An array is not copied: each evaluation of the program
    reads its current elements.

    ``like`` is the annotation that the value is checked against. It may also make a record of
    arrays, the form of an evaluated array of records, such an array again: with ``Vec[Dual]`` a
    ``Dual`` of vectors is a vector of ``Dual``s, whose fields have the same size.

    >>> a = wrap(np.arange(3), name="a")
    >>> a[1].eval(backend="naive")
    np.int64(1)
    >>> from ein_mlir import Bool, Int, Vec
    >>> pairs = wrap((np.arange(3), np.ones(3) > 0), like=Vec[tuple[Int, Bool]])
    >>> number, is_counted = pairs[1]
    >>> number.eval(backend="naive")
    np.int64(1)
    """
    if not isinstance(name, str | None):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise EinTypeError(f"wrap: a name is a string, not {written(name)}{at()}")
    if like is not None:
        type_ = type_of_argument(value, like)
        if type_ is not None:
            check_annotation("wrap: the value", like, type_)
            return decode(encode(wrap_as(value, type_, name)))
    if isinstance(value, Value):
        return value
    if isinstance(value, bool | int | float | complex) or is_numpy_scalar(value):
        return decode(encode(value))
    if isinstance(value, list):
        return _wrap_array(_array_of(cast("list[Any]", value)), name)
    if is_array(value):
        return _wrap_array(value, name)
    if is_foreign(value):
        return _wrap_array(from_dlpack(value), name)
    parts = parts_of(value)
    if parts is None:
        raise EinTypeError(
            f"wrap: expected an array, a list, a number, or a tuple, dict or dataclass of "
            f"them, not {type(value).__name__}{at()}"
        )
    fields = [wrap(field, label) for field, label in zip(parts.values, parts.names, strict=True)]
    return rebuild_staged(parts.container, parts.names, fields)


def wrap_as(value: Any, type_: Type, name: str | None) -> Any:
    """A staged value for a value of the host program and its type.

    Arrays of records become inputs, and numbers are unchanged.
    """
    parts = None if isinstance(value, Value) else parts_of(value)
    if parts is None:
        return wrap(value, name) if is_array(value) else value
    type_ = resolve(type_)
    if isinstance(type_, VectorType):
        return decode(Input(flatten(value), type_, name))
    assert isinstance(type_, RecordType)
    fields = map(wrap_as, parts.values, type_.fields, parts.names)
    return rebuild_staged(parts.container, parts.names, tuple(fields))


def _array_of(values: list[Any]) -> np.ndarray[Any, Any]:
    staged = next((value for value in values if isinstance(value, Value)), None)
    if staged is not None:
        raise EinTypeError(
            f"wrap: the values in a list are plain, and this {describe(staged.expr.type)} is "
            f"staged: write array(lambda i: where(i == 0, x, y), size=2){at()}"
        )
    try:
        return np.asarray(values)
    except ValueError as error:
        raise EinValueError(
            "wrap: the lists in a list have different lengths, and arrays are rectangular: make "
            f"them equally long, and wrap their lengths, too ({error}){at()}"
        ) from None


def _wrap_array(value: HostArray, name: str | None) -> Any:
    type_ = type_of_array(value)
    if library_of(value) == "numpy" and value.ndim == 0:
        return decode(encode(np.asarray(value)[()]))
    return decode(Input(value, type_, name))
