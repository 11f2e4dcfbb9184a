"""``drop-copies``: copies of arrays are the arrays."""

from __future__ import annotations

from xdsl.dialects import func
from xdsl.ir import Operation

from ein_mlir.analysis.manager import AnalysisManager
from ein_mlir.analysis.phi.size_equivalence import (
    SizeEquivalence,
    Term,
    equal_sizes,
    is_asserted,
    unasserted_equal_sizes,
)
from ein_mlir.analysis.scopes import is_within, operations_in
from ein_mlir.dialects import phi
from ein_mlir.rewriting.dead_code import erase_unused
from ein_mlir.rewriting.passes import FunctionPass


def drop_copies(function: func.FuncOp, analyses: AnalysisManager) -> None:
    """``array(i < n, j < m) { a[i, j] }  -->  a``

    ``update array(i < n, j < m) { a[i, j] }[p], row  -->  update a[p], row``

    ``array(i < n) { f(array(i < n, j < m) { a[i, j] }[i]) }  -->  array(i < n) { f(a[i]) }``
    """
    copies = {
        op: get
        for op in operations_in(function)
        if isinstance(op, phi.ArrayOp) and (get := _copied(op)) is not None
    }
    if not copies:
        return
    proven = analyses.get(unasserted_equal_sizes, function)
    asserted = analyses.get(equal_sizes, function)
    for copy, get in copies.items():
        is_same = _has_sizes(copy, get, copy, len(copy.sizes), proven, asserted)
        if is_same and not any(map(is_asserted, copy.sizes)):
            copy.result.replace_all_uses_with(get.array)
            continue
        for use in list(copy.result.uses):
            if use.index == 0 and (
                _is_update_of_rows(use.operation, copy, get, proven, asserted)
                or _is_read_by_rows(use.operation, copy, get, proven, asserted)
            ):
                use.operation.operands[0] = get.array
    erase_unused(function.body.block)
    analyses.invalidate(function)


def _copied(copy: phi.ArrayOp) -> phi.GetOp | None:
    """The access to an array from outside whose elements a comprehension copies."""
    get = copy.yielded().owner
    if not isinstance(get, phi.GetOp) or is_within(get.array, copy):
        return None
    is_copy = list(map(phi.uncast, get.positions)) == list(copy.indices)
    return get if is_copy else None


def _has_sizes(
    copy: phi.ArrayOp,
    get: phi.GetOp,
    at: Operation,
    depth: int,
    proven: SizeEquivalence,
    asserted: SizeEquivalence,
) -> bool:
    """Whether the sizes of a copy are those of the array; the first ones without assertions."""
    return all(
        (proven if axis < depth else asserted).same(size, Term(get.array, (), axis), at)
        for axis, size in enumerate(copy.sizes)
    )


def _is_update_of_rows(
    op: Operation,
    copy: phi.ArrayOp,
    get: phi.GetOp,
    proven: SizeEquivalence,
    asserted: SizeEquivalence,
) -> bool:
    """Whether an operation updates rows of a copy, so that it may update those of the array.

    Assertions may compare the sizes of the rows if the new row has these sizes, too: it keeps the
    assertions.
    """
    if not isinstance(op, phi.UpdateOp) or not isinstance(op.value.owner, phi.ArrayOp):
        return False
    depth = len(op.positions)
    has_sizes = _has_sizes(copy, get, op, depth, proven, asserted)
    return has_sizes and copy.sizes[depth:] == op.value.owner.sizes


def _is_read_by_rows(
    op: Operation,
    copy: phi.ArrayOp,
    get: phi.GetOp,
    proven: SizeEquivalence,
    asserted: SizeEquivalence,
) -> bool:
    """Whether a comprehension reads a copy at its indices, so that it may read the array itself.

    Assertions may compare the sizes along these axes: the comprehension has the same.
    """
    reader = op.parent_op()
    if not isinstance(op, phi.GetOp) or not isinstance(reader, phi.ArrayOp):
        return False
    depth = len(op.positions)
    rows = copy.sizes[depth:]
    return (
        list(map(phi.uncast, op.positions)) == list(reader.indices[:depth])
        and reader.sizes[:depth] == copy.sizes[:depth]
        and not any(map(is_asserted, rows))
        and all(
            (asserted if axis < depth else proven).same(size, Term(get.array, (), axis), op)
            for axis, size in enumerate(copy.sizes)
        )
    )


class DropCopiesPass(FunctionPass):
    """Replaces copies of arrays by the arrays, if their sizes are provably equal.

    In an update of a row of a copy, assertions may compare the sizes of the rows. Before::

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
    looks_for = (phi.ArrayOp,)

    def run(self, function: func.FuncOp, analyses: AnalysisManager) -> None:
        drop_copies(function, analyses)
