"""The reductions, scans and searches of libraries; ``algebra`` has the laws of their operations."""

from __future__ import annotations

from xdsl.dialects.builtin import FloatAttr, IntegerAttr, i1
from xdsl.ir import Attribute

from ein_mlir.dialects.algebra import ALGEBRAS, algebra_for, identity

REDUCTIONS = frozenset(ALGEBRAS)
"""All reductions of libraries: associative and commutative operations of two operands."""


def is_reduction(operation: str, type_: Attribute) -> bool:
    """Whether libraries reduce elements of a type by an operation: not Bools by a sum.

    >>> from xdsl.dialects.builtin import i1, i64
    >>> is_reduction("arith.addi", i64), is_reduction("arith.addi", i1)
    (True, False)
    """
    return operation in ALGEBRAS and type_ in ALGEBRAS[operation].types


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
        return f"elements must be numbers (an i8, i16, i32, i64, f32 or f64), not '{element}'"
    return None


def unselectable(element: Attribute, predicate: str) -> str | None:
    """The reason why elements of a type cannot be ordered by a predicate; None if they can."""
    if predicate not in STRICT:
        known = " or ".join(f"'{each}'" for each in STRICT)
        return f"the first elements are those by {known}, not by '{predicate}'"
    return unsearchable(element, predicate)


ACCUMULATION_KINDS = ("add", "mul", "min", "max", "and", "or", "xor")
"""The kinds of accumulations."""

SCAN_KINDS = ("add", "mul", "min", "max", "and", "or", "xor")
"""The kinds of library scans."""


WEIGHTS = {"min": "add", "max": "add", "add": "mul", "or": "and", "xor": "and"}
"""The kinds of scans with weights, and the operation that weighs: it distributes over the kind."""


def unweighable(kind: str, element: Attribute, weight: Attribute) -> str | None:
    """The reason why a scan of a kind has no weights of a type; None if it has.

    A Bool is a factor of any element, and other weights have the type of the elements. Windows of
    steps are combined first, so products of floats are no weights: a partial product may overflow.

    >>> from xdsl.dialects.builtin import f64, i1, i64
    >>> unweighable("max", f64, f64), unweighable("add", i64, i64), unweighable("add", f64, i1)
    (None, None, None)
    """
    algebra = algebra_for(kind, element)
    if kind not in SCAN_KINDS or algebra is None:
        return f"'{kind}' does not combine elements of type '{element}'"
    if not algebra.takes_any_order:
        return f"'{kind}' combines elements of type '{element}' in order"
    weigh = algebra_for(WEIGHTS.get(kind, ""), element)
    if weight != i1 and (weight != element or weigh is None or not weigh.takes_any_order):
        return f"a scan by '{kind}' of type '{element}' has no weights of type '{weight}'"
    return None


def combines_bits(operation: str, type_: Attribute) -> bool:
    """Whether a reduction is one of bits that is no extreme: of Ints, or by exclusive or.

    >>> from xdsl.dialects.builtin import i1, i64
    >>> combines_bits("arith.ori", i64), combines_bits("arith.ori", i1)
    (True, False)
    """
    return operation == "arith.xori" or (operation in ("arith.andi", "arith.ori") and type_ != i1)


def kind_of(operation: str) -> str:
    """The kind of one of ``REDUCTIONS``.

    >>> kind_of("arith.maxsi")
    'max'
    """
    return ALGEBRAS[operation].kind


def combination(kind: str, type_: Attribute) -> str | None:
    """The scalar operation of a kind for a type; None if there is none.

    >>> from xdsl.dialects.builtin import f64
    >>> combination("min", f64), combination("and", f64)
    ('arith.minimumf', None)
    """
    algebra = algebra_for(kind, type_)
    return None if algebra is None else algebra.name


def identity_of(kind: str, type_: Attribute) -> FloatAttr | IntegerAttr | None:
    """The combination of no values of a type; None if the kind has none for it.

    >>> from xdsl.dialects.builtin import f64
    >>> print(identity_of("min", f64), identity_of("and", f64))
    0x7ff0000000000000 : f64 None
    """
    algebra = algebra_for(kind, type_)
    return None if algebra is None else algebra.identity(type_)
