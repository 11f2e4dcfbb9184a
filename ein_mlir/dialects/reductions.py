"""The scalar operations of library reductions, and their identities."""

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
"""All reductions: associative and commutative operations of two operands."""


SEARCHES = {
    "<": ("arith.minimumf", "arith.minsi"),
    "<=": ("arith.minimumf", "arith.minsi"),
    ">": ("arith.maximumf", "arith.maxsi"),
    ">=": ("arith.maximumf", "arith.maxsi"),
}
"""Predicate of a search -> the reductions, of floats and of integers, whose identities are its
initial values. The predicate compares an element with the best one so far."""


STRICT = ("<", ">")
"""The searches whose tie rule is the first element."""


def worst(predicate: str, type_: Attribute) -> FloatAttr | IntegerAttr | None:
    """The initial value of a search by a predicate; None if elements of the type are unsearchable.

    >>> from xdsl.dialects.builtin import f64, i1
    >>> print(worst("<", f64), worst(">=", f64), worst("<", i1))
    0x7ff0000000000000 : f64 0xfff0000000000000 : f64 None
    """
    return next(filter(None, (identity(name, type_) for name in SEARCHES[predicate])), None)


def unsearchable(element: Attribute, predicate: str) -> str | None:
    """The reason why elements of a type cannot be searched by a predicate; None if they can."""
    if predicate not in SEARCHES:
        known = ", ".join(f"'{each}'" for each in SEARCHES)
        return f"elements are compared by one of {known}, not by '{predicate}'"
    if worst(predicate, element) is None:
        return f"elements must be i32, i64, f32 or f64, not '{element}'"
    return None


def unselectable(element: Attribute, predicate: str) -> str | None:
    """The reason why elements of a type cannot be ordered by a predicate; None if they can."""
    if predicate not in STRICT:
        known = " or ".join(f"'{each}'" for each in STRICT)
        return f"the first elements are those by {known}, not by '{predicate}'"
    return unsearchable(element, predicate)


def identity(operation: str, type_: Attribute) -> FloatAttr | IntegerAttr | None:
    """The identity of an operation on a scalar type, if libraries reduce that type with it."""
    if isinstance(type_, Float32Type | Float64Type):
        return FloatAttr(FLOATS[operation], type_) if operation in FLOATS else None
    if type_ == IntegerType(1):
        return IntegerAttr.from_bool(BOOLEANS[operation]) if operation in BOOLEANS else None
    if operation not in INTEGERS or type_ not in (IntegerType(32), IntegerType(64)):
        return None
    highest = 2**31 - 1 if type_ == IntegerType(32) else 2**63 - 1
    identities = dict(zip(INTEGERS, (0, 1, highest, -highest - 1), strict=True))
    return IntegerAttr(identities[operation], 32 if type_ == IntegerType(32) else 64)


KINDS = {
    "add": ("arith.addf", "arith.addi"),
    "mul": ("arith.mulf", "arith.muli"),
    "min": ("arith.minimumf", "arith.minsi"),
    "max": ("arith.maximumf", "arith.maxsi"),
    "and": ("arith.andi",),
    "or": ("arith.ori",),
}
"""Kind of an operation without a region -> its scalar operations, one for each type."""

SEGMENT_KINDS = ("add", "min", "max", "and", "or")
"""The kinds of library segment reductions; JAX has no derivative of their product."""

SCAN_KINDS = ("add", "mul", "min", "max", "and", "or")
"""The kinds of library scans."""

_KIND_OF = {operation: kind for kind, operations in KINDS.items() for operation in operations}


def kind_of(operation: str) -> str:
    """The kind of one of ``REDUCTIONS``.

    >>> kind_of("arith.maxsi")
    'max'
    """
    return _KIND_OF[operation]


def combination(kind: str, type_: Attribute) -> str | None:
    """The scalar operation of a kind for a type; None if there is none.

    >>> combination("min", Float64Type()), combination("and", Float64Type())
    ('arith.minimumf', None)
    """
    operations = KINDS.get(kind, ())
    return next((name for name in operations if identity(name, type_) is not None), None)
