"""Parts of elements as arrays of their own: guarded and written elements."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice

from xdsl.dialects import arith
from xdsl.ir import Operation, SSAValue
from xdsl.traits import ConstantLike

from ein_mlir.analysis.phi.free_indices import FreeIndices
from ein_mlir.analysis.phi.index_ranges import IndexRanges
from ein_mlir.analysis.scopes import around, is_within
from ein_mlir.dialects import phi
from ein_mlir.passes.phi.split_index_ranges.cuts import MOST_OPERATIONS, Cuts, chosen_by
from ein_mlir.rewriting.dead_code import erase_unused
from ein_mlir.rewriting.phi.builders import elements_of
from ein_mlir.rewriting.phi.insertion import Builder

LEAST_PARTS = 3
"""The fewest parts of a comprehension for which guarded elements have arrays of their own."""


def separate_borders(
    array: phi.ArrayOp, ranges: IndexRanges, free: FreeIndices
) -> list[phi.ArrayOp]:
    """``array (i) { e(where(c, x, 0)) }`` as ``y = array (i) { where(c, x, 0) }`` and
    ``array (i) { e(y[i]) }``.

    The new comprehensions, if the steps of a loop would compute e for three parts or more, and all
    cuts are due to such choices. Each is one more pass over memory: of several axes there are two.
    """
    body = list(islice(array.body.walk(), MOST_OPERATIONS))
    choices = [op for op in body if isinstance(op, arith.SelectOp)]
    found = [op for op in choices if _is_guarded(op, array) and _cut([op], ranges)]
    if not 0 < len(found) <= (4 if len(array.indices) == 1 else 2):
        return []
    is_in_loop = any(isinstance(each, phi.FoldOp) for each in around(array))
    if not is_in_loop or _cut([op for op in choices if op not in found], ranges):
        return []
    if Cuts(array, ranges, static=False).count() < LEAST_PARTS:
        return []
    return [_separate(select, array, free) for select in found]


def _is_guarded(op: arith.SelectOp, array: phi.ArrayOp) -> bool:
    """Whether a choice has a fixed alternative, and is not the element itself."""
    sides = (op.lhs, op.rhs)
    fixed = [
        ConstantLike.get_constant_value(side) is not None or not is_within(side, array)
        for side in sides
    ]
    is_part = op.parent is array.body.block and op.result is not array.yielded()
    return is_part and any(fixed) and not all(fixed) and phi.is_scalar_type(op.result.type)


def _cut(choices: Iterable[Operation], ranges: IndexRanges) -> bool:
    """Whether choices have conditions on an index."""
    return any(ranges.comparison(value) is not None for value in chosen_by(list(choices)))


def _separate(select: arith.SelectOp, array: phi.ArrayOp, free: FreeIndices) -> phi.ArrayOp:
    """A comprehension of a choice, which is read in the place of it."""
    own, read = _own_array(select.result, array, select, free)
    select.result.replace_all_uses_with(read)
    erase_unused(array.body.block)
    return own


def written_elements(array: phi.ArrayOp, free: FreeIndices) -> phi.ArrayOp | None:
    """``array (i) { a[i][p] := x }  -->  c = array (i) { x }; array (i) { a[i][p] := c[i] }``

    The new comprehension, if the rows of another array are updated, all at the same positions. Cut
    into parts, it has the elements that are written, and the rows would all be copied.
    """
    update = array.yielded().owner
    if not isinstance(update, phi.UpdateOp) or update.parent is not array.body.block:
        return None
    row = update.array.owner
    is_row = isinstance(row, phi.GetOp) and list(map(phi.uncast, row.positions)) == [*array.indices]
    if not is_row or any(
        is_within(p, array) or not free.of(p).isdisjoint(array.indices) for p in update.positions
    ):
        return None
    own, read = _own_array(update.value, array, update, free)
    update.operands[len(update.operands) - 1] = read
    erase_unused(array.body.block)
    return own


def _own_array(
    value: SSAValue, array: phi.ArrayOp, user: Operation, free: FreeIndices
) -> tuple[phi.ArrayOp, SSAValue]:
    """A comprehension of a value of another one, and its read before a user of the value."""
    found = elements_of(Builder.before(array, free.add), array, value)
    assert isinstance(found.owner, phi.ArrayOp)
    return found.owner, Builder.before(user, free.add).get(found, array.indices)
