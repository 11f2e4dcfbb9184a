"""Accumulation: values combined at computed positions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal, TypeAlias, TypeVar, cast, overload

from ein_mlir.errors import EinTypeError, counted
from ein_mlir.frontend import operators
from ein_mlir.frontend.combinators import Size, sizes_by_name
from ein_mlir.frontend.expr import Accumulation, Array, Expr, Record, Role, Variable, field_of
from ein_mlir.frontend.index_sets import Over, bind
from ein_mlir.frontend.indexing import INDEX_NAMES, get
from ein_mlir.frontend.integers import int_constant
from ein_mlir.frontend.ordering import is_small_float
from ein_mlir.frontend.signatures import names_its_arguments, parameter_names
from ein_mlir.frontend.size_inference import explicit_size, infer_size
from ein_mlir.frontend.structure import has_complex
from ein_mlir.frontend.types import (
    F32,
    RecordType,
    VectorType,
    WeakType,
    describe,
    kind_of,
    resolve,
    settle,
)
from ein_mlir.frontend.values import Int, Vec, decode, encode, int_expr, weak_float
from ein_mlir.host.elements import ScalarType
from ein_mlir.host.locations import at

T = TypeVar("T")
Kind: TypeAlias = Literal["sum", "prod", "min", "max", "any", "all"]

Counts: TypeAlias = "Size | Over[Any] | tuple[Size | Over[Any], ...]"
"""The number of values of each index: a number, an index set, or None."""

_KINDS = {"sum": "add", "prod": "mul", "min": "min", "max": "max", "any": "or", "all": "and"}
"""The kinds of phi by the names of Ein."""

_EXAMPLE = "accumulate(lambda i: (keys[i], x[i]), size=n)"


@overload
def accumulate(
    f: Callable[..., tuple[Any, T]],
    size: Int | int | tuple[Int | int],
    by: Kind = "sum",
    count: Counts = None,
) -> Vec[T]: ...
@overload
def accumulate(
    f: Callable[..., tuple[Any, T]],
    size: tuple[Int | int, Int | int],
    by: Kind = "sum",
    count: Counts = None,
) -> Vec[Vec[T]]: ...
@overload
def accumulate(
    f: Callable[..., tuple[Any, Any]],
    size: tuple[Int | int, ...],
    by: Kind = "sum",
    count: Counts = None,
) -> Any: ...
@names_its_arguments
def accumulate(
    f: Callable[..., tuple[Any, Any]],
    size: Any,
    by: Kind = "sum",
    count: Counts = None,
) -> Any:
    """The array of a size whose element at p combines all values x with ``f(i) == (p, x)``.

    ``by`` is ``"sum"``, ``"prod"``, ``"min"``, ``"max"``, ``"any"`` or ``"all"``; an element
    without values is the identity: 0 for a sum, the largest number for a minimum. A value at a
    position out of bounds is dropped, also if the position is negative. Floats are combined in any
    order. For several axes ``f`` returns several positions, ``((p, q), x)``, and ``size`` is
    ``(n, m)``. A value may be an array or a record, whose elements are combined.

    The function takes one or more indices. ``count`` is how many each has; an index without takes
    the size of the arrays that it indexes directly.

    >>> from ein_mlir import wrap
    >>> keys, x = wrap([0, 2, 0, 7]), wrap([1.0, 2.0, 3.0, 4.0])
    >>> accumulate(lambda i: (keys[i], x[i]), size=3).eval(backend="naive")
    array([4., 0., 2.])
    >>> accumulate(lambda i, j: ((i % 2, j % 2), i + j), size=(2, 2), count=(3, 3)).eval("naive")
    array([[8, 4],
           [4, 2]])
    """
    if by not in _KINDS:
        known = ", ".join(f'"{kind}"' for kind in _KINDS)
        raise EinTypeError(f"accumulate: by must be one of {known}, not {by!r}{at()}")
    names = parameter_names(f, "the body of accumulate()", _EXAMPLE)
    counts = sizes_by_name(count, names, "count")
    indices = tuple(Variable(Role.INDEX, name) for name in names)
    for index, given in zip(indices, counts, strict=True):
        index.combinator = "accumulate"
        bind(index, given)
    extents = _extents(size, indices[0])
    positions, value = _body(f(*map(Int, indices)), len(extents))
    found = [_count(given, index, indices[0]) for given, index in zip(counts, indices, strict=True)]
    return decode(_accumulated(indices, found, extents, _KINDS[by], positions, value, by))


def _extents(size: object, index: Variable) -> list[Expr]:
    """The sizes of the result."""
    sizes = cast(Sequence[object], size) if isinstance(size, tuple) else (size,)
    what = "size of accumulate()"
    return [explicit_size(int_expr(each, what), index, what) for each in sizes]


def _count(given: object, index: Variable, first: Variable) -> Expr:
    """The number of values of an index, given or inferred."""
    if given is not None and index.index_set is None:
        what = f"count of index {index.name}"
        return explicit_size(int_expr(given, what), index, what)
    found = infer_size(index, first)
    index.seen = None
    return found


def _body(result: object, rank: int) -> tuple[list[Expr], Expr]:
    """The positions and the value that a body returns."""
    pair = cast(Sequence[Any], result) if isinstance(result, tuple) else ()
    if len(pair) != 2:
        raise EinTypeError(
            f"accumulate: the body must return a position and a value, as in {_EXAMPLE}{at()}"
        )
    at_, value = pair
    positions = cast(Sequence[Any], at_) if isinstance(at_, tuple) else (at_,)
    if len(positions) != rank:
        raise EinTypeError(
            f"accumulate: the body gives {counted(len(positions), 'position')} for "
            f"{counted(rank, 'size')}{at()}"
        )
    return [_position(position) for position in positions], encode(value, leaf=weak_float)


def _position(position: object) -> Expr:
    found = int_expr(position, "position of accumulate()")
    return int_constant(found) if isinstance(found, int) else found


def _accumulated(
    indices: tuple[Variable, ...],
    counts: Sequence[Expr],
    extents: Sequence[Expr],
    kind: str,
    positions: Sequence[Expr],
    value: Expr,
    by: Kind,
) -> Expr:
    """The accumulation of a value; that of a record is the array of its accumulated fields."""
    if by != "sum" and has_complex(value.type):
        raise EinTypeError(f'accumulate: by="{by}" does not combine complex numbers{at()}')
    given = list(_leaves(value))
    for leaf in given:
        _check_type(leaf, by)
    leaves = [_extended(leaf) for leaf in given]
    records = [_record((*positions, leaf)) for leaf in leaves]
    body = records[0] if len(records) == 1 else _record(records)
    made = Accumulation(indices, tuple(counts), tuple(extents), (kind,) * len(records), body)
    if not isinstance(resolve(value.type), RecordType) and leaves == given:
        return made
    columns = [made] if len(records) == 1 else [field_of(made, k) for k in range(len(records))]
    own = tuple(Variable(Role.INDEX, name) for name in INDEX_NAMES[: len(extents)])
    elements = [get(column, own) if own else column for column in columns]
    fields = (_rounded(*pair) for pair in zip(elements, given, strict=True))
    element = _rebuilt(value, fields)
    return Array(own, tuple(extents), element) if own else element


def _leaves(value: Expr) -> Sequence[Expr]:
    """The fields of a nested record that are no records; another value itself."""
    type_ = resolve(value.type)
    if not isinstance(type_, RecordType):
        return [value]
    fields = [field_of(value, k) for k in range(len(type_.fields))]
    return [leaf for field in fields for leaf in _leaves(field)]


def _rebuilt(value: Expr, leaves: Any) -> Expr:
    """A record like a value, of other leaves."""
    type_ = resolve(value.type)
    if not isinstance(type_, RecordType):
        return next(leaves)
    fields = tuple(_rebuilt(field_of(value, k), leaves) for k in range(len(type_.fields)))
    types = tuple(field.type for field in fields)
    return Record(fields, RecordType(type_.container, type_.names, types))


def _extended(leaf: Expr) -> Expr:
    """A small float as an f32, in which sums are taken; all other values are unchanged."""
    element = resolve(leaf.type)
    if isinstance(element, ScalarType) and is_small_float(element):
        return operators.convert(leaf, F32)
    return leaf


def _rounded(element: Expr, like: Expr) -> Expr:
    """A sum as a number of the type of its terms."""
    type_ = resolve(like.type)
    return operators.convert(element, type_) if isinstance(type_, ScalarType) else element


def _record(fields: Sequence[Expr]) -> Record:
    names = tuple(map(str, range(len(fields))))
    return Record(tuple(fields), RecordType(tuple, names, tuple(field.type for field in fields)))


def _check_type(value: Expr, by: Kind) -> None:
    """Raise an error for a value that a kind does not combine."""
    element = resolve(value.type)
    if isinstance(element, WeakType):
        settle([element])
    while isinstance(element, VectorType):
        element = resolve(element.element)
    is_bool = kind_of(element) == "bool"
    if isinstance(element, RecordType) or is_bool is not (by in ("any", "all")):
        expected = "Bools" if by in ("any", "all") else "Ints or Floats"
        hint = "; count with where(x, 1, 0)" if is_bool and by == "sum" else ""
        raise EinTypeError(
            f'accumulate: by="{by}" combines {expected}, not {describe(value.type)}{hint}{at()}'
        )
    if element is not resolve(value.type) and is_small_float(element):
        raise EinTypeError(
            f"accumulate: arrays of {describe(element)} are not combined: write "
            f'x.float("f32"){at()}'
        )
    if by in ("min", "max") and isinstance(element, ScalarType) and not element.is_signed:
        raise EinTypeError(
            f'accumulate: by="{by}" combines numbers with a sign, not {describe(value.type)}; '
            f"write x.int(){at()}"
        )
