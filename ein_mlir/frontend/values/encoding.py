"""Values, Python numbers and records of them as expressions."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import TypeAlias

from ein_mlir.errors import EinTypeError
from ein_mlir.frontend import operators
from ein_mlir.frontend.complex_numbers import Complex, as_complex, is_complex
from ein_mlir.frontend.expr import Constant, Expr, Field, Record
from ein_mlir.frontend.records import parts_of
from ein_mlir.frontend.types import Limit, RecordType, Type, WeakType, resolve
from ein_mlir.frontend.values.value import Value
from ein_mlir.host.arrays import is_array, is_numpy_scalar
from ein_mlir.host.locations import at

Leaf: TypeAlias = Callable[["bool | int | float | Limit", Type | None], Expr]
"""A function from a Python number, and the expected type if any, to an expression."""


def strong(number: bool | int | float | Limit, like: Type | None) -> Expr:
    """A number of the expected type, or of its default type."""
    return operators.constant(number) if like is None else operators.literal(number, like)


def weak(number: bool | int | float | Limit, like: Type | None) -> Expr:
    """A number whose type is decided by its partners."""
    return operators.weak_constant(number)


def weak_float(number: bool | int | float | Limit, like: Type | None) -> Expr:
    """A number of the expected type; without one, a float has the width of its partners."""
    if like is None and isinstance(number, float):
        return operators.weak_constant(number)
    return strong(number, like)


def encode(value: object, like: Type | None = None, leaf: Leaf = strong) -> Expr:
    """The expression of the result of a user's function: a value, a number or a record.

    ``like`` is the expected type: literals take their types from it, and the keys of a dict are
    in its order.
    """
    if isinstance(value, Value):
        return value.expr
    value = as_complex(value)
    if is_complex(like) and isinstance(value, int | float) and not isinstance(value, bool):
        value = Complex(value, 0.0)
    if is_numpy_scalar(value):
        return operators.numpy_constant(value)
    if isinstance(value, bool | int | float | Limit):
        return leaf(value, like)
    parts = parts_of(value)
    if parts is None:
        raise EinTypeError(_not_a_value(value))
    expected = resolve(like) if like is not None else None
    names, values = parts.names, parts.values
    types: tuple[Type | None, ...] = (None,) * len(names)
    if (
        isinstance(expected, RecordType)
        and expected.container is parts.container
        and set(expected.names) == set(names)
    ):
        by_name = dict(zip(names, values, strict=True))
        names, types = expected.names, expected.fields
        values = tuple(by_name[name] for name in names)
    fields = tuple(encode(v, t, leaf) for v, t in zip(values, types, strict=True))
    return _record(fields, parts.container, names)


def _record(fields: tuple[Expr, ...], container: type, names: tuple[str, ...]) -> Expr:
    """The record of some fields; the original if they are all the fields of one."""
    first = fields[0]
    if isinstance(first, Field):
        original = first.operands[0]
        type_ = original.type
        if (
            isinstance(type_, RecordType)
            and (type_.container, type_.names) == (container, names)
            and all(
                isinstance(field, Field) and field.operands[0] is original and field.index == index
                for index, field in enumerate(fields)
            )
        ):
            return original
    return Record(fields, RecordType(container, names, tuple(field.type for field in fields)))


def with_complex_literals(start: Expr, type_: Type) -> Expr:
    """An initial value whose literals are complex numbers where a type has complex numbers."""
    expected = resolve(type_)
    if not isinstance(expected, RecordType):
        return start
    if isinstance(start, Constant) and isinstance(start.type, WeakType) and is_complex(expected):
        return encode(Complex(start.value, 0.0), leaf=weak)
    if not isinstance(start, Record) or len(start.operands) != len(expected.fields):
        return start
    fields = tuple(map(with_complex_literals, start.operands, expected.fields))
    return (
        _record(fields, expected.container, expected.names) if fields != start.operands else start
    )


def _not_a_value(value: object) -> str:
    expected = "expected a staged value, a number, or a tuple, dict or dataclass of them"
    if value is None:
        return f"{expected}, not None: is a `return` missing?{at()}"
    if is_array(value):
        return f"{expected}, not an array: wrap() it{at()}"
    if isinstance(value, list):
        return f"{expected}, not list: write a tuple, or wrap() a list of numbers{at()}"
    if isinstance(value, set | frozenset):
        return f"{expected}, not a set, whose values have no order: write a tuple{at()}"
    if inspect.isgenerator(value):
        return f"{expected}, not a generator: write `return` in place of `yield`{at()}"
    if inspect.iscoroutine(value):
        value.close()
        return f"{expected}, not a coroutine: write `def` in place of `async def`{at()}"
    if inspect.isroutine(value):
        return f"{expected}, not the function {value.__name__}: call it{at()}"
    return f"{expected}, not {type(value).__name__}{at()}"
