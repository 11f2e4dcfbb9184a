"""Elements that are written to rows as arrays of their own."""

from __future__ import annotations

from ein_mlir.analysis.phi.free_indices import FreeIndices
from ein_mlir.analysis.scopes import is_within
from ein_mlir.dialects import phi
from ein_mlir.rewriting.dead_code import erase_unused
from ein_mlir.rewriting.phi.builders import elements_of
from ein_mlir.rewriting.phi.insertion import Builder


def written_elements(array: phi.ArrayOp, free: FreeIndices) -> phi.ArrayOp | None:
    """``array (i) { a[i][p] := x }  -->  c = array (i) { x }; array (i) { a[i][p] := c[i] }``

    The new comprehension, if the rows of another array are updated, all at the same positions. Cut
    into parts, it has the elements that are written, and the rows would all be copied.
    """
    update = array.yielded().owner
    if not isinstance(update, phi.UpdateOp) or update.parent is not array.body.block:
        return None
    row = update.array.owner
    is_row = isinstance(row, phi.GetOp) and row.is_at(array.indices)
    if not is_row or any(
        is_within(p, array) or not free.of(p).isdisjoint(array.indices) for p in update.positions
    ):
        return None
    elements = elements_of(Builder.before(array, free.add), array, update.value)
    read = Builder.before(update, free.add).get(elements, array.indices)
    update.operands[len(update.operands) - 1] = read
    erase_unused(array.body.block)
    assert isinstance(elements.owner, phi.ArrayOp)
    return elements.owner
