"""Types as the user writes them: annotations, dtypes, phi types, and examples of arguments."""

from __future__ import annotations

import inspect
import re
import sys
import typing
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from ein_mlir.errors import EinTypeError, EinValueError, with_article
from ein_mlir.frontend.complex_numbers import is_complex_number
from ein_mlir.frontend.dtypes import dtype_of, type_of_array
from ein_mlir.frontend.index_sets import element_annotation, is_index_set
from ein_mlir.frontend.operators import numpy_constant
from ein_mlir.frontend.records import Parts, field_names, parts_of
from ein_mlir.frontend.types import (
    BOOL,
    F64,
    I64,
    RecordType,
    Type,
    VectorType,
    WeakType,
    describe,
    element_of,
    kind_of,
    rank_of,
    require_kind,
    resolve,
    vector_of,
)
from ein_mlir.frontend.values import Bool, Float, Int, Scalar, Value, Vec, encode
from ein_mlir.host.arrays import as_int, is_array, is_dtype, is_numpy_scalar
from ein_mlir.host.late_xdsl import load_xdsl
from ein_mlir.host.locations import at

if TYPE_CHECKING:
    from xdsl.ir import Attribute

_SCALARS: dict[object, Type] = {Int: I64, Float: F64, Bool: BOOL}
_KINDS: dict[object, str] = {Int: "int", Float: "float", Bool: "bool"}


# Constructors of explicit types ---------------------------------------------------------------


def scalar_type(dtype: object = float) -> Attribute:
    """The phi type of scalars of a dtype: ``float``, ``"f32"``, ``np.int64``, ...

    >>> print(scalar_type(bool), scalar_type("f32"))
    i1 f32
    """
    return ndarray_type(0, dtype)


def vector_type(dtype: object = float) -> Attribute:
    """The phi type of vectors of scalars.

    >>> print(vector_type("f32"))
    !phi.vec<f32>
    """
    return ndarray_type(1, dtype)


def matrix_type(dtype: object = float) -> Attribute:
    """The phi type of matrices: vectors of vectors of scalars."""
    return ndarray_type(2, dtype)


def ndarray_type(rank: int, dtype: object = float) -> Attribute:
    """The phi type of arrays of a rank.

    >>> print(ndarray_type(3, int))
    !phi.vec<!phi.vec<!phi.vec<i64>>>
    """
    from ein_mlir.dialects.phi import vec_of
    from ein_mlir.frontend.lowering import host_type

    if as_int(rank) is None:
        raise EinTypeError(f"ndarray_type(rank, dtype): a rank is an int, not {rank!r}{at()}")
    if rank < 0:
        raise EinValueError(f"a rank must be non-negative: {rank}{at()}")
    return vec_of(host_type(dtype_of(dtype)), rank)


# Types of arguments ---------------------------------------------------------------------------


def type_of_argument(value: object, annotation: Any = None) -> Type | None:
    """The type that an argument gives its parameter; None if it has none in Ein.

    A Python number is weak: the function decides whether it is an f32 or an f64. A record that is
    annotated ``Vec[Dual]`` is an array of records, given as a record of arrays, the form of its
    results.
    """
    return _type_of_argument(value, annotation)


def _type_of_argument(value: object, annotation: Any, axes: int = 0, name: str = "") -> Type | None:
    """The type of a value (of a field ``name``) without its first axes, which belong to the
    enclosing arrays of records.
    """
    parts = None if isinstance(value, Value) else parts_of(value)
    if parts is not None:
        return _type_of_record(parts, annotation, axes)
    type_ = _type_of_leaf(value)
    if type_ is not None and rank_of(type_) < axes:
        raise EinTypeError(
            f"the field {name} represents an array of records of rank {axes}: expected an array of "
            f"at least that rank, not {with_article(describe(type_))}{at()}"
        )
    return type_ and element_of(type_, axes)


def _type_of_record(parts: Parts, annotation: Any, axes: int) -> Type:
    around = 0
    while (element := element_annotation(annotation)) is not None:
        annotation = element
        around += 1
    annotated = record_annotation(annotation)
    annotations = dict(zip(annotated[1], annotated[2], strict=True)) if annotated else {}
    fields: list[Type] = []
    for name, value in zip(parts.names, parts.values, strict=True):
        field = _type_of_argument(value, annotations.get(name), axes + around, name)
        if field is None:
            raise EinTypeError(
                f"the field {name} must be a staged value or a number: {value!r}{at()}"
            )
        fields.append(field)
    return vector_of(RecordType(parts.container, parts.names, tuple(fields)), around)


def _type_of_leaf(value: object) -> Type | None:
    if is_array(value):
        return type_of_array(value)
    if is_complex_number(value):
        return encode(value).type
    if is_numpy_scalar(value):
        return numpy_constant(value).type
    if isinstance(value, bool):
        return BOOL
    if isinstance(value, int | float):
        return WeakType(0.0 if isinstance(value, float) else 0)
    return value.expr.type if isinstance(value, Value) else None


def type_of(specification: object) -> Type:
    """The type that the user names (annotation, dtype or phi type) or shows by an example."""
    load_xdsl()
    from xdsl.ir import Attribute

    from ein_mlir.frontend.lowering import type_of_phi

    if isinstance(specification, Attribute):
        return type_of_phi(specification)
    if (type_ := type_of_annotation(specification)) is not None:
        return type_
    if isinstance(specification, str | type) or is_dtype(specification):
        return dtype_of(specification)
    if not isinstance(specification, Value) and (parts := parts_of(specification)) is not None:
        return RecordType(parts.container, parts.names, tuple(map(type_of, parts.values)))
    if (type_ := type_of_argument(specification)) is not None:
        return type_
    raise EinTypeError(f"{specification!r} is not the type of a value of Ein{at()}")


def type_of_annotation(annotation: Any) -> Type | None:
    """The type that an annotation denotes, or None.

    ``Int`` and ``Float`` have 64 bits here.
    """
    if any(annotation is scalar for scalar in _SCALARS):
        return _SCALARS[annotation]
    if is_index_set(annotation):
        return I64
    fields = record_annotation(annotation)
    if fields is not None:
        container, names, annotations = fields
        types = [type_of_annotation(field) for field in annotations]
        known = tuple(type_ for type_ in types if type_ is not None)
        return RecordType(container, names, known) if len(known) == len(types) else None
    if (argument := element_annotation(annotation)) is not None:
        element = type_of_annotation(argument)
        return VectorType(element) if element is not None else None
    return None


def record_annotation(annotation: Any) -> tuple[type, tuple[str, ...], tuple[Any, ...]] | None:
    """The container, names and annotations of the fields of a tuple, named tuple or dataclass.

    The annotations of a generic class have its arguments in place of its type variables.
    """
    origin, arguments = typing.get_origin(annotation), typing.get_args(annotation)
    if origin is tuple:
        if arguments and Ellipsis not in arguments:
            return tuple, tuple(map(str, range(len(arguments)))), arguments
        return None
    container: Any = annotation if origin is None else origin
    names = field_names(container) if isinstance(container, type) else None
    if names is None:
        return None
    hints = annotations_of(container)
    chosen = dict(zip(getattr(container, "__parameters__", ()), arguments, strict=False))
    return container, names, tuple(_substituted(hints.get(name), chosen) for name in names)


def _substituted(hint: Any, chosen: Mapping[Any, Any]) -> Any:
    """An annotation with type variables replaced by the chosen types."""
    if isinstance(hint, typing.TypeVar):
        return chosen.get(hint, hint)
    parameters: tuple[Any, ...] = getattr(hint, "__parameters__", ())
    if not parameters or isinstance(hint, type):
        return hint
    return hint[tuple(chosen.get(parameter, parameter) for parameter in parameters)]


# Checking annotations -------------------------------------------------------------------------


def annotations_of(f: Callable[..., Any] | type) -> dict[str, Any]:
    """The annotations of a function or class, without those that name what is not at hand.

    Such a name is local to a function, or imported for type checkers alone.
    """
    found = dict[str, Any]()
    for name, text in inspect.get_annotations(f).items():
        found[name] = text
        if isinstance(text, str):
            try:
                found[name] = _evaluated(f, text)
            except NameError:
                del found[name]
    return found


def _evaluated(f: Callable[..., Any] | type, text: str) -> Any:
    """The value of an annotation that is a text."""
    if isinstance(f, type):
        return eval(text, vars(sys.modules[f.__module__]), dict(vars(f)))
    return eval(text, getattr(inspect.unwrap(f), "__globals__", {}))


def check_annotation(what: str, annotation: Any, type_: Type) -> None:
    """Raise EinTypeError if a value does not have the annotated type.

    Annotations that denote no staged value are not checked. ``Int`` and ``Float`` have either
    width.
    """
    if not _agrees(annotation, type_):
        shown = getattr(annotation, "__name__", None) if isinstance(annotation, type) else None
        expected = shown or re.sub(r"\b(?:\w+\.)+", "", str(annotation))
        given = with_article(describe(type_))
        raise EinTypeError(f"{what} is annotated {expected}, but is {given}{at()}")


def _may_be_staged(element: Any) -> bool:
    """Whether the annotation of an element may denote a staged value: no ``str``, no number."""
    if typing.get_origin(element) is not None or element is object:
        return True
    return getattr(element, "__module__", "builtins") != "builtins"


def _agrees(annotation: Any, type_: Type) -> bool:
    type_ = resolve(type_)
    if any(annotation is scalar for scalar in _SCALARS):
        if annotation is Float:
            return require_kind(type_, "float") if kind_of(type_) else False
        return kind_of(type_) == _KINDS[annotation]
    if annotation is Scalar:
        return kind_of(type_) is not None
    if is_index_set(annotation):
        return kind_of(type_) == "int"
    element = element_annotation(annotation)
    if annotation is Vec or element is not None:
        return isinstance(type_, VectorType) and (
            element is None or (_may_be_staged(element) and _agrees(element, type_.element))
        )
    record = record_annotation(annotation)
    if record is None:
        return True
    container, names, annotations = record
    return (
        isinstance(type_, RecordType)
        and (type_.container, type_.names) == (container, names)
        and all(map(_agrees, annotations, type_.fields))
    )
