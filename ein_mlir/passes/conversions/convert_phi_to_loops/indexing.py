"""Rules for reading and replacing elements.

A position in bounds, by its range, is used as it is. Another one is clipped::

    a[p] = a[max(min(p, n - 1), 0)]

So clips of the program at these bounds, or beyond them, are left out. If the array may be empty, a
buffer of zeros is read in its place.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

from xdsl.dialects import arith
from xdsl.ir import SSAValue

from ein_mlir.analysis.constants import known_int
from ein_mlir.analysis.phi.last_uses import is_last_use
from ein_mlir.analysis.phi.position_bounds import is_remainder
from ein_mlir.analysis.phi.records import origin
from ein_mlir.analysis.phi.size_equivalence import Term
from ein_mlir.dialects import phi
from ein_mlir.dialects.creation import made_like
from ein_mlir.passes.conversions.convert_phi_to_loops.arrays import check_rows
from ein_mlir.passes.conversions.convert_phi_to_loops.conversion import Conversion
from ein_mlir.passes.conversions.convert_phi_to_loops.values import Array, Leaf


def get(conversion: Conversion, op: phi.GetOp) -> None:
    """A part of each field, or the scalar that it is."""
    results = list[Leaf]()
    for leaf in conversion.leaves(op.array):
        assert isinstance(leaf, Array)
        part = _part(conversion, op, leaf)
        results.append(part if part.sizes else conversion.load(part))
    conversion.bind(op.result, results)


def _part(conversion: Conversion, op: phi.GetOp, array: Array) -> Array:
    """The part of an array at the positions of an access."""
    places = list[SSAValue]()
    reads_filled = False
    for axis, position in enumerate(op.positions):
        position = conversion.without_clips(position, op.array, axis, op)
        place = conversion.position(position)
        above = conversion.is_above(position, op)
        below = conversion.is_below(position, op.array, axis, op)
        is_proven = above and below
        if not is_proven or is_remainder(position):
            nonempty = conversion.is_nonempty(op.array, axis, op)
            reads_filled |= not nonempty
            is_above = above and (below or nonempty)
            if not is_proven:
                place = clipped(conversion, place, array.sizes[axis], is_above, below)
        places.append(place)
    return array.at(places).borrowed(reads_filled=reads_filled)


def clipped(
    conversion: Conversion,
    position: SSAValue,
    size: SSAValue,
    is_above: bool = False,
    is_below: bool = False,
) -> SSAValue:
    """``max(min(p, n - 1), 0)``, without a bound that is known."""
    if not is_below:
        last = conversion.value_of(made_like(arith.SubiOp, size, conversion.index(1)))
        position = conversion.value_of(made_like(arith.MinSIOp, position, last))
    if not is_above:
        position = conversion.value_of(made_like(arith.MaxSIOp, position, conversion.index(0)))
    return position


def update(conversion: Conversion, op: phi.UpdateOp) -> None:
    """Write an element, in place if nothing reads the array after that, else into a copy."""
    results = list[Leaf]()
    pairs = zip(conversion.leaves(op.array), conversion.leaves(op.value), strict=True)
    for leaf, (old, new) in enumerate(pairs):
        assert isinstance(old, Array)
        _check_row(conversion, op, old, new)
        target = _overwritten(conversion, op, leaf, old)
        _write(conversion, op, new, target)
        results.append(target)
    conversion.bind(op.result, results)


def _overwritten(
    conversion: Conversion, op: phi.UpdateOp | phi.UpdateSliceOp, leaf: int, old: Array
) -> Array:
    """The array to write into: the old one if nothing reads it after that, else a copy."""
    if old.own and is_last_use(op.array, leaf, op):
        return old
    target = conversion.target(op.result, leaf, old.element, old.sizes)
    conversion.put(old, target)
    return target


def update_slice(conversion: Conversion, op: phi.UpdateSliceOp) -> None:
    """Write the elements of a slice, whose positions are in bounds."""
    start, step = conversion.position(op.start), conversion.position(op.step)
    results = list[Leaf]()
    pairs = zip(conversion.leaves(op.array), conversion.leaves(op.value), strict=True)
    for leaf, (old, new) in enumerate(pairs):
        assert isinstance(old, Array)
        assert isinstance(new, Array)
        check_rows(conversion, op, op.array, op.value, "update_slice", (old, new))
        target = _overwritten(conversion, op, leaf, old)
        _write_slice(conversion, new, target, start, step)
        results.append(target)
    conversion.bind(op.result, results)


def _write_slice(
    conversion: Conversion, source: Array, target: Array, start: SSAValue, step: SSAValue
) -> None:
    """Copy the elements of an array to every ``step``-th position from a start on."""

    def element(at: Sequence[SSAValue]) -> None:
        offset = conversion.value_of(arith.MuliOp(at[0], step))
        place = conversion.value_of(arith.AddiOp(start, offset))
        conversion.store(conversion.load(source.at(at)), target.at([place, *at[1:]]))

    conversion.parallel(list(source.sizes), element)


def _write(conversion: Conversion, op: phi.UpdateOp, value: Leaf, target: Array) -> None:
    """Write an element if its positions are in bounds."""
    places, tests = list[SSAValue](), list[SSAValue]()
    for axis, position in enumerate(op.positions):
        conditions, position = _optional(position)
        places.append(conversion.position(position))
        tests.extend(conversion.scalar(condition) for condition in conditions)
        if not _is_inside(conversion, op, axis, position):
            tests.append(conversion.compare(places[-1], target.sizes[axis], "ult"))
    place = target.at(places)
    if not tests:
        conversion.put(value, place)
    else:
        is_written = reduce(lambda x, y: conversion.value_of(arith.AndIOp(x, y)), tests)
        conversion.when(is_written, lambda: conversion.put(value, place))


def _optional(position: SSAValue) -> tuple[Sequence[SSAValue], SSAValue]:
    """``where(c, p, -1)`` is ``p`` under the condition ``c``: no position is below 0."""
    op = phi.uncast(position).owner
    if not isinstance(op, arith.SelectOp) or (known_int(op.rhs) or 0) >= 0:
        return (), position
    conditions, inner = _optional(op.lhs)
    return (op.cond, *conditions), inner


def is_row_inside(conversion: Conversion, op: phi.UpdateOp) -> bool:
    """Whether an update replaces a row by one of its sizes, at positions in bounds."""
    depth, row = len(op.positions), op.value.type
    return (
        isinstance(row, phi.VecType)
        and all(is_inside_along(conversion, op, axis) for axis in range(depth))
        and all(
            conversion.sizes.same(Term(op.value, (), axis), Term(op.array, (), depth + axis), op)
            for axis in range(phi.rank_of(row))
        )
    )


def row_of(conversion: Conversion, op: phi.UpdateOp, leaf: int) -> Array:
    """The place of the row that an update replaces."""
    value, number = origin(op.array, leaf)
    array = conversion.leaves(value)[number]
    assert isinstance(array, Array)
    return array.at([conversion.position(position) for position in op.positions]).borrowed()


def is_inside_along(conversion: Conversion, op: phi.UpdateOp, axis: int) -> bool:
    """Whether a position of an update is in bounds."""
    return _is_inside(conversion, op, axis, op.positions[axis])


def _is_inside(conversion: Conversion, op: phi.UpdateOp, axis: int, position: SSAValue) -> bool:
    is_above = conversion.is_above(position, op)
    is_between = is_above and conversion.is_below(position, op.array, axis, op)
    return is_between and conversion.is_nonempty(op.array, axis, op)


def _check_row(conversion: Conversion, op: phi.UpdateOp, old: Array, new: Leaf) -> None:
    """Assert that a row has the sizes of those that it is among."""
    if isinstance(new, Array):
        count = len(op.positions)
        for axis, size in enumerate(new.sizes):
            own = count + axis
            if not conversion.sizes.same(Term(op.value, (), axis), Term(op.array, (), own), op):
                message = f"update: sizes along axis {own} differ"
                conversion.check_equal(old.sizes[own], size, message)
