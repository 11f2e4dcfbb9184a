"""Sizes of expressions, without free indices if possible, and inferred sizes of indices.

An index takes the size of the arrays that it indexes directly. The accesses are recorded while the
body is traced (`note_positions`), so inference reads each of them once and never walks a body: it
is linear in the size of the program.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence

from ein_mlir.errors import EinTypeError, EinValueError, SizeInferenceError
from ein_mlir.frontend.expr import (
    Accumulation,
    Apply,
    Argsort,
    Argument,
    Array,
    AssertEqual,
    Binder,
    Concat,
    Constant,
    Expr,
    Extern,
    Field,
    Fold,
    Get,
    Input,
    Op,
    Role,
    Seen,
    Size,
    Variable,
    Vjp,
    children,
    field_of,
)
from ein_mlir.frontend.integers import int_constant, int_literal
from ein_mlir.frontend.types import I64, RecordType, describe, resolve
from ein_mlir.host.locations import at

# Sizes of expressions -------------------------------------------------------------------------


def size_of(array: Expr, axis: int) -> Expr:
    """The size of an expression along an axis, without the indices in scope.

    ``size_k a[e] --> size_{k+1} a``; a comprehension has its given size; a fold that keeps the size
    of its accumulator has that of its initial value.
    """
    asked: list[tuple[Binder, int]] = []
    while True:
        if isinstance(array, Binder) and axis in array.known_sizes:
            size = array.known_sizes[axis]
            break
        if isinstance(array, Array) and axis < len(array.operands):
            size = array.operands[axis]
            break
        if isinstance(array, Accumulation) and axis < len(array.extents):
            size = array.extents[axis]
            break
        if isinstance(array, Concat) and axis == 0:
            size = array.length
            break
        root, path = _path(array)
        if isinstance(array, Array):
            asked.append((array, axis))
            array, axis = array.body, axis - len(array.operands)
        elif isinstance(array, Accumulation):
            asked.append((array, axis))
            array, axis = array.body.operands[-1], axis - len(array.extents)
        elif isinstance(array, Get):
            array, axis = array.array, axis + len(array.positions)
        elif isinstance(array, Concat | Argsort):
            array = array.operands[0]
        elif isinstance(root, Fold) and _keeps_size(root, path, axis):
            if not path:
                asked.append((root, axis))
            array = _part(root.operands[1], path)
        elif isinstance(root, Vjp) and path and path[0]:
            array = _part(root.operands[0], path[1:])
        else:
            size = _own_size(array, axis)
            break
    for binder, k in reversed(asked):
        if size.free.isdisjoint(binder.variables):
            binder.known_sizes[k] = size
        else:
            size = Size(binder, k)
    return size


def _own_size(array: Expr, axis: int) -> Expr:
    if isinstance(array, Argument) and axis in array.sizes:
        return array.sizes[axis]
    root, path = _path(array)
    if path and isinstance(root, Get):
        # All elements have the same sizes: take the first one, which needs no index.
        first = Get(root.array, tuple(int_constant(0) for _ in root.positions))
        first.name = root.name
        return Size(_part(first, path), axis)
    return Size(array, axis)


def _path(array: Expr) -> tuple[Expr, tuple[int, ...]]:
    """The record at the root of a chain of projections, and the fields, outermost first."""
    path: list[int] = []
    while isinstance(array, Field):
        path.append(array.index)
        array = array.operands[0]
    return array, tuple(reversed(path))


def _part(record: Expr, path: Sequence[int]) -> Expr:
    for index in path:
        record = field_of(record, index)
    return record


def _keeps_size(fold: Fold, path: tuple[int, ...], axis: int) -> bool:
    """Whether (the part ``path`` of) the accumulator has the same size before and after a step."""
    after = size_of(_part(fold.body, path), axis)
    return size_key(after) == size_key(Size(_part(fold.variables[1], path), axis))


def size_key(size: Expr) -> Hashable:
    """A key that is equal for sizes that are known to be equal."""
    while isinstance(size, AssertEqual):
        size = size.operands[0]
    if isinstance(size, Constant):
        return ("constant", size.value)
    if isinstance(size, Size):
        root, path = _path(size.operands[0])
        return (id(root), path, size.axis)
    return id(size)


# Explicit sizes -------------------------------------------------------------------------------


def explicit_size(size: Expr | int, variable: Variable, what: str | None = None) -> Expr:
    """A size or count given by the user; ``what`` is its name in messages."""
    what = what or quantity(variable)
    if isinstance(size, int):
        if int_literal(size) < 0:
            raise EinValueError(f"{what} is negative: {size}{at()}")
        return int_constant(size)
    if resolve(size.type) is not I64:
        raise EinTypeError(f"{what}: expected an Int, not {describe(size.type)}{at()}")
    if (index := index_in(size)) is not None:
        raise EinValueError(
            f"{what} depends on the index {index.name}, and arrays are rectangular: take the "
            f"largest one, and choose with where({variable.name} < n, ..., 0.0){at()}"
        )
    return size


def index_in(size: Expr, *, accumulators: bool = False) -> Variable | None:
    """A free index that a value depends on other than through a size.

    With ``accumulators`` also an accumulator that may vary with an index.
    """
    indices = frozenset(
        v for v in size.free if v.role is Role.INDEX or (accumulators and v.may_vary)
    )
    pending, visited = [size], set[Expr]()
    while pending:
        expr = pending.pop()
        if expr in visited or isinstance(expr, Size) or expr.free.isdisjoint(indices):
            continue
        if isinstance(expr, Variable):
            if expr in indices:
                return expr
            continue
        visited.add(expr)
        pending.extend(children(expr))
    return None


def quantity(variable: Variable) -> str:
    """The name of the size of an index or the count of a counter in a message."""
    if variable.set_name is not None:
        return f"size of {variable.set_name}"
    if variable.role is Role.COUNTER:
        return f"count of {variable.name}"
    return f"size of index {variable.name}"


# Inference ------------------------------------------------------------------------------------


def note_positions(array: Expr, positions: Sequence[Expr], first_axis: int) -> None:
    """Record the axes of an array that indices and counters of unknown size access."""
    for axis, position in enumerate(positions, first_axis):
        if isinstance(position, Variable):
            if position.index_set is not None:
                check_set(position.index_set, position.name, array, axis)
            if position.seen is not None:
                position.seen.append(Seen(array, axis, direct=True))
        elif position.free:
            for variable in position.free:
                if variable.seen is not None:
                    variable.seen.append(Seen(array, axis, direct=False))


def note_ends(count: Expr) -> None:
    """Record the ends of rows: the count of a row at i is ``ends[i + 1] - ends[i]``.

    There is one more of them than rows, so their number is not the size of i.
    """
    if not isinstance(count, Apply) or count.op is not Op.SUB:
        return
    stop, start = count.operands
    if not (isinstance(stop, Get) and isinstance(start, Get)) or len(start.positions) != 1:
        return
    index = start.positions[0]
    sizes = {size_key(Size(each.array, 0)) for each in (start, stop)}
    if isinstance(index, Variable) and len(sizes) == 1 and _is_next(stop.positions[0], index):
        index.ends = start.array


def _is_next(position: Expr, index: Variable) -> bool:
    return (
        isinstance(position, Apply)
        and position.op is Op.ADD
        and index in position.operands
        and any(isinstance(each, Constant) and each.value == 1 for each in position.operands)
    )


def check_set(index_set: object, index: str | None, array: Expr, axis: int) -> None:
    """Raise EinTypeError for an index of another set than that of an axis."""
    declared = _set_of(array, axis)
    if declared is not None and declared != index_set:
        names = [getattr(each, "__name__", str(each)) for each in (declared, index_set)]
        raise EinTypeError(
            f"{called(array)} is along {names[0]} on axis {axis}, and {index} is an index of "
            f"{names[1]}{at()}"
        )


def _set_of(array: Expr, axis: int) -> object:
    """The index set of an axis, by its annotation or its comprehension; None without one."""
    while True:
        match array:
            case Argument():
                return array.axes[axis] if axis < len(array.axes) else None
            case Array() if axis < len(array.operands):
                return array.variables[axis].index_set
            case Array():
                array, axis = array.body, axis - len(array.operands)
            case Get():
                array, axis = array.array, axis + len(array.positions)
            case _:
                return None


def known_size(variable: Variable) -> Expr | None:
    """The size of an index, as far as it is known while its body is traced."""
    if variable.own_size is not None:
        return variable.own_size
    direct = (size_of(seen.array, seen.axis) for seen in _direct(variable))
    return next((size for size in direct if not size.free), variable.set_size)


def _direct(variable: Variable) -> Iterator[Seen]:
    """The axes that an index alone accesses, without those of the ends of its rows."""
    ends = variable.ends
    for seen in variable.seen or ():
        is_of_ends = ends is not None and size_key(Size(ends, seen.axis)) == size_key(
            Size(seen.array, seen.axis)
        )
        if seen.direct and not is_of_ends:
            yield seen


def infer_size(variable: Variable, bound_first: Variable) -> Expr:
    """The size of an index (or count of a counter) from the arrays that it indexed directly.

    Several sizes are asserted to be equal; without any, it is that of the arguments along its index
    set. ``bound_first`` is the first variable that the
    combinator binds: it and later ones are not in scope at the definition of the size, so sizes
    that depend on them are no candidates.
    """
    candidates: dict[Hashable, tuple[Expr, Seen | None]] = {}
    inside: tuple[Variable, Seen] | None = None
    if (own := variable.own_size) is not None:
        candidates[size_key(own)] = own, None
    for seen in _direct(variable):
        size = size_of(seen.array, seen.axis)
        bound = next((v for v in size.free if v.serial >= bound_first.serial), None)
        if bound is None:
            key = size_key(size)
            if key not in candidates or isinstance(size, AssertEqual):
                candidates[key] = size, seen
        else:
            inside = inside or (bound, seen)
    if not candidates and variable.set_size is not None:
        return variable.set_size
    if not candidates:
        found = _nothing_found(variable) if inside is None else _only_inside(variable, *inside)
        raise SizeInferenceError(found)
    (size, first), *others = candidates.values()
    for other, seen in others:
        message = f"{_shown(variable)}: {_axis(first)} and {_axis(seen)}"
        size = AssertEqual(size, other, message)
    return size


def _only_inside(variable: Variable, bound: Variable, seen: Seen) -> str:
    return (
        f"{_shown(variable)}: the {_axis(seen)} (at {seen.location}) "
        f"depends on {bound.name}, which is bound inside; {_advice(variable)}{at()}"
    )


def _nothing_found(variable: Variable) -> str:
    name = variable.name
    if variable.ends is not None:
        ends = variable.ends.name or "ends"
        return (
            f"cannot infer the {quantity(variable)}: row {name} ends at {ends}[{name} + 1], so "
            f"{ends} has one element more than there are rows; give the size: "
            f"array(lambda {name}: ..., size={ends}.size() - 1){at()}"
        )
    uses = [
        f"{called(seen.array)} along axis {seen.axis}, at a computed position ({seen.location})"
        for seen in variable.seen or ()
    ]
    more = f"; and {len(uses) - 4} more" if len(uses) > 4 else ""
    found = f"it was only seen in: {'; '.join(uses[:4])}{more}; " if uses else ""
    return (
        f"cannot infer the {quantity(variable)}: no array is "
        f"indexed by {name} itself, as in a[{name}]; {found}{_advice(variable)}{at()}"
    )


def _advice(variable: Variable) -> str:
    if variable.set_name is not None:
        return f"give the size, as in {variable.set_name}.of(n)"
    if variable.role is Role.COUNTER:
        return "give the count, as in fold(..., count=n)"
    if variable.combinator is not None:
        return f"give the count, as in {variable.combinator}(..., count=n)"
    return f"give the size: array(lambda {variable.name}: ..., size=n)"


def _shown(variable: Variable) -> str:
    return variable.set_name or f"{variable.role.value} {variable.name}"


def _axis(seen: Seen | None) -> str:
    if seen is None:
        return "its own size"
    return f"size of {called(seen.array)} along axis {seen.axis}"


def called(array: Expr) -> str:
    """The name of an array in a message: the user's name, or a description."""
    match array:
        case Field():
            record = array.operands[0]
            type_ = resolve(record.type)
            assert isinstance(type_, RecordType)
            return f"{called(record)}{type_.label(array.index)}"
        case Expr(name=str(name)):
            return name
        case Get():
            return f"{called(array.array)}[{', '.join('...' for _ in array.positions)}]"
        case Extern():
            return f"{array.called}(...)"
        case Input() | Argument():
            return "an array"
        case _:
            return f"the {type(array).__name__.lower()} of {array.location}"
