"""Numbers of elements as data: products of sizes, which the arguments of a call give.

A number is an int, ``("size", k, d)`` for the size of argument ``k`` along axis ``d``,
``("int", k)`` for argument ``k`` itself, or ``(f, x, y)`` for a function of two numbers. The fields
of a record are ``("size", k, d, *path)``. A bound is the product of several.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import reduce
from typing import Any, TypeAlias

Number: TypeAlias = int | tuple[Any, ...]
Bounds: TypeAlias = tuple[tuple[Number, ...], ...]

FUNCTIONS: Mapping[str, Callable[[int, int], int]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "max": max,
    "min": min,
}


def most_elements(bounds: Bounds, values: Sequence[Any]) -> int:
    """The largest bound for a call with some arguments; 0 if there is none.

    >>> most_elements(((4, 4), (("+", ("int", 0), 1),)), [20])
    21
    """
    return max((math.prod(_number(size, values) for size in bound) for bound in bounds), default=0)


def arguments_in(number: Number) -> Iterator[tuple[int, int | None]]:
    """The sizes of arguments that a number depends on: an argument, and its axis, or None.

    >>> list(arguments_in(("+", ("size", 0, 1), ("int", 2))))
    [(0, 1), (2, None)]
    """
    if not isinstance(number, int):
        kind, first, *rest = number
        if kind in FUNCTIONS:
            yield from arguments_in(first)
            yield from arguments_in(rest[0])
        else:
            yield first, rest[0] if rest else None


def is_part(bound: Sequence[Any]) -> bool:
    """Whether a bound is the product of sizes along different axes of one argument.

    >>> is_part((("size", 0, 1), ("size", 0, 0))), is_part((("size", 0, 1), ("size", 1, 0)))
    (True, False)
    >>> is_part((("size", 0, 1), ("size", 0, 1))), is_part((["+", ["size", 0, 0], 1],)), is_part(())
    (False, False, False)
    """
    sizes = [size for size in bound if not isinstance(size, int) and size[0] == "size"]
    axes = {(axis, argument, *path) for _, argument, axis, *path in sizes}
    return len(axes) == len(bound) and len({each[1:] for each in axes}) == 1


def _number(size: Any, values: Sequence[Any]) -> int:
    if isinstance(size, int):
        return size
    kind, first, *rest = size
    if kind == "size":
        axis, *path = rest
        return reduce(operator.getitem, path, values[first]).shape[axis]
    if kind == "int":
        return int(values[first])
    return FUNCTIONS[kind](_number(first, values), _number(rest[0], values))
