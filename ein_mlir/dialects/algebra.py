"""The laws of scalar operations: one table, which every pass asks.

A law of real numbers holds for an operation on floats exactly, up to rounding, or with *hazards*:
special values that only one side has. Operations on Ints are modulo two to their width, so their
laws are exact::

    law                        addf               mulf                        maximumf   addi
    (x . y) . z = x . (y . z)  rounds, overflows  rounds, over-, underflows   exact      exact
    x . y = y . x              exact              exact                       exact      exact
    x . x = x                  no                 no                          exact      no
    (x . y) - y = x            no                 no                          no         exact

A pass that regroups asks for the law, and for its hazards: it proves that they cannot occur, guards
the result at run time, or leaves the program alone, unless the program permits them (``fastmath``).
``docs/semantics.md`` says which laws the compiler uses.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from enum import Flag, auto
from functools import lru_cache

from xdsl.dialects import arith, math
from xdsl.dialects.builtin import Float32Type, Float64Type, FloatAttr, IntegerAttr, IntegerType
from xdsl.ir import Attribute, Operation

from ein_mlir.analysis.hints import isa
from ein_mlir.host.dataclass import dataclass


class Hazard(Flag):
    """A special value that one side of a law may have, and the other not."""

    NONE = 0
    ROUNDING = auto()
    """Both sides are rounded differently."""
    PARTIAL_OVERFLOW = auto()
    """A sum of some terms is too large, although the sum of all is not. Only terms whose magnitudes
    add up to more than the largest float can do this."""
    OVERFLOW = auto()
    """An intermediate result of one side is too large, although those of the other are not."""
    UNDERFLOW = auto()
    """An intermediate result of one side is a zero, or has lost digits."""
    INVALID = auto()
    """One side is NaN, as zero times infinity is, or the difference of infinities."""
    ZERO_SIGN = auto()
    """The sides are zeros with different signs."""


ADDITION = Hazard.ROUNDING | Hazard.PARTIAL_OVERFLOW
PRODUCT = Hazard.ROUNDING | Hazard.OVERFLOW | Hazard.UNDERFLOW
SCALING = Hazard.ROUNDING | Hazard.OVERFLOW | Hazard.INVALID | Hazard.ZERO_SIGN
EXACT = Hazard.NONE

ROUNDING_OF_SUMS = Hazard.ROUNDING | Hazard.PARTIAL_OVERFLOW | Hazard.ZERO_SIGN
"""The hazards that every program accepts: sums are taken in any order (``docs/semantics.md``)."""


@dataclass(frozen=True)
class Algebra:
    """The laws of an operation ``x . y`` of two operands. A law that is None does not hold."""

    name: str
    kind: str
    """The name of the operation for every type: ``"add"``."""
    types: frozenset[Attribute]
    associative: Hazard | None = EXACT
    commutative: Hazard | None = EXACT
    idempotent: bool = False
    """Whether ``x . x = x``."""
    difference: str | None = None
    """The operation ``-`` that combines with the inverse: ``x - y = x . (-y)``, exactly."""
    quotient: str | None = None
    """The operation ``/`` that combines with the inverse, ``x / y = x . (1 / y)``, up to rounding:
    ``(x . y) / z = x . (y / z)`` has the hazards of the associative law."""
    negation: str | None = None
    """The operation of one operand that inverts: ``-(x . y) = (-x) . (-y)``, exactly."""
    is_invertible: bool = False
    """Whether ``(x . y) - y = x``, so that a prefix can be taken from a total."""
    distributes_over: Mapping[str, Hazard] = field(default_factory=dict[str, Hazard])
    """The operations ``+`` with ``x . (y + z) = (x . y) + (x . z)``."""

    def identity(self, type_: Attribute) -> FloatAttr | IntegerAttr | None:
        """The value that combines with every other to that one; None for a type without the law."""
        if type_ not in self.types:
            return None
        number = _IDENTITIES[self.kind]
        if isinstance(type_, Float32Type | Float64Type):
            return FloatAttr(float(number), type_)
        assert isa(type_, IntegerType)
        if type_ == IntegerType(1):
            return IntegerAttr.from_bool(bool(number))
        highest = 2 ** (type_.width.data - 1) - 1
        limits = {float("inf"): highest, float("-inf"): -highest - 1}
        return IntegerAttr(limits[number] if number in limits else int(number), type_)

    @property
    def commutes(self) -> bool:
        """Whether both orders of the operands have one value, also if that is a zero."""
        return self.commutative == EXACT

    @property
    def takes_any_order(self) -> bool:
        """Whether programs accept every order and grouping of the operands of a reduction.

        They do for all operations except products of floats: a partial product may overflow.
        """
        laws = self.associative, self.commutative
        return all(law is not None and law in ROUNDING_OF_SUMS for law in laws)


_IDENTITIES = {
    "add": 0.0,
    "mul": 1.0,
    "min": float("inf"),
    "max": float("-inf"),
    "and": -1.0,
    "or": 0.0,
    "xor": 0.0,
}
"""Kind -> the identity; an infinity is the largest or the least number of the type, and -1 has all
bits."""

_FLOATS = frozenset[Attribute]((Float32Type(), Float64Type()))
_INTS = frozenset[Attribute](map(IntegerType, (8, 16, 32, 64)))
_BITS = _INTS | {IntegerType(1)}

_TABLE = (
    Algebra(
        "arith.addf",
        "add",
        _FLOATS,
        associative=ADDITION,
        difference="arith.subf",
        negation="arith.negf",
        distributes_over={
            "arith.minimumf": Hazard.INVALID | Hazard.ZERO_SIGN,
            "arith.maximumf": Hazard.INVALID | Hazard.ZERO_SIGN,
        },
    ),
    Algebra(
        "arith.mulf",
        "mul",
        _FLOATS,
        associative=PRODUCT,
        quotient="arith.divf",
        distributes_over={"arith.addf": SCALING, "arith.subf": SCALING},
    ),
    Algebra(
        "arith.minimumf",
        "min",
        _FLOATS,
        associative=Hazard.ZERO_SIGN,
        commutative=Hazard.ZERO_SIGN,
        idempotent=True,
        distributes_over=dict.fromkeys(("arith.minimumf", "arith.maximumf"), Hazard.ZERO_SIGN),
    ),
    Algebra(
        "arith.maximumf",
        "max",
        _FLOATS,
        associative=Hazard.ZERO_SIGN,
        commutative=Hazard.ZERO_SIGN,
        idempotent=True,
        distributes_over=dict.fromkeys(("arith.minimumf", "arith.maximumf"), Hazard.ZERO_SIGN),
    ),
    Algebra("arith.addi", "add", _INTS, difference="arith.subi", is_invertible=True),
    Algebra(
        "arith.muli",
        "mul",
        _INTS,
        distributes_over=dict.fromkeys(("arith.addi", "arith.subi"), EXACT),
    ),
    *(
        Algebra(
            name,
            kind,
            types,
            idempotent=True,
            distributes_over=dict.fromkeys(family, EXACT),
        )
        for kind, name, types, family in (
            ("min", "arith.minsi", _INTS, ("arith.minsi", "arith.maxsi")),
            ("max", "arith.maxsi", _INTS, ("arith.minsi", "arith.maxsi")),
            ("and", "arith.andi", _BITS, ("arith.andi", "arith.ori", "arith.xori")),
            ("or", "arith.ori", _BITS, ("arith.andi", "arith.ori")),
        )
    ),
    Algebra("arith.xori", "xor", _BITS),
)

ALGEBRAS: Mapping[str, Algebra] = {algebra.name: algebra for algebra in _TABLE}
"""Operation -> its laws: all associative operations with an identity that libraries reduce by."""

SUM_OF: Mapping[str, str] = {a.difference: a.name for a in _TABLE if a.difference is not None}
"""Difference -> its sum: ``arith.subf`` -> ``arith.addf``."""

_QUOTIENTS = frozenset(a.quotient for a in _TABLE if a.quotient is not None)


def algebra_of(operation: str) -> Algebra | None:
    """The laws of an operation by its name; None if it has none.

    >>> algebra_of("arith.maximumf").idempotent, algebra_of("arith.divf")
    (True, None)
    """
    return ALGEBRAS.get(operation)


def algebra_for(kind: str, type_: Attribute) -> Algebra | None:
    """The laws of the operation of a kind on a type; None if there is none.

    >>> algebra_for("min", Float64Type()).name, algebra_for("and", Float64Type())
    ('arith.minimumf', None)
    """
    return next((a for a in _TABLE if a.kind == kind and type_ in a.types), None)


OPERATIONS: Mapping[str, type[Operation]] = {op.name: op for op in arith.Arith.operations}
"""The classes of scalar operations by their names: those of algebras, and their differences."""


def takes_any_order(operation: str) -> bool:
    """Whether a reduction by an operation may combine its elements in any order and grouping.

    >>> takes_any_order("arith.addf"), takes_any_order("arith.mulf")
    (True, False)
    """
    algebra = algebra_of(operation)
    return algebra is not None and algebra.takes_any_order


def is_sum(operation: str) -> bool:
    """Whether an operation adds, as contractions do.

    >>> is_sum("arith.addi"), is_sum("arith.maxsi")
    (True, False)
    """
    algebra = algebra_of(operation)
    return algebra is not None and algebra.kind == "add"


def is_product(operation: str) -> bool:
    """Whether an operation multiplies, and so distributes over a sum.

    >>> is_product("arith.mulf"), is_product("arith.divf")
    (True, False)
    """
    algebra = algebra_of(operation)
    return algebra is not None and algebra.kind == "mul"


def is_quotient(operation: str) -> bool:
    """Whether an operation multiplies by an inverse, up to rounding.

    >>> is_quotient("arith.divf"), is_quotient("arith.floordivsi")
    (True, False)
    """
    return operation in _QUOTIENTS


@lru_cache(256)
def identity(operation: str, type_: Attribute) -> FloatAttr | IntegerAttr | None:
    """The identity of an operation on a scalar type; None if it has none.

    >>> print(identity("arith.addf", Float64Type()), identity("arith.addf", IntegerType(64)))
    0.000000e+00 : f64 None
    """
    algebra = algebra_of(operation)
    return None if algebra is None else algebra.identity(type_)


def neutral_of(combine: Operation) -> FloatAttr | IntegerAttr:
    """The identity of an operation that is known to have one, on the type of its result."""
    neutral = identity(combine.name, combine.results[0].type)
    assert neutral is not None
    return neutral


def hazards_of_distribution(outer: str, inner: str) -> Hazard | None:
    """The hazards of ``x . (y + z) = (x . y) + (x . z)``, the outer operation ``.`` over ``+``.

    None if that is no law.

    >>> hazards_of_distribution("arith.muli", "arith.addi")
    <Hazard.NONE: 0>
    >>> hazards_of_distribution("arith.addi", "arith.maxsi") is None  # sums of Ints wrap
    True
    """
    algebra = algebra_of(outer)
    return None if algebra is None else algebra.distributes_over.get(inner)


def terms_of(combine: str) -> frozenset[str]:
    """The operations that a sum of values distributes over: sums, differences and negations.

    ``sum(x - y) = sum(x) - sum(y)``: additions are regrouped.

    >>> sorted(terms_of("arith.addf")), sorted(terms_of("arith.maxsi"))
    (['arith.addf', 'arith.negf', 'arith.subf'], [])
    """
    algebra = algebra_of(combine)
    if algebra is None or algebra.difference is None:
        return frozenset()
    names = combine, algebra.difference, algebra.negation
    return frozenset(name for name in names if name is not None)


STRICT_IN_NAN = frozenset(
    (
        "arith.addf",
        "arith.divf",
        "arith.extf",
        "arith.maximumf",
        "arith.minimumf",
        "arith.mulf",
        "arith.negf",
        "arith.subf",
        "arith.truncf",
        "math.absf",
    )
)
"""Operations whose result is NaN if any operand is."""

ODD: tuple[type[Operation], ...] = (
    math.AsinOp,
    math.AsinhOp,
    math.AtanOp,
    math.AtanhOp,
    math.CbrtOp,
    math.ErfOp,
    math.SinOp,
    math.SinhOp,
    math.TanOp,
    math.TanhOp,
)
"""Functions with ``f(-x) = -f(x)``."""

EVEN: tuple[type[Operation], ...] = (math.AbsFOp, math.CosOp, math.CoshOp)
"""Functions with ``f(-x) = f(x)``."""
