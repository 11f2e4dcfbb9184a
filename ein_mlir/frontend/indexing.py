"""Indexing and slicing of arrays: ``a[i, 2, -1]``, ``a[1:-1]``, ``a[i, ::2]``.

A literal negative position or bound counts from the end, as in Python; a computed one is clipped.
A slice is a comprehension over a view: ``a[1:]`` is ``array(lambda i: a[i + 1], n - 1)``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from ein_mlir.errors import EinTypeError, EinValueError
from ein_mlir.frontend.expr import Apply, Array, Expr, Get, Op, Role, Variable
from ein_mlir.frontend.integers import (
    add,
    divide_up,
    greatest,
    int_constant,
    int_literal,
    known,
    least,
    multiply,
    subtract,
)
from ein_mlir.frontend.operators import convert
from ein_mlir.frontend.size_inference import called, index_in, note_positions, size_of
from ein_mlir.frontend.types import (
    I32,
    I64,
    describe,
    kind_of,
    rank_of,
    require_kind,
    resolve,
)
from ein_mlir.host.arrays import as_int
from ein_mlir.host.dataclass import dataclass
from ein_mlir.host.locations import at

INDEX_NAMES = "ijklmnopqrstuvwxyzabcdefgh"
"""Names of the indices of comprehensions for slices."""

Position: TypeAlias = "Expr | int"
"""A computed position or a literal one."""


@dataclass(frozen=True)
class Slice:
    """A slice as the user wrote it; its step is a literal."""

    start: Position | None
    stop: Position | None
    step: int

    def __str__(self) -> str:
        start, stop = (_shown(bound) for bound in (self.start, self.stop))
        return f"{start}:{stop}" + (f":{self.step}" if self.step != 1 else "")


def _shown(bound: Position | None) -> str:
    if isinstance(bound, Expr):
        return bound.name or "..."
    return "" if bound is None else str(bound)


def subscript(array: Expr, items: Sequence[Position | Slice]) -> Expr:
    """``array[items]``: an element, or a view if an item is a slice."""
    rank = rank_of(array.type)
    if len(items) > rank:
        raise EinTypeError(
            f"{len(items)} positions are too many for {called(array)}, which has rank {rank} "
            f"({describe(array.type)}){at()}"
        )
    if all(isinstance(item, Slice) and item == _EVERYTHING for item in items):
        return array
    indices: list[Variable] = []
    sizes: list[Expr] = []
    positions: list[Expr] = []
    for axis, item in enumerate(items):
        if isinstance(item, Slice):
            start, size = _extent(item, size_of(array, axis))
            _check_regular(item, size, array)
            indices.append(Variable(Role.INDEX, INDEX_NAMES[len(indices)]))
            sizes.append(size)
            positions.append(_step_from(start, item.step, indices[-1]))
        else:
            positions.append(_position(array, axis, item))
    element = get(array, positions)
    if not indices:
        return element
    view = Array(tuple(indices), tuple(sizes), element)
    view.name = f"{called(array)}[{', '.join(map(_item, items))}]"
    return view


_EVERYTHING = Slice(None, None, 1)


def _item(item: Position | Slice) -> str:
    return str(item) if isinstance(item, Slice) else _shown(item)


def get(array: Expr, positions: Sequence[Expr]) -> Expr:
    """``array[positions]``; ``a[i][j]`` is one indexing, ``a[i, j]``."""
    outer: tuple[Expr, ...] = ()
    if isinstance(array, Get):
        array, outer = array.array, array.positions
    note_positions(array, positions, len(outer))
    return Get(array, (*outer, *positions))


def _position(array: Expr, axis: int, item: Position) -> Expr:
    if isinstance(item, int):
        is_counted = int_literal(item) >= 0
        return int_constant(item) if is_counted else add(size_of(array, axis), item)
    if not require_kind(item.type, "int"):
        raise EinTypeError(f"a position is an Int, not {describe(item.type)}{_remedy(item)}{at()}")
    return item if resolve(item.type) in (I32, I64) else convert(item, I64)


def _remedy(position: Expr) -> str:
    """The remedy for a position that is no Int."""
    if isinstance(position, Variable) and position.role is Role.ACCUMULATOR:
        return ": the counter of a step comes first, as in fold(0.0, lambda k, acc: ...)"
    if isinstance(position, Apply) and position.op is Op.DIV:
        return "; write `//` for the quotient of Ints"
    return "; write `.int()`" if kind_of(position.type) else ""


def _check_regular(item: Slice, size: Expr, array: Expr) -> None:
    if (index := index_in(size)) is not None:
        raise EinValueError(
            f"the size of {called(array)}[{item}] depends on the index {index.name}; slices of one "
            f"size are comprehensions: array(lambda k: {called(array)}[start + k], size=n){at()}"
        )


def _step_from(start: Expr, step: int, index: Variable) -> Expr:
    """``start + step * index``."""
    if step < 0:
        return subtract(start, multiply(index, -step))
    offset = multiply(index, step)
    return add(offset, start) if known(start) is not None else Apply(Op.ADD, (start, offset), I64)


def _extent(slice_: Slice, n: Expr) -> tuple[Expr, Expr]:
    """The start and the size of a slice of an axis of size n, by Python's rules.

    Bounds are clipped only if it changes the result: ``a[1:-1]`` has size ``max(n - 2, 0)``.
    """
    forward = slice_.step > 0
    if forward:
        start = _bound(slice_.start, n, default=0, floor=0)
        stop = _bound(slice_.stop, n, default=n, ceiling=n)
    else:
        start = _bound(slice_.start, n, default=add(n, -1), ceiling=add(n, -1))
        stop = _bound(slice_.stop, n, default=-1, floor=-1)
    span = _difference(stop, start) if forward else _difference(start, stop)
    if span is not n:
        span = greatest(span, int_constant(0))
    return start, divide_up(span, abs(slice_.step))


def _bound(
    bound: Position | None,
    n: Expr,
    default: Expr | int,
    floor: int | None = None,
    ceiling: Expr | None = None,
) -> Expr:
    """A bound of a slice, clipped by the given one of its two limits.

    A literal that counts from the end cannot exceed the ceiling, another one cannot fall below the
    floor, and a bound beyond the other end makes the slice empty without being clipped.
    """
    if bound is None:
        bound = default
        return int_constant(bound) if isinstance(bound, int) else bound
    if isinstance(bound, int):
        from_end = int_literal(bound) < 0
        value = add(n, bound) if from_end else int_constant(bound)
        if floor is not None:
            return greatest(value, int_constant(floor)) if from_end else value
        return value if from_end or ceiling is None else least(value, ceiling)
    if floor is not None:
        return greatest(bound, int_constant(floor))
    return bound if ceiling is None else least(bound, ceiling)


def _difference(high: Expr, low: Expr) -> Expr:
    """``high - low``, the difference of the offsets if both have the same base."""
    high_base, high_offset = _offset(high)
    low_base, low_offset = _offset(low)
    if high_base is low_base:
        return int_constant(high_offset - low_offset)
    if low_base is None:
        assert high_base is not None
        return add(high_base, high_offset - low_offset)
    return subtract(high, low)


def _offset(value: Expr) -> tuple[Expr | None, int]:
    """The base and the constant offset of a value."""
    if (number := known(value)) is not None:
        return None, number
    if isinstance(value, Apply) and value.op in (Op.ADD, Op.SUB):
        lhs, rhs = value.operands
        if (number := known(rhs)) is not None:
            return lhs, number if value.op is Op.ADD else -number
    return value, 0


def check_axis(array: Expr, axis: object) -> int:
    """The number of an axis from the outermost; a negative ``axis`` counts from the innermost."""
    rank, number = rank_of(array.type), as_int(axis)
    if number is None:
        shown = repr(axis).partition("\n")[0]
        raise EinTypeError(f"size of {called(array)}: an axis is a Python int, not {shown}{at()}")
    if not -rank <= number < rank:
        raise EinValueError(f"{called(array)} has rank {rank}, and no axis {number}{at()}")
    return number % rank


def check_comes_first(value: object, what: str) -> None:
    """Raise EinTypeError for a function in the place of a vector, as other libraries have it."""
    if callable(value):
        shown = getattr(value, "__name__", "")
        raise EinTypeError(
            f"{what}: the vector comes before the function, as in {what}(a, ..), and this is "
            f"the function {shown}{at()}"
        )


def check_vector(value: Expr, what: str) -> Expr:
    """The value, which must be a vector."""
    if not rank_of(value.type):
        raise EinTypeError(f"{what}: expected a vector, not {describe(value.type)}{at()}")
    return value
