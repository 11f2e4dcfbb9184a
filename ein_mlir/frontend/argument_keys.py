"""Arguments of calls: the keys that select a program, and conversions of foreign arrays."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, cast

import numpy as np

from ein_mlir.errors import EinTypeError, with_article
from ein_mlir.frontend.dtypes import type_of_array
from ein_mlir.frontend.evaluation import is_empty
from ein_mlir.frontend.records import Parts, parts_of, rebuild
from ein_mlir.frontend.values import Value
from ein_mlir.frontend.values.value import written
from ein_mlir.host.arrays import (
    AnyArray,
    ShapedArray,
    from_dlpack,
    is_dtype,
    is_foreign,
    is_numpy_scalar,
    library_of,
)
from ein_mlir.host.locations import at


class Staged(Exception):
    """An argument contains a staged value."""


class Foreign(Exception):
    """An argument contains an array of a library without a backend."""


def key_of(value: Any) -> Any:
    """The key of an argument: equal for arguments of the same program.

    A key is made of classes, dtypes, numbers and strings. ``example_of`` is its inverse. That of an
    array of a class derived from NumPy's has this class too: calls check such arrays.
    """
    cls = cast("type[Any]", type(value))
    if cls is np.ndarray:
        return "numpy", value.dtype, value.ndim
    if cls is int or cls is float or cls is bool or cls is complex:
        return cls
    if (cls is tuple or cls is dict) and value:
        return _key_of_record(cast(Parts, parts_of(value)))
    if isinstance(value, Value):
        raise Staged
    library = library_of(value)
    if library is not None:
        if library == "numpy":
            type_of_array(value)
            return library, value.dtype, value.ndim, cls
        return library, value.dtype, value.ndim
    if is_numpy_scalar(value):
        return value.dtype
    if value is None or cls is str or is_empty(value):
        return cls, value
    if is_foreign(value):
        raise Foreign
    parts = parts_of(value)
    if parts is None:
        shown = written(value) if _has_records(value) else repr(value)
        raise EinTypeError(
            f"{shown} is not a valid argument: expected arrays, numbers, staged "
            f"values, and tuples, dicts or dataclasses of them{_advice(value)}{at()}"
        )
    return _key_of_record(parts)


def _advice(value: Any) -> str:
    """What to write in place of a sequence, or of an array of another library."""
    cls = cast("type[Any]", type(value))
    if not issubclass(cls, Sequence) and not hasattr(cls, "__array__"):
        return ""
    is_record = _has_records(value)
    if not is_record and _is_ragged(value):
        return ": its parts have different lengths, and arrays are rectangular"
    made = "tuple(...)" if is_record else "np.array(...)"
    return f": write {made} for {with_article(cls.__name__)}"


def _is_ragged(value: Any) -> bool:
    """Whether the sequences in a sequence have different lengths."""
    try:
        np.asarray(value)
    except ValueError:
        return True
    return False


def _has_records(value: object) -> bool:
    """Whether a sequence holds arrays, or records other than rows of numbers."""
    if isinstance(value, list | tuple):
        return any(map(_has_records, cast("Sequence[object]", value)))
    return library_of(value) is not None or parts_of(value) is not None


def _key_of_record(parts: Parts) -> Any:
    return parts.container, parts.names, tuple([key_of(value) for value in parts.values])


def flattener(key: Any) -> Callable[[Any], Any] | None:
    """The function from values with a key to nested tuples; None if they are no records.

    >>> flattener(key_of({"x": 1.0, "y": (2, 3)}))({"x": 0.5, "y": (4, 5)})
    (0.5, (4, 5))
    """
    parts = cast("tuple[Any, ...]", key) if isinstance(key, tuple) else ()
    if len(parts) != 3 or not isinstance(parts[0], type):
        return None
    container, names, keys = parts
    fields = list(map(flattener, keys))
    is_flat = all(field is None for field in fields)

    def values(record: Any) -> tuple[Any, ...]:
        if container is dict:
            return tuple(record.values())
        if issubclass(container, tuple):
            return tuple(record)
        return tuple([getattr(record, name) for name in names])

    def nested(record: Any) -> tuple[Any, ...]:
        pairs = zip(fields, values(record), strict=True)
        return tuple([flat(value) if flat else value for flat, value in pairs])

    return values if is_flat else nested


def adopted(value: Any) -> Any:
    """An argument with its foreign arrays converted to arrays of a backend's library."""
    if isinstance(value, Value) or library_of(value) is not None or is_empty(value):
        return value
    if is_foreign(value):
        return from_dlpack(value)
    parts = parts_of(value)
    if parts is None:
        return value
    return rebuild(parts.container, parts.names, tuple(map(adopted, parts.values)))


def shaped(value: Any) -> Any:
    """An argument with a `ShapedArray` for each placeholder of another library."""
    if isinstance(value, Value) or library_of(value) is not None or is_numpy_scalar(value):
        return value
    if is_foreign(value):
        return value
    if hasattr(value, "shape") and hasattr(value, "dtype"):
        return ShapedArray(tuple(value.shape), value.dtype)
    parts = None if is_empty(value) else parts_of(value)
    if parts is None:
        return value
    return rebuild(parts.container, parts.names, tuple(map(shaped, parts.values)))


def each_adopted(values: Mapping[str, Any]) -> dict[str, Any]:
    """Named arguments with their foreign arrays converted."""
    return {name: adopted(value) for name, value in values.items()}


def example_of(key: Any) -> Any:
    """A value with a given key: one of its type, or the value itself if the key contains it."""
    if is_dtype(key):
        return key.type()
    if isinstance(key, type):
        return key()
    if isinstance(key[0], str):
        return AnyArray(*key[:3])
    if len(key) == 2:
        return key[1]
    container, names, keys = key
    return rebuild(container, names, tuple(map(example_of, keys)))


def has_sizes(value: Any) -> bool:
    """Whether a value is an array, a number, or a tuple of them, and not a type."""
    if isinstance(value, tuple):
        return all(map(has_sizes, cast("tuple[Any, ...]", value)))
    return library_of(value) is not None or isinstance(value, int | float)


def is_record_of_arrays(value: Any) -> bool:
    """Whether a value is a record as a call takes it, and not of types."""
    parts = None if isinstance(value, Value) else parts_of(value)
    if parts is None:
        return library_of(value) is not None
    return all(map(is_record_of_arrays, parts.values))
