"""Numbers of types for storage as numbers in the same order that libraries and passes compute with.

A number without a sign becomes a signed one, a float of 16 bits an f32.
"""

from __future__ import annotations

from typing import Any

from ein_mlir.frontend.types import F32, resolve
from ein_mlir.frontend.values import Scalar
from ein_mlir.host.elements import BY_NAME, SMALL_FLOATS, ScalarType


def stored_type(value: Any) -> ScalarType | None:
    """The type of a scalar without a sign or of a small float; None for all other values."""
    type_ = resolve(value.expr.type) if isinstance(value, Scalar) else None
    return type_ if isinstance(type_, ScalarType) and is_stored(type_) else None


def is_stored(type_: ScalarType) -> bool:
    """Whether numbers of a type need `as_ordered`."""
    return not type_.is_signed or is_small_float(type_)


def is_small_float(type_: object) -> bool:
    """Whether a type is a float of 16 bits."""
    return isinstance(type_, ScalarType) and type_.name in SMALL_FLOATS


def as_ordered(value: Any) -> Any:
    """``x - 2**7`` of a u8 is an i8 in the same order, an f16 an f32; others are unchanged."""
    type_ = stored_type(value)
    if type_ is None or type_.kind == "float":
        return extended(value)
    return (value ^ _highest_bit(type_)).int(BY_NAME[type_.storage].dtype)


def extended(value: Any) -> Any:
    """A small float as an f32; all other values are unchanged."""
    type_ = stored_type(value)
    return value.float(F32.name) if type_ is not None and type_.kind == "float" else value


def restored(value: Any, type_: ScalarType) -> Any:
    """The number of a type of which `as_ordered` or `extended` made this one."""
    if type_.kind == "float":
        return value.float(type_.name)
    return value.int(type_.dtype) ^ _highest_bit(type_)


def _highest_bit(type_: ScalarType) -> int:
    return 2 ** (type_.bits - 1)
