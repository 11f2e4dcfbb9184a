"""``drop-copies``: updates of rows read no copy of the array whose rows have asserted sizes."""

from __future__ import annotations

from xdsl.dialects import func
from xdsl.ir import SSAValue

from ein_mlir.analysis.manager import AnalysisManager
from ein_mlir.analysis.phi.free_indices import FreeIndices, free_indices
from ein_mlir.analysis.phi.size_equivalence import (
    SizeEquivalence,
    Term,
    equal_sizes,
    unasserted_equal_sizes,
)
from ein_mlir.analysis.scopes import is_within, operations_in
from ein_mlir.dialects import phi
from ein_mlir.rewriting.dead_code import erase_unused
from ein_mlir.rewriting.passes import FunctionPass


def drop_copies(function: func.FuncOp, analyses: AnalysisManager) -> None:
    """``update array(i < n, j < m) { a[i, j] }[p], row  -->  update a[p], row``"""
    free = analyses.get(free_indices, function)
    proven = analyses.get(unasserted_equal_sizes, function)
    asserted = analyses.get(equal_sizes, function)
    for op in operations_in(function):
        if isinstance(op, phi.UpdateOp) and (array := _copied(op, free, proven, asserted)):
            op.operands[0] = array
    erase_unused(function.body.block)
    analyses.invalidate(function)


def _copied(
    op: phi.UpdateOp, free: FreeIndices, proven: SizeEquivalence, asserted: SizeEquivalence
) -> SSAValue | None:
    """The array that an update of rows copies before.

    Assertions may compare the sizes of the rows if the new row has these sizes, too: it keeps the
    assertions.
    """
    copy, row, depth = op.array.owner, op.value.owner, len(op.positions)
    if not isinstance(copy, phi.ArrayOp) or not isinstance(row, phi.ArrayOp):
        return None
    get = copy.yielded().owner
    if not isinstance(get, phi.GetOp) or is_within(get.array, copy):
        return None
    is_copy = (
        free.of(get.array).isdisjoint(copy.indices)
        and list(map(phi.uncast, get.positions)) == list(copy.indices)
        and all(
            (proven if axis < depth else asserted).same(size, Term(get.array, (), axis), op)
            for axis, size in enumerate(copy.sizes)
        )
    )
    return get.array if is_copy and copy.sizes[depth:] == row.sizes else None


class DropCopiesPass(FunctionPass):
    """Updates a row of an array in place of a copy of it, if an assertion compares their sizes.

    Before::

        %m = phi.assert_eq %size, %own, "rows"          // %own is the size of the rows of %s
        %copy = phi.array (%i < %n, %j < %m) -> !phi.vec<!phi.vec<f64>> { %s[%i, %j] }
        %row = phi.array (%j < %m) -> !phi.vec<f64> { .. }
        %next = phi.update %copy[%k], %row

    After::

        %m = phi.assert_eq %size, %own, "rows"
        %row = phi.array (%j < %m) -> !phi.vec<f64> { .. }
        %next = phi.update %s[%k], %row

    The new row keeps the assertion. The number of rows is provably that of the array. Folds that
    write such rows are no comprehensions, so ``raise-writes`` precedes this pass.
    """

    name = "drop-copies"
    looks_for = (phi.UpdateOp,)

    def run(self, function: func.FuncOp, analyses: AnalysisManager) -> None:
        drop_copies(function, analyses)
