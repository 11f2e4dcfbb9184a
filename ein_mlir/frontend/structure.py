"""Records of the host program, and the nested tuples of arrays that represent them at run time.

An array of records is a record of arrays at run time: the axes of its `VectorType` are those of
each field.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, cast

from ein_mlir.frontend.complex_numbers import Complex
from ein_mlir.frontend.records import parts_of, rebuild
from ein_mlir.frontend.types import RecordType, Type, VectorType, WeakType, resolve
from ein_mlir.host.elements import Kind, ScalarType


def flatten(value: Any) -> Any:
    """A record as nested tuples."""
    parts = parts_of(value)
    return value if parts is None else tuple(map(flatten, parts.values))


def restore(type_: Type, value: Any) -> Any:
    """The record of a type, with its arrays taken from nested tuples."""
    type_ = under_vectors(type_)
    if not isinstance(type_, RecordType) or not isinstance(value, tuple):
        return value  # complex numbers are single arrays
    parts = cast("tuple[Any, ...]", value)
    fields = [restore(field, part) for field, part in zip(type_.fields, parts, strict=True)]
    return rebuild(type_.container, type_.names, fields)


def restorer(type_: Type) -> Callable[[Any], Any] | None:
    """`restore` for a type that is decided; None if there are no records but tuples."""
    type_ = under_vectors(type_)
    if not isinstance(type_, RecordType):
        return None
    container, names, parts = type_.container, type_.names, list(map(restorer, type_.fields))
    if container is tuple and all(part is None for part in parts):
        return None

    def record(value: Any) -> Any:
        if not isinstance(value, tuple):
            return value
        pairs = zip(parts, cast("tuple[Any, ...]", value), strict=True)
        return rebuild(container, names, [part(x) if part else x for part, x in pairs])

    return record


def under_vectors(type_: Type) -> Type:
    """The element type under all axes."""
    type_ = resolve(type_)
    while isinstance(type_, VectorType):
        type_ = resolve(type_.element)
    return type_


def has_complex(type_: Type) -> bool:
    """Whether a type has complex numbers in it."""
    type_ = under_vectors(type_)
    if not isinstance(type_, RecordType):
        return False
    return type_.container is Complex or any(map(has_complex, type_.fields))


def leaves(type_: Type) -> Iterator[ScalarType | WeakType]:
    """The scalar types in a type."""
    type_ = under_vectors(type_)
    if isinstance(type_, RecordType):
        for field in type_.fields:
            yield from leaves(field)
    elif not isinstance(type_, VectorType):
        yield type_


def map_leaves(type_: Type, scalars: Mapping[Kind, ScalarType]) -> Type:
    """The type with its scalars replaced by the given scalar of each kind."""
    type_ = resolve(type_)
    if isinstance(type_, VectorType):
        return VectorType(map_leaves(type_.element, scalars))
    if isinstance(type_, RecordType):
        fields = tuple(map_leaves(field, scalars) for field in type_.fields)
        return RecordType(type_.container, type_.names, fields)
    return scalars[type_.kind]
