"""The rules for updates: ``yarr.update`` for one position for all indices, else a selection.

::

    A[phi.update a[p], x] = <axes, update(E, |axes|, P, X)>           where P has no axes
                          = <axes, where(P == range, X, E)>           otherwise

where ``axes`` are those of ``a``, ``p`` and ``x``, to which E and X are aligned.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import arith
from xdsl.dialects.builtin import IntegerAttr, i1
from xdsl.ir import Block, Region, SSAValue

from ein_mlir.analysis.arithmetic import LinearForm
from ein_mlir.analysis.constants import known_int
from ein_mlir.analysis.phi.loops.writes import unconditional
from ein_mlir.analysis.phi.position_bounds import PositionBounds
from ein_mlir.analysis.phi.selections import Test
from ein_mlir.analysis.phi.size_equivalence import Term
from ein_mlir.analysis.scopes import ancestors, operations_in
from ein_mlir.dialects import phi, yarr
from ein_mlir.passes.conversions.convert_phi_to_yarr.axial import Axial, Index, union
from ein_mlir.passes.conversions.convert_phi_to_yarr.conversion import Conversion
from ein_mlir.passes.conversions.convert_phi_to_yarr.indexing import position_axial


def update(conversion: Conversion, op: phi.UpdateOp) -> None:
    """Emit an update for one position for all indices, a selection for others."""
    array, value = conversion.axial(op.array), conversion.axial(op.value)
    places, tests = list(op.positions), list[Test]()
    if all(_is_single(conversion, position) for position in places):
        found = list(map(unconditional, places))
        places, tests = [p for p, _ in found], [test for _, each in found for test in each]
    positions = [position_axial(conversion, position) for position in places]
    axes = union([array.axes, value.axes, *(position.axes for position in positions)])
    old, new = conversion.align_fully(array, axes), conversion.align(value, axes)
    count = len(positions)
    for axis in range(value.own_rank):
        if not conversion.sizes.same(
            Term(op.value, (), axis), Term(op.array, (), count + axis), op
        ):
            _assert_size(conversion, op, old, new, len(axes) + axis)
    if any(position.axes for position in positions):
        conversion.bind(op.result, Axial(axes, _choice(conversion, axes, old, positions, new)))
        return
    bounds = PositionBounds(conversion.places.in_step(op)).in_steps(op).where(tests, ())
    updated = yarr.UpdateOp(
        old,
        range(len(axes), len(axes) + count),
        [position.value for position in positions],
        new,
        _conjunction(conversion, tests),
        in_bounds=all(
            _is_in_bounds(conversion, op, number, place, bounds)
            for number, place in enumerate(places)
        ),
    )
    conversion.bind(op.result, Axial(axes, conversion.emit(updated, op).result))


def update_slice(conversion: Conversion, op: phi.UpdateSliceOp) -> None:
    """Emit an update of a slice along the first own axis::

        A[phi.update_slice a[p by s], x] = <axes, update_slice(E, |axes|, P, |X|, S, X)>

    where ``axes`` are those of ``a`` and ``x``, to which E and X are aligned. If s is 1, it is the
    concatenation of X, with all axes, and the slices of E before it and behind it, unless X reads
    other elements of E, or sizes are the same in each step of loops and it is in one.
    """
    array, value = conversion.axial(op.array), conversion.axial(op.value)
    axes = union([array.axes, value.axes])
    axis, is_joined = len(axes), _is_joined(conversion, op)
    old = conversion.align_fully(array, axes)
    new = (conversion.align_fully if is_joined else conversion.align)(value, axes)
    for own in range(1, value.own_rank):
        if not conversion.sizes.same(Term(op.value, (), own), Term(op.array, (), own), op):
            message = f"update_slice: sizes along axis {own} differ"
            conversion.assert_equal_sizes(old, new, own, axis, message)
    start = conversion.plain(op.start, "the start", op)
    step = conversion.plain(op.step, "the step", op)
    count = conversion.emit(yarr.SizeOp(new, axis)).result
    if is_joined:
        updated = _joined(conversion, op, old, axis, start, count, new)
    else:
        updated = conversion.emit(yarr.UpdateSliceOp(old, start, count, step, axis, new), op).result
    conversion.bind(op.result, Axial(axes, updated))


def _is_joined(conversion: Conversion, op: phi.UpdateSliceOp) -> bool:
    """Whether an array after an update of a slice is joined of the slice and those around it.

    Their sizes may be different in each step of a loop.
    """
    varies = conversion.is_static and any(ancestors(op, phi.LoopOp))
    return known_int(op.step) == 1 and not varies and not _reads_others(conversion, op)


def _reads_others(conversion: Conversion, op: phi.UpdateSliceOp) -> bool:
    """Whether new elements by 1 depend on other old ones than those that they replace."""
    value = op.value.owner
    if not isinstance(value, phi.ArrayOp):
        return False
    forms = conversion.forms
    own = forms.form(op.start) + LinearForm.of(value.indices[0])
    return any(
        isinstance(each, phi.GetOp)
        and each.array is op.array
        and not (each.positions and forms.form(each.positions[0]) == own)
        for each in operations_in(value)
    )


def _joined(
    conversion: Conversion,
    op: phi.UpdateSliceOp,
    old: SSAValue,
    axis: int,
    start: SSAValue,
    count: SSAValue,
    new: SSAValue,
) -> SSAValue:
    """The elements before new ones, which an accumulator keeps, these, and the elements behind."""
    forms, size = conversion.forms, conversion.emit(yarr.SizeOp(old, axis)).result
    zero = conversion.integer(0)
    first, length = forms.integer(op.start), forms.size(op.value, 0)
    stop = None if length is None else first + length
    parts = [new]
    if first != LinearForm():
        before = yarr.SliceOp(old, axis, zero, start)
        parts.insert(0, conversion.emit(before).result)
    if stop is None or stop != forms.size(op.array, 0):
        end = conversion.combined(start, "+", count)
        rest = conversion.arithmetic(arith.MaxSIOp, conversion.combined(size, "-", end), zero)
        parts.append(conversion.emit(yarr.SliceOp(old, axis, end, rest)).result)
    return conversion.emit(yarr.ConcatOp(parts, axis, size), op).result


def _is_single(conversion: Conversion, position: SSAValue) -> bool:
    """Whether a position, and what it is chosen by, are the same for all indices."""
    return not conversion.free.of(phi.uncast(position))


def _conjunction(conversion: Conversion, tests: Sequence[Test]) -> SSAValue | None:
    """Whether all of some tests hold; None if there are none."""
    found: SSAValue | None = None
    for test in tests:
        holds = conversion.axial(test.condition).value
        if not test.expected:
            true = conversion.emit(yarr.constant(IntegerAttr(1, i1))).result
            holds = conversion.arithmetic(arith.XOrIOp, holds, true)
        found = holds if found is None else conversion.arithmetic(arith.AndIOp, found, holds)
    return found


def _is_in_bounds(
    conversion: Conversion, op: phi.UpdateOp, number: int, place: SSAValue, bounds: PositionBounds
) -> bool:
    """Whether a place is provably in bounds where the tests of the update hold."""
    size = conversion.places.size(op.array, number)
    if size is None:
        return False
    integer = bounds.forms.integer(place)
    sides = integer, size - 1 - integer
    return conversion.places.is_in_step(place, size, op) or all(map(bounds.is_nonnegative, sides))


def _assert_size(
    conversion: Conversion, op: phi.UpdateOp, array: SSAValue, value: SSAValue, axis: int
) -> None:
    """Emit an assertion that the value has the sizes of the elements that it replaces."""
    count = len(op.positions)
    sizes = (yarr.SizeOp(array, axis + count), yarr.SizeOp(value, axis))
    lhs, rhs = (conversion.emit(size).result for size in sizes)
    own = axis + count - (yarr.rank_of(array) - phi.rank_of(op.array.type))
    message = f"update: sizes along axis {own} differ"
    conversion.emit(yarr.AssertEqOp(lhs, rhs, message))


def _choice(
    conversion: Conversion,
    axes: Sequence[Index],
    array: SSAValue,
    positions: Sequence[Axial],
    value: SSAValue,
) -> SSAValue:
    """``where(P == range & .., X, E)``"""
    first = len(axes)
    is_there: SSAValue | None = None
    for number, position in enumerate(positions):
        axis = first + number
        here = _is_at(conversion, array, axis, conversion.align(position, axes), first)
        is_there = here if is_there is None else conversion.arithmetic(arith.AndIOp, is_there, here)
    assert is_there is not None
    own = range(first, first + len(positions))
    spread = conversion.emit(yarr.UnsqueezeOp(value, list(own))).result
    return conversion.arithmetic(arith.SelectOp, is_there, spread, array)


def _is_at(
    conversion: Conversion, array: SSAValue, axis: int, position: SSAValue, first: int
) -> SSAValue:
    """``range == P`` along an axis of an array, for a position P that has the first axes."""
    rank = yarr.rank_of(array)
    size = conversion.emit(yarr.SizeOp(array, axis)).result
    places = conversion.emit(yarr.RangeOp(size)).result
    others = [d for d in range(rank) if d != axis]
    along = conversion.emit(yarr.UnsqueezeOp(places, others)).result
    wanted = conversion.emit(yarr.UnsqueezeOp(position, list(range(first, rank)))).result
    block = Block(arg_types=[yarr.element_of(along), yarr.element_of(wanted)])
    block.add_op(equal := arith.CmpiOp(block.args[0], block.args[1], "eq"))
    block.add_op(yarr.YieldOp(equal))
    return conversion.emit(yarr.ElementwiseOp([along, wanted], Region(block))).result
