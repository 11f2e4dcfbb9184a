"""Numbers without a sign as signed ones in the same order, which libraries and passes know."""

from __future__ import annotations

from typing import Any

from ein_mlir.frontend.types import resolve
from ein_mlir.frontend.values import Scalar
from ein_mlir.host.elements import BY_NAME, ScalarType


def unsigned_type(value: Any) -> ScalarType | None:
    """The type of a scalar that has no sign; None for all other values."""
    type_ = resolve(value.expr.type) if isinstance(value, Scalar) else None
    return type_ if isinstance(type_, ScalarType) and not type_.is_signed else None


def as_signed(value: Any) -> Any:
    """``x - 2**7`` of a u8 is an i8 in the same order; all other values are unchanged."""
    type_ = unsigned_type(value)
    if type_ is None:
        return value
    return (value ^ _highest_bit(type_)).int(BY_NAME[type_.storage].dtype)


def from_signed(value: Any, type_: ScalarType) -> Any:
    """The number without a sign that `as_signed` made signed."""
    return value.int(type_.dtype) ^ _highest_bit(type_)


def _highest_bit(type_: ScalarType) -> int:
    return 2 ** (type_.bits - 1)
