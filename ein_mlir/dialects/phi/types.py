"""The types of the calculus: scalars, vectors, records."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import TypeAlias

from typing_extensions import TypeVar
from xdsl.dialects.builtin import (
    AnyFloat,
    ComplexType,
    IndexType,
    IntegerType,
    Signedness,
    TupleType,
    bf16,
    f16,
    f32,
    f64,
)
from xdsl.ir import Attribute, ParametrizedAttribute, TypeAttribute
from xdsl.irdl import (
    AttrConstraint,
    IntConstraint,
    MessageConstraint,
    VerificationContext,
    base,
    eq,
    irdl_attr_definition,
)
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from ein_mlir.analysis.hints import isa
from ein_mlir.host.dataclass import dataclass
from ein_mlir.host.direct_xdsl import hash_once
from ein_mlir.host.elements import STORAGE


@irdl_attr_definition
class VecType(ParametrizedAttribute, TypeAttribute):
    """A vector of elements of any phi type: the box type of the calculus.

    Matrices are vectors of vectors, ``!phi.vec<!phi.vec<f64>>``; the size is not part of the type.
    """

    name = "phi.vec"

    element_type: Attribute

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        with parser.in_angle_brackets():
            position = parser.pos
            element = parser.parse_type()
            if not _is_element(element):
                parser.raise_error(
                    f"!phi.vec holds {_NAMES}, vectors and tuples of them, not '{element}'",
                    position,
                )
            return [element]

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_attribute(self.element_type)

    def verify(self) -> None:
        if not _is_element(self.element_type):
            raise VerifyException(
                f"!phi.vec holds {_NAMES}, vectors and tuples of them, not '{self.element_type}'"
            )


hash_once(VecType)


PhiType: TypeAlias = IntegerType | AnyFloat | VecType | TupleType


_FLOATS = {"bf16": bf16, "f16": f16, "f32": f32, "f64": f64}

SCALAR_TYPES: tuple[AnyFloat | IntegerType, ...] = tuple(
    _FLOATS[name] if name in _FLOATS else IntegerType(int(name[1:])) for name in STORAGE
)
"""The scalars of the calculus: Bools, signless integers, floats."""

_FLOAT_CLASSES = frozenset(map(type, _FLOATS.values()))
_WIDTHS = {type_.width.data for type_ in SCALAR_TYPES if isinstance(type_, IntegerType)}
_NAMES = ", ".join(STORAGE)


def is_scalar_type(type_: Attribute) -> bool:
    """Whether a type is one of the scalars of the calculus."""
    cls = type(type_)
    return cls in _FLOAT_CLASSES or (cls is IntegerType and _is_stored(type_))  # pyright: ignore[reportArgumentType]


def _is_stored(type_: IntegerType) -> bool:
    return type_.width.data in _WIDTHS and type_.signedness.data is Signedness.SIGNLESS


def is_phi_type(type_: Attribute) -> bool:
    """Whether a type belongs to the calculus: a scalar, a vector or a tuple of such types."""
    if isinstance(type_, VecType):
        return is_phi_type(type_.element_type)
    if isa(type_, TupleType):
        return all(is_phi_type(t) for t in type_.types)
    return is_scalar_type(type_)


@lru_cache(1024)
def _is_element(type_: Attribute) -> bool:
    """Whether a vector may hold a type: one of the calculus, or one that only the host sees."""
    if isa(type_, TupleType):
        return all(map(_is_element, type_.types))
    if isa(type_, ComplexType):
        return type_.element_type in _FLOATS.values()
    if isa(type_, IntegerType) and type_.signedness.data is Signedness.UNSIGNED:
        return is_scalar_type(IntegerType(type_.width.data))
    return isinstance(type_, VecType) or is_scalar_type(type_)


def vec_of(element: Attribute, rank: int = 1) -> Attribute:
    """``element`` wrapped in ``rank`` vector types."""
    for _ in range(rank):
        element = vector(element)
    return element


@lru_cache(maxsize=1024)
def vector(element: Attribute) -> VecType:
    """A vector type, which is verified once."""
    return VecType(element)


def tuple_of(fields: Iterable[Attribute]) -> TupleType:
    """The record type of fields of phi or yarr types."""
    return TupleType(tuple(field for field in fields if isinstance(field, TypeAttribute)))


@lru_cache(1024)
def struct_of_arrays(type_: Attribute) -> Attribute:
    """The type with arrays of records turned into records of arrays, at any depth.

    ``vec<tuple<a, b>>`` becomes ``tuple<vec<a>, vec<b>>``: the representation at run time.
    """
    if isa(type_, VecType):
        inner = struct_of_arrays(type_.element_type)
        if isa(inner, TupleType):
            return tuple_of(struct_of_arrays(VecType(field)) for field in inner.types)
        return VecType(inner)
    if isa(type_, TupleType):
        return tuple_of(struct_of_arrays(field) for field in type_.types)
    return type_


def element_of(type_: Attribute, depth: int = 1) -> Attribute | None:
    """The element type under ``depth`` vector types of ``type_``; None if it has fewer."""
    for _ in range(depth):
        if not isinstance(type_, VecType):
            return None
        type_ = type_.element_type
    return type_


def row_of(type_: Attribute, depth: int = 1) -> Attribute | None:
    """``element_of``, where a record of arrays may also represent an array of records."""
    if not isa(type_, TupleType):
        return element_of(type_, depth)
    fields = [row for field in type_.types if (row := row_of(field, depth)) is not None]
    return tuple_of(fields) if len(fields) == len(type_.types) else None


def rank_of(type_: Attribute) -> int:
    """The number of vector types around the innermost element."""
    rank = 0
    while type(type_) is VecType:
        rank, type_ = rank + 1, type_.element_type
    return rank


def too_many(count: int, noun: str, type_: Attribute) -> str:
    """The message for more positions or indices than axes."""
    return f"too many {noun} for a '{type_}' of rank {rank_of(type_)}: {count}"


def scalar_of(type_: Attribute) -> Attribute:
    """The element under all vector types."""
    while type(type_) is VecType:
        type_ = type_.element_type
    return type_


def has_arrays(type_: Attribute) -> bool:
    """Whether a type is an array, or a record that contains arrays."""
    if isa(type_, TupleType):
        return any(map(has_arrays, type_.types))
    return isinstance(type_, VecType)


@dataclass(frozen=True)
class PhiTypeConstraint(AttrConstraint[PhiType]):
    """A type of the calculus: a scalar, a vector or a record of such types."""

    def verify(self, attr: Attribute, constraint_context: VerificationContext) -> None:
        if not is_phi_type(attr):
            raise VerifyException(
                f"a phi value is an {_NAMES}, a !phi.vec or a tuple of such, "
                f"not '{attr}'" + (_INDEX_ADVICE if isinstance(attr, IndexType) else "")
            )

    def mapping_type_vars(
        self, type_var_mapping: Mapping[TypeVar, AttrConstraint | IntConstraint]
    ) -> PhiTypeConstraint:
        return self


_INDEX_ADVICE = "; arith.index_cast reads an index as an Int"


VALUE = PhiTypeConstraint()


ARRAY = MessageConstraint(
    base(VecType) | base(TupleType), "expected a !phi.vec, or a tuple of such for records"
)


POSITION = eq(IndexType()) | eq(IntegerType(64)) | eq(IntegerType(32))


def listed(types: Iterable[Attribute]) -> str:
    """The list of types in a diagnostic."""
    return ", ".join(str(t) for t in types)
