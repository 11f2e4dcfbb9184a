"""The sizes of the vectors that a reduction combines: all elements and the identity have the same.

The function keeps the sizes of its arguments, which is checked where it is written. The size of the
identity is compared when the program runs, unless it is known to be that of the elements.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence

from ein_mlir.errors import EinValueError
from ein_mlir.frontend.expr import (
    Array,
    AssertEqual,
    Expr,
    Get,
    Record,
    Role,
    Size,
    Variable,
    field_of,
)
from ein_mlir.frontend.indexing import INDEX_NAMES
from ein_mlir.frontend.integers import int_constant
from ein_mlir.frontend.size_inference import size_key, size_of
from ein_mlir.frontend.types import RecordType, VectorType, rank_of, resolve
from ein_mlir.host.locations import at


def checked_identity(
    vector: Expr, start: Expr, variables: tuple[Variable, Variable], body: Expr
) -> Expr:
    """The identity of a reduction, with assertions of sizes that may differ from those of elements.

    Raises EinValueError unless the function keeps the sizes of its values.
    """
    element = Get(vector, (int_constant(0),))
    element.name = vector.name
    return _checked(element, start, variables, body)


def _checked(element: Expr, start: Expr, variables: tuple[Expr, Expr], body: Expr) -> Expr:
    type_ = resolve(element.type)
    if isinstance(type_, RecordType):
        fields = [
            _checked(
                field_of(element, k),
                field_of(start, k),
                (field_of(variables[0], k), field_of(variables[1], k)),
                field_of(body, k),
            )
            for k in range(len(type_.fields))
        ]
        changed = any(new is not field_of(start, k) for k, new in enumerate(fields))
        return Record(tuple(fields), type_) if changed else start
    if not isinstance(type_, VectorType):
        return start
    checks = [_check(element, start, variables, body, axis) for axis in range(rank_of(type_))]
    if not any(checks):
        return start
    return _of_sizes(start, [check or size_of(start, k) for k, check in enumerate(checks)])


def _check(
    element: Expr, start: Expr, variables: tuple[Expr, Expr], body: Expr, axis: int
) -> AssertEqual | None:
    """The size of the identity along an axis, asserted to be that of the elements.

    None if it is known to be.
    """
    expected, size, after = (size_of(each, axis) for each in (element, start, body))
    own = {size_key(Size(variable, axis)) for variable in variables} | {size_key(expected)}
    if own.isdisjoint(_keys(after)):
        raise EinValueError(
            "reduce: the function must keep the sizes of its values, and nothing shows that along "
            f"axis {axis}: give its result the size of an argument, as in size=x.size({axis}); for "
            f"values that change their size write fold(init, lambda k, acc: ...){at()}"
        )
    if size_key(size) == size_key(expected):
        return None
    message = f"reduce: size of the identity and of the elements along axis {axis}"
    return AssertEqual(size, expected, message)


def _keys(size: Expr) -> Iterator[Hashable]:
    """The keys of a size, and of those that it is asserted to be equal to."""
    if isinstance(size, AssertEqual):
        for operand in size.operands:
            yield from _keys(operand)
    else:
        yield size_key(size)


def _of_sizes(array: Expr, sizes: Sequence[Expr]) -> Expr:
    """An array with given sizes, equal to its own."""
    indices = tuple(Variable(Role.INDEX, name) for name in INDEX_NAMES[: len(sizes)])
    return Array(indices, tuple(sizes), Get(array, indices))
