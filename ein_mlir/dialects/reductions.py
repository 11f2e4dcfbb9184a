"""The scalar operations that libraries reduce with, and their identities."""

from __future__ import annotations

from xdsl.dialects.builtin import Float32Type, Float64Type, FloatAttr, IntegerAttr, IntegerType
from xdsl.ir import Attribute

FLOATS = {
    "arith.addf": 0.0,
    "arith.mulf": 1.0,
    "arith.minimumf": float("inf"),
    "arith.maximumf": float("-inf"),
}
"""Reductions of floats, with their identities."""

INTEGERS = ("arith.addi", "arith.muli", "arith.minsi", "arith.maxsi")
"""Reductions of i32 and i64."""

BOOLEANS = {"arith.andi": True, "arith.ori": False}
"""Reductions of i1, with their identities."""

REDUCTIONS = frozenset((*FLOATS, *INTEGERS, *BOOLEANS))
"""All of them: associative and commutative operations of two operands."""


def identity(operation: str, type_: Attribute) -> FloatAttr | IntegerAttr | None:
    """The identity of an operation on a scalar type, where libraries reduce that type with it."""
    if isinstance(type_, Float32Type | Float64Type):
        return FloatAttr(FLOATS[operation], type_) if operation in FLOATS else None
    if type_ == IntegerType(1):
        return IntegerAttr.from_bool(BOOLEANS[operation]) if operation in BOOLEANS else None
    if operation not in INTEGERS or type_ not in (IntegerType(32), IntegerType(64)):
        return None
    highest = 2**31 - 1 if type_ == IntegerType(32) else 2**63 - 1
    identities = dict(zip(INTEGERS, (0, 1, highest, -highest - 1), strict=True))
    return IntegerAttr(identities[operation], 32 if type_ == IntegerType(32) else 64)
