"""The types of staged values, and their unification.

A type is a scalar, a vector of a type, or a record: a Python container with a type for each field.
Typing is strict; only a Python number adapts to its partner. Where it has none yet, as in the
accumulator of ``fold(0, ...)``, its type is a `WeakType`: a unification variable that the first
partner with a type of its own decides. So a body is traced once, however deep folds are nested.
"""

from __future__ import annotations

import math
import operator
import struct
from collections.abc import Iterable
from itertools import count
from typing import Final, Literal, TypeAlias

from ein_mlir.errors import EinTypeError, shortened
from ein_mlir.host.dataclass import dataclass
from ein_mlir.host.elements import BY_NAME, DEFAULTS, Kind, ScalarType
from ein_mlir.host.locations import at

Number: TypeAlias = "bool | int | float | Limit"
"""The value of a constant."""


@dataclass(frozen=True, slots=True)
class Limit:
    """The largest (sign 1) or smallest (sign -1) number of the type that it takes."""

    sign: int

    def __str__(self) -> str:
        return "the largest number" if self.sign > 0 else "the smallest number"


BOOL: Final = BY_NAME["i1"]
I32: Final = BY_NAME["i32"]
I64: Final = BY_NAME["i64"]
F32: Final = BY_NAME["f32"]
F64: Final = BY_NAME["f64"]

_serials = count()


class WeakType:
    """The type of a Python number until a partner decides it: a node of a union-find forest.

    ``kind`` is ``int`` until an operation needs a float. ``numbers`` are the literals that must
    fit the type when it is decided. Of two unified weak types the older one is kept, so the
    accumulator of an outer fold outlives those of inner folds.
    """

    __slots__ = ("bound", "kind", "numbers", "serial")

    def __init__(self, number: int | float | Limit) -> None:
        self.kind: Literal["int", "float"] = "float" if isinstance(number, float) else "int"
        self.numbers: list[int | float | Limit] = [number]
        self.serial = next(_serials)
        self.bound: ScalarType | WeakType | None = None


@dataclass(frozen=True, slots=True, eq=False)
class VectorType:
    """A vector of elements of one type."""

    element: Type

    def __str__(self) -> str:
        return f"Vec[{describe(self.element)}]"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, VectorType) and resolve(self.element) == resolve(other.element)

    def __hash__(self) -> int:
        """Equal for equal types; the choice of a weak type does not change it."""
        return hash((VectorType, rank_of(self)))


@dataclass(frozen=True, slots=True, eq=False)
class RecordType:
    """A tuple, dict, named tuple or dataclass of staged values."""

    container: type
    names: tuple[str, ...]
    fields: tuple[Type, ...]

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, RecordType)
            and _same_shape(self, other)
            and all(map(operator.eq, map(resolve, self.fields), map(resolve, other.fields)))
        )

    def __hash__(self) -> int:
        """Equal for equal types; the choice of a weak type does not change it."""
        return hash((RecordType, self.container, self.names))

    def __str__(self) -> str:
        types = [describe(field) for field in self.fields]
        if self.container is tuple:
            return f"tuple[{', '.join(types)}]"
        pairs = ", ".join(f"{name}: {type_}" for name, type_ in zip(self.names, types, strict=True))
        return f"{{{pairs}}}" if self.container is dict else f"{self.container.__name__}({pairs})"

    def label(self, field: int) -> str:
        """The notation of an access to a field: ``[0]``, ``['x']`` or ``.x``."""
        return field_label(self.container, self.names[field])


Type: TypeAlias = ScalarType | WeakType | VectorType | RecordType


def field_label(container: type, name: str) -> str:
    """The notation of an access to the field ``name`` of a container."""
    if container is tuple:
        return f"[{name}]"
    return f"[{name!r}]" if container is dict else f".{name}"


def resolve(type_: Type) -> Type:
    """The type itself, or the decided type of a weak one."""
    while type(type_) is WeakType and type_.bound is not None:
        bound = type_.bound
        if isinstance(bound, WeakType) and bound.bound is not None:
            type_.bound = bound.bound
        type_ = bound
    return type_


def settled(type_: Type) -> Type:
    """The type, or the default of a weak one."""
    type_ = resolve(type_)
    return DEFAULTS[type_.kind] if isinstance(type_, WeakType) else type_


def kind_of(type_: Type) -> Kind | None:
    """The kind of a scalar type; None for vectors and records."""
    type_ = resolve(type_)
    return type_.kind if isinstance(type_, ScalarType | WeakType) else None


def describe(type_: Type) -> str:
    """The name of a type in a message."""
    return str(settled(type_))


def describe_pair(lhs: Type, rhs: Type) -> tuple[str, str]:
    """The names of two different types in a message, with widths if the kinds are equal."""
    lhs, rhs = settled(lhs), settled(rhs)
    if isinstance(lhs, ScalarType) and isinstance(rhs, ScalarType) and lhs.kind == rhs.kind:
        return f"{lhs.python_name} ({lhs.name})", f"{rhs.python_name} ({rhs.name})"
    return str(lhs), str(rhs)


def rank_of(type_: Type) -> int:
    """The number of axes of a type."""
    rank, type_ = 0, resolve(type_)
    while isinstance(type_, VectorType):
        rank, type_ = rank + 1, resolve(type_.element)
    return rank


def element_of(type_: Type, depth: int = 1) -> Type:
    """The element type under ``depth`` axes of a type."""
    for _ in range(depth):
        type_ = resolve(type_)
        assert isinstance(type_, VectorType)
        type_ = type_.element
    return type_


def vector_of(element: Type, rank: int) -> Type:
    """The type of arrays of ``element`` with ``rank`` axes."""
    for _ in range(rank):
        element = VectorType(element)
    return element


# Agreement ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Mismatch:
    """A mismatch of two types: the field that differs, and both types of it."""

    path: str
    lhs: Type
    rhs: Type
    reason: str = ""

    def inside(self, label: str) -> Mismatch:
        """The same mismatch, seen from the record that has it in the field ``label``."""
        return Mismatch(label + self.path, self.lhs, self.rhs, self.reason)


def unify(lhs: Type, rhs: Type) -> Mismatch | None:
    """Make two types equal by deciding weak ones; the mismatch, or None."""
    lhs, rhs = resolve(lhs), resolve(rhs)
    if lhs is rhs:
        return None
    match lhs, rhs:
        case WeakType(), WeakType():
            return _join(lhs, rhs)
        case WeakType(), ScalarType():
            return _bind(lhs, rhs)
        case ScalarType(), WeakType():
            mismatch = _bind(rhs, lhs)
            return mismatch and Mismatch("", lhs, rhs, mismatch.reason)
        case VectorType(), VectorType():
            mismatch = unify(lhs.element, rhs.element)
            return mismatch and (Mismatch("", lhs, rhs) if not mismatch.path else mismatch)
        case RecordType(), RecordType() if _same_shape(lhs, rhs):
            for field, pair in enumerate(zip(lhs.fields, rhs.fields, strict=True)):
                if (mismatch := unify(*pair)) is not None:
                    return mismatch.inside(lhs.label(field))
            return None
        case _:
            return Mismatch("", lhs, rhs)


def _same_shape(lhs: RecordType, rhs: RecordType) -> bool:
    return lhs.container is rhs.container and lhs.names == rhs.names


def _join(lhs: WeakType, rhs: WeakType) -> None:
    kept, dropped = (lhs, rhs) if lhs.serial < rhs.serial else (rhs, lhs)
    if dropped.kind == "float":
        kept.kind = "float"
    kept.numbers += dropped.numbers
    dropped.bound = kept


def _bind(weak: WeakType, scalar: ScalarType) -> Mismatch | None:
    if scalar.kind == "bool" or (weak.kind == "float" and scalar.kind == "int"):
        return Mismatch("", weak, scalar)
    for number in weak.numbers:
        if (reason := misfit(number, scalar)) is not None:
            return Mismatch("", weak, scalar, reason)
    weak.bound = scalar
    return None


def settle(types: Iterable[WeakType]) -> None:
    """Decide the weak types that are neither decided nor unified with an older one.

    Raises EinTypeError if a literal does not fit.
    """
    types = list(types)
    serials = {type_.serial for type_ in types}
    for type_ in types:
        root = resolve(type_)
        if isinstance(root, WeakType) and root.serial in serials:
            mismatch = _bind(root, DEFAULTS[root.kind])
            if mismatch is not None:
                raise EinTypeError(f"the literal {mismatch.reason}{at()}")


def require_kind(type_: Type, kind: Kind) -> bool:
    """Whether a scalar type is of a kind; a weak type becomes one (an int by deciding it)."""
    type_ = resolve(type_)
    if isinstance(type_, WeakType):
        if kind == "float":
            type_.kind = "float"
        elif kind == "int" and type_.kind == "int":
            return _bind(type_, I64) is None
    return kind_of(type_) == kind


def misfit(number: Number, type_: ScalarType) -> str | None:
    """The loss of a literal in a type, as a message; None if it fits.

    A float literal is rounded to an f32 as it would be to an f64; an int literal must be exact.
    """
    if isinstance(number, Limit):
        return None
    if type_.kind == "int" and not type_.least <= number <= type_.most:
        return f"{shortened(number)} does not fit {type_}"
    if type_.kind == "float":
        try:
            rounded = _rounded(number, type_)
        except (OverflowError, struct.error):
            return f"{shortened(number)} does not fit {type_}"
        if isinstance(number, int) and rounded != number:
            return f"{shortened(number)} is not exact as {type_}: write {rounded}"
    return None


_FORMATS = {"f16": "<e", "bf16": "<f", "f32": "<f", "f64": "<d"}


def _rounded(number: int | float, type_: ScalarType) -> float:
    """The nearest float of a type; raises OverflowError if there is none.

    >>> _rounded(257, BY_NAME["bf16"]), _rounded(2.5, F32)
    (256.0, 2.5)
    """
    packed = struct.pack(_FORMATS[type_.name], number)
    if type_.name == "bf16" and math.isfinite(number):
        (bits,) = struct.unpack("<I", packed)
        bits += 0x7FFF + (bits >> 16 & 1)
        packed = struct.pack("<I", bits & 0xFFFF0000)
    return struct.unpack(_FORMATS[type_.name], packed)[0]


def conversion(from_: Type, to: Type) -> str | None:
    """The notation of the conversion of one scalar type to another, as a method."""
    from_, to = settled(from_), settled(to)
    if not isinstance(from_, ScalarType) or not isinstance(to, ScalarType) or to.kind == "bool":
        return None
    return f".{to.kind}()" if to.is_default else f'.{to.kind}("{to.name}")'
